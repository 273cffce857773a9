"""One recorded payload: its bytes, and its value on first use."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple, TypeGuard, cast

from eve_replay.codec.base64text import decode_base64, decoded_size
from eve_replay.codec.decode_cache import recent
from eve_replay.codec.devalue.document import decode_devalue, hydrate_json
from eve_replay.codec.devalue.lazy import LazyValue, parse_path, step_into
from eve_replay.codec.devalue.parse import Notes
from eve_replay.codec.devalue.scan import Entries, Fault
from eve_replay.codec.envelope import Opened, open_envelope, unwrap
from eve_replay.codec.failure import LayerError
from eve_replay.codec.keys import KeyRing
from eve_replay.codec.zstd_prefix import WORTH_IT, Front
from eve_replay.errors import DecodeError, WrongUse
from eve_replay.limits import LimitsLike, as_limits
from eve_replay.problems import Problem
from eve_replay.values import UNDEFINED, JsValue, Undecoded, Unknown, format_path, to_tagged, walk

__all__ = ["Payload"]


class _Decoded(NamedTuple):
    value: object
    notes: Notes


class Payload:
    """A payload as stored. Nothing is decoded before somebody asks, and asking never raises.

    Args:
        raw: the stored bytes (an envelope), or the devalue JSON itself that spec version 1 stored
            instead of bytes (a list of entries or a bare negative number).
        keys: keys for encrypted payloads.
        limit: most bytes to decompress to, or the limits of the source it is from; the defaults when None.
        where: what to call it in problems, for example ``steps/....json input``.
        run_id: whose key opens it.
        own: whether the writer uses devalue's own forms (the Python SDK), None when the writer is unknown.
    """

    __slots__ = (
        "_base64",
        "_decoded",
        "_entries",
        "_kind",
        "_opened",
        "_raw",
        "keys",
        "limits",
        "own",
        "run_id",
        "where",
    )

    def __init__(
        self,
        raw: object,
        *,
        keys: KeyRing | None = None,
        limit: LimitsLike = None,
        where: str = "",
        run_id: str = "",
        own: bool | None = False,
    ) -> None:
        self._base64: str | None = None
        self.own = own
        self._raw = bytes(raw) if isinstance(raw, (bytearray, memoryview)) else raw
        self._kind = "bytes" if isinstance(self._raw, bytes) else "legacy"
        self.keys = keys
        self.limits = as_limits(limit)
        self.where = where
        self.run_id = run_id
        self.forget()

    @classmethod
    def from_base64(
        cls,
        text: str,
        *,
        keys: KeyRing | None = None,
        limit: LimitsLike = None,
        where: str = "",
        run_id: str = "",
        own: bool | None = False,
    ) -> Payload:
        """Return a payload that stays base64 text until its bytes are needed."""
        payload = cls(b"", keys=keys, limit=limit, where=where, run_id=run_id, own=own)
        payload._base64 = text
        return payload

    @classmethod
    def plain(cls, value: object, *, where: str = "", run_id: str = "") -> Payload:
        """Return a payload that is a plain record or text, such as an error before spec version 5."""
        payload = cls(value, where=where, run_id=run_id)
        payload._kind = "plain"
        return payload

    @property
    def limit(self) -> int:
        """Most bytes to decompress to."""
        return self.limits.payload

    def forget(self) -> None:
        """Drop everything derived from the stored form; it is derived again when asked for."""
        self._opened: Opened | None = None
        self._entries: Entries | None = None
        self._decoded: _Decoded | None = None

    # -- as stored ----------------------------------------------------------------------------------

    @property
    def raw(self) -> Any:
        """What is stored: bytes, or JSON for legacy and plain payloads."""
        return self._raw if self._base64 is None else decode_base64(self._base64)[0]

    @property
    def size(self) -> int:
        """How many bytes are stored, 0 for legacy and plain payloads."""
        if self._base64 is not None:
            return decoded_size(self._base64)
        return len(self._raw) if isinstance(self._raw, bytes) else 0

    @property
    def is_bytes(self) -> bool:
        """Whether it is an envelope of bytes (not a legacy or plain one)."""
        return self._kind == "bytes"

    # -- opened -------------------------------------------------------------------------------------

    def _open(self) -> Opened:
        opened = self._opened
        if opened is None:
            opened = open_envelope(self.raw, key_for=self._key, limit=self.limits.payload, where=self.where)
            self._opened = opened
            recent.hold(self, len(opened.text or b""))
        return opened

    @property
    def layers(self) -> tuple[str, ...]:
        """Prefixes outside to inside, as far as they can be opened; ``("legacy",)`` or ``("plain",)``."""
        return self._open().layers if self.is_bytes else (self._kind,)

    @property
    def text_size(self) -> int | None:
        """Bytes of devalue text inside, None when it cannot be opened or is no envelope."""
        text = self._open().text if self.is_bytes else None
        return None if text is None else len(text)

    @property
    def text(self) -> bytes | None:
        """The devalue text inside, nothing parsed; None when it cannot be opened or is no envelope."""
        return self._open().text if self.is_bytes else None

    # -- decoded ------------------------------------------------------------------------------------

    def _decode(self) -> _Decoded:
        decoded = self._decoded
        if decoded is None:
            decoded = self._decoded = self._decode_now()
        return decoded

    def _decode_now(self) -> _Decoded:
        if self._kind == "plain":
            return _Decoded(_own_copy(self._raw), Notes())
        if self._kind == "legacy":
            return _Decoded(*hydrate_json(_own_copy(self._raw), Notes(), own=self.own))
        opened = self._open()
        if opened.text is None:
            return _failed(opened.failure)
        return _Decoded(*decode_devalue(opened.text, limits=self.limits, own=self.own))

    @property
    def value(self) -> JsValue:
        """The whole value, decoded anew: yours to change. What cannot be decoded is an ``Undecoded``."""
        return cast("JsValue", self._decode_now().value)

    @property
    def shared(self) -> JsValue:
        """The whole value as kept for whoever asks next: quicker the second time, and not to be changed."""
        return cast("JsValue", self._decode().value)

    @property
    def lazy(self) -> LazyValue:
        """The value, to be reached step by step without decoding the rest."""
        if self._kind == "plain":
            return LazyValue(value=_own_copy(self._raw))
        entries = self._entries
        try:
            if entries is None:
                entries = self._entries = self._read_entries()
            return LazyValue.of_document(entries)
        except Fault as fault:
            return LazyValue(value=fault.undecoded)

    def _read_entries(self) -> Entries:
        """Return the entries, of the front only as long as the payload is not open anyway."""
        if self._kind == "legacy":
            return Entries(None, parsed=self._raw, own=self.own)
        front = None
        if self._opened is None and self.size >= WORTH_IT:
            try:
                prefix, data, _ = unwrap(self.raw, [], key_for=self._key)
                front = Front(data, self.limits.payload) if prefix == "zstd" else None
            except (LayerError, ImportError):
                pass  # Opening the whole says what is wrong.
            recent.hold(self, self.size)
        return Entries(self._text, front, own=self.own)

    def _text(self) -> bytes:
        """Return the devalue bytes. Raises Fault."""
        opened = self._open()
        if opened.text is None:
            raise Fault(opened.failure or Undecoded("invalid-input", "Nothing inside."))
        return opened.text

    def _key(self) -> bytes | None:
        return None if self.keys is None else self.keys.key_for(self.run_id)

    def at(self, path: str | tuple[str | int, ...]) -> JsValue:
        """Return the value at a path, ``UNDEFINED`` when there is none; decodes only that part, anew.

        Args:
            path: ``"$.args[0].history[3].content"`` or its steps as a tuple. Raises WrongUse when the
                text is no path.
        """
        steps = parse_path(path) if isinstance(path, str) else path
        if steps is None:
            raise WrongUse(f"{path!r} is no path.", hint='Write it like $.args[0]["odd key"].')
        if self._decoded is not None:
            value = self._decoded.value
            for step in steps:
                value = step_into(value, step)
            if isinstance(value, (str, int, float, Undecoded)) or value is None or value is UNDEFINED:
                return cast("JsValue", value)  # nobody can change these
        here, taken = self.lazy.reach(steps)
        value = here.value
        # What is under an Undecoded nobody can tell: the answer is that one, with the place where it stands.
        found = replace(value, path=format_path(steps[:taken])) if _here(value) else value
        return cast("JsValue", found)

    @property
    def undecoded(self) -> Undecoded | None:
        """The first thing in the value that could not be decoded, None when all could."""
        if isinstance(self.shared, Undecoded):
            return self.shared
        if not self._decode().notes.failed:
            return None
        for trail, value in walk(self.shared):
            if isinstance(value, Undecoded):
                return value
            if isinstance(value, Unknown):
                return Undecoded(value.reason, value.message, trail.path())
        return None

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What was odd or wrong, one entry each; empty for a payload as the vendor writes it."""
        found = list(self._open().problems) if self.is_bytes else []
        for code, message in self._decode().notes:
            found.append(Problem(severity="info", code=code, where=self.where, message=message))
        undecoded = self.undecoded
        if undecoded is not None:
            where = f"{self.where} {undecoded.path}".strip()
            found.append(
                Problem(severity="error", code=undecoded.reason, where=where, message=undecoded.message)
            )
        return tuple(found)

    def decode(self, *, strict: bool = True) -> JsValue:
        """Return the value; strict mode raises DecodeError if any part of it could not be decoded."""
        undecoded = self.undecoded if strict else None
        if undecoded is not None:
            raise DecodeError(
                undecoded.message, reason=undecoded.reason, path=undecoded.path, offset=undecoded.offset
            )
        return self.value

    def tagged(self) -> Any:
        """Return the value as canonical tagged JSON."""
        return to_tagged(self.shared)

    def __repr__(self) -> str:
        return f"Payload({self._kind}, {self.size} bytes, where={self.where!r})"


def _failed(failure: Undecoded | None) -> _Decoded:
    notes = Notes()
    notes.failed = True
    return _Decoded(failure, notes)


def _here(value: object) -> TypeGuard[Undecoded]:
    """Return whether a part is Undecoded as a whole, so that it does not know where it stands."""
    return isinstance(value, Undecoded) and value.path == "$" and value.offset is None


def _own_copy(raw: object) -> Any:
    """Return a deep copy of legacy JSON, whose containers the decoder may use up. Any depth."""
    top: list[Any] = [raw]
    todo: list[Any] = [top]
    while todo:
        holder = todo.pop()
        for slot, item in holder.items() if isinstance(holder, dict) else enumerate(holder):
            if isinstance(item, (dict, list)):
                holder[slot] = copy = item.copy()
                todo.append(copy)
    return top[0]

"""Redaction: records and stream chunks with secrets (or all text) replaced, and nothing else changed.

Ids of runs, steps, calls and events, names, times, statuses, sizes and the order of everything stay, so that
``attempts``, ``why`` and ``crash`` say of a redacted bundle what they said of its source.
"""

from __future__ import annotations

import gzip
import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from eve_replay.codec import Payload
from eve_replay.codec.envelope import PREFIXES, open_envelope
from eve_replay.codec.frames import pieces
from eve_replay.codec.keys import KeyRing
from eve_replay.limits import LimitsLike, as_limits
from eve_replay.records import EventRecord, Record, StepRecord, StreamChunk
from eve_replay.redaction.devalue import redact_devalue
from eve_replay.redaction.rules import Stand
from eve_replay.redaction.text import PLAIN, Context, TextRedactor
from eve_replay.values import Undecoded, from_tagged, to_tagged

__all__ = ["Redactor"]

#: Levels of plain data that are redacted in place.
_DEEPEST = 200

_ENCRYPTED = frozenset(("encr", "encp"))
#: Fields of records and of ``eventData`` whose text is the machinery's own.
_OWN_WORDS = """
    runId stepId eventId hookId waitId name eventType correlationId status workflowName stepName
    deploymentId specVersion createdAt updatedAt startedAt completedAt expiredAt resumeAt retryAfter
    ownerId projectId environment errorCode workflowCoreVersion nodeVersion ownerMessageId resumeId region tag
    format recordId conversationId messageId parentId assistantMessageId toolCallId turnId operationId
    attemptId submissionId blockId taskId parentToolCallId parentAssistantEntryId incarnation uid path
    stopReason signalType harness settlementRecordId joinedInto sessionKey
"""
_OWN_FIELDS = frozenset(_OWN_WORDS.split())
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|`[^`]*`")
_OPEN_ATTRIBUTES = frozenset(("$eve.title",))
#: Bytes of redacted payloads that are kept for their second copy.
_HELD = 64 * 1024 * 1024


class Redactor:
    """Redacts one bundle.

    Args:
        salt: secret random bytes; the same salt gives the same stand-ins.
        mask_all: replace all text but the words and ids of the machinery.
        drop_encrypted: blank payloads that cannot be opened for want of a key, instead of keeping them.
        keys: open encrypted payloads; what could be opened is stored unencrypted and redacted.
        literals: secrets that a first pass over the same world found, replaced wherever they stand.
        deltas: pieces of streamed texts that hold a part of a secret, as that pass found them.
        limit: most bytes to decompress to.
    """

    def __init__(
        self,
        salt: bytes,
        *,
        mask_all: bool = False,
        drop_encrypted: bool = False,
        keys: KeyRing | None = None,
        literals: Iterable[str] = (),
        deltas: Mapping[str, str] | None = None,
        limit: LimitsLike = None,
    ) -> None:
        self.mask_all = mask_all
        self._texts = TextRedactor(Stand(salt), mask_all=mask_all, literals=literals)
        self._texts.deltas.update(deltas or {})
        self._drop = drop_encrypted
        self._keys = keys
        self._limit = limit
        self._own_steps: dict[str, bool] = {}
        self._recent: dict[tuple[bytes, str, bool], bytes | None] = {}
        self._held = 0

    @property
    def counts(self) -> Counter[str]:
        """How often each rule replaced something."""
        return self._texts.counts

    @property
    def found(self) -> set[str]:
        """Secrets met so far, to be given as ``literals`` to the second pass."""
        return self._texts.found

    @property
    def left(self) -> Counter[str]:
        """What still looks like a secret, shortened, and how often it was met."""
        return self._texts.left

    @property
    def deltas(self) -> dict[str, str]:
        """Pieces of streamed texts that hold a part of a secret, to be given to the second pass."""
        return self._texts.deltas

    def join(self, pieces: list[str]) -> None:
        """Look at the pieces of one streamed text together."""
        self._texts.join(pieces)

    # -- records ------------------------------------------------------------------------------------

    def record(self, record: Record) -> Record:
        """Return a record redacted. Steps must come before the events of their run."""
        context = Context(user=self._is_users(record))
        fields = {name: self._field(name, value, context) for name, value in record.fields.items()}
        return replace(record, fields=fields)

    def _is_users(self, record: Record) -> bool:
        """Return whether a record's payloads belong to the user's own functions."""
        if isinstance(record, StepRecord):
            own = _is_eve(record.text("stepName"))
            self._own_steps[record.step_id] = own
            return not own
        if isinstance(record, EventRecord):
            name = record.data.get("stepName") or record.data.get("workflowName")
            if isinstance(name, str):
                return not _is_eve(name)
            if record.correlation_id in self._own_steps:
                return not self._own_steps[record.correlation_id]
            return False
        name = record.text("workflowName")
        return name is not None and not _is_eve(name)

    def _field(self, name: str, value: object, context: Context, *, inside: bool = False) -> object:
        if isinstance(value, Payload):
            return self.payload(value, replace(context, name=name))
        if name in _OWN_FIELDS and isinstance(value, (str, int)):
            return value
        if name in ("token", "hookToken") and isinstance(value, str):
            return self._texts.token(value)
        if name == "eventData" and isinstance(value, Mapping) and not inside:
            return {key: self._field(key, item, context, inside=True) for key, item in value.items()}
        if name == "child" and isinstance(value, Mapping) and inside:
            return {key: self._field(key, item, context, inside=True) for key, item in value.items()}
        if name == "attributes" and isinstance(value, Mapping):
            return {key: self._attribute(key, item) for key, item in value.items()}
        return self.plain(value, context.under(name))

    def _attribute(self, name: str, value: object) -> object:
        if name.startswith("$") and name not in _OPEN_ATTRIBUTES and isinstance(value, str):
            return self.light(value)
        return self.plain(value, Context(name="title" if name in _OPEN_ATTRIBUTES else name, user=True))

    def light(self, value: str, context: Context = PLAIN) -> str:
        """Apply the default rules only: the words are the machinery's or ours, but may quote somebody."""
        mask, self._texts.mask_all = self._texts.mask_all, False
        try:
            return self._texts.text(value, context)
        finally:
            self._texts.mask_all = mask

    def message(self, text: str) -> str:
        """Return one of our own sentences; what it quotes goes when all text goes."""
        text = self.light(text, Context(name="message", user=True))
        return _QUOTED.sub(lambda quoted: self._texts.stand(quoted.group()), text) if self.mask_all else text

    def place(self, label: str) -> str:
        """Return what a redacted world is called: the last part of its path, without the folders above it."""
        last = re.split(r"[/\\]", self.light(label).rstrip("/\\"))[-1]
        return (last if not self.mask_all else "") or "redacted"

    def about(self, about: Mapping[str, object]) -> dict[str, object]:
        """Return the facts of a world without paths and hosts."""
        kept: dict[str, object] = {}
        for name, value in about.items():
            if isinstance(value, str):
                path = "/" in value or "\\" in value or name in ("host", "team", "project", "database")
                kept[name] = self.place(value) if path else self.light(value)
            elif value is None or isinstance(value, (int, float)):
                kept[name] = value
        return kept

    def plain(self, value: object, context: Context, depth: int = 0) -> object:
        """Return JSON-like data redacted; what nests without end is left out, and says so in its place."""
        if depth > _DEEPEST and isinstance(value, (Mapping, list)):
            return Undecoded("too-deep", f"Left out by redaction: nested deeper than {_DEEPEST} levels.")
        if isinstance(value, str):
            return self._texts.text(value, context)
        if isinstance(value, Mapping):
            names = [key for key in value if isinstance(key, str)]
            return {
                (self._texts.name(key) if isinstance(key, str) else key): self.plain(
                    item, context.under(str(key), names), depth + 1
                )
                for key, item in value.items()
            }
        if type(value) is list:
            return [self.plain(item, context, depth + 1) for item in value]
        if isinstance(value, int) and not isinstance(value, bool):
            changed = self._texts.number(str(value), context)
            return value if changed == str(value) else int(changed)
        if isinstance(value, bytes):
            return self._texts.data(value, context)
        if value is None or isinstance(value, (bool, float)):
            return value
        return from_tagged(self.plain(to_tagged(value), context, depth + 1))

    # -- payloads -----------------------------------------------------------------------------------

    def payload(self, payload: Payload, context: Context) -> Payload:
        """Return a payload redacted, in the layers it had (without encryption when it could be opened)."""
        if payload.is_bytes:
            return _like(payload, self._envelope(payload.raw, context, payload.run_id))
        if payload.layers == ("legacy",):
            from eve_replay.codec import dumps_tagged, loads_json

            text = redact_devalue(dumps_tagged(payload.raw, ensure_ascii=True), self._texts, context)
            return _like(payload, loads_json(text) if text is not None else [None])
        where, run_id = payload.where, payload.run_id
        return Payload.plain(self.plain(payload.raw, context), where=where, run_id=run_id)

    def _envelope(self, raw: bytes, context: Context, run_id: str) -> bytes:
        if len(raw) <= 2048:
            return self._envelope_now(raw, context, run_id)
        # A step's payloads are stored twice, in its record and in its events.
        key = (hashlib.sha256(raw).digest(), context.name, context.user)
        if key in self._recent:
            known = self._recent[key]
            return raw if known is None else known
        made = self._envelope_now(raw, context, run_id)
        kept = None if made == raw else made
        self._held += len(kept or b"")
        if self._held > _HELD:
            self._recent.clear()
            self._held = 0
        self._recent[key] = kept
        return made

    def _envelope_now(self, raw: bytes, context: Context, run_id: str) -> bytes:
        keys = self._keys
        limit = as_limits(self._limit).payload
        opened = open_envelope(raw, key_for=lambda: keys.key_for(run_id) if keys else None, limit=limit)
        layers = opened.layers
        if opened.text is None:
            reason = opened.failure.reason if opened.failure else ""
            if (
                layers
                and layers[0] in _ENCRYPTED
                and reason in ("missing-key", "wrong-key", "missing-library")
            ):
                if not self._drop:
                    self.counts["kept encrypted"] += 1
                    return raw
                self.counts["dropped encrypted"] += 1
                return raw[:4] + bytes(len(raw) - 4)
            return self._blank(raw)
        try:
            text = opened.text.decode("utf-8")
        except UnicodeDecodeError:
            return self._blank(raw)
        changed = redact_devalue(text, self._texts, context)
        if changed is None:
            return self._blank(raw)
        if changed == text and layers[0] not in _ENCRYPTED:
            return raw
        return _closed(changed.encode("utf-8", "surrogatepass"), layers)

    def _blank(self, raw: bytes) -> bytes:
        """Nobody knows what it holds: keep the prefix and the size."""
        self.counts["undecodable"] += 1
        head = raw[:4] if raw[:4] in PREFIXES else b""
        return head + bytes(len(raw) - len(head))

    # -- streams ------------------------------------------------------------------------------------

    def chunks(self, chunks: Iterable[StreamChunk], run_id: str) -> Iterator[StreamChunk]:
        """Yield a stream's chunks redacted: same ids, same ends; a frame stays in the chunk it starts in."""
        waiting: list[StreamChunk] = []
        for chunk in chunks:
            if chunk.end or not chunk.data:
                yield from self._group(waiting, run_id)
                waiting = []
                yield replace(chunk, data=self._text_bytes(chunk.data)) if chunk.data else chunk
                continue
            waiting.append(chunk)
            if not _unfinished(waiting):
                yield from self._group(waiting, run_id)
                waiting = []
        yield from self._group(waiting, run_id)

    def _group(self, group: list[StreamChunk], run_id: str) -> Iterator[StreamChunk]:
        """Yield chunks whose frames end with the last of them."""
        if not group:
            return
        starts: dict[str, bytearray] = {chunk.chunk_id: bytearray() for chunk in group}
        for piece in pieces((chunk.chunk_id, chunk.data) for chunk in group):
            data = self._piece(piece.kind, piece.data, run_id)
            if piece.kind == "frame":
                starts[piece.chunk_id] += len(data).to_bytes(4, "big")
            elif piece.kind == "cut" and group[-1].data:
                starts[piece.chunk_id] += data
                continue
            starts[piece.chunk_id] += data
        new = [bytes(starts[chunk.chunk_id]) for chunk in group]
        if len(group) > 1 and sum(map(len, new)) == sum(len(chunk.data) for chunk in group):
            whole, at = b"".join(new), 0
            new = []
            for chunk in group:
                new.append(whole[at : at + len(chunk.data)])
                at += len(chunk.data)
        for chunk, data in zip(group, new, strict=True):
            yield replace(chunk, data=data)

    def _piece(self, kind: str, data: bytes, run_id: str) -> bytes:
        if kind in ("frame", "bare"):
            if data[:4] in PREFIXES:
                return self._envelope(data, Context(), run_id)
            return self._text_bytes(data)
        if kind == "text":
            return self._text_bytes(data)
        if kind == "cut":
            # The length word of the frame and what is there of it.
            head = data[:8] if data[4:8] in PREFIXES else data[:4]
            self.counts["undecodable"] += 1
            return head + bytes(len(data) - len(head))
        self.counts["undecodable"] += 1
        return bytes(len(data))

    def _text_bytes(self, data: bytes) -> bytes:
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            return self._texts.data(data, Context(user=True))
        lines = text.split("\n")
        changed = [redact_devalue(line, self._texts) if line.startswith("[") else None for line in lines]
        if any(line is not None for line in changed):
            pairs = zip(lines, changed, strict=True)
            return "\n".join(self._texts.text(a) if b is None else b for a, b in pairs).encode()
        return self._texts.data(data, Context(user=True))


def _like(payload: Payload, raw: object) -> Payload:
    return Payload(raw, keys=payload.keys, limit=payload.limits, where=payload.where, run_id=payload.run_id)


def _is_eve(name: str | None) -> bool:
    return name is not None and ("//eve@" in name or "//eve//" in name)


def _unfinished(group: list[StreamChunk]) -> bool:
    """Return whether the last frame of these chunks needs another chunk."""
    found = [piece.kind for piece in pieces((chunk.chunk_id, chunk.data) for chunk in group)]
    return bool(found) and found[-1] == "cut"


def _closed(text: bytes, layers: tuple[str, ...]) -> bytes:
    """Return a devalue text in its envelope, with the compression it had."""
    data = b"devl" + text
    if "zstd" in layers:
        from eve_replay.codec.zstdlib import deflate

        return b"zstd" + deflate(data, 3)
    if "gzip" in layers:
        return b"gzip" + gzip.compress(data, mtime=0)
    return data

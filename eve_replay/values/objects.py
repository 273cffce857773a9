"""Objects the journal names by type: errors, references to live things, and what we cannot read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from eve_replay.values.singletons import UNDEFINED

__all__ = ["JsError", "Tagged", "Undecoded", "Unknown"]


class _Compared:
    """Equality by content, cycle safe; unhashable, as the content can change while it is built."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        from eve_replay.values.equal import same

        return same(self, other) if isinstance(other, type(self)) else NotImplemented


class JsError(_Compared):
    """An error of any class, as recorded. A field the journal does not hold is ``UNDEFINED``.

    Attributes:
        kind: type name in the journal: ``Error``, ``TypeError``, ``FatalError``, ``DOMException`` ...
        fields: everything recorded, in recorded order.
    """

    __slots__ = ("fields", "kind")

    def __init__(
        self,
        kind: str = "Error",
        name: object = UNDEFINED,
        message: object = UNDEFINED,
        stack: object = UNDEFINED,
        cause: object = UNDEFINED,
        extra: Mapping[str, object] | None = None,
        *,
        fields: dict[str, object] | None = None,
    ) -> None:
        self.kind = kind
        if fields is None:
            given = {"name": name, "message": message, "stack": stack, "cause": cause, **(extra or {})}
            fields = {k: v for k, v in given.items() if v is not UNDEFINED}
        self.fields = fields

    @property
    def name(self) -> object:
        """The error's own name; a type that records none has its type's name."""
        return self.fields.get("name", self.kind)

    @property
    def message(self) -> object:
        """The message, normally text."""
        return self.fields.get("message", UNDEFINED)

    @property
    def stack(self) -> object:
        """The stack, normally text."""
        return self.fields.get("stack", UNDEFINED)

    @property
    def cause(self) -> object:
        """The cause, any value, possibly this very error."""
        return self.fields.get("cause", UNDEFINED)

    @property
    def extra(self) -> dict[str, object]:
        """Recorded fields beyond the four: ``errors``, ``retryAfter``, ``token``, ``status`` ..."""
        return {k: v for k, v in self.fields.items() if k not in ("name", "message", "stack", "cause")}

    def __repr__(self) -> str:
        return f"JsError({self.kind!r}, message={self.message!r:.60})"


class Tagged(_Compared):
    """A reference or a live thing kept as data: streams, signals, functions, classes, Request ...

    Attributes:
        tag: the type's name, for example ``ReadableStream``.
        fields: the recorded fields (docs/formats/payload.md#types).
    """

    __slots__ = ("fields", "tag")

    def __init__(self, tag: str, fields: dict[str, object] | None = None) -> None:
        self.tag = tag
        self.fields: dict[str, object] = {} if fields is None else fields

    def get(self, name: str, default: object = UNDEFINED) -> object:
        """Return one field."""
        return self.fields.get(name, default)

    def __repr__(self) -> str:
        return f"Tagged({self.tag!r}, {list(self.fields)})"

    def __iter__(self) -> Iterator[tuple[str, object]]:
        return iter(self.fields.items())


class Unknown(_Compared):
    """A typed value whose type we do not know, or whose payload does not fit its type; payload kept.

    Attributes:
        tag: the type's name in the journal.
        payload: what the journal recorded for it.
        reason: ``unknown-type`` or ``invalid-input``.
    """

    __slots__ = ("payload", "reason", "tag")

    def __init__(self, tag: str, payload: object = UNDEFINED, reason: str = "unknown-type") -> None:
        self.tag = tag
        self.payload = payload
        self.reason = reason

    @property
    def message(self) -> str:
        """One sentence that says why the value is shown as it is."""
        if self.reason == "unknown-type":
            return f"Unknown type {self.tag}"
        return f"The recorded payload does not fit the type {self.tag}"

    def __repr__(self) -> str:
        return f"Unknown({self.tag!r})"


@dataclass(frozen=True, slots=True)
class Undecoded:
    """Stands where a value could not be decoded.

    Attributes:
        reason: machine word: ``missing-key``, ``wrong-key``, ``truncated``, ``trailing``, ``too-big``,
            ``not-zstd``, ``not-gzip``, ``damaged``, ``bad-prefix``, ``unsupported-prefix``,
            ``bad-json``, ``invalid-input``, ``circular``, ``missing-library``, ``redacted`` ...
        message: one plain sentence.
        path: JSON path in the payload, ``$`` for the whole.
        offset: byte offset in the layer that failed, None when there is none.
    """

    reason: str
    message: str = ""
    path: str = "$"
    offset: int | None = None

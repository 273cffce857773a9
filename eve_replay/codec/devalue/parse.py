"""devalue documents to values: iterative, every reference kept, nothing raised.

Source: docs/formats/payload.md#devalue.

A document is a flat list of entries that refer to each other by index. So nothing needs to be walked:
the containers parsed from JSON are themselves the final containers, and are filled in place, in three
passes over flat lists: sort the entries by kind, make the typed values, replace every reference. Cycles,
shared references and nesting of any depth cost nothing extra.

What is wrong stays where it is wrong: a bad reference or a typed value that cannot be made is an
``Undecoded`` (or ``Unknown``) in its place, and the rest of the document is shown.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from eve_replay.codec.devalue.builtin_forms import make_builtin, make_sparse, make_view
from eve_replay.codec.devalue.revive import (
    CUSTOM,
    BadPayload,
    Context,
    is_own_form,
    is_typed,
    make_regexp,
    own_members,
)
from eve_replay.values import HOLE, UNDEFINED, Undecoded, walk
from eve_replay.values.scalars import ELEMENT_SIZES

__all__ = ["INVALID", "SPECIALS", "Hydrator", "Notes", "hydrate_all", "hydrate_part", "special"]


class Notes(list[tuple[str, str]]):
    """``(code, message)`` of what was odd although it could be decoded.

    Attributes:
        failed: whether something in the value is Undecoded or Unknown.
    """

    failed: bool = False


SPECIALS: dict[Any, Any] = {
    -1: UNDEFINED,
    -3: float("nan"),
    -4: float("inf"),
    -5: float("-inf"),
    -6: -0.0,
}
INVALID = "Invalid input: this is no devalue document."
_MAX_SAFE = 9_007_199_254_740_992


def special(code: Any) -> object:
    """Return the value of a document that is a bare number instead of a list of entries."""
    if code.__class__ in (int, float) and code in SPECIALS:
        return SPECIALS[code]
    return Undecoded("invalid-input", INVALID)


def hydrate_all(entries: list[Any], *, own: bool | None = None) -> tuple[object, Notes]:
    """Return the value of a whole document. ``entries`` is used up: its containers become the value's.

    Args:
        entries: the raw entries; one that is no JSON is an Undecoded.
        own: whether the writer uses devalue's own forms (``is_own_form``), None when that is unknown.
    """
    return Hydrator(enumerate(entries), own=own).run(0)


def hydrate_part(entry: Callable[[int], Any], root: int, *, own: bool | None = None) -> tuple[object, Notes]:
    """Return the value of one entry, reading only the entries it reaches.

    Args:
        entry: gives a fresh or shared raw entry by index, raises IndexError beyond the end.
        root: which entry.
        own: as in ``hydrate_all``.
    """
    out: dict[int, Any] = {}
    todo = [root]
    while todo:
        index = todo.pop()
        if index in out:
            continue
        try:
            raw = entry(index)
        except IndexError:
            continue
        if raw.__class__ is dict or raw.__class__ is list:
            raw, references = _own_entry(raw)
            todo.extend(references)
        out[index] = raw
    return Hydrator(out.items(), own=own).run(root)


def _own_entry(raw: Any) -> tuple[Any, list[int]]:
    """Return a copy of a raw entry that shares no container with it, and the numbers that may be references.

    The copy goes all the way down: a payload that stands inline in a typed entry is filled in place like any
    other container, and the entry is read again by whoever asks next. Offsets and lengths among the numbers
    do no harm.
    """
    found: list[int] = []
    own = raw.copy()
    todo = [own]
    while todo:
        inner = todo.pop()
        for slot, item in inner.items() if inner.__class__ is dict else enumerate(inner):
            if item.__class__ is int:
                if item >= 0:
                    found.append(item)
            elif item.__class__ is float and 0 <= item < math.inf:
                found.append(int(item))
            elif item.__class__ is dict or item.__class__ is list:
                inner[slot] = copy = item.copy()
                todo.append(copy)
    return own, found


class Hydrator:
    """One document being decoded; use once."""

    def __init__(self, entries: Iterable[tuple[int, Any]], *, own: bool | None = None) -> None:
        #: Raw entries by index, replaced by values as they are made; the specials by their codes.
        self.out: dict[Any, Any] = dict(entries)
        self.notes = Notes()
        self.context = Context(self.resolve, self.note, own)
        self.spread: list[tuple[Any, list[Any], list[Any]]] = []
        self.inlined: list[Any] = []

    def note(self, code: str, message: str) -> None:
        """Record something odd, once."""
        if (code, message) not in self.notes and len(self.notes) < 100:
            self.notes.append((code, message))

    def run(self, root: int) -> tuple[object, Notes]:
        """Return the value of entry ``root`` and the notes."""
        # Two thirds of all entries are texts, nearly all others plain containers: the few that need
        # something made of them first are picked out here, the rest is left to the loop of _fill.
        special_entries = [
            (index, raw)
            for index, raw in self.out.items()
            if (kind := raw.__class__) is not str
            and (
                (kind is list and raw and (raw[0].__class__ is str or raw[0] == -7))
                or (kind is int and (raw > _MAX_SAFE or raw < -_MAX_SAFE))
                or (kind is dict and "__proto__" in raw)
                or kind is Undecoded
            )
        ]
        containers = list(self.out.values())
        self.out.update(SPECIALS)
        for index, raw in special_entries:
            if raw.__class__ is int:
                self.out[index] = _as_double(raw)
            elif raw.__class__ is dict:
                self.note_proto()
            elif raw.__class__ is Undecoded:
                self.context.failed = True
        for index, raw in special_entries:
            if raw.__class__ is list:
                self._make(index)
        self._fill(containers)
        self._fill(self.inlined)
        for target, slots, refs in self.spread:
            self._repair(target, slots, refs, holes=False)
        for finish in self.context.later:
            finish()
        if root not in self.out:
            return self.undecoded("invalid-input", INVALID), self.notes
        value = self.out[root]
        self.notes.failed = self.context.failed
        if self.context.failed:
            _set_paths(value)
        return value, self.notes

    def note_proto(self) -> None:
        """Say that an object has a property that the vendor's reader refuses (devalue 5.6.4 on)."""
        self.note(
            "proto-key",
            "An object has the property __proto__. It is shown as any other; the vendor's reader refuses it.",
        )

    def undecoded(self, reason: str, message: str) -> Undecoded:
        """Return a stand-in whose path is set at the end."""
        self.context.failed = True
        return Undecoded(reason, message)

    # -- references ---------------------------------------------------------------------------------

    def resolve(self, ref: Any) -> Any:
        """Return what a reference stands for now: raw entry or made value. Raises BadPayload."""
        if ref.__class__ is tuple:  # A payload that stood inline; JSON itself gives no tuples.
            return self.out[ref]
        if ref.__class__ is int or ref.__class__ is float:
            if ref in self.out:
                return self.out[ref]
            if ref < 0 or (ref.__class__ is float and math.isfinite(ref) and int(ref) in self.out):
                self.note(
                    "odd-index", f"Reference {ref} stands for nothing; it reads as undefined, as in JS."
                )
                return UNDEFINED
            raise BadPayload(f"Reference {ref} is beyond the last entry.")
        raise BadPayload("Something else stands where a reference must be.")

    def reference(self, ref: Any) -> object:
        """Return the value behind a reference, an Undecoded when there is none."""
        try:
            return self.resolve(ref)
        except BadPayload as error:
            return self.undecoded("invalid-input", f"Invalid input: {error}")

    def _fill(self, containers: list[Any]) -> None:
        """Replace every reference by its value, in place. The tight loop of the decoder."""
        out = self.out
        for raw in containers:
            kind = raw.__class__
            if kind is dict:
                key = None
                try:
                    for key, ref in raw.items():
                        if ref.__class__ is bool:  # Python would take True for the index 1.
                            raise KeyError(key)
                        raw[key] = out[ref]
                except (KeyError, TypeError):
                    keys = list(raw)
                    rest = keys[keys.index(key) :]  # What stands before is replaced already.
                    self._repair(raw, rest, [raw[name] for name in rest], holes=False)
            elif kind is list and raw and (head := raw[0]).__class__ is not str and head != -7:
                try:
                    if bool in map(type, raw):
                        raise TypeError
                    raw[:] = [out[ref] for ref in raw]
                except (KeyError, TypeError):
                    self._repair(raw, list(range(len(raw))), list(raw), holes=True)

    def _repair(self, target: Any, slots: list[Any], refs: list[Any], *, holes: bool) -> None:
        """Fill slot by slot, for containers that hold something else than good references."""
        for slot, ref in zip(slots, refs, strict=True):
            if holes and ref.__class__ is not bool and ref == -2:
                target[slot] = HOLE
            else:
                target[slot] = self.reference(ref)

    # -- typed values -------------------------------------------------------------------------------

    def _make(self, index: Any) -> None:
        """Make a typed value, and before it the typed values its payload consists of."""
        chain: list[Any] = []
        members: set[Any] = set()
        at = index
        while is_typed(self.out.get(at)):
            if at in members:
                for member in chain:
                    self.out[member] = self.undecoded("circular", "Invalid circular reference.")
                return
            chain.append(at)
            members.add(at)
            at = self._payload_key(self.out[at])
        for member in reversed(chain):
            try:
                self.out[member] = self._value(self.out[member])
            except BadPayload as error:
                self.out[member] = self.undecoded("invalid-input", str(error))

    def _payload_key(self, raw: list[Any]) -> Any:
        """Return under what ``out`` has the payload of a typed entry, None when it has none there.

        A payload that stands inline becomes an entry of its own, as in the vendor's reader.
        """
        if len(raw) < 2 or raw[0] == -7 or raw[0] == "null" or is_own_form(raw, self.context):
            return None
        payload = raw[1]
        if raw[0] == "Object" and payload.__class__ is int:
            target = self.out.get(payload)
            if target is not None and is_typed(target) and target[0] == "Object":
                return None  # a boxed number of devalue up to 5.6, no reference: nothing boxes a box
        if payload.__class__ is list or payload.__class__ is dict:
            key = ("inline", len(self.out))
            raw[1] = key
            self.out[key] = payload
            if payload.__class__ is dict and "__proto__" in payload:
                self.note_proto()
            self.inlined.append(payload)
            return key
        return payload if payload.__class__ is int or payload.__class__ is float else None

    def _value(self, raw: list[Any]) -> object:
        head = raw[0]
        if head.__class__ is not str:
            return make_sparse(raw, self)
        revive = CUSTOM.get(head)
        if revive is None:
            return make_builtin(raw, self)
        if head in ("Set", "Map") and (len(raw) < 2 or is_own_form(raw, self.context)):
            return own_members(raw, self.spread, self.context)
        if head in ELEMENT_SIZES and len(raw) > 2:
            return make_view(raw, self)
        if head == "RegExp" and len(raw) > 1 and isinstance(raw[1], str):
            self.note(
                "builtin-regexp", "A RegExp in devalue's own form; the vendor's reader loses its source."
            )
            return make_regexp(raw[1], raw[2] if len(raw) > 2 else "")
        return revive(self.payload(raw), self.context)

    def payload(self, raw: list[Any]) -> Any:
        """Return the payload of a typed entry: behind its reference, or inline."""
        if len(raw) < 2:
            self.note("no-payload", f"A {raw[0]} without a payload reads as made from undefined.")
            return UNDEFINED
        payload = raw[1]
        if payload.__class__ is tuple:
            return self.out[payload]
        return self.resolve(payload) if payload.__class__ is int or payload.__class__ is float else payload


def _as_double(value: int) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def _set_paths(root: object) -> None:
    """Tell every Undecoded inside a value where it stands."""
    for trail, value in walk(root):
        if value.__class__ is Undecoded:
            # Frozen for everybody else; here it is still being made.
            object.__setattr__(value, "path", trail.path())

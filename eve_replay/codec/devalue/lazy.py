"""A value reached step by step, hydrated only where somebody looks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from eve_replay.codec.devalue.parse import SPECIALS, hydrate_part, special
from eve_replay.codec.devalue.revive import ERRORS, TAGGED
from eve_replay.codec.devalue.scan import Entries, Fault
from eve_replay.codec.jsontext import loads_json
from eve_replay.values import (
    HOLE,
    UNDEFINED,
    Boxed,
    JsError,
    JsMap,
    JsSet,
    SparseArray,
    Tagged,
    Undecoded,
    Unknown,
    type_name,
)

__all__ = ["LazyValue", "parse_path", "step_into"]

_MAX_INDEX = 2**53
_STEP = re.compile(r'\.([A-Za-z_$][A-Za-z0-9_$]*)|\[(\d{1,18})\]|\[("(?:[^"\\]|\\.)*")\]', re.DOTALL)


def parse_path(text: str) -> tuple[str | int, ...] | None:
    """Return the steps of a path like ``$.args[0]["odd key"]``, None when it is no path.

    The leading ``$`` may be left out.
    """
    text = text.strip()
    if text.startswith("$"):
        text = text[1:]
    elif text and text[0] not in ".[":
        text = f".{text}"
    steps: list[str | int] = []
    at = 0
    while at < len(text):
        match = _STEP.match(text, at)
        if match is None:
            return None
        name, index, quoted = match.groups()
        if name is not None:
            steps.append(name)
        elif index is not None:
            steps.append(int(index))
        else:
            try:
                steps.append(str(loads_json(quoted)))
            except ValueError:
                return None
        at = match.end()
    return tuple(steps)


def step_into(value: object, key: str | int) -> object:
    """Return what is under ``key`` in a hydrated value, UNDEFINED when there is nothing.

    Keys are those of paths: object keys, array indexes, ``entries`` of a Map, ``values`` of a Set,
    field names of errors and tagged values, ``value`` of a boxed primitive, ``payload`` of an Unknown.
    What is under an Undecoded nobody can tell, so that is the Undecoded itself.
    """
    if isinstance(value, Undecoded):
        return value
    if isinstance(value, dict):
        return value.get(str(key), UNDEFINED)
    if isinstance(value, (JsError, Tagged)):
        if key == "name" and isinstance(value, JsError):
            return value.name
        return value.fields.get(str(key), UNDEFINED)
    if isinstance(key, int):
        if isinstance(value, list):
            return value[key] if 0 <= key < len(value) else UNDEFINED
        if isinstance(value, SparseArray):
            return value.entries.get(key, HOLE if 0 <= key < value.length else UNDEFINED)
        return UNDEFINED
    if isinstance(value, JsMap) and key == "entries":
        return [list(entry) for entry in value.entries]
    if isinstance(value, JsSet) and key == "values":
        return value.values
    if isinstance(value, Boxed) and key == "value":
        return value.value
    if isinstance(value, Unknown) and key == "payload":
        return value.payload
    return UNDEFINED


class LazyValue:
    """One value of a payload, read only as far as needed. Immutable; nothing in it raises.

    Three states: an entry of a document (``_index``), or a value that is at hand already (``_value``).
    """

    __slots__ = ("_entries", "_index", "_raw", "_value")

    def __init__(
        self, entries: Entries | None = None, index: int | None = None, value: object = UNDEFINED
    ) -> None:
        self._entries = entries
        self._index = index
        self._value = value
        self._raw: Any = None
        if entries is not None and index is not None:
            try:
                self._raw = entries.entry(index)
            except IndexError:
                self._settle(
                    Undecoded("invalid-input", f"Invalid input: Reference {index} is beyond the last entry.")
                )
            except Fault as fault:
                self._settle(fault.undecoded)
            else:
                if isinstance(self._raw, Undecoded):
                    self._settle(self._raw)

    @classmethod
    def of_document(cls, entries: Entries) -> LazyValue:
        """Return the root of a document."""
        try:
            root = entries.root()
        except Fault as fault:
            return cls(value=fault.undecoded)
        return cls(entries, 0) if root is None else cls(value=special(root))

    def _settle(self, value: object) -> None:
        self._entries = self._index = None
        self._value = value

    def _fields(self) -> LazyValue | None:
        """Return the object that holds the fields of an error or tagged value."""
        raw = self._raw
        if self._index is None or not isinstance(raw, list) or len(raw) < 2:
            return None
        known = raw[0] in ERRORS or raw[0] in TAGGED if isinstance(raw[0], str) else False
        if not known or raw[1].__class__ is not int or raw[1] < 0:
            return None
        fields = LazyValue(self._entries, raw[1])
        return fields if isinstance(fields._container, dict) else None

    @property
    def _container(self) -> Any:
        """The raw dict or list whose members are plain references, None for everything else."""
        raw = self._raw
        if self._index is None:
            return None
        if isinstance(raw, dict):
            return raw
        if isinstance(raw, list) and not (raw and (isinstance(raw[0], str) or raw[0] == -7)):
            return raw
        return None

    @property
    def kind(self) -> str:
        """The JS word for the type: ``object``, ``array``, ``string``, ``Map``, ``TypeError`` ..."""
        container = self._container
        if container is not None:
            return "object" if isinstance(container, dict) else "array"
        if self._fields() is not None:
            return str(self._raw[0])
        return type_name(self.value)

    @property
    def value(self) -> object:
        """The value, hydrated from here down. A failure inside is an ``Undecoded`` in its place."""
        if self._index is None or self._entries is None:
            return self._value
        if isinstance(self._raw, str):
            return self._raw
        entries = self._entries
        try:
            return hydrate_part(entries.entry, self._index, own=entries.own)[0]
        except Fault as fault:
            return fault.undecoded

    def get(self, *path: str | int) -> LazyValue:
        """Return what is at ``path`` below this value; a missing step gives ``undefined``."""
        return self.reach(path)[0]

    def reach(self, path: Sequence[str | int]) -> tuple[LazyValue, int]:
        """Return what is at ``path`` and how many of its steps were taken, fewer where an Undecoded is."""
        at = self
        for taken, key in enumerate(path):
            if at._index is not None and at._container is None and at._fields() is None:
                at = LazyValue(value=at.value)
            if at._index is None and isinstance(at._value, Undecoded):
                return at, taken
            at = at._step(key)
        return at, len(path)

    def _step(self, key: str | int) -> LazyValue:
        container = self._container
        if container is not None:
            if isinstance(container, dict):
                return self._follow(container[str(key)]) if str(key) in container else LazyValue()
            if isinstance(key, int) and 0 <= key < len(container):
                ref = container[key]
                return LazyValue(value=HOLE) if ref == -2 else self._follow(ref)
            return LazyValue()
        fields = self._fields()
        if fields is not None:
            if key == "name" and self._raw[0] in ERRORS and "name" not in fields._container:
                return LazyValue(value=self._raw[0])
            return fields._step(str(key))
        return LazyValue(value=step_into(self.value, key))

    def _follow(self, ref: Any) -> LazyValue:
        if ref.__class__ is int or ref.__class__ is float:
            if ref in SPECIALS:
                return LazyValue(value=SPECIALS[ref])
            if ref < 0:
                return LazyValue()
            if ref <= _MAX_INDEX:
                child = LazyValue(self._entries, int(ref))
                # 1.5 is no index but less than the length: undefined, as in JS. Beyond it is an error.
                return child if ref == int(ref) or isinstance(child._value, Undecoded) else LazyValue()
        return LazyValue(
            value=Undecoded(
                "invalid-input", "Invalid input: Something else stands where a reference must be."
            )
        )

    def keys(self) -> list[str | int]:
        """Return the steps ``get`` takes from here: names of an object, indexes of an array."""
        return [key for key, _ in self._members()]

    def items(self) -> Iterator[tuple[str | int, LazyValue]]:
        """Yield ``(key, child)`` for objects, arrays, errors and tagged values, in order."""
        for key, child in self._members():
            yield key, child()

    def __len__(self) -> int:
        """Return how many members there are: of an object, array, Map or Set; characters of text."""
        container = self._container
        if container is not None:
            return len(container)
        value = self.value
        if isinstance(value, (JsError, Tagged)):
            return len(value.fields)
        return len(value) if isinstance(value, (str, dict, list, JsMap, JsSet, SparseArray)) else 0

    def __bool__(self) -> bool:
        # An empty array is a value like any other; only nothing at all is false.
        return not (self._index is None and self._value is UNDEFINED)

    def __iter__(self) -> Iterator[LazyValue]:
        """Yield the members: array elements, object values, Set values, Map entries as arrays."""
        for _, child in self._members():
            yield child()

    def _members(self) -> Iterator[tuple[str | int, Callable[[], LazyValue]]]:
        container = self._container
        if container is not None:
            keys = list(container) if isinstance(container, dict) else range(len(container))
            yield from ((key, lambda key=key: self._step(key)) for key in keys)
            return
        fields = self._fields()
        if fields is not None:
            yield from fields._members()
            return
        value = self.value
        inside: Any
        if isinstance(value, dict):
            inside = value.items()
        elif isinstance(value, (JsError, Tagged)):
            inside = value.fields.items()
        elif isinstance(value, list):
            inside = enumerate(value)
        elif isinstance(value, SparseArray):
            inside = value.entries.items()
        elif isinstance(value, JsMap):
            inside = enumerate(list(entry) for entry in value.entries)
        elif isinstance(value, JsSet):
            inside = enumerate(value.values)
        else:
            return
        yield from ((key, lambda child=child: LazyValue(value=child)) for key, child in inside)

    def __repr__(self) -> str:
        return f"LazyValue({self.kind})"

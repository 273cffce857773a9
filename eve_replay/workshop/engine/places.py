"""Places a process can remember in: each knows whether it has changed, and how to put it back.

Containers, attributes, names and cells; and the odd ones: buffers, arrays, dice. :mod:`process` finds them.
"""

from __future__ import annotations

import copyreg
import gc
import io
import random
import sys
from array import array
from ast import literal_eval
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable
from itertools import count
from types import MappingProxyType, ModuleType
from typing import Any, ClassVar

__all__ = [
    "Place",
    "attribute_of",
    "attributes_of_class",
    "cannot_be_put_back",
    "content_of_cell",
    "is_plain_value",
    "items_of_dict",
    "items_of_sequence",
    "items_of_set",
    "names_in",
    "names_of_module",
    "odd_place",
    "size_of_cache",
    "slots_of",
]

_MISSING = object()
#: Locks, weak references, what Python keeps about abstract classes: no memory of a tool.
_HARMLESS = ("Lock", "RLock", "ReferenceType", "Struct", "_abc_data", "lock", "weakref")


class Place:
    """One place that remembers: what it held, how to see whether it changed, how to put it back."""

    __slots__ = ("held", "put", "read", "same")

    def __init__(
        self, read: Callable[[], Any], put: Callable[[Any], None], same: Callable[[Any, Any], bool]
    ) -> None:
        self.read, self.put, self.same = read, put, same
        self.held = read()

    def renew(self) -> bool:
        """Put back what was held. Returns whether it had changed."""
        if self.same(self.read(), self.held):
            return False
        self.put(self.held)
        return True


def items_of_dict(held: dict[Any, Any]) -> Place:
    """Return the place of what a dict holds, in its order."""
    kind: Any = OrderedDict if isinstance(held, OrderedDict) else dict

    def put(items: list[tuple[Any, Any]]) -> None:
        kind.clear(held)
        kind.update(held, items)

    return Place(lambda: list(kind.items(held)), put, _same_pairs)


def items_of_sequence(held: list[Any] | deque[Any] | bytearray) -> Place:
    """Return the place of what a list, a deque or bytes hold."""

    def put(items: list[Any]) -> None:
        try:
            held.clear()
            held.extend(items)
        except BufferError:  # somebody looks at these bytes: then their number cannot have changed
            held[:] = bytes(items)  # type: ignore[index]

    return Place(lambda: list(held), put, _same_items)


def items_of_set(held: set[Any]) -> Place:
    """Return the place of what a set holds."""

    def put(items: frozenset[Any]) -> None:
        held.clear()
        held.update(items)

    return Place(lambda: frozenset(held), put, _equal)


def size_of_cache(cached: Any) -> Place:
    """Return the place of a ``functools`` cache: a new process has an empty one."""
    return Place(lambda: cached.cache_info().currsize, lambda _: cached.cache_clear(), lambda now, _: not now)


def attributes_of_class(owner: type) -> Place:
    """Return the place of a class's own attributes."""

    def read() -> list[tuple[str, Any]]:
        return [pair for pair in vars(owner).items() if not _is_special(pair[0])]

    def put(items: list[tuple[str, Any]]) -> None:
        before = dict(items)
        for name, _ in read():
            if name not in before:
                delattr(owner, name)
        now = dict(read())
        for name, value in items:
            if now.get(name, _MISSING) is not value:
                setattr(owner, name, value)

    return Place(read, put, _same_pairs)


def attribute_of(owner: object, name: str) -> Place:
    """Return the place of one attribute."""
    return Place(lambda: getattr(owner, name), lambda value: setattr(owner, name, value), _is)


def content_of_cell(cell: Any) -> Place:
    """Return the place of what a closure closes over."""

    def read() -> object:
        try:
            return _seen(cell.cell_contents)
        except ValueError:
            return _MISSING

    def put(value: object) -> None:
        if value is not _MISSING:
            cell.cell_contents = _made(value)
        else:
            del cell.cell_contents

    return Place(read, put, _is)


def is_plain_value(held: object) -> bool:
    """Return whether what a place holds is a value, and not a mark for something else."""
    return held is not _MISSING and not isinstance(held, _Counter)


def names_in(space: dict[str, Any], names: Iterable[str]) -> Place:
    """Return the place of some global names."""
    wanted = tuple(sorted(names))

    def read() -> list[tuple[str, Any]]:
        return [(name, _seen(space.get(name, _MISSING))) for name in wanted]

    def put(items: list[tuple[str, Any]]) -> None:
        for name, value in items:
            if value is not _MISSING:
                space[name] = _made(value)
            else:
                space.pop(name, None)

    return Place(read, put, _same_pairs)


def names_of_module(space: dict[str, Any]) -> Place:
    """Return the place of a module's public names, and of those that somebody adds."""
    known = frozenset(space)

    def read() -> list[tuple[str, Any]]:
        return [pair for pair in list(space.items()) if pair[0][:1] != "_" or pair[0] not in known]

    def put(items: list[tuple[str, Any]]) -> None:
        before = dict(items)
        for name, value in read():
            # A submodule that was imported meanwhile is no memory.
            if name not in before and not isinstance(value, ModuleType):
                del space[name]
        space.update(items)

    return Place(read, put, _same_names)


def odd_place(value: Any) -> tuple[list[Place], list[object]] | None:
    """Return the places in an object and what else to look into; None when it is nothing of that kind."""
    if isinstance(value, memoryview):
        return [], [value.obj]
    if isinstance(value, MappingProxyType):
        return [], gc.get_referents(value)
    if isinstance(value, array):
        return [_array(value)], []
    if isinstance(value, (io.StringIO, io.BytesIO)):
        return [_buffer(value)], []
    if isinstance(value, random.Random) and not isinstance(value, random.SystemRandom):
        return [Place(value.getstate, value.setstate, _equal)], []
    return None


def cannot_be_put_back(value: object) -> bool:
    """Return whether a tool could remember in something that nobody can set back.

    That is what is read by using it up (iterators, generators, files), and what cannot be copied at all
    (connections, queues). Locks, and where Python itself prints to, are no memory.
    """
    kind = type(value)
    if kind.__name__ in _HARMLESS or any(value is each for each in (sys.stdout, sys.stderr, sys.stdin)):
        return False
    if hasattr(kind, "__next__") or hasattr(kind, "__anext__") or isinstance(value, io.IOBase):
        return True
    if isinstance(getattr(value, "__dict__", None), dict) or slots_of(value):
        return False
    if kind in copyreg.dispatch_table:
        return False
    copied = getattr(kind, "__deepcopy__", None)
    if copied is not None:
        return copied(value, {}) is not value  # a regular expression is its own copy
    try:
        parts = kind.__reduce_ex__(value, 4)
    except TypeError:
        return kind.__module__ != "builtins"
    except Exception:
        return False
    return isinstance(parts, tuple) and len(parts) > 2 and parts[2] is not None  # it has a state


def slots_of(value: object) -> list[str]:
    """Return the attributes of an object that its classes give a slot, as far as they are set."""
    found = []
    for base in type(value).__mro__:
        slots = base.__dict__.get("__slots__", ())
        found += [slots] if isinstance(slots, str) else [name for name in slots if isinstance(name, str)]
    return [name for name in found if not name.startswith("__") and hasattr(value, name)]


def _array(value: array[Any]) -> Place:
    def put(items: list[Any]) -> None:
        del value[:]
        value.extend(items)

    return Place(value.tolist, put, _equal)


def _buffer(value: Any) -> Place:
    def put(held: tuple[Any, int]) -> None:
        value.seek(0)
        value.truncate()
        value.write(held[0])
        value.seek(held[1])

    return Place(lambda: (value.getvalue(), value.tell()), put, _equal)


def _equal(now: Any, before: Any) -> bool:
    return bool(now == before)


class _Counter:
    """Stands for an ``itertools.count`` that has come so far: it can only be made anew, not set back."""

    __slots__ = ("text",)
    known: ClassVar[dict[str, _Counter]] = {}

    def __init__(self, text: str) -> None:
        self.text = text


def _seen(value: object) -> object:
    """Return a value as it is remembered."""
    if type(value) is not count:
        return value
    text = repr(value)
    return _Counter.known.setdefault(text, _Counter(text))


def _made(held: object) -> object:
    """Return the value that was remembered."""
    if not isinstance(held, _Counter):
        return held
    try:
        start, _, step = held.text[len("count(") : -1].partition(", ")
        return count(literal_eval(start), literal_eval(step) if step else 1)
    except (ValueError, SyntaxError):
        return count()


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _is(now: object, before: object) -> bool:
    return now is before


def _same_items(now: list[Any], before: list[Any]) -> bool:
    return len(now) == len(before) and all(map(_is, now, before))


def _same_names(now: list[tuple[Any, Any]], before: list[tuple[Any, Any]]) -> bool:
    """As :func:`_same_pairs`; modules imported meanwhile do not count."""
    if len(now) == len(before):
        return _same_pairs(now, before)
    known = {name for name, _ in before}
    return _same_pairs(
        [pair for pair in now if pair[0] in known or not isinstance(pair[1], ModuleType)], before
    )


def _same_pairs(now: list[tuple[Any, Any]], before: list[tuple[Any, Any]]) -> bool:
    return len(now) == len(before) and all(
        one[1] is two[1] and one[0] is two[0] for one, two in zip(now, before, strict=True)
    )

"""Places a process can remember in that are no list, dict or set: buffers, arrays, dice, bound methods.

Each knows how to see whether it has changed and how to put it back, as :mod:`process` needs it.
"""

from __future__ import annotations

import copyreg
import gc
import io
import random
import sys
from array import array
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

__all__ = ["Place", "cannot_be_put_back", "odd_place", "slots_of"]

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

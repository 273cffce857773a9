"""What a process remembers: the module memory of a learner's tool, put back as it was for every new process.

A process that dies takes its memory with it: a set of "already sent" ids at the top of the module is empty
in the next one. Here all simulated processes share one interpreter, so the memory is put back by hand.
Everything a tool can remember in is found once (:meth:`Memory.of`): the global names that it and its helper
functions use, defaults, closures, attributes of functions and classes, and all containers and own objects
that can be reached from there. Each of these keeps a list of what it held; :meth:`Memory.renew` puts it back
in place, so that names that shared one list still share it.

Not found: memory inside objects of other packages (an open connection, a C object, a generator), and what
``sys.modules`` reaches without a name in the code.
"""

from __future__ import annotations

import functools
from ast import literal_eval
from collections import deque
from collections.abc import Callable, Iterable
from itertools import count
from random import Random
from types import CodeType, FunctionType, MethodType, SimpleNamespace
from typing import Any, ClassVar

__all__ = ["Memory"]

#: Beyond this many containers nothing more is watched: it is data, not the memory of a tool.
_MOST = 20_000
_MISSING = object()
_LRU = type(functools.lru_cache(maxsize=1)(lambda: None))


class _Cell:
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


class Memory:
    """The module memory of some tools, as it was when this was made."""

    __slots__ = ("_cells",)

    def __init__(self, cells: list[_Cell]) -> None:
        self._cells = cells

    @classmethod
    def of(cls, functions: Iterable[Callable[..., object]]) -> Memory:
        """Find everything that some functions can remember in.

        Args:
            functions: tools or workflow bodies; their helper functions are found through the names they use.
        """
        return cls(_Walk(list(functions)).cells)

    def renew(self) -> bool:
        """Put everything back, as a new process has it. Returns whether anything had changed."""
        changed = False
        for cell in self._cells:
            if cell.renew():
                changed = True
        return changed

    def __len__(self) -> int:
        return len(self._cells)


class _Walk:
    """Finds the places, each once, from functions over names to containers and what these hold."""

    def __init__(self, functions: list[Callable[..., object]]) -> None:
        self.cells: list[_Cell] = []
        self._seen: dict[int, object] = {}
        self._names: dict[int, tuple[dict[str, Any], set[str]]] = {}
        self._programs: set[int] = set()
        self._modules: set[str] = set()
        for function in functions:
            plain = _plain(function)
            if plain is not None:
                self._programs.add(id(plain.__globals__))
                self._modules.add(plain.__module__)
            else:
                self._modules.add(type(function).__module__)
        self._todo: list[object] = list(functions)
        while self._todo and len(self._seen) < _MOST:
            self._visit(self._todo.pop())
        for space, names in self._names.values():
            self._watch_names(space, names)

    def _visit(self, value: object) -> None:
        if value is None or isinstance(value, (str, int, float, bytes, bool)) or id(value) in self._seen:
            return
        self._seen[id(value)] = value
        if isinstance(value, FunctionType):
            self._function(value)
        elif isinstance(value, MethodType):
            self._todo += [value.__self__, value.__func__]
        elif isinstance(value, functools.partial):
            self._todo += [value.func, *value.args, *value.keywords.values()]
        elif isinstance(value, _LRU):
            self._cache(value)
        elif isinstance(value, (tuple, frozenset)):
            self._todo += list(value)
        elif isinstance(value, dict):
            self._dict(value)
        elif isinstance(value, (list, deque, bytearray)):
            self._sequence(value)
        elif isinstance(value, set):
            self._set(value)
        elif isinstance(value, (staticmethod, classmethod, property)):
            self._todo += [getattr(value, each, None) for each in ("__func__", "fget", "fset")]
        elif isinstance(value, Random):
            self.cells.append(_Cell(value.getstate, value.setstate, lambda now, before: bool(now == before)))
        elif isinstance(value, type):
            if value.__module__ in self._modules:
                self._class(value)
        elif type(value).__module__ in self._modules or isinstance(value, SimpleNamespace):
            self._object(value)

    def _function(self, function: FunctionType) -> None:
        if id(function.__globals__) in self._programs:
            names = _names_of(function.__code__)
            space = function.__globals__
            if "globals" in names:
                names |= {name for name in space if not name.startswith("__")}
            _, known = self._names.setdefault(id(space), (space, set()))
            for name in names - known:
                known.add(name)
                self._todo.append(space.get(name))
        if function.__defaults__ is not None:
            self._slot(function, "__defaults__")
        if function.__kwdefaults__:
            self._todo.append(function.__kwdefaults__)
        # Watched even when empty: `tool.seen = ...` may make the first attribute.
        self._dict(function.__dict__)
        for cell in function.__closure__ or ():
            self._closure(cell)

    def _closure(self, cell: Any) -> None:
        if id(cell) in self._seen:
            return
        self._seen[id(cell)] = cell

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

        self.cells.append(_Cell(read, put, _is))
        held = read()
        if held is not _MISSING and not isinstance(held, _Counter):
            self._todo.append(held)

    def _slot(self, owner: object, name: str) -> None:
        self.cells.append(_Cell(lambda: getattr(owner, name), lambda value: setattr(owner, name, value), _is))
        self._todo.append(getattr(owner, name))

    def _dict(self, held: dict[Any, Any]) -> None:
        def put(items: list[tuple[Any, Any]]) -> None:
            dict.clear(held)
            dict.update(held, items)

        self.cells.append(_Cell(lambda: list(dict.items(held)), put, _same_pairs))
        for key, value in held.items():
            self._todo += [key, value]

    def _sequence(self, held: list[Any] | deque[Any] | bytearray) -> None:
        def put(items: list[Any]) -> None:
            held.clear()
            held.extend(items)

        self.cells.append(_Cell(lambda: list(held), put, _same_items))
        if not isinstance(held, bytearray):
            self._todo += list(held)

    def _set(self, held: set[Any]) -> None:
        def put(items: frozenset[Any]) -> None:
            held.clear()
            held.update(items)

        self.cells.append(_Cell(lambda: frozenset(held), put, lambda one, two: bool(one == two)))
        self._todo += list(held)

    def _cache(self, cached: Any) -> None:
        self.cells.append(
            _Cell(
                lambda: cached.cache_info().currsize, lambda _: cached.cache_clear(), lambda now, _: not now
            )
        )
        self._todo.append(cached.__wrapped__)
        self._dict(cached.__dict__)

    def _class(self, owner: type) -> None:
        def read() -> list[tuple[str, Any]]:
            return [pair for pair in vars(owner).items() if not pair[0].startswith("__")]

        def put(items: list[tuple[str, Any]]) -> None:
            before = dict(items)
            for name, _ in read():
                if name not in before:
                    delattr(owner, name)
            now = dict(read())
            for name, value in items:
                if now.get(name, _MISSING) is not value:
                    setattr(owner, name, value)

        self.cells.append(_Cell(read, put, _same_pairs))
        self._todo += [value for _, value in read()]
        self._todo += list(owner.__bases__)

    def _object(self, value: object) -> None:
        self._todo.append(type(value))
        fields = getattr(value, "__dict__", None)
        if isinstance(fields, dict):
            self._seen[id(fields)] = fields
            self._dict(fields)
        for base in type(value).__mro__:
            slots = base.__dict__.get("__slots__", ())
            for name in (slots,) if isinstance(slots, str) else slots:
                if hasattr(value, name) and name not in ("__dict__", "__weakref__"):
                    self._slot(value, name)

    def _watch_names(self, space: dict[str, Any], names: set[str]) -> None:
        wanted = tuple(sorted(names))

        def read() -> list[tuple[str, Any]]:
            return [(name, _seen(space.get(name, _MISSING))) for name in wanted]

        def put(items: list[tuple[str, Any]]) -> None:
            for name, value in items:
                if value is not _MISSING:
                    space[name] = _made(value)
                else:
                    space.pop(name, None)

        if wanted:
            self.cells.append(_Cell(read, put, _same_pairs))


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


def _plain(function: object) -> FunctionType | None:
    """The Python function behind a callable, None for an object with ``__call__``."""
    while True:
        if isinstance(function, FunctionType):
            return function
        if isinstance(function, MethodType):
            function = function.__func__
        elif isinstance(function, functools.partial):
            function = function.func
        elif isinstance(function, _LRU):
            function = function.__wrapped__
        else:
            return None


def _names_of(code: CodeType) -> set[str]:
    """Names that code and the functions written inside it use; attribute names too, which does no harm."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= _names_of(constant)
    return names


def _is(now: object, before: object) -> bool:
    return now is before


def _same_items(now: list[Any], before: list[Any]) -> bool:
    return len(now) == len(before) and all(map(_is, now, before))


def _same_pairs(now: list[tuple[Any, Any]], before: list[tuple[Any, Any]]) -> bool:
    return len(now) == len(before) and all(
        one[1] is two[1] and one[0] is two[0] for one, two in zip(now, before, strict=True)
    )

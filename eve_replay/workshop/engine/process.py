"""What a process remembers: the module memory of a learner's tool, put back as it was for every new process.

A process that dies takes its memory with it: a set of "already sent" ids at the top of the module is empty
in the next one. Here all simulated processes share one interpreter, so the memory is put back by hand.
Everything a tool can remember in is found once (:meth:`Memory.of`): the global names that it and its helper
functions use, defaults, closures, attributes of functions, classes and modules, and all containers and own
objects that can be reached from there. Each of these keeps a list of what it held; :meth:`Memory.renew` puts
it back in place, so that names that shared one list still share it.

Of objects and classes of other packages only the attributes are watched, and the containers in these. What
can be read only by using it up, or not at all (a generator, a file, a connection), is named in
:attr:`Memory.beyond`. Not found: what ``sys.modules`` reaches without a name in the code.
"""

from __future__ import annotations

import functools
import sys
from collections import deque
from collections.abc import Callable, Iterable
from itertools import count
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, MethodWrapperType, ModuleType
from typing import Any

from eve_replay.workshop.engine.places import (
    Place,
    attribute_of,
    attributes_of_class,
    cannot_be_put_back,
    content_of_cell,
    is_plain_value,
    items_of_dict,
    items_of_sequence,
    items_of_set,
    names_in,
    names_of_module,
    odd_place,
    size_of_cache,
    slots_of,
)

__all__ = ["Memory"]

#: Beyond this many containers nothing more is watched: it is data, not the memory of a tool.
_MOST = 20_000
_PLAIN = (str, int, float, bytes, bool, type(None))
#: A type that nobody can add anything to (``Py_TPFLAGS_IMMUTABLETYPE``).
_IMMUTABLE = 1 << 8
_OF_CLASSES = ("__dict__", "__weakref__")
_CONTAINERS = (dict, list, set, deque, bytearray, tuple, frozenset)
_LRU = type(functools.lru_cache(maxsize=1)(lambda: None))


class Memory:
    """The module memory of some tools, as it was when this was made.

    Attributes:
        beyond: what a tool could remember in and that cannot be put back.
    """

    __slots__ = ("_cells", "_others", "beyond")

    def __init__(
        self, cells: list[Place], others: Iterable[Place] = (), beyond: Iterable[object] = ()
    ) -> None:
        self._cells = cells
        self._others = tuple(others)
        self.beyond = tuple(beyond)

    @classmethod
    def of(cls, functions: Iterable[Callable[..., object]]) -> Memory:
        """Find everything that some functions can remember in.

        Args:
            functions: tools or workflow bodies; their helper functions are found through the names they use.
        """
        walk = _Walk(list(functions))
        return cls(walk.cells, walk.others, walk.beyond)

    def renew(self) -> bool:
        """Put everything back, as a new process has it.

        Returns whether anything had changed that is the tool's own: what a library notes for itself does not
        count.
        """
        changed = False
        for place in self._others:
            place.renew()
        for cell in self._cells:
            if cell.renew():
                changed = True
        return changed

    def __len__(self) -> int:
        return len(self._cells)


class _Walk:
    """Finds the places, each once, from functions over names to containers and what these hold."""

    def __init__(self, functions: list[Callable[..., object]]) -> None:
        self.cells: list[Place] = []
        self.others: list[Place] = []
        self.beyond: list[object] = []
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
            if names:
                self.cells.append(names_in(space, names))

    def _visit(self, value: object) -> None:
        if type(value) in _PLAIN or id(value) in self._seen:
            return
        self._seen[id(value)] = value
        if isinstance(value, FunctionType):
            self._function(value)
        elif isinstance(value, MethodType):
            self._todo += [value.__self__, value.__func__]
        elif isinstance(value, (BuiltinFunctionType, MethodWrapperType)):
            if not isinstance(value.__self__, ModuleType):
                self._todo.append(value.__self__)
        elif isinstance(value, ModuleType):
            self._apart(self._module, value)
        elif isinstance(value, _LRU):
            self._cache(value)
        elif isinstance(value, (staticmethod, classmethod, property)):
            self._todo += [getattr(value, each, None) for each in ("__func__", "fget", "fset")]
        elif isinstance(value, type):
            if self._is_own(value):
                self._class(value)
                self._todo += [type(value), *value.__bases__]
                self._todo += [each for name, each in vars(value).items() if name not in _OF_CLASSES]
            elif not value.__flags__ & _IMMUTABLE:
                self._apart(self._class, value)
        elif self._held(value) or self._is_own(type(value)) or isinstance(value, BaseException):
            self._object(value)
        elif cannot_be_put_back(value):
            self.beyond.append(value)
        elif type(value).__module__.partition(".")[0] == "logging":
            self._apart(self._foreign, value)
        else:
            self._foreign(value)

    def _apart(self, watch: Callable[[Any], None], value: object) -> None:
        """Watch something that a library may change for itself."""
        before = len(self.cells)
        watch(value)
        self.others += self.cells[before:]
        del self.cells[before:]

    def _is_own(self, kind: type) -> bool:
        return kind.__module__ in self._modules

    def _held(self, value: object) -> bool:
        """Watch what a container, or an object that is like one, holds. Returns whether it is one."""
        if isinstance(value, functools.partial):
            self._todo += [value.func, *value.args, *value.keywords.values()]
        elif isinstance(value, (tuple, frozenset)):
            self._todo += list(value)
        elif isinstance(value, dict):
            self._dict(value)
        elif isinstance(value, (list, deque, bytearray)):
            self._sequence(value)
        elif isinstance(value, set):
            self._set(value)
        elif (odd := odd_place(value)) is not None:
            places, inside = odd
            self.cells += places
            self._todo += inside
        else:
            return False
        return True

    def _foreign(self, value: object) -> None:
        """Watch the attributes of an object of another package, and the containers in these, no further."""
        fields = getattr(value, "__dict__", None)
        if not isinstance(fields, dict) or id(fields) in self._seen:
            return
        self._seen[id(fields)] = fields
        waiting: list[object] = [fields]
        while waiting and len(self._seen) < _MOST:
            one = waiting.pop()
            before = len(self._todo)
            self._held(one)
            inside, self._todo[before:] = self._todo[before:], []
            for each in inside:
                if id(each) not in self._seen and isinstance(each, _CONTAINERS):
                    self._seen[id(each)] = each
                    waiting.append(each)

    def _module(self, module: ModuleType) -> None:
        """Watch the public names of a module: those in it, and those that somebody adds."""
        space = vars(module)
        if id(space) in self._programs:
            return
        self.cells.append(names_of_module(space))
        if module.__name__ == "logging":
            # Loggers are found by name, from anywhere: new ones go with the process, old ones are put back.
            known = space["Logger"].manager.loggerDict
            self._dict(known)
            for each in list(known.values()):
                self._foreign(each)
        for name, value in list(space.items()):
            if (
                name[:1] != "_"
                and isinstance(value, (dict, list, set, deque))
                and id(value) not in self._seen
            ):
                self._seen[id(value)] = value
                before = len(self._todo)
                self._held(value)
                del self._todo[before:]

    def _function(self, function: FunctionType) -> None:
        if id(function.__globals__) in self._programs:
            names = _names_of(function.__code__)
            space = function.__globals__
            if "globals" in names:
                names |= {name for name in space if not name.startswith("__")}
            _, known = self._names.setdefault(id(space), (space, set()))
            for name in names - known:
                known.add(name)
                if type(space.get(name)) is not count:  # that one is made anew
                    self._todo.append(space.get(name))
            self._todo += [sys.modules[name] for name in names if name in sys.modules and name not in space]
            for name in ("__defaults__", "__kwdefaults__", "__doc__", "__name__", "__annotations__"):
                self._slot(function, name)
        # Watched even when empty: `tool.seen = ...` may make the first attribute.
        self._dict(function.__dict__)
        for cell in function.__closure__ or ():
            self._closure(cell)

    def _closure(self, cell: Any) -> None:
        if id(cell) in self._seen:
            return
        self._seen[id(cell)] = cell
        place = content_of_cell(cell)
        self.cells.append(place)
        if is_plain_value(place.held):
            self._todo.append(place.held)

    def _slot(self, owner: object, name: str) -> None:
        self.cells.append(attribute_of(owner, name))
        self._todo.append(getattr(owner, name))

    def _dict(self, held: dict[Any, Any]) -> None:
        self.cells.append(items_of_dict(held))
        for key, value in held.items():
            self._todo += [key, value]

    def _sequence(self, held: list[Any] | deque[Any] | bytearray) -> None:
        self.cells.append(items_of_sequence(held))
        if not isinstance(held, bytearray):
            self._todo += list(held)

    def _set(self, held: set[Any]) -> None:
        self.cells.append(items_of_set(held))
        self._todo += list(held)

    def _cache(self, cached: Any) -> None:
        self.cells.append(size_of_cache(cached))
        self._todo.append(cached.__wrapped__)
        self._dict(cached.__dict__)

    def _class(self, owner: type) -> None:
        self.cells.append(attributes_of_class(owner))

    def _object(self, value: object) -> None:
        if type(value).__module__ == "builtins" and not isinstance(value, BaseException):
            return
        self._todo.append(type(value))
        if isinstance(value, BaseException):
            self._slot(value, "args")
        fields = getattr(value, "__dict__", None)
        if isinstance(fields, dict):
            self._seen[id(fields)] = fields
            self._dict(fields)
        for name in slots_of(value):
            self._slot(value, name)


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

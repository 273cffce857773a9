"""What a process takes from the machine it runs on: the time, and dice. Both are simulated.

A process that comes back fourteen minutes later finds another time on the clock and other numbers in its
dice. All simulated processes share one interpreter, so a tool that looked at the real clock would find the
same second before and after a crash, and a tool that threw real dice would fail today and pass tomorrow.
Here both follow from the case, the schedule and the number of the process alone: the same code gets the same
verdict for ever, and a time in a key differs when time has gone by in the story.

Only the learner's own names are exchanged, and only while a tool runs: ``time``, ``datetime``, ``random``,
``uuid``, ``secrets``, ``os.urandom``, however they were imported, also inside a function. Everything else in
the interpreter (a notebook's kernel, other threads, libraries) keeps the real ones. Not exchanged: a clock
that a library looks at by itself, and one that was put into a container.

Cases begin shortly before an hour ends; the hidden ones shortly before a year ends, so that whatever part of
the time an answer uses is another one after a crash. The simulated machine stands in UTC.
"""

from __future__ import annotations

import builtins
import datetime as real_datetime
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FunctionType
from typing import Any, Protocol

from eve_replay.workshop.engine.twins import modules_of, twins_of

__all__ = ["Host", "begins"]

_UTC = real_datetime.UTC


class Ticks(Protocol):
    """What tells the simulated time: the machine of one run."""

    seconds: float
    process: int


def begins(seed: int) -> float:
    """Return when a case begins, in seconds since 1970.

    The lesson's own case (0) some seconds before one o'clock on an ordinary day, every other one some seconds
    before midnight on the last day of a year.
    """
    if seed == 0:
        return real_datetime.datetime(2031, 5, 14, 12, 59, 50, tzinfo=_UTC).timestamp()
    year, second = 2031 + seed % 40, 50 + seed % 9
    return real_datetime.datetime(year, 12, 31, 23, 59, second, tzinfo=_UTC).timestamp()


class Host:
    """The machine's clock and dice, in the place of the real ones.

    Args:
        functions: tools or workflow bodies; their helper functions are found through the names they use.
        case: what the dice follow from, together with the schedule and the process.
        seed: see :func:`begins`.
    """

    __slots__ = (
        "_case",
        "_names",
        "_number",
        "_rolled",
        "_schedule",
        "_spaces",
        "_start",
        "_swaps",
        "_ticks",
    )

    def __init__(self, functions: Iterable[Callable[..., object]], case: str, seed: int) -> None:
        self._case = case
        self._start = begins(seed)
        self._schedule = ""
        self._ticks: Ticks | None = None
        self._number = -1
        self._rolled: random.Random = random.Random(0)
        self._names = modules_of(self)
        twins = twins_of(self._names)
        self._spaces: set[int] = set()
        self._swaps: list[tuple[Callable[[object], None], object, object]] = []
        self._find(list(functions), twins)

    # -- what the twins ask -----------------------------------------------------------------------------

    def now(self) -> float:
        """Return the simulated time in seconds since 1970."""
        return self._start + self.uptime()

    def uptime(self) -> float:
        """Return simulated seconds since the case began."""
        return 0.0 if self._ticks is None else self._ticks.seconds

    def dice(self) -> random.Random:
        """Return the dice of the process that is running."""
        number = 0 if self._ticks is None else self._ticks.process
        if number != self._number:
            self._number = number
            self._rolled = random.Random(f"{self._case}|{self._schedule}|{number}")
        return self._rolled

    # -- exchanging -------------------------------------------------------------------------------------

    @contextmanager
    def exchanged(self) -> Iterator[None]:
        """Let the learner's names mean the simulated clock and dice meanwhile."""
        for put, _, twin in self._swaps:
            put(twin)
        before = builtins.__import__
        builtins.__import__ = self._importer(before)
        try:
            yield
        finally:
            builtins.__import__ = before
            for put, real, _ in self._swaps:
                put(real)

    def runs(self, ticks: Ticks, schedule: object) -> None:
        """A run begins: its machine tells the time, its schedule is part of what the dice follow from."""
        self._ticks, self._schedule, self._number = ticks, repr(schedule), -1

    def _importer(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def found(
            name: str,
            globals: Mapping[str, object] | None = None,
            locals: Mapping[str, object] | None = None,
            fromlist: Sequence[str] | None = (),
            level: int = 0,
        ) -> Any:
            if level == 0 and name in self._names and id(globals) in self._spaces:
                return self._names[name]
            return real(name, globals, locals, fromlist, level)

        return found

    def _find(self, waiting: list[object], twins: Mapping[int, tuple[object, object]]) -> None:
        seen: set[int] = set()
        named: set[tuple[int, str]] = set()
        while waiting:
            one = _inner(waiting.pop())
            if id(one) in seen:
                continue
            seen.add(id(one))
            if isinstance(one, type):
                for name, value in list(vars(one).items()):
                    self._swap(value, twins, _setter(one, name))
                    if isinstance(_inner(value), FunctionType):
                        waiting.append(value)
            if not isinstance(one, FunctionType) or one.__module__ == __name__:
                continue
            space = one.__globals__
            self._spaces.add(id(space))
            for name in _names_of(one):
                value = space.get(name)
                if (id(space), name) not in named:
                    named.add((id(space), name))
                    self._swap(value, twins, _item(space, name))
                own = getattr(value, "__module__", None) == one.__module__
                if own and (isinstance(value, type) or callable(value)):
                    waiting.append(value)
            for cell in one.__closure__ or ():
                try:
                    value = cell.cell_contents
                except ValueError:  # not filled yet
                    continue
                self._swap(value, twins, _setter(cell, "cell_contents"))
                if callable(value):
                    waiting.append(value)
            self._defaults(one, twins)

    def _defaults(self, function: FunctionType, twins: Mapping[int, tuple[object, object]]) -> None:
        given = function.__defaults__ or ()
        if any(id(each) in twins for each in given):
            twin = tuple(twins[id(each)][1] if id(each) in twins else each for each in given)
            self._swaps.append((_setter(function, "__defaults__"), given, twin))
        named = function.__kwdefaults__ or {}
        for name, value in list(named.items()):
            self._swap(value, twins, _item(named, name))

    def _swap(
        self, value: object, twins: Mapping[int, tuple[object, object]], put: Callable[[object], None]
    ) -> None:
        if id(value) in twins:
            self._swaps.append((put, value, twins[id(value)][1]))


def _item(space: dict[str, Any], name: str) -> Callable[[object], None]:
    def put(value: object) -> None:
        space[name] = value

    return put


def _setter(owner: object, name: str) -> Callable[[object], None]:
    return lambda value: setattr(owner, name, value)


def _inner(value: object) -> object:
    """The function inside a method, a partial, a cached or a callable object."""
    for _ in range(20):
        if isinstance(value, (FunctionType, type)):
            return value
        inner = getattr(value, "__func__", None) or getattr(value, "func", None)
        inner = inner or getattr(value, "__wrapped__", None)
        if not callable(inner):
            kind = type(value)
            return kind if kind.__module__ != "builtins" and callable(value) else value
        value = inner
    return value


def _names_of(function: FunctionType) -> set[str]:
    names: set[str] = set()
    waiting = [function.__code__]
    while waiting:
        code = waiting.pop()
        names.update(code.co_names)
        waiting += [each for each in code.co_consts if isinstance(each, type(code))]
    return names

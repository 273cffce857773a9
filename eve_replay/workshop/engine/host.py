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
import os
import random
import secrets
import time as real_time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FunctionType, ModuleType
from typing import Any, Protocol

__all__ = ["Host", "begins"]

_UTC = real_datetime.UTC
#: The network address of the simulated machine, which ``uuid1`` shows.
_NODE = 0x02_42_AC_11_00_02


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
        self._names = _modules(self)
        twins = _twins(self._names)
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


# -- the twins --------------------------------------------------------------------------------------------


class _Twin:
    """Stands for one function. Without a ``__dict__``, so that it is no memory of a tool."""

    __module__ = "builtins"
    __slots__ = ("__name__", "_act")

    def __init__(self, name: str, act: Callable[..., object]) -> None:
        self.__name__, self._act = name, act

    def __call__(self, *args: Any, **named: Any) -> object:
        return self._act(*args, **named)

    def __repr__(self) -> str:
        return f"<built-in function {self.__name__}>"


def _twins(modules: Mapping[str, ModuleType]) -> dict[int, tuple[object, object]]:
    """Return, by the identity of a real thing, that thing and what stands for it."""
    found: dict[int, tuple[object, object]] = {}
    for name, twin in modules.items():
        real = _REAL[name]
        found[id(real)] = (real, twin)
        for each, value in vars(twin).items():
            before = getattr(real, each, value)
            if before is not value and (callable(before) or isinstance(before, type)):
                found[id(before)] = (before, value)
    return found


_REAL: Mapping[str, ModuleType] = {
    "time": real_time,
    "datetime": real_datetime,
    "random": random,
    "uuid": uuid,
    "secrets": secrets,
    "os": os,
}


def _modules(host: Host) -> dict[str, ModuleType]:
    """Return a module for each of the real ones, with the same names and another nature."""
    made: dict[str, ModuleType] = {}
    parts = {
        "time": _time(host),
        "datetime": _datetime(host),
        "random": _random(host),
        "uuid": _uuid(host),
        "secrets": _secrets(host),
        "os": {"urandom": lambda size: host.dice().randbytes(size)},
    }
    for name, own in parts.items():
        module = ModuleType(name, _REAL[name].__doc__)
        vars(module).update(
            {key: value for key, value in vars(_REAL[name]).items() if not key.startswith("__")}
        )
        for key, value in own.items():
            if hasattr(_REAL[name], key):
                plain = not callable(value) or isinstance(value, type)
                setattr(module, key, value if plain else _Twin(key, value))
        made[name] = module
    return made


def _time(host: Host) -> dict[str, Any]:
    def broken(seconds: float | None = None) -> real_time.struct_time:
        return real_time.gmtime(host.now() if seconds is None else seconds)

    def told(parts: Any = None) -> str:
        return real_time.asctime(broken() if parts is None else parts)

    def formatted(form: str, parts: Any = None) -> str:
        return real_time.strftime(form, broken() if parts is None else parts)

    def nanoseconds(tell: Callable[[], float]) -> Callable[..., int]:
        return lambda *_: round(tell() * 1_000_000_000)

    names: dict[str, Any] = {"time": host.now, "time_ns": nanoseconds(host.now)}
    for name in ("monotonic", "perf_counter", "process_time", "thread_time"):
        names |= {name: lambda: 1000.0 + host.uptime()}
        names |= {f"{name}_ns": nanoseconds(lambda: 1000.0 + host.uptime())}
    return names | {
        "clock_gettime": lambda clock: host.now() if clock == 0 else 1000.0 + host.uptime(),
        "clock_gettime_ns": nanoseconds(host.now),
        "gmtime": broken,
        "localtime": broken,
        "ctime": lambda seconds=None: told(broken(seconds)),
        "asctime": told,
        "strftime": formatted,
        "tzname": ("UTC", "UTC"),
        "timezone": 0,
        "altzone": 0,
        "daylight": 0,
    }


class _Kind(type):
    """The class of a class that stands for another: what is one of those is one of these."""

    _real: type

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, cls._real)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, cls._real)


def _datetime(host: Host) -> dict[str, Any]:
    class Date(real_datetime.date, metaclass=_Kind):
        _real = real_datetime.date

        @classmethod
        def today(cls) -> Any:
            return cls.fromtimestamp(host.now())

        @classmethod
        def fromtimestamp(cls, seconds: float, /) -> Any:
            there = real_datetime.datetime.fromtimestamp(seconds, _UTC)
            return cls(there.year, there.month, there.day)

    class DateTime(real_datetime.datetime, metaclass=_Kind):
        _real = real_datetime.datetime

        @classmethod
        def now(cls, tz: real_datetime.tzinfo | None = None) -> Any:
            return cls.fromtimestamp(host.now(), tz)

        @classmethod
        def utcnow(cls) -> Any:
            return cls.fromtimestamp(host.now())

        @classmethod
        def today(cls) -> Any:
            return cls.fromtimestamp(host.now())

        @classmethod
        def fromtimestamp(cls, seconds: float, tz: real_datetime.tzinfo | None = None) -> Any:
            there = super().fromtimestamp(seconds, tz or _UTC)
            return there if tz is not None else there.replace(tzinfo=None)

        def astimezone(self, tz: real_datetime.tzinfo | None = None) -> Any:
            here = self if self.tzinfo is not None else self.replace(tzinfo=_UTC)
            return super(DateTime, here).astimezone(tz or _UTC)

    for kind, name in ((Date, "date"), (DateTime, "datetime")):
        kind.__name__ = kind.__qualname__ = name
        kind.__module__ = "datetime"
    return {"date": Date, "datetime": DateTime}


def _random(host: Host) -> dict[str, Any]:
    class Dice(random.Random):
        def __init__(self, x: Any = None) -> None:
            super().__init__(host.dice().getrandbits(64) if x is None else x)

    class SystemDice(Dice):
        def __init__(self, x: Any = None) -> None:
            super().__init__()

    for kind, name in ((Dice, "Random"), (SystemDice, "SystemRandom")):
        kind.__name__ = kind.__qualname__ = name
        kind.__module__ = "random"

    def thrown(name: str) -> Callable[..., object]:
        return lambda *args, **named: getattr(host.dice(), name)(*args, **named)

    methods = [name for name in random.__all__ if isinstance(getattr(random.Random, name, None), Callable)]  # type: ignore[arg-type]
    return {name: thrown(name) for name in methods} | {"Random": Dice, "SystemRandom": SystemDice}


def _uuid(host: Host) -> dict[str, Any]:
    def of_time() -> uuid.UUID:
        """As RFC 9562 builds version 1: the time, and a node that stays for a machine."""
        ticks = round(host.now() * 10_000_000) + 0x01B21DD213814000
        fields = (
            ticks & 0xFFFFFFFF,
            ticks >> 32 & 0xFFFF,
            ticks >> 48 & 0x0FFF,
            0x80,
            host.dice().getrandbits(8),
        )
        return uuid.UUID(fields=(*fields, 0x02_42_AC_11_00_02), version=1)

    def of_dice(version: int) -> Callable[[], uuid.UUID]:
        return lambda: uuid.UUID(int=host.dice().getrandbits(128), version=version)

    def of_both() -> uuid.UUID:
        """Version 7: milliseconds, then dice."""
        number = round(host.now() * 1000) << 80 | host.dice().getrandbits(80)
        return uuid.UUID(int=number & ~(0xF << 76) & ~(0x3 << 62) | 7 << 76 | 2 << 62)

    return {
        "uuid1": lambda node=None, clock_seq=None: of_time(),
        "uuid4": of_dice(4),
        "uuid6": lambda node=None, clock_seq=None: of_time(),
        "uuid7": of_both,
        "getnode": lambda: _NODE,
    }


def _secrets(host: Host) -> dict[str, Any]:
    def size(given: int | None) -> int:
        return 32 if given is None else given

    def text(given: int | None = None) -> str:
        import base64

        return base64.urlsafe_b64encode(host.dice().randbytes(size(given))).rstrip(b"=").decode()

    return {
        "token_bytes": lambda nbytes=None: host.dice().randbytes(size(nbytes)),
        "token_hex": lambda nbytes=None: host.dice().randbytes(size(nbytes)).hex(),
        "token_urlsafe": text,
        "randbelow": lambda exclusive_upper_bound: host.dice().randrange(exclusive_upper_bound),
        "randbits": lambda k: host.dice().getrandbits(k),
        "choice": lambda sequence: host.dice().choice(sequence),
        "SystemRandom": _random(host)["SystemRandom"],
    }

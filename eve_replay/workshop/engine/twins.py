"""The clock and the dice of a simulated machine, as modules that look like Python's own.

``time``, ``datetime``, ``random``, ``uuid``, ``secrets`` and ``os.urandom``; :mod:`host` puts them in the
place of the real ones. They keep nothing: what they tell is asked of the machine each time.
"""

from __future__ import annotations

import datetime as real_datetime
import os
import random
import secrets
import time as real_time
import uuid
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, Protocol

__all__ = ["Nature", "modules_of", "twins_of"]

_UTC = real_datetime.UTC
#: The network address of the simulated machine, which ``uuid1`` shows.
_NODE = 0x02_42_AC_11_00_02


class Nature(Protocol):
    """What the twins ask: the machine that a process runs on."""

    def now(self) -> float:
        """Return the simulated time in seconds since 1970."""
        ...

    def uptime(self) -> float:
        """Return simulated seconds since the case began."""
        ...

    def dice(self) -> random.Random:
        """Return the dice of the process that is running."""
        ...


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


def twins_of(modules: Mapping[str, ModuleType]) -> dict[int, tuple[object, object]]:
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


def modules_of(host: Nature) -> dict[str, ModuleType]:
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


def _time(host: Nature) -> dict[str, Any]:
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


def _datetime(host: Nature) -> dict[str, Any]:
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


def _random(host: Nature) -> dict[str, Any]:
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


def _uuid(host: Nature) -> dict[str, Any]:
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


def _secrets(host: Nature) -> dict[str, Any]:
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

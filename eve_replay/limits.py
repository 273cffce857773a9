"""How much a source may cost: one object, made at the door, handed to every opener and reader, spent by all.

A journal comes from somebody else. A file of a hundred kilobytes can open to gigabytes, a few bytes of CBOR
can be a number of a million digits. Every reader asks this object before it allocates, and what is over a
limit is a named state: an error, an ``Undecoded`` or a line of the receipt that says which limit, and how to
raise it.
docs/limits.md lists all of them; what they cost was measured there.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeAlias

from eve_replay.errors import SourceUnreadable, WrongUse

__all__ = ["DEFAULT", "Limits", "LimitsLike", "Meter", "OverLimit", "as_limits", "begun", "parse_limit"]

_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
#: A packed file may open to this much whatever its ratio: small files of zeroes are no bombs.
_NO_BOMB = 64 << 20
#: Named in bytes; the others are plain counts.
_BYTES = frozenset(("payload", "file", "line", "unpacked", "memory"))


class OverLimit(SourceUnreadable):
    """Reading a source would cost more than its limits allow (exit code 3).

    Attributes:
        limit: the limit's name.
        phrase: what is over it, a clause without a full stop.
    """

    def __init__(self, limit: str, phrase: str, hint: str) -> None:
        super().__init__(f"{phrase}.", hint=hint)
        self.limit = limit
        self.phrase = phrase


@dataclass(slots=True)
class _Spent:
    """What was spent of the limits that hold for a source as a whole."""

    unpacked: int = 0
    files: int = 0
    began: float = 0.0
    asked: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What reading may cost.

    Attributes:
        payload: bytes that one payload opens to.
        nodes: values and references in one payload; each costs about 64 bytes of memory.
        digits: decimal digits of one whole number.
        file: bytes of one file or member of an archive.
        line: bytes of one line of a bundle, dump or export.
        unpacked: bytes that the packed files of a source open to, all together: archives, dumps, bundles.
        files: members of the archives of a source, all together.
        ratio: how many times its own size a packed file may open to, once it is more than 64 MiB.
        seconds: processor time that opening a source may take, 0 for no end.
        memory: bytes of memory this process may hold while it opens a source, 0 for no end; known on Linux,
            elsewhere not looked at.
    """

    payload: int = 64 << 20
    nodes: int = 4_000_000
    digits: int = 100_000
    file: int = 128 << 20
    line: int = 64 << 20
    unpacked: int = 4 << 30
    files: int = 1_000_000
    ratio: int = 200
    seconds: float = 0
    memory: int = 0
    _spent: _Spent = field(default_factory=_Spent, repr=False, compare=False)

    def fresh(self) -> Limits:
        """Return the same limits with nothing spent: for another source."""
        return replace(self, _spent=_Spent(began=time.process_time()))

    def unpack(self, count: int, where: str) -> None:
        """Spend bytes that come out of the packed files of a source, each of them once. Raises OverLimit."""
        self._spent.unpacked += count
        if self._spent.unpacked > self.unpacked:
            raise self.over("unpacked", f"{where} opens to more than {_size(self.unpacked)}", 2)
        self.check(where)

    def meter(self, where: str, packed: int) -> Meter:
        """Return what counts the bytes that come out of one packed file of ``packed`` bytes."""
        return Meter(self, where, packed)

    def swell(self, opened: int, packed: int, where: str) -> None:
        """Compare what came out of one packed file with its own size. Raises OverLimit."""
        if opened > max(_NO_BOMB, packed * self.ratio):
            raise self.over("ratio", f"{where} opens to more than {self.ratio} times its own size", 10)

    def member(self, where: str) -> None:
        """Count one member of an archive. Raises OverLimit."""
        self._spent.files += 1
        if self._spent.files > self.files:
            raise self.over("files", f"{where} holds more than {self.files:,} files", 2)
        self.check(where)

    def check(self, where: str) -> None:
        """Look at the clock and the memory now and then. Raises OverLimit."""
        if not (self.seconds or self.memory):
            return
        spent = self._spent
        spent.asked += 1
        if self.seconds and time.process_time() - spent.began > self.seconds:
            raise self.over("seconds", f"{where} took more than {self.seconds:g} s of processor time", 4)
        if self.memory and spent.asked % 64 == 1 and _held() > self.memory:
            raise self.over("memory", f"{where} needs more than {_size(self.memory)} of memory", 2)

    def over(self, name: str, phrase: str, times: int = 4) -> OverLimit:
        """Return the error for what is over a limit, with the option that lets it through."""
        return OverLimit(name, phrase, self.way_on(name, times))

    def way_on(self, name: str, times: int = 4) -> str:
        """Return the sentence that says how to go on beyond a limit."""
        value = int(getattr(self, name) * times)
        size = _size(value)
        shown = size.replace(" ", "").removesuffix("iB") if name in _BYTES and "iB" in size else f"{value}"
        return (
            f"If you trust it, go on with --limit {name}={shown} (in Python: limit=Limits({name}={value}))."
        )


class Meter:
    """Spends what comes out of one packed file."""

    __slots__ = ("_limits", "_packed", "_where", "out")

    def __init__(self, limits: Limits, where: str, packed: int) -> None:
        self._limits, self._where, self._packed = limits, where, packed
        self.out = 0

    def spend(self, count: int) -> None:
        """Spend so many bytes more. Raises OverLimit."""
        self.out += count
        self._limits.unpack(count, self._where)
        self._limits.swell(self.out, self._packed, self._where)


#: What the parameter ``limit`` takes everywhere: bytes of a payload, a whole set, or None for the defaults.
LimitsLike: TypeAlias = int | Limits | Mapping[str, int | float | str] | None

DEFAULT = Limits()


def as_limits(limit: object) -> Limits:
    """Return the limits that an option means; a number is the size of a payload. Raises WrongUse."""
    if isinstance(limit, Limits):
        return limit
    if limit is None:
        return DEFAULT
    if isinstance(limit, int) and not isinstance(limit, bool):
        # So many bytes hold so many values: a text that is nothing but small values costs most.
        return replace(
            DEFAULT, payload=limit, nodes=max(limit // 16, 1024), file=max(DEFAULT.file, limit * 2)
        )
    if isinstance(limit, Mapping):
        found = DEFAULT
        for name, value in limit.items():
            found = _with(found, str(name), value)
        return found
    raise WrongUse(f"A limit is a number of bytes or Limits(...), not {type(limit).__name__}.")


def begun(limit: object) -> Limits:
    """Return the limits of one source: those that others of it spend from already, or fresh ones."""
    limits = as_limits(limit)
    return limits if limits._spent.began else limits.fresh()


def parse_limit(texts: tuple[str, ...]) -> Limits | None:
    """Return the limits of ``--limit 64M --limit unpacked=4G``, None when there are none. Raises WrongUse."""
    found: Limits | None = None
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            size = _number(text, "payload")
            base = as_limits(int(size))
            found = (
                base
                if found is None
                else replace(found, payload=base.payload, nodes=base.nodes, file=max(found.file, base.file))
            )
        else:
            found = _with(found or DEFAULT, name.strip(), value)
    return None if found is None else found.fresh()


def _with(limits: Limits, name: str, value: object) -> Limits:
    known = {each.name: each for each in fields(Limits) if not each.name.startswith("_")}
    if name not in known:
        raise WrongUse(f"There is no limit {name!r}.", hint=f"There are {', '.join(known)}.")
    number = _number(value, name) if isinstance(value, str) else value
    if not isinstance(number, (int, float)) or isinstance(number, bool) or number < 0:
        raise WrongUse(f"{value!r} is no value for the limit {name}.", hint="Write it as unpacked=4G.")
    changed: dict[str, Any] = {name: number if name == "seconds" else int(number)}
    return replace(limits, **changed)


def _number(text: str, name: str) -> float:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?", text.strip().lower())
    if match is None or not (float(match[1]) or name in ("seconds", "memory")):
        raise WrongUse(
            f"--limit {text!r} is not a size.", hint="Write it as 64M, 1G, or NAME=VALUE such as unpacked=4G."
        )
    return float(match[1]) * (_UNITS[match[2]] if name in _BYTES or match[2] else 1)


def _size(count: int) -> str:
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if count >= unit and count % unit == 0:
            return f"{count // unit} {name}"
    return f"{count:,} bytes"


def _held() -> int:
    """Return how many bytes of memory this process holds now, 0 where that cannot be told."""
    if sys.platform != "linux":
        return 0
    try:
        with open("/proc/self/statm", "rb") as file:  # noqa: PTH123 - a quick look, no path to be handled
            return int(file.read().split()[1]) * 4096
    except (OSError, ValueError, IndexError):
        return 0

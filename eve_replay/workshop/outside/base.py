"""What every service of the outside has: answers, polite refusals, keys that are remembered for a while.

The outside survives the death of a process. Nothing that a tool hands over or gets is shared with it: values
are copied both ways, so that memory of a dead process cannot live on in here.
"""

from __future__ import annotations

import dis
import inspect
import re
import sys
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar, cast

from eve_replay.workshop.outside.refusals import REFUSALS
from eve_replay.workshop.wire import Call, Timeout, Wire

__all__ = [
    "Answer",
    "BadRequest",
    "Count",
    "Flag",
    "KeyReused",
    "Keys",
    "Rows",
    "Service",
    "Timeout",
    "UniqueViolation",
    "Value",
    "answered",
    "awaited",
    "copied",
    "plain",
    "shown",
]

T = TypeVar("T")

#: Longest idempotency key that is taken (the length payment providers document).
_KEY_LENGTH = 255
_DEPTH = 40
_CACHE, _GET_AWAITABLE = dis.opmap.get("CACHE", 0), dis.opmap["GET_AWAITABLE"]
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


class _Here:
    """Already there: ``await`` returns it at once, so that ``async def`` tools work too."""

    def __await__(self) -> Generator[Any, None, Any]:
        yield from ()
        return self


class Answer(_Here, dict[str, Any]):
    """An answer with named fields: a dict."""


class Rows(_Here, list[Any]):
    """An answer with several rows: a list."""


class Count(_Here, int):
    """An answer that is a number."""


class Value(_Here, str):
    """An answer that is text."""


class Flag(_Here, int):
    """Yes or no; equal to True or False (``bool`` itself cannot be made awaitable)."""

    def __repr__(self) -> str:
        return str(bool(self))

    __str__ = __repr__


class _Later:
    """Awaited, it is its value: for what Python lets nobody make awaitable (None, True, 1.5)."""

    __slots__ = ("_value",)

    def __init__(self, value: object) -> None:
        self._value = value

    def __await__(self) -> Generator[Any, None, object]:
        yield from ()
        return self._value


def awaited(value: Any) -> Any:
    """Return an answer so that the caller of the service may ``await`` it or not.

    None, True and numbers with a point cannot be made awaitable, and ``is None`` has to hold without
    ``await``. So for these the instruction after the call is looked at: only where it is an ``await``,
    something that can be awaited is returned.
    """
    if isinstance(value, _Here):
        return value
    frame = sys._getframe(2)
    if frame.f_code.co_flags & inspect.CO_COROUTINE:
        code = frame.f_code.co_code
        place = frame.f_lasti + 2
        while place < len(code) and code[place] == _CACHE:
            place += 2
        if place < len(code) and code[place] == _GET_AWAITABLE:
            return _Later(value)
    return value


class BadRequest(ValueError):
    """The outside refuses a request that makes no sense, in words.

    Attributes:
        code: which refusal it is (a key of ``refusals.REFUSALS``).
        fields: what its sentence needs.
    """

    def __init__(self, message: str, *, code: str, fields: Mapping[str, str]) -> None:
        super().__init__(message)
        self.code = code
        self.fields = dict(fields)


class KeyReused(Exception):
    """The key was used before for another request: nothing was done."""


class UniqueViolation(Exception):
    """A row with the same unique values is in the table already: nothing was written."""


def shown(value: object, limit: int = 60) -> str:
    """Return a short text of any value, the same in every process; never raises."""
    try:
        text = _ADDRESS.sub("", repr(value))
    except Exception:
        text = f"a {type(value).__name__}"
    return text if len(text) <= limit else text[: limit - 1] + "…"


def plain(value: object, _depth: int = 0) -> object:
    """Return a copy as plain JSON data.

    Raises:
        TypeError: there is something in it that cannot be sent (named in the message).
    """
    kind = type(value)
    if value is None or kind is str or kind is int or kind is bool or kind is float:
        return value
    if isinstance(value, Flag):
        return bool(value)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int(value)
    if _depth < _DEPTH:
        if isinstance(value, Mapping):
            if all(isinstance(name, str) for name in value):
                return {str.__str__(name): plain(each, _depth + 1) for name, each in value.items()}
            raise TypeError(f"a dict with names that are not text: {shown(value)}")
        if isinstance(value, (list, tuple)):
            return [plain(each, _depth + 1) for each in value]
    raise TypeError(shown(value))


def copied(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of a row that is plain data already, however deep."""
    return {name: plain(each) for name, each in value.items()}


def answered(value: object) -> object:
    """Return a copy of stored data as an answer that can be awaited where Python allows it."""
    value = plain(value)
    if isinstance(value, dict):
        return Answer(value)
    if isinstance(value, list):
        return Rows(value)
    if isinstance(value, str):
        return Value(value)
    if type(value) is int:
        return Count(value)
    return value


@dataclass(slots=True)
class _Known:
    """What is remembered of a key: the request it came with, its answer, or how to get it."""

    body: Mapping[str, object]
    since: float
    act: Callable[[], dict[str, Any]]
    answer: dict[str, Any] | None = None


class Keys:
    """Idempotency keys of one service: remembered for ``hours`` of simulated time, None for ever."""

    __slots__ = ("_hours", "_known")

    def __init__(self, hours: float | None) -> None:
        self._hours = hours
        self._known: dict[str, _Known] = {}

    @property
    def hours(self) -> float | None:
        """How long a key is remembered."""
        return self._hours

    def find(self, key: str, now: float) -> tuple[_Known | None, float | None]:
        """Return what is known of a key, and how many seconds ago it came when it is too long ago."""
        known = self._known.get(key)
        if known is None:
            return None, None
        if self._hours is not None and known.answer is not None and now - known.since >= self._hours * 3600:
            del self._known[key]
            return None, now - known.since
        return known, None

    def arrived(self, key: str, body: Mapping[str, object], now: float, act: Callable[[], Any]) -> None:
        """Take down a request that will be carried out later; the first one with a key counts."""
        self._known.setdefault(key, _Known(body, now, act))

    def done(self, key: str, body: Mapping[str, object], now: float, answer: dict[str, Any]) -> None:
        """Remember the answer of a request."""
        known = self._known.get(key)
        if known is None:
            self._known[key] = _Known(body, now, lambda: answer, answer)
        else:
            known.answer = answer


class _Once:
    """Something that is carried out at most once, however often it is asked for."""

    __slots__ = ("_act", "_answer")

    def __init__(self, act: Callable[[], dict[str, Any]]) -> None:
        self._act = act
        self._answer: dict[str, Any] | None = None

    @property
    def answer(self) -> dict[str, Any] | None:
        """Its answer, None while it has not been carried out."""
        return self._answer

    def __call__(self) -> dict[str, Any]:
        if self._answer is None:
            self._answer = self._act()
        return self._answer


class Service:
    """One service of the outside."""

    __slots__ = ("_setting", "_wire")

    #: How it is called in traces and as an attribute of the outside.
    name = ""
    #: What it can be asked, for ``repr`` and for the words of a wrong attribute.
    can: tuple[str, ...] = ()
    #: Why it cannot be asked something else, by attribute name.
    cannot: Mapping[str, str] = {}

    def __init__(self, wire: Wire, setting: Mapping[str, object]) -> None:
        self._wire = wire
        self._setting = setting

    def __repr__(self) -> str:
        return f"{self.name}: {', '.join(self.can)}"

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        why = self.cannot.get(name, f"it has no {name}")
        raise AttributeError(f"{self.name}: {why}. It can: {', '.join(self.can)}")

    # -- for the services --------------------------------------------------------------------------

    def _option(self, name: str, default: T) -> T:
        return cast(T, self._setting.get(name, default))

    def _call(
        self,
        method: str,
        facts: Mapping[str, object],
        act: Callable[[], T],
        *,
        reads: bool = False,
        slow: bool = False,
        may_time_out: bool = False,
        arrive: Callable[[], None] | None = None,
    ) -> T:
        return self._wire.call(
            Call(
                service=self.name,
                method=method,
                facts=facts,
                reads=reads,
                slow=slow,
                may_time_out=may_time_out,
            ),
            act,
            arrive,
        )

    def _acted(self, method: str, did: str, **facts: object) -> None:
        """Tell the trace what the outside did about a request."""
        self._wire.tell("acted", {"service": self.name, "method": method, "did": did, **facts})

    def _keyed(
        self,
        method: str,
        body: dict[str, object],
        key: str | None,
        keys: Keys | None,
        do: Callable[[], dict[str, Any]],
    ) -> tuple[Callable[[], Answer], Callable[[], None]]:
        """Return ``act`` and ``arrive`` of a request that a key protects (as far as the service heeds keys).

        The first request with a key is carried out; one that comes while it is in flight waits for it; later
        ones get its answer (lab payserver, recordings pay-with-key and pay-with-key-minted-ids).
        """
        wire = self._wire
        once = _Once(do)
        if key is None or keys is None:
            return (lambda: Answer({**copied(once()), "replayed": False})), (lambda: None)

        def mine() -> dict[str, Any]:
            answer = once()
            keys.done(key, body, wire.seconds, answer)
            return answer

        def act() -> Answer:
            if once.answer is not None:
                return Answer({**copied(once.answer), "replayed": False})
            known, forgotten = keys.find(key, wire.seconds)
            if known is None or known.act is mine:
                if forgotten is not None:
                    self._acted(method, "forgot", key=key, after=forgotten, hours=keys.hours)
                return Answer({**copied(mine()), "replayed": False})
            if known.body != body:
                self._acted(method, "key-reused", key=key, first=dict(known.body), body=dict(body))
                raise KeyReused(
                    f"the key {shown(key)} came before with another request: {_listed(known.body)}; "
                    f"now {_listed(body)}. Nothing was done."
                )
            answer = known.answer if known.answer is not None else known.act()
            self._acted(method, "replayed", key=key, id=answer.get("id"), since=known.since)
            return Answer({**copied(answer), "replayed": True})

        return act, (lambda: keys.arrived(key, body, wire.seconds, mine))

    # -- refusals: said in both languages, raised in English --------------------------------------

    def _refuse(self, method: str, code: str, **fields: str) -> NoReturn:
        fields = {"call": f"{self.name}.{method}", **fields}
        self._wire.tell("bad-request", {"code": code, **fields})
        raise BadRequest(REFUSALS[code].en.format_map(fields), code=code, fields=fields)

    def _text(self, method: str, name: str, value: object, *, empty: bool = False) -> str:
        if not isinstance(value, str) or (not value and not empty):
            self._refuse(method, "not-text", name=name, value=shown(value))
        return str.__str__(value)

    def _key(self, method: str, key: object, name: str = "key") -> str | None:
        if key is None:
            return None
        text = self._text(method, name, key)
        if len(text) > _KEY_LENGTH:
            self._refuse(method, "key-long", name=name, value=shown(text), limit=str(_KEY_LENGTH))
        return text

    def _whole(self, method: str, name: str, value: object, *, least: int = 1) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            self._refuse(method, "not-whole", name=name, value=shown(value), least=str(least))
        return int(value)

    def _seconds(self, method: str, value: object) -> float | None:
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < float("inf"):
            self._refuse(method, "not-seconds", name="seconds", value=shown(value))
        return float(value)

    def _plain(self, method: str, name: str, value: object) -> object:
        try:
            return plain(value)
        except TypeError as error:
            self._refuse(method, "not-json", name=name, value=str(error))

    def _about(
        self, method: str, about: Mapping[str, object], taken: tuple[str, ...] = ()
    ) -> dict[str, object]:
        for name in about:
            if name in taken:
                self._refuse(method, "name-taken", name=name)
        return {name: self._plain(method, name, value) for name, value in about.items()}


def _listed(body: Mapping[str, object]) -> str:
    return ", ".join(f"{name}={shown(value)}" for name, value in body.items() if name != "method")

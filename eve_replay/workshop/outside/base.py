"""What every service of the outside has: calls over the wire, polite refusals, requests that keys protect."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NoReturn, TypeVar, cast

from eve_replay.workshop.outside.answers import Answer, copied, plain, shown
from eve_replay.workshop.outside.keys import Keys, Once
from eve_replay.workshop.outside.refusals import REFUSALS
from eve_replay.workshop.wire import Call, Timeout, Wire

__all__ = ["BadRequest", "KeyReused", "Service", "Timeout", "UniqueViolation"]

T = TypeVar("T")

#: Longest idempotency key that is taken (the length payment providers document).
_KEY_LENGTH = 255


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
        once = Once(do)
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

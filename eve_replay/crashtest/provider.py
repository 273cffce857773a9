"""The state of everything outside: keys, claims, what has been done. It lives for one run of one point."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any
from urllib.parse import parse_qs, urlsplit

from eve_replay.crashtest.model import Stub

__all__ = ["Answer", "Provider", "Request"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request as it reached the outside: ``host`` without a usual port, ``target`` with the query."""

    method: str
    host: str
    target: str
    headers: Mapping[str, str]
    body: Any = None

    @property
    def path(self) -> str:
        """The path without the query."""
        return urlsplit(self.target).path or "/"

    @property
    def label(self) -> str:
        """The label that points use."""
        return f"{self.method} {self.host}{self.path}"

    def value(self, name: str) -> str:
        """Return a field of the body, or else of the query, as text; empty when there is none."""
        if isinstance(self.body, Mapping) and name in self.body:
            return str(self.body[name])
        return parse_qs(urlsplit(self.target).query).get(name, [""])[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What comes back, and whether the outside acted."""

    status: int
    body: Any
    effect: bool = False
    name: str = ""
    by: str = ""
    key: str = ""
    stub: Stub | None = None
    unanswered: bool = False


@dataclass(slots=True, kw_only=True)
class Provider:
    """All stubs of one run with their state. Callers hold a lock: nothing here does.

    Attributes:
        stubs: the first that matches answers.
        learn: answer what has no stub, instead of refusing it.
    """

    stubs: tuple[Stub, ...] = ()
    learn: bool = False
    done: list[tuple[Stub, str, Any]] = field(default_factory=list)
    _keys: dict[tuple[str, str], Any] = field(default_factory=dict)
    _claims: set[tuple[str, str]] = field(default_factory=set)
    _failed: dict[str, int] = field(default_factory=dict)

    def stub(self, request: Request) -> Stub | None:
        """Return the stub of a request."""
        for each in self.stubs:
            fits = (each.method, request.method), (each.host, request.host), (each.path, request.path)
            if all(fnmatchcase(value, pattern) for pattern, value in fits):
                return each
        return None

    def reserve(self, request: Request) -> None:
        """Take a request's key at once: a provider that honours keys does so before it has finished."""
        stub = self.stub(request)
        key = request.headers.get(stub.key.lower(), "") if stub is not None and stub.does == "key" else ""
        if stub is not None and key:
            self._keys.setdefault((stub.name, key), {"pending": True})

    def answer(self, request: Request, *, late: bool = False) -> Answer:
        """Act and answer. ``late``: the key was reserved when the request arrived."""
        stub = self.stub(request)
        key = _key_of(request, stub)
        if stub is None:
            if self.learn:
                return Answer(status=200, body={"ok": True}, key=key, unanswered=True)
            why = f"no stub answers {request.label} (crashtest.toml)"
            return Answer(status=501, body={"error": why}, key=key, unanswered=True)
        by = request.value(stub.by) if stub.by else ""
        said: dict[str, Any] = {"name": stub.name, "by": by, "key": key, "stub": stub}
        if stub.does == "list":
            wanted = [body for other, value, body in self.done if other.name == stub.of and value == by]
            return Answer(status=200, body=wanted, **said)
        if stub.does == "read":
            return Answer(status=stub.status, body=stub.answer, **said)
        if stub.does == "error" and self._failed.get(stub.name, 0) < stub.times:
            self._failed[stub.name] = self._failed.get(stub.name, 0) + 1
            status = stub.status if stub.status >= 400 else 503
            return Answer(status=status, body={"error": "stubbed"}, **said)
        if stub.does == "claim":
            if (stub.name, by) in self._claims:
                return Answer(status=409, body={"error": "claimed"}, **said)
            self._claims.add((stub.name, by))
        if stub.does == "key" and key and not late and (stub.name, key) in self._keys:
            return Answer(status=200, body=self._keys[stub.name, key], **said)
        body = self._made(stub, request)
        self.done.append((stub, by, body))
        if stub.does == "key" and key:
            self._keys[stub.name, key] = body
        return Answer(status=stub.status if stub.does != "error" else 200, body=body, effect=True, **said)

    def _made(self, stub: Stub, request: Request) -> Any:
        sent = request.body if isinstance(request.body, Mapping) else {}
        number = 1 + sum(other.name == stub.name for other, _, _ in self.done)
        if isinstance(stub.answer, Mapping):
            return {**sent, **{k: v.replace("{n}", str(number)) if isinstance(v, str) else v
                               for k, v in stub.answer.items()}}  # fmt: skip
        return {"id": f"{stub.name}_{number}", **sent} if stub.answer is None else stub.answer


def _key_of(request: Request, stub: Stub | None) -> str:
    if stub is not None and request.headers.get(stub.key.lower()):
        return request.headers[stub.key.lower()]
    found = (v for k, v in request.headers.items() if "idempoten" in k)
    return next(found, "")


def stubs_from(data: Iterable[Mapping[str, Any]]) -> tuple[Stub, ...]:
    """Return stubs from what ``asdict`` made of them."""
    return tuple(Stub(**each) for each in data)

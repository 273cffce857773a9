"""The words of a crash test as frozen data: what is stubbed and promised, where it dies, what was seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, get_args

from eve_replay.errors import WrongUse

__all__ = ["DOES", "Config", "Kind", "Point", "Promise", "PromiseKind", "Result", "Stub", "Turn", "Variant"]

#: What the model answers when it is asked again.
Variant = Literal["same", "new-ids", "other"]
Does = Literal["plain", "key", "claim", "list", "read", "error"]
DOES: tuple[str, ...] = get_args(Does)
When = Literal["", "before", "in", "late", "after"]
Kind = Literal["undisturbed", "act", "file", "tool", "model", "write"]
PromiseKind = Literal["once", "at least once", "at most once", "person told", "read only"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stub:
    """How one kind of request is answered outside.

    Attributes:
        name: the effect's name, as promises call it.
        method, host, path: what it answers; ``*`` stands for anything.
        does: ``plain`` acts each time; ``key`` acts once per key (reserved on arrival); ``claim`` acts once
            per business value and answers 409 after that; ``list`` shows what ``of`` has done; ``read`` acts
            never; ``error`` answers ``status`` for the first ``times`` requests and then acts.
        by: field of the body (or of the query) that holds the business value, such as ``order``.
        key: header that holds the key.
        of: the effect that a list shows.
        answer: what is answered, merged over the request's body; None: the body with an id.
        status, times, delay: of an error; seconds before the answer.
    """

    name: str
    method: str = "*"
    host: str = "*"
    path: str = "*"
    does: Does = "plain"
    by: str = ""
    key: str = "idempotency-key"
    of: str = ""
    answer: Any = None
    status: int = 200
    times: int = 0
    delay: float = 0.0

    @property
    def acts(self) -> bool:
        """Whether a request of this kind changes the outside."""
        return self.does not in ("list", "read")


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """What must hold of one effect at every point: ``by`` names the field that makes two of them the same."""

    effect: str
    kind: PromiseKind
    by: str = ""

    @property
    def words(self) -> str:
        """The promise as a person says it."""
        return f"{self.effect}: {self.kind}{f' by {self.by}' if self.by else ''}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message of the user, what the model answers, and how a question or an approval is answered."""

    message: str
    replies: tuple[Mapping[str, Any], ...] = ()
    approve: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """A crash test: the turns, the outside, the promises (docs/guides/crashtest.md#the-file)."""

    turns: tuple[Turn, ...]
    stubs: tuple[Stub, ...] = ()
    promises: tuple[Promise, ...] = ()
    ledgers: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    allow: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    lease: int = 1
    lag: float = 4.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """Where the process dies: right before, in, or right after the ``k``-th thing with this label.

    Attributes:
        when: ``in``: the outside acted and the answer is lost; ``late``: the process dies as the request
            arrives and the outside acts some seconds later; empty: nothing is killed.
        turn: which turn of the test it was seen in, 0-based.
        then: a second death, in the recovery.
        stable: whether every counting run came by here.
    """

    when: When = ""
    k: int = 0
    label: str = ""
    kind: Kind = "undisturbed"
    turn: int = 0
    stable: bool = True
    then: Point | None = None

    @property
    def name(self) -> str:
        """The stable name: what ``--only`` takes."""
        here = (
            f"{self.when} {self.label}" + (f" #{self.k}" if self.k > 1 else "")
            if self.when
            else "undisturbed"
        )
        return here if self.then is None else f"{here}, then {self.then.name}"

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Point:
        """Return the point that ``asdict`` wrote."""
        then = data.get("then")
        return cls(**{**data, "then": cls.from_json(then) if then else None})


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What one run showed.

    Attributes:
        point: where it died; ``died``: whether it did.
        outcome: ``recovers``, ``hangs``, ``needs-message``, ``needs-person``, ``fails``, ``inconclusive``.
        why: what makes it inconclusive or tells the outcome apart.
        counts: per effect and business value how often the outside acted.
        bodies: per tool how often its body began.
        implied: outcome and executions per tool (``[least, most]``, most None: no bound) from the folder as
            it lay at death, and the words of the point there.
        acts: the ledger in order: one mapping each, of all processes.
        unanswered: requests that no stub answers.
        bundle: folder with the journal at death and at the end, relative to the results.
        lines: how far the process came: durable writes, acts, model and tool calls of its second life.
    """

    point: Point
    variant: Variant = "same"
    died: bool = False
    outcome: str = "inconclusive"
    why: str = ""
    counts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    bodies: Mapping[str, int] = field(default_factory=dict)
    implied: Mapping[str, Any] | None = None
    acts: tuple[Mapping[str, Any], ...] = ()
    unanswered: tuple[str, ...] = ()
    bundle: str = ""
    lines: tuple[Mapping[str, Any], ...] = ()
    seconds: float = 0.0
    cpu: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON (docs/json.md, ``crashtest``)."""
        return {**asdict(self), "name": self.point.name}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Result:
        """Return the result that :meth:`to_json` wrote. Raises WrongUse for something else."""
        try:
            given = {name: value for name, value in data.items() if name != "name"}
            point = Point.from_json(given.pop("point"))
            lists: dict[str, Any] = {
                name: tuple(given.pop(name, ())) for name in ("acts", "unanswered", "lines")
            }
            return cls(point=point, **lists, **given)
        except (TypeError, KeyError, AttributeError) as error:
            raise WrongUse(f"This is no result of a crash test: {error}") from error

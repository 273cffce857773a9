"""The nouns of the workshop: what a lesson runs, what is broken on the way, and what came of it.

A *case* is a scripted conversation: turns, and in each turn the calls that the model asks for. Running a
learner's tools on a case under a *schedule* of faults gives an *outcome*: a trace of moments and the ledger
of what the outside really did. Plain frozen data; nothing here runs anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, Protocol

from eve_replay.recovery.situation import Code
from eve_replay.recovery.strategies import ModelAnswer

__all__ = [
    "Ask",
    "Breach",
    "Case",
    "Deed",
    "Ended",
    "Entry",
    "Fault",
    "FaultKind",
    "Language",
    "Moment",
    "MomentKind",
    "Outcome",
    "Promise",
    "Schedule",
    "Text",
    "Tool",
    "Turn",
]

Language = Literal["en", "zh"]

#: ``crash-before``: the process dies at this moment, nothing of it has happened.
#: ``crash-in-flight``: the request has left, the process dies, the outside acts later (only slow services).
#: ``crash-after``: the outside has acted, the process dies before it has the answer.
#: ``lost``: the outside has acted, the caller gets a Timeout and lives. ``refused``: the same, not acted.
FaultKind = Literal["crash-before", "crash-in-flight", "crash-after", "lost", "refused"]

#: Where a fault can fall. ``model``: the model is being asked. ``call``: a call to the outside. ``pause``:
#: the tool waits by itself. ``returned``: a tool has returned, the next one has not begun. ``commit``: all
#: tools have returned, nothing of the commit is written. ``commit-lock``, ``commit-record``: inside it
#: (docs/evidence/sweep.md#writes: what is left then are the states F1 and F2). ``committed``: just after it.
MomentKind = Literal[
    "model", "call", "pause", "returned", "commit", "commit-lock", "commit-record", "committed"
]

#: How it came out. ``dormant``: the environment recovers nothing. ``hangs``: wedged or parked for good.
#: ``runaway``: the tool called the outside without end. ``diverged``: a workflow body took another way than
#: its record when it was replayed. ``deaf``: the turn is done, and no later message is ever processed.
Ended = Literal["completed", "dormant", "hangs", "deaf", "runaway", "diverged"]

#: ``tool(input, ctx, outside)`` returns what the model is told.
Tool = Callable[..., object]


@dataclass(frozen=True, slots=True)
class Text:
    """One sentence a learner reads, in both languages."""

    en: str
    zh: str

    def get(self, language: Language) -> str:
        """Return it in a language."""
        return self.zh if language == "zh" else self.en


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """One thing that somebody really wants done: what promises are counted against.

    Attributes:
        effect: name of the effect as the ledger has it (``charge``, ``mail`` ...).
        match: fields of the ledger entry that belong to this deed and to no other.
        words: what a person calls it ("invoice INV-7").
    """

    effect: str
    match: Mapping[str, object]
    words: str = ""

    @property
    def text(self) -> Text:
        """What a person calls it in either language; empty where it has no words."""
        return Text(self.words, self._zh() if self.words else "")

    def _zh(self) -> str:
        match = self.match
        if self.effect == "mail" and "to" in match:
            subject = f"（{match['subject']}）" if "subject" in match else ""
            return f"发给 {match['to']} 的邮件{subject}"
        for name, called in (("invoice", "账单"), ("order", "订单")):
            if name in match:
                return f"{called} {match[name]}"
        return self.words


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One call that the model asks for. ``deeds``: what is wanted by it, once each."""

    tool: str
    input: Mapping[str, object]
    deeds: tuple[Deed, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message and the model's answers to it, one tuple of calls per model call; then it says it is done.

    Attributes:
        other: what the model answers instead when it is asked *again* (model ``other``), by answer index.
    """

    message: str
    answers: tuple[tuple[Ask, ...], ...]
    other: Mapping[int, tuple[Ask, ...]] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One scripted conversation and its surroundings.

    Attributes:
        model: what the model does when it is asked again.
        runtime, environment: names as in :mod:`eve_replay.recovery`.
        calls_per_step: model calls per step (eve's ``modelCallsPerStep``).
        setting: how the outside behaves, by service, for example ``{"payments": {"key_hours": 24}}``.
        seed: where ids and names of this case come from.
        answers: what people answer when a workflow asks them, in order.
        words: what a learner reads where cases can be chosen; the name otherwise.
        order: eve runs the calls of one answer side by side, the workshop one after another: in which order.
            ``last-first``: a crash in the first call finds the others done (recording crash-in-tool).
    """

    name: str
    turns: tuple[Turn, ...]
    model: ModelAnswer = "same"
    runtime: str = "eve"
    environment: str = "eve-start"
    calls_per_step: int = 1
    setting: Mapping[str, Mapping[str, object]] = field(default_factory=lambda: MappingProxyType({}))
    seed: int = 0
    answers: tuple[object, ...] = ()
    words: Text | None = None
    order: Literal["asked", "last-first"] = "asked"

    @property
    def deeds(self) -> tuple[Deed, ...]:
        """Everything wanted in it, in order."""
        return tuple(
            deed for turn in self.turns for answer in turn.answers for ask in answer for deed in ask.deeds
        )


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that goes wrong.

    Attributes:
        point: number of the moment, counted from 0 over the whole run, all processes together.
        kind: what happens there.
        hours: how long the process stays away after a crash; it may be longer for the lease.
        beside: how far the step beside a session's first turn (eve's ``startSessionTimeoutStep``) had been
            written down when the process died: a commit state of docs/evidence/sweep.md#writes. ``done`` is
            what is tried by default: it is written within a tenth of a second, and a crash there is rare.
        unbegun: at a ``model`` moment that opens a step: how far the step itself had been written down, its
            body not having begun (``unborn``, ``C1a``, ``C1b``, ``B``, ``C3``, or ``D`` with the model not
            asked yet). Empty: the model was being asked.
    """

    point: int
    kind: FaultKind = "crash-before"
    hours: float = 0.0
    beside: Code = "done"
    unbegun: Code | Literal[""] = ""


#: Faults in the order of their points.
Schedule = tuple[Fault, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """One line of the trace.

    Attributes:
        number: its number, where a fault can fall there; None for what only tells (an answer, a landing).
        kind: a ``MomentKind``, or one of ``start`` (process starts), ``crash``, ``replayed`` (a step answered
            from its record), ``tool`` (a tool begins), ``acted`` (what the outside did), ``answer`` (of the
            outside), ``bad-request``, ``landed`` (what was in flight is done), ``timeout``, ``threw``,
            ``asked`` / ``told`` (a person), ``note``, ``wedged`` (a step cannot commit), ``dormant`` (nothing
            recovers it), ``diverged`` (a body lost its way).
        process: number of the process, from 1.
        attempt: number of the attempt of its step, from 1; 0 outside a step.
        seconds: simulated time since the beginning.
        turn, step, position: where in the conversation: turn number, step index in the turn, place of the
            call in the model's answer; -1 where that means nothing.
        tool, call_id: of the call that was going on.
        service, method: of an outside call.
        facts: what else a sentence needs (arguments, key, result), plain JSON values.
        fault: the fault that fell here.
        reads, slow, may_time_out: of an outside call (as in :class:`eve_replay.workshop.wire.Call`):
            what can go wrong there.
    """

    number: int | None
    kind: str
    process: int
    attempt: int = 0
    seconds: float = 0.0
    turn: int = -1
    step: int = -1
    position: int = -1
    tool: str = ""
    call_id: str = ""
    service: str = ""
    method: str = ""
    facts: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    fault: FaultKind | None = None
    reads: bool = False
    slow: bool = False
    may_time_out: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One effect that really happened: a line of the outside's own ledger.

    Attributes:
        effect: ``charge``, ``refund``, ``mail``, ``row``, ``reservation``, ``person`` ...
        fields: what it was about.
        key: the idempotency key it came with, None without.
        process, attempt, turn, step, position, call_id: who caused it (as in :class:`Moment`).
        moment: index in the trace of the call that sent it.
    """

    number: int
    seconds: float
    service: str
    effect: str
    fields: Mapping[str, object]
    key: str | None
    process: int
    attempt: int
    turn: int
    step: int
    position: int
    call_id: str
    moment: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of one case under one schedule.

    Attributes:
        ledger: what the outside did, in order.
        trace: everything that happened, in order.
        results: what each call of the model finally returned to it, by (turn, answer index, position); an
            error as ``{"error": "..."}``.
        moments: how many numbered moments there were.
        processes: how many processes ran.
        model_calls: how often the model was asked (and paid).
        rules: names of the recovery rules that the runtime used, in order, without repeats.
        forgot: whether a process changed module memory that a later one did not have.
    """

    case: Case
    schedule: Schedule
    ledger: tuple[Entry, ...]
    trace: tuple[Moment, ...]
    results: Mapping[tuple[int, int, int], object]
    ended: Ended
    moments: int
    processes: int
    model_calls: int
    rules: tuple[str, ...] = ()
    forgot: bool = False

    def count(self, deed: Deed) -> int:
        """Return how often a deed was done."""
        return sum(
            entry.effect == deed.effect
            and all(entry.fields.get(name) == value for name, value in deed.match.items())
            for entry in self.ledger
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Breach:
    """A promise that was not kept.

    Attributes:
        code: ``twice``, ``missed``, ``lied`` (said done, was not), ``silent`` (unknown, nobody told),
            ``bothered`` (a person asked for nothing), ``hangs``, ``diverged``, ``threw``, ``runaway``,
            ``wrong-answer``.
        deed: what it is about, None where it is about no single deed.
        entries: numbers of the ledger entries that show it.
    """

    code: str
    deed: Deed | None = None
    entries: tuple[int, ...] = ()
    facts: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))


class Promise(Protocol):
    """Something a tool must keep under every schedule."""

    def __call__(self, outcome: Outcome) -> Breach | None:
        """Return how it was broken, None when it was kept."""
        ...

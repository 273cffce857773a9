"""An outcome as somebody who looks for the reason reads it: dealings with the outside, and who did what when.

Everything is taken from the trace and the ledger, never from the source of a tool.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from eve_replay.workshop.model import Ask, Deed, Entry, Moment, Outcome
from eve_replay.workshop.outside.answers import plain

__all__ = ["Dealing", "Evidence"]

_NO_FACTS: Mapping[str, object] = {}


@dataclass(frozen=True, slots=True)
class Dealing:
    """One call to the outside and what the outside did about it.

    Attributes:
        index: of the call in the trace.
        did: what the outside did, by trace index and facts (its ``acted`` lines), in order.
        ended: trace index of the answer or timeout that the tool got; None when it got neither.
        timed_out: whether it got a timeout.
    """

    index: int
    call: Moment
    did: tuple[tuple[int, Mapping[str, object]], ...]
    ended: int | None
    timed_out: bool

    @property
    def cut(self) -> bool:
        """Whether the process died in it: the tool never saw an answer."""
        return self.call.fault is not None and self.call.fault.startswith("crash")

    def facts(self, *words: str) -> Mapping[str, object] | None:
        """Return the facts of the first thing that was done by one of these words."""
        return next((facts for _, facts in self.did if facts.get("did") in words), None)


class Evidence:
    """Reads one outcome."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome
        self.trace = outcome.trace

    @cached_property
    def dealings(self) -> tuple[Dealing, ...]:
        """All calls to the outside, in order."""
        calls: list[int] = []
        did: dict[int, list[tuple[int, Mapping[str, object]]]] = {}
        ended: dict[int, tuple[int, bool]] = {}
        landing = -1
        for index, moment in enumerate(self.trace):
            if moment.kind == "call":
                calls.append(index)
                did[index] = []
                landing = -1
            elif moment.kind == "landed":
                sent = moment.facts.get("sent")
                landing = sent if isinstance(sent, int) else -1
            elif moment.kind == "acted":
                late = landing >= 0 and moment.process == self.trace[landing].process
                owner = self._owner(moment.facts, calls, landing if late else -1)
                if owner is not None:
                    did[owner].append((index, moment.facts))
            elif moment.kind in ("answer", "timeout"):
                last = calls[-1] if calls else -1
                if moment.facts.get("late") or last < 0 or last in ended:
                    continue
                if (self.trace[last].service, self.trace[last].method) == (moment.service, moment.method):
                    ended[last] = (index, moment.kind == "timeout")
        return tuple(
            Dealing(
                index,
                self.trace[index],
                tuple(did[index]),
                ended[index][0] if index in ended else None,
                ended[index][1] if index in ended else False,
            )
            for index in calls
        )

    def _owner(self, facts: Mapping[str, object], calls: list[int], landing: int) -> int | None:
        """Which call an act of the outside belongs to: the sender's, when it landed late."""
        numbers = facts.get("entries")
        if isinstance(numbers, list) and numbers:
            entry = self.entry(numbers[0])
            return entry.moment if entry is not None and entry.moment in calls else None
        if landing >= 0 and self._names(landing, facts):
            return landing
        return next((index for index in reversed(calls) if self._names(index, facts)), None)

    def _names(self, index: int, facts: Mapping[str, object]) -> bool:
        call = self.trace[index]
        return (call.service, call.method) == (facts.get("service"), facts.get("method"))

    def entry(self, number: object) -> Entry | None:
        """Return a ledger entry by number."""
        return next((entry for entry in self.outcome.ledger if entry.number == number), None)

    def dealing_of(self, entry: Entry) -> Dealing | None:
        """Return the call that caused a ledger entry."""
        return next((each for each in self.dealings if each.index == entry.moment), None)

    def landed(self, entry: Entry) -> int:
        """Return the trace index at which the outside did what a ledger entry says, -1 when untold."""
        for index, moment in enumerate(self.trace):
            numbers = moment.facts.get("entries") if moment.kind == "acted" else None
            if isinstance(numbers, list) and entry.number in numbers:
                return index
        return -1

    @cached_property
    def workflow(self) -> bool:
        """Whether this is a workflow body: replayed from its start, its steps numbered by its log."""
        return any(moment.kind == "tool" and moment.facts.get("workflow") for moment in self.trace)

    @cached_property
    def _bodies(self) -> tuple[tuple[object, ...], ...]:
        bodies = []
        replay = 0
        for moment in self.trace:
            if moment.kind == "tool" and moment.facts.get("workflow"):
                replay += 1
            where = (moment.process, moment.attempt, moment.turn, moment.step, moment.position)
            bodies.append((*where, replay if moment.attempt == 0 else 0))
        return tuple(bodies)

    def body(self, index: int) -> tuple[object, ...]:
        """Return which execution of a tool (or of a workflow body) a moment of the trace belongs to."""
        return self._bodies[index]

    def before(self, index: int) -> Iterator[Dealing]:
        """Return the dealings of the same execution that came before a trace index, the last one first."""
        body = self.body(index)
        for each in reversed(self.dealings):
            if each.index < index and self.body(each.index) == body:
                yield each

    def places(self, deed: Deed | None) -> frozenset[tuple[int, int, int]]:
        """Return where in the conversation a deed is asked for: turn, answer, position.

        Nowhere for a workflow: its places are those of its own log.
        """
        if self.workflow:
            return frozenset()
        return frozenset(
            (number, answer, position)
            for number, turn in enumerate(self.outcome.case.turns)
            for answer, asks in enumerate(turn.answers)
            for position, ask in enumerate(asks)
            if deed is not None and deed in ask.deeds
        )

    def _tools(self, deed: Deed | None) -> list[tuple[int, Moment]]:
        """The tool calls by which a deed was asked for: those with the input of its asks."""
        case = self.outcome.case
        asks = [
            ask
            for turn in case.turns
            for answer in (*turn.answers, *turn.other.values())
            for ask in answer
            if deed is not None and deed in ask.deeds
        ]
        return [
            (index, moment)
            for index, moment in enumerate(self.trace)
            if moment.kind == "tool" and any(_asked(moment, ask) for ask in asks)
        ]

    def about(self, deed: Deed | None) -> tuple[Dealing, ...]:
        """Return the dealings of the calls that a deed is asked by; all of them when none can be told."""
        if self.workflow:
            return self.dealings
        bodies = {self.body(index) for index, _ in self._tools(deed)}
        return tuple(each for each in self.dealings if self.body(each.index) in bodies) or self.dealings

    def executions(self, deed: Deed | None) -> list[list[Dealing]]:
        """Return the dealings about a deed by execution, in order."""
        bodies: dict[tuple[object, ...], list[Dealing]] = {}
        for each in self.about(deed):
            bodies.setdefault(self.body(each.index), []).append(each)
        return list(bodies.values())

    def result(self, deed: Deed | None) -> object:
        """Return what the tool that was asked for a deed returned in the end, None when nothing is known."""
        tools = self._tools(deed)
        if self.workflow:
            return self.outcome.results.get((0, 0, 0))
        if tools:
            last = tools[-1][1]
            return self.outcome.results.get((last.turn, last.step, last.position))
        places = self.places(deed)
        return next((value for place, value in sorted(self.outcome.results.items()) if place in places), None)

    def thrown(self, deed: Deed | None) -> str:
        """Return the last exception text of the tool that was asked for a deed, empty without one."""
        bodies = {self.body(index) for index, _ in self._tools(deed)}
        for index in range(len(self.trace) - 1, -1, -1):
            if self.trace[index].kind == "threw" and (self.workflow or self.body(index) in bodies):
                return str(self.trace[index].facts.get("error", ""))
        return ""


def _asked(moment: Moment, ask: Ask) -> bool:
    given = moment.facts.get("input")
    return moment.tool == ask.tool and isinstance(given, Mapping) and given == plain(dict(ask.input))

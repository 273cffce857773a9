"""Which recorded calls are the same call: a layer of its own, because everything about effects trusts it.

The model gives a call its id, and promises nothing about it: ids may be minted anew in every attempt, may
restart in every response (``call_0``), may be made of the tool's name. So an id never decides between two
requests. In order of trust:

1. **tool**: calls of two tools are two calls, whatever their ids and places say;
2. **place**: a re-run repeats turn and model step (docs/evidence/identity.md#same-call). Two requests of one
   body are two calls; requests of two bodies are the same call when they lie in the same model step and
3. **input** is equal: first at the same position, then anywhere in that answer. The same tool at the same
   place with another input is another act: both may have happened;
4. a call that only a lost body asked for (one that was re-run) is also the same as one that the surviving
   line asks for later in the same turn with equal input: its history never heard of the first;
5. **id** joins only what says so itself: a *result* belongs to the request with its id, in its model step,
   else to the last one so named that was held (before eve 0.50 also in an earlier turn).

Permuting, repeating or exchanging the ids of requests therefore changes no count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from eve_replay.journal.model import Attempt, Coordinate, Session, Step, ToolCall
from eve_replay.values import same

__all__ = ["Identity", "Sighting", "committing", "continues", "identities", "pair_sightings", "sightings_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """One call as one body shows it.

    Attributes:
        step, attempt, call: where it was seen.
        turn_id: the turn the call belongs to (an approved call may run in a step of a later one).
        lost: the body was not the one that committed, and the step was started again: the conversation that
            goes on knows nothing of it.
    """

    step: Step
    attempt: Attempt
    call: ToolCall
    turn_id: str | None
    lost: bool

    @property
    def body(self) -> tuple[str, int]:
        """Step and attempt: what one body asks for twice are two calls."""
        return (self.step.step_id, self.attempt.n)


@dataclass(slots=True, kw_only=True)
class Identity:
    """One call, and everywhere it was seen.

    Attributes:
        tool, turn_id: of its first sighting.
        coordinate, position, input: its place and what it was asked with, as first known.
        call_ids: all ids it had, in order.
        sightings: in log order.
        displaced_by: calls that a re-run asked for where it should have asked for this one.
        displaced: a re-run of its step has its model's whole answer, and this call is not in it.
    """

    tool: str
    turn_id: str | None
    coordinate: Coordinate | None = None
    position: int | None = None
    input: object = None
    call_ids: list[str] = field(default_factory=list)
    sightings: list[Sighting] = field(default_factory=list)
    displaced: bool = False
    displaced_by: list[Identity] = field(default_factory=list)

    def add(self, seen: Sighting) -> None:
        """Take one more sighting of the same call."""
        call = seen.call
        if call.call_id not in self.call_ids:
            self.call_ids.append(call.call_id)
        if self.coordinate is None or (self.position is None and call.position is not None):
            self.coordinate, self.position = call.coordinate, call.position
        if self.input is None:
            self.input = call.input
        self.sightings.append(seen)

    def seen_in(self, body: tuple[str, int]) -> bool:
        """Whether one body shows it."""
        return any(seen.body == body for seen in self.sightings)

    @property
    def lost(self) -> bool:
        """Whether only bodies that were re-run asked for it."""
        return all(seen.lost for seen in self.sightings)


def committing(step: Step, attempt: Attempt) -> bool:
    """Whether the log's end of the step is the end of this attempt."""
    return step.end_event is not None and attempt.end_event is step.end_event


def continues(call: ToolCall) -> bool:
    """Whether this entry is only the answer to a request that another body (or another event) made."""
    return call.requested_at is None and (call.returned_at is not None or call.began == "observed")


def sightings_of(session: Session) -> Iterator[Sighting]:
    """Yield every tool call of the session as every body shows it, in log order."""
    for step in session.steps:
        if step.kind == "function":
            continue
        for attempt in step.attempts:
            lost = attempt is not step.attempts[-1] and not committing(step, attempt)
            if step.end_event is not None and not committing(step, attempt):
                lost = True
            for call in attempt.tool_calls:
                turn = call.coordinate.turn_id if call.coordinate is not None else step.turn_id
                gone = lost if call.ran is None else call.ran.lost
                yield Sighting(step=step, attempt=attempt, call=call, turn_id=turn, lost=gone)


def identities(sightings: Iterable[Sighting]) -> list[Identity]:
    """Join sightings, given in log order, to calls."""
    found: list[Identity] = []
    for _, body in groupby(sightings, key=lambda seen: seen.body):
        _take_body(found, list(body))
    _displace(found)
    return found


def _take_body(found: list[Identity], body: list[Sighting]) -> None:
    """Join what one body shows. What fits exactly chooses first, so that order decides little."""
    homes: dict[int, Identity] = {}
    taken: set[int] = set()
    asked = [(i, seen) for i, seen in enumerate(body) if not continues(seen.call)]
    for rule in (_same_place, _same_answer, _unknown_input, _later_in_turn):
        for index, seen in asked:
            if index in homes:
                continue
            home = _choose(found, seen, taken, rule)
            if home is not None:
                homes[index] = home
                taken.add(id(home))
    for index, seen in enumerate(body):
        home = homes.get(index)
        if home is None and continues(seen.call):
            home = _asked_for(found, seen)
        if home is None:
            home = Identity(tool=seen.call.name, turn_id=seen.turn_id)
            found.append(home)
        home.add(seen)


_Rule = Callable[[Identity, ToolCall], bool]


def _choose(found: Sequence[Identity], seen: Sighting, taken: set[int], rule: _Rule) -> Identity | None:
    for one in found:
        if id(one) in taken or one.tool != seen.call.name or one.turn_id != seen.turn_id:
            continue
        if not one.seen_in(seen.body) and rule(one, seen.call):
            return one
    return None


def _same_place(one: Identity, call: ToolCall) -> bool:
    return one.coordinate == call.coordinate and one.position == call.position and same(one.input, call.input)


def _same_answer(one: Identity, call: ToolCall) -> bool:
    return one.coordinate == call.coordinate and same(one.input, call.input)


def _unknown_input(one: Identity, call: ToolCall) -> bool:
    """A side without a recorded input can only be told by its place."""
    if one.input is not None and call.input is not None:
        return False
    return one.coordinate == call.coordinate and one.position == call.position


def _later_in_turn(one: Identity, call: ToolCall) -> bool:
    """The lost line asked for it, the surviving one asks elsewhere in the turn."""
    return one.coordinate is not None and one.lost and same(one.input, call.input)


def _asked_for(found: Sequence[Identity], seen: Sighting) -> Identity | None:
    """Return the request that a lone result answers: by its id, in its model step, else the last one held.

    A held call may return under the model step of the workflow step that runs it, not of the one that asked
    (recording two-approvals-one-answered), and before eve 0.50 in the next turn.
    """
    call = seen.call
    named = [o for o in found if call.call_id in o.call_ids and (o.tool == call.name or not call.name)]
    turn = [o for o in named if o.turn_id == seen.turn_id]
    here = [o for o in turn if o.coordinate == call.coordinate]
    held = [o for o in turn if any(s.call.deferred for s in o.sightings)]
    near = here or held or turn
    kept = [o for o in near if not o.lost] or near
    if kept:
        waiting = [o for o in kept if not any(s.body == seen.body and s.call.returned for s in o.sightings)]
        return (waiting or kept)[-1]
    return next((o for o in named if all(s.call.deferred for s in o.sightings)), None)


def _displace(found: Sequence[Identity]) -> None:
    """Mark calls of lost bodies that the re-run's model did not ask for again."""
    by_step: dict[str, list[Identity]] = {}
    for one in found:
        for step_id in {seen.step.step_id for seen in one.sightings if not continues(seen.call)}:
            by_step.setdefault(step_id, []).append(one)
    for one in found:
        asking = [seen for seen in one.sightings if not continues(seen.call)]
        if not asking or not one.lost or one.coordinate is None:
            continue
        step, last = asking[-1].step, asking[-1].attempt.n
        for attempt in step.attempts:
            body = (step.step_id, attempt.n)
            if (attempt.n <= last and not committing(step, attempt)) or one.seen_in(body):
                continue
            if not _answered(attempt, one.coordinate):
                continue
            one.displaced = True
            instead = [
                other
                for other in by_step.get(step.step_id, ())
                if other is not one
                and any(
                    s.body == body and s.call.coordinate == one.coordinate and not continues(s.call)
                    for s in other.sightings
                )
                and (other.position == one.position or other.tool == one.tool)
                and not any(s.body == asking[-1].body for s in other.sightings)
            ]
            one.displaced_by += [other for other in instead if other not in one.displaced_by]


def _answered(attempt: Attempt, place: Coordinate) -> bool:
    """Whether the model's whole answer at a place is on record in this attempt."""
    return any(
        event.type == "step.completed" and event.coordinate == place for event in attempt.stream_events
    )


def pair_sightings(first: Sequence[ToolCall], second: Sequence[ToolCall]) -> list[tuple[int, int]]:
    """Pair the calls of two attempts of one step by the same rule, as indexes into both.

    What is left over is set side by side where one tool was asked for something else at the same place: to be
    compared, not to be counted as one.
    """
    pairs: list[tuple[int, int]] = []
    for rule in (_at_place, _in_answer, _elsewhere, _instead):
        left = {i for i, _ in pairs}
        for i, one in enumerate(first):
            if i in left:
                continue
            free = (j for j in range(len(second)) if all(j != known for _, known in pairs))
            j = next((j for j in free if one.name == second[j].name and rule(one, second[j])), None)
            if j is not None:
                pairs.append((i, j))
    return sorted(pairs)


def _at_place(one: ToolCall, two: ToolCall) -> bool:
    if one.coordinate != two.coordinate or one.position != two.position:
        return False
    alone = one.position is None and one.call_id == two.call_id  # two lone results of one request
    return alone or same(one.input, two.input) or one.input is None or two.input is None


def _in_answer(one: ToolCall, two: ToolCall) -> bool:
    return one.coordinate == two.coordinate and same(one.input, two.input)


def _elsewhere(one: ToolCall, two: ToolCall) -> bool:
    return same(one.input, two.input)


def _instead(one: ToolCall, two: ToolCall) -> bool:
    return one.coordinate == two.coordinate and one.position == two.position

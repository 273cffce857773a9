"""The session stream, and which attempt emitted which event.

An event belongs to the attempt whose window holds ``meta.at``; its coordinates must agree with that step.
Both are needed: windows alone are wrong where two bodies overlap or two clocks differ, coordinates alone
cannot tell attempts apart because a re-run repeats them (docs/evidence/observed.md#no-commit-on-the-stream,
#said-again, #held). Where the two disagree the coordinates win and a Problem says so. Nothing is concluded
from absence: effects run ahead of the stream (docs/evidence/sweep.md#stream).
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from eve_replay.ids import ulid_time
from eve_replay.journal.frameworks.workflow.bodies import split_bodies
from eve_replay.journal.frameworks.workflow.late import gather_late
from eve_replay.journal.frameworks.workflow.steps import AttemptDraft, StepDraft
from eve_replay.journal.model import Coordinate, StreamEvent
from eve_replay.problems import Problem
from eve_replay.times import later, parse_time

__all__ = ["join_stream", "model_coordinate", "stream_event", "turn_of"]

#: Clocks of the emitter and of the world may differ, and stored times run up to 80 ms backwards
#: (docs/evidence/observed.md#order).
_SLACK = timedelta(milliseconds=250)
#: Relayed by runtime steps for work that goes on elsewhere, also while a turn step runs.
_RELAYED = frozenset({"task.started", "task.settled", "agent.started"})
#: Types that name the turn to come or no turn, although no model step is meant.
_CONTROL = frozenset({"context.cleared", "compaction.requested", "compaction.completed"})
#: What may be said about a model step by a later workflow step than the one that began it.
_AFTERWARDS = frozenset(
    {
        "action.result", "action.partial", "input.requested", "input.resolved", "approval.candidate",
        "approval.settled", "authorization.required", "authorization.completed",
    }
)  # fmt: skip
#: How far from its window an event may lie and still be moved there by its coordinates.
_NEAR = timedelta(seconds=5)


def stream_event(position: int, stream: str, chunk_id: str, raw: Mapping[str, object]) -> StreamEvent:
    """Take one decoded event of the session stream apart; missing or odd fields become None."""
    meta, data = _mapping(raw.get("meta")), _mapping(raw.get("data"))
    ids = meta.get("deliveryIds")
    meta_id, kind = meta.get("id"), raw.get("type")
    return StreamEvent(
        chunk_id=chunk_id,
        position=position,
        stream=stream,
        type=kind if isinstance(kind, str) else "",
        meta_id=meta_id if isinstance(meta_id, str) else None,
        at=parse_time(meta.get("at")),
        stored_at=ulid_time(chunk_id),
        turn_id=_text(data.get("turnId")) or None,  # eve 0.37 writes "" between turns
        step_index=_number(data.get("stepIndex")),
        sequence=_number(data.get("sequence")),
        delivery_ids=tuple(i for i in ids if isinstance(i, str)) if isinstance(ids, list) else (),
        data=data,
    )


def turn_of(event: StreamEvent) -> str | None:
    """Return the turn an event is about; controls between turns name the turn to come, so not theirs."""
    return None if event.type in _CONTROL else event.turn_id


def model_coordinate(event: StreamEvent) -> Coordinate | None:
    """Return the model step an event is about, None for controls and turn-wide events."""
    return None if event.type in _CONTROL else event.coordinate


def join_stream(steps: Sequence[StepDraft], events: Sequence[StreamEvent]) -> list[StreamEvent]:
    """Put every event into the attempt that emitted it; return those that no attempt can have emitted.

    Args:
        steps: drafts of all runs that may write to this stream; only eve's own steps do.
        events: the whole stream, in stored order.
    """
    writers = [step for step in steps if step.kind != "function"]
    turns = _Windows(a for step in writers if step.kind == "turn" for a in step.attempts)
    others = _Windows(a for step in writers if step.kind == "runtime" for a in step.attempts)
    left = []
    for event in events:
        attempt = _by_window(event, turns, others)
        if attempt is None:
            left.append(event)
        else:
            attempt.stream.append(event)
    left = _by_coordinates(writers, gather_late(writers, left))
    _settle_claims([step for step in writers if step.kind == "turn"])
    for step in writers:
        if step.kind == "turn":
            split_bodies(step)
            _check(step)
    for attempt in (*turns.attempts, *others.attempts):
        attempt.stream.sort(key=lambda e: e.position)
        if attempt.stream and attempt.body != "ran":
            first = attempt.stream[0]
            if attempt.body == "did not run":
                attempt.problems.append(
                    Problem(
                        severity="warning",
                        code="events-of-a-refused-start",
                        where=first.chunk_id,
                        message="Stream events fall into the window of a start that was refused.",
                    )
                )
                continue
            attempt.body, attempt.body_certainty = "ran", "observed"
            attempt.body_why = f"it emitted {first.type}"
    return left


class _Windows:
    """Attempts by window, to find the one that holds an instant without walking all of them."""

    def __init__(self, attempts: Iterable[AttemptDraft]) -> None:
        timed = [(a.started_at, a) for a in attempts if a.started_at is not None]
        timed.sort(key=lambda pair: (pair[0], pair[1].step.order, pair[1].n))
        self.attempts = [attempt for _, attempt in timed]
        self._open = [(start, a) for start, a in timed if a.window_end is None]
        self._closed = [(start, end, a) for start, a in timed if (end := a.window_end) is not None]
        self._starts = [start for start, _, _ in self._closed]
        self._reach: list[datetime] = []  # the latest end up to here: nothing earlier reaches further
        for _, end, _ in self._closed:
            self._reach.append(max(end, self._reach[-1]) if self._reach else end)

    def holding(self, at: datetime, slack: timedelta = timedelta(0)) -> Iterator[AttemptDraft]:
        """Yield the attempts whose window holds ``at``: closed ones first, latest start first.

        An open window reaches to the end of time, so a closed one that holds the instant is nearer.
        """
        after, before = later(at, slack), later(at, -slack)
        for index in range(bisect_right(self._starts, after) - 1, -1, -1):
            if self._reach[index] < before:
                break
            _, end, attempt = self._closed[index]
            if before <= end:
                yield attempt
        for start, attempt in reversed(self._open):
            if start <= after:
                yield attempt


def _by_window(event: StreamEvent, turns: _Windows, others: _Windows) -> AttemptDraft | None:
    at = event.at or event.stored_at
    if at is None:
        return None
    order = (others, turns) if event.type in _RELAYED else (turns, others)
    for windows in order:
        for attempt in windows.holding(at):
            return attempt
    for windows in order:
        for attempt in windows.holding(at, _SLACK):
            if _fits(attempt, event):
                return attempt
    return None


def _fits(attempt: AttemptDraft, event: StreamEvent) -> bool:
    """Whether an event just outside a window has coordinates this step already has."""
    coordinate = model_coordinate(event)
    if coordinate is None:
        turn = turn_of(event)
        return turn is None or any(turn_of(e) == turn for a in attempt.step.attempts for e in a.stream)
    return coordinate in _coordinates(attempt.step)


def _coordinates(step: StepDraft) -> set[Coordinate]:
    found = (model_coordinate(event) for attempt in step.attempts for event in attempt.stream)
    return {coordinate for coordinate in found if coordinate is not None}


def _by_coordinates(steps: Sequence[StepDraft], events: list[StreamEvent]) -> list[StreamEvent]:
    """Place events outside every window where exactly one turn step has their coordinates."""
    if not events:
        return events
    owners: dict[Coordinate, list[StepDraft]] = defaultdict(list)
    for step in steps:
        if step.kind == "turn":
            for known in _coordinates(step):
                owners[known].append(step)
    left = []
    for event in events:
        coordinate = model_coordinate(event)
        found = owners.get(coordinate, []) if coordinate is not None else []
        if len(found) != 1 or not found[0].attempts:
            left.append(event)
            continue
        attempt = found[0].attempts[-1]
        attempt.stream.append(event)
        attempt.problems.append(
            Problem(
                severity="info",
                code="outside-every-window",
                where=event.chunk_id,
                message=f"{event.type} was made outside the window of every start; "
                "it is placed by its turn and step index.",
            )
        )
    return left


def _settle_claims(steps: Sequence[StepDraft]) -> None:
    """Where two steps hold the same model step, give it to the one that holds more of it.

    One model step is begun in one workflow step; only its results may come in a later one
    (docs/evidence/observed.md#held). Events close to the owner's window move there, others stay and are
    reported.
    """
    counts: dict[Coordinate, Counter[int]] = defaultdict(Counter)
    for index, step in enumerate(steps):
        for attempt in step.attempts:
            for event in attempt.stream:
                coordinate = model_coordinate(event)
                if coordinate is not None and event.type not in _AFTERWARDS:
                    counts[coordinate][index] += 1
    for coordinate, claims in counts.items():
        if len(claims) < 2:
            continue
        owner = max(claims, key=lambda i: (claims[i], i))
        for index in claims:
            if index != owner:
                _hand_over(steps[index], steps[owner], coordinate)


def _hand_over(step: StepDraft, owner: StepDraft, coordinate: Coordinate) -> None:
    for attempt in step.attempts:
        for event in list(attempt.stream):
            if model_coordinate(event) != coordinate or event.type in _AFTERWARDS:
                continue
            at = event.at or event.stored_at
            near = [
                a
                for a in owner.attempts
                if at is not None
                and a.started_at is not None
                and a.started_at - _NEAR <= at
                and (a.window_end is None or at <= a.window_end + _NEAR)
            ]
            if near:
                attempt.stream.remove(event)
                near[0 if attempt.step.order < owner.order else -1].stream.append(event)
            step.problem(
                "info" if near else "warning",
                "window-against-coordinates",
                event.chunk_id,
                f"{event.type} of {coordinate.turn_id} step {coordinate.step_index} falls into the window "
                f"of {step.step_id}, the rest of that model step into {owner.step_id}.",
                "It is counted where its coordinates are." if near else "Windows and coordinates disagree.",
            )


def _check(step: StepDraft) -> None:
    """Note where windows and coordinates disagree: the attempts of one step begin at the same place."""
    firsts = []
    for attempt in step.attempts:
        found = [c for event in attempt.stream if (c := model_coordinate(event)) is not None]
        if found:
            firsts.append((attempt, min(found)))
        turns = {c.turn_id for c in found}
        if len(turns) > 1:
            step.problem(
                "warning",
                "window-of-two-turns",
                attempt.stream[0].chunk_id,
                f"The window of attempt {attempt.n} holds events of {', '.join(sorted(turns))}.",
                "Windows and coordinates disagree here: trust the coordinates.",
            )
    for attempt, first in firsts[1:]:
        if first != firsts[0][1]:
            step.problem(
                "warning",
                "attempts-begin-elsewhere",
                attempt.stream[0].chunk_id,
                f"Attempt {attempt.n} begins at {first.turn_id} step {first.step_index}, attempt "
                f"{firsts[0][0].n} at {firsts[0][1].turn_id} step {firsts[0][1].step_index}.",
                "A re-run repeats its coordinates, so one of the two holds events that are not its own.",
            )


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None

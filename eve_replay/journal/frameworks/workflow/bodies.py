"""Bodies of one step: which of its starts emitted what, which of them committed, and which worked at once.

A start is an intention, a body is what happened. Windows of time tell bodies apart only where one process
has died before the next began. Two processes on one store (a rolling deploy, a lease shorter than a tool)
work on a step at the same time; then evidence decides (docs/evidence/identity.md#two-processes), in order:

* a body says each thing once, and in order: a model step ends after it began, a result comes after its
  request, and nobody returns a call that he has not asked for;
* an ``attr_set`` of the log names the attempt that wrote it. A body writes it just before it commits: the
  last one before the end of the step is that of the body that committed, and one after the end, or after a
  later start, shows that this body was still at work;
* the body that committed had all its results before the commit; what is said after it comes from another;
* else the newer body: the older one is taken for dead, which is what a crash looks like.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from eve_replay.journal.frameworks.workflow.late import (
    AFTERWARDS,
    OF_CALL,
    Said,
    call_ids,
    events_of,
    place_of,
    said_once,
    time_of,
)
from eve_replay.journal.frameworks.workflow.steps import AttemptDraft, StepDraft, event_evidence
from eve_replay.journal.model import Coordinate, StreamEvent

__all__ = ["split_bodies"]

#: Clocks of the emitter and of the world may differ, and stored times run up to 80 ms backwards
#: (docs/evidence/observed.md#order).
_SLACK = timedelta(milliseconds=250)
#: What may open a body.
_OPENERS = frozenset({"session.started", "turn.started", "message.received", "step.started"})


@dataclass(slots=True)
class _Body:
    """What one start has said so far."""

    attempt: AttemptDraft
    said: set[Said] = field(default_factory=set)
    asked: set[str] = field(default_factory=set)
    begun: set[Coordinate] = field(default_factory=set)
    ended: set[Coordinate] = field(default_factory=set)
    events: list[StreamEvent] = field(default_factory=list)

    def take(self, event: StreamEvent) -> None:
        self.events.append(event)
        if (key := said_once(event)) is not None:
            self.said.add(key)
        if event.type == "actions.requested":
            self.asked.update(call_ids(event))
        place = place_of(event)
        if place is None:
            return
        if event.type == "step.started":
            self.begun.add(place)
        elif event.type in ("step.completed", "step.failed"):
            self.ended.add(place)


def split_bodies(step: StepDraft) -> None:
    """Give every event of a step to the body that said it, and the end to the body that committed.

    Steps of one start keep their events; what one body says once and is there twice is counted as two bodies.
    """
    if len(step.attempts) > 1:
        _Splitter(step).run()
    for attempt in step.attempts:
        counts: dict[Said, int] = {}
        for event in attempt.stream:
            if (key := said_once(event)) is not None and event.type != "step.started":
                counts[key] = counts.get(key, 0) + 1
        most = max(counts.values(), default=0)
        if most > 1:
            attempt.bodies = most
            step.problem(
                "warning",
                "more-bodies-than-starts",
                attempt.stream[0].chunk_id,
                f"Attempt {attempt.n} says {most} times what one body says once: "
                "the body ran more often than the log has starts.",
            )


class _Splitter:
    """Reads the events of one step in stored order and gives each to one of its bodies."""

    def __init__(self, step: StepDraft) -> None:
        self.step = step
        self.events = events_of(step)
        self.bodies = [_Body(attempt) for attempt in step.attempts]
        self.windows = {e.position: a for a in step.attempts for e in a.stream}
        self.asked = {call for e in self.events if e.type == "actions.requested" for call in call_ids(e)}
        places = [p for e in self.events if e.type == "step.started" and (p := place_of(e)) is not None]
        self.order = sorted(set(places))
        self.ends = {p for e in self.events if e.type == "step.completed" and (p := place_of(e)) is not None}
        self.committer, self.proof = self._writer()
        self.guessed: set[int] = set()
        self.end = step.end.created_at if step.end is not None else None

    def run(self) -> None:
        for event in self.events:
            self._choose(event).take(event)
        for body in self.bodies:
            body.attempt.stream = body.events
        self._overlaps()
        self._commit()

    def _writer(self) -> tuple[_Body | None, str]:
        """Return the body that committed, by the last attribute it wrote before the end of the step."""
        if self.step.end is None or self.step.end_order is None:
            return None, ""
        before = [(order, n) for n, _, order in self.step.writes if order < self.step.end_order]
        if not before:
            return None, ""
        number = max(before)[1]
        found = next((body for body in self.bodies if body.attempt.n == number), None)
        return found, f"attempt {number} wrote the run's attributes just before the step ended"

    def _choose(self, event: StreamEvent) -> _Body:
        at = time_of(event)
        begun = [body for body in self.bodies if _began(body.attempt, at)] or self.bodies[:1]
        newest = begun[-1]
        key = said_once(event)
        able = [body for body in begun if (key is None or key not in body.said) and self._may(body, event)]
        if not able:
            return self._by_window(event, begun)
        if newest in able and not newest.events and event.type in _OPENERS:
            return newest
        shown = [body for body in able if body.events] or able
        if len(shown) == 1:
            return shown[0]
        return self._between(event, key, shown)

    def _between(self, event: StreamEvent, key: Said | None, able: list[_Body]) -> _Body:
        """Decide between bodies that could all have said it."""
        at, end = time_of(event), self.end
        if self.committer is not None and end is not None and at is not None:
            if at > end + _SLACK:
                able = [body for body in able if body is not self.committer] or able
            elif self.committer in able and not self._again(event, key, end):
                return self.committer
        if len(able) > 1 and key is not None:
            limit = self._next_start(able[-1].attempt)
            if 1 + self._count(event, key, limit) >= len(able):
                self.guessed.add(able[0].attempt.n)
                self.guessed.add(able[-1].attempt.n)
                return able[0]
        return able[-1]

    def _again(self, event: StreamEvent, key: Said | None, end: datetime) -> bool:
        return key is not None and self._count(event, key, end) > 0

    def _count(self, event: StreamEvent, key: Said, limit: datetime | None) -> int:
        """How often the same is said later, up to a time."""
        return sum(
            1
            for other in self.events
            if other.position > event.position
            and said_once(other) == key
            and (limit is None or (at := time_of(other)) is None or at <= limit)
        )

    def _next_start(self, attempt: AttemptDraft) -> datetime | None:
        later = [a.started_at for a in self.step.attempts if a.n > attempt.n and a.started_at is not None]
        return min(later, default=None)

    def _by_window(self, event: StreamEvent, begun: Sequence[_Body]) -> _Body:
        window = self.windows.get(event.position)
        inside = next((body for body in begun if body.attempt is window), None)
        return inside or begun[-1]

    def _may(self, body: _Body, event: StreamEvent) -> bool:
        """Whether what a body has said so far lets it say this."""
        if event.type in OF_CALL:
            return all(call in body.asked for call in call_ids(event) if call in self.asked)
        place = place_of(event)
        if place is None or event.type in AFTERWARDS or place not in self.order:
            return True
        if event.type == "step.started":
            earlier = [p for p in self.order if p < place]
            return not earlier or earlier[-1] not in self.ends or earlier[-1] in body.ended
        return place in body.begun and place not in body.ended

    def _overlaps(self) -> None:
        for index, older in enumerate(self.bodies):
            for newer in self.bodies[index + 1 :]:
                sign = self._sign_after(older, newer)
                if sign is None:
                    continue
                where, what = sign
                older.attempt.overlaps.add(newer.attempt.n)
                newer.attempt.overlaps.add(older.attempt.n)
                for body in (older, newer):
                    if body.attempt.n in self.guessed:
                        body.attempt.certainty = "implied"
                self.step.problem(
                    "warning",
                    "overlapping-attempts",
                    where,
                    f"Attempts {older.attempt.n} and {newer.attempt.n} ran at the same time: {what} "
                    f"after attempt {newer.attempt.n} had begun.",
                )

    def _sign_after(self, older: _Body, newer: _Body) -> tuple[str, str] | None:
        """Return what shows that the older body was at work after the newer one had begun."""
        start = newer.attempt.started_at
        first = next((at for event in newer.events if (at := time_of(event)) is not None), None)
        for n, written, _ in self.step.writes:
            wrote = written.created_at
            if n == older.attempt.n and start is not None and wrote is not None and wrote > start:
                return written.event_id, f"attempt {n} wrote attributes"
        for event in older.events:
            at = time_of(event)
            if at is None or start is None or at <= start + _SLACK:
                continue
            if first is None or at >= first:
                return event.chunk_id, f"attempt {older.attempt.n} said {event.type}"
        return None

    def _commit(self) -> None:
        """Give the end to the body that committed; a body that worked beside it was refused."""
        draft, end = self.step, self.step.end
        if end is None:
            for body in self.bodies:
                if body.attempt.overlaps and body.attempt.outcome == "interrupted":
                    body.attempt.outcome = "running"
            return
        holder = next((body for body in self.bodies if body.attempt.end is end), None)
        committer = self.committer or self._by_signs(holder)
        if committer is not None and holder is not None and committer is not holder:
            one, other = committer.attempt, holder.attempt
            one.end, one.ended_at, one.outcome = end, other.ended_at, other.outcome
            one.error, other.error = other.error, None
            one.certainty = "observed" if self.proof else "implied"
            one.window_end = end.created_at
            one.evidence.append(event_evidence(end, self.proof or "its body is the one that ended before it"))
            one.body, one.body_certainty, one.body_why = "ran", "observed", "its result is recorded"
            other.end, other.ended_at = None, None
            other.evidence = [item for item in other.evidence if item.id != end.event_id]
            self._refuse(holder)
        for body in self.bodies:
            attempt = body.attempt
            if attempt.end is None and attempt.overlaps and attempt.outcome == "interrupted":
                self._refuse(body)
        if draft.late or any(body.attempt.outcome == "refused" for body in self.bodies):
            self._said_late(self.end)

    def _by_signs(self, holder: _Body | None) -> _Body | None:
        """Without written attributes: the only body that had ended before the step did, and said no more."""
        end = self.end
        if end is None or holder is None or not holder.events:
            return holder
        done = [
            body
            for body in self.bodies
            if body.events
            and self.order
            and self.order[-1] in body.ended
            and not any((at := time_of(e)) is not None and at > end + _SLACK for e in body.events)
        ]
        return holder if not done or holder in done else done[-1] if len(done) == 1 else holder

    def _refuse(self, body: _Body) -> None:
        attempt = body.attempt
        attempt.outcome, attempt.certainty = "refused", "implied"
        signs = [at for event in body.events if (at := time_of(event)) is not None]
        signs += [at for n, w, _ in self.step.writes if n == attempt.n and (at := w.created_at) is not None]
        attempt.window_end = max(signs, default=attempt.window_end)
        if attempt.body == "unknown" and (body.events or signs):
            attempt.body, attempt.body_certainty, attempt.body_why = "ran", "observed", "it said something"

    def _said_late(self, end: datetime | None) -> None:
        if end is None:
            return
        for body in self.bodies:
            late = [e for e in body.events if (at := time_of(e)) is not None and at > end + _SLACK]
            if late and body.attempt.end is None:
                self.step.problem(
                    "warning",
                    "events-after-the-end",
                    late[0].chunk_id,
                    f"Attempt {body.attempt.n} said {_listed(late)} after the step had ended: another body "
                    "was still at work, and what it did stays done.",
                )


def _listed(events: Iterable[StreamEvent]) -> str:
    return ", ".join(dict.fromkeys(event.type for event in events))


def _began(attempt: AttemptDraft, at: datetime | None) -> bool:
    return at is None or attempt.started_at is None or attempt.started_at <= at + _SLACK

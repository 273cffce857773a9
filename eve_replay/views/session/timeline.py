"""The timeline of a session or turn: a row per step, its phases as bars, calls in lanes, commits as marks.

Times are milliseconds from ``origin``. A person's wait of three days beside 40 ms of work needs two scales:
``knots`` give a second one in which long quiet stretches are squeezed (``Timeline.place``).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from eve_replay.journal import Attempt, Park, Session, Step, Turn
from eve_replay.views.kit.base import View, attempt_key, call_key, event_key, step_key
from eve_replay.views.kit.safe import safe_text
from eve_replay.views.kit.scale import Knot, Minimap, Tick, knots_for, minimap_of, place_on, ticks_for
from eve_replay.views.kit.tone import Tone
from eve_replay.views.kit.words import duration, word_for
from eve_replay.views.session.calls import call_status, model_key, park_key
from eve_replay.views.session.effect_marks import EffectMarks
from eve_replay.views.session.focus import does
from eve_replay.views.session.outside import Act, acts_said
from eve_replay.views.session.silence import Silence

__all__ = ["Bar", "Mark", "Phase", "Timeline", "TimelineRow", "timeline"]

#: ``dead``: between the last sign of an interrupted attempt and the next start (the lease, mostly).
Phase = Literal["queued", "attempt", "dead", "retry-wait", "parked", "replayed", "model", "tool"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar(View):
    """A stretch of time in a row.

    Attributes:
        key: what it stands for (attempt, call, park ...), for selection.
        phase: see :data:`Phase`.
        start, end: milliseconds from the origin; ``open`` when the end is only the last thing known.
        lane: 0 for the phases of the step; model and tool calls lie in lanes from 1, siblings that overlap in
            different ones.
        label: a few words; ``detail`` one sentence.
        tone: its tone.
    """

    key: str
    phase: Phase
    start: float
    end: float
    lane: int = 0
    open: bool = False
    label: str = ""
    detail: str = ""
    tone: Tone = "plain"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark(View):
    """A moment in a row.

    ``start`` of an attempt, ``commit``, ``error`` (a recorded failure), ``release``; ``lease`` where an
    assumed lease ends, ``now``; ``act`` of a ledger, ``act-alone`` one without a call.
    """

    key: str
    kind: Literal["start", "commit", "error", "release", "lease", "now", "act", "act-alone"]
    at: float
    label: str
    tone: Tone = "plain"


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineRow(View):
    """One step (or one wait that belongs to no step).

    Attributes:
        key: its key.
        turn: key of its turn, empty outside turns.
        label: the function's name; ``detail`` status and action.
        name: what tells it apart: the tools it called, else its function; empty for what is no step.
        lanes: how many lanes it needs, at least 1.
        bars, marks: what is in it, by time.
        tone: of the step's status.
    """

    key: str
    turn: str
    label: str
    detail: str
    bars: tuple[Bar, ...]
    marks: tuple[Mark, ...]
    lanes: int = 1
    tone: Tone = "plain"
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline(View):
    """Rows over a common time axis.

    Attributes:
        origin: the instant of 0 ms, None when nothing has a time.
        length: milliseconds to the last thing known.
        rows: steps in log order.
        knots: the squeezed scale, pairs of milliseconds and share of the width from 0 to 1.
        quiet: the stretches that the squeezed scale shortens, in milliseconds.
        minimap: the whole at a glance.
    """

    origin: datetime | None
    length: float
    rows: tuple[TimelineRow, ...]
    knots: tuple[Knot, ...]
    quiet: tuple[tuple[float, float], ...]
    minimap: Minimap

    @classmethod
    def nothing(cls) -> Timeline:
        """Return the timeline of nothing."""
        empty = Minimap(buckets=(), length=0.0)
        return cls(origin=None, length=0.0, rows=(), knots=(), quiet=(), minimap=empty)

    def place(self, at: float, *, squeezed: bool = True) -> float:
        """Return where a moment lies, 0 to 1, on the squeezed or the true scale."""
        if not squeezed:
            return min(max(at / self.length, 0.0), 1.0) if self.length else 0.0
        return place_on(self.knots, at)

    def ticks(self, *, start: float = 0.0, end: float | None = None, count: int = 8) -> tuple[Tick, ...]:
        """Return about ``count`` ticks of the true scale between two moments, labels all different."""
        return ticks_for(start, self.length if end is None else end, count)


def timeline(
    session: Session,
    turn: Turn | None = None,
    *,
    marks: EffectMarks | None = None,
    beside: bool = True,
    silence: Silence | None = None,
    acts: Sequence[Act] = (),
) -> Timeline:
    """Return the timeline of a session, or of one of its turns. Decodes no payload.

    Args:
        session: the joined session.
        turn: only this turn.
        marks: which calls are effects that ran twice, for their tones.
        beside: show steps beside the turns and steps of child runs too (sessions only).
        silence: what follows: a row of its own, up to now and to the end of the lease.
        acts: what a ledger says happened: a row of its own, above the rest.
    """
    groups: list[tuple[str, Sequence[Step], Sequence[Park]]] = []
    turns = [turn] if turn is not None else session.turns
    for each in turns:
        groups.append((f"turn:{each.session_id}/{each.id}", each.steps, each.parks))
    if turn is None and beside:
        groups.append(("", session.steps_beside, ()))
        groups.extend(("", run.steps, ()) for run in session.children)
    moments = [t for _, steps, parks in groups for s in steps for t in _moments(s)]
    moments += [t for _, _, parks in groups for p in parks for t in (p.since, p.until) if t is not None]
    if not moments:
        return Timeline.nothing()
    moments += [act.at for act in acts if act.at is not None]
    drawing = _Drawing(min(moments), max(moments), marks or EffectMarks())
    rows = [row for key, steps, parks in groups for row in drawing.rows(key, steps, parks)]
    if silence is not None and any(
        (step.run_id, step.step_id) == (silence.run_id, silence.step_id)
        for _, steps, _ in groups
        for step in steps
    ):
        rows.append(drawing.silence(silence))
    if any(act.at is not None for act in acts):
        rows.insert(0, drawing.outside(acts))
    length = max([drawing.ms(max(moments)), 1.0, *(bar.end for row in rows for bar in row.bars)])
    busy = [(bar.start, bar.end) for row in rows for bar in row.bars if bar.phase in _BUSY]
    busy += [(mark.at, mark.at) for row in rows for mark in row.marks]
    knots, quiet = knots_for(busy, length)
    return Timeline(
        origin=drawing.origin,
        length=length,
        rows=tuple(rows),
        knots=knots,
        quiet=quiet,
        minimap=minimap_of([(bar.start, bar.end, bar.tone) for row in rows for bar in row.bars], length),
    )


_BUSY = frozenset({"attempt", "model", "tool", "queued"})


def _moments(step: Step) -> Iterable[datetime]:
    for when in (step.created_at, step.started_at, step.ended_at):
        if when is not None:
            yield when
    for attempt in step.attempts:
        for when in (attempt.started_at, attempt.ended_at, attempt.last_sign_at):
            if when is not None:
                yield when


class _Drawing:
    """Turns steps into rows on one time axis."""

    def __init__(self, origin: datetime, last: datetime, marks: EffectMarks) -> None:
        self.origin = origin
        self.last = last
        self.marks = marks

    def ms(self, when: datetime) -> float:
        return round((when - self.origin).total_seconds() * 1000, 3)

    def rows(self, turn: str, steps: Sequence[Step], parks: Sequence[Park]) -> Iterable[TimelineRow]:
        numbered = list(enumerate(parks))
        for step in steps:
            mine = [(n, park) for n, park in numbered if park.step_id == step.step_id]
            yield self.row(turn, step, mine)
        ids = {step.step_id for step in steps}
        for number, park in numbered:
            if park.step_id not in ids and park.since is not None:
                bar = self.park(park, number)
                yield TimelineRow(
                    key=bar.key,
                    turn=turn,
                    label=safe_text(park.kind),
                    detail=bar.detail,
                    bars=(bar,),
                    marks=(),
                    tone=bar.tone,
                )

    def row(self, turn: str, step: Step, parks: Sequence[tuple[int, Park]]) -> TimelineRow:
        bars: list[Bar] = []
        marks: list[Mark] = []
        key = step_key(step.run_id, step.step_id)
        first = step.attempts[0].started_at if step.attempts else None
        if step.created_at is not None and first is not None and first > step.created_at:
            bars.append(
                Bar(
                    key=key,
                    phase="queued",
                    start=self.ms(step.created_at),
                    end=self.ms(first),
                    label="queued",
                    detail=f"queued for {duration(first - step.created_at)}",
                    tone="muted",
                )
            )
        for at, attempt in enumerate(step.attempts):
            following = step.attempts[at + 1] if at + 1 < len(step.attempts) else None
            bars.extend(self.attempt(step, attempt, following))
            marks.extend(self.attempt_marks(step, attempt))
        if step.ended_at is not None and step.end_event is not None:
            failed = step.status == "failed"
            marks.append(
                Mark(
                    key=event_key(step.run_id, step.end_event.event_id),
                    kind="error" if failed else "commit",
                    at=self.ms(step.ended_at),
                    label="failed" if failed else "commit",
                    tone="error" if failed else "committed",
                )
            )
        bars.extend(self.park(park, number) for number, park in parks if park.since is not None)
        word = word_for(step.status)
        return TimelineRow(
            key=key,
            turn=turn,
            label=safe_text(step.function),
            name=does(step),
            detail=" ".join(part for part in (word.word, safe_text(step.action or "")) if part),
            bars=tuple(sorted(bars, key=lambda bar: (bar.lane, bar.start))),
            marks=tuple(sorted(marks, key=lambda mark: mark.at)),
            lanes=1 + max((bar.lane for bar in bars), default=0),
            tone=word.tone,
        )

    def attempt(self, step: Step, attempt: Attempt, following: Attempt | None) -> Iterable[Bar]:
        if attempt.started_at is None:
            return
        start = self.ms(attempt.started_at)
        known = attempt.ended_at or attempt.last_sign_at
        open_end = attempt.ended_at is None
        if known is None:
            # Nothing more was seen of it: a sliver marks that it began, not how long it lived.
            known = attempt.started_at
        if attempt.outcome == "running":
            known = max(known, self.last)
        word = word_for(attempt.outcome)
        tone: Tone = "committed" if attempt.outcome == "completed" else word.tone
        if attempt.n > 1 and attempt.outcome == "completed":
            tone = "again"
        end = max(self.ms(known), start)
        yield Bar(
            key=attempt_key(step.run_id, step.step_id, attempt.n),
            phase="attempt",
            start=start,
            end=end,
            open=open_end,
            label=f"attempt {attempt.n}",
            detail=f"attempt {attempt.n} {word.word}" + (f", {attempt.body_why}" if attempt.body_why else ""),
            tone=tone,
        )
        if following is not None and following.started_at is not None:
            gap_end = self.ms(following.started_at)
            if gap_end > end:
                waiting = attempt.outcome == "failed"
                text = "waiting for the retry" if waiting else "dead time"
                yield Bar(
                    key=attempt_key(step.run_id, step.step_id, attempt.n),
                    phase="retry-wait" if waiting else "dead",
                    start=end,
                    end=gap_end,
                    label=text,
                    detail=f"{text}, {duration((gap_end - end) / 1000)}"
                    + ("" if waiting else ": the process was away, or its lease had not run out"),
                    tone="muted" if waiting else "unknown",
                )
        yield from self.calls(step, attempt, end)

    def calls(self, step: Step, attempt: Attempt, end: float) -> Iterable[Bar]:
        """Model and tool calls; siblings that overlap go to different lanes."""
        drafts: list[Bar] = []
        for model in attempt.model_calls:
            if model.started_at is None:
                continue
            began = self.ms(model.started_at)
            drafts.append(
                Bar(
                    key=model_key(step, attempt.n, model),
                    phase="model",
                    start=began,
                    end=max(self.ms(model.ended_at) if model.ended_at is not None else end, began),
                    open=model.ended_at is None,
                    label=f"model step {model.coordinate.step_index}",
                    detail=f"model call, {model.status}" + (", paid again" if model.paid_again else ""),
                    tone="again" if model.paid_again else "model",
                )
            )
        for call in attempt.tool_calls:
            when = call.requested_at or call.returned_at
            if when is None or call.deferred:
                continue
            began = self.ms(when)
            status, tone = call_status(call)
            mark = self.marks.of_call(call)
            if mark is not None and mark.notable:
                tone = mark.tone
            drafts.append(
                Bar(
                    key=call_key(step.run_id, step.step_id, attempt.n, call.call_id),
                    phase="tool",
                    start=began,
                    end=max(self.ms(call.returned_at) if call.returned_at is not None else end, began),
                    open=call.returned_at is None,
                    label=safe_text(call.name),
                    detail=f"{safe_text(call.name)}, {status}" + (f", {mark.judgement.said}" if mark else ""),
                    tone=tone,
                )
            )
        yield from in_lanes(drafts)

    def attempt_marks(self, step: Step, attempt: Attempt) -> Iterable[Mark]:
        if attempt.started_event is not None and attempt.started_at is not None:
            yield Mark(
                key=event_key(step.run_id, attempt.started_event.event_id),
                kind="start",
                at=self.ms(attempt.started_at),
                label=f"attempt {attempt.n} started",
                tone="again" if attempt.n > 1 else "plain",
            )
        event = attempt.end_event
        if event is not None and event.event_type == "step_retrying" and attempt.ended_at is not None:
            yield Mark(
                key=event_key(step.run_id, event.event_id),
                kind="error",
                at=self.ms(attempt.ended_at),
                label=f"attempt {attempt.n} failed",
                tone="error",
            )

    def silence(self, quiet: Silence) -> TimelineRow:
        """The row of what has not been written: up to now, and on to where a lease ends."""
        since, now = self.ms(quiet.since), self.ms(quiet.now)
        key = attempt_key(quiet.run_id, quiet.step_id, quiet.attempt)
        text = f"silent for {duration((now - since) / 1000)}"
        marks = [Mark(key=key, kind="now", at=now, label="now", tone="strong")]
        end = now
        if quiet.lease_until is not None:
            free = self.ms(quiet.lease_until)
            over = free <= now
            away = duration(abs(now - free) / 1000)
            text += f", assumed lease ended {away} ago" if over else f", assumed lease ends in {away}"
            label = "lease ended" if over else "lease ends"
            marks.append(Mark(key=key, kind="lease", at=free, label=label, tone="warning"))
            end = max(now, free)
        bar = Bar(
            key=key,
            phase="dead",
            start=since,
            end=end,
            open=True,
            label="silence",
            detail=text,
            tone="unknown",
        )
        return TimelineRow(
            key=key, turn="", label="silence", detail=text, bars=(bar,), marks=tuple(marks), tone="unknown"
        )

    def outside(self, acts: Sequence[Act]) -> TimelineRow:
        """The row of what really happened, by the outside's own record."""
        marks = [
            Mark(
                key=act.key,
                kind="act" if act.bond == "call" else "act-alone",
                at=self.ms(act.at),
                label=f"{act.name}: {act.said}",
                tone=act.tone,
            )
            for act in acts
            if act.at is not None
        ]
        alone = any(act.bond == "none" for act in acts)
        return TimelineRow(
            key="acts:",
            turn="",
            label="outside (ledger)",
            detail=acts_said(acts),
            bars=(),
            marks=tuple(sorted(marks, key=lambda mark: mark.at)),
            tone="harm" if alone else "strong",
        )

    def park(self, park: Park, number: int) -> Bar:
        since = park.since or self.origin
        until = park.until or max(self.last, since)
        return Bar(
            key=park_key(park, number),
            phase="parked",
            start=self.ms(since),
            end=self.ms(until),
            open=park.until is None,
            label=f"parked: {safe_text(park.kind)}",
            detail=f"parked for {safe_text(park.of_whom)}: {safe_text(park.asked)}".rstrip(": "),
            tone="parked",
        )


def in_lanes(bars: Sequence[Bar], *, first: int = 1) -> list[Bar]:
    """Return bars with lanes set: the lowest lane that is free when a bar begins."""
    free: list[float] = []
    out = []
    for bar in sorted(bars, key=lambda each: (each.start, -each.end)):
        lane = next((n for n, until in enumerate(free) if until <= bar.start), len(free))
        if lane == len(free):
            free.append(0.0)
        free[lane] = max(bar.end, bar.start + 0.001)
        out.append(replace(bar, lane=first + lane))
    return out

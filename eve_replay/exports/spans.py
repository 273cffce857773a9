"""A session as spans: session > turn > step > attempt > model and tool calls. No payload is given away.

A trace viewer draws what began and what ended. Of an attempt that died only its last sign is known: such a
span is ``open``, ends at that sign and says so; it is never drawn as if the process had said goodbye. A
re-run is a span of its own, marked ``again`` and linked to the attempt before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from eve_replay.journal import Attempt, Park, Session, Step, Turn
from eve_replay.journal.effects.build import effects_of
from eve_replay.journal.effects.policy import EffectsLike
from eve_replay.journal.model import ModelCall, ToolCall
from eve_replay.views.session.effect_marks import EffectMarks

__all__ = ["Attribute", "Kind", "Span", "session_spans"]

Kind = Literal["session", "turn", "step", "attempt", "model", "tool", "park"]
Attribute = str | int | float | bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """One stretch of time.

    Attributes:
        key: unique within the session and stable: the same journal gives the same keys.
        parent: key of the span around it, empty for the session.
        kind: what it stands for.
        name: what a viewer writes on it.
        start, end: aware UTC times, ``start <= end``.
        open: ``end`` is only the last sign that the journal holds.
        status: ``ok``, ``error``, or ``unset`` where the end is not known.
        message: why it is an error, or what ended it.
        attributes: names of OpenTelemetry's ``gen_ai`` conventions where there is one, else
            ``eve_replay.*``.
        link: key of the attempt that this one repeats, empty when it repeats none.
    """

    key: str
    parent: str
    kind: Kind
    name: str
    start: datetime
    end: datetime
    open: bool = False
    status: Literal["ok", "error", "unset"] = "unset"
    message: str = ""
    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    link: str = ""


def session_spans(session: Session, *, effects: EffectsLike = None) -> tuple[Span, ...]:
    """Return the spans of a session, parents before children; empty when nothing in it has a time.

    Sessions that it started (subagents) are not in it: they are traces of their own.

    Args:
        session: the joined session.
        effects: what the user knows of their tools; which calls are effects that repeat is marked by it.
    """
    return tuple(_Spans(session, EffectMarks.of(effects_of(session, effects))).all())


class _Spans:
    def __init__(self, session: Session, marks: EffectMarks) -> None:
        self.session = session
        self.marks = marks
        self.root = f"session:{session.id}"

    def all(self) -> Iterator[Span]:
        inner = list(self.inner())
        if not inner:
            return
        session = self.session
        yield Span(
            key=self.root,
            parent="",
            kind="session",
            name=f"session {session.id}",  # its title is the words of a person
            start=min(span.start for span in inner),
            end=max(span.end for span in inner),
            open=session.status not in ("completed", "failed", "cancelled"),
            status="error" if session.status == "failed" else "unset",
            message=session.status,
            attributes=_known(
                {
                    "gen_ai.conversation.id": session.id,
                    "eve_replay.session.status": session.status,
                    "eve_replay.certainty": session.certainty,
                    "eve_replay.eve.version": session.eve_version,
                }
            ),
        )
        yield from inner

    def inner(self) -> Iterator[Span]:
        for turn in self.session.turns:
            yield from self.turn(turn)
        for step in self.session.steps_beside:
            yield from self.step(step, self.root)
        for run in self.session.children:
            for step in run.steps:
                yield from self.step(step, self.root)

    def turn(self, turn: Turn) -> Iterator[Span]:
        key = f"turn:{turn.session_id}/{turn.id}"
        inner = [span for step in turn.steps for span in self.step(step, key)]
        inner += [span for number, park in enumerate(turn.parks) for span in self.park(park, number, key)]
        times = [span.start for span in inner] + [at for at in (turn.started_at,) if at is not None]
        ends = [span.end for span in inner] + [at for at in (turn.ended_at,) if at is not None]
        if not times:
            return
        yield Span(
            key=key,
            parent=self.root,
            kind="turn",
            name=turn.id,
            start=min(times),
            end=turn.ended_at or max(ends),
            open=turn.ended_at is None,
            status="error" if turn.status == "failed" else "ok" if turn.committed else "unset",
            message=turn.status,
            attributes=_known(
                {
                    "eve_replay.turn.id": turn.id,
                    "eve_replay.turn.status": turn.status,
                    "eve_replay.certainty": turn.certainty,
                    "gen_ai.usage.input_tokens": turn.tokens.input if turn.tokens else None,
                    "gen_ai.usage.output_tokens": turn.tokens.output if turn.tokens else None,
                    "eve_replay.tokens_again.input": turn.tokens_again.input if turn.tokens_again else None,
                    "eve_replay.tokens_again.output": turn.tokens_again.output if turn.tokens_again else None,
                }
            ),
        )
        yield from inner

    def step(self, step: Step, parent: str) -> Iterator[Span]:
        key = f"step:{step.run_id}/{step.step_id}"
        inner = [span for attempt in step.attempts for span in self.attempt(step, attempt, key)]
        starts = [at for at in (step.created_at, step.started_at) if at is not None]
        starts += [span.start for span in inner]
        if not starts:
            return
        yield Span(
            key=key,
            parent=parent,
            kind="step",
            name=step.function,
            start=min(starts),
            end=step.ended_at or max([*starts, *(span.end for span in inner)]),
            open=step.ended_at is None,
            status="error" if step.status == "failed" else "ok" if step.committed else "unset",
            message=step.status,
            attributes=_known(
                {
                    "eve_replay.run.id": step.run_id,
                    "eve_replay.step.id": step.step_id,
                    "eve_replay.step.name": step.name.full,
                    "eve_replay.step.status": step.status,
                    "eve_replay.step.attempts": len(step.attempts),
                    "eve_replay.certainty": step.certainty,
                }
            ),
        )
        yield from inner

    def attempt(self, step: Step, attempt: Attempt, parent: str) -> Iterator[Span]:
        key = f"attempt:{step.run_id}/{step.step_id}/{attempt.n}"
        calls = [span for call in attempt.model_calls for span in self.model(call, key)]
        calls += [span for call in attempt.tool_calls for span in self.tool(call, key)]
        start = attempt.started_at or min((span.start for span in calls), default=None)
        if start is None:
            return
        last = [at for at in (attempt.last_sign_at,) if at is not None] + [span.end for span in calls]
        again = attempt.n > 1
        died = attempt.outcome in ("interrupted", "running")
        yield Span(
            key=key,
            parent=parent,
            kind="attempt",
            name=f"attempt {attempt.n}{' (again)' if again else ''}",
            start=start,
            end=attempt.ended_at or max([start, *last]),
            open=attempt.ended_at is None,
            status="error" if attempt.outcome in ("failed", "retried") else "unset" if died else "ok",
            message=attempt.outcome,
            link=f"attempt:{step.run_id}/{step.step_id}/{attempt.n - 1}" if again else "",
            attributes=_known(
                {
                    "eve_replay.attempt": attempt.n,
                    "eve_replay.again": again,
                    "eve_replay.attempt.outcome": attempt.outcome,
                    "eve_replay.attempt.body": attempt.body,
                    "eve_replay.certainty": attempt.certainty,
                }
            ),
        )
        yield from calls

    def model(self, call: ModelCall, parent: str) -> Iterator[Span]:
        if call.started_at is None:
            return
        place = f"{call.coordinate.turn_id}.{call.coordinate.step_index}"
        yield Span(
            key=f"model:{parent}/{place}",
            parent=parent,
            kind="model",
            name=f"chat {call.model_id or 'model'}",
            start=call.started_at,
            end=call.ended_at or call.started_at,
            open=call.status in ("interrupted", "running"),
            status="ok" if call.status == "completed" else "error" if call.status == "failed" else "unset",
            message=call.status,
            attributes=_known(
                {
                    "gen_ai.operation.name": "chat",
                    "gen_ai.request.model": call.model_id,
                    "gen_ai.usage.input_tokens": call.tokens.input if call.tokens else None,
                    "gen_ai.usage.output_tokens": call.tokens.output if call.tokens else None,
                    "eve_replay.again": call.paid_again,
                    "eve_replay.certainty": call.certainty,
                }
            ),
        )

    def tool(self, call: ToolCall, parent: str) -> Iterator[Span]:
        start = call.requested_at or call.returned_at
        if start is None or call.history_only:
            return
        mark = self.marks.of_call(call)
        yield Span(
            key=f"tool:{parent}/{call.call_id}/{call.position}",
            parent=parent,
            kind="tool",
            name=f"execute_tool {call.name}",
            start=start,
            end=call.returned_at or start,
            open=call.returned_at is None,
            status="error" if call.is_error else "ok" if call.returned else "unset",
            message=(call.status or "") if call.returned else "no result is recorded",
            attributes=_known(
                {
                    "gen_ai.operation.name": "execute_tool",
                    "gen_ai.tool.name": call.name,
                    "gen_ai.tool.call.id": call.call_id,
                    "eve_replay.tool.began": call.began,
                    "eve_replay.effect": mark.judgement.word if mark else None,
                    "eve_replay.effect.harmful": mark.harmful if mark else None,
                }
            ),
        )

    def park(self, park: Park, number: int, parent: str) -> Iterator[Span]:
        if park.since is None:
            return
        newest = self.session.newest_at
        yield Span(
            key=f"park:{parent}/{number}",
            parent=parent,
            kind="park",
            name=f"parked: {park.kind}",
            start=park.since,
            end=park.until or max(newest or park.since, park.since),
            open=park.until is None,
            attributes=_known({"eve_replay.park.kind": park.kind, "eve_replay.certainty": park.certainty}),
        )


def _known(pairs: Mapping[str, Attribute | None]) -> dict[str, Attribute]:
    return {name: value for name, value in pairs.items() if value is not None and value != ""}

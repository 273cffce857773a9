"""Which recorded calls are the same effect: by call id, equal input, place, or the child run they lie in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from eve_replay.journal.effects.approvals import executing_steps
from eve_replay.journal.effects.executions import (
    Execution,
    arguments_of,
    child_part,
    function_part,
    seen_part,
    unseen_part,
)
from eve_replay.journal.effects.identity import Identity, identities, sightings_of
from eve_replay.journal.model import Attempt, Coordinate, Run, Session, Step, ToolCall

__all__ = ["EffectKind", "Group", "function_groups", "tool_groups"]

EffectKind = Literal["tool", "step", "workflow-tool"]


@dataclass(slots=True)
class Group:
    """An effect being put together."""

    tool: str
    kind: EffectKind
    step: Step
    turn_id: str | None = None
    coordinate: Coordinate | None = None
    position: int | None = None
    input: object = None
    call_ids: list[str] = field(default_factory=list)
    calls: list[tuple[Step, Attempt, ToolCall]] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    parts: list[Execution] = field(default_factory=list)
    #: The turn it belongs to was cancelled.
    cancelled: bool = False
    #: A re-run's model did not ask for it again, and what it asked for in its place.
    displaced: bool = False
    instead: list[Group] = field(default_factory=list)


def tool_groups(session: Session) -> list[Group]:
    """One group per tool call of the session, all its occurrences in all attempts joined."""
    found = identities(sightings_of(session))
    groups = [_group(one) for one in found]
    of_identity = {id(one): group for one, group in zip(found, groups, strict=True)}
    for one, group in zip(found, groups, strict=True):
        group.instead = [of_identity[id(other)] for other in one.displaced_by]
    children = _children(groups, session)
    over = {turn.id for turn in session.turns if turn.status == "cancelled"}
    for group in groups:
        group.cancelled = group.turn_id in over
        if own := children.get(id(group)):
            group.kind = "workflow-tool"
            group.parts = [child_part(child, _starter(child, session)) for child in own]
        else:
            group.parts = _call_parts(group, session)
    return groups


def _group(one: Identity) -> Group:
    first = one.sightings[0]
    group = Group(
        tool=one.tool,
        kind="tool",
        step=first.step,
        turn_id=one.turn_id,
        coordinate=one.coordinate,
        position=one.position,
        input=one.input,
        call_ids=list(one.call_ids),
        displaced=one.displaced,
    )
    for seen in one.sightings:
        group.step = seen.step if not seen.call.deferred or not group.calls else group.step
        group.calls.append((seen.step, seen.attempt, seen.call))
        if all(known.step_id != seen.step.step_id for known in group.steps):
            group.steps.append(seen.step)
    return group


def _call_parts(group: Group, session: Session) -> list[Execution]:
    parts: list[Execution] = []
    executing = {s.step_id for s, _, c in group.calls if not c.deferred}
    later: list[Step] = []
    if not executing:
        # When the step that runs an approved call was interrupted before anything of it reached the stream,
        # no event names the call there.
        later = executing_steps(group, session)
        executing = {step.step_id for step in later}
    order = [*group.steps, *later]
    for step in {s.step_id: s for s in order}.values():
        for attempt in step.attempts:
            found = [c for s, a, c in group.calls if s.step_id == step.step_id and a.n == attempt.n]
            if found:
                # A request and a result of one attempt may be two entries: one execution all the same.
                best = max(found, key=lambda c: (c.returned, c.requested_at is not None))
                parts.append(seen_part(best, step, attempt, cancelled=group.cancelled))
            elif step.step_id in executing:
                part = unseen_part(group.coordinate, group.position, step, attempt)
                if part is not None:
                    parts.append(part)
    return parts


def _children(groups: Sequence[Group], session: Session) -> dict[int, list[Run]]:
    """Give every child run of a workflow tool to the call it serves.

    Its input names call id and tool. Ids may repeat in a turn: then it is the last call so named that was
    asked for before the step that started the run.
    """
    place = {step.step_id: number for number, step in enumerate(session.steps)}
    out: dict[int, list[Run]] = {}
    for run in session.children:
        if not run.parent_call or run.role != "tool":
            continue
        starter = _starter(run, session)
        turn = starter.turn_id if starter is not None else None
        named = [
            group
            for group in groups
            if run.parent_call in group.call_ids
            and turn in (None, group.turn_id)
            and (not run.tool or group.tool == run.tool)
        ]
        before = [
            group
            for group in named
            if starter is None or place.get(group.steps[0].step_id, 0) <= place.get(starter.step_id, 0)
        ]
        if before or named:
            out.setdefault(id((before or named)[-1]), []).append(run)
    return out


def _dispatch_turn(run: Run, session: Session) -> str | None:
    """The turn whose step started ``run``: call ids may repeat in another turn."""
    starter = _starter(run, session)
    return starter.turn_id if starter is not None else None


def _starter(run: Run, session: Session) -> Step | None:
    return next((s for s in session.steps if run.run_id in s.dispatched), None)


def function_groups(session: Session) -> list[Group]:
    """One group per ``use step`` call; the same call in child runs doubled by a dispatch is one effect."""
    groups: dict[tuple[object, ...], Group] = {}
    for run in session.all_runs:
        place: dict[str, int] = {}
        turn = _dispatch_turn(run, session)
        for step in run.steps:
            if step.kind != "function":
                continue
            nth = place[step.name.full] = place.get(step.name.full, -1) + 1
            key: tuple[object, ...] = (run.run_id, step.step_id)
            if run.role == "tool" and run.parent_call:
                key = (run.parent, run.parent_call, turn, step.name.full, nth)
            group = groups.get(key)
            if group is None:
                group = groups[key] = Group(
                    tool=step.function, kind="step", step=step, turn_id=turn or step.turn_id
                )
                group.input = arguments_of(step)
            group.step = step
            group.steps.append(step)
            group.parts += [function_part(step, attempt, run) for attempt in step.attempts]
    return list(groups.values())

"""Which recorded calls are the same effect: by call id, equal input, place, or the child run they lie in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from eve_replay.journal.effects.executions import Execution, child_part, function_part, seen_part, unseen_part
from eve_replay.journal.messages import recorded_answer
from eve_replay.journal.model import Attempt, Coordinate, Park, Run, Session, Step, ToolCall
from eve_replay.values import same

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


def tool_groups(session: Session) -> list[Group]:
    """One group per tool call of the session, all its occurrences in all attempts joined."""
    groups: list[Group] = []
    for step in session.steps:
        if step.kind == "function":
            continue
        for attempt in step.attempts:
            taken: set[int] = set()
            for call in attempt.tool_calls:
                group = _match(groups, step, attempt, call, taken)
                if group is None:
                    group = Group(tool=call.name, kind="tool", step=step, turn_id=_turn_of(step, call))
                    groups.append(group)
                taken.add(id(group))
                _join(group, step, attempt, call)
    by_call: dict[str, list[Run]] = {}
    for child in session.children:
        if child.parent_call and child.role == "tool":
            by_call.setdefault(child.parent_call, []).append(child)
    over = {turn.id for turn in session.turns if turn.status == "cancelled"}
    for group in groups:
        group.cancelled = group.turn_id in over
        children = _children_of(group, by_call, session)
        if children:
            group.kind = "workflow-tool"
            group.parts = [child_part(child, _starter(child, session)) for child in children]
        else:
            group.parts = _call_parts(group, session)
    return groups


def _turn_of(step: Step, call: ToolCall) -> str | None:
    return call.coordinate.turn_id if call.coordinate is not None else step.turn_id


def _match(
    groups: Iterable[Group], step: Step, attempt: Attempt, call: ToolCall, taken: set[int]
) -> Group | None:
    """Find the effect that ``call`` is another occurrence of: by id, by equal input, by position."""
    turn = _turn_of(step, call)
    near = [g for g in groups if g.turn_id == turn and id(g) not in taken]
    for group in near:
        if call.call_id in group.call_ids:
            return group
    if call.requested_at is None:
        # Before eve 0.50 an approval ends the turn, and the approved call runs in the next one.
        for group in groups:
            if call.call_id in group.call_ids and all(c.deferred for _, _, c in group.calls):
                return group
    # Another id can only be the same effect when it comes from another attempt of the same step.
    other = [
        g
        for g in near
        if g.tool == call.name
        and g.coordinate == call.coordinate
        and any(s.step_id == step.step_id and a.n != attempt.n for s, a, _ in g.calls)
        and not any(s.step_id == step.step_id and a.n == attempt.n for s, a, _ in g.calls)
    ]
    for group in other:
        if group.position == call.position and same(group.input, call.input):
            return group
    for group in other:
        if same(group.input, call.input):
            return group
    return next((g for g in other if g.position == call.position and call.position is not None), None)


def _join(group: Group, step: Step, attempt: Attempt, call: ToolCall) -> None:
    if call.call_id not in group.call_ids:
        group.call_ids.append(call.call_id)
    if group.coordinate is None or (group.position is None and call.position is not None):
        group.coordinate, group.position = call.coordinate, call.position
    if group.input is None:
        group.input = call.input
    group.calls.append((step, attempt, call))
    group.step = step if not call.deferred or not group.calls[:-1] else group.step
    if all(known.step_id != step.step_id for known in group.steps):
        group.steps.append(step)


def _call_parts(group: Group, session: Session) -> list[Execution]:
    parts: list[Execution] = []
    executing = {s.step_id for s, _, c in group.calls if not c.deferred}
    if not executing and _approved(group, session):
        # An approved call runs in the turn step after the one that held it (docs/evidence/observed.md#held);
        # when that one was interrupted before anything reached the stream, no event names the call there.
        executing = {s.step_id for s in _after(group, session)[:1]}
    order = [*group.steps, *(s for s in _after(group, session) if s.step_id in executing)]
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


def _after(group: Group, session: Session) -> list[Step]:
    """Turn steps of the same turn after the one that asked for the call."""
    seen = False
    out: list[Step] = []
    for step in session.steps:
        if step.step_id == group.steps[0].step_id:
            seen = True
        elif seen and step.kind == "turn" and step.turn_id == group.turn_id:
            out.append(step)
    return out


def _approved(group: Group, session: Session) -> bool:
    return any(
        park.kind == "approval"
        and park.call_id in group.call_ids
        and park.turn_id in (None, group.turn_id)
        and _yes(park, session)
        for park in session.parks
    )


def _yes(park: Park, session: Session) -> bool:
    """Whether it was approved: the stream says so, or the log holds the answer and the stream not yet."""
    if park.open and not park.lost:
        return (recorded_answer(session.messages, park.request_id) or "").startswith("approve")
    return (park.released_by or "").startswith("approve")


def _children_of(group: Group, by_call: Mapping[str, list[Run]], session: Session) -> list[Run]:
    found = [run for call_id in group.call_ids for run in by_call.get(call_id, ())]
    turns = {run.run_id: _dispatch_turn(run, session) for run in found}
    return [run for run in found if turns[run.run_id] in (None, group.turn_id)]


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
                group = groups[key] = Group(tool=step.function, kind="step", step=step, turn_id=turn)
            group.step = step
            group.steps.append(step)
            group.parts += [function_part(step, attempt, run) for attempt in step.attempts]
    return list(groups.values())

"""What may have acted on the outside, how often, and how we know.

An effect is a tool call, or a ``use step`` function of the app, that may act outside. The journal records
no effects, it records starts and results around them. The rules that connect the two are those of
docs/evidence/sweep.md and docs/evidence/observed.md:

* an ``action.result`` on the stream of an attempt proves that the call ran in that attempt;
* a request without a result in an interrupted attempt means zero or one;
* absence on the stream of an interrupted attempt proves nothing (effects run ahead of the stream), but a
  model step that lies well beyond the last one seen cannot have begun;
* a start past the retry budget runs no body;
* which calls are the same effect is told by :mod:`eve_replay.journal.effects.identity`, which step runs an
  approved one by :mod:`eve_replay.journal.effects.approvals`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from eve_replay.brief import Brief
from eve_replay.journal.effects.approvals import approvals_of
from eve_replay.journal.effects.executions import Execution, Executions
from eve_replay.journal.effects.groups import EffectKind, Group, function_groups, tool_groups
from eve_replay.journal.effects.idempotency_keys import SeenKey, absorbed, key_at, keys_in, protection_from
from eve_replay.journal.effects.policy import EffectsLike, EffectsPolicy, Protection, hint_for
from eve_replay.journal.effects.unlogged import Unlogged, lacking_starts, unlogged_of
from eve_replay.journal.model import Certainty, Coordinate, Evidence, Session
from eve_replay.journal.once import once_with

__all__ = ["Effect", "EffectKind", "Execution", "Executions", "effects_of"]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Effect(Brief):
    """One effect across all attempts that made it.

    Attributes:
        tool: tool name, or the step function's short name.
        kind: ``tool``, ``step`` (a ``use step`` function) or ``workflow-tool`` (each child run counts).
        call_id: the last call id, None for step functions; ``call_ids`` all of them, in order.
        run_id, step_id: where it ran last (or was asked for).
        coordinate, position: place in the turn, None for step functions.
        executions: how often the body ran, over all attempts.
        outside: how often the outside acted if the protection does what it says.
        certainty: observed when every attempt's part is, unknown when the range is open.
        by_attempt: the parts, in log order; ``attempts`` the numbers of those that may have executed.
        protection: idempotency class and its source.
        keys: keys seen, in order, one per sighting.
        same_key: whether all keys seen are equal; None with fewer than two sightings.
        left_behind: a cancelled turn asked for it and no result is recorded: it may have acted all the same.
        displaced: only attempts that were re-run asked for it, and the re-run's model did not: the
            conversation that goes on knows nothing of it, and it may have acted all the same.
        instead: what the re-run asked for in its place (tool names), empty when nothing.
        unlogged: starts that may be missing from the log (``executions`` counts them in).
    """

    _told: ClassVar[tuple[str, ...]] = (
        "tool",
        "kind",
        "ran_twice",
        "may_have_run_twice",
        "certainty",
        "turn_id",
        "call_id",
        "step_id",
    )

    tool: str
    kind: EffectKind
    session_id: str
    run_id: str
    step_id: str
    call_id: str | None = None
    call_ids: tuple[str, ...] = ()
    turn_id: str | None = None
    coordinate: Coordinate | None = None
    position: int | None = None
    input: object = field(default=None, repr=False)
    executions: Executions
    outside: Executions
    certainty: Certainty
    by_attempt: tuple[Execution, ...] = ()
    protection: Protection
    keys: tuple[SeenKey, ...] = ()
    same_key: bool | None = None
    left_behind: bool = False
    displaced: bool = False
    instead: tuple[str, ...] = ()
    unlogged: Unlogged | None = None

    @property
    def attempts(self) -> tuple[int, ...]:
        """Numbers of the attempts in which it ran or may have run, in order."""
        return tuple(dict.fromkeys(part.attempt for part in self.by_attempt if part.executions.max != 0))

    @property
    def two_processes(self) -> bool:
        """Whether it ran, or may have run, in bodies that were at work at the same time."""
        return sum(part.beside for part in self.by_attempt if part.executions.max != 0) > 1

    @property
    def ran_twice(self) -> bool:
        """Whether the journal proves more than one execution."""
        return self.executions.min > 1

    @property
    def may_have_run_twice(self) -> bool:
        """Whether the journal shows a sign of a second execution that it cannot settle.

        A request, a result, or the model's answer in more than one attempt is a sign. An attempt that shows
        none of them only widens ``executions``: nothing says that it came as far as this call.
        """
        signs = [p for p in self.by_attempt if p.executions.max != 0 and p.reached]
        hidden = self.unlogged is not None and self.unlogged.counted and len(signs) > 0
        return not self.ran_twice and (len(signs) > 1 or hidden)

    @property
    def key(self) -> str | None:
        """The last key seen, None when none was."""
        return self.keys[-1].value if self.keys else self.protection.key

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The evidence of all parts."""
        parts = tuple(item for part in self.by_attempt for item in part.evidence)
        return parts if self.unlogged is None else (*parts, *self.unlogged.evidence)

    def to_json(self) -> dict[str, object]:
        """Return the entry of ``effects`` (with fields added), see docs/json.md."""
        out: dict[str, object] = {"tool": self.tool, "callId": self.call_id}
        if self.key is not None:
            out["key"] = self.key
        out |= {
            "runId": self.run_id,
            "stepId": self.step_id,
            "executions": self.executions.to_json(),
            "certainty": self.certainty,
            "attempts": list(self.attempts),
            "kind": self.kind,
            "callIds": list(self.call_ids),
            "class": self.protection.klass,
            "classBy": self.protection.by,
            "classSource": self.protection.source,
            "outside": self.outside.to_json(),
            "leftBehind": self.left_behind,
            "displaced": self.displaced,
        }
        if self.unlogged is not None:
            out["unlogged"] = {"max": self.unlogged.most, "why": self.unlogged.why}
        return out


def effects_of(session: Session, effects: EffectsLike = None) -> tuple[Effect, ...]:
    """Return the effects of a session, tool calls first in turn order, then step functions in log order.

    ``effects`` is what the user knows of their tools: an effects policy, its file, or a dict of its shape.
    Child runs of workflow tools belong to the session; subagents are sessions of their own.
    """
    return _effects_of(session, EffectsPolicy.load(effects))


@once_with
def _effects_of(session: Session, rules: EffectsPolicy) -> tuple[Effect, ...]:
    groups = [*tool_groups(session), *function_groups(session)]
    lacking = lacking_starts(session)
    return tuple(_finish(group, session, rules, lacking) for group in groups)


def _finish(
    group: Group, session: Session, rules: EffectsPolicy, lacking: Mapping[str, Sequence[Unlogged]]
) -> Effect:
    parts = tuple(group.parts)
    total = sum((p.executions for p in parts), Executions(min=0, max=0))
    words = {p.certainty for p in parts}
    missing = None
    if group.kind != "workflow-tool":
        missing = unlogged_of((*(p.step_id for p in parts), group.step.step_id), lacking)
    if missing is not None:
        total += Executions(min=0, max=missing.most)
        words.add("unknown")
    certainty: Certainty = (
        "unknown" if "unknown" in words else "implied" if "implied" in words else "observed"
    )
    rule = rules.rule_for(group.tool, group.step.name.full if group.kind == "step" else "")
    keys = _keys(group, session, rule.key_path if rule else "")
    protection = rule.protection if rule is not None else None
    if protection is None and any(call.durable for _, _, call in group.calls):
        protection = Protection(klass="durable", source="evidence", note="a step of it is recorded")
    if protection is None and keys:
        protection = protection_from(keys)
    if protection is None:
        protection = hint_for(group.tool)
        if rules.default is not None and protection.klass != "read-only":
            protection = rules.default
    protection = _with_approval(protection, group, session)
    values = [seen.value for seen in keys]
    same_key = None if len(values) < 2 else len(set(values)) == 1
    home = next((p for p in reversed(parts) if p.executions.max != 0), parts[-1] if parts else None)
    return Effect(
        tool=group.tool,
        kind=group.kind,
        session_id=session.id,
        run_id=home.run_id if home else group.step.run_id,
        step_id=home.step_id if home else group.step.step_id,
        call_id=group.call_ids[-1] if group.call_ids else None,
        call_ids=tuple(group.call_ids),
        turn_id=group.turn_id,
        coordinate=group.coordinate,
        position=group.position,
        input=group.input,
        executions=total,
        outside=_outside(total, protection, same_key, parts),
        certainty=certainty,
        by_attempt=parts,
        protection=protection,
        keys=keys,
        same_key=same_key,
        left_behind=_left_behind(group, parts),
        displaced=group.displaced,
        instead=tuple(other.tool for other in group.instead),
        unlogged=missing,
    )


def _with_approval(protection: Protection, group: Group, session: Session) -> Protection:
    if not approvals_of(group, session) or protection.approval:
        return protection
    if protection.klass == "unknown":
        return replace(
            protection, klass="approval-gated", approval=True, source="evidence", note="a person was asked"
        )
    return replace(protection, approval=True)


def _keys(group: Group, session: Session, path: str) -> tuple[SeenKey, ...]:
    found: list[SeenKey] = []
    for part in group.parts:
        known = {
            "call-id": part.call_id or "",
            "step-id": part.step_id,
            "run-id": part.run_id,
            "session-id": session.id,
        }
        value = part.input if part.input is not None else group.input
        if path:
            seen = key_at(path, value, part.output, known)
            found += [replace(seen, attempt=part.attempt)] if seen is not None else []
            continue
        for seen in keys_in(value, part.output, known, result_first=part.returned):
            found.append(replace(seen, attempt=part.attempt))
            break
    return tuple(found)


def _outside(
    total: Executions, protection: Protection, same_key: bool | None, parts: tuple[Execution, ...]
) -> Executions:
    """What the outside acted on, if the protection does what it says and the receiver honours it."""
    if any(absorbed(p.output) for p in parts if p.returned):
        return Executions(min=1, max=1)
    holds = protection.survives
    if protection.klass == "keyed" and protection.by == "call-id":
        ids = {p.call_id for p in parts if p.call_id}
        holds = same_key is not False and len(ids) <= 1
    if holds and total.max != 0:
        return Executions(min=min(total.min, 1), max=1)
    return total


def _left_behind(group: Group, parts: tuple[Execution, ...]) -> bool:
    if any(p.returned for p in parts):
        return False
    return any(
        (group.cancelled or attempt.outcome == "cancelled" or step.action == "cancelled")
        and not call.deferred
        and not call.history_only
        for step, attempt, call in group.calls
    )

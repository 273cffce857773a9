"""Where to look first: the worst effect of a session, its turn, and names that tell steps apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from eve_replay.journal import Session, Step
from eve_replay.journal.effects.build import Effect
from eve_replay.journal.effects.judge import Judgement, judge_effect
from eve_replay.views.kit.base import View, attempt_key, call_key, step_key
from eve_replay.views.kit.safe import safe_text

__all__ = ["StepName", "Worst", "does", "step_names", "worst_effect", "worst_turn"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Worst:
    """The effect to look at first: the judge's word on it, its last call (or attempt) that ran, its turn."""

    effect: Effect
    judgement: Judgement
    key: str
    turn: str


def worst_effect(effects: Iterable[Effect], counts: Mapping[int, int] | None = None) -> Worst | None:
    """Return the worst effect that repeats by the judge's rank, the first of equals; None when none repeats.

    Args:
        effects: the session's effects; readers do no harm and are left out.
        counts: how often a ledger says that each happened, by ``id`` of the effect.
    """
    known = counts or {}
    judged = [(e, judge_effect(e, known.get(id(e)))) for e in effects if e.protection.acts]
    repeats = [(e, j) for e, j in judged if j.harmful or j.code in ("keyed", "absorbed")]
    found = min(repeats, key=lambda pair: pair[1].rank, default=None)
    if found is None:
        return None
    effect, judgement = found
    last = next((p for p in reversed(effect.by_attempt) if p.executions.max != 0), None)
    if last is None:
        key = step_key(effect.run_id, effect.step_id)
    elif last.call_id:
        key = call_key(last.run_id, last.step_id, last.attempt, last.call_id)
    else:
        key = attempt_key(last.run_id, last.step_id, last.attempt)
    return Worst(effect=effect, judgement=judgement, key=key, turn=effect.turn_id or "")


def worst_turn(
    session: Session, effects: Sequence[Effect], counts: Mapping[int, int] | None = None
) -> str | None:
    """Return the id of the turn to look at first; None for a session without turns.

    That of the worst effect. Where nothing repeats the one whose crash is worth asking about: with most
    effects that nothing is known to protect, then with most that act, the last of equals.
    """
    if not session.turns:
        return None
    worst = worst_effect(effects, counts)
    known = {turn.id for turn in session.turns}
    if worst is not None and worst.turn in known:
        return worst.turn
    acting = [each for each in effects if each.protection.acts]
    every = Counter(each.turn_id for each in acting)
    bare = Counter(each.turn_id for each in acting if each.protection.survives is not True)
    ranks = {turn.id: (bare[turn.id], every[turn.id], n) for n, turn in enumerate(session.turns)}
    return max(ranks, key=lambda turn: ranks[turn])


@dataclass(frozen=True, slots=True, kw_only=True)
class StepName(View):
    """What a step is called: numbers are those of the tree, steps from 1 within their turn.

    Attributes:
        key: the step's key; ``turn`` the id of its turn, empty outside turns.
        group: ``turn 1``, ``beside the turns``, or the run below; ``number`` the step's within it, from 1.
        function: the function's name; ``tools`` what it called, each tool once.
    """

    key: str
    turn: str
    group: str
    number: int
    function: str
    tools: tuple[str, ...] = ()

    @property
    def does(self) -> str:
        """What tells it apart: the tools it called, else the name of its function."""
        return _does(self.tools) or self.function

    @property
    def whole(self) -> str:
        """``turn 1 · step 2 · charge_card``."""
        return " · ".join(part for part in (self.group, f"step {self.number}", self.does) if part)


def _does(tools: Sequence[str]) -> str:
    if len(tools) > 3:
        return f"{tools[0]}, {tools[1]} and {len(tools) - 2} more"
    return ", ".join(tools)


def does(step: Step) -> str:
    """Return what tells a step apart among its neighbours: the tools it called, else its function."""
    return _does(_tools(step)) or safe_text(step.function)


def _tools(step: Step) -> tuple[str, ...]:
    return tuple(
        dict.fromkeys(safe_text(c.name) for a in step.attempts for c in a.tool_calls if not c.history_only)
    )


def step_names(session: Session) -> dict[str, StepName]:
    """Return the names of all steps by key, in the order of the tree. Decodes no payload."""
    groups = [
        (turn.id, f"turn {safe_text(turn.id.removeprefix('turn_'))}", turn.steps) for turn in session.turns
    ]
    groups.append(("", "beside the turns" if session.turns else "", session.steps_beside))
    groups += [
        ("", f"{run.role} run {safe_text(run.workflow.function)}", run.steps) for run in session.children
    ]
    out: dict[str, StepName] = {}
    for turn, group, steps in groups:
        for number, step in enumerate(steps, 1):
            key = step_key(step.run_id, step.step_id)
            out.setdefault(key, _name(step, key, turn, group, number))
    return out


def _name(step: Step, key: str, turn: str, group: str, number: int) -> StepName:
    return StepName(
        key=key, turn=turn, group=group, number=number, function=safe_text(step.function), tools=_tools(step)
    )

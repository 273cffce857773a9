"""simulate: one crash, or a schedule of crashes, of a recorded turn, and what the runtime makes of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import cast

from eve_replay.errors import WrongUse
from eve_replay.journal.effects.executions import Executions
from eve_replay.recovery.environment import ENVIRONMENTS
from eve_replay.recovery.frameworks.registry import room_of
from eve_replay.recovery.plan.model import Plan
from eve_replay.recovery.points import point_at
from eve_replay.recovery.question import Question
from eve_replay.recovery.result import (
    CrashPoint,
    EffectVerdict,
    RuleUse,
    Simulation,
    StepVerdict,
)
from eve_replay.recovery.runtimes.base import Course, Fate, Future, Futures
from eve_replay.recovery.runtimes.judged import ask, rule_of
from eve_replay.recovery.situation import NEVER, EffectState, Situation, StepState
from eve_replay.recovery.strategies import DURABLE, STRATEGIES, Seen
from eve_replay.recovery.tutorial import contradictions
from eve_replay.recovery.words import RULES

__all__ = ["answer", "environments_for", "known_tools", "simulate"]


Memo = dict[object, object]


def simulate(
    plan: Plan,
    crash: CrashPoint | int | Sequence[CrashPoint | int] | None,
    question: Question | None = None,
) -> Simulation:
    """Return what a crash at ``crash`` does.

    Args:
        plan: the turn or plain run.
        crash: a point or its position; several for a schedule, each reached by the recovery from the one
            before; None or an empty schedule for no crash at all.
        question: what is assumed; eve under ``eve start`` when None.

    Raises:
        WrongUse: a position outside the turn, a schedule that goes back behind a commit, or a strategy for a
            tool that the turn does not call (a misspelt one would look like a strategy that does not help).
    """
    asked = (question if question is not None else Question()).fitted(plan.framework)
    known_tools(plan, asked)
    places = _places(plan, crash)
    if not places:
        return _undisturbed(plan, asked)
    situation = plan.situation(places[-1], fresh=len(places) > 1)
    for earlier in places[:-1]:
        if not _carry(plan, earlier, places[-1], situation, asked):
            return answer(plan.situation(earlier), asked, point_at(plan, earlier), crashes=1)
    point = point_at(plan, places[-1], situation if len(places) == 1 else None)
    return answer(situation, asked, point, crashes=len(places), batch=plan.batch)


def known_tools(plan: Plan, question: Question) -> None:
    """Raise WrongUse when a strategy is given for a tool that the turn does not call."""
    tools = {effect.tool for effect in plan.effects}
    for tool in question.strategies:
        if tool == "*" or tool in tools:
            continue
        there = ", ".join(sorted(tools))
        near = get_close_matches(tool, sorted(tools), n=1)
        hint = f"Did you mean {near[0]}? " if near else ""
        raise WrongUse(
            f"A strategy is given for {tool!r}, which this turn does not call.",
            hint=f"{hint}It calls {there}." if there else "It calls no tool at all.",
        )


def _places(plan: Plan, crash: CrashPoint | int | Sequence[CrashPoint | int] | None) -> list[int]:
    if crash is None:
        return []
    many = crash if isinstance(crash, Sequence) else [crash]
    places = [each.position if isinstance(each, CrashPoint) else each for each in many]
    for place in places:
        if not 0 <= place <= len(plan.writes):
            raise WrongUse(f"There is no crash point {place}.", hint=f"Points run to {len(plan.writes)}.")
    return places


def _undisturbed(plan: Plan, question: Question) -> Simulation:
    """No crash: what the recording shows, nothing added."""
    end = len(plan.writes)
    situation = plan.situation(end)
    situation.open_turn = False
    point = replace(point_at(plan, end, situation), klass="no-crash", label="no crash")
    course = Course(outcome="nothing-open", by="nobody", ends=plan.ends or "not recorded")
    for step in situation.steps:
        count = Executions(min=step.starts, max=step.starts)
        course.fates.append(
            Fate(step=step, verdict="replayed" if step.code == "done" else "never-reached", attempts=count)
        )
    course.futures = Futures((effect, Future()) for effect in situation.effects)
    return _simulation(situation, question, point, course, crashes=0)


def _carry(plan: Plan, earlier: int, now: int, situation: Situation, question: Question) -> bool:
    """Add to ``situation`` what an earlier crash left behind. False: nothing recovers from it."""
    past = plan.situation(earlier)
    course = ask(question.runtime, past, question.surroundings, question.model)
    if course.outcome not in ("recovers", "nothing-open"):
        return False
    for before, after in zip(past.steps, situation.steps, strict=True):
        if before.runs_again or before.aborted:
            if after.code == "unborn":
                raise WrongUse(
                    f"The schedule goes back: {before.function} had begun at point {earlier} and has not "
                    f"at {now}.",
                    hint="Give points in the order in which recovery reaches them.",
                )
            if before.runs_again and after.starts >= before.starts:
                after.starts += 1
                after.emitted += before.emitted if after.runs_again else 0
                if after.model is not None and before.model is not None:
                    after.model.began += before.model.began
                    after.model.maybe += before.model.maybe
            elif before.aborted and not before.runs_again:
                after.aborted = True
    for old, new in zip(past.effects, situation.effects, strict=True):
        if old.step is not None and old.step.runs_again and old.before.max != 0:
            new.before = new.before + old.before
            new.unborn = False
    return True


def answer(
    situation: Situation,
    question: Question,
    point: CrashPoint,
    *,
    crashes: int = 1,
    batch: int | None = None,
    memo: Memo | None = None,
) -> Simulation:
    """Return the simulation of a situation under a question.

    Args:
        situation: what lies there.
        question: what is assumed.
        point: where that is.
        crashes: length of the schedule.
        batch: ``modelCallsPerStep`` of a what-if.
        memo: verdicts already made for shared parts of one plan under this question; grown here.
    """
    question = question.fitted(situation.framework)
    course = ask(question.runtime, situation, question.surroundings, question.model)
    return _simulation(situation, question, point, course, crashes=crashes, batch=batch, memo=memo)


def _simulation(
    situation: Situation,
    question: Question,
    point: CrashPoint,
    course: Course,
    *,
    crashes: int,
    batch: int | None = None,
    memo: Memo | None = None,
) -> Simulation:
    steps = tuple(_step_verdict(fate, situation, memo) for fate in course.fates)
    effects = _effects(situation, question, course, memo)
    rules = {}
    for used in course.rules:
        text = RULES.get(used.rule) or rule_of(question.runtime, used.rule)
        if text is not None:
            rules[used.rule, used.about] = RuleUse(
                rule=used.rule,
                text=text.text,
                source=text.source,
                about=used.about,
                certainty=text.certainty,
                evidence=used.evidence,
            )
    sure = all(effect.exact for effect in effects)
    return Simulation(
        session_id=situation.session_id,
        turn_id=situation.turn_id,
        point=point,
        assumptions=question.assumptions(crashes=crashes, batch=batch),
        outcome=course.outcome,
        steps=steps,
        effects=effects,
        model_calls=course.calls,
        tokens=course.tokens,
        events_again=course.events_again,
        by=course.by,
        earliest=course.earliest,
        delay=course.delay,
        person=course.person,
        ends=course.ends,
        rules=tuple(rules.values()),
        told=contradictions(situation, course, question.model),
        certainty="implied" if sure else "unknown",
        open=situation.unread,
        unnamed=situation.unnamed,
        plain=situation.plain,
        framework=situation.framework,
    )


def _step_verdict(fate: Fate, situation: Situation, memo: Memo | None) -> StepVerdict:
    step = fate.step
    key = (id(step), fate.verdict, fate.attempts, fate.record_attempt, fate.completes, fate.rule)
    if memo is not None:
        known = cast("tuple[StepState, StepVerdict] | None", memo.get(key))
        if known is not None and known[0] is step:
            return known[1]
    made = StepVerdict(
        step_id=step.step_id,
        run_id=situation.runs[step.run].run_id,
        function=step.function,
        code=step.code,
        verdict=fate.verdict,
        attempts=fate.attempts,
        record_attempt=fate.record_attempt,
        completes=fate.completes,
        certainty="observed" if step.code == "done" else "implied",
        rule=fate.rule,
        proves=fate.proves,
        evidence=step.evidence,
    )
    if memo is not None:
        # The step is kept with its verdict, so that its id cannot become another's.
        memo[key] = (step, made)
    return made


def _effects(
    situation: Situation, question: Question, course: Course, memo: Memo | None
) -> tuple[EffectVerdict, ...]:
    out = []
    first: set[tuple[int, str]] = set()
    for effect in situation.effects:
        future = course.futures[effect]
        run = effect.child or 0
        key = (run, effect.tool)
        known = (
            id(effect),
            future.after,
            future.again,
            future.rule,
            future.missed,
            future.resumed,
            key in first,
        )
        held = cast("tuple[EffectState, EffectVerdict] | None", memo.get(known)) if memo is not None else None
        if held is not None and held[0] is effect:
            first.add(key)
            out.append(held[1])
            continue
        total = effect.before + future.after
        chosen = question.strategy_of(effect)
        if future.resumed and chosen is STRATEGIES["none"]:
            chosen = DURABLE
        seen = Seen(
            before=effect.before,
            after=future.after,
            again=future.again,
            model=question.model if effect.kind == "tool" else "same",
            first_in_run=key not in first,
        )
        first.add(key)
        if chosen is STRATEGIES["none"]:
            outside, missed = total, NEVER
        else:
            outside, missed = chosen.apply(seen)
        if chosen is DURABLE and future.resumed == "open":
            outside = Executions(min=outside.min, max=total.max)
        if future.missed.max:
            missed = missed + future.missed
        out.append(
            EffectVerdict(
                tool=effect.tool,
                call_id=effect.call_id,
                kind=effect.kind,
                coordinate=effect.coordinate,
                position=effect.position,
                before=effect.before,
                after=future.after,
                executions=total,
                outside=outside,
                missed=missed,
                strategy=chosen.name,
                resumed=future.resumed,
                certainty="implied" if total.min == total.max else "unknown",
                rule=future.rule,
                step_id=effect.step.step_id if effect.step else None,
                run_id=situation.runs[run].run_id,
                evidence=effect.evidence,
            )
        )
        if memo is not None:
            memo[known] = (effect, out[-1])
    return tuple(out)


def environments_for(plain: bool, framework: str = "eve") -> tuple[str, ...]:
    """Return the names of the environments that make sense for an eve session or a plain SDK run."""
    room = room_of(framework)
    if room is not None:
        return room.environments()
    if framework == "python-sdk":
        return ("python-sdk", "python-sdk-restarted")
    started = ("sdk-started", "sdk-not-started")
    if plain:
        return (*started, "postgres", "two-processes")
    foreign = {"flue", "flue-redeployed", "python-sdk", "python-sdk-restarted"}
    other = {*started, *foreign, "not-restarted", "postgres-4.1"}
    return tuple(name for name in ENVIRONMENTS if name not in other)

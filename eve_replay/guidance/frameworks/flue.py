"""Flue's conversations in words: what became of every call, what goes on by itself, what nobody can know.

Rules: docs/evidence/flue.md#after-a-crash. What recovery is going to do is asked of the one runtime, as the
forecast asks it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from eve_replay.checks.finding import Verdict
from eve_replay.checks.phrases import Voice, count, listed
from eve_replay.guidance.plan.done import done_steps
from eve_replay.guidance.plan.model import NO_PLAN, About, Place, Plan, PlanStep, Soon
from eve_replay.guidance.plan.naming import about_effect, call_text
from eve_replay.journal.effects.build import Effect
from eve_replay.journal.model import Evidence, Session, Turn
from eve_replay.recovery.environment import environment
from eve_replay.recovery.frameworks.flue.observe import open_turn, seen_from_outside, situation_from
from eve_replay.recovery.runtimes.base import Course, Future
from eve_replay.recovery.runtimes.registry import runtime_named
from eve_replay.recovery.situation import EffectState, Situation

if TYPE_CHECKING:
    from eve_replay.guidance.why import Report

__all__ = ["telling"]

_RULE_WORDS = {
    "flue-exhausted": "its attempts are used up",
    "flue-deadline": "its deadline comes before the takeover",
    "flue-bare-child": "a delegate's conversation was created and its input was not written",
}


class _Flue:
    """See :class:`~eve_replay.guidance.frameworks.registry.Telling`."""

    def verdicts(self, session: Session, effects: Iterable[Effect], voice: Voice) -> list[Verdict]:
        """Return what is to be said beside the counts of effects."""
        found = list(effects)
        out = [v for turn in session.turns if turn.committed for v in _settled(session, turn, found, voice)]
        turn = open_turn(session)
        if turn is None:
            if not any(v.severity == "error" for v in out):
                out.append(_rests(session, voice))
            return out
        if seen_from_outside(session):
            out.append(_unsettled(session, turn))
            return out
        situation, course = _ahead(session, found)
        out.append(_stands(session, turn, course, voice))
        out += _open_calls(turn, situation, course, found)
        return out

    def plan(self, session: Session, report: Report, voice: Voice, place: Place) -> Plan:
        """Return what to do now."""
        turn = open_turn(session)
        steps: list[PlanStep] = []
        soon: list[Soon] = []
        if turn is not None and not seen_from_outside(session):
            situation, course = _ahead(session, report.effects)
            steps += _to_look_up(session, situation, course, report.effects)
            soon += _again(session, situation, course, report.effects)
            steps.append(_start(session, turn, course, voice, place))
        counted = list(zip(report.effects, report.counts, strict=True))
        steps += done_steps(session, counted, frozenset(), voice, "")
        steps += _left_unknown(session, report.effects)
        if not steps:
            return NO_PLAN
        unique = {(step.kind, step.text): step for step in sorted(steps, key=lambda each: each.group)}
        return Plan(steps=tuple(unique.values()), soon=tuple(soon), as_of=voice.now, zone=voice.zone)


def _ahead(session: Session, effects: Iterable[Effect]) -> tuple[Situation, Course]:
    situation = situation_from(session, effects, open_turn(session))
    return situation, runtime_named("flue").recover(situation, environment("flue"), "same")


def _row(session: Session, turn: Turn) -> Evidence:
    record = turn.budget.record_id if turn.budget is not None else session.id
    return Evidence(kind="record", id=record, run_id=session.id, note="submission")


def _name(turn: Turn) -> str:
    return f"Submission {turn.sequence}"


def _rests(session: Session, voice: Voice) -> Verdict:
    last = session.turns[-1] if session.turns else None
    since = f" {voice.since(last.ended_at)}" if last is not None and last.ended_at is not None else ""
    return Verdict(
        code="idle",
        sentence=f"Every submission is settled: the conversation has waited for the next message{since}.",
        certainty="observed" if not session.missing("events") else "unknown",
        evidence=session.evidence,
        run_id=session.id,
    )


def _settled(session: Session, turn: Turn, effects: list[Effect], voice: Voice) -> Iterator[Verdict]:
    row = _row(session, turn)
    error = turn.error or {}
    if turn.status == "failed":
        said = str(error.get("message") or "").rstrip(".")
        yield Verdict(
            code="failed-turn",
            sentence=f"{_name(turn)} failed {voice.at(turn.ended_at)} with {error.get('code')}: {said}. "
            "What its calls had done stays, and nothing of it is tried again.",
            certainty="observed",
            evidence=(*turn.evidence, row),
            next="Look at what its calls did, then send the message again if it is still wanted.",
            severity="error",
            turn_id=turn.id,
            run_id=session.id,
        )
    if turn.status == "cancelled":
        yield Verdict(
            code="cancelled-turn",
            sentence=f"{_name(turn)} was aborted {voice.at(turn.ended_at)}. What its calls had done stays.",
            certainty="observed",
            evidence=(*turn.evidence, row),
            turn_id=turn.id,
            run_id=session.id,
        )
    for effect in effects:
        verdict = _of_settled(session, turn, effect)
        if verdict is not None:
            yield verdict


def _of_settled(session: Session, turn: Turn, effect: Effect) -> Verdict | None:
    fate = _fate(session, effect)
    if effect.turn_id != turn.id or fate not in ("interrupted", "abandoned", "timed_out", "unresolved"):
        return None
    if effect.executions.max == 0 or effect.kind == "workflow-tool":
        return None
    sentences = {
        "interrupted": "has no outcome: its process died, and the model was told that it is unknown. Flue "
        "does not run it again; whether it acted is not recorded.",
        "abandoned": "was cut off while it ran. Its function may have acted, or may act later in a process "
        "that lives.",
        "timed_out": "ran out of its time. Its function may have acted, or may act later in a process that "
        "lives.",
        "unresolved": "never gets an outcome: the conversation that asked for it was given up. Whether it "
        "acted is not recorded.",
    }
    return Verdict(
        code="left-behind",
        sentence=f"{call_text(effect)} {sentences[fate]}",
        certainty="unknown",
        evidence=effect.evidence,
        next=f"Look up whether {effect.tool} acted." if effect.protection.acts else "",
        severity="warning" if effect.protection.acts else "info",
        turn_id=turn.id,
        run_id=effect.run_id,
        step_id=effect.step_id,
        tool=effect.tool,
        call_ids=effect.call_ids,
    )


def _fate(session: Session, effect: Effect) -> str:
    for step in session.steps:
        for call in step.tool_calls:
            if step.step_id == effect.step_id and call.call_id == effect.call_id:
                return call.fate
    return ""


def _unsettled(session: Session, turn: Turn) -> Verdict:
    return Verdict(
        code="running",
        sentence=f"{_name(turn)} is not settled in this HTTP view. Whether a process is at work on it, and "
        "what comes next, is not in the view.",
        certainty="unknown",
        next="Read the agent's database, or the view again.",
        evidence=turn.evidence,
        turn_id=turn.id,
        run_id=session.id,
    )


def _stands(session: Session, turn: Turn, course: Course, voice: Voice) -> Verdict:
    budget = turn.budget
    assert budget is not None  # every submission has one
    row = _row(session, turn)
    common = {"turn_id": turn.id, "run_id": session.id, "evidence": (*turn.evidence, row)}
    if budget.status == "queued":
        return Verdict(
            code="between-steps",
            sentence=f"{_name(turn)} is accepted and not begun. It begins when its agent's process is up.",
            certainty="observed",
            next="Start the app that serves the agent, if it is not up.",
            severity="info",
            **common,  # type: ignore[arg-type]  # the fields above
        )
    most = f" of {budget.max_attempts}" if budget.max_attempts else ""
    attempt = f"{_name(turn)} is at work, attempt {budget.attempts}{most}"
    if course.outcome == "fails":
        why = next((_RULE_WORDS[u.rule] for u in course.rules if u.rule in _RULE_WORDS), "")
        return Verdict(
            code="will-fail",
            sentence=f"{attempt}. The next process that takes it over fails it, and runs nothing: {why}.",
            certainty="implied",
            next="Look at what its calls did; send the message again after it has failed.",
            severity="error",
            **common,  # type: ignore[arg-type]  # the fields above
        )
    ends = {
        "aborted": "It is settled as aborted then, and nothing of it runs.",
        "completed": "It goes on by itself then.",
    }.get(course.ends, "")
    lease = budget.lease_until
    if lease is not None and lease > voice.now:
        return Verdict(
            code="leased",
            sentence=f"{attempt}. Its owner holds it until {voice.at(lease).removeprefix('at ')}: it is "
            "alive and renews that every 10 s, or it is dead and another process takes over after that. "
            f"{ends}",
            certainty="unknown",
            next="Wait until the lease has run out, then look again.",
            severity="info",
            **common,  # type: ignore[arg-type]  # the fields above
        )
    since = f"since {voice.at(lease).removeprefix('at ')}" if lease is not None else "any more"
    return Verdict(
        code="overdue",
        sentence=f"{attempt}, and nobody has held it {since}: its process is dead. A process that serves the "
        f"agent takes it over when it starts. {ends}",
        certainty="implied",
        next="Start the app that serves the agent.",
        severity="warning",
        **common,  # type: ignore[arg-type]  # the fields above
    )


def _open_calls(turn: Turn, situation: Situation, course: Course, effects: list[Effect]) -> Iterator[Verdict]:
    for effect, state, future in _ahead_of(effects, situation, course):
        if state.stage != "open" or state.delegate == "begun":
            continue
        text = call_text(effect)
        done = [e.tool for e in situation.effects if e.within == state.call_id]
        again = future.after.max != 0
        if state.delegate == "missing":
            sentence = (
                f"{text} was asked for, and its delegate's conversation was never created: it never runs."
            )
        elif again and state.durable:
            kept = f" Its recorded steps are replayed ({listed(done)})." if done else ""
            sentence = (
                f"{text} runs again: it is durable.{kept} A step whose function had ended and whose record "
                "had not landed runs a second time, and so does what lies outside its steps."
            )
        elif again:
            sentence = (
                f"{text} has no outcome. If its tool is declared durable, it runs again; if not, Flue never "
                "runs it again and tells the model that its outcome is unknown. The journal does not say."
            )
        else:
            sentence = (
                f"{text} has no outcome. Flue does not run it again: the model is told that its outcome is "
                "unknown, and may ask for it again. Whether it acted is not recorded."
            )
        yield Verdict(
            code="interrupted",
            sentence=sentence,
            certainty="implied" if again and state.durable else "unknown",
            evidence=effect.evidence,
            next=f"Look up whether {effect.tool} acted." if effect.protection.acts and not done else "",
            severity="warning" if effect.protection.acts else "info",
            turn_id=turn.id,
            run_id=effect.run_id,
            step_id=effect.step_id,
            tool=effect.tool,
            call_ids=effect.call_ids,
        )


def _ahead_of(
    effects: Iterable[Effect], situation: Situation, course: Course
) -> Iterator[tuple[Effect, EffectState, Future]]:
    """Yield every effect with its state and what recovery adds: the three are in one order."""
    for effect, state in zip(effects, situation.effects, strict=True):
        yield effect, state, course.futures[state]


def _to_look_up(
    session: Session, situation: Situation, course: Course, effects: Iterable[Effect]
) -> list[PlanStep]:
    out = []
    for effect, state, future in _ahead_of(effects, situation, course):
        if state.stage != "open" or state.delegate or not effect.protection.acts:
            continue
        if state.durable:
            continue
        ask = "it runs again" if future.after.min else "the model may ask for it again"
        out.append(
            PlanStep(
                kind="look-up",
                does="look",
                sentence=f"Look up whether {call_text(effect)} acted: it has no outcome, and {ask}.",
                certainty="unknown",
                about=(about_effect(session, effect),),
                group=2,
            )
        )
    return out


def _left_unknown(session: Session, effects: Iterable[Effect]) -> Iterator[PlanStep]:
    for effect in effects:
        fate = _fate(session, effect)
        over = effect.turn_id in {turn.id for turn in session.turns if turn.committed}
        if not over or fate not in ("interrupted", "abandoned", "timed_out", "unresolved"):
            continue
        if not effect.protection.acts or effect.kind != "tool" or effect.executions.max == 0:
            continue
        yield PlanStep(
            kind="look-up",
            does="look",
            sentence=f"Look up whether {call_text(effect)} acted: its outcome is unknown.",
            certainty="unknown",
            about=(about_effect(session, effect),),
            group=2,
        )


def _again(
    session: Session, situation: Situation, course: Course, effects: Iterable[Effect]
) -> Iterator[Soon]:
    for effect, state, future in _ahead_of(effects, situation, course):
        if not future.again or not effect.protection.acts:
            continue
        yield Soon(
            session_id=session.id,
            tool=effect.tool,
            call_id=effect.call_id or "",
            step_id=effect.step_id,
            at=course.earliest,
            by="lease",
            protected=True if state.durable else None,
            sentence=f"{call_text(effect)} runs again at the takeover"
            + (
                ": it is durable, its recorded steps are replayed." if state.durable else " if it is durable."
            ),
            certainty="implied" if state.durable else "unknown",
            certain=effect.executions.min > 0,
        )


def _start(session: Session, turn: Turn, course: Course, voice: Voice, place: Place) -> PlanStep:
    agent = session.runs[0].workflow.function
    budget = turn.budget
    lease = budget.lease_until if budget is not None else None
    if place.alive is True:
        return PlanStep(kind="wait", does="wait", sentence="Its process is at work: let it go on.", group=4)
    if lease is not None and lease > voice.now:
        return PlanStep(
            kind="wait",
            does="wait",
            sentence=f"Wait until its lease has run out {voice.at(lease)}: if its process is alive, it "
            "goes on by itself.",
            certainty="unknown",
            deadline=lease,
            group=4,
        )
    then = {
        "fails": "it settles the submission as failed, without running anything",
        "needs-person": "it takes the submission over",
    }.get(course.outcome, "it takes the submission over at once")
    if course.ends == "aborted":
        then = "it settles the submission as aborted, without running anything"
    several = f" It is {_name(turn).lower()} of {count(len(session.turns), 'submission')}, counted from 0."
    others = several if len(session.turns) > 1 else ""
    return PlanStep(
        kind="safe-to-start",
        does="start-server",
        sentence=f"Start the app that serves the agent {agent}: {then}.{others}",
        certainty="implied",
        about=(About(session_id=session.id, run_id=session.id),),
        group=4,
    )


telling = _Flue()

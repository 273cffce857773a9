"""Harm that comes by itself: what runs again without anybody deciding it, when, and what to do before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType

from eve_replay.checks.phrases import Voice, listed, span
from eve_replay.guidance.plan import commands
from eve_replay.guidance.plan.model import About, Place, PlanStep, Soon
from eve_replay.guidance.plan.naming import call_text, latest
from eve_replay.journal.effects.build import Effect
from eve_replay.journal.effects.judge import judge
from eve_replay.journal.model import Session
from eve_replay.recovery.engine import answer
from eve_replay.recovery.environment import ENVIRONMENTS, Environment
from eve_replay.recovery.question import Question
from eve_replay.recovery.result import CrashPoint, EffectVerdict, Simulation
from eve_replay.recovery.situation import Situation

__all__ = ["Ahead", "ahead_of", "coming_steps", "soon_of"]

#: Where nothing recovers by itself: the environment in which somebody brings it back.
_BACK: Mapping[str, str] = MappingProxyType(
    {
        "eve-dev": "eve-dev-resume",
        "sdk-not-started": "sdk-started",
        "postgres-4.1": "postgres",
        "not-restarted": "eve-start",
        "other-version": "eve-start",
    }
)
#: When it goes on then, where that is not at once.
_WHEN: Mapping[str, str] = MappingProxyType(
    {"python-sdk": "once the queue delivers its message again (30 s to 1 h later, 300 s unless told)"}
)
#: What "bring it back" is called there.
_STARTS: Mapping[str, str] = MappingProxyType(
    {
        "eve-dev": "`eve dev --resume` or `eve start` of the same version",
        "sdk-not-started": "a call of world.start()",
        "postgres-4.1": "the queue's delivery of its job",
        "python-sdk": "the start of a worker on its queue",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ahead:
    """What lies ahead of a session: the simulation of a process that comes back, and how it comes back.

    Attributes:
        environment: how the session's process comes back, as far as the journal tells.
        itself: whether recovery happens without anybody asking for it.
        sim: what happens then (where nothing recovers by itself: what happens once somebody starts it).
        start: what brings it back, in words.
    """

    environment: Environment
    itself: bool
    sim: Simulation
    start: str


def ahead_of(session: Session, situation: Situation, environment: str, voice: Voice) -> Ahead:
    """Return what happens to what lies there once a process is back.

    Args:
        session: the session.
        situation: what lies there.
        environment: as ``forecast --environment`` takes it.
        voice: now and the assumed lease.
    """
    env = ENVIRONMENTS[environment]
    itself = env.recovers == "yes"
    back = ENVIRONMENTS[_BACK.get(environment, environment)]
    lease = voice.lease.total_seconds() if back.lease_assumed else None
    point = CrashPoint(klass="as-it-lies", label="as it lies there", run_id=session.id)
    sim = answer(situation, Question(environment=back, lease_seconds=lease), point)
    plain = session.kind == "workflow"
    start = _STARTS.get(environment) or ("the start of a worker" if plain else "the start of a server")
    return Ahead(environment=env, itself=itself, sim=sim, start=start)


def soon_of(
    session: Session, ahead: Ahead, effects: Sequence[Effect], voice: Voice, place: Place
) -> tuple[tuple[Soon, Effect | None], ...]:
    """Return the effects that have acted, or may have, and act again; unprotected ones first."""
    if place.alive:
        return ()  # observed: a process is at work on it, so nothing of this is due to a crash
    found: list[tuple[Soon, Effect | None]] = []
    at = ahead.sim.earliest
    at = at if at is not None and at > voice.now else None
    for verdict in ahead.sim.effects:
        if verdict.after.max == 0 or verdict.before.max == 0 or verdict.strategy == "read-only":
            continue
        effect = _effect(verdict, effects)
        if effect is not None and not effect.protection.acts:
            continue
        judged = judge(verdict.executions, outside=verdict.outside)
        protected: bool | None = not judged.harmful
        if (
            protected is False
            and effect is not None
            and effect.protection.klass in ("keyed", "check-then-act")
        ):
            protected = None
        found.append((_soon(session, ahead, verdict, effect, at, protected, voice), effect))
    return tuple(sorted(found, key=lambda pair: (not pair[0].unprotected, pair[0].at is None)))


def _effect(verdict: EffectVerdict, effects: Sequence[Effect]) -> Effect | None:
    same = [e for e in effects if e.tool == verdict.tool]
    for effect in same:
        if verdict.call_id and verdict.call_id in effect.call_ids:
            place = effect.coordinate
            if verdict.coordinate is None or place is None:
                return effect
            if verdict.coordinate == (place.turn_id, place.step_index):
                return effect
    return next((e for e in same if verdict.step_id and e.step_id == verdict.step_id), None)


def _soon(
    session: Session,
    ahead: Ahead,
    verdict: EffectVerdict,
    effect: Effect | None,
    at: datetime | None,
    protected: bool | None,
    voice: Voice,
) -> Soon:
    name = call_text(effect) if effect is not None else verdict.tool
    endless = verdict.after.max is None
    by = "wake-up" if endless else ahead.sim.by
    when = _when(ahead, at, endless, voice)
    acted = "has acted" if verdict.before.min else "may have acted"
    last = latest(effect) if effect is not None else None
    past = f"it {acted}" + (f" {voice.at(last)}" if last is not None else "")
    how = {
        True: "behind a key",
        False: "and nothing recorded protects it",
        None: "and its protection may not hold",
    }
    may = "runs" if verdict.after.min else "may run"
    return Soon(
        session_id=session.id,
        tool=verdict.tool,
        call_id=verdict.call_id or "",
        step_id=verdict.step_id or "",
        at=at,
        by=by,
        protected=protected,
        sentence=f"{when} {name} {may} again, {how[protected]}: {past}.",
        certainty="implied" if verdict.exact else "unknown",
        certain=verdict.before.min > 0,
    )


def _when(ahead: Ahead, at: datetime | None, endless: bool, voice: Voice) -> str:
    if endless:
        return "At every wake-up (start, message, answer)"
    if ahead.sim.by == "message":
        return "With the next message"
    if at is not None and ahead.itself:
        return f"At {voice.clock(at)} (in {span(at - voice.now)}), if its process died,"
    if at is not None:
        return f"With {ahead.start}, not before {voice.clock(at)},"
    return f"With {ahead.start}"


def coming_steps(
    session: Session,
    ahead: Ahead,
    soon: Sequence[tuple[Soon, Effect | None]],
    voice: Voice,
    place: Place,
) -> list[PlanStep]:
    """Return what to do before something unprotected runs again: look it up, then hold it or let it go."""
    bare = [(each, effect) for each, effect in soon if each.unprotected and each.by != "wake-up"]
    if not bare:
        return []
    at = bare[0][0].at if ahead.itself else None
    sure = [(each, effect) for each, effect in bare if each.certain]
    open_ = [(each, effect) for each, effect in bare if not each.certain]
    about = tuple(
        About(session_id=session.id, tool=s.tool, call_id=s.call_id, step_id=s.step_id) for s, _ in bare
    )
    tools = list(dict.fromkeys(each.tool for each, _ in bare))
    again = f"{listed(tools)} {'runs' if len(tools) == 1 else 'run'} again"
    when = f"at {voice.clock(at)}" if at is not None else f"with {ahead.start}"
    out: list[PlanStep] = []
    if open_:
        names = listed(dict.fromkeys(_dated(each, effect, voice) for each, effect in open_))
        left = f" ({span(at - voice.now)} left)" if at is not None else ""
        before = f"Before {voice.clock(at)}{left}" if at is not None else f"Before {_started(ahead.start)}"
        alive = "" if place.alive is False else " (not if its process is still at work)"
        out.append(
            PlanStep(
                kind="look-up",
                does="look",
                sentence=f"{before}, find out where it acts whether {names} went through; the journal cannot "
                f"tell. {when[:1].upper()}{when[1:]} {again}{alive}, and nothing recorded keeps the "
                "outside from seeing it twice.",
                certainty="unknown",
                about=about,
                deadline=at,
                group=1,
            )
        )
    went = "it went" if len(open_) == 1 else "they went"
    done = listed(dict.fromkeys(_dated(each, effect, voice) for each, effect in sure))
    condition = f"If {went} through, or you cannot tell:" if open_ and not sure else ""
    hold = _hold(session, ahead, at, again, tools, voice)
    has = f"{done} {'has' if len(sure) == 1 else 'have'} acted. " if sure else ""
    out.append(
        PlanStep(
            kind="hold",
            does="keep-down",
            only_if=condition,
            sentence=has + (hold if condition else hold[:1].upper() + hold[1:]),
            about=about,
            deadline=at,
            commands=()
            if session.kind == "workflow"
            else (
                replace(
                    commands.reset(place, session.id), words="under another eve version: retire the session"
                ),
            ),
            group=1,
        )
    )
    free = "If it did not:" if len(open_) == 1 else "If none of them did:"
    inside = "" if session.kind == "workflow" else ", with its model calls and tools"
    out.append(
        PlanStep(
            kind="safe-to-start",
            does="start-server",
            only_if=free if open_ and not sure else "Only when a second time is wanted, or will be undone:",
            sentence=f"let it run. The step runs again whole {when}{inside}, and "
            f"{again}. A key added now does not protect a first call that carried none.",
            about=about,
            group=1,
        )
    )
    return out


def _hold(
    session: Session, ahead: Ahead, at: datetime | None, again: str, tools: Sequence[str], voice: Voice
) -> str:
    """Say what to hold, and the ways out that were seen.

    Source: docs/evidence/environments.md#stopping-an-open-step.
    """
    if at is not None:
        text = f"have no server up at {voice.clock(at)}: with any that is up {again}."
    else:
        when = _WHEN.get(ahead.environment.name, "at once")
        text = f"hold {ahead.start}: with it {again} {when}."
    if session.kind == "workflow":
        return text
    return (
        f"{text} Cancel and reset do not help meanwhile: the step was seen to run again first. Two ways "
        "out were "
        f"seen: a new build of the same eve version whose {listed(tools)} first looks for what is done (a "
        "turn goes "
        "on with the new code); or another eve version, which runs nothing of it, and a reset there."
    )


def _started(start: str) -> str:
    """Return ``a server is started`` for ``the start of a server``."""
    thing = start.removeprefix("the start of ")
    return f"{thing} is started" if thing != start else start


def _dated(soon: Soon, effect: Effect | None, voice: Voice) -> str:
    name = call_text(effect) if effect is not None else soon.tool
    last = latest(effect) if effect is not None else None
    return f"{name} of {voice.clock(last)}" if last is not None else name

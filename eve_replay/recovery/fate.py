"""The fate of every run: what becomes of it once a process is back. Worked out once, told by everybody.

``doctor``, ``why``, ``forecast`` of all and ``forecast SESSION`` are views of what is computed here, so they
cannot contradict each other::

    for fate in fates(journal.sessions).values():
        print(fate.session_id, fate.outcome, fate.person)
        for run in fate.runs:
            print(run.run_id, run.goes, run.because)

A run's fate is a function of what lies half written in it and of what the runs it waits for still have to
say: a child that has given its last word may hang for ever without harm, one that failed before it stops
everything above it (``runtimes.eve.flow``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from eve_replay.journal.effects.policy import EffectsLike
from eve_replay.journal.model import Session
from eve_replay.journal.once import once_with
from eve_replay.recovery.environment import Environment
from eve_replay.recovery.environment import environment as named_environment
from eve_replay.recovery.frameworks.registry import room_of
from eve_replay.recovery.observe import observe
from eve_replay.recovery.result import Outcome
from eve_replay.recovery.runtimes.base import Course
from eve_replay.recovery.runtimes.eve.flow import Flow, Stop
from eve_replay.recovery.runtimes.registry import flow_of, runtime_named, runtime_of
from eve_replay.recovery.situation import Situation, StepState
from eve_replay.recovery.words import RULES

__all__ = [
    "Because",
    "RunFate",
    "SessionFate",
    "Way",
    "fate_of",
    "fates",
    "situation_of",
    "situations",
]

#: What a half-written commit does to its session: it ``stops`` it for good, ``pauses`` it until the next
#: message (and deafens it after the turn), ``deafens`` it once the turn has ended, ``silences`` a subagent
#: that then never answers its caller, or does nothing to it (``harmless``).
Way = Literal["stops", "pauses", "deafens", "silences", "mutes", "harmless"]
Goes = Literal["over", "goes-on", "waits", "message", "person", "stuck", "fails"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Because:
    """One reason of a fate.

    Attributes:
        rule: a name of ``words.RULES`` (``F1``, ``C1b``, ``W2``, ``child-stuck``, ``child-failed``,
            ``deaf-hook``, ``side``, ``side-deaf`` ...); ``text`` what it says; ``about`` what it is applied
            to.
        run_id: the run it stops, by its own half-written commit where ``by_hand``.
        step_id: the step, wait or hook it lies in, empty when it lies in a run below.
    """

    rule: str
    text: str
    about: str
    run_id: str
    by_hand: bool = False
    evidence: tuple[str, ...] = ()
    step_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFate:
    """What becomes of one run.

    Attributes:
        role: ``session``, ``tool``, ``timeout``, ``workflow`` ...
        goes: ``over`` (ended), ``goes-on`` by itself, ``waits`` (for its time, or with nothing due),
            ``message`` (goes on with the next message), ``person``, ``stuck`` for good, ``fails``.
        told: a child that has given its last word: what happens to it no longer matters to its parent.
        waits_for: runs (or sessions) whose word it waits for.
        because: why it is stuck, empty otherwise.
    """

    run_id: str
    session_id: str
    role: str
    workflow: str
    goes: Goes
    told: bool = False
    waits_for: tuple[str, ...] = ()
    because: tuple[Because, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFate:
    """What becomes of one session (or plain run) once a process is back in its environment.

    Attributes:
        outcome: as ``forecast`` says it.
        known: False when the event log is not here: nothing can be foretold then.
        by, earliest, ends, person: as in :class:`~eve_replay.recovery.result.Simulation`.
        due: something goes on by itself: an open step, the next step of a turn or run, an accepted message
            that was not taken yet, a child's word. Nothing of it need show as an open step ("between two
            steps").
        asks: requests to a person without an answer in the log, those of subagents not counted.
        lost: a delivery is on its way that never became an event: somebody has to send it again.
        unread: an answer of the model had not reached the stream whole: the list of calls may be incomplete.
        deaf: the turn runs to its end, but no message after it is processed.
        runs: one fate per run that is not history; ``because``: what stops the session, worst first.
        harmless: what is half written and stops nobody.
        ways: what each half-written commit does to the session, by step, wait or hook id.
    """

    session_id: str
    outcome: Outcome
    known: bool = True
    by: str = "restart"
    earliest: datetime | None = None
    ends: str = ""
    person: str = ""
    due: bool = False
    asks: int = 0
    lost: bool = False
    unread: bool = False
    deaf: bool = False
    runs: tuple[RunFate, ...] = ()
    because: tuple[Because, ...] = ()
    harmless: tuple[Because, ...] = ()
    ways: Mapping[str, Way] = field(default_factory=dict, repr=False)

    @property
    def waiting(self) -> tuple[Because, ...]:
        """The reasons that are no half-written commit of its own: children that failed or cannot go on."""
        return tuple(each for each in self.because if not each.by_hand)

    @property
    def stops(self) -> bool:
        """Whether it does not go on by itself although something is under way."""
        return self.outcome in ("hangs", "fails", "needs-message")

    def of(self, run_id: str) -> RunFate | None:
        """Return the fate of one run, None for a run that is history."""
        return next((run for run in self.runs if run.run_id == run_id), None)


def situations(sessions: Iterable[Session], effects: EffectsLike = None) -> dict[str, Situation]:
    """Return what lies there of every session, by id, subagents seen together with their callers.

    Args:
        sessions: joined sessions; those below them are covered too.
        effects: the user's effects policy.
    """
    out: dict[str, Situation] = {}
    for session in sessions:
        if session.id not in out or session.below:
            _note(_seen(session, effects), out)
    return out


def _note(situation: Situation, out: dict[str, Situation]) -> None:
    out[situation.session_id] = situation
    for each in situation.below:
        inner = each.situation
        if each.heard and inner.asks:
            # The caller has a person's answer and hands it down: the subagent goes on by itself.
            inner.asks, inner.open_turn = 0, True
        _note(inner, out)


def situation_of(
    session: Session,
    effects: EffectsLike = None,
    *,
    caller: Session | None = None,
) -> Situation:
    """Return what lies there of one session; ``caller``: the session that started it, of a subagent."""
    found = situations([caller] if caller is not None else [session], effects)
    return found.get(session.id) or _seen(session, effects)


def _seen(session: Session, effects: EffectsLike) -> Situation:
    """Return what lies there, read by the room of the session's framework."""
    room = room_of(session.framework)
    return observe(session, effects) if room is None else room.observe(session, effects)


def fates(sessions: Iterable[Session], *, lease_seconds: float | None = None) -> dict[str, SessionFate]:
    """Return the fate of every session, and of those below them, by session id.

    Args:
        sessions: joined sessions.
        lease_seconds: length of the lease; the default is assumed, the journal does not hold it.
    """
    known = {session.id: session for session in sessions}
    for session in list(known.values()):
        _descend(session, known)
    return {
        key: _fate(situation, lease_seconds, known.get(key))
        for key, situation in situations(known.values()).items()
    }


def _ways(situation: Situation, flow: Flow, session: Session | None) -> dict[str, Way]:
    """Return by step, wait or hook id what each half-written commit does; what is not there does nothing."""
    silent = session is not None and session.kind == "subagent"
    out: dict[str, Way] = {stop.subject: "harmless" for stop in flow.harmless}
    out |= {step.step_id or "": "silences" if silent else "pauses" for step in flow.side}
    out |= {step.step_id or "": "silences" if silent else "deafens" for step in flow.deaf}
    if flow.mute is not None:
        out[flow.mute[0]] = "mutes"
    return out | {stop.subject: "stops" for stop in flow.hangs if stop.by_hand}


def _descend(session: Session, known: dict[str, Session]) -> None:
    for each in session.below:
        if each.id not in known:
            known[each.id] = each
            _descend(each, known)


def fate_of(
    session: Session, *, caller: Session | None = None, lease_seconds: float | None = None
) -> SessionFate:
    """Return the fate of one session; ``caller`` is the session that started it, where it is a subagent."""
    if caller is None:
        return _fate_alone(session, lease_seconds)
    return _fate(situation_of(session, caller=caller), lease_seconds, session)


@once_with
def _fate_alone(session: Session, lease_seconds: float | None) -> SessionFate:
    return _fate(situation_of(session), lease_seconds, session)


def _known(session: Session | None) -> bool:
    return session is None or not any(run.log_missing and run.ended_at is None for run in session.runs)


def _fate(situation: Situation, lease_seconds: float | None, session: Session | None) -> SessionFate:
    if not situation.runs:
        return SessionFate(session_id=situation.session_id, outcome="nothing-open", known=False)
    room = room_of(session.framework) if session is not None else None
    if room is not None:
        return _fate_by(room.runtime, situation, lease_seconds)
    environment = _environment(situation, lease_seconds)
    course = runtime_of(situation.framework).recover(situation, environment, "same")
    flow = flow_of(situation)
    return SessionFate(
        session_id=situation.session_id,
        outcome=course.outcome,
        known=_known(session),
        by=course.by,
        earliest=course.earliest,
        ends=course.ends,
        person=course.person,
        due=situation.open_turn and not situation.root.over,
        asks=situation.asks,
        lost=situation.message_lost,
        unread=situation.unread,
        deaf=course.outcome == "hangs" and course.ends != "never",
        runs=_runs(situation, flow, course),
        because=tuple(_because(stop, situation) for stop in flow.hangs) + _beside(situation, flow),
        harmless=tuple(_because(stop, situation) for stop in flow.harmless),
        ways=_ways(situation, flow, session),
    )


def _fate_by(name: str, situation: Situation, lease_seconds: float | None) -> SessionFate:
    """Return the fate under a runtime whose commits are single writes: nothing of it is half written."""
    runtime = runtime_named(name)
    surroundings = named_environment(runtime.environment).with_options(lease_seconds=lease_seconds)
    course = runtime.recover(situation, surroundings, "same")
    goes: Goes = "goes-on" if course.outcome == "recovers" else "waits"
    if course.outcome == "fails":
        goes = "fails"
    return SessionFate(
        session_id=situation.session_id,
        outcome=course.outcome,
        by=course.by,
        earliest=course.earliest,
        ends=course.ends,
        person=course.person,
        due=situation.open_turn,
        unread=situation.unread,
        runs=tuple(
            RunFate(
                run_id=run.run_id,
                session_id=situation.session_id,
                role=run.role,
                workflow=run.workflow,
                goes="over" if run.over else goes,
                told=run.told,
            )
            for run in situation.runs
        ),
    )


def _environment(situation: Situation, lease_seconds: float | None) -> Environment:
    if situation.framework == "python-sdk":
        name = "python-sdk"
    else:
        name = "sdk-started" if situation.plain else "eve-start"
    return named_environment(name).with_options(lease_seconds=lease_seconds)


def _because(stop: Stop, situation: Situation) -> Because:
    run = situation.runs[stop.run]
    rule = RULES.get(stop.rule)
    return Because(
        rule=stop.rule,
        text=rule.text if rule is not None else "",
        about=stop.about,
        run_id=run.run_id,
        by_hand=stop.by_hand,
        evidence=stop.evidence,
        step_id=stop.subject,
    )


def _beside(situation: Situation, flow: Flow) -> tuple[Because, ...]:
    def told(rule: str, step: StepState) -> Because:
        return Because(
            rule=rule,
            text=RULES[rule].text,
            about=step.function,
            run_id=situation.root.run_id,
            by_hand=True,
            evidence=step.evidence,
            step_id=step.step_id or "",
        )

    return tuple(told("side", s) for s in flow.side) + tuple(told("side-deaf", s) for s in flow.deaf)


def _runs(situation: Situation, flow: Flow, course: Course) -> tuple[RunFate, ...]:
    out = []
    for run in situation.runs:
        reasons = tuple(_because(s, situation) for s in flow.hangs if s.run == run.index)
        waits = [
            other.run_id
            for other in situation.runs
            if other.index
            and other.parent == run.index
            and other.awaited
            and not other.told
            and not other.over
        ]
        waits += [
            each.situation.session_id for each in situation.below if each.under == run.index and not each.told
        ]
        goes: Goes = "goes-on"
        if run.over:
            goes = "over"
        elif run.index == 0:
            goes = {
                "hangs": "stuck",
                "fails": "fails",
                "needs-message": "message",
                "needs-person": "person",
                "nothing-open": "waits",
            }.get(course.outcome, "goes-on")  # type: ignore[assignment]
        elif flow.goes[run.index] == "no":
            goes = "stuck"
        elif any(each.under == run.index for each in flow.asking):
            goes = "person"
        elif not any(s.open for s in run.steps) and (waits or any(w.code == "waiting" for w in run.waits)):
            goes = "waits"
        out.append(
            RunFate(
                run_id=run.run_id,
                session_id=situation.session_id,
                role=run.role,
                workflow=run.workflow,
                goes=goes,
                told=run.told,
                waits_for=tuple(waits),
                because=reasons,
            )
        )
    return tuple(out)

"""forecast: what will happen when the process comes back, for a journal as it lies there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from os import PathLike

from eve_replay.brief import Brief
from eve_replay.errors import NotFound, WrongUse
from eve_replay.journal.effects.executions import Executions
from eve_replay.journal.effects.policy import EffectsLike, EffectsPolicy
from eve_replay.journal.facade import Journal, open_journal
from eve_replay.journal.joined import journal_of
from eve_replay.journal.model import Session, SessionHead
from eve_replay.journal.settled import settled
from eve_replay.journal.targets import Located, Target, locate
from eve_replay.records import RunRecord
from eve_replay.recovery.engine import answer, environments_for
from eve_replay.recovery.environment import ENVIRONMENTS, Environment
from eve_replay.recovery.environment import environment as named_environment
from eve_replay.recovery.fate import situation_of
from eve_replay.recovery.frameworks.registry import room_of
from eve_replay.recovery.question import Question, question_or_default
from eve_replay.recovery.result import CrashPoint, RuleUse, Simulation
from eve_replay.recovery.runtimes.registry import runtime_of
from eve_replay.recovery.situation import Situation
from eve_replay.recovery.strategies import DURABLE
from eve_replay.recovery.words import RULES
from eve_replay.worlds.base import World

__all__ = ["Forecast", "at_home", "detect_environment", "forecast", "forecast_session", "worst_first"]

_LIES = {
    "C1a": "is half created (a lock, nothing more)",
    "C1b": "is half created (lock and record, no event)",
    "B": "is created and not started",
    "C3": "is inside its start",
    "D": "was started and has no end",
    "R": "waits for its retry",
    "F1": "is inside its commit (terminal lock, no record)",
    "F2": "is inside its commit (lock and record, no event)",
}
_SEVERITY = ("fails", "hangs", "needs-person", "needs-message", "recovers", "nothing-open")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Forecast(Brief):
    """What will happen to one session.

    Attributes:
        session_id, title, status: which session.
        answer: under the environment asked for, or the one the journal points to.
        others: outcome per other environment, in a fixed order.
        certain: what is already certain, whatever comes: one sentence each.
        late: calls that were cut off and not waited for: their functions may still act, in a process that
            lives, and no record will tell.
    """

    session_id: str
    title: str
    status: str
    kind: str
    answer: Simulation
    others: tuple[tuple[str, Simulation], ...] = ()
    certain: tuple[str, ...] = ()
    late: tuple[str, ...] = ()

    @property
    def open(self) -> bool:
        """Whether anything is open, lost or waited for, or may still act."""
        return (
            bool(self.late)
            or self.answer.outcome != "nothing-open"
            or self.answer.point.certainty == "unknown"
        )

    def to_json(self) -> dict[str, object]:
        """Return the entry of ``forecast`` (with fields added), see docs/json.md."""
        out = self.answer.to_json()
        out |= {
            "sessionId": self.session_id,
            "title": self.title,
            "status": self.status,
            "kind": self.kind,
            "environments": {
                name: {"outcome": sim.outcome, "earliest": sim.to_json()["recovery"]}
                for name, sim in self.others
            },
            "certain": list(self.certain),
            "late": list(self.late),
        }
        return out


def detect_environment(journal: Journal, head: SessionHead) -> tuple[str, str]:
    """Return the environment that the journal points to, and the sign it was told by.

    ``eve dev`` writes the generation's id as deployment (docs/evidence/environments.md#eve-dev); a plain SDK
    app that never started its world has no ``version.txt`` (docs/formats/local.md#files).
    """
    world = journal.world
    kind = str(world.about.get("of") or world.kind)
    record = _record(journal, head.id)
    deployment = record.text("deploymentId") if record is not None else None
    if kind in ("postgres", "pgdump"):
        if record is not None and record.spec_version is None:
            return "postgres-4.1", "a Postgres world without spec versions (SDK 4.1)"
        return "postgres", "the journal is a Postgres world"
    if kind == "hosted":
        return "hosted", "the journal is a hosted world"
    if head.kind == "workflow":
        if deployment == "":
            return "python-sdk", (
                "the deployment id is empty, as the Python SDK writes it; that its queue outlives the worker "
                "is assumed, the folder does not say"
            )
        if kind in ("local", "sample") and not world.about.get("versionTxt"):
            return "sdk-not-started", "there is no version.txt, so nobody has started this world"
        return "sdk-started", "a plain SDK run"
    if deployment and not deployment.startswith(("dpl_", "postgres")):
        return "eve-dev", f"the deployment id {deployment!r} is an eve dev generation"
    return "eve-start", "the deployment id is that of a built app"


def _record(journal: Journal, run_id: str) -> RunRecord | None:
    """Return one record, without reading those of the whole world."""
    try:
        return journal.world.run(run_id)
    except NotFound:
        return None


def forecast(
    target: Target,
    *,
    session: str | Session | None = None,
    question: Question | None = None,
    effects: EffectsLike = None,
) -> tuple[Forecast, ...]:
    """Return what will happen to every session of a journal, those with something open first.

    Args:
        target: a source, world or journal as it lies there: then of all its sessions; a session or a part of
            one: then of this one.
        session: only this session, by id.
        question: what is assumed; without an environment the one that the journal points to is taken.
        effects: what the user knows of their tools.

    Raises:
        NotFound, WrongUse: as :func:`~eve_replay.journal.targets.locate`.
    """
    asked = question_or_default(question)
    rules = EffectsPolicy.load(effects)
    if session is None and isinstance(target, str | PathLike | World):
        target = open_journal(target)
    if session is None and isinstance(target, Journal):
        journal, only = target, None
    else:
        journal, only = _journal_of(locate(target, session=session))
    out = []
    for head in journal.heads if only is None else [one for one in [journal.head(only)] if one is not None]:
        if head.kind == "workflow" and head.parent is None and _child_like(journal, head):
            continue
        out.append(forecast_session(journal, journal.session(head.id), head, question=asked, effects=rules))
    return worst_first(out)


def worst_first(found: Iterable[Forecast]) -> tuple[Forecast, ...]:
    """Return forecasts in the order of a list: those with something open first, the worst of them."""
    return tuple(sorted(found, key=lambda f: (_SEVERITY.index(f.answer.outcome), f.session_id)))


def _journal_of(located: Located) -> tuple[Journal, str]:
    """Return the journal that a session was read from: it knows the kind of world and the subagents."""
    journal = located.journal or journal_of(located.session)
    if journal is None:
        raise WrongUse(
            "The journal of this session is not at hand any more: it says where the runtime would come back.",
            hint="Keep it in a variable, or give it: forecast(journal, session=...).",
        )
    return journal, located.session.id


def _child_like(journal: Journal, head: SessionHead) -> bool:
    """A run that names a parent in this journal is told by its parent's forecast."""
    record = _record(journal, head.id)
    parent = record.attribute("$parentRunId") if record is not None else None
    return parent is not None and _record(journal, parent) is not None


def forecast_session(
    journal: Journal, session: Session, head: SessionHead, *, question: Question, effects: EffectsLike = None
) -> Forecast:
    """Return the forecast of one joined session."""
    room = room_of(session.framework)
    question = at_home(journal, session, head, question)
    chosen = question.surroundings
    above = head.parent if head.parent is not None and journal.head(head.parent) is not None else None
    caller = journal.session(above) if above is not None else None
    situation = situation_of(session, effects, caller=caller)

    def under(env: Environment, note: str = "") -> Simulation:
        asked = replace(question, environment=env, note=note)
        return answer(situation, asked, _as_it_lies(situation))

    main = under(chosen, question.note)
    unseen = any(run.log_missing and run.ended_at is None for run in session.runs)
    if unseen or (situation.outside and situation.open_turn):
        return Forecast(
            session_id=session.id,
            title=session.title,
            status=session.status,
            kind=head.kind,
            answer=_untold(main),
        )
    if main.outcome == "nothing-open":
        if session.missing("events"):
            main = _unsure(main, "nothing is open in what is here, and the log is not whole")
        elif room is None and not settled(session):
            main = _unsure(main, "no step is open, and nothing says that it waits")
    late = tuple(_named(e.tool, e.call_id) for e in situation.effects if e.late)
    if late:
        main = replace(main, late=True)
    others = tuple(
        (name, under(ENVIRONMENTS[name]))
        for name in environments_for(head.kind == "workflow", situation.framework)
        # A journal does not move to another kind of world.
        if name not in (chosen.name, "postgres", "hosted")
    )
    return Forecast(
        session_id=session.id,
        title=session.title,
        status=session.status,
        kind=head.kind,
        answer=main,
        others=others if main.outcome != "nothing-open" else (),
        certain=_certain(situation, main),
        late=late,
    )


def at_home(journal: Journal, session: Session, head: SessionHead, question: Question) -> Question:
    """Return a question by the rules of what wrote a session, and where its journal says that it runs.

    Args:
        journal: the session's journal, for the kind of its world.
        session: whom the question is about.
        head: the same as a list shows it.
        question: what is assumed. An environment that was asked for stays; so does the runtime's own where
            rules of another kind of framework were asked for.
    """
    fitted = question.fitted(session.framework)
    if fitted.environment is not None:
        return fitted
    room = room_of(session.framework)
    if fitted.runtime.name != (room.runtime if room is not None else runtime_of(session.framework).name):
        return fitted
    name, sign = detect_environment(journal, head) if room is None else room.environment(journal.world, head)
    told = f"environment told from the journal: {sign}"
    return replace(fitted, environment=named_environment(name), note=question.note or told)


def _unsure(sim: Simulation, label: str) -> Simulation:
    """Nothing in the log is open, and nothing that was seen says that nothing was due."""
    return replace(sim, point=replace(sim.point, label=label, certainty="unknown"), certainty="unknown")


def _untold(sim: Simulation) -> Simulation:
    """Without the event log records look half-written that are not: nothing is foretold."""
    rule = RULES["no-log"]
    return replace(
        sim,
        point=replace(sim.point, label="the event log is not here", certainty="unknown"),
        outcome="needs-person",
        by="person",
        earliest=None,
        delay="",
        person="read it where the event log can be read: without it nothing can be foretold",
        ends="unknown",
        steps=(),
        effects=tuple(
            replace(
                e, certainty="unknown", executions=open_, outside=open_, after=Executions(min=0, max=None)
            )
            for e in sim.effects
            for open_ in (Executions(min=e.before.min, max=None),)
        ),
        rules=(RuleUse(rule="no-log", text=rule.text, source=rule.source),),
        told=(),
        certainty="unknown",
    )


def _as_it_lies(situation: Situation) -> CrashPoint:
    if situation.budget is not None:
        return _as_the_row_lies(situation)
    open_ = [s for s in situation.steps if s.open]
    label = "nothing is open"
    if open_:
        label = ", ".join(f"{s.function} {_LIES.get(s.code, s.code)}" for s in open_[:3])
    elif situation.plain and situation.open_turn and situation.root.code in ("created", "R1"):
        label = "the run is created and has not begun"
    elif situation.plain and situation.open_turn:
        hook = any(park.kind == "webhook" for park in situation.parked)
        label = "between two steps" + (", or waiting for a delivery to its hook" if hook else "")
    elif situation.parked:
        kinds = {"webhook": "hook"} if situation.plain else {}
        label = f"parked: {kinds.get(situation.parked[0].kind, situation.parked[0].kind)}"
    elif situation.message_lost:
        label = "a message is on its way and not recorded"
    elif situation.open_turn:
        label = "between two steps"
    names = [(_named(e.tool, e.call_id), e.before) for e in situation.effects]
    return CrashPoint(
        klass="as-it-lies",
        label=label,
        at=situation.at,
        certainty="observed",
        run_id=situation.root.run_id if situation.runs else "",
        step_id=open_[0].step_id if open_ else None,
        happened=tuple(n for n, b in names if b.min > 0),
        possible=tuple(n for n, b in names if b.min == 0 and b.max != 0),
        not_yet=tuple(n for n, b in names if b.max == 0),
    )


def _as_the_row_lies(situation: Situation) -> CrashPoint:
    """Where a submission stands, by its row and the stage of its calls."""
    budget = situation.budget
    assert budget is not None  # the caller has looked
    at_work = [effect.tool for effect in situation.effects if effect.stage == "open"]
    if not situation.open_turn:
        label = "every submission is settled"
    elif budget.status == "queued":
        label = "accepted, not begun"
    elif situation.settling or situation.final:
        label = "the last answer is whole, the submission is not settled"
    elif at_work:
        label = f"inside {', '.join(at_work[:3])}"
    elif situation.answering:
        label = "in the model's answer"
    else:
        label = "between two records"
    if situation.open_turn and budget.status != "queued":
        most = f" of {budget.max_attempts}" if budget.max_attempts else ""
        label += f", attempt {budget.attempts}{most}"
    names = [(_named(e.tool, e.call_id), e.before) for e in situation.effects]
    return CrashPoint(
        klass="as-it-lies",
        label=label,
        at=situation.at,
        certainty="observed",
        run_id=situation.root.run_id if situation.runs else "",
        happened=tuple(n for n, b in names if b.min > 0),
        possible=tuple(n for n, b in names if b.min == 0 and b.max != 0),
        not_yet=tuple(n for n, b in names if b.max == 0),
    )


def _named(tool: str, call_id: str | None) -> str:
    return f"{tool} ({call_id})" if call_id else tool


def _certain(situation: Situation, sim: Simulation) -> tuple[str, ...]:
    out = []
    for effect in sim.effects:
        name = _named(effect.tool, effect.call_id)
        if effect.before.min > 1:
            out.append(f"{name} has already run {effect.before.min} times.")
        elif effect.before.min == 1 and effect.after.min >= 1 and effect.strategy == DURABLE.name:
            out.append(f"{name} was entered, and will be entered again: its recorded steps are kept.")
        elif effect.before.min == 1 and effect.after.min >= 1:
            out.append(f"{name} has run, and will run again.")
    wedged = [s for s in situation.steps if s.wedged and s.role != "side"]
    out += [f"{s.function} is wedged ({s.code}): it can never commit by itself." for s in wedged]
    starts = [s for s in situation.steps if s.code == "D" and s.starts > 1]
    out += [f"{s.function} has been started {s.starts} times already." for s in starts]
    return tuple(out)

"""The post-mortem: what happened to a session, what is open, and the next safe step, in plain sentences.

Use::

    report = why(session, now=datetime.now(UTC), effects="effects.toml", ledger="payments.csv")
    for verdict in report.verdicts:
        print(verdict.sentence, verdict.next)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo

from eve_replay.brief import Brief
from eve_replay.checks.finding import SEVERITY_RANK, VERDICT_RANK, Verdict
from eve_replay.checks.phrases import Voice
from eve_replay.checks.wedged import Wedge, wedges
from eve_replay.errors import WrongUse
from eve_replay.guidance.doubled import doubled_verdicts
from eve_replay.guidance.effects import effect_verdicts
from eve_replay.guidance.end import end_verdicts
from eve_replay.guidance.frameworks.registry import telling_of
from eve_replay.guidance.open import due_verdicts, open_verdicts, repeat_verdicts
from eve_replay.guidance.parks import park_verdicts, version_verdicts
from eve_replay.guidance.plan import NO_PLAN, Place, Plan, agreed, place_of, plan_of
from eve_replay.guidance.rest import cut_log_verdict, no_log_verdict, rest_verdict
from eve_replay.guidance.runtime_words import in_words_of
from eve_replay.guidance.unnamed import process_verdicts, unnamed_verdicts
from eve_replay.guidance.wedged import waiting_verdicts, wedge_verdicts
from eve_replay.journal import Journal
from eve_replay.journal.commits.of_run import commits_of
from eve_replay.journal.effects.build import Effect, effects_of
from eve_replay.journal.effects.doubled_runs import RunsSeen
from eve_replay.journal.effects.open_calls import OpenCalls, open_calls
from eve_replay.journal.effects.policy import EffectsLike, EffectsPolicy
from eve_replay.journal.joined import journal_of
from eve_replay.journal.ledger.join import Count, join, journal_end
from eve_replay.journal.ledger.model import Entry, Ledger, LedgerLike
from eve_replay.journal.model import Session
from eve_replay.journal.targets import Target, locate
from eve_replay.recovery.fate import fate_of
from eve_replay.recovery.question import Question, question_or_default

__all__ = ["LEASE", "Report", "WorldReport", "why", "why_all"]

#: The default lease of an inline start (WORKFLOW_INLINE_LEASE of the runtime;
#: docs/evidence/observed.md#lease).
LEASE = timedelta(seconds=860)

#: Verdicts that say that something is still to come: with none of them the session rests.
_OPEN = frozenset(
    {
        "wedged",
        "repeats-without-end",
        "will-fail",
        "overdue",
        "dormant",
        "leased",
        "running",
        "interrupted",
        "parked",
        "failed-run",
        "corrupted-event-log",
        "cancelled-run",
        "retired",
        "between-steps",
        "lost-delivery",
        "stuck",
        "no-log",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Report(Brief):
    """What is to be said about one session.

    Attributes:
        session_id, title, eve_version: whose it is.
        runs: ids of its runs, children included.
        status: the session's status in the words of docs/words.md.
        verdicts: worst first.
        effects: every effect, with the ledger's count by position in ``counts``.
        counts: the ledger's answer per effect, None without a ledger or where it does not cover it.
        wedges: half-written commits.
        unnamed: where calls may have run that the journal does not name; empty when the effects are whole.
        plan: what to do now, in order; ``verdicts`` say nothing against it.
    """

    session_id: str
    title: str = ""
    eve_version: str | None = None
    runs: tuple[str, ...] = ()
    status: str = ""
    verdicts: tuple[Verdict, ...] = ()
    effects: tuple[Effect, ...] = ()
    counts: tuple[Count | None, ...] = ()
    wedges: tuple[Wedge, ...] = ()
    unnamed: tuple[OpenCalls, ...] = ()
    plan: Plan = NO_PLAN

    @property
    def worst(self) -> Verdict | None:
        """The first verdict, None when there is none."""
        return self.verdicts[0] if self.verdicts else None

    @property
    def rank(self) -> tuple[int, int]:
        """Sort key, worst first."""
        worst = self.worst
        if worst is None:
            return (len(SEVERITY_RANK), len(VERDICT_RANK))
        return (SEVERITY_RANK[worst.severity], VERDICT_RANK[worst.code])

    def to_json(self) -> dict[str, object]:
        """Return the entry of ``sessions``, see docs/json.md."""
        effects = []
        for effect, counted in zip(self.effects, self.counts, strict=True):
            entry = effect.to_json()
            if counted is not None and counted.count is not None:
                entry["ledgerCount"] = counted.count
            effects.append(entry)
        return {
            "sessionId": self.session_id,
            "runs": list(self.runs),
            "status": self.status,
            "title": self.title,
            "eveVersion": self.eve_version,
            "verdicts": [
                verdict.to_json() | self.plan.command_for(verdict.tool, verdict.call_ids, verdict.step_id)
                for verdict in self.verdicts
            ],
            "effects": effects,
            "open": bool(self.unnamed),
            "openCalls": [gap.to_json() for gap in self.unnamed],
            "plan": self.plan.to_json(),
            "soon": [each.to_json() for each in self.plan.soon],
            "advice": list(self.plan.advice),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldReport:
    """Reports on all sessions, worst first, and the ledger lines that no session explains."""

    reports: tuple[Report, ...] = ()
    unmatched: tuple[Entry, ...] = ()


def why(
    target: Target,
    *,
    session: str | Session | Journal | None = None,
    question: Question | None = None,
    effects: EffectsLike = None,
    ledger: LedgerLike | None = None,
    now: datetime,
    eve: str | None = None,
    zone: tzinfo = UTC,
    place: Place | None = None,
) -> Report:
    """Return the post-mortem of one session.

    Args:
        target: a source, journal or session, or a part of a session: the whole session is meant.
        session: id of the session, where the target holds several; ``why_all`` tells of all of them.
        question: what is assumed; ``lease_seconds`` of it is the lease of inline starts.
        effects: what the user knows of their tools.
        ledger: anything ``Ledger.load`` takes; with it the counts are the ledger's.
        now: the instant "overdue" and "leased" are reckoned at, with a time zone.
        eve: the version that is to open the journal; with it other versions' sessions are called stranded.
        zone: zone of clock times in sentences.
        place: where the session lies and how it is reached, for the commands of the plan; told from the
            journal where the target has one.

    Raises:
        NotFound, WrongUse: as :func:`~eve_replay.journal.targets.locate`, or ``now`` has no time zone.
    """
    if now.tzinfo is None:
        raise WrongUse(f"{now} has no time zone.", hint="Write datetime(..., tzinfo=UTC).")
    lease = question_or_default(question).surroundings.lease_seconds
    voice = Voice(now=now, zone=zone, lease=timedelta(seconds=lease))
    found = locate(target, session=session)
    if place is None and found.journal is not None:
        place = place_of(found.journal, found.session)
    places = None if place is None else lambda _: place
    report = why_all([found.session], voice=voice, effects=effects, ledger=ledger, eve=eve, places=places)
    return report.reports[0]


def why_all(
    sessions: Iterable[Session],
    *,
    voice: Voice,
    effects: EffectsLike = None,
    ledger: LedgerLike | None = None,
    eve: str | None = None,
    versions: Iterable[str] = (),
    beside: Iterable[Session] = (),
    places: Callable[[Session], Place] | None = None,
) -> WorldReport:
    """Return the post-mortems of several sessions of one world, worst first.

    Args:
        sessions: taken one after the other; with a ledger all are kept until it is joined.
        voice: now, zone and lease.
        effects: the effects policy.
        ledger: anything ``Ledger.load`` takes.
        eve: the version that is to open the journal.
        versions: every eve version seen in the world, so that a session of an older one is noticed.
        beside: other plain runs of the world: a run that a step started twice is told by its neighbours.
        places: says where a session lies and how it is reached, for the commands of its plan.
    """
    rules = EffectsPolicy.load(effects)
    lines = Ledger.load(ledger) if ledger is not None else None
    newest = max(versions, key=_version_key, default=None)
    seen = RunsSeen()
    for other in beside:
        seen.see(other)
    if lines is None:
        # One session at a time: a world may hold more of them than memory does.
        reports = []
        for each in sessions:
            seen.see(each)
            found = _report(each, effects_of(each, rules), {}, voice, eve, newest)
            reports.append(_planned(each, found, voice, rules, places))
        reports = _with_doubled(reports, seen, voice)
        return WorldReport(reports=tuple(sorted(reports, key=lambda report: report.rank)))
    kept = [(s, effects_of(s, rules)) for s in sessions]
    ends = {s.id: end for s, _ in kept if (end := journal_end(s)) is not None}
    joined = join((e for _, found in kept for e in found), lines, effects=rules, ends=ends)
    counts = {id(count.effect): count for count in joined.counts}
    reports = [
        _planned(s, _report(s, found, counts, voice, eve, newest), voice, rules, places) for s, found in kept
    ]
    for session, _ in kept:
        seen.see(session)
    reports = _with_doubled(reports, seen, voice)
    reports.sort(key=lambda report: report.rank)
    return WorldReport(reports=tuple(reports), unmatched=joined.unmatched)


def _planned(
    session: Session,
    report: Report,
    voice: Voice,
    rules: EffectsPolicy,
    places: Callable[[Session], Place] | None,
) -> Report:
    """Return the report with its plan, and with verdicts whose advice agrees with it."""
    journal = journal_of(session) if places is None else None
    place = places(session) if places is not None else place_of(journal, session) if journal else None
    plan = plan_of(session, report, voice=voice, place=place, effects=rules)
    return replace(report, plan=plan, verdicts=agreed(report.verdicts, plan))


def _with_doubled(reports: list[Report], seen: RunsSeen, voice: Voice) -> list[Report]:
    """Add what only several runs together tell: that a re-run step started one of them again."""
    told = doubled_verdicts(seen.doubled(), voice)
    return [
        replace(report, verdicts=tuple(sorted((*report.verdicts, *more), key=lambda v: v.order)))
        if (more := told.get(report.session_id))
        else report
        for report in reports
    ]


def _report(
    session: Session,
    effects: tuple[Effect, ...],
    counts: Mapping[int, Count],
    voice: Voice,
    eve: str | None,
    newest: str | None,
) -> Report:
    if any(run.log_missing and run.ended_at is None for run in session.runs):
        return _unknown_report(session, effects, counts, voice)
    telling = telling_of(session.framework)
    if telling is not None:
        said = [*effect_verdicts(session, effects, counts, voice), *telling.verdicts(session, effects, voice)]
        said += [*unnamed_verdicts(session)]
        said += [cut_log_verdict(run) for run in session.runs if run.log_gap]
        return _told(session, effects, counts, said, unnamed=open_calls(session))
    commits = {run.run_id: commits_of(run) for run in session.all_runs}
    fate = fate_of(session)
    found = wedges(session, commits, fate)
    stuck = frozenset(wedge.subject for wedge in found)
    verdicts = [
        *effect_verdicts(session, effects, counts, voice),
        *wedge_verdicts(session, found, effects),
        *waiting_verdicts(session, fate.waiting),
        *version_verdicts(session, eve, newest),
        *open_verdicts(session, commits, stuck, effects, voice),
        *process_verdicts(session, voice),
        *repeat_verdicts(session, voice),
        *unnamed_verdicts(session),
        *park_verdicts(session, voice),
        *end_verdicts(session, voice),
    ]
    verdicts += [cut_log_verdict(run) for run in session.all_runs if run.log_gap and not run.log_missing]
    if session.kind != "workflow":
        open_ = any(verdict.code in _OPEN for verdict in verdicts)
        verdicts += due_verdicts(session, fate, voice, open_=open_)
    if not any(verdict.code in _OPEN for verdict in verdicts):
        verdicts.append(rest_verdict(session, voice))
    return _told(session, effects, counts, verdicts, wedges=found, unnamed=open_calls(session))


def _unknown_report(
    session: Session, effects: tuple[Effect, ...], counts: Mapping[int, Count], voice: Voice
) -> Report:
    """Without the event log nothing can be told of what is open: records alone look half-written."""
    silent = [no_log_verdict(run) for run in session.runs if run.log_missing and run.ended_at is None]
    verdicts = [*effect_verdicts(session, effects, counts, voice), *silent]
    return _told(session, effects, counts, verdicts)


def _told(
    session: Session,
    effects: tuple[Effect, ...],
    counts: Mapping[int, Count],
    verdicts: list[Verdict],
    *,
    wedges: tuple[Wedge, ...] = (),
    unnamed: tuple[OpenCalls, ...] = (),
) -> Report:
    """Return the report of one session: its verdicts in its own words, worst first, each once."""
    ordered = sorted(in_words_of(session, verdicts), key=lambda v: v.order)
    return Report(
        session_id=session.id,
        title=session.title,
        eve_version=session.eve_version,
        runs=tuple(run.run_id for run in session.all_runs),
        status=session.status,
        verdicts=tuple(_deduplicated(ordered)),
        effects=effects,
        counts=tuple(counts.get(id(effect)) for effect in effects),
        wedges=wedges,
        unnamed=unnamed,
    )


def _deduplicated(verdicts: list[Verdict]) -> list[Verdict]:
    seen: dict[tuple[str, str], Verdict] = {}
    for verdict in verdicts:
        key = (verdict.code, verdict.sentence)
        if key in seen:
            seen[key] = replace(seen[key], evidence=(*seen[key].evidence, *verdict.evidence))
        else:
            seen[key] = verdict
    return list(seen.values())


def _version_key(version: str) -> tuple[int, ...]:
    numbers = version.partition("-")[0].split(".")
    return tuple(int(part) if part.isascii() and part.isdigit() else 0 for part in numbers)

"""Verdicts of ``why`` and findings of ``doctor`` as rows with evidence to jump to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING

from eve_replay.checks import Finding, Verdict, Voice, check_session, check_world, sorted_findings
from eve_replay.guidance import LEASE
from eve_replay.guidance import why_all as _why_all
from eve_replay.guidance.plan import Place
from eve_replay.guidance.why import Report
from eve_replay.journal import Session
from eve_replay.journal.effects.policy import EffectsLike
from eve_replay.journal.ledger.model import LedgerLike
from eve_replay.views.inspect.evidence import EvidenceRow, evidence_rows
from eve_replay.views.kit.base import View, event_key, step_key
from eve_replay.views.kit.safe import safe_text
from eve_replay.views.kit.tone import Tone
from eve_replay.views.kit.words import clock
from eve_replay.views.session.sessions import SessionRow
from eve_replay.views.verdicts.plan import PlanView, plan_view
from eve_replay.views.verdicts.postmortem import tone_of, word_of

if TYPE_CHECKING:
    from eve_replay.journal import Journal

__all__ = [
    "FindingRow",
    "SessionVerdicts",
    "VerdictRow",
    "finding_rows",
    "session_verdicts",
    "stated",
    "verdict_rows",
    "verdict_rows_of",
    "world_finding_rows",
]

_SEVERITY: dict[str, Tone] = {"error": "error", "warning": "warning", "info": "muted"}


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictRow(View):
    """One verdict of a post-mortem.

    Attributes:
        key: what it is about (step, turn, run or session), to go there.
        code: stable machine word; ``word`` it in two or three words; ``tone`` of it.
        sentence: who, what, when, how we know; ``next`` what to do, empty when nothing.
        certainty: observed, implied or unknown.
        severity: error, warning or info.
        evidence: where it can be checked.
        lease_until: end of the assumed lease of the start it is about, None without one.
    """

    key: str
    code: str
    word: str
    tone: Tone
    sentence: str
    next: str
    certainty: str
    severity: str
    evidence: tuple[EvidenceRow, ...] = ()
    lease_until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingRow(View):
    """One finding of the doctor.

    Attributes:
        key: what it is about, to go there; empty for a file or the world.
        code, severity, where: as the doctor says; ``tone`` of the severity.
        sentence: what is there; ``why`` it matters; ``fix`` what to do.
        evidence: where it can be checked.
    """

    key: str
    code: str
    severity: str
    tone: Tone
    where: str
    sentence: str
    why: str
    fix: str
    evidence: tuple[EvidenceRow, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionVerdicts(View):
    """What ``why`` says of one session: the plan, and the verdicts it is made of."""

    plan: PlanView
    rows: tuple[VerdictRow, ...]


def session_verdicts(
    session: Session,
    *,
    now: datetime,
    zone: tzinfo | None = None,
    effects: EffectsLike = None,
    versions: Iterable[str] = (),
    place: Place | None = None,
    ledger: LedgerLike | None = None,
) -> SessionVerdicts:
    """Return plan and verdicts of a session.

    Arguments as for :func:`verdict_rows`; ``place`` is where it lies and how it is reached, with ``ledger``
    its counts count.
    """
    voice = Voice(now=now, zone=zone)
    places = None if place is None else lambda _: place
    world = _why_all([session], voice=voice, effects=effects, versions=versions, places=places, ledger=ledger)
    (report,) = world.reports
    return SessionVerdicts(
        plan=plan_view(report.plan),
        rows=verdict_rows_of(session, report),
    )


def verdict_rows(
    session: Session,
    *,
    now: datetime,
    zone: tzinfo | None = None,
    effects: EffectsLike = None,
    versions: Iterable[str] = (),
) -> tuple[VerdictRow, ...]:
    """Return the verdicts on a session, worst first.

    Args:
        session: the joined session.
        now: the instant to reckon from.
        zone: zone of clock times, None for the machine's own.
        effects: the user's effects policy.
        versions: eve versions of the whole store: a session of an older one may be stranded.

    Raises:
        WrongUse: the policy cannot be read.
    """
    return session_verdicts(session, now=now, zone=zone, effects=effects, versions=versions).rows


def verdict_rows_of(session: Session, report: Report) -> tuple[VerdictRow, ...]:
    """Return the verdicts of a report that is there already."""
    return tuple(_verdict(session, each) for each in report.verdicts)


def _verdict(session: Session, verdict: Verdict) -> VerdictRow:
    if verdict.step_id and verdict.run_id:
        key = step_key(verdict.run_id, verdict.step_id)
    elif verdict.turn_id:
        key = f"turn:{session.id}/{verdict.turn_id}"
    elif verdict.run_id and verdict.run_id != session.id:
        key = f"run:{verdict.run_id}"
    else:
        key = f"session:{session.id}"
    return VerdictRow(
        key=key,
        code=verdict.code,
        word=word_of(verdict),
        tone=tone_of(verdict),
        sentence=safe_text(verdict.sentence),
        next=safe_text(verdict.next),
        certainty=verdict.certainty,
        severity=verdict.severity,
        evidence=evidence_rows(word_of(verdict), verdict.certainty, verdict.evidence),
        lease_until=verdict.lease_until,
    )


#: Verdicts on how a session stands, and the status they are sorted under. Parked and running sessions say so
#: in their own row already.
_STATES = {
    "wedged": "wedged",
    "repeats-without-end": "wedged",
    "stuck": "stuck",
    "stranded": "stranded",
    "will-fail": "failed",
    "overdue": "interrupted",
    "interrupted": "interrupted",
    "between-steps": "interrupted",
    "lost-delivery": "interrupted",
    "no-log": "unknown",
    "dormant": "dormant",
    "leased": "leased",
}


def stated(
    row: SessionRow, session: Session, verdicts: Iterable[VerdictRow], *, zone: tzinfo | None = None
) -> SessionRow:
    """Return the row with the status that the verdicts give: ``leased until 09:05:32``, ``stranded 0.79.0``.

    Args:
        row: the session's row.
        session: the joined session.
        verdicts: from :func:`verdict_rows`, worst first.
        zone: zone of clock times.
    """
    found = next((each for each in verdicts if each.code in _STATES), None)
    if found is None:
        return row
    text = found.word
    if found.code == "stranded" and row.versions:
        text = f"stranded {row.versions[-1]}"
    until = _leased_until(session, found.key) if found.code == "leased" else None
    if until is not None:
        text = f"leased until {clock(until, zone)}"
    return replace(
        row,
        status=_STATES[found.code],
        status_text=text + (", purged" if row.purged else ""),
        tone=found.tone,
        search=f"{row.search} {text.lower()}",
    )


def _leased_until(session: Session, key: str) -> datetime | None:
    starts = [
        attempt.started_at
        for step in session.steps
        if step_key(step.run_id, step.step_id) == key
        for attempt in step.attempts
        if attempt.started_at is not None
    ]
    return max(starts) + LEASE if starts else None


def finding_rows(session: Session, *, now: datetime, deep: bool = True) -> tuple[FindingRow, ...]:
    """Return what the doctor finds in a session, worst first.

    Args:
        session: the joined session.
        now: the instant retention is reckoned at.
        deep: decode payloads and check the state law too.
    """
    return _findings(check_session(session, now=now, deep=deep))


def world_finding_rows(journal: Journal) -> tuple[FindingRow, ...]:
    """Return what the doctor finds in a world beside its sessions: complete for what has been read by now."""
    return _findings(check_world(journal.world, journal.heads))


def _findings(findings: Iterable[Finding]) -> tuple[FindingRow, ...]:
    return tuple(_finding(each) for each in sorted_findings(findings))


def _finding(finding: Finding) -> FindingRow:
    evidence = evidence_rows(finding.code, "observed", finding.evidence)
    key = next((row.key for row in evidence if row.key), "")
    if not key and finding.run_id and finding.where.startswith("step_"):
        key = step_key(finding.run_id, finding.where)
    elif not key and finding.run_id and finding.where.startswith("evnt_"):
        key = event_key(finding.run_id, finding.where)
    elif not key and finding.run_id:
        key = f"run:{finding.run_id}"
    elif not key and finding.session_id:
        key = f"session:{finding.session_id}"
    return FindingRow(
        key=key,
        code=finding.code,
        severity=finding.severity,
        tone=_SEVERITY[finding.severity],
        where=safe_text(finding.where),
        sentence=safe_text(finding.sentence),
        why=safe_text(finding.why),
        fix=safe_text(finding.fix),
        evidence=evidence,
    )

"""The doctor: does the log agree with itself, with the records, with the stream, with the state law?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from eve_replay.checks.commits import check_commits, waiting_finding, wedge_finding
from eve_replay.checks.finding import SEVERITY_RANK, Finding
from eve_replay.checks.frameworks.registry import checks_of
from eve_replay.checks.log import check_log
from eve_replay.checks.payloads import check_payloads
from eve_replay.checks.phrases import count
from eve_replay.checks.records import check_records
from eve_replay.checks.wedged import wedges
from eve_replay.checks.world import check_retention, check_stream
from eve_replay.journal.commits.of_run import commits_of
from eve_replay.journal.model import Evidence, Session
from eve_replay.journal.state import walk_states
from eve_replay.recovery.fate import fate_of

__all__ = ["check_session", "check_state", "sorted_findings"]


#: Words of readers and of the journal's builder for what a check says in full.
_FAMILY = {
    "flat-layout": "folder-would-be-deleted",
    "second-end": "duplicate-event",
    "start-without-event": "start-lost",
    "record-ahead-of-log": "wedged-f2",
    "step-without-events": "wedged-c1b",
}


def check_session(session: Session, *, now: datetime, deep: bool = True) -> Iterator[Finding]:
    """Yield the findings of one session.

    Args:
        session: the session.
        now: the instant retention is reckoned at.
        deep: also decode every payload and check that what a step leaves is what the next one gets.
    """
    own = checks_of(session.framework)
    if own is not None:
        yield from own(session)
        return
    commits = {run.run_id: commits_of(run) for run in session.all_runs}
    fate = fate_of(session)
    found = wedges(session, commits, fate)
    for wedge in found:
        yield wedge_finding(wedge, session.id)
    if not any(run.log_missing for run in session.runs):
        for because in fate.waiting:
            yield waiting_finding(because, session.id)
    told = {wedge.subject for wedge in found}
    for run in session.all_runs:
        yield from check_commits(run, commits[run.run_id], told)
        yield from check_log(run)
        yield from check_records(run)
        if deep and not run.purged:
            yield from check_payloads(run)
    yield from check_stream(session)
    yield from check_retention(session, now)
    if deep and not any(run.purged for run in session.runs):
        yield from check_state(session)


def check_state(session: Session) -> Iterator[Finding]:
    """Yield where a step got something else than the step before it left (the state law)."""
    # Run by run: before eve 0.66 a turn's own run is handed the state and hands it back later.
    for state in (state for run in session.runs for state in walk_states(run.steps)):
        broken = [change for change in state.law if not change.expected]
        if broken:
            first = broken[0]
            yield Finding(
                code="state-law",
                severity="warning",
                where=state.step.step_id,
                sentence=f"{state.step.function} got another state than the step before it left: "
                f"{count(len(broken), 'difference')}, the first at {first.path}.",
                why="A checkpoint should hand over exactly what it holds; something changed it in between.",
                fix="Look at both sides with the state command.",
                run_id=state.step.run_id,
                session_id=session.id,
                evidence=(
                    Evidence(
                        kind="payload",
                        id=state.step.step_id,
                        run_id=state.step.run_id,
                        path=f"$.{first.path}",
                    ),
                ),
            )


def sorted_findings(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings worst first, each once."""
    unique = {(f.code, f.where, f.run_id, f.sentence): f for f in findings}
    # The reader notices some things too, without their consequences: what a check says of the place counts.
    told: dict[str, list[str]] = {}
    for finding in unique.values():
        if finding.why:
            told.setdefault(finding.code, []).append(finding.where)
    kept = [
        f
        for f in unique.values()
        if f.why or not any(place in f.where for place in told.get(_FAMILY.get(f.code, f.code), ()))
    ]
    return tuple(sorted(kept, key=lambda f: SEVERITY_RANK[f.severity]))

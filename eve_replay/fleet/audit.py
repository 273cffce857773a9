"""The audit: of many stores, the sessions that somebody should look at, as rows of plain data.

One function of one portion (:func:`audit_part`: a source and some of its sessions) does all the work, here,
in other processes, or on an engine that is there already: Dask or Ray. The rows are the same everywhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from importlib import import_module
from typing import Any, Literal, TypeAlias

from eve_replay.checks import Voice
from eve_replay.checks.log import EVENT_BUDGET
from eve_replay.checks.world import check_retention
from eve_replay.errors import EveReplayError, WrongUse
from eve_replay.fleet.pool import asked
from eve_replay.guidance import Report, why_all
from eve_replay.journal import Journal, Session, open_journal
from eve_replay.journal.effects.judge import judge_effect, tally
from eve_replay.journal.effects.policy import EffectsPolicy
from eve_replay.times import iso
from eve_replay.views.session.titles import title_text
from eve_replay.worlds.sources import public_source

__all__ = ["COLUMNS", "Audit", "AuditRow", "Engine", "audit", "audit_part", "reasons_of", "tables"]

Engine: TypeAlias = Literal["local", "dask", "ray"]

#: Of the event limit, from where on a run is near it.
NEAR = 0.8
_STUCK = frozenset({"wedged", "repeats-without-end", "will-fail", "stuck", "lost-delivery"})
#: What a start, or a queue that delivers again, sets going: nobody is at work, and nothing is broken.
_WAITS = frozenset({"overdue", "dormant"})
_STRANDED = frozenset({"stranded", "retired"})
_FAILED = frozenset({"failed-run", "failed-turn", "corrupted-event-log"})
#: Sessions of one portion on an engine.
_PORTION = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRow:
    """One session of one store.

    Attributes:
        source: the store, without secrets. ``session``: the id.
        title, status, version: as its list shows them.
        reasons: why it should be looked at: repeats, stuck, waits, stranded, failed, purge,
            event-limit, unread, or none.
        twice, possible: effects that surely, and possibly, ran more than once.
        worst, severity, certainty, sentence: the worst that is to be said of it.
        urgent: something unprotected is going to repeat and can still be prevented.
        events: of its longest run. ``runs``: how many it has.
        purge: what retention is going to delete and when, where the journal tells.
        last: the newest change of its run records.
    """

    source: str
    session: str
    title: str
    status: str
    version: str
    reasons: tuple[str, ...]
    twice: int
    possible: int
    worst: str
    severity: str
    certainty: str
    sentence: str
    urgent: bool
    events: int
    runs: int
    purge: str
    last: str

    def to_json(self) -> dict[str, object]:
        """Return the entry of ``sessions`` (docs/json.md)."""
        names = {"session": "sessionId", "version": "eveVersion"}
        data = asdict(self) | {"reasons": list(self.reasons)}
        return {names.get(name, name): value for name, value in data.items()}


#: The columns of the tables, in order.
COLUMNS = tuple(field.name for field in fields(AuditRow))


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """All rows, those that should be looked at first.

    Attributes:
        rows: every session, the worst first.
        unread: sources that could not be opened or not be read to the end, each with why.
    """

    rows: tuple[AuditRow, ...]
    unread: tuple[tuple[str, str], ...] = ()

    @property
    def reasons(self) -> dict[str, int]:
        """How many sessions there are for each reason."""
        return dict(Counter(reason for row in self.rows for reason in row.reasons).most_common())


def audit(
    sources: Sequence[str],
    *,
    now: datetime,
    effects: str | None = None,
    eve: str | None = None,
    engine: Engine = "local",
    client: Any = None,
    told: Callable[[AuditRow], object] = lambda _: None,
) -> Audit:
    """Return the audit of many stores.

    Args:
        sources: whatever ``open_world`` opens: folders, databases, archives, object stores.
        now: the instant to reckon from; with a time zone.
        effects: the effects policy.
        eve: the version that is to open the stores; with it sessions of other versions are stranded.
        engine: ``local``: this machine, all cores. ``dask``, ``ray``: a cluster that is there.
        client: the Dask client; without one the current one is taken.
        told: called with each row as it comes, in no order.

    Raises:
        WrongUse: the engine is not installed, or not there.
    """
    if now.tzinfo is None:
        raise WrongUse(f"{now} has no time zone.", hint="Write datetime(..., tzinfo=UTC).")
    rows: list[AuditRow] = []
    unread: list[tuple[str, str]] = []
    spread = {"local": _local, "dask": _dask, "ray": _ray}[engine]
    for found, why in spread(sources, now, (effects, eve), client):
        rows += found
        unread += why
        for row in found:
            told(row)
    return Audit(rows=tuple(sorted(rows, key=_order)), unread=tuple(sorted(set(unread))))


#: The effects policy's file, and the version that is to open the stores.
_Rules: TypeAlias = tuple[str | None, str | None]
_Part: TypeAlias = tuple[list[AuditRow], list[tuple[str, str]]]


def audit_part(
    source: str,
    now: datetime,
    rules: _Rules = (None, None),
    sessions: Sequence[str] | None = None,
) -> _Part:
    """Return the rows of one source, or of some of its sessions, and what of it could not be read.

    All that goes in and comes out can be sent to another machine; the source is opened where this runs.
    """
    label = public_source(source)
    try:
        with open_journal(source) as journal:
            rows = list(_rows(journal, label, now, rules, sessions, workers=1))
            return rows, _gaps(journal, label)
    except EveReplayError as error:
        return [], [(label, str(error))]


def _local(sources: Sequence[str], now: datetime, rules: _Rules, _: Any) -> Iterator[_Part]:
    for source in sources:
        label = public_source(source)
        try:
            with open_journal(source) as journal:
                for row in _rows(journal, label, now, rules, None, workers=None):
                    yield [row], []
                yield [], _gaps(journal, label)
        except EveReplayError as error:
            yield [], [(label, str(error))]


def _portions(sources: Sequence[str]) -> Iterator[tuple[str, list[str] | None]]:
    """Yield what an engine works on: a source and some of its sessions."""
    for source in sources:
        try:
            with open_journal(source) as journal:
                ids = [head.id for head in journal.heads]
        except EveReplayError:
            yield source, None  # said by who tries it in earnest
            continue
        for start in range(0, len(ids) or 1, _PORTION):
            yield source, ids[start : start + _PORTION]


def _dask(sources: Sequence[str], now: datetime, rules: _Rules, client: Any) -> Iterator[_Part]:
    try:
        distributed: Any = import_module("distributed")
    except ImportError:
        raise WrongUse("Dask is not installed here.", hint='pip install "eve-replay[engine]"') from None
    if client is None:
        try:
            client = distributed.get_client()
        except ValueError:
            raise WrongUse(
                "There is no Dask client.", hint="Make one first: distributed.Client(ADDRESS)."
            ) from None
    asked_ = [
        client.submit(audit_part, source, now, rules, ids, pure=False) for source, ids in _portions(sources)
    ]
    for future in distributed.as_completed(asked_):
        yield future.result()


def _ray(sources: Sequence[str], now: datetime, rules: _Rules, _: Any) -> Iterator[_Part]:
    try:
        ray: Any = import_module("ray")
    except ImportError:
        raise WrongUse("Ray is not installed here.", hint="pip install ray") from None
    if not ray.is_initialized():
        raise WrongUse("Ray is not started.", hint="Start it first: ray.init(address=...).")
    remote = ray.remote(audit_part)
    waiting = [remote.remote(source, now, rules, ids) for source, ids in _portions(sources)]
    while waiting:
        done, waiting = ray.wait(waiting)
        yield from ray.get(done)


def _rows(
    journal: Journal,
    label: str,
    now: datetime,
    rules: _Rules,
    sessions: Sequence[str] | None,
    *,
    workers: int | None,
) -> Iterator[AuditRow]:
    policy, eve = EffectsPolicy.load(rules[0]), rules[1]
    versions = tuple(journal.versions)

    def row_of(session: Session) -> AuditRow:
        voice = Voice(now=now, zone=UTC)
        report = why_all([session], voice=voice, effects=policy, eve=eve, versions=versions).reports[0]
        return _row(session, report, label, now)

    ids = [head.id for head in journal.heads] if sessions is None else sessions
    for each in asked(journal, ids, row_of, workers=workers):
        yield each.answer


def _row(session: Session, report: Report, label: str, now: datetime) -> AuditRow:
    twice = tally(judge_effect(effect) for effect in report.effects)
    worst = report.worst
    events = max((len(run.events) for run in session.all_runs), default=0)
    purge = _purge(session, now)
    last = session.head.updated_at
    return AuditRow(
        source=label,
        session=session.id,
        title=title_text(session.title),
        status=session.status,
        version=session.eve_version or "",
        reasons=tuple(reasons_of(report, repeats=bool(twice), events=events, purge=bool(purge))),
        twice=twice.sure,
        possible=twice.possible,
        worst=worst.code if worst is not None else "",
        severity=worst.severity if worst is not None else "info",
        certainty=worst.certainty if worst is not None else "unknown",
        sentence=worst.sentence if worst is not None else "",
        urgent=report.plan.urgent,
        events=events,
        runs=len(session.all_runs),
        purge=purge,
        last=iso(last) or "",
    )


def reasons_of(report: Report, *, repeats: bool, events: int, purge: bool) -> Iterator[str]:
    """Yield why a session should be looked at.

    Args:
        report: its post-mortem.
        repeats: effects ran, or may have run, more than once.
        events: of its longest run.
        purge: retention is going to delete its payloads.
    """
    codes = {verdict.code for verdict in report.verdicts}
    if repeats or report.plan.urgent:
        yield "repeats"
    if codes & _STUCK:
        yield "stuck"
    elif codes & _WAITS:
        yield "waits"
    if codes & _STRANDED:
        yield "stranded"
    if codes & _FAILED:
        yield "failed"
    if purge:
        yield "purge"
    if events >= EVENT_BUDGET * NEAR:
        yield "event-limit"
    if "no-log" in codes:
        yield "unread"


def _purge(session: Session, now: datetime) -> str:
    """Return what retention will take of a session, empty when the journal names nothing."""
    found = (finding for finding in check_retention(session, now) if finding.code == "will-be-purged")
    return next((finding.sentence for finding in found), "")


def _gaps(journal: Journal, label: str) -> list[tuple[str, str]]:
    return [(label, gap.why) for gap in journal.receipt.gaps if not gap.run_id][:20]


def _order(row: AuditRow) -> tuple[object, ...]:
    rank = {"error": 0, "warning": 1}.get(row.severity, 2)
    return (not row.urgent, not row.reasons, rank, -row.twice, row.source, row.session)


def tables(rows: Iterable[AuditRow]) -> dict[str, list[object]]:
    """Return the rows as columns; ``reasons`` as a list of texts each."""
    data: dict[str, list[object]] = {name: [] for name in COLUMNS}
    for row in rows:
        for name in COLUMNS:
            value = getattr(row, name)
            data[name].append(list(value) if isinstance(value, tuple) else value)
    return data

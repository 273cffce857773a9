"""Gathering a shift: which sessions were at work in a period, what is to be said of them, what is open."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, tzinfo

from eve_replay.checks import Voice
from eve_replay.guidance import why_all
from eve_replay.guidance.why import Report
from eve_replay.journal import Session
from eve_replay.journal.effects.build import Effect
from eve_replay.journal.effects.policy import EffectsLike
from eve_replay.problems import Receipt
from eve_replay.report.costs import Spent, Sum, spent_in, sums_in
from eve_replay.views.verdicts.landing import LandingRow, landing, landing_row

__all__ = ["Shift", "Worked", "shift"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Worked:
    """One session in the report.

    Attributes:
        row: as the list of sessions has it; ``report`` as ``why`` has it.
        began: attempts that began in the period; ``again`` those of them that were re-runs.
        spent: its tokens in the period.
    """

    row: LandingRow
    report: Report
    began: int
    again: int
    spent: Spent

    @property
    def active(self) -> bool:
        """Whether anything of it began in the period."""
        return self.began > 0

    @property
    def open(self) -> bool:
        """Whether it waits for something or somebody, whenever it began."""
        return bool(self.report.plan.steps or self.report.plan.soon or self.row.deadline or self.row.parked)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift:
    """What there is to say about a period.

    Attributes:
        source: where it was read, without passwords.
        since, until: the period; ``now`` when the report was made, ``zone`` of its clock times.
        worked: sessions at work in the period, worst first.
        waiting: others that are open, worst first.
        quiet: how many others there are.
        spent, sums: what it cost.
        gaps: sentences about what was not read: without any, the lists are whole.
        redacted: whether secrets were replaced before anything was read.
    """

    source: str
    since: datetime
    until: datetime
    now: datetime
    zone: tzinfo | None
    worked: tuple[Worked, ...]
    waiting: tuple[Worked, ...]
    quiet: int
    spent: Spent
    sums: tuple[Sum, ...]
    gaps: tuple[str, ...] = ()
    redacted: bool = False


def shift(
    sessions: Iterable[Session],
    *,
    source: str,
    since: datetime,
    until: datetime,
    now: datetime,
    zone: tzinfo | None = None,
    field: str = "",
    effects: EffectsLike = None,
    versions: Iterable[str] = (),
    receipt: Receipt | None = None,
    redacted: bool = False,
) -> Shift:
    """Return the report of a period.

    Args:
        sessions: all of the store, each joined when its turn comes.
        source: how the store is called in the report.
        since: the beginning, an aware time.
        until: the end, not part of the period.
        now: the instant to reckon deadlines from.
        zone: of clock times.
        field: a number in the calls' inputs to sum, such as ``cents``; empty for none.
        effects: what the user knows of their tools.
        versions: eve versions of the store.
        receipt: coverage of the reading, asked when all sessions have been read.
        redacted: said in the report.
    """
    known = tuple(versions)
    voice = Voice(now=now, zone=zone)
    worked: list[Worked] = []
    waiting: list[Worked] = []
    acted: list[Effect] = []
    spent = Spent.nothing()
    quiet = 0
    for session in sessions:
        one = _worked(session, since, until, voice, effects, known)
        acted += one.report.effects if one.active and field else ()
        spent += one.spent
        if one.active:
            worked.append(one)
        elif one.open:
            waiting.append(one)
        else:
            quiet += 1
    return Shift(
        source=source,
        since=since,
        until=until,
        now=now,
        zone=zone,
        worked=_worst_first(worked),
        waiting=_worst_first(waiting),
        quiet=quiet,
        spent=spent,
        sums=sums_in(acted, field, since, until) if field else (),
        gaps=_gaps(receipt),
        redacted=redacted,
    )


def _worked(
    session: Session,
    since: datetime,
    until: datetime,
    voice: Voice,
    effects: EffectsLike,
    versions: tuple[str, ...],
) -> Worked:
    starts = [
        attempt for step in session.steps for attempt in step.attempts if attempt.started_at is not None
    ]
    within = [each for each in starts if each.started_at is not None and since <= each.started_at < until]
    report = why_all([session], voice=voice, effects=effects, versions=versions).reports[0]
    return Worked(
        row=landing_row(session, now=voice.now, zone=voice.zone, report=report),
        report=report,
        began=len(within),
        again=sum(each.n > 1 for each in within),
        spent=spent_in(session, since, until),
    )


def _worst_first(found: list[Worked]) -> tuple[Worked, ...]:
    by_id = {one.row.id: one for one in found}
    return tuple(by_id[row.id] for row in landing(one.row for one in found).rows)


def _gaps(receipt: Receipt | None) -> tuple[str, ...]:
    if receipt is None:
        return ()
    problems = [
        f"{p.where}: {p.message}" if p.where else p.message for p in receipt.problems if p.severity != "info"
    ]
    skipped = [f"{s.where} ({s.what}): {s.why}" for s in receipt.skipped]
    lacking = [f"{gap.of} of {gap.run_id or 'the store'}: {gap.why}" for gap in receipt.gaps]
    return tuple(dict.fromkeys([*problems, *skipped, *lacking]))

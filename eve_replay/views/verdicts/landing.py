"""The landing page: every session in one list, worst first, with what it waits for and what ran twice.

Sessions of eve and plain SDK runs stand side by side. One row takes one joined session (:func:`landing_row`);
the order needs all of them (:func:`landing`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from functools import lru_cache

from eve_replay.checks import Verdict, Voice
from eve_replay.checks.finding import SEVERITY_RANK, VERDICT_RANK
from eve_replay.guidance import why_all
from eve_replay.guidance.plan.model import KIND_WORDS
from eve_replay.guidance.why import Report
from eve_replay.journal import Session, SessionHead
from eve_replay.journal.effects.judge import Twice, judge_effect, tally
from eve_replay.journal.effects.policy import EffectsLike
from eve_replay.journal.ledger.model import LedgerLike
from eve_replay.views.kit.base import View
from eve_replay.views.kit.safe import safe_text
from eve_replay.views.kit.tone import TONES, Tone
from eve_replay.views.kit.words import ago, duration
from eve_replay.views.session.sessions import detailed, session_row
from eve_replay.views.session.titles import title_text
from eve_replay.views.verdicts.postmortem import tone_of, word_of
from eve_replay.views.verdicts.verdicts import stated, verdict_rows_of

__all__ = [
    "FIELDS",
    "Landing",
    "LandingRow",
    "head_row",
    "landing",
    "landing_row",
    "standing_now",
    "title_text",
    "unread_row",
]

#: Names that ``--where`` knows.
FIELDS = (
    "id",
    "kind",
    "framework",
    "title",
    "state",
    "severity",
    "worst",
    "twice",
    "possible",
    "tool",
    "runs",
    "turns",
    "last",
    "version",
)
_QUIET = frozenset({"idle", "completed", "cancelled", "purged", "repeat-absorbed", "re-executed", "ran-once"})


@dataclass(frozen=True, slots=True, kw_only=True)
class LandingRow(View):
    """One session.

    Attributes:
        id: the whole id. ``framework``: ``eve``, ``workflow-sdk``, ``python-sdk`` or ``flue``.
        title: text, safe to draw (the text inside of a message that is JSON).
        state: what it does or waits for, with since (``parked: approval since 3 days``).
        standing: the same without since, for who lets it tick (:func:`standing_now`).
        tone, sign: of the worst that is to be said. ``worst`` that in two or three words, ``code`` and
            ``severity`` of it; ``certainty``: observed, implied or unknown.
        twice: effects the outside saw more than once, surely and possibly.
        since: when the state began, None where nothing says. ``deadline``: when something comes by itself.
        last_activity: the newest evidence.
        runs, turns: counts. ``tools``: names of its effects. ``version``: newest eve version, may be empty.
        quiet: nothing needs anybody: it is folded in a long list.
        order: sort key, worst first.
        looked: False while only its run record is known (:func:`head_row`): nothing is said of it yet.
        parked: what ``since`` counts is a wait: it is said with the state.
        todo: what is to be done, in the words of the plan: ``look up: charge_card``; may be empty.
        urgent: something unprotected is going to repeat, and can still be prevented: these stand first.
        kind: session, subagent (started by another session) or workflow (a plain SDK run).
    """

    id: str
    framework: str
    title: str
    state: str
    tone: Tone
    sign: str
    worst: str
    code: str
    severity: str
    certainty: str
    twice: Twice
    since: datetime | None
    deadline: datetime | None
    last_activity: datetime | None
    runs: int
    turns: int
    tools: tuple[str, ...]
    version: str
    quiet: bool
    order: tuple[float, ...]
    standing: str = ""
    looked: bool = True
    parked: bool = False
    kind: str = "session"
    todo: str = ""
    urgent: bool = False

    @property
    def key(self) -> str:
        """``session:ID``, as front ends name it."""
        return f"session:{self.id}"

    @property
    def search(self) -> str:
        """Lower-case text in which plain words are looked for."""
        said = (self.standing, self.worst, *self.tools) if self.looked else ()
        return "\n".join((self.id, self.title, self.framework, self.version, *said)).lower()

    def fields(self, now: datetime) -> dict[str, str | int | float | tuple[str, ...] | None]:
        """Return what ``--where`` may ask; ``last`` in seconds before ``now``."""
        last = None if self.last_activity is None else (now - self.last_activity).total_seconds()
        return {
            "id": self.id,
            "kind": self.kind,
            "framework": self.framework,
            "title": self.title,
            "state": self.state,
            "severity": self.severity,
            "worst": self.code,
            "twice": self.twice.sure,
            "possible": self.twice.possible,
            "tool": self.tools,
            "runs": self.runs,
            "turns": self.turns,
            "last": last,
            "version": self.version,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Landing(View):
    """All of them, worst first, and what they come to.

    Attributes:
        rows: worst first.
        states: how many are in each state (its word alone, ``parked``), most urgent first.
        twice: over all rows; the two numbers are never added up.
    """

    rows: tuple[LandingRow, ...]
    states: tuple[tuple[str, int], ...]
    severities: tuple[tuple[str, int], ...]
    twice: Twice


def landing(rows: Iterable[LandingRow]) -> Landing:
    """Return the rows in order, worst first and the newest of equals first, with totals."""
    ordered = tuple(sorted(rows, key=lambda row: (row.order, row.id)))
    states = Counter(_word(row.standing or row.state) for row in ordered)
    severities = Counter(row.severity for row in ordered)
    twice = Twice()
    for row in ordered:
        twice += row.twice
    by_rank = sorted(severities.items(), key=lambda pair: SEVERITY_RANK.get(pair[0], 9))
    return Landing(rows=ordered, states=tuple(states.items()), severities=tuple(by_rank), twice=twice)


@lru_cache(maxsize=4096)
def _word(state: str) -> str:
    return re.split(r"[:,]| until | since | \(", state, maxsplit=1)[0].strip()


def landing_row(
    session: Session,
    *,
    now: datetime,
    zone: tzinfo | None = None,
    effects: EffectsLike = None,
    versions: Iterable[str] = (),
    ledger: LedgerLike | None = None,
    report: Report | None = None,
) -> LandingRow:
    """Return the row of one joined session.

    Args:
        session: the session.
        now: the instant to reckon from.
        zone: zone of clock times in words.
        effects: what the user knows of their tools.
        versions: eve versions of the whole store.
        ledger: what really happened outside; with it its counts count.
        report: its post-mortem made with the same words, by who has it already.
    """
    if report is None:
        voice = Voice(now=now, zone=zone)
        world = why_all([session], voice=voice, effects=effects, versions=versions, ledger=ledger)
        report = world.reports[0]
    counted = zip(report.effects, report.counts, strict=True)
    twice = tally(judge_effect(effect, None if n is None else n.count) for effect, n in counted)
    row = detailed(session_row(session.head), session, now=now, twice=twice)
    row = stated(row, session, verdict_rows_of(session, report), zone=zone)
    worst = report.worst
    tone: Tone = tone_of(worst) if worst is not None else row.tone
    parked = row.status_text.startswith("parked")
    plain = _state(detailed(session_row(session.head), session).status_text, worst) if parked else ""
    severity = worst.severity if worst is not None else "info"
    last = _last(session, row.last_activity)
    return LandingRow(
        id=session.id,
        framework=session.framework,
        title=title_text(session.head.title),
        state=_state(row.status_text, worst),
        tone=tone,
        sign=TONES[tone].sign or "·",
        worst=word_of(worst) if worst is not None else "",
        code=worst.code if worst is not None else "",
        severity=severity,
        certainty=worst.certainty if worst is not None else "unknown",
        twice=twice,
        since=_since(session, last),
        deadline=_deadline(session, report, now),
        last_activity=last,
        runs=row.runs,
        turns=row.turns or 0,
        tools=tuple(dict.fromkeys(effect.tool for effect in report.effects)),
        version=row.versions[-1] if row.versions else "",
        quiet=severity == "info" and not twice and (worst is None or worst.code in _QUIET),
        order=_order(report, worst, last),
        standing=plain or _state(row.status_text, worst),
        parked=parked,
        kind=session.kind,
        todo=_todo(report),
        urgent=report.plan.urgent,
    )


def head_row(head: SessionHead) -> LandingRow:
    """Return the row of a session of which only the run record was read: it says nothing of how it stands."""
    last = head.updated_at or head.created_at
    return LandingRow(
        id=head.id,
        framework=head.framework,
        title=title_text(head.title),
        state="not looked at yet",
        standing="not looked at yet",
        tone="muted",
        sign="",
        worst="",
        code="",
        severity="",
        certainty="unknown",
        twice=Twice(),
        since=None,
        deadline=None,
        last_activity=last,
        runs=len(head.run_ids),
        turns=0,
        tools=(),
        version=head.eve_version or "",
        quiet=False,
        order=(99.0, 0.0, 0.0, 0.0, -last.timestamp() if last is not None else 0.0),
        looked=False,
        kind=head.kind,
    )


def unread_row(head: SessionHead, error: Exception) -> LandingRow:
    """Return the row of a session that could not be joined: it needs somebody, and says why."""
    text = "could not be read"
    return replace(
        head_row(head),
        state=text,
        standing=text,
        worst=safe_text(f"{text}: {error}"),
        code="unread",
        severity="error",
        tone="error",
        sign=TONES["error"].sign or "!",
        looked=True,
        order=(1.0, 0.0, float(len(VERDICT_RANK)), 0.0, 0.0),
    )


def standing_now(row: LandingRow, now: datetime, *, brief: bool = False) -> str:
    """Return the state as it is at ``now``: since when it waits, and what is left of its deadline.

    Args:
        row: the session.
        now: the instant to reckon from; a list that is drawn again lets it tick.
        brief: leave out since, for a narrow column.
    """
    text = row.standing or row.state
    told = row.worst in ("", text) or row.code in ("parked", "held", "leased", "running")
    if row.looked and not row.quiet and not told and row.deadline is None:
        text += f", {row.worst}"
    if row.deadline is not None:
        left = (row.deadline - now).total_seconds()
        said = f"{left:.0f} s" if left < 100 else duration(left)  # it ticks: no tenths
        text += f", {said} left" if left >= 1 else ", due"
    elif row.parked and row.since is not None and not brief:
        text += f" since {ago(row.since, now).removesuffix(' ago')}"
    return text


def _order(report: Report, worst: Verdict | None, last: datetime | None) -> tuple[float, ...]:
    newest = -last.timestamp() if last is not None else 0.0
    first = 0.0 if report.plan.urgent else 1.0  # what can still be prevented stands above what has happened
    if worst is None:
        return (first, float(len(SEVERITY_RANK)), float(len(VERDICT_RANK)), 0.0, newest)
    return (first, *(float(each) for each in worst.order), newest)


#: What a step of a plan asks for, where its kind alone ("Do") would not tell.
_DOES = {
    "answer": "decide",
    "reset": "reset",
    "repair": "repair",
    "stop-server": "stop servers",
    "start-server": "start a server",
    "send": "send a message",
}


def _todo(report: Report) -> str:
    steps = [step for step in report.plan.steps if step.kind not in ("wait", "safe-to-start")]
    words = [_DOES.get(step.does) or KIND_WORDS[step.kind].lower() for step in steps]
    kinds = ", ".join(dict.fromkeys(words))
    tools = ", ".join(dict.fromkeys(each.tool for step in steps for each in step.about if each.tool))
    return f"{kinds}: {tools}" if kinds and tools else kinds


def _state(text: str, worst: Verdict | None) -> str:
    """The state in words; where the record only says that a run has no end, the verdict says what it does.

    A session whose last turn failed is not simply idle.
    """
    if text == "idle" and worst is not None and worst.code in ("failed-turn", "failed-run", "stuck"):
        return word_of(worst)
    plain = text in ("running", "unknown")
    if plain and worst is not None and worst.code not in ("ran-twice", "may-have-run-twice"):
        return word_of(worst)
    return text


def _last(session: Session, record: datetime | None) -> datetime | None:
    """The newest evidence of anything: a record alone is written when a run begins and when it ends."""
    times = [run.events[-1].created_at for run in (*session.runs, *session.children) if run.events]
    found = [each for each in (*times, record) if each is not None]
    return max(found, default=None)


def _since(session: Session, last: datetime | None) -> datetime | None:
    parks = [park.since for park in session.parks if park.open and not park.lost and park.since is not None]
    starts = [
        attempt.started_at
        for step in session.steps
        for attempt in step.attempts
        if attempt.outcome in ("running", "interrupted")
        and attempt is step.attempts[-1]
        and attempt.started_at
    ]
    return min(parks, default=None) or max(starts, default=None) or last


def _deadline(session: Session, report: Report, now: datetime) -> datetime | None:
    """The next thing that comes by itself: a timer, the end of a lease, what the plan knows."""
    due = [park.due for park in session.parks if park.open and park.due is not None]
    due += [step.deadline for step in report.plan.steps if step.deadline is not None]
    due += [verdict.lease_until for verdict in report.verdicts if verdict.lease_until is not None]
    due += [each.at for each in report.plan.soon if each.at is not None]
    waits = [park.due for park in session.parks if park.open and park.due is not None]
    return min((each for each in due if each > now), default=min(waits, default=None))

"""The list of sessions: one row each from what a list may cost, more when a row is looked at.

A world can hold 10,000 sessions. :func:`session_rows` reads run records only (no events, no payloads);
:func:`detailed` fills a row in from the joined session, for the rows a person sees.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from eve_replay.ids import short_id
from eve_replay.views.kit.base import View
from eve_replay.views.kit.safe import safe_text
from eve_replay.views.kit.tone import Tone
from eve_replay.views.kit.words import ago, plural, word_for
from eve_replay.views.session.titles import title_text

if TYPE_CHECKING:  # the list is on screen before the model is loaded
    from eve_replay.journal.effects.judge import Twice
from eve_replay.journal import Session, SessionHead

__all__ = ["SessionRow", "SortBy", "detailed", "filter_rows", "session_row", "session_rows", "sort_rows"]

SortBy = Literal["activity", "status", "title", "attempts", "turns", "started"]

#: Order of statuses when sorting by status: what needs a person first.
_URGENCY = (
    "wedged",
    "stuck",
    "stranded",
    "failed",
    "interrupted",
    "leased",
    "dormant",
    "parked",
    "running",
    "idle",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRow(View):
    """One session in a list.

    Attributes:
        key: ``session:ID``.
        id: the whole id; ``short`` what a table shows.
        kind: session, subagent or workflow (a plain SDK run).
        title: its title, safe to draw.
        status: the word of the vocabulary (docs/words.md); ``status_text`` with what belongs to it, for
            example ``parked: approval since 3 days``; ``tone`` its tone.
        versions: eve versions of its runs, newest last.
        runs: how many runs own it; ``children`` runs and subagents below it.
        turns, steps: counts; ``attempts`` steps that were started more than once; ``twice`` effects that the
            outside saw more than once, surely and possibly. None until the row is detailed.
        last_activity, started_at: times, None where unknown.
        model: model id, empty when not recorded.
        purged: retention deleted its payloads.
        parent: session id of the caller of a subagent, empty otherwise.
        detailed: whether events were read for this row.
        search: lower-case text that the filter looks in.
    """

    key: str
    id: str
    short: str
    kind: str
    title: str
    status: str
    status_text: str
    tone: Tone
    versions: tuple[str, ...] = ()
    runs: int = 1
    children: int = 0
    turns: int | None = None
    steps: int | None = None
    attempts: int | None = None
    twice: Twice | None = None
    last_activity: datetime | None = None
    started_at: datetime | None = None
    model: str = ""
    purged: bool = False
    parent: str = ""
    detailed: bool = False
    search: str = ""


def session_rows(heads: Iterable[SessionHead]) -> tuple[SessionRow, ...]:
    """Return a row per session from ``journal.heads``, newest activity first. Decodes nothing."""
    rows = [session_row(head) for head in heads]
    return sort_rows(rows, "activity")


def session_row(head: SessionHead) -> SessionRow:
    """Return the row of one session from its listing facts alone."""
    word = word_for(head.status or "unknown")
    title = title_text(head.title)
    version = head.eve_version or ""
    parts = (
        head.id,
        title,
        safe_text(head.title),
        word.word,
        version,
        head.model or "",
        head.kind,
        "purged" if head.purged else "",
    )
    return SessionRow(
        key=f"session:{head.id}",
        id=head.id,
        short=short_id(head.id),
        kind=head.kind,
        title=title,
        status=word.word,
        status_text=word.word + (", purged" if head.purged else ""),
        tone=word.tone,
        versions=(version,) if version else (),
        runs=len(head.run_ids),
        children=len(head.child_ids) + len(head.subagents),
        last_activity=head.updated_at or head.created_at,
        started_at=head.created_at,
        model=head.model or "",
        purged=head.purged,
        parent=head.parent or "",
        search=" ".join(part for part in parts if part).lower(),
    )


def detailed(
    row: SessionRow, session: Session, *, now: datetime | None = None, twice: Twice | None = None
) -> SessionRow:
    """Return the row with what only the joined session tells: turns, attempts, what it is parked for.

    Args:
        row: the row from the listing.
        session: the joined session.
        now: the instant to reckon "since" from; without it parks say since when.
        twice: how many effects are twice, surely and possibly, when somebody has counted them.
    """
    status, _, rest = (session.status or row.status).partition(": ")
    word = word_for(status)
    text = _status_text(session, word.word, rest, now)
    versions = dict.fromkeys(run.eve_version for run in session.runs if run.eve_version)
    again = sum(len(step.attempts) > 1 for step in session.steps)
    return replace(
        row,
        status=word.word,
        status_text=text + (", purged" if row.purged else ""),
        tone=word.tone,
        versions=tuple(versions) or row.versions,
        runs=len(session.runs),
        children=len(session.children) + len(session.subagents),
        turns=len(session.turns),
        steps=len(session.steps),
        attempts=again,
        twice=twice,
        last_activity=session.newest_at or row.last_activity,
        detailed=True,
        search=f"{row.search} {text.lower()}",
    )


def _status_text(session: Session, word: str, rest: str, now: datetime | None) -> str:
    parks = [park for park in session.parks if park.open and not park.lost]
    if word != "parked" and not (rest or (word == "running" and parks)):
        return word
    if not parks:
        return f"{word}: {rest}" if rest else word
    kinds = list(dict.fromkeys(park.kind for park in parks))
    since = min((park.since for park in parks if park.since is not None), default=None)
    text = f"parked: {', '.join(kinds)}"
    if since is not None and now is not None:
        text += f" since {ago(since, now).removesuffix(' ago')}"
    if len(parks) > 1:
        text += f" ({plural(len(parks), 'request')})"
    return text


def filter_rows(rows: Iterable[SessionRow], text: str) -> tuple[SessionRow, ...]:
    """Return the rows that hold every word of ``text`` somewhere: id, title, status, version, model.

    ``status:parked`` and ``version:0.80`` look in one field only; ``attempts:>1`` keeps detailed
    rows with a step that was started more than once. Plain text search: 10,000 rows take some milliseconds.
    """
    words = text.lower().split()
    if not words:
        return tuple(rows)
    fields = [word for word in words if ":" in word]
    found = [row for row in rows if all(_holds(row, word) for word in fields)] if fields else rows
    for word in words:
        if ":" not in word:  # a word at a time and no call per row: while somebody types
            found = [row for row in found if word in row.search]
    return tuple(found)


def _holds(row: SessionRow, word: str) -> bool:
    field, colon, wanted = word.partition(":")
    if colon and wanted:
        if field == "status":
            return wanted in row.status_text.lower()
        if field == "version":
            return any(wanted in version for version in row.versions)
        if field == "kind":
            return wanted in row.kind
        if field == "attempts":
            return bool(row.attempts)
        if field == "twice":
            return bool(row.twice)
    return word in row.search


def sort_rows(rows: Sequence[SessionRow], by: SortBy, *, reverse: bool = False) -> tuple[SessionRow, ...]:
    """Return the rows sorted; ties by id. Counts and times start with the largest, words with the first."""

    def when(moment: datetime | None) -> float:
        return -moment.timestamp() if moment is not None else float("inf")

    def place(row: SessionRow) -> tuple[object, ...]:
        if by == "status":
            rank = _URGENCY.index(row.status) if row.status in _URGENCY else len(_URGENCY)
            return (rank, row.status, when(row.last_activity))
        if by == "title":
            return (row.title.lower(),)
        if by == "attempts":
            return (-(row.attempts or 0), when(row.last_activity))
        if by == "turns":
            return (-(row.turns or 0), when(row.last_activity))
        if by == "started":
            return (when(row.started_at),)
        return (when(row.last_activity),)

    return tuple(sorted(rows, key=lambda row: (*place(row), row.id), reverse=reverse))

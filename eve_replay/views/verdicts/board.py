"""The list of sessions while it is looked through: what fits, in which order, and how far the look has come.

A list of 10,000 sessions is on screen before one of them is joined. :class:`Board` holds both kinds of rows:
those of which the run record alone is known and those that were looked at. What a filter found says how many
it has not looked at yet. The filter knows the words of ``sessions --where`` and plain words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, get_args

from eve_replay.errors import WrongUse
from eve_replay.journal.effects.judge import Twice
from eve_replay.views.kit.base import View
from eve_replay.views.kit.words import plural
from eve_replay.views.search.where import where
from eve_replay.views.verdicts.landing import FIELDS, LandingRow, landing

__all__ = ["FOLDED_FROM", "SORTS", "Board", "Fold", "Page", "Sieve", "SortBy", "folded", "sieve"]

SortBy = Literal["worst", "state", "title", "twice", "last", "turns", "version", "id"]
SORTS: tuple[SortBy, ...] = get_args(SortBy)

#: Sessions that need nobody are folded when there are more than this.
FOLDED_FROM = 3

#: Whether a row fits; the second argument is the instant to reckon from.
Sieve = Callable[[LandingRow, datetime], bool]

#: What a filter may have said before it spoke as ``--where`` does.
_OLD = {"status": "state ~", "state": "state ~", "version": "version ~", "kind": "kind ~", "id": "id ~"}
_YES = {"twice:yes": "(twice or possible)", "attempts:yes": "worst = re-executed"}
_JOINED_ONLY = frozenset(FIELDS) - {"id", "kind", "title", "version"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fold(View):
    """One line for sessions that need nobody."""

    count: int
    opened: bool = False

    @property
    def key(self) -> str:
        """What names the line."""
        return "fold:quiet"

    @property
    def words(self) -> str:
        """What the line says."""
        if self.opened:
            return f"{plural(self.count, 'session')} with nothing to do, Space folds"
        return f"{plural(self.count, 'session')} more: nothing to do, Space shows"


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(View):
    """What a list shows now.

    Attributes:
        rows: sessions and at most one fold, in order.
        found: how many sessions fit; ``looked`` how many were looked at of ``total``.
        states: how many of those that fit are in each state; ``twice`` over them.
        wrong: why the filter could not be read as a condition, empty when it could.
    """

    rows: tuple[LandingRow | Fold, ...]
    found: int
    looked: int
    total: int
    states: tuple[tuple[str, int], ...] = ()
    twice: Twice = field(default_factory=Twice)
    wrong: str = ""

    @property
    def totals(self) -> str:
        """``1 overdue, 2 parked, 148 idle; 1 possibly twice``."""
        states = ", ".join(f"{number:,} {word}" for word, number in self.states)
        return "; ".join(part for part in (states, self.twice.words) if part)


def folded(rows: Sequence[LandingRow], *, every: bool = False) -> tuple[list[LandingRow], list[LandingRow]]:
    """Return the rows to show and those that one line stands for."""
    quiet = [row for row in rows if row.quiet]
    if every or len(quiet) <= FOLDED_FROM:
        return list(rows), []
    return [row for row in rows if not row.quiet], quiet


def sieve(text: str) -> tuple[Sieve, bool]:
    """Return what a filter means, and whether it can be told of a session that was not looked at.

    Args:
        text: a condition as of ``--where``, or plain words that must all stand somewhere in the row
            (``status:parked`` looks in the state only).

    Raises:
        WrongUse: it looks like a condition and cannot be read.
    """
    text = text.strip()
    if not text:
        return (lambda row, now: True), True
    words = text.split()
    named = [said for word in words if (said := _named(word))]
    wanted = [word.lower() for word in words if not _named(word)]
    if named or not _is_condition(text):
        fits = where(" and ".join(named), FIELDS) if named else None
        known = not named or _known(" ".join(named))

        def holds(row: LandingRow, now: datetime) -> bool:
            if not all(word in row.search for word in wanted):
                return False
            return fits is None or ((row.looked or known) and fits(row.fields(now)))

        return holds, known
    condition = where(text, FIELDS)
    known = _known(text)
    return (lambda row, now: (row.looked or known) and condition(row.fields(now))), known


def _known(condition: str) -> bool:
    """Whether the run record alone tells what a condition asks for."""
    return not any(re.search(rf"\b{name}\b", condition) for name in _JOINED_ONLY)


def _named(word: str) -> str:
    """The condition that a word like ``status:parked`` stands for, empty for any other word."""
    found = re.fullmatch(rf"({'|'.join(_OLD)}):([^\"]+)", word)
    return _YES.get(word) or (f'{_OLD[found[1]]} "{found[2]}"' if found else "")


def _is_condition(text: str) -> bool:
    if re.search(r"[=<>~]", text):
        return True
    words = re.findall(r"[^\s()]+", text.lower())
    return len(words) > 0 and all(word in FIELDS or word in ("and", "or", "not") for word in words)


class Board:
    """All sessions of a source, looked at or not. It is used by one thread."""

    def __init__(self) -> None:
        self._heads: dict[str, LandingRow] = {}
        self._rows: dict[str, LandingRow] = {}

    def __len__(self) -> int:
        return len(self._heads)

    @property
    def looked(self) -> int:
        """How many were looked at."""
        return len(self._rows)

    def heads(self, rows: Iterable[LandingRow]) -> None:
        """Take all sessions anew; what was looked at stays while its record is the same."""
        before = self._heads
        self._heads = {row.id: row for row in rows}
        self._rows = {
            each: row for each, row in self._rows.items() if self._heads.get(each) == before.get(each)
        }

    def put(self, rows: Iterable[LandingRow]) -> None:
        """Take rows that were looked at."""
        self._rows |= {row.id: row for row in rows if row.id in self._heads}

    def forget(self, ids: Iterable[str]) -> None:
        """Look at these again when there is time."""
        for each in ids:
            self._rows.pop(each, None)

    def row(self, id_: str) -> LandingRow | None:
        """Return what is known of a session."""
        return self._rows.get(id_) or self._heads.get(id_)

    def seen(self, id_: str) -> bool:
        """Whether a session was looked at."""
        return id_ in self._rows

    @property
    def waiting(self) -> list[str]:
        """Those not looked at yet, newest first."""
        left = [row for each, row in self._heads.items() if each not in self._rows]
        return [row.id for row in sorted(left, key=lambda row: row.order)]

    def page(
        self,
        text: str = "",
        *,
        sort: SortBy = "worst",
        reverse: bool = False,
        opened: bool = False,
        now: datetime,
    ) -> Page:
        """Return what a list shows.

        Args:
            text: the filter.
            sort: the column to sort by; ties stay worst first.
            reverse: the other way round.
            opened: those that need nobody are shown too.
            now: the instant to reckon from.
        """
        wrong = ""
        try:
            fits, _ = sieve(text)
        except WrongUse as error:
            wrong = str(error)
            fits, _ = sieve("")
        known = [self._rows.get(each, head) for each, head in self._heads.items()]
        found = [row for row in known if fits(row, now)] if text.strip() and not wrong else known
        page = landing(row for row in found if row.looked)
        ordered = sorted(found, key=lambda row: row.order)
        if sort != "worst":
            ordered.sort(key=lambda row: _place(row, sort))
        if reverse:
            ordered.reverse()
        rows: list[LandingRow | Fold] = list(ordered)
        if sort == "worst" and not reverse and (not text.strip() or wrong):
            shown, quiet = folded(ordered)
            if quiet:
                rows = [*shown, Fold(count=len(quiet), opened=opened), *(quiet if opened else ())]
        return Page(
            rows=tuple(rows),
            found=len(found),
            looked=len(self._rows),
            total=len(self._heads),
            states=page.states,
            twice=page.twice,
            wrong=wrong,
        )


def _place(row: LandingRow, sort: SortBy) -> tuple[object, ...]:
    """Counts and times begin with the largest, words with the first."""
    if sort == "state":
        return (not row.looked, row.standing.partition(":")[0])
    if sort == "title":
        return (row.title.lower(),)
    if sort == "twice":
        return (-row.twice.sure, -row.twice.possible)
    if sort == "turns":
        return (-row.turns,)
    if sort == "version":
        return (row.version,)
    if sort == "id":
        return (row.id,)
    return (-row.last_activity.timestamp() if row.last_activity is not None else float("inf"),)

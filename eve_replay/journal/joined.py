"""The sessions joined in this process and their journals, by the runs they are made of; held weakly."""

from __future__ import annotations

import weakref
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from eve_replay.journal.model import Session

if TYPE_CHECKING:
    from eve_replay.journal.facade import Journal

__all__ = ["joined_with", "journal_of", "remember"]


class _Known(NamedTuple):
    session: weakref.ref[Session]
    journal: weakref.ref[Journal]


_by_run: dict[str, list[_Known]] = {}
#: So that ``open_journal(x).session().turns[0]``, whose session nobody else holds, still finds it.
_newest: deque[Session] = deque(maxlen=2)


def remember(session: Session, journal: Journal) -> Session:
    """Keep a session and its journal findable for as long as somebody holds them; return the session."""
    for run in session.all_runs:
        _forget(run.run_id)
        ref = weakref.ref(session, partial(_gone, run.run_id))
        _by_run.setdefault(run.run_id, []).append(_Known(ref, weakref.ref(journal)))
    _newest.append(session)
    return session


def joined_with(run_id: str) -> tuple[Session, ...]:
    """Return the sessions at hand that a run belongs to, the newest first; several journals may hold it."""
    found = [known.session() for known in reversed(_by_run.get(run_id, []))]
    return tuple(each for each in found if each is not None)


def journal_of(session: Session) -> Journal | None:
    """Return the journal that a session was read from, None when nobody holds it any more."""
    known = [each for each in _by_run.get(session.id, []) if each.session() is session]
    return known[-1].journal() if known else None


def _gone(run_id: str, _: object) -> None:
    _forget(run_id)


def _forget(run_id: str) -> None:
    alive = [known for known in _by_run.get(run_id, ()) if known.session() is not None]
    if alive:
        _by_run[run_id] = alive
    else:
        _by_run.pop(run_id, None)

"""Search in one session: its runs, children and streams."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from eve_replay.errors import WrongUse
from eve_replay.journal import Session, StreamEvent
from eve_replay.views.search.search import FIELDS, Hit, Pattern, search

if TYPE_CHECKING:
    from eve_replay.journal import Journal

__all__ = ["session_hits"]


def session_hits(
    journal: Journal, session: Session, text: str, *, fields: Iterable[str] = FIELDS, regex: bool = False
) -> Iterator[Hit]:
    """Yield the places where a text stands in a session, as they are found.

    Args:
        journal: the journal the session is from.
        session: the joined session.
        text: the text, or a regular expression.
        fields: which of ids, names, values, paths.
        regex: take the text as an expression.

    Raises:
        WrongUse: the expression is not valid.
    """
    try:
        pattern = Pattern(text, regex=regex)
    except ValueError as error:
        raise WrongUse(f"{text!r} is not a valid expression: {error}.") from error
    streams: dict[str, list[StreamEvent]] = {}
    for event in session.stream_events:
        streams.setdefault(session.id, []).append(event)
    runs = [run.run_id for run in session.all_runs]
    yield from search(
        journal.world, pattern, fields=fields, runs=runs, events_of=lambda run_id: streams.get(run_id, ())
    )

"""The one question about a ledger that a person asks: how often did each effect really happen?"""

from __future__ import annotations

from collections.abc import Mapping

from eve_replay.journal.effects.build import effects_of
from eve_replay.journal.effects.policy import EffectsLike, EffectsPolicy
from eve_replay.journal.facade import Journal
from eve_replay.journal.ledger.join import Joined, join, journal_end
from eve_replay.journal.ledger.model import Ledger, LedgerLike
from eve_replay.journal.model import Session
from eve_replay.journal.targets import Target, locate

__all__ = ["ledger"]


def ledger(
    target: Target,
    rows: LedgerLike,
    *,
    session: str | Session | Journal | None = None,
    effects: EffectsLike = None,
    columns: Mapping[str, str] | None = None,
    query: str | None = None,
) -> Joined:
    """Return how often each effect of a session really happened, by the outside's own record.

    Args:
        target: a source, journal or session, or a part of a session: the whole session is meant.
        rows: the record: a file, rows, a data frame, or a database connection with ``query``.
        session: id of the session, when the target holds several.
        effects: what the user knows of their tools.
        columns: our names to the ledger's: ``{"key": "stripe_idempotency", "at": "created"}``.
        query: the SELECT for a connection or an SQLite file, one row per effect that happened.

    Raises:
        NotFound, WrongUse: there is no such session; the record is of another kind.
        SourceUnreadable: the record cannot be read.

    Example::

        for count in ledger("sample:crash-in-tool", "payments.ndjson").counts:
            print(count.effect.tool, count.count, count.verdict)
    """
    found = locate(target, session=session).session
    book = Ledger.load(rows, columns=columns, query=query)
    end = journal_end(found)
    return join(
        effects_of(found, EffectsPolicy.load(effects)),
        book,
        effects=effects,
        ends={found.id: end} if end is not None else None,
    )

"""``eve-replay ledger``: how often did each effect really happen?"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import click

from eve_replay.cli.shared.common import (
    Shell,
    command,
    echo,
    echo_table,
    emit_json,
    finish,
    note,
    open_journal,
    source_and,
)
from eve_replay.cli.shared.ledger import column_options, load_ledger
from eve_replay.cli.shared.options import effects_option
from eve_replay.errors import WrongUse
from eve_replay.times import iso

if TYPE_CHECKING:
    from eve_replay.journal.effects.build import Effect


@command("ledger")
@source_and("ledger")
@click.option("--ledger", "only", metavar="FILE", help="The same as the word, as `why` takes it.")
@effects_option
@column_options
def cli(
    shell: Shell,
    source: str | None,
    ledger: str | None,
    only: str | None,
    effects: str | None,
    ledger_query: str | None,
    column: tuple[str, ...],
) -> None:
    """Compare an outside record of effects with the journal.

    LEDGER is a file with one line per effect that really happened: NDJSON, CSV, TSV or SQLite.
    """
    from eve_replay.journal.effects.build import effects_of
    from eve_replay.journal.ledger.join import join, journal_end
    from eve_replay.views.kit.text import section
    from eve_replay.views.verdicts.postmortem import ledger_table, unmatched_table

    if only:
        # Then the one word that may be left is the source.
        source, ledger = source or ledger, only
    book = load_ledger(ledger, ledger_query, column)
    if book is None:
        raise WrongUse("No ledger was given.", hint="For example: eve-replay ledger SOURCE payments.ndjson")
    journal = open_journal(shell, source)
    found: list[Effect] = []
    ends: dict[str, datetime] = {}
    for session in journal.sessions:
        found += effects_of(session, effects)
        end = journal_end(session)
        if end is not None:
            ends[session.id] = end
    joined = join(found, book, effects=effects, ends=ends)
    bad = bool(joined.unmatched or joined.hidden or joined.missing)
    if shell.json:
        emit_json(
            shell,
            "ledger",
            journal,
            ledger=book.origin,
            columns=dict(book.columns),
            ledgerReceipt=book.receipt.to_json(),
            effects=[
                count.effect.to_json()
                | {
                    "sessionId": count.effect.session_id,
                    "ledgerCount": count.count,
                    "lines": [entry.line for entry in count.entries],
                    "joinedBy": list(count.how),
                    "verdict": count.verdict or None,
                    "twoProcesses": count.effect.two_processes,
                }
                for count in joined.counts
            ],
            unmatched=[
                {"line": e.line, "at": iso(e.at), "effect": e.effect, "callId": e.call_id, "key": e.key}
                for e in joined.unmatched
            ],
        )
    else:
        echo_table(shell, ledger_table(joined))
        if joined.unmatched:
            echo(shell, section("Effects without a recorded start"))
            echo_table(shell, unmatched_table(joined.unmatched, shell.zone))
        outside = sum(1 for count in joined.counts if count.count is None)
        if outside:
            note(shell, f"{outside} recorded effects are of kinds the ledger does not cover.")
    finish(shell, journal.receipt, problems=bad or not book.receipt.clean)

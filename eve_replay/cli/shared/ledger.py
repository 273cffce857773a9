"""Options that name a ledger, shared by ``why`` and ``ledger``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from eve_replay.errors import SourceUnreadable, WrongUse
from eve_replay.views.kit.words import plural

if TYPE_CHECKING:
    from eve_replay.journal.ledger.model import Ledger

__all__ = ["column_options", "ledger_options", "load_ledger"]


def column_options(function: Callable[..., None]) -> Callable[..., None]:
    """Add ``--ledger-query`` and ``--column``."""
    function = click.option(
        "--column",
        multiple=True,
        metavar="NAME=COLUMN",
        help="Which ledger column holds at, effect, key, call_id ...",
    )(function)
    return click.option(
        "--ledger-query", metavar="SQL", help="The SELECT, when the ledger is an SQLite file."
    )(function)


def ledger_options(function: Callable[..., None]) -> Callable[..., None]:
    """Add ``--ledger``, ``--ledger-query`` and ``--column``."""
    return click.option("--ledger", metavar="FILE", help="What really happened: NDJSON, CSV or SQLite.")(
        column_options(function)
    )


def load_ledger(path: str | None, query: str | None, columns: tuple[str, ...]) -> Ledger | None:
    """Return the ledger the options name, None without one. Raises WrongUse, SourceUnreadable."""
    from eve_replay.journal.ledger.model import Ledger

    if path is None:
        return None
    mapping: dict[str, str] = {}
    for pair in columns:
        name, equals, column = pair.partition("=")
        if not equals or not column:
            raise WrongUse(
                f"--column {pair!r} is not NAME=COLUMN.", hint="For example --column key=stripe_key."
            )
        mapping[name.strip()] = column.strip()
    book = Ledger.load(path, columns=mapping or None, query=query)
    if not book.entries and book.receipt.seen:
        raise SourceUnreadable(
            f"{path} is no ledger: none of its {plural(book.receipt.seen, 'line')} is a record.",
            hint="A ledger has one line per effect that really happened: NDJSON, CSV, TSV or SQLite.",
        )
    if book.entries and not any(each.effect or each.key or each.call_id for each in book.entries):
        raise SourceUnreadable(
            f"{path} is no ledger: no column of it says which effect happened, under which key or call.",
            hint="Name them, for example --column effect=type --column key=idempotency_key.",
        )
    return book

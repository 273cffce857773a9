"""Which layout a store of tables has: the one a person named, the one that fits, or an error that helps."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from eve_replay.errors import SourceUnreadable
from eve_replay.worlds.layouts.library import fits_tables, given_layout, layouts
from eve_replay.worlds.layouts.model import NEEDED, Layout
from eve_replay.worlds.layouts.observe import sampled
from eve_replay.worlds.layouts.tables import Row
from eve_replay.worlds.layouts.unknown import UnknownLayout
from eve_replay.worlds.sources import public_source
from eve_replay.worlds.wayout import way_out

__all__ = ["choose", "tables_in_words"]

_MANY = 8


def choose(
    tables: Mapping[str, tuple[str, ...]],
    *,
    given: str | None,
    what: str,
    label: str,
    reader: str = "tables",
    sample: Callable[[str], list[Row]] | None = None,
) -> Layout:
    """Return the layout to read a store with.

    Args:
        tables: tables and their columns.
        given: a layout somebody named.
        what: what the store is, with its article: ``an SQLite database``.
        label: where it is.
        reader: ``tables`` or ``documents``.
        sample: returns some rows of a table, for the draft of a layout.

    Raises:
        UnknownLayout: no layout fits; the message says what the store holds.
        SourceUnreadable: the named layout is of other tables.
        WrongUse: the named layout does not exist or is wrong.
    """
    if given:
        layout = given_layout(given)
        if layout.reader == "keys":
            raise SourceUnreadable(
                f"The layout {layout.name} reads keys, and {public_source(label)} is {what}.",
                hint=f'Give a layout whose reader is "{reader}".',
            )
        _holds_something(layout, tables, label)
        return layout
    fits = fits_tables(tables, reader=reader)
    if fits:
        return fits[0].layout
    near = _nearest(tables, reader)
    known = f" The nearest is {near}." if near else ""
    raise UnknownLayout(
        f"{public_source(label)} is {what} {tables_in_words(tables)}; no layout is known for it.{known}",
        hint=way_out(public_source(label.partition(" (")[0]), describe=True),
        tables=tables,
        reader=reader,
        samples=sampled(tables, sample) if sample is not None else {},
    )


def tables_in_words(tables: Mapping[str, tuple[str, ...]]) -> str:
    """Return ``with the tables a, b and 3 more``."""
    names = list(tables)
    if not names:
        return "without any table"
    more = f" and {len(names) - _MANY} more" if len(names) > _MANY else ""
    return f"with the table{'s' if len(names) > 1 else ''} {', '.join(names[:_MANY])}{more}"


def _holds_something(layout: Layout, tables: Mapping[str, tuple[str, ...]], label: str) -> None:
    wanted = [layout.parts[name].table for name in NEEDED]
    if not any(table in tables for table in wanted):
        raise SourceUnreadable(
            f"{public_source(label)} has none of the tables of the layout {layout.name} "
            f"({', '.join(wanted)}): it is one {tables_in_words(tables)}.",
            hint="Check the database, and the names in the layout.",
        )


def _nearest(tables: Mapping[str, tuple[str, ...]], reader: str) -> str:
    """Say which known layout comes near and what it lacks, empty when none does."""
    best: tuple[int, str] = (0, "")
    for layout in layouts():
        if layout.reader != reader:
            continue
        there = [part for part in layout.parts.values() if part.table in tables]
        lacking = sorted(
            f"{part.table}.{column}"
            for part in there
            for column in {*part.columns(), *layout.telling.get(part.table, ())}
            if column not in tables[part.table]
        )
        score = 10 * len(there) - len(lacking)
        if len(there) > 1 and lacking and score > best[0]:
            best = (score, f"{layout.name} ({layout.title}), but there is no {', '.join(lacking[:6])}")
    return best[1]

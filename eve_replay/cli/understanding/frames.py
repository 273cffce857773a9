"""``eve-replay frames``: tables for other programs, as CSV or NDJSON."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path

import click

from eve_replay.cli.shared.common import (
    Shell,
    command,
    echo_table,
    emit_json,
    finish,
    note,
    open_journal,
    source_and,
)
from eve_replay.cli.shared.files import written_aside
from eve_replay.cli.shared.json import write_json
from eve_replay.frames.columns import EARLIER
from eve_replay.frames.tables import FRAMES, columns_of, frame_rows
from eve_replay.times import iso
from eve_replay.views.kit.safe import safe_text, wrap
from eve_replay.views.kit.table import Column, Table
from eve_replay.views.kit.words import plural

__all__ = ["cli"]


@command("frames")
@source_and("frame", required=False)
@click.option("--session", metavar="SESSION", help="Only this session.")
@click.option("--effects", metavar="FILE", help="Effects policy (effects.toml), for the frame effects.")
@click.option("--format", "form", type=click.Choice(["csv", "ndjson"]), help="csv (the default) or ndjson.")
@click.option("--out", metavar="FILE", type=click.Path(dir_okay=False), help="Write here instead of stdout.")
@click.option("--force", is_flag=True, help="Overwrite FILE when it exists.")
def cli(
    shell: Shell,
    source: str | None,
    frame: str | None,
    session: str | None,
    effects: str | None,
    form: str | None,
    out: str | None,
    force: bool,
) -> None:
    """Write runs, steps, attempts, tool_calls, events or effects as a table.

    Without FRAME the frames and their columns are listed. Times are ISO 8601 in UTC, durations seconds,
    sizes stored bytes; an empty field is not recorded. In Python the same tables are pandas frames:
    eve_replay.frames.
    """
    if frame is None:
        _listing(shell)
        return
    columns_of(frame)
    journal = open_journal(shell, source)
    wanted = [journal.session(session)] if session else journal
    rows = ({k: _plain(v) for k, v in row.items()} for row in frame_rows(frame, wanted, effects))
    if shell.json:
        # Documents keep the names they had, beside those of the tables.
        earlier = EARLIER.get(frame, {})
        columns = dict(FRAMES[frame]) | {old: FRAMES[frame][new] for old, new in earlier.items()}
        whole = [row | {old: row[new] for old, new in earlier.items()} for row in rows]
        emit_json(shell, "frames", journal, frame=frame, columns=columns, rows=whole)
    elif out is not None:
        count = _to_file(Path(out), frame, rows, form or _form_of(out), force=force)
        note(shell, f"{plural(count, 'row')} written to {out}.")
    else:
        # A program gets text as it is; a terminal would obey what some journal has in it.
        shown = (_on_screen(row) for row in rows) if sys.stdout.isatty() else rows
        for chunk in _chunks(frame, shown, form or "csv"):
            sys.stdout.buffer.write(chunk)
        sys.stdout.buffer.flush()
    finish(shell, journal.receipt)


def _form_of(name: str) -> str:
    return "ndjson" if name.endswith((".ndjson", ".jsonl")) else "csv"


def _plain(value: object) -> object:
    return iso(value) if isinstance(value, datetime) else value


def _on_screen(row: dict[str, object]) -> dict[str, object]:
    return {name: safe_text(value) if isinstance(value, str) else value for name, value in row.items()}


def _to_file(path: Path, frame: str, rows: Iterator[dict[str, object]], form: str, *, force: bool) -> int:
    count = 0

    def counted() -> Iterator[dict[str, object]]:
        nonlocal count
        for row in rows:
            count += 1
            yield row

    with written_aside(path, force=force) as file:
        for chunk in _chunks(frame, counted(), form):
            file.write(chunk)
    return count


def _chunks(frame: str, rows: Iterable[dict[str, object]], form: str) -> Iterator[bytes]:
    """Yield the table as UTF-8. A lone surrogate, which UTF-8 cannot hold, is written as its escape."""
    if form == "ndjson":
        for row in rows:
            buffer = io.BytesIO()
            write_json(row, buffer)
            yield buffer.getvalue()
        return
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(list(FRAMES[frame]))
    for row in rows:
        writer.writerow([_cell(row[name]) for name in FRAMES[frame]])
        yield text.getvalue().encode("utf-8", "backslashreplace")
        text.seek(0)
        text.truncate()
    yield text.getvalue().encode("utf-8", "backslashreplace")


def _cell(value: object) -> object:
    """Return a CSV cell. Text that a spreadsheet would take for a formula gets a quote in front."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r"):
        return f"'{value}"
    return "" if value is None else value


def _listing(shell: Shell) -> None:
    if shell.json:
        emit_json(shell, "frames", "", None, frames={name: dict(columns) for name, columns in FRAMES.items()})
        return
    rows = [(name, ", ".join(columns)) for name, columns in FRAMES.items()]
    width = max(shell.width - 14, 30)
    body = []
    for name, text in rows:
        for number, part in enumerate(wrap(text, width)):
            body.append((name if not number else "", part))
    echo_table(shell, Table(columns=(Column(title="frame"), Column(title="columns")), rows=body))

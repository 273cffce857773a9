"""``eve-replay stream``: what a run told the outside while it ran."""

from __future__ import annotations

import base64
from collections.abc import Sequence

import click

from eve_replay.cli.shared.common import (
    Shell,
    command,
    echo,
    echo_table,
    emit_json,
    finish,
    open_source,
    say_zone,
    source_and,
)
from eve_replay.cli.shared.match import match_id
from eve_replay.cli.shared.payload import hex_lines
from eve_replay.cli.shared.pick import pick_run
from eve_replay.codec import session_events, stream_form, stream_values
from eve_replay.ids import ulid_time
from eve_replay.problems import Problem, Receipt
from eve_replay.records import StreamChunk, StreamRecord
from eve_replay.views.inspect.value import value_lines, value_rows
from eve_replay.views.kit.safe import safe_text
from eve_replay.views.kit.table import Cell, Column, Table
from eve_replay.views.kit.text import Line, line, paragraph
from eve_replay.views.kit.words import clock, clocks, plural, size
from eve_replay.views.session.byte_text import text_of_chunks
from eve_replay.views.session.emissions import EmissionRow, emission_rows, is_session_stream

__all__ = ["cli"]


@command("stream")
@source_and("run", required=False)
@click.option("--name", metavar="NAME", help="Only this stream (its last characters suffice).")
@click.option("--raw", is_flag=True, help="Show the stored chunks, not what they mean.")
@click.option("--values", is_flag=True, help="Show each event whole.")
def cli(shell: Shell, source: str | None, run: str | None, name: str | None, raw: bool, values: bool) -> None:
    """Show what a run wrote to its streams.

    For an eve session these are the events a client sees: messages, model text, tool requests and results.
    When a body runs again it says the same again under new ids; such lines are marked. An event here is no
    commit: only the event log commits. A stream of bytes that are UTF-8 text is shown as that text; --values
    shows the bytes.
    """
    world = open_source(shell, source)
    record = pick_run(shell, world, run)
    names = [each.name for each in world.others(record.run_id) if isinstance(each, StreamRecord)]
    if name is not None:
        names = [match_id(names, name, "stream")]
    documents = []
    for each in names:
        chunks = list(world.stream(record.run_id, each))
        if shell.json:
            documents.append(_json(shell, record.run_id, each, chunks, world.receipt, raw=raw))
        else:
            echo(shell, _head(each, chunks))
            _print(shell, record.run_id, each, chunks, world.receipt, raw=raw, values=values)
    if shell.json:
        emit_json(shell, "stream", world, world.receipt, runId=record.run_id, streams=documents)
    elif names:
        say_zone(shell)
    else:
        echo(shell, [line(("This run has no streams.", "muted"))])
    finish(shell, world.receipt)


def _head(name: str, chunks: list[StreamChunk]) -> list[Line]:
    data = [chunk for chunk in chunks if not chunk.end]
    total = size(sum(len(chunk.data) for chunk in data))
    state = "ended" if any(chunk.end for chunk in chunks) else "not ended"
    return [line((name, "strong"), (f"  {plural(len(data), 'chunk')}, {total}, {state}", "muted"))]


def _note(receipt: Receipt, problems: list[Problem]) -> None:
    for each in problems:
        receipt.problem(each.severity, each.code, each.where, each.message, each.hint)


def _json(
    shell: Shell, run_id: str, name: str, chunks: list[StreamChunk], receipt: Receipt, *, raw: bool
) -> dict[str, object]:
    document: dict[str, object] = {
        "name": name,
        "chunks": sum(not chunk.end for chunk in chunks),
        "done": any(chunk.end for chunk in chunks),
    }
    if raw:
        stored = [(c.chunk_id, c.end, base64.b64encode(c.data).decode()) for c in chunks]
        return document | {"raw": [{"chunkId": id_, "end": end, "base64": text} for id_, end, text in stored]}
    items = stream_values(chunks, keys=shell.keys, run_id=run_id, limit=shell.limit, where=name)
    _note(receipt, items.problems)
    text = text_of_chunks(item.value for item in items)
    document |= {"values": [stream_form(item.value) for item in items]}
    return document if text is None else document | {"text": "".join(text)}


def _print(
    shell: Shell,
    run_id: str,
    name: str,
    chunks: list[StreamChunk],
    receipt: Receipt,
    *,
    raw: bool,
    values: bool,
) -> None:
    if raw:
        for chunk in chunks:
            stored = clock(ulid_time(chunk.chunk_id), shell.zone, millis=True)
            end = "end" if chunk.end else size(len(chunk.data))
            echo(shell, [line(chunk.chunk_id, (f"  {stored}  {end}", "muted"))])
            echo(shell, hex_lines(chunk.data, limit=64))
        return
    events = session_events(chunks, keys=shell.keys, run_id=run_id, limit=shell.limit, where=name)
    if not is_session_stream(events):
        items = stream_values(chunks, keys=shell.keys, run_id=run_id, limit=shell.limit, where=name)
        _note(receipt, items.problems)
        lines = text_of_chunks(item.value for item in items)
        if lines is not None and not values:
            for words in "".join(lines).splitlines():
                echo(shell, paragraph(safe_text(words), width=shell.width, indent=2))
            return
        for item in items:
            echo(shell, value_lines(value_rows(item.value, budget=24), width=shell.width, indent=2))
        return
    _note(receipt, events.problems)
    if values:
        for chunk_id, event in events:
            echo(shell, [line((chunk_id, "muted"))])
            echo(shell, value_lines(value_rows(event), width=shell.width, indent=2))
        return
    rows = emission_rows(events)
    columns = [Column(title="time"), Column(title="event"), Column(title="turn"), Column(title="", shrink=1)]
    echo_table(shell, Table(columns=columns, rows=_cells(shell, rows)), indent=2)
    repeats = sum(row.repeat for row in rows)
    if repeats:
        text = f"↻ {plural(repeats, 'event')} said before, under another id: a body ran again."
        echo(shell, paragraph(text, width=shell.width, indent=2, tone="again"))


def _cells(shell: Shell, rows: Sequence[EmissionRow]) -> list[list[Cell | str]]:
    times = clocks((row.at for row in rows), shell.zone, millis=True)
    return [
        [
            at,
            Cell(row.type, row.tone),
            row.place,
            Cell(("↻ " if row.repeat else "") + row.gist, "again" if row.repeat else "muted"),
        ]
        for at, row in zip(times, rows, strict=True)
    ]

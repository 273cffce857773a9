"""``eve-replay stream``: what a run told the outside while it ran."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping

import click

from eve_replay.cli._common import (
    Shell,
    command,
    echo,
    echo_table,
    emit_json,
    finish,
    match_id,
    open_source,
    source_and,
)
from eve_replay.cli._payload import hex_lines
from eve_replay.cli._pick import pick_run
from eve_replay.codec import session_events, stream_values
from eve_replay.ids import ulid_time
from eve_replay.records import StreamChunk, StreamRecord
from eve_replay.times import iso, parse_time
from eve_replay.values import Undecoded, preview, to_tagged
from eve_replay.views.table import Cell, Column, Table
from eve_replay.views.text import Line, line
from eve_replay.views.value import value_lines, value_rows
from eve_replay.views.words import clock, plural, size

__all__ = ["cli"]


@command("stream")
@source_and("run", required=False)
@click.option("--name", metavar="NAME", help="Only this stream (its last characters suffice).")
@click.option("--raw", is_flag=True, help="Show the stored chunks, not what they mean.")
@click.option("--values", is_flag=True, help="Show each event whole.")
def cli(shell: Shell, source: str | None, run: str | None, name: str | None, raw: bool, values: bool) -> None:
    """Show what a run wrote to its streams.

    For an eve session these are the events a client sees: messages, model text, tool requests and results.
    After a crash they repeat under new ids. An event here is no commit: only the event log commits.
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
            documents.append(_json(shell, each, chunks, raw=raw))
        else:
            echo(shell, _head(each, chunks))
            _print(shell, chunks, raw=raw, values=values)
    if shell.json:
        emit_json(shell, "stream", world, world.receipt, runId=record.run_id, streams=documents)
    elif not names:
        echo(shell, [line(("This run has no streams.", "muted"))])
    finish(shell, world.receipt)


def _head(name: str, chunks: list[StreamChunk]) -> list[Line]:
    data = [chunk for chunk in chunks if not chunk.end]
    total = size(sum(len(chunk.data) for chunk in data))
    state = "ended" if any(chunk.end for chunk in chunks) else "not ended"
    return [line((name, "strong"), (f"  {plural(len(data), 'chunk')}, {total}, {state}", "muted"))]


def _json(shell: Shell, name: str, chunks: list[StreamChunk], *, raw: bool) -> dict[str, object]:
    document: dict[str, object] = {
        "name": name,
        "chunks": sum(not chunk.end for chunk in chunks),
        "done": any(chunk.end for chunk in chunks),
    }
    if raw:
        return document | {
            "raw": [
                {"chunkId": c.chunk_id, "end": c.end, "base64": base64.b64encode(c.data).decode()}
                for c in chunks
            ]
        }
    return document | {"values": [to_tagged(value) for value in stream_values(chunks, keys=shell.keys)]}


def _print(shell: Shell, chunks: list[StreamChunk], *, raw: bool, values: bool) -> None:
    if raw:
        for chunk in chunks:
            stored = ulid_time(chunk.chunk_id)
            end = "  end" if chunk.end else f"  {size(len(chunk.data))}"
            echo(shell, [line(chunk.chunk_id, (f"  {clock(stored, shell.zone, millis=True)}{end}", "muted"))])
            echo(shell, hex_lines(chunk.data, limit=64))
        return
    events = list(session_events(chunks, keys=shell.keys))
    if not events:
        for value in stream_values(chunks, keys=shell.keys):
            echo(shell, value_lines(value_rows(value, budget=24), width=shell.width, indent=2))
        return
    if values:
        for chunk_id, event in events:
            echo(shell, [line((chunk_id, "muted"))])
            echo(shell, value_lines(value_rows(event, budget=40), width=shell.width, indent=2))
        return
    columns = [Column(title="time"), Column(title="event"), Column(title="turn"), Column(title="", shrink=1)]
    echo_table(shell, Table(columns=columns, rows=[_cells(shell, event) for _, event in events]), indent=2)


def _cells(shell: Shell, event: Mapping[str, object]) -> list[Cell | str]:
    data, meta = event.get("data"), event.get("meta")
    data = data if isinstance(data, Mapping) else {}
    at = parse_time(meta.get("at")) if isinstance(meta, Mapping) else None
    turn = data.get("turnId")
    place = f"{turn}/{data['stepIndex']}" if turn is not None and "stepIndex" in data else str(turn or "")
    return [clock(at, shell.zone, millis=True), str(event.get("type", "")), place, Cell(_gist(data), "muted")]


#: What a person wants to see of an event, in this order; coordinates are shown apart.
_TELLING = (
    "message",
    "text",
    "delta",
    "toolName",
    "actions",
    "result",
    "action",
    "error",
    "finishReason",
    "usage",
)
_COORDINATES = frozenset({"turnId", "stepIndex", "sequence"})


def _gist(data: Mapping[str, object]) -> str:
    def ordered() -> Iterator[tuple[str, object]]:
        for name in _TELLING:
            if name in data:
                yield name, data[name]
        for name, value in data.items():
            if name not in _TELLING and name not in _COORDINATES:
                yield name, value

    parts = [
        f"{name} {preview(value, limit=120)}" for name, value in ordered() if not isinstance(value, Undecoded)
    ]
    return ", ".join(parts[:4])

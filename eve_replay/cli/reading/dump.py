"""``eve-replay dump``: the whole world as one document."""

from __future__ import annotations

import sys

import click

from eve_replay.cli.shared.common import Shell, command, emit_json, finish, open_source, source_argument

__all__ = ["cli"]


@command("dump")
@source_argument
@click.option(
    "--ndjson", is_flag=True, help="One record a line, each with its kind, instead of one document."
)
def cli(shell: Shell, source: str | None, ndjson: bool) -> None:
    """Print the whole world with every payload decoded, as JSON.

    Runs, steps, events, hooks and waits as they are stored, payloads as tagged JSON, and the streams. Where
    a payload cannot be decoded stands {"$type": "undecodable"} with the reason. The output is JSON with or
    without --json. For large worlds --ndjson needs the memory of one record only.
    """
    from eve_replay.worlds.dump import dump_document, dump_lines

    world = open_source(shell, source)
    shell.json = True
    if ndjson:
        from eve_replay.cli.shared.json import write_json

        sys.stdout.flush()
        for record in dump_lines(world):
            write_json(record, sys.stdout.buffer)
        sys.stdout.buffer.flush()
    else:
        document = dump_document(world)
        emit_json(shell, "dump", world, world.receipt, **document)
    finish(shell, world.receipt)

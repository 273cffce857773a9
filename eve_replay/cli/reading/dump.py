"""``eve-replay dump``: the whole world as one document."""

from __future__ import annotations

import sys

import click

from eve_replay.cli.shared.common import Shell, command, finish, open_source, source_argument

__all__ = ["cli"]

#: The lists that are sorted, each by a field of its records.
_SORTED = {"hooks": "hookId", "waits": "waitId"}


@command("dump")
@source_argument
@click.option(
    "--ndjson", is_flag=True, help="One record a line, each with its kind, instead of one document."
)
def cli(shell: Shell, source: str | None, ndjson: bool) -> None:
    """Print the whole world with every payload decoded, as JSON.

    Runs, steps, events, hooks and waits as they are stored, payloads as tagged JSON, and the streams. Where
    a payload cannot be decoded stands {"$type": "undecodable"} with the reason. The output is JSON with or
    without --json. Either needs the memory of one record only:
    the document waits in a file until it is whole.
    """
    from eve_replay.cli.shared.json import write_json
    from eve_replay.cli.shared.spool import Spool, emit_spooled
    from eve_replay.worlds.dump import SECTIONS, dump_lines, dump_sections

    world = open_source(shell, source)
    shell.json = True
    if ndjson:
        sys.stdout.flush()
        for record in dump_lines(world):
            write_json(record, sys.stdout.buffer)
        sys.stdout.buffer.flush()
    else:
        indent = 2 if sys.stdout.isatty() else None
        lists = {name: Spool(by_key=name in _SORTED, indent=indent) for name in SECTIONS}
        lists["streams"] = Spool(mapping=True, indent=indent)
        for section, name, value in dump_sections(world):
            if section == "streams":
                lists[section].add(value, name=name)
            else:
                lists[section].add(value, key=str(value.get(_SORTED.get(section, ""))))
        facts = {"kind": world.kind, **world.about}
        emit_spooled("dump", world, world.receipt, lists, indent=indent, facts={"world": facts})
    finish(shell, world.receipt)

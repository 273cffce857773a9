"""``eve-replay report``: what happened in a period, what it cost, what is open."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

import click

from eve_replay.cli.shared.common import (
    Shell,
    command,
    echo,
    emit_json,
    finish,
    note,
    open_source,
    source_argument,
)
from eve_replay.cli.shared.files import written_aside
from eve_replay.cli.shared.progress import counted
from eve_replay.errors import WrongUse
from eve_replay.times import iso, parse_time
from eve_replay.views.kit.text import line
from eve_replay.views.kit.words import plural
from eve_replay.worlds.base import World
from eve_replay.worlds.sources import public_source

_UNITS = {"m": "minutes", "h": "hours", "d": "days"}


@command("report")
@source_argument
@click.option("--since", metavar="TIME", required=True, help="22:00 (the last one), 8h, 2d, or a whole time.")
@click.option("--until", metavar="TIME", help="The end, the same way (now).")
@click.option(
    "--format", "form", type=click.Choice(["markdown", "html"]), default="markdown", show_default=True
)
@click.option(
    "--sum", "field", metavar="FIELD", default="", help="Sum this number of the calls: cents, order.total."
)
@click.option("--redact", is_flag=True, help="Replace secrets, tokens, addresses and card numbers first.")
@click.option("--effects", metavar="FILE", help="Effects policy (effects.toml).")
@click.option("-o", "--output", metavar="FILE", help="The file to write; without it stdout.")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
def cli(
    shell: Shell,
    source: str | None,
    since: str,
    until: str | None,
    form: str,
    field: str,
    redact: bool,
    effects: str | None,
    output: str | None,
    force: bool,
) -> None:
    """Report a shift: what happened since a time, what it cost, what is open until when, with evidence.

    Costs are at least and at most: a call of a process that died may have acted or not. With --sum a number
    in the calls' inputs is summed by tool. One Markdown text or one HTML page, to be sent; --redact replaces
    secrets before anything is read.
    """
    from eve_replay.journal import Journal
    from eve_replay.report.blocks import to_html, to_markdown
    from eve_replay.report.page import page, title
    from eve_replay.report.shift import shift

    start, end = _instant(shell, since, "--since"), _instant(shell, until, "--until") if until else shell.now
    if start >= end:
        raise WrongUse(
            f"--since {since} is not before the end.", hint="The end is now unless --until says more."
        )
    world = open_source(shell, source)
    with _redacted(shell, world) if redact else _as_it_is(world) as read:
        journal = Journal(read, keys=None if redact else shell.keys)
        heads = journal.heads
        found = shift(
            (journal.session(head.id) for head in counted(heads, len(heads), "session", quiet=shell.json)),
            source=public_source(world.label),
            since=start,
            until=end,
            now=shell.now,
            zone=shell.zone,
            field=field,
            effects=effects,
            versions=journal.versions,
            receipt=journal.receipt,
            redacted=redact,
        )
        blocks = page(found)
        receipt = journal.receipt
    text = to_markdown(blocks) if form == "markdown" else to_html(blocks, title=title(found))
    if output:
        with written_aside(Path(output).expanduser(), force=force) as file:
            file.write(text.encode("utf-8", "backslashreplace"))
    if shell.json:
        emit_json(
            shell,
            "report",
            world,
            receipt,
            since=iso(start),
            until=iso(end),
            file=output,
            text=None if output else text,
            sessions=[
                one.report.to_json() | {"attemptsBegan": one.began, "attemptsAgain": one.again}
                for one in found.worked
            ],
            waiting=[one.report.to_json() for one in found.waiting],
            quiet=found.quiet,
            modelCalls=found.spent.calls,
            tokens={"input": found.spent.tokens.input, "output": found.spent.tokens.output},
            tokensAgain={"input": found.spent.again.input, "output": found.spent.again.output},
            sums=[
                {
                    "tool": each.tool,
                    "field": each.field,
                    "calls": each.calls,
                    "min": str(each.least),
                    "max": None if each.most is None else str(each.most),
                    "maxIfKeysHeld": None if each.absorbed is None else str(each.absorbed),
                    "without": each.without,
                }
                for each in found.sums
            ],
        )
    elif output:
        note(shell, f"{plural(len(found.worked), 'session')} at work, written to {output}.")
    else:
        echo(shell, [line(each) for each in text.splitlines()])
    if redact and not shell.json:
        note(shell, "Look through it before you send it: no rule knows every secret.")
    finish(shell, receipt)


def _instant(shell: Shell, text: str, option: str) -> datetime:
    """Return the instant of ``22:00`` (the last one), ``8h`` (ago) or a whole time."""
    if ago := re.fullmatch(r"(\d{1,6})\s*([mhd])", text.strip()):
        return shell.now - timedelta(**{_UNITS[ago[2]]: int(ago[1])})
    if clock := re.fullmatch(r"([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?", text.strip()):
        local = shell.now.astimezone(shell.zone)
        hour, minute, second = (int(each or 0) for each in clock.groups())
        when = local.replace(hour=hour, minute=minute, second=second, microsecond=0)
        return when if when <= local else when - timedelta(days=1)
    found = parse_time(text)
    if found is None:
        raise WrongUse(
            f"{option} {text!r} is not a time.", hint="Write 22:00, 8h, 2d or 2026-11-30T22:00:00Z."
        )
    if not re.search(r"(Z|[+-]\d\d:?\d\d)$", text) and shell.zone is None:  # as the user's clock shows it
        return datetime.fromisoformat(text).astimezone()
    return found


@contextmanager
def _as_it_is(world: World) -> Iterator[World]:
    yield world


@contextmanager
def _redacted(shell: Shell, world: World) -> Iterator[World]:
    """Give a copy of the world without secrets, in a file that is gone afterwards."""
    from eve_replay.cli.sources.pack import redactor_for
    from eve_replay.worlds.bundle.write import write_bundle
    from eve_replay.worlds.registry import open_world

    with tempfile.TemporaryDirectory(prefix="eve-replay-") as folder:
        file = Path(folder) / "redacted.everun"
        with file.open("xb") as out:
            write_bundle(world, out, redactor=redactor_for(shell, world, None, mask_all=False, drop=True))
        copy = open_world(str(file))
        try:
            yield copy
        finally:
            copy.close()

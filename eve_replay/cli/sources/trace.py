"""``eve-replay trace``: sessions as spans for a trace viewer or a collector."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from eve_replay.cli.shared.common import Shell, command, emit_json, finish, note, open_journal, source_and
from eve_replay.cli.shared.files import written_aside
from eve_replay.cli.shared.progress import counted
from eve_replay.errors import WrongUse
from eve_replay.views.kit.words import plural

if TYPE_CHECKING:
    from eve_replay.exports.spans import Span


@command("trace")
@source_and("session", required=False)
@click.option(
    "--format",
    "form",
    type=click.Choice(["perfetto", "otlp"]),
    default="perfetto",
    show_default=True,
    help="perfetto: Chrome trace JSON, for Perfetto and speedscope; otlp: OTLP JSON spans.",
)
@click.option("-o", "--output", metavar="FILE", required=True, help="The file to write, - for stdout.")
@click.option("--effects", metavar="FILE", help="Effects policy (effects.toml).")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
def cli(
    shell: Shell,
    source: str | None,
    session: str | None,
    form: str,
    output: str,
    effects: str | None,
    force: bool,
) -> None:
    """Write sessions as spans: turns, steps, every attempt, model and tool calls; re-runs marked and linked.

    Without SESSION all of them. An attempt that died ends at its last sign, and says that no end is recorded.
    No payload is written: names, ids, times, tokens and outcomes only.
    """
    from eve_replay.cli.shared.select import session_wanted
    from eve_replay.exports.chrome import chrome_trace
    from eve_replay.exports.otlp import otlp_trace
    from eve_replay.exports.spans import session_spans

    if output == "-" and shell.json:
        raise WrongUse("-o - and --json both want stdout.", hint="Name a file, or leave --json out.")
    journal = open_journal(shell, source)
    ids = [session_wanted(journal, session).id] if session else [head.id for head in journal.heads]
    spans: list[tuple[str, tuple[Span, ...]]] = []
    without = 0
    for id_ in counted(ids, len(ids), "session", quiet=shell.json):
        found = session_spans(journal.session(id_), effects=effects)
        without += not found
        if found:
            spans.append((id_, found))
    document = chrome_trace(spans) if form == "perfetto" else otlp_trace(spans)
    data = json.dumps(document, separators=(",", ":")).encode()
    count = sum(len(each) for _, each in spans)
    if output == "-":
        sys.stdout.buffer.write(data + b"\n")
    else:
        with written_aside(Path(output).expanduser(), force=force) as file:
            file.write(data)
    if shell.json:
        emit_json(
            shell,
            "trace",
            journal.world,
            journal.receipt,
            file=output,
            sessions=len(spans),
            spans=count,
            withoutTimes=without,
        )
    elif output != "-":
        opens = (
            "Open it in Perfetto or speedscope."
            if form == "perfetto"
            else "Send it to a collector's /v1/traces."
        )
        note(shell, f"{plural(count, 'span')} of {plural(len(spans), 'session')} in {output}. {opens}")
    if without:
        note(shell, f"{plural(without, 'session')} without any time left out.")
    finish(shell, journal.receipt)

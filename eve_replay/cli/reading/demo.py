"""``eve-replay demo``: a real crash, read step by step, with the commands that show each thing."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

from eve_replay import samples
from eve_replay.cli import COMMANDS, exists
from eve_replay.cli.reading.show import step_table
from eve_replay.cli.shared.common import Shell, command, echo, echo_table, emit_json, finish
from eve_replay.cli.shared.payload import payload_json
from eve_replay.codec import Payload
from eve_replay.ids import short_id
from eve_replay.journal import Attempt, Journal
from eve_replay.redaction.veil import glimpse
from eve_replay.times import parse_time
from eve_replay.views.inspect.records import RunRow, StepRow, run_rows, step_rows
from eve_replay.views.inspect.value import value_lines, value_rows
from eve_replay.views.kit.safe import cut, safe_text
from eve_replay.views.kit.table import Cell, Column, Row, Table
from eve_replay.views.kit.text import Line, Span, line, paragraph
from eve_replay.views.kit.words import clock, size, word_for, zone_name
from eve_replay.views.session.documents import run_document, step_row_document
from eve_replay.views.verdicts.entries import entry_lines
from eve_replay.views.verdicts.landing import LandingRow, landing_row

__all__ = ["cli"]

_SAMPLE = "crash-in-tool"
_SOURCE = f"sample:{_SAMPLE}"
#: The telling parts of a turn step (docs/evidence/observed.md#deltas): the message it took, the tool results
#: it added.
_MESSAGE = "$.args[0].input.delivery.payloads[0].message"
_RESULTS = "$.stateDelta.history.value[2].content"

_NEXT = (
    ("why", f"why {_SOURCE}", "what ran twice, and what to do"),
    ("diff", f"diff {_SOURCE}", "attempt 1 against attempt 2"),
    ("matrix", f"matrix {_SOURCE}", "every other point it could die at"),
    ("tui", f"tui {_SOURCE}", "step through it with the keyboard"),
    ("lab", f"lab {_SOURCE}", "the same in a notebook"),
    ("sessions", "sessions", "your own project, from its folder"),
)


@command("demo")
def cli(shell: Shell) -> None:
    """Read a bundled recording of a real crash, and say what to try next.

    The recording is part of the package: no eve, no network, nothing to prepare.
    """
    world = samples.open(_SAMPLE, keys=shell.keys, limit=shell.limit)
    rows = run_rows(world.runs())
    run = rows[0]
    steps = step_rows(world.steps(run.run_id), list(world.events(run.run_id)))
    step = max(steps, key=lambda each: each.starts)
    record = next(each for each in world.steps(run.run_id) if each.step_id == step.step_id)
    payloads = {name: p for name in ("input", "output") if (p := record.payload(name)) is not None}
    journal = Journal(world)
    attempts = journal.step(step.step_id).attempts
    ledger = samples.ledger(_SAMPLE)
    if shell.json:
        emit_json(
            shell,
            "demo",
            world,
            world.receipt,
            runs=[run_document(row) for row in rows],
            steps=[step_row_document(each) for each in steps],
            step=step.step_id,
            **{name: payload_json(payload, None) for name, payload in payloads.items()},
            ledger=ledger,
            next=[f"eve-replay {words}" for _, words, _ in _usable()],
        )
    else:
        listed = landing_row(journal.session(), now=shell.now, zone=shell.zone)
        _tell(shell, rows, steps, step, payloads, attempts, ledger, listed)
    finish(shell, world.receipt)


def _tell(
    shell: Shell,
    rows: tuple[RunRow, ...],
    steps: tuple[StepRow, ...],
    step: StepRow,
    payloads: Mapping[str, Payload],
    attempts: tuple[Attempt, ...],
    ledger: list[dict[str, object]],
    listed: LandingRow,
) -> None:
    tail = step.step_id[-4:]
    zone = f" Times are {zone_name(step.started_at, shell.zone)}." if step.started_at else ""
    intro = (
        "An agent was asked to charge a card and to mail a receipt. While charge_card ran, its process was "
        f"killed, and started again. This is the journal that eve {rows[0].eve_version} wrote. The model is "
        f"a script, which its message carries; all else is real.{zone}"
    )
    echo(shell, paragraph(intro, width=shell.width))

    _scene(shell, 1, "The sessions of the store, worst first", f"sessions {_SOURCE}")
    entry = entry_lines(listed, short_id(listed.id), width=shell.width - 3, now=shell.now, zone=shell.zone)
    echo(shell, [(Span("   "), *each) for each in entry])

    _scene(
        shell,
        2,
        "The steps of its run, and how often each was started",
        f"show {_SOURCE} {rows[0].run_id[-4:]}",
    )
    echo_table(shell, step_table(shell, steps), indent=3)

    _scene(shell, 3, f"What {step.name.function} took in and gave back, decoded", f"step {_SOURCE} {tail}")
    for name, path in (("input", _MESSAGE), ("output", _RESULTS)):
        if name in payloads:
            echo(shell, _part(shell, name, payloads[name], path))

    _scene(shell, 4, "One step, two executions", f"attempts {_SOURCE}")
    for attempt in attempts:
        echo(shell, _attempt(shell, attempt))

    _scene(shell, 5, "What really happened outside, as the tools wrote it down", "")
    echo_table(shell, _ledger(shell, ledger), indent=3)
    charges = [str(each.get("chargeId")) for each in ledger if each.get("effect") == "charge"]
    moral = (
        f"‖ The card was charged twice: {' and '.join(charges)}. The journal holds the second only; the "
        "first died with the process before its step was committed. A step that is not committed runs again "
        "from its start, and so does everything it did."
    )
    echo(shell, [(), *paragraph(moral, width=shell.width, indent=3, tone="harm")])

    echo(shell, [(), line(("Try next", "strong"))])
    told: list[Row] = [[f"eve-replay {words}", Cell(text, "muted")] for _, words, text in _usable()]
    echo_table(shell, Table(columns=[Column(title=""), Column(title="", shrink=1)], rows=told), indent=3)


def _usable() -> list[tuple[str, str, str]]:
    return [each for each in _NEXT if exists(COMMANDS[each[0]])]


def _scene(shell: Shell, number: int, title: str, words: str) -> None:
    heads = textwrap.wrap(f"{number}. {title}", shell.width)
    echo(shell, [(), *(line((head, "strong")) for head in heads)])
    if words and exists(COMMANDS[words.split()[0]]):
        echo(shell, [line((f"   $ eve-replay {words}", "muted"))])


def _part(shell: Shell, name: str, payload: Payload, path: str) -> list[Line]:
    """One part of a payload; a text is shown whole."""
    value = payload.at(path)
    layers = " > ".join(payload.layers)
    out = [line(f"   {name}  ", (f"{size(payload.size)} {layers}, at {path}", "muted"))]
    if isinstance(value, str):
        return out + paragraph(value[:1000], width=shell.width, indent=5)
    return out + value_lines(value_rows(value), width=shell.width, indent=5)


def _attempt(shell: Shell, attempt: Attempt) -> list[Line]:
    word = word_for(attempt.outcome)
    when = clock(attempt.started_at, shell.zone, millis=True)
    out = [
        line(f"   attempt {attempt.n}  {when}  ", (word.word, word.tone), (f"  {attempt.certainty}", "muted"))
    ]
    for call in attempt.tool_calls:
        result = (
            f"gave {glimpse(call.output, limit=200)}" if call.returned else "asked for, no result recorded"
        )
        out.append(line(cut(f"      {call.name}  {safe_text(result)}", shell.width)))
    return out


def _ledger(shell: Shell, ledger: list[dict[str, object]]) -> Table:
    rows: list[Row] = []
    for each in ledger:
        what = each.get("chargeId") or f"to {each.get('to')}"
        at = clock(parse_time(each.get("at")), shell.zone, millis=True)
        rows.append([at, str(each.get("effect")), str(what), Cell(f"process {each.get('pid')}", "muted")])
    return Table(columns=[Column(title="") for _ in range(4)], rows=rows)

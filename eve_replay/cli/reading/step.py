"""``eve-replay step``: what one step took in and gave back."""

from __future__ import annotations

import base64

import click

from eve_replay.cli.shared.common import Shell, command, echo, emit_json, finish, open_source, source_and
from eve_replay.cli.shared.payload import first_undecoded, payload_json, payload_lines, raw_lines
from eve_replay.cli.shared.pick import locate_step
from eve_replay.codec import Payload
from eve_replay.errors import WrongUse
from eve_replay.records import EventRecord, StepRecord
from eve_replay.values import UNDEFINED
from eve_replay.views.inspect.records import StepRow, step_rows
from eve_replay.views.kit.text import Line, fields, line, paragraph
from eve_replay.views.kit.words import clock, day_and_clock, duration, plural, word_for, zone_name
from eve_replay.views.session.documents import step_row_document

__all__ = ["cli"]

_NAMES = ("input", "output", "error")


@command("step")
@source_and("step")
@click.option("--run", metavar="RUN", help="The run, when two runs hold a step of this id.")
@click.option("--input", "want_input", is_flag=True, help="Only the input.")
@click.option("--output", "want_output", is_flag=True, help="Only the output.")
@click.option("--error", "want_error", is_flag=True, help="Only the error.")
@click.option("--path", metavar="PATH", help="Only this part, such as '$.args[0].history[3]'.")
@click.option("--all", "whole", is_flag=True, help="Unfold everything, texts to their end.")
@click.option("--raw", is_flag=True, help="Show the stored bytes and their layers.")
def cli(
    shell: Shell,
    source: str | None,
    step: str | None,
    run: str | None,
    want_input: bool,
    want_output: bool,
    want_error: bool,
    path: str | None,
    whole: bool,
    raw: bool,
) -> None:
    """Show one step: its executions, and its input and output decoded to JavaScript values.

    STEP is a step id or its last characters, as `eve-replay show` prints them. Long values are folded to
    what fits; --path opens a part, --all opens everything, --json gives it exactly.
    """
    world = open_source(shell, source)
    if step is None:
        raise WrongUse("Which step?", hint="Give its id or last characters; `eve-replay show` lists them.")
    record, step_id = locate_step(shell, world, step, run)
    events = list(world.events(record.run_id))
    stored = {each.step_id: each for each in world.steps(record.run_id)}
    row = next(each for each in step_rows(stored.values(), events) if each.step_id == step_id)
    own = [event for event in events if event.correlation_id == step_id]
    asked = [name for name, flag in zip(_NAMES, (want_input, want_output, want_error), strict=True) if flag]
    payloads = {
        name: payload
        for name in asked or _NAMES
        if (payload := _payload(name, stored.get(step_id), own)) is not None
    }
    if path is not None and not asked:
        there = {name: payload for name, payload in payloads.items() if payload.at(path) is not UNDEFINED}
        payloads = there or payloads
    if shell.json:
        emit_json(
            shell,
            "step",
            world,
            world.receipt,
            step=step_row_document(row),
            **{
                name: payload_json(payload, path)
                | ({"raw": base64.b64encode(payload.raw).decode()} if raw and payload.is_bytes else {})
                for name, payload in payloads.items()
            },
        )
    else:
        if not asked:
            echo(shell, _head(shell, row, own))
        for name, payload in payloads.items():
            echo(
                shell,
                raw_lines(name, payload) if raw else payload_lines(shell, name, payload, path, whole=whole),
            )
        for name in asked:
            if name not in payloads:
                echo(
                    shell,
                    paragraph(_absent(name, row, purged=record.purged), width=shell.width, tone="muted"),
                )
    undecoded = [payload for payload in payloads.values() if first_undecoded(payload, path) is not None]
    finish(shell, world.receipt, problems=bool(undecoded))


def _payload(name: str, record: StepRecord | None, events: list[EventRecord]) -> Payload | None:
    """The record's payload, else the one its events carry (docs/formats/local.md#events)."""
    if record is not None and (found := record.payload(name)) is not None:
        return found
    for event in events:
        if name == "output" and event.event_type == "step_completed":
            return event.data_payload("result")
        if name == "error" and event.event_type == "step_failed":
            return event.data_payload("error")
        if name == "input" and (found := event.data_payload("input")) is not None:
            return found
    return None


def _absent(name: str, row: StepRow, *, purged: bool) -> str:
    if purged:
        return f"The {name} was purged: retention deleted the payloads of this run."
    if name == "output" and row.status in ("running", "pending"):
        return f"There is no output: the step is {row.status}, nothing is committed."
    if name == "output" and row.status == "failed":
        return "There is no output: the step failed. --error shows the error."
    return f"There is no {name} recorded for this step."


def _head(shell: Shell, row: StepRow, events: list[EventRecord]) -> list[Line]:
    word = word_for(row.status)
    when = row.started_at or row.created_at
    out = [line((row.step_id, "strong"), f"  {row.name.function}  ", (word.word, word.tone))]
    pairs: list[tuple[str, str | Line]] = [("run", row.run_id), ("name", row.name.full)]
    if when is not None:
        took = f", took {duration(row.took)}" if row.took is not None else ""
        pairs.append(("started", f"{day_and_clock(when, shell.zone)} ({zone_name(when, shell.zone)}){took}"))
    starts = [event for event in events if event.event_type == "step_started"]
    if len(starts) > 1:
        times = ", ".join(clock(event.created_at, shell.zone, millis=True) for event in starts)
        pairs.append(("starts", line((f"{len(starts)}: {times}", "again"))))
    if row.retries:
        pairs.append(("retries", f"{plural(row.retries, 'recorded error')} before the end"))
    out += fields(pairs, width=shell.width)
    if row.note:
        out += paragraph(row.note, width=shell.width, indent=2, tone="warning")
    return out

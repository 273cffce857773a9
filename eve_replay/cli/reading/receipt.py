"""``eve-replay receipt``: how much of the source was read, and what was not."""

from __future__ import annotations

from collections import Counter

from eve_replay.cli.shared.common import (
    Shell,
    command,
    echo,
    emit_json,
    finish,
    open_source,
    source_argument,
)
from eve_replay.codec import Payload, session_events, stream_values
from eve_replay.errors import NotFound
from eve_replay.records import EventRecord, Record, StreamRecord
from eve_replay.values import Undecoded
from eve_replay.views.kit.safe import cut, safe_text
from eve_replay.views.kit.text import Span, fields, line, paragraph, section
from eve_replay.views.kit.tone import Tone
from eve_replay.views.kit.words import plural
from eve_replay.views.session.emissions import is_session_stream
from eve_replay.worlds.base import World

__all__ = ["cli", "read_everything"]

_TONES: dict[str, Tone] = {"error": "error", "warning": "warning", "info": "muted"}


@command("receipt")
@source_argument
def cli(shell: Shell, source: str | None) -> None:
    """Read everything once and say what was seen, parsed, decoded and skipped, and why.

    Nothing is left out in silence: a file cut short, a payload without its key, a record of an unknown kind
    is listed here with the reason. Exit code 1 when there is any.
    """
    world = open_source(shell, source)
    counts, undecoded = read_everything(world)
    if shell.json:
        emit_json(
            shell,
            "receipt",
            world,
            world.receipt,
            world={"kind": world.kind, **world.about},
            counts=dict(counts),
            undecoded=[{"where": where, "reason": v.reason, "message": v.message} for where, v in undecoded],
        )
        finish(shell, world.receipt, problems=bool(undecoded))
        return
    receipt = world.receipt
    bad = bool(undecoded) or not receipt.clean or bool(receipt.gaps)
    echo(shell, [line((world.label, "strong"), (f"  {world.kind}", "muted"))])
    told = ", ".join(plural(counts[noun], noun) for noun in _NOUNS if counts[noun])
    about = [
        (name, value) for name, value in world.about.items() if value not in (None, "", False, world.label)
    ]
    facts = ", ".join(f"{name} {value}" for name, value in about)
    rows = [
        ("seen", f"{plural(receipt.seen, 'file or row', 'files or rows')}"),
        ("parsed", f"{receipt.parsed:,}"),
    ]
    rows += [("decoded", f"{plural(counts['payload'] - len(undecoded), 'payload')} of {counts['payload']:,}")]
    rows += [("holds", told or "nothing"), ("world", facts)]
    echo(shell, fields([row for row in rows if row[1]], width=shell.width))
    if not bad:
        echo(shell, [line(("✓ ", "ok"), "Everything was read, streams included.")])
    problems = [
        (Span(p.severity, _TONES[p.severity]), p.where, f"{p.message} {p.hint}") for p in receipt.problems
    ]
    lost = {where for where, _ in undecoded}
    skipped = [
        (Span(s.what, "warning"), s.where, f"{s.why}.") for s in receipt.skipped if s.where not in lost
    ]
    gaps = [
        (Span(gap.of, "warning"), gap.name or gap.run_id or "the whole store", f"Not whole: {gap.why}.")
        for gap in receipt.gaps
    ]
    _list(shell, "Lists that are not whole", gaps)
    _list(shell, "Problems", problems)
    _list(shell, "Skipped", skipped)
    _list(shell, "Undecoded", [(Span(v.reason, "warning"), where, v.message) for where, v in undecoded])
    finish(shell, problems=bad)


#: Entries of one kind that are printed; a damaged world can have thousands.
_SHOWN = 30
_NOUNS = ("run", "step", "event", "hook", "wait", "stream", "chunk", "stream object")


def _list(shell: Shell, heading: str, entries: list[tuple[Span, str, str]]) -> None:
    """A heading, then each entry: its word and place on one line, the sentence below."""
    if not entries:
        return
    echo(shell, section(heading, note=str(len(entries)) if len(entries) > 1 else ""))
    for word, where, sentence in entries[:_SHOWN]:
        echo(
            shell,
            [line("  ", word, f"  {cut(safe_text(where), shell.width - len(word.text) - 4, keep='both')}")],
        )
        echo(shell, paragraph(sentence, width=shell.width, indent=4))
    if len(entries) > _SHOWN:
        echo(shell, [line((f"  and {len(entries) - _SHOWN} more; --json lists them all", "muted"))])


def read_everything(world: World) -> tuple[Counter[str], list[tuple[str, Undecoded]]]:
    """Read every record and decode every payload, keeping nothing but counts and failures."""
    counts: Counter[str] = Counter()
    undecoded: list[tuple[str, Undecoded]] = []

    def look(noun: str, record: Record) -> None:
        counts[noun] += 1
        found = [(name, value) for name, value in record.fields.items() if isinstance(value, Payload)]
        if isinstance(record, EventRecord):
            found += list(record.payloads())
        for name, payload in found:
            counts["payload"] += 1
            lost = payload.undecoded
            if lost is not None:
                where = payload.where or f"{record.origin or record.run_id} {name}"
                if lost.path not in ("", "$"):
                    where = f"{where} {lost.path}"
                undecoded.append((where, lost))
                world.receipt.skip(where=where, what="payload", why=f"{lost.reason}: {lost.message}")
            else:
                world.receipt.decoded += 1

    for run in world.runs():
        look("run", run)
        for step in world.steps(run.run_id):
            look("step", step)
        for event in world.events(run.run_id):
            look("event", event)
        for other in world.others(run.run_id):
            look(type(other).__name__.removesuffix("Record").lower(), other)
            if isinstance(other, StreamRecord):
                _read_stream(world, run.run_id, other.name, counts, undecoded)
    return counts, undecoded


def _read_stream(
    world: World, run_id: str, name: str, counts: Counter[str], undecoded: list[tuple[str, Undecoded]]
) -> None:
    """Open every object of a stream, as the views would; a chunk that is only counted tells nothing."""
    try:
        chunks = list(world.stream(run_id, name))
    except NotFound:
        world.receipt.gap("chunks", "the run names the stream, and it is not here", run_id=run_id, name=name)
        world.receipt.skip(where=name, what="stream", why="the run names it, and it is not here")
        return
    counts["chunk"] += len(chunks)
    keys, limit = getattr(world, "keys", None), getattr(world, "limit", None)
    events = session_events(chunks, keys=keys, run_id=run_id, limit=limit, where=name)
    if is_session_stream(events):
        counts["stream object"] += len(events)
        problems = events.problems
    else:
        items = stream_values(chunks, keys=keys, run_id=run_id, limit=limit, where=name)
        problems = items.problems
        for item in items:
            counts["stream object"] += 1
            if isinstance(value := item.value, Undecoded) and value.reason != "truncated":
                undecoded.append((f"{name} {item.chunk_id}", value))
                why = f"{value.reason}: {value.message}"
                world.receipt.skip(where=f"{name} {item.chunk_id}", what="stream object", why=why)
    for problem in problems:
        world.receipt.problem(problem.severity, problem.code, problem.where, problem.message, problem.hint)
        if problem.severity == "error":
            world.receipt.gap("chunks", problem.message.rstrip("."), run_id=run_id, name=name)

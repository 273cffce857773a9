"""Writes any world into one file, record by record (the format: ``bundle_format``)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import BinaryIO

from eve_replay.codec import session_events
from eve_replay.errors import NotFound
from eve_replay.problems import Receipt
from eve_replay.records import Record, RunRecord, StreamRecord
from eve_replay.redaction.redact import Redactor
from eve_replay.worlds.base import World
from eve_replay.worlds.bundle.format import FORMAT, VERSION, chunk_line, record_line
from eve_replay.worlds.bundle.zstd_frames import BundleWriter
from eve_replay.worlds.export.entities import entity_value

__all__ = ["Packed", "find_secrets_in", "write_bundle"]


@dataclass(slots=True, kw_only=True)
class Packed:
    """What was written.

    Attributes:
        counts: lines per kind: ``run``, ``step``, ``event`` ...
        redacted: replacements per rule, None when nothing was to be redacted.
    """

    counts: Counter[str] = field(default_factory=Counter)
    redacted: Counter[str] | None = None


def write_bundle(
    world: World,
    file: BinaryIO,
    *,
    runs: Collection[str] | None = None,
    redactor: Redactor | None = None,
) -> Packed:
    """Write a world into an open file; one record is held at a time.

    Args:
        world: where to read.
        file: open for binary writing, at its start.
        runs: run ids to write, all when None.
        redactor: what to replace on the way, None to keep every byte.

    Raises:
        NotFound: a run id that the world does not have.
    """
    packed = Packed(redacted=None if redactor is None else redactor.counts)
    writer = BundleWriter(file)
    index: list[list[object]] = []
    writer.frame(iter([_header(world, redactor, partial=runs is not None)]))
    for run in _runs(world, runs):
        streams: list[str] = []
        offset, _ = writer.frame(_run_lines(world, run, redactor, packed.counts, streams))
        index.append(["run", run.run_id, "", offset])
        for name in streams:
            offset, _ = writer.frame(_chunk_lines(world, run.run_id, name, redactor, packed.counts))
            index.append(["stream", run.run_id, name, offset])
    writer.finish(
        {
            "k": "end",
            "counts": dict(packed.counts),
            "receipt": _receipt(world.receipt, redactor),
            "redacted": None if redactor is None else dict(redactor.counts),
            "index": index,
        }
    )
    return packed


def find_secrets_in(world: World, redactor: Redactor, *, runs: Collection[str] | None = None) -> set[str]:
    """Read all once and return the secrets that a redactor meets, so that a second pass finds every copy."""
    for run in _runs(world, runs):
        streams: list[str] = []
        for _ in _run_lines(world, run, redactor, Counter(), streams):
            pass
        for name in streams:
            for _ in _chunk_lines(world, run.run_id, name, redactor, Counter()):
                pass
            for pieces in _streamed(world, run.run_id, name):
                redactor.join(pieces)
    return redactor.found


def _streamed(world: World, run_id: str, name: str) -> Iterator[list[str]]:
    """Yield the pieces of each text that was streamed: fields whose name ends in ``delta``."""
    keys, limit = getattr(world, "keys", None), getattr(world, "limit", None)
    found: dict[tuple[str, str], list[str]] = {}
    for _, event in session_events(
        world.stream(run_id, name), keys=keys, run_id=run_id, limit=limit, where=name
    ):
        data = event.get("data")
        for key, value in data.items() if isinstance(data, Mapping) else ():
            if isinstance(value, str) and str(key).lower().endswith("delta"):
                found.setdefault((str(event.get("type")), str(key)), []).append(value)
    yield from found.values()


def _runs(world: World, wanted: Collection[str] | None) -> Iterator[RunRecord]:
    if wanted is None:
        yield from world.runs()
    else:
        for run_id in sorted(wanted):
            yield world.run(run_id)


def _run_lines(
    world: World, run: RunRecord, redactor: Redactor | None, counts: Counter[str], streams: list[str]
) -> Iterator[dict[str, object]]:
    """Yield a run's record, steps, events and the rest; the names of its streams go to ``streams``."""

    def line(record: Record) -> dict[str, object]:
        made = record_line(record if redactor is None else redactor.record(record))
        counts[str(made["k"])] += 1
        return made

    yield line(run)
    for step in world.steps(run.run_id):
        yield line(step)
    for event in world.events(run.run_id):
        yield line(event)
    for other in world.others(run.run_id):
        if isinstance(other, StreamRecord) and other.name not in streams:
            streams.append(other.name)
        yield line(other)


def _chunk_lines(
    world: World, run_id: str, name: str, redactor: Redactor | None, counts: Counter[str]
) -> Iterator[dict[str, object]]:
    yield {"k": "chunks", "s": name, "run": run_id}
    try:
        chunks = world.stream(run_id, name)
        for chunk in chunks if redactor is None else redactor.chunks(chunks, run_id):
            counts["chunk"] += 1
            yield chunk_line(chunk)
    except NotFound:
        return  # a stream that is named and has never been written to


def _header(world: World, redactor: Redactor | None, *, partial: bool) -> dict[str, object]:
    about = entity_value(dict(world.about))
    label: object = world.label
    redaction: object = None
    if redactor is not None:
        redaction = "all text" if redactor.mask_all else "secrets"
        # Paths and host names of the one who packs it are nobody else's business either.
        label = redactor.place(world.label)
        about = redactor.about(about if isinstance(about, Mapping) else {})
    if partial and isinstance(about, dict):
        about["partial"] = True
    return {
        "k": "header",
        "format": FORMAT,
        "version": VERSION,
        "world": {"kind": world.kind, "label": label, "about": about},
        "redaction": redaction,
    }


def _receipt(receipt: Receipt, redactor: Redactor | None) -> dict[str, object]:
    """Return what the first reading saw; messages may quote what was read, so they are redacted too."""
    document = receipt.to_json()
    if redactor is None:
        return document
    for name in ("skipped", "problems"):
        entries = document[name]
        if isinstance(entries, list):
            document[name] = [
                {
                    key: value if key in ("severity", "code", "what") else redactor.message(str(value))
                    for key, value in entry.items()
                }
                for entry in entries
            ]
    return document

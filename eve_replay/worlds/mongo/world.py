"""The community MongoDB world, from ``mongoexport`` and ``mongodump`` (docs/formats/community.md#mongodb).

One file per collection, lines of documents or one array, canonical or relaxed; ``bsondump`` writes the same.
File names do not matter. A live server is read by ``server``.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eve_replay.codec import JsonFault, KeyRing, loads_json, loads_lines
from eve_replay.errors import SourceUnreadable
from eve_replay.limits import LimitsLike
from eve_replay.problems import LISTS, Receipt
from eve_replay.records import EventRecord, HookRecord, RunRecord, StepRecord, StreamChunk, StreamRecord
from eve_replay.worlds.base import World
from eve_replay.worlds.export.entities import Wrap, entity_fields, number_option, text_option
from eve_replay.worlds.fingerprint import file_kind
from eve_replay.worlds.memory import MemoryWorld
from eve_replay.worlds.mongo.bson import ARCHIVE, BsonFault, archive_documents, documents
from eve_replay.worlds.mongo.json import from_extended, split_documents

__all__ = ["MongoWorld", "opener"]

_HEAD = 65_536
_BINARY = (".bson", ".bson.gz")
_SUFFIXES = (".json", ".ndjson", ".jsonl", ".txt")
#: The writer's own bookkeeping in every document.
_OWN = ("_id", "__v")
_IDS = ("runId", "eventId", "stepId", "hookId", "chunkId", "streamName")


class MongoWorld(MemoryWorld):
    """The documents of the exported collections."""

    kind = "mongo"
    #: What opens the frames of encrypted streams; payloads have theirs already.
    keys: KeyRing | None = None
    limit: LimitsLike = None


@dataclass(slots=True)
class _Found:
    runs: list[RunRecord] = field(default_factory=list)
    steps: list[StepRecord] = field(default_factory=list)
    events: list[EventRecord] = field(default_factory=list)
    hooks: list[HookRecord] = field(default_factory=list)
    streams: dict[tuple[str, str], StreamRecord] = field(default_factory=dict)
    chunks: list[StreamChunk] = field(default_factory=list)

    def any(self) -> bool:
        """Return whether there is anything of a run."""
        return bool(self.runs or self.steps or self.events)


def _documents(path: Path, name: str, receipt: Receipt) -> Iterator[tuple[str, Any]]:
    """Yield ``(place, document)`` of a file: BSON, one array, or documents one after the other."""
    raw = _unpacked(path)
    if raw.startswith(ARCHIVE) or _is_bson(path, raw):
        yield from _binary(raw, name, receipt)
        return
    if raw.lstrip()[:1] == b"[":
        try:
            for number, document in enumerate(loads_json(raw), 1):
                yield f"{name}[{number}]", document
        except ValueError as error:
            receipt.skip(where=name, what="file", why=f"it is no JSON: {error}")
        return
    lines = list(loads_lines(raw))
    if re.search(rb"^\{\s*$", raw, re.MULTILINE):
        lines = split_documents(raw)  # --pretty: a document on many lines
    for number, document in lines:
        receipt.seen += 1
        if isinstance(document, JsonFault):
            receipt.skip(where=f"{name}:{number}", what="document", why=f"it is no JSON: {document.message}")
        else:
            yield f"{name}:{number}", document


def _binary(raw: bytes, name: str, receipt: Receipt) -> Iterator[tuple[str, Any]]:
    pairs = archive_documents(raw) if raw.startswith(ARCHIVE) else (("", each) for each in documents(raw))
    for number, (collection, document) in enumerate(pairs, 1):
        receipt.seen += 1
        place = f"{name}{'/' if collection else ''}{collection}[{number}]"
        if isinstance(document, BsonFault):
            message = f"{document.message}, at byte {document.offset}: what follows is missing"
            receipt.skip(where=place, what="document", why=message)
            receipt.problem("error", "torn-bson", name, f"The BSON is not whole: {message}.")
            for of in LISTS:
                receipt.gap(of, f"{name} ends early")
        else:
            yield place, document


def _unpacked(path: Path) -> bytes:
    """Return the bytes of a file, those inside for ``mongodump --gzip``."""
    raw = path.read_bytes()
    if not raw.startswith(b"\x1f\x8b"):
        return raw
    inflater = zlib.decompressobj(wbits=31)
    return inflater.decompress(raw)


def _is_bson(path: Path, raw: bytes) -> bool:
    return path.name.lower().endswith(_BINARY) or file_kind(path).startswith("a BSON")


def _add(found: _Found, place: str, document: object, wrap: Wrap, receipt: Receipt) -> None:
    value = from_extended(document)
    if not isinstance(value, dict):
        receipt.skip(where=place, what="document", why="it is no object")
        return
    receipt.parsed += 1
    value = {name: item for name, item in value.items() if name not in _OWN}
    if "scheduledFor" in value or "lockedUntil" in value:
        receipt.skip(where=place, what="queue message", why="the queue is not part of the journal")
        return
    wrong = [name for name in _IDS if name in value and not isinstance(value[name], str)]
    if wrong or ("runId" not in value and "chunkId" not in value):
        why = f"its {wrong[0]} is no text" if wrong else "it names no run"
        receipt.skip(where=place, what="document", why=why)
    elif "eventId" in value:
        found.events.append(EventRecord(entity_fields(value, wrap, place), place))
    elif "stepId" in value:
        found.steps.append(StepRecord(entity_fields(value, wrap, place), place))
    elif "hookId" in value:
        found.hooks.append(HookRecord(entity_fields(value, wrap, place), place))
    elif "chunkId" in value and "streamName" in value:
        data = value.get("data")
        found.chunks.append(
            StreamChunk(
                stream=str(value["streamName"]),
                chunk_id=str(value["chunkId"]),
                data=data if isinstance(data, bytes) else b"",
                end=value.get("eof") is True,
                origin=place,
            )
        )
    elif "streamName" in value and "runId" in value:
        run_id, name = str(value["runId"]), str(value["streamName"])
        found.streams[run_id, name] = StreamRecord({"runId": run_id, "name": name}, place)
    elif "runId" in value and "workflowName" in value:
        found.runs.append(RunRecord(entity_fields(value, wrap, place), place))
    else:
        receipt.skip(where=place, what="document", why="it is of no collection of this world")


def _missing(found: _Found, receipt: Receipt, label: str) -> None:
    """Name the collections that are not there: an empty list would read as nothing happened."""
    there = {"runs": found.runs, "steps": found.steps, "events": found.events}
    for name, records in there.items():
        if not records:
            receipt.gap(LISTS[LISTS.index(name)], f"there is no document of the collection {name}")
            receipt.problem(
                "error" if name == "events" else "warning",
                "missing-collection",
                label,
                f"There is no document of the collection {name}: it was not exported, or it is empty.",
                f"mongoexport --db workflow --collection {name} --jsonFormat=canonical -o {name}.json",
            )
    known = {run.run_id for run in found.runs}
    for run_id in sorted({record.run_id for record in (*found.events, *found.steps)} - known):
        found.runs.append(RunRecord({"runId": run_id}, label))


@dataclass(frozen=True, slots=True)
class _MongoOpener:
    kind: str = "mongo"

    def recognises(self, source: str) -> float:
        """Return how much a file, or the first files of a folder, look like mongoexport's."""
        if source.lower().startswith(("mongodb://", "mongodb+srv://")):
            return 0.9
        path = Path(source)
        try:
            if path.is_dir():
                if any(p.name.lower().endswith(_BINARY) for p in _dumped(path)):
                    return 0.7
                some = sorted(p for p in path.iterdir() if p.suffix.lower() in _SUFFIXES)[:40]
                return max((0.7 for p in some if _looks_mongo(p)), default=0.0)
            return 0.9 if _looks_mongo(path) else 0.0
        except (OSError, ValueError):
            return 0.0

    def open(self, source: str, **options: object) -> World:
        """Open a file, or every file of a folder. Options: keys, limit."""
        if source.lower().startswith(("mongodb://", "mongodb+srv://")):
            from eve_replay.worlds.mongo.server import server_world

            return server_world(
                source,
                given=text_option(options, "layout"),
                wrap=Wrap.of(options),
                timeout=number_option(options, "timeout"),
            )
        path, receipt, wrap, found = Path(source), Receipt(), Wrap.of(options), _Found()
        try:
            files = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
            for file in files:
                if file.name.lower().endswith((*_SUFFIXES, *_BINARY)) or not path.is_dir():
                    for place, document in _documents(file, file.name, receipt):
                        _add(found, place, document, wrap, receipt)
        except OSError as error:
            raise SourceUnreadable(f"{path} cannot be read: {error.strerror or error}.") from error
        if not found.any():
            raise SourceUnreadable(
                f"There is no run, step or event of a workflow in {path}.",
                hint="Export the collections runs, steps and events of the database workflow.",
            )
        _missing(found, receipt, str(path))
        world = MongoWorld(
            runs=found.runs,
            events=found.events,
            steps=found.steps,
            others=[*found.hooks, *found.streams.values()],
            chunks=found.chunks,
            label=str(path),
            receipt=receipt,
        )
        world.keys, world.limit = wrap.keys, wrap.limit
        return world


def _looks_mongo(path: Path) -> bool:
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if head.startswith(ARCHIVE) or file_kind(path).startswith("a BSON"):
        return True
    named = any(name in head for name in (b'"runId"', b'"eventId"', b'"stepId"', b'"streamName"'))
    return head.lstrip()[:1] in (b"{", b"[") and named and (b'"$oid"' in head or b'"$binary"' in head)


def _dumped(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder and of the folders in it: mongodump makes one per database."""
    for path in sorted(folder.iterdir()):
        if path.is_dir() and not path.is_symlink():
            yield from sorted(path.iterdir())
        else:
            yield path


opener = _MongoOpener()

# ruff: noqa: E501
"""Look at a data folder of a local world for everything that no rule of the reader covers.

What the reader knows is taken from the reader itself: event types and payload prefixes from its own lists, names of
fields from its source (a name that no line of ``eve_replay`` spells is one that nothing uses). ``known.json`` holds
names that were looked at and found to need no line: they are kept in ``fields`` and shown as they are.
"""

from __future__ import annotations

import ast
import base64
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import eve_replay
from eve_replay.checks.log import EVENT_TYPES
from eve_replay.codec.envelope import PREFIXES
from tests.drift.report import Report

HERE = Path(__file__).parent
ID = r"(?:wrun|step|evnt|hook|wait|strm|chnk|attr|abrt|msg)_[0-9A-Za-z]+"
#: Files of a local world, with ids put as ``ID``, hashes as ``HASH`` (docs/formats/local.md#files).
LAYOUT = tuple(
    re.compile(pattern + r"\Z")
    for pattern in (
        r"version\.txt",
        r"manifest\.json",
        r"runs/ID\.json",
        r"(events|steps)/ID/ID-ID\.json",
        r"(events|steps|waits)/ID-ID\.json",
        r"waits/ID/ID-ID\.json",
        r"hooks/ID\.json",
        r"hooks/(tokens|resumes)/HASH\.json",
        r"hooks/(id-index|token-index)/(ID|HASH)(/.*)?(\.json)?",
        r"hooks/by-run/ID/ID(\.json)?",
        r"hooks/by-run/ID-ID\.json",
        r"hooks/\.hook-index-complete",
        r"hooks/tokens/HASH\.json\.lock(/.*)?",
        r"streams/runs/ID\.json",
        r"streams/chunks/[^/]+/ID\.bin",
        r"streams/chunks/[^/]+-ID\.bin",
        r"\.locks/(steps|waits|hooks|runs|attributes|events)/.*",
        r"(.*/)?tmp[0-9A-Za-z_]+",
        r"(.*/)?[^/]+\.tmp(\.[^/]+)?",
    )
)
PAYLOADS = frozenset({"input", "output", "error", "metadata", "result", "payload"})


@cache
def names() -> frozenset[str]:
    """Return every text that the reader's source spells, and the judged names of ``known.json``."""
    found: set[str] = set()
    for path in Path(eve_replay.__file__).parent.rglob("*.py"):
        if "workshop" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 400:
                found.update(re.findall(r"[$A-Za-z_][\w.$:-]*", node.value))
    return frozenset(found) | frozenset(judged())


@cache
def judged() -> dict[str, str]:
    """Return the names that were looked at: name to why it needs no rule."""
    loaded: dict[str, str] = json.loads((HERE / "known.json").read_text())
    return loaded


def survey(folder: Path, name: str) -> Report:
    """Return what a data folder holds that the reader does not know."""
    report = Report(name=name)
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            _file(folder, path, report)
    _as_read(folder, report)
    return report


def _file(folder: Path, path: Path, report: Report) -> None:
    place = path.relative_to(folder).as_posix()
    report.seen["files"] = report.seen.get("files", 0) + 1
    shape = re.sub(r"[0-9a-f]{32,64}", "HASH", re.sub(ID, "ID", place))
    if not any(pattern.match(shape) for pattern in LAYOUT):
        report.new("layout", shape, place)
    kind = place.split("/")[0]
    if path.suffix != ".json" or kind not in ("runs", "steps", "events", "hooks", "waits"):
        return
    if kind == "hooks" and place.count("/") > 1:
        kind = "mark"
    try:
        record = json.loads(path.read_bytes())
    except ValueError:
        report.new("layout", f"{shape} is no JSON", place)
        return
    if not isinstance(record, dict):
        report.new("layout", f"{shape} holds a {type(record).__name__}", place)
        return
    look_at_record(kind, record, report, place)


def look_at_record(kind: str, record: dict[str, Any], report: Report, place: str = "the store") -> None:
    """Note unknown event types, names, codes and prefixes of one record."""
    what = kind.rstrip("s")
    if kind == "events":
        type_ = str(record.get("eventType"))
        report.seen["events"] = report.seen.get("events", 0) + 1
        if type_ not in EVENT_TYPES:
            report.new("event type", type_, place)
        what = f"event {type_}"
    for key, value in record.items():
        _name(f"{what}.{key}", key, place, report)
        if key in ("eventData", "executionContext", "features", "attributes") and isinstance(value, dict):
            for inner, deep in value.items():
                _name(f"{what}.{key}.{inner}", inner, place, report)
                if isinstance(deep, dict) and inner == "executionContext":
                    for last in deep:
                        _name(f"{what}.executionContext.{last}", last, place, report)
                _payload(f"{what}.{key}.{inner}", inner, deep, place, report)
        _payload(f"{what}.{key}", key, value, place, report)
    for key in ("stepName", "workflowName"):
        found = record.get(key) or (record.get("eventData") or {}).get(key)
        if isinstance(found, str):
            _code(key, found, place, report)


def _name(whole: str, name: str, place: str, report: Report) -> None:
    if name not in names():
        report.new("field", whole, place)


def _code(kind: str, name: str, place: str, report: Report) -> None:
    """A function of the vendor's own module: does the reader have a role for it?"""
    _, module, function = ([*name.split("//"), "", ""])[:3]
    if re.match(r"(@?[\w./-]*/)?eve@|workflow@|@workflow/", module) and function not in names():
        report.new("code", f"{kind} {function}", name)


def _payload(whole: str, key: str, value: object, place: str, report: Report) -> None:
    if not isinstance(value, dict) or "__type" not in value:
        return
    if value["__type"] != "Uint8Array":
        report.new("tag", f"record type {value['__type']!r}", f"{place} {whole}")
        return
    try:
        head = base64.b64decode(str(value.get("data", ""))[:8])[:4]
    except ValueError:
        head = b""
    if key in PAYLOADS and head not in PREFIXES:
        report.new("prefix", repr(head), f"{place} {whole}")


def _as_read(folder: Path, report: Report) -> None:
    """What the reader itself says, and what its stream events are."""
    from eve_replay.journal import open_journal
    from eve_replay.worlds.dump import dump_document
    from eve_replay.worlds.registry import open_world

    world = open_world(str(folder))
    document = dump_document(world)
    for problem in world.receipt.problems:
        if problem.code in judged():
            continue
        report.new("reader", f"{problem.code}: {problem.message}", problem.where)
    for each in world.receipt.skipped:
        report.new("reader", f"skipped: {each.why}", each.where)
    for place, tag in odd(document, "$"):
        report.new("tag", tag, place)
    journal = open_journal(str(folder))
    for head in journal.heads:
        session = journal.session(head.id)
        report.seen["sessions"] = report.seen.get("sessions", 0) + 1
        for event in session.stream_events:
            report.seen["stream events"] = report.seen.get("stream events", 0) + 1
            if event.type not in names():
                report.new("event type", f"stream {event.type}", event.chunk_id)
            for key in _keys(event):
                _name(f"stream {event.type}.{key}", key, event.chunk_id, report)


def _keys(event: Any) -> Iterator[str]:
    data = getattr(event, "data", None)
    if isinstance(data, dict):
        yield from (str(key) for key in data)


def odd(value: object, place: str) -> Iterator[tuple[str, str]]:
    """Values that the reader could not revive: ``$type`` unknown or undecodable."""
    if isinstance(value, dict):
        tag = value.get("$type")
        if tag in ("unknown", "undecodable", "Unknown"):
            yield place, f"{tag}: {json.dumps(value, default=str)[:120]}"
        for key, inner in value.items():
            yield from odd(inner, f"{place}.{key}")
    elif isinstance(value, list):
        for n, inner in enumerate(value):
            yield from odd(inner, f"{place}[{n}]")

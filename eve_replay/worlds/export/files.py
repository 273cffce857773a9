"""Files that ``workflow inspect ... --json`` wrote: found, read, and told apart by what is in them.

File names are the user's own, so the content decides; names help only where the content cannot (which
stream a file of values is). Formats: docs/formats/export.md#files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eve_replay.codec import JsonFault, loads_json, loads_lines
from eve_replay.problems import Receipt

__all__ = ["ExportFile", "Row", "kind_of", "read_file", "read_folder"]

Row = Mapping[str, Any]
_SUFFIXES = (".json", ".ndjson", ".jsonl", ".txt")
_IDS = ("runId", "stepId", "eventId", "hookId", "streamId")
_LIMIT = 1 << 30
_EMPTY = (
    "the file is empty: the command failed. A BigInt anywhere in the data makes it print nothing, and a "
    "--limit above 100 does in new releases; what it would have shown is unknown"
)


@dataclass(slots=True)
class ExportFile:
    """One file.

    Attributes:
        name: path relative to what was opened.
        rows: entities in it by kind: run, step, event, hook, sleep, stream.
        values: printed values of a stream, in order, when it is a stream file.
        listed: number of rows of a list, None for a single entity: a list may be cut.
        more: the list itself says there is more (``hasMore``).
    """

    name: str
    rows: list[tuple[str, Row]] = field(default_factory=list)
    values: list[Any] | None = None
    listed: int | None = None
    more: bool = False


def kind_of(row: object) -> str:
    """Return which entity a row is, empty when it is none."""
    if not isinstance(row, Mapping):
        return ""
    texts = {name for name in _IDS if isinstance(row.get(name), str)}
    if "runId" not in texts:
        return ""
    if "eventId" in texts:
        return "event" if "eventType" in row else "sleep" if "correlationId" in row else ""
    for kind, name in (("step", "stepId"), ("hook", "hookId"), ("stream", "streamId")):
        if name in texts:
            return kind
    return "run" if "workflowName" in row else ""


def read_folder(folder: Path, receipt: Receipt) -> Iterator[ExportFile]:
    """Yield the files of a folder and its folders, in name order."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix.lower() in _SUFFIXES:
            found = read_file(path, path.relative_to(folder).as_posix(), receipt)
            if found is not None:
                yield found


def read_file(path: Path, name: str, receipt: Receipt) -> ExportFile | None:
    """Read one file; what cannot be used is named in the receipt."""
    receipt.seen += 1
    try:
        if path.stat().st_size > _LIMIT:
            receipt.skip(where=name, what="file", why="it has more than 1 GiB")
            return None
        raw = path.read_bytes()
    except OSError as error:
        receipt.skip(where=name, what="file", why=f"it cannot be read: {error.strerror or error}")
        return None
    if not raw.strip():
        receipt.skip(where=name, what="export", why=_EMPTY)
        receipt.problem("warning", "failed-export", name, f"{_EMPTY[0].upper()}{_EMPTY[1:]}.")
        return None
    found = _document(raw, name) or _lines(raw, name, receipt)
    if found is None:
        receipt.skip(where=name, what="file", why="it is nothing that workflow inspect --json prints")
        return None
    receipt.parsed += 1
    return found


def _document(raw: bytes, name: str) -> ExportFile | None:
    try:
        whole = loads_json(raw)
    except ValueError:
        return None
    found = ExportFile(name)
    if isinstance(whole, dict) and isinstance(whole.get("data"), list) and "hasMore" in whole:
        listed = whole["data"]
        found.more = whole.get("hasMore") is True
    elif isinstance(whole, list):
        listed = whole
    elif kind_of(whole):
        found.rows.append((kind_of(whole), whole))
        return found
    else:
        return _stream_values([whole], name) if _names_stream(name) else None
    kinds = [(kind_of(row), row) for row in listed]
    if any(not kind for kind, _ in kinds):
        return _stream_values([whole], name) if _names_stream(name) else None
    found.listed = len(listed)
    found.rows = kinds
    return found


def _lines(raw: bytes, name: str, receipt: Receipt) -> ExportFile | None:
    """Read newline-delimited JSON: rows of entities, or the values of a stream."""
    lines = list(loads_lines(raw))
    good = [(number, data) for number, data in lines if not isinstance(data, JsonFault)]
    # Half of it must be JSON: a text file with one number in it is no export.
    if not good or len(good) * 2 < len(lines):
        return None
    for number, data in lines:
        if isinstance(data, JsonFault):
            receipt.skip(where=f"{name}:{number}", what="line", why=f"it is no JSON: {data.message}")
    kinds = [(kind_of(data), data) for _, data in good]
    if all(kind for kind, _ in kinds):
        return ExportFile(name, rows=kinds, listed=len(kinds))
    return _stream_values([data for _, data in good], name)


def _names_stream(name: str) -> bool:
    return re.search(r"strm_|stream", name) is not None


def _stream_values(values: list[Any], name: str) -> ExportFile:
    return ExportFile(name, values=values)

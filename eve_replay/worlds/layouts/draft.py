"""A first draft of a layout from what a store holds: tables and columns matched by their names, gaps marked.

A draft is meant to be read and corrected by a person: what could not be told is ``"?"`` with a comment, and
opening with it says which.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from contextlib import closing

from eve_replay.codec.keys import KeyRing
from eve_replay.errors import SourceUnreadable
from eve_replay.worlds.layouts.library import layout_text
from eve_replay.worlds.layouts.model import PARTS
from eve_replay.worlds.layouts.unknown import UnknownLayout
from eve_replay.worlds.sources import public_source

__all__ = ["describe", "draft_keys", "draft_tables"]

#: Part -> words in the name of its table, the surest first.
_TABLES: Mapping[str, tuple[str, ...]] = {
    "runs": ("runs", "run", "workflows", "executions", "instances"),
    "steps": ("steps", "step", "activities", "tasks"),
    "events": ("events", "event", "history", "log"),
    "hooks": ("hooks", "hook", "webhooks", "tokens"),
    "waits": ("waits", "wait", "sleeps", "timers"),
    "chunks": ("chunks", "chunk", "stream_data", "streams"),
    "streams": ("stream_runs", "streams"),
}
#: Part -> field -> names of columns, without case and underscores, the surest first.
_COLUMNS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "runs": {
        "runId": ("runid", "id", "workflowrunid"),
        "workflowName": ("workflowname", "name", "workflow"),
        "status": ("status", "state"),
        "input": ("inputcbor", "input", "args"),
        "output": ("outputcbor", "output", "result"),
    },
    "steps": {
        "stepId": ("stepid", "id", "correlationid"),
        "runId": ("runid", "workflowrunid"),
        "stepName": ("stepname", "name"),
        "status": ("status", "state"),
        "attempt": ("attempt", "attempts", "tries"),
        "input": ("inputcbor", "input", "args"),
        "output": ("outputcbor", "output", "result"),
    },
    "events": {
        "eventId": ("eventid", "slot", "seq", "sequence", "id"),
        "runId": ("runid", "workflowrunid"),
        "eventType": ("eventtype", "type", "kind"),
        "correlationId": ("correlationid", "stepid", "subject"),
        "eventData": ("payloadcbor", "eventdata", "payload", "data"),
        "createdAt": ("createdat", "timestamp", "time", "at"),
    },
    "hooks": {"hookId": ("hookid", "id", "correlationid"), "runId": ("runid",), "token": ("token",)},
    "waits": {"waitId": ("waitid", "id"), "runId": ("runid",), "resumeAt": ("resumeat", "until")},
    "streams": {"runId": ("runid",), "name": ("streamname", "streamid", "name")},
    "chunks": {
        "stream": ("streamname", "streamid", "stream", "name"),
        "chunkId": ("chunkid", "id", "chunkindex", "sequence"),
        "data": ("data", "chunk", "bytes", "payload"),
        "end": ("eof", "iseof", "isclosed", "done", "closed"),
    },
}
_NEEDED = {
    "runs": ("runId",),
    "steps": ("stepId", "runId"),
    "events": ("eventId", "runId", "eventType"),
    "hooks": ("hookId", "runId"),
    "waits": ("waitId", "runId"),
    "streams": ("runId", "name"),
    "chunks": ("stream", "data"),
}


def describe(source: str, *, keys: KeyRing | None = None) -> str:
    """Return TOML for a store: the layout that fits it, or a first draft from what it holds.

    Args:
        source: what ``open_world`` takes.
        keys: keys for encrypted payloads.

    Raises:
        SourceUnreadable: it is no store of tables, documents or keys, or cannot be read.
        UnknownSource: it is no source at all.
    """
    from eve_replay.worlds.registry import open_world

    try:
        world = open_world(source, keys=keys)
    except UnknownLayout as error:
        head = f"# A draft of {public_source(source)}: check every line; docs/layouts.md explains them.\n"
        if error.reader == "keys":
            return head + draft_keys(error.tables)
        return head + draft_tables(error.tables, reader=error.reader)
    with closing(world):
        known = layout_text(str(world.about.get("layout", "")))
        if known:
            return f"# This layout of the package fits {public_source(source)}.\n{known}"
        raise SourceUnreadable(
            f"{public_source(source)} is read without a layout ({world.kind}): there is nothing to describe.",
            hint="Open it as it is.",
        )


def draft_tables(tables: Mapping[str, Iterable[str]], *, reader: str = "tables") -> str:
    """Return a draft for tables or documents and their columns."""
    lines = ['name = "mine"', 'title = "My store"', f'reader = "{reader}"']
    columns = {column.lower() for some in tables.values() for column in some}
    cbor = any(column.endswith("_cbor") for column in columns)
    lines += [
        "# How payloads lie in their columns: cbor, bytes (a payload with its prefix), json, base64, mixed.",
        f'payload = "{"cbor" if cbor else "bytes"}"',
    ]
    taken: set[str] = set()
    for part in PARTS:
        table = _table(part, [name for name in tables if name not in taken])
        if not table and part not in ("runs", "steps", "events"):
            continue
        taken.add(table)
        there = list(tables.get(table, ()))
        lines += ["", f"[{part}]"]
        lines.append(f"table = {_quoted(table or '?')}" + ("" if table else "  # which table?"))
        lines.append("fields = { " + ", ".join(_fields(part, there)) + " }")
        if there:
            lines.append(f"# columns: {', '.join(there)}")
    rest = [name for name in tables if name not in taken]
    if rest:
        lines += ["", f"# not used: {', '.join(rest)}"]
    return "\n".join(lines) + "\n"


def draft_keys(shapes: Mapping[str, Iterable[str]]) -> str:
    """Return a draft for keys; ``shapes`` are patterns of keys with ``*`` for ids."""
    lines = [
        'name = "mine"',
        'title = "My store"',
        'reader = "keys"',
        'prefix = "workflow:"',
        "",
        "# keys seen:",
    ]
    lines += [f"#   {shape}" for shape in list(shapes)[:40]]
    for part, key, index in (
        ("runs", "run:{runId}", "runs:index"),
        ("steps", "step:{runId}:{stepId}", "steps:by_run:{runId}"),
        ("events", "event:{eventId}", "events:by_run:{runId}"),
    ):
        lines += [
            "",
            f"[{part}]",
            f'key = "{{prefix}}{key}"  # as your keys are',
            f'index = "{{prefix}}{index}"',
        ]
        lines.append('value = "json"  # or hash')
    return "\n".join(lines) + "\n"


def _table(part: str, names: list[str]) -> str:
    """Return the table whose name says the part most plainly, empty when none does."""
    for word in _TABLES[part]:
        exact = [name for name in names if re.search(rf"(?:^|[_.-]){word}$", name.lower())]
        if exact:
            return min(exact, key=len)
    for word in _TABLES[part]:
        near = [name for name in names if word in name.lower()]
        if near:
            return min(near, key=len)
    return ""


def _fields(part: str, columns: list[str]) -> list[str]:
    by_name = {column.lower().replace("_", ""): column for column in columns}
    found: list[str] = []
    used: set[str] = set()
    for field, names in _COLUMNS[part].items():
        column = next((by_name[name] for name in names if name in by_name and by_name[name] not in used), "")
        if column:
            used.add(column)
            form = ', form = "bytes"' if (part, field) == ("chunks", "data") else ""
            if field == "eventId" and column.lower() in ("slot", "seq", "sequence"):
                form = ', form = "slot"'
            found.append(
                f"{field} = {{ column = {_quoted(column)}{form} }}"
                if form
                else f"{field} = {_quoted(column)}"
            )
        elif field in _NEEDED[part]:
            found.append(f'{field} = "?"')
    return found


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)

"""A first draft of a layout from what a store holds: tables and columns matched by their names, gaps marked.

A draft is meant to be read and corrected by a person: what could not be told is ``"?"`` with a comment, and
opening with it says which.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing

from eve_replay.codec.keys import KeyRing
from eve_replay.errors import SourceUnreadable
from eve_replay.worlds.layouts.draft_keys import Shape, draft_rows
from eve_replay.worlds.layouts.library import layout_text
from eve_replay.worlds.layouts.model import IDS, MANY, NEEDED, PARTS
from eve_replay.worlds.layouts.observe import ENTITY, Column, columns_of
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
_INPUT = ("inputcbor", "input", "args", "arguments", "params")
_OUTPUT = ("outputcbor", "output", "result", "answer", "returned", "returnvalue", "response")
_ERROR = ("errorcbor", "error", "fault", "failure", "exception")
_TIMES: Mapping[str, tuple[str, ...]] = {
    "createdAt": ("createdat", "created", "born", "insertedat"),
    "updatedAt": ("updatedat", "updated", "changed", "changedat", "modifiedat"),
    "startedAt": ("startedat", "started", "begun", "beganat", "starttime"),
    "completedAt": ("completedat", "completed", "finishedat", "finished", "endedat", "ended", "endtime"),
}
#: Part -> field -> names of columns, without case and underscores, the surest first.
_COLUMNS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "runs": {
        "runId": ("runid", "id", "workflowrunid"),
        "workflowName": ("workflowname", "name", "workflow"),
        "status": ("status", "state"),
        "input": _INPUT,
        "output": _OUTPUT,
        "error": _ERROR,
        **_TIMES,
    },
    "steps": {
        "stepId": ("stepid", "id", "correlationid"),
        "runId": ("runid", "workflowrunid"),
        "stepName": ("stepname", "name"),
        "status": ("status", "state"),
        "attempt": ("attempt", "attempts", "tries", "retries", "try"),
        "input": _INPUT,
        "output": _OUTPUT,
        "error": _ERROR,
        **_TIMES,
    },
    "events": {
        "eventId": ("eventid", "slot", "seq", "sequence", "position", "idx", "id"),
        "runId": ("runid", "workflowrunid"),
        "eventType": ("eventtype", "type", "kind"),
        "correlationId": ("correlationid", "stepid", "subject"),
        "eventData": ("payloadcbor", "eventdata", "payload", "data"),
        "createdAt": (*_TIMES["createdAt"], "timestamp", "time", "at", "ts"),
    },
    "hooks": {"hookId": ("hookid", "id", "correlationid"), "runId": ("runid",), "token": ("token",)},
    "waits": {"waitId": ("waitid", "id"), "runId": ("runid",), "resumeAt": ("resumeat", "until")},
    "streams": {"runId": ("runid",), "name": ("streamname", "streamid", "name")},
    "chunks": {
        "runId": ("runid",),
        "stream": ("streamname", "streamid", "stream", "name"),
        "chunkId": ("chunkid", "id", "chunkindex", "sequence"),
        "data": ("data", "chunk", "bytes", "payload"),
        "end": ("eof", "iseof", "isclosed", "done", "closed", "last", "islast", "final", "end"),
    },
}
#: Names of numbers that order nothing.
_COUNTS = ("specversion", "attempt", "attempts", "tries", "version")
#: Names of columns that number the events of a run.
_SLOTS = ("slot", "seq", "sequence", "position", "idx", "index")
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
            return head + draft_keys(error.shapes)
        return head + draft_tables(error.tables, reader=error.reader, samples=error.samples)
    with closing(world):
        known = layout_text(str(world.about.get("layout", "")))
        if known:
            return f"# This layout of the package fits {public_source(source)}.\n{known}"
        raise SourceUnreadable(
            f"{public_source(source)} is read without a layout ({world.kind}): there is nothing to describe.",
            hint="Open it as it is.",
        )


def draft_tables(
    tables: Mapping[str, Iterable[str]],
    *,
    reader: str = "tables",
    samples: Mapping[str, Sequence[Mapping[str, object]]] | None = None,
) -> str:
    """Return a draft for tables or documents and their columns, told by some rows of each and by names."""
    seen = {name: columns_of(columns, (samples or {}).get(name, ())) for name, columns in tables.items()}
    payload = _payload(column for columns in seen.values() for column in columns)
    lines = ['name = "mine"', 'title = "My store"', f'reader = "{reader}"']
    lines += [
        "# How payloads lie in their columns: cbor, bytes (a payload with its prefix), json, base64, mixed.",
        f'payload = "{payload}"',
    ]
    roles = _roles(seen)
    for part in PARTS:
        table = roles.get(part, "")
        if not table and part not in NEEDED:
            continue
        there = seen.get(table, [])
        lines += ["", f"[{part}]"]
        lines.append(f"table = {_quoted(table or '?')}" + ("" if table else "  # which table?"))
        merged = [column for column in there if _is_entity(column)]
        if merged:
            items = ", ".join(_rule(column, column.form) for column in merged)
            lines.append(f"merge = [{items}]")
        lines.append("fields = { " + ", ".join(_fields(part, there, payload, merged)) + " }")
        if there:
            lines.append(f"# columns: {', '.join(_shown(column) for column in there if not column.path)}")
            said = "\n".join(lines[-3 - bool(merged) : -1])
            left = [c.name for c in there if not c.path and _quoted(c.name) not in said]
            if left:
                lines.append(f"# no field yet: {', '.join(left)}")
    rest = [name for name in tables if name not in roles.values()]
    if rest:
        lines += ["", f"# not used: {', '.join(rest)}"]
    return "\n".join(lines) + "\n"


def _payload(columns: Iterable[Column]) -> str:
    """Return the form most payloads have; without any rows the names of columns must do."""
    kept = list(columns)
    forms = Counter(column.form for column in kept if column.kind == "payload" and not column.path)
    if forms:
        return forms.most_common(1)[0][0] or "bytes"
    return "cbor" if any(column.name.lower().endswith("_cbor") for column in kept) else "bytes"


def _is_entity(column: Column) -> bool:
    """Whether a column holds the vendor's own record as an object."""
    return column.kind == "object" and not column.path and len(column.keys & ENTITY) > 1


def _shown(column: Column) -> str:
    return f"{column.name} ({column.kind})" if column.kind else column.name


def _roles(seen: Mapping[str, Sequence[Column]]) -> dict[str, str]:
    """Return part -> table: what the values say first, then the names."""
    scored = sorted(
        (
            (_score(part, columns), -len(table), part, table)
            for table, columns in seen.items()
            for part in PARTS
        ),
        reverse=True,
    )
    roles: dict[str, str] = {}
    for score, _, part, table in scored:
        if score > 0 and part not in roles and table not in roles.values():
            roles[part] = table
    for part in PARTS:
        if part not in roles:
            named = _table(part, [name for name in seen if name not in roles.values()])
            if named and not any(column.kind for column in seen[named]):
                roles[part] = named  # an empty table has only its name
    return roles


def _score(part: str, columns: Sequence[Column]) -> int:
    kinds = {column.kind for column in columns}
    unique = {column.kind for column in columns if column.unique}
    keys = {key for column in columns for key in column.keys}
    event = "type" in kinds or "eventType" in keys
    bits = kinds & {"frame", "binary", "payload"}
    if part == "events":
        return 10 if event else 0
    if event:
        return 0
    if part == "chunks":
        return 9 if "frame" in kinds or ("chunk" in unique and bits) or ("stream" in kinds and bits) else 0
    if part == "streams":
        return 8 if {"stream", "run"} <= kinds and not bits else 0
    if part == "steps":
        return 7 if "stepName" in kinds or "step" in unique or {"stepId", "stepName"} & keys else 0
    if part == "runs":
        return (6 if "workflow" in kinds or "workflowName" in keys else 0) + ("run" in unique)
    return 5 if part[:-1] in unique or IDS[part] in keys else 0


def draft_keys(shapes: Sequence[Shape]) -> str:
    """Return a draft for keys from the patterns that were seen and what lies under them."""
    prefix, rows, lists = draft_rows(shapes)
    seen = {
        pattern: columns_of(dict.fromkeys(name for row in some for name in row), some)
        for pattern, some in rows.items()
    }
    payload = _payload(column for columns in seen.values() for column in columns)
    lines = ['name = "mine"', 'title = "My store"', 'reader = "keys"', f"prefix = {_quoted(prefix)}"]
    lines += [f'payload = "{payload}"', "", "# keys seen:"]
    lines += [f"#   {shape.count} x {shape.pattern}  ({shape.value or 'empty'})" for shape in shapes[:40]]
    roles = _roles(seen)
    values = {shape.pattern: shape.value for shape in shapes}
    for part in PARTS:
        pattern = roles.get(part, "")
        if not pattern and part not in NEEDED:
            continue
        own = IDS[part]
        key = pattern.removeprefix(prefix)
        many = values.get(pattern) in MANY
        if f"{{{own}}}" not in key and not many and part != "chunks":
            key = key.replace("*", f"{{{own}}}") if key.count("*") == 1 else key
        lines += ["", f"[{part}]"]
        lines.append(
            f"key = {_quoted('{prefix}' + key if pattern else '?')}" + ("" if pattern else "  # which?")
        )
        if part in lists and not many:
            lines.append(f"index = {_quoted('{prefix}' + lists[part].pattern.removeprefix(prefix))}")
        lines.append(f'value = "{values.get(pattern, "json")}"  # json, hash, list, set, zset or stream')
        named = {name for name in IDS.values() if f"{{{name}}}" in key} | {"runId", "stream"}
        columns = [column for column in seen.get(pattern, ()) if column.name not in named]
        fields = [line for line in _fields(part, columns, payload, []) if not _plain_id(line, named)]
        if many and (part == "chunks" or values[pattern] == "stream"):
            fields = [line for line in fields if not line.startswith(f"{own} =")] + [f'{own} = "entry"']
        if fields:
            lines.append("fields = { " + ", ".join(fields) + " }")
    return "\n".join(lines) + "\n"


def _plain_id(line: str, named: set[str]) -> bool:
    """Whether a field need not be described: the key says it, or its column has the name of the field."""
    field, _, rest = line.partition(" = ")
    return field in named or rest == _quoted(field)


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


#: Part -> field -> what the values of its column are.
_KINDS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "runs": {"runId": ("run",), "workflowName": ("workflow",), "status": ("status",)},
    "steps": {"stepId": ("step",), "runId": ("run",), "stepName": ("stepName",), "status": ("status",)},
    "events": {
        "eventId": ("event",),
        "runId": ("run",),
        "eventType": ("type",),
        "correlationId": ("step", "hook", "wait"),
    },
    "hooks": {"hookId": ("hook",), "runId": ("run",)},
    "waits": {"waitId": ("wait",), "runId": ("run",)},
    "streams": {"runId": ("run",), "name": ("stream",)},
    "chunks": {
        "stream": ("stream",),
        "runId": ("run",),
        "chunkId": ("chunk",),
        "data": ("frame", "payload", "binary"),
        "end": ("flag",),
    },
}
#: Fields that order records, which a number can do.
_ORDER = ("eventId", "chunkId")


def _fields(part: str, columns: Sequence[Column], payload: str, merged: Sequence[Column]) -> list[str]:
    found: list[str] = []
    used: set[tuple[str, str]] = set()
    covered = {key for column in merged for key in column.keys}
    inside = {column.name for column in merged}
    several = any(column.kind == "run" and column.repeats for column in columns)
    for field in dict.fromkeys((*_KINDS[part], *_COLUMNS[part])):
        free = [column for column in columns if (column.name, column.path) not in used]
        if field in covered:
            # The object brings it; only what rows are asked for by is named.
            own = [c for c in free if not c.path and c.kind in _KINDS[part].get(field, ())]
            free = (own or [c for c in free if c.path == field]) if field in _NEEDED[part] else []
        else:
            free = [c for c in free if not (c.path and c.name in inside)]
        column = _pick(part, field, free)
        if column is not None:
            used.add((column.name, column.path))
            found.append(f"{field} = {_rule(column, _form_of(part, field, column, payload, several))}")
        elif field in _NEEDED[part] and (field in (IDS[part], "runId") or field not in covered):
            found.append(f'{field} = "?"')
    return found


def _pick(part: str, field: str, columns: Sequence[Column]) -> Column | None:
    kinds = _KINDS[part].get(field, ())
    by_kind = [column for kind in kinds for column in columns if column.kind == kind]
    names = _COLUMNS[part].get(field, ())
    plain = {column.said.lower().replace("_", ""): column for column in reversed(columns)}
    by_name = [plain[name] for name in names if name in plain]
    if by_kind:
        # Several columns may hold ids of one kind: the name decides, then the one without repeats.
        return next((column for column in by_name if column in by_kind), None) or (
            next((column for column in by_kind if column.unique), by_kind[0])
            if field == IDS[part]
            else by_kind[0]
        )
    usable = [column for column in by_name if column.kind in ("", "number", *_plain_kinds(field))]
    if usable:
        return usable[0]
    if field in _ORDER:
        numbers = [column for column in columns if column.kind in ("number", "flag")]
        return next(
            (column for column in numbers if column.said.lower().replace("_", "") not in _COUNTS), None
        )
    return None


def _plain_kinds(field: str) -> tuple[str, ...]:
    """Return the kinds a column may have that is chosen by its name."""
    if field in ("resumeAt", *_TIMES):
        return ("time",)
    if field in ("input", "output", "error", "eventData", "data"):
        return ("payload", "object", "binary", "frame")
    return ("flag",) if field in ("end", "attempt", *_ORDER) else ()


def _form_of(part: str, field: str, column: Column, payload: str, several: bool) -> str:
    if field == "eventId" and column.kind != "event":
        if column.kind not in ("number", "flag") and column.said.lower() not in _SLOTS:
            return ""
        # Numbers that never repeat count the whole store, not the events of one run.
        return "serial" if column.unique and several else "slot"
    if field == "chunkId" and column.kind in ("number", "flag"):
        return "serial"
    if (part, field) == ("chunks", "data"):
        return column.form or "bytes"
    return column.form if column.form != payload else ""


def _rule(column: Column, form: str) -> str:
    if not form and not column.path:
        return _quoted(column.name)
    path = f", path = {_quoted(column.path)}" if column.path else ""
    return f"{{ column = {_quoted(column.name)}{path}" + (f', form = "{form}"' if form else "") + " }"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)

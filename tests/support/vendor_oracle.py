"""The lab's ``oracle.json`` of other worlds (Postgres, Redis) in the shape of our own ``dump``.

That oracle was written by another program than the one of the local recordings. Its differences of shape,
undone here, one rule each:

1. Records are grouped by run; the dump has one list per kind.
2. A payload is ``{encoding, bytes, value}``; the dump has the value.
3. A field without value is ``{"$type": "absent"}`` or ``{"$type": "undefined"}``; the dump leaves it out.
4. Record times are Date objects; the dump has ISO text (also inside eventData: resumeAt, retryAfter).
5. An error is ``{class, name, message, stack, cause, props}``; canonical: ``kind`` when it is not Error,
   extra fields beside the others, no stack when it was not recorded.
6. Streams and functions are ``{"$type": X, "raw": {...}}``; canonical: the fields directly.
7. ``eventData: undefined`` of run_started; the dump has no eventData.
8. Layout 1 (4.1): a step that returned undefined is stored as the number -1, which that oracle shows as it
   is; the dump decodes it to undefined.
9. Layout 1: errors get ``code: undefined`` from the vendor's reader; the column holds no code.
10. ``retryAfter`` of a RetryableError is a Date there; canonical: epoch milliseconds, as recorded.
11. Paths of the recording machine were replaced by /srv/lab in the oracle, but compressed payloads still hold
    the real ones: ``same_paths`` does the same to ours.
"""

from __future__ import annotations

import base64
import json
from datetime import datetime
from typing import Any

from eve_replay.worlds.base import World
from eve_replay.worlds.dump import dump_document

_GONE = ("absent", "undefined")
_PAYLOADS = ("input", "output", "error", "metadata")
_EVENT_PAYLOADS = (*_PAYLOADS, "result", "payload")


def expected(oracle: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return ``{runs, steps, events, hooks}`` as our dump shows them."""
    out: dict[str, list[dict[str, Any]]] = {"runs": [], "steps": [], "events": [], "hooks": []}
    for entry in oracle["runs"]:
        out["runs"].append(_record(entry["run"]))
        out["steps"] += [_record(step) for step in entry["steps"]]
        out["events"] += [_record(event) for event in entry["events"]]
        out["hooks"] += [_record(hook) for hook in entry["hooks"]]
    out["runs"].sort(key=lambda r: r["runId"])
    out["steps"].sort(key=lambda r: (r["runId"], r["stepId"]))
    out["events"].sort(key=lambda r: (r["runId"], r["eventId"]))
    out["hooks"].sort(key=lambda r: r["hookId"])
    return out


def streams(oracle: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return ``{name: {done, values}}`` as our dump shows streams.

    12. Bytes that are NDJSON lines (eve's session stream) are ``{"$type": "ndjson", "lines"}`` in the dump.
    13. A bare payload (an abort stream) is raw base64 there, and the Redis world's oracle read no chunk at
        all (``done: null``): such streams have ``values: None`` here, and are not compared.
    """
    out = {}
    for entry in oracle["runs"]:
        for name, found in entry["streams"].items():
            raw = any("raw" in chunk for chunk in found["chunks"])
            values = None if raw or found["done"] is None else _stream_values(found)
            out[name] = {"done": found["done"], "values": values}
    return out


def _stream_values(found: dict[str, Any]) -> list[Any]:
    values = []
    for chunk in found["chunks"]:
        values += [_lines(canonical(frame["value"])) for frame in chunk.get("frames", ())]
        values += [_lines(canonical(line)) for line in chunk.get("lines", ())]
    return values


def _lines(value: Any) -> Any:
    if isinstance(value, dict) and value.get("$type") == "Uint8Array":
        try:
            text = base64.b64decode(value["base64"]).decode()
            return {
                "$type": "ndjson",
                "lines": [json.loads(line) for line in text.split("\n") if line.strip()],
            }
        except ValueError:
            return value
    return value


def check(world: World, oracle: dict[str, Any]) -> dict[str, int]:
    """Assert that a world agrees with its oracle; return how many records of each kind were equal."""
    ours, theirs, counts = same_paths(dump_document(world)), expected(oracle), {}
    for kind, records in theirs.items():
        assert ours[kind] == records, kind
        counts[kind] = len(records)
    known = streams(oracle)
    assert set(ours["streams"]) == set(known)
    for name, found in known.items():
        if found["values"] is not None:
            ours["streams"][name].pop("chunks")
            assert ours["streams"][name] == same_paths(found), name
    counts["stream values"] = sum(len(found["values"] or ()) for found in known.values())
    return counts


def _gone(value: Any) -> bool:
    return isinstance(value, dict) and value.get("$type") in _GONE


def _record(record: dict[str, Any]) -> dict[str, Any]:
    out = {}
    for name, value in record.items():
        if _gone(value):
            continue
        if name == "eventData":
            out[name] = {k: _field(k, v, _EVENT_PAYLOADS) for k, v in value.items() if not _gone(v)}
        else:
            out[name] = _field(name, value, _PAYLOADS)
    return out


def _field(name: str, value: Any, payloads: tuple[str, ...]) -> Any:
    if isinstance(value, dict) and "encoding" in value and name in payloads:
        if value["encoding"] == "plain":
            inner = value["value"]
            if inner == -1:
                return {"$type": "undefined"}
            if isinstance(inner, dict):
                return {k: v for k, v in inner.items() if not _gone(v)}
            return inner
        return canonical(value["value"])
    return _plain(value)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        if value.get("$type") == "Date":
            return value["value"]
        return {k: _plain(v) for k, v in value.items() if not _gone(v)}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value


def canonical(value: Any) -> Any:
    """Return a value of that oracle in canonical tagged JSON."""
    if isinstance(value, list):
        return [canonical(item) for item in value]
    if not isinstance(value, dict):
        return value
    tag = value.get("$type")
    if "raw" in value and isinstance(value["raw"], dict) and set(value) == {"$type", "raw"}:
        fields = {k: canonical(v) for k, v in value["raw"].items() if not _gone(v)}
        return {"$type": tag, **fields}
    if tag == "Error" and "class" in value:
        out: dict[str, Any] = {"$type": "Error", "name": value["name"], "message": value["message"]}
        if value["class"] != "Error":
            out["kind"] = value["class"]
        if value["stack"] is not None:
            out["stack"] = value["stack"]
        if "cause" in value:
            out["cause"] = canonical(value["cause"])
        for name, extra in value.get("props", {}).items():
            if name == "retryAfter" and isinstance(extra, dict) and extra.get("$type") == "Date":
                at = datetime.fromisoformat(extra["value"])
                out[name] = round(at.timestamp() * 1000)
            else:
                out[name] = canonical(extra)
        return out
    return {k: canonical(v) for k, v in value.items()}


def same_paths(value: Any) -> Any:
    """Return our canonical JSON with the recording machine's paths replaced, as rule 11 says."""
    if isinstance(value, str):
        return value.replace("/tmp/lab/", "/srv/lab/")
    if isinstance(value, list):
        return [same_paths(item) for item in value]
    if isinstance(value, dict):
        return {k: same_paths(v) for k, v in value.items()}
    return value

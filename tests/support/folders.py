"""Small data folders made by hand, for what no recording shows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from eve_replay.worlds.local.opener import LocalWorld, MemoryTree, open_tree

RUN = "wrun_01M8NVET2Q9XT7ZZ1AMCAAJ64S"
OTHER = "wrun_01M8NVET2Q9XT7ZZ1AMCAAJ64T"
STEP = "step_01M8NVET2Q1207NWPAG2NV4SK8"
AT = "2026-11-30T09:09:29.842Z"

Files = dict[str, bytes]


def packed(value: Any) -> bytes:
    """Return a record file's bytes."""
    return json.dumps(value, indent=2).encode()


def run(run_id: str = RUN, **fields: Any) -> tuple[str, bytes]:
    """Return path and bytes of a run record."""
    record = {
        "runId": run_id,
        "status": "running",
        "workflowName": "workflow//app//order",
        "specVersion": 8,
        "createdAt": AT,
    }
    return f"runs/{run_id}.json", packed(record | fields)


def event(slot: int, kind: str, run_id: str = RUN, *, flat: bool = False, **fields: Any) -> tuple[str, bytes]:
    """Return path and bytes of an event with a slot id."""
    event_id = f"evnt_{slot:026d}"
    record = {"runId": run_id, "eventId": event_id, "eventType": kind, "createdAt": AT, "specVersion": 8}
    folder = "events" if flat else f"events/{run_id}"
    return f"{folder}/{run_id}-{event_id}.json", packed(record | fields)


def step(step_id: str = STEP, run_id: str = RUN, *, flat: bool = False, **fields: Any) -> tuple[str, bytes]:
    """Return path and bytes of a step record."""
    record = {
        "runId": run_id,
        "stepId": step_id,
        "stepName": "step//app//charge",
        "status": "completed",
        "attempt": 1,
        "specVersion": 8,
        "createdAt": AT,
    }
    folder = "steps" if flat else f"steps/{run_id}"
    return f"{folder}/{run_id}-{step_id}.json", packed(record | fields)


def world(*files: tuple[str, bytes], folders: tuple[str, ...] = (), **options: Any) -> LocalWorld:
    """Open files in memory."""
    return open_tree(MemoryTree(dict(files), folders=folders), **options)


def written(folder: Path, *files: tuple[str, bytes]) -> Path:
    """Write files below a folder and return it."""
    for name, data in files:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def codes(receipt: Any) -> list[str]:
    """Return the codes of a receipt's problems, in order."""
    return [problem.code for problem in receipt.problems]


def drain(local: LocalWorld) -> Mapping[str, Any]:
    """Read everything of a world and return it by kind."""
    out: dict[str, Any] = {"runs": [], "events": [], "steps": [], "others": []}
    for found in local.runs():
        out["runs"].append(found)
        out["events"] += local.events(found.run_id)
        out["steps"] += local.steps(found.run_id)
        out["others"] += local.others(found.run_id)
    return out

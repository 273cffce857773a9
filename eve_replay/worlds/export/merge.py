"""Many exported files of one world put together: the same run printed five times is one run.

Rows of one entity are united: the latest wins, payload fields are taken from whichever file was made with
--withData. What the files together do not hold is found and named (docs/formats/export.md#truncation).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from eve_replay.problems import Receipt
from eve_replay.worlds.export.files import ExportFile, Row
from eve_replay.worlds.export.values import NOT_EXPORTED, UNDEFINED_LOST

__all__ = ["Merged", "merge"]

#: Payload fields by kind of entity.
_PAYLOADS = {"run": ("input", "output", "error"), "step": ("input", "output", "error"), "hook": ("metadata",)}
#: The payload that an event of a type always has.
_OF_EVENT = {
    "run_created": "input",
    "run_completed": "output",
    "run_failed": "error",
    "step_created": "input",
    "step_completed": "result",
    "step_failed": "error",
    "step_retrying": "error",
    "hook_received": "payload",
}
_KEYS = {"run": "runId", "step": "stepId", "event": "eventId", "hook": "hookId"}
_ENDS = {"completed": "run_completed", "failed": "run_failed", "cancelled": "run_cancelled"}
#: What ``--limit`` is by default and at most: a list of just this length may be cut.
_LIMITS = (20, 100, 1000)


@dataclass(slots=True)
class Merged:
    """What the files hold, by id.

    Attributes:
        origins: (kind, id) to the first file it is in.
        streams: run id to stream names.
        values: stream name to printed values, and the file they are from.
        lists: kind to the files that hold a list of it.
        with_data: ids of events that were exported with their payloads.
    """

    runs: dict[str, dict[str, Any]] = field(default_factory=dict)
    steps: dict[str, dict[str, Any]] = field(default_factory=dict)
    events: dict[str, dict[str, Any]] = field(default_factory=dict)
    hooks: dict[str, dict[str, Any]] = field(default_factory=dict)
    sleeps: dict[str, dict[str, Any]] = field(default_factory=dict)
    streams: dict[str, list[str]] = field(default_factory=dict)
    values: dict[str, tuple[list[Any], str]] = field(default_factory=dict)
    origins: dict[tuple[str, str], str] = field(default_factory=dict)
    lists: dict[str, list[ExportFile]] = field(default_factory=dict)
    with_data: set[str] = field(default_factory=set)

    def of(self, kind: str) -> dict[str, dict[str, Any]]:
        """Return the entities of a kind by id."""
        found: dict[str, dict[str, Any]] = getattr(self, f"{kind}s")
        return found


def merge(files: Iterable[ExportFile], receipt: Receipt) -> Merged:
    """Unite the rows of all files, and name what is missing."""
    merged = Merged()
    streams: list[ExportFile] = []
    for file in files:
        if file.values is not None:
            streams.append(file)
            continue
        for kind, row in file.rows:
            _add(merged, kind, row, file.name)
        events = [row for kind, row in file.rows if kind == "event"]
        if any(_has_payload(row) for row in events):
            merged.with_data.update(str(row["eventId"]) for row in events)
        if file.listed is not None and file.rows:
            merged.lists.setdefault(file.rows[0][0], []).append(file)
    known = [name for names in merged.streams.values() for name in names]
    # Files that name their stream first: a guess must not take another one's place.
    for file in sorted(streams, key=lambda file: not any(name in file.name for name in known)):
        _attach(merged, file, receipt)
    for kind in ("run", "step", "event", "hook"):
        for row in merged.of(kind).values():
            _name_lost(kind, row, merged)
    _look_for_cuts(merged, receipt)
    return merged


def _add(merged: Merged, kind: str, row: Row, name: str) -> None:
    if kind == "stream":
        names = merged.streams.setdefault(str(row["runId"]), [])
        if row["streamId"] not in names:
            names.append(str(row["streamId"]))
        return
    if kind == "sleep":
        merged.sleeps[f"{row.get('runId')}-{row.get('correlationId')}"] = dict(row)
        return
    id_ = str(row[_KEYS[kind]])
    rows = merged.of(kind)
    merged.origins.setdefault((kind, id_), name)
    have = rows.get(id_)
    if have is None:
        rows[id_] = dict(row)
        return
    newer = str(row.get("updatedAt", "")) >= str(have.get("updatedAt", ""))
    both = {**have, **row} if newer else {**row, **have}
    data = [part for part in (have.get("eventData"), row.get("eventData")) if isinstance(part, dict)]
    if data:
        both["eventData"] = {key: value for part in data for key, value in part.items()}
    rows[id_] = both


def _attach(merged: Merged, file: ExportFile, receipt: Receipt) -> None:
    """Find out which stream a file of values is; only its name and its neighbours can tell."""
    stem = file.name.rpartition("/")[2]
    known = [(run, name) for run, names in merged.streams.items() for name in names]
    fitting = [(run, name) for run, name in known if name in stem]
    guessed = False
    if not fitting:
        free = [(run, name) for run, name in known if name not in merged.values]
        fitting, guessed = free[:1], True
    if not fitting:
        receipt.skip(
            where=file.name,
            what="stream",
            why="it does not say which stream it is: put the stream's id into the file name, and add the "
            "output of workflow inspect streams",
        )
        return
    name = max((name for _, name in fitting), key=len)
    merged.values[name] = (file.values or [], file.name)
    if guessed:
        receipt.problem(
            "info",
            "stream-guessed",
            file.name,
            f"The file does not say which stream it is; it is taken for {name}.",
            "Put the stream's id into the file name to be sure.",
        )


def _has_payload(row: Row) -> bool:
    data = row.get("eventData")
    return isinstance(data, dict) and _OF_EVENT.get(str(row.get("eventType"))) in data


def _name_lost(kind: str, row: dict[str, Any], merged: Merged) -> None:
    """Put a marker where an entity has a payload that the export does not hold."""
    if kind == "event":
        name = _OF_EVENT.get(str(row.get("eventType")))
        if name is not None and not _has_payload(row):
            data = row.get("eventData")
            lost = UNDEFINED_LOST if row["eventId"] in merged.with_data else NOT_EXPORTED
            row["eventData"] = {**(data if isinstance(data, dict) else {}), name: lost}
    elif kind in ("run", "step"):
        if "input" not in row:
            # Every run and step has an input: a row without one was made without --withData.
            row["input"] = NOT_EXPORTED
            lost = NOT_EXPORTED
        else:
            lost = UNDEFINED_LOST
        ends = {"completed": "output", "failed": "error"}
        name = ends.get(str(row.get("status")))
        if name is not None and name not in row:
            row[name] = lost


def _look_for_cuts(merged: Merged, receipt: Receipt) -> None:
    lists = merged.lists.get("run", [])
    for file in lists:
        if all(other.more for other in lists):
            receipt.gap("runs", "the exported list of runs goes on")
            receipt.problem(
                "warning",
                "truncated-export",
                file.name,
                f"There are more runs than the {file.listed} in this file.",
                "Export with --limit 100 (--limit 1000 before 5.0.0-beta.55), or page with --cursor.",
            )
    events: dict[str, list[dict[str, Any]]] = {}
    for event in merged.events.values():
        events.setdefault(str(event.get("runId")), []).append(event)
    steps: dict[str, set[str]] = {}
    for id_, step in merged.steps.items():
        steps.setdefault(str(step.get("runId")), set()).add(id_)
    everyone = merged.runs.keys() | events.keys() | steps.keys()
    if merged.lists or len(merged.runs) > 0:
        for run_id in sorted(everyone):
            _check_run(run_id, merged, events.get(run_id, []), steps.get(run_id, set()), receipt)


def _check_run(
    run_id: str, merged: Merged, events: list[dict[str, Any]], steps: set[str], receipt: Receipt
) -> None:
    types = {str(event.get("eventType")) for event in events}
    run = merged.runs.get(run_id)
    ask = f"workflow inspect events --runId {run_id} --withData --sort asc --limit 100 --json"
    cut = "run_created" not in types and any(event.get("specVersion") is not None for event in events)
    if not events:
        receipt.gap("events", "no event of it was exported", run_id=run_id)
    elif cut or (run is not None and _ends_unseen(run, types)):
        receipt.gap("events", "the export is cut", run_id=run_id)
    elif len(events) in _LIMITS and not types & set(_ENDS.values()):
        receipt.gap("events", f"exactly {len(events)} events were exported, a usual limit", run_id=run_id)
    if not events:
        receipt.problem(
            "error",
            "no-events",
            run_id,
            "There are no events of this run, which cannot be: they were not exported, or the command is "
            "older than the data and printed an empty list.",
            f"Run {ask} with the workflow package of the application.",
        )
    # Spec version 2 on, a log begins with run_created; layout 1 wrote no run events at all.
    elif cut:
        receipt.problem(
            "error",
            "truncated-export",
            run_id,
            f"The export is cut: only the {len(events)} newest events are here, run_created and what "
            "followed it are missing. The command shows 20 and does not say that there are more.",
            f"Run {ask} (and page with --cursor when there are more).",
        )
    elif run is not None and _ends_unseen(run, types):
        receipt.problem(
            "error",
            "truncated-export",
            run_id,
            f"The export is cut: the run is {run['status']}, and no event of its {len(events)} says so. "
            "Later ones are missing.",
            f"Run {ask} (and page with --cursor when there are more).",
        )
    elif len(events) in _LIMITS and not types & set(_ENDS.values()):
        receipt.problem(
            "warning",
            "truncated-export",
            run_id,
            f"The export has exactly {len(events)} events of this run, which goes on: it may be cut.",
            f"Run {ask} again to be sure.",
        )
    missing = {
        str(event.get("correlationId")) for event in events if event.get("eventType") == "step_created"
    } - steps
    if missing and steps:
        receipt.gap("steps", f"{len(missing)} step records were not exported", run_id=run_id)
        receipt.problem(
            "warning",
            "truncated-export",
            run_id,
            f"{len(missing)} of {len(missing | steps)} step records are missing: the list of steps was cut.",
            f"Run workflow inspect steps --runId {run_id} --withData --limit 100 --json",
        )


def _ends_unseen(run: Row, types: set[str]) -> bool:
    end = _ENDS.get(str(run.get("status")))
    return end is not None and end not in types and "run_created" in types

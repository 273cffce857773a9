"""Commits of the recorder and writes of ours under one name without ids.

The labels of ``commits-*.ndjson`` and of the rows are the recorder's; ids differ between its runs. A label
becomes a *name* (run letter, function, ordinal, state), and so does each of our writes: the point in the
baseline is the write of the same name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from eve_replay.journal.model import Session
from eve_replay.recovery.frameworks.base import Plans
from eve_replay.recovery.writes.model import Write

__all__ = ["Name", "label_name", "places", "step_names"]

Name = tuple[object, ...]


def step_names(session: Session) -> dict[str | None, str]:
    """Step id to the recorder's name: run letter, function, ordinal."""
    out: dict[str | None, str] = {}
    letters = _letters(session)
    for run in session.all_runs:
        count: Counter[str] = Counter()
        for step in run.steps:
            count[step.function] += 1
            out[step.step_id] = f"{letters[run.run_id]} {step.function}#{count[step.function]}"
    return out


def _letters(session: Session) -> dict[str, str]:
    letters = {run.run_id: "E" for run in session.runs}
    tools = 0
    for run in session.children:
        if run.role == "timeout":
            letters[run.run_id] = "T"
        else:
            tools += 1
            letters[run.run_id] = "W" if tools == 1 else f"W{tools}"
    return letters


def label_name(commit: Mapping[str, Any], steps: Mapping[str, str]) -> Name:
    """Return the name of a recorded commit; ``steps`` gives the recorder's name per step id of its run."""
    label, k = str(commit["label"]), int(commit.get("k", 1))
    step = re.search(r"step_\w+?(?=\.|$)", str(commit.get("path", "")).replace(".json", ""))
    match = re.match(r"\w+ lock step .*?(created|terminal)$", label)
    if match and step:
        return ("lock", steps.get(step.group()), match[1])
    match = re.match(r"(\w+) step (\w+#\d+) (\w+):\d+", label)
    if match:
        return ("record", f"{match[1]} {match[2]}", match[3])
    match = re.match(r"(\w+) event (step_\w+) (\w+#\d+)", label)
    if match:
        return ("event", f"{match[1]} {match[3]}", match[2])
    match = re.match(r"\w+ chunk user \[(.*)\]", label)
    if match:
        return ("chunk", match[1], k)
    return ("other", label, k)


def places(plans: Plans, session: Session) -> dict[Name, int]:
    """Every write of the baseline by the recorder's name for it."""
    names, letters = step_names(session), _letters(session)
    stream = {event.chunk_id: event for event in session.stream_events}
    hooks: dict[str, int] = {}
    waits: dict[str, int] = {}
    for write in plans.writes.items:
        if write.key[0] == "hook-created":
            hooks.setdefault(str(write.key[1]), len(hooks) + 1)
        if str(write.key[0]).startswith("wait"):
            waits.setdefault(str(write.key[1]), len(waits) + 1)
    out: dict[Name, int] = {}
    count: Counter[str] = Counter()
    for place, write in enumerate(plans.writes.items):
        name = _write_name(write, names, letters.get(write.run, "?"), stream, hooks, waits)
        if name is None:
            continue
        if name[0] in ("other", "chunk"):
            count[str(name[:2])] += 1
            name = (*name[:2], count[str(name[:2])])
        out.setdefault(name, place)
    return out


def _write_name(
    write: Write,
    names: Mapping[str | None, str],
    letter: str,
    stream: Mapping[str, Any],
    hooks: Mapping[str, int],
    waits: Mapping[str, int],
) -> Name | None:
    kind = str(write.key[0])
    subject = str(write.key[1]) if len(write.key) > 1 else ""
    step = names.get(subject)
    if step is not None:
        states: dict[str, Name] = {
            "lock": ("lock", step, "created"),
            "terminal": ("lock", step, "terminal"),
            "pending": ("record", step, "pending"),
            "running": ("record", step, "running"),
            "ended": ("record", step, "completed"),
            "created": ("event", step, "step_created"),
            "started": ("event", step, "step_started"),
            "end": ("event", step, "step_completed"),
        }
        return states.get(kind)
    if kind == "chunk":
        return ("chunk", _chunk_label(stream[subject]))
    label = _other_label(write, kind, subject, letter, hooks, waits)
    return None if label is None else ("other", label)


def _chunk_label(event: Any) -> str:
    label = event.type if event.step_index is None else f"{event.type}({event.step_index})"
    result = event.data.get("result")
    if event.type == "action.result" and isinstance(result, dict):
        label += f" {result.get('callId')}"
    return str(label)


def _other_label(
    write: Write, kind: str, subject: str, letter: str, hooks: Mapping[str, int], waits: Mapping[str, int]
) -> str | None:
    hook = f"hook#{hooks[subject]}" if subject in hooks else "hook#1"
    wait = f"wait#{waits[subject]}" if subject in waits else ""
    phase = str(write.key[2]) if len(write.key) > 2 else ""
    if write.kind == "event" and kind == "event":
        event = write.words.removeprefix("event ").partition(" ")[0]
        return f"{letter} event {event}" + (f" hook#{hooks[write.subject]}" if write.subject in hooks else "")
    fixed = {
        "run": f"{letter} run pending",
        "run-created": f"{letter} event run_created",
        "run-running": f"{letter} run running",
        "attributes": f"{letter} run running",
        "run-started": f"{letter} event run_started",
        "run-lock": f"{letter} lock run terminal",
        "run-ended": f"{letter} run completed",
        "run-end": f"{letter} event run_completed",
        "hook-created": f"{letter} event hook_created {hook}",
        "received": f"{letter} event hook_received hook#1",
        "resume": "hook-resumes",
        "staged": "?ding lock run pending",
        "unstaged": "unlink ?ding lock run pending",
        "token-lock": "mkdir hook-tokens",
        "token-relock": "mkdir hook-tokens",
        "token": "hook-tokens",
        "token-unlock": "rmdir hook-tokens",
        "token-reunlock": "rmdir hook-tokens",
        "token-removed": "unlink hook-tokens",
        "hook": f"hook {hook}",
        "hook-removed": f"unlink hook {hook}",
        "disposed": f"lock hook {hook} disposed",
        "slot-taken": f"hook-by-run {hook}",
        "wait-event": f"{letter} event wait_{phase} {wait}",
        "wait-lock": f"{letter} lock wait {wait} {phase}",
        "wait": f"{letter} wait {wait} {'waiting' if phase == 'created' else phase}",
        "index": {"id": "hook-id-index", "token": "hook-token-index"}.get(phase, f"hook-by-run {hook}"),
    }
    return fixed.get(kind)

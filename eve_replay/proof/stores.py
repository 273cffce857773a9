"""Recordings of stores in tables (Flue): the forecast from each crash held to the end and the ledger.

A recording is a folder with ``ledger.ndjson`` (what the tools really did: ``toolCallId`` and, of a step of
a durable call, ``step``), one or more ``crash*`` folders as the store lay at a kill, and the end: ``final``
as a store, or ``end.json`` with how the submission ended. A store is ``flue.db`` with its ``-wal``,
``plain.db``, or ``tables.json`` (rows by table).
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from eve_replay.codec import loads_json, loads_lines
from eve_replay.errors import EveReplayError
from eve_replay.journal.effects.policy import hint_for
from eve_replay.journal.facade import Journal, open_journal
from eve_replay.problems import Receipt
from eve_replay.proof.case import Case, Unusable
from eve_replay.recovery.forecast import forecast
from eve_replay.recovery.result import EffectVerdict
from eve_replay.worlds.flue.opener import flue_world
from eve_replay.worlds.layouts.tables import MemoryTables
from eve_replay.worlds.local.tree import FileTree, join

__all__ = ["is_store_recording", "store_cases"]

_LIMIT = 256 << 20
_FILES = ("flue.db", "plain.db", "tables.json")
_ENDS = {"completed": "completed", "failed": "failed", "cancelled": "aborted"}
#: Rules whose counts the journal cannot know: whether an open call acted, or is asked for again.
_OPEN = frozenset({"flue-interrupted", "flue-undeclared", "flue-unfinished"})


def is_store_recording(tree: FileTree, base: str, entries: Mapping[str, str]) -> bool:
    """Return whether a folder is such a recording: a ledger, and a crash folder with a store in it."""
    crashes = (n for n, kind in sorted(entries.items()) if kind == "dir" and n.startswith("crash"))
    crash = next(crashes, "")
    if not crash or "ledger.ndjson" not in entries:
        return False
    return any(entry.name in _FILES for entry in tree.entries(join(base, crash)))


def store_cases(tree: FileTree, base: str) -> Iterator[Case | Unusable]:
    """Yield a case for every crash of a recording."""
    names = sorted(e.name for e in tree.entries(base) if e.kind == "dir" and e.name.startswith("crash"))
    try:
        lines = [line for _, line in loads_lines(tree.read(join(base, "ledger.ndjson"), _LIMIT))]
        done = Counter(
            (line["toolCallId"], line.get("step"))
            for line in lines
            if isinstance(line, Mapping) and isinstance(line.get("toolCallId"), str)
        )
        for name in names:
            with tempfile.TemporaryDirectory(prefix="eve-replay-") as folder:
                yield _case(tree, base, name, names[-1] == name, done, Path(folder))
    except (EveReplayError, OSError, ValueError) as error:
        yield Unusable(name=base, why=str(error))


def _case(tree: FileTree, base: str, crash: str, last: bool, done: Mapping[Any, int], folder: Path) -> Case:
    opened = _open(tree, join(base, crash), folder / crash)
    sim = forecast(opened)[0].answer
    opened.close()
    real: dict[str, object] = {}
    misses: list[str] = []
    ends = _end(tree, base, sim.turn_id, folder) if last else None
    if ends is not None:
        real["outcome"] = ends
        if sim.outcome != "nothing-open" and sim.ends != ends:
            misses.append(f"It was to end {sim.ends}, and ended {ends}.")
    exact = True
    counts: dict[str, object] = {}
    for effect in sim.effects:
        key = _key(effect)
        if key not in done and not any(call == key[0] for call, _ in done) and effect.executions.min == 0:
            continue
        count = done.get(key, 0)
        counts[":".join(part for part in key if part)] = count
        if effect.kind == "workflow-tool" or (key not in done and hint_for(effect.tool).klass == "read-only"):
            continue
        low, high = effect.executions.min, effect.executions.max
        if not low <= count or (high is not None and count > high):
            misses.append(
                f"{effect.tool} ({key[0]}) was to run {low} to {high} times, and ran {count} times."
            )
        if effect.rule not in _OPEN:
            exact = exact and low == high
    real["effects"] = counts
    return Case(
        name=f"{base} {crash}".strip(),
        group="flue forecast",
        predicted={"outcome": sim.ends, "effects": {e.tool: e.executions.to_json() for e in sim.effects}},
        real=real,
        misses=tuple(misses),
        exact=exact,
        why=_why(tree, base, folder) if misses and last else "",
    )


def _why(tree: FileTree, base: str, folder: Path) -> str:
    """Return what explains a miss: the code that came back no longer declared a tool durable."""
    if "final" not in {entry.name for entry in tree.entries(base)}:
        return ""
    opened = _open(tree, join(base, "final"), folder / "again")
    calls = [call for s in opened.sessions for step in s.steps for call in step.tool_calls]
    opened.close()
    if any(call.durable and call.fate == "interrupted" for call in calls):
        return "other code came back: a durable call was marked interrupted (environment flue-redeployed)"
    return ""


def _key(effect: EffectVerdict) -> tuple[str, str | None]:
    name = effect.call_id or ""
    if effect.kind != "step":
        return (name, None)
    call, _, step = name.partition(":")
    return (call, step)


def _end(tree: FileTree, base: str, turn_id: str | None, folder: Path) -> str | None:
    entries = {entry.name for entry in tree.entries(base)}
    if "end.json" in entries:
        found = loads_json(tree.read(join(base, "end.json"), _LIMIT))
        end = found.get("ends") if isinstance(found, Mapping) else None
        return end if isinstance(end, str) else None
    if "final" not in entries:
        return None
    opened = _open(tree, join(base, "final"), folder / "final")
    turns = [turn for session in opened.sessions for turn in session.turns if turn.id == turn_id]
    opened.close()
    return _ENDS.get(turns[-1].status) if turns else None


def _open(tree: FileTree, place: str, folder: Path) -> Journal:
    names = {entry.name for entry in tree.entries(place)}
    if "tables.json" in names:
        rows = loads_json(tree.read(join(place, "tables.json"), _LIMIT))
        return Journal(flue_world(MemoryTables(place, rows), Receipt()))
    folder.mkdir()
    main = "flue.db" if "flue.db" in names else "plain.db"
    for name in (main, f"{main}-wal"):
        if name in names:
            (folder / name).write_bytes(tree.read(join(place, name), _LIMIT))
    return open_journal(folder / main, kind="flue")

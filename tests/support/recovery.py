"""Recordings with ground truth for the recovery tests, read from the archives inside the package."""

from __future__ import annotations

import functools
import json
from typing import Any

from eve_replay.journal.facade import Journal
from eve_replay.recovery.plan.build import SessionPlans, session_plans
from eve_replay.samples.proof import trees
from eve_replay.worlds.local.opener import open_tree
from eve_replay.worlds.local.tree import MemoryTree

TURNS = {"T1": "turn_0", "T2": "turn_1", "T3": "turn_1"}


@functools.cache
def archives() -> tuple[MemoryTree, MemoryTree]:
    """Return the scenarios and the sweep."""
    scenarios, sweep, _ = trees()
    return scenarios, sweep


@functools.cache
def baseline(turn: str) -> SessionPlans:
    """Return the plans of an undisturbed sweep recording: T1, T2 or T3."""
    tree = open_tree(archives()[1], f"sweep/baseline-{turn}/data", label=turn)
    return session_plans(Journal(tree).session())


def turn_plan(turn: str) -> Any:
    """Return the plan of the swept turn."""
    return baseline(turn).plan(TURNS[turn])


@functools.cache
def crash_journal(turn: str, point: str) -> Journal:
    """Return the journal as it lay at a sweep point, for example ``("T1", "before-082")``."""
    return Journal(open_tree(archives()[1], f"sweep/points-{turn}/{point}/crash", label=f"{turn} {point}"))


@functools.cache
def rows(turn: str) -> dict[str, dict[str, Any]]:
    """Return the rows of a sweep by point."""
    text = archives()[1].read(f"sweep/sweep-{turn}.ndjson", 1 << 26).decode()
    found = [json.loads(line) for line in text.splitlines() if line]
    return {f"{row['when']}-{row['n']:03d}": row for row in found}


def scenario_names() -> list[str]:
    """Return the names of the bundled scenarios."""
    return [entry.name for entry in archives()[0].entries("scenarios")]


@functools.cache
def scenario(name: str) -> Journal:
    """Return a bundled scenario's journal as it lies at the end."""
    return Journal(open_tree(archives()[0], f"scenarios/{name}/data", label=name))


def facts(name: str) -> dict[str, Any]:
    """Return a scenario's facts."""
    found: dict[str, Any] = json.loads(archives()[0].read(f"scenarios/{name}/facts.json", 1 << 26))
    return found

"""Flue recordings of ``tests/corpus/flue`` as journals: tables in memory, ledgers, ends."""

from __future__ import annotations

import collections
import functools
import json
import lzma
from types import SimpleNamespace
from typing import Any

from eve_replay.journal import Journal
from eve_replay.problems import Receipt
from eve_replay.worlds.flue.opener import flue_world
from eve_replay.worlds.layouts.tables import MemoryTables
from tests.support.corpus import CORPUS


@functools.cache
def _read(name: str) -> Any:
    return json.loads(lzma.decompress((CORPUS / "flue" / f"{name}.json.xz").read_bytes()))


def fixtures() -> dict[str, dict[str, Any]]:
    """Return the recordings by name: ``crash*``, ``final`` (tables), ``history-*``, ``ledger``."""
    return _read("fixtures")


def sweep() -> list[dict[str, Any]]:
    """Return the kills of one turn; the one with ``n`` 0 is the turn without a kill."""
    return _read("sweep")


def nested() -> list[dict[str, Any]]:
    """Return 48 of the 142 kills of the third sweep: a delegate of a delegate, a durable call beside it."""
    return _read("nested")


def joined() -> list[dict[str, Any]]:
    """Return 126 of the 168 kills of the fourth sweep: streamed text, nested delegates, a joined message."""
    return _read("joined")


def journal(tables: dict[str, Any]) -> Journal:
    """Open tables as a journal."""
    return Journal(flue_world(MemoryTables("flue", tables), Receipt()))


def done(ledger: list[dict[str, Any]]) -> collections.Counter[tuple[str, str | None]]:
    """Count what the tools really did, by call id and step (None: the tool's own function)."""
    return collections.Counter(
        (line["toolCallId"], line.get("step")) for line in ledger if "toolCallId" in line
    )


def key_of(effect: Any) -> tuple[str, str | None]:
    """Return an effect's key in ``done``; steps of durable calls have ``CALL:STEP`` as id."""
    name = effect.call_id if effect.call_id is not None else effect.step_id
    if effect.kind != "step":
        return (name, None)
    call, _, step = name.partition(":")
    return (call, step)


def told(opened: Journal) -> list[Any]:
    """Return what is told of every conversation: turns with their budgets, calls with fates and counts."""
    return [
        [
            session.id,
            session.status,
            [(t.id, t.status, t.message, t.delivery_ids, t.budget.attempts, t.error) for t in session.turns],
            [
                (
                    run.run_id,
                    run.parent,
                    run.status,
                    step.step_id,
                    step.status,
                    c.call_id,
                    c.fate,
                    c.ran,
                    c.output,
                )
                for run in session.all_runs
                for step in run.steps
                for c in (*step.tool_calls, *([] if step.tool_calls else [_NONE]))
            ],
        ]
        for session in opened.sessions
    ]


_NONE = SimpleNamespace(call_id=None, fate=None, ran=None, output=None)


def updates() -> dict[str, dict[str, list[dict[str, Any]]]]:
    """Return what the HTTP endpoint said of the recordings (``?view=updates``), by recording."""
    return _read("updates")

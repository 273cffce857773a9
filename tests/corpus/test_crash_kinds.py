"""Every recording of crash-kinds against its ledger: no range misses it, no exact count contradicts it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import pytest

from eve_replay.journal import Journal, open_journal
from eve_replay.journal.effects.build import Executions, effects_of
from tests.support.crash_kinds import LEDGER_NAMES, folder, folders, truth

#: Effects of which the journal names nothing: what was asked for had not reached the stream, or was purged.
UNNAMED = {
    "disk-full/crash": {"notify_customer"},
    "sweep-K2-021/crash": {"notify_customer"},
    "workflow-calls-agent/data": {"buy"},
}


def ranges(journal: Journal, names: Iterable[str]) -> dict[str, Executions]:
    """Return the sum of the ranges per effect, by the name the ledger has: ``names`` are those it has."""
    found: dict[str, Executions] = defaultdict(lambda: Executions(min=0, max=0))
    for session in journal.sessions:
        for effect in effects_of(session):
            name = effect.tool if effect.tool in names else LEDGER_NAMES.get(effect.tool, effect.tool)
            found[name] += effect.executions
    return found


@pytest.mark.parametrize(("name", "data", "ledger"), [pytest.param(*row, id=row[0]) for row in folders()])
def test_every_range_holds_what_the_ledger_has(name: str, data: Path, ledger: Path) -> None:
    real = truth(ledger)
    said = ranges(open_journal(data), real)
    unnamed = UNNAMED.get(name, set())
    for effect in real:
        low, high = (said[effect].min, said[effect].max) if effect in said else (0, 0)
        if effect in unnamed:
            assert low <= real[effect], effect
            continue
        assert low <= real[effect] and (high is None or real[effect] <= high), effect


def only(name: str, tool: str) -> list[tuple[int, int | None]]:
    return [
        (e.executions.min, e.executions.max)
        for s in open_journal(folder(name)).sessions
        for e in effects_of(s)
        if e.tool == tool
    ]


def test_ids_that_restart_in_every_answer_are_three_calls_and_none_ran_twice() -> None:
    session = open_journal(folder("call-ids-restart-each-response/data")).sessions[0]
    table = [(e.tool, e.call_id, e.executions.min, e.executions.max) for e in effects_of(session)]
    assert table == [
        ("create_order", "call_0", 1, 1),
        ("notify_customer", "call_1", 1, 1),
        ("capture_payment", "call_0", 1, 1),
        ("capture_payment", "call_0", 1, 1),
        ("reserve_stock", "call_0", 1, 1),
    ]


@pytest.mark.parametrize("tool", ["refund", "wipe_account"])
def test_a_batch_of_approvals_runs_in_the_step_after_the_last_answer(tool: str) -> None:
    """At the first crash one answer is missing: neither ran, though one is approved."""
    assert only("two-approvals-one-answered/crash", tool) == [(0, 0)]
    ((low, high),) = only("two-approvals-one-answered/crash-2", tool)
    assert low <= 1 and high == 1
    ((low, high),) = only("two-approvals-one-answered/data", tool)
    assert low <= 2 and high == 2

"""Every recording of crash-kinds against its ledger: no range misses it, no exact count contradicts it."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from eve_replay.checks.doctor import check_state
from eve_replay.checks.phrases import Voice
from eve_replay.diff.attempts import diff_attempts
from eve_replay.guidance.why import why, why_all
from eve_replay.journal import Journal, open_journal
from eve_replay.journal.effects.build import Executions, effects_of
from eve_replay.journal.effects.doubled_runs import RunsSeen
from eve_replay.journal.effects.open_calls import open_calls
from eve_replay.journal.transcript import taken_by, transcript
from tests.support.crash_kinds import INDEX, LEDGER_NAMES, folder, folders, found, names, truth

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


def test_the_list_beside_the_archive_is_whole() -> None:
    if os.environ.get("EVE_REPLAY_UPDATE"):
        INDEX.write_text("".join(f"{name}\n" for name in found()), "utf-8", newline="\n")
    assert names() == found()


@pytest.mark.parametrize("name", names())
def test_every_range_holds_what_the_ledger_has(name: str) -> None:
    data, ledger = next((data, ledger) for each, data, ledger in folders() if each == name)
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


#: Per recording of two servers on one folder: the attempt that committed, and the word for the other one.
TWO_SERVERS = {
    "two-servers-one-folder": (1, "refused"),
    "two-servers-three-tools-first-one-commits": (1, "refused"),
    "two-servers-second-one-commits": (2, "refused"),
}


@pytest.mark.parametrize("name", TWO_SERVERS)
def test_two_servers_on_one_folder_are_two_bodies_and_nobody_died(name: str) -> None:
    committed, other = TWO_SERVERS[name]
    session = open_journal(folder(f"{name}/data")).sessions[0]
    assert session.unjoined == ()
    (step,) = [s for s in session.steps if len(s.attempts) > 1]
    outcomes = {a.n: a.outcome for a in step.attempts}
    assert outcomes == {committed: "completed", 3 - committed: other}
    assert all(call.returned for attempt in step.attempts for call in attempt.tool_calls)
    report = why(session, now=datetime(2026, 12, 2, tzinfo=UTC))
    codes = {verdict.code for verdict in report.verdicts}
    assert "two-processes" in codes and "re-executed" not in codes
    assert not any("died" in verdict.sentence for verdict in report.verdicts)


def test_a_killed_server_beside_a_living_one_was_interrupted_all_the_same() -> None:
    """Minted ids tell the two bodies apart; the first one says nothing after it was killed."""
    session = open_journal(folder("two-servers-minted-ids-first-killed/data")).sessions[0]
    (step,) = [s for s in session.steps if len(s.attempts) > 1]
    assert [a.outcome for a in step.attempts] == ["interrupted", "completed"]
    ((low, high),) = only("two-servers-minted-ids-first-killed/data", "capture_payment")
    assert (low, high) == (1, 2)


def test_positional_ids_and_another_answer_on_the_rerun() -> None:
    """The lost attempt mailed x and paid y, the re-run paid z: other acts, the same ids."""
    session = open_journal(folder("positional-ids-other-answer/data")).sessions[0]
    assert [
        (e.tool, e.call_ids, e.executions.min, e.executions.max, e.displaced) for e in effects_of(session)
    ] == [
        ("notify_customer", ("call_0",), 1, 1, True),
        ("capture_payment", ("call_1",), 0, 1, True),
        ("capture_payment", ("call_0",), 1, 1, False),
        ("reserve_stock", ("call_1",), 1, 1, False),
        ("capture_payment", ("call_0",), 1, 1, False),
    ]
    report = why(session, now=datetime(2026, 12, 2, tzinfo=UTC))
    told = {v.tool for v in report.verdicts if v.code == "asked-otherwise"}
    assert told == {"notify_customer", "capture_payment"}


def test_a_step_function_that_threw_returned_nothing_and_the_results_differ() -> None:
    session = next(
        s
        for s in open_journal(folder("sdk4.8.9-checkout-crash-in-pay/data")).sessions
        if s.title == "checkout"
    )
    step = next(s for s in session.steps if s.function == "pay")
    (repeat,) = diff_attempts(step, 1, 3, effects=effects_of(session)).repeats
    assert (repeat.first.is_error, repeat.first.output) == (True, "gateway busy")
    assert repeat.second.is_error is False and isinstance(repeat.second.output, dict)
    assert (repeat.second.output["id"], repeat.same_result) == ("p_c1", False)


def test_a_steering_message_stands_where_a_step_took_it() -> None:
    """It came while attempt 1 ran; attempt 2 was given the old message only, and charged again."""
    session = open_journal(folder("message-during-turn/data")).sessions[0]
    told = [(e.kind, e.name or e.text[:30]) for e in transcript(session) if e.kind in ("user", "tool")]
    assert [what for kind, what in told if kind == "tool"] == [
        "capture_payment",
        "capture_payment",
        "notify_customer",
    ]
    assert [kind for kind, _ in told] == ["user", "tool", "tool", "user", "tool"]
    (steered,) = [m for m in session.messages if m.role == "steered"]
    step = taken_by(steered, session.turns[0])
    assert step is session.turns[0].turn_steps[1]


def test_a_run_that_a_rerun_step_started_again_is_connected_with_its_starter_and_its_twin() -> None:
    journal = open_journal(folder("sdk4.8.9-checkout-crash-in-child-start/data"))
    seen = RunsSeen()
    for session in journal.sessions:
        seen.see(session)
    (doubled,) = seen.doubled()
    assert doubled.step.function == "startChild"
    assert [run.workflow.function for run in doubled.runs] == ["childFlow", "childFlow"]
    assert doubled.kept == doubled.runs[1].run_id
    voice = Voice(now=datetime(2026, 12, 2, tzinfo=UTC))
    told = why_all(journal.sessions, voice=voice).reports
    assert [any(v.code == "doubled-child" for v in report.verdicts) for report in told] == [True] * 3


def test_runs_of_one_workflow_that_no_step_started_are_not_connected() -> None:
    for name in ("sdk4.8.9-approval-and-saga/data", "sdk4.8.9-checkout-crash-in-pay/data"):
        seen = RunsSeen()
        for session in open_journal(folder(name)).sessions:
            seen.see(session)
        assert seen.doubled() == ()


@pytest.mark.parametrize("name", ["eve-0.40.0-simple/data", "eve-0.56.0-crash/data"])
def test_a_turns_own_run_hands_the_state_back(name: str) -> None:
    for session in open_journal(folder(name)).sessions:
        assert [finding.code for finding in check_state(session)] == []


def test_a_workflow_tools_yields_are_told_and_its_call_was_handed_over() -> None:
    session = open_journal(folder("saga-throw-then-kill/data")).sessions[0]
    told = [e.text for e in transcript(session) if e.kind == "note" and "yields" in e.text]
    assert told == ['saga yields {status: "booking"}', 'saga yields {status: "paying"}']


def test_the_ledger_comparison_says_that_two_processes_were_at_work() -> None:
    session = open_journal(folder("two-servers-one-folder/data")).sessions[0]
    found = {e.tool: e.two_processes for e in effects_of(session)}
    assert found == {"capture_payment": True, "notify_customer": False, "reserve_stock": False}


def test_lists_that_are_not_whole_say_so() -> None:
    """A payment and a notification had acted, and only the payment's request was durable."""
    assert [g.code for g in open_calls(open_journal(folder("disk-full/crash")).sessions[0])] == [
        "unread-answer"
    ]
    gone = {s.kind: open_calls(s) for s in open_journal(folder("workflow-calls-agent/data")).sessions}
    assert [g.code for g in gone["subagent"]] == ["purged-child"]
    (below,) = gone["session"]
    assert (below.code, below.executions.min, below.executions.max) == ("purged-child", 0, None)
    assert below.call_id
    healthy = open_journal(folder("call-ids-restart-each-response/data")).sessions[0]
    assert open_calls(healthy) == ()

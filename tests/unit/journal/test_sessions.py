"""Which runs make up which session, from run records alone."""

from __future__ import annotations

import pytest

from eve_replay.errors import NotFound, WrongUse
from eve_replay.journal import Journal, SessionHead
from tests.support.runlog import RunLog

S, T2, TOOL, SUB, LATER = (f"wrun_01{letter * 24}" for letter in "ABCDE")
EVE = "workflow//eve//"


def heads(log: RunLog) -> dict[str, SessionHead]:
    return {h.id: h for h in log.journal().heads}


def family() -> RunLog:
    """A session with its timeout, a workflow tool, a subagent below that tool, and a handoff."""
    log = RunLog().run(
        S, attributes={"$eve.type": "session", "$eve.title": "refund", "$eve.version": "0.80.1"}
    )
    log.run(T2, EVE + "sessionTimeoutWorkflow", attributes={"$parentRunId": S, "$rootRunId": S})
    log.run(TOOL, EVE + "workflowToolRunWorkflow", attributes={"$parentRunId": S, "$rootRunId": S})
    log.run(
        SUB,
        attributes={
            "$parentRunId": TOOL,
            "$rootRunId": S,
            "$eve.type": "subagent",
            "$eve.parent": S,
            "$eve.subagent": "researcher",
        },
    )
    return log.run(
        LATER, attributes={"$parentRunId": S, "$rootRunId": S, "$eve.session": S}, status="running"
    )


def test_a_session_is_its_owning_runs_and_what_hangs_below() -> None:
    found = heads(family())
    assert set(found) == {S, SUB}
    head = found[S]
    assert (head.kind, head.run_ids, head.child_ids, head.subagents) == (
        "session",
        (S, LATER),
        (T2, TOOL),
        (SUB,),
    )
    assert (head.title, head.eve_version, head.parent) == ("refund", "0.80.1", None)
    sub = found[SUB]
    assert (sub.kind, sub.run_ids, sub.parent, sub.title) == ("subagent", (SUB,), S, "researcher")


def test_a_successor_that_died_before_naming_its_session_still_belongs_to_it() -> None:
    log = RunLog().run(S, attributes={"$eve.type": "session"})
    log.run(LATER, attributes={"$parentRunId": S, "$rootRunId": S})
    assert heads(log)[S].run_ids == (S, LATER)


@pytest.mark.parametrize("key", ["$parentRunId", "$eve.parent"])
def test_turn_runs_of_older_eve_belong_to_their_session(key: str) -> None:
    """docs/evidence/observed.md: eve 0.20 has no ``$parentRunId``."""
    log = RunLog().run(S, attributes={"$eve.type": "session"})
    log.run(T2, EVE + "turnWorkflow", attributes={"$eve.type": "turn", key: S}, status="completed")
    (head,) = heads(log).values()
    assert (head.run_ids, head.child_ids, head.status) == ((S, T2), (), "running")


def test_plain_runs_are_sessions_of_their_own_kind() -> None:
    log = RunLog().run(S, "workflow//./workflows/orders//processOrder", status="failed", attributes={})
    (head,) = heads(log).values()
    assert (head.kind, head.title, head.status) == ("workflow", "processOrder", "failed")
    assert log.journal().session(S).turns == ()


def test_orphans_and_circles_are_listed_not_lost() -> None:
    log = RunLog().run(T2, EVE + "sessionTimeoutWorkflow", attributes={"$parentRunId": "wrun_gone"})
    log.run(S, EVE + "turnWorkflow", attributes={"$parentRunId": TOOL})
    log.run(TOOL, EVE + "turnWorkflow", attributes={"$parentRunId": S})
    found = heads(log)
    assert {i for h in found.values() for i in (*h.run_ids, *h.child_ids)} == {S, T2, TOOL}
    assert len(list(log.journal().sessions)) == len(found)


def test_unknown_workflows_of_eve_go_by_their_type() -> None:
    log = RunLog().run(S, EVE + "chatWorkflow", attributes={"$eve.type": "session"})
    log.run(TOOL, EVE + "sideWorkflow", attributes={"$parentRunId": S})
    assert heads(log)[S].child_ids == (TOOL,)


def test_listing_reads_no_events_and_no_payloads() -> None:
    class Shy(type(family().world())):  # type: ignore[misc]
        def events(self, run_id: str) -> object:
            raise AssertionError("events were read")

    world = family().world()
    world.__class__ = Shy
    assert len(Journal(world).heads) == 2


def test_sessions_are_built_on_demand_and_only_some_are_kept() -> None:
    log = RunLog()
    for letter in "ABCDEF":
        log.run(f"wrun_01{letter * 24}", attributes={"$eve.type": "session"})
    journal = Journal(log.world(), keep=2)
    assert len(journal.sessions) == 6
    first = journal.sessions[0]
    assert journal.sessions[0] is first
    assert [s.id for s in journal.sessions[4:]] == [journal.heads[4].id, journal.heads[5].id]
    assert journal.sessions[0] is not first
    assert len(journal._built) == 2


def test_ids_may_be_given_by_their_end_or_by_a_run_of_the_session() -> None:
    journal = family().journal()
    assert journal.session(LATER).id == S
    assert journal.session(TOOL[-6:]).id == S
    assert journal.session("wrun_01D").id == SUB
    assert journal.session("wrun_…DDDD").id == SUB
    assert journal.session().id == S  # the only conversation; the subagent is part of it
    assert journal.run(T2).role == "timeout"
    assert journal.run(S).children == (T2, TOOL, LATER)
    with pytest.raises(NotFound):
        journal.session("wrun_nothing")
    with pytest.raises(WrongUse):
        journal.session("wrun_01")
    with pytest.raises(NotFound):
        journal.turn(S, "turn_0")


def test_steps_are_found_within_a_run_when_ids_repeat() -> None:
    """T27: the same correlation id in two runs."""
    log = RunLog()
    for run in (S, LATER):
        log.run(run, "workflow//./orders//go").step("step_01AAAA", "step//./orders//pay", starts=(1,), end=2)
    journal = log.journal()
    with pytest.raises(WrongUse, match="2 steps"):
        journal.step("step_01AAAA")
    assert journal.step("AAAA", LATER).run_id == LATER
    assert journal.attempt("step_01AAAA", 1, S).outcome == "completed"
    with pytest.raises(NotFound):
        journal.attempt("step_01AAAA", 2, S)
    with pytest.raises(NotFound):
        journal.step("step_01ZZZZ")


def test_a_whole_step_id_is_looked_for_where_it_points() -> None:
    log = RunLog()
    for letter in "ABC":
        log.run(f"wrun_01{letter * 24}", "workflow//./orders//go")
        log.step(f"step_01{letter * 23}9", "step//./orders//pay", starts=(1,), end=2)
    journal = log.journal()
    assert journal.step("step_01" + "B" * 23 + "9").run_id == "wrun_01" + "B" * 24
    assert list(journal._built) == ["wrun_01" + "B" * 24]


def test_a_refreshed_journal_sees_what_is_there_now() -> None:
    world = family().world()
    journal = Journal(world)
    before = journal.session(S)
    assert journal.session(S) is before
    journal.refresh()
    assert journal.session(S) is not before


def test_children_are_tied_to_the_step_that_started_them() -> None:
    log = family()
    log.run_id = S
    log._slots[S] = 0
    log.step("step_A", "step//eve@0.80.1//startSessionTimeoutStep", starts=(0,), end=1, output={"runId": T2})
    log.step("step_B", "step//eve@0.80.1//dispatchCoordinationStep", starts=(0,), end=1, output={})
    steps = {s.step_id: s.dispatched for s in log.journal().session(S).steps}
    assert steps["step_A"] == (T2,)
    assert TOOL in steps["step_B"]


def test_a_run_record_behind_its_log_says_so() -> None:
    log = RunLog().run(S, attributes={"$eve.type": "session"}).event("run_completed", 5, output=1)
    session = log.journal().session(S)
    assert session.runs[0].status == "completed"
    assert [p.code for p in session.problems] == ["run-record-against-log"]


def test_an_empty_world_has_no_session() -> None:
    journal = RunLog().journal()
    assert (journal.heads, len(journal.sessions)) == ((), 0)
    with pytest.raises(NotFound):
        journal.session()

"""Conversations, submissions, attempts, calls and delegates as the rows and records have them."""

from __future__ import annotations

import json

import pytest

from eve_replay.journal import open_journal
from eve_replay.journal.frameworks.flue.framework import framework
from tests.support.flue import fixtures, joined, journal


def _records(tables):
    rows = sorted(tables["flue_conversation_stream_batches"], key=lambda each: (each["path"], each["seq"]))
    return [record for row in rows if row["data"][0] == "[" for record in json.loads(row["data"])]


@pytest.mark.parametrize("name", list(fixtures()))
def test_every_record_turn_call_and_step_is_told_once(name):
    tables = fixtures()[name]["final"]
    records = _records(tables)
    sessions = journal(tables).sessions
    steps = [step for session in sessions for run in session.all_runs for step in run.steps]
    told = {}
    for record in records:
        told.setdefault(record["type"], []).append(record)
    if not tables["flue_conversation_stream_batch_chunks"]:
        assert sum(len(run.events) for s in sessions for run in s.all_runs) == len(records)
        started = {(r["conversationId"], r["messageId"]) for r in told.get("assistant_message_started", ())}
        assert {(s.run_id, s.step_id) for s in steps if s.kind == "turn"} == started
        assert sum(s.kind == "function" for s in steps) == len(told.get("tool_step_settled", ()))
        asked = [(r["messageId"], r["toolCallId"]) for r in told.get("assistant_tool_call", ())]
        first = [(s.step_id, c.call_id) for s in steps for c in s.tool_calls if c.requested_at is not None]
        assert sorted(first) == sorted(asked)
    roots = [r for r in told.get("conversation_created", ()) if r.get("kind") == "root"]
    assert {s.id for s in sessions} >= {r["conversationId"] for r in roots}


@pytest.mark.parametrize("name", [n for n, found in fixtures().items() if found["submissions"]])
def test_attempts_are_the_rows_and_every_one_of_them_that_wrote_is_seen(name):
    found = fixtures()[name]
    seen = {}
    for record in _records(found["final"]):
        if record.get("attemptId") and record["type"] != "submission_settled":
            seen.setdefault(record.get("submissionId"), set()).add(record["attemptId"])
    turns = {t.budget.record_id: t for s in journal(found["final"]).sessions for t in s.turns}
    for row in found["final"]["flue_agent_submissions"]:
        if row["submission_id"] in turns:
            budget = turns[row["submission_id"]].budget
            assert (budget.attempts, budget.max_attempts) == (row["attempt_count"], row["max_attempts"])
            assert len(seen.get(row["submission_id"], ())) <= max(1, row["attempt_count"])


def _nested():
    return next(kill for kill in joined() if not kill["n"])["crash"]


def test_a_delegate_of_a_delegate_hangs_below_the_call_that_started_it():
    session = journal(_nested()).session()
    [root] = session.runs
    below = {run.run_id: run for run in session.children}
    child = next(run for run in below.values() if run.parent == root.run_id)
    grandchild = next(run for run in below.values() if run.parent == child.run_id)
    assert root.children == (child.run_id,) and child.children == (grandchild.run_id,)
    assert [c.name for s in grandchild.steps for c in s.tool_calls] == ["send_email"]
    starter = next(c for s in child.steps for c in s.tool_calls if c.name == "task")
    assert grandchild.parent_call == starter.call_id and grandchild.status == "completed"
    [turn] = session.turns
    assert len(turn.delivery_ids) == 2 and {m.role for m in session.messages} == {"opened", "steered"}


def test_a_conversation_whose_records_name_no_known_parent_stands_alone():
    tables = _nested()
    records = [
        {**row, "data": row["data"].replace('"parentConversationId":"conv_', '"parentConversationId":"gone_')}
        for row in tables["flue_conversation_stream_batches"]
    ]
    opened = journal({**tables, "flue_conversation_stream_batches": records})
    assert len(opened.heads) == 3
    grouping = framework.group(opened.world.runs())
    assert sorted(grouping.waits(head.id) for head in opened.heads) == [False, True, True]


def test_a_spilled_batch_and_a_compaction_are_read():
    spilled = journal(fixtures()["o_many_turns_and_spill"]["final"])
    [session] = spilled.sessions
    assert len(session.turns) == 4 and all(turn.status == "completed" for turn in session.turns)
    assert max(len(str(c.output)) for s in session.steps for c in s.tool_calls) > 1_048_576
    [packed] = journal(fixtures()["v_compaction"]["final"]).sessions
    assert any(e.event_type == "compaction" for run in packed.runs for e in run.events)
    assert all(turn.committed for turn in packed.turns)


def test_a_file_of_its_own_names_its_framework(tmp_path):
    from tests.support.corpus import scenario

    opened = open_journal(scenario("flue/raw-pair") / "flue.db")
    assert opened.session().framework == framework.name == "flue"
    opened.close()

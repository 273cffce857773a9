"""Flue's recordings: what is told of them equals the vendor's view, the rows and the ledgers."""

import collections
import json

import pytest

from eve_replay.journal.effects.build import effects_of
from eve_replay.recovery import forecast, matrix
from tests.support.flue import done, fixtures, joined, journal, key_of, nested, sweep

#: Tools whose ledger lines are no execution counts: readers, delegates, tools that write several lines.
_NOT_COUNTED = {"lookup", "task", "review", "late_effect", "bounded", "step_throws", "fails"}
_CRASHES = [
    (name, label) for name, found in fixtures().items() for label in found if label.startswith("crash")
]
#: Its second process ran other code: the tool was no longer declared durable.
_REDEPLOYED = "c2_durable_redeploy_withdrawn"
_ENDS = {"completed": "completed", "failed": "failed", "cancelled": "aborted"}


@pytest.mark.parametrize("name", list(fixtures()))
def test_submissions_and_attempts_are_those_of_the_rows(name):
    found = fixtures()[name]
    opened = journal(found["final"])
    turns = [turn for session in opened.sessions for turn in session.turns]
    by_id = {turn.budget.record_id: turn for turn in turns}
    for row in found["submissions"]:
        if row["joined_into"]:
            host = next(turn for turn in turns if row["submission_id"] in turn.delivery_ids)
            assert host.delivery_ids[0] == row["joined_into"]
            continue
        turn = by_id[row["submission_id"]]
        assert turn.budget.attempts == row["attempt_count"]
        assert turn.committed == (row["status"] == "settled")
        if turn.status == "completed":
            assert row["error"] is None


@pytest.mark.parametrize(
    "name", [name for name, found in fixtures().items() if any("history" in k for k in found)]
)
def test_messages_calls_and_outcomes_are_those_of_the_http_view(name):
    found = fixtures()[name]
    for view in (value for key, value in found.items() if key.startswith("history-")):
        session = journal(found["final"]).session(view["conversationId"])
        ends = {s["submissionId"]: s["outcome"] for s in view["settlements"]}
        for turn in session.turns:
            assert {"cancelled": "aborted"}.get(turn.status, turn.status) == ends[turn.delivery_ids[0]]
        own = [c for step in session.runs[0].steps for c in step.tool_calls if c.requested_at is not None]
        said = [p for m in view["messages"] for p in m["parts"] if p["type"] == "dynamic-tool"]
        assert [(c.call_id, c.name) for c in own] == [(p["toolCallId"], p["toolName"]) for p in said]
        for call, part in zip(own, said, strict=True):
            if part["state"] == "output-available":
                last = [c for s in session.runs[0].steps for c in s.tool_calls if c.call_id == call.call_id]
                assert call.fate == "ok"
                assert part["output"] in [c.output for c in last]
            elif part["state"] == "output-error":
                assert call.fate not in ("ok", "unresolved")


@pytest.mark.parametrize("name", list(fixtures()))
def test_what_ran_is_what_the_ledger_has(name):
    found = fixtures()[name]
    if name.startswith("q_"):
        pytest.skip("two calls of one id: the ledger cannot tell them apart")
    real = done(found["ledger"])
    for session in journal(found["final"]).sessions:
        for effect in effects_of(session):
            if effect.tool not in _NOT_COUNTED:
                count = real.get(key_of(effect), 0)
                assert effect.executions.min <= count, effect
                assert effect.executions.max is None or count <= effect.executions.max, effect


@pytest.mark.parametrize(("name", "label"), _CRASHES)
def test_the_forecast_of_a_crash_is_what_happened(name, label):
    found = fixtures()[name]
    asked = forecast(journal(found[label]))[0].answer
    if label == sorted(k for k in found if k.startswith("crash"))[-1]:
        end = next(s for s in journal(found["final"]).sessions if s.id == asked.session_id)
        assert asked.ends == _ENDS[end.turn(asked.turn_id).status]
    if name == _REDEPLOYED:
        return
    real = done(found["ledger"])
    for effect in asked.effects:
        if effect.tool not in _NOT_COUNTED:
            count = real.get(key_of(effect), 0)
            assert effect.executions.min <= count <= (effect.executions.max or 0), effect


def test_a_deploy_that_withdraws_durability_is_told_by_its_environment():
    from eve_replay.recovery import Question

    found = fixtures()[_REDEPLOYED]
    asked = forecast(journal(found["crash"]), question=Question(environment="flue-redeployed"))[0].answer
    real = done(found["ledger"])
    for effect in asked.effects:
        assert effect.executions.min <= real.get(key_of(effect), 0) <= effect.executions.max


@pytest.mark.parametrize(("kills", "least"), [(sweep, 800), (nested, 200), (joined, 900)])
def test_every_kill_of_the_sweep_ends_as_foretold(kills, least):
    """Kills between any two appends: 100 % contained, at least 95 % exact where the journal can know."""
    known = exact = 0
    for kill in kills():
        if not kill["n"]:
            continue
        asked = forecast(journal(kill["crash"]))[0].answer
        assert asked.outcome == "nothing-open" or asked.ends == kill["end"], (kill["when"], kill["n"])
        real = done(kill["ledger"])
        for effect in asked.effects:
            if effect.tool in _NOT_COUNTED:
                continue
            count = real.get(key_of(effect), 0)
            assert effect.executions.min <= count <= effect.executions.max, (kill["when"], kill["n"], effect)
            if effect.rule not in ("flue-interrupted", "flue-undeclared", "flue-unfinished"):
                known += 1
                exact += effect.executions.min == effect.executions.max
    assert known > least
    assert exact >= 0.95 * known


def _written(batches):
    """Count what is written, but for pieces of text, whose number differs from run to run."""
    return collections.Counter(
        (record["type"], record.get("toolName") or record.get("name"), record.get("stepName"))
        for batch in batches
        for record in json.loads(batch["data"])
        if "delta" not in record["type"]
    )


@pytest.mark.parametrize(("swept", "most"), [(sweep, 100), (joined, 60)])
def test_the_matrix_of_the_whole_turn_foretells_every_kill(swept, most):
    """Calls that ran side by side may have been written in another order: such kills have no place in it."""
    whole = next(kill for kill in swept() if not kill["n"])
    batches = whole["crash"]["flue_conversation_stream_batches"]
    places = {frozenset(_written(batches[:n]).items()): n for n in range(len(batches) + 1)}
    points = {sim.point.position: sim for sim in matrix(journal(whole["crash"]).session()).points}
    total = kills = 0
    for kill in swept():
        there = _written(kill["crash"]["flue_conversation_stream_batches"])
        sim = points.get(places.get(frozenset(there.items()), -1)) if kill["n"] else None
        if sim is None:
            continue
        kills += 1
        assert sim.outcome == "nothing-open" or sim.ends == kill["end"]
        real = done(kill["ledger"])
        for effect in sim.effects:
            if effect.tool not in _NOT_COUNTED:
                total += 1
                count = real.get(key_of(effect), 0)
                assert effect.executions.min <= count <= effect.executions.max, (
                    kill["when"],
                    kill["n"],
                    effect,
                )
    assert kills > most
    assert total > 7 * most


def test_no_sentence_tells_a_flue_user_to_start_eve():
    from datetime import UTC, datetime

    from eve_replay.guidance.why import why

    for name, label in _CRASHES:
        for session in journal(fixtures()[name][label]).sessions:
            told = json.dumps(
                why(session, now=datetime(2026, 12, 2, tzinfo=UTC)).to_json(), ensure_ascii=False
            )
            assert "eve start" not in told and "eve dev" not in told and "world.start" not in told


def test_the_proof_counts_them():
    from pathlib import Path

    from eve_replay.proof.board import prove
    from eve_replay.worlds.local.archive import archive_tree

    archive = Path(__file__).parents[2] / "eve_replay" / "samples" / "proof" / "flue.tar.xz"
    board = prove(archive_tree(archive))
    assert len(board.cases) > 150
    assert not board.unusable
    assert [case.name for case in board.cases if not case.hit] == []
    assert sum(case.exact for case in board.cases) >= 0.95 * len(board.cases)


@pytest.mark.parametrize("name", ["f1_abort_live", "f4_abort_late_effect", "g3_timeout"])
def test_a_call_that_was_cut_off_may_still_act_and_is_open(name):
    told = forecast(journal(fixtures()[name]["final"]))[0]
    assert told.answer.outcome == "nothing-open"
    assert told.open and told.late and told.to_json()["late"] == list(told.late)
    assert "may still act" in told.answer.sentence and "nothing is lost" not in told.answer.sentence


def test_what_is_not_recorded_is_not_counted_as_nothing():
    from eve_replay import matrix, simulate

    session = journal(fixtures()["c_durable_between_steps"]["crash"]).sessions[0]
    told = simulate(session, 6)
    assert told.model_calls.again == 1 and told.tokens.unknown and told.tokens.again == 0
    assert "tokens not recorded" in told.sentence and "the submission goes on" in told.sentence
    assert "its lease of 30 s" in told.sentence  # a constant of Flue's, nothing that was assumed
    assert matrix(session).totals.tokens_unknown


def test_state_is_what_was_written_with_a_commit():
    from eve_replay.journal.state import walk_states

    session = journal(fixtures()["i_state_write"]["final"]).sessions[0]
    found = [(each.before, each.after) for each in walk_states(session.steps)]
    assert found[0][0].session == {} and found[0][1].session == {"phase": "drafting", "count": 1}
    for (_, left), (given, _) in zip(found, found[1:], strict=False):
        assert left.session == given.session  # nothing is written between two messages
    lost = journal(fixtures()["i3_state_lost_slow_sibling"]["final"]).sessions[0]
    assert all("phase" not in (each.after or each.before).session for each in walk_states(lost.steps))

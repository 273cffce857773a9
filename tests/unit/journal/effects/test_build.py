"""Effects: which occurrences are one effect, and what they add up to."""

import pytest

from eve_replay.journal.effects.build import effects_of
from eve_replay.journal.model import Message, Park, Turn
from tests.support.corpus import data, names, scenario
from tests.support.synthetic import (
    RUN,
    attempt,
    call,
    function_step,
    model_run,
    session,
    turn_step,
)


def only(*steps, **fields):
    found = effects_of(session(model_run(*steps), **fields))
    assert len(found) == 1
    return found[0]


def counts(effect):
    return effect.executions.min, effect.executions.max


def test_two_results_are_two_executions():
    effect = only(
        turn_step(
            attempt(1, call("c1", returned=2, output={"chargeId": "ch_1"}), outcome="interrupted"),
            attempt(2, call("c1", attempt=2, returned=12, output={"chargeId": "ch_2"}), start=10),
        )
    )
    assert counts(effect) == (2, 2)
    assert effect.certainty == "observed"
    assert effect.ran_twice and not effect.may_have_run_twice
    assert effect.attempts == (1, 2)


def test_a_request_without_a_result_is_zero_or_one():
    effect = only(
        turn_step(
            attempt(1, call("c1"), outcome="interrupted"),
            attempt(2, call("c1", attempt=2, returned=12), start=10),
        )
    )
    assert counts(effect) == (1, 2)
    assert effect.certainty == "unknown"
    assert effect.may_have_run_twice


def test_absence_in_an_interrupted_attempt_proves_nothing_but_is_no_sign():
    effect = only(
        turn_step(attempt(1, outcome="interrupted"), attempt(2, call("c1", attempt=2, returned=12), start=10))
    )
    assert counts(effect) == (1, 2)
    assert not effect.may_have_run_twice


def test_minted_ids_are_one_effect_by_place():
    effect = only(
        turn_step(
            attempt(1, call("call_a", input={"order": "o"}), outcome="interrupted"),
            attempt(2, call("call_b", attempt=2, returned=12, input={"order": "o"}), start=10),
        )
    )
    assert effect.call_ids == ("call_a", "call_b")
    assert counts(effect) == (1, 2)


def test_the_same_call_in_another_order_is_found_by_its_input():
    found = effects_of(
        session(
            model_run(
                turn_step(
                    attempt(
                        1,
                        call("a", position=0, input={"n": 1}),
                        call("b", position=1, input={"n": 2}),
                        outcome="interrupted",
                    ),
                    attempt(
                        2,
                        call("c", attempt=2, position=0, input={"n": 2}, returned=12),
                        call("d", attempt=2, position=1, input={"n": 1}, returned=12),
                        start=10,
                    ),
                )
            )
        )
    )
    assert [e.call_ids for e in found] == [("a", "d"), ("b", "c")]


def test_the_same_id_in_two_turns_is_two_effects():
    found = effects_of(
        session(
            model_run(
                turn_step(attempt(1, call("c1", returned=2))),
                turn_step(
                    attempt(1, call("c1", turn="turn_1", step_id="step_B", returned=12), start=10),
                    step_id="step_B",
                    turn="turn_1",
                ),
            )
        )
    )
    assert [counts(e) for e in found] == [(1, 1), (1, 1)]


def test_an_approved_call_runs_in_the_next_step():
    held = turn_step(attempt(1, call("c1", deferred=True)), action="held")
    after = turn_step(
        attempt(
            1, call("c1", step_id="step_B", requested=None, position=None, index=1, returned=12), start=10
        ),
        step_id="step_B",
    )
    effect = only(held, after)
    assert counts(effect) == (1, 1)
    assert effect.step_id == "step_B"


def test_an_approved_call_of_an_interrupted_step_that_shows_nothing():
    park = Park(
        kind="approval",
        session_id=RUN,
        run_id=RUN,
        since=None,
        call_id="c1",
        turn_id="turn_0",
        open=False,
        released_by="approved by ana",
    )
    held = turn_step(attempt(1, call("c1", deferred=True)), action="held")
    after = turn_step(attempt(1, outcome="running", start=10), step_id="step_B")
    effect = only(held, after, parks=(park,))
    assert counts(effect) == (0, 1)
    assert effect.protection.klass == "approval-gated"


@pytest.mark.parametrize(("option", "expected"), [("approve", (0, 1)), ("cancel", (0, 0)), (None, (0, 0))])
def test_a_recorded_answer_counts_before_the_stream_says_that_it_was_taken(option, expected):
    # Effects run ahead of the stream (docs/evidence/sweep.md#stream): the log alone says that the call may
    # run.
    park = Park(
        kind="approval",
        session_id=RUN,
        run_id=RUN,
        since=None,
        call_id="c1",
        request_id="req_1",
        turn_id="turn_0",
        open=True,
    )
    answer = Message(
        delivery_id="d1",
        session_id=RUN,
        run_id=RUN,
        role="pending",
        event_id="evnt_00000000000000000000000009",
        request_ids=("req_1",),
        payload={"inputResponses": [{"requestId": "req_1", "optionId": option}]},
    )
    held = turn_step(attempt(1, call("c1", deferred=True)), action="held")
    after = turn_step(attempt(1, outcome="running", start=10), step_id="step_B")
    effect = only(held, after, parks=(park,), messages=(answer,) if option else ())
    assert counts(effect) == expected


def test_a_denied_call_did_not_run():
    denied = call(
        "c1",
        returned=2,
        is_error=True,
        error={"code": "TOOL_EXECUTION_DENIED"},
        output={"tool": {"result": "not_run"}},
    )
    assert counts(only(turn_step(attempt(1, denied)))) == (0, 0)


def test_a_call_only_in_history_did_not_run():
    effect = only(turn_step(attempt(1, call("c1", requested=None, history_only=True))))
    assert counts(effect) == (0, 0)


def test_a_cancelled_turn_leaves_the_effect_behind():
    turn = Turn(id="turn_0", sequence=0, session_id=RUN, status="cancelled")
    effect = only(turn_step(attempt(1, call("c1")), action="cancelled"), turns=(turn,))
    assert effect.left_behind
    assert counts(effect) == (0, 1)


def test_a_start_past_the_budget_runs_nothing():
    step = function_step(
        attempt(1, outcome="failed", body="ran"),
        attempt(2, outcome="interrupted", start=10),
        attempt(3, outcome="failed", start=20, body="did not run", body_certainty="observed"),
    )
    effect = only(step)
    assert effect.kind == "step"
    assert counts(effect) == (1, 2)
    assert effect.attempts == (1, 2)


def test_doubled_children_double_their_steps():
    def child(run_id):
        step = function_step(attempt(1, run_id=run_id), step_id=f"step_{run_id}", run_id=run_id)
        return model_run(step, run_id=run_id, role="tool", parent=RUN, parent_call="c1", status="completed")

    dispatch = turn_step(attempt(1, call("c1", name="ship_order", deferred=True)))
    found = effects_of(session(model_run(dispatch), children=(child("wrun_1"), child("wrun_2"))))
    assert [(e.tool, e.kind, counts(e)) for e in found] == [
        ("ship_order", "workflow-tool", (2, 2)),
        ("chargeCard", "step", (2, 2)),
    ]


def test_keys_and_their_absence_decide_the_class():
    same = "turn_0:0:0"
    effect = only(
        turn_step(
            attempt(1, call("c1", returned=2, output={"idempotencyKey": same}), outcome="interrupted"),
            attempt(2, call("c1", attempt=2, returned=12, output={"idempotencyKey": same}), start=10),
        )
    )
    assert (effect.protection.klass, effect.protection.by) == ("keyed", "coordinates")
    assert effect.same_key
    assert effect.executions.min == 2 and effect.outside.max == 1


def test_a_receiver_that_says_it_knew_the_key_acted_once():
    effect = only(
        turn_step(
            attempt(1, call("c1"), outcome="interrupted"),
            attempt(
                2, call("c1", attempt=2, returned=12, output={"key": "s:c1", "replayed": True}), start=10
            ),
        )
    )
    assert effect.outside.to_json() == {"min": 1, "max": 1}


def test_policy_beats_evidence_and_hint():
    found = effects_of(
        session(model_run(turn_step(attempt(1, call("c1", name="get_weather", returned=2))))),
        {"tools": {"get_*": "unprotected"}},
    )
    assert (found[0].protection.klass, found[0].protection.source) == ("unprotected", "policy")


def test_json_has_the_contract_fields():
    entry = only(turn_step(attempt(1, call("c1", returned=2)))).to_json()
    assert entry["tool"] == "charge_card" and entry["callId"] == "c1"
    assert entry["executions"] == {"min": 1, "max": 1}
    assert entry["attempts"] == [1] and entry["certainty"] == "observed"
    assert {"runId", "stepId"} <= set(entry)


#: retention-0 is purged: nothing is left to compare its ledger with.
WITH_LEDGER = [n for n in names("local") if n not in ("long-session", "big-payload", "retention-0")]


@pytest.mark.parametrize("name", WITH_LEDGER)
def test_every_recorded_effect_count_lies_in_the_range(name):
    """The ledgers of the recordings are the truth; pay-with-key counts payments, not requests."""
    from eve_replay.journal import open_journal
    from eve_replay.journal.ledger.join import join
    from eve_replay.journal.ledger.model import Ledger

    path = scenario(name) / "ledger.ndjson"
    with open_journal(str(data(name))) as journal:
        found = [e for s in journal.sessions for e in effects_of(s)]
    joined = join(found, Ledger.load(path))
    assert not joined.unmatched
    for count in joined.counts:
        if count.count is not None:
            low, high = count.effect.executions.min, count.effect.executions.max
            assert low <= count.count <= high, (count.effect.tool, count.count, low, high)


@pytest.mark.parametrize("turn", ["T1", "T2", "T3"])
def test_ranges_hold_at_every_point_of_the_sweep(turn):
    """After recovery the ledger's count of every effect lies in the range, however the process died."""
    from eve_replay.journal import open_journal
    from eve_replay.journal.ledger.join import join
    from eve_replay.journal.ledger.model import Ledger

    wrong, number = [], 0
    for folder in sorted(scenario(f"sweep/{turn}").glob("*/after")):
        with open_journal(str(folder)) as journal:
            found = [e for s in journal.sessions for e in effects_of(s)]
        joined = join(found, Ledger.load(folder.parent / "ledger.ndjson"))
        for count in joined.counts:
            if count.count is not None:
                number += 1
                low, high = count.effect.executions.min, count.effect.executions.max
                if not low <= count.count <= high:
                    wrong.append((folder.parent.name, count.effect.tool, count.count, low, high))
        if joined.unmatched:
            wrong.append((folder.parent.name, joined.unmatched))
    assert not wrong
    assert number > 50

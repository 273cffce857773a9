"""Situations as they lie: what is open, what waits, what is lost, what is an old left-over."""

import pytest

from eve_replay.recovery.forecast import forecast
from eve_replay.recovery.observe import observe
from tests.support import corpus
from tests.support.recovery import crash_journal, rows, scenario


def lying(turn, point):
    return observe(crash_journal(turn, point).session(crash_journal(turn, point).heads[0].id))


@pytest.mark.parametrize("turn", ["T1", "T2", "T3"])
def test_starts_and_ends_are_those_of_the_recorder(turn):
    for point, row in rows(turn).items():
        if "failed" in row or row.get("no_session"):
            continue
        found = lying(turn, point)
        truth = row["crash"]["attempts"]
        counted = {}
        names = {s.step_id: s.function for s in found.steps}
        for step in found.steps:
            counted.setdefault(names[step.step_id], []).append(step.starts)
        for label, fact in truth.items():
            function = label.split(" ")[1].partition("#")[0]
            if function in counted and fact["end"] is None:
                assert fact["started"] in counted[function], (point, label)


def test_a_created_lock_alone_is_the_turns_step_unless_nothing_beside_it_was_created():
    step = next(s for s in lying("T1", "before-048").steps if s.code == "C1a")
    assert step.role == "turn"
    assert next(s for s in lying("T1", "after-084").steps if s.code == "C1a").role == "turn"


def test_a_message_on_its_way():
    found = lying("T2", "before-080")
    assert found.message_lost and not found.open_turn


def test_a_childs_word_on_its_way_is_not_a_lost_message():
    assert not lying("T3", "before-182").message_lost


def test_an_old_left_over_is_not_a_lost_message():
    # The client sent it again: the log has gone on past the slot that the left-over file names.
    found = lying("T2", "before-142")
    assert not found.message_lost


def test_parked_for_a_person():
    found = lying("T2", "before-120")
    assert [p.kind for p in found.parked] == ["approval"]
    assert not found.open_turn
    effect = next(e for e in found.effects if e.tool == "restart_service")
    assert effect.gate == "approval"


def test_an_answer_in_the_log_opens_the_turn():
    found = lying("T2", "before-124")
    assert found.open_turn
    assert next(e for e in found.effects if e.tool == "restart_service").gate is None


def test_children_of_the_turn_are_awaited_and_timeouts_are_not():
    found = lying("T3", "before-160")
    awaited = {run.role: run.awaited for run in found.runs}
    assert awaited == {"session": True, "tool": True, "timeout": False}


@pytest.mark.parametrize(
    "name", ["simple-turn", "crash-in-tool", "cancelled-turn", "model-error", "steering"]
)
def test_what_is_finished_is_not_open(name):
    from eve_replay.journal.facade import Journal
    from eve_replay.worlds.registry import open_world

    journal = Journal(open_world(str(corpus.data(name))))
    assert {f.answer.outcome for f in forecast(journal)} == {"nothing-open"}


def test_a_plain_run_is_open_until_it_ends():
    assert observe(scenario("sdk5-crash").session()).open_turn
    assert not observe(scenario("sdk4-crash").session()).open_turn

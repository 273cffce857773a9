"""Crash points: every gap, in plain words, with what had happened outside."""

import pytest

from eve_replay.recovery.points import CLASSES, crash_points, point_at
from tests.support.recovery import TURNS, turn_plan


@pytest.mark.parametrize("turn", TURNS)
def test_every_gap_has_a_class_an_address_and_words(turn):
    plan = turn_plan(turn)
    points = list(crash_points(plan))
    assert [p.position for p in points] == list(range(plan.first, min(plan.last, len(plan.writes)) + 1))
    for point in points:
        assert point.klass in CLASSES
        assert point.label and point.sentence.endswith(".")
        assert point.address or point.position == 0
        assert len(point.happened) + len(point.possible) + len(point.not_yet) == len(plan.effects)


def test_the_classes_of_an_ordinary_step_come_in_order():
    found = []
    for point in crash_points(turn_plan("T1")):
        if not found or found[-1] != point.klass:
            found.append(point.klass)
    story = " ".join(found)
    assert "in-model model-answered in-tool tools-returned step-ending committed step-creating" in story
    assert found[0] == "no-session" and found[-1] == "after-turn"


def test_siblings_that_have_returned_are_named():
    labels = {p.label for p in crash_points(turn_plan("T1"))}
    assert "inside charge_card (send_email has returned)" in labels


def test_a_workflow_tool_has_its_own_places():
    klasses = {p.klass for p in crash_points(turn_plan("T3"))}
    assert {
        "dispatching",
        "sleeping",
        "sleep-creating",
        "sleep-ending",
        "between-steps",
        "handover",
        "in-tool",
    } <= klasses


def test_an_approval_parks_the_turn():
    parked = [p for p in crash_points(turn_plan("T2")) if p.klass == "parked"]
    assert parked and parked[0].label == "parked: approval"


def test_moments_can_be_left_out():
    plan = turn_plan("T1")
    every, writes = list(crash_points(plan)), list(crash_points(plan, moments=False))
    moments = {p.position for p in every} - {p.position for p in writes}
    assert moments and all(not plan.writes.items[m - 1].durable for m in moments)


def test_effects_are_sorted_by_what_had_happened():
    plan = turn_plan("T1")
    last = point_at(plan, len(plan.writes))
    assert len(last.happened) == 3 and not last.possible and not last.not_yet
    first = point_at(plan, 0)
    assert len(first.not_yet) == 3
    json = last.to_json()
    assert json["class"] == "after-turn" and json["happened"] == list(last.happened)

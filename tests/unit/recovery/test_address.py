"""Addresses: every form that --after, --before and --at take, and what is said of a wrong one."""

import functools
from datetime import timedelta

import pytest

from eve_replay.errors import NotFound, WrongUse
from eve_replay.recovery.address import place_at, place_of
from tests.support.recovery import baseline, turn_plan


@functools.cache
def the_plan():
    return turn_plan("T1")


@functools.cache
def the_items():
    return the_plan().writes.items


@functools.cache
def the_step():
    return next(s for s in the_plan().runs[0].steps if s.function == "turnStep")


def code(place):
    return next(s for s in the_plan().situation(place).root.steps if s.step_id == the_step().step_id).code


@pytest.mark.parametrize(
    ("side", "text", "expected"),
    [
        ("before", "lock:{}:created", "unborn"),
        ("after", "lock:{}:created", "C1a"),
        ("before", "record:{}:pending", "C1a"),
        ("after", "record:{}:pending", "C1b"),
        ("after", "record:{}:running", "C3"),
        ("before", "lock:{}:terminal", "D"),
        ("after", "lock:{}:terminal", "F1"),
        ("before", "record:{}:completed", "F1"),
        ("after", "record:{}:completed", "F2"),
    ],
)
def test_the_writes_of_a_step(side, text, expected):
    assert code(place_of(the_plan(), text.format(the_step().step_id), side)) == expected


@pytest.mark.parametrize(
    ("kind", "before", "after"),
    [("step_created", "C1b", "B"), ("step_started", "C3", "D"), ("step_completed", "F2", "done")],
)
def test_the_events_of_a_step(kind, before, after):
    event = next(w for w in the_items() if w.words == f"event {kind} of turnStep")
    assert code(place_of(the_plan(), event.address, "before")) == before
    assert code(place_of(the_plan(), event.address, "after")) == after


def test_slots_repeat_between_runs():
    child = next(r for r in the_plan().runs if r.role == "timeout")
    own = place_of(the_plan(), f"evnt_{1:026d}", "after")
    other = place_of(the_plan(), f"evnt_{1:026d}", "after", run=child.run_id)
    assert the_items()[own - 1].run == the_plan().runs[0].run_id
    assert the_items()[other - 1].run == child.run_id
    assert place_of(the_plan(), f"{child.run_id}/evnt_{1:026d}", "after") == other


def test_files_of_the_data_folder():
    run = the_plan().runs[0].run_id
    lock = f"file:.locks/steps/{run}-{the_step().step_id}.terminal"
    assert code(place_of(the_plan(), lock, "after")) == "F1"
    rewritten = f"file:steps/{run}/{run}-{the_step().step_id}.json"
    assert [code(place_of(the_plan(), f"{rewritten}#{n}", "after")) for n in (1, 2, 3)] == ["C1b", "C3", "F2"]
    event = f"file:events/{run}/{run}-evnt_{1:026d}.json"
    assert the_items()[place_of(the_plan(), event, "before")].key[0] == "run-created"
    chunk = next(w for w in the_items() if w.kind == "chunk")
    assert (
        place_of(the_plan(), f"file:streams/chunks/strm_x_user/{chunk.address}.bin", "after")
        == the_items().index(chunk) + 1
    )
    with pytest.raises(WrongUse, match="not a file"):
        place_of(the_plan(), "file:nonsense", "after")


def test_record_files_are_called_after_run_and_id():
    text = f"record:{the_plan().runs[0].run_id}-{the_step().step_id}:completed"
    assert code(place_of(the_plan(), text, "after")) == "F2"


def test_classes():
    assert code(place_of(the_plan(), "in-model", "after")) in ("D", "unborn")
    first, second = (
        place_of(the_plan(), "tools-returned", "after"),
        place_of(the_plan(), "tools-returned:2", "after"),
    )
    assert first < second
    assert "charge_card" in _label(place_of(the_plan(), "in-tool:charge_card", "after"))
    with pytest.raises(NotFound, match="no crash point"):
        place_of(the_plan(), "handoff", "after")


def _label(place):
    from eve_replay.recovery.points import point_at

    return point_at(the_plan(), place).label


def test_times():
    some = the_items()[70]
    place = place_at(the_plan(), some.at)
    assert all(w.time <= some.time + 0.001 for w in the_items()[:place])
    with pytest.raises(WrongUse, match="outside the turn"):
        place_at(the_plan(), some.at + timedelta(days=1))


@pytest.mark.parametrize(
    "text", ["evnt_nothing", "chnk_nothing", "record:step_x:completed", "lock:x:y", "what"]
)
def test_unknown_names_say_what_is_there(text):
    with pytest.raises(NotFound) as caught:
        place_of(the_plan(), text, "after")
    assert caught.value.hint


def test_shortened_ids():
    chunk = next(w for w in the_items() if w.kind == "chunk")
    place = the_items().index(chunk) + 1
    assert place_of(the_plan(), chunk.address[-6:], "after") == place
    assert place_of(the_plan(), f"chnk_…{chunk.address[-6:]}", "after") == place
    with pytest.raises(NotFound):
        place_of(the_plan(), "00", "after")


def test_a_malformed_record_address():
    with pytest.raises(WrongUse, match="not understood"):
        place_of(the_plan(), "record:step_x", "after")


def test_worlds_without_small_writes_have_their_records_with_the_events():
    from eve_replay.recovery.plan.build import session_plans

    coarse = session_plans(baseline("T1").session, fine=False).plan("turn_0")
    place = place_of(coarse, f"record:{the_step().step_id}:completed", "after")
    assert coarse.writes.items[place - 1].key == ("end", the_step().step_id)
    assert not any(w.kind == "lock" for w in coarse.writes.items)

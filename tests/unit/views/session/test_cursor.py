"""Moving through a session with the words of the key table."""

import pytest

from eve_replay.errors import NotFound, WrongUse
from eve_replay.views.kit.keys import KEYS
from eve_replay.views.session.cursor import Cursor
from tests.support.corpus import names
from tests.support.runlog import RunLog
from tests.unit.views._sessions import explorer, journal

SMALL = [name for name in names("local") if name not in ("long-session", "big-payload")]
NAME = "crash-before-commit"


def walk(cursor, start, action):
    out = [start]
    while (there := cursor.move(out[-1], action)) != out[-1]:
        out.append(there)
    return out


def test_every_moment_is_visited_once_forwards_and_backwards():
    cursor = explorer(NAME).cursor
    forwards = walk(cursor, cursor.first(), "next-event")
    assert [p.index for p in forwards] == list(range(len(cursor)))
    backwards = walk(cursor, cursor.last(), "previous-event")
    assert [p.index for p in backwards] == list(reversed(range(len(cursor))))


def test_every_move_of_the_key_table_is_known():
    moving = {"next-event", "previous-event", "next-step", "previous-step", "into", "out", "next-attempt"}
    moving |= {"next-effect", "previous-crash-point", "next-crash-point"}
    cursor = explorer(NAME).cursor
    assert moving <= {key.action for key in KEYS}
    assert moving <= set(cursor.actions)
    with pytest.raises(WrongUse, match="'why' does not move"):
        cursor.move(cursor.first(), "why")


def test_next_effect_goes_from_charge_to_charge():
    cursor = explorer(NAME).cursor
    found = walk(cursor, cursor.first(), "next-effect")[1:]
    assert [p.label for p in found] == ["charge_card requested", "send_email requested"] * 2
    assert {p.kind for p in found} == {"call"}
    assert [p.attempt[-1] for p in found] == ["1", "1", "2", "2"]
    assert cursor.move(found[-1], "previous-effect") == found[-2]


def test_next_attempt_selects_the_attempt():
    cursor = explorer(NAME).cursor
    found = walk(cursor, cursor.first(), "next-attempt")[1:]
    assert [p.label for p in found] == [
        "attempt 1 of createSessionStep started",
        "attempt 1 of startSessionTimeoutStep started",
        "attempt 1 of turnStep started",
        "attempt 2 of turnStep started",
        "attempt 1 of turnStep started",
    ]
    assert {p.kind for p in found} == {"attempt"}


def test_steps_can_be_walked_both_ways():
    cursor = explorer(NAME).cursor
    steps = [p.focus for p in walk(cursor, cursor.first(), "next-step")[1:]]
    assert len(steps) == 4
    back = [p.focus for p in walk(cursor, cursor.last(), "previous-step")[1:]]
    assert back[::-1] == steps


def test_into_goes_down_to_the_moment_and_out_back_up():
    cursor = explorer(NAME).cursor
    turn = cursor.go(None, "turn_0")
    assert turn.kind == "turn"
    kinds = [p.kind for p in walk(cursor, turn, "into")]
    assert kinds == ["turn", "step", "attempt", "call", "chunk"] or kinds[:3] == ["turn", "step", "attempt"]
    call = cursor.move(cursor.first(), "next-effect")
    kinds = [p.kind for p in walk(cursor, call, "out")]
    assert kinds == ["call", "attempt", "step", "turn", "session"]
    assert cursor.move(cursor.move(call, "into"), "out").focus == call.focus


def test_ids_are_found_whole_or_by_their_end():
    view = explorer(NAME)
    cursor = view.cursor
    step = view.session.turns[0].turn_steps[0]
    assert cursor.go(None, step.step_id).kind == "step"
    assert cursor.go(None, step.step_id[-5:].lower()).focus.endswith(step.step_id)
    assert cursor.go(None, "mock-tool-call-1-0-2").kind == "call"
    chunk = step.attempts[1].stream_events[0].chunk_id
    assert cursor.go(None, chunk).id == chunk
    assert cursor.go(None, "evnt_00000000000000000000000014").label == "attempt 2 of turnStep started"
    here = cursor.first()
    assert cursor.go(here, here.focus) == here
    with pytest.raises(NotFound, match="Nothing in this session has the id 'zzzz'"):
        cursor.go(None, "zzzz")
    with pytest.raises(NotFound):
        cursor.go(None, "  ")


def test_event_ids_repeat_between_runs_and_the_own_run_comes_first():
    cursor = explorer(NAME).cursor
    other = next(
        i for i, s in enumerate(cursor.stops) if s.key.startswith("event:") and s.path[1].startswith("run:")
    )
    here = cursor.at(other)
    there = cursor.go(here, "evnt_00000000000000000000000001")
    assert there.event.split("/")[0] == here.event.split("/")[0]


def test_crash_points_are_stops():
    view = explorer(NAME)
    ids = [stop.id for stop in view.cursor.stops if stop.type in ("step_started", "step_completed")]
    cursor = Cursor(view.session, view.marks, points=ids)
    assert [p.id for p in walk(cursor, cursor.first(), "next-crash-point")[1:]] == ids
    assert cursor.move(cursor.last(), "previous-crash-point").id == ids[-2]
    cursor.set_points([])
    assert cursor.move(cursor.first(), "next-crash-point") == cursor.first()


def test_a_session_without_events_says_so():
    session = RunLog().run("wrun_01AAAAAAAAAAAAAAAAAAAAAAAA").journal().session()
    cursor = Cursor(session)
    assert len(cursor) == 0
    with pytest.raises(NotFound, match="no events"):
        cursor.first()


@pytest.mark.parametrize("name", SMALL)
def test_log_order_is_kept_and_stream_events_stay_in_their_attempt(name):
    for number in range(len(journal(name).heads)):
        view = explorer(name, number)
        stops = view.cursor.stops
        place = {stop.id if stop.source == "stream" else stop.key: n for n, stop in enumerate(stops)}
        assert len(place) == len(stops)
        for run in view.session.all_runs:
            order = [place[f"event:{run.run_id}/{event.event_id}"] for event in run.events]
            assert order == sorted(order)
            for step in run.steps:
                for attempt in step.attempts:
                    if attempt.started_event is None:
                        continue
                    start = place[f"event:{run.run_id}/{attempt.started_event.event_id}"]
                    assert all(place[e.chunk_id] > start for e in attempt.stream_events)
                    if attempt.end_event is not None:
                        end = place[f"event:{run.run_id}/{attempt.end_event.event_id}"]
                        assert all(place[e.chunk_id] < end for e in attempt.stream_events)
        assert len([s for s in stops if s.source == "stream"]) == len(view.session.stream_events)
        for stop in stops:
            assert stop.path[-1] == stop.key
            assert stop.label.isprintable()
            assert view.inspector.title(stop.key)

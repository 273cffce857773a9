"""The timeline: phases, lanes, commits, and a scale that a person can read."""

import itertools

import pytest

from tests.support.corpus import names
from tests.unit.views._sessions import explorer, journal

SMALL = [name for name in names("local") if name not in ("long-session", "big-payload")]


def row_of(name, number=0):
    view = explorer(name).turn_timeline("turn_0")
    return view.rows[number]


def test_a_crashed_step_is_one_bar_with_its_phases():
    row = row_of("crash-before-commit")
    assert [(bar.phase, bar.open) for bar in row.bars if bar.lane == 0] == [
        ("attempt", True),
        ("dead", False),
        ("attempt", False),
    ]
    assert [mark.kind for mark in row.marks] == ["start", "start", "commit"]
    assert row.marks[-1].tone == "committed"
    assert row.detail == "completed continue"


def test_overlapping_calls_lie_in_lanes_of_their_own():
    row = row_of("crash-before-commit")
    calls = [bar for bar in row.bars if bar.phase in ("model", "tool")]
    assert {bar.tone for bar in calls if bar.phase == "tool"} == {
        "harm",
        "again",
    }  # the charge, the mail behind its key
    for one, two in itertools.combinations(calls, 2):
        if one.lane == two.lane:
            assert one.end <= two.start or two.end <= one.start
    assert row.lanes == 1 + max(bar.lane for bar in row.bars)


def test_a_wait_for_a_person_is_a_parked_phase_and_is_squeezed():
    view = explorer("approval-hold").turn_timeline("turn_0")
    parked = [bar for row in view.rows for bar in row.bars if bar.phase == "parked"]
    assert [bar.label for bar in parked] == ["parked: approval"]
    ((start, end),) = view.quiet
    assert end - start > 7000
    assert view.place(end) - view.place(start) == pytest.approx(1 / 16, abs=0.01)
    assert view.place(end, squeezed=False) - view.place(start, squeezed=False) > 0.8


def test_a_recorded_error_waits_for_its_retry():
    bars = [bar for row in explorer("attempts-exhausted-throw-then-kill").timeline.rows for bar in row.bars]
    assert {"retry-wait", "dead"} <= {bar.phase for bar in bars}


@pytest.mark.parametrize("name", SMALL)
def test_everything_lies_within_the_axis_and_places_rise(name):
    for number in range(len(journal(name).heads)):
        view = explorer(name, number).timeline
        for row in view.rows:
            assert all(0 <= bar.start <= bar.end <= view.length for bar in row.bars)
            assert all(0 <= mark.at <= view.length for mark in row.marks)
        if view.origin is None:
            continue
        places = [view.place(view.length * n / 50) for n in range(51)]
        assert places == sorted(places)
        assert places[0] == 0
        assert places[-1] == pytest.approx(1)
        labels = [tick.label for tick in view.ticks()]
        assert len(set(labels)) == len(labels)
        assert sum(bucket.count > 0 for bucket in view.minimap.buckets) > 0


def test_an_unknown_turn_has_an_empty_timeline():
    view = explorer("simple-turn").turn_timeline("turn_99")
    assert (view.rows, view.length, view.origin) == ((), 0.0, None)
    assert view.place(5) == 0.0
    assert view.place(5, squeezed=False) == 0.0

"""The frames: fixed columns, fixed types, the numbers of the recordings."""

import json
from importlib.util import find_spec

import pytest

from eve_replay import frames
from eve_replay.errors import WrongUse
from eve_replay.frames.tables import FRAMES, columns_of, frame_rows
from tests.support.corpus import scenario
from tests.unit.views._sessions import explorer, journal

pytestmark = pytest.mark.skipif(find_spec("pandas") is None, reason="pandas is not installed")
MAKERS = {name: getattr(frames, name) for name in FRAMES}


@pytest.mark.parametrize("name", FRAMES)
def test_columns_and_dtypes_are_fixed_even_without_rows(name):
    full, empty = MAKERS[name](journal("crash-in-tool")), MAKERS[name]([])
    assert list(full.columns) == list(FRAMES[name]) == list(empty.columns)
    assert (full.dtypes == empty.dtypes).all()
    assert len(full) > 0
    for column, dtype in FRAMES[name].items():
        assert str(full[column].dtype).startswith(dtype.removesuffix("[python]"))


@pytest.mark.parametrize("name", FRAMES)
def test_every_column_is_documented(name):
    assert MAKERS[name].__doc__
    assert columns_of(name) is FRAMES[name]


def test_numbers_are_those_of_the_recording():
    facts = json.loads((scenario("crash-in-tool") / "facts.json").read_text())
    attempts = frames.attempts(journal("crash-in-tool"))
    told = {s["stepId"]: s["attempts"] for s in facts["steps"]}
    assert attempts.groupby("step_id").size().to_dict() == told
    again = attempts[(attempts.attempt == 1) & attempts.dead_seconds.notna()]
    assert again.dead_seconds.iloc[0] == pytest.approx(5.5, abs=0.3)
    effects = frames.effects(journal("crash-in-tool")).set_index("tool")
    assert effects.loc["charge_card", ["executions_min", "executions_max"]].tolist() == [1, 2]
    assert effects.loc["send_email", "ran_twice"]


def test_times_are_utc_and_durations_seconds():
    steps = frames.steps(explorer("simple-turn").session)
    assert str(steps.started_at.dt.tz) == "UTC"
    gap = (steps.ended_at - steps.started_at).dt.total_seconds()
    assert (gap.round(3) == steps.seconds.round(3)).all()


def test_a_policy_changes_the_classes_and_one_session_can_be_taken():
    session = explorer("crash-in-tool").session
    frame = frames.effects(session, {"charge_card": "keyed:coordinates"}).set_index("tool")
    assert frame.loc["charge_card", "protection"] == "keyed"
    assert frame.loc["charge_card", "outside_max"] == 1


def test_events_keep_the_order_of_the_log_and_say_how_far_times_run_back():
    events = frames.events(journal("crash-in-tool"))
    for _, group in events.groupby("run_id"):
        assert group.slot.is_monotonic_increasing
    assert (events.back_seconds > 0).any()


def test_lone_surrogates_do_not_break_a_frame():
    rows = list(frame_rows("tool_calls", explorer("crash-in-tool").session))
    rows[0]["tool"] = "\ud800"
    import pandas as pd

    frame = pd.DataFrame({"tool": pd.Series([r["tool"] for r in rows], dtype=FRAMES["tool_calls"]["tool"])})
    assert frame.tool.iloc[0] == "\ud800"


def test_unknown_names_are_wrong_use():
    with pytest.raises(WrongUse, match="There is no frame 'x'"):
        list(frame_rows("x", []))

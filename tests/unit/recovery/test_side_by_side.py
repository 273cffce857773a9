"""One turn under two sets of rules."""

import pytest

from eve_replay.errors import WrongUse
from eve_replay.notebook import side_by_side as shown
from eve_replay.recovery.side_by_side import side_by_side
from eve_replay.views.crashlab.side import side_cell, side_lines, side_table
from tests.support.flue import fixtures, journal


def _session(name):
    return journal(fixtures()[name]["final"]).session()


def _inside(found, tool):
    point = next(p for p in found.points if p.point.klass == "in-tool" and tool in p.point.label)
    return {answer.runtime: answer for answer in point.answers}


def test_an_ordinary_call_is_repeated_by_eve_and_left_unknown_by_flue():
    answers = _inside(side_by_side(_session("b1_crash_ordinary_tool")), "charge_card")
    assert answers["eve"].maybe == ("charge_card",)
    assert answers["flue"].unknown == ("charge_card",)
    assert not answers["flue"].maybe


def test_a_durable_call_is_resumed_by_flue_and_its_window_may_repeat():
    found = side_by_side(_session("d_step_window"))
    answers = _inside(found, "provision_workspace (recorded: create-tenant)")
    assert answers["flue"].resumes == ("provision_workspace",)
    assert answers["flue"].maybe == ("seed:alpha",)
    assert "provision_workspace" in answers["eve"].repeats
    assert found.totals("flue")["repeats"] == 0 < found.totals("eve")["repeats"]


def test_an_eve_turn_is_asked_under_flue_too():
    found = side_by_side("sample:crash-in-tool", runtimes=["eve", "flue"])
    assert found.framework == "eve"
    assert any(answer.unknown for p in found.points for answer in p.answers if answer.runtime == "flue")


def test_the_table_and_the_notebook_say_the_same():
    found = side_by_side(_session("b1_crash_ordinary_tool"))
    texts = [cell if isinstance(cell, str) else cell.text for row in side_table(found).rows for cell in row]
    assert "charge_card unknown" in texts
    assert all(name in " ".join(side_lines(found)) for name in ("eve", "flue"))
    page = shown(_session("b1_crash_ordinary_tool"))
    assert "charge_card unknown" in page._repr_html_()
    assert "charge_card unknown" in repr(page)
    assert side_cell(found.points[-1].answers[0])[0] == "nothing open"


def test_a_runtime_named_twice_is_a_mistake():
    with pytest.raises(WrongUse, match="named twice"):
        side_by_side(_session("b1_crash_ordinary_tool"), runtimes=["flue", "flue"])

import json

from eve_replay.views.diffs.steps import run_diff_lines, run_diff_view, step_diff_lines, step_diff_view
from eve_replay.views.kit.safe import display_width
from eve_replay.views.kit.text import plain
from tests.unit.views._sessions import explorer, journal, turn_step


def test_two_steps_of_one_turn():
    view = step_diff_view(turn_step("simple-turn"), turn_step("simple-turn", 1))
    facts = {fact.name: fact for fact in view.facts}
    assert facts["function"].verdict == "same"
    assert facts["coordinates"].verdict == "changed"
    assert not view.input.same
    lines = plain(step_diff_lines(view)).split("\n")
    assert all(display_width(each) <= 80 for each in lines)
    json.dumps(view.to_json())


def test_a_run_is_the_same_as_itself():
    run = explorer("simple-turn").session.runs[0]
    view = run_diff_view(run, run)
    assert all(fact.verdict == "same" for fact in view.facts)
    assert {row.verdict for row in view.steps} == {"same"}
    assert {verdict for verdict, _ in view.events} == {"same"}
    assert view.attributes.same


def test_runs_of_two_recordings():
    one = explorer("crash-in-tool").session.runs[0]
    two = explorer("crash-before-commit").session.runs[0]
    view = run_diff_view(one, two)
    assert [row.function for row in view.steps][:2] == ["createSessionStep", "startSessionTimeoutStep"]
    assert all(row.first and row.second for row in view.steps)
    lines = plain(run_diff_lines(view)).split("\n")
    assert all(display_width(each) <= 80 for each in lines)
    json.dumps(view.to_json())


def test_versions_that_differ_are_named():  # docs/evidence/reports.md#t38: step ids of two eve versions
    old = journal("stranded")
    run = old.session(old.heads[0].id).runs[0]
    view = run_diff_view(run, explorer("simple-turn").session.runs[0])
    facts = {fact.name: fact for fact in view.facts}
    assert (facts["eve version"].before, facts["eve version"].after) == ("0.79.0", "0.80.1")
    changed = [row for row in view.steps if row.function == "turnStep" and row.first and row.second]
    assert "version" in changed[0].what

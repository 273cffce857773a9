"""Attempt against attempt, on recordings whose ledger says what really happened."""

import json

import pytest

from eve_replay.errors import NotFound
from eve_replay.views.diffs.attempts import attempt_diff_view
from eve_replay.views.kit.safe import display_width
from eve_replay.views.kit.text import plain
from eve_replay.views.session.listing import attempt_diff_lines
from tests.support.corpus import scenario
from tests.unit.views._sessions import explorer, turn_step


def view_of(name, first=1, second=2, number=0):
    return attempt_diff_view(turn_step(name, number), first, second, effects=explorer(name).effects)


def test_the_second_charge_id_is_found():
    facts = json.loads((scenario("crash-before-commit") / "facts.json").read_text())
    step = next(s for s in facts["steps"] if s.get("attempts") == 2)
    ids = [e["chargeId"] for a in step["byAttempt"] for e in a["effects"] if e["effect"] == "charge"]
    view = view_of("crash-before-commit")
    charge = view.repeats[0]
    assert (charge.tool, charge.word, charge.proven, charge.same_result) == (
        "charge_card",
        "ran twice",
        True,
        False,
    )
    assert ids[0] in charge.first
    assert ids[1] in charge.second
    pair = next(call for call in view.calls if call.name == "charge_card")
    assert (pair.request, pair.result) == ("same", "changed")
    changed = [row for row in pair.result_diff.rows if row.kind == "changed" and not row.children]
    assert [(row.label, row.before, row.after) for row in changed] == [
        ("chargeId", f'"{ids[0]}"', f'"{ids[1]}"')
    ]


def test_what_is_the_same_by_rule_and_what_is_always_new():
    facts = {fact.name: fact for fact in view_of("crash-before-commit").facts}
    assert {name: facts[name].verdict for name in ("coordinates", "input", "messages", "tokens")} == {
        "coordinates": "same",
        "input": "same",
        "messages": "same",
        "tokens": "same",
    }
    assert facts["input"].certainty == "implied"
    assert facts["event ids"].verdict == "changed"
    assert facts["event ids"].expected
    assert facts["started"].expected
    assert (facts["outcome"].before, facts["outcome"].after) == ("interrupted", "completed")


def test_an_effect_without_a_result_may_have_run():
    view = view_of("crash-in-tool")
    by_tool = {row.tool: row for row in view.repeats}
    assert by_tool["send_email"].proven
    assert not by_tool["charge_card"].proven
    assert by_tool["charge_card"].same_result is None
    assert view.summary == (
        "send_email ran in both attempts; charge_card may have run in both; the model answered the same."
    )


def test_an_attempt_that_died_in_the_model_repeats_nothing_known():
    view = view_of("crash-in-model")
    assert view.repeats == ()
    assert view.summary.startswith("no effect is known to have run in both attempts")
    calls = [(call.request, call.result) for call in view.calls]
    assert set(calls) == {("only second", "only second")}
    coordinates = next(fact for fact in view.facts if fact.name == "coordinates")
    assert coordinates.verdict == "same"


def test_several_model_steps_in_one_workflow_step():
    view = view_of("batch-crash")
    assert len(view.models) == 4
    assert [m.text for m in view.models][:2] == ["same", "same"]
    assert view.models[-1].text in ("only second", "unknown")


def test_unknown_attempts_say_which_there_are():
    with pytest.raises(NotFound, match=r"has no attempt 7\. Its attempts: 1, 2"):
        view_of("crash-in-tool", 1, 7)


def test_text_puts_duplicates_on_top_and_fits():
    for width in (60, 80, 120):
        lines = plain(attempt_diff_lines(view_of("crash-before-commit"), width=width)).split("\n")
        assert all(display_width(each) <= width for each in lines)
    assert lines[0] == "turnStep  attempt 1, interrupted  against  attempt 2, completed"
    assert any(each.startswith("‖ charge_card ran twice") for each in lines[:5])
    every = attempt_diff_lines(view_of("crash-before-commit"), every=True)
    assert len(every) > len(lines)


def test_the_view_is_json():
    json.dumps(view_of("batch-crash").to_json())


def test_a_ledger_settles_what_two_attempts_leave_open():
    import eve_replay as er
    from eve_replay.views.session.explorer import Explorer

    session = er.open_journal("sample:crash-in-tool").session()
    key = f"step:{session.repeated[0].run_id}/{session.repeated[0].step_id}"
    lines = er.samples.ledger("crash-in-tool")
    once = [line for line in lines if line["effect"] != "charge"] + [lines[0]]

    def charge(ledger):
        shown = Explorer(session, None, ledger).inspector.diff(key)
        return next(each for each in shown.repeats if each.tool == "charge_card")

    assert charge(None).word == "may have run twice"
    assert charge(lines).word == "ran twice" and "the ledger has it twice" in charge(lines).sentence
    assert charge(once).word == "ran once" and not charge(once).harmful

from eve_replay.views.kit.safe import display_width
from eve_replay.views.kit.table import table_lines
from eve_replay.views.kit.text import plain
from eve_replay.views.session.effect_marks import EffectMarks
from eve_replay.views.session.listing import attempts_lines, places, step_head, tree_lines, turns_table
from tests.unit.views._sessions import explorer, turn_step


def test_headings_name_the_model_steps():
    assert places(turn_step("batch-crash")) == "turn 0, model steps 0-3"
    assert places(turn_step("simple-turn")) == "turn 0, model step 0"
    assert places(explorer("sdk5-crash").session.steps[0]) == ""
    assert "turnStep  completed (continue)" in plain([step_head(turn_step("crash-in-tool"))])


def test_everything_fits_any_width():
    view = explorer("crash-in-tool")
    for width in (40, 60, 80, 140):
        lines = tree_lines(view.tree.rows, None, width=width)
        lines += attempts_lines(turn_step("crash-in-tool"), view.marks, None, width=width)
        lines.append(step_head(turn_step("batch-crash"), width=width))
        shown = plain(lines).split("\n")
        assert all(display_width(each) <= max(width, 72) for each in shown)


def test_a_plain_workflow_has_no_turns_and_says_so():
    table = turns_table(explorer("sdk5-crash").session, EffectMarks(), None)
    assert "has no turns" in plain(table_lines(table))

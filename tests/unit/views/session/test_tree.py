"""The tree: every part once, in order, with the badges that matter."""

import pytest

from eve_replay.views.session.tree import took
from tests.support.corpus import names
from tests.unit.views._sessions import explorer, journal

SMALL = [name for name in names("local") if name not in ("long-session", "big-payload")]


def labels(name, depth=9):
    return [
        ("  " * row.depth + row.label, row.status) for row in explorer(name).tree.rows if row.depth <= depth
    ]


def test_a_crashed_turn_shows_both_attempts_and_what_ran_twice():
    rows = explorer("crash-before-commit").tree.rows
    turn = next(row for row in rows if row.kind == "turn")
    below = explorer("crash-before-commit").tree.below(turn.key)
    assert [(row.label, row.status) for row in below[:9]] == [
        ("turn 0", "completed"),
        ("step 1 turnStep", "completed"),
        ("attempt 1", "interrupted"),
        ("model step 0", "completed"),
        ("charge_card", "returned"),
        ("send_email", "returned"),
        ("attempt 2", "completed"),
        ("model step 0", "completed"),
        ("charge_card", "returned"),
    ]
    step = below[1]
    assert [badge.text for badge in step.badges] == ["2 attempts", "ran twice"]
    assert [badge.tone for badge in step.badges] == ["again", "harm"]
    assert [badge.text for badge in below[7].badges] == ["paid again"]
    assert [badge.text for badge in turn.badges] == ["1 effect twice"]


def test_a_held_approval_is_a_park_and_the_call_is_held():
    rows = {row.label: row for row in explorer("approval-hold").tree.rows}
    assert rows["approval"].status == "released"
    held = [row.status for row in explorer("approval-hold").tree.rows if row.label == "restart_service"]
    assert held == ["held", "returned"]


def test_a_plain_workflow_has_steps_right_below_it():
    assert labels("sdk5-crash", 1)[0][0] == "workflow"
    assert all(
        row.kind in ("workflow", "session", "step")
        for row in explorer("sdk5-crash").tree.rows
        if row.depth < 2
    )


def test_subagents_hang_below_the_session_that_started_them():
    there = journal("subagent")
    parent = next(head for head in there.heads if head.subagents)
    from eve_replay.views.session.explorer import Explorer

    rows = Explorer(there.session(parent.id)).tree.rows
    assert [row.key for row in rows if row.label == "subagent"] == [f"session:{s}" for s in parent.subagents]


@pytest.mark.parametrize("name", SMALL)
def test_keys_are_unique_and_the_tree_is_well_formed(name):
    for number in range(len(journal(name).heads)):
        tree = explorer(name, number).tree
        keys = [row.key for row in tree.rows]
        assert len(set(keys)) == len(keys)
        parents = {row.key: row for row in tree.rows}
        for row in tree.rows[1:]:
            assert parents[row.parent].depth == row.depth - 1
        counted = {row.key: 0 for row in tree.rows}
        for row in tree.rows[1:]:
            counted[row.parent] += 1
        assert counted == {row.key: row.children for row in tree.rows}
        assert set(tree.opened) <= set(keys)
        for row in tree.rows:
            assert row.label.isprintable()
            assert row.detail == "" or row.detail.isprintable()


def test_folding_hides_what_is_below():
    tree = explorer("crash-before-commit").tree
    assert [row.kind for row in tree.visible(())] == ["session"]
    root = tree.rows[0].key
    assert {row.depth for row in tree.visible({root})} == {0, 1}
    assert tree.visible([row.key for row in tree.rows]) == tree.rows
    deepest = max(tree.rows, key=lambda row: row.depth)
    assert len(tree.ancestors(deepest.key)) == deepest.depth
    assert deepest in tree.visible(tree.ancestors(deepest.key))
    assert tree.ancestors("call:nothing") == ()
    assert tree.below("call:nothing") == ()


def test_durations_are_said_as_a_person_says_them():
    rows = {row.label: row for row in explorer("crash-before-commit").tree.rows}
    assert took(rows["turn 0"]) == "5.2 s"
    assert took(rows["beside the turns"]) == ""

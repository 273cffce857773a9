"""The crash lab: points in order, answers as plain data, choices that can all be chosen."""

import json

import pytest

from eve_replay.codec import payload
from eve_replay.errors import WrongUse
from eve_replay.views.crashlab.crash import CrashLab, Question
from tests.support.corpus import names
from tests.unit.views._sessions import explorer, journal

SMALL = [name for name in names("local") if name not in ("long-session", "big-payload")]
NAME = "simple-turn"


def lab(name=NAME, turn="turn_0", **options):
    return CrashLab(explorer(name).session, turn, **options)


def returned(found):
    """Return the first point at which charge_card has returned and its step is not committed."""
    return next(
        p.index
        for p in found.points
        if p.klass == "tools-returned" and any(each.startswith("charge_card") for each in p.happened)
    )


def test_points_are_numbered_and_say_what_had_happened():
    points = lab().points
    assert [p.index for p in points] == list(range(len(points)))
    assert {"in-model", "tools-returned", "committed", "after-turn"} <= {p.klass for p in points}
    assert points[returned(lab())].happened
    before = next(p for p in points if p.klass == "in-model")
    assert before.happened == ()


def test_a_crash_before_the_commit_repeats_the_charge_and_a_strategy_prevents_it():
    found = lab()
    point = returned(found)
    view = found.view(point, Question(strategies={"*": "none"}))
    charge = next(row for row in view.effects if row.tool == "charge_card")
    assert (charge.runs, charge.outside, charge.harmful) == ("2", "2", True)
    assert (view.outcome_words, view.outcome_tone, view.tone) == ("recovers by itself", "ok", "harm")
    assert view.twice.sure and charge.twice_sure
    assert "in words" not in view.paid
    assert view.model_calls_again == 1
    kept = found.view(point, Question(strategies={"*": "coordinates"}))
    charge = next(row for row in kept.effects if row.tool == "charge_card")
    assert (charge.runs, charge.outside, charge.harmful) == ("2", "1", False)
    assert not kept.twice
    minted = found.view(point, Question(strategies={"*": "call-id"}, model="new-ids"))
    assert next(row for row in minted.effects if row.tool == "charge_card").outside == "2"


def test_every_choice_can_be_taken_at_every_tenth_point():
    found = lab()
    choices = found.choices
    assert "charge_card" in choices.tools
    for index in range(0, len(found), 10):
        for runtime in choices.runtimes:
            json.dumps(found.view(index, Question(runtime=runtime.name)).to_json())
        for environment in choices.environments:
            assert found.view(index, Question(environment=environment.name)).sentence
        for model in choices.models:
            for strategy in choices.strategies:
                found.view(index, Question(model=model.name, strategies={"charge_card": strategy.name}))


def test_wrong_points_and_assumptions_are_said():
    found = lab()
    with pytest.raises(WrongUse, match="There is no crash point 9999"):
        found.view(9999)
    with pytest.raises(WrongUse, match="There is no model assumption"):
        found.view(0, Question(model="psychic"))


def test_a_point_is_found_by_event_chunk_or_class():
    found = lab()
    point = next(p for p in found.points if p.key.startswith("event:"))
    assert found.index_of(point.address) == point.index or found.points[
        found.index_of(point.address)
    ].address == (point.address)
    assert found.points[found.index_of("tools-returned")].klass == "tools-returned"
    assert found.index_of("") is None
    assert found.index_of("evnt_nothing") is None


def test_the_matrix_has_a_row_per_point_and_a_column_per_effect():
    found = lab()
    matrix = found.matrix(Question(strategies={"*": "none"}))
    assert len(matrix.rows) == len(found)
    assert [column.kind for column in matrix.columns][:2] == ["outcome", "model"]
    assert all(len(row.cells) == len(matrix.columns) for row in matrix.rows)
    assert len(matrix.classes()) < len(matrix.rows)
    assert any(total.name == "charge_card twice or more" for total in matrix.totals)
    assert any(cell.tone == "harm" for row in matrix.rows for cell in row.cells)
    after = matrix.rows[-1]
    assert after.point.klass == "after-turn"
    assert not after.harmful
    json.dumps(matrix.to_json())
    saved = found.matrix(Question(strategies={"*": "claim"}))
    assert not any(total.name.startswith("charge_card twice") for total in saved.totals)


def test_a_plain_workflow_has_points_without_turns():
    found = CrashLab(explorer("sdk5-crash").session)
    assert found.turn_id is None
    assert len(found) > 5
    assert found.matrix().rows


@pytest.mark.parametrize("name", SMALL)
def test_every_turn_of_every_recording_has_a_lab(name):
    for number in range(len(journal(name).heads)):
        session = explorer(name, number).session
        for turn in [turn.id for turn in session.turns] or [None]:
            found = CrashLab(session, turn)
            matrix = found.matrix()
            assert len(matrix.rows) == len(found)
            if len(found):
                json.dumps(found.view(len(found) // 2).to_json())


def test_stepping_through_the_lab_decodes_nothing(monkeypatch):
    """The reason it is quick; how quick: tests/benchmarks/test_views.py."""
    found = lab()
    found.view(0)
    opened = []
    monkeypatch.setattr(payload, "open_envelope", lambda *args, **_: opened.append(args))
    for index in range(len(found)):
        found.view(index)
    assert opened == []


@pytest.mark.parametrize(
    ("name", "points", "harmful"),
    [
        ("simple-turn", 56, 0),
        ("pay-with-key", 100, 0),
        ("crash-after-commit", 109, 16),
        ("crash-in-tool", 106, 60),
    ],
)
def test_a_point_has_the_tone_of_what_a_crash_there_does(name, points, harmful):
    """Not of what had happened by then: a commit makes it safe, and the map has to teach that."""
    found = lab(name, None)
    tones = found.tones()
    assert len(tones) == points
    rows = [any(row.harmful for row in found.view(n).effects) for n in range(points)]
    assert [tone == "harm" for tone in tones] == rows
    assert sum(rows) == harmful
    assert tones == tuple(found.view(n).tone for n in range(points))
    matrix = found.matrix()
    assert [row.harmful for row in matrix.rows] == rows


def test_the_next_different_point_asks_something_new_and_comes_round():
    found = lab()
    answers = [
        (view.outcome, [(e.tool, e.outside, e.missed) for e in view.effects])
        for view in (found.view(i) for i in range(len(found)))
    ]
    at, seen = 0, [0]
    for _ in range(200):
        after = found.next_different(at)
        assert answers[after] != answers[at]
        between = range(at + 1, after if after > at else len(found))
        assert all(answers[i] == answers[at] for i in between)
        at = after
        seen.append(at)
    assert len(set(seen)) < len(found) / 2 and max(seen.count(i) for i in seen) > 1
    safe = Question(strategies={"*": "business-id"})
    assert found.next_different(0, safe) is not None  # outcomes still differ
    with pytest.raises(WrongUse):
        found.next_different(len(found))

"""The matrix, its totals, and comparisons."""

import functools

from eve_replay.codec import payload
from eve_replay.journal.facade import Journal
from eve_replay.recovery.matrix import compare_batches, compare_strategies, matrix_of
from eve_replay.recovery.plan.batching import regroup
from eve_replay.recovery.plan.build import session_plans
from eve_replay.recovery.question import Question
from eve_replay.worlds.registry import open_world
from tests.support import corpus
from tests.support.recovery import turn_plan


@functools.cache
def the_plan():
    return turn_plan("T1")


def test_every_point_once_and_shares_add_up():
    found = matrix_of(the_plan())
    assert len(found.points) == len(the_plan().writes) + 1
    assert abs(sum(found.weights) - 1) < 1e-9
    assert sum(found.totals.outcomes.values()) == len(found.points)


def test_the_worst_point_repeats_without_end():
    totals = matrix_of(the_plan()).totals
    assert totals.worst is None
    assert totals.worst_bounded == 2
    assert 0 < totals.unbounded_share < 0.05
    assert 0 < totals.expected < 2


def test_a_matrix_equals_its_simulations():
    from eve_replay.recovery.engine import simulate

    found = matrix_of(the_plan())
    for sim in found.points[::7]:
        assert simulate(the_plan(), sim.point.position) == sim


def test_strategies_side_by_side():
    rows = {row.name: row.totals for row in compare_strategies(the_plan())}
    assert rows["none"].outside_worst is None
    assert rows["business-id"].outside_worst == 0
    assert rows["run-id"].missed == 1
    assert rows["claim"].missed > 0
    assert rows["call-id"].outside_worst == 0
    minted = {row.name: row.totals for row in compare_strategies(the_plan(), Question(model="new-ids"))}
    assert minted["call-id"].outside_worst is None


def test_larger_batches_repeat_more():
    rows = compare_batches(the_plan(), sizes=(1, 2, 4))
    worst = [row.totals.worst_bounded for row in rows]
    assert worst == sorted(worst) and worst[0] < worst[-1]
    assert [row.totals.tokens_again for row in rows] == sorted(row.totals.tokens_again for row in rows)


def test_an_approval_ends_a_step_whatever_the_batch():
    plan = turn_plan("T2")
    grouped = regroup(plan, 8)
    functions = [s.function for s in grouped.runs[0].steps if s.role == "turn"]
    assert len(functions) == 2 < len([s for s in plan.runs[0].steps if s.role == "turn"])


def test_as_json():
    document = matrix_of(the_plan()).to_json()
    assert "steps" not in document["points"][0]
    assert document["totals"]["points"] == len(document["points"])
    assert compare_batches(the_plan(), sizes=(1,))[0].to_json()["name"] == "1"


def test_the_matrix_of_a_long_session_decodes_nothing_again(monkeypatch):
    """Joining reads what is needed, once. How long the rest takes: tests/benchmarks/test_matrix.py."""
    session = Journal(open_world(str(corpus.data("long-session")))).session()
    assert len(session.turns) == 120
    opened = []
    real = payload.open_envelope
    monkeypatch.setattr(
        payload, "open_envelope", lambda *args, **kw: opened.append(args) or real(*args, **kw)
    )
    plans = session_plans(session)
    question = Question()
    for turn in session.turns:
        matrix_of(plans.plan(turn.id), question)
    assert opened == []

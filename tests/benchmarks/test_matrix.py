"""How long the recovery engine takes. Agreed: 20 ms for a three-step turn, 2 s for all of a long session.

That nothing is read or decoded for it is counted in ``tests/unit/recovery/test_matrix.py``.
"""

from __future__ import annotations

from eve_replay.journal.facade import Journal
from eve_replay.recovery.matrix import matrix_of
from eve_replay.recovery.plan.build import session_plans
from eve_replay.recovery.question import Question
from eve_replay.worlds.registry import open_world
from tests.support import corpus
from tests.support.recovery import turn_plan


def test_the_matrix_of_a_three_step_turn(benchmark):
    plan = turn_plan("T2")
    question = Question()
    assert benchmark(lambda: matrix_of(plan, question)).points


def test_all_turns_of_the_long_session(benchmark):
    session = Journal(open_world(str(corpus.data("long-session")))).session()

    def everything():
        plans = session_plans(session)
        question = Question()
        return [matrix_of(plans.plan(turn.id), question) for turn in session.turns]

    assert len(benchmark.pedantic(everything, rounds=2)) == 120

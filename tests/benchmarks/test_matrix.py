"""Budgets of the recovery engine, in processor time: nothing is read or decoded twice."""

from __future__ import annotations

import time

from eve_replay.codec import payload as payload_module
from eve_replay.journal.facade import Journal
from eve_replay.recovery.build_plan import session_plans
from eve_replay.recovery.engine import Question
from eve_replay.recovery.matrix import matrix_of
from eve_replay.worlds.registry import open_world
from tests.support import corpus
from tests.support.recovery import turn_plan

#: Processor seconds; wall time says little on a shared machine.
THREE_STEP_TURN = 0.020
LONG_SESSION = 2.0


def test_the_matrix_of_a_three_step_turn():
    plan = turn_plan("T2")
    question = Question()
    best = min(_spent(lambda: matrix_of(plan, question)) for _ in range(5))
    assert best < THREE_STEP_TURN


def test_all_turns_of_the_long_session(monkeypatch):
    journal = Journal(open_world(str(corpus.data("long-session"))))
    session = journal.session()
    assert len(session.turns) == 120
    opened = []
    original = payload_module.open_envelope
    monkeypatch.setattr(
        payload_module, "open_envelope", lambda *a, **k: opened.append(a) or original(*a, **k)
    )

    def everything():
        plans = session_plans(session)
        question = Question()
        for turn in session.turns:
            matrix_of(plans.plan(turn.id), question)

    assert _spent(everything) < LONG_SESSION
    assert opened == []


def _spent(work) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start

"""Which calls are the same call: the cases that the rule in identity.py names."""

from __future__ import annotations

from eve_replay.journal.effects.build import Effect, effects_of
from eve_replay.journal.model import Step
from tests.support.synthetic import attempt, call, model_run, session, stream_event, turn_step


def effects(*steps: Step) -> tuple[Effect, ...]:
    return effects_of(session(model_run(*steps)))


def counts(*steps: Step) -> list[tuple[str, int, int | None]]:
    return [(e.tool, e.executions.min, e.executions.max) for e in effects(*steps)]


def rerun(first: tuple, second: tuple) -> Step:
    return turn_step(
        attempt(1, *first, outcome="interrupted"),
        attempt(2, *second, start=10, stream_events=(stream_event("step.completed", seconds=19),)),
    )


def test_the_same_id_with_another_input_is_another_act_and_the_first_is_displaced() -> None:
    step = rerun(
        (call("functions.pay:0", "pay", input={"order": "a"}, returned=2),),
        (call("functions.pay:0", "pay", attempt=2, input={"order": "b"}, returned=12),),
    )
    first, second = effects(step)
    assert [(e.executions.min, e.executions.max) for e in (first, second)] == [(1, 1), (1, 1)]
    assert (first.displaced, first.instead) == (True, ("pay",))
    assert (second.displaced, second.instead) == (False, ())


def test_the_same_id_of_another_tool_is_another_call() -> None:
    step = rerun(
        (call("call_0", "create_order", input={}, returned=2),),
        (call("call_0", "notify", attempt=2, input={}, returned=12),),
    )
    assert counts(step) == [("create_order", 1, 1), ("notify", 1, 1)]


def test_the_same_id_in_another_model_step_is_another_call() -> None:
    step = turn_step(
        attempt(
            1,
            call("call_0", "pay", input={"order": "a"}, returned=2),
            call("call_0", "pay", index=1, input={"order": "a"}, returned=3),
        )
    )
    assert counts(step) == [("pay", 1, 1), ("pay", 1, 1)]


def test_minted_ids_in_another_order_are_the_same_calls() -> None:
    step = rerun(
        (
            call("a1", "pay", input={"o": 1}, returned=2),
            call("a2", "pay", position=1, input={"o": 2}, returned=2),
        ),
        (
            call("b1", "pay", attempt=2, input={"o": 2}, returned=12),
            call("b2", "pay", attempt=2, position=1, input={"o": 1}, returned=12),
        ),
    )
    assert [(e.input, e.executions.min, e.call_ids) for e in effects(step)] == [
        ({"o": 1}, 2, ("a1", "b2")),
        ({"o": 2}, 2, ("a2", "b1")),
    ]


def test_what_only_the_lost_attempt_asked_is_the_same_when_the_turn_asks_for_it_later() -> None:
    """The conversation never heard of the first payment: the second one is the same intent, paid again."""
    lost = attempt(
        1,
        call("a", "ship", input={}, returned=1),
        call("b", "pay", position=1, input={"o": 1}, returned=2),
        outcome="interrupted",
    )
    kept = attempt(2, call("a", "ship", attempt=2, input={}, returned=12), start=10)
    later = attempt(
        1,
        call("a", "pay", step_id="step_B", index=1, input={"o": 1}, returned=22),
        start=20,
        step_id="step_B",
    )
    assert counts(turn_step(lost, kept), turn_step(later, step_id="step_B")) == [
        ("ship", 2, 2),
        ("pay", 2, 2),
    ]


def test_the_same_request_twice_in_the_surviving_line_is_two_calls() -> None:
    one = attempt(1, call("a", "pay", input={"o": 1}, returned=2))
    two = attempt(
        1,
        call("a", "pay", step_id="step_B", index=1, input={"o": 1}, returned=22),
        start=20,
        step_id="step_B",
    )
    assert counts(turn_step(one), turn_step(two, step_id="step_B")) == [("pay", 1, 1), ("pay", 1, 1)]

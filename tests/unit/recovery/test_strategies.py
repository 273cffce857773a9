"""Idempotency strategies: what the outside sees, and what is missed."""

import pytest

from eve_replay.errors import WrongUse
from eve_replay.journal.effects.executions import Executions
from eve_replay.journal.effects.policy import Protection
from eve_replay.recovery.strategies import STRATEGIES, Seen, strategy, strategy_for


def span(low, high):
    return Executions(min=low, max=high)


def seen(before, after, *, again=True, model="same", first=True):
    return Seen(before=span(*before), after=span(*after), again=again, model=model, first_in_run=first)


def outside(name, found):
    acts, missed = STRATEGIES[name].apply(found)
    return (acts.min, acts.max), (missed.min, missed.max)


INSIDE = ((0, 1), (1, 1))
RETURNED = ((1, 1), (1, 1))
ENDLESS = ((1, 1), (1, None))


@pytest.mark.parametrize(
    ("name", "model", "crash", "acts", "missed"),
    [
        ("none", "same", RETURNED, (2, 2), (0, 0)),
        ("none", "same", ENDLESS, (2, None), (0, 0)),
        ("call-id", "same", RETURNED, (1, 1), (0, 0)),  # pay-with-key: 1 payment
        ("call-id", "new-ids", RETURNED, (2, 2), (0, 0)),  # pay-with-key-minted-ids: 2 payments
        ("call-id", "new-ids", INSIDE, (1, 2), (0, 0)),
        ("coordinates", "new-ids", RETURNED, (1, 1), (0, 0)),
        ("coordinates", "other", RETURNED, (1, 2), (0, 1)),
        ("coordinates", "other", INSIDE, (0, 2), (0, 1)),
        ("business-id", "other", RETURNED, (1, 1), (0, 0)),
        ("business-id", "same", ENDLESS, (1, 1), (0, 0)),
        ("claim", "same", INSIDE, (0, 1), (0, 1)),
        ("claim", "same", RETURNED, (1, 1), (0, 0)),
        ("check-then-act", "same", INSIDE, (1, 2), (0, 0)),  # pay-check-then-act: 2 payments
        ("check-then-act", "same", RETURNED, (1, 1), (0, 0)),
        ("approval", "same", RETURNED, (2, 2), (0, 0)),
        ("outbox", "same", ENDLESS, (1, 1), (0, 0)),
        ("read-only", "same", RETURNED, (2, 2), (0, 0)),
    ],
)
def test_what_the_outside_sees(name, model, crash, acts, missed):
    assert outside(name, seen(*crash, model=model)) == (acts, missed)


def test_a_run_id_merges_what_was_meant_to_be_two():
    assert outside("run-id", seen((1, 1), (0, 0), first=True)) == ((1, 1), (0, 0))
    assert outside("run-id", seen((1, 1), (0, 0), first=False)) == ((0, 0), (1, 1))


def test_without_a_rerun_new_ids_change_nothing():
    assert outside("call-id", seen((0, 0), (1, 1), again=False, model="new-ids")) == ((1, 1), (0, 0))


@pytest.mark.parametrize(
    ("protection", "name"),
    [
        (Protection(klass="keyed", by="call-id"), "call-id"),
        (Protection(klass="keyed", by="session-id"), "run-id"),
        (Protection(klass="keyed", by="random"), "none"),
        (Protection(klass="claimed"), "claim"),
        (Protection(klass="approval-gated"), "approval"),
        (Protection(klass="read-only"), "read-only"),
        (Protection(klass="unknown"), "none"),
        (None, "none"),
    ],
)
def test_the_strategy_of_a_policy(protection, name):
    assert strategy_for(protection).name == name


def test_names():
    assert strategy("SET NX").name == "claim"
    assert strategy("call_id").name == "call-id"
    with pytest.raises(WrongUse, match="no strategy"):
        strategy("hope")


@pytest.mark.parametrize("ask", ["simulate", "matrix"])
def test_a_strategy_for_a_tool_that_is_not_called_is_refused_not_ignored(ask):
    import eve_replay as er
    from eve_replay.recovery import Question

    question = Question(strategies={"charge": "business-id"})
    with pytest.raises(WrongUse, match=r"'charge', which this turn does not call") as error:
        if ask == "simulate":
            er.simulate("sample:crash-in-tool", "in-tool", question=question)
        else:
            er.matrix("sample:crash-in-tool", question=question)
    assert "charge_card" in error.value.hint and "send_email" in error.value.hint

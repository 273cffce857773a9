"""A simulation says that it is one, how sure it is, and where its rules were seen."""

from dataclasses import replace

import pytest

from eve_replay.workshop import Ask, Case, Fault, Turn, check, run
from eve_replay.workshop.explain.basis import basis

CASE = Case(
    name="one",
    turns=(Turn(message="pay", answers=((Ask(tool="pay", input={"order": "o1"}),),)),),
    seed=3,
)


def pay(input, ctx, outside):
    outside.payments.charge(input["order"], 100, key=ctx.call_id)
    return {"status": "paid"}


def told(case, *faults, language="en"):
    return basis(run({"pay": pay}, case, faults), language)


def test_a_recovery_is_implied_by_rules_that_name_where_they_were_seen():
    words = told(CASE, Fault(1, "crash-after"))
    assert (
        words.startswith("Implied")
        and "docs/evidence/sweep.md#d" in words
        and "docs/evidence/observed.md#lease" in words
    )
    assert told(CASE, Fault(1, "crash-after"), language="zh").startswith("推断")


def test_nothing_is_claimed_of_a_recovery_that_was_not_needed():
    assert told(CASE) == "Implied: this is a simulation. Nothing was recovered in it."


@pytest.mark.parametrize(
    ("environment", "word", "source"),
    [
        ("eve-dev", "Implied", "docs/evidence/environments.md#eve-dev"),
        ("eve-dev-resume-pruned", "Unknown", "not recorded"),
    ],
)
def test_an_environment_that_nobody_recorded_is_unknown(environment, word, source):
    words = told(replace(CASE, environment=environment), Fault(1, "crash-after"))
    assert words.startswith(word) and source in words


def test_other_runtimes_name_other_sources():
    words = told(replace(CASE, runtime="flue", environment="flue"), Fault(1, "crash-after"))
    assert "docs/evidence/flue.md" in words and "docs/evidence/sweep.md" not in words


@pytest.mark.parametrize(("key", "passed"), [("x", False), (None, True)])
def test_a_verdict_says_it_too(key, passed):
    def send_mail(input, ctx, outside):
        outside.mail.send(input["to"], input["subject"], key=key or input["subject"] + input["to"])
        return {"status": "sent"}

    verdict = check("01", send_mail, seeds=(0,))
    assert verdict.passed is passed and verdict.basis.startswith("Implied")
    assert verdict.basis in str(verdict) and verdict.to_json()["basis"] == verdict.basis

"""Lessons 5 to 8: predictions say what the recordings say, Flue's table agrees with the product's runtime."""

import pytest

from eve_replay.workshop.lesson import task
from eve_replay.workshop.model import Fault
from eve_replay.workshop.tasks import _flue

LESSONS = ("05", "06", "07", "08")
PREDICTIONS = [(number, name) for number in LESSONS for name in task(number).predictions]

#: What the recordings show, read off by hand once (docs/evidence/observed.md, sweep.md,
#: docs/evidence/flue.md).
ANSWERS = {
    "second-look": (1, {"found": 0, "payments": 2}),
    "pending": (2, {"before": 0, "after": 1, "word": "pending"}),
    "while-parked": (1, {"restarts": 1, "between": 0, "steps": 2, "attempts": 1}),
    "after-approval": (1, {"times": 2}),
    "replay": (0, {"times": 1, "applied": 1}),
    "bigger-step": (1, {"first": 2, "mails": 2, "held": 4, "models": 3}),
    "budget": (2, {"starts": 9, "charges": 9, "status": "running"}),
    "lease": (1, {"gap": "20.1"}),
    "forgotten": (1, {"soon": 1, "late": 2, "version": "0.79.0", "refused": 409}),
    "same-crash": (1, {"eve": 1, "flue": 0, "mail": 0, "ledger": 2}),
    "unknown": (2, {"least": 0, "most": 1}),
    "memo": (1, {"between": 1, "inside": 2}),
}


@pytest.mark.parametrize(("number", "name"), PREDICTIONS)
def test_a_prediction_is_computed_and_right(number, name):
    prediction = task(number).predictions[name]
    choice, facts = ANSWERS[name]
    assert prediction.answer is not None and prediction.answer() == choice
    assert prediction.facts is not None
    found = prediction.facts()
    assert {key: found[key] for key in facts} == facts
    for text in (prediction.reveal.en, prediction.reveal.zh):
        assert "{" not in text.format(**found)


@pytest.mark.parametrize("number", ("05", "06", "07"))
def test_cases_of_another_seed_ask_for_other_things_in_the_same_shape(number):
    cases = task(number).cases
    assert cases is not None
    shown, hidden = cases(0), cases(12345)
    assert [case.name for case in shown] == [case.name for case in hidden]
    for one, other in zip(shown, hidden, strict=True):
        assert one.words is not None
        assert [deed.match for deed in one.deeds] != [deed.match for deed in other.deeds] or not one.deeds
        assert len({str(deed.match) for deed in one.deeds}) == len(one.deeds)


@pytest.mark.parametrize("seed", (0, 1, 2, 99))
def test_the_table_and_the_policy_say_the_same_of_every_call(seed):
    rows = set()
    for call in _flue.calls(seed):
        row = _flue.row_of(call)
        rows.add(row.name)
        assert row.fixtures
        assert _flue.fate_by_runtime(call) == (row.fate if row.in_runtime else None)
    # d and c look the same in the journal: only ledgers tell them apart (docs/evidence/flue.md#unknown)
    assert rows == {row.name for row in _flue.ROWS} - {"durable-in-a-step"}


def test_the_judge_takes_whatever_a_function_does():
    judge = task("08").judge
    assert judge is not None
    for answer, code in (
        (lambda call: 1 / 0, "threw"),
        (lambda: "kept", "threw"),
        (lambda call: ["kept"], "flue-word"),
        (lambda call: {"a": float("nan")}, "flue-word"),
        (lambda call: call.clear(), "flue-word"),
    ):
        said = judge(answer, 0, "en")
        assert said.code == code
        assert said.words is not None and "charge_card" in str(said.story)


def test_the_stage_of_lesson_8_takes_each_runtime_with_its_own_lease():
    """The stage replaces the runtime of a case; Flue goes on after its 30 s, eve after 860 s."""
    from dataclasses import replace

    from eve_replay.workshop.engine.runtime import run
    from eve_replay.workshop.tasks.lesson_08 import RUNTIMES

    def charge(input, ctx, outside):
        return {"status": "charged", "id": outside.payments.charge(input["order"], input["cents"])["id"]}

    assert RUNTIMES.cases is not None
    case = RUNTIMES.cases(0)[0]
    quiet = run({"charge": charge}, case)
    last = [each.number for each in quiet.trace if each.kind == "call"][-1]
    seen = {}
    for runtime in ("eve", "flue", "none"):
        outcome = run({"charge": charge}, replace(case, runtime=runtime), (Fault(last, "crash-after"),))
        again = max(moment.seconds for moment in outcome.trace)
        seen[runtime] = ([outcome.count(deed) for deed in case.deeds], 800 < again < 900, 30 < again < 60)
    assert seen == {
        "eve": ([2, 2], True, False),
        "flue": ([1, 1], False, True),
        "none": ([2, 2], False, False),
    }

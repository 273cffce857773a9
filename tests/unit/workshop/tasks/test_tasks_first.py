"""What lessons 1 to 4 are made of: crash points, pairs of calls, cases; and answers nobody thought of."""

import pytest

from eve_replay import samples
from eve_replay.journal import open_journal
from eve_replay.recovery import Question, crash_points, plan_of, simulate
from eve_replay.workshop.engine.runtime import run
from eve_replay.workshop.grading.check import check
from eve_replay.workshop.lesson import task
from eve_replay.workshop.promises import each_deed_once
from eve_replay.workshop.tasks._crashes import places
from eve_replay.workshop.tasks._deeds import calls, made, pairs_across, pairs_of
from eve_replay.workshop.tasks._names import Names
from eve_replay.workshop.tasks.lesson_02 import shown
from eve_replay.workshop.tasks.lesson_03 import shortened

RECORDINGS = (
    "simple-turn",
    "crash-in-tool",
    "crash-before-commit",
    "crash-after-commit",
    "pay-again-on-purpose",
)


# -- lesson 2 ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", RECORDINGS)
def test_what_lies_at_a_crash_point_decides_what_comes_of_it(name):
    """Else the exercise would have no right answer: equal entries, equal charges, over all points."""
    known = {}
    for place in places(name):
        entries = dict(place.where)
        assert known.setdefault((place.turn, place.where), place.charges) == place.charges
        again = 0 if entries["committed"] else 1
        assert place.charges == (entries["returned"] + again, entries["started"] + again)
        assert entries["committed"] in (0, 1) and entries["returned"] <= entries["started"]


def test_the_places_are_those_of_the_simulator():
    session = open_journal("sample:crash-before-commit").sessions[-1]
    plan = plan_of(session, "turn_0")
    points = {point.position: point for point in crash_points(plan)}
    for place in places("crash-before-commit"):
        answer = simulate(plan, points[place.position], question=Question(strategies={"*": "none"}))
        outside = next(each.outside for each in answer.effects if each.tool == "charge_card")
        assert (outside.min, outside.max) == place.charges


def test_the_table_of_lesson_2_does_not_give_the_answer():
    rows = shown()
    assert len(rows) > 10 and all(set(row) > {"started", "returned", "stream", "committed"} for row in rows)
    assert not any("charges" in row for row in rows)


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (lambda where: None, "not-a-pair"),
        (lambda where: (1, 2, 3), "not-a-pair"),
        (lambda where: (True, False), "not-a-pair"),
        (lambda where: ("1", "2"), "not-a-pair"),
        (lambda where: where["nothing"], "threw"),
        (lambda where: 1 / 0, "threw"),
        (lambda: (1, 1), "parameters"),
        (3, "not-a-function"),
        (None, "not-a-function"),
    ],
)
def test_odd_answers_to_lesson_2(answer, code):
    verdict = check("02", answer)
    assert not verdict.passed and verdict.code == code and verdict.next


def test_an_answer_that_changes_what_it_is_given_changes_nothing():
    def answer(where):
        again = 0 if where.pop("committed") else 1
        return where.pop("returned") + again, where.pop("started") + again

    assert check("02", answer).passed


# -- lesson 3 ---------------------------------------------------------------------------------------------


def test_pairs_are_of_real_calls_and_both_kinds_are_there():
    pairs = [
        pair
        for name in ("crash-in-tool", "pay-minted-ids", "pay-again-on-purpose")
        for pair in pairs_of(name)
    ]
    assert {pair.same for pair in pairs} == {True, False}
    again = [pair for pair in pairs if pair.same]
    assert any(pair.first["callId"] != pair.second["callId"] for pair in again)
    assert any(pair.first["callId"] == pair.second["callId"] for pair in again)
    for pair in again:
        assert pair.first["attempt"] != pair.second["attempt"]
        assert pair.first["eventId"] != pair.second["eventId"]
    # The same words in two turns: two wishes, and both were paid.
    assert any(not p.same and p.first["input"] == p.second["input"] and p.code == "other-turn" for p in pairs)
    assert len(samples.ledger("pay-again-on-purpose")) == 3


def test_two_conversations_have_the_same_places():
    pairs = pairs_across("pay-with-key", "pay-minted-ids")
    assert pairs and not any(pair.same for pair in pairs)
    assert any(pair.first["input"] == pair.second["input"] for pair in pairs)


def test_made_pairs_say_so():
    for pair in made("pay-minted-ids"):
        assert not pair.same and pair.words.en.startswith("made from") and "改成" in pair.words.zh


def test_calls_are_copies():
    first = calls("crash-in-tool")
    first[0]["tool"] = "other"
    assert calls("crash-in-tool")[0]["tool"] == "charge_card"


def test_ids_in_the_table_differ_where_the_ids_differ():
    found = calls("pay-again-on-purpose")
    for name in ("callId", "eventId", "session", "deliveryIds"):
        whole = [str(call[name]) for call in found]
        short = [str(call[name]) for call in shortened(found)]
        assert [whole.index(each) for each in whole] == [short.index(each) for each in short]


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (lambda a, b: None, "not-a-bool"),
        (lambda a, b: 1, "not-a-bool"),
        (lambda a, b: a["nothing"], "threw"),
        (lambda a: True, "parameters"),
        (True, "not-a-function"),
        (lambda a, b: True, "other-place"),
        (lambda a, b: False, "ids-change"),
        (lambda a, b: a["attempt"] != b["attempt"], "other-place"),
    ],
)
def test_odd_answers_to_lesson_3(answer, code):
    verdict = check("03", answer)
    assert not verdict.passed and verdict.code == code and verdict.next


def test_the_message_is_as_good_as_the_turn():
    names = ("session", "deliveryIds", "stepIndex", "position", "tool")
    assert check("03", lambda a, b: all(a[name] == b[name] for name in names)).passed


# -- lessons 1 and 4 --------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", ["01", "04"])
def test_other_seeds_are_other_cases_of_the_same_kind(number):
    cases = task(number).cases
    assert cases(0) == cases(0) and cases(7) == cases(7)
    seen = {repr(case.deeds) for seed in (0, 7, 8, 9) for case in cases(seed)}
    assert len(seen) > 3 * len(cases(0))
    assert [case.name for case in cases(0)] == [case.name for case in cases(7)]
    for case in cases(0):
        assert case.words is not None and case.deeds
        assert len({repr(deed) for deed in case.deeds}) == len(case.deeds)


@pytest.mark.parametrize("number", ["01", "04"])
def test_without_a_crash_the_handed_out_tool_is_in_order(number):
    def send_mail(input, ctx, outside):
        outside.mail.send(input["to"], input["subject"])

    def pay(input, ctx, outside):
        key = ctx.call_id
        outside.payments.charge(input["order"], input["cents"], key=key, invoice=input["invoice"])

    exercise = task(number)
    tools = {**exercise.others, exercise.answer: {"send_mail": send_mail, "pay": pay}[exercise.answer]}
    for case in exercise.cases(3):
        assert each_deed_once()(run(tools, case)) is None


@pytest.mark.parametrize(
    "key",
    [
        lambda input, ctx: f"{ctx.session_id} {input['invoice']}",
        lambda input, ctx: f"{ctx.turn_id} {input['invoice']}",
        lambda input, ctx: f"{input['order']}/{input['invoice']}/{input['cents']}",
    ],
)
def test_any_key_that_names_the_payment_is_right(key):
    def pay(input, ctx, outside):
        outside.payments.charge(input["order"], input["cents"], key=key(input, ctx), invoice=input["invoice"])

    assert check("04", pay).passed


def test_names_do_not_come_twice():
    for seed in (0, 1, 2):
        names = Names(seed)
        drawn = [names.order() for _ in range(5)] + [names.invoice() for _ in range(5)]
        people = [names.person() for _ in range(5)]
        assert len({each.split("_")[-1].split("-")[-1] for each in drawn}) == 10 and len(set(people)) == 5
        assert names.cents() >= 500

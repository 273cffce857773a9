"""The story of an outcome, in both languages."""

from __future__ import annotations

import re
import string

import pytest

from eve_replay.workshop.engine.runtime import run
from eve_replay.workshop.engine.workflow import run_workflow
from eve_replay.workshop.explain.diagnose import DIAGNOSES, Diagnosis, diagnose
from eve_replay.workshop.explain.story import next_hint, story, why
from eve_replay.workshop.explain.words import EFFECTS, NEXT, SERVICES, TOLD, WHY, fill, quote, spell
from eve_replay.workshop.model import Ask, Case, Deed, Fault, Text, Turn
from eve_replay.workshop.outside.refusals import REFUSALS
from eve_replay.workshop.promises import each_deed_once

PAID = Deed(effect="charge", match={"invoice": "INV-7"}, words="invoice INV-7")
CASE = Case(
    name="pay",
    model="new-ids",
    turns=(
        Turn(
            message="pay",
            answers=((Ask(tool="pay", input={"invoice": "INV-7", "cents": 4200}, deeds=(PAID,)),),),
        ),
    ),
)


def by_call_id(input, ctx, outside):
    paid = outside.payments.charge(
        input["invoice"], input["cents"], key=ctx.call_id, invoice=input["invoice"]
    )
    return {"status": "charged", "id": paid["id"]}


def test_the_story_of_two_keys():
    outcome = run({"pay": by_call_id}, CASE, (Fault(1, "crash-after"),))
    first, second = (entry.call_id for entry in outcome.ledger)
    assert story(outcome) == (
        'Process 1 runs step 1: the model asks for pay(invoice="INV-7", cents=4200).',
        f"It sends charge(INV-7, 4200) with key '{first}'. The provider charges: ch_1.",
        "Process 1 dies before the answer arrives. Nothing of the step is committed.",
        "14 min 16 s later, when the lease of the dead process has run out, process 2 runs step 1 again"
        f" from the start: the model is asked again and gives the call the new id {second}.",
        f"It sends charge(INV-7, 4200) with key '{second}'."
        " The provider does not know this key and charges: ch_2.",
        "Invoice INV-7 was charged twice: ch_1 and ch_2.",
    )
    assert story(outcome, "zh") == (
        '进程 1 执行第 1 步：模型要求调用 pay(invoice="INV-7", cents=4200)。',
        f"它发送 charge(INV-7, 4200)，键是“{first}”。支付服务扣款：ch_1。",
        "进程 1 在收到回答之前死了。这一步什么也没有提交。",
        "14 分钟 16 秒后，前一个进程的租约到期，进程 2 从头重新执行第 1 步："
        f"再问模型，它给这次调用换了新的 id：{second}。",
        f"它发送 charge(INV-7, 4200)，键是“{second}”。支付服务不认识这个键，于是扣款：ch_2。",
        "“账单 INV-7”被扣款两次：ch_1 和 ch_2。",
    )
    found = diagnose(outcome, each_deed_once()(outcome))
    assert why(found) == (
        f"The two charges carried different keys, '{first}' and '{second}', because the model was asked"
        " again and gave the call a new id."
    )
    assert "因为再问模型时，它给这次调用换了新的 id" in why(found, "zh")
    assert next_hint(found).endswith("?") and next_hint(found, "zh").endswith("？")


def test_a_run_in_which_nothing_goes_wrong():
    assert story(run({"pay": by_call_id}, CASE))[-1] == "Invoice INV-7 was charged once."


def test_hostile_text_is_made_safe():
    def rude(input, ctx, outside):
        outside.payments.charge("\x1b[31mred\n", 1, key="\u202ekey", invoice="{0.__class__}")
        ctx.note("\x07")
        raise RuntimeError("\x1b]0;title\x07 {bad}")

    for language in ("en", "zh"):
        text = "\n".join(story(run({"pay": rude}, CASE), language))
        assert not re.search(r"[\x00-\x09\x0b-\x1f\u202e]", text)
        assert "\\x1b" in text


def test_a_loop_is_counted_not_told():
    def loop(input, ctx, outside):
        while True:
            outside.payments.find(invoice="none")

    lines = story(run({"pay": loop}, CASE))
    assert len(lines) < 10 and any("more times" in line for line in lines)


@pytest.mark.parametrize("words", [TOLD, WHY, NEXT, REFUSALS, SERVICES, EFFECTS])
def test_both_languages_say_the_same_and_nothing_loud(words):
    for name, text in words.items():
        assert isinstance(text, Text) and text.en and (text.zh or name == "space"), name
        assert "!" not in text.en + text.zh and "！" not in text.zh, name

        def fields(said):
            return {field.casefold() for _, field, _, _ in string.Formatter().parse(said) if field}

        assert fields(text.zh) - fields(text.en) == set(), name


def test_every_diagnosis_has_its_sentences():
    for code in DIAGNOSES:
        for language in ("en", "zh"):
            assert why(Diagnosis(code=code), language), code
            assert next_hint(Diagnosis(code=code), language), code
    for name in (*WHY, *NEXT):
        assert name.partition(":")[0] in DIAGNOSES, name


@pytest.mark.parametrize(
    ("seconds", "en", "zh"),
    [
        (0.012, "12 ms", "12 毫秒"),
        (1.2, "1.2 s", "1.2 秒"),
        (3.0, "3 s", "3 秒"),
        (60.0, "1 min", "1 分钟"),
        (860.0, "14 min 20 s", "14 分钟 20 秒"),
        (3600.0, "1 h", "1 小时"),
        (30 * 3600.0, "30 h", "30 小时"),
        (3 * 86400.0, "3 days", "3 天"),
        (-1.0, "0 ms", "0 毫秒"),
    ],
)
def test_times(seconds, en, zh):
    assert (spell(seconds, "en"), spell(seconds, "zh")) == (en, zh)


def test_fields_that_are_missing_do_not_stop_a_story():
    assert fill(Text("{a} and {b}", "{a}和{b}"), "en", {"a": 1}) == "1 and ?"
    assert quote("x", "en") == "'x'" and quote("x", "zh") == "“x”"
    assert fill(Text("", "键 {a} 是 {b}。"), "zh", {"a": quote("k", "zh"), "b": 1}) == "键“k”是 1。"


def lines_of(outcome, language="en"):
    return "\n".join(story(outcome, language))


def test_a_step_that_is_answered_from_its_record():
    case = Case(name="two", turns=(CASE.turns[0], CASE.turns[0]), model="same")
    outcome = run({"pay": by_call_id}, case)
    commit = next(moment for moment in outcome.trace if moment.kind == "committed")
    text = lines_of(run({"pay": by_call_id}, case, (Fault(commit.number, "crash-before", 1.0),)))
    assert (
        "Process 1 dies right after that commit.\n1 h later process 2 starts.\nTurn 1, step 1 is answered"
        in text
    )
    assert text.count("1 h later") == 1 and "Process 2 runs turn 1, step 2" not in text


def test_batches_are_one_step():
    ask = CASE.turns[0].answers[0]
    case = Case(name="batch", turns=(Turn(message="pay", answers=(ask, ask)),), calls_per_step=4)
    assert "Still in the same step the model asks for pay(" in lines_of(run({"pay": by_call_id}, case))


def test_flue_does_not_run_a_call_again():
    case = Case(name="flue", turns=CASE.turns, runtime="flue")
    text = lines_of(run({"pay": by_call_id}, case, (Fault(1, "crash-after"),)))
    assert (
        "The interrupted call of pay is not run again: the model is told that its outcome is unknown." in text
    )
    assert "Nothing of the step is committed" not in text


def test_a_wedged_session():
    lock = next(m for m in run({"pay": by_call_id}, CASE).trace if m.kind == "commit-lock")
    text = lines_of(run({"pay": by_call_id}, CASE, (Fault(lock.number),)))
    assert "it cannot be committed: the lock of the dead process is in the way" in text
    assert "It runs step 1 again from the start: the model is asked again." in text
    assert "The session hangs for good." in text


def test_a_workflow_is_replayed_from_its_start():
    def body(input, ctx, outside):
        ctx.step("charge", lambda: outside.payments.charge("o", 1, key="k", invoice="INV-7"))
        ctx.sleep(7200)
        ctx.ask("Really?")
        return {"status": "done"}

    case = Case(name="wf", turns=CASE.turns, answers=("yes",))
    lines = story(run_workflow(body, case))
    assert lines == (
        'Process 1 runs the workflow pay(invoice="INV-7", cents=4200) from its start.',
        "It runs the step charge.",
        "It sends charge(o, 1) with key 'k'. The provider charges: ch_1.",
        "The run parks for 2 h; meanwhile it needs no process.",
        "Process 1 replays the body from its start.",
        "The step charge is answered from its record; nothing of it runs.",
        "A person is asked: 'Really?'.",
        "The person answers: 'yes'.",
        "Process 1 replays the body from its start.",
        "The step charge is answered from its record; nothing of it runs.",
        "Invoice INV-7 was charged once.",
    )
    parked = next(m for m in run_workflow(body, case).trace if m.kind == "pause")
    text = lines_of(run_workflow(body, case, (Fault(parked.number, "crash-before", 3.0),)))
    assert "Process 1 dies while the run is parked.\n3 h later process 2 goes on." in text
    assert "The time of the wait is over already." in text
    ends = [m for m in run_workflow(body, case).trace if m.kind == "returned"]
    text = lines_of(run_workflow(body, case, (Fault(ends[0].number, "crash-before"),)))
    assert "dies when the function of the step has returned. Nothing of the step is committed." in text
    text = lines_of(run_workflow(body, case, (Fault(ends[-1].number, "crash-before"),)))
    assert "dies when the body has returned." in text and "the tool" not in text


@pytest.mark.parametrize(
    ("again", "said"),
    [
        ((1, 0), 'asks for the same in another order: pay(invoice="b", cents=1), pay(invoice="a", cents=1)'),
        ((1,), 'answers something else: pay(invoice="b", cents=1)'),
    ],
)
def test_the_model_says_something_else_or_the_same_in_another_order(again, said):
    asks = tuple(Ask(tool="pay", input={"invoice": name, "cents": 1}) for name in ("a", "b"))
    turn = Turn(message="pay", answers=(asks,), other={0: tuple(asks[index] for index in again)})
    case = Case(name="two", turns=(turn,), model="other")
    outcome = run({"pay": by_call_id}, case, (Fault(1, "crash-after"),))
    text = lines_of(outcome).replace(" and ", ", ")
    assert said in text


def test_what_lands_late_is_told_where_it_landed():
    def check(input, ctx, outside):
        if outside.payments.find(invoice=input["invoice"]):
            return {"status": "charged"}
        return by_call_id(input, ctx, outside)

    lines = story(run({"pay": check}, CASE, (Fault(2, "crash-in-flight"),)))
    assert lines[5] == "It asks the provider for charges with invoice INV-7. It finds none."
    assert lines[6] == (
        "It sends charge(INV-7, 4200) with key 'call_vhzz8f8dmn'. Only now the request of process 1 is"
        " carried out. The provider charges: ch_1. The provider does not know this key and charges: ch_2."
    )

    def keyed(input, ctx, outside):
        return outside.payments.charge("o", 1, key="k", invoice=input["invoice"])

    text = lines_of(run({"pay": keyed}, CASE, (Fault(1, "crash-in-flight"),)))
    assert (
        "It sends charge(o, 1) with key 'k'. The request of process 1 with this key is still on its way: the"
        " provider carries it out first. The provider charges: ch_1. The provider knows the key and answers"
        " with ch_1 again; nothing more is done."
    ) in text

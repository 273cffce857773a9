"""Lesson 3: attempt 1 against attempt 2. Which two recorded calls are one deed, and which are two."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from random import Random
from typing import Any

from eve_replay.workshop.model import Language, Text
from eve_replay.workshop.task import Judgement, Prediction, Task
from eve_replay.workshop.tasks._deeds import Call, Pair, calls, made, pairs_across, pairs_of
from eve_replay.workshop.tasks._readings import events, ledger

__all__ = ["TASK", "calls", "shortened"]

_FIRST = ("crash-in-tool", "pay-minted-ids", "pay-again-on-purpose")
_MORE = (
    "crash-before-commit",
    "two-crashes-one-turn",
    "batch-crash",
    "simple-turn",
    "attempts-exhausted-kill",
)
_PLACE = ("turnId", "stepIndex", "position", "input")


def shortened(found: list[Call]) -> list[Call]:
    """Return calls for a table: long ids cut down to what they are and how they end."""
    return [{name: _short(value) for name, value in call.items()} for call in found]


def _short(value: object) -> object:
    if isinstance(value, list):
        return ", ".join(str(_short(each)) for each in value)
    if not isinstance(value, str) or len(value) < 26:
        return value
    kind, line, _ = value.partition("_")
    return f"{kind}_...{value[-4:]}" if line else f"...{value[-4:]}"


def _pairs(seed: int) -> list[Pair]:
    found = [pair for sample in _FIRST for pair in pairs_of(sample)]
    found += pairs_across("pay-with-key", "pay-minted-ids")
    found += pairs_across("crash-in-tool", "crash-before-commit")
    found += made("pay-minted-ids")
    if seed:
        found += [pair for sample in _MORE for pair in pairs_of(sample)]
        found += made("crash-in-tool")
        Random(seed).shuffle(found)
    return found


def _judge(answer: object, seed: int, language: Language) -> Judgement:
    pairs = _pairs(seed)
    for tried, pair in enumerate(pairs, 1):
        for first, second in ((pair.first, pair.second), (pair.second, pair.first)):
            judged = _judged(answer, pair, deepcopy(first), deepcopy(second), tried)
            if judged is not None:
                return judged
    return Judgement(tried=len(pairs))


def _judged(answer: Any, pair: Pair, first: object, second: object, tried: int) -> Judgement | None:
    try:
        told = answer(first, second)
    except Exception as error:
        what = f"{type(error).__name__}: {error}"[:120]
        words = Text(f"It stops: {what} ({pair.words.en}).", f"运行中断：{what}（{pair.words.zh}）。")
        return Judgement(code="threw", words=words, tried=tried)
    if not isinstance(told, bool):
        shown = f"{told!r}"[:80]
        words = Text(f"It returned {shown}, not True or False.", f"它返回了 {shown}，而不是 True 或 False。")
        return Judgement(code="not-a-bool", words=words, tried=tried)
    if told == pair.same:
        return None
    if pair.same:
        words = Text(
            f"{pair.words.en}. It is one deed, carried out again. Your function says that they are two.",
            f"{pair.words.zh}。这是同一件事又做了一遍，你的函数却说是两件事。",
        )
    else:
        words = Text(
            f"{pair.words.en}. These are two deeds. Your function says that they are one.",
            f"{pair.words.zh}。这是两件事，你的函数却说是同一件。",
        )
    return Judgement(code=pair.code, words=words, tried=tried)


def _same() -> int:
    """Which of the four choices is really the same in both attempts of pay-minted-ids."""
    first, second = calls("pay-minted-ids")[:2]
    choices = (("callId",), _PLACE, ("eventId",), ("requestedAt",))
    return next(
        number for number, names in enumerate(choices) if all(first[name] == second[name] for name in names)
    )


def _same_facts() -> Mapping[str, object]:
    first, second = calls("pay-minted-ids")[:2]
    return {
        "first": first["callId"],
        "second": second["callId"],
        "turn": first["turnId"],
        "step": first["stepIndex"],
        "position": first["position"],
    }


def _wanted() -> int:
    places = [tuple(call[name] for name in _PLACE[:3]) for call in calls("pay-again-on-purpose")]
    return len(set(places))


def _deeds_facts() -> Mapping[str, object]:
    return {
        "calls": len(calls("pay-again-on-purpose")),
        "deeds": _wanted(),
        "payments": len(events(ledger("pay-again-on-purpose"), effect="payment")),
    }


_PREDICTIONS = {
    "same": Prediction(
        question=Text(
            "A payment was in flight when the process was killed. The step ran again, and the model was"
            " asked again. What is the same in both attempts?",
            "付款请求还在路上时，进程被杀死。步骤又执行了一遍，模型也又被问了一次。两次尝试中，哪一样是相同"
            "的？",
        ),
        choices=(
            Text("the id of the call (callId)", "调用的 id（callId）"),
            Text(
                "its place (turn, step, position) and its input",
                "它的位置（第几轮、第几步、第几个调用）和输入",
            ),
            Text("the id of the event that asks for it (meta.id)", "要求它的那个事件的 id（meta.id）"),
            Text("the time at which it was asked for", "要求它的时间"),
        ),
        answer=_same,
        reveal=Text(
            "The place: {turn}, step {step}, call {position} of the answer, and the input. The call id"
            " was {first} and then {second}: it comes from the model, and this model makes new ones."
            " Event ids and times are new on every attempt, always.",
            "位置（{turn}，步骤 {step}，回答里的第 {position} 个调用）和输入。调用 id 先是 {first}，后来"
            "是 {second}：它来自模型，而这个模型每次都生成新的。事件 id 和时间，每次尝试总是新的。",
        ),
        facts=_same_facts,
        source="sample:pay-minted-ids, docs/evidence/observed.md#call-ids, #said-again",
    ),
    "deeds": Prediction(
        question=Text(
            "A customer pays order ord_7. In the next turn the customer asks to pay the same order once"
            " more, on purpose. The first turn was killed once. The journal shows three calls with the"
            " same tool and the same input. How many payments were wanted?",
            "客户支付订单 ord_7。下一轮，客户特意要求把同一个订单再付一次。第一轮里进程被杀死过一次。日志"
            "里有三个调用，工具相同，输入也相同。客户想要的付款一共是几次？",
        ),
        choices=(
            Text("1: same tool, same input", "1 次：工具和输入都相同"),
            Text("2: one in each turn", "2 次：每轮一次"),
            Text("3: one for each call", "3 次：每个调用一次"),
        ),
        answer=lambda: _wanted() - 1,
        reveal=Text(
            "{deeds} were wanted. The journal shows {calls} calls, and the payment server took"
            " {payments} payments, because each call came with a key of its own.",
            "想要的是 {deeds} 次。日志里有 {calls} 个调用，支付服务器收了 {payments} 次款，因为每个调用都"
            "带着自己的键。",
        ),
        facts=_deeds_facts,
        source="sample:pay-again-on-purpose (journal, ledger)",
    ),
}

_HINTS = {
    "ids-change": Text(
        "Something you compare is new on every attempt. Look at the table again: which rows are equal in"
        " columns 0 and 1?",
        "你比较的东西里，有的每次尝试都会变。再看看那张表：第 0 列和第 1 列，哪些行是相等的？",
    ),
    "other-turn": Text(
        "The same words in another turn are another wish. Which rows of the table say where in the"
        " conversation a call belongs?",
        "换一轮说同样的话，就是另一个意图。表里哪些行说明一个调用在会话的哪个位置？",
    ),
    "other-place": Text(
        "A model can ask for the same thing twice: in two answers of a turn, or twice in one answer."
        " Compare the whole place: turn, step and position.",
        "模型可能两次要求做同样的事：在同一轮的两个回答里，或者在一个回答里要求两次。要比较完整的位置："
        "turnId、stepIndex 和 position。",
    ),
    "other-session": Text(
        "Two conversations have the same places, and sometimes even the same call ids. What tells them"
        " apart?",
        "两个会话里的位置可能一样，有时连调用 id 都一样。用什么区分它们？",
    ),
    "other-wish": Text(
        "Asked again, a model may want something else in the same place. Look also at what is wanted.",
        "再问模型时，它可能在同一个位置要求别的事。还要看它要求的是什么。",
    ),
    "not-a-bool": Text("Return a comparison, for example a == b.", "返回一个比较的结果，例如 a == b。"),
    "threw": Text(
        "a and b are dicts with the rows of the table above as names.",
        "a 和 b 是字典，名字就是上面表里各行的名字。",
    ),
}

TASK = Task(
    lesson="03",
    slug="attempt-1-and-attempt-2",
    title=Text("Attempt 1 and attempt 2", "第一次尝试与第二次尝试"),
    answer="same_deed",
    kind="judged",
    judge=_judge,
    takes=("a", "b"),
    predictions=_PREDICTIONS,
    hints=_HINTS,
    good=Text(
        "Your function tells a repeat from a new wish in every pair that was tried. What it needed is"
        " what a key has to be made of: things that survive a re-run, and that differ between two"
        " wishes. What it cannot know: when the model is asked again and puts the same wishes in another"
        " order, the places change hands. Lesson 4 goes on from there.",
        "在所有试过的配对中，你的函数都分清了“重复”和“新的意图”。判断靠的东西，也正是该用来拼键的东西："
        "重新执行后不变，换一个意图又不同。它无法知道的是：再问模型时，如果同样的意图换了顺序，位置就会互"
        "换。第 4 课从这里继续。",
    ),
    minutes=15,
    finds=Text(
        "What is the same each time a step runs, what is not, and what that means for a key.",
        "步骤每次执行时，什么不变，什么会变，这对键意味着什么。",
    ),
)

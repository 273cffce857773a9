"""Lesson 2: where the crash falls. What the journal shows at it, and what the outside sees in the end."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from eve_replay.workshop.model import Language, Text
from eve_replay.workshop.task import Judgement, Prediction, Task
from eve_replay.workshop.tasks._crashes import Place, places
from eve_replay.workshop.tasks._readings import events, ledger, marks, repeated

__all__ = ["TASK", "shown"]

_FIRST = ("simple-turn", "crash-in-tool", "crash-before-commit")
_MORE = (
    *_FIRST,
    "crash-in-model",
    "crash-after-commit",
    "two-crashes-one-turn",
    "pay-without-key",
    "pay-again-on-purpose",
)


def shown() -> list[dict[str, object]]:
    """Return the crash points that the notebook shows, one row each: what lay there, not what comes of it."""
    return [
        {"recording": place.sample, "crash point": place.label, **dict(place.where)}
        for sample in _FIRST
        for place in places(sample)
    ]


def _judge(answer: object, seed: int, language: Language) -> Judgement:
    found = [place for sample in (_MORE if seed else _FIRST) for place in places(sample)]
    if seed:
        Random(seed).shuffle(found)
    # The plain ones first, so that what is said first is about one attempt.
    found.sort(key=lambda place: dict(place.where)["started"])
    for tried, place in enumerate(found, 1):
        told = _told(answer, place)
        if isinstance(told, Judgement):
            return told
        if told != place.charges:
            code = _code(place, told)
            return Judgement(code=code, words=_words(place, told), tried=tried)
    return Judgement(tried=len(found))


def _told(answer: Any, place: Place) -> tuple[int, int] | Judgement:
    where = dict(place.where)
    try:
        told = answer(dict(where))
    except Exception as error:
        what = f"{type(error).__name__}: {error}"[:120]
        return Judgement(
            code="threw",
            words=Text(f"It stops at {where}: {what}.", f"遇到 {where} 时中断：{what}。"),
            tried=1,
        )
    if (
        isinstance(told, (tuple, list))
        and len(told) == 2
        and all(isinstance(each, int) and not isinstance(each, bool) for each in told)
    ):
        # Plain numbers: a class of the learner's might say of itself that it is equal to everything.
        return int.__add__(told[0], 0), int.__add__(told[1], 0)
    said = f"{told!r}"[:80]
    return Judgement(
        code="not-a-pair",
        words=Text(
            f"It returned {said}. Two whole numbers are needed: at least, at most.",
            f"它返回了 {said}。需要两个整数：至少几次，至多几次。",
        ),
        tried=1,
    )


def _code(place: Place, told: tuple[int, int]) -> str:
    where = dict(place.where)
    if where["started"] == 0:
        return "not-begun"
    if where["started"] > 1:
        return "every-attempt"
    if where["committed"]:
        return "committed-is-safe"
    if where["stream"] and told[0] < place.charges[0]:
        return "stream-no-commit"
    return "may-have-acted" if where["returned"] == 0 else "runs-again"


def _words(place: Place, told: tuple[int, int]) -> Text:
    where = dict(place.where)
    least, most = place.charges
    point = f"sample:{place.sample}, {place.position}"
    return Text(
        f"For where = {where} you say {told[0]} to {told[1]} charges. It is {least} to {most}. ({point}:"
        f" {place.label})",
        f"where = {where} 时，你的答案是至少 {told[0]} 次、至多 {told[1]} 次，实际是至少 {least} 次、至多"
        f" {most} 次。（{point}：{place.label}）",
    )


def _charges(sample: str) -> int:
    return len(events(ledger(sample), effect="charge"))


def _asked(sample: str) -> int:
    return len(events(marks(sample), mark="model.begin", reply=0))


def _stream() -> Mapping[str, object]:
    step = repeated("crash-before-commit")
    said = [event for attempt in step.attempts for event in attempt.stream_events]
    return {
        "charges": _charges("crash-before-commit"),
        "said": sum(event.type == "step.completed" for event in said),
        "committed": sum(event.event_type == "step_completed" for event in step.events),
    }


_PREDICTIONS = {
    "model": Prediction(
        question=Text(
            "The process was killed while the model was thinking: no tool had been called. It was"
            " started again. How often was the card charged in the end?",
            "进程在模型思考时被杀死，那时还没有调用任何工具。之后进程重新启动。最后一共扣款几次？",
        ),
        choices=(Text("0 times", "0 次"), Text("once", "1 次"), Text("twice", "2 次")),
        answer=lambda: min(_charges("crash-in-model"), 2),
        reveal=Text(
            "{charges} charge. Only the model was asked again, {asked} times in all, and each time costs"
            " tokens.",
            "扣款 {charges} 次。只是又问了一遍模型，一共问了 {asked} 次，每次都要花 token。",
        ),
        facts=lambda: {"charges": _charges("crash-in-model"), "asked": _asked("crash-in-model")},
        source="sample:crash-in-model (ledger, marks)",
    ),
    "stream": Prediction(
        question=Text(
            "Both tools had returned and the stream had already said step.completed. Then the process"
            " was killed, before the step was committed. How often was the card charged in the end?",
            "两个工具都已返回，流（stream）上也已经出现 step.completed。就在步骤提交之前，进程被杀死。最"
            "后一共扣款几次？",
        ),
        choices=(
            Text("once: the stream said that the step was completed", "1 次：流上已经说步骤完成了"),
            Text("twice: it ran again", "2 次：它又执行了一遍"),
        ),
        answer=lambda: min(_charges("crash-before-commit"), 2) - 1,
        reveal=Text(
            "{charges} charges. The stream holds step.completed {said} times for this one step; the"
            " event log holds step_completed {committed} time. Only the log counts.",
            "扣款 {charges} 次。同一个步骤，流上有 {said} 个 step.completed，而事件日志里只有 {committed}"
            " 个 step_completed。只有日志算数。",
        ),
        facts=_stream,
        source="sample:crash-before-commit, docs/evidence/observed.md#no-commit-on-the-stream",
    ),
    "after": Prediction(
        question=Text(
            "The charge was in the first step, and that step was committed. The process was killed in the"
            " second one. How often was the card charged in the end?",
            "扣款在第 1 步，而第 1 步已经提交。进程在第 2 步被杀死。最后一共扣款几次？",
        ),
        choices=(Text("once", "1 次"), Text("twice", "2 次")),
        answer=lambda: min(_charges("crash-after-commit"), 2) - 1,
        reveal=Text(
            "{charges} charge. A committed step is answered from its record: no model call, no tool.",
            "扣款 {charges} 次。已提交的步骤直接用记录里的结果：不再问模型，也不再调用工具。",
        ),
        facts=lambda: {"charges": _charges("crash-after-commit")},
        source="sample:crash-after-commit, docs/evidence/sweep.md#a",
    ),
}

_HINTS = {
    "not-begun": Text(
        "The step had not begun. After the restart it runs for the first time.",
        "这个步骤还没有开始。重启以后它才第一次执行。",
    ),
    "may-have-acted": Text(
        "The step had begun and the charge had not returned. The outside may have acted already: the"
        " journal does not show it (docs/evidence/sweep.md#stream: effects run ahead of the stream). At"
        " least, at most?",
        "步骤已经开始，扣款还没有返回。外部可能已经扣了款，而日志看不出来（docs/evidence/sweep.md#stream：副"
        "作用走在流的前面）。至少几次，至多几次？",
    ),
    "runs-again": Text(
        "The charge is done, and nothing records that the step is. What happens after the restart?",
        "款已经扣了，但没有任何记录说明步骤完成了。重启以后会怎样？",
    ),
    "stream-no-commit": Text(
        "step.completed with a dot is a word on the stream. Which entry of where tells of the commit?",
        "带点的 step.completed 只是流上的一条消息。where 里哪一项说的才是提交？",
    ),
    "committed-is-safe": Text(
        "A committed step never runs again. What is in the past stays, and nothing is added.",
        "已提交的步骤绝不会再执行。已经发生的不变，也不会再增加。",
    ),
    "every-attempt": Text(
        "This step had been started more than once before the crash. Each attempt that returned charged"
        " once. Each attempt that did not return charged once or not at all. Count with started and"
        " returned.",
        "崩溃之前，这个步骤已经开始过不止一次。返回了的尝试各扣款一次；没有返回的尝试，可能扣了一次，也可"
        "能没扣。用 started 和 returned 来数。",
    ),
    "not-a-pair": Text("For example: return 1, 2", "例如：return 1, 2"),
    "threw": Text(
        "where is a dict with four numbers: started, returned, stream, committed.",
        "where 是一个字典，有四个数字：started、returned、stream、committed。",
    ),
}

TASK = Task(
    lesson="02",
    slug="where-the-crash-falls",
    title=Text("Where the crash falls", "崩溃落在哪里"),
    answer="charges_seen",
    kind="judged",
    judge=_judge,
    takes=("where",),
    predictions=_PREDICTIONS,
    hints=_HINTS,
    good=Text(
        "Your function agrees with the simulator at every crash point that was tried. In words: between"
        " the attempts that returned and the attempts that began, and one more unless the step is"
        " committed. At the points that were left out, inside the commit itself, it can be worse"
        " (docs/evidence/sweep.md#f1, #f2).",
        "在所有试过的崩溃点上，你的函数都与模拟器一致。用一句话说：次数介于“返回了的尝试”和“开始了的尝"
        "试”之间，如果步骤没有提交，再加一次。没有考的是提交过程中的那些点，那里可能更糟（"
        "docs/evidence/sweep.md#f1, #f2）。",
    ),
    minutes=15,
    finds=Text(
        "Why the same crash is harmless at one moment and costs money at another.",
        "为什么同样的崩溃，有时无害，有时却要花钱。",
    ),
)

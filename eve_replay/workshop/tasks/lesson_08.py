"""Lesson 8, the other philosophy: what Flue makes of a crash, as docs/evidence/flue.md states it.

There is no Flue world yet, so the exercise is on paper: a function from what is durable to what happens,
judged against the product's ``FlueRuntime`` and the table in :mod:`eve_replay.workshop.tasks._flue`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

from eve_replay.recovery import Question, Simulation, crash_points, simulate
from eve_replay.recovery.result import EffectVerdict
from eve_replay.recovery.runtimes.registry import runtime_named
from eve_replay.workshop.model import Ask, Case, Deed, Language, Text, Turn
from eve_replay.workshop.promises import each_deed_once, it_ends
from eve_replay.workshop.task import Judgement, Prediction, Task
from eve_replay.workshop.tasks import _flue
from eve_replay.workshop.tasks._names import Names
from eve_replay.workshop.tasks._readings import action, clock, events, ledger, session

__all__ = ["RUNTIMES", "TASK"]

_SAMPLE = "crash-in-tool"
_TOOL = "charge_card"


@cache
def _at_the_kill(runtime: str) -> Simulation:
    """What a runtime makes of the recorded crash: the last point in the first step with its tool open."""
    recorded = session(_SAMPLE)
    killed = action(_SAMPLE, "kill -9")
    points = [
        point
        for point in crash_points(recorded, "turn_0")
        if point.klass == "in-tool" and point.at is not None and point.at <= killed
    ]
    return simulate(recorded, points[-1], turn="turn_0", question=Question(runtime=runtime))


def _effect(runtime: str, tool: str = _TOOL) -> EffectVerdict:
    return next(each for each in _at_the_kill(runtime).effects if each.tool == tool)


def _more_by_flue() -> int:
    return 0 if _effect("flue").after.max else 1


def _facts_same_crash() -> Mapping[str, object]:
    flue, eve = _effect("flue"), _effect("eve")
    mail = _effect("flue", "send_email")
    return {
        "killed": clock(action(_SAMPLE, "kill -9")),
        "eve": eve.after.max,
        "ledger": len(events(ledger(_SAMPLE), effect="charge")),
        "flue": flue.after.max,
        "mail": mail.after.max,
    }


def _unknown_choice() -> int:
    done = _effect("flue").executions
    return 2 if (done.min, done.max) == (0, 1) else 1 if done.min else 0


def _facts_unknown() -> Mapping[str, object]:
    done = _effect("flue").executions
    return {"least": done.min, "most": done.max}


def _memo_choice() -> int:
    return 1 if _flue.row("durable-in-a-step").most > 1 else 0


def _facts_memo() -> Mapping[str, object]:
    between, inside = _flue.row("durable-between-steps"), _flue.row("durable-in-a-step")
    return {
        "between": between.most,
        "inside": inside.most,
        "c": ", ".join(between.fixtures),
        "d": ", ".join(inside.fixtures),
    }


_PREDICTIONS = {
    "same-crash": Prediction(
        question=Text(
            "eve ran the whole step again, and charge_card with it. Now think of the same crash under Flue:"
            " the model's message is on record, the call has no outcome on record. How often does Flue's"
            " recovery run charge_card?",
            "eve 把整个步骤重新执行了一遍，charge_card 也在其中。现在设想同一次崩溃发生在 Flue 里：模型的消"
            "息已有记录，这次调用的结果没有记录。Flue 恢复时，会把 charge_card 再执行几次？",
        ),
        choices=(
            Text("Once more, as eve does.", "一次，和 eve 一样。"),
            Text("Not at all.", "一次也不执行。"),
        ),
        answer=_more_by_flue,
        reveal=Text(
            "The process was killed at {killed}. Recovery adds: with eve {eve} run of charge_card (recorded:"
            " the ledger has {ledger} charges), with Flue {flue}. send_email had returned, so Flue keeps it:"
            " {mail} more. Observed for eve (sample:crash-in-tool). For Flue it follows from a rule that was"
            " measured on Flue itself: docs/evidence/flue.md#after-a-crash, recordings b1 and b2.",
            "进程在 {killed} 被杀死。恢复时 charge_card 再执行的次数：eve {eve} 次（有记录：账本里有"
            " {ledger} 次扣款），Flue {flue} 次。send_email 已经返回，Flue 保留它的结果：再执行 {mail} 次。"
            "eve 的部分是观察到的（sample:crash-in-tool）；Flue 的部分是推断，所依据的规则在 Flue 上实测过："
            "docs/evidence/flue.md#after-a-crash，运行记录 b1 和 b2。",
        ),
        facts=_facts_same_crash,
        source="sample:crash-in-tool; docs/evidence/flue.md#after-a-crash (b1, b2)",
    ),
    "unknown": Prediction(
        question=Text(
            'Flue tells the model: "the outcome of this call is unknown". Was the card charged?',
            "Flue 告诉模型：“这次调用的结果未知”。卡扣款了吗？",
        ),
        choices=(
            Text("No. Nobody ran it again, so it did not happen.", "没有。它没有再执行，所以没有发生。"),
            Text("Yes. It had begun, so it happened.", "扣了。它已经开始，所以发生了。"),
            Text("Either way is possible.", "两种都有可能。"),
        ),
        answer=_unknown_choice,
        reveal=Text(
            "At least {least}, at most {most} charges. The journal cannot say which. It is the model that"
            " now decides what to do, and if it asks for the charge again, that is a new call: it runs."
            " docs/evidence/flue.md#after-a-crash, recordings b1 and k2.",
            "至少 {least} 次，至多 {most} 次。日志看不出是哪一种。接下来由模型决定怎么办；如果它再次要求扣"
            "款，那就是一次新的调用，会真的执行。docs/evidence/flue.md#after-a-crash，运行记录 b1 和 k2。",
        ),
        facts=_facts_unknown,
        source="docs/evidence/flue.md#after-a-crash (b1, k2)",
    ),
    "memo": Prediction(
        question=Text(
            "A durable tool has two recorded parts, step.do('reserve') and step.do('pay'). The function"
            " inside 'pay' has just charged the card; its record is not written yet. The process dies, the"
            " tool runs again. How often is the card charged in the end?",
            "一个 durable 工具有两个会留下记录的部分：step.do('reserve') 和 step.do('pay')。'pay' 里的函数刚"
            "刚扣了款，记录还没写下。进程死了，工具重新执行。最后一共扣了几次款？",
        ),
        choices=(Text("Once.", "一次。"), Text("Twice.", "两次。")),
        answer=_memo_choice,
        reveal=Text(
            "At most {inside} times, for the step whose record was about to be written ({d}); {between} time"
            " for a step that is on record ({c}). It is the small gap of lesson 2 again: done, and not"
            " written down. A step.do needs its key inside, as any tool does. Observed:"
            " docs/evidence/flue.md#after-a-crash.",
            "正要写下记录的那一步，至多 {inside} 次（{d}）；已有记录的步骤 {between} 次（{c}）。又是第 2 课"
            "里的那个小空档：做了，还没记下。step.do 里面同样需要键，和任何工具一样。这是观察到的："
            "docs/evidence/flue.md#after-a-crash。",
        ),
        facts=_facts_memo,
        source="docs/evidence/flue.md#after-a-crash (c, c3, d, d2)",
    ),
}

_HINTS = {
    "flue-runs-again": Text(
        "That is eve's way. Flue never runs an ordinary call a second time by itself.",
        "这是 eve 的做法。普通调用，Flue 自己绝不会再执行第二次。",
    ),
    "flue-not-never": Text(
        "No outcome on record does not mean that it did not happen. The tool may have acted just before the"
        " process died.",
        "没有结果的记录，不等于没有发生。工具可能就在进程死前一刻做完了事。",
    ),
    "flue-open-kept": Text("There is nothing on record that could be kept.", "没有记录，就谈不上保留。"),
    "flue-kept": Text(
        "Look at the outcome first: what is on record counts, whatever else is true of the call.",
        "先看结果：有记录的就算数，不管这次调用还有什么别的情况。",
    ),
    "flue-never-ran": Text(
        "Tools start only after the model's message is complete. What does an unfinished message say about"
        " its calls?",
        "模型的消息完整之后，工具才会开始执行。消息没写完，说明里面的调用怎么样了？",
    ),
    "flue-durable": Text(
        "A durable tool is the one exception: it may run again, because what its step.do calls have recorded"
        " is answered from the record.",
        "durable 工具是唯一的例外：它可以重新执行，因为 step.do 记下的部分直接用记录里的结果。",
    ),
    "flue-withdrawn": Text(
        "What counts is what the code that starts now declares. It no longer says durable.",
        "要看现在启动的代码怎么声明。它已经不再声明 durable 了。",
    ),
    "flue-budget": Text(
        "With no attempt left, nothing open is run any more, durable or not.",
        "次数用完之后，没有结果的调用都不再执行，不管是不是 durable。",
    ),
    "flue-word": Text(
        "Answer with one of the words of the table: " + ", ".join(repr(each) for each in _flue.FATES) + ".",
        "请用表里的词作答：" + "、".join(repr(each) for each in _flue.FATES) + "。",
    ),
    "threw": Text(
        "Read the fields of the call only: " + ", ".join(repr(each) for each in _flue.SAMPLE) + ".",
        "只读取 call 的这些字段：" + "、".join(repr(each) for each in _flue.SAMPLE) + "。",
    ),
}

_WHY = {
    "ordinary-open": Text(
        "An ordinary call without outcome is never run again, and its outcome is unknown",
        "没有结果的普通调用绝不会再执行，它的结果未知",
    ),
    "finished": Text("A finished call is kept", "已完成的调用会保留"),
    "unfinished-message": Text(
        "The message was not complete, so the call never ran; the model is asked again",
        "消息不完整，调用从未执行；会重新问模型",
    ),
    "durable-between-steps": Text(
        "The body of a durable tool runs again, its recorded steps are replayed",
        "durable 工具的函数体重新执行，有记录的步骤直接用记录里的结果",
    ),
    "durable-all-recorded": Text(
        "The body of a durable tool runs again, and all its steps are answered from the record",
        "durable 工具的函数体重新执行，所有步骤都直接用记录里的结果",
    ),
    "withdrawn": Text(
        "The tool is no longer declared durable: its open call is treated as an ordinary one",
        "工具不再声明为 durable：没有结果的调用按普通调用处理",
    ),
    "budget": Text(
        "The attempts are used up: every open call is marked unknown, durable ones too",
        "次数已用完：所有没有结果的调用都标为结果未知，durable 的也一样",
    ),
}

_CODES = {
    "finished": "flue-kept",
    "unfinished-message": "flue-never-ran",
    "durable-between-steps": "flue-durable",
    "durable-all-recorded": "flue-durable",
    "withdrawn": "flue-withdrawn",
    "budget": "flue-budget",
}


def _judge(answer: object, seed: int, language: Language) -> Judgement:
    tried = 0
    for call in _flue.calls(seed):
        tried += 1
        row = _flue.row_of(call)
        wanted = _flue.fate_by_runtime(call) or row.fate
        try:
            said = answer(dict(call))  # type: ignore[operator]  # the check has seen that it can be called
        except Exception as error:  # whatever a learner's function throws is an answer too
            text = f"{type(error).__name__}: {error}"
            words = Text(f"flue_fate threw {text} for this call.", f"遇到这次调用，flue_fate 抛出了 {text}。")
            return Judgement(code="threw", words=words, tried=tried, story=_story(call))
        if isinstance(said, str):
            said = str.__str__(said)  # a class of the learner's might say that it is equal to everything
        if said != wanted or not isinstance(said, str):
            name, why = call["name"], _WHY[row.name]
            source = ", ".join(row.fixtures)
            return Judgement(
                code=_code(row, said),
                words=Text(
                    f"For this {name} call the answer was {said!r}; under Flue it is {wanted!r}.",
                    f"对这次 {name} 调用，你的答案是 {said!r}；在 Flue 里是 {wanted!r}。",
                ),
                tried=tried,
                story=(*_story(call), f"flue_fate(call) → {said!r}"),
                why=Text(
                    f"{why.en} (docs/evidence/flue.md#after-a-crash: {source}).",
                    f"{why.zh}（docs/evidence/flue.md#after-a-crash：{source.replace(', ', '、')}）。",
                ).get(language),
            )
    return Judgement(tried=tried)


def _story(call: Mapping[str, Any]) -> tuple[str, ...]:
    """What the function was given, line by line: the same in every language."""
    return tuple(f"call[{name!r}] = {value!r}" for name, value in call.items())


def _code(row: _flue.Row, said: object) -> str:
    if said not in _flue.FATES:
        return "flue-word"
    if row.name == "ordinary-open":
        return {"asked": "flue-not-never", "kept": "flue-open-kept"}.get(str(said), "flue-runs-again")
    return _CODES[row.name]


@dataclass(frozen=True, slots=True, kw_only=True)
class _AtHome(Case):
    """A case whose surroundings go with its runtime: Flue has a lease of its own, a plain loop has none."""

    def __post_init__(self) -> None:
        # Also when the stage replaces the runtime.
        object.__setattr__(self, "environment", runtime_named(self.runtime).environment)


def _cases(seed: int) -> tuple[Case, ...]:
    """One small turn with two charges; the stage offers the runtimes."""
    names = Names(seed)
    asks = []
    for order, cents in ((names.order(), names.cents()), (names.order(), names.cents())):
        deed = Deed(effect="charge", match={"order": order}, words=order)
        asks.append(Ask(tool="charge", input={"order": order, "cents": cents}, deeds=(deed,)))
    turn = Turn(message="Charge both orders.", answers=(tuple(asks),))
    return (_AtHome(name="two-charges", turns=(turn,), seed=seed, words=Text("two charges", "两次扣款")),)


#: What the stage of this lesson plays: one tool under several runtimes. It is not graded.
RUNTIMES = Task(
    lesson="08",
    slug="the-other-philosophy",
    title=Text("One tool, three runtimes", "一个工具，三种运行时"),
    answer="charge",
    cases=_cases,
    promises=(each_deed_once(), it_ends()),
    runtimes=("eve", "flue", "none"),
    good=Text("", ""),
)

TASK = Task(
    lesson="08",
    slug="the-other-philosophy",
    title=Text("The other philosophy", "另一种思路"),
    answer="flue_fate",
    kind="judged",
    judge=_judge,
    takes=("call",),
    predictions=MappingProxyType(_PREDICTIONS),
    hints=MappingProxyType(_HINTS),
    good=Text(
        "Every state of a call is told apart, as Flue does it. What the record cannot say stays unknown:"
        " somebody has to look outside, and the key of lesson 4 is what makes looking possible.",
        "调用的每一种状态都分清了，和 Flue 的做法一致。记录里没有的，仍然未知：总得有人到外部去查，而有了第"
        " 4 课的键，才查得到。",
    ),
    minutes=15,
    finds=Text(
        "eve repeats what it is not sure of, Flue reports it: each needs something else from your tool.",
        "没有把握的事，eve 重做，Flue 上报：两者对工具的要求不同。",
    ),
)

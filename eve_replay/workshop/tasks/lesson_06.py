"""Lesson 6, parking and replay: a wait costs nothing, and a body that is replayed decides the same again.

The exercise is a workflow body, as ``handle_incident`` of sample:workflow-tool is one: what ``ctx.step`` has
recorded is answered from the record, everything else runs again at every replay.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from eve_replay.journal import Park, Step
from eve_replay.recovery import Question, Simulation, crash_points, simulate
from eve_replay.workshop.model import Ask, Case, Deed, Text, Turn
from eve_replay.workshop.promises import each_deed_once, it_ends, no_lies, nothing_else
from eve_replay.workshop.task import Prediction, Task
from eve_replay.workshop.tasks._names import Names
from eve_replay.workshop.tasks._readings import action, clock, events, gap, ledger, session, when

__all__ = ["TASK"]

_HOLD, _FLOW = "approval-hold", "workflow-tool"
_TOOL = "restart_service"
#: Both services of this lesson honour a key.
_SETTING = {"mail": {"keys": True}}


def _order(order: str, cents: int, to: str, *, wanted: bool) -> Ask:
    deeds = (
        Deed(effect="charge", match={"order": order, "cents": cents}, words=order),
        Deed(effect="mail", match={"to": to}, words=f"the receipt to {to}"),
    )
    return Ask(tool="order", input={"order": order, "cents": cents, "to": to}, deeds=deeds if wanted else ())


def _cases(seed: int) -> tuple[Case, ...]:
    names = Names(seed)
    order, cents, to = names.order(), names.cents(), names.person()
    return tuple(
        Case(
            name=answer,
            turns=(
                Turn(
                    message=f"Charge {order}, but ask me first.",
                    answers=((_order(order, cents, to, wanted=answer == "yes"),),),
                ),
            ),
            setting=_SETTING,
            answers=(answer,),
            seed=seed,
            words=words,
        )
        for answer, words in (
            ("yes", Text("the person says yes", "人回答 yes")),
            ("no", Text("the person says no", "人回答 no")),
        )
    )


# -- predictions ---------------------------------------------------------------------------------------


def _park() -> Park:
    return next(each for each in session(_HOLD).parks if each.kind == "approval")


def _restarts() -> int:
    return len(events(ledger(_HOLD), effect="restart"))


def _facts_parked() -> Mapping[str, object]:
    park, answered = _park(), action(_HOLD, "input.answer")
    starts = [each.started_at for step in session(_HOLD).steps for each in step.attempts]
    turn = session(_HOLD).turns[0]
    return {
        "asked": clock(park.since),
        "killed": clock(action(_HOLD, "kill -9")),
        "ready": clock(action(_HOLD, "server.ready", -1)),
        "answered": clock(answered),
        "waited": gap(park.since, answered),
        "restarts": _restarts(),
        "steps": len(turn.turn_steps),
        "attempts": max(len(step.attempts) for step in turn.turn_steps),
        "between": sum(park.since < each < answered for each in starts if each and park.since),
    }


@cache
def _after_approval() -> Simulation:
    """The recorded session, killed in the step that carries out the approved call, once it has acted."""
    recorded = session(_HOLD)
    done = when(events(ledger(_HOLD), effect="restart")[0])
    point = next(
        each
        for each in crash_points(recorded, "turn_0")
        if each.klass in ("in-model", "in-tool", "tools-returned") and each.at is not None and each.at > done
    )
    return simulate(recorded, point, turn="turn_0", question=Question(strategies={_TOOL: "approval"}))


def _times_restarted() -> int:
    return next(each for each in _after_approval().effects if each.tool == _TOOL).outside.min


def _approval_choice() -> int:
    if _after_approval().outcome == "needs-person":
        return 0
    return 1 if _times_restarted() > 1 else 2


def _facts_approval() -> Mapping[str, object]:
    return {"times": _times_restarted()}


def _collect() -> Step:
    return next(step for step in session(_FLOW).steps if step.function == "collect")


def _facts_replay() -> Mapping[str, object]:
    timer = next(each for each in session(_FLOW).parks if each.kind == "timer")
    return {
        "ran": clock(_collect().started_at),
        "killed": clock(action(_FLOW, "kill -9")),
        "woke": clock(timer.until),
        "due": clock(timer.due),
        "times": len(_collect().attempts),
        "applied": len(events(ledger(_FLOW), effect="apply")),
    }


_PREDICTIONS = {
    "while-parked": Prediction(
        question=Text(
            "restart_service waits for a person to approve it. While it waits, the server is killed. Seconds"
            " later it is started again, and the person approves. How often is the service restarted?",
            "restart_service 在等人批准。等待期间服务器被杀死，几秒后重新启动，然后人批准了。服务一共重启"
            "几次？",
        ),
        choices=(
            Text("Not at all: the wait died with the process.", "一次也没有：进程死了，等待也没了。"),
            Text("Once.", "一次。"),
            Text("Twice: before the kill and after it.", "两次：被杀前一次，被杀后一次。"),
        ),
        answer=lambda: min(_restarts(), 2),
        reveal=Text(
            "Restarts in the ledger: {restarts}. Asked at {asked}, killed at {killed}, back at {ready},"
            " answered at {answered}. In these {waited} s, {between} attempts of any step began, and each of"
            " the {steps} steps needed {attempts} attempt. A parked turn is only a record; no process is"
            " needed for it. Observed: sample:approval-hold.",
            "账本里重启了 {restarts} 次。{asked} 提问，{killed} 进程被杀死，{ready} 恢复，{answered} 得到回答"
            "。这 {waited} 秒里，开始的尝试有 {between} 次；{steps} 个步骤各用了 {attempts} 次尝试。挂起的一"
            "轮只是一条记录，不需要进程守着。这是观察到的（observed）：sample:approval-hold。",
        ),
        facts=_facts_parked,
        source="sample:approval-hold (ledger, events); docs/evidence/observed.md#parked",
    ),
    "after-approval": Prediction(
        question=Text(
            "Now the same session, killed later: the person has approved, the tool has restarted the"
            " service, and the process dies before that step is committed. The step runs again. What"
            " happens?",
            "还是这个会话，但死得晚一点：人已批准，工具已重启服务，这一步还没提交，进程就死了。这一步重新执"
            "行。会怎样？",
        ),
        choices=(
            Text("The person is asked again.", "再问一次人。"),
            Text("Nobody is asked, and the service is restarted again.", "不再问人，服务又重启一次。"),
            Text("Nobody is asked, and nothing is restarted.", "不再问人，也不再重启。"),
        ),
        answer=_approval_choice,
        reveal=Text(
            "The service is restarted {times} times, with one approval. The yes is on record, so nobody is"
            " asked again; the call it allowed runs again with its step. An approval protects the first"
            " execution only. Implied: computed from sample:approval-hold by the rule of"
            " docs/evidence/sweep.md#approval, which was seen when sessions were killed at each of their"
            " commits.",
            "服务重启了 {times} 次，批准只有一次。“同意”已有记录，不会再问；它放行的调用却会跟着步骤重新执行"
            "。批准只保护第一次执行。这是推断（implied）：由 sample:approval-hold 按"
            " docs/evidence/sweep.md#approval 的规则算出；规则来自在每次提交处杀死进程的实测。",
        ),
        facts=_facts_approval,
        source="sample:approval-hold, simulated; docs/evidence/sweep.md#approval",
    ),
    "replay": Prediction(
        question=Text(
            "handle_incident is a workflow tool. Its body runs the step “collect”, asks a person, and sleeps"
            " for a while. The process was killed during the sleep. The new process replays the body from"
            " its first line. How often did “collect” run in all?",
            "handle_incident 是一个工作流工具。函数体先执行步骤“collect”，再问人，然后睡眠一段时间。进程在睡"
            "眠时被杀死。新进程从第一行开始重放函数体。“collect”一共执行了几次？",
        ),
        choices=(
            Text("Once.", "一次。"),
            Text("Twice: the body began again.", "两次：函数体从头来过。"),
        ),
        answer=lambda: min(len(_collect().attempts), 2) - 1,
        reveal=Text(
            "Attempts of “collect”: {times}. It ran at {ran}, the kill was at {killed}. The new process got"
            " its result from the record and slept until {woke} (the sleep was due at {due}). The ledger has"
            " the plan applied {applied} time. Observed: sample:workflow-tool.",
            "“collect”的尝试次数：{times}。它在 {ran} 执行，进程在 {killed} 被杀死。新进程从记录里取到它的"
            "结果，一直睡到 {woke}（睡眠本应在 {due} 结束）。账本里，方案执行了 {applied} 次。这是观察到的："
            "sample:workflow-tool。",
        ),
        facts=_facts_replay,
        source="sample:workflow-tool (events, ledger)",
    ),
}

_HINTS = {
    "outside-a-step": Text(
        "This call stands in the body itself, so every replay makes it again. What does ctx.step(name,"
        " function) do for a call?",
        "这个调用直接写在函数体里，每次重放都会再做一遍。ctx.step(名字, 函数) 能为它做什么？",
    ),
    "diverged": Text(
        "At the replay the body took another way than its record. What did it decide by? A variable of the"
        " process, a clock, a look at the outside: none of them stays. After the charge the same look finds"
        " something. Inside a step the answer would be on record.",
        "重放时，函数体走了和记录不同的路。它靠什么做决定？进程里的变量、时钟、去外部查的结果，都会变：扣款"
        "之后再查，就查得到了。放进步骤里，查到的结果就会被记下。",
    ),
    "no-key": Text(
        "A step that had acted and did not reach its record runs again, and then the charge in it is a new"
        " one. A step does not replace the key.",
        "做完了却没来得及记下的步骤会重新执行，里面的扣款就成了新的一笔。步骤代替不了键。",
    ),
    "key-changed": Text(
        "The key was another one when the step ran again. Make it from the order.",
        "步骤重新执行时，键变了。请用订单号来拼。",
    ),
    "checked-too-early": Text(
        "The look came before the charge had landed (lesson 5). A key would have caught it.",
        "查询的时候，扣款还没到账（第 5 课）。有键就能挡住。",
    ),
    "not-asked-for": Text(
        "Something was done although the person said no. Where does the body ask, and what does it do"
        " before?",
        "人说了 no，事情却做了。函数体是在哪里问的？在那之前做了什么？",
    ),
    "not-done": Text(
        "The person said yes, and it was not all done. Which way did the body take?",
        "人说了 yes，事情却没有全做完。函数体走的是哪条路？",
    ),
    "threw": Text(
        "The body ended with an exception; the story says which. ctx.ask and ctx.sleep belong into the body,"
        " not into a step. A step takes the function itself, without brackets after its name.",
        "函数体抛出错误结束了，上面写明了是哪一个。ctx.ask 和 ctx.sleep 要写在函数体里，不能放进步骤。步骤要"
        "的是函数本身，名字后面不加括号。",
    ),
}

TASK = Task(
    lesson="06",
    slug="parking-and-replay",
    title=Text("Parking and replay", "挂起与重放"),
    answer="order",
    kind="workflow",
    cases=_cases,
    promises=(it_ends(), each_deed_once(), nothing_else(), no_lies()),
    # Half a day: a body that decides by the hour or the date takes another way then. Two of them are less
    # than the 24 hours for which the provider knows a key: that is lesson 7.
    hours=(0.0, 11.6),
    predictions=MappingProxyType(_PREDICTIONS),
    hints=MappingProxyType(_HINTS),
    good=Text(
        "The body takes the same way at every replay, asks before it acts, and what it does is harmless when"
        " done again. It rests on the record for the way, and on the keys for a step that did not reach its"
        " record. A call in the body itself is repeated for as long as the run lives, longer than most keys"
        " are remembered (lesson 7).",
        "函数体每次重放都走同一条路，先问再做，要做的事重做也无妨。走哪条路靠记录，没来得及记下的步骤靠键。"
        "直接写在函数体里的调用，只要运行还在，就会一再重做，而多数键不会被记那么久（第 7 课）。",
    ),
    minutes=20,
    finds=Text(
        "Why waiting costs nothing, what is run again when a body is replayed, and what an approval does not"
        " cover.",
        "为什么等待没有代价，重放函数体时什么会重新执行，以及批准管不到什么。",
    ),
)

"""Lesson 7, bigger steps and long outages: batches, budgets, leases, other versions, and forgotten keys.

The exercise is a payment whose key the provider forgets after a day, in a run that may come back after three.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from eve_replay.workshop.model import Ask, Case, Deed, Fault, Outcome, Text, Turn
from eve_replay.workshop.promises import (
    done_or_told,
    each_deed_at_most_once,
    it_ends,
    no_lies,
    nothing_else,
    person_only_when_needed,
)
from eve_replay.workshop.task import CRASHES, Prediction, Task
from eve_replay.workshop.tasks._names import Names
from eve_replay.workshop.tasks._readings import (
    action,
    clock,
    events,
    gap,
    ledger,
    repeated,
    session,
    started,
)

__all__ = ["TASK"]

_BATCH, _KILLS, _LEASE, _STRANDED = "batch-crash", "attempts-exhausted-kill", "crash-lease-20s", "stranded"
#: How long the run stays away in the longest outage: longer than the provider remembers a key.
_AWAY_HOURS, _KEY_HOURS = 72.0, 24.0
_SETTING = {"payments": {"key_hours": _KEY_HOURS, "timeouts": True}}


def _pay(order: str, cents: int, invoice: str) -> Ask:
    deed = Deed(effect="charge", match={"invoice": invoice, "cents": cents}, words=invoice)
    return Ask(tool="pay", input={"order": order, "cents": cents, "invoice": invoice}, deeds=(deed,))


def _cases(seed: int) -> tuple[Case, ...]:
    names = Names(seed)
    order, cents = names.order(), names.cents()
    one, other = _pay(order, cents, names.invoice()), _pay(order, cents, names.invoice())
    return (
        Case(
            name="one-invoice",
            turns=(Turn(message="Pay the invoice.", answers=((one,),)),),
            setting=_SETTING,
            seed=seed,
            words=Text("one invoice", "一张账单"),
        ),
        Case(
            name="batch",
            turns=(Turn(message="Pay both instalments.", answers=((one,), (other,))),),
            model="new-ids",
            calls_per_step=4,
            setting=_SETTING,
            seed=seed,
            words=Text(
                "two invoices of one order, both in one step of up to four model calls; new call ids",
                "同一个订单的两张账单，在同一个步骤里（最多四次模型调用）；调用 id 会变",
            ),
        ),
    )


# -- predictions ---------------------------------------------------------------------------------------


def _batch_customers() -> tuple[str, ...]:
    return tuple(str(line["customer"]) for line in events(ledger(_BATCH), effect="charge"))


def _facts_batch() -> Mapping[str, object]:
    step, charged = repeated(_BATCH), _batch_customers()
    once = [each for each in dict.fromkeys(charged) if charged.count(each) == 1]
    return {
        "first": charged.count(charged[0]),
        "mails": len(events(ledger(_BATCH), effect="email")),
        "models": len(step.attempts[0].model_calls),
        "held": len(step.coordinates),
        "once": ", ".join(once),
    }


def _kills() -> tuple[int, int]:
    """Starts of the step and charges in the ledger."""
    return len(repeated(_KILLS).attempts), len(events(ledger(_KILLS), effect="charge"))


def _facts_kills() -> Mapping[str, object]:
    starts, charges = _kills()
    return {"starts": starts, "charges": charges, "status": repeated(_KILLS).status}


def _lease_choice() -> int:
    first, second = (started(each) for each in repeated(_LEASE).attempts[:2])
    ready = action(_LEASE, "server.ready", -1)
    away = [
        abs((second - ready).total_seconds()),
        abs((second - first).total_seconds() - 20),
        abs((second - ready).total_seconds() - 20),
    ]
    return away.index(min(away))


def _facts_lease() -> Mapping[str, object]:
    first, second = (started(each) for each in repeated(_LEASE).attempts[:2])
    ready = action(_LEASE, "server.ready", -1)
    return {
        "first": clock(first),
        "ready": clock(ready),
        "second": clock(second),
        "gap": gap(first, second),
        "idle": gap(ready, second),
    }


def _key_only(input: Mapping[str, Any], ctx: object, outside: Any) -> object:
    """Pay with a key that stays: what lesson 4 ended with."""
    invoice = input["invoice"]
    paid = outside.payments.charge(input["order"], input["cents"], key=f"pay {invoice}", invoice=invoice)
    return {"status": "paid", "id": paid["id"]}


@cache
def _after(hours: float) -> Outcome:
    """The key-only tool: the process dies just after the payment and stays away for some hours."""
    from eve_replay.workshop.engine.runtime import run

    case = _cases(0)[0]
    quiet = run({"pay": _key_only}, case)
    point = next(each.number for each in quiet.trace if each.kind == "call" and each.service == "payments")
    assert point is not None  # a call to the outside is where a fault can fall
    return run({"pay": _key_only}, case, (Fault(point, "crash-after", hours),))


def _facts_forgotten() -> Mapping[str, object]:
    return {
        "soon": len(_after(0.0).ledger),
        "late": len(_after(_AWAY_HOURS).ledger),
        "hours": int(_KEY_HOURS),
        "days": int(_AWAY_HOURS // 24),
        "version": session(_STRANDED).eve_version,
        "refused": events(_refusals(), status=409)[0]["status"],
    }


def _refusals() -> tuple[Mapping[str, Any], ...]:
    from eve_replay.workshop.tasks._readings import actions

    return events(actions(_STRANDED), action="message.send")


_PREDICTIONS = {
    "bigger-step": Prediction(
        question=Text(
            "This agent puts up to four model calls into one step. The first one charged a card, the second"
            " one sent a mail, and the process was killed in the third one. After the restart the turn went"
            " on to its end. How often was that first card charged?",
            "这个 agent 最多把四次模型调用放进一个步骤。第一次扣了款，第二次发了邮件，进程在第三次模型调用时"
            "被杀死。重启之后，这一轮走到了最后。第一张卡一共扣了几次款？",
        ),
        choices=(
            Text("Once: its model call was long finished.", "一次：它那次模型调用早就完成了。"),
            Text("Twice.", "两次。"),
        ),
        answer=lambda: min(_batch_customers().count(_batch_customers()[0]), 2) - 1,
        reveal=Text(
            "{first} times, and {mails} mails went out. The step held {held} model calls, {models} of them"
            " had begun, none was committed, so the whole step ran again. The charges after the kill"
            " ({once}) happened once. Observed: ledger of sample:batch-crash. Larger steps save commits and"
            " repeat more.",
            "{first} 次，邮件发出 {mails} 封。这个步骤装了 {held} 次模型调用，其中 {models} 次已经开始，没有"
            "一次提交，所以整个步骤重新执行。崩溃之后才轮到的扣款（{once}）只发生一次。这是观察到的："
            "sample:batch-crash 的账本。步骤越大，提交越少，重做的也越多。",
        ),
        facts=_facts_batch,
        source="sample:batch-crash (ledger); docs/evidence/observed.md#batches",
    ),
    "budget": Prediction(
        question=Text(
            "A step has three retries. Its tool charges a card, then the process is killed; it is started"
            " again, and killed again in the same place, over and over. How often is the card charged?",
            "一个步骤有三次重试。它的工具扣了款，进程随即被杀死；重启之后又在同一处被杀死，一次又一次。这张"
            "卡扣了几次款？",
        ),
        choices=(
            Text("Once.", "一次。"),
            Text("Four times: the first try and three retries.", "四次：第一次，加上三次重试。"),
            Text("Every time it was started.", "启动几次就扣几次。"),
        ),
        answer=lambda: 2 if _kills()[1] == _kills()[0] > 4 else 1 if _kills()[1] > 1 else 0,
        reveal=Text(
            "{starts} starts, {charges} charges, and the step is still {status}. A kill is never counted"
            " against the retries; only a recorded error is. Observed: sample:attempts-exhausted-kill,"
            " docs/evidence/observed.md#budget. A tool that brings its process down repeats its effect at"
            " every restart.",
            "启动 {starts} 次，扣款 {charges} 次，步骤仍是 {status}。进程被杀死不计入重试次数，只有记录下来"
            "的错误才算。这是观察到的：sample:attempts-exhausted-kill，docs/evidence/observed.md#budget。会把"
            "进程弄死的工具，每"
            "次重启都会把事再做一遍。",
        ),
        facts=_facts_kills,
        source="sample:attempts-exhausted-kill; docs/evidence/observed.md#budget",
    ),
    "lease": Prediction(
        question=Text(
            "Here an interrupted step is kept for its owner for 20 seconds (its lease; eve's default is 860"
            " seconds, about 14 minutes). The process is killed in the step and started again a few seconds"
            " later. When does attempt 2 begin?",
            "在这里，被中断的步骤为原来的进程保留 20 秒（租约；eve 默认 860 秒，约 14 分钟）。进程在步骤里被"
            "杀死，几秒后重新启动。第 2 次尝试什么时候开始？",
        ),
        choices=(
            Text("As soon as the server is ready.", "服务器一就绪就开始。"),
            Text("20 seconds after attempt 1 began.", "第 1 次尝试开始之后 20 秒。"),
            Text("20 seconds after the restart.", "重启之后 20 秒。"),
        ),
        answer=_lease_choice,
        reveal=Text(
            "Attempt 1 began at {first}, the new server was ready at {ready}, attempt 2 began at {second}:"
            " {gap} s after attempt 1. For {idle} s a healthy server did nothing about it. Observed:"
            " sample:crash-lease-20s, docs/evidence/observed.md#lease. The lease counts from the start of"
            " the step.",
            "第 1 次尝试 {first} 开始，新服务器 {ready} 就绪，第 2 次尝试 {second} 开始，距第 1 次 {gap}"
            " 秒。其中有 {idle} 秒，服务器好好的，却什么也不做。这是观察到的：sample:crash-lease-20s，"
            "docs/evidence/observed.md#lease。租约从步骤开始时算起。",
        ),
        facts=_facts_lease,
        source="sample:crash-lease-20s; docs/evidence/observed.md#lease",
    ),
    "forgotten": Prediction(
        question=Text(
            "The provider remembers a key for 24 hours. The process dies just after the payment. The server"
            " comes back with another eve version, which does not go on with the run; three days later"
            " somebody starts the right version. The tool pays again with the same key. How many payments"
            " are there?",
            "支付服务的键只记 24 小时。进程刚付完款就死了。服务器换了一个 eve 版本启动，新版本不接着做这个运"
            "行；三天后，才有人启动对的版本。工具用同一个键又付了一次。一共有几笔付款？",
        ),
        choices=(
            Text("One: it is the same key.", "一笔：键是同一个。"),
            Text("Two.", "两笔。"),
        ),
        answer=lambda: min(len(_after(_AWAY_HOURS).ledger), 2) - 1,
        reveal=Text(
            "Simulated: back at once, {soon} payment; back after {days} days, {late}. The key was the same,"
            " but the provider had forgotten it after {hours} hours. That a run waits for its version is"
            " observed: in sample:stranded a message to the session of eve {version} was answered with"
            " {refused}, and nothing else happened. That a provider forgets keys is an assumption here: read"
            " what yours promises.",
            "模拟结果：马上回来，{soon} 笔；{days} 天后回来，{late} 笔。键没变，但支付服务 {hours} 小时后就"
            "忘了它。运行会一直等它的版本，这是观察到的：sample:stranded 里，发给 eve {version} 会话的消息只"
            "得到 {refused}，此外什么也没发生。支付服务会忘记键，在这里是假设：请查一查你的支付服务承诺记多"
            "久。",
        ),
        facts=_facts_forgotten,
        source="simulated; sample:stranded; docs/evidence/environments.md#another-version",
    ),
}

_HINTS = {
    "key-expired": Text(
        "The key came back after the provider had forgotten it. What else can you ask the provider before"
        " you pay? It has a list: outside.payments.find(invoice=...).",
        "键再次出现时，支付服务已经忘了它。付款之前，还能问支付服务什么？它有一份清单："
        "outside.payments.find(invoice=...)。",
    ),
    "checked-too-early": Text(
        "The list does not show a payment that is still on its way (lesson 5). What did protect you against"
        " that one?",
        "还在路上的付款，清单里看不到（第 5 课）。当时是什么挡住了它？",
    ),
    "answer-lost": Text(
        "No answer is not a no. The payment may be there. What can you do again without harm, now that there"
        " is a key?",
        "没有回答不等于没做成。款可能已经付了。既然有键，什么可以放心再做一次？",
    ),
    "no-key": Text(
        "Each try looks like a new payment to the provider. Which word is the same on every try?",
        "对支付服务来说，每次请求都像一笔新付款。什么东西每次都一样？",
    ),
    "key-changed": Text(
        "The key was another one the second time. Attempt, clock and call id change; the invoice does not.",
        "第二次用的键变了。尝试次数、时钟和调用 id 都会变，账单号不会。",
    ),
    "key-merged": Text(
        "Two invoices of one order came under one key. Only one of them was paid.",
        "同一个订单的两张账单用了同一个键，结果只付了一张。",
    ),
    "not-done": Text(
        "It said paid, and this invoice was not. Which payment did you find? An order can have several.",
        "说是付了，这张账单其实没付。你查到的是哪一笔？一个订单可能有好几笔。",
    ),
    "person-not-needed": Text(
        "A person was asked although nothing had gone wrong, or although looking would have told.",
        "什么也没出错，或者查一下就知道，却打扰了人。",
    ),
    "threw": Text(
        "The tool ended with an exception. eve tells it to the model as an error and commits the step:"
        " nothing will come back to it. Catch Timeout.",
        "工具抛出错误结束了。eve 会把错误告诉模型，并提交步骤：不会再有谁回来处理。请捕获 Timeout。",
    ),
}

TASK = Task(
    lesson="07",
    slug="bigger-steps-long-outages",
    title=Text("Bigger steps, long outages", "更大的步骤，更久的中断"),
    answer="pay",
    cases=_cases,
    promises=(
        each_deed_at_most_once(),
        no_lies(),
        done_or_told(),
        person_only_when_needed(),
        nothing_else(),
        it_ends(),
    ),
    faults=(*CRASHES, "lost", "refused"),
    hours=(0.0, _AWAY_HOURS),
    predictions=MappingProxyType(_PREDICTIONS),
    hints=MappingProxyType(_HINTS),
    good=Text(
        "It holds back at once and after three days, with answers lost on the way. The key covers what is"
        " still on its way, the look covers what the provider has forgotten. It rests on a list at the"
        " provider that can be searched by something of yours. Without one, keep a record of your own, as in"
        " lesson 5.",
        "马上回来、三天后回来、回答丢失，它都守得住。键管还在路上的，查询管支付服务已经忘掉的。它靠的是：支付"
        "服务有一份清单，可以按你的编号来查。没有的话，就像第 5 课那样自己留一份记录。",
    ),
    minutes=20,
    finds=Text(
        "How much a crash repeats, when recovery comes, and why a key alone does not survive a long outage.",
        "一次崩溃会重做多少，什么时候才恢复，为什么只靠键撑不过长时间的中断。",
    ),
)

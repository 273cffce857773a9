"""Lesson 5, claim before act: a mail server without keys, and a store in which one process can be the first.

Looking first and acting then is what sample:pay-check-then-act shows failing. A claim is one atomic write, so
nobody acts twice; the price is a claim that is found ``pending``, behind which nobody can see.
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
from eve_replay.workshop.task import Prediction, Task
from eve_replay.workshop.tasks._names import Names
from eve_replay.workshop.tasks._readings import clock, events, ledger, marks, when

__all__ = ["TASK"]

_SAMPLE = "pay-check-then-act"


def _mail(to: str, subject: str) -> Ask:
    deed = Deed(effect="mail", match={"to": to, "subject": subject}, words=f"{subject} -> {to}")
    return Ask(tool="send", input={"to": to, "subject": subject}, deeds=(deed,))


def _cases(seed: int) -> tuple[Case, ...]:
    names = Names(seed)
    one, other = names.person(), names.person()
    first, second = f"Receipt for {names.order()}", f"Receipt for {names.order()}"
    return (
        Case(
            name="two-receipts",
            turns=(Turn(message="Send both receipts.", answers=((_mail(one, first), _mail(one, second)),)),),
            seed=seed,
            words=Text("one person gets two receipts", "同一个人收到两张收据"),
        ),
        Case(
            name="new-ids",
            turns=(
                Turn(message="Send the receipt.", answers=((_mail(one, first),),)),
                Turn(message="And to the accountant.", answers=((_mail(other, first),),)),
            ),
            model="new-ids",
            seed=seed,
            words=Text(
                "two people get the same receipt, and the model gives new call ids when asked again",
                "两个人收到同一张收据；再问模型时，它给出新的调用 id",
            ),
        ),
    )


# -- predictions ---------------------------------------------------------------------------------------


def _looks() -> tuple[Mapping[str, Any], ...]:
    return events(marks(_SAMPLE), mark="pay.check")


def _facts_second_look() -> Mapping[str, object]:
    looks, paid = _looks(), events(ledger(_SAMPLE), effect="payment")
    sent = events(marks(_SAMPLE), mark="pay.send")
    return {
        "sent": clock(when(sent[0])),
        "look": clock(when(looks[-1])),
        "found": looks[-1]["found"],
        "landed": clock(when(paid[0])),
        "payments": len(paid),
    }


def _claims_first(input: Mapping[str, str], ctx: object, outside: Any) -> object:
    """Claim, send, write down: the tool of the second prediction."""
    if outside.store.set_nx("mail", "pending"):
        outside.mail.send(input["to"], input["subject"])
        outside.store.set("mail", "done")
        return {"status": "sent"}
    return {"status": str(outside.store.get("mail"))}


@cache
def _after_the_claim() -> tuple[Outcome, Outcome]:
    """The same tool twice: the process dies just before the mail, and just after it."""
    from eve_replay.workshop.engine.runtime import run

    turn = Turn(message="Send the receipt.", answers=((_mail("ann@example.com", "Receipt"),),))
    case = Case(name="claim", turns=(turn,))
    tools = {"send": _claims_first}
    quiet = run(tools, case)
    point = next(each.number for each in quiet.trace if each.kind == "call" and each.service == "mail")
    assert point is not None  # a call to the outside is where a fault can fall
    return (
        run(tools, case, (Fault(point, "crash-before"),)),
        run(tools, case, (Fault(point, "crash-after"),)),
    )


def _claim_choice() -> int:
    before, after = _after_the_claim()
    if before.results != after.results:  # the store would have told them apart
        return 0
    return 2 if len(before.ledger) != len(after.ledger) else 0 if before.ledger else 1


def _facts_claim() -> Mapping[str, object]:
    before, after = _after_the_claim()
    seen = next(iter(before.results.values()))
    return {
        "before": len(before.ledger),
        "after": len(after.ledger),
        "word": seen["status"] if isinstance(seen, Mapping) else seen,
    }


_PREDICTIONS = {
    "second-look": Prediction(
        question=Text(
            "Attempt 1 looked whether the order was paid, found nothing, and sent the payment. The process"
            " was killed while the payment was on its way. Attempt 2 looks again. What does it find?",
            "第 1 次尝试先查订单是否已付款，没查到，就发出了付款请求。请求还在路上，进程就被杀了。第 2 次尝"
            "试又查了一遍，它会查到什么？",
        ),
        choices=(
            Text("The payment, so it does not pay again.", "查到那笔付款，所以不再付款。"),
            Text("Nothing, so it pays again.", "什么也没查到，所以又付一次款。"),
            Text("It cannot look, the order is locked.", "没法查，订单被锁住了。"),
        ),
        answer=lambda: 0 if _looks()[-1]["found"] else 1,
        reveal=Text(
            "The payment was sent at {sent}. Attempt 2 looked at {look} and found {found} payments. The"
            " first payment landed at {landed}, after the look. The ledger has {payments} payments."
            " Observed: markers and ledger of sample:pay-check-then-act.",
            "付款请求在 {sent} 发出。第 2 次尝试在 {look} 去查，查到 {found} 笔。第一笔付款 {landed} 才到"
            "账，比查询晚。账本里有 {payments} 笔付款。这是观察到的（observed）：sample:pay-check-then-act"
            " 的标记和账本。",
        ),
        facts=_facts_second_look,
        source="sample:pay-check-then-act (marks, ledger)",
    ),
    "pending": Prediction(
        question=Text(
            "Another tool claims first: it writes “pending” into the store if nobody has, then sends the"
            " mail, then writes “done”. The process dies. The next attempt finds “pending”. What does it"
            " know about the mail?",
            "另一个工具先占位：如果没人写过，就往存储里写下“pending”，然后发邮件，最后写“done”。进程死了，下"
            "一次尝试看到的是“pending”。关于邮件，它知道什么？",
        ),
        choices=(
            Text("It went out.", "已经发出。"),
            Text("It did not go out.", "没有发出。"),
            Text("Neither of the two.", "发没发出，它都不知道。"),
        ),
        answer=_claim_choice,
        reveal=Text(
            "Simulated twice. Died just before the mail: {before} mails. Died just after it: {after}. Both"
            " times the store says {word}. So a claim found pending means unknown, and no code can find out."
            " A person can: they can ask the customer.",
            "模拟了两次。死在发邮件之前：{before} 封。死在发邮件之后：{after} 封。两次存储里都是 {word}。所"
            "以，看到 pending 就是“未知”，代码无从查明；人可以，比如去问客户。",
        ),
        facts=_facts_claim,
        source="the workshop's own runtime, runtime eve",
    ),
}

_HINTS = {
    "noted-too-late": Text(
        "The note came after the mail, and the process died between the two. Is there a call of the store"
        " that looks and writes in one, before the mail?",
        "记录写在发邮件之后，进程正好死在两者之间。存储有没有一个调用，能在发邮件之前把查和写合成一步？",
    ),
    "checked-too-early": Text(
        "Between looking and acting there is room for a crash. Is there a call of the store that looks and"
        " writes in one?",
        "在“查”和“做”之间，进程可能会死。存储有没有一个调用，能把查和写合成一步？",
    ),
    "no-key": Text(
        "The mail server remembers nothing, and nothing was written down before the mail."
        " outside.store.set_nx(name, value) is True for the first caller only.",
        "邮件服务器什么也不记，而发邮件之前也没有写下任何东西。outside.store.set_nx(名字, 值) 只对第一个调用"
        "者返回 True。",
    ),
    "key-ignored": Text(
        "This mail server looks at no key. The store can remember for it: outside.store.set_nx(name, value).",
        "这台邮件服务器不认键。可以让存储替它记：outside.store.set_nx(名字, 值)。",
    ),
    "claimed-not-done": Text(
        "The store had an entry, the mail was not sent. A claim says that somebody began, not that it is"
        " done. What is in the store when it is done, and when is that written?",
        "存储里有记录，邮件却没发。占位只说明有人开始了，不说明做完了。真正做完时，存储里应该是什么，又该在"
        "什么时候写？",
    ),
    "claim-ignored": Text(
        "The claim was pending, and the mail may have gone out. Sending it again is a guess. Who can find"
        " out?",
        "占位是 pending，邮件可能已经发出。再发一次只是猜。谁能查明？",
    ),
    "claim-released": Text(
        "The claim was gone, so the tool could claim and send again. Who may take a claim away, if nobody"
        " knows whether the mail went out? And recovery may come after 14 minutes (the lease, see"
        " docs/evidence/observed.md#lease) or after days: how long does your claim have to last?",
        "占位没了，工具就能再占位、再发一次。既然没有人知道邮件发没发，谁可以拿走占位？而且恢复可能在 14 分"
        "钟后（租约，见 docs/evidence/observed.md#lease），也可能在几天后：你的占位要保留多久？",
    ),
    "pending-forever": Text(
        "A claim was found pending, and nobody learned of this mail. Who can find out whether it arrived?"
        " outside.people.tell(...) reaches them; name the mail in the text.",
        "看到了 pending，却没有人知道是哪封邮件。谁能查明它到没到？用 outside.people.tell(...) 通知人工，文字"
        "里写明是哪封邮件。",
    ),
    "key-merged": Text(
        "Two different mails had one claim. What makes this mail this one?",
        "两封不同的邮件共用了一个占位。是什么让这封邮件有别于另一封？",
    ),
    "key-changed": Text(
        "The tool ran again and claimed under another name. The call id is the model's (lesson 4). What does"
        " the mail itself have that stays?",
        "工具重新执行时，用了另一个名字占位。调用 id 是模型给的（第 4 课）。邮件本身有什么是不变的？",
    ),
    "person-not-needed": Text(
        "A person was asked although the tool could know. Their time is for what no program can know. When"
        " does the store say that the mail went out?",
        "工具自己能知道，却打扰了人。人的时间，应该留给程序无从知道的事。存储里什么值说明邮件已经发出？",
    ),
}

TASK = Task(
    lesson="05",
    slug="claim-before-act",
    title=Text("Claim before act", "先占位，再动手"),
    answer="send",
    cases=_cases,
    promises=(
        each_deed_at_most_once(),
        no_lies(),
        done_or_told(),
        person_only_when_needed(),
        nothing_else(),
        it_ends(),
    ),
    predictions=MappingProxyType(_PREDICTIONS),
    hints=MappingProxyType(_HINTS),
    good=Text(
        "No mail goes out twice, and where nobody can know, a person is told. It rests on one atomic write"
        " before the mail. What it cannot do: make sure by itself that the mail goes out. Without a key at"
        " the receiver, at most once and at least once cannot both be had.",
        "没有一封邮件会发两次；查不明的，都通知了人工。这靠的是发邮件之前的那一次原子写入。它做不到的：自己"
        "保证邮件一定发出。接收方不认键，“最多一次”和“至少一次”就不能兼得。",
    ),
    minutes=15,
    finds=Text(
        "How to act at most once where the receiver takes no key, and what that costs.",
        "接收方不认键时，怎样做到最多一次，以及代价是什么。",
    ),
)

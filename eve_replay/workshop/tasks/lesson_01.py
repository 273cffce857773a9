"""Lesson 1: the mail sent twice. A step runs again as a whole; a key that stays makes it harmless."""

from __future__ import annotations

from collections.abc import Mapping

from eve_replay.workshop.model import Ask, Case, Deed, Text, Turn
from eve_replay.workshop.promises import each_deed_once, it_ends, nothing_else
from eve_replay.workshop.task import Prediction, Task
from eve_replay.workshop.tasks._names import Names
from eve_replay.workshop.tasks._readings import clock, events, ledger, marks, when

__all__ = ["TASK"]

_SAMPLE = "crash-in-tool"
#: The mail service of this lesson honours a key.
_SETTING = {"mail": {"keys": True}}


def _mail(to: str, subject: str) -> Ask:
    deed = Deed(effect="mail", match={"to": to, "subject": subject}, words=f"{subject} -> {to}")
    return Ask(tool="send_mail", input={"to": to, "subject": subject}, deeds=(deed,))


def _charge(order: str, cents: int) -> Ask:
    deed = Deed(effect="charge", match={"order": order}, words=order)
    return Ask(tool="charge_card", input={"order": order, "cents": cents}, deeds=(deed,))


def _cases(seed: int) -> tuple[Case, ...]:
    names = Names(seed)
    order, cents, to = names.order(), names.cents(), names.person()
    receipt = _mail(to, f"Receipt for {order}")
    one = Case(
        name="one-receipt",
        turns=(
            Turn(
                message="Charge the card and send the receipt.", answers=((receipt, _charge(order, cents)),)
            ),
        ),
        setting=_SETTING,
        seed=seed,
        words=Text("one receipt, one charge", "一封收据，一次扣款"),
    )
    both = [_mail(names.person(), "Your ticket"), _mail(names.person(), "Your ticket")]
    two = Case(
        name="two-mails",
        turns=(Turn(message="Send both of them their ticket.", answers=(tuple(both),)),),
        setting=_SETTING,
        seed=seed,
        words=Text("two people get the same mail", "两个人收到同样的邮件"),
    )
    later = Case(
        name="two-turns",
        turns=(
            Turn(message="Send the offer.", answers=((_mail(to, "Offer"),),)),
            Turn(message="Now the contract.", answers=((_mail(to, "Contract"),),)),
        ),
        setting=_SETTING,
        seed=seed,
        words=Text("one person gets two mails, one after the other", "同一个人先后收到两封邮件"),
    )
    steps = Case(
        name="two-steps",
        turns=(
            Turn(
                message="Send the order and then the reminder.",
                answers=((_mail(to, "Your order"),), (_mail(to, "A reminder"),)),
            ),
        ),
        setting=_SETTING,
        seed=seed,
        words=Text("one turn, two steps: one person gets two mails", "一轮两步：同一个人收到两封邮件"),
    )
    return one, two, later, steps


def charge_card(input: Mapping[str, object], ctx: object, outside: object) -> object:
    """Charge with a key that stays: the other tool of this lesson, which is in order."""
    payments = outside.payments  # type: ignore[attr-defined]
    paid = payments.charge(input["order"], input["cents"], key=f"order {input['order']}")
    return {"status": "charged", "charge": paid["id"]}


def _facts() -> Mapping[str, object]:
    mails = events(ledger(_SAMPLE), effect="email")
    return {
        "mails": len(mails),
        "charges": len(events(ledger(_SAMPLE), effect="charge")),
        "asked": len(events(marks(_SAMPLE), mark="model.begin", reply=0)),
        "first": clock(when(mails[0])),
        "last": clock(when(mails[-1])),
    }


def _again() -> int:
    asked = len(events(marks(_SAMPLE), mark="model.begin", reply=0))
    if asked > 1:
        return 2
    return int(len(events(ledger(_SAMPLE), effect="email")) > 1)


_PREDICTIONS = {
    "mails": Prediction(
        question=Text(
            "send_email had returned. charge_card was still at work when the process was killed."
            " Somebody started it again. How often was the mail sent?",
            "send_email 已经返回，charge_card 还在执行，这时进程被杀死，随后重新启动。邮件一共发送了几次？",
        ),
        choices=(
            Text("not at all", "一次也没有"),
            Text("once: send_email had returned, so it was done", "一次：send_email 已经返回，事情做完了"),
            Text("twice", "两次"),
        ),
        answer=lambda: min(len(events(ledger(_SAMPLE), effect="email")), 2),
        reveal=Text(
            "The ledger of this recording has {mails} mails, at {first} and {last} UTC, and {charges}"
            " charges. That is observed: the tool wrote a line each time it acted.",
            "这份运行记录的账本里有 {mails} 封邮件（{first} 和 {last}，UTC），还有 {charges} 次扣款。这是观察"
            "到的（observed）：工具每次动手，都往账本里写了一行。",
        ),
        facts=_facts,
        source="sample:crash-in-tool (ledger)",
    ),
    "again": Prediction(
        question=Text(
            "What ran a second time after the restart?",
            "重新启动以后，哪些东西又执行了一遍？",
        ),
        choices=(
            Text("only charge_card, because it had not returned", "只有 charge_card，因为它还没有返回"),
            Text("both tools, but the model was not asked again", "两个工具又都执行了，但没有再问模型"),
            Text(
                "all of the step: the model was asked again and both tools ran again",
                "整个步骤：又问了一次模型，两个工具也都又执行了一遍",
            ),
        ),
        answer=_again,
        reveal=Text(
            "The model was asked {asked} times for the same answer; with a real one each time is paid."
            " Both tools ran again, although one of them had returned.",
            "同一个回答，问了模型 {asked} 次；如果是真实的模型，每次都要付钱。两个工具都又执行了一遍，尽管"
            "其中一个已经返回过。",
        ),
        facts=_facts,
        source="sample:crash-in-tool (marks), docs/evidence/sweep.md#d",
    ),
}

_HINTS = {
    "no-key": Text(
        "Both requests look like two different wishes to the mail service. What could you send along, so"
        " that it can see that they are the same one? Look at key= in outside.mail.send.",
        "对邮件服务来说，两次请求看起来就是两件不同的事。你可以随请求带上什么，让它看出这是同一件事？看看"
        " outside.mail.send 的 key= 参数。",
    ),
    "memory-lost": Text(
        "Your note was in the memory of the process, and the process is gone. What is there on the"
        " second attempt that was there on the first one?",
        "你的记录写在进程的内存里，而进程已经没了。第二次尝试时，哪些东西和第一次是一样的？",
    ),
    "key-changed": Text(
        "The key has to be the same when the tool runs again. Make it out of things that do not change:"
        " what is in input and ctx, and no clock and no dice.",
        "工具重新执行时，键必须和上次一样。用不会变的东西来拼：input 和 ctx 里有的都可以，不要用时钟和随"
        "机数。",
    ),
    "key-merged": Text(
        "Two mails that were both wanted came with one key. The key has to be the same for the same"
        " mail, and another one for another mail.",
        "两封都该发的邮件用了同一个键。同一封邮件用同一个键，不同的邮件用不同的键。",
    ),
}

TASK = Task(
    lesson="01",
    slug="the-mail-sent-twice",
    title=Text("The mail sent twice", "发了两次的邮件"),
    answer="send_mail",
    cases=_cases,
    others={"charge_card": charge_card},
    promises=(each_deed_once(), nothing_else(), it_ends()),
    predictions=_PREDICTIONS,
    hints=_HINTS,
    good=Text(
        "Every mail went out once, wherever the process died. Your fix rests on two things: the key is"
        " the same when the tool runs again, and the mail service keeps its word and honours it. Plain"
        " mail servers do not know keys. And is your key really always the same? Lesson 4 looks closer.",
        "无论进程死在哪里，每封邮件都只发出了一次。你的修复靠两点：工具重新执行时键不变；邮件服务说话算"
        "数，真的认键。普通的邮件服务器并不认键。还有，你的键真的永远不变吗？第 4 课再细看。",
    ),
    minutes=15,
    finds=Text(
        "Why a tool that has returned can run again, and how a key makes that harmless.",
        "为什么已经返回的工具还会重新执行，以及一个键怎样让重复变得无害。",
    ),
)

"""Lesson 4: which key. Each candidate fails somewhere: the right key is the name of the deed."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from eve_replay.workshop.model import Ask, Case, Deed, Text, Turn
from eve_replay.workshop.promises import each_deed_once, it_ends, nothing_else
from eve_replay.workshop.task import Prediction, Task
from eve_replay.workshop.tasks._names import Names
from eve_replay.workshop.tasks._readings import events, ledger

__all__ = ["TASK"]


def _pay(order: str, invoice: str, cents: int) -> Ask:
    """One payment that is wanted. Its invoice is what no other payment has."""
    bill = {"order": order, "invoice": invoice, "cents": cents}
    return Ask(tool="pay", input=bill, deeds=(Deed(effect="charge", match=bill, words=invoice),))


def _cases(seed: int) -> tuple[Case, ...]:
    names = Names(seed)
    order, other, cents = names.order(), names.order(), names.cents()

    def pay(order: str) -> Ask:
        return _pay(order, names.invoice(), cents)

    minted = Case(
        name="new-ids",
        turns=(Turn(message=f"Pay {order}.", answers=((pay(order),),)),),
        model="new-ids",
        seed=seed,
        words=Text(
            "one payment, new call ids",
            "付一次款，调用 id 会变",
        ),
    )
    two_orders = Case(
        name="two-orders",
        turns=(Turn(message=f"Pay {order} and {other}.", answers=((pay(order),), (pay(other),))),),
        model="new-ids",
        seed=seed,
        words=Text("two orders, the same amount", "两个订单，金额相同"),
    )
    halves = Case(
        name="two-invoices",
        turns=(Turn(message=f"Pay both halves of {order}.", answers=((pay(order), pay(order)),)),),
        model="new-ids",
        seed=seed,
        words=Text("two invoices of one order", "同一个订单的两张账单"),
    )
    again = Case(
        name="again-on-purpose",
        turns=(
            Turn(message=f"Pay {order}.", answers=((pay(order),),)),
            Turn(message=f"They ordered the same once more. Pay {order} again.", answers=((pay(order),),)),
        ),
        model="new-ids",
        seed=seed,
        words=Text("once more in a second turn", "第二轮里再付一次"),
    )
    first, second = pay(order), pay(other)
    swapped = Case(
        name="other-order",
        turns=(
            Turn(
                message=f"Pay {order} and {other}.",
                answers=((first, second),),
                other=MappingProxyType({0: (second, first)}),
            ),
        ),
        model="other",
        seed=seed,
        words=Text("asked again: the other order", "再问时换了顺序"),
    )
    return minted, two_orders, halves, again, swapped


def _payments(sample: str) -> int:
    return len(events(ledger(sample), effect="payment"))


def _keys(sample: str) -> list[str]:
    """Return the keys that arrived, without the session's part, which is the same in all of them."""
    return [
        str(line["idempotencyKey"]).partition(":")[2] for line in events(ledger(sample), effect="payment")
    ]


_CHOICES = (Text("once", "1 次"), Text("twice", "2 次"))

_PREDICTIONS = {
    "with-key": Prediction(
        question=Text(
            "This tool pays with a key made of the session id and the call id. The process was killed"
            " while the request was on its way. How often was it paid in the end?",
            "这个工具付款时带一个键，由会话 id 和调用 id 组成。请求还在路上时，进程被杀死。最后一共付了几"
            "次？",
        ),
        choices=_CHOICES,
        answer=lambda: min(_payments("pay-with-key"), 2) - 1,
        reveal=Text(
            "{payments} payment. Without a key it was {without}: that is the recording pay-without-key.",
            "付了 {payments} 次。不带键时是 {without} 次，见运行记录 pay-without-key。",
        ),
        facts=lambda: {
            "payments": _payments("pay-with-key"),
            "without": _payments("pay-without-key"),
        },
        source="sample:pay-with-key, sample:pay-without-key (ledgers)",
    ),
    "minted": Prediction(
        question=Text(
            "The same tool with the same key, the same crash. One thing is different: this model makes a"
            " new call id for every answer, as real ones do. How often was it paid?",
            "同样的工具、同样的键、同样的崩溃。只有一点不同：这个模型每次回答都生成新的调用 id（真实的模"
            "型就是这样）。一共付了几次？",
        ),
        choices=_CHOICES,
        answer=lambda: min(_payments("pay-minted-ids"), 2) - 1,
        reveal=Text(
            "{payments} payments. The two keys ended in {first} and {second}: two keys, two payments.",
            "付了 {payments} 次。两个键的结尾分别是 {first} 和 {second}：两个键，两次付款。",
        ),
        facts=lambda: {
            "payments": _payments("pay-minted-ids"),
            "first": _keys("pay-minted-ids")[0],
            "second": _keys("pay-minted-ids")[-1],
        },
        source="sample:pay-minted-ids, docs/evidence/observed.md#call-ids",
    ),
    "my-key": Prediction(
        question=Text(
            "You write a tool that pays invoices. Its input is order, invoice and cents. What do you"
            " make the key of, and when could it fail? Write one sentence.",
            "你要写一个支付账单的工具，输入是 order、invoice、cents。你会用什么来拼键？它在什么情况下会失"
            "败？写一句话。",
        ),
        reveal=Text(
            "The call id holds only while the model gives the same ids when it is asked again. The place"
            " (turn, step, position) holds while the model asks for the same things in the same order."
            " The run id merges different payments of one run: only the first is made. The strongest key"
            " is the name of the deed itself, where it has one. Compare with your sentence; the exercise"
            " tries all of them.",
            "调用 id：再问模型时它给出相同的 id，才有效。位置（第几轮、第几步、第几个调用）：模型按同样的"
            "顺序要求同样的事，才有效。运行 id：会把一次运行里不同的付款合并，只有第一笔会付。最可靠的是"
            "这件事自己的名字，如果它有的话。和你写的比较一下；练习里每一种都会试到。",
        ),
        source="eve_replay.recovery.STRATEGIES: call-id, coordinates, run-id, business-id",
    ),
}

_HINTS: Mapping[str, Text] = {
    "no-key": Text(
        "This provider honours keys. Hand one over: key=...",
        "这个支付服务认键。请带上一个：key=...",
    ),
    "key-changed": Text(
        "The second attempt came with another key for the same payment. Which part of your key is made"
        " anew when the model is asked again? It may be an id, a time, or the place of the call.",
        "同一笔付款，第二次尝试带的键不一样了。再问模型时，你的键里哪一部分会变？可能是 id、时间，或者调"
        "用的位置。",
    ),
    "key-merged": Text(
        "Two payments that were both wanted came with one key, so the second one was not made. What is"
        " different between the two?",
        "两笔都该付的款用了同一个键，所以第二笔没有付。这两笔之间有什么不同？",
    ),
    "memory-lost": Text(
        "What a process remembers dies with it. The key has to come from input or ctx.",
        "进程记住的东西会随它一起消失。键必须来自 input 或 ctx。",
    ),
    "threw": Text(
        "The provider refuses a key that comes with another payment than the first time (KeyReused)."
        " Your key stands for a place, and after the restart something else stands in that place.",
        "同一个键第二次带来的是另一笔付款，支付服务就会拒绝（KeyReused）。你的键代表的是一个位置，而重启之"
        "后，这个位置上换成了别的付款。",
    ),
}

TASK = Task(
    lesson="04",
    slug="which-key",
    title=Text("Which key", "用哪个键"),
    answer="pay",
    cases=_cases,
    promises=(each_deed_once(), nothing_else(), it_ends()),
    predictions=_PREDICTIONS,
    hints=_HINTS,
    good=Text(
        "Your key names the deed: it is the same when the tool runs again, and another one for another"
        " payment. It still rests on the provider, which forgets keys after a while (lesson 7), and on"
        " the input: if somebody wants the same invoice paid twice on purpose, the input has to say so,"
        " or they are merged.",
        "你的键就是这件事的名字：工具重新执行时它不变，换一笔付款它就不同。它仍然依赖支付服务：过一段时间"
        "支付服务会忘记键（第 7 课）；也依赖输入：如果有人特意要把同一张账单付两次，输入里必须看得出来，"
        "否则会被合并成一次。",
    ),
    minutes=20,
    finds=Text(
        "Which of the keys at hand protects a payment, and when each of them fails.",
        "手边的几种键，哪一种能保护付款，各自在什么时候失效。",
    ),
)

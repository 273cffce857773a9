"""An exercise made for tests: pay each invoice once."""

from __future__ import annotations

from random import Random

from eve_replay.workshop.model import Ask, Case, Deed, Language, Text, Turn
from eve_replay.workshop.promises import each_deed_once, it_ends, nothing_else
from eve_replay.workshop.task import Judgement, Task


def _ask(order: str, cents: int, invoice: str) -> Ask:
    deed = Deed(effect="charge", match={"order": order, "invoice": invoice}, words=f"invoice {invoice}")
    return Ask(tool="pay", input={"order": order, "cents": cents, "invoice": invoice}, deeds=(deed,))


def cases(seed: int) -> tuple[Case, ...]:
    dice = Random(seed)
    orders = [f"ord_{dice.randrange(100, 1000)}-{number}" for number in range(2)]
    invoices = [f"INV-{dice.randrange(100, 1000)}-{number}" for number in range(3)]
    one = (_ask(orders[0], 4900, invoices[0]),)
    both = (_ask(orders[1], 700, invoices[1]), _ask(orders[1], 700, invoices[2]))
    return (
        Case(name="one", turns=(Turn(message="Pay it.", answers=(one,)),), seed=seed),
        Case(
            name="two of one order",
            turns=(Turn(message="Pay both.", answers=(both,)),),
            seed=seed,
            model="new-ids",
        ),
    )


PAY = Task(
    lesson="90",
    slug="pay-once",
    title=Text("Pay once", "只付一次"),
    answer="pay",
    cases=cases,
    promises=(each_deed_once(), nothing_else(), it_ends()),
    hints={"no-key": Text("Send a key along.", "带上一个键。")},
    good=Text("The key is the invoice's.", "键来自账单。"),
)


def judge(answer: object, seed: int, language: Language) -> Judgement:
    for number in range(seed % 1000, seed % 1000 + 5):
        said = answer(number)
        if said != number * 2:
            return Judgement(
                code="not-twice",
                words=Text(f"{number} gives {said!r}.", f"{number} 得到 {said!r}。"),
                tried=number + 1,
            )
    return Judgement(tried=5)


TWICE = Task(
    lesson="91",
    slug="twice",
    title=Text("Twice", "两倍"),
    answer="twice",
    kind="judged",
    judge=judge,
    takes=("number",),
    hints={"not-twice": Text("Add it to itself.", "自己加自己。")},
    good=Text("Right.", "对。"),
)


def solution(input, ctx, outside):
    paid = outside.payments.charge(
        input["order"], input["cents"], key=input["invoice"], invoice=input["invoice"]
    )
    return {"status": "paid", "charge": paid["id"]}


def without_key(input, ctx, outside):
    paid = outside.payments.charge(input["order"], input["cents"], invoice=input["invoice"])
    return {"status": "paid", "charge": paid["id"]}

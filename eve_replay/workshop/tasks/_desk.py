"""The order desk of the incidents as cases: what its sessions asked for, run under crashes once more.

The bad session's own conversation is read from its recording. A second case has the wishes that look like
repeats and are none: two invoices of one amount, and a receipt sent again because somebody asked for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from eve_replay.journal import Session
from eve_replay.journal import Turn as RecordedTurn
from eve_replay.workshop.incidents import incident
from eve_replay.workshop.model import Ask, Case, Deed, Text, Turn
from eve_replay.workshop.promises import each_deed_once, it_ends, no_lies, nothing_else
from eve_replay.workshop.task import Task
from eve_replay.workshop.tasks._incident import truth
from eve_replay.workshop.tasks._names import Names

__all__ = ["TOOLS", "desk_task"]

#: The tools of the desk that act outside by themselves; a refund waits for a person first.
TOOLS = ("charge_order", "send_mail")

_SETTING = MappingProxyType({"mail": MappingProxyType({"keys": True})})


def desk_task(tool: str, who: str, hints: Mapping[str, Text]) -> Task:
    """Return the exercise of one tool of somebody's incident; the other tools are right in it."""

    def cases(seed: int) -> tuple[Case, ...]:
        return _recorded(who, seed), _wanted_twice(seed)

    others: dict[str, Callable[..., object]] = {
        "charge_order": _charge_order,
        "send_mail": _send_mail,
        "look_up_order": _look_up_order,
        "refund_order": _refund_order,
    }
    del others[tool]
    return Task(
        lesson="09",
        slug="the-incident",
        title=Text("The incident", "事故"),
        answer=tool,
        cases=cases,
        others=others,
        promises=(each_deed_once(), nothing_else(), no_lies(), it_ends()),
        hints=hints,
        good=Text("", ""),
    )


def _recorded(who: str, seed: int) -> Case:
    """Return the bad session as a case; another seed gives its orders, people and amounts other names."""
    session = truth(incident(who)).session
    renamed = _renamed(session, seed)
    turns = [
        Turn(message=(each.message or "") if seed == 0 else "...", answers=answers)
        for each in session.turns
        if (answers := _answers(each, renamed))
    ]
    return Case(
        name="the-session",
        turns=tuple(turns),
        model="new-ids",
        setting=_SETTING,
        seed=seed,
        words=Text("the session of the incident", "出事的那个会话"),
    )


def _answers(turn: RecordedTurn, renamed: Callable[[object], object]) -> tuple[tuple[Ask, ...], ...]:
    found: dict[int, dict[int, Ask]] = {}
    for step in turn.steps:
        for call in step.attempts[-1].tool_calls if step.attempts else ():
            if call.coordinate is None or call.position is None or not isinstance(call.input, Mapping):
                continue
            asked = {name: renamed(value) for name, value in call.input.items()}
            answer = found.setdefault(call.coordinate.step_index, {})
            answer[call.position] = _ask(call.name, asked)
    return tuple(tuple(calls[place] for place in sorted(calls)) for _, calls in sorted(found.items()))


def _ask(tool: str, asked: Mapping[str, object]) -> Ask:
    return Ask(tool=tool, input=asked, deeds=(_deed(tool, asked),) if tool in TOOLS else ())


def _deed(tool: str, asked: Mapping[str, object]) -> Deed:
    if tool == "charge_order":
        match = {name: asked[name] for name in ("order", "invoice", "cents")}
        return Deed(effect="charge", match=match, words=str(asked["invoice"]))
    match = {name: asked[name] for name in ("to", "subject")}
    return Deed(effect="mail", match=match, words=str(asked["subject"]))


def _renamed(session: Session, seed: int) -> Callable[[object], object]:
    """Return how values are renamed: equal ones stay equal, different ones stay different."""
    if seed == 0:
        return lambda value: value
    names = Names(seed)
    known: dict[object, object] = {}

    def renamed(value: object) -> object:
        if value not in known:
            known[value] = _other(value, names, len(known))
        return known[value]

    return renamed


def _other(value: object, names: Names, number: int) -> object:
    if isinstance(value, int):
        return names.cents() + number
    text = str(value)
    if "@" in text:
        return names.person()
    return names.invoice() if text.startswith("INV-") else names.order()


def _wanted_twice(seed: int) -> Case:
    names = Names(seed)
    order, cents, to = names.order(), names.cents(), names.person()
    bills = [
        {"order": order, "invoice": names.invoice(), "customer": "Ann", "cents": cents} for _ in range(2)
    ]
    mail = {"to": to, "subject": f"Receipt for {order}", "text": "We received your payment."}
    pay = tuple(_ask("charge_order", bill) for bill in bills)
    tell = _ask("send_mail", mail)
    return Case(
        name="wanted-twice",
        turns=(
            Turn(message=f"Charge both invoices of {order} and mail the receipt.", answers=(pay, (tell,))),
            Turn(message="The mail got lost. Send the receipt again.", answers=((tell,),)),
        ),
        model="new-ids",
        setting=_SETTING,
        seed=seed,
        words=Text(
            "two invoices of one amount, and a receipt that is sent again on purpose",
            "金额相同的两张账单，还有一张特意再发一次的收据",
        ),
    )


def _charge_order(input: Any, ctx: Any, outside: Any) -> object:
    outside.payments.charge(input["order"], input["cents"], key=input["invoice"], invoice=input["invoice"])
    return {"status": "paid"}


def _send_mail(input: Any, ctx: Any, outside: Any) -> object:
    place = f"{ctx.session_id}:{ctx.turn_id}:{ctx.step_index}:{ctx.position}"
    outside.mail.send(input["to"], input["subject"], input["text"], key=place)
    return {"status": "sent"}


def _look_up_order(input: Any, ctx: Any, outside: Any) -> object:
    return {"order": input["order"]}


def _refund_order(input: Any, ctx: Any, outside: Any) -> object:
    # In the incidents it waits for a person and goes out under a key; here it only has to be there.
    return {"status": "waiting"}

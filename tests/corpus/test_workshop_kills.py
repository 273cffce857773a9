"""The engine of the workshop against 71 runs of the real eve, killed at chosen points, one to three times.

``workshop-kills.json`` was recorded with eve 0.80.1: an agent with the tools below (in TypeScript), an
outside in its own process that kills the server before, in or after the n-th call to it, and a tap on the
file calls that kills it before or after one durable write. The server was started again after each kill; then
it was watched until the session waited or 25 s went by; then it got one more message, to hear whether it
listens.

``at`` is where each process died: what it had called by then, and how far the step beside the turn
(``side``) and the turn's first step (``turn``) had been written. ``word``: ``completed`` (the turn ended by
itself, and the next message was processed), ``hangs`` (a turn step is not committed, or nothing went on),
``deaf`` (the turn ended, the next message was never processed). Effects, model calls and the word must be the
recording's.
"""

import json
from collections import Counter
from pathlib import Path

import pytest

from eve_replay.workshop.engine.runtime import Runner
from eve_replay.workshop.model import Ask, Case, Fault, Turn

RUNS = json.loads(Path(__file__).with_name("workshop-kills.json").read_text("utf-8"))


def gift_card(input, ctx, outside):
    name = "gift:" + input["order"]
    if outside.store.set_nx(name, "working"):
        charge = outside.payments.charge(input["order"], input["cents"])
        outside.store.set(name, "done")
        return {"status": "charged", "charge": charge["id"]}
    if outside.store.get(name) == "done":
        return {"status": "done before"}
    outside.people.tell("gift card for " + input["order"])
    return {"status": "unknown"}


def ticket(input, ctx, outside):
    number = (outside.store.get("counter") or 0) + 1
    outside.store.set("counter", number)
    charge = outside.payments.charge(input["order"], input["cents"], key=f"ticket-{number}")
    return {"status": "charged", "charge": charge["id"]}


def pay_and_mail(input, ctx, outside):
    key = f"{ctx.session_id}:{ctx.call_id}"
    charge = outside.payments.charge(input["order"], input["cents"], key=key)
    outside.mail.send(input["to"], "Receipt " + input["order"])
    return {"status": "paid", "charge": charge["id"]}


def look_then_pay(input, ctx, outside):
    found = outside.payments.find(order=input["order"])
    if found:
        return {"status": "paid before", "charge": found[0]["id"]}
    charge = outside.payments.charge(input["order"], input["cents"])
    return {"status": "paid", "charge": charge["id"]}


def mail_keyed(input, ctx, outside):
    outside.mail.send(input["to"], input["subject"], key=input["to"] + "|" + input["subject"])
    return {"status": "sent"}


def flaky_pay(input, ctx, outside):
    charge = outside.payments.charge(input["order"], input["cents"])
    raise RuntimeError("receipt printer on fire after " + charge["id"])


TOOLS = {
    each.__name__: each for each in (gift_card, ticket, pay_and_mail, look_then_pay, mail_keyed, flaky_pay)
}


def ask(tool, **given):
    return (Ask(tool=tool, input=given),)


SCRIPTS = {
    "gift": ((ask("gift_card", order="g1", cents=500),),),
    "ticket": ((ask("ticket", order="t1", cents=700), ask("mail_keyed", to="ann", subject="Ticket")),),
    "two": (
        (
            ask("pay_and_mail", order="p1", cents=100, to="bob"),
            ask("pay_and_mail", order="p2", cents=200, to="cy"),
        ),
    ),
    "look": ((ask("look_then_pay", order="l1", cents=300), ask("mail_keyed", to="dee", subject="Paid")),),
    "flaky": ((ask("flaky_pay", order="f1", cents=400), ask("mail_keyed", to="eve", subject="Sorry")),),
    "warm": (
        (ask("mail_keyed", to="fay", subject="Hello"),),
        (ask("pay_and_mail", order="w1", cents=100, to="gus"),),
    ),
}
#: What is killed at a durable write of a turn step lies before the engine's next moment.
COMMITS = {
    ("lock", "before"): "commit",
    ("lock", "after"): "commit-lock",
    ("record", "after"): "commit-record",
    ("event", "after"): "committed",
}


def runner(script):
    turns = tuple(Turn(message="", answers=answers) for answers in SCRIPTS[script])
    setting = {"mail": {"keys": True}}
    # The driver started the server again once, so a body that can never commit ran once more.
    return Runner(TOOLS, Case(name=script, turns=turns, setting=setting), wakes=1)


def schedule_of(run, engine):
    schedule = ()
    for process, (kill, at) in enumerate(zip(run["kills"], run["at"], strict=True), 1):
        trace = [each for each in engine.outcome(schedule).trace if each.process == process]
        schedule = (*schedule, fault(kill, at, trace))
    return schedule


def fault(kill, at, trace):
    moments = [each for each in trace if each.number is not None]
    if "service" in kill:
        kind = f"crash-{kill['when']}"
        if kill["service"] == "model":
            found = [each for each in moments if each.kind == "model"]
        else:
            asked = (kill["service"], kill["method"])
            found = [each for each in moments if (each.service, each.method) == asked]
        return Fault(found[kill["n"] - 1].number, kind, beside=at["side"])
    if "step" in kill:  # the turn steps in order, as they were written
        kind = COMMITS[kill["write"], kill["when"]]
        found = [each for each in moments if each.kind == kind]
        return Fault(found[kill["step"] - 1].number, beside=at["side"])
    # Killed at a write of the step beside the turn: the turn was where its calls say.
    if not at["called"]:
        return Fault(moments[0].number, beside=at["side"], unbegun=at["turn"])
    reached = [each for each in moments if each.kind in ("model", "call")]
    return Fault(reached[at["called"]].number, beside=at["side"])


WORDS = {"charge": "order", "mail": "to", "person": "subject"}


def about(entry):
    fields = entry.fields
    if entry.effect == "mail":
        return f"mail {fields['to']}|{fields['subject']}"
    return f"{entry.effect} {fields[WORDS[entry.effect]]}"


def counted(outcome):
    return Counter(about(entry) for entry in outcome.ledger)


def recorded(run):
    # The outside of the lessons knows what a person was told before; the lab's wrote it down each time.
    return Counter({what: 1 if what.startswith("person") else count for what, count in run["counts"].items()})


def test_there_are_as_many_as_were_recorded():
    assert len(RUNS) == 71
    assert Counter(run["word"] for run in RUNS) == {"completed": 48, "hangs": 21, "deaf": 2}


@pytest.mark.parametrize("run", RUNS, ids=[run["name"] for run in RUNS])
def test_a_real_run_that_was_killed(run):
    engine = runner(run["script"])
    outcome = engine.outcome(schedule_of(run, engine))
    assert counted(outcome) == recorded(run)
    assert outcome.model_calls == run["models"]
    assert outcome.ended == run["word"]

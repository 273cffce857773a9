"""Answers that people tried on the lessons: each gets the right verdict, the same on another day.

Times, dice, ids, other spellings, files: what a beginner, a backend engineer and a cheat would write. What
fails is judged twice, the second time with the clock of this computer moved by years and with other dice.
"""

import datetime
import random
import time
import uuid

import pytest

from eve_replay.workshop import check


def mail(key, before=""):
    return f"""{before}
def send_mail(input, ctx, outside):
    outside.mail.send(input["to"], input["subject"], key={key})
    return {{"status": "sent"}}
"""


def pay(key, more=', invoice=input["invoice"]', before=""):
    return f"""{before}
def pay(input, ctx, outside):
    paid = outside.payments.charge(input["order"], input["cents"], key={key}{more})
    return {{"status": "paid", "charge": paid["id"]}}
"""


def send(name='input["to"] + " / " + input["subject"]', tell="name", end='return {"status": "unknown"}'):
    return f"""
def send(input, ctx, outside):
    name = {name}
    if outside.store.set_nx(name, "pending") is True:
        outside.mail.send(input["to"], input["subject"])
        outside.store.set(name, "sent")
        return {{"status": "sent"}}
    if outside.store.get(name) == "sent":
        return {{"status": "sent"}}
    outside.people.tell({tell})
    {end}
"""


def order(body, before=""):
    return f"""{before}
def order(input, ctx, outside):
    def charge():
        outside.payments.charge(input["order"], input["cents"], key="order " + input["order"])
    def receipt():
        outside.mail.send(input["to"], "Receipt for " + input["order"], key="receipt " + input["order"])
    if ctx.ask("Charge " + input["order"] + "?") != "yes":
        return {{"status": "declined"}}
    {body}
    ctx.step("receipt", receipt)
    return {{"status": "charged"}}
"""


BOTH = '+ input["to"] + input["subject"]'
HOUR = "from datetime import datetime"
#: What was tried, in which lesson, and the diagnosis it must get; "" for a right answer.
TRIED = {
    "seconds": ("01", mail(f"str(int(time.time())) {BOTH}", "import time"), "key-changed"),
    "minute": ("01", mail(f'time.strftime("%Y-%m-%d %H:%M") {BOTH}', "import time"), "key-changed"),
    "hour": ("01", mail(f'datetime.now().strftime("%H") {BOTH}', HOUR), "key-changed"),
    "today": ("01", mail(f"str(date.today()) {BOTH}", "from datetime import date"), "key-changed"),
    "quarter of an hour": ("01", mail(f"str(time.time() // 900) {BOTH}", "import time"), "key-changed"),
    "uptime": ("01", mail(f"str(round(time.monotonic() / 60)) {BOTH}", "import time"), "key-changed"),
    "uuid": ("01", mail("str(uuid.uuid4())", "import uuid"), "key-changed"),
    "dice": ("01", mail("str(random.random())", "import random"), "key-changed"),
    "secret": ("01", mail("secrets.token_hex(8)", "import secrets"), "key-changed"),
    "urandom": ("01", mail("os.urandom(4).hex()", "import os"), "key-changed"),
    "turn and receiver": ("01", mail('ctx.turn_id + input["to"]'), "key-merged"),
    "turn and place": ("01", mail('f"{ctx.turn_id}{ctx.position}"'), "key-merged"),
    "turn, step and place": ("01", mail('f"{ctx.turn_id}/{ctx.step_index}/{ctx.position}"'), ""),
    "another spelling": ("01", mail("ctx.callId"), "threw"),
    "another parameter": ("01", mail('"x"').replace("key=", "idempotency_key="), "threw"),
    "a name that is not there": ("01", mail("call_id"), "threw"),
    "text of a path": ("01", mail('os.path.join(input["to"], input["subject"])', "import os"), ""),
    "pickled": ("01", mail("pickle.dumps(input).hex()", "import pickle"), ""),
    "environment": ("01", mail(f'os.environ.get("HOME", "") {BOTH}', "import os"), "uses-machine"),
    "file": ("01", mail('open("/tmp/x").read()'), "uses-files"),
    "path": ("01", mail('str(os.path.exists("/tmp/x"))', "import os"), "uses-files"),
    "database": ("01", mail('str(sqlite3.connect("x"))', "import sqlite3"), "uses-files"),
    "without the invoice": ("04", pay('"pay " + input["invoice"]', ""), "other-deed"),
    "date and invoice": (
        "04",
        pay('str(date.today()) + input["invoice"]', before="from datetime import date"),
        "key-changed",
    ),
    "last digit": ("04", pay('input["invoice"][-1]'), "key-merged"),
    "claim": ("05", send(), ""),
    "claim, glued": ("05", send('input["to"] + input["subject"]'), ""),
    "claim, underscore": ("05", send('input["to"] + "_" + input["subject"]'), ""),
    "told in Chinese": (
        "05",
        send(tell='"请查一下发给" + input["to"] + "的" + input["subject"] + "是否送达"'),
        "",
    ),
    "told, then raised": ("05", send(end='raise RuntimeError("unknown: " + name)'), ""),
    "raised, told of nothing": ("05", send(tell='"look"', end='raise RuntimeError("?")'), "pending-forever"),
    "told, then a slip": ("05", send(end="return nmae"), "threw"),
    "says sent": ("05", send(end='return {"status": "已发送"}'), "claimed-not-done"),
    "says sent?": ("05", send(end='return {"status": "sent?"}'), "claimed-not-done"),
    "steps": ("06", order('ctx.step("charge", charge)'), ""),
    "by the hour": (
        "06",
        order('if datetime.now().hour > 12: ctx.step("log", str)\n    ctx.step("charge", charge)', HOUR),
        "diverged",
    ),
    "by the day": (
        "06",
        order('if datetime.now().day % 2: ctx.step("log", str)\n    ctx.step("charge", charge)', HOUR),
        "diverged",
    ),
    "by dice": (
        "06",
        order(
            'if uuid4().int % 2: ctx.step("log", str)\n    ctx.step("charge", charge)',
            "from uuid import uuid4",
        ),
        "diverged",
    ),
}


def judged(lesson, text):
    space = {"__name__": "answer"}
    exec(text, space)
    name = {"01": "send_mail", "04": "pay", "05": "send", "06": "order"}[lesson]
    return check(lesson, space[name])


@pytest.mark.parametrize("tried", TRIED)
def test_what_was_tried_by_hand(tried, monkeypatch):
    lesson, text, code = TRIED[tried]
    verdict = judged(lesson, text)
    assert (verdict.code, verdict.passed) == (code, not code), str(verdict)
    if verdict.passed:
        return  # nothing in it that could depend on this computer
    now, years = time.time(), 3.3e7
    monkeypatch.setattr(time, "time", lambda: now + years)
    monkeypatch.setattr(uuid, "uuid4", lambda: uuid.UUID(int=7))

    class Later(datetime.datetime):
        @classmethod
        def now(cls, tz=None):
            return cls.fromtimestamp(now + years, tz)

    monkeypatch.setattr(datetime, "datetime", Later)
    random.seed(tried)
    assert str(judged(lesson, text)) == str(verdict)


@pytest.mark.parametrize(
    ("tried", "line", "meant"),
    [
        ("another spelling", 3, "`call_id`"),
        ("another parameter", 3, "`key`"),
        ("a name that is not there", 3, "`ctx.call_id`"),
    ],
)
def test_a_slip_is_told_with_its_line_and_what_was_meant(tried, line, meant):
    lesson, text, _ = TRIED[tried]
    why = judged(lesson, text).why
    assert f"line {line}" in why and f"Did you mean {meant}?" in why


def test_what_a_tool_prints_is_in_the_story():
    text = mail('"k"').replace("    outside", '    print("sending to", input["to"])\n    outside', 1)
    assert any(each.startswith("It prints: sending to bo@") for each in judged("01", text).story)

"""Clock and dice of a simulated process: the same text gets the same verdict for ever."""

import builtins
import datetime
import random
import time
from pathlib import Path

import pytest

from eve_replay.workshop import check
from eve_replay.workshop.engine.host import Host, begins

HEAD = """
import datetime as dt, os, random, secrets, time, uuid
from datetime import date, datetime, timezone
from time import time as now
from uuid import uuid4

def send_mail(input, ctx, outside{default}):
    {before}
    outside.mail.send(input["to"], input["subject"], key=f"{{{key}}} {{input['to']}} {{input['subject']}}")
    return {{"status": "sent"}}
"""


def tool(key, before="pass", default=""):
    space = {}
    exec(HEAD.format(key=key, before=before, default=default), space)
    return space["send_mail"]


CLOCKS = [
    "int(time.time())",
    "now()",
    "time.strftime('%Y-%m-%d %H:%M')",
    "time.localtime().tm_hour",
    "time.ctime()",
    "time.time_ns()",
    "time.time() // 900",
    "round(time.monotonic() / 60)",
    "datetime.now().strftime('%H')",
    "datetime.now(timezone.utc).isoformat()",
    "datetime.utcnow().year",
    "datetime.today()",
    "dt.datetime.now()",
    "date.today()",
    "dt.date.today().month",
]
DICE = [
    "uuid4()",
    "uuid.uuid1()",
    "uuid.uuid4().int % 1000",
    "random.random()",
    "random.randint(1, 10**9)",
    "random.Random().random()",
    "random.SystemRandom().random()",
    "secrets.token_hex(4)",
    "secrets.randbelow(10**9)",
    "os.urandom(4).hex()",
]


@pytest.mark.parametrize("key", CLOCKS + DICE)
def test_a_clock_or_dice_in_the_key_fail_for_that_reason_and_always_the_same(key):
    first, second = check("01", tool(key)), check("01", tool(key))
    assert not first.passed and first.code == "key-changed"
    assert (first.story, first.why, first.tried) == (second.story, second.why, second.tried)


@pytest.mark.parametrize("shift", [0, 86_400 * 200])
def test_the_clock_of_this_computer_makes_no_difference(shift, monkeypatch):
    real = time.time
    expected = check("01", tool("date.today()"))
    monkeypatch.setattr(time, "time", lambda: real() + shift)
    verdict = check("01", tool("date.today()"))
    assert (verdict.story, verdict.why) == (expected.story, expected.why)


@pytest.mark.parametrize(
    ("before", "key", "default"),
    [
        ("import time as clock", "clock.time()", ""),
        ("from datetime import datetime as moment", "moment.now()", ""),
        ("import random as dice", "dice.random()", ""),
        ("pass", "clock()", ", clock=time.time"),
        ("pass", "clock()", ", *, clock=time.time"),
    ],
)
def test_also_when_they_come_in_through_another_door(before, key, default):
    assert check("01", tool(key, before, default)).code == "key-changed"


def test_helpers_methods_and_closures_see_the_same_clock():
    space = {}
    exec(
        "import time\n"
        "class Clock:\n"
        "    def tell(self): return time.time()\n"
        "clock = Clock()\n"
        "def made(tick):\n"
        "    def tool(input, ctx, outside):\n"
        "        outside.mail.send(input['to'], input['subject'], key=f'{tick()} {clock.tell()}')\n"
        "        return {'status': 'sent'}\n"
        "    return tool\n"
        "send_mail = made(time.time)\n",
        space,
    )
    assert check("01", space["send_mail"]).code == "key-changed"


def test_a_time_in_the_text_of_a_log_line_changes_nothing():
    assert check("01", tool("0", "ctx.note(f'at {datetime.now()}, dice {random.random()}')")).passed


def test_afterwards_every_name_means_what_it_meant():
    function = tool("now()", "pass", ", *, clock=time.time")
    space = function.__globals__
    before = dict(space), dict(function.__kwdefaults__), builtins.__import__
    check("01", function)
    assert (dict(space), dict(function.__kwdefaults__), builtins.__import__) == before
    assert space["now"] is time.time and space["datetime"] is datetime.datetime and space["random"] is random


def test_other_code_keeps_the_real_clock_meanwhile():
    function = tool("0", "time, datetime")
    host = Host([function], "case", 0)
    with host.exchanged():
        assert abs(time.time() - datetime.datetime.now().timestamp()) < 5
        assert function.__globals__["time"].time() == begins(0)


def test_a_simulated_moment_is_a_moment():
    function = tool("0", "time, datetime")
    with Host([function], "case", 7).exchanged():
        moment = function.__globals__["datetime"]
        now = moment.now(datetime.UTC)
        assert isinstance(now, datetime.datetime) and isinstance(datetime.datetime(2020, 1, 1), moment)
        assert isinstance(now + datetime.timedelta(days=1), datetime.datetime)
        assert (now.month, now.day, now.hour, now.minute) == (12, 31, 23, 59)
        assert moment.now().astimezone() == now


@pytest.mark.parametrize(
    "decides", ["datetime.now().hour > 12", "time.time() % 2 < 1", "random.random() < 0.5", "uuid4().int % 2"]
)
def test_lesson_6_a_clock_must_not_decide_which_way_the_body_takes(decides):
    solution = (Path(__file__).parents[4] / "notebooks/workshop/solutions/lesson_06.py").read_text("utf-8")
    imports = "import random, time\nfrom datetime import datetime\nfrom uuid import uuid4\n"
    first = "    def charge():"
    branch = f"    if {decides}:\n        ctx.step('look', lambda: 1)\n"
    space = {}
    exec(imports + solution.replace(first, branch + first, 1), space)
    verdicts = [check("06", space["order"]) for _ in range(2)]
    assert [each.passed for each in verdicts] == [False, False]
    assert verdicts[0].code == "diverged" and verdicts[0].story == verdicts[1].story

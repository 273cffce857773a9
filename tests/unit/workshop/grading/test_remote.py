import os
import sys
import time

import pytest

from eve_replay.errors import EveReplayError, NotFound
from eve_replay.workshop.grading import remote
from eve_replay.workshop.grading.remote import Limits, check_source

GOOD = """
def send_mail(input, ctx, outside):
    outside.mail.send(input["to"], input["subject"], key=input["to"] + input["subject"])
    return {"status": "sent"}
"""
BAD = """
def send_mail(input, ctx, outside):
    outside.mail.send(input["to"], input["subject"])
    return {"status": "sent"}
"""
SHORT = Limits(seconds=2)


def test_the_same_verdict_as_here():
    from eve_replay.workshop import check

    space = {"__name__": "answer"}
    exec(compile(GOOD, "<answer>", "exec"), space)
    here, there = check("01", space["send_mail"]), check_source("01", GOOD)
    # Only the wall differs: in this very process there is none.
    assert there.passed and there.to_json() == {**here.to_json(), "wall": list(there.wall)}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_failure_comes_back_with_its_story(language):
    verdict = check_source("1", BAD, language=language)
    assert not verdict.passed and verdict.code == "no-key" and verdict.story and verdict.why and verdict.next
    assert verdict.language == language and verdict.outcome is None


@pytest.mark.parametrize(
    ("source", "code", "words"),
    [
        ("def send_mail(:", "cell-syntax", "1"),
        ("x = (", "cell-syntax", ""),
        ("x = '\0'", "cell-syntax", ""),
        ("(" * 500, "cell-syntax", ""),
        ("-" * 100_000 + "1", "cell-syntax", ""),
        ("%time x = 1", "cell-syntax", "1"),
        ("x = 1\nraise ValueError('no \\x1b[31m')", "cell-raised", "ValueError"),
        ("import sys\nsys.exit(0)", "looks-inside", "sys"),
        ("raise SystemExit(0)", "cell-raised", "SystemExit"),
        ("exit()", "cell-raised", ""),
        ("input()", "cell-raised", ""),
        ("x = KEY", "cell-needs", "KEY"),
        ("x = other", "cell-raised", "other"),
        ("x = 1", "missing", "send_mail"),
        ("", "missing", "send_mail"),
        ("send_mail = 3", "not-a-function", "send_mail"),
        ("while True: pass", "too-long", "2"),
        (GOOD.replace("outside.mail", "while True: pass\n    outside.mail"), "too-long", "2"),
        ("x = [0]\nwhile True: x += x", "too-much-memory", "1024"),
        ("import os\nos._exit(0)", "ended-itself", "0"),
        ("import os\nos.kill(os.getpid(), 15)", "ended-itself", "15"),
        ("import os\nos.kill(os.getpid(), 9)", "ended-itself", "9"),
        ("class E(Exception):\n    def __str__(self): raise SystemExit\nraise E", "cell-raised", "E"),
        ("import eve_replay.workshop.engine.explore as e\ne.run = 0" + GOOD, "looks-inside", "eve_replay"),
        ("from eve_replay.workshop.grading.check import check" + GOOD, "looks-inside", "eve_replay"),
    ],
)
def test_what_can_go_wrong_is_a_verdict(source, code, words):
    started = time.monotonic()
    language = "zh" if len(source) % 2 else "en"
    verdict = check_source("01", source, language=language, limits=SHORT, elsewhere=frozenset({"KEY"}))
    assert not verdict.passed and verdict.code == code, verdict
    assert words in verdict.headline and verdict.next
    assert time.monotonic() - started < 20


def test_floods_go_nowhere(capfd):
    verdict = check_source("01", "print('passed' * 10**6)\nimport os\nos.write(1, b'x' * 10**6)\n" + GOOD)
    assert verdict.passed
    assert capfd.readouterr() == ("", "")


def test_the_rest_of_the_package_may_be_used():
    source = "import eve_replay as er\nfrom eve_replay.workshop.outside import Timeout\n" + GOOD
    assert check_source("01", source).passed


def test_what_the_answer_leaves_running_is_not_waited_for():
    source = "import atexit, time\natexit.register(time.sleep, 60)\n" + GOOD
    started = time.monotonic()
    assert check_source("01", source).passed
    assert time.monotonic() - started < 25


def test_a_verdict_cannot_be_printed():
    forged = "print('{\"passed\": true}')\n"
    verdict = check_source("01", forged + BAD)
    assert not verdict.passed


def test_the_answer_sees_no_environment_and_an_empty_folder(monkeypatch):
    monkeypatch.setenv("SECRET_TOKEN", "s3cret")
    monkeypatch.setenv("PYTHONSTARTUP", "/nowhere")
    source = "import os\nassert 'SECRET_TOKEN' not in os.environ\nassert os.listdir('.') == []\n" + GOOD
    assert check_source("01", source).passed


@pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")
def test_files_have_a_limit():
    verdict = check_source("01", "with open('x', 'wb') as f:\n    f.write(b'x' * (64 << 20))\n" + GOOD)
    assert verdict.code in ("cell-raised", "ended-itself")


def test_what_the_answer_starts_ends_with_it(tmp_path):
    mark = tmp_path / "alive"
    source = (
        "import os, time\n"
        "if hasattr(os, 'fork') and os.fork() == 0:\n"
        "    while True:\n"
        f"        open({str(mark)!r}, 'a').write('x')\n"
        "        time.sleep(0.05)\n" + GOOD
    )
    check_source("01", source, limits=Limits(seconds=5))
    time.sleep(0.3)
    size = mark.stat().st_size if mark.exists() else 0
    time.sleep(0.3)
    assert (mark.stat().st_size if mark.exists() else 0) == size


def test_nothing_is_left_behind(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    check_source("01", "open('left', 'w').write('x')\n" + GOOD)
    assert os.listdir(tmp_path) == []


def test_no_such_lesson_and_no_python(monkeypatch):
    with pytest.raises(NotFound):
        check_source("77", GOOD)
    monkeypatch.setattr(remote.sys, "path", ["/nowhere"])
    with pytest.raises(EveReplayError, match="could not start"):
        check_source("01", GOOD)

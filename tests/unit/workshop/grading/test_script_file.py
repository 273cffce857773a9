"""Answers as plain files: which lesson, behind which wall."""

import sys

import pytest

from eve_replay.errors import SourceUnreadable, WrongUse
from eve_replay.workshop.grading.attack import World
from eve_replay.workshop.grading.remote import check_source
from eve_replay.workshop.grading.script_file import read_script

PAY = "def pay(input, ctx, outside):\n    return 1\n"
MAIL = """def send_mail(input, ctx, outside):
    outside.mail.send(input["to"], input["subject"], key=ctx.call_id)
    return {"status": "sent"}
"""


@pytest.mark.parametrize(
    ("name", "text", "lesson"),
    [
        ("04-mine.py", PAY, "04"),
        ("lesson_07.py", PAY, "07"),
        ("mine.py", "# lesson 4\n" + PAY, "04"),
        ("mine.py", "# 第 7 课\n" + PAY, "07"),
        ("mine.py", MAIL, "01"),  # only one lesson wants such a function
    ],
)
def test_a_file_says_its_lesson(tmp_path, name, text, lesson):
    path = tmp_path / name
    path.write_text(text, "utf-8")
    book = read_script(path)
    assert (book.lesson, book.answer) == (lesson, text)


def test_a_file_that_does_not_say_it_is_asked(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(PAY)
    with pytest.raises(WrongUse, match="which lesson"):
        read_script(path)
    assert read_script(path, "4").lesson == "04"
    with pytest.raises(SourceUnreadable):
        read_script(tmp_path / "nothing.py")


def test_a_neighbours_world_can_break_what_passed():
    assert check_source("01", MAIL).passed
    verdict = check_source("01", MAIL, world=World(model="new-ids"))
    assert not verdict.passed and verdict.code == "key-changed" and verdict.story


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux lets anybody build a wall")
def test_behind_the_wall_nothing_is_reached(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("x")
    # The cell around the tool is run as it is: what it may do is what the system lets it do.
    source = f"""
import socket
reached = []
try:
    reached.append(open({str(secret)!r}).read())
except OSError as error:
    reached.append(type(error).__name__)
try:
    open({str(tmp_path / "written")!r}, "w")
except OSError as error:
    reached.append(type(error).__name__)
try:
    socket.create_connection(("127.0.0.1", 9), 1)
except OSError as error:
    reached.append(error.errno)
raise SystemExit(reached)
"""
    verdict = check_source("01", source)
    if set(verdict.wall) != {"network", "files"}:
        pytest.skip("this system builds no whole wall")
    assert "PermissionError" in verdict.headline and not (tmp_path / "written").exists()
    assert "'x'" not in verdict.headline and "101" in verdict.headline  # the network is unreachable

import csv
import re
import subprocess
from datetime import UTC, datetime

import pytest

from eve_replay.cli import run
from eve_replay.cli.showing import lab
from eve_replay.cli.workshop import SUBCOMMANDS
from eve_replay.cli.workshop import shared as common
from eve_replay.errors import SourceUnreadable
from eve_replay.views.kit.safe import display_width
from eve_replay.workshop.grading.progress import FILE_NAME, Progress
from eve_replay.workshop.verdict import Verdict
from tests.unit.cli._run import call
from tests.unit.workshop.grading._books import answered, book, code, text

GOOD = """def send_mail(input, ctx, outside):
    outside.mail.send(input["to"], input["subject"], key=input["to"] + input["subject"])
    return {"status": "sent"}
"""
BAD = GOOD.replace(', key=input["to"] + input["subject"]', "").replace("sent", "done")
CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
AT = datetime(2026, 11, 30, tzinfo=UTC)


# -- the group


def test_its_help_lists_the_commands(capsys):
    result = call(capsys, "workshop", "--help")
    assert result.code == 0
    for name in ("list", "start", "play", "check", "summary"):
        assert re.search(rf"^  {name} ", result.out, re.MULTILINE)
    assert call(capsys, "workshop").code == 2
    result = call(capsys, "workshop", "chekc")
    assert result.code == 2 and "Did you mean `eve-replay workshop check`?" in result.err


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_every_command_has_help_of_sentences(name, capsys):
    assert SUBCOMMANDS[name].help.endswith(".") and len(SUBCOMMANDS[name].help) <= 66
    if name in common_names():
        result = call(capsys, "workshop", name, "--help")
        assert result.code == 0 and f"Usage: eve-replay workshop {name}" in result.out


def common_names():
    from eve_replay.cli import exists

    return [name for name, entry in SUBCOMMANDS.items() if exists(entry)]


# -- list


@pytest.mark.parametrize("language", ["en", "zh"])
def test_list(capsys, language):
    result = call(capsys, "workshop", "list", "--language", language)
    words = ("min  ", "Together about") if language == "en" else ("分钟", "一共约")
    assert result.code == 0 and all(each in result.out for each in words)
    assert language == "en" or "Together" not in result.out
    assert all(display_width(line) <= 80 for line in result.out.splitlines())
    listed = call(capsys, "workshop", "list", "--language", language, "--json").json
    assert listed["format"] == "eve-replay/workshop-list" and listed["version"] == 1
    assert [each["lesson"] for each in listed["lessons"]] == sorted(
        each["lesson"] for each in listed["lessons"]
    )
    assert all(each["title"] and each["minutes"] for each in listed["lessons"])


def test_an_installation_without_lessons_says_so(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(common, "files", lambda name: tmp_path / "eve_replay")
    assert call(capsys, "workshop", "list").code == 3
    with pytest.raises(SourceUnreadable, match="no lessons"):
        common.shipped()


# -- start


@pytest.fixture
def started(monkeypatch):
    calls = []

    def run(words, *, env, check):
        calls.append(words)
        return subprocess.CompletedProcess(words, 0)

    monkeypatch.setattr(lab.subprocess, "run", run)
    return calls


def inside(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_start_copies_and_opens_jupyterlab(capsys, tmp_path, started):
    folder = tmp_path / "mine"
    result = call(capsys, "workshop", "start", folder, "--no-browser", "--port", "9999")
    assert result.code == 0 and "copied to" in result.out
    names = inside(folder)
    assert "01-the-mail-sent-twice.ipynb" in names
    assert not [name for name in names if name.startswith(("zh/", "solutions", "instructor"))]
    ((_, *words),) = started
    assert words[:3] == ["-m", "jupyterlab", str(folder / "01-the-mail-sent-twice.ipynb")]
    assert "--no-browser" in words and "--port=9999" in words


def test_start_goes_on_with_the_first_lesson_that_is_not_passed(capsys, tmp_path, started):
    for lesson, passed in (("01", True), ("02", False), ("03", True)):
        Progress(tmp_path).checked(Verdict(lesson=lesson, passed=passed, language="en", headline=""), at=AT)
    call(capsys, "workshop", "start", tmp_path)
    assert started[0][3] == str(tmp_path / "02-where-the-crash-falls.ipynb")
    for number in range(12):
        Progress(tmp_path).checked(
            Verdict(lesson=f"{number:02}", passed=True, language="en", headline=""), at=AT
        )
    call(capsys, "workshop", "start", tmp_path)
    assert started[1][3] == str(tmp_path)


def test_start_in_chinese_takes_the_chinese_notebooks(capsys, tmp_path, started):
    call(capsys, "workshop", "start", tmp_path / "zh", "--language", "zh", "--copy-only")
    call(capsys, "workshop", "start", tmp_path / "en", "--copy-only")
    assert started == []
    assert inside(tmp_path / "zh") == inside(tmp_path / "en")
    name = "01-the-mail-sent-twice.ipynb"
    assert 'language=\\"zh\\"' in (tmp_path / "zh" / name).read_text("utf-8")
    assert 'language=\\"en\\"' in (tmp_path / "en" / name).read_text("utf-8")


def test_start_by_itself_makes_a_folder_per_language(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    call(capsys, "workshop", "start", "--copy-only")
    call(capsys, "workshop", "start", "--copy-only", "--language", "zh")
    assert sorted(each.name for each in tmp_path.iterdir()) == [
        "eve-replay-workshop",
        "eve-replay-workshop-zh",
    ]


def test_start_keeps_what_is_there_and_gives_the_instructor_more(capsys, tmp_path, started):
    folder = tmp_path / "w"
    folder.mkdir()
    (folder / "01-the-mail-sent-twice.ipynb").write_text("mine")
    assert "1 kept as they were" in call(capsys, "workshop", "start", folder, "--copy-only").out
    assert (folder / "01-the-mail-sent-twice.ipynb").read_text() == "mine"
    call(capsys, "workshop", "start", folder, "--copy-only", "--instructor")
    assert "solutions/lesson_01.py" in inside(folder)
    file = tmp_path / "file"
    file.write_text("x")
    assert call(capsys, "workshop", "start", file, "--copy-only").code == 2
    assert call(capsys, "workshop", "start", file / "x", "--copy-only").code == 3


# -- play


@pytest.mark.parametrize("language", ["en", "zh"])
def test_play_tells_a_story(capsys, language):
    result = call(capsys, "workshop", "play", "1", "--language", language)
    assert result.code == 0
    assert "def send_mail" in result.out and "  1. " in result.out and "  2. " in result.out
    document = call(capsys, "workshop", "play", "the-mail-sent-twice", "--language", language, "--json").json
    assert document["format"] == "eve-replay/workshop-play" and not document["verdict"]["passed"]
    assert call(capsys, "workshop", "play", "77").code == 2


# -- check


def test_check_passes_and_fails(capsys, tmp_path):
    good, bad = answered(tmp_path / "good.ipynb", GOOD), answered(tmp_path / "bad.ipynb", BAD)
    result = call(capsys, "workshop", "check", good)
    assert result.code == 0 and "✓" in result.out
    result = call(capsys, "workshop", "check", good, bad)
    assert result.code == 1 and "1 of 2 passed." in result.out and "  1. " in result.out
    told = [line for line in result.out.splitlines() if not line.startswith(str(tmp_path))]
    assert all(display_width(line) <= 80 for line in told)
    document = call(capsys, "workshop", "check", good, bad, "--json").json
    assert document["format"] == "eve-replay/workshop-check" and document["version"] == 1
    assert [each["state"] for each in document["notebooks"]] == ["passed", "failed"]
    assert document["notebooks"][1]["verdict"]["code"] == "no-key"
    assert document["receipt"]["seen"] == document["receipt"]["parsed"] == 2


def test_check_speaks_the_notebook_s_language(capsys, tmp_path):
    path = answered(tmp_path / "bad.ipynb", BAD, language="zh")
    told = call(capsys, "workshop", "check", path, path).out
    assert "还不行" in told and "第 1 课" in told and "共 2 份，通过 0 份。" in told
    assert "Not yet" in call(capsys, "workshop", "check", path, "--language", "en").out


def test_check_takes_a_folder(capsys, tmp_path):
    answered(tmp_path / "a.ipynb", GOOD)
    answered(tmp_path / "deep" / "b.ipynb", GOOD)
    assert "2 of 2 passed." in call(capsys, "workshop", "check", tmp_path).out
    (tmp_path / "empty").mkdir()
    assert call(capsys, "workshop", "check", tmp_path / "empty").code == 3


@pytest.mark.parametrize(
    ("make", "exit_code", "words"),
    [
        (lambda path: path.write_text("no json"), 3, "not JSON"),
        (lambda path: path.write_text("[]"), 3, "format 4"),
        (lambda path: book(path, text("# Nothing")), 1, "no answer cell"),
        (lambda path: answered(path, "def send_mail(:"), 1, "no Python yet"),
        (lambda path: answered(path, "raise SystemExit(0)"), 1, "SystemExit"),
        (lambda path: answered(path, "while True: print('x' * 1000)"), 1, "not finished after 3 seconds"),
        (lambda path: answered(path, "raise ValueError('\x1b[31mred\u202e')"), 1, "\\x1b[31mred\\u202e"),
        (lambda path: book(path, code("KEY = 1"), code(f"{GOOD}\nx = KEY", "answer")), 1, "another cell"),
        (lambda path: answered(path, GOOD, lesson="77"), 0, "no exercise"),
        (lambda path: answered(path, GOOD, lesson="\x1b[31m"), 0, "no exercise"),
        (lambda path: None, 3, "cannot be read"),
    ],
)
def test_check_survives_any_notebook(capsys, tmp_path, make, exit_code, words):
    path = tmp_path / "\x1b[31mname.ipynb"
    make(path)
    result = call(capsys, "workshop", "check", path, "--seconds", "3")
    assert result.code == exit_code, result
    assert words in result.out + result.err
    assert not CONTROL.search(result.out + result.err) and "Traceback" not in result.err


def test_check_without_running(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("subprocess.Popen", lambda *_, **__: pytest.fail("something was run"))
    shown = {"passed": False, "code": "no-key", "headline": "Not yet: one crash."}
    path = book(tmp_path / "1.ipynb", code(GOOD, "answer"), code("here.check(x)", "check", verdict=shown))
    result = call(capsys, "workshop", "check", path, "--saved")
    assert result.code == 1 and "Not yet: one crash." in result.out
    other = answered(tmp_path / "o" / "1.ipynb", GOOD)
    assert "not checked" in call(capsys, "workshop", "check", other, "--saved").out
    Progress(other.parent).checked(Verdict(lesson="01", passed=True, language="en", headline=""), at=AT)
    assert call(capsys, "workshop", "check", other, "--saved").code == 0
    assert (
        call(capsys, "workshop", "check", path, other, "--saved", "--json").json["notebooks"][1]["state"]
        == "passed"
    )


@pytest.mark.parametrize(
    "shown",
    [
        {},
        {"passed": [], "code": 7, "headline": {"a": "\x1b[31m"}},
        {"passed": "true", "headline": "x\u202e" * 10_000},
        {"code": "y" * 10_000},
    ],
)
def test_nonsense_in_a_saved_verdict(capsys, tmp_path, shown):
    path = book(
        tmp_path / "Ana" / "1.ipynb", code(BAD, "answer"), code("here.check(x)", "check", verdict=shown)
    )
    for words in (("check", path), ("summary", tmp_path)):
        result = call(capsys, "workshop", *words, "--saved")
        assert result.code in (0, 1) and len(result.out) < 3000 and not CONTROL.search(result.out)


def test_check_wants_a_notebook(capsys):
    assert call(capsys, "workshop", "check").code == 2
    assert call(capsys, "workshop", "check", "x", "--seconds", "0").code == 2


def test_the_help_says_that_code_is_run(capsys):
    assert "RUNS THE CODE" in call(capsys, "workshop", "check", "--help").out
    assert "RUN" in call(capsys, "workshop", "summary", "--help").out


# -- summary


@pytest.fixture
def school(tmp_path):
    folder = tmp_path / "class"
    answered(folder / "Ana" / "01-the-mail-sent-twice.ipynb", GOOD)
    answered(folder / "李雷" / "01-the-mail-sent-twice.ipynb", BAD)
    answered(folder / "\x1b[31mEve" / "01-the-mail-sent-twice.ipynb", BAD + "\n# mine")
    Progress(folder / "Ana").predicted("01", "mails", 2, right=True, at=AT)
    Progress(folder / "李雷").checked(
        Verdict(lesson="01", passed=False, language="en", headline="", code="memory-lost"), at=AT
    )
    return folder


def test_summary_is_a_table(capsys, school):
    result = call(capsys, "workshop", "summary", school)
    assert result.code == 0 and "Running 2 answers of 3 learners" in result.err
    head, *rows = result.out.splitlines()
    column = display_width(head[: head.index("01")])
    marks = {}
    for row in rows[:3]:
        at = next(n for n in range(len(row)) if display_width(row[:n]) == column)
        marks[row.split()[0]] = row[at : at + 2].strip()
    assert marks == {"Ana": "✓", "李雷": "✗1", "\\x1b[31mEve": "✗1"}
    assert "2 of 3: no key" in result.out and "1/1" in result.out
    assert all(display_width(line) <= 80 for line in result.out.splitlines())
    assert not CONTROL.search(result.out + result.err)


def test_summary_in_chinese_as_json_and_as_csv(capsys, school, tmp_path):
    told = call(capsys, "workshop", "summary", school, "--language", "zh").out
    assert "没有键" in told and "学员" in told and "learner" not in told
    file = tmp_path / "class.csv"
    document = call(capsys, "workshop", "summary", school, "--json", "--csv", file).json
    assert document["format"] == "eve-replay/workshop-summary"
    assert document["lessons"][0]["stumbles"] == [{"code": "no-key", "learners": 2}]
    assert {each["name"]: each["passed"] for each in document["learners"]}["Ana"] == 1
    rows = list(csv.DictReader(file.read_text("utf-8-sig").splitlines()))
    assert [row["learner"] for row in rows] == [each["name"] for each in document["learners"]]
    assert (
        call(capsys, "workshop", "summary", school, "--csv", tmp_path / "no" / "x.csv", "--saved").code == 3
    )


def test_summary_without_running(capsys, school, monkeypatch):
    monkeypatch.setattr("subprocess.Popen", lambda *_, **__: pytest.fail("something was run"))
    result = call(capsys, "workshop", "summary", school, "--saved")
    assert result.code == 0 and "1 of 3: remembered in the process's memory" in result.out
    # Changed, and nobody has checked it: that is no try.
    eve = next(row for row in result.out.splitlines() if "Eve" in row)
    assert "…" in eve and "✗" not in eve and "… begun, not checked" in " ".join(result.out.split())
    marks = {
        each["name"]: each["lessons"]["01"]
        for each in call(capsys, "workshop", "summary", school, "--saved", "--json").json["learners"]
    }
    assert sorted(mark["tries"] for mark in marks.values()) == [0, 0, 1]


def test_a_lesson_that_was_not_touched_is_not_begun(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("subprocess.Popen", lambda *_, **__: pytest.fail("something was run"))
    call(capsys, "workshop", "start", tmp_path / "class" / "Ana", "--copy-only")
    call(capsys, "workshop", "start", tmp_path / "class" / "Bo", "--copy-only", "--language", "zh")
    document = call(capsys, "workshop", "summary", tmp_path / "class", "--json").json
    states = {mark["state"] for each in document["learners"] for mark in each["lessons"].values()}
    assert states == {"not begun"} and len(document["learners"]) == 2


def test_summary_of_nothing(capsys, tmp_path):
    assert "no lesson notebook" in call(capsys, "workshop", "summary", tmp_path).out
    assert call(capsys, "workshop", "summary", tmp_path / "none").code == 3
    (tmp_path / "Ana").mkdir()
    (tmp_path / "Ana" / "x.ipynb").write_text("{")
    (tmp_path / "Ana" / FILE_NAME).write_text("{")
    result = call(capsys, "workshop", "summary", tmp_path)
    assert result.code == 1 and "Ana" in result.out and "not JSON" in result.err


def test_an_ascii_terminal(school, monkeypatch, tmp_path):
    import io
    import sys

    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii", errors="strict")
    monkeypatch.setattr(sys, "stdout", out)
    assert run(["workshop", "summary", str(school), "--saved"]) == 0
    out.flush()
    assert b"x1" in out.buffer.getvalue()

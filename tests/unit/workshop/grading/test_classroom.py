import csv
import io
import json
from datetime import UTC, datetime

import pytest

from eve_replay.errors import SourceUnreadable
from eve_replay.problems import Receipt
from eve_replay.workshop.grading.classroom import Mark, gather, summarise
from eve_replay.workshop.grading.progress import Progress
from eve_replay.workshop.verdict import Verdict
from tests.unit.workshop.grading._books import answered, book, code

AT = datetime(2026, 11, 30, tzinfo=UTC)
START = {"01": "def send(): ...", "02": "def mark(): ..."}
NAMES = ("01-the-mail-sent-twice", "02-where-the-crash-falls")


def checked(folder, lesson, *codes):
    folder.mkdir(parents=True, exist_ok=True)
    for each in codes:
        verdict = Verdict(lesson=lesson, passed=not each, language="en", headline="", code=each)
        Progress(folder).checked(verdict, at=AT)


def summary(folder, said=None, receipt=None):
    works = gather(folder, receipt or Receipt(), NAMES)
    answers = (lambda book: said.get(book.answer)) if said is not None else (lambda book: None)
    return summarise(works, ("01", "02"), answers, START)


def test_a_folder_per_learner(tmp_path):
    answered(tmp_path / "ana" / "01-the-mail-sent-twice.ipynb", "def send(): return 1")
    answered(tmp_path / "ana" / "sub" / "02-where-the-crash-falls.ipynb", "def mark(): ...", lesson="02")
    answered(tmp_path / "李雷" / "01-the-mail-sent-twice.ipynb", "def send(): return 2")
    checked(tmp_path / "ana", "01", "no-key", "no-key", "key-changed")
    Progress(tmp_path / "ana").predicted("01", "mails", 2, right=True, at=AT)
    Progress(tmp_path / "ana").predicted("01", "again", 2, right=False, at=AT)
    table = summary(
        tmp_path,
        {"def send(): return 1": (True, ""), "def send(): return 2": (False, "no-key")},
    )
    ana, lilei = table.learners
    assert [each.name for each in table.learners] == ["ana", "李雷"]
    assert ana.mark("01") == Mark(state="passed", tries=3, predictions=2, right=1)
    assert ana.mark("02") == Mark()
    assert lilei.mark("01") == Mark(state="tried", tries=1, code="no-key")
    assert (ana.passed, lilei.passed) == (1, 0)
    assert table.begun("01") == 2 and table.begun("02") == 0
    assert table.stumbles("01") == (("no-key", 1),)


def test_files_named_after_lesson_and_learner(tmp_path):
    for name in (
        "01-the-mail-sent-twice-Ana",
        "Bo_01-the-mail-sent-twice",
        "Bo_02-where-the-crash-falls (1)",
        "王芳",
    ):
        answered(tmp_path / f"{name}.ipynb", "x = 1", lesson="02" if "02" in name else "01")
    table = summary(tmp_path, {"x = 1": (False, "threw")})
    assert [each.name for each in table.learners] == ["Ana", "Bo", "王芳"]
    assert table.learners[1].marks.keys() == {"01", "02"}


def test_the_folder_of_one_learner_is_that_learner(tmp_path):
    folder = tmp_path / "Hugo"
    answered(folder / "01-the-mail-sent-twice.ipynb", "x = 1")
    answered(folder / "zh" / "01-the-mail-sent-twice-Copy1.ipynb", "x = 2")
    checked(folder, "01", "no-key")
    (hugo,) = summary(folder, {"x = 1": (False, "no-key"), "x = 2": (True, "")}).learners
    assert hugo.name == "Hugo" and hugo.mark("01") == Mark(state="passed", tries=1)


def test_a_progress_file_beside_many_learners_is_nobodys(tmp_path):
    answered(tmp_path / "Ana.ipynb", "x = 1")
    answered(tmp_path / "Bo.ipynb", "x = 1")
    checked(tmp_path, "01", "no-key")
    assert [each.name for each in summary(tmp_path, {}).learners] == ["Ana", "Bo"]


def test_without_running_the_notebook_s_own_word_is_taken(tmp_path):
    cells = (
        code("def send(): return 1", "answer"),
        code("here.check(send)", "check", verdict={"passed": True}),
    )
    book(tmp_path / "ana" / "1.ipynb", *cells)
    answered(tmp_path / "bo" / "1.ipynb", "def send(): return 3")
    checked(tmp_path / "bo", "01", "no-key")
    answered(tmp_path / "chen" / "1.ipynb", "def send(): ...")
    checked(tmp_path / "chen", "01", "", "no-key")
    checked(tmp_path / "dora", "02", "threw")  # a progress file without a notebook
    ana, bo, chen, dora = summary(tmp_path).learners
    assert ana.mark("01").state == "passed"
    assert bo.mark("01") == Mark(state="tried", tries=1, code="no-key")
    assert chen.mark("01") == Mark(state="passed", tries=2)
    assert dora.mark("02") == Mark(state="tried", tries=1, code="threw")


def test_a_failed_run_counts_more_than_an_old_pass(tmp_path):
    answered(tmp_path / "ana" / "1.ipynb", "def send(): return 1")
    checked(tmp_path / "ana", "01", "")
    (ana,) = summary(tmp_path, {"def send(): return 1": (False, "no-key")}).learners
    assert ana.mark("01").state == "tried"


def test_most_frequent_stumbles_first(tmp_path):
    for name, source in zip("abcdef", ("x = 1", "x = 1", "x = 2", "x = 2", "x = 2", "x = 3"), strict=True):
        answered(tmp_path / name / "1.ipynb", source)
    said = {"x = 1": (False, "no-key"), "x = 2": (False, "key-changed"), "x = 3": (True, "")}
    table = summary(tmp_path, said)
    assert table.stumbles("01") == (("key-changed", 3), ("no-key", 2))
    assert json.loads(json.dumps(table.to_json()))["lessons"][0] == {
        "lesson": "01",
        "begun": 6,
        "passed": 1,
        "stumbles": [{"code": "key-changed", "learners": 3}, {"code": "no-key", "learners": 2}],
    }


def test_csv_has_a_row_per_learner_and_no_formulas(tmp_path):
    answered(tmp_path / "=cmd()" / "1.ipynb", "x = 1")
    answered(tmp_path / "李雷" / "1.ipynb", "x = 1")
    rows = list(csv.DictReader(io.StringIO(summary(tmp_path, {"x = 1": (False, "no-key")}).to_csv())))
    assert [row["learner"] for row in rows] == ["'=cmd()", "李雷"]
    assert (
        rows[0]["01"] == "tried" and rows[0]["01 stumbles over"] == "no-key" and rows[0]["02"] == "not begun"
    )


def test_what_cannot_be_read_is_on_the_receipt(tmp_path):
    (tmp_path / "ana").mkdir()
    (tmp_path / "ana" / "x.ipynb").write_text("{")
    answered(tmp_path / "ana" / "notes.ipynb", "x = 1", lesson=None)
    receipt = Receipt()
    (ana,) = summary(tmp_path, {}, receipt).learners
    assert ana.name == "ana" and not ana.marks
    assert receipt.seen == 2 and receipt.parsed == 1 and len(receipt.skipped) == 2
    with pytest.raises(SourceUnreadable):
        gather(tmp_path / "none", Receipt())


def test_a_lesson_that_does_not_exist_is_left_out_and_said(tmp_path):
    answered(tmp_path / "ana" / "01-the-mail-sent-twice.ipynb", "def send(): return 1")
    answered(tmp_path / "ana" / "other.ipynb", "def send(): return 1", lesson="99")
    receipt = Receipt()
    table = summary(tmp_path, receipt=receipt)
    assert table.lessons == ("01", "02")
    assert [each.why for each in receipt.skipped] == ["there is no lesson 99"]


def test_learners_are_sorted_as_people_count():
    from eve_replay.workshop.grading.classroom import _as_people_count

    names = ["learner10", "learner2", "learner1", "ann", "ann1", "Ann", "1", "2b", "10"]
    right = ["1", "2b", "10", "Ann", "ann", "ann1", "learner1", "learner2", "learner10"]
    assert sorted(names, key=_as_people_count) == right

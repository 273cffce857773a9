import json
import os
from datetime import UTC, datetime

import pytest

from eve_replay.workshop.grading.progress import FILE_NAME, Checked, LessonProgress, Predicted, Progress
from eve_replay.workshop.verdict import Verdict

AT = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


def verdict(passed=False, code="no-key", lesson="04"):
    return Verdict(
        lesson=lesson, passed=passed, language="en", headline="", code="" if passed else code, tried=9
    )


def test_what_is_noted_can_be_read(tmp_path):
    progress = Progress(tmp_path)
    assert progress.lessons() == {}
    assert progress.predicted("4", "again", 2, right=False, at=AT)
    assert progress.predicted("04", "why", "because of the key", at=AT)
    assert progress.checked(verdict(), at=AT) and progress.checked(verdict(passed=True), at=AT)
    known = Progress(tmp_path).lesson(4)
    when = "2026-11-30T09:00:00.000Z"
    assert known.predictions == (
        Predicted(name="again", choice=2, right=False, at=when),
        Predicted(name="why", choice="because of the key", right=None, at=when),
    )
    assert known.checks[0] == Checked(passed=False, code="no-key", tried=9, at=when)
    assert known.tries == 2 and known.passed
    assert known.prediction("again").choice == 2 and known.prediction("none") is None


def test_the_first_prediction_counts(tmp_path):
    progress = Progress(tmp_path)
    progress.predicted("01", "mails", 0, right=False, at=AT)
    progress.predicted("01", "mails", 2, right=True, at=AT)
    assert progress.lesson("01").predictions[0].choice == 0


def test_passed_stays_passed_and_only_the_latest_checks_are_kept(tmp_path):
    progress = Progress(tmp_path)
    progress.checked(verdict(passed=True), at=AT)
    for _ in range(230):
        progress.checked(verdict(), at=AT)
    known = progress.lesson("04")
    assert known.passed and known.tries == 231 and len(known.checks) == 200


def test_two_notebooks_write_into_one_file(tmp_path):
    one, two = Progress(tmp_path), Progress(tmp_path)
    one.checked(verdict(lesson="01"), at=AT)
    two.checked(verdict(lesson="02"), at=AT)
    one.checked(verdict(lesson="01"), at=AT)
    assert {name: each.tries for name, each in two.lessons().items()} == {"01": 2, "02": 1}
    assert os.listdir(tmp_path) == [FILE_NAME]


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"\xff", b"7"])
def test_a_damaged_file_is_set_aside(tmp_path, data):
    path = tmp_path / FILE_NAME
    path.write_bytes(data)
    progress = Progress(tmp_path)
    assert progress.lessons() == {}
    assert progress.checked(verdict(), at=AT)
    assert progress.lesson("04").tries == 1
    kept = tmp_path / f"{FILE_NAME}.unreadable"
    assert kept.read_bytes() == data


@pytest.mark.parametrize(
    "lessons",
    [
        {"04": 7, "x": {}, "05": {"checks": 7, "predictions": {"a": 1}}},
        {"04": {"checks": [1, {"passed": "yes"}, {"passed": True, "tried": "x"}], "tries": -5, "passed": 3}},
        {
            "04": {
                "predictions": [
                    {"name": 1},
                    {"name": "a", "choice": None},
                    {"name": "b", "choice": 1, "right": 7},
                ]
            }
        },
        {"04": {"tries": 10**30}},
        [],
    ],
)
def test_nonsense_in_the_file_is_left_out(tmp_path, lessons):
    (tmp_path / FILE_NAME).write_text(json.dumps({"lessons": lessons}))
    progress = Progress(tmp_path)
    for each in progress.lessons().values():
        assert isinstance(each, LessonProgress) and 0 <= each.tries <= 1_000_000
    assert progress.predicted("04", "why", 1, at=AT) and progress.checked(verdict(), at=AT)


def test_what_cannot_be_written_is_no_error(tmp_path):
    progress = Progress(tmp_path / "no" / "such" / "folder")
    assert not progress.checked(verdict(), at=AT)
    assert progress.trouble
    assert not Progress("\0").checked(verdict(), at=AT)


def test_a_killed_write_leaves_the_old_file_whole(tmp_path, monkeypatch):
    progress = Progress(tmp_path)
    progress.checked(verdict(), at=AT)
    monkeypatch.setattr(
        type(tmp_path), "replace", lambda self, target: (_ for _ in ()).throw(OSError("disk"))
    )
    assert not progress.checked(verdict(), at=AT)
    assert progress.lesson("04").tries == 1 and progress.trouble == "disk"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names")
def test_a_pipe_in_its_place_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / FILE_NAME)
    progress = Progress(tmp_path)
    assert not progress.lessons()
    assert progress.predicted("01", "mails", 1, at=datetime(2026, 1, 1, tzinfo=UTC))
    assert progress.lesson("01").predictions

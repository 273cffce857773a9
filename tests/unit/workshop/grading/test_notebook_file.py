import json
import os
import random

import pytest

from eve_replay.errors import SourceUnreadable
from eve_replay.workshop.grading.notebook_file import LARGEST, find_books, read_book, same_code
from tests.unit.workshop.grading._books import answered, book, code, text


def test_a_lesson_says_which_it_is_and_what_the_answer_is(tmp_path):
    path = book(
        tmp_path / "x.ipynb",
        text("# Which key\n\nText"),
        code("from eve_replay.notebook import lesson\nhere = lesson('04', language='zh')", "setup"),
        code("KEY = 1", "own"),
        code("def charge(input, ctx, outside):\n    return KEY", "answer"),
        code("LIMIT = 2", "answer"),
        code("here.check(charge)", "check", verdict={"passed": True, "code": ""}),
        lesson="4",
        language="zh",
    )
    found = read_book(path)
    assert (found.lesson, found.language, found.title) == ("04", "zh", "Which key")
    assert found.answer == "def charge(input, ctx, outside):\n    return KEY\n\nLIMIT = 2"
    assert found.elsewhere == {"lesson", "here", "KEY"}
    assert found.saved == {"passed": True, "code": ""}
    assert found.minutes is None


@pytest.mark.parametrize(
    ("name", "lesson"),
    [
        ("04-which-key", "04"),
        ("Ana-04-which-key", "04"),
        ("04-which-key (1)", "04"),
        ("notes", ""),
        ("2024", ""),
    ],
)
def test_without_metadata_the_name_says_it(tmp_path, name, lesson):
    assert read_book(answered(tmp_path / f"{name}.ipynb", "x = 1", lesson=None)).lesson == lesson


def test_no_answer_cell(tmp_path):
    found = read_book(book(tmp_path / "x.ipynb", code("x = 1"), text("answer")))
    assert found.answer is None and found.saved is None


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "not JSON"),
        (b"\x00\xff\xfe", "not JSON"),
        (b"[]", "format 4"),
        (b'{"worksheets": [{"cells": []}]}', "format 4"),
        (b'{"cells": 7}', "format 4"),
        (b"[" * 100_000, "not JSON"),
    ],
)
def test_what_is_no_notebook_is_said(tmp_path, data, words):
    path = tmp_path / "x.ipynb"
    path.write_bytes(data)
    with pytest.raises(SourceUnreadable, match=words):
        read_book(path)


def test_no_file_a_folder_a_giant(tmp_path):
    for path, words in ((tmp_path / "none.ipynb", "cannot be read"), (tmp_path, "folder")):
        with pytest.raises(SourceUnreadable, match=words):
            read_book(path)
    giant = tmp_path / "giant.ipynb"
    with giant.open("wb") as file:
        file.truncate(LARGEST + 1)
    with pytest.raises(SourceUnreadable, match="larger"):
        read_book(giant)


NASTY = [None, 7, "x", [], {}, [[]], {"a": {}}, True, 1e400, "\x1b[31m", ["x", 7, None]]


@pytest.mark.parametrize("seed", range(300))
def test_any_shape_of_json_is_read_or_refused(tmp_path, seed):
    dice = random.Random(seed)

    def nasty(depth=0):
        if depth < 3 and dice.random() < 0.6:
            names = (
                "cells",
                "metadata",
                "tags",
                "source",
                "outputs",
                "data",
                "cell_type",
                "eve_replay",
                "lesson",
            )
            return {name: nasty(depth + 1) for name in names if dice.random() < 0.6}
        return dice.choice(NASTY)

    cells = [nasty() for _ in range(dice.randrange(5))]
    path = tmp_path / "x.ipynb"
    path.write_text(json.dumps({"cells": cells, "metadata": nasty()}))
    try:
        found = read_book(path)
    except SourceUnreadable:
        return
    assert found.answer is None or isinstance(found.answer, str)
    assert isinstance(found.elsewhere, frozenset)


def test_hidden_folders_and_solutions_hold_no_learner(tmp_path):
    for name in (
        "b/02-x.ipynb",
        "a.ipynb",
        "b/.ipynb_checkpoints/02-x.ipynb",
        "solutions/01-x.ipynb",
        "c/d/e.ipynb",
    ):
        answered(tmp_path / name, "x = 1")
    (tmp_path / "round").symlink_to(tmp_path)
    found = [str(path.relative_to(tmp_path)) for path in find_books(tmp_path)]
    assert found == ["a.ipynb", "b/02-x.ipynb", "c/d/e.ipynb"]
    assert list(find_books(tmp_path / "none")) == []


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("x = 'a'  # why", 'x = "a"\n\n', True),
        ("x = 1", "x = 2", False),
        ("def f(:", "def  f(:", True),
        ("def f(:", "def g(:", False),
        (None, None, True),
        (None, "x", False),
        ("-" * 50_000 + "1", "-" * 50_000 + "1", True),
        ("x = '\\d'", "x = '\\d'", True),
    ],
)
def test_comments_and_quotes_make_no_other_code(one, other, same):
    assert same_code(one, other) is same


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names")
def test_pipes_and_devices_are_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.ipynb")
    (tmp_path / "zero.ipynb").symlink_to("/dev/zero")
    for path in find_books(tmp_path):
        with pytest.raises(SourceUnreadable, match="no ordinary file"):
            read_book(path)

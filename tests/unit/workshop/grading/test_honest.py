"""Right answers in many styles: none may fail, none may be taken for cheating."""

import re
import sys
import types
from pathlib import Path

import pytest

from eve_replay.workshop import check
from eve_replay.workshop.grading.answers import reach_of_cell
from eve_replay.workshop.lesson import tasks

#: Blocks that begin with ``### lesson name``.
TEXT = Path(__file__).with_name("honest.txt").read_text("utf-8")
ANSWERS = dict(block.split("\n", 1) for block in re.split(r"^### ", TEXT, flags=re.MULTILINE)[1:])


@pytest.mark.parametrize("which", ANSWERS)
def test_a_right_answer_is_right(which):
    lesson = which.split()[0]
    code = compile(ANSWERS[which], "<answer>", "exec", dont_inherit=True)
    assert reach_of_cell(code) is None
    module = types.ModuleType("answer")
    sys.modules["answer"] = module
    exec(code, vars(module))
    verdict = check(lesson, vars(module)[tasks()[lesson.zfill(2)].answer], seeds=(0, 5))
    assert verdict.passed, (verdict.headline, verdict.why)

"""What docs/evidence says of a recording is in that recording.

The pages are prose; what can be held mechanically is held here: each point that a class of commit names was
killed in that class, and numbers that are quoted are those of the recordings.
"""

import re
from pathlib import Path

import pytest

from eve_replay.recovery.observe import observe
from tests.support.recovery import crash_journal, rows

EVIDENCE = Path(__file__).parents[2] / "docs" / "evidence"
POINT = re.compile(r"\b(T[123]) ((?:before|after)-\d{3})\b")


def sections(page):
    parts = re.split(r"^## (.+)\n", (EVIDENCE / f"{page}.md").read_text("utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def points(name):
    return [(name, *found) for found in POINT.findall(sections("sweep")[name])]


@pytest.mark.parametrize(
    ("code", "turn", "point"),
    [each for code in ("B", "C1a", "C1b", "C3", "F1", "F2") for each in points(code)],
)
def test_each_point_a_class_names_was_killed_in_that_class(code, turn, point):
    journal = crash_journal(turn, point)
    situation = observe(journal.session(journal.heads[0].id))
    assert code in {step.code for step in situation.steps}


@pytest.mark.parametrize("each", sorted(set(POINT.findall((EVIDENCE / "sweep.md").read_text("utf-8")))))
def test_each_point_that_is_named_is_there(each):
    turn, point = each
    assert point in rows(turn) and crash_journal(turn, point).heads is not None


def test_the_numbers_of_the_sweep():
    every = [row for turn in ("T1", "T2", "T3") for row in rows(turn).values()]
    seen = [row for row in every if "effects" in row]
    recovered = [row for row in seen if row["recovered"]]
    failed = [row for row in seen if row.get("ended")]
    twice = [row for row in seen if any(len(runs) > 1 for runs in row["effects"].values())]
    numbers = " ".join(sections("sweep")["Numbers"].split())
    assert f"Of the {len(every)} that are in the repository: {len(recovered)} recovered" in numbers
    hung = len(seen) - len(recovered) - len(failed)
    assert f"{hung} hung, {len(failed)} failed" in numbers and f"in {len(twice)} an effect" in numbers

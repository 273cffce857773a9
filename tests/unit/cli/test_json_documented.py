"""docs/json.md names every field that a command prints."""

import re
from pathlib import Path

import pytest

from tests.unit.cli._run import call

PAGE = (Path(__file__).parents[3] / "docs" / "json.md").read_text("utf-8")
KNOWN = set(re.findall(r"[A-Za-z]\w*", PAGE))
#: What lies below these is data of the session or counts by a word, not fields of ours.
DATA = {
    "after",
    "answer",
    "args",
    "attributes",
    "before",
    "columns",
    "counts",
    "data",
    "environments",
    "error",
    "frames",
    "input",
    "ledger",
    "metadata",
    "outcomes",
    "output",
    "payloads",
    "result",
    "rows",
    "severities",
    "states",
    "strategies",
    "value",
    "values",
}

CASES = """
demo
sessions sample:incident-1
runs sample:workflow-tool
show sample:approval-hold
events sample:crash-in-tool
stream sample:crash-in-tool
receipt sample:crash-in-tool
turns sample:approval-hold
turn sample:crash-in-tool
attempts sample:batch-crash
state sample:simple-turn
transcript sample:crash-in-tool
diff sample:crash-in-tool
search sample:crash-in-tool charge
why sample:crash-not-restarted
why sample:batch-crash
doctor sample:crash-in-tool
docs
crash sample:crash-in-tool
crash sample:crash-in-tool --point 9
matrix sample:simple-turn
forecast sample:crash-not-restarted --if
guard sample:simple-turn --once
compare sample:simple-turn
compare sample:crash-in-tool --dedup
compare sample:crash-in-tool --keys
compare sample:workflow-tool --determinism
worlds
""".strip().split("\n")


def fields(document):
    """Yield the names of the fields of a document."""
    todo = [document]
    while todo:
        each = todo.pop()
        if isinstance(each, dict):
            yield from each
            todo += [value for name, value in each.items() if name not in DATA]
        elif isinstance(each, list):
            todo += each


@pytest.mark.parametrize("words", CASES)
def test_every_field_is_documented(words, capsys):
    document = call(capsys, *words.split(), "--json", "--now", "2026-12-01T09:00:00Z").json
    assert not document["format"].endswith("error")
    assert not sorted(set(fields(document)) - KNOWN)

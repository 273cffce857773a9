"""What the HTTP endpoint says of a conversation, held against the store it was projected from."""

import json
from datetime import UTC, datetime

import pytest

from eve_replay.errors import NotFound
from eve_replay.guidance.why import why
from eve_replay.journal import open_journal
from eve_replay.recovery import forecast, matrix
from tests.support.corpus import scenario
from tests.support.flue import fixtures, journal, updates

VIEWS = [(name, view) for name, views in updates().items() for view in views if name in fixtures()]


def calls(session):
    """Return each call once: the view folds attempts together."""
    found = [
        (c.name, c.call_id, c.fate) for s in session.steps for c in s.tool_calls if s.run_id == session.id
    ]
    return list(dict.fromkeys(found))


def same(path, name):
    (seen,) = open_journal(path).sessions
    stored = journal(fixtures()[name]["final"]).session(seen.id)
    assert calls(seen) == calls(stored)
    assert [turn.status for turn in seen.turns] == [turn.status for turn in stored.turns]
    assert [turn.delivery_ids for turn in seen.turns] == [turn.delivery_ids for turn in stored.turns]
    assert seen.missing("events")  # it leaves out what only the store has, and says so


@pytest.mark.parametrize(("name", "view"), VIEWS)
@pytest.mark.parametrize("form", ["list", "lines", "stream"])
def test_updates_hold_what_the_store_holds(name, view, form, tmp_path):
    found = updates()[name][view]
    texts = [json.dumps(each, ensure_ascii=False) for each in found]
    path = tmp_path / "updates.ndjson"
    path.write_text(
        {
            "list": json.dumps(found),
            "lines": "\n".join(texts),
            "stream": "".join(f"event: data\ndata:[{text}]\n\n" for text in texts)
            + ': heartbeat\n\nevent: control\ndata:{"streamNextOffset":"0_1"}\n\n',
        }[form]
    )
    same(path, name)


@pytest.mark.parametrize("name", [name for name, found in fixtures().items() if "history-ops-c1" in found])
def test_a_snapshot_holds_what_the_store_holds(name, tmp_path):
    path = tmp_path / "history.json"
    path.write_text(json.dumps(fixtures()[name]["history-ops-c1"]))
    same(path, name)


def test_a_line_that_is_cut_is_named_and_the_rest_is_read(tmp_path):
    found = updates()["b1_crash_ordinary_tool"]["ops-c1"]
    path = tmp_path / "updates.jsonl"
    path.write_text("\n".join(json.dumps(each) for each in found) + '\n{"type": "message-del')
    opened = open_journal(path)
    assert calls(opened.sessions[0]) == [("charge_card", "call_0_0_a611e624f6", "interrupted")]
    (cut,) = [each for each in opened.receipt.problems if each.code == "torn-view"]
    assert cut.where.endswith(f":{len(found) + 1}")


def test_nothing_is_called_over_that_the_view_cannot_show(tmp_path):
    path = tmp_path / "updates.json"
    path.write_text(json.dumps(updates()["b1_crash_ordinary_tool"]["ops-c1"]))
    opened = open_journal(path)
    assert forecast(opened)[0].answer.certainty == "unknown"
    idle = next(
        v for v in why(opened.sessions[0], now=datetime(2026, 12, 1, tzinfo=UTC)).verdicts if v.code == "idle"
    )
    assert idle.certainty == "unknown"


def test_an_unsettled_view_foretells_nothing_and_has_no_crash_points(tmp_path):
    """A delegate is at work: from outside its call is open, and what it did is not there."""
    chunks = json.loads((scenario("flue/postgres") / "updates.json").read_text())
    task = next(n for n, each in enumerate(chunks) if each.get("toolName") == "task")
    path = tmp_path / "open.jsonl"
    path.write_text("\n".join(json.dumps(each) for each in chunks[: task + 3]))
    opened = open_journal(path)
    answer = forecast(opened)[0].answer
    assert (answer.certainty, answer.ends) == ("unknown", "unknown")
    session = opened.session()
    call = next(c for s in session.steps for c in s.tool_calls if c.name == "task")
    assert (call.ran.min, call.ran.max, call.ran.certainty) == (0, 1, "unknown")
    with pytest.raises(NotFound, match="no crash points"):
        matrix(session)
    said = json.dumps(why(session, now=datetime(2026, 12, 1, 15, tzinfo=UTC)).to_json())
    assert "is not settled in this HTTP view" in said and "its process is dead" not in said

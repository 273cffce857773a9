"""A store nobody knows: described, corrected, opened; the way a person goes, for tables and for keys."""

from __future__ import annotations

import base64
import json
import sqlite3

import pytest

from eve_replay.cli import run
from eve_replay.errors import SourceUnreadable, WrongUse
from eve_replay.worlds.contract import check_world
from eve_replay.worlds.layouts.draft import describe
from eve_replay.worlds.layouts.parse import parse_layout
from eve_replay.worlds.registry import open_world
from tests.support import corpus

STEPS = [
    ("run_created", None),
    ("step_started", "step_1"),
    ("step_completed", "step_1"),
    ("run_completed", None),
]


@pytest.fixture
def private(tmp_path):
    """A store of somebody's own, with names nobody could know."""
    link = sqlite3.connect(tmp_path / "mine.db")
    link.executescript(
        "create table wf_run (id text, name text, state text, input blob, result blob, created_at text);"
        "create table wf_step (id text, run_id text, name text, state text, tries int, args blob);"
        "create table wf_event_log (seq int, run_id text, kind text, subject text, data text, at text);"
        "create table other (x int);"
    )
    link.execute(
        "insert into wf_run values ('wrun_1', 'workflow//./a//order', 'completed', ?, ?, "
        "'2026-01-01T00:00:00.000Z')",
        (b'devl["x"]', b'devl["y"]'),
    )
    link.execute(
        "insert into wf_step values ('step_1', 'wrun_1', 'step//./a//charge', 'completed', 1, ?)",
        (b'devl["a"]',),
    )
    for number, (kind, subject) in enumerate(STEPS, 1):
        at = f"2026-01-01T00:00:0{number}.000Z"
        link.execute(
            "insert into wf_event_log values (?, 'wrun_1', ?, ?, null, ?)", (number, kind, subject, at)
        )
    link.commit()
    link.close()
    return tmp_path / "mine.db"


def test_a_draft_opens_the_store_it_was_written_from(private, tmp_path, capsys):
    assert run(["worlds", "--describe", str(private)]) == 0
    draft = capsys.readouterr().out
    assert 'table = "wf_event_log"' in draft and "# not used: other" in draft
    (tmp_path / "my.toml").write_text(draft)
    source = f"{private}?layout={tmp_path / 'my.toml'}"
    world = open_world(source)
    [found] = world.runs()
    assert (found.workflow.function, found.payload("output").value) == ("order", "y")
    assert [event.event_type for event in world.events("wrun_1")] == [kind for kind, _ in STEPS]
    assert next(world.events("wrun_1")).slot == 1
    [step] = world.steps("wrun_1")
    assert (step.name.function, step.attempt) == ("charge", 1)
    check_world(lambda: open_world(source))
    assert run(["attempts", source]) in (0, 1)
    assert "charge" in capsys.readouterr().out


def test_what_the_draft_could_not_tell_is_said_when_it_is_opened(private, tmp_path):
    draft = describe(str(private)).replace('{ column = "seq", form = "slot" }', '"?"')
    (tmp_path / "my.toml").write_text(draft)
    with pytest.raises(WrongUse) as caught:
        open_world(f"{private}?layout={tmp_path / 'my.toml'}")
    assert '[events].fields.eventId is still "?"' in caught.value.message


def test_a_column_that_is_not_there_is_a_gap(private, tmp_path):
    draft = describe(str(private)).replace('column = "seq"', 'column = "number"')
    (tmp_path / "my.toml").write_text(draft)
    world = open_world(f"{private}?layout={tmp_path / 'my.toml'}")
    [problem] = [p for p in world.receipt.problems if p.severity == "error"]
    assert "no column number in wf_event_log" in problem.message and world.receipt.missing("events")


def test_a_layout_for_other_tables_names_what_is_there(private):
    with pytest.raises(SourceUnreadable) as caught:
        open_world(f"{private}?layout=turso")
    assert "none of the tables of the layout turso" in caught.value.message
    assert "wf_run" in caught.value.message


def test_a_layout_that_does_not_exist(private):
    with pytest.raises(WrongUse) as caught:
        open_world(f"{private}?layout=nothing.toml")
    assert "no layout nothing.toml" in caught.value.message and "turso" in caught.value.hint


def test_a_known_store_is_described_by_its_layout():
    text = describe(str(corpus.scenario("worlds/turso")))
    assert parse_layout(text).name == "turso"


def test_a_data_folder_needs_no_description():
    with pytest.raises(SourceUnreadable, match="read without a layout"):
        describe("sample:crash")


def keys_file(folder, entries):
    def text(value):
        return base64.b64encode(value.encode()).decode()

    document = {}
    for key, value in entries.items():
        if isinstance(value, list):
            document[key] = {"type": "set", "value": [text(each) for each in value], "pttl": -1}
        elif isinstance(value, dict):
            document[key] = {
                "type": "hash",
                "value": [[text(k), text(v)] for k, v in value.items()],
                "pttl": -1,
            }
        else:
            document[key] = {"type": "string", "value": text(value), "pttl": -1}
    (folder / "keys.json").write_text(json.dumps(document))
    return folder / "keys.json"


def test_keys_of_ones_own(tmp_path):
    """Hashes without an index: ids are found in the names of the keys."""
    path = keys_file(
        tmp_path,
        {
            "shop/run/wrun_1": {"name": "workflow//./a//order", "status": "running"},
            "shop/run/wrun_1/step/step_1": {
                "stepName": "step//./a//charge",
                "attempt": "2",
                "status": "running",
            },
            "shop/run/wrun_1/event/evnt_00000000000000000000000001": json.dumps({"eventType": "run_created"}),
            "shop/run/wrun_1/event/evnt_00000000000000000000000002": json.dumps({"eventType": "run_started"}),
        },
    )
    with pytest.raises(SourceUnreadable) as caught:
        open_world(str(path))
    assert "is Redis with 4 keys" in caught.value.message and "shop/run/" in caught.value.message
    assert "no layout is known" in caught.value.message and "no workflow runs" not in caught.value.message
    assert "# keys seen:" in describe(str(path))
    (tmp_path / "my.toml").write_text(
        'name = "shop"\nreader = "keys"\nprefix = "shop/"\n'
        '[runs]\nkey = "{prefix}run/{runId}"\nvalue = "hash"\n'
        'fields = { workflowName = { column = "name", form = "text" }, '
        'status = { column = "status", form = "text" } }\n'
        '[steps]\nkey = "{prefix}run/{runId}/step/{stepId}"\nvalue = "hash"\n'
        'fields = { stepName = { column = "stepName", form = "text" } }\n'
        '[events]\nkey = "{prefix}run/{runId}/event/{eventId}"\n'
    )
    source = f"{path}?layout={tmp_path / 'my.toml'}"
    world = open_world(source)
    [found] = world.runs()
    assert (found.run_id, found.workflow.function, found.status) == ("wrun_1", "order", "running")
    assert [event.slot for event in world.events("wrun_1")] == [1, 2]
    [step] = world.steps("wrun_1")
    assert (step.step_id, step.attempt) == ("step_1", 2)
    check_world(lambda: open_world(source))

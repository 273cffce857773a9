"""Durable Objects: a file per run, tables or key-value storage, one world; what cannot be told is said."""

from __future__ import annotations

import json
import shutil
import sqlite3

import pytest

from eve_replay.errors import SourceUnreadable
from eve_replay.journal import attempts_document, open_journal
from eve_replay.worlds.cloudflare.objects import object_id
from eve_replay.worlds.contract import check_world
from eve_replay.worlds.registry import open_world
from tests.support import corpus

TABLES = """
create table run (runId text primary key, status text, workflowName text, deploymentId text,
  specVersion integer, input blob, output blob, error text, executionContext text, createdAt text,
  updatedAt text);
create table events (eventId text primary key, eventType text, correlationId text, eventData text,
  specVersion integer, createdAt text);
create table steps (stepId text primary key, stepName text, status text, input blob, output blob, error text,
  attempt integer, createdAt text, updatedAt text);
create table hooks (hookId text primary key, token text, metadata blob, isWebhook integer, createdAt text);
create table waits (waitId text primary key, status text, resumeAt text, createdAt text);
"""
RUN = "wrun_01M8Q7KAAAAAAAAAAAAAAAAAA1"


@pytest.fixture
def state(tmp_path):
    """The folder of a simulator: two runs in two ways of keeping, and a stream."""
    folder = tmp_path / "do" / "shop-RunDO"
    folder.mkdir(parents=True)
    link = sqlite3.connect(folder / "aa.sqlite")
    link.executescript(TABLES)
    at = "2026-12-01T00:00:00.000Z"
    link.execute(
        "insert into run values (?, 'completed', 'workflow//./a//order', 'd', 3, ?, ?, null, null, ?, ?)",
        (RUN, b'devl[["c9"]]', b'devl["done"]', at, at),
    )
    for number, kind in enumerate(["run_created", "step_started", "step_completed", "run_completed"]):
        data = json.dumps({"result": {"__u8": "ZGV2bFsib2siXQ=="}}) if kind == "step_completed" else None
        step = "step_1" if kind.startswith("step") else None
        link.execute(
            "insert into events values (?, ?, ?, ?, 3, ?)",
            (f"evnt_01M8Q7KAAAAAAAAAAAAAAAAAA{number}", kind, step, data, at),
        )
    link.execute(
        "insert into steps values ('step_1', 'step//./a//charge', 'completed', ?, null, null, 1, ?, ?)",
        (b'devl["a"]', at, at),
    )
    link.commit()
    link.close()
    link = sqlite3.connect(folder / "bb.sqlite")
    link.execute("create table _cf_KV (key text primary key, value blob)")
    for key, hexed in corpus.load_json(corpus.CORPUS / "worlds" / "cloudflare-kv.json").items():
        link.execute("insert into _cf_KV values (?, ?)", (key, bytes.fromhex(hexed)))
    link.commit()
    link.close()
    link = sqlite3.connect(folder / "cc.sqlite")
    link.execute("create table chunks (chunkId text primary key, data blob, eof integer)")
    link.commit()
    link.close()
    return tmp_path / "do"


def test_objects_of_both_kinds_are_one_world(state):
    world = open_world(str(state))
    assert (world.kind, world.about["layout"], world.about["layoutStatus"]) == (
        "cloudflare",
        "cloudflare",
        "untested",
    )
    first, second = world.runs()
    assert first.payload("output").value == "done" and second.status == "completed"
    done = [event for event in world.events(RUN) if event.event_type == "step_completed"]
    assert done[0].data_payload("result").value == "ok"
    assert [event.event_type for event in world.events(second.run_id)].count("step_started") == 2
    [step] = world.steps(second.run_id)
    assert (step.attempt, step.name.function) == (2, "charge")
    assert world.receipt.missing("chunks")
    check_world(lambda: open_world(str(state)))


def test_a_damaged_object_hides_no_other(state):
    folder = state / "shop-RunDO"
    whole = (folder / "aa.sqlite").read_bytes()
    (folder / "dd.sqlite").write_bytes(whole[:3000])
    world = open_world(str(state))
    assert len(list(world.runs())) == 2 and world.receipt.missing("runs")


def test_objects_without_a_run_are_named(state):
    shutil.rmtree(state)
    state.mkdir()
    link = sqlite3.connect(state / "x.sqlite")
    link.execute("create table _cf_KV (key text primary key, value blob)")
    link.commit()
    link.close()
    with pytest.raises(SourceUnreadable, match="Durable Objects, and no run of a known world"):
        open_world(str(state))


def test_objects_of_the_real_simulator():
    """Recorded: every row still in the write-ahead logs, streams in files named by a hash of their names."""
    folder = corpus.scenario("worlds/cloudflare")
    facts = corpus.load_json(folder / "facts.json")
    world = open_world(str(folder / "do"))
    assert {run.run_id: run.status for run in world.runs()} == {
        facts["done"]: "completed",
        facts["killed"]: "running",
    }
    for run_id, end in ((facts["done"], True), (facts["killed"], False)):
        chunks = list(world.stream(run_id, f"strm_{run_id[5:]}_user"))
        assert [bytes(c.data)[4:] for c in chunks if not c.end] == [b'devl["one"]', b'devl["it\'s \\\\ two"]']
        assert chunks[-1].end is end
    steps = attempts_document(open_journal(world))
    outcomes = [[attempt["outcome"] for attempt in step["attempts"]] for step in steps]
    assert sorted(outcomes) == [["failed", "completed"], ["failed", "running"]]
    # The column has whole seconds only; the ids of the events have the rest.
    assert len({event.fields["createdAt"] for event in world.events(facts["done"])}) > 8
    assert world.receipt.clean and not world.receipt.missing("chunks")
    check_world(lambda: open_world(str(folder / "do")))


def test_the_id_of_an_object_is_that_of_the_simulator():
    folder = corpus.scenario("worlds/cloudflare")
    run_id = corpus.load_json(folder / "facts.json")["killed"]
    assert (folder / "do" / "-WorkflowRunDO" / f"{object_id('-WorkflowRunDO', run_id)}.sqlite").is_file()

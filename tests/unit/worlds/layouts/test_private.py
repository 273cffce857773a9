"""Stores of somebody's own: the draft that ``worlds --describe`` writes opens them, and they say the same.

Each is made from a recorded store under names nobody could know: JSON in a column, renamed columns, and keys.
"""

from __future__ import annotations

import base64
import json
import sqlite3

import pytest

from eve_replay.codec import Payload
from eve_replay.errors import SourceUnreadable
from eve_replay.journal import attempts_document, open_journal
from eve_replay.records import StreamRecord
from eve_replay.worlds.contract import check_world
from eve_replay.worlds.layouts.draft import describe
from eve_replay.worlds.probe import probe
from eve_replay.worlds.registry import open_world
from tests.support import corpus, redisserver


def coded(value):
    """Return record data with payloads as base64 text, as many writers keep them."""
    if isinstance(value, Payload):
        return base64.b64encode(value.raw).decode() if isinstance(value.raw, bytes) else value.value
    if isinstance(value, dict):
        return {key: coded(item) for key, item in value.items()}
    return [coded(item) for item in value] if isinstance(value, (list, tuple)) else value


def raw(fields, name):
    value = fields.get(name)
    return value.raw if isinstance(value, Payload) and isinstance(value.raw, bytes) else None


def told(world):
    """Return what a person asks of a store."""
    found = {}
    for run in world.runs():
        streams = {
            other.name: [bytes(chunk.data) for chunk in world.stream(run.run_id, other.name)]
            for other in world.others(run.run_id)
            if isinstance(other, StreamRecord)
        }
        found[run.run_id] = (run.status, [event.event_type for event in world.events(run.run_id)], streams)
    steps = [
        (step["stepId"], step["function"], [attempt["outcome"] for attempt in step["attempts"]])
        for step in attempts_document(open_journal(world))
    ]
    return found, sorted(steps)


@pytest.fixture(scope="module")
def recorded():
    return open_world(str(corpus.scenario("worlds/turso")))


def parts(world):
    for run in world.runs():
        chunks = [
            (other.name, number, chunk)
            for other in world.others(run.run_id)
            if isinstance(other, StreamRecord)
            for number, chunk in enumerate(world.stream(run.run_id, other.name))
        ]
        yield run, list(world.steps(run.run_id)), list(world.events(run.run_id)), chunks


@pytest.fixture
def documents(recorded, tmp_path):
    """SQLite with one JSON document a row."""
    link = sqlite3.connect(tmp_path / "mine.db")
    link.executescript(
        "create table acme_execution (execution_key text primary key, body text);"
        "create table acme_activity (activity_key text, execution_key text, body text);"
        "create table acme_history (position integer, execution_key text, body text);"
        "create table acme_part (stream text, part integer, content blob, last integer, execution_key text);"
    )
    for run, steps, events, chunks in parts(recorded):
        link.execute("insert into acme_execution values (?, ?)", (run.run_id, json.dumps(coded(run.fields))))
        for step in steps:
            body = json.dumps(coded(step.fields))
            link.execute("insert into acme_activity values (?, ?, ?)", (step.step_id, run.run_id, body))
        for number, event in enumerate(events, 1):
            body = json.dumps(coded({k: v for k, v in event.fields.items() if k != "eventId"}))
            link.execute("insert into acme_history values (?, ?, ?)", (number, run.run_id, body))
        for name, number, chunk in chunks:
            row = (name, number, bytes(chunk.data), chunk.end, run.run_id)
            link.execute("insert into acme_part values (?, ?, ?, ?, ?)", row)
    link.commit()
    link.close()
    return tmp_path / "mine.db"


@pytest.fixture
def columns(recorded, tmp_path):
    """SQLite with a column for each field, named as nobody would guess."""
    link = sqlite3.connect(tmp_path / "mine.sqlite")
    link.executescript(
        "create table executions (ref text, def text, phase text, args blob, answer blob, born text);"
        "create table work (w text, ref text, def text, phase text, tries int, args blob, answer blob,"
        " begun text);"
        "create table history (n integer primary key, ref text, what text, about text, body text, at text);"
        "create table pieces (channel text, n int, piece blob, last int, ref text);"
    )
    for run, steps, events, chunks in parts(recorded):
        f = run.fields
        row = (run.run_id, f["workflowName"], f["status"], raw(f, "input"), raw(f, "output"), f["createdAt"])
        link.execute("insert into executions values (?, ?, ?, ?, ?, ?)", row)
        for step in steps:
            f = step.fields
            row = (step.step_id, run.run_id, f["stepName"], f["status"], f["attempt"], raw(f, "input"))
            row += (raw(f, "output"), f.get("startedAt"))
            link.execute("insert into work values (?, ?, ?, ?, ?, ?, ?, ?)", row)
        for event in events:
            f = event.fields
            body = json.dumps(coded(f["eventData"])) if f.get("eventData") else None
            row = (run.run_id, f["eventType"], f.get("correlationId"), body, f["createdAt"])
            link.execute("insert into history (ref, what, about, body, at) values (?, ?, ?, ?, ?)", row)
        for name, number, chunk in chunks:
            row = (name, number, bytes(chunk.data), chunk.end, run.run_id)
            link.execute("insert into pieces values (?, ?, ?, ?, ?)", row)
    link.commit()
    link.close()
    return tmp_path / "mine.sqlite"


@pytest.mark.parametrize("store", ["documents", "columns"])
def test_a_draft_of_tables_opens_them_as_it_is(store, recorded, request, tmp_path):
    path = request.getfixturevalue(store)
    with pytest.raises(SourceUnreadable, match="an SQLite database with the tables"):
        open_world(str(path))
    (tmp_path / "my.toml").write_text(describe(str(path)))
    source = f"{path}?layout={tmp_path / 'my.toml'}"
    assert told(open_world(source)) == told(recorded)
    check_world(lambda: open_world(source))
    found = probe(source)
    assert found.readable and found.runs == 6 and found.status == "untested"


@pytest.mark.parametrize("log", ["keys", "list", "zset", "stream"])
def test_a_draft_of_keys_opens_them_as_it_is(log, recorded, tmp_path):
    server = redisserver.start()
    try:
        link = server.connect()
        for run, steps, events, chunks in parts(recorded):
            base = f"shop/run/{run.run_id}"
            link.sadd("shop/runs", run.run_id)
            link.hset(base, mapping=hashed(run.fields))
            for step in steps:
                link.hset(f"{base}/step/{step.step_id}", mapping=hashed(step.fields))
            for number, event in enumerate(events):
                fields = coded({k: v for k, v in event.fields.items() if k not in ("eventId", "runId")})
                if log == "keys":
                    link.set(f"{base}/event/{event.event_id}", json.dumps(fields))
                elif log == "list":
                    link.rpush(f"{base}/log", json.dumps(fields))
                elif log == "zset":
                    link.zadd(f"{base}/log", {json.dumps({"eventId": event.event_id, **fields}): number})
                else:
                    link.xadd(
                        f"{base}/log",
                        {k: v if isinstance(v, str) else json.dumps(v) for k, v in fields.items()},
                    )
            for name, _, chunk in chunks:
                link.xadd(f"{base}/out/{name}", {"data": bytes(chunk.data), "eof": str(chunk.end).lower()})
        (tmp_path / "my.toml").write_text(describe(server.url))
        source = f"{server.url}?layout={tmp_path / 'my.toml'}"
        assert told(open_world(source)) == told(recorded)
        check_world(lambda: open_world(source))
    finally:
        server.stop()


def hashed(fields):
    return {
        name: value.raw
        if isinstance(value, Payload) and isinstance(value.raw, bytes)
        else value
        if isinstance(value, str)
        else json.dumps(coded(value))
        for name, value in fields.items()
        if value is not None
    }


def test_text_in_a_database_file_does_not_make_it_a_dump(documents):
    """The pages of this file hold the word workflow_runs: it is told by its first bytes all the same."""
    link = sqlite3.connect(documents)
    link.execute("create table workflow_runs_note (x text)")
    link.commit()
    link.close()
    with pytest.raises(SourceUnreadable, match="an SQLite database with the tables"):
        open_world(str(documents))


def test_a_layout_that_misses_is_never_everything_was_read(documents, tmp_path):
    """A column that is not there, and events without a type: both are named, and the lists are not whole."""
    (tmp_path / "my.toml").write_text(
        'name = "mine"\nreader = "tables"\n[runs]\ntable = "acme_execution"\n'
        'fields = { runId = "execution_key", workflowName = "nam" }\n[steps]\ntable = "acme_activity"\n'
        'fields = { stepId = "activity_key", runId = "execution_key" }\n[events]\ntable = "acme_history"\n'
        'fields = { eventId = { column = "position", form = "slot" }, runId = "execution_key" }\n'
    )
    world = open_world(f"{documents}?layout={tmp_path / 'my.toml'}")
    run = next(world.runs())
    assert list(world.events(run.run_id))
    said = {problem.code: problem.message for problem in world.receipt.problems}
    assert "acme_execution has no column nam: workflowName" in said["missing-column"]
    assert "no type" in said["no-event-type"]
    assert world.receipt.missing("events", run_id=run.run_id) and world.receipt.missing("runs")

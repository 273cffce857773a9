"""The example of the README passes the contract, is found by its entry point, and every command reads it."""

from __future__ import annotations

import importlib.metadata
import json
import sqlite3
from importlib.metadata import EntryPoint

import pytest

from eve_replay.cli import run as run_cli
from eve_replay.worlds.contract import check_world
from eve_replay.worlds.registry import open_world
from tests.support import example_world

RUN = "wrun_01M8NVB9PFBX65D9CBNMJXQYNB"


@pytest.fixture
def store(tmp_path):
    path = tmp_path / "x.demo.sqlite"
    rows = [
        ("run", RUN, RUN, {"runId": RUN, "status": "completed", "workflowName": "workflow//./a//b"}, None),
        (
            "step",
            RUN,
            "step_1",
            {"runId": RUN, "stepId": "step_1", "stepName": "step//./a//pay"},
            b'devl["hi"]',
        ),
        ("event", RUN, "evnt_1", {"runId": RUN, "eventId": "evnt_1", "eventType": "run_created"}, None),
    ]
    with sqlite3.connect(path) as db:
        db.execute("create table records (kind, run, id, fields, input)")
        packed = [(kind, run, id_, json.dumps(fields), data) for kind, run, id_, fields, data in rows]
        db.executemany("insert into records values (?, ?, ?, ?, ?)", packed)
    db.close()
    return str(path)


@pytest.fixture
def installed(monkeypatch):
    points = [
        EntryPoint("sqlite-demo", "tests.support.example_world:opener", "eve_replay.worlds"),
        EntryPoint("broken", "no_such_module_here:opener", "eve_replay.worlds"),
    ]
    real = importlib.metadata.entry_points

    def entry_points(**wanted):
        return points if wanted == {"group": "eve_replay.worlds"} else real(**wanted)

    monkeypatch.setattr(importlib.metadata, "entry_points", entry_points)


def test_the_example_keeps_the_contract(store):
    assert len(check_world(lambda: example_world.opener.open(store))) >= 10


def test_the_example_is_opened_through_its_entry_point(store, installed, capsys):
    world = open_world(store)
    assert world.kind == "sqlite-demo"
    assert next(iter(world.steps(RUN))).payload("input").value == "hi"
    world.close()
    assert run_cli(["runs", store, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["runs"][0]["runId"] == RUN


def test_worlds_lists_it_without_importing(installed, capsys):
    assert run_cli(["worlds", "--json"]) == 0
    rows = {row["kind"]: row for row in json.loads(capsys.readouterr().out)["worlds"]}
    assert {"local", "postgres", "hosted", "bundle", "remote", "redis", "sqlite-demo", "broken"} <= set(rows)
    assert rows["sqlite-demo"]["can"] == [] and "reads" in rows["broken"]
    assert rows["local"]["can"] == ["streams", "marks", "watch"]
    assert run_cli(["worlds", "--load"]) == 0
    out = capsys.readouterr().out
    assert "does not" in out and "a .demo.sqlite file" in out


def test_every_built_in_kind_is_listed(capsys):
    from eve_replay.worlds.registry import BUILTIN

    assert run_cli(["worlds", "--json"]) == 0
    rows = {row["kind"] for row in json.loads(capsys.readouterr().out)["worlds"]}
    assert set(BUILTIN) <= rows

"""Stores of community worlds, recorded with the real packages: runs, attempts, streams are right."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections import Counter

import pytest

from eve_replay.journal import attempts_document, open_journal
from eve_replay.worlds.contract import check_world
from eve_replay.worlds.registry import open_world
from tests.support import corpus, redisserver

STORES = ["worlds/turso", "worlds/redis-bullmq"]


def digest(folder):
    return {
        p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(folder.rglob("*")) if p.is_file()
    }


@pytest.mark.parametrize("name", STORES)
def test_it_keeps_the_contract_and_changes_nothing(name, tmp_path):
    folder = corpus.scratch(name, tmp_path)
    before = digest(folder)
    assert len(check_world(lambda: open_world(str(folder)))) > 9
    assert digest(folder) == before


@pytest.mark.parametrize("name", STORES)
def test_runs_are_those_that_were_started(name):
    folder = corpus.scenario(name)
    facts = corpus.load_json(folder / "facts.json")
    world = open_world(str(folder))
    found = {run.workflow.function: (run.run_id, run.status) for run in world.runs()}
    assert found == {key: (run_id, facts["status"][key]) for key, run_id in facts["runs"].items()}
    assert world.receipt.clean


@pytest.mark.parametrize("name", STORES)
def test_attempts_agree_with_what_was_really_done(name):
    """The ledger has one line per attempt of the step that fails twice, and one per charge."""
    folder = corpus.scenario(name)
    ledger = Counter(line["effect"] for line in corpus.load_ndjson(folder / "ledger.ndjson"))
    journal = open_journal(open_world(str(folder)))
    steps = {str(step["function"]): step for step in attempts_document(journal)}
    outcomes = [attempt["outcome"] for attempt in steps["flaky"]["attempts"]]
    assert outcomes == ["failed", "failed", "completed"] and len(outcomes) == ledger["try"]
    assert len(steps["charge"]["attempts"]) == ledger["charge"] == 1
    assert steps["fatal"]["status"] == "failed"


@pytest.mark.parametrize("name", STORES)
def test_streams_end_and_hold_every_chunk(name):
    world = open_world(str(corpus.scenario(name)))
    run = next(run for run in world.runs() if run.workflow.function == "rich")
    names = [other.name for other in world.others(run.run_id) if type(other).__name__ == "StreamRecord"]
    assert len(names) == 2
    for stream in names:
        chunks = list(world.stream(run.run_id, stream))
        assert [chunk.end for chunk in chunks].count(True) == 1
        assert all(
            chunk.data[:4] == len(chunk.data[4:]).to_bytes(4, "big") for chunk in chunks if not chunk.end
        )


def test_turso_takes_the_spec_version_from_its_other_table():
    world = open_world(str(corpus.scenario("worlds/turso")))
    assert {run.spec_version for run in world.runs()} == {2}


def test_keys_file_of_redis_reads_as_the_dump_does(tmp_path):
    import base64

    from eve_replay.worlds.redis.rdb import read_rdb

    dump = read_rdb((corpus.scenario("worlds/redis-bullmq") / "dump.rdb").read_bytes())

    def pack(entry):
        def text(raw):
            return base64.b64encode(raw).decode()

        value = entry.value
        if entry.kind == "string":
            return text(value)
        if entry.kind == "zset":
            return [[text(member), 0] for member in value]
        if entry.kind == "set":
            return [text(member) for member in value]
        if entry.kind == "stream":
            return [[id_, [[text(k), text(v)] for k, v in fields.items()]] for id_, fields in value]
        return []

    keys = {key: {"type": e.kind, "value": pack(e), "pttl": -1} for key, e in dump.databases[0].items()}
    (tmp_path / "keys.json").write_text(json.dumps(keys))
    world = open_world(str(tmp_path / "keys.json"))
    assert world.about["layout"] == "redis-json"
    assert len(list(world.runs())) == 6
    check_world(lambda: open_world(str(tmp_path / "keys.json")))


def test_another_prefix_is_found(tmp_path):
    from eve_replay.worlds.export.entities import Wrap
    from eve_replay.worlds.redis.choose import world_of_keys
    from eve_replay.worlds.redis.rdb import RdbKey
    from eve_replay.worlds.redis.store import RdbStore

    keys = {
        "shop:a:runs:index": RdbKey("zset", [b"wrun_1"]),
        "shop:a:run:wrun_1": RdbKey("string", b'{"runId":"wrun_1","workflowName":"w","status":"running"}'),
    }
    world = world_of_keys(RdbStore(keys, "x"), prefix=None, wrap=Wrap(), given=None)
    assert world.about["prefix"] == "shop:a"
    assert [run.run_id for run in world.runs()] == ["wrun_1"]
    again = world_of_keys(RdbStore(keys, "x"), prefix="shop:a", wrap=Wrap(), given=None)
    assert again.count_runs() == 1


def test_a_copied_store_without_its_name_is_still_known(tmp_path):
    """Recognition is by what a file holds: name and ending say nothing."""
    target = tmp_path / "backup-2026"
    shutil.copy(corpus.scenario("worlds/turso") / "workflow.db", target)
    assert open_world(str(target)).about["layout"] == "turso"


@pytest.mark.redis
def test_a_live_server_reads_as_its_dump_and_by_a_user_who_may_only_read():
    dump = corpus.scenario("worlds/redis-bullmq") / "dump.rdb"
    server = redisserver.start(dump)
    server.connect().execute_command(
        "ACL", "SETUSER", "reader", "on", ">pw", "~*", "+@read", "+@connection", "+info", "+scan"
    )
    live = open_world(f"redis://reader:pw@127.0.0.1:{server.port}/0")
    file = open_world(str(dump))
    for ours, theirs in zip(live.runs(), file.runs(), strict=True):
        assert (ours.run_id, ours.status) == (theirs.run_id, theirs.status)
        assert [e.event_id for e in live.events(ours.run_id)] == [
            e.event_id for e in file.events(theirs.run_id)
        ]
        for other in live.others(ours.run_id):
            if type(other).__name__ == "StreamRecord":
                assert list(live.stream(ours.run_id, other.name)) == [*file.stream(ours.run_id, other.name)]
    live.close()
    check_world(lambda: open_world(f"redis://reader:pw@127.0.0.1:{server.port}/0"))
    server.stop()

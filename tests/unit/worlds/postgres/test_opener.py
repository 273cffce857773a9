"""The Postgres world against real databases, restored from recordings into a private server."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

import pytest

from eve_replay import cli
from eve_replay.codec import Payload
from eve_replay.errors import NotFound
from eve_replay.ids import ulid_time
from eve_replay.records import HookRecord, StreamRecord, WaitRecord
from eve_replay.worlds.base import World
from eve_replay.worlds.contract import check_world
from eve_replay.worlds.postgres.opener import opener
from eve_replay.worlds.postgres.world import PostgresWorld
from tests.support import pgserver
from tests.support.corpus import names, scenario
from tests.support.vendor_oracle import check

pytestmark = pytest.mark.postgres

SNAPSHOTS = [
    f"{name}/{folder.name}"
    for name in names("postgres")
    for folder in sorted(scenario(f"postgres/{name}").iterdir())
    if folder.is_dir()
]
ROLE = "reader"


def folder_of(snapshot: str) -> Path:
    name, _, part = snapshot.partition("/")
    return scenario(f"postgres/{name}") / part


@pytest.fixture(scope="module")
def server() -> pgserver.Server:
    server = pgserver.server()
    with server.connect() as link:
        link.execute(f"drop role if exists {ROLE}")
        link.execute(f"create role {ROLE} login")
    return server


def restore(server: pgserver.Server, snapshot: str, dump: str = "dump.sql") -> str:
    """Restore a recording, give the role SELECT and nothing else, and return the role's address."""
    folder = folder_of(snapshot)
    database = "er_" + snapshot.replace("/", "_").replace("-", "_")
    prelude = [folder / "prelude.sql"] if (folder / "prelude.sql").exists() else []
    server.create(database, *prelude, folder / dump)
    with server.connect(database) as link:
        link.execute(f"grant usage on schema workflow to {ROLE}")
        link.execute(f"grant select on all tables in schema workflow to {ROLE}")
    return server.url(database, ROLE)


def open_one(address: str, **options: object) -> PostgresWorld:
    world = opener.open(address, **options)
    assert isinstance(world, PostgresWorld)
    return world


@pytest.mark.parametrize("snapshot", SNAPSHOTS)
def test_every_recording_reads_as_the_vendor_reads_it(server: pgserver.Server, snapshot: str) -> None:
    world = open_one(restore(server, snapshot))
    try:
        check(world, json.loads((folder_of(snapshot) / "oracle.json").read_text("utf-8")))
        assert isinstance(world, World)
    finally:
        world.close()


def test_reading_writes_nothing_and_closes_its_connection(server: pgserver.Server) -> None:
    address = restore(server, "eve_crash/final")
    database = address.rpartition("/")[2]

    def state() -> object:
        with server.connect(database) as link:
            tables = link.execute(
                "select relname, n_tup_ins, n_tup_upd, n_tup_del, n_live_tup from pg_stat_all_tables "
                "where schemaname = 'workflow' order by 1"
            ).fetchall()
            files = link.execute(
                "select relname, relfilenode, pg_relation_size(oid) from pg_class "
                "where relnamespace = 'workflow'::regnamespace order by 1"
            ).fetchall()
            return tables, files, link.execute("select pg_current_wal_insert_lsn()").fetchone()

    before = state()
    world = open_one(address)
    for run in world.runs():
        list(world.events(run.run_id)), list(world.steps(run.run_id))
        for other in world.others(run.run_id):
            if isinstance(other, StreamRecord):
                list(world.stream(run.run_id, other.name))
        assert run.payload("input") is not None
    with server.connect(database) as link:
        asked = link.execute(
            "select application_name, state from pg_stat_activity where usename = %s", (ROLE,)
        ).fetchall()
        assert asked == [("eve-replay", "idle in transaction")]
    world.close()
    world.close()
    after = state()
    assert before == after, "the write-ahead log did not move either"
    with server.connect(database) as link:
        for _ in range(50):
            rows = link.execute("select 1 from pg_stat_activity where usename = %s", (ROLE,)).fetchall()
            if not rows:
                break
            link.execute("select pg_sleep(0.02)")
        assert rows == []


def test_the_session_cannot_write_even_when_the_role_could(server: pgserver.Server) -> None:
    restore(server, "sdk5_crash/final")
    world = open_one(server.url("er_sdk5_crash_final", "postgres"))
    try:
        from eve_replay.errors import SourceUnreadable

        with pytest.raises(SourceUnreadable, match="read-only"):
            world._link.ask("delete from workflow.workflow_runs")
        assert world._link.ask("show transaction_isolation") == [("repeatable read",)]
        assert len(list(world.runs())) == 1
    finally:
        world.close()


def test_all_tables_are_seen_at_one_moment(server: pgserver.Server) -> None:
    address = restore(server, "sdk5_crash/after-kill")
    world = open_one(address)
    run = next(iter(world.runs()))
    before = [event.event_id for event in world.events(run.run_id)]
    with server.connect(address.rpartition("/")[2]) as link:
        link.execute(
            "insert into workflow.workflow_events (id, type, run_id) values (%s, 'step_started', %s)",
            ("wevt_7ZZZZZZZZZZZZZZZZZZZZZZZZZ", run.run_id),
        )
    assert [event.event_id for event in world.events(run.run_id)] == before
    assert world.newest_event() == before[-1]
    world.refresh()
    assert len(list(world.events(run.run_id))) == len(before) + 1
    assert world.touched_since(before[-1]) == {run.run_id}
    world.close()


def test_column_sets_and_the_upgraded_database_are_told_apart(server: pgserver.Server) -> None:
    lines = {}
    for snapshot in ("sdk41_rich/final", "sdk4_rich/final", "sdk5_rich/final", "pg_upgraded/final"):
        world = open_one(restore(server, snapshot))
        lines[snapshot.partition("/")[0]] = world.about["columns"]
        problems = [problem.code for problem in world.receipt.problems]
        assert problems == (["half-upgraded-database"] if snapshot.startswith("pg_up") else [])
        world.close()
    assert lines == {"sdk41_rich": "4.1", "sdk4_rich": "4.3", "sdk5_rich": "5.0", "pg_upgraded": "upgraded"}


def test_a_wrong_zone_is_explained_and_reckoned_with(server: pgserver.Server) -> None:
    world = open_one(restore(server, "sdk5_tz/final"))
    problem = next(p for p in world.receipt.problems if p.code == "created-at-zone")
    assert "UTC-05:00" in problem.message
    assert world.about["createdAtShiftMinutes"] == -300
    run = world.run(next(iter(world.runs())).run_id)
    assert run.fields["createdAt"] == "2026-11-30T04:48:58.038Z"
    assert run.created_at == datetime(2026, 11, 30, 9, 48, 58, 38000, tzinfo=UTC)
    for event in world.events(run.run_id):
        made = ulid_time(event.event_id)
        assert made is not None and event.created_at is not None
        assert abs((event.created_at - made).total_seconds()) < 1
    for step in world.steps(run.run_id):
        assert step.created_at is not None and step.time("startedAt") is not None
        assert abs((step.created_at - step.time("startedAt")).total_seconds()) < 1
    world.close()


def test_tables_in_another_schema_are_found_when_named(server: pgserver.Server) -> None:
    address = restore(server, "eve_approval/held")
    database = address.rpartition("/")[2]
    with server.connect(database) as link:
        link.execute('alter schema workflow rename to "Flow\'s"')
    with pytest.raises(Exception, match=r"\?schema=Flow's"):
        opener.open(address)
    by_option, by_address = open_one(address, schema="Flow's"), open_one(f"{address}?schema=Flow%27s")
    oracle = json.loads((folder_of("eve_approval/held") / "oracle.json").read_text("utf-8"))
    for world in (by_option, by_address):
        check(world, oracle)
        world.close()


def test_enums_in_either_schema_read_as_text(server: pgserver.Server) -> None:
    old, new = open_one(restore(server, "sdk41_failed/final")), open_one(restore(server, "sdk4_failed/final"))
    assert {run.status for world in (old, new) for run in world.runs()} == {"failed"}
    old.close()
    new.close()


def test_waits_hooks_and_children(server: pgserver.Server) -> None:
    world = open_one(restore(server, "eve_approval/held"))
    root = next(run for run in world.runs() if run.attribute("$eve.type") == "session")
    children = {run.run_id for run in world.children(root.run_id)}
    assert children == {run.run_id for run in world.runs()} - {root.run_id}
    everyone = [run.run_id for run in world.runs()]
    for run_id in everyone:
        assert [run.run_id for run in world.family(run_id)] == everyone
    others = [other for run in world.runs() for other in world.others(run.run_id)]
    assert sum(isinstance(other, HookRecord) for other in others) == 3
    waits = [other for other in others if isinstance(other, WaitRecord)]
    assert [wait.correlation_id[:5] for wait in waits] == ["wait_"]
    world.close()


def test_listing_fetches_payloads_only_when_asked(server: pgserver.Server) -> None:
    world = open_one(restore(server, "eve_simple/final"))
    listed = next(iter(world.runs()))
    whole = world.run(listed.run_id)
    assert set(listed.fields) == set(whole.fields)
    payload = listed.payload("input")
    assert isinstance(payload, Payload) and payload.raw == whole.payload("input").raw  # type: ignore[union-attr]
    assert listed.fields["executionContext"] == whole.fields["executionContext"]
    late = next(iter(world.runs()))
    world.close()
    # A record outlives its world: what can no longer be fetched says so, and nothing raises.
    gone = late.payload("input")
    assert gone is not None and gone.tagged()["$type"] == "undecodable"


def test_queue_jobs_are_shown_when_they_may_be_read(
    server: pgserver.Server, capsys: pytest.CaptureFixture[str]
) -> None:
    address = restore(server, "eve_crash/after-kill")
    database = address.rpartition("/")[2]
    world = open_one(address)
    assert world.jobs() == []
    world.close()
    jobs = json.loads((folder_of("eve_crash/after-kill") / "rows.json").read_text("utf-8"))["graphile_jobs"]
    with server.connect(database) as link:
        link.execute("create schema graphile_worker")
        link.execute(
            "create table graphile_worker._private_jobs (id bigint primary key, job_queue_id int, key text, "
            "attempts smallint, max_attempts smallint, run_at timestamptz, locked_at timestamptz, "
            "last_error text, payload json)"
        )
        for job in jobs:
            link.execute(
                "insert into graphile_worker._private_jobs "
                "(id, key, attempts, max_attempts, run_at, locked_at, payload) "
                "values (%s, %s, %s, %s, %s, %s, %s)",
                (job["id"], job["key"], job["attempts"], job["max"], job["run_at"], job["locked_at"],
                 json.dumps(job["payload"])),
            )  # fmt: skip
    world = open_one(address)
    assert world.jobs() == [], "no grant on the queue: nothing is shown, nothing fails"
    world.close()
    with server.connect(database) as link:
        link.execute(f"grant usage on schema graphile_worker to {ROLE}")
        link.execute(f"grant select on graphile_worker._private_jobs to {ROLE}")
    world = open_one(address)
    shown = world.jobs()
    assert [(job.function.rpartition("/")[2], job.locked_at is not None) for job in shown] == [
        ("sessionTimeoutWorkflow", False),
        ("turnWorkflow", True),
    ]
    turn = next(run for run in world.runs() if run.workflow.function == "turnWorkflow")
    assert [job.key for job in world.jobs(turn.run_id)] == ["msg_01M8NVACMP1V1JY8D6CSAM210V"]
    assert world.about["queue"] == "2 jobs, 1 taken by a worker"
    said = [problem.message for problem in world.receipt.problems]
    assert (
        said[0].startswith("sessionTimeoutWorkflow of run wrun_") and "is due at 2026-12-01T08:07" in said[0]
    )
    assert "turnWorkflow of run" in said[1] and "its worker died and it runs again" in said[1]
    assert world.receipt.clean
    assert shown[1].to_json()["lockedAt"] == "2026-11-30T09:07:05.002Z"
    world.close()
    capsys.readouterr()
    cli.run(["show", address, turn.run_id])
    assert "Queue" in (out := capsys.readouterr().out) and "was taken by a worker" in out
    cli.run(["show", address, turn.run_id, "--json"])
    assert json.loads(capsys.readouterr().out)["queue"] == [shown[1].to_json()]


def test_an_unknown_run_is_named(server: pgserver.Server) -> None:
    world = open_one(restore(server, "sdk5_crash/final"))
    for ask in (world.run, lambda i: list(world.events(i)), lambda i: list(world.steps(i)),
                lambda i: list(world.others(i)), lambda i: list(world.stream(i, "strm_x"))):  # fmt: skip
        with pytest.raises(NotFound):
            ask("wrun_00000000000000000000000000")
    # Two readers at once, one of which stops early.
    first = world.runs()
    assert next(first).run_id
    assert len(list(islice(world.runs(), 5))) == 1
    first.close()  # type: ignore[attr-defined]
    world.close()


@pytest.mark.parametrize("snapshot", ["eve_simple/final", "sdk41_rich/final", "pg_upgraded/final"])
def test_it_keeps_the_contract(server: pgserver.Server, snapshot: str) -> None:
    address = restore(server, snapshot)
    assert len(check_world(lambda: open_one(address))) > 9

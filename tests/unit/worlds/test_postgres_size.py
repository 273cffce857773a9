"""A Postgres world of 100,000 runs: the first screen comes at once, one run costs one run's rows."""

from __future__ import annotations

import itertools
import time
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest

from eve_replay.worlds.postgres.opener import opener
from eve_replay.worlds.postgres.world import PostgresWorld
from tests.support import pgserver
from tests.support.corpus import scenario
from tests.unit.cli._run import call

pytestmark = pytest.mark.postgres

RUNS = 100_000
#: Ids are ULIDs whose last digits count; a run has two events and one step.
RUN = "'wrun_01M8' || lpad(i::text, 22, '0')"


@pytest.fixture(scope="module")
def server() -> pgserver.Server:
    server = pgserver.server()
    server.create("er_size", scenario("postgres/sdk5_crash") / "final" / "dump.sql")
    with server.connect("er_size") as link:
        link.execute("truncate workflow.workflow_runs, workflow.workflow_events, workflow.workflow_steps")
        link.execute(
            "insert into workflow.workflow_runs (id, deployment_id, status, name, spec_version, attributes, "
            "input_cbor, execution_context_cbor) "
            f"select {RUN}, 'postgres', 'completed', 'workflow//eve//workflowEntry', '5', "
            "'{\"$eve.type\": \"session\"}', decode('d8401903e8' || repeat('61', 1000), 'hex'), '\\xa0' "
            f"from generate_series(1, {RUNS}) i"
        )
        link.execute(
            "insert into workflow.workflow_events (id, type, run_id, spec_version) "
            "select 'wevt_01M8' || lpad((i * 3 + k)::text, 22, '0'), 'run_started', "
            f"{RUN}, 5 from generate_series(1, {RUNS}) i, generate_series(0, 1) k"
        )
        link.execute(
            "insert into workflow.workflow_steps (run_id, step_id, step_name, status, attempt) "
            f"select {RUN}, 'step_01M8' || lpad(i::text, 22, '0'), 'step//x//y', 'completed', 1 "
            f"from generate_series(1, {RUNS}) i"
        )
    return server


@pytest.fixture(params=["no statistics", "fresh statistics"])
def world(server: pgserver.Server, request: pytest.FixtureRequest) -> Iterator[PostgresWorld]:
    with server.connect("er_size") as link:
        if request.param == "fresh statistics":
            link.execute("analyze workflow.workflow_runs, workflow.workflow_events, workflow.workflow_steps")
    world = opener.open(server.url("er_size"))
    assert isinstance(world, PostgresWorld)
    yield world
    world.close()


def rows_read(server: pgserver.Server) -> dict[str, tuple[int, int]]:
    """How many rows the server has read so far, by table: in scans, and through an index."""
    with server.connect("er_size") as link:
        link.execute("select pg_stat_clear_snapshot()")
        rows = link.execute(
            "select relname, seq_tup_read, idx_tup_fetch from pg_stat_user_tables where relname in "
            "('workflow_runs', 'workflow_events', 'workflow_steps')"
        ).fetchall()
    return {name: (sequential, index) for name, sequential, index in rows}


def read_since(server: pgserver.Server, before: dict[str, tuple[int, int]], table: str) -> Any:
    """Return the counts once ``table``'s have changed: a session's reads count when its transaction ends."""
    for _ in range(250):
        after = rows_read(server)
        if after[table] != before[table]:
            break
        time.sleep(0.02)
    return after


def test_the_first_screen_reads_the_first_rows_only(server: pgserver.Server) -> None:
    before = rows_read(server)
    world = opener.open(server.url("er_size"))
    assert isinstance(world, PostgresWorld)
    first = list(itertools.islice(world.runs(), 50))
    newest = world.page(50, newest_first=True)
    world.close()
    after = read_since(server, before, "workflow_runs")
    assert [run.run_id[-3:] for run in first[:2]] == ["001", "002"]
    assert newest[0].run_id.endswith("100000") and len(newest) == 50
    for table, (scanned, fetched) in after.items():
        assert scanned == before[table][0], f"{table} was scanned"
        assert fetched - before[table][1] <= 1000, f"{table}: {fetched - before[table][1]} rows"


def test_pages_count_and_family(server: pgserver.Server) -> None:
    world = opener.open(server.url("er_size"))
    assert isinstance(world, PostgresWorld)
    newest = world.page(50, newest_first=True)
    older = world.page(50, after=newest[-1].run_id, newest_first=True)
    assert int(older[0].run_id[-6:]) == int(newest[-1].run_id[-6:]) - 1
    assert world.count_runs() == RUNS
    assert [run.run_id for run in world.family(newest[3].run_id)] == [newest[3].run_id]
    world.close()


def test_listing_keeps_memory_flat(server: pgserver.Server) -> None:
    world = opener.open(server.url("er_size"))
    tracemalloc.start()
    count = sum(1 for _ in itertools.islice(world.runs(), 10_000))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    world.close()
    assert count == 10_000
    assert peak < 3_000_000, f"{peak:,} bytes for ten megabytes of payloads"


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for part in plan.get("Plans", ()):
        yield from nodes(part)


def test_one_run_reads_only_its_own_rows(server: pgserver.Server, world: PostgresWorld) -> None:
    run_id = "wrun_01M8" + "4711".rjust(22, "0")

    before = rows_read(server)
    assert len(list(world.events(run_id))) == 2
    assert len(list(world.steps(run_id))) == 1
    assert world.run(run_id).payload("input") is not None
    assert list(world.others(run_id)) == []
    world.refresh()
    list(world.events(run_id))
    world.close()
    after = read_since(server, before, "workflow_steps")
    for table, (sequential, index) in after.items():
        assert sequential == before[table][0], f"{table} was scanned"
        # Opening looks at the fifty oldest and the fifty newest events, whatever there is.
        allowed = 110 if table == "workflow_events" else 10
        assert index - before[table][1] <= allowed, f"{table}: {index - before[table][1]} rows for one run"
    assert after != before


def test_commands_read_what_they_show(
    server: pgserver.Server, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counted in rows that come over the line: no command about one thing lists all runs."""
    made: list[int] = []
    real = PostgresWorld._run_of

    def counted(self: PostgresWorld, row: dict[str, Any]) -> Any:
        made.append(1)
        return real(self, row)

    def refused(self: PostgresWorld) -> Iterator[Any]:
        raise AssertionError("all runs were listed")

    monkeypatch.setattr(PostgresWorld, "_run_of", counted)
    monkeypatch.setattr(PostgresWorld, "runs", refused)
    address, run_id = server.url("er_size"), "wrun_01M8" + "4711".rjust(22, "0")
    for words, most in (
        (("runs", address), 402),
        (("runs", address, "--last", "50"), 200),
        (("why", address, "--session", run_id), 202),
        (("show", address, run_id), 1),
        (("show", address, "0004711"), 1),
        (("attempts", address, "--session", run_id), 2),
    ):
        made.clear()
        result = call(capsys, *words)
        assert result.code in (0, 1), (words, result.err)
        assert len(made) <= most, (words, len(made))


def test_the_plans_use_the_indexes(world: PostgresWorld) -> None:
    from psycopg import sql

    def plan(query: sql.Composed) -> list[str]:
        shown = world._link.ask(sql.SQL("explain (format json) ") + query, ("wrun_x",))
        return [node["Node Type"] for node in nodes(shown[0][0][0]["Plan"])]

    for table, column in (
        ("workflow_events", "run_id"),
        ("workflow_steps", "run_id"),
        ("workflow_runs", "id"),
    ):
        kinds = plan(world._say.rows(table, column))
        assert "Seq Scan" not in kinds, kinds
        assert any("Index" in kind for kind in kinds)
    assert plan(world._say.listing(beyond=True, limit=50))[:2] == ["Limit", "Index Scan"]

"""A live database with the tables of another world: found by columns, in any schema, read-only."""

from __future__ import annotations

import pytest

from eve_replay.errors import SourceUnreadable
from eve_replay.worlds.contract import check_world
from eve_replay.worlds.probe import probe
from eve_replay.worlds.registry import open_world
from tests.support import corpus, pgserver

pytestmark = pytest.mark.postgres
RUN = "wrun_01M8Q7KAAAAAAAAAAAAAAAAAA1"


@pytest.fixture(scope="module")
def url():
    server = pgserver.server()
    return server.create("eve_replay_other", corpus.CORPUS / "worlds" / "platformatic.sql")


def test_the_tables_of_platformatic_are_read_without_naming_a_schema(url):
    world = open_world(url)
    assert (world.kind, world.about["layout"], world.about["schema"]) == (
        "postgres",
        "platformatic",
        "public",
    )
    kinds = [event.event_type for event in world.events(RUN)]
    assert kinds.count("step_started") == 2 and kinds[-1] == "run_completed"
    [step] = world.steps(RUN)
    assert (step.attempt, step.fields["startedAt"]) == (2, "2026-11-30T22:00:03.000Z")
    assert world.run(RUN).payload("output").value == {"ok": True}
    world.close()
    check_world(lambda: open_world(url))


def test_the_probe_names_it_and_how_it_was_checked(url):
    found = probe(f"{url}?schema=public")
    assert (found.kind, found.layout, found.runs, found.status) == ("postgres", "platformatic", 1, "untested")


def test_a_schema_with_partitions_and_packed_streams_is_world_postgres():
    server = pgserver.server()
    url = server.create("eve_replay_eveland", corpus.CORPUS / "worlds" / "eveland-partitioned.sql")
    world = open_world(url)
    assert world.about["columns"] == "4.3" and len(list(world.events(RUN))) == 7
    chunks = list(world.stream(RUN, f"strm_{RUN[5:]}_user"))
    assert len(chunks) == 6 and chunks[-1].end
    world.close()
    check_world(lambda: open_world(url))


def test_a_database_without_any_world_says_what_was_looked_for():
    server = pgserver.server()
    url = server.create("eve_replay_none")
    with server.connect("eve_replay_none") as link:
        link.execute("create table orders (id int)")
    with pytest.raises(SourceUnreadable) as caught:
        open_world(url)
    assert "There is no table workflow.workflow_runs" in caught.value.message


def test_a_named_layout_that_does_not_fit_names_the_tables(url):
    with pytest.raises(SourceUnreadable) as caught:
        open_world(f"{url}?schema=nothing&layout=platformatic")
    assert "no table in the schema nothing" in caught.value.message

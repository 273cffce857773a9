"""Flue's tables in other databases: Postgres as recorded, MySQL as its adapter's code writes them."""

from __future__ import annotations

import json

import pytest

from eve_replay.journal import open_journal
from eve_replay.recovery import forecast
from eve_replay.worlds.contract import check_world
from eve_replay.worlds.probe import probe
from eve_replay.worlds.registry import open_world
from tests.support import pgserver
from tests.support.corpus import scenario
from tests.support.flue import done, fixtures, journal, key_of, told

_POSTGRES = ("pgdump", "postgres")


def _place(kind, name):
    path = scenario("flue/postgres") / f"{name}.sql"
    return str(path) if kind == "pgdump" else pgserver.server().create(f"eve_replay_flue_{name}", path)


@pytest.mark.parametrize("kind", [_POSTGRES[0], pytest.param(_POSTGRES[1], marks=pytest.mark.postgres)])
def test_a_recording_on_postgres_says_what_the_http_view_and_the_ledger_say(kind):
    """The turn was killed in its second of three steps, taken over, and joined by a second delivery."""
    folder = scenario("flue/postgres")
    view = json.loads((folder / "history.json").read_text())
    real = done(json.loads((folder / "facts.json").read_text())["ledger"])
    source = _place(kind, "final")
    opened = open_journal(source)
    assert (opened.world.kind, opened.world.about["layout"]) == (kind, "flue")
    session = opened.session(view["conversationId"])
    [turn] = session.turns
    assert (turn.status, turn.budget.attempts, len(turn.delivery_ids)) == ("completed", 2, 2)
    own = [call for step in session.runs[0].steps for call in step.tool_calls if call.requested_at]
    said = [part for message in view["messages"] for part in message["parts"] if "toolCallId" in part]
    assert [call.call_id for call in own] == [part["toolCallId"] for part in said]
    asked = forecast(open_journal(_place(kind, "crash")))[0].answer
    assert asked.ends == "completed"
    for effect in asked.effects:
        assert effect.executions.min <= real.get(key_of(effect), 0) <= effect.executions.max, effect
    assert {run.attribute("$flue.kind") for run in opened.world.runs()} == {"root", "task"}
    opened.close()
    check_world(lambda: open_world(source))


def test_a_dump_that_was_cut_or_lacks_a_tables_rows_says_so(tmp_path):
    text = (scenario("flue/postgres") / "final.sql").read_text()
    cut = tmp_path / "cut.sql"
    cut.write_text(text[: text.rindex("agent_start_run")])
    session = open_journal(cut).session()
    assert session.missing("events")
    head, _, rest = text.partition("COPY public.flue_agent_submissions")
    bare = tmp_path / "bare.sql"
    bare.write_text(head + rest.partition("\\.\n")[2])
    assert open_journal(bare).session().missing("steps")


def test_a_schema_of_ones_own_is_found_and_can_be_named(tmp_path):
    text = (scenario("flue/postgres") / "crash.sql").read_text().replace("public.flue_", "agents.flue_")
    path = tmp_path / "other.sql"
    path.write_text(text)
    assert open_world(str(path)).about["schema"] == "agents"
    assert open_world(str(path), schema="agents").kind == "pgdump"


def _literal(value):
    if value is None:
        return "NULL"
    if isinstance(value, int):
        return str(value)
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "'"


def mysql_dump(tables):
    """Return the tables as ``mysqldump`` writes those of ``@flue/mysql``: no pieces, numbers as they are."""
    out = ["-- MySQL dump 10.13  Distrib 8.0.40\n"]
    for name, rows in tables.items():
        if not rows or name.endswith("_batch_chunks"):
            continue
        columns = ",\n".join(
            f"  `{column}` {'bigint' if isinstance(rows[0][column], int) else 'longtext'}"
            for column in rows[0]
        )
        out.append(f"CREATE TABLE `{name}` (\n{columns}\n) ENGINE=InnoDB;\n")
        values = ",".join("(" + ",".join(map(_literal, row.values())) + ")" for row in rows)
        out.append(f"INSERT INTO `{name}` VALUES {values};\n")
    return "".join(out) + "-- Dump completed on 2026-12-01 14:00:00\n"


@pytest.mark.parametrize("name", ["c_durable_between_steps", "h1_subagent", "p_joined_delivery"])
def test_a_dump_of_mysql_tells_the_same_and_is_marked_untested(name, tmp_path):
    tables = fixtures()[name]["final"]
    path = tmp_path / "dump.sql"
    path.write_text(mysql_dump(tables))
    opened = open_journal(path)
    assert told(opened) == told(journal(tables))
    assert opened.world.about["layoutStatus"] == "untested"
    assert "untested" in probe(str(path)).sentence
    check_world(lambda: open_world(str(path)))


def test_the_text_of_sqlites_dump_tells_the_same(tmp_path):
    import sqlite3

    tables = fixtures()["h1_subagent"]["final"]
    link = sqlite3.connect(":memory:")
    for name, rows in tables.items():
        columns = list(rows[0]) if rows else ["path", "seq", "chunk_index", "chunk_count", "data"]
        link.execute(f"create table {name} ({', '.join(columns)})")
        link.executemany(
            f"insert into {name} values ({', '.join('?' * len(columns))})",
            [tuple(row.values()) for row in rows],
        )
    path = tmp_path / "flue.sql"
    path.write_text("\n".join(link.iterdump()))
    opened = open_journal(path)
    assert (opened.world.kind, told(opened)) == ("sqldump", told(journal(tables)))
    assert "layoutStatus" not in opened.world.about

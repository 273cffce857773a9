"""Flue's tables elsewhere: a live PostgreSQL, its dump, dumps of SQLite and MySQL. Filled by hand: no adapter
of the present format for PostgreSQL is published, and MySQL's was only read (docs/formats/flue.md#model)."""

import sqlite3
import subprocess
from datetime import UTC, datetime

import pytest

from eve_replay.guidance.why import why
from eve_replay.journal import open_journal
from eve_replay.redaction.redact import Redactor
from eve_replay.worlds.bundle.write import write_bundle
from tests.support.flue import fixtures, journal

NAME = "c_durable_between_steps"
NOW = datetime(2026, 12, 2, tzinfo=UTC)


def told(opened):
    return [
        (turn.status, turn.budget.attempts, [(c.name, c.fate) for s in turn.steps for c in s.tool_calls])
        for session in opened.sessions
        for turn in session.turns
    ]


def literal(value):
    if value is None:
        return "NULL"
    return str(value) if isinstance(value, int) else "'" + str(value).replace("'", "''") + "'"


def script(quote, kind, text):
    out = []
    for table, rows in fixtures()[NAME]["final"].items():
        if not rows:
            continue
        kinds = [(name, kind if isinstance(value, int) else text) for name, value in rows[0].items()]
        columns = ",\n".join(f"  {quote}{name}{quote} {of}" for name, of in kinds)
        out.append(f"CREATE TABLE {quote}{table}{quote} (\n{columns}\n);")
        for row in rows:
            values = ", ".join(literal(value) for value in row.values())
            out.append(f"INSERT INTO {quote}{table}{quote} VALUES ({values});")
    return "\n".join(out) + "\n"


@pytest.mark.postgres
def test_a_live_postgres_and_its_dump(tmp_path):
    from tests.support import pgserver

    server = pgserver.server()
    path = tmp_path / "flue.sql"
    path.write_text(script('"', "bigint", "text"))
    url = server.create("flue_tables", path)
    expected = told(journal(fixtures()[NAME]["final"]))
    with open_journal(url) as live:
        assert told(live) == expected
        assert live.sessions[0].framework == "flue"
    dump = tmp_path / "dump.sql"
    made = subprocess.run(
        [server.binaries / "pg_dump", "-d", url.replace("postgres://", "postgresql://")],
        capture_output=True,
        check=True,
    )
    dump.write_bytes(made.stdout)
    assert told(open_journal(dump)) == expected


def test_a_dump_of_sqlite(tmp_path):
    link = sqlite3.connect(":memory:")
    link.executescript(script('"', "INTEGER", "TEXT"))
    dump = tmp_path / "dump.sql"
    dump.write_text("PRAGMA foreign_keys=OFF;\n" + "\n".join(link.iterdump()) + "\n")
    link.close()
    assert told(open_journal(dump)) == told(journal(fixtures()[NAME]["final"]))


def test_a_dump_of_mysql(tmp_path):
    dump = tmp_path / "dump.sql"
    body = script("`", "bigint", "longtext").replace("\\", "\\\\")
    head = "-- MySQL dump 10.13  Distrib 8.0.36\n/*!40103 SET TIME_ZONE='+00:00' */;\n"
    dump.write_text(f"{head}{body}-- Dump completed\n")
    assert told(open_journal(dump)) == told(journal(fixtures()[NAME]["final"]))


@pytest.mark.parametrize("redacted", [False, True], ids=["whole", "redacted"])
@pytest.mark.parametrize("name", list(fixtures()))
def test_a_packed_conversation_says_the_same(name, redacted, tmp_path):
    opened = journal(fixtures()[name]["final"])
    path = tmp_path / "packed.everun"
    with path.open("wb") as file:
        write_bundle(opened.world, file, redactor=Redactor(b"salt") if redacted else None)
    again = open_journal(path)
    assert told(again) == told(opened)
    for one, two in zip(opened.sessions, again.sessions, strict=True):
        said, repeated = (why(each, now=NOW) for each in (one, two))
        assert [v.code for v in repeated.verdicts] == [v.code for v in said.verdicts]
        assert [(e.tool, e.executions) for e in repeated.effects] == [
            (e.tool, e.executions) for e in said.effects
        ]

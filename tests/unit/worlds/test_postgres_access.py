"""Reaching a Postgres world: what is wrong is said in one sentence, and never with the password."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest

from eve_replay.errors import EveReplayError, SourceUnreadable, WrongUse
from eve_replay.worlds.postgres.address import parse_address, public_source
from eve_replay.worlds.postgres.opener import opener
from tests.support import pgserver
from tests.support.corpus import scenario

SECRET = "s3cr%t pass"
QUOTED = "s3cr%25t%20pass"


@pytest.mark.parametrize(
    ("source", "label"),
    [
        ("postgres://me:pw@db.example.com:5433/app?schema=w", "postgres://me@db.example.com:5433/app"),
        ("postgresql+psycopg://me:pw@db/app?sslmode=require", "postgres://me@db/app"),
        ("postgres:///app?host=/var/run/postgresql&user=me", "postgres://me@/var/run/postgresql/app"),
        ("postgres://[::1]:5432/app", "postgres://[::1]:5432/app"),
        ("postgres://u%40x:a%2Fb@h/d%20b", "postgres://u@x@h/d b"),
    ],
)
def test_labels_hold_no_password(source: str, label: str) -> None:
    address = parse_address(source)
    assert address.label == label
    assert "pw" not in repr(address)


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("postgres://me:pw@h/d?schema=x", "postgres://me:***@h/d?schema=x"),
        ("redis://:pw@h:1/0", "redis://:***@h:1/0"),
        ("postgres://me:p@w@h/d", "postgres://me:***@h/d"),
        ("postgres://me:p/pw@h/d", "postgres://me:***@h/d"),
        (
            "postgres://h/d?user=me&password=pw&sslmode=require",
            "postgres://h/d?user=me&password=***&sslmode=require",
        ),
        ("https://api.example.com/x?token=abc#y", "https://api.example.com/x?token=***#y"),
        ("https://h/a@b/c", "https://h/a@b/c"),
        ("~/project", "~/project"),
        ("postgres://me@h/d", "postgres://me@h/d"),
    ],
)
def test_a_source_can_be_shown_without_its_password(source: str, shown: str) -> None:
    assert public_source(source) == shown
    assert "pw" not in public_source(source)


def test_our_parameters_are_not_handed_to_libpq() -> None:
    address = parse_address("postgres://h/d?schema=other&timeout=5&sslmode=disable")
    assert (address.schema, address.timeout) == ("other", 5.0)
    assert address.conninfo == "postgresql://h/d?sslmode=disable"
    assert parse_address("postgres://h/d", schema="x", timeout=2.0).schema == "x"


@pytest.mark.parametrize(
    "source",
    [
        "postgresql://",
        "postgresql:///d",
        "postgresql:///d?host=%2Fvar%2Frun",
        "postgresql://?host=h&dbname=d",
    ],
)
def test_an_address_without_a_host_reaches_libpq_as_it_is(source: str) -> None:
    assert parse_address(source).conninfo == source


@pytest.mark.parametrize("source", ["postgres://h:notaport/d", "postgres://h/d?timeout=soon", "mysql://h/d"])
def test_addresses_that_cannot_be_meant(source: str) -> None:
    with pytest.raises(WrongUse):
        parse_address(source)


def test_recognising_imports_no_driver() -> None:
    code = (
        "import sys\n"
        "from eve_replay.worlds.registry import guesses\n"
        "for source in ('postgres://h/d', 'redis://h', 'mongodb://h', 'dump.sql', '.'): guesses(source)\n"
        "print(sorted({'psycopg', 'redis', 'cbor2'} & set(sys.modules)))"
    )
    root = Path(__file__).parents[3]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(("library", "source"), [("psycopg", "postgres://h/d"), ("redis", "redis://h/0")])
def test_a_missing_library_is_named(library: str, source: str) -> None:
    code = (
        f"import sys; sys.modules[{library!r}] = None\n"
        "from eve_replay.errors import SourceUnreadable\n"
        "from eve_replay.worlds.registry import open_world\n"
        f"try: open_world({source!r})\n"
        "except SourceUnreadable as error: print(error)"
    )
    root = Path(__file__).parents[3]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert library in done.stdout and "pip install 'eve-replay[" in done.stdout


def test_addresses_are_recognised() -> None:
    assert opener.recognises("postgresql://h/d") == opener.recognises("POSTGRES://h/d") == 1.0
    assert opener.recognises("postgres") == opener.recognises("/tmp/postgres") == 0.0


def failure(source: str, **options: object) -> str:
    """Open, fail, and return everything a user could get to see of it."""
    with pytest.raises(EveReplayError) as caught:
        opener.open(source, **options)
    error = caught.value
    assert isinstance(error, SourceUnreadable)
    assert "\n" not in str(error)
    assert error.message.endswith(".") and error.message.count(". ") <= 2
    everything = "".join(traceback.format_exception(error)) + repr(error) + str(error.hint)
    assert SECRET not in everything and QUOTED not in everything
    return str(error)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_a_dead_server() -> None:
    pytest.importorskip("psycopg")
    text = failure(f"postgres://me:{QUOTED}@127.0.0.1:{free_port()}/app")
    assert text.startswith("No Postgres server answers at postgres://me@127.0.0.1:")


def test_a_host_that_does_not_exist() -> None:
    pytest.importorskip("psycopg")
    assert "is not known" in failure(f"postgres://me:{QUOTED}@no-such-host.invalid/app")


@pytest.fixture
def silent_port() -> Iterator[int]:
    """A server that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def test_a_server_that_does_not_answer(silent_port: int) -> None:
    pytest.importorskip("psycopg")
    began = time.monotonic()
    text = failure(f"postgres://me:{QUOTED}@127.0.0.1:{silent_port}/app", timeout=2)
    assert "did not answer within 2 s" in text
    assert time.monotonic() - began < 30


def test_something_that_is_no_postgres() -> None:
    pytest.importorskip("psycopg")
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer() -> None:
            link, _ = listener.accept()
            with link:
                link.recv(100)
                link.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        text = failure(f"postgres://me:{QUOTED}@127.0.0.1:{listener.getsockname()[1]}/app", timeout=3)
        thread.join(5)
    assert "Postgres" in text or "server" in text


@pytest.fixture(scope="module")
def server() -> pgserver.Server:
    server = pgserver.server()
    with server.connect() as link:
        for role in ("locked", "poor"):
            link.execute(f"drop role if exists {role}")
            link.execute(f"create role {role} login")
        link.execute("alter role locked password 's3cr%t pass'")
    folder = scenario("postgres/sdk5_crash") / "final"
    server.create("er_access", folder / "dump.sql")
    return server


@pytest.mark.postgres
def test_a_wrong_password_and_the_right_one(server: pgserver.Server) -> None:
    text = failure(server.url("er_access", "locked", "wrong"))
    assert text.startswith("The server refused the user name or the password")
    assert "refused the user name" in failure(server.url("er_access", "locked"))
    with server.connect("er_access") as link:
        link.execute("grant usage on schema workflow to locked")
        link.execute("grant select on all tables in schema workflow to locked")
    world = opener.open(server.url("er_access", "locked", QUOTED))
    assert len(list(world.runs())) == 1
    assert SECRET not in repr(vars(world)) and QUOTED not in world.label
    world.close()


@pytest.mark.postgres
def test_a_wrong_database_and_a_wrong_role(server: pgserver.Server) -> None:
    assert "no database of the name" in failure(server.url("no_such_thing"))
    assert "no such user" in failure(server.url("er_access", "nobody_knows"))


@pytest.mark.postgres
def test_a_database_without_our_tables(server: pgserver.Server) -> None:
    text = failure(server.url("postgres"))
    assert "There is no table workflow.workflow_runs" in text and "right database" in text


@pytest.mark.postgres
def test_one_table_missing(server: pgserver.Server) -> None:
    folder = scenario("postgres/sdk5_crash") / "final"
    server.create("er_missing", folder / "dump.sql")
    with server.connect("er_missing") as link:
        link.execute("drop table workflow.workflow_events")
    assert "There is no table workflow.workflow_events" in failure(server.url("er_missing"))
    with server.connect("er_missing") as link:
        link.execute("drop table workflow.workflow_runs, workflow.workflow_steps cascade")
        link.execute("drop schema workflow cascade")
    assert "There is no table workflow.workflow_runs" in failure(server.url("er_missing"))


@pytest.mark.postgres
def test_missing_grants_are_named(server: pgserver.Server) -> None:
    with server.connect("er_access") as link:
        link.execute("revoke all on all tables in schema workflow from poor")
        link.execute("revoke usage on schema workflow from poor")
    address = server.url("er_access", "poor")
    text = failure(address)
    assert "poor has no SELECT on workflow.workflow_runs" in text
    assert (
        "GRANT USAGE ON SCHEMA workflow TO poor; GRANT SELECT ON ALL TABLES IN SCHEMA workflow TO poor;"
        in text
    )
    with server.connect("er_access") as link:
        link.execute("grant usage on schema workflow to poor")
        link.execute("grant select on workflow.workflow_runs, workflow.workflow_steps to poor")
    assert "poor has no SELECT on workflow.workflow_events" in failure(address)
    with server.connect("er_access") as link:
        link.execute("grant select on workflow.workflow_events to poor")
        link.execute("grant select (hook_id, run_id, token) on workflow.workflow_hooks to poor")
    # Enough to tell a run's story: the rest is named as unread, not shown as empty.
    world = opener.open(address)
    named = {(p.code, p.where, p.severity) for p in world.receipt.problems}
    assert named == {
        ("missing-grant", "workflow.workflow_waits", "error"),
        ("missing-grant", "workflow.workflow_stream_chunks", "error"),
        ("missing-grant", "workflow.workflow_hooks", "warning"),
    }
    assert {s.where for s in world.receipt.skipped} == {
        "workflow.workflow_waits",
        "workflow.workflow_stream_chunks",
    }
    run = next(iter(world.runs()))
    assert len(list(world.events(run.run_id))) == 10
    assert list(world.others(run.run_id)) == []
    assert list(world.stream(run.run_id, "strm_x")) == []
    world.close()


@pytest.mark.postgres
def test_row_level_security_is_warned_of(server: pgserver.Server) -> None:
    folder = scenario("postgres/sdk5_crash") / "final"
    server.create("er_policed", folder / "dump.sql")
    with server.connect("er_policed") as link:
        link.execute("grant usage on schema workflow to poor")
        link.execute("grant select on all tables in schema workflow to poor")
        link.execute("alter table workflow.workflow_runs enable row level security")
    world = opener.open(server.url("er_policed", "poor"))
    assert [p.code for p in world.receipt.problems] == ["row-security"]
    assert list(world.runs()) == []
    world.close()


@pytest.mark.postgres
def test_a_lock_does_not_hang_us(server: pgserver.Server) -> None:
    folder = scenario("postgres/sdk5_crash") / "final"
    server.create("er_locked", folder / "dump.sql")
    import psycopg

    with psycopg.connect(server.url("er_locked")) as link:
        link.execute("lock table workflow.workflow_events in access exclusive mode")
        began = time.monotonic()
        text = failure(server.url("er_locked"), timeout=1)
        assert time.monotonic() - began < 30
    assert "lock" in text or "needed more than 1 s" in text


@pytest.mark.postgres
def test_a_slow_answer_and_a_broken_connection(server: pgserver.Server) -> None:
    folder = scenario("postgres/sdk5_crash") / "final"
    server.create("er_slow", folder / "dump.sql")
    with server.connect("er_slow") as link:
        link.execute("alter table workflow.workflow_steps rename to real_steps")
        link.execute(
            "create view workflow.workflow_steps as "
            "select *, pg_sleep(3)::text as nap from workflow.real_steps"
        )
    world = opener.open(server.url("er_slow"), timeout=1)
    run = next(iter(world.runs()))
    with pytest.raises(SourceUnreadable, match=r"needed more than 1 s while reading workflow.workflow_steps"):
        list(world.steps(run.run_id))
    assert len(list(world.events(run.run_id))) == 10, "the next question is answered"
    with server.connect("er_slow") as link:
        link.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'eve-replay' "
            "and datname = 'er_slow'"
        )
    with pytest.raises(SourceUnreadable):
        list(world.events(run.run_id))
    assert len(list(world.events(run.run_id))) == 10, "a connection that was cut is made anew"
    assert [p.code for p in world.receipt.problems] == ["snapshot-renewed"]
    world.close()
    with pytest.raises(SourceUnreadable, match="was closed"):
        list(world.runs())


@pytest.mark.postgres
def test_a_forgotten_snapshot_is_ended_and_begun_anew(
    server: pgserver.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    from eve_replay.worlds.postgres import connection as postgres_connection

    monkeypatch.setattr(postgres_connection, "_IDLE", 0.2)
    monkeypatch.setattr(postgres_connection, "_QUIET", 0.3)
    world = opener.open(server.url("er_access"))
    run = next(iter(world.runs()))
    time.sleep(0.6)
    assert len(list(world.events(run.run_id))) == 10, "nothing is lost and nothing fails"
    assert [p.code for p in world.receipt.problems] == ["snapshot-renewed"]
    world.close()


@pytest.mark.postgres
def test_a_line_that_goes_dead(server: pgserver.Server) -> None:
    dead = threading.Event()

    def carry(source: socket.socket, target: socket.socket) -> None:
        while data := source.recv(65536):
            if not dead.is_set():
                target.sendall(data)

    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            near, _ = listener.accept()
            far = socket.create_connection(("127.0.0.1", server.port))
            threading.Thread(target=carry, args=(near, far), daemon=True).start()
            carry(far, near)

        threading.Thread(target=serve, daemon=True).start()
        port = listener.getsockname()[1]
        world = opener.open(f"postgres://postgres@127.0.0.1:{port}/er_access", timeout=0.5)
        dead.set()
        began = time.monotonic()
        with pytest.raises(SourceUnreadable, match=r"did not answer within 2\.5 s"):
            list(world.runs())
        assert time.monotonic() - began < 30
        world.close()

"""MySQL addresses: what is missing is said; with a server at hand, the recording is loaded and read."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time

import pytest

from eve_replay.errors import SourceUnreadable, WrongUse
from eve_replay.worlds.contract import check_world
from eve_replay.worlds.registry import open_world
from tests.support import corpus
from tests.support.programs import begin, end


def test_without_the_driver_the_install_line_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "pymysql", None)
    with pytest.raises(SourceUnreadable) as caught:
        open_world("mysql://u:secret@127.0.0.1:1/w")
    assert "pip install 'eve-replay[mysql]'" in caught.value.hint and "mysqldump" in caught.value.hint


def test_no_server_and_a_bad_address():
    pytest.importorskip("pymysql")
    with pytest.raises(SourceUnreadable) as caught:
        open_world("mysql://u:secret@127.0.0.1:1/w")
    assert "No MySQL server answers at mysql://127.0.0.1:1/w" in caught.value.message
    assert "secret" not in str(caught.value)
    with pytest.raises(WrongUse):
        open_world("mysql://h:port/w")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """Start MariaDB on the recording's dump; skips where there is none."""
    pytest.importorskip("pymysql")
    binary = shutil.which("mariadbd", path="/usr/sbin:/usr/local/sbin:/usr/bin")
    install = shutil.which("mariadb-install-db")
    if binary is None or install is None:
        pytest.skip("no MariaDB: install the Debian package mariadb-server")
    folder = tmp_path_factory.mktemp("maria")
    folder.chmod(0o777)
    data = folder / "data"
    user = ["--user=root"]
    common = [f"--datadir={data}", *user]
    subprocess.run(
        [install, *common, "--auth-root-authentication-method=normal"], check=True, capture_output=True
    )
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = begin(
        [binary, *common, f"--port={port}", "--bind-address=127.0.0.1", f"--socket={folder / 's'}"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    client = ["mariadb", f"--socket={folder / 's'}", "-uroot"]
    for _ in range(300):
        if subprocess.run([*client, "-e", "select 1"], capture_output=True).returncode == 0:
            break
        time.sleep(0.1)
    who = "r@'127.0.0.1'"
    grants = f"create database workflow; create user {who} identified by 'p w';"
    grants += f"grant select on workflow.* to {who};"
    subprocess.run([*client, "-e", grants], check=True)
    dump = (corpus.scenario("worlds/mysql") / "plain.sql").read_bytes()
    subprocess.run([*client, "workflow"], input=dump, check=True)
    yield f"mysql://r:p%20w@127.0.0.1:{port}/workflow"
    end(process)


def test_a_user_who_may_only_read_reads_everything(server):
    world = open_world(server)
    assert (world.kind, world.about["layout"]) == ("mysql", "mysql")
    done, killed = world.runs()
    assert done.payload("output").value == {"done": "漢字 🙂"}
    assert [e.event_type for e in world.events(killed.run_id)].count("step_started") == 2
    first = next(world.events(done.run_id))
    assert first.fields["createdAt"].endswith("Z") and len(first.fields["createdAt"]) == 24
    world.close()
    check_world(lambda: open_world(server))


def test_the_database_is_found_when_it_is_not_named(server):
    assert len(list(open_world(server.removesuffix("/workflow")).runs())) == 2


def test_refused_and_unknown_databases(server):
    with pytest.raises(SourceUnreadable, match="refused the user name or the password"):
        open_world(server.replace("p%20w", "wrong"))
    with pytest.raises(SourceUnreadable, match=r"no such database|may not read that database"):
        open_world(server.replace("/workflow", "/nothing"))

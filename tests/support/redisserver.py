"""A private redis-server for the tests: no configuration, a free port, started on a recording's RDB file."""

from __future__ import annotations

import atexit
import shutil
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.programs import begin, end


@dataclass(frozen=True)
class Server:
    """A running server."""

    port: int
    process: subprocess.Popen[bytes]

    @property
    def url(self) -> str:
        """Its address."""
        return f"redis://127.0.0.1:{self.port}/0"

    def connect(self) -> Any:
        """Return a client of the default user."""
        import redis

        return redis.Redis(port=self.port)

    def stop(self) -> None:
        """End it."""
        end(self.process)


def start(rdb: Path | None = None, *arguments: str) -> Server:
    """Start a server; skips the test when there is none to start."""
    pytest.importorskip("redis")
    binary = shutil.which("redis-server")
    if binary is None:
        pytest.skip("no redis-server: install the Debian package redis-server")
    folder = Path(tempfile.mkdtemp(prefix="eve-replay-redis-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    if rdb is not None:
        shutil.copy(rdb, folder / "dump.rdb")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = begin(
        [binary, "--port", str(port), "--bind", "127.0.0.1", "--dir", folder, "--save", "", *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    server = Server(port, process)
    atexit.register(end, process)
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), 0.5).close()
            break
        except OSError:
            time.sleep(0.02)
    return server

"""The worker's side of the broker: it is started here, told what to do, and asked for its ledger."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from eve_replay.codec.jsontext import loads_json
from eve_replay.crashtest.broker import stub_data
from eve_replay.crashtest.model import Point, Stub
from eve_replay.errors import WrongUse

__all__ = ["BrokerOutside"]


class BrokerOutside:
    """An :class:`~eve_replay.crashtest.driver.Outside` in a process of its own.

    Args:
        env: environment of the broker; it is a Python that can import this package.
    """

    def __init__(self, env: Mapping[str, str]) -> None:
        command = [sys.executable, "-m", "eve_replay.crashtest.broker"]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=dict(env), bufsize=0
        )
        assert self.process.stdout is not None
        said = self.process.stdout.readline()
        if not said:
            raise WrongUse("The broker of the crash test did not start.")
        self.address = f"127.0.0.1:{loads_json(said)['port']}"
        host, _, port = self.address.partition(":")
        self._link = socket.create_connection((host, int(port)), timeout=30)
        self._link.sendall(b"CTC\n")
        self._file = self._link.makefile("rb")
        self._lock = threading.Lock()

    def _do(self, **asked: Any) -> Any:
        with self._lock:
            self._link.sendall(json.dumps(asked).encode() + b"\n")
            return loads_json(self._file.readline())

    def reset(self, stubs: Iterable[Stub], *, learn: bool = False) -> None:
        """Start a new world outside."""
        self._do(do="reset", stubs=stub_data(stubs), learn=learn)

    def arm(self, point: Point | None, *, lag: float = 4.0) -> None:
        """Kill the caller in a request."""
        self._do(do="arm", point=None if point is None else asdict(point), lag=lag)

    def ledger(self) -> list[dict[str, Any]]:
        """Return every request so far."""
        found: list[dict[str, Any]] = self._do(do="ledger")
        return found

    def pending(self) -> int:
        """Return how many effects are still to land."""
        return int(self._do(do="pending"))

    def close(self) -> None:
        """End the broker; every server on its tether ends with it."""
        self.process.kill()
        self.process.wait()
        self._link.close()

# ruff: noqa: E501
"""Record what the vendor's Python SDK does after it is killed at each of its durable writes.

Runs in a virtual environment that holds ``vercel-workflow`` and ``uvicorn`` (not in this project's own)::

    pip install vercel-workflow uvicorn
    python tests/drift/python_sdk_crash/record.py --out /tmp/pysdk --flows plain,retry --every 1

For each flow a baseline is recorded first, then one recording per write and place. Each folder holds ``crash/`` (the
world as it lay at the kill), ``data/`` (the end), ``crash-ledger.ndjson``, ``ledger.ndjson`` and ``facts.json``.

Two ways of coming back (``--mode``):

- ``queue``: the queue is a process of its own (the vendor's queue server, here a thread of this program), outlives the
  worker, and delivers again what was not acknowledged once its lease has run out.
- ``restart``: the queue is in the worker's memory, as it is without ``VERCEL_QUEUE_BASE_URL``; the app starts again.
- ``wake``: as ``restart``, then a person sends the run's own message once (``world.queue``).
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime
from importlib.metadata import version

HERE = pathlib.Path(__file__).resolve().parent
LEASE = int(os.environ.get("LEASE", "3"))  # 30 and more: waited for in full
QUIET = 5.0


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Recording:
    """One app folder, its queue, and the workers that come and go."""

    def __init__(self, folder: pathlib.Path, flow: str, server, flows: str) -> None:
        self.folder, self.flow, self.server = folder, flow, server
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "data").mkdir(parents=True)
        self.environment = {
            **os.environ,
            "WORKFLOW_LOCAL_DATA_DIR": str(folder / "data"),
            "LEDGER": str(folder / "ledger.ndjson"),
            "WRITES": str(folder / "writes.txt"),
            "FLOW": f"//{flow}",
            "FLOWS": flows,
            "LEASE": str(LEASE),
            "VERCEL_REGION": "iad1",
            "VERCEL_QUEUE_TOKEN": "vc-dev-token",
            "PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")]),
        }
        self.environment.pop("VERCEL_QUEUE_BASE_URL", None)
        if server is not None:
            self.environment["VERCEL_QUEUE_BASE_URL"] = server.base_url

    def worker(self, *args: str, tap: str = "") -> subprocess.Popen:
        log = (self.folder / "worker.log").open("ab")
        return subprocess.Popen(
            [sys.executable, str(HERE / "worker.py"), *args],
            env={**self.environment, "TAP": tap},
            stdout=log,
            stderr=log,
            start_new_session=True,
        )

    def run(self) -> dict:
        found = sorted((self.folder / "data" / "runs").glob("wrun_*.json"))
        return json.loads(found[0].read_text()) if found else {}

    def state(self) -> tuple:
        data = self.folder / "data"
        files = tuple(sorted((str(p), p.stat().st_mtime_ns) for p in data.rglob("*") if p.is_file()))
        ledger = self.folder / "ledger.ndjson"
        return files, ledger.stat().st_size if ledger.exists() else 0

    def queued(self) -> int | None:
        """Messages that nobody has acknowledged yet (None: nobody can know)."""
        if self.server is None:
            return None
        # A message whose sender died while it was sending it lies there empty; no worker can read it.
        return sum(1 for m in self.server.state.by_id.values() if not m.acknowledged and m.payload.size)

    def end_leases(self) -> None:
        """Let the leases of the dead worker run out now: the shortest the vendor's client takes is 30 s."""
        for each in list(self.server.state.by_id.values()) if self.server is not None else []:
            for consumer in each.lease_deadline_by_consumer:
                each.lease_deadline_by_consumer[consumer] = self.server.state.now

    def settle(self, seconds: float, worker: subprocess.Popen) -> str:
        """Wait until the run has ended and the queue is empty, or nothing has moved for a while."""
        started = last = time.monotonic()
        before = self.state()
        while time.monotonic() - started < seconds:
            time.sleep(0.15)
            if worker.poll() is not None:
                return "gone"
            after = self.state()
            if after != before:
                before, last = after, time.monotonic()
            ended = self.run().get("status") in ("completed", "failed", "cancelled")
            calm = time.monotonic() - last
            if self.queued() == 0 and calm > 0.6:
                return "idle"
            if calm > (1.0 if ended else QUIET) and self.queued() is None:
                return "idle"
        return "busy"

    def copy(self, name: str) -> None:
        shutil.rmtree(self.folder / name, ignore_errors=True)
        shutil.copytree(self.folder / "data", self.folder / name)
        ledger = self.folder / "ledger.ndjson"
        (self.folder / f"{name}-ledger.ndjson").write_bytes(ledger.read_bytes() if ledger.exists() else b"")

    def open_token(self) -> str:
        hooks = [json.loads(p.read_text()) for p in (self.folder / "data" / "hooks").glob("*.json")]
        return hooks[0]["token"] if hooks else ""


def stop(worker: subprocess.Popen) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(worker.pid, signal.SIGKILL)
    worker.wait()


def record(folder: pathlib.Path, flow: str, tap: str, mode: str, server, flows: str, kills: int = 0) -> dict:
    """Record one crash and what came of it."""
    one = Recording(folder, flow, server if mode == "queue" else None, flows)
    facts = {"flow": flow, "tap": tap, "mode": mode, "lease": LEASE, "flows": flows}
    facts["versions"] = {name: version(name) for name in ("vercel-workflow", "vercel-queue")}
    facts["startedAt"] = now()
    worker = one.worker("start", flow, tap=tap)
    deadline = time.monotonic() + 30
    answered = False
    while worker.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
        if not answered and (token := one.open_token()) and one.run().get("status") == "running":
            time.sleep(0.5)  # the hook's own events are written after its record
            if worker.poll() is None:
                answered = True
                done = one.worker("resume", token)
                done.wait()
    facts["diedAt"] = now()
    facts["died"] = worker.poll() == -signal.SIGKILL
    facts["answered"] = answered
    stop(worker)
    if tap and not facts["died"]:
        return facts
    if tap:
        one.copy("crash")
        for _ in range(kills):
            if LEASE < 30:
                one.end_leases()
            again = one.worker("serve", tap="ledger:1")
            with contextlib.suppress(subprocess.TimeoutExpired):
                again.wait(timeout=12)
            stop(again)
        if kills:
            facts["kills"] = kills
            one.copy("crash")
        if LEASE < 30:
            one.end_leases()
        facts["queuedAtRestart"] = one.queued()
        worker = one.worker("serve")
        facts["restartedAt"] = now()
        if mode == "wake":
            time.sleep(1.0)
            stop(worker)
            waking = one.worker("wake", one.run().get("runId", ""))
            facts["wait"] = one.settle(12.0, waking)
            stop(waking)
        else:
            facts["wait"] = one.settle(
                (LEASE if LEASE >= 30 else 0) + 26.0 if mode == "queue" else 6.0, worker
            )
            facts["alone"] = one.run().get("status", "none")
            token = one.open_token()
            if token and facts["alone"] == "running":
                one.copy("before-answer")
                one.worker("resume", token).wait()
                facts["answeredLater"] = True
                facts["wait"] = one.settle(20.0, worker)
            stop(worker)
    facts["settledAt"] = now()
    facts["queued"] = one.queued()
    facts["status"] = one.run().get("status", "none")
    (folder / "facts.json").write_text(json.dumps(facts, indent=1) + "\n")
    return facts


@contextlib.contextmanager
def queue_server(mode: str):
    """The vendor's queue server, fresh for every recording; None where the queue dies with its worker."""
    if mode != "queue":
        yield None
        return
    from vercel.queue._internal.devserver import embedded_queue_dev_server

    with embedded_queue_dev_server(manual_clock=False) as server:
        yield server


def taps(writes: pathlib.Path, ledger: pathlib.Path, every: int, places: list[str]) -> list[str]:
    lines = writes.read_text().splitlines()
    out = []
    for n, line in enumerate(lines, 1):
        exclusive = "/wrun" in line or "/hooks/" in line
        if n % every:
            continue
        for place in places:
            if place == "left" and not exclusive:
                continue
            out.append(f"{n}:{place}")
    done = len(ledger.read_text().splitlines()) if ledger.exists() else 0
    return out + [f"ledger:{n}" for n in range(1, done + 1)]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--flows", default="plain,parallel,retry,fatal,exhausted,sleepy,hooked,nested")
    parser.add_argument("--module", default="flows", help="module in this folder that holds the workflows")
    parser.add_argument("--mode", choices=["queue", "restart", "wake"], default="queue")
    parser.add_argument("--every", type=int, default=1, help="every N-th write only")
    parser.add_argument("--places", default="in,after")
    parser.add_argument("--kills", type=int, default=0, help="further kills, each after the next effect")
    parser.add_argument("--taps", default="", help="these taps only, by comma")
    args = parser.parse_args()
    for flow in args.flows.split(","):
        base = args.out / f"{flow}-base"
        if not (base / "facts.json").exists():
            with queue_server(args.mode) as server:
                record(base, flow, "", args.mode, server, args.module)
        chosen = args.taps.split(",") if args.taps else []
        for tap in chosen or taps(
            base / "writes.txt", base / "ledger.ndjson", args.every, args.places.split(",")
        ):
            name = f"{flow}-{args.mode}-{tap.replace(':', '-')}" + (
                f"-kills-{args.kills}" if args.kills else ""
            )
            if (args.out / name / "facts.json").exists():
                continue
            with queue_server(args.mode) as server:
                facts = record(args.out / name, flow, tap, args.mode, server, args.module, args.kills)
            print(name, facts.get("status"), facts.get("wait"), facts.get("queued"), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""One turn, and one turn that is killed inside its tool, with a given version of eve."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

from tests.drift.compare import compare
from tests.drift.packages import Failed, Target, npm, run
from tests.drift.report import Report
from tests.drift.survey import survey

APPS = Path(__file__).parent / "apps"
DATA = (".eve/.workflow-data", ".workflow-data", ".output/.workflow-data")


class Server:
    """A server of an app in its own process group, on a free port."""

    def __init__(self, folder: Path, command: list[str], env: dict[str, str], health: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.base = f"http://127.0.0.1:{self.port}"
        self.log = folder / "server.log"
        with self.log.open("ab") as out:
            self.process = subprocess.Popen(
                [part.replace("{port}", str(self.port)) for part in command],
                cwd=folder,
                env={**os.environ, "PORT": str(self.port), "NITRO_PORT": str(self.port), **env},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,
            )
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                break
            if self.ask("GET", health)[0] == 200:
                return
            time.sleep(0.3)
        self.kill()
        raise Failed(f"the server did not start: {self.log.read_text(errors='replace')[-400:]}")

    def ask(self, method: str, path: str, body: object = None) -> tuple[int, str]:
        """Return status and body; 0 when nothing answers."""
        data = None if body is None else json.dumps(body).encode()
        asked = urllib.request.Request(
            self.base + path, data=data, method=method, headers={"content-type": "application/json"}
        )
        try:
            with urllib.request.urlopen(asked, timeout=30) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode(errors="replace")
        except OSError:
            return 0, ""

    def kill(self) -> None:
        """SIGKILL to the whole group."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def record(target: Target, work: Path) -> list[Report]:
    """Install, build, record a turn and a crash, and look at what was written."""
    folder = npm(
        work / target.folder, {"eve": target.version, "zod": "4.6.7", "just-bash": "3.4.2", "ai": "7.0.173"}
    )
    env = {
        **os.environ,
        "EVE_TELEMETRY_DISABLED": "1",
        "WORKFLOW_INLINE_OWNERSHIP_LEASE_SECONDS": "2",
        "LEDGER_FILE": str(folder / "ledger.ndjson"),
    }
    if not (folder / ".eve/built").exists():
        _build(folder, env)
    for name in DATA:
        shutil.rmtree(folder / name, ignore_errors=True)
    (folder / "ledger.ndjson").unlink(missing_ok=True)
    command = ["npx", "--no-install", "eve", "start", "--host", "127.0.0.1", "--port", "{port}"]
    server = Server(folder, command, env, "/eve/v1/health")
    try:
        call = {"name": "charge_card", "input": {"customer": "cus_1", "cents": 100}}
        _turn(server, [{"toolCalls": [call]}, "paid"])
        slow = {"name": "charge_card", "input": {"customer": "cus_2", "cents": 100, "waitMs": 60000}}
        session = _turn(server, [{"toolCalls": [slow]}, "paid"], wait=False)
        _until(lambda: _lines(folder / "ledger.ndjson") >= 2, 60, "the tool of the second turn")
    finally:
        server.kill()
    data = _data(folder)
    crash = _copy(data, folder / "recorded-crash")
    server = Server(folder, command, env, "/eve/v1/health")
    try:
        _until(lambda: _lines(folder / "ledger.ndjson") >= 3, 60, "the tool's second run", give_up=False)
        time.sleep(2.0)
        server.ask("POST", f"/eve/v1/session/{session}/cancel", {})
        time.sleep(1.0)
    finally:
        server.kill()
    end = _copy(data, folder / "recorded-end")
    reports = [survey(crash, f"{target} at the crash"), survey(end, f"{target} after it")]
    compare(end, folder / "node_modules/eve", reports[1])
    return reports


def _build(folder: Path, env: dict[str, str]) -> None:
    """Build the agent; where the sandbox of today is refused, with the one of older versions."""
    try:
        _lay_out(folder, "new")
        run("npx", "--no-install", "eve", "build", cwd=folder, env=env)
    except Failed as error:
        if "JustBashSandbox" not in str(error):
            raise
        _lay_out(folder, "old")
        run("npx", "--no-install", "eve", "build", cwd=folder, env=env)
    (folder / ".eve").mkdir(exist_ok=True)
    (folder / ".eve/built").write_text("built")


def _lay_out(folder: Path, sandbox: str) -> None:
    """The agent's files; a sandbox has another form in older versions."""
    here = APPS / "eve"
    places = {
        "agent.ts": "agent/agent.ts",
        "ledger.ts": "agent/lib/ledger.ts",
        "charge_card.ts": "agent/tools/charge_card.ts",
        "channel.ts": "agent/channels/eve.ts",
    }
    places[f"sandbox-{sandbox}.ts"] = "agent/sandbox/sandbox.ts"
    for name, place in places.items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(here / name, folder / place)
    (folder / "agent/instructions.md").write_text("You follow the script.\n")
    (folder / "tsconfig.json").write_text(
        json.dumps(
            {"compilerOptions": {"target": "ES2022", "module": "ESNext", "moduleResolution": "bundler"}}
        )
    )


def _turn(server: Server, script: list[object], *, wait: bool = True) -> str:
    status, text = server.ask("POST", "/eve/v1/session", {"message": json.dumps(script)})
    if status not in (200, 201, 202):
        raise Failed(f"POST /session answered {status}: {text[:300]}")
    session = str(json.loads(text)["sessionId"])
    if wait:

        def rests() -> bool:
            events = server.ask("GET", f"/eve/v1/session/{session}/stream?follow=false")[1]
            return "session.waiting" in events or "session.completed" in events

        _until(rests, 60, "the end of a turn", give_up=False)
    return session


def _until(test, seconds: float, what: str, *, give_up: bool = True) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if test():
            return
        time.sleep(0.2)
    if give_up:
        raise Failed(f"{what} did not come within {seconds:g} s")


def _lines(path: Path) -> int:
    return len(path.read_text().splitlines()) if path.exists() else 0


def _data(folder: Path) -> Path:
    for name in DATA:
        if (folder / name / "runs").exists():
            return folder / name
    found = sorted(folder.glob("**/.workflow-data")) + sorted(folder.glob("**/workflow-data"))
    found = [each for each in found if "node_modules" not in each.parts]
    if not found:
        raise Failed("no data folder was written")
    return found[0]


def _copy(data: Path, to: Path) -> Path:
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(data, to)
    return to

"""The driver of a built eve project: start, talk, kill. See ``eve_replay/crashtest/driver.py``.

The world is ``.eve/.workflow-data`` of the working folder, which is a scratch folder
(docs/formats/local.md#files); the project's own folder is read by Node and by nobody else.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import resource
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from eve_replay.codec.jsontext import JsonFault, loads_json, loads_lines
from eve_replay.crashtest.model import Config, Point, Turn, Variant
from eve_replay.crashtest.project import Build

__all__ = ["PRELOAD", "EveDriver"]

PRELOAD = Path(__file__).parent.parent / "node" / "outside.cjs"
_BASE = "/eve/v1"
_PLACEHOLDER = "sealed"
_KEYS = ("AI_GATEWAY_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY")
_STARTS_WITHIN, _ANSWERS_WITHIN = 40.0, 15.0
_ENDS = ("session.waiting", "session.completed", "session.failed")


class EveDriver:
    """One built eve project in one scratch folder.

    Args:
        build: what is started.
        node: with which Node.
        config: turns, environment, lease.
        scratch: the scratch folder, made anew by ``prepare``.
        broker: ``host:port`` of the outside.
        cache: folder for Node's compile cache.
        variant: what the model answers when it is asked again.
        door: which door of the model is opened, ``auto`` for the order of docs/guides/crashtest.md#the-model.
        env: what the server's environment has beside: values that the user gave on purpose.
        warm: whether a trivial turn came before (so that the first message is not a session's first).
    """

    kind = "eve"
    mode = "as your app restarts"

    def __init__(
        self,
        *,
        build: Build,
        node: Path,
        config: Config,
        scratch: Path,
        broker: str,
        cache: Path,
        variant: Variant = "same",
        door: str = "auto",
        env: Mapping[str, str] | None = None,
        live: bool = False,
    ) -> None:
        self.build, self.node, self.config, self.scratch = build, node, config, scratch
        self.broker, self.cache, self.variant, self.door = broker, cache, variant, door
        self.given, self.live = dict(env or {}), live
        self.data = scratch / "work" / ".eve" / ".workflow-data"
        self.log = scratch / "acts.ndjson"
        self.turns = len(config.turns)
        self.session: str | None = None
        self.warm = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._port = 0
        self._generation = 0

    # -- the scratch folder ----------------------------------------------------------------------------

    def prepare(self, warm: Path | None) -> None:
        """Lay the scratch folder, with a copy of the warm world when there is one."""
        shutil.rmtree(self.scratch, ignore_errors=True)
        work = self.scratch / "work"
        work.mkdir(parents=True)
        self.session, self.warm, self._generation = None, 0, 0
        for name in self.config.links:
            (work / name).symlink_to(self.build.folder / name)
        if warm is not None:
            shutil.copytree(warm, self.data)
            self.warm, self.session = 1, self.entry()
        replies = [{"replies": [{"text": "Ready."}]}] if self.warm else []
        script = [*replies, *({"replies": [dict(r) for r in t.replies]} for t in self.config.turns)]
        (self.scratch / "script.json").write_text(json.dumps(script))

    def entry(self) -> str | None:
        """Return the session's id from the folder: the client may never have got it."""
        folder = self.data / "runs"
        found = []
        for file in folder.glob("*.json") if folder.is_dir() else ():
            try:
                run = loads_json(file.read_bytes())
            except (ValueError, OSError):
                continue
            if str(run.get("workflowName", "")).endswith("//workflowEntry"):
                found.append((str(run.get("createdAt")), file.stem))
        return min(found)[1] if found else None

    # -- the process -------------------------------------------------------------------------------

    def start(self, *, kill: Point | None, generation: int, build: Path | None = None) -> str:
        """Start the server; return an empty text, or why it did not come up."""
        self._port, self._generation = _free_port(), generation
        entry = self.build.entry if build is None else build
        log = (self.scratch / "server.log").open("ab")
        self._process = subprocess.Popen(
            [str(self.node), str(entry)],
            cwd=self.scratch / "work",
            env=self.environment(kill, generation),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        log.close()
        until = time.monotonic() + _STARTS_WITHIN
        while time.monotonic() < until:
            if self.dead():
                return "the server ended while it started"
            try:
                if self.request("GET", "/health", within=2)[0] == 200:
                    return ""
            except OSError:
                pass
            time.sleep(0.02)
        return "the server did not answer in time"

    def environment(self, kill: Point | None, generation: int) -> dict[str, str]:
        """Return the whole environment of the server: nothing of the caller's own is in it."""
        places = {"cwd": str(self.scratch / "work"), "port": str(self._port), "data": str(self.data)}
        own = {name: _filled(value, places) for name, value in self.config.env.items()}
        settings: dict[str, Any] = {
            "broker": self.broker,
            "self": self._port,
            "allow": list(self.config.allow),
            "log": str(self.log),
            "script": None if self.live else str(self.scratch / "script.json"),
            "door": self.door,
            "variant": self.variant,
            "generation": generation,
            "root": str(self.data),
            "ledgers": [str(path) for path in self.ledgers()],
            "kill": None if kill is None or kill.when in ("", "in", "late") else _armed(kill),
        }
        port = str(self._port)
        return {
            **dict.fromkeys((*_KEYS, *self.build.names), _PLACEHOLDER),
            "PATH": "/usr/bin:/bin",
            "HOME": str(self.scratch / "work"),
            "PORT": port,
            "HOST": "127.0.0.1",
            "NITRO_PORT": port,
            "NITRO_HOST": "127.0.0.1",
            "NODE_ENV": "production",
            "EVE_TELEMETRY_DISABLED": "1",
            "NODE_COMPILE_CACHE": str(self.cache),
            "WORKFLOW_INLINE_OWNERSHIP_LEASE_SECONDS": str(self.config.lease),
            **own,
            **self.given,
            "NODE_OPTIONS": f"--require={PRELOAD}",
            "CRASHTEST": json.dumps(settings),
        }

    def ledgers(self) -> tuple[Path, ...]:
        """Return the declared ledger files, in the scratch folder."""
        return tuple(self.scratch / "work" / name for name in self.config.ledgers)

    def dead(self) -> bool:
        """Return whether the process is gone."""
        return self._process is None or self._process.poll() is not None

    def kill(self) -> None:
        """End the process and whatever it started."""
        if self._process is None:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._process = None

    def usage(self) -> Mapping[str, float]:
        """Return the CPU seconds of all processes that this one has started and seen end."""
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return {"cpu": used.ru_utime + used.ru_stime}

    # -- talking to it -------------------------------------------------------------------------------------

    def request(self, method: str, path: str, body: Any = None, within: float = 10) -> tuple[int, str]:
        """Ask the server. Raises OSError when it does not answer, as when it dies."""
        link = http.client.HTTPConnection("127.0.0.1", self._port, timeout=within)
        try:
            sent = None if body is None else json.dumps(body)
            link.request(method, _BASE + path, body=sent, headers={"content-type": "application/json"})
            answer = link.getresponse()
            return answer.status, answer.read().decode("utf-8", "replace")
        except http.client.HTTPException as error:
            raise OSError(str(error)) from error
        finally:
            link.close()

    def say(self, message: str) -> bool:
        """Send a message, to the session when there is one; return whether it was accepted."""
        path = "/session" + (f"/{self.session}" if self.session else "")
        try:
            status, text = self.request("POST", path, {"message": message}, within=_ANSWERS_WITHIN)
        except OSError:
            self.session = self.session or self.entry()
            return False
        if status >= 300:
            return False
        try:
            said = loads_json(text)
        except ValueError:
            return True
        self.session = self.session or said.get("sessionId") or self.entry()
        return True

    def warm_up(self) -> bool:
        """Run the trivial first turn and wait for it to be at rest."""
        if not self.say("Hello."):
            return False
        until = time.monotonic() + 20
        while time.monotonic() < until and not self.dead():
            if self.ended(0):
                return True
            time.sleep(0.05)
        return False

    def deliver(self, turn: int) -> bool:
        """Send the message of one turn."""
        return self.say(self.config.turns[turn].message)

    def nudge(self) -> bool:
        """Send one more message, to see whether that wakes the session."""
        return self.say("Are you still there?")

    def redeliver(self) -> None:
        """Nothing: a built eve app takes up what is open when it starts."""

    def events(self) -> list[Mapping[str, Any]]:
        """Return what the session's stream holds; empty when it cannot be asked."""
        if self.session is None:
            self.session = self.entry()
        if self.session is None:
            return []
        try:
            status, text = self.request("GET", f"/session/{self.session}/stream?follow=false", within=5)
        except OSError:
            return []
        found = (
            [each for _, each in loads_lines(text) if not isinstance(each, JsonFault)]
            if status == 200
            else []
        )
        return [each for each in found if isinstance(each, Mapping)]

    def ended(self, turn: int) -> bool:
        """Return whether the stream says that this turn, counted with the warm one, is over."""
        events = self.events()
        rests = {_turn_of(each) for each in events if each.get("type") in ("turn.completed", "turn.failed")}
        return len(rests) > turn and str(events[-1].get("type")) in _ENDS

    def settled(self, turn: int) -> bool:
        """Return whether the app itself says that it has finished with this turn."""
        return self.ended(turn + self.warm)

    def waits(self) -> list[Mapping[str, Any]]:
        """Return the requests that wait for a person."""
        events = self.events()
        done = {_result(each).get("callId") for each in events if each.get("type") == "action.result"}
        asked: dict[str, Mapping[str, Any]] = {}
        for each in events:
            if each.get("type") == "input.requested":
                for request in each.get("data", {}).get("requests", ()):
                    asked[str(request.get("requestId"))] = request
        if not events or events[-1].get("type") not in ("turn.waiting", "session.waiting", "input.requested"):
            return []
        return [r for r in asked.values() if r.get("action", {}).get("callId") not in done]

    def answer(self) -> bool:
        """Approve (or deny) what waits for a person, as the turn says."""
        waiting = self.waits()
        if not waiting:
            return False
        turn: Turn = self.config.turns[-1]
        request = waiting[-1]
        choices = [str(option.get("id")) for option in request.get("options") or ()]
        wanted = ("approve", "yes", "allow") if turn.approve else ("deny", "reject", "no")
        option = next((each for each in wanted if each in choices), choices[0] if choices else wanted[0])
        sent = {"inputResponses": [{"requestId": request.get("requestId"), "optionId": option}]}
        try:
            status, _ = self.request("POST", f"/session/{self.session}", sent, within=_ANSWERS_WITHIN)
        except OSError:
            return False
        return status < 300


def _turn_of(event: Mapping[str, Any]) -> str:
    return str((event.get("data") or {}).get("turnId"))


def _result(event: Mapping[str, Any]) -> Mapping[str, Any]:
    found = (event.get("data") or {}).get("result")
    return found if isinstance(found, Mapping) else {}


def _armed(point: Point) -> dict[str, Any]:
    return {key: value for key, value in asdict(point).items() if key in ("when", "k", "label")}


def _filled(value: str, places: Mapping[str, str]) -> str:
    for name, text in places.items():
        value = value.replace("{" + name + "}", text)
    return value


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])

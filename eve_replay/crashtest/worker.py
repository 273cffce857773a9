"""One job of a crash test in a process of its own: ``python -m eve_replay.crashtest.worker``.

JSON lines on stdin say what to do, JSON lines on stdout what was seen. The process stands in a network
namespace where the system allows one, with its broker and its servers; when stdin closes, they all end and
its scratch folder is gone.
"""

from __future__ import annotations

import json
import os
import queue
import shutil
import signal
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from eve_replay.codec.jsontext import loads_json
from eve_replay.crashtest.config import config_from
from eve_replay.crashtest.eve.server import EveDriver
from eve_replay.crashtest.model import Config, Point, Result
from eve_replay.crashtest.namespace import enter_namespace
from eve_replay.crashtest.outside import BrokerOutside
from eve_replay.crashtest.point_run import PointRun
from eve_replay.crashtest.project import find_build
from eve_replay.crashtest.seals import test_seals

__all__ = ["Worker", "main"]


class Worker:
    """What the campaign's process asks of one job.

    Args:
        setup: ``project config node scratch results namespace door env live then``, as the campaign wrote it.
        network: what ``enter_namespace`` returned.
    """

    def __init__(self, setup: dict[str, Any], network: tuple[bool, str]) -> None:
        self.setup, self.network = setup, network
        self.scratch = Path(setup["scratch"])
        self.scratch.mkdir(parents=True, exist_ok=True)
        self.config: Config = config_from(setup["config"])
        self.node = Path(setup["node"])
        self.outside = BrokerOutside(setup["environment"])
        self.driver = EveDriver(
            build=find_build(Path(setup["project"])),
            node=self.node,
            config=self.config,
            scratch=self.scratch / "run",
            broker=self.outside.address,
            cache=Path(setup["cache"]),
            door=setup["door"],
            env=setup["env"],
            live=setup["live"],
        )

    def do(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Do one thing and return what was seen."""
        match asked["do"]:
            case "seals":
                return test_seals(self.outside, self.node, self.network, self.config.allow).to_json()
            case "warm":
                return self._warm(Path(asked["to"]))
            case "run":
                return self._run(asked).to_json()
        return {}

    def _warm(self, target: Path) -> dict[str, Any]:
        self.outside.reset(self.config.stubs)
        self.driver.prepare(None)
        script = [{"replies": [{"text": "Ready."}]}]
        (self.driver.scratch / "script.json").write_text(json.dumps(script))
        why = self.driver.start(kill=None, generation=0)
        try:
            if why or not self.driver.warm_up():
                return {"why": why or "the first, trivial turn did not end", "log": self._log()}
            time.sleep(0.5)
        finally:
            self.driver.kill()
        unfinished = target.with_suffix(f".{os.getpid()}")
        shutil.copytree(self.driver.data, unfinished)
        unfinished.rename(target)
        doors = [line for line in self._lines() if line.get("door") and line.get("act")]
        return {"why": "", "door": str(doors[-1]["door"]) if doors else ""}

    def _lines(self) -> list[dict[str, Any]]:
        from eve_replay.crashtest.point_run import read_lines

        return read_lines(self.driver.log)

    def _log(self) -> str:
        file = self.driver.scratch / "server.log"
        return file.read_text("utf-8", "replace")[-1500:] if file.is_file() else ""

    def _run(self, asked: dict[str, Any]) -> Result:
        warm, then = asked.get("warm"), self.setup.get("then")
        self.driver.variant = asked.get("variant", "same")
        run = PointRun(
            driver=self.driver,
            outside=self.outside,
            config=self.config,
            results=Path(self.setup["results"]),
            warm=Path(warm) if warm else None,
            variant=self.driver.variant,
            then=find_build(Path(then)).entry if then else None,
            learn=bool(asked.get("learn")),
        )
        result = run.run(Point.from_json(asked["point"]))
        if result.outcome == "inconclusive":
            said = self._log().strip()
            result = replace(
                result, why=f"{result.why}. The server said last: {said[-200:]}" if said else result.why
            )
        return result

    def end(self) -> None:
        """End the server and the broker, and clear the scratch folder."""
        self.driver.kill()
        self.outside.close()
        shutil.rmtree(self.scratch, ignore_errors=True)


def main() -> None:
    """Serve until stdin closes, which is when the crash test is gone."""
    setup = loads_json(sys.stdin.buffer.readline())
    network = enter_namespace() if setup["namespace"] else (False, setup["why"])
    tasks: queue.Queue[bytes] = queue.Queue()
    made: list[Worker] = []

    def read() -> None:
        for line in sys.stdin.buffer:
            tasks.put(line)
        try:
            for each in made:
                each.end()
        finally:
            os.kill(os.getpid(), signal.SIGKILL)

    worker = Worker(setup, network)
    made.append(worker)
    threading.Thread(target=read, daemon=True).start()
    while True:
        asked = loads_json(tasks.get())
        try:
            answer = worker.do(asked)
        except Exception as error:  # a fault of ours in one run must not take the others with it
            answer = {"error": f"{type(error).__name__}: {error}"}
        _say(answer)


def _say(answer: dict[str, Any]) -> None:
    data = json.dumps(answer).encode() + b"\n"
    while data:
        data = data[os.write(1, data) :]


if __name__ == "__main__":
    main()

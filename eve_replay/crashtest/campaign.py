"""All points of one crash test: workers, budget, what is there from last time, and the order of things."""

from __future__ import annotations

import hashlib
import json
import queue
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from eve_replay.codec.jsontext import JsonFault, loads_json, loads_lines
from eve_replay.crashtest.config import config_from
from eve_replay.crashtest.model import Config, Point, Result, Variant
from eve_replay.crashtest.points import chosen, points_of, second_points
from eve_replay.crashtest.project import Build
from eve_replay.crashtest.verdict import Verdict, agreement, judge
from eve_replay.errors import WrongUse

__all__ = ["Asked", "Campaign", "Outcome", "Progress"]

#: How often a point is tried that the process did not come by: writes beside a turn are a race.
_TRIES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the user asked for.

    Attributes:
        data: the crash test as plain data (``crashtest.toml``).
        points, seed, crashes, variants: which points, how often it dies, what the model answers then.
        jobs, budget: workers; seconds for the points, None without a bound.
        warm: a trivial turn comes first; ``repeat``: how often each point of a first turn is tried.
        only: only points whose name holds this text.
        environment: of the helpers (never of the server); ``env``: what the server is given on purpose.
    """

    build: Build
    node: Path
    data: Mapping[str, Any]
    out: Path
    points: str = "important"
    seed: int = 0
    crashes: int = 1
    variants: tuple[Variant, ...] = ("same",)
    jobs: int = 2
    budget: float | None = None
    warm: bool = True
    repeat: int = 1
    resume: bool = False
    then: Path | None = None
    door: str = "auto"
    live: bool = False
    namespace: bool = True
    only: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far it is: ``left`` is seconds, from what was measured so far."""

    done: int
    total: int
    left: float | None
    result: Result


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Everything that a report says."""

    project: str
    config: Config
    seals: Mapping[str, Any]
    door: str
    mode: str
    baseline: Result
    results: tuple[Result, ...]
    verdicts: tuple[Verdict, ...]
    points: int
    left_out: int
    warm: bool
    seconds: float
    cpu: float
    out: Path
    before: int = 0

    @property
    def broken(self) -> bool:
        """Whether a promise is broken."""
        return any(each.state == "broken" for each in self.verdicts)

    @property
    def agreed(self) -> tuple[int, int]:
        """At how many points the observed is what was implied at death, of how many."""
        return agreement(self.results)


class _Job:
    """One worker process and its pipe."""

    def __init__(self, setup: Mapping[str, Any], environment: Mapping[str, str]) -> None:
        command = [sys.executable, "-m", "eve_replay.crashtest.worker"]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=dict(environment)
        )
        self.say(setup)

    def say(self, data: Mapping[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(data).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, **asked: Any) -> dict[str, Any]:
        assert self.process.stdout is not None
        try:
            self.say(asked)
            line = self.process.stdout.readline()
        except OSError:
            line = b""
        if not line:
            raise WrongUse("A worker of the crash test ended by itself.")
        answer: dict[str, Any] = loads_json(line)
        if "error" in answer:
            raise WrongUse(f"A worker of the crash test failed: {answer['error']}")
        return answer

    def end(self) -> None:
        if self.process.stdin is not None:
            self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Campaign:
    """Runs what was asked, and yields how far it is; ``outcome`` is there when it is over.

    Args:
        asked: what to do.
        say: is told in a sentence what is being done before there is anything to count.
    """

    def __init__(self, asked: Asked, say: Callable[[str], None] = lambda _: None) -> None:
        self.asked, self.say = asked, say
        self.config = config_from(asked.data)
        if not self.config.turns:
            raise WrongUse(
                "Nothing is said to the agent: the crash test has no [[turn]].",
                hint="Write one into crashtest.toml, or take a recorded one: --turn SOURCE.",
            )
        self.outcome: Outcome | None = None
        #: Runs are told apart by build and test: a change of either makes them anew.
        key = json.dumps(
            [asked.build.stamp, asked.data, asked.warm, str(asked.then), asked.door], sort_keys=True
        )
        self.key = hashlib.sha256(key.encode()).hexdigest()[:16]
        self.scratch = asked.out / "scratch"
        self._jobs: list[_Job] = []

    def run(self) -> Iterator[Progress]:
        """Do it all. Raises WrongUse when the undisturbed turn does not work."""
        began = time.monotonic()
        asked = self.asked
        asked.out.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(self.scratch, ignore_errors=True)
        try:
            yield from self._run(began)
        finally:
            for job in self._jobs:
                job.end()
            shutil.rmtree(self.scratch, ignore_errors=True)

    def _run(self, began: float) -> Iterator[Progress]:
        asked = self.asked
        self.say("trying the seals")
        first = self._job(0)
        seals = first.ask(do="seals")
        if not seals["process"]:
            open_ = [f"{way}: {word}" for way, word in seals["ways"].items() if word.startswith("OPEN")]
            raise WrongUse(
                f"The seal does not hold, so nothing is run: {'; '.join(open_) or 'the probe did not run'}.",
                hint="Which Node is it? A crash test asks for Node 24 (the variable NODE names one).",
            )
        warm, door = self._warmed(first) if asked.warm else (None, "")
        counted = [self._counted(first, warm, number) for number in (1, 2)]
        baseline = counted[0]
        doors = [str(line["door"]) for line in baseline.lines if line.get("door")]
        points = chosen(points_of(counted), asked.points, seed=asked.seed)
        points = tuple(
            p for p in points if asked.only in p.name for _ in range(asked.repeat if not asked.warm else 1)
        )
        tasks = [(point, variant) for variant in asked.variants for point in points]
        known = self._known() if asked.resume else {}
        if not asked.resume:
            (asked.out / "results.ndjson").unlink(missing_ok=True)
        results: list[Result] = []
        yield from self._points(tasks, warm, known, results)
        if asked.crashes > 1:
            more = [
                (replace(result.point, then=second), result.variant)
                for result in list(results)
                if result.died
                and result.outcome == "recovers"
                and result.point.kind in ("act", "file", "tool")
                for second in second_points(result)
            ]
            tasks = tasks + more
            yield from self._points(more, warm, known, results)
        self.outcome = Outcome(
            project=asked.build.folder.name,
            config=self.config,
            seals=seals,
            door=doors[-1] if doors else door or "no model was asked",
            mode="as your app restarts",
            baseline=baseline,
            results=tuple(results),
            verdicts=judge(self.config.promises, results, baseline),
            points=len(tasks),
            left_out=len(tasks) - len(results),
            warm=asked.warm,
            seconds=time.monotonic() - began,
            cpu=sum(result.cpu for result in (*counted, *results)),
            out=asked.out,
            before=len(known),
        )

    def _job(self, number: int) -> _Job:
        asked = self.asked
        why = "the crash test was told to allow something" if self.config.allow else "it was not asked for"
        job = _Job(
            {
                "project": str(asked.build.folder), "config": asked.data, "node": str(asked.node),
                "scratch": str(self.scratch.resolve() / str(number)), "results": str(asked.out.resolve()),
                "cache": str((asked.out / "node-cache").resolve()), "door": asked.door,
                "env": dict(asked.env),
                "environment": dict(asked.environment),
                "live": asked.live, "then": str(asked.then) if asked.then else None, "why": why,
                "namespace": asked.namespace and not self.config.allow and not asked.live,
            },
            asked.environment,
        )  # fmt: skip
        self._jobs.append(job)
        return job

    def _warmed(self, job: _Job) -> tuple[Path, str]:
        self.say("warming up: one trivial turn")
        warm = self.scratch.resolve() / "warm"
        said = job.ask(do="warm", to=str(warm))
        if said["why"]:
            raise WrongUse(
                f"The undisturbed agent does not work: {said['why']}.",
                hint=" ".join(str(said.get("log", "")).split())[-400:] or "Its server said nothing.",
            )
        return warm, str(said["door"])

    def _counted(self, job: _Job, warm: Path | None, number: int) -> Result:
        self.say(f"counting points: undisturbed turn {number} of 2")
        asked = job.ask(do="run", point=asdict(Point()), warm=None if warm is None else str(warm))
        found = Result.from_json(asked)
        if found.outcome != "recovers":
            raise WrongUse(f"The undisturbed turn does not end well: {found.why or found.outcome}")
        return found

    # -- the points --------------------------------------------------------------------------------

    def _points(
        self,
        tasks: list[tuple[Point, Variant]],
        warm: Path | None,
        known: dict[tuple[str, str], Result],
        results: list[Result],
    ) -> Iterator[Progress]:
        """Run tasks on all jobs and yield as they end. ``results`` has them in the order of the tasks."""
        asked, began = self.asked, time.monotonic()
        todo: queue.Queue[tuple[int, Point, Variant]] = queue.Queue()
        done: queue.Queue[tuple[int, Result | Exception]] = queue.Queue()
        found: dict[int, Result] = {}
        for place, (point, variant) in enumerate(tasks):
            there = known.get((variant, point.name)) if asked.repeat == 1 else None
            if there is not None:
                found[place] = there
            else:
                todo.put((place, point, variant))
        waiting = todo.qsize()
        stop = threading.Event()

        def work(job: _Job) -> None:
            while not stop.is_set():
                try:
                    place, point, variant = todo.get_nowait()
                except queue.Empty:
                    return
                try:
                    for _ in range(_TRIES):
                        said = job.ask(
                            do="run", point=asdict(point), variant=variant, warm=str(warm) if warm else None
                        )
                        result = Result.from_json(said)
                        if result.outcome != "inconclusive":
                            break
                    done.put((place, result))
                except Exception as error:
                    done.put((place, error))
                    return

        jobs = self._jobs + [self._job(n) for n in range(len(self._jobs), min(asked.jobs, max(1, waiting)))]
        threads = [threading.Thread(target=work, args=(job,), daemon=True) for job in jobs]
        for thread in threads:
            thread.start()
        ended = 0
        try:
            while ended < waiting and (any(t.is_alive() for t in threads) or not done.empty()):
                result: Result | Exception | None
                try:
                    place, result = done.get(timeout=0.2)
                except queue.Empty:
                    result = None
                spent = time.monotonic() - began
                if asked.budget is not None and spent > asked.budget:
                    stop.set()
                if result is None:
                    continue
                if isinstance(result, Exception):
                    raise result
                ended += 1
                found[place] = result
                self._keep(result)
                left = spent / ended * (waiting - ended)
                yield Progress(done=ended, total=waiting, left=left, result=result)
        finally:
            stop.set()
            for thread in threads:
                thread.join(timeout=0.1 if ended < waiting and not asked.budget else 100)
        results += [found[place] for place in sorted(found)]

    def _keep(self, result: Result) -> None:
        """Write one result at once: what is there is whole, whatever kills us next."""
        data = json.dumps({"key": self.key, **result.to_json()}) + "\n"
        with (self.asked.out / "results.ndjson").open("a", encoding="utf-8") as file:
            file.write(data)

    def _known(self) -> dict[tuple[str, str], Result]:
        """Return what earlier runs of the same test on the same build have shown."""
        file = self.asked.out / "results.ndjson"
        found: dict[tuple[str, str], Result] = {}
        for _, each in loads_lines(file.read_bytes()) if file.is_file() else ():
            if isinstance(each, JsonFault) or not isinstance(each, dict) or each.pop("key", "") != self.key:
                continue
            result = Result.from_json(each)
            if result.outcome != "inconclusive":
                found[result.variant, result.point.name] = result
        return found

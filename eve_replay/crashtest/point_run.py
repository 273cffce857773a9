"""One run of one point: a fresh world, a fresh outside, one death (or two), and what became of it."""

from __future__ import annotations

import os
import tarfile
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eve_replay.codec.jsontext import JsonFault, loads_lines
from eve_replay.crashtest.driver import Driver, Outside
from eve_replay.crashtest.implied import Implied, implied_of
from eve_replay.crashtest.model import Config, Point, Result, Variant

__all__ = ["PointRun", "read_lines"]

#: Seconds: without a change before a hang is believed; before a message that never arrived is sent again;
#: that a run may take; that a recovery may take which the journal says will come.
_QUIET, _RESEND, _TURN, _RECOVERY, _LONGEST = 2.0, 1.0, 25.0, 8.0, 90.0
_STEP = 0.05


@dataclass(slots=True, kw_only=True)
class PointRun:
    """Runs points with one driver and one outside, one after the other.

    Attributes:
        warm: the world after a trivial turn, None to begin with a session's first turn.
        results: folder for the bundles.
        then: a server of another build, for the restart.
    """

    driver: Driver
    outside: Outside
    config: Config
    results: Path
    warm: Path | None = None
    variant: Variant = "same"
    then: Path | None = None
    learn: bool = False
    _implied: Implied | None = field(default=None, init=False)
    _before: Any = field(default=None, init=False)

    def run(self, point: Point) -> Result:
        """Run one point and return what was seen. It never raises for what the server does."""
        began, spent = time.monotonic(), self.driver.usage()["cpu"] + time.process_time()
        try:
            made = self._run(point)
        finally:
            self.driver.kill()
            self.outside.arm(None)
        cpu = self.driver.usage()["cpu"] + time.process_time() - spent
        return Result(point=point, variant=self.variant, seconds=time.monotonic() - began, cpu=cpu, **made)

    def _run(self, point: Point) -> dict[str, Any]:
        self._implied = None
        self.outside.reset(self.config.stubs, learn=self.learn)
        self.driver.prepare(self.warm)
        folder = self.results / "bundles" / _slug(point, self.variant)
        self.outside.arm(_outer(point), lag=self.config.lag)
        why = self.driver.start(kill=point if point.when else None, generation=0)
        if why and not self.driver.dead():
            return self._seen("inconclusive", why)
        turn = 0
        while turn < self.driver.turns and not self.driver.dead():
            self._mark(f"turn {turn}")
            self.driver.deliver(turn)
            self._drive(turn)
            if not self.driver.dead() and not self.driver.settled(turn):
                return self._seen("inconclusive", f"turn {turn + 1} did not end in {_TURN:.0f} s")
            turn += not self.driver.dead()
        if point.when and not self.driver.dead():
            self._quiet(_QUIET, until=self.driver.dead)
        if not point.when:
            self._quiet(0.4, within=5)
            pack(self.driver.data, folder / "at-end.tar.gz")
            outcome = "recovers" if not self.driver.dead() else "inconclusive"
            return self._seen(outcome, "" if outcome == "recovers" else "the server died by itself", folder)
        if not self.driver.dead():
            return self._seen("inconclusive", "the process never came by this point", folder)
        self.driver.kill()
        pack(self.driver.data, folder / "at-death.tar.gz")
        self._implied = implied_of(self.driver.data, lease=self.config.lease, variant=self.variant)
        if not _killed(read_lines(self.driver.log)) and point.when not in ("in", "late"):
            return self._seen("inconclusive", "the server ended before the point", folder)
        turn = min(turn, self.driver.turns - 1)
        outcome, why = self._come_back(point, turn, folder)
        return self._seen(outcome, why, folder) | {"died": True}

    def _come_back(self, point: Point, turn: int, folder: Path) -> tuple[str, str]:
        """Restart, wait, and say what became of it; with a second death on the way when asked for."""
        second, generation = point.then, 1
        while True:
            self.outside.arm(_outer(second) if second else None, lag=self.config.lag)
            self._mark(f"restart {generation}")
            why = self.driver.start(kill=second, generation=generation, build=self.then)
            if not self.driver.dead():
                if why:
                    return "inconclusive", why
                self.driver.redeliver()
            outcome, why = self._wait(turn)
            if second is not None and self.driver.dead():
                self.driver.kill()
                pack(self.driver.data, folder / "at-second-death.tar.gz")
                self._implied = implied_of(self.driver.data, lease=self.config.lease, variant=self.variant)
                second, generation = None, generation + 1
                continue
            if second is not None:
                return "inconclusive", "the recovery never came by the second point"
            break
        if outcome == "recovers":
            for later in range(turn + 1, self.driver.turns):
                self._mark(f"turn {later}")
                self.driver.deliver(later)
                outcome, why = self._wait(later)
        self._land()
        pack(self.driver.data, folder / "at-end.tar.gz")
        return outcome, why

    # -- waiting ---------------------------------------------------------------------------------------

    def _drive(self, turn: int) -> None:
        """Wait until the process is dead or the turn is over, undisturbed; answer persons' questions."""
        until = time.monotonic() + _TURN
        while time.monotonic() < until and not self.driver.dead():
            if self.driver.settled(turn):
                self._quiet(0.25, until=self.driver.dead, within=3)
                if not self.driver.answer():
                    return
            elif self.driver.answer():
                time.sleep(0.2)
            time.sleep(_STEP)

    def _wait(self, turn: int) -> tuple[str, str]:
        """Wait until nothing is open, or what is open hangs and nothing moves; say which."""
        began, moved, last = time.monotonic(), time.monotonic(), None
        resent = answered = False
        while True:
            if self.driver.dead():
                return "inconclusive", "the server died by itself after the restart"
            now = _signature(self.driver.data)
            if now != last:
                last, moved = now, time.monotonic()
            still = time.monotonic() - moved
            if time.monotonic() - began > _LONGEST:
                return "inconclusive", f"still moving after {_LONGEST:.0f} s"
            if still < 0.25:
                time.sleep(_STEP)
                continue
            told = implied_of(self.driver.data, lease=self.config.lease, variant=self.variant)
            over = self.driver.settled(turn)
            if told.outcome == "nothing-open":
                if over and still >= 0.3 and not self.outside.pending():
                    return "recovers", ""
                if not over and still >= _RESEND and not resent:
                    resent = True  # what a client does whose message got no answer
                    self.driver.deliver(turn)
                    moved = time.monotonic()
                elif still >= _QUIET and not self.outside.pending():
                    why = "nothing is open and the turn has no end" if not over else ""
                    return ("hangs", why) if not over else ("recovers", why)
            elif told.outcome == "needs-person" and self.driver.answer():
                answered, moved = True, time.monotonic()
                time.sleep(0.2)
            elif told.outcome in ("hangs", "needs-message", "needs-person", "fails") and still >= _QUIET:
                return self._stuck(told.outcome, turn, answered)
            elif told.outcome == "recovers" and still >= _RECOVERY:
                return "hangs", f"the journal implies a recovery, and nothing moved for {_RECOVERY:.0f} s"
            time.sleep(_STEP)

    def _stuck(self, told: str, turn: int, answered: bool) -> tuple[str, str]:
        """Nothing moves any more: what was told is seen, as far as it can be without touching it."""
        self._note_before()
        if told in ("fails", "needs-person"):
            return told, ""
        if self.driver.settled(turn) and told == "needs-message":
            return "needs-message", ""
        self.driver.nudge()
        began = time.monotonic()
        while time.monotonic() - began < 6:
            self._quiet(0.6, until=self.driver.dead, within=3)
            after = implied_of(self.driver.data, lease=self.config.lease, variant=self.variant)
            if after.outcome == "nothing-open" and self.driver.settled(turn):
                return "needs-message", "one more message woke it"
            if after.outcome in ("hangs", "fails") and time.monotonic() - began > 1.5:
                break
        return "hangs", "one more message did not wake it"

    def _note_before(self) -> None:
        """Keep what was seen before somebody sends a message: that message may do it all again."""
        self._before = self.outside.ledger(), read_lines(self.driver.log), self._appended()

    def _quiet(self, seconds: float, *, until: Any = None, within: float = 10) -> None:
        last, moved, began = None, time.monotonic(), time.monotonic()
        while time.monotonic() - moved < seconds and time.monotonic() - began < within:
            if until is not None and until():
                return
            now = _signature(self.driver.data)
            if now != last:
                last, moved = now, time.monotonic()
            time.sleep(_STEP)

    def _land(self) -> None:
        """Wait for effects that are still on their way outside."""
        until = time.monotonic() + self.config.lag + 5
        while self.outside.pending() and time.monotonic() < until:
            time.sleep(_STEP)

    # -- what was seen -------------------------------------------------------------------------------

    def _mark(self, text: str) -> None:
        with self.driver.log.open("a", encoding="utf-8") as log:
            log.write(f'{{"mark": "{text}", "at": {int(time.time() * 1000)}}}\n')
        self._before = None

    def _appended(self) -> list[dict[str, Any]]:
        return [each for path in self.driver.ledgers() for each in read_lines(path)]

    def _seen(self, outcome: str, why: str, folder: Path | None = None) -> dict[str, Any]:
        acts, lines, appended = self._before or (
            self.outside.ledger(), read_lines(self.driver.log), self._appended()
        )  # fmt: skip
        counts: dict[str, Counter[str]] = {}
        for act in acts:
            if act.get("effect"):
                counts.setdefault(str(act["name"]), Counter())[str(act.get("by") or "")] += 1
        fields = {promise.effect: promise.by for promise in self.config.promises}
        for entry in appended:
            name = str(entry.get("effect") or entry.get("name") or "ledger line")
            value = str(entry.get(fields.get(name) or "", ""))
            counts.setdefault(name, Counter())[value] += 1
        bodies = Counter(
            str(line["act"]).removeprefix("tool ")
            for line in lines
            if str(line.get("act", "")).startswith("tool ") and "kill" not in line
        )
        known = {
            "act",
            "k",
            "write",
            "done",
            "mark",
            "kill",
            "gen",
            "at",
            "call",
            "step",
            "door",
            "calls",
            "refused",
        }
        return {
            "outcome": outcome,
            "why": why,
            "counts": {name: dict(values) for name, values in counts.items()},
            "bodies": dict(bodies),
            "implied": None if self._implied is None else self._implied.to_json(),
            "acts": tuple(acts) + tuple({"appended": each} for each in appended),
            "unanswered": tuple(dict.fromkeys(str(act["label"]) for act in acts if act.get("unanswered"))),
            "bundle": "" if folder is None else folder.relative_to(self.results).as_posix(),
            "lines": tuple({k: v for k, v in line.items() if k in known} for line in lines),
        }


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Return the JSON objects of a file of lines; a last line that was cut by a kill is left out."""
    if not path.is_file():
        return []
    found = (each for _, each in loads_lines(path.read_bytes()) if not isinstance(each, JsonFault))
    return [each for each in found if isinstance(each, dict)]


def pack(data: Path, target: Path) -> None:
    """Keep a world as it lies there, in one file that every command opens."""
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_suffix(".part")
    with tarfile.open(unfinished, "w:gz", compresslevel=1) as archive:
        if data.is_dir():
            archive.add(data, arcname=".workflow-data")
    unfinished.rename(target)


def _killed(lines: Iterable[Mapping[str, Any]]) -> bool:
    return any("kill" in line for line in lines)


def _outer(point: Point) -> Point | None:
    """The point, when it is the outside that kills."""
    return point if point.when in ("in", "late") else None


def _slug(point: Point, variant: str) -> str:
    name = "".join(c if c.isalnum() else "-" for c in f"{variant} {point.name}")
    return "-".join(filter(None, name.split("-")))[:150]


def _signature(data: Path) -> tuple[int, int]:
    """How many files there are and the newest change: enough to see that nothing moves."""
    count, newest, stack = 0, 0, [str(data)]
    while stack:
        try:
            with os.scandir(stack.pop()) as entries:
                for entry in entries:
                    count += 1
                    newest = max(newest, entry.stat(follow_symlinks=False).st_mtime_ns)
                    if entry.is_dir(follow_symlinks=False):
                        stack.append(entry.path)
        except OSError:
            count += 1
    return count, newest

"""Several worlds read as one: ``open_world("before + after")``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

from eve_replay.errors import NotFound
from eve_replay.problems import Receipt
from eve_replay.records import EventRecord, Other, RunRecord, StepRecord, StreamChunk
from eve_replay.worlds.base import World

__all__ = ["CombinedWorld"]

_T = TypeVar("_T")


class CombinedWorld:
    """The runs of several worlds. A run that more than one holds is taken from the first and reported.

    Args:
        worlds: in order of precedence. They are closed with this one.
    """

    kind = "combined"

    def __init__(self, worlds: Sequence[World]) -> None:
        self.worlds = tuple(worlds)
        self.label = " + ".join(world.label for world in self.worlds)
        self._own = Receipt()
        self._home: dict[str, World] = {}

    @property
    def about(self) -> Mapping[str, object]:
        """What each world says of itself, under ``worlds``; the highest spec version of all."""
        versions = [world.about.get("specVersion") for world in self.worlds]
        known = [version for version in versions if isinstance(version, int)]
        return {
            "specVersion": max(known, default=None),
            "worlds": [{"kind": world.kind, "label": world.label, **world.about} for world in self.worlds],
        }

    @property
    def receipt(self) -> Receipt:
        """The receipts of all worlds added up; places are prefixed by the world's label."""
        total = Receipt()
        for receipt, label in ((self._own, ""), *((world.receipt, world.label) for world in self.worlds)):
            total.seen += receipt.seen
            total.parsed += receipt.parsed
            total.decoded += receipt.decoded
            at = f"{label}: " if label else ""
            for skipped in receipt.skipped:
                total.skip(where=at + skipped.where, what=skipped.what, why=skipped.why)
            for problem in receipt.problems:
                total.problem(
                    problem.severity, problem.code, at + problem.where, problem.message, problem.hint
                )
            for gap in receipt.gaps:
                total.gap(gap.of, gap.why, run_id=gap.run_id, name=gap.name)
        return total

    def runs(self) -> Iterator[RunRecord]:
        """Yield the runs of all worlds by run id."""
        found: dict[str, RunRecord] = {}
        for world in self.worlds:
            for run in world.runs():
                if run.run_id in found:
                    self._own.problem(
                        "info",
                        "in-several-worlds",
                        run.run_id,
                        f"{self._home[run.run_id].label} and {world.label} both hold this run; "
                        "the first one is shown.",
                    )
                else:
                    found[run.run_id] = run
                    self._home[run.run_id] = world
        for run_id in sorted(found):
            yield found[run_id]

    def run(self, run_id: str) -> RunRecord:
        """Return one run from the first world that holds it. Raises NotFound."""
        return self._first(run_id, lambda world: world.run(run_id))

    def events(self, run_id: str) -> Iterator[EventRecord]:
        """Yield the events of the world that holds the run."""
        return self._of(run_id).events(run_id)

    def steps(self, run_id: str) -> Iterator[StepRecord]:
        """Yield the steps of the world that holds the run."""
        return self._of(run_id).steps(run_id)

    def others(self, run_id: str) -> Iterator[Other]:
        """Yield what else the world that holds the run has of it."""
        return self._of(run_id).others(run_id)

    def stream(self, run_id: str, name: str) -> Iterator[StreamChunk]:
        """Yield a stream's chunks from the world that holds the run."""
        return self._of(run_id).stream(run_id, name)

    def close(self) -> None:
        """Close every world."""
        for world in self.worlds:
            world.close()

    def _of(self, run_id: str) -> World:
        if run_id not in self._home:
            self.run(run_id)
        return self._home[run_id]

    def _first(self, run_id: str, ask: Callable[[World], _T]) -> _T:
        for world in self.worlds:
            try:
                found = ask(world)
            except NotFound:
                continue
            self._home.setdefault(run_id, world)
            return found
        raise NotFound(
            f"There is no run {run_id[:80]!a} in any of {len(self.worlds)} sources.",
            hint="List the runs to see their ids.",
        )

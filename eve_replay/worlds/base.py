"""The seam every store of runs implements: one protocol, optional abilities as protocols of their own."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from typing import Protocol, TypeAlias, runtime_checkable

from eve_replay.problems import Receipt
from eve_replay.records import EventRecord, Other, RunRecord, StepRecord, StreamChunk

__all__ = ["Named", "NewestFirst", "Opener", "Pageable", "Watchable", "World", "WorldSource", "by_name"]


@runtime_checkable
class World(Protocol):
    """A read-only source of run records.

    A world returns records as stored and never decodes a payload. It never writes, takes no lock and
    leaves no trace. What it cannot read it leaves out, and says so in ``receipt``; it raises only when
    the source as a whole cannot be read (``SourceUnreadable``) or an id does not exist (``NotFound``).

    Attributes:
        kind: short word, ``local``, ``postgres``, ``memory`` ...
        label: what a person calls it (path without secrets, database name).
        about: facts of the world as a whole, for example ``versionTxt``, ``specVersion``, ``redacted``.
        receipt: what has been seen, parsed and skipped so far.
    """

    kind: str
    label: str

    @property
    def about(self) -> Mapping[str, object]:
        """Facts of the world as a whole."""
        ...

    @property
    def receipt(self) -> Receipt:
        """What has been seen so far."""
        ...

    def runs(self) -> Iterator[RunRecord]:
        """Yield every run, by run id ascending (ULIDs: oldest first), without decoding anything."""
        ...

    def run(self, run_id: str) -> RunRecord:
        """Return one run. Raises NotFound."""
        ...

    def events(self, run_id: str) -> Iterator[EventRecord]:
        """Yield the run's events in log order: by slot, or by id where ids are ULIDs."""
        ...

    def steps(self, run_id: str) -> Iterator[StepRecord]:
        """Yield the run's step records by step id."""
        ...

    def others(self, run_id: str) -> Iterator[Other]:
        """Yield the run's hooks, waits, stream names and marks (locks and the like)."""
        ...

    def stream(self, run_id: str, name: str) -> Iterator[StreamChunk]:
        """Yield all stored chunks of a stream in order, the end marker and what may follow it included."""
        ...

    def close(self) -> None:
        """Release files and connections. Calling it twice is fine."""
        ...


@runtime_checkable
class Watchable(Protocol):
    """A world that can say what changed."""

    def changes(self, stop: threading.Event) -> Iterator[set[str]]:
        """Yield sets of run ids that were touched, until ``stop`` is set."""
        ...


@runtime_checkable
class NewestFirst(Protocol):
    """A world that reads its newest runs first at no higher price: for a list that fills while one looks."""

    def newest(self) -> Iterator[RunRecord]:
        """Yield what ``runs`` yields, by run id descending."""
        ...


@runtime_checkable
class Named(Protocol):
    """A world that can read one session by its own runs alone, where there are many others.

    Attributes:
        large: whether that is worth it: a small world is read whole, which tells more of it.
    """

    @property
    def large(self) -> bool:
        """Whether there are so many runs that one of them is better read without the others."""
        ...

    def some(self, limit: int) -> list[RunRecord]:
        """Return up to ``limit`` of the newest runs, by run id."""
        ...

    def roots(self, limit: int) -> list[str]:
        """Return the ids of up to ``limit`` of the newest runs that no other run started, ascending."""
        ...

    def run_ids(self) -> list[str]:
        """Return the id of every run, ascending, and nothing else of it."""
        ...

    def children(self, run_id: str) -> Iterator[RunRecord]:
        """Yield the runs that name this run as parent or as root."""
        ...

    def family(self, run_id: str) -> list[RunRecord]:
        """Return the run and all that attributes join to it, by run id. Raises NotFound."""
        ...


@runtime_checkable
class Pageable(Protocol):
    """A world of so many runs that nobody wants all their records at once: a server with an index.

    Where a world has it, a list shows its newest part and a session is opened by its own runs alone.
    """

    def page(self, limit: int, *, after: str | None = None, newest_first: bool = False) -> list[RunRecord]:
        """Return up to ``limit`` runs beyond the run id ``after``, by id (or against it)."""
        ...

    def count_runs(self) -> int:
        """Return how many runs there are."""
        ...

    def run_ids(self) -> list[str]:
        """Return the id of every run, ascending, and nothing else of it."""
        ...

    def children(self, run_id: str) -> Iterator[RunRecord]:
        """Yield the runs that name this run as parent or as root."""
        ...

    def family(self, run_id: str) -> list[RunRecord]:
        """Return the run and all that attributes join to it, by run id. Raises NotFound."""
        ...


def by_name(world: World) -> Pageable | Named | None:
    """Return the world where one session of it can and should be read without the others, else None."""
    if isinstance(world, Pageable):
        return world
    return world if isinstance(world, Named) and world.large else None


class Opener(Protocol):
    """How the registry asks a kind of world about a source. One instance per kind, no state."""

    kind: str

    def recognises(self, source: str) -> float:
        """Return 0 to 1: how sure this kind is that it can open ``source``. Cheap, never raises."""
        ...

    def open(self, source: str, **options: object) -> World:
        """Open it, or raise UnknownSource / SourceUnreadable with what is wrong and what to do."""
        ...


#: What names a store of runs: a path or an address, a world that is open already, or several of these.
WorldSource: TypeAlias = str | PathLike[str] | World | Sequence[str | PathLike[str] | World]

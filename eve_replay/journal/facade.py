"""The journal: one world's sessions, runs, turns and steps, read when they are asked for."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Self, TypeVar, overload

from eve_replay.codec import KeyRing
from eve_replay.errors import NotFound, WrongUse
from eve_replay.ids import short_id
from eve_replay.journal.asked import Asked
from eve_replay.journal.frameworks.base import Grouping
from eve_replay.journal.frameworks.registry import framework_named, group_records, part_of
from eve_replay.journal.gather import gathered
from eve_replay.journal.joined import remember
from eve_replay.journal.model import Attempt, Run, Session, SessionHead, Step, Turn
from eve_replay.limits import LimitsLike
from eve_replay.problems import Receipt
from eve_replay.records import RunRecord
from eve_replay.worlds.base import Pageable, World, WorldSource, by_name

__all__ = ["Journal", "LazySequence", "open_journal"]

T = TypeVar("T")
_KEPT = 32  # built sessions kept in memory
_NEWEST = 200  # runs of a large world that are asked for their version
_TRIED = 50  # newest runs without a parent among which the last conversation is looked for
_LETTERS = 26  # of a whole id, after its prefix


class LazySequence(Sequence[T]):
    """A sequence whose items are built when they are looked at; ``len`` builds nothing."""

    def __init__(self, ids: Sequence[str], build: Callable[[str], T], noun: str = "item") -> None:
        self._ids, self._build, self._noun = ids, build, noun

    def __len__(self) -> int:
        return len(self._ids)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        if isinstance(index, slice):
            return LazySequence(self._ids[index], self._build, self._noun)
        return self._build(self._ids[index])

    def __iter__(self) -> Iterator[T]:
        return (self._build(id_) for id_ in self._ids)

    def __repr__(self) -> str:
        known = ", ".join(short_id(each) for each in self._ids[:4]) + (", ..." if len(self) > 4 else "")
        noun = self._noun if len(self) == 1 else f"{self._noun}s"
        return f"<{len(self)} {noun}, built on demand{': ' if known else ''}{known}>"


class Journal(Asked):
    """Everything one world tells, by session, run, turn and step.

    Run records are read once, when first needed; a session is built when asked for and the last few are
    kept. Where the world can and is large (``Pageable``, ``Named``), a session that is named is read by its
    own runs alone.
    Reading never writes to the world and never raises for bad content: see ``receipt``.

    Args:
        world: any world; it is closed with the journal.
        keep: how many built sessions to keep.
        keys: keys for encrypted session streams (records get theirs from the world).
    """

    def __init__(self, world: World, *, keep: int = _KEPT, keys: KeyRing | None = None) -> None:
        self.world = world
        self.keys = keys
        self._keep = max(1, keep)
        self._map: Grouping | None = None
        self._reading = threading.RLock()
        self._near: dict[str, Grouping] = {}
        self._built: OrderedDict[str, Session] = OrderedDict()

    @property
    def receipt(self) -> Receipt:
        """What has been seen and skipped so far."""
        return self.world.receipt

    @property
    def map(self) -> Grouping:
        """Which runs make up which session. Read by whoever asks first; other threads wait for it."""
        found = self._map
        if found is None:
            with self._reading:
                found = self._map
                if found is None:
                    found = self._map = group_records(self.world.runs())
        return found

    @property
    def records(self) -> tuple[RunRecord, ...]:
        """Every run record, oldest first, nothing decoded."""
        return tuple(self.map.records.values())

    @property
    def heads(self) -> tuple[SessionHead, ...]:
        """The sessions as a list shows them, oldest first, nothing decoded."""
        return tuple(sorted(self.map.heads.values(), key=lambda h: h.id))

    def gather(self, told: Callable[[Sequence[SessionHead]], object]) -> tuple[SessionHead, ...]:
        """Return ``heads``, telling on the way what is known already, newest first where the world can.

        Args:
            told: called with some heads that were not told before. What is below them may be incomplete
                until this returns.
        """
        with self._reading:
            if self._map is None:
                self._map = gathered(self.world, told)
            return self.heads

    @property
    def by_name(self) -> bool:
        """Whether one session can be had without reading every run record, as of a large database."""
        return self._map is None and by_name(self.world) is not None

    @property
    def run_ids(self) -> Sequence[str]:
        """The id of every run, oldest first; of a large world nothing else is read."""
        if self._map is None and (large := by_name(self.world)) is not None:
            return large.run_ids()
        return tuple(self.map.records)

    @property
    def versions(self) -> frozenset[str]:
        """The eve versions of the sessions; of a large world those of its newest runs."""
        if self._map is None and (large := by_name(self.world)) is not None:
            if isinstance(large, Pageable):
                newest = group_records(large.page(_NEWEST, newest_first=True))
            else:
                newest = group_records(large.some(_NEWEST))
            heads = [head for near in (newest, *self._near.values()) for head in near.heads.values()]
        else:
            heads = list(self.map.heads.values())
        return frozenset(head.eve_version for head in heads if head.eve_version)

    @property
    def sessions(self) -> Sequence[Session]:
        """All sessions, each built when it is looked at."""
        return LazySequence([h.id for h in self.heads], self.session, "session")

    @property
    def runs(self) -> Sequence[Run]:
        """All runs, each built with its session when it is looked at."""
        return LazySequence(list(self.map.records), self.run, "run")

    def __getitem__(self, wanted: str | int) -> Session:
        """Return ``journal["V5E1"]``, a session by (the end of) an id of it, or ``journal[-1]``, by place."""
        return self.sessions[wanted] if isinstance(wanted, int) else self.session(wanted)

    def __iter__(self) -> Iterator[Session]:
        return iter(self.sessions)

    def session(self, id_: str | None = None) -> Session:
        """Return a session by its id, the id of any of its runs, or an unambiguous end of one.

        Args:
            id_: None means the only session, when there is one.

        Raises:
            NotFound: no such session.
            WrongUse: the id fits several, or None was given and there are several.
        """
        found, run_id = self._place(id_)
        return self._session(found, found.session_of(run_id), frozenset())

    def _session(self, found: Grouping, key: str, above: frozenset[str]) -> Session:
        """Return a session with those below it; ``above`` ends a circle that only a broken world has."""
        known = self._built.get(key)
        if known is None:
            path = above | {key}
            wanted = [c for c in found.heads[key].subagents if c in found.heads and c not in path]
            head = found.heads[key]
            part = part_of(found, key)
            known = framework_named(head.framework).build(self.world, part, head, keys=self.keys)
            if wanted:
                known = replace(known, below=tuple(self._session(found, c, path) for c in wanted))
            self._built[key] = known = remember(known, self)
            while len(self._built) > self._keep:
                self._built.popitem(last=False)
        else:
            self._built.move_to_end(key)
        return known

    def head(self, id_: str) -> SessionHead | None:
        """Return the head of a session by its whole id, None when there is no such session."""
        if self._map is None and by_name(self.world) is None:
            return self.map.heads.get(id_)
        if self._map is None and id_ not in self._near:
            try:
                self._place(id_)
            except (NotFound, WrongUse):
                return None
        found = self._map or self._near.get(id_)
        return found.heads.get(id_) if found is not None else None

    def newest(self) -> Session | None:
        """Return the last conversation of a large world, found from its end; None when all must be read."""
        large = by_name(self.world)
        if self._map is not None or large is None:
            return None
        if isinstance(large, Pageable):
            page = large.page(_NEWEST, newest_first=True)
            ids = [record.run_id for record in page if record.attribute("$parentRunId") is None]
        else:
            ids = list(reversed(large.roots(_TRIED)))
        for run_id in ids:
            found, full = self._place(run_id)
            head = found.heads[found.session_of(full)]
            if head.id == run_id and head.kind == "session":
                return self.session(run_id)
        return None

    def run(self, run_id: str) -> Run:
        """Return one run, built with its session. Raises NotFound."""
        _, full = self._place(run_id)
        return next(run for run in self.session(full).all_runs if run.run_id == full)

    def turn(self, session: Session | str, turn_id: str) -> Turn:
        """Return one turn of a session, by id (``turn_0``) or number (``0``). Raises NotFound."""
        found = self.session(session) if isinstance(session, str) else session
        return found.turn(turn_id)

    def step(self, step_id: str, run_id: str | None = None) -> Step:
        """Return one step by id or an unambiguous end of one.

        Args:
            step_id: for example ``step_01M8NVF908TCET7G7YQZJ80KVQ`` or its last letters.
            run_id: the run to look in: correlation ids may repeat between runs
                (docs/evidence/reports.md#t27).

        Raises:
            NotFound: no such step.
            WrongUse: it fits several.
        """
        step_id = _end(step_id)
        runs: Iterable[Run] = [self.run(run_id)] if run_id is not None else self._likely(step_id) or self.runs
        fits = [s for run in runs for s in run.steps if s.step_id == step_id or s.step_id.endswith(step_id)]
        exact = [s for s in fits if s.step_id == step_id]
        found = exact or (fits if len(step_id) >= 4 else [])
        if not found:
            raise NotFound(f"No step {step_id!r} here.", hint="`eve-replay attempts` lists them.")
        if len(found) > 1:
            where = ", ".join(f"{s.step_id} in {s.run_id}" for s in found[:4])
            raise WrongUse(f"{step_id!r} fits {len(found)} steps: {where}.", hint="Name the run as well.")
        return found[0]

    def _likely(self, step_id: str) -> list[Run]:
        """Return runs that hold the step, looking only where its id points: ids of one run share a time."""
        time = step_id.partition("_")[2][:10]
        near = [i for i in self.map.records if len(time) == 10 and i.partition("_")[2].startswith(time)]
        found = [self.run(i) for i in near]
        return [run for run in found if any(s.step_id == step_id for s in run.steps)]

    def attempt(self, step_id: str, n: int, run_id: str | None = None) -> Attempt:
        """Return attempt ``n`` (1-based) of a step. Raises NotFound."""
        step = self.step(step_id, run_id)
        for attempt in step.attempts:
            if attempt.n == n:
                return attempt
        raise NotFound(f"{step.step_id} has {len(step.attempts)} attempts, not {n}.")

    def _place(self, id_: str | None) -> tuple[Grouping, str]:
        """Return a map that holds the session of an id, and the whole id of the run that is meant."""
        large = by_name(self.world)
        if id_ is None or self._map is not None or large is None:
            return self.map, self._run_id(id_)
        if id_ not in self._near and len(id_.partition("_")[2]) != _LETTERS:
            id_ = _one_of(large.run_ids(), id_) or id_
        if id_ not in self._near:
            try:
                family = large.family(id_)
            except NotFound:
                # Not a run's whole id: what it is instead, all run records tell.
                return self.map, self._run_id(id_)
            near = group_records(sorted(family, key=lambda record: record.run_id))
            while len(self._near) >= self._keep * 8:
                self._near.pop(next(iter(self._near)))
            self._near |= dict.fromkeys(near.records, near)
        return self._near[id_], id_

    def _run_id(self, id_: str | None) -> str:
        records, heads = self.map.records, self.map.heads
        if id_ is None:
            if len(heads) == 1:
                return next(iter(heads))
            chats = [h.id for h in heads.values() if h.kind == "session"]
            if len(chats) == 1:
                return chats[0]
            if not heads:
                missing = self.world.receipt.missing("runs")
                why = f" The list of runs is not whole: {missing}." if missing else ""
                hint = "`eve-replay receipt` says what was read."
                raise NotFound(f"There is no session here.{why}", hint=hint)
            raise WrongUse(
                f"There are {len(heads)} sessions here.", hint="Name one: `eve-replay why` lists them."
            )
        if id_ in records:
            return id_
        id_ = _end(id_)
        ends = [i for i in records if len(id_) >= 4 and i.endswith(id_)]
        starts = ends or [i for i in records if len(id_) >= 6 and i.startswith(id_)]
        if not starts:
            raise NotFound(f"No session or run {id_!r} here.", hint="`eve-replay why` lists them.")
        owners = {self.map.session_of(i) for i in starts}
        if len(starts) > 1 and len(owners) > 1:
            raise WrongUse(f"{id_!r} fits {len(starts)} runs.", hint="Give more letters of the id.")
        return starts[0]

    def refresh(self) -> None:
        """Forget what has been read: the next question sees what the world holds now."""
        self._map = None
        self._near.clear()
        self._built.clear()

    def close(self) -> None:
        """Close the world. Calling it twice is fine."""
        self._built.clear()
        self.world.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Journal of {self.world.kind} world {self.world.label!r}>"


def _one_of(ids: Iterable[str], wanted: str) -> str | None:
    """Return the one id that ``wanted`` is, ends or begins; None when none or several fit."""
    wanted = _end(wanted)
    ends = [i for i in ids if len(wanted) >= 4 and i.endswith(wanted)]
    starts = ends or [i for i in ids if len(wanted) >= 6 and i.startswith(wanted)]
    return starts[0] if len(starts) == 1 else None


def _end(id_: str) -> str:
    """Return the letters after the gap of a shortened id (``wrun_…5V65``), a whole id as it is."""
    return id_.rpartition("…")[2]


def open_journal(
    source: WorldSource,
    *,
    kind: str | None = None,
    keys: KeyRing | None = None,
    limit: LimitsLike = None,
    keep: int = _KEPT,
    **options: object,
) -> Journal:
    """Open a source (path, URL, or a world that is open already) as a journal.

    Args:
        source: what ``open_world`` takes.
        kind: the kind of world, when the guess would be wrong.
        keys: keys for encrypted payloads.
        limit: as in :func:`~eve_replay.worlds.registry.open_world`.
        keep: how many built sessions to keep.
        **options: what the kind of world takes, see ``open_world``.

    Raises:
        UnknownSource: nothing here is a world we know.
        SourceUnreadable: it cannot be read at all.
    """
    from eve_replay.worlds.registry import open_world  # loads the kinds of world; the model needs none

    if isinstance(source, World):
        return Journal(source, keep=keep, keys=keys)
    return Journal(open_world(source, kind=kind, keys=keys, limit=limit, **options), keep=keep, keys=keys)

"""What a folder of very many runs is asked beside what every world is: one session alone, or all at once.

One of many is read through a view of the folder that shows its runs only (:class:`Focus`), until somebody
asks for all. All of them are read by several processes, each of which tells what it saw.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from eve_replay.problems import Gap, Problem, Receipt, Skipped
from eve_replay.records import RunRecord
from eve_replay.worlds.local.disk import DiskTree
from eve_replay.worlds.local.files import Files
from eve_replay.worlds.local.focus import Focus
from eve_replay.worlds.local.kin import Kin
from eve_replay.worlds.local.layout import FileRef, Layout
from eve_replay.worlds.local.marks import Marks
from eve_replay.worlds.local.names import read_name
from eve_replay.worlds.local.streams import Streams
from eve_replay.worlds.local.tree import FileTree, join

__all__ = ["FEW", "LargeFolder", "Mark", "Seen"]

#: Where a reading stands: counts of the receipt, lengths of its lists and of what is known beside it.
Mark: TypeAlias = tuple[int, int, int, int, int, int, int, int]

#: A folder of more runs is not read whole for one of them. Up to here that costs nothing and tells more.
FEW = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a part of the reading added: to the receipt, and to what is known of runs and streams."""

    seen: int = 0
    parsed: int = 0
    decoded: int = 0
    skipped: tuple[Skipped, ...] = ()
    problems: tuple[Problem, ...] = ()
    gaps: tuple[Gap, ...] = ()
    runs: tuple[str, ...] = ()
    streams: tuple[str, ...] = ()

    @property
    def clean(self) -> bool:
        """Whether nothing at all was wrong."""
        return not (self.skipped or self.problems or self.gaps)


class LargeFolder:
    """The part of the local world that is about very many runs."""

    receipt: Receipt
    _tree: FileTree
    _base: str
    _only: str
    _kin: Kin | None
    _narrow: bool
    _word: str
    _files: Files
    _layout: Layout
    _marks: Marks
    _streams: Streams
    _asked: set[str]
    _news: list[str]

    if TYPE_CHECKING:

        def runs(self) -> Iterator[RunRecord]:  # noqa: D102
            ...

        def run(self, run_id: str) -> RunRecord:  # noqa: D102
            ...

        def _run(self, run_id: str, refs: Sequence[FileRef]) -> RunRecord | None: ...
        def _all_asked(self) -> bool: ...

    # -- one session of many

    @property
    def large(self) -> bool:
        """Whether there are so many runs that one of them is better read without the others."""
        return self._narrow

    def run_ids(self) -> list[str]:
        """Return the id of every run, ascending, and nothing else of it."""
        if self._kin is None:
            return [run.run_id for run in self.runs()]
        return sorted(self._kin.ids())

    def family(self, run_id: str) -> list[RunRecord]:
        """Return the run and all that attributes join to it, by run id. Raises NotFound."""
        first = self.run(run_id)
        if self._kin is None:
            return [first]
        found = self._kin.family(run_id) & self._kin.ids()
        self._concern(*found)
        return self._records(found)

    def children(self, run_id: str) -> Iterator[RunRecord]:
        """Yield the runs that name this run as parent or as root."""
        if self._kin is not None:
            yield from (run for run in self._records(self._kin.naming(run_id)) if run.run_id != run_id)

    def some(self, limit: int) -> list[RunRecord]:
        """Return up to ``limit`` of the newest runs, read past what else there is."""
        return self._records(self.run_ids()[-limit:])

    def roots(self, limit: int) -> list[str]:
        """Return the ids of up to ``limit`` of the newest runs that no other run started, ascending."""
        return self.run_ids()[-limit:] if self._kin is None else sorted(self._kin.roots())[-limit:]

    def _records(self, ids: Iterable[str]) -> list[RunRecord]:
        """Return the records of those of the runs that are here; for that alone no folder is listed."""
        here = sorted(self._kin.ids().intersection(ids)) if self._kin is not None else sorted(ids)
        files = {id_: self._record_files(id_) for id_ in here}
        self._concern(*(id_ for id_, refs in files.items() if not refs))
        found = (self._run(id_, refs) for id_, refs in files.items())
        return [record for record in found if record is not None]

    def _record_files(self, run_id: str) -> Sequence[FileRef]:
        if not self._narrow or self._kin is None:
            return self._layout.run_files().get(run_id, ())
        refs = [
            FileRef(self._layout.path("runs", name), run_id, parsed.tag)
            for name in self._kin.files().get(run_id, ())
            if (parsed := read_name(name)) is not None
        ]
        return sorted(refs, key=lambda ref: ref.tag)

    # -- read by several processes

    @property
    def copyable(self) -> bool:
        """Whether a copy of this process can go on reading: no file is open between two calls."""
        return isinstance(self._tree, DiskTree) and not self._only

    def prepare(self) -> None:
        """Read now what all runs share, so that who reads one of them finds it read."""
        first = next(iter(self._layout.run_files()), None)
        if first is not None:
            for _ in self._marks.hooks(first, status=""):
                pass
            for _ in self._marks.of_run(first, status=""):
                pass
            self._streams.known("")

    def mark(self) -> Mark:
        """Return where the reading stands."""
        own = self.receipt
        wrong = len(own.skipped), len(own.problems), len(own.gaps)
        return own.seen, own.parsed, own.decoded, *wrong, len(self._news), len(self._streams.news)

    def since(self, mark: Mark) -> Seen:
        """Return what was seen since ``mark``."""
        own = self.receipt
        return Seen(
            seen=own.seen - mark[0],
            parsed=own.parsed - mark[1],
            decoded=own.decoded - mark[2],
            skipped=tuple(own.skipped[mark[3] :]),
            problems=tuple(own.problems[mark[4] :]),
            gaps=tuple(own.gaps[mark[5] :]),
            runs=tuple(self._news[mark[6] :]),
            streams=tuple(self._streams.news[mark[7] :]),
        )

    def absorb(self, seen: Seen) -> None:
        """Take over what another process has seen of this folder."""
        own = self.receipt
        own.seen += seen.seen
        own.parsed += seen.parsed
        own.decoded += seen.decoded
        for skipped in seen.skipped:
            own.skip(where=skipped.where, what=skipped.what, why=skipped.why)
        for problem in seen.problems:
            own.problem(problem.severity, problem.code, problem.where, problem.message, problem.hint)
        for gap in seen.gaps:
            own.gap(gap.of, gap.why, run_id=gap.run_id, name=gap.name)
        self._asked.update(seen.runs)
        self._streams.indexed.update(seen.streams)
        if not self._only and not self._narrow and self._all_asked():
            self._streams.report_orphans()

    def stamps(self) -> dict[str, bytes]:
        """Return a digest per run that changes when any file of the run does; see ``stamps``."""
        from eve_replay.worlds.local.stamps import stamps

        if self._kin is None or not isinstance(self._tree, DiskTree):
            return {}
        return stamps(self._tree, self._base, self._kin)

    @property
    def identity(self) -> str:
        """What the folder is: its real path."""
        root = self._tree.root if isinstance(self._tree, DiskTree) else self._tree.label
        return join(root, self._base)

    def _elsewhere(self, run_id: str) -> bool:
        """Whether a run is in the folder, outside what it shows now."""
        return self._narrow and self._kin is not None and run_id in self._kin.ids()

    def _concern(self, *run_ids: str) -> None:
        """Let the folder show these runs as well; once they are many, it shows everything."""
        if not self._narrow or self._kin is None or not isinstance(self._tree, DiskTree):
            return
        shown = self._files.tree
        members = shown.members if isinstance(shown, Focus) else frozenset()
        if members.issuperset(run_ids):
            return
        members |= set(run_ids)
        if len(members) > FEW:
            self._widen()
            return
        self._files.tree = Focus(self._tree, self._base, members, self._kin)
        self._layout.forget()

    def _widen(self) -> None:
        """Show the whole folder from now on."""
        if self._narrow:
            self._narrow = False
            self._word = ""
            self._files.tree = self._tree
            self._layout.forget()

    def _many(self) -> bool:
        return self._kin is not None and len(self._kin.files()) > FEW

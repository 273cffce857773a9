"""The world of a local data folder, on disk or in an archive.

Source: docs/formats/local.md#files, #streams, #events.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence

from eve_replay.codec import KeyRing
from eve_replay.errors import NotFound
from eve_replay.limits import LimitsLike, as_limits
from eve_replay.problems import LISTS, Receipt
from eve_replay.records import (
    EventRecord,
    Other,
    RunRecord,
    StepRecord,
    StreamChunk,
    WaitRecord,
)
from eve_replay.worlds.local.disk import DiskTree
from eve_replay.worlds.local.files import Files
from eve_replay.worlds.local.kin import Kin
from eve_replay.worlds.local.large import LargeFolder
from eve_replay.worlds.local.layout import FileRef, Layout
from eve_replay.worlds.local.log import LogWatch, check_ids
from eve_replay.worlds.local.marks import Marks
from eve_replay.worlds.local.names import is_plain
from eve_replay.worlds.local.records import RecordMaker, synthesise_run
from eve_replay.worlds.local.streams import Streams
from eve_replay.worlds.local.tree import FileTree, join

__all__ = ["LocalWorld"]


class LocalWorld(LargeFolder):
    """Reads one data folder. Nothing is cached but folder listings, so a live folder shows what is there now.

    Args:
        tree: the files.
        base: the data folder's path inside the tree.
        label: what a person calls it.
        only: a run id when the user named one run: ``runs`` yields that one alone.
        keys: key ring for encrypted payloads.
        limit: what reading may cost.
        pause: how to wait for a file that is being written.

    Attributes:
        keys, limit: as given; who decodes a stream of this world needs them.
    """

    kind = "local"

    def __init__(
        self,
        tree: FileTree,
        base: str = "",
        *,
        label: str = "",
        only: str = "",
        keys: KeyRing | None = None,
        limit: LimitsLike = None,
        pause: Callable[[float], object] = time.sleep,
    ) -> None:
        self.label = label or join(tree.label, base)
        self.keys = keys
        self.limit = as_limits(limit)
        self.receipt = Receipt()
        self._tree = tree
        self._only = only
        self._files = Files(tree, self.receipt, limit=self.limit.file, pause=pause)
        self._kin = Kin(tree, base) if isinstance(tree, DiskTree) and not only else None
        self._narrow = self._many()
        self._layout = Layout(self._files, base, elsewhere=self._elsewhere)
        own = self._layout.by_python_sdk
        self._maker = RecordMaker(self.receipt, keys=keys, limit=self.limit, own_forms=own)
        self._marks = Marks(self._files, self._layout, self._maker)
        self._streams = Streams(self._files, self._layout)
        self._base = base
        self._log_steps: dict[str, set[str]] = {}
        self._step_ids: dict[str, set[str]] = {}
        self._asked: set[str] = set()
        self._news: list[str] = []
        self._word = ""
        self._version = self._read_version()
        self._open_report()

    @property
    def about(self) -> Mapping[str, object]:
        """Facts of the folder; ``specVersion`` is the highest seen so far, None before any record."""
        return {
            "versionTxt": self._version,
            "specVersion": self._maker.spec_version,
            "layout": self._word or self._layout.word(),
            "dataDir": self.label,
            **({"onlyRun": self._only} if self._only else {}),
        }

    def runs(self) -> Iterator[RunRecord]:
        """Yield every run by run id; a run without a record is put together from its events."""
        return self._runs()

    def newest(self) -> Iterator[RunRecord]:
        """Yield every run as ``runs`` does, the newest first."""
        return self._runs(newest_first=True)

    def _runs(self, *, newest_first: bool = False) -> Iterator[RunRecord]:
        if self._only:
            yield self.run(self._only)
            return
        self._widen()
        files = self._layout.run_files()
        for run_id in sorted(files.keys() | self._layout.run_ids(), reverse=newest_first):
            found = self._run(run_id, files.get(run_id, ()))
            if found is not None:
                yield found

    def run(self, run_id: str) -> RunRecord:
        """Return one run. Raises NotFound."""
        found = None
        refs = self._record_files(run_id)
        if not refs:
            self._concern(run_id)
        if refs or (is_plain(run_id) and run_id in self._layout.run_ids()):
            found = self._run(run_id, refs)
        if found is None:
            raise self._not_found(run_id)
        return found

    def events(self, run_id: str) -> Iterator[EventRecord]:
        """Yield the run's events in log order; gaps, copies and second ends go to the receipt."""
        self._concern(run_id)
        refs = self._known(run_id, self._layout.owned("events", run_id) if is_plain(run_id) else [])
        return self._events(run_id, refs)

    def steps(self, run_id: str) -> Iterator[StepRecord]:
        """Yield the run's step records by step id."""
        self._concern(run_id)
        refs = self._known(run_id, self._layout.owned("steps", run_id) if is_plain(run_id) else [])
        return self._steps(run_id, refs)

    def others(self, run_id: str) -> Iterator[Other]:
        """Yield the run's hooks, waits, streams and marks, in this order."""
        self._concern(run_id)
        self._known(run_id, [])
        return self._others(run_id)

    def stream(self, run_id: str, name: str) -> Iterator[StreamChunk]:
        """Yield all chunks of a stream in order. Raises NotFound for a stream nobody knows."""
        self._concern(run_id)
        if not self._streams.known(name) and name not in {s.name for s in self._streams.of_run(run_id)}:
            raise NotFound(f"There is no stream {name[:80]!a} in {self.label}.")
        return self._streams.chunks(name)

    def modified_ns(self, origin: str) -> int | None:
        """Return when the file of a record or mark was last written, in ns since 1970; None when unknown."""
        try:
            found = self._tree.stat(self._layout.path(origin))
        except OSError:
            return None
        return found.mtime_ns or None if found is not None else None

    def changes(self, stop: threading.Event) -> Iterator[set[str]]:
        """Yield sets of run ids that are being written to, until ``stop`` is set."""
        from eve_replay.worlds.local.watch import changes

        return changes(self._tree, self._base, stop)

    def close(self) -> None:
        """Release the tree."""
        self._tree.close()

    def __enter__(self) -> LocalWorld:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- runs

    def _run(self, run_id: str, refs: Sequence[FileRef]) -> RunRecord | None:
        if len(refs) > 1:
            self.receipt.problem(
                "warning",
                "two-copies",
                self._layout.origin(refs[-1].path),
                f"The run has {len(refs)} records under different tags; the last tagged one is shown.",
            )
        for ref in reversed(refs):
            fields = self._files.record(ref.path, "run record")
            if fields is not None:
                return self._maker.run(fields, self._layout.origin(ref.path), run_id)
        return self._without_record(run_id, torn=bool(refs))

    def _without_record(self, run_id: str, *, torn: bool) -> RunRecord | None:
        events = list(self._events(run_id, self._layout.owned("events", run_id)))
        if not events and not torn and run_id not in self._layout.run_ids():
            return None  # removed between listing and reading
        origin = events[0].origin if events else f"events/{run_id}"
        if not torn:
            self.receipt.problem(
                "error",
                "no-run-record",
                f"runs/{run_id}.json",
                "The run has files but no run record; what is shown of it comes from its events.",
                "The record was deleted, or the copy of the folder is incomplete.",
            )
        return synthesise_run(run_id, events, origin)

    def _known(self, run_id: str, refs: list[FileRef]) -> list[FileRef]:
        """Return ``refs``, or raise NotFound when there are none and nothing else shows such a run."""
        if not refs and not (run_id in self._layout.run_files() or run_id in self._layout.run_ids()):
            raise self._not_found(run_id)
        return refs

    def _not_found(self, run_id: str) -> NotFound:
        return NotFound(
            f"There is no run {run_id[:80]!a} in {self.label}.", hint="List the runs to see their ids."
        )

    def _tree_has(self, path: str) -> bool:
        try:
            return self._tree.stat(path) is not None
        except OSError:
            return True  # it is there, we may not look at it; reading says so

    # -- events and steps

    def _events(self, run_id: str, refs: list[FileRef]) -> Iterator[EventRecord]:
        check_ids(run_id, [ref.id for ref in refs], self.receipt, lambda: self._marks.reserved_ids(run_id))
        watch = LogWatch(run_id, self.receipt)
        for ref in refs:
            fields = self._files.record(ref.path, "event")
            if fields is None:
                continue
            event = self._maker.event(fields, self._layout.origin(ref.path), run_id, ref.id)
            watch.see(event)
            yield event
        self._log_steps[run_id] = watch.steps
        self._compare_steps(run_id)

    def _steps(self, run_id: str, refs: list[FileRef]) -> Iterator[StepRecord]:
        for ref in refs:
            fields = self._files.record(ref.path, "step record")
            if fields is not None:
                yield self._maker.step(fields, self._layout.origin(ref.path), run_id, ref.id)
        self._step_ids[run_id] = {ref.id for ref in refs}
        self._compare_steps(run_id)

    def _compare_steps(self, run_id: str) -> None:
        """Report steps the log knows and no record shows, once both have been read.

        The record is always written before the event (docs/evidence/sweep.md#writes), so it must be there.
        """
        logged, recorded = self._log_steps.get(run_id), self._step_ids.get(run_id)
        unlisted = self._files.unlisted & {self._layout.path("steps"), self._layout.path("steps", run_id)}
        if logged is None or recorded is None or unlisted:
            return
        for step_id in sorted(logged - recorded):
            self.receipt.problem(
                "error",
                "missing-record",
                f"steps of {run_id}",
                f"The log has a step_created of {step_id}, but its step record is missing.",
                "The file was deleted, or the copy of the folder is incomplete.",
            )

    # -- the rest

    def _others(self, run_id: str) -> Iterator[Other]:
        status = self._status(run_id)
        yield from self._marks.hooks(run_id, status=status)
        for ref in self._layout.owned("waits", run_id):
            fields = self._files.record(ref.path, "wait record")
            if fields is not None:
                wait: WaitRecord = self._maker.wait(fields, self._layout.origin(ref.path), run_id, ref.id)
                yield wait
        yield from self._streams.of_run(run_id)
        yield from self._marks.of_run(run_id, status=status)
        self._asked.add(run_id)
        self._news.append(run_id)
        if not self._only and not self._narrow and self._all_asked():
            self._streams.report_orphans()

    def _all_asked(self) -> bool:
        """Whether every run was asked for its streams; the cheap comparison comes first."""
        files = self._layout.run_files()
        return len(self._asked) >= len(files) and self._asked >= (files.keys() | self._layout.run_ids())

    def _status(self, run_id: str) -> str:
        """Return the run's status, reading its record again: it decides what counts as hidden."""
        try:
            return self.run(run_id).status
        except NotFound:
            return ""

    def _read_version(self) -> str | None:
        path = self._layout.path("version.txt")
        if not self._tree_has(path):
            return None
        data = self._files.content(path, "version file")
        if data is None:
            return None
        self._files.count_parsed(path)
        return data[:200].decode("utf-8", "replace").strip()

    def _open_report(self) -> None:
        """Say at once what concerns the folder as a whole."""
        for name, why in self._tree.rejected.items():
            self.receipt.skip(where=name[:200], what="archive member", why=why)
            said = why if why.endswith(".") else f"{why}."
            self.receipt.problem("warning", "rejected-name", name[:200], f"Not read: {said}")
            if "limit" in why or name.startswith("after "):
                for of in LISTS:
                    self.receipt.gap(of, f"the archive holds more than was read: {why.rstrip('.')}")
        if self._narrow and self._kin is not None:
            self._word = self._kin.word()
        word = self._word or self._layout.word()
        if word == "flat":
            # Nothing is wrong with the folder itself, so reading it is no "problems found"; doctor warns.
            self.receipt.problem(
                "info",
                "flat-layout",
                "events",
                "This folder has the layout of an older world. An eve of 0.80 or newer that is started on it "
                "deletes what lies in it.",
                "Keep a copy before one is started here.",
            )
        elif word == "mixed":
            self.receipt.problem(
                "warning",
                "mixed-layout",
                "events",
                "Files of an older layout lie beside folders of the newer one; both are shown. "
                "eve 0.80 refuses to start on such a folder.",
            )
        elif word == "empty" and not self._layout.run_files():
            touched = self._tree_has(self._layout.path("version.txt"))
            self.receipt.problem(
                "warning",
                "no-runs",
                self.label,
                "This is a data folder, but it holds no run yet."
                if not touched
                else "This is a data folder without any run: none was written yet, or a newer eve that was "
                "started on it has deleted what an older one had written (one line in its log says so).",
                "Start a run, then look again." if not touched else "Look for a copy of the folder.",
            )

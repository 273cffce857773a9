"""Hooks and marks of the local world: the durable traces that are neither step, event nor chunk.

They decide whether a run is wedged (docs/evidence/sweep.md), so every one of them is shown:
lock files, token files and their lock folders, delivery files, staged deliveries, hook indexes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from eve_replay.records import HookRecord, MarkRecord
from eve_replay.worlds.local.files import Files
from eve_replay.worlds.local.layout import Layout, LockRef
from eve_replay.worlds.local.names import read_name, split_run
from eve_replay.worlds.local.records import TERMINAL, RecordMaker
from eve_replay.worlds.local.tree import join

__all__ = ["Marks"]

#: Marks whose run is not known are listed under this id and shown with every run that has not ended.
_UNKNOWN = ""
_ByRun = Mapping[str, tuple[MarkRecord, ...]]


class Marks:
    """Reads hooks and marks, grouped by run; each folder is read once as long as it does not change."""

    def __init__(self, files: Files, layout: Layout, maker: RecordMaker) -> None:
        self._files = files
        self._layout = layout
        self._maker = maker

    def hooks(self, run_id: str, *, status: str) -> list[HookRecord]:
        """Return the hook records of a run by hook id; those of a run that has ended are hidden."""
        found = self._layout.cached("hooks", "records", self._read_hooks).get(run_id, ())
        hidden = status in TERMINAL
        return [
            self._maker.hook(dict(fields), self._layout.origin(path), hook_id, hidden=hidden)
            for hook_id, path, fields in found
        ]

    def _read_hooks(self) -> dict[str, list[tuple[str, str, dict[str, object]]]]:
        found: dict[str, list[tuple[str, str, dict[str, object]]]] = {}
        for ref in self._layout.records("hooks"):
            fields = self._files.record(ref.path, "hook record")
            if fields is None:
                continue
            owner = self._owner(fields)
            if not owner:
                # The indexes name the run of a hook whose record lost it.
                owner = self._hook_runs().get(ref.id, _UNKNOWN)
            if not owner:
                origin = self._layout.origin(ref.path)
                why = "it names no run that is here, and no index does"
                self._files.receipt.skip(where=origin, what="hook record", why=why)
                self._files.receipt.problem("error", "no-owner", origin, f"The hook record is lost: {why}.")
                continue
            found.setdefault(owner, []).append((ref.id, ref.path, fields))
        return found

    def of_run(self, run_id: str, *, status: str) -> Iterator[MarkRecord]:
        """Yield the marks of a run: its own, then those without a known run while it has not ended."""
        yield from self._locks("step", "steps", run_id)
        yield from self._locks("wait", "waits", run_id)
        yield from self._locks("run", "runs", run_id)
        yield from self._attribute_locks(run_id)
        owners: list[_ByRun] = [
            self._layout.cached(".locks/hooks", "marks", self._read_hook_locks),
            self._layout.cached("hooks/tokens", "marks", self._read_tokens),
            self._layout.cached("hooks/resumes", "marks", self._read_resumes),
        ]
        for by_run in owners:
            yield from by_run.get(run_id, ())
        yield from self._by_run_index(run_id)
        yield from self._layout.cached("hooks/id-index", "marks", self._read_id_index).get(run_id, ())
        yield from self._layout.cached("hooks/token-index", "marks", self._read_token_index).get(run_id, ())
        if status not in TERMINAL:
            for by_run in owners:
                yield from by_run.get(_UNKNOWN, ())

    def reserved_ids(self, run_id: str) -> set[str]:
        """Return the event ids that staged deliveries of a run were given.

        Delivery files (hooks/resumes) prove nothing here: they stay when the delivery became an event.
        """
        found: set[str] = set()
        for lock in self._layout.locks("runs", run_id):
            if lock.folder:
                found.update(name.partition(".")[0] for name in self._files.listing(lock.path).files)
        return found

    def _locks(self, kind: Literal["step", "wait", "run"], folder: str, run_id: str) -> Iterator[MarkRecord]:
        for lock in self._layout.locks(folder, run_id):
            if lock.folder:
                yield from self._staged(lock, run_id)
                continue
            yield MarkRecord(
                {},
                self._layout.origin(lock.path),
                kind=kind,
                phase=lock.phase,
                subject=lock.subject or run_id,
                of_run=run_id,
            )

    def _attribute_locks(self, run_id: str) -> Iterator[MarkRecord]:
        for lock in self._layout.locks("attributes", run_id):
            yield MarkRecord(
                {},
                self._layout.origin(lock.path),
                kind="run",
                phase="attribute",
                subject=lock.subject,
                of_run=run_id,
            )

    def _staged(self, lock: LockRef, run_id: str) -> Iterator[MarkRecord]:
        """Yield the deliveries staged in ``<runId>.pending/``; an empty folder means nothing."""
        for name in self._files.listing(lock.path).files:
            parsed = read_name(name)
            if parsed is None:
                continue
            path = join(lock.path, name)
            fields = self._files.record(path, "staged delivery") or {}
            origin = self._layout.origin(path)
            self._maker.wrap_event_data(fields, origin, run_id)
            yield MarkRecord(fields, origin, kind="run", phase=lock.phase, subject=parsed.stem, of_run=run_id)

    def _read_hook_locks(self) -> _ByRun:
        found: dict[str, list[MarkRecord]] = {}
        for lock in self._layout.hook_locks():
            owner = self._hook_runs().get(lock.subject, _UNKNOWN)
            found.setdefault(owner, []).append(
                MarkRecord(
                    self._content(lock.path),
                    self._layout.origin(lock.path),
                    kind="hook",
                    phase=lock.phase,
                    subject=lock.subject,
                    of_run=owner,
                )
            )
        return _frozen(found)

    def _content(self, path: str) -> Mapping[str, object]:
        """Return what a lock file holds: a ``.disposed`` file may name who claimed the hook."""
        data = self._files.content(path, "lock file")
        if data is None:
            return {}
        if not data.strip():
            self._files.count_parsed(path)
            return {}
        return self._files.record(path, "lock file") or {}

    def _read_tokens(self) -> _ByRun:
        found: dict[str, list[MarkRecord]] = {}
        owners: dict[str, str] = {}
        for ref in self._layout.records("hooks/tokens"):
            fields = self._files.record(ref.path, "hook token") or {}
            owner = self._owner(fields)
            owners[ref.id] = owner
            found.setdefault(owner, []).append(
                MarkRecord(
                    fields,
                    self._layout.origin(ref.path),
                    kind="token",
                    phase="file",
                    subject=ref.id,
                    of_run=owner,
                )
            )
        folder = self._layout.path("hooks/tokens")
        for name in self._files.listing(folder).folders:
            if not name.endswith(".lock"):
                continue
            parsed = read_name(name.removesuffix(".lock"))
            subject = parsed.stem if parsed else name
            # The folder is empty. Whose it is, the token file or the index beside it may tell.
            owner = owners.get(subject) or self._token_owner(subject)
            found.setdefault(owner, []).append(
                MarkRecord(
                    {},
                    self._layout.origin(join(folder, name)),
                    kind="token",
                    phase="lock",
                    subject=subject,
                    of_run=owner,
                )
            )
        return _frozen(found)

    def _token_owner(self, token_hash: str) -> str:
        owners = {owner for owner, _ in self._indexed("hooks/token-index", token_hash)}
        return owners.pop() if len(owners) == 1 else _UNKNOWN

    def _read_resumes(self) -> _ByRun:
        found: dict[str, list[MarkRecord]] = {}
        for ref in self._layout.records("hooks/resumes"):
            fields = self._files.record(ref.path, "delivery file") or {}
            owner = self._owner(fields)
            found.setdefault(owner, []).append(
                MarkRecord(
                    fields,
                    self._layout.origin(ref.path),
                    kind="resume",
                    phase="file",
                    subject=ref.id,
                    of_run=owner,
                )
            )
        return _frozen(found)

    def _by_run_index(self, run_id: str) -> Iterator[MarkRecord]:
        for ref in self._layout.owned("hooks/by-run", run_id):
            yield MarkRecord(
                {}, self._layout.origin(ref.path), kind="index", phase="by-run", subject=ref.id, of_run=run_id
            )

    def _read_id_index(self) -> _ByRun:
        return self._read_index("hooks/id-index", "id-index")

    def _read_token_index(self) -> _ByRun:
        return self._read_index("hooks/token-index", "token-index")

    def _read_index(self, folder: str, phase: str) -> _ByRun:
        found: dict[str, list[MarkRecord]] = {}
        for subject in self._files.listing(self._layout.path(folder)).folders:
            for owner, path in self._indexed(folder, subject):
                found.setdefault(owner, []).append(
                    MarkRecord(
                        {},
                        self._layout.origin(path),
                        kind="index",
                        phase=phase,
                        subject=subject,
                        of_run=owner,
                    )
                )
        return _frozen(found)

    def _indexed(self, folder: str, subject: str) -> Iterator[tuple[str, str]]:
        """Yield ``(run id, path)`` of the files in one index folder.

        The name starts with the run id from eve 0.79 on; in eve 0.50 only the content tells it.
        """
        inner = self._layout.path(folder, subject)
        for name in self._files.listing(inner).files:
            parsed = read_name(name)
            if parsed is None:
                continue
            path = join(inner, name)
            owner = split_run(parsed.stem)[0]
            if not owner:
                owner = self._owner(self._files.record(path, "hook index") or {})
            yield owner, path

    def _owner(self, fields: Mapping[str, object]) -> str:
        """Return the run a file names, if there is such a run here."""
        owner = fields.get("runId")
        if not isinstance(owner, str):
            return _UNKNOWN
        layout = self._layout
        if owner in layout.run_files() or owner in layout.run_ids() or layout.elsewhere(owner):
            return owner
        return _UNKNOWN

    def _hook_runs(self) -> Mapping[str, str]:
        return self._layout.cached("hooks", "owners", self._read_hook_runs)

    def _read_hook_runs(self) -> dict[str, str]:
        """Return hook id -> run id, from the indexes (they stay when hooks and runs have ended)."""
        found: dict[str, str] = {}
        for hook_id in self._files.listing(self._layout.path("hooks/id-index")).folders:
            for owner, _ in self._indexed("hooks/id-index", hook_id):
                if owner:
                    found[hook_id] = owner
        for ref in self._layout.records("hooks/by-run"):
            owner, hook_id = split_run(ref.id)
            if owner:
                found.setdefault(hook_id, owner)
        for marks in self._layout.cached("hooks/tokens", "marks", self._read_tokens).values():
            for mark in marks:
                if mark.of_run:
                    found.setdefault(mark.text("hookId") or "", mark.of_run)
        return found


def _frozen(found: dict[str, list[MarkRecord]]) -> _ByRun:
    return {run: tuple(marks) for run, marks in found.items()}

"""Exports: what ``workflow inspect ... --json`` printed, and the documents of our own ``dump``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from eve_replay.errors import SourceUnreadable
from eve_replay.problems import Receipt
from eve_replay.worlds.base import World
from eve_replay.worlds.export.dump import is_dump, open_dump
from eve_replay.worlds.export.entities import Wrap
from eve_replay.worlds.export.files import ExportFile, read_file, read_folder
from eve_replay.worlds.export.merge import merge
from eve_replay.worlds.export.world import ExportWorld

__all__ = ["opener"]

_HEAD = 16_384
_IDS = (b'"runId"', b'"eventId"', b'"stepId"', b'"hookId"')
_SUFFIXES = (".json", ".ndjson", ".jsonl")


@dataclass(frozen=True, slots=True)
class _ExportOpener:
    kind: str = "export"

    def recognises(self, source: str) -> float:
        """Return how much a file looks exported; of a folder, the first files are looked at."""
        path = Path(source)
        try:
            if path.is_dir():
                some = sorted(p for p in path.iterdir() if p.suffix.lower() in _SUFFIXES)[:40]
                # Less than any world that keeps a folder of its own.
                return max((0.5 for p in some if _looks_exported(_head(p))), default=0.0)
            head = _head(path)
        except (OSError, ValueError):
            return 0.0
        if is_dump(head):
            return 0.95
        return 0.7 if _looks_exported(head) else 0.0

    def open(self, source: str, **options: object) -> World:
        """Open a file or a folder of files. Options: keys, limit."""
        path, receipt, wrap = Path(source), Receipt(), Wrap.of(options)
        files: list[ExportFile]
        try:
            if path.is_dir():
                files = list(read_folder(path, receipt))
            elif is_dump(_head(path)):
                return open_dump(path, wrap)
            else:
                found = read_file(path, path.name, receipt)
                files = [found] if found else []
        except OSError as error:
            raise SourceUnreadable(f"{path} cannot be read: {error.strerror or error}.") from error
        if not any(file.rows for file in files):
            why = (
                f" {receipt.skipped[0].why[:1].upper()}{receipt.skipped[0].why[1:]}."
                if receipt.skipped
                else ""
            )
            raise SourceUnreadable(
                f"There is no exported run, step or event in {path}.{why}",
                hint="Export with workflow inspect events --runId ID --withData --limit 100 --json.",
            )
        return ExportWorld(merge(files, receipt), str(path), receipt, wrap)


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_HEAD)


def _looks_exported(head: bytes) -> bool:
    start = head.lstrip()[:1]
    return start in (b"{", b"[") and any(name in head for name in _IDS) and b'"$oid"' not in head


opener = _ExportOpener()

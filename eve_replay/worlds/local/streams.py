"""Streams of the local world: a folder of chunk files per stream, or flat files.

Source: docs/formats/local.md#streams.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from eve_replay.records import StreamChunk, StreamRecord
from eve_replay.worlds.local.files import Files
from eve_replay.worlds.local.layout import FileRef, Layout
from eve_replay.worlds.local.names import is_plain, read_name
from eve_replay.worlds.local.tree import join

__all__ = ["Streams"]

_CHUNKS = "streams/chunks"
_ENDINGS = (".bin", ".json")


@dataclass(frozen=True, slots=True)
class _Chunks:
    """Flat chunk files by stream (one with its own folder has an entry, perhaps empty); names by ULID."""

    files: Mapping[str, tuple[FileRef, ...]]
    by_ulid: Mapping[str, list[str]]


class Streams:
    """Finds and reads the streams of a local world."""

    def __init__(self, files: Files, layout: Layout) -> None:
        self._files = files
        self._layout = layout
        #: Names that an index or a run's id gives to a run.
        self.indexed: set[str] = set()
        #: The same in the order in which they were met, some more than once.
        self.news: list[str] = []

    def of_run(self, run_id: str) -> list[StreamRecord]:
        """Return a run's streams: those of its index file, then those whose name says they are its own.

        ``strm_<ULID>_user...`` carries its run's ULID; an abort stream's ULID is its own, so it is found
        through the index only.
        """
        origins: dict[str, str] = {}
        for ref in self._layout.named("streams/runs").get(run_id, ()):
            for name in self._index(ref):
                origins.setdefault(name, self._layout.origin(ref.path))
        self._claim(origins)
        ulid = run_id.partition("_")[2]
        if ulid:
            for name in self._chunk_files().by_ulid.get(ulid, ()):
                if name not in origins:
                    origins[name] = join(_CHUNKS, name)
                    self._files.receipt.problem(
                        "warning",
                        "unlisted-stream",
                        join(_CHUNKS, name),
                        "The stream has chunks but no index names it; it is given to the run of its name.",
                    )
        self._claim(origins)
        return [
            StreamRecord({"runId": run_id, "name": name}, origin) for name, origin in sorted(origins.items())
        ]

    def _claim(self, names: Iterable[str]) -> None:
        self.indexed.update(names)
        self.news += names

    def names(self) -> list[str]:
        """Return the names of all streams that have chunks."""
        return sorted(self._chunk_files().files)

    def report_orphans(self) -> None:
        """Say which streams no run claims; call it after every run has been asked."""
        for name in self.names():
            if name not in self.indexed:
                self._files.receipt.problem(
                    "warning",
                    "orphan-stream",
                    join(_CHUNKS, name),
                    "No run claims this stream: its index (streams/runs) is missing or does not name it.",
                    "It can still be read by its name.",
                )

    def chunks(self, name: str) -> Iterator[StreamChunk]:
        """Yield a stream's chunks in order, also those after the end marker, which are reported.

        Source: docs/evidence/reports.md#t20.
        """
        refs = self._refs(name)
        ended = False
        for place, ref in enumerate(refs):
            data = self._files.content(ref.path, "stream chunk")
            if data is None:
                continue
            origin = self._layout.origin(ref.path)
            self._files.count_parsed(ref.path)
            flag = data[:1]
            if not flag:
                self._files.receipt.gap("chunks", f"{origin} is empty", name=name)
                self._files.receipt.problem(
                    "warning",
                    "empty-chunk",
                    origin,
                    "The chunk file is empty: not even the end flag is there.",
                    "The writer was cut off, or the file was damaged.",
                )
            elif flag not in (b"\x00", b"\x01"):
                message = f"The end flag is {flag[0]}, neither 0 nor 1; read as 0."
                self._files.receipt.problem("warning", "bad-end-flag", origin, message)
            yield StreamChunk(name, ref.id, data[1:], flag == b"\x01", origin)
            if flag == b"\x01" and not ended:
                ended = True
                self._report_late(name, refs[place + 1 :])

    def _report_late(self, name: str, late: list[FileRef]) -> None:
        if late:
            self._files.receipt.problem(
                "warning",
                "chunks-after-end",
                self._layout.origin(late[0].path),
                f"{len(late)} chunk file(s) of {name} come after its end marker; the vendor ignores them.",
            )

    def known(self, name: str) -> bool:
        """Whether a stream of this name has chunks or was named by an index that was read."""
        return name in self.indexed or name in self._chunk_files().files

    def _index(self, ref: FileRef) -> list[str]:
        found = self._files.record(ref.path, "stream index")
        names = found.get("streams") if found is not None else None
        if found is not None and not isinstance(names, list):
            where = self._layout.origin(ref.path)
            self._files.receipt.problem("warning", "bad-index", where, "The index holds no list of names.")
        out = []
        for name in names if isinstance(names, list) else []:
            if isinstance(name, str) and is_plain(name):
                out.append(name)
            else:
                self._files.receipt.skip(
                    where=self._layout.origin(ref.path),
                    what="stream name",
                    why="it is no plain name: it would lead out of the folder",
                )
        return out

    def _chunk_files(self) -> _Chunks:
        def read() -> _Chunks:
            listing = self._files.listing(self._layout.path(_CHUNKS))
            found: dict[str, list[FileRef]] = {name: [] for name in listing.folders}
            for file in listing.files:
                ref, stream = self._flat(file)
                if ref is not None:
                    found.setdefault(stream, []).append(ref)
            by_ulid: dict[str, list[str]] = {}
            for name in sorted(found):
                by_ulid.setdefault(name.removeprefix("strm_").partition("_")[0], []).append(name)
            return _Chunks({name: tuple(refs) for name, refs in found.items()}, by_ulid)

        return self._layout.cached(_CHUNKS, "streams", read)

    def _flat(self, file: str) -> tuple[FileRef | None, str]:
        """Take ``<stream>-<chunkId>.bin`` apart."""
        for ending in _ENDINGS:
            parsed = read_name(file, ending)
            if parsed is not None:
                stream, mark, rest = parsed.stem.rpartition("-chnk_")
                if not mark:
                    stream, mark, rest = parsed.stem.rpartition("-")
                    chunk = rest
                else:
                    chunk = f"chnk_{rest}"
                if stream and chunk:
                    return FileRef(self._layout.path(_CHUNKS, file), chunk, parsed.tag), stream
        self._files.receipt.skip(
            where=join(_CHUNKS, file), what="file", why="its name is not one the local world gives"
        )
        return None, ""

    def _refs(self, name: str) -> list[FileRef]:
        if not is_plain(name):
            return []
        refs = {(ref.id, ref.tag): ref for ref in self._chunk_files().files.get(name, ())}
        folder = self._layout.path(_CHUNKS, name)
        # Old writers used .json for chunks; where both exist the vendor reads the .bin.
        for ending in reversed(_ENDINGS):
            for file in self._files.listing(folder).files:
                parsed = read_name(file, ending)
                if parsed is not None:
                    refs[parsed.stem, parsed.tag] = FileRef(join(folder, file), parsed.stem, parsed.tag)
                elif not file.endswith(_ENDINGS):
                    self._files.receipt.skip(
                        where=join(_CHUNKS, name, file),
                        what="file",
                        why="its name is not one the local world gives to its files",
                    )
        return [refs[key] for key in sorted(refs)]

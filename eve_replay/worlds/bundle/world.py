"""Reads a bundle: the index says where each run lies; a cut file is searched from its start instead."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import BinaryIO, TypeVar

from eve_replay.codec import KeyRing
from eve_replay.errors import NotFound, SourceUnreadable
from eve_replay.limits import Limits
from eve_replay.problems import LISTS, Receipt
from eve_replay.records import (
    EventRecord,
    HookRecord,
    MarkRecord,
    Other,
    Record,
    RunRecord,
    StepRecord,
    StreamChunk,
    StreamRecord,
    WaitRecord,
)
from eve_replay.worlds.bundle.format import FORMAT, BundleDamage, line_chunk, line_record
from eve_replay.worlds.bundle.zstd_frames import FIRST, FrameReader, last_frame
from eve_replay.worlds.export.entities import Wrap

__all__ = ["BundleWorld"]

_R = TypeVar("_R", bound=Record)
#: Runs whose records are kept parsed (their payloads stay packed), and how many lines one may have for that.
_KEPT_RUNS, _KEPT_LINES = 4, 20_000
#: Version 1 writes one.
_HEADER_LINES = 100
_RECORDS = frozenset(("run", "step", "event", "hook", "wait", "stream", "mark"))


@dataclass(slots=True)
class _Index:
    runs: dict[str, int] = field(default_factory=dict)
    streams: dict[tuple[str, str], int] = field(default_factory=dict)


class BundleWorld:
    """A bundle, open for reading.

    Args:
        file: open for binary reading; closed with this world.
        label: what a person calls it.
        wrap: makes the payloads.

    Raises:
        SourceUnreadable: the first line is damaged.
    """

    kind = "bundle"

    def __init__(self, file: BinaryIO, label: str, *, wrap: Wrap | None = None) -> None:
        self._file = file
        self._wrap = wrap or Wrap()
        self.label = label
        self.receipt = Receipt()
        self._counted: set[int] = set()
        self._recent: OrderedDict[str, list[Record]] = OrderedDict()
        header, after = self._header()
        self._redaction = header.get("redaction")
        world = header.get("world")
        self._world: Mapping[str, object] = world if isinstance(world, Mapping) else {}
        self._index = self._read_end(after)
        self._tell()

    @property
    def keys(self) -> KeyRing | None:
        """The keys that open encrypted payloads."""
        return self._wrap.keys

    @property
    def limit(self) -> Limits:
        """What reading it may cost."""
        return self._wrap.limit

    @property
    def about(self) -> Mapping[str, object]:
        """Facts of the packed world; ``of`` and ``packedFrom`` say which, ``redacted`` what is missing."""
        about = self._world.get("about")
        facts = dict(about) if isinstance(about, Mapping) else {}
        facts |= {"of": self._world.get("kind"), "packedFrom": self._world.get("label")}
        if self._redaction is not None:
            facts["redacted"] = self._redaction
        return facts

    # -- the World protocol -------------------------------------------------------------------------

    def runs(self) -> Iterator[RunRecord]:
        """Yield every run by run id; only its first line is read."""
        for run_id in sorted(self._index.runs):
            for record in self._records(run_id, first=True):
                if isinstance(record, RunRecord):
                    yield record

    def run(self, run_id: str) -> RunRecord:
        """Return one run. Raises NotFound."""
        self._check(run_id)
        for record in self._records(run_id, first=True):
            if isinstance(record, RunRecord):
                return record
        raise self._unknown(run_id)

    def events(self, run_id: str) -> Iterator[EventRecord]:
        """Yield the run's events in the order they were packed in: that of the log."""
        return self._of(run_id, EventRecord)

    def steps(self, run_id: str) -> Iterator[StepRecord]:
        """Yield the run's steps by step id."""
        return self._of(run_id, StepRecord)

    def others(self, run_id: str) -> Iterator[Other]:
        """Yield the run's hooks, waits, streams and marks."""
        self._check(run_id)
        return (
            record
            for record in self._records(run_id)
            if isinstance(record, (HookRecord, WaitRecord, StreamRecord, MarkRecord))
        )

    def stream(self, run_id: str, name: str) -> Iterator[StreamChunk]:
        """Yield a stream's chunks. Raises NotFound."""
        offset = self._index.streams.get((run_id, name))
        if offset is None:
            if run_id in self._index.runs and any(
                isinstance(record, StreamRecord) and record.name == name for record in self._records(run_id)
            ):
                return iter(())
            raise NotFound(f"There is no stream {name[:80]!a} in {self.label}.")
        return self._chunks(offset, name)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __del__(self) -> None:
        # A notebook drops worlds without closing them; an open file is no reason for a warning then.
        self._file.close()

    def __enter__(self) -> BundleWorld:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- reading ------------------------------------------------------------------------------------

    def _of(self, run_id: str, kind: type[_R]) -> Iterator[_R]:
        self._check(run_id)
        return (record for record in self._records(run_id) if isinstance(record, kind))

    def _records(self, run_id: str, *, first: bool = False) -> Iterator[Record]:
        kept = self._recent.get(run_id)
        if kept is not None:
            self._recent.move_to_end(run_id)
            yield from kept[:1] if first else kept
            return
        offset = self._index.runs[run_id]
        kept = []
        for record in self._lines(offset, run_id, lambda line: line_record(line, self._wrap)):
            if first:
                yield record
                return
            if len(kept) <= _KEPT_LINES:
                kept.append(record)
            yield record
        if len(kept) <= _KEPT_LINES:
            self._recent[run_id] = kept
            if len(self._recent) > _KEPT_RUNS:
                self._recent.popitem(last=False)

    def _chunks(self, offset: int, name: str) -> Iterator[StreamChunk]:
        return self._lines(offset, name, line_chunk)

    def _lines(self, offset: int, where: str, read: Callable[[Mapping[str, object]], _T]) -> Iterator[_T]:
        """Yield what the lines of a frame hold; a line that is not understood is left out and named."""
        fresh = offset not in self._counted
        seen = 0
        reader = FrameReader(self._file, offset, self._wrap.limit)
        for line in reader.lines():
            kind = line.get("k")
            if kind == "chunks":
                continue
            seen += 1
            if kind not in _RECORDS and kind != "chunk":
                self.receipt.skip(where=where, what="line", why=f"Lines of kind {kind!r} are not known here.")
                continue
            try:
                made = read(line)
            except (BundleDamage, ValueError, TypeError) as error:
                self.receipt.skip(where=where, what="line", why=f"It is not as version 1 has it: {error}.")
                continue
            if fresh and not (seen == 1 and kind == "run"):
                self._count()
            yield made
        if fresh and (reader.end is not None or reader.damage):
            self._counted.add(offset)
        if reader.damage:
            self._cut(where, f"The bundle stops inside this part: {reader.damage.rstrip('.')}.")

    def _count(self) -> None:
        self.receipt.seen += 1
        self.receipt.parsed += 1

    def _header(self) -> tuple[Mapping[str, object], int]:
        reader = FrameReader(self._file, FIRST, self._wrap.limit)
        line: Mapping[str, object] | None = None
        for number, each in enumerate(reader.lines()):
            line = line or each
            if number > _HEADER_LINES:
                reader.damage = f"its header has more than {_HEADER_LINES} lines"
                break
        if line is None or reader.end is None or line.get("format") != FORMAT:
            why = (reader.damage or "no header").rstrip(".")
            raise SourceUnreadable(
                f"{self.label} is a bundle, but its beginning is damaged: {why}.",
                hint="Ask for the file again.",
            )
        return line, reader.end

    def _read_end(self, after: int) -> _Index:
        """Return where everything lies; repeat what the first reading could not read."""
        offset = last_frame(self._file)
        if offset is not None:
            reader = FrameReader(self._file, offset, self._wrap.limit)
            end = next(reader.lines(), None)
            if end is not None and end.get("k") == "end":
                self._repeat(end.get("receipt"))
                index = _index_of(end.get("index"))
                self._count_runs(index)
                return index
        self._cut(self.label, "The file is cut off: its end is missing. What is there is shown.")
        index = self._search(after)
        self._count_runs(index)
        return index

    def _count_runs(self, index: _Index) -> None:
        for _ in index.runs:
            self._count()

    def _search(self, offset: int) -> _Index:
        """Find the frames of a file without its end, one after the other."""
        index = _Index()
        while True:
            reader = FrameReader(self._file, offset, self._wrap.limit)
            first: dict[str, object] | None = None
            for line in reader.lines():
                first = first or line
            if first is not None and first.get("k") == "run":
                fields = first.get("f")
                run_id = fields.get("runId") if isinstance(fields, Mapping) else None
                if isinstance(run_id, str):
                    index.runs[run_id] = offset
            elif first is not None and first.get("k") == "chunks":
                index.streams[str(first.get("run")), str(first.get("s"))] = offset
            if reader.end is None:
                return index
            offset = reader.end

    def _repeat(self, receipt: object) -> None:
        if not isinstance(receipt, Mapping):
            return
        for entry in _entries(receipt.get("skipped")):
            self.receipt.skip(where=entry["where"], what=entry["what"], why=entry["why"])
        for entry in _entries(receipt.get("problems")):
            for severity in ("info", "warning", "error"):
                if entry["severity"] == severity:
                    self.receipt.problem(
                        severity, entry["code"], entry["where"], entry["message"], entry["hint"]
                    )
        for entry in _entries(receipt.get("gaps")):
            for of in LISTS:
                if entry["of"] == of:
                    self.receipt.gap(of, entry["why"], run_id=entry["runId"], name=entry["name"])

    def _tell(self) -> None:
        if self._redaction is not None:
            what = "all text" if self._redaction == "all text" else "what looks like a secret"
            self.receipt.problem(
                "info",
                "redacted",
                self.label,
                f"This bundle is redacted: {what} was replaced by stand-ins of the same size.",
            )

    def _cut(self, where: str, message: str) -> None:
        for of in LISTS:
            self.receipt.gap(of, "the bundle is cut off")
        self.receipt.problem("error", "cut-bundle", where, message, "Ask for the file again.")

    def _check(self, run_id: str) -> None:
        if run_id not in self._index.runs:
            raise self._unknown(run_id)

    def _unknown(self, run_id: str) -> NotFound:
        return NotFound(
            f"There is no run {run_id[:80]!a} in {self.label}.", hint="List the runs to see their ids."
        )


_T = TypeVar("_T")


def _index_of(entries: object) -> _Index:
    index = _Index()
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, list) and len(entry) == 4 and isinstance(entry[3], int) and entry[3] >= 0:
            kind, run_id, name, offset = entry
            if kind == "run":
                index.runs[str(run_id)] = offset
            elif kind == "stream":
                index.streams[str(run_id), str(name)] = offset
    return index


class _Words(dict[str, str]):
    def __missing__(self, name: str) -> str:
        return ""


def _entries(value: object) -> Iterator[_Words]:
    for entry in value if isinstance(value, list) else ():
        if isinstance(entry, Mapping):
            yield _Words({str(key): str(item) for key, item in entry.items()})

"""Documents of our own ``dump``, JSON and NDJSON, read back: tagged values become values again.

Nothing is lost in a dump but the packing: payloads come back decoded, streams are put into frames again. The
recordings' ``oracle.json`` has the same shape (docs/formats/tagged-json.md#whole-worlds) and is read too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from eve_replay.codec import JsonFault, dumps_tagged, loads_json, loads_lines
from eve_replay.codec.devalue.write import frame
from eve_replay.errors import SourceUnreadable
from eve_replay.problems import Receipt
from eve_replay.records import (
    EVENT_PAYLOADS,
    HOOK_PAYLOADS,
    RUN_PAYLOADS,
    STEP_PAYLOADS,
    EventRecord,
    HookRecord,
    Other,
    RunRecord,
    StepRecord,
    StreamChunk,
    StreamRecord,
    WaitRecord,
)
from eve_replay.values import JsBytes, Undecoded, from_tagged
from eve_replay.worlds.base import World
from eve_replay.worlds.export.entities import Wrap
from eve_replay.worlds.memory import MemoryWorld

__all__ = ["DumpWorld", "is_dump", "open_dump"]

_DOCUMENT = re.compile(rb'"format"\s*:\s*"eve-replay/dump"|"oracle"\s*:\s*[^\n]*\s*"eveVersion"\s*:')
_LINE = re.compile(rb'\s*\{\s*"kind"\s*:\s*"(?:run|step|event|hook|wait|stream|world)"')
_KINDS = ("run", "step", "event", "hook", "wait")


class DumpWorld(MemoryWorld):
    """The records of a dump."""

    kind = "export"


def is_dump(head: bytes) -> bool:
    """Return whether a file that begins like this is a dump: one document, or one record a line."""
    return _LINE.match(head) is not None or _DOCUMENT.search(head) is not None


def open_dump(path: Path, wrap: Wrap) -> World:
    """Read a dump. Raises SourceUnreadable when it is none after all."""
    receipt, read = Receipt(), _Reader(wrap)
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise SourceUnreadable(f"{path} cannot be read: {error.strerror or error}.") from error
    if _LINE.match(raw[:200]):
        read.lines(loads_lines(raw), path.name, receipt)
    else:
        try:
            document = loads_json(raw)
        except ValueError as error:
            raise SourceUnreadable(f"{path} is a dump that is cut or damaged: {error}.") from error
        read.document(document if isinstance(document, dict) else {}, receipt)
    if not read.runs and not read.events:
        raise SourceUnreadable(f"The dump {path} holds no run.")
    receipt.seen += read.count
    receipt.parsed += read.count
    return DumpWorld(
        runs=read.runs,
        events=read.events,
        steps=read.steps,
        others=[*read.others, *read.streams(receipt)],
        chunks=read.chunks,
        label=str(path),
        about=read.about,
        receipt=receipt,
    )


class _Reader:
    def __init__(self, wrap: Wrap) -> None:
        self._wrap = wrap
        self.runs: list[RunRecord] = []
        self.events: list[EventRecord] = []
        self.steps: list[StepRecord] = []
        self.others: list[Other] = []
        self.chunks: list[StreamChunk] = []
        self.about: dict[str, object] = {"form": "eve-replay dump"}
        self.count = 0
        self._owners: dict[str, str] = {}
        #: Stream names that a run's records mention, by run.
        self._text: dict[str, list[str]] = {}

    def document(self, document: Mapping[str, Any], receipt: Receipt) -> None:
        """Take in a whole document."""
        for kind in _KINDS:
            for number, record in enumerate(_list(document.get(f"{kind}s"))):
                if not self._record(kind, record):
                    receipt.skip(where=f"{kind}s[{number}]", what=kind, why="it is no record with ids")
        self._world(document.get("world"))
        found = document.get("streams")
        for name, stream in (found if isinstance(found, dict) else {}).items():
            self._stream(str(name), stream, "")

    def lines(self, lines: Iterable[tuple[int, Any]], name: str, receipt: Receipt) -> None:
        """Take in one record a line; a stream comes after the records of its run."""
        run_id = ""
        for number, line in lines:
            if isinstance(line, JsonFault) or not isinstance(line, dict):
                why = line.message if isinstance(line, JsonFault) else "it is no object"
                receipt.skip(where=f"{name}:{number}", what="line", why=why)
            elif line.get("kind") in _KINDS:
                if self._record(line["kind"], line.get("record")):
                    run_id = line["record"]["runId"]
                else:
                    receipt.skip(where=f"{name}:{number}", what=line["kind"], why="it is no record with ids")
            elif line.get("kind") == "stream":
                self._stream(str(line.get("name")), line, run_id)
            elif line.get("kind") == "world":
                self._world(line.get("world"))

    def _world(self, world: object) -> None:
        if isinstance(world, dict):
            self.about = {**world, **self.about, "of": str(world.get("kind", ""))}
            self.about.pop("kind", None)

    def _record(self, kind: str, record: object) -> bool:
        """Take in one record; returns False when it is none."""
        if not isinstance(record, dict) or not all(
            isinstance(record.get(name), str) for name in ("runId", f"{kind}Id")
        ):
            return False
        self.count += 1
        run_id = str(record["runId"])
        stored = {name: value for name, value in record.items() if not name.startswith("$")}
        if kind == "run":
            fields = self._fields(stored, RUN_PAYLOADS, run_id)
            self.runs.append(RunRecord(fields, "", synthesised=record.get("$synthesised") is True))
        elif kind == "step":
            self.steps.append(StepRecord(self._fields(stored, STEP_PAYLOADS, run_id)))
        elif kind == "event":
            data = stored.get("eventData")
            if isinstance(data, dict) and "$type" in data:
                stored["eventData"] = self._wrap.decoded(_value(data), "eventData", run_id)
            elif isinstance(data, dict):
                stored["eventData"] = self._fields(data, EVENT_PAYLOADS, run_id)
            self.events.append(EventRecord(stored))
        elif kind == "hook":
            fields = self._fields(stored, HOOK_PAYLOADS, run_id)
            self.others.append(HookRecord(fields, hidden=record.get("$hidden") is True))
        else:
            self.others.append(WaitRecord(stored))
        text = dumps_tagged(record)
        if "strm_" in text:
            self._text.setdefault(run_id, []).append(text)
        return True

    def _fields(self, stored: Mapping[str, Any], names: tuple[str, ...], run_id: str) -> dict[str, Any]:
        return {
            name: self._wrap.decoded(_value(value), name, run_id) if name in names else value
            for name, value in stored.items()
        }

    def _stream(self, name: str, stream: object, run_id: str) -> None:
        self.count += 1
        found: Mapping[str, Any] = stream if isinstance(stream, dict) else {}
        self._owners[name] = str(found.get("runId") or run_id)
        frames = [frame(_stream_value(value)) for value in _list(found.get("values"))]
        number = 0
        for number, data in enumerate(_grouped(frames, found.get("chunks")), 1):
            self.chunks.append(StreamChunk(stream=name, chunk_id=f"chnk_{number:026d}", data=data))
        if found.get("done") is True:
            end = f"chnk_{number + 1:026d}"
            self.chunks.append(StreamChunk(stream=name, chunk_id=end, data=b"", end=True))

    def streams(self, receipt: Receipt) -> Iterator[StreamRecord]:
        """Yield the streams with their runs, which a document names only indirectly.

        The name of a default stream holds the run's ULID; other streams are mentioned in the payloads of
        the run that made them.
        """
        ids = [run.run_id for run in self.runs]
        for name, owner in self._owners.items():
            if not owner:
                own = [run_id for run_id in ids if name.startswith(f"strm_{run_id.partition('_')[2]}_")]
                quoted = f'"{name}"'
                mentions = (r for r in ids if any(quoted in text for text in self._text.get(r, ())))
                owner = own[0] if own else next(mentions, "")
            if not owner:
                owner = ids[0] if ids else ""
                receipt.problem(
                    "info" if len(ids) == 1 else "warning",
                    "stream-owner",
                    name,
                    "The dump does not say whose stream this is; it is shown with the first run.",
                )
            yield StreamRecord({"runId": owner, "name": name})


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _value(tagged: Any) -> object:
    if isinstance(tagged, dict) and tagged.get("$type") == "undecodable" and "tag" not in tagged:
        error = tagged.get("error")
        error = error if isinstance(error, dict) else {}
        reason = str(error.get("reason") or error.get("name") or "undecodable")
        return Undecoded(reason, str(error.get("message", "")))
    return from_tagged(tagged)


def _stream_value(tagged: Any) -> object:
    if isinstance(tagged, dict) and tagged.get("$type") == "ndjson":
        lines = [dumps_tagged(line, ensure_ascii=False) + "\n" for line in _list(tagged.get("lines"))]
        return JsBytes("Uint8Array", "".join(lines).encode("utf-8", "surrogatepass"))
    return _value(tagged)


def _grouped(frames: list[bytes], chunks: object) -> list[bytes]:
    """Return the frames in as many chunks as there were, the last one holding what is left."""
    count = chunks if isinstance(chunks, int) and 0 < chunks < len(frames) else len(frames)
    return [*frames[: count - 1], b"".join(frames[count - 1 :])] if frames else []

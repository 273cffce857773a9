"""Rows of Flue's tables, put together: batches that were stored in pieces, instances, submissions.

One reader for every database: SQLite and Postgres as recorded, libSQL and MySQL by the same table and column
names (docs/formats/flue.md#tables; read in the adapters' code, not recorded).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from eve_replay.codec import loads_json
from eve_replay.problems import Receipt
from eve_replay.worlds.layouts.tables import Row, TableStore

__all__ = ["FORMAT", "Batch", "FlueTables"]

#: The only format version that is known (``flue_meta.format_version``).
FORMAT = "1"
_STREAMS, _BATCHES = "flue_conversation_streams", "flue_conversation_stream_batches"
_SUBMISSIONS, _META = "flue_agent_submissions", "flue_meta"
_CHUNKS = "flue_conversation_stream_batch_chunks"


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """One append: all of its records became durable at once, or none.

    Attributes:
        seq: its place in the stream, from 0.
        epoch: rises with every new owner process.
        records: the records as stored, in order; what is no object is left out.
        submission, attempt: as the batch names them, None for what is done between submissions.
    """

    seq: int
    epoch: int
    records: tuple[Mapping[str, object], ...]
    submission: str | None = None
    attempt: str | None = None


class FlueTables:
    """What a Flue database holds, by instance.

    Args:
        store: its tables.
        receipt: where is written what was seen and what could not be read.
    """

    def __init__(self, store: TableStore, receipt: Receipt) -> None:
        self._store = store
        self._receipt = receipt
        self.label = store.label
        meta = {str(row.get("key")): str(row.get("value")) for row in store.rows(_META)}
        self.version = meta.get("format_version") or _renamed(meta)
        if self.version != FORMAT:
            said = f"format version {self.version}" if self.version else "no format version"
            receipt.problem(
                "warning",
                "flue-format",
                _META,
                f"The store has {said}; only version {FORMAT} was recorded. Something may be missing.",
            )

    def streams(self) -> list[Row]:
        """Return the rows of the instances, by path."""
        return sorted(self._store.rows(_STREAMS), key=lambda row: str(row.get("path")))

    def submissions(self) -> list[Row]:
        """Return the rows of all submissions in the order in which they were accepted."""
        return sorted(self._store.rows(_SUBMISSIONS), key=lambda row: number(row.get("sequence")) or 0)

    def raw(self, path: str) -> Iterator[tuple[int, Row, str]]:
        """Yield sequence, row and JSON text of a stream's batches in order."""
        rows = sorted(self._store.rows(_BATCHES, "path", [path]), key=lambda row: number(row.get("seq")) or 0)
        pieces: dict[int, dict[int, str]] = {}
        if any(_cut(row) for row in rows) and _CHUNKS in self._store.tables:
            for piece in self._store.rows(_CHUNKS, "path", [path]):
                seq, index = number(piece.get("seq")), number(piece.get("chunk_index"))
                pieces.setdefault(seq or 0, {})[index or 0] = _text(piece.get("data"))
        for row in rows:
            seq, text = number(row.get("seq")) or 0, _text(row.get("data"))
            wanted = _cut(row)
            if wanted:
                found = pieces.get(seq, {})
                if sorted(found) != list(range(wanted)):
                    why = f"{len(found)} of its {wanted} pieces are there"
                    self._lost(path, seq, why)
                    continue
                text = "".join(found[index] for index in range(wanted))
            yield seq, row, text

    def batches(self, path: str) -> list[Batch]:
        """Return a stream's batches with their records."""
        out: list[Batch] = []
        for seq, row, text in self.raw(path):
            self._receipt.seen += 1
            try:
                found = loads_json(text)
            except ValueError as error:
                self._lost(path, seq, f"it is no JSON: {error}")
                continue
            if not isinstance(found, list):
                self._lost(path, seq, "it is no list of records")
                continue
            records = tuple(each for each in found if isinstance(each, Mapping))
            if len(records) < len(found):
                self._lost(path, seq, f"{len(found) - len(records)} of its records are no objects")
            self._receipt.parsed += 1
            out.append(
                Batch(
                    seq=seq,
                    epoch=number(row.get("producer_epoch")) or 0,
                    records=records,
                    submission=string(row.get("submission_id")),
                    attempt=string(row.get("attempt_id")),
                )
            )
        seqs = [batch.seq for batch in out]
        if seqs and seqs != list(range(seqs[0], seqs[0] + len(seqs))):
            self._receipt.gap("events", f"batches of {path} are missing between others")
        return out

    def _lost(self, path: str, seq: int, why: str) -> None:
        where = f"{_BATCHES}/{path}/{seq}"
        self._receipt.skip(where=where, what="batch", why=why)
        self._receipt.problem("error", "torn-batch", where, f"Batch {seq} of {path} was left out: {why}.")
        self._receipt.gap("events", f"batch {seq} of {path} could not be read")

    def close(self) -> None:
        """Release the store."""
        self._store.close()


def _renamed(meta: Mapping[str, str]) -> str:
    """A store whose older key says 8 is renamed in place to format version 1 when Flue opens it (code)."""
    old = meta.get("schema_version")
    return FORMAT if old == "8" else f"schema {old}" if old else ""


def _cut(row: Row) -> int:
    """Return into how many pieces a batch was cut, 0 for one that is whole: real batches start with ``[``."""
    text = _text(row.get("data"))
    if not text.startswith("{"):
        return 0
    try:
        found = loads_json(text)
    except ValueError:
        return 0
    return (number(found.get("$flueChunkCount")) or 0) if isinstance(found, Mapping) else 0


def _text(value: object) -> str:
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value).decode("utf-8", "replace")
    return value if isinstance(value, str) else ""


def string(value: object) -> str | None:
    """Return a column as text, None when it is empty."""
    return _text(value) or None


def number(value: object) -> int | None:
    """Return a column as a whole number: databases and dumps give numbers or their text."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value == value and abs(value) < 2**63 else None
    text = _text(value)
    return int(text) if text.lstrip("-").isascii() and text.lstrip("-").isdigit() and len(text) < 20 else None

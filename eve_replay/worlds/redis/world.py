"""The community Redis world as records (docs/formats/community.md#redis)."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from itertools import islice

from eve_replay.errors import NotFound
from eve_replay.problems import Receipt
from eve_replay.records import (
    EventRecord,
    HookRecord,
    Other,
    RunRecord,
    StepRecord,
    StreamChunk,
    StreamRecord,
)
from eve_replay.worlds.export.entities import Wrap, entity_fields
from eve_replay.worlds.export.tally import Tally
from eve_replay.worlds.redis.store import KeyStore, entry_order

__all__ = ["RedisWorld"]

_PAGE = 200
_TAG = b"cbor:"
_NUMBERS = frozenset(("attempt", "specVersion"))
_FLAGS = frozenset(("isWebhook", "isSystem"))


class RedisWorld:
    """Runs in a Redis database or in a file of its keys.

    Args:
        store: where the keys are.
        prefix: the ``keyPrefix`` of the world.
        wrap: makes the payloads.
    """

    kind = "redis"

    def __init__(self, store: KeyStore, *, prefix: str = "workflow", wrap: Wrap | None = None) -> None:
        self._store = store
        self._wrap = wrap or Wrap()
        self.keys, self.limit = self._wrap.keys, self._wrap.limit
        self.label = store.label
        self.receipt = Receipt()
        self._tally = Tally(self.receipt)
        self._prefix = prefix
        self.about: Mapping[str, object] = {
            "layout": "redis",
            "writer": "@workflow-worlds/redis",
            "prefix": prefix,
        }

    def _run_ids(self) -> Iterator[str]:
        for member in self._store.sorted_members(f"{self._prefix}:runs:idx:all"):
            yield member.decode("utf-8", "replace")

    def runs(self) -> Iterator[RunRecord]:
        """Yield every run by id, fetched a page at a time; the index is ordered by the time in the id."""
        yield from self._tally.listing("runs", self._all_runs(), lambda run: run.run_id)

    def _all_runs(self) -> Iterator[RunRecord]:
        ids = self._run_ids()
        while page := list(islice(ids, _PAGE)):
            keys = [f"{self._prefix}:runs:{run_id}" for run_id in page]
            for key, run_id, stored in zip(keys, page, self._store.hashes(keys), strict=True):
                if stored:
                    yield RunRecord(self._named(stored, key, runId=run_id), origin=key)
                else:
                    self.receipt.gap("runs", f"the index names {key} and it is gone")
                    self.receipt.skip(where=key, what=run_id, why="the index names it and it is gone")

    def run(self, run_id: str) -> RunRecord:
        """Return one run."""
        key = self._exists(run_id)
        (stored,) = list(self._tally.group("runs", run_id, self._store.hashes([key])))
        return RunRecord(self._named(stored, key, runId=run_id), origin=key)

    def events(self, run_id: str) -> Iterator[EventRecord]:
        """Yield the run's events by id: within a millisecond the set orders by base64 text, not by id."""
        key = f"{self._prefix}:events:{run_id}"
        events: list[EventRecord] = []
        self._exists(run_id)
        members = self._tally.group("events", run_id, self._store.sorted_members(key))
        for number, member in enumerate(members):
            where = f"{key}[{number}]"
            opened = self._open(member, where)
            if not isinstance(opened, Mapping) or not isinstance(opened.get("eventId"), str):
                self.receipt.gap("events", f"{where} cannot be read", run_id=run_id)
            if not isinstance(opened, Mapping):
                self.receipt.skip(where=where, what="event", why="its CBOR cannot be read")
            elif not isinstance(opened.get("eventId"), str):
                self.receipt.skip(where=where, what="event", why="it has no id")
            else:
                fields = entity_fields(opened, self._wrap, where)
                events.append(EventRecord({**fields, "runId": run_id}, origin=where))
        yield from sorted(events, key=lambda event: event.event_id)

    def steps(self, run_id: str) -> Iterator[StepRecord]:
        """Yield the run's step records by step id."""
        self._exists(run_id)
        steps = self._indexed("steps", f"{self._prefix}:steps:idx:run:{run_id}", run_id)
        for key, stored in self._tally.group("steps", run_id, steps):
            step_id = key.rpartition(":")[2]
            yield StepRecord(self._named(stored, key, runId=run_id, stepId=step_id), origin=key)

    def others(self, run_id: str) -> Iterator[Other]:
        """Yield open hooks and the streams; this world has no records of waits."""
        self._exists(run_id)
        ids = self._store.members(f"{self._prefix}:hooks:idx:run:{run_id}")
        keys = sorted(f"{self._prefix}:hooks:{id_.decode('utf-8', 'replace')}" for id_ in ids)
        hooks = zip(keys, self._store.hashes(keys), strict=True)
        for key, stored in self._tally.group("hooks", run_id, hooks):
            if stored:
                hook_id = key.removeprefix(f"{self._prefix}:hooks:")
                yield HookRecord(self._named(stored, key, runId=run_id, hookId=hook_id), origin=key)
        for name in sorted(self._store.members(f"{self._prefix}:stream:runs:{run_id}")):
            text = name.decode("utf-8", "replace")
            yield StreamRecord({"runId": run_id, "name": text}, origin=f"{self._prefix}:stream:{text}")

    def stream(self, run_id: str, name: str) -> Iterator[StreamChunk]:
        """Yield a stream's chunks in the order of the Redis stream."""
        key = f"{self._prefix}:stream:{name}"
        self._exists(run_id)
        found = False
        for entry_id, fields in self._tally.group("chunks", name, self._store.entries(key)):
            found = True
            try:
                data = base64.b64decode(fields.get(b"data", b""), validate=True)
            except binascii.Error:
                self.receipt.gap("chunks", f"{key}/{entry_id} is no base64", name=name)
                self.receipt.skip(where=f"{key}/{entry_id}", what="chunk", why="its data is no base64")
                continue
            yield StreamChunk(
                stream=name,
                chunk_id=fields.get(b"chunkId", b"").decode("utf-8", "replace") or entry_order(entry_id),
                data=data,
                end=fields.get(b"eof") == b"true",
                origin=f"{key}/{entry_id}",
            )
        if not found:
            raise NotFound(f"There is no stream {name!a} in {self.label}.", hint="Copy the whole name.")

    def close(self) -> None:
        """Close the connection."""
        self._store.close()

    def _exists(self, run_id: str) -> str:
        """Return the key of a run. Raises NotFound."""
        key = f"{self._prefix}:runs:{run_id}"
        if not run_id or not run_id.isprintable() or not self._store.hashes([key])[0]:
            raise self._unknown(run_id)
        return key

    def _unknown(self, run_id: str) -> NotFound:
        return NotFound(f"There is no run {run_id!a} in {self.label}.", hint="Copy the whole id.")

    def _indexed(self, kind: str, index: str, run_id: str) -> Iterator[tuple[str, dict[bytes, bytes]]]:
        ids = sorted(member.decode("utf-8", "replace") for member in self._store.sorted_members(index))
        for start in range(0, len(ids), _PAGE):
            keys = [f"{self._prefix}:{kind}:{run_id}:{id_}" for id_ in ids[start : start + _PAGE]]
            for key, stored in zip(keys, self._store.hashes(keys), strict=True):
                if stored:
                    yield key, stored
                else:
                    self.receipt.gap("steps", f"the index names {key} and it is gone", run_id=run_id)
                    self.receipt.skip(where=key, what=kind, why="the index names it and it is gone")

    def _open(self, text: bytes, where: str) -> object:
        if not text.startswith(_TAG):
            return None
        try:
            data = base64.b64decode(text[len(_TAG) :], validate=True)
        except binascii.Error:
            return None
        return self._wrap.open_cbor(data, where, self.receipt)

    def _named(self, stored: Mapping[bytes, bytes], key: str, **names: str) -> dict[str, object]:
        """Return a hash as record fields; the ids are those of the key, whatever the hash says."""
        fields = self._fields(stored, key)
        for name, wanted in names.items():
            if fields.get(name) != wanted:
                self.receipt.problem(
                    "warning", "name-mismatch", key, f"The key says {name} {wanted}, the record does not."
                )
                fields[name] = wanted
        return fields

    def _fields(self, stored: Mapping[bytes, bytes], key: str) -> dict[str, object]:
        opened: dict[str, object] = {}
        for raw_name, raw in stored.items():
            name = raw_name.decode("utf-8", "replace")
            value = self._value(name, raw, f"{key}/{name}")
            if value is not None:
                opened[name] = value
        return entity_fields(opened, self._wrap, key)

    def _value(self, name: str, raw: bytes, where: str) -> object:
        """Undo the writer's text form: Redis hashes hold text only."""
        if raw.startswith(_TAG):
            return self._open(raw, where)
        text = raw.decode("utf-8", "replace")
        if text == "\0null":
            return None
        if text == "\0empty":
            return ""
        if name in _NUMBERS and re.fullmatch(r"-?\d{1,15}", text):
            return int(text)
        if name in _FLAGS:
            return text == "true"
        return text

"""A world whose records lie as a layout says: one class for every store of tables, documents and keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from eve_replay.errors import NotFound
from eve_replay.ids import event_slot
from eve_replay.problems import Lacking, Receipt
from eve_replay.records import (
    EventRecord,
    HookRecord,
    Other,
    RunRecord,
    StepRecord,
    StreamChunk,
    StreamRecord,
    WaitRecord,
)
from eve_replay.worlds.blocks import unpack_blocks
from eve_replay.worlds.export.entities import Wrap, entity_fields
from eve_replay.worlds.export.tally import Tally
from eve_replay.worlds.layouts.access import Access
from eve_replay.worlds.layouts.forms import Former
from eve_replay.worlds.layouts.library import layouts
from eve_replay.worlds.layouts.model import NEEDED, Layout, Part, camel
from eve_replay.worlds.layouts.tables import dig

__all__ = ["LayoutWorld"]

_PAGE = 200
#: Part of a layout -> the list that is not whole without it.
_LISTS: Mapping[str, Lacking] = {
    "runs": "runs",
    "steps": "steps",
    "events": "events",
    "hooks": "others",
    "waits": "others",
    "streams": "others",
    "chunks": "chunks",
}


class LayoutWorld:
    """Runs in a store, read as a layout says.

    Args:
        access: the store.
        layout: where what lies in it.
        kind: the kind of world: ``sqlite``, ``mysql``, ``redis`` ...
        wrap: makes the payloads.
        receipt: the receipt of what was read of the store before.
        about: facts of the store.
    """

    def __init__(
        self,
        access: Access,
        layout: Layout,
        *,
        kind: str,
        wrap: Wrap | None = None,
        receipt: Receipt | None = None,
        about: Mapping[str, object] | None = None,
    ) -> None:
        self.kind = kind
        self.label = access.label
        self.receipt = receipt or Receipt()
        wrap = wrap or Wrap()
        self.keys, self.limit = wrap.keys, wrap.limit
        self._wrap = wrap
        self._access = access
        self._layout = layout
        self._closed = False
        self._former = Former(
            wrap=wrap,
            receipt=self.receipt,
            payload=layout.payload,
            plain="words" if layout.reader == "keys" else "document",
        )
        self._tally = Tally(self.receipt)
        self.about: Mapping[str, object] = {
            "layout": layout.name,
            "writer": layout.package or layout.title,
            **({"layoutStatus": "untested"} if not layout.recorded else {}),
            **(about or {}),
        }
        self._gaps = {name: gap for name in layout.parts if (gap := access.missing(layout.parts[name]))}
        self._tell_gaps()
        if not any(known is layout for known in layouts()):
            self._tell_columns()

    def _tell_columns(self) -> None:
        """Name the columns that a layout of somebody's own describes and the store has not.

        Those of the package fit several releases of a writer, which have different columns.
        """
        for name, part in self._layout.parts.items():
            for field, columns in self._access.absent(part).items() if name not in self._gaps else ():
                said = f"{part.table} has no column {' or '.join(columns)}"
                self.receipt.gap(_LISTS[name], f"{said} ({field})")
                self.receipt.problem(
                    "warning",
                    "missing-column",
                    self.label,
                    f"{said}: {field} of these {name} is unknown, not empty.",
                    "Correct the layout; eve-replay worlds --describe lists the columns.",
                )

    def _tell_gaps(self) -> None:
        """Name what is not there: an empty list would read as nothing happened."""
        for name, gap in self._gaps.items():
            self.receipt.gap(_LISTS[name], f"there is {gap}")
            needed = name in NEEDED
            self.receipt.problem(
                "error" if needed else "info",
                "missing-table",
                self.label,
                f"There is {gap}: the {name} of these runs are unknown, not none."
                if needed
                else f"There is {gap}: {name} are not shown.",
            )

    def count_runs(self) -> int:
        """Return how many runs there are."""
        return len(self.run_ids())

    def run_ids(self) -> list[str]:
        """Return the ids of all runs, ascending."""
        part = self._layout.parts["runs"]
        return [] if "runs" in self._gaps else sorted(set(self._access.ids(part)))

    def runs(self) -> Iterator[RunRecord]:
        """Yield every run by id, some hundred at a time."""
        return self._tally.listing("runs", self._all_runs(), lambda run: run.run_id)

    def _all_runs(self) -> Iterator[RunRecord]:
        part = self._layout.parts["runs"]
        ids = iter(self.run_ids())
        while page := list(islice(ids, _PAGE)):
            found = [
                RunRecord(self._fields(part, row, at), at) for at, row in self._access.rows(part, ids=page)
            ]
            yield from sorted(_once(found), key=lambda run: run.run_id)

    def run(self, run_id: str) -> RunRecord:
        """Return one run."""
        return next(self._tally.group("runs", run_id, [self._asked(run_id)]))

    def _asked(self, run_id: str) -> RunRecord:
        part = self._layout.parts["runs"]
        if run_id and run_id.isprintable() and "runs" not in self._gaps:
            for where, row in self._access.rows(part, ids=[run_id]):
                return RunRecord(self._fields(part, row, where), where)
        raise NotFound(f"There is no run {run_id!a} in {self.label}.", hint="Copy the whole id.")

    def events(self, run_id: str) -> Iterator[EventRecord]:
        """Yield the run's events by slot, or by id where ids are ULIDs."""
        found = [EventRecord(fields, at) for at, fields in self._of("events", run_id)]
        yield from sorted(found, key=_log_order)

    def steps(self, run_id: str) -> Iterator[StepRecord]:
        """Yield the run's step records by step id."""
        found = {record.step_id: record for record in self._steps(run_id)}
        yield from (found[step_id] for step_id in sorted(found))

    def _steps(self, run_id: str) -> Iterator[StepRecord]:
        for where, fields in self._of("steps", run_id):
            yield StepRecord(fields, where)

    def others(self, run_id: str) -> Iterator[Other]:
        """Yield hooks, waits and streams."""
        self._asked(run_id)
        hooks = [HookRecord(fields, at) for at, fields in self._of("hooks", run_id)]
        yield from sorted(hooks, key=lambda hook: hook.hook_id)
        waits = [WaitRecord(fields, at) for at, fields in self._of("waits", run_id)]
        yield from sorted(waits, key=lambda wait: wait.wait_id)
        for name in self._access.streams(self._layout, run_id):
            yield StreamRecord({"runId": run_id, "name": name}, origin=f"stream/{name}")

    def stream(self, run_id: str, name: str) -> Iterator[StreamChunk]:
        """Yield the chunks of a stream in order."""
        part = self._layout.part("chunks")
        self._asked(run_id)
        found: list[StreamChunk] = []
        if part is not None and "chunks" not in self._gaps:
            rows = self._tally.group("chunks", name, self._access.rows(part, ids=[name], run=run_id))
            for number, (where, row) in enumerate(rows):
                fields = self._opened(part, row, where)
                if fields.get("runId") in (None, "", run_id):  # two runs may use one name
                    found += self._chunks(part, fields, where, name, number)
        if not found:
            raise NotFound(f"There is no stream {name!a} in {self.label}.", hint="Copy the whole name.")
        yield from sorted(found, key=lambda chunk: chunk.chunk_id)

    def _chunks(
        self, part: Part, fields: Mapping[str, object], where: str, name: str, number: int
    ) -> Iterator[StreamChunk]:
        data, end = fields.get("data"), fields.get("end") is True
        raw = data if isinstance(data, bytes) else b""
        if data is not None and not isinstance(data, (bytes, str)):
            self.receipt.skip(where=where, what="chunk", why="its data are no bytes")
            self.receipt.gap("chunks", f"{where} holds no bytes", name=name)
        chunk_id = str(fields.get("chunkId") or f"{number:012d}")
        if part.blocks and fields.get("codecVersion") == 2:
            for inner, piece in unpack_blocks(raw, self.receipt, where):
                yield StreamChunk(stream=name, chunk_id=inner, data=piece, origin=where)
            if not end:
                return
            raw = b""
        yield StreamChunk(stream=name, chunk_id=chunk_id, data=raw, end=end, origin=where)

    def close(self) -> None:
        """Release the store; a second time does nothing."""
        if not self._closed:
            self._closed = True
            self._access.close()

    def _of(self, name: str, run_id: str) -> Iterator[tuple[str, dict[str, object]]]:
        self._asked(run_id)
        part = self._layout.part(name)
        if part is None or name in self._gaps:
            return
        for where, row in self._tally.group(name, run_id, self._access.rows(part, run=run_id)):
            fields = self._fields(part, row, where)
            if name == "events" and not isinstance(fields.get("eventType"), str):
                self.receipt.gap("events", "events have no type", run_id=run_id)
                if not any(problem.code == "no-event-type" for problem in self.receipt.problems):
                    self.receipt.problem(
                        "error",
                        "no-event-type",
                        where,
                        "This event has no type: what happened in these runs is unknown, not nothing.",
                        "Which column holds run_created, step_started ...? Name it in the layout: eventType.",
                    )
            if fields.get(part.id_field) in (None, ""):
                self.receipt.skip(where=where, what=name, why="it has no id")
                self.receipt.gap(_LISTS[name], f"{where} has no id", run_id=run_id)
            else:
                yield where, {**fields, "runId": run_id}

    def _fields(self, part: Part, row: Mapping[str, object], where: str) -> dict[str, object]:
        return entity_fields(self._opened(part, row, where), self._wrap, where)

    def _opened(self, part: Part, row: Mapping[str, object], where: str) -> dict[str, object]:
        """Return the fields of a row, each opened by its form."""
        opened: dict[str, object] = {}
        taken = {*part.ignore, *part.where}
        for field, rules in part.fields.items():
            for rule in rules:
                taken.add(rule.column)
                if field not in opened and (stored := dig(row, rule)) is not None:
                    value = self._former.value(stored, rule.form, field, where)
                    if value is not None:
                        opened[field] = value
        for rule in part.merge:
            taken.add(rule.column)
            inner = self._former.value(row.get(rule.column), rule.form, rule.column, where)
            if isinstance(inner, Mapping):
                opened |= {str(k): v for k, v in inner.items() if v is not None and str(k) not in opened}
            elif inner is not None:
                opened.setdefault(rule.column, inner)
        for column, value in row.items():
            field = camel(column)
            if column not in taken and field not in opened and value is not None:
                opened[field] = self._former.value(value, "", field, where)
        return opened


def _once(runs: list[RunRecord]) -> list[RunRecord]:
    return list({run.run_id: run for run in runs}.values())


def _log_order(event: EventRecord) -> tuple[bool, int, str]:
    slot = event_slot(event.event_id)
    return (slot is None, slot or 0, event.event_id)

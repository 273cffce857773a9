"""Records from exported entities: payloads restored as far as the export allows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from eve_replay.codec.devalue.write import frame
from eve_replay.problems import Receipt
from eve_replay.records import (
    EVENT_PAYLOADS,
    EventRecord,
    HookRecord,
    Other,
    RunRecord,
    StepRecord,
    StreamChunk,
    StreamRecord,
    WaitRecord,
)
from eve_replay.values import Undecoded
from eve_replay.worlds.export.entities import Wrap
from eve_replay.worlds.export.merge import Merged
from eve_replay.worlds.export.values import index_bytes, restore, restore_error
from eve_replay.worlds.memory import MemoryWorld

__all__ = ["ExportWorld"]

_PAYLOADS = ("input", "output", "error", "metadata")
_ENDED = ("completed", "failed", "cancelled")


class ExportWorld(MemoryWorld):
    """What a set of exported files holds.

    Args:
        merged: the united rows.
        label: the file or folder.
        receipt: what was found wrong while reading.
        wrap: makes the payloads.
    """

    kind = "export"

    def __init__(self, merged: Merged, label: str, receipt: Receipt, wrap: Wrap) -> None:
        make = _Maker(merged, label, receipt, wrap)
        super().__init__(
            runs=make.runs(),
            events=[
                EventRecord(make.fields(row), make.origin("event", id_)) for id_, row in merged.events.items()
            ],
            steps=[
                StepRecord(make.fields(row), make.origin("step", id_)) for id_, row in merged.steps.items()
            ],
            others=make.others(),
            chunks=make.chunks(),
            label=label,
            about={"form": "workflow inspect --json", "lossy": True},
            receipt=receipt,
        )


class _Maker:
    def __init__(self, merged: Merged, label: str, receipt: Receipt, wrap: Wrap) -> None:
        self._merged = merged
        self._label = label
        self._receipt = receipt
        self._wrap = wrap

    def runs(self) -> Iterator[RunRecord]:
        """Yield the runs; one that only its steps or events show is made up of its id."""
        runs = self._merged.runs
        for run_id, row in runs.items():
            yield RunRecord(self.fields(row), self.origin("run", run_id))
        rows = (*self._merged.steps.values(), *self._merged.events.values())
        for run_id in sorted({str(row["runId"]) for row in rows if row.get("runId")} - runs.keys()):
            self._receipt.problem(
                "warning",
                "no-run",
                run_id,
                "The export has steps or events of this run and not the run itself: its status is unknown.",
                f"Add the output of workflow inspect run {run_id} --json",
            )
            yield RunRecord({"runId": run_id}, origin=self._label)

    def others(self) -> Iterator[Other]:
        """Yield hooks, sleeps and streams.

        Sleeps are printed from events, so they are there after the end of the run, when no world keeps
        its waits; then they are left out.
        """
        for id_, row in self._merged.hooks.items():
            yield HookRecord(self.fields(row), self.origin("hook", id_))
        for id_, row in self._merged.sleeps.items():
            run = self._merged.runs.get(str(row.get("runId")), {})
            if run.get("status") not in _ENDED:
                status = "completed" if row.get("completedAt") else "waiting"
                names = ("runId", "resumeAt", "createdAt", "completedAt")
                fields = {"waitId": id_, "status": status, **{n: row[n] for n in names if n in row}}
                yield WaitRecord(fields, origin=f"sleep/{id_}")
        for run_id, names_of_run in self._merged.streams.items():
            for name in names_of_run:
                yield StreamRecord({"runId": run_id, "name": name}, origin=f"stream/{name}")

    def chunks(self) -> Iterator[StreamChunk]:
        """Yield printed stream values, one frame each; an export never says that a stream has ended."""
        for names in self._merged.streams.values():
            for name in names:
                if name not in self._merged.values:
                    why = "its content was not exported (workflow inspect stream)"
                    self._receipt.skip(where=name, what="stream", why=why)
        for name, (values, file) in self._merged.values.items():
            for number, printed in enumerate(values, 1):
                value = index_bytes(printed) or restore(printed)
                yield StreamChunk(
                    stream=name, chunk_id=f"chnk_{number:026d}", data=frame(value), origin=f"{file}:{number}"
                )

    def origin(self, kind: str, id_: str) -> str:
        """Return the file an entity is in."""
        return f"{self._merged.origins.get((kind, id_), self._label)}#{id_}"

    def fields(self, row: Mapping[str, Any]) -> dict[str, object]:
        """Return a row as record fields, payloads restored; null is left out."""
        run_id, spec = str(row.get("runId", "")), row.get("specVersion")
        fields: dict[str, object] = {}
        for name, value in row.items():
            if name == "eventData" and isinstance(value, dict):
                fields[name] = {
                    key: self._payload(key, part, spec, run_id) if key in EVENT_PAYLOADS else part
                    for key, part in value.items()
                    if part is not None
                }
            elif name in _PAYLOADS and value is not None:
                fields[name] = self._payload(name, value, spec, run_id)
            elif value is not None:
                fields[name] = value
        return fields

    def _payload(self, name: str, value: object, spec: object, run_id: str) -> object:
        restored: object = value
        if not isinstance(value, Undecoded):
            restored = restore_error(value, spec) if name == "error" else restore(value)
        return self._wrap.decoded(restored, name, run_id)

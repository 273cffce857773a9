"""The job queue beside a Postgres world: what was waiting or being worked on when the journal was left.

Since migration 0008 that is graphile-worker (docs/formats/postgres.md#schemas). A job that is locked while
nobody runs was interrupted: it runs again when a worker takes it over. Reading it is optional.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from eve_replay.ids import parse_function_name
from eve_replay.problems import Receipt
from eve_replay.times import iso, parse_time
from eve_replay.worlds.export.entities import from_json

__all__ = ["SHOWN", "QueueJob", "job_of", "read_jobs", "show_jobs"]

#: How many jobs a world names by itself; ``jobs()`` has them all.
SHOWN = 50

#: True when the table is there, may be read, and has the columns of the releases we know.
_THERE = (
    "select has_schema_privilege(n.oid, 'USAGE') and has_table_privilege(c.oid, 'SELECT') and 8 = ("
    "select count(*) from pg_catalog.pg_attribute a where a.attrelid = c.oid and not a.attisdropped "
    "and a.attname in ('id', 'key', 'attempts', 'max_attempts', 'run_at', 'locked_at', 'last_error', "
    "'payload')) from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace "
    "where n.nspname = 'graphile_worker' and c.relname = '_private_jobs'"
)
_JOBS = (
    "select id::text, key, attempts, max_attempts, run_at::text, locked_at::text, last_error, payload::text "
    "from graphile_worker._private_jobs order by id limit %s"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueJob:
    """One job of the queue.

    Attributes:
        key: what makes the job unique: a step id, ``<wait id>:hop-<n>``, or a message id.
        function: the step or workflow that is to run.
        run_id: the run it belongs to, empty when the job does not say.
        step_id: the step it is for, empty for a job that replays a workflow.
        attempts: how often the queue has handed it out.
        run_at: when it is due; far ahead for a durable sleep.
        locked_at: when a worker took it, None while it waits.
    """

    key: str
    function: str
    run_id: str
    step_id: str = ""
    attempts: int = 0
    max_attempts: int = 0
    run_at: datetime | None = None
    locked_at: datetime | None = None
    last_error: str = ""

    @property
    def sentence(self) -> str:
        """What the job means for its run, in plain words."""
        what = parse_function_name(self.function).function or "a job"
        whose = f"step {self.step_id}" if self.step_id else f"run {self.run_id or 'unknown'}"
        tries = f"handed out {self.attempts} of {self.max_attempts} times"
        if self.locked_at is not None:
            return (
                f"{what} of {whose} was taken by a worker at {iso(self.locked_at)} and is not finished "
                f"({tries}): it is running, or its worker died and it runs again."
            )
        due = f"is due at {iso(self.run_at)}" if self.run_at is not None else "waits"
        failed = f"; last error: {self.last_error[:200]}" if self.last_error else ""
        return f"{what} of {whose} {due} ({tries}{failed})."

    def to_json(self) -> dict[str, object]:
        """Return the job as plain data, times as ISO text, empty fields left out."""
        whole: dict[str, object] = {
            "key": self.key,
            "function": self.function,
            "runId": self.run_id,
            "stepId": self.step_id,
            "attempts": self.attempts,
            "maxAttempts": self.max_attempts,
            "runAt": iso(self.run_at),
            "lockedAt": iso(self.locked_at),
            "lastError": self.last_error,
        }
        return {name: value for name, value in whole.items() if value not in ("", None)}


def job_of(key: str, payload: object, **more: object) -> QueueJob:
    """Return a job from the JSON of its payload; ``more`` are the other fields of QueueJob.

    ``payload.data`` is base64 of JSON: ``{runId}`` for a workflow, ``{workflowRunId, stepId}`` for a step.
    """
    outer = payload if isinstance(payload, Mapping) else {}
    inner: object = {}
    try:
        inner = from_json(base64.b64decode(str(outer.get("data") or ""), validate=True).decode())
    except (binascii.Error, UnicodeDecodeError, ValueError):
        inner = {}
    data = inner if isinstance(inner, Mapping) else {}
    return QueueJob(
        key=key,
        function=str(outer.get("id") or ""),
        run_id=str(data.get("runId") or data.get("workflowRunId") or ""),
        step_id=str(data.get("stepId") or ""),
        **more,  # type: ignore[arg-type]
    )


def read_jobs(
    ask: Callable[[str, Sequence[object]], Iterable[Sequence[object]]],
    run_id: str | None = None,
    *,
    limit: int = 10_000,
) -> list[QueueJob]:
    """Return the oldest ``limit`` jobs of the queue (of one run), none when it may not be read."""
    if not any(row[0] for row in ask(_THERE, ())):
        return []
    jobs = []
    for _id, key, attempts, most, run_at, locked_at, last_error, payload in ask(_JOBS, (limit,)):
        try:
            opened = from_json(str(payload))
        except ValueError:
            opened = {}
        job = job_of(
            str(key or ""),
            opened,
            attempts=int(str(attempts)),
            max_attempts=int(str(most)),
            run_at=parse_time(run_at),
            locked_at=parse_time(locked_at),
            last_error=str(last_error or ""),
        )
        if run_id is None or job.run_id == run_id:
            jobs.append(job)
    return jobs


def show_jobs(jobs: Sequence[QueueJob], receipt: Receipt) -> str:
    """Name the jobs in the receipt, and return a summary for the facts of the world."""
    for job in jobs:
        receipt.problem("info", "queued-job", f"graphile_worker/{job.key}", job.sentence)
    taken = sum(job.locked_at is not None for job in jobs)
    more = "at least " if len(jobs) >= SHOWN else ""
    return f"{more}{len(jobs)} jobs, {taken} taken by a worker"

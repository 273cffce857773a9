"""The writes of one run in order, worked out from its event log (docs/evidence/sweep.md#writes)."""

from __future__ import annotations

from eve_replay.journal.model import Run, Step
from eve_replay.records import EventRecord, MarkRecord
from eve_replay.recovery.writes.model import Write, millis
from eve_replay.recovery.writes.sequence import Sequence

__all__ = ["run_writes"]

#: A stream chunk may be flushed a little after its step's end was decided; beyond this it is not the step's.
_FLUSH = 250.0


def run_writes(
    run: Run, fine: bool, starts: dict[tuple[str, int], float], chunk_ends: dict[str, float]
) -> list[Write]:
    """Return the writes of one run.

    Args:
        run: the run with its events and marks.
        fine: whether the world commits in small writes.
        starts: filled with the time of every start, by step id and number.
        chunk_ends: newest stored chunk per step: its end was written after that.
    """
    out = Sequence(run)
    steps = {step.step_id: step for step in run.steps}
    counts: dict[str, int] = {}
    locks = (run.record.spec_version or 8) >= 7
    tokens = {
        str(mark.fields.get("hookId")): mark
        for mark in run.marks
        if mark.kind == "token" and mark.phase == "file"
    }
    for event in run.events:
        kind = event.event_type
        subject = event.correlation_id or ""
        family, _, word = kind.partition("_")
        if family == "step":
            _step_event(out, event, word, subject, steps, counts, starts, chunk_ends, fine, locks)
        elif family == "run":
            _run_event(out, event, word, fine)
        elif family == "wait":
            _wait_event(out, event, word, subject, fine)
        elif family == "hook":
            _hook_event(out, event, word, subject, fine, tokens)
        else:
            out.advance(event.created_at)
            if kind == "attr_set" and fine:
                out.add(
                    f"record:{run.run_id}:attributes", "record", run.run_id, "run record rewritten",
                    ("attributes", run.run_id, event.event_id),
                )  # fmt: skip
            out.event(event, f"event {kind}")
    return out.items


def _step_event(
    out: Sequence,
    event: EventRecord,
    word: str,
    step_id: str,
    steps: dict[str, Step],
    counts: dict[str, int],
    starts: dict[tuple[str, int], float],
    chunk_ends: dict[str, float],
    fine: bool,
    locks: bool,
) -> None:
    step = steps.get(step_id)
    name = step.function if step else step_id
    least = 0.0
    if word in ("completed", "failed"):
        stored = chunk_ends.get(step_id, 0.0)
        own = millis(event.created_at) or 0.0
        least = min(stored, own + _FLUSH) if stored else 0.0
    out.advance(event.created_at, least)
    if word == "created":
        if fine and locks:
            out.add(f"lock:{step_id}:created", "lock", step_id, f"created lock of {name}", ("lock", step_id))
        if fine:
            out.add(f"record:{step_id}:pending", "record", step_id, f"{name} pending", ("pending", step_id))
        out.event(event, f"event step_created of {name}")
        out.items[-1].key = ("created", step_id)
    elif word == "started":
        n = counts[step_id] = counts.get(step_id, 0) + 1
        if fine:
            out.add(
                f"record:{step_id}:running", "record", step_id, f"{name} running, attempt {n}",
                ("running", step_id, n),
            )  # fmt: skip
        out.event(event, f"event step_started of {name}")
        out.items[-1].key = ("started", step_id, n)
        starts[step_id, n] = out.now
    elif word == "retrying":
        if fine:
            out.add(
                f"record:{step_id}:pending",
                "record",
                step_id,
                f"{name} pending again",
                ("repending", step_id),
            )
        out.event(event, f"event step_retrying of {name}")
        out.items[-1].key = ("retrying", step_id, counts.get(step_id, 0))
    elif word in ("completed", "failed"):
        if fine:
            out.add(
                f"lock:{step_id}:terminal", "lock", step_id, f"terminal lock of {name}", ("terminal", step_id)
            )
            out.add(
                f"record:{step_id}:{word}", "record", step_id, f"{name} {word}", ("ended", step_id), seen=True
            )
        out.event(event, f"event step_{word} of {name}")
        out.items[-1].key = ("end", step_id)
    else:
        out.event(event, f"event {event.event_type} of {name}")


def _run_event(out: Sequence, event: EventRecord, word: str, fine: bool) -> None:
    run_id = out.run.run_id
    name = out.run.workflow.function or run_id
    out.advance(event.created_at)
    if word == "created":
        if fine:
            out.add(f"record:{run_id}:pending", "record", run_id, f"run {name} pending", ("run", run_id))
        out.event(event, f"event run_created of {name}")
        out.items[-1].key = ("run-created", run_id)
    elif word == "started":
        if fine:
            out.add(
                f"record:{run_id}:running", "record", run_id, f"run {name} running", ("run-running", run_id)
            )
        out.event(event, f"event run_started of {name}")
        out.items[-1].key = ("run-started", run_id)
    elif word in ("completed", "failed", "cancelled"):
        if fine:
            out.add(
                f"lock:{run_id}:terminal", "lock", run_id, f"terminal lock of {name}", ("run-lock", run_id)
            )
            out.add(f"record:{run_id}:{word}", "record", run_id, f"run {name} {word}", ("run-ended", run_id))
        out.event(event, f"event run_{word} of {name}")
        out.items[-1].key = ("run-end", run_id)
    else:
        out.event(event, f"event {event.event_type}")


def _wait_event(out: Sequence, event: EventRecord, word: str, wait_id: str, fine: bool) -> None:
    out.advance(event.created_at)
    if fine:
        status = "waiting" if word == "created" else "completed"
        out.add(
            f"lock:{wait_id}:{word}", "lock", wait_id, f"{word} lock of a sleep", ("wait-lock", wait_id, word)
        )
        out.add(f"record:{wait_id}:{status}", "record", wait_id, f"sleep {status}", ("wait", wait_id, word))
    out.event(event, f"event {event.event_type}")
    out.items[-1].key = ("wait-event", wait_id, word)


def _hook_event(
    out: Sequence, event: EventRecord, word: str, hook_id: str, fine: bool, tokens: dict[str, MarkRecord]
) -> None:
    out.advance(event.created_at)
    run_id = out.run.run_id
    if word == "created" and fine:
        out.add(f"token:{hook_id}:lock", "token", hook_id, "token lock taken", ("token-lock", hook_id))
        out.add(f"token:{hook_id}:file", "token", hook_id, "token file", ("token", hook_id))
        out.add(f"token:{hook_id}:unlock", "token", hook_id, "token lock released", ("token-unlock", hook_id))
        out.add(f"index:{hook_id}:id", "index", hook_id, "index of a hook", ("index", hook_id, "id"))
        out.add(f"index:{hook_id}:token", "index", hook_id, "index of a hook", ("index", hook_id, "token"))
        out.event(event, "event hook_created")
        out.items[-1].key = ("hook-created", hook_id)
        mark = tokens.get(hook_id)
        claimed = mark.text("eventId") if mark is not None else None
        if claimed is not None and claimed != event.event_id:
            # The claim names a slot that another event took: a crash before this event can never be mended.
            out.items[-1].key = ("hook-created", hook_id)
            out.add(f"index:{hook_id}:run", "index", hook_id, "index of a hook", ("slot-taken", hook_id))
        else:
            out.add(f"index:{hook_id}:run", "index", hook_id, "index of a hook", ("index", hook_id, "run"))
        out.add(f"record:{hook_id}:open", "record", hook_id, "hook record", ("hook", hook_id))
        return
    if word == "received" and fine and event.text("resumeId"):
        id_ = event.event_id
        out.add(f"resume:{id_}", "resume", id_, "a delivery's resume file", ("resume", run_id, id_))
        out.add(f"staged:{id_}", "stage", id_, "a delivery staged", ("staged", run_id, id_))
        out.event(event, "event hook_received")
        out.items[-1].key = ("received", run_id, id_)
        out.add(f"unstaged:{id_}", "stage", id_, "the staging file removed", ("unstaged", run_id, id_))
        return
    if word == "disposed" and fine:
        out.add(f"lock:{hook_id}:disposed", "lock", hook_id, "disposed lock of a hook", ("disposed", hook_id))
        out.add(f"token:{hook_id}:relock", "token", hook_id, "token lock taken", ("token-relock", hook_id))
        out.add(f"token:{hook_id}:removed", "token", hook_id, "token removed", ("token-removed", hook_id))
        out.add(
            f"token:{hook_id}:reunlock", "token", hook_id, "token lock released", ("token-reunlock", hook_id)
        )
        out.add(
            f"record:{hook_id}:removed", "record", hook_id, "hook record removed", ("hook-removed", hook_id)
        )
    out.event(event, f"event {event.event_type}")
    if word == "received":
        out.items[-1].key = ("received", run_id, event.event_id)

"""What is wrong with one run's event log as a log: gaps, copies, ids of two kinds, two ends.

Source: docs/evidence/reports.md#t24, docs/evidence/reports.md#t26.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from eve_replay.ids import event_slot
from eve_replay.problems import Receipt
from eve_replay.records import EventRecord

__all__ = ["LogWatch", "check_ids"]

_RUN_ENDS = frozenset({"run_completed", "run_failed", "run_cancelled"})
#: Events of which a step, wait or hook has one at most.
_ONCE = {
    "step_created": "step_created",
    "step_completed": "end of the step",
    "step_failed": "end of the step",
    "wait_created": "wait_created",
    "wait_completed": "wait_completed",
    "hook_created": "hook_created",
    "hook_disposed": "hook_disposed",
}


def check_ids(
    run_id: str,
    event_ids: Sequence[str],
    receipt: Receipt,
    reserved: Callable[[], Collection[str]] = tuple,
) -> None:
    """Report gaps and copies among the event ids of one run, which must be sorted.

    Slots are dense and start at 1 (docs/formats/local.md#events); ULID ids of older worlds cannot show a gap.
    One gap is no loss: a delivery that was staged under its slot and never became an event, because the
    process died between the two writes (seen in the sweep: T2 before-082, T3 before-080 and before-184).

    Args:
        run_id: the run.
        event_ids: the ids, sorted.
        receipt: where to report.
        reserved: asked only when there is a gap: ids that deliveries had been given.
    """
    where = f"events of {run_id}"
    slots: list[int] = []
    others = 0
    previous = ""
    for event_id in event_ids:
        if event_id == previous:
            receipt.problem(
                "warning", "duplicate-event", f"{run_id}/{event_id}", "Two files hold an event of this id."
            )
            continue
        previous = event_id
        slot = event_slot(event_id)
        if slot is None:
            others += 1
        else:
            slots.append(slot)
    if slots and others:
        receipt.problem(
            "warning",
            "mixed-event-ids",
            where,
            f"{len(slots)} events are numbered by slot and {others} by time: two versions wrote this log.",
        )
    known: set[int] | None = None
    expected = 1
    for slot in slots:
        if slot > expected:
            if known is None:
                known = {found for id_ in reserved() if (found := event_slot(id_)) is not None}
            _gap(expected, slot - 1, known, where, receipt)
        expected = slot + 1


def _gap(first: int, last: int, reserved: set[int], where: str, receipt: Receipt) -> None:
    for slot in sorted(found for found in reserved if first <= found <= last):
        receipt.problem(
            "info",
            "slot-unused",
            where,
            f"Slot {slot} was given to a delivery that never became an event: the process died in between.",
            "Nothing is missing from the log; the delivery itself is lost.",
        )
        if slot > first:
            _gap(first, slot - 1, set(), where, receipt)
        first = slot + 1
    if first > last:
        return
    missing = f"event of slot {first} is" if first == last else f"events of slots {first} to {last} are"
    receipt.gap("events", f"the {missing} missing", run_id=where.rpartition(" ")[2])
    receipt.problem(
        "error",
        "slot-gap",
        where,
        f"The {missing} missing: the log is not whole.",
        "A file was deleted, or a copy of the folder is incomplete.",
    )


class LogWatch:
    """Watches a run's events as they are read and reports what cannot be.

    Attributes:
        steps: ids of the steps that the log says were created.
    """

    def __init__(self, run_id: str, receipt: Receipt) -> None:
        self._run_id = run_id
        self._receipt = receipt
        self._seen: dict[tuple[str, str], str] = {}
        self.steps: set[str] = set()

    def see(self, event: EventRecord) -> None:
        """Take the next event into account."""
        kind = event.event_type
        subject = event.correlation_id or ""
        if kind == "step_created" and subject:
            self.steps.add(subject)
        if kind in _RUN_ENDS:
            self._once("end of the run", self._run_id, event)
        elif kind in _ONCE and subject:
            self._once(_ONCE[kind], subject, event)
        elif kind == "attr_set" and subject:
            self._once("attribute write", subject, event)
        elif not kind:
            self._receipt.problem("warning", "no-event-type", event.origin, "The event has no eventType.")

    def _once(self, what: str, subject: str, event: EventRecord) -> None:
        first = self._seen.setdefault((what, subject), event.event_id)
        if first != event.event_id:
            self._receipt.problem(
                "warning",
                "duplicate-event",
                f"{self._run_id}/{event.event_id}",
                f"A second {what} for {subject}; the first one is {first}.",
                "Only the first one counts for the replay.",
            )

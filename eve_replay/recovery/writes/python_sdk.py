"""The writes of a run of the Python SDK in order (docs/evidence/python-sdk.md#writes).

Two writes for an event, its record first, no lock file but those of a sleep's end and a hook's disposal.
Between an event and what it leads to lies a *moment*: the message that starts the step, or the run, is in the
queue (``sent:STEP``, ``sent:RUN``). All steps of one pass are created before their first message is sent.
"""

from __future__ import annotations

from eve_replay.journal.model import Run
from eve_replay.records import EventRecord
from eve_replay.recovery.writes.model import Write
from eve_replay.recovery.writes.sequence import Sequence

__all__ = ["python_writes"]


def python_writes(run: Run, fine: bool, starts: dict[tuple[str, int], float]) -> list[Write]:
    """Return the writes of one run.

    Args:
        run: the run with its events.
        fine: whether records and moments are asked for beside events.
        starts: filled with the time of every start, by step id and number.
    """
    return _Writer(run, fine, starts).writes()


class _Writer:
    def __init__(self, run: Run, fine: bool, starts: dict[tuple[str, int], float]) -> None:
        self.run, self.fine, self.starts = run, fine, starts
        self.out = Sequence(run)
        self.names = {step.step_id: step.function for step in run.steps}
        self.counts: dict[str, int] = {}
        self.unsent: list[str] = []

    def writes(self) -> list[Write]:
        for event in self.run.events:
            family, _, word = event.event_type.partition("_")
            subject = event.correlation_id or ""
            if event.event_type != "step_created":
                self._send()
            self.out.advance(event.created_at)
            if family == "step":
                self._step(event, word, subject)
            elif family == "run":
                self._of_run(event, word)
            elif family == "wait":
                self._wait(event, word, subject)
            elif family == "hook":
                self._hook(event, word, subject)
            else:
                if event.event_type == "attr_set":
                    run_id = self.run.run_id
                    if subject and self.fine:
                        words = "claim of an attribute write"
                        self.out.add(f"lock:{subject}:created", "lock", subject, words, ("claim", subject))
                    self._record(
                        f"{run_id}:attributes",
                        run_id,
                        "run record rewritten",
                        ("attributes", run_id, event.event_id),
                    )
                self.out.event(event, f"event {event.event_type}")
        self._send()
        return self.out.items

    def _record(self, address: str, subject: str, words: str, key: tuple[object, ...]) -> None:
        if self.fine:
            self.out.add(f"record:{address}", "record", subject, words, key)

    def _send(self) -> None:
        for subject in self.unsent:
            name = self.names.get(subject, "the run")
            self.out.add(f"sent:{subject}", "moment", subject, f"the message of {name} is in the queue",
                         ("sent", subject))  # fmt: skip
        self.unsent = []

    def _step(self, event: EventRecord, word: str, step_id: str) -> None:
        name = self.names.get(step_id, step_id)
        key: tuple[object, ...] = ("end", step_id)
        if word == "created":
            self._record(f"{step_id}:pending", step_id, f"{name} pending", ("pending", step_id))
            key = ("created", step_id)
            if self.fine:
                self.unsent.append(step_id)
        elif word == "started":
            n = self.counts[step_id] = self.counts.get(step_id, 0) + 1
            words = f"{name} running, attempt {n}"
            self._record(f"{step_id}:running", step_id, words, ("running", step_id, n))
            self.starts[step_id, n] = self.out.now
            key = ("started", step_id, n)
        elif word == "retrying":
            self._record(f"{step_id}:pending", step_id, f"{name} pending again", ("repending", step_id))
            key = ("retrying", step_id, self.counts.get(step_id, 0))
        else:
            self._record(f"{step_id}:{word}", step_id, f"{name} {word}", ("ended", step_id))
        self.out.event(event, f"event step_{word} of {name}")
        self.out.items[-1].key = key

    def _of_run(self, event: EventRecord, word: str) -> None:
        run_id = self.run.run_id
        name = self.run.workflow.function or run_id
        keys = {"created": ("run", "run-created"), "started": ("run-running", "run-started")}
        first, second = keys.get(word, ("run-ended", "run-end"))
        status = {"created": "pending", "started": "running"}.get(word, word)
        self._record(f"{run_id}:{status}", run_id, f"run {name} {status}", (first, run_id))
        self.out.event(event, f"event run_{word} of {name}")
        self.out.items[-1].key = (second, run_id)
        if word == "created" and self.fine:
            self.unsent.append(run_id)

    def _wait(self, event: EventRecord, word: str, wait_id: str) -> None:
        if word == "completed" and self.fine:
            self.out.add(f"lock:{wait_id}:completed", "lock", wait_id, "completed lock of a sleep",
                         ("wait-lock", wait_id, word))  # fmt: skip
        self.out.event(event, f"event {event.event_type}")
        self.out.items[-1].key = ("wait-event", wait_id, word)

    def _hook(self, event: EventRecord, word: str, hook_id: str) -> None:
        add = self.out.add
        if word == "created" and self.fine:
            add(f"token:{hook_id}:file", "token", hook_id, "token file", ("token", hook_id))
            add(f"record:{hook_id}:open", "record", hook_id, "hook record", ("hook", hook_id))
        elif word == "disposed" and self.fine:
            add(f"lock:{hook_id}:disposed", "lock", hook_id, "disposed lock of a hook", ("disposed", hook_id))
            add(f"token:{hook_id}:removed", "token", hook_id, "token removed", ("token-removed", hook_id))
            removed = ("hook-removed", hook_id)
            add(f"record:{hook_id}:removed", "record", hook_id, "hook record removed", removed)
        self.out.event(event, f"event {event.event_type}")
        if word == "created":
            self.out.items[-1].key = ("hook-created", hook_id)
        elif word == "received":
            self.out.items[-1].key = ("received", self.run.run_id, event.event_id)

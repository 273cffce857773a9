"""What of a run can be half written, and what each such state means (docs/evidence/sweep.md).

Around a step the local world makes separate durable writes, and nothing of it is atomic or repaired after a
restart (docs/evidence/sweep.md#writes):

    created lock, record ``pending``, event ``step_created``, record ``running``, event ``step_started``,
    body, terminal lock, record ``completed`` or ``failed``, event ``step_completed`` or ``step_failed``

Only the EVENT counts for the replay. The codes below are those of docs/evidence/sweep.md, and say what was
written last:

    ========  ==============================================================================================
    ``C1a``   created lock only; ``C1b``: lock and record, no ``step_created``. The world refuses to create
              the step again, so an inline step hangs for good. A queued step in C1b runs normally.
    ``B``     ``step_created``, nothing more: runs at once, nothing ran before.
    ``C3``    record ``running``, its ``step_started`` missing: runs at once, nothing ran before.
    ``D``     ``step_started``: the body was running. Runs again whole.
    ``R``     ``step_retrying``: the body threw, the runtime will start it again by itself.
    ``F1``    terminal lock, record not terminal: the body runs again at every wake-up, can never commit.
    ``F2``    record terminal, event missing: the body does not run again, the run hangs.
    ``done``  the terminal event is there.
    ========  ==============================================================================================

Waits, hooks, runs and deliveries have half-committed states of their own, see the classes. They are read off
the records by :func:`eve_replay.journal.commits.rules.run_commits`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

__all__ = [
    "Delivery",
    "HookCode",
    "HookCommit",
    "RunCode",
    "RunCommit",
    "RunCommits",
    "StepCode",
    "StepCommit",
    "WaitCode",
    "WaitCommit",
]

StepCode = Literal["C1a", "C1b", "B", "C3", "D", "R", "F1", "F2", "done"]
WaitCode = Literal["W1", "waiting", "W2", "done"]
HookCode = Literal["lock", "H1", "H1-free", "open", "H2", "disposed"]
RunCode = Literal["R1", "created", "R2", "running", "ending", "done"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StepCommit:
    """How far one step has been committed.

    Attributes:
        code: see the module's table.
        function: the step function's short name, empty when only a lock exists.
        starts: number of ``step_started`` events.
        inline: whether the newest start carries ``ownerMessageId`` (it is leased); None without a start.
        queued: whether a queue message, not the replay, starts this step: then C1b is harmless
            (docs/evidence/sweep.md#message).
        record_status, record_attempt: as the record says; None without a record.
        aborted_start: the record counts a start that left no event (a C3 at this or an earlier attempt).
        threw: a ``step_retrying`` or a recorded error: from then on kills use up the budget
            (docs/evidence/observed.md#throw-then-kill).
        created_at, last_started_at: event times (record time where the event is missing).
        end_event: type of the terminal event, empty while there is none.
        created_slot, end_slot: 0-based places of those events in the log, None while missing.
        evidence: event ids, and origins of the record and the locks, oldest write first.
    """

    run_id: str
    step_id: str
    code: StepCode
    function: str = ""
    step_name: str = ""
    starts: int = 0
    inline: bool | None = None
    queued: bool = False
    record_status: str | None = None
    record_attempt: int | None = None
    aborted_start: bool = False
    threw: bool = False
    created_at: datetime | None = None
    last_started_at: datetime | None = None
    first_started_at: datetime | None = None
    end_event: str = ""
    created_slot: int | None = None
    end_slot: int | None = None
    evidence: tuple[str, ...] = ()

    @property
    def open(self) -> bool:
        """Whether the log holds no terminal event of it."""
        return self.code != "done"

    @property
    def wedged(self) -> bool:
        """Whether it was seen (or must be, by the world's code) never to commit by itself."""
        if self.code in ("F1", "F2", "C1a"):
            return True
        return self.code == "C1b" and not self.queued

    @property
    def repeats(self) -> bool:
        """Whether its body runs again at every wake-up without end (F1)."""
        return self.code == "F1"

    @property
    def missing(self) -> str:
        """Which half of which commit is missing, in words; empty when none is."""
        return _MISSING.get(self.code, "")

    @property
    def repair(self) -> str:
        """The hand repair that was seen to work while the server was down, or empty.

        We print it, we never do it (docs/evidence/sweep.md#repairs). C1a was not tried: its repair is the
        same by the world's code.
        """
        return _REPAIR.get(self.code, "") if self.wedged else ""


_MISSING = {
    "C1a": "the created lock is there, the step record and its step_created event are not",
    "C1b": "the created lock and the step record are there, the step_created event is not",
    "F1": "the terminal lock is there, the step record does not say it ended and no end event is in the log",
    "F2": "the step record says it ended, the end event is not in the log",
}
_REPAIR = {
    "C1a": "with the server down, delete the .created lock (by the world's code; not tried)",
    "C1b": "with the server down, delete the .created lock and the step record (seen: "
    "recovers, nothing repeated)",
    "F1": "with the server down, delete the .terminal lock (seen: the body runs once more, then commits)",
    "F2": (
        "with the server down, write the missing end event from the record's output (seen: recovers, nothing "
        "repeated); or delete the .terminal lock and set the record back to running (seen: the body runs "
        "once more)"
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitCommit:
    """How far a durable sleep has been committed.

    Attributes:
        code: ``W1`` lock ``created`` (perhaps the record) without ``wait_created``: the run hangs before the
            sleep. ``waiting``: recovers and keeps its end time. ``W2`` lock or record ``completed`` without
            ``wait_completed``: the run hangs after the sleep. ``done``.
        resume_at: when the sleep ends by itself.
    """

    run_id: str
    wait_id: str
    code: WaitCode
    resume_at: datetime | None = None
    created_at: datetime | None = None
    evidence: tuple[str, ...] = ()

    @property
    def wedged(self) -> bool:
        """Whether the run was seen to hang here for good."""
        return self.code in ("W1", "W2")

    @property
    def missing(self) -> str:
        """Which half of the commit is missing, in words."""
        return {
            "W1": "the sleep's created lock is there, the wait_created event is not",
            "W2": "the sleep's completed lock is there, the wait_completed event is not",
        }.get(self.code, "")


@dataclass(frozen=True, slots=True, kw_only=True)
class HookCommit:
    """How far a hook has been committed.

    Attributes:
        code: ``lock``: a token-lock folder was left (recovery waits until it is stale, 23 to 29 s).
            ``H1``: token file without ``hook_created`` and the slot it names is taken: the hook can never be
            created. ``H1-free``: the same, the slot is still free. ``open``. ``H2``: disposed lock without
            ``hook_disposed`` (harmless). ``disposed``.
        token: the token where it is known.
        awaited: whether the workflow waits for its creation (a session's inbox): then ``H1`` fails the run
            with MAX_DELIVERIES_EXCEEDED after 49 deliveries; other hooks in H1 do no harm.
        system: an abort hook of the runtime.
    """

    run_id: str
    hook_id: str
    code: HookCode
    token: str = ""
    awaited: bool = False
    system: bool = False
    evidence: tuple[str, ...] = ()

    @property
    def fatal(self) -> bool:
        """Whether the run fails for good because of it."""
        return self.code == "H1" and self.awaited


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCommit:
    """How far the run itself has been committed.

    Attributes:
        code: ``R1`` record without ``run_created`` (a session fails with RUNTIME_ERROR; a child is replaced
            when its dispatch runs again). ``created``, ``R2`` (record running, ``run_started`` missing) and
            ``running`` are harmless. ``ending``: terminal lock or terminal record without the end event
            (the runtime ends it again). ``done``.
    """

    run_id: str
    code: RunCode
    status: str = ""
    end_event: str = ""
    created_at: datetime | None = None
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One incoming message, answer or child's word, by its ``hooks/resumes`` file or its event.

    Attributes:
        received: whether its ``hook_received`` event is in the log. Without it the delivery is lost, the
            client's connection broke, and the client has to send it again (docs/evidence/sweep.md#message).
        event_id: the event it names.
    """

    run_id: str
    hook_id: str
    event_id: str
    received: bool
    resume_id: str | None = None
    at: datetime | None = None
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCommits:
    """Everything about one run that can be half written.

    Attributes:
        steps: in log order; steps without any event come last, by id.
        waits, hooks: the same.
        deliveries: in log order, lost ones last.
        staged: origins of staging files left in ``.locks/runs/<run>.pending`` (harmless).
        token_locks: origins of token-lock folders that cannot be ascribed to one hook.
    """

    run: RunCommit
    steps: tuple[StepCommit, ...] = ()
    waits: tuple[WaitCommit, ...] = ()
    hooks: tuple[HookCommit, ...] = ()
    deliveries: tuple[Delivery, ...] = ()
    staged: tuple[str, ...] = ()
    token_locks: tuple[str, ...] = ()

    def step(self, step_id: str) -> StepCommit | None:
        """Return one step's state by id."""
        return next((step for step in self.steps if step.step_id == step_id), None)

    @property
    def open_steps(self) -> tuple[StepCommit, ...]:
        """The steps without a terminal event, in log order."""
        return tuple(step for step in self.steps if step.open)

    @property
    def wedged(self) -> tuple[StepCommit | WaitCommit | HookCommit, ...]:
        """What keeps the run from going on by itself. Empty for an ended run: nothing waits for it."""
        if self.run.code == "done":
            return ()
        steps: list[StepCommit | WaitCommit | HookCommit] = [step for step in self.steps if step.wedged]
        return (
            *steps,
            *(wait for wait in self.waits if wait.wedged),
            *(hook for hook in self.hooks if hook.fatal),
        )

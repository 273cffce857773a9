"""What lies there when the process dies: the only thing a runtime looks at.

A situation comes from two places and looks the same from both: from a folder as a real crash left it
(:mod:`eve_replay.recovery.observe`), and from a recording plus a point in it
(:mod:`eve_replay.recovery.plan.model`). Where the recording goes on after the point, the situation also holds
what would have come next.

These are working data of the engine, built in numbers (one per crash point): plain slotted classes without
copying. What leaves the package is frozen (:mod:`eve_replay.recovery.result`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from eve_replay.journal.commits.states import RunCode, StepCode, WaitCode
from eve_replay.journal.effects.executions import Executions
from eve_replay.journal.effects.policy import Protection
from eve_replay.journal.model import Budget, Certainty, Tokens

__all__ = [
    "FINAL_WORDS",
    "Below",
    "Code",
    "NEVER",
    "ONCE",
    "UNSURE",
    "EffectState",
    "HookState",
    "ModelState",
    "ParkState",
    "RunState",
    "Situation",
    "StepRole",
    "StepState",
    "WaitState",
]

#: ``unborn``: nothing of the step has been written yet.
Code = StepCode | Literal["unborn"]

#: What a step is for, which decides what its wedge stops:
#: ``turn`` a model step of the turn; ``function`` a ``use step`` function; ``dispatch`` starts a child run;
#: ``handover`` a child tells its parent; ``side`` runs beside the turn, nobody waits for it;
#: ``runtime`` other housekeeping that the workflow waits for.
StepRole = Literal["turn", "function", "dispatch", "handover", "side", "runtime"]

#: The words after which a parent waits for nothing more of a child. A generator (``report``), an ask or a
#: subagent (``request``, ``agent-started``) has sent several others before. Older journals hold no word.
FINAL_WORDS = frozenset({"outcome", "reply"})

NEVER = Executions(min=0, max=0)
ONCE = Executions(min=1, max=1)
UNSURE = Executions(min=0, max=1)


@dataclass(slots=True, kw_only=True)
class ModelState:
    """The model calls of a step.

    Attributes:
        total: calls one whole execution of the step makes (as recorded, or as far as known).
        began: calls certainly begun in executions before the crash; ``maybe``: at most.
        tokens: usage of one whole execution, None when no usage is recorded.
        again: usage of the calls begun before the crash in a body that runs again.
    """

    total: int = 0
    began: int = 0
    maybe: int = 0
    tokens: Tokens | None = None
    again: Tokens | None = None


@dataclass(slots=True, kw_only=True)
class StepState:
    """One step at the crash.

    Attributes:
        code: commit state (docs/evidence/sweep.md#writes).
        inline: whether its newest start carries ``ownerMessageId``; then it is leased.
        queued: started by a queue message: C1b is harmless.
        starts: ``step_started`` events durable at the crash.
        later_starts: starts the recording holds after the crash point for the same reason (a throw and its
            retry); what recovery would do beside its own start.
        later_known: whether ``later_starts`` says all there was (a recording that goes on).
        aborted: the record counts a start that left no event.
        threw: a throw is recorded: from now on kills use up the budget
            (docs/evidence/observed.md#throw-then-kill).
        started_at: time of the newest start.
        first_started_at: time of the first start.
        emitted: stream events of the unfinished execution that are durable (they will appear again).
        plans: indexes of the child runs it starts, durable at the crash or not.
        word: what a child tells its parent with it (``started``, ``request``, ``report``, ``outcome`` ...).
        sent: whether the queue holds the message that starts it (Python SDK); None when nothing tells.
        answered: the model's whole answer is on record beside the step (Flue); a framework that records only
            whole steps leaves it False.
        messages: how many further messages of it there may be: it follows several things that ended side by
            side, each of which starts a pass (docs/evidence/python-sdk.md#two-messages).
        evidence: event ids, newest last.
    """

    step_id: str | None
    run: int
    function: str
    role: StepRole
    code: Code
    inline: bool | None = None
    queued: bool = False
    starts: int = 0
    later_starts: int = 0
    aborted: bool = False
    threw: bool = False
    started_at: datetime | None = None
    first_started_at: datetime | None = None
    emitted: int = 0
    model: ModelState | None = None
    plans: tuple[int, ...] = ()
    evidence: tuple[str, ...] = ()
    turn_id: str | None = None
    word: str = ""
    later_known: bool = False
    sent: bool | None = None
    answered: bool = False
    messages: int = 0

    @property
    def final(self) -> bool:
        """Whether it hands over the last word of a child: its outcome, or the reply of a task that serves."""
        return self.role == "handover" and self.word in FINAL_WORDS

    @property
    def delivered(self) -> bool:
        """Whether its body has certainly run to its end, committed or not."""
        return self.code in ("done", "F1", "F2")

    @property
    def open(self) -> bool:
        """Whether anything of it is written and its end event is not."""
        return self.code not in ("unborn", "done")

    @property
    def wedged(self) -> bool:
        """Whether it can never commit by itself (docs/evidence/sweep.md#c1b)."""
        return self.code in ("F1", "F2", "C1a") or (self.code == "C1b" and not self.queued)

    @property
    def runs_again(self) -> bool:
        """Whether its body ran, at least in part, and will run again from the start."""
        return self.code in ("D", "R", "F1")

    @property
    def begins(self) -> bool:
        """Whether its body has not run and recovery starts it."""
        return self.code in ("B", "C3") or (self.code == "C1b" and self.queued)


@dataclass(slots=True, kw_only=True)
class WaitState:
    """One durable sleep at the crash."""

    wait_id: str
    code: WaitCode | Literal["unborn"]
    resume_at: datetime | None = None
    evidence: tuple[str, ...] = ()


@dataclass(slots=True, kw_only=True)
class HookState:
    """One hook that is not simply open: a lock left, or a token that can never be created.

    Attributes:
        fatal: the run fails because of it.
        deaf: what is sent to it is swallowed ("Hook not found"), without an error to anybody: a tool run
            never hears its subagent or the person it asked.
        mute: the session's inbox has no record: a message to it is refused (409), now and later.
    """

    hook_id: str
    code: str
    fatal: bool = False
    deaf: bool = False
    mute: bool = False
    evidence: tuple[str, ...] = ()


@dataclass(slots=True, kw_only=True)
class RunState:
    """One run at the crash.

    Attributes:
        role: ``session``, ``turn``, ``timeout``, ``tool``, ``workflow``.
        code: ``unborn`` when not even its record is written.
        awaited: whether the turn waits for it (a workflow tool's child: yes; a session timeout: no).
        told: a child that has already told its parent all it had to say: what happens to it no longer matters
            to the turn.
        ended: how it ended (``completed``, ``failed``, ``cancelled``), empty while it has not: its steps
            never run again, whatever is open in them.
        parent: index of the parent run, None for the root.
        sent: whether the queue holds the message that starts it (Python SDK); None when nothing tells.
        lost: deliveries whose ``hook_received`` is missing (docs/evidence/sweep.md#message).
        call: the call that started it, where that is known.
    """

    index: int
    run_id: str
    role: str
    code: RunCode | Literal["unborn"]
    awaited: bool = True
    told: bool = False
    parent: int | None = None
    steps: list[StepState] = field(default_factory=list)
    waits: list[WaitState] = field(default_factory=list)
    hooks: list[HookState] = field(default_factory=list)
    lost: int = 0
    token_lock: bool = False
    evidence: tuple[str, ...] = ()
    workflow: str = ""
    ended: str = ""
    sent: bool | None = None
    call: str = ""

    @property
    def over(self) -> bool:
        """Whether nothing of it runs any more."""
        return self.code in ("done", "ending")


@dataclass(slots=True, kw_only=True)
class EffectState:
    """One effect at the crash.

    Attributes:
        before: executions by the time of the crash.
        step: the step that executes it (next), None when none will.
        child: index of the child run whose steps hold it, None for the session's own.
        gate: ``approval`` while a person has not allowed it; ``lost`` when the answer went to a request that
            dies with its step (docs/evidence/sweep.md#approval).
        later: executions that recorded retries add beside recovery.
        unborn: the call is only known from the recording's future.
        doubtful: requested in an answer whose approvals may not have reached the stream yet, and nothing in
            the journal tells that its tool asks nobody.
        stage: how far its own records go, where each call has some (Flue): ``settled`` (an outcome, or it can
            never get one), ``open`` (asked for in a whole answer, no outcome), ``asked`` (in an answer that
            is not whole), ``unborn``; empty where only whole steps are recorded.
        durable: whether it runs again with its recorded steps replayed; None when nothing tells (the journal
            does not name durable tools: a recorded step proves one, the effects policy declares one).
        within: the call that it is a recorded step of.
        delegate: of a call that starts a conversation: ``missing`` (not created), ``bare`` (created, its
            input not written), ``begun``; empty for any other.
        late: it was cut off and not waited for: its function may still act, in a process that lives.
    """

    tool: str
    kind: str
    call_id: str | None
    call_ids: tuple[str, ...] = ()
    coordinate: tuple[str, int] | None = None
    position: int | None = None
    before: Executions = NEVER
    step: StepState | None = None
    child: int | None = None
    gate: Literal["approval", "lost"] | None = None
    protection: Protection | None = None
    why: str = ""
    evidence: tuple[str, ...] = ()
    certainty: Certainty = "implied"
    business: object = None
    unborn: bool = False
    doubtful: bool = False
    stage: Literal["", "settled", "open", "asked", "unborn"] = ""
    durable: bool | None = False
    within: str | None = None
    delegate: Literal["", "missing", "bare", "begun"] = ""
    late: bool = False


@dataclass(slots=True, kw_only=True)
class ParkState:
    """One wait by design that is open at the crash (or comes after it in the recording)."""

    kind: str
    of_whom: str = ""
    due: datetime | None = None
    asked: str = ""
    tool: str | None = None
    lost: bool = False


@dataclass(slots=True, kw_only=True)
class Below:
    """The session of a subagent, below one run of this one.

    Attributes:
        situation: what lies there of it.
        under: index of the run that waits for it.
        told: it has given all the answers it was asked for: what happens to it no longer matters here.
        heard: an answer of a person is on its way down to it.
    """

    situation: Situation
    under: int
    told: bool = False
    heard: bool = False


@dataclass(slots=True, kw_only=True)
class Situation:
    """Everything at the crash.

    Attributes:
        session_id, turn_id: what the question is about; a plain SDK run has no turn.
        runs: the root run first.
        open_turn: whether something was going on (a turn begun and not committed, or a plain run not ended).
        message_lost: a message or answer was on its way and its event is not durable.
        parked: what the session waits for by design, now.
        future_parks: what the rest of the recorded turn will wait for.
        at: time of the crash, None when not known.
        plain: a plain SDK run, no eve session.
        framework: who wrote it (``Session.framework``).
        eve_version: as recorded.
        near: steps (by ``id``) a moment earlier or later, where concurrent writes may have been the other way
            round (docs/evidence/observed.md#order: up to 80 ms).
        complete: whether the future of the turn is known from the recording.
        ends: how the turn ended in the recording, in words.
        below: the sessions of subagents below its runs.
        more: whether the turn needs another step after the one that is open; None when nothing tells.
        asks: how many requests to a person are open that the log holds no answer to.
        unread: what the model was answering had not reached the stream whole: the list of calls may be
            incomplete (several tools of one answer, holes in the stream). ``unnamed``: the sentence for it,
            where a runtime has its own.
        budget: attempts, deadline, lease and abort intent of the turn, where the framework keeps a row of it.
        final: the last answer is whole and asks for nothing more; ``settling`` its end is being written.
        answering: an answer was begun and is not whole; ``partial`` some text of it is durable.
        hooks: start hooks may have run and their marker is not durable.
        outside: only what a client is shown was read: what recovery works on is not in it.
    """

    session_id: str
    turn_id: str | None
    runs: list[RunState]
    effects: list[EffectState]
    open_turn: bool = True
    message_lost: bool = False
    parked: list[ParkState] = field(default_factory=list)
    future_parks: list[ParkState] = field(default_factory=list)
    at: datetime | None = None
    plain: bool = False
    framework: str = "eve"
    eve_version: str | None = None
    complete: bool = False
    ends: str = ""
    title: str = ""
    near: dict[int, tuple[StepState, ...]] = field(default_factory=dict)
    below: list[Below] = field(default_factory=list)
    more: bool | None = None
    asks: int = 0
    unread: bool = False
    unnamed: str = ""
    budget: Budget | None = None
    final: bool = False
    settling: bool = False
    answering: bool = False
    partial: bool = False
    hooks: bool = False
    outside: bool = False

    @property
    def root(self) -> RunState:
        """The session's owning run."""
        return self.runs[0]

    @property
    def steps(self) -> list[StepState]:
        """All steps of all runs."""
        return [step for run in self.runs for step in run.steps]

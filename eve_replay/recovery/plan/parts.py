"""The parts of a prepared turn: steps, runs, sleeps, hooks, effects, parks with places of their writes.

A place is an index into the order of writes; ``FAR`` stands for "never in this recording".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from eve_replay.journal.effects.executions import Executions
from eve_replay.journal.effects.policy import Protection
from eve_replay.journal.model import Park, Tokens
from eve_replay.recovery.situation import ONCE, EffectState, StepRole

__all__ = [
    "FAR",
    "PlanCall",
    "PlanEffect",
    "PlanHook",
    "PlanPark",
    "PlanPart",
    "PlanRun",
    "PlanStart",
    "PlanStep",
    "PlanWait",
]

#: Beyond every place: never written in this recording.
FAR = 1 << 60


@dataclass(slots=True, kw_only=True)
class PlanCall:
    """One model call of one attempt: its step index, begun no earlier than, answered at, tokens."""

    index: int
    begun: int
    answered: int
    tokens: Tokens | None = None


@dataclass(slots=True, kw_only=True)
class PlanStart:
    """One start of a step body.

    Attributes:
        running, started: places of the record ``running`` and of ``step_started``.
        threw: whether this start ended with ``step_retrying``; ``retried`` its place.
        chunks: places of its stream events, ascending.
    """

    running: int
    started: int
    at: datetime | None = None
    inline: bool = False
    threw: bool = False
    retried: int = FAR
    chunks: tuple[int, ...] = ()
    calls: tuple[PlanCall, ...] = ()
    evidence: str = ""


@dataclass(slots=True, kw_only=True)
class PlanStep:
    """One step with the places of its writes."""

    step_id: str
    run: int
    function: str
    role: StepRole
    queued: bool
    lock: int
    record: int
    created: int
    starts: tuple[PlanStart, ...] = ()
    terminal: int = FAR
    ended: int = FAR
    end: int = FAR
    plans: tuple[int, ...] = ()
    turn_id: str | None = None
    word: str = ""
    optimistic: bool = False
    created_evidence: str = ""
    end_evidence: str = ""
    sent: int | None = None
    messages: int = 0
    _cuts: list[int] | None = None

    @property
    def cuts(self) -> list[int]:
        """Places of everything that changes the step's state, ascending."""
        if self._cuts is None:
            found = {self.lock, self.record, self.created, self.terminal, self.ended, self.end}
            if self.sent is not None:
                found.add(self.sent)
            for start in self.starts:
                found |= {start.running, start.started, start.retried, *start.chunks}
                for call in start.calls:
                    found |= {call.begun, call.answered}
            self._cuts = sorted(found)
        return self._cuts


@dataclass(slots=True, kw_only=True)
class PlanWait:
    """One durable sleep."""

    wait_id: str
    lock: int
    event: int
    done_lock: int = FAR
    done_event: int = FAR
    resume_at: datetime | None = None


@dataclass(slots=True, kw_only=True)
class PlanHook:
    """One hook's creation: between lock and unlock, and between file and event, something is half written.

    ``deaf_until``: from its token file to this place nobody can answer it; nothing mends that (Python SDK).
    """

    hook_id: str
    lock: int
    file: int
    unlock: int
    event: int
    awaited: bool = False
    taken: bool = False
    relock: int = FAR
    reunlock: int = FAR
    deaf_until: int = 0


@dataclass(slots=True, kw_only=True)
class PlanRun:
    """One run with the places of its own writes."""

    index: int
    run_id: str
    role: str
    workflow: str
    awaited: bool = True
    parent: int | None = None
    record: int = 0
    created: int = 0
    running: int = 0
    started: int = 0
    lock: int = FAR
    end: int = FAR
    told: int = FAR
    ended: str = ""
    sent: int | None = None
    steps: list[PlanStep] = field(default_factory=list)
    waits: list[PlanWait] = field(default_factory=list)
    hooks: list[PlanHook] = field(default_factory=list)
    #: Deliveries as (first write, hook_received): in between the client believes in vain.
    deliveries: list[tuple[int, int]] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class PlanPart:
    """What one attempt did to one effect.

    Attributes:
        start: place of its ``step_started``; ``begin`` no earlier than; ``proof`` when it had certainly run.
        close: place at which the attempt was over (next start or terminal lock).
        final: executions as the recording says, once the attempt is over.
    """

    start: int
    begin: int
    proof: int
    close: int
    final: Executions
    step: PlanStep


@dataclass(slots=True, kw_only=True)
class PlanEffect:
    """One effect of the turn."""

    tool: str
    kind: str
    call_id: str | None
    call_ids: tuple[str, ...]
    coordinate: tuple[str, int] | None
    position: int | None
    parts: list[PlanPart]
    home: PlanStep | None
    child: int | None = None
    protection: Protection | None = None
    #: Place from which a person's approval is durable; 0 when none is needed.
    allowed: int = 0
    #: Requests (asked at, step): an answer to one whose step is not committed is lost.
    asked: list[tuple[int, PlanStep]] = field(default_factory=list)
    children: list[int] = field(default_factory=list)
    evidence: tuple[str, ...] = ()
    #: Whole executions one future run of the step makes of it.
    each: Executions = ONCE
    states: dict[tuple[int, int, int], EffectState] = field(default_factory=dict)
    _cuts: list[int] | None = None

    @property
    def cuts(self) -> list[int]:
        """Places of everything that changes the effect's own state, ascending."""
        if self._cuts is None:
            found = {
                place for part in self.parts for place in (part.start, part.begin, part.proof, part.close)
            }
            for asked, step in self.asked:
                found |= {asked, step.end}
            self._cuts = sorted(found)
        return self._cuts


@dataclass(slots=True, kw_only=True)
class PlanPark:
    """One park: since and until as places."""

    park: Park
    since: int
    until: int

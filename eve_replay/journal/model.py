"""The shapes everything above the records works with: sessions, runs, turns, steps, attempts.

Plain frozen data, built once by the modules beside this one. A fact about *execution* (what ran, what came
back, what released a park) carries a ``certainty`` and the ``evidence`` it stands on. Payloads stay payloads:
nothing here is decoded until ``.value`` or ``.at()`` of one is asked for.

Words are those of docs/words.md. Times are aware datetimes in UTC, None where the journal has none.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar

from eve_replay.brief import Brief
from eve_replay.codec import Payload
from eve_replay.errors import NotFound, WrongUse
from eve_replay.ids import FunctionName, short_id
from eve_replay.journal.asked import Asked
from eve_replay.journal.model_parts import (
    BodyRan,
    Budget,
    Certainty,
    Coordinate,
    Evidence,
    EvidenceKind,
    Message,
    MessageRole,
    ModelCall,
    Outcome,
    Park,
    ParkKind,
    Ran,
    RunRole,
    SessionKind,
    StepKind,
    StreamEvent,
    Tokens,
    ToolCall,
    TurnStatus,
)
from eve_replay.journal.model_turns import Attempt, Step, Turn
from eve_replay.problems import Gap, Lacking, Problem
from eve_replay.records import (
    EventRecord,
    HookRecord,
    MarkRecord,
    RunRecord,
    StepRecord,
    StreamRecord,
    WaitRecord,
)

__all__ = [
    "Attempt",
    "BodyRan",
    "Budget",
    "Certainty",
    "Coordinate",
    "Evidence",
    "EvidenceKind",
    "Message",
    "MessageRole",
    "ModelCall",
    "Outcome",
    "Park",
    "ParkKind",
    "Ran",
    "Run",
    "RunRole",
    "Session",
    "SessionHead",
    "SessionKind",
    "Step",
    "StepKind",
    "StreamEvent",
    "Tokens",
    "ToolCall",
    "Turn",
    "TurnStatus",
]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, weakref_slot=True)
class Run(Asked, Brief):
    """One workflow execution with all it holds.

    Attributes:
        role: ``session`` (owns a conversation), ``turn`` (a turn's own run, eve 0.20 to 0.50), ``timeout``,
            ``tool`` (a workflow tool or the bridge to a subagent), ``workflow`` (plain SDK).
        session_id: the session it belongs to, its own id for plain SDK runs.
        parent: the run that started it; ``parent_call`` the tool call it serves, ``tool`` that tool's name.
        children: ids of runs it started, oldest first.
        status: the record's status; ``status_certainty`` is implied when only events tell.
        events: the log in order; ``hooks`` and ``waits`` what is on disk now.
        gaps: which of its lists are known not to be whole, and why.
        units: the framework's own rows about its turns, where it keeps some (Flue: submissions).
    """

    _told: ClassVar[tuple[str, ...]] = (
        "workflow",
        "role",
        "status",
        "steps",
        "events",
        "run_id",
    )

    run_id: str
    role: RunRole
    session_id: str
    record: RunRecord
    workflow: FunctionName
    status: str
    eve_version: str | None = None
    parent: str | None = None
    parent_call: str | None = None
    tool: str | None = None
    children: tuple[str, ...] = ()
    events: tuple[EventRecord, ...] = field(default=(), repr=False)
    steps: tuple[Step, ...] = ()
    hooks: tuple[HookRecord, ...] = ()
    waits: tuple[WaitRecord, ...] = ()
    streams: tuple[StreamRecord, ...] = ()
    marks: tuple[MarkRecord, ...] = field(default=(), repr=False)
    created_at: datetime | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    error: Payload | None = None
    purged: bool = False
    problems: tuple[Problem, ...] = ()
    gaps: tuple[Gap, ...] = ()
    units: tuple[StepRecord, ...] = field(default=(), repr=False)

    @property
    def log_gap(self) -> str:
        """Why the log is not known to be whole; empty when nothing says that an event is missing.

        Sentences about what is open, and counts of starts, ask this first.
        """
        if self.log_missing:
            return "steps are recorded as ended, and no event is here"
        return next((gap.why for gap in self.gaps if gap.of == "events"), "")

    @property
    def log_missing(self) -> bool:
        """Whether its event log is not here, though there are records of what only a log leads to.

        A crash between two writes leaves no such thing: a step's record says that it ended only after its
        ``step_started`` is in the log (docs/evidence/sweep.md#writes). The events were not read, or are gone.
        """
        return not self.events and any(
            step.record is not None and step.record.status in ("completed", "failed") for step in self.steps
        )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SessionHead(Brief):
    """What a list shows without reading events or payloads.

    Attributes:
        id: the id of the first run that owned the session (the run id for plain SDK runs).
        kind: ``session``, ``subagent`` (a session started by another) or ``workflow`` (plain SDK run).
        run_ids: its owning runs in order, turn runs included; ``child_ids``: runs below it that are no
            sessions themselves (timeouts, workflow tools).
        subagents: sessions started by it.
        parent: session id of the caller of a subagent.
        status: the newest owning run's record status (running, completed, failed, cancelled).
        title: ``$eve.title``, else the workflow's function name.
        framework: who wrote it, a name of ``journal.frameworks``.
    """

    id: str
    kind: SessionKind
    run_ids: tuple[str, ...]
    child_ids: tuple[str, ...] = ()
    subagents: tuple[str, ...] = ()
    parent: str | None = None
    status: str = ""
    title: str = ""
    eve_version: str | None = None
    model: str | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
    purged: bool = False
    framework: str = "eve"


@dataclass(frozen=True, slots=True, kw_only=True, weakref_slot=True, repr=False)
class Session(Asked, Brief):
    """One conversation (or one plain workflow run), fully joined.

    Attributes:
        head: the listing facts.
        runs: owning runs in order; ``children`` the runs below that are no sessions themselves.
        status: completed, failed, cancelled, running, interrupted, ``parked: KIND``, or idle (settled, a next
            message would start a turn), as in docs/words.md.
        ordered: the steps of its owning runs as they followed each other, then those of the runs below.
        steps_beside: steps of its owning runs that belong to no turn.
        stream_events: the whole session stream; ``unjoined`` those no attempt claimed.
        gaps: which lists of its runs, its stream and the store are known not to be whole, and why.
        below: the sessions it started (subagents), joined too, as far as the world holds them: what becomes
            of a session that waits for another cannot be told from its own log alone.
        store: the kind of world it lies in (``local``, ``postgres``, ``hosted`` ...), of a bundle the one
            that was packed: what can wake a run, and what a person can do about it, differ by store.
        queued: sentences about jobs for its owning runs that lie in the store's queue, where it has one.
    """

    _told: ClassVar[tuple[str, ...]] = (
        "title",
        "status",
        "framework",
        "turns",
        "steps",
        "certainty",
        "id",
    )

    head: SessionHead
    runs: tuple[Run, ...]
    children: tuple[Run, ...] = ()
    turns: tuple[Turn, ...] = ()
    status: str = ""
    certainty: Certainty = "observed"
    evidence: tuple[Evidence, ...] = ()
    parks: tuple[Park, ...] = ()
    messages: tuple[Message, ...] = ()
    ordered: tuple[Step, ...] = field(default=(), repr=False)
    steps_beside: tuple[Step, ...] = field(default=(), repr=False)
    stream_events: tuple[StreamEvent, ...] = field(default=(), repr=False)
    unjoined: tuple[StreamEvent, ...] = field(default=(), repr=False)
    problems: tuple[Problem, ...] = ()
    gaps: tuple[Gap, ...] = ()
    below: tuple[Session, ...] = field(default=(), repr=False, compare=False)
    store: str = ""
    queued: tuple[str, ...] = ()

    def missing(self, of: Lacking, run_id: str = "") -> str:
        """Return why one of its lists is not known to be whole, empty when nothing says so.

        Args:
            of: ``events``, ``steps`` or ``others`` of its runs, ``chunks`` of its own stream, ``runs`` (the
                children it may have).
            run_id: only this run's; empty asks for all of its runs.
        """
        if of == "events":
            logs = [run.log_gap for run in self.all_runs if not run_id or run.run_id == run_id]
            return next((why for why in logs if why), "")
        return next((g.why for g in self.gaps if g.of == of and (not run_id or g.run_id in ("", run_id))), "")

    @property
    def newest_at(self) -> datetime | None:
        """When the newest thing was written that the journal shows: an event, a stream event, a record.

        A run's record is written when the run changes its state, and may be days older than its last step.
        """
        events = [run.events[-1].created_at for run in self.all_runs if run.events]
        stream = [self.stream_events[-1].at] if self.stream_events else []
        times = [when for when in (*events, *stream, self.head.updated_at) if when is not None]
        return max(times, default=None)

    @property
    def id(self) -> str:
        """The session's id."""
        return self.head.id

    @property
    def kind(self) -> SessionKind:
        """session, subagent or workflow."""
        return self.head.kind

    @property
    def framework(self) -> str:
        """Who wrote it: ``eve``, ``workflow-sdk``, ``python-sdk``, ``flue`` or another framework's name."""
        return self.head.framework

    @property
    def title(self) -> str:
        """What a person calls it."""
        return self.head.title

    @property
    def eve_version(self) -> str | None:
        """The eve version that wrote its newest run."""
        return self.head.eve_version

    @property
    def subagents(self) -> tuple[str, ...]:
        """Ids of the sessions it started."""
        return self.head.subagents

    @property
    def all_runs(self) -> tuple[Run, ...]:
        """Owning runs and the runs below."""
        return self.runs + self.children

    @property
    def steps(self) -> tuple[Step, ...]:
        """Every step: those of its owning runs as they followed each other, then those of the runs below."""
        return self.ordered or tuple(step for run in self.all_runs for step in run.steps)

    @property
    def repeated(self) -> tuple[Step, ...]:
        """The steps that were started more than once, as far as the log tells, in order."""
        return tuple(step for step in self.steps if len(step.attempts) > 1)

    def turn(self, wanted: str | int) -> Turn:
        """Return a turn by its id, its number, or the id of the message that opened it.

        Raises:
            NotFound: there is none; ``turn_called`` answers None.
        """
        found = self.turn_called(str(wanted))
        if found is None:
            known = ", ".join(turn.id for turn in self.turns[:8])
            hint = f"Its turns: {known}." if known else "It has no turns."
            raise NotFound(f"Session {self.id} has no turn {wanted!r}.", hint=hint)
        return found

    def turn_called(self, wanted: str) -> Turn | None:
        """Return a turn by its id, its number, or the id of the message that opened it; None without one."""
        named = (wanted, f"turn_{wanted}")
        exact = (turn for name in named for turn in self.turns if turn.id == name)
        same = (t for t in self.turns if wanted in t.delivery_ids or wanted == str(t.sequence))
        return next(exact, None) or next(same, None)

    def step(self, wanted: str) -> Step:
        """Return a step by its id or the end of it.

        Raises:
            NotFound: it has none.
            WrongUse: the end fits several.
        """
        end = wanted.rpartition("…")[2]
        exact = [step for step in self.steps if step.step_id == wanted]
        found = exact or [step for step in self.steps if len(end) >= 4 and step.step_id.endswith(end)]
        if not found:
            known = ", ".join(dict.fromkeys(short_id(step.step_id) for step in self.steps[:8])) or "none"
            raise NotFound(f"Session {self.id} has no step {wanted!r}.", hint=f"Its steps: {known}.")
        if len(found) > 1:
            raise WrongUse(f"{wanted!r} fits {len(found)} steps.", hint="Give more letters of the id.")
        return found[0]

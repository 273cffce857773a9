"""What lies there now, as a situation: the state of a journal after a real crash, or while it runs."""

from __future__ import annotations

from datetime import datetime

from eve_replay.journal.commits.of_run import commits_of
from eve_replay.journal.commits.states import StepCommit
from eve_replay.journal.effects.build import effects_of
from eve_replay.journal.effects.policy import EffectsLike
from eve_replay.journal.frameworks.workflow.messages import recorded_answer
from eve_replay.journal.model import Park, Run, Session, Step, Turn
from eve_replay.journal.settled import between_steps
from eve_replay.recovery.observe_effects import EffectReader
from eve_replay.recovery.observe_parts import (
    claimed_attributes,
    guess_unknown,
    how_ended,
    is_deaf,
    is_unanswerable,
    kind_of,
    model_state,
    note_unsent,
    on_its_way,
    park_state,
    unrecorded_inboxes,
)
from eve_replay.recovery.roles import awaited_run, role_of, step_word
from eve_replay.recovery.situation import (
    Below,
    EffectState,
    HookState,
    RunState,
    Situation,
    StepState,
    WaitState,
)

__all__ = ["observe"]

_PEOPLE = ("approval", "question", "sign-in")
_OVER = ("completed", "failed", "cancelled")


def observe(session: Session, effects: EffectsLike = None) -> Situation:
    """Return the situation of a session (or plain run) as it lies there.

    Args:
        session: the joined session.
        effects: the user's effects policy.
    """
    return _Observer(session, effects).situation()


class _Observer:
    def __init__(self, session: Session, effects: EffectsLike) -> None:
        self.session = session
        self.policy = effects
        self.plain = session.kind == "workflow"
        self.python = session.framework == "python-sdk"
        self.turn: Turn | None = session.turns[-1] if session.turns else None
        self.commits = {run.run_id: commits_of(run) for run in session.all_runs}
        self.steps = {step.step_id: step for step in session.steps}
        self.starters = {child: step for step in session.steps for child in step.dispatched}
        self.states: dict[str, StepState] = {}
        self.index: dict[str, int] = {}

    def situation(self) -> Situation:
        """Put everything together."""
        runs = [self._run(n, run) for n, run in enumerate(self._runs())]
        self._link(runs)
        parks = [p for p in self.session.parks if p.open and not p.lost]
        situation = Situation(
            session_id=self.session.id,
            turn_id=self.turn.id if self.turn else None,
            runs=runs,
            effects=[],
            at=self._last_sign(),
            plain=self.plain,
            framework=self.session.framework,
            eve_version=self.session.eve_version,
            title=self.session.title,
            parked=[park_state(p) for p in parks],
        )
        situation.message_lost = self._lost(runs)
        situation.effects = self._effects(situation)
        situation.below = self._below()
        situation.open_turn = self._open(situation)
        situation.asks = len(self._asked())
        situation.more = self._more(situation)
        situation.unread = self._unread()
        if self.turn is not None and self.turn.status in _OVER and self.turn.committed:
            situation.ends = self.turn.status
        return situation

    # -- runs ---------------------------------------------------------------------------------------------

    def _runs(self) -> list[Run]:
        """The newest owning run first, other owners, then the children that are not over."""
        owners = list(self.session.runs)
        root = owners[-1] if owners else None
        if root is None:
            return []
        wanted = [root, *owners[:-1]]
        for run in self.session.children:
            if self._of_turn(run) or self.commits[run.run_id].run.code != "done":
                wanted.append(run)
        self.index = {run.run_id: n for n, run in enumerate(wanted)}
        return wanted

    def _of_turn(self, run: Run) -> bool:
        """Whether a child was started for the newest turn: its starter works for it, or for none it names."""
        starter = self.starters.get(run.run_id)
        return self.plain or starter is None or self._in_turn(starter)

    def _in_turn(self, step: Step) -> bool:
        if self.turn is None or step.turn_id is not None:
            return self.turn is None or step.turn_id == self.turn.id
        # A dispatch at the end of the log names no turn yet: it is the newest one's when it comes after
        # its start.
        commit = self.commits[step.run_id].step(step.step_id)
        first = self._first_slot(step.run_id)
        return commit is not None and (commit.created_slot is None or commit.created_slot >= first)

    def _first_slot(self, run_id: str) -> int:
        ids = {s.step_id for s in self.turn.steps} if self.turn else set()
        slots = [
            c.created_slot
            for c in self.commits[run_id].steps
            if c.step_id in ids and c.created_slot is not None
        ]
        return min(slots, default=0)

    def _run(self, n: int, run: Run) -> RunState:
        commits = self.commits[run.run_id]
        starter = self.starters.get(run.run_id)
        owner = run.run_id in {r.run_id for r in self.session.runs}
        parent = self.index.get(starter.run_id) if starter is not None else self.index.get(run.parent or "")
        state = RunState(
            index=n,
            run_id=run.run_id,
            role=run.role,
            code=commits.run.code,
            awaited=n == 0 or (not owner and self._of_turn(run) and awaited_run(run, starter)),
            parent=None if n == 0 else (parent if parent is not None else 0),
            workflow=run.workflow.function,
            ended=how_ended(run, commits),
            evidence=commits.run.evidence,
            token_lock=bool(commits.token_locks) and n == 0,
        )
        for commit in commits.steps:
            step = self.steps.get(commit.step_id)
            if not self._relevant(commit, step, n):
                continue
            each = self._step(commit, step, n)
            self.states[commit.step_id] = each
            state.steps.append(each)
        guess_unknown(state)
        if self.python:
            note_unsent(state, run)
        state.waits = [
            WaitState(wait_id=w.wait_id, code=w.code, resume_at=w.resume_at, evidence=w.evidence)
            for w in commits.waits
            if w.code != "done" and commits.run.code != "done"
        ]
        state.hooks = [
            HookState(hook_id=hook_id, code="H3", mute=True, evidence=(event_id,))
            for hook_id, event_id in unrecorded_inboxes(run)
        ] + [
            HookState(
                hook_id=h.hook_id,
                code=h.code,
                fatal=h.fatal,
                deaf=is_unanswerable(h, run) if self.python else run.role == "tool" and is_deaf(h, run),
                evidence=h.evidence,
            )
            for h in commits.hooks
            if h.code in ("H1", "H1-free")
        ]
        if self.python:
            state.hooks += claimed_attributes(run)
        words = [s for s in state.steps if s.role == "handover"]
        # A journal without words (an older one, or purged) had one: the outcome.
        state.told = any(s.delivered and (s.final or not s.word) for s in words)
        return state

    def _relevant(self, commit: StepCommit, step: Step | None, run: int) -> bool:
        if commit.open or run > 0 or self.plain or step is None:
            return True
        if self._in_turn(step):
            return True
        # What lies beside the first turn (creating the session, its timeout) belongs to its story.
        return step.turn_id is None and len(self.session.turns) <= 1

    def _step(self, commit: StepCommit, step: Step | None, run: int) -> StepState:
        kind = step.kind if step is not None else kind_of(commit)
        state = StepState(
            step_id=commit.step_id,
            run=run,
            function=commit.function or (step.function if step else "") or "a step",
            role=role_of(commit.function, kind, dispatched=bool(step and step.dispatched)),
            code=commit.code,
            inline=commit.inline,
            queued=commit.queued,
            starts=commit.starts,
            aborted=commit.aborted_start,
            threw=commit.threw,
            started_at=commit.last_started_at,
            first_started_at=commit.first_started_at,
            turn_id=step.turn_id if step else None,
            word=step_word(step),
            evidence=commit.evidence,
        )
        if step is not None and step.attempts:
            newest = step.attempts[-1]
            state.emitted = len(newest.stream_events) if commit.open else 0
        if state.role == "turn":
            state.model = model_state(step, state)
        return state

    def _link(self, runs: list[RunState]) -> None:
        for run in runs:
            for state in run.steps:
                step = self.steps.get(state.step_id or "")
                if step is None:
                    continue
                known = tuple(self.index[c] for c in step.dispatched if c in self.index)
                state.plans = known

    # -- what is going on ---------------------------------------------------------------------------------

    def _lost(self, runs: list[RunState]) -> bool:
        """Whether a delivery to the session is on its way without its event, and is not an old left-over."""
        if not runs or any(s.role == "handover" and s.open for run in runs[1:] for s in run.steps):
            return False
        if self.session.kind == "subagent":
            # Its caller delivers by a step of its own, which is not committed before it has delivered.
            return False
        root = self.session.runs[-1]
        newest = max((e.slot or 0 for e in root.events), default=0)
        return any(on_its_way(d, newest) for d in self.commits[root.run_id].deliveries)

    def _open(self, situation: Situation) -> bool:
        root = situation.root if situation.runs else None
        if root is None or root.code == "done":
            return False
        if root.code in ("R1", "created", "R2", "unborn") and not any(s.starts for s in root.steps):
            # A run_started that was never written does no harm later on (docs/evidence/sweep.md#side-step):
            # its steps tell.
            return True
        awaited = [run for run in situation.runs if run.index == 0 or (run.awaited and not run.told)]
        if any(s.open and s.role != "side" for run in awaited for s in run.steps):
            return True
        if self.plain:
            # A hook that is open is no proof that the code has come to wait for it: something may be due.
            return (
                not any(p.kind == "webhook" for p in situation.parked)
                or any(w.code != "done" for run in awaited for w in run.waits)
                or between_steps(self.session.runs[-1]) is not None
            )
        if any(run.index and run.code not in ("done", "ending") for run in awaited):
            return True
        if any(m.role == "pending" and m.event_id for m in self.session.messages):
            return True
        if self.turn is None:
            return any(m.role in ("opened", "pending") for m in self.session.messages)
        if self.turn.status in _OVER:
            return not self.turn.committed
        waits_for = {p.kind for p in situation.parked}
        if waits_for & set(_PEOPLE):
            return self._answered()
        return True

    def _answered(self) -> bool:
        """Whether the log holds a delivery after the last committed step: then the turn goes on by itself."""
        root = self.session.runs[-1]
        last_end = last_word = -1
        inbox = {
            h.hook_id
            for h in self.commits[root.run_id].hooks
            if h.token.startswith("eve:inbox:") or not h.token
        }
        for place, event in enumerate(root.events):
            if event.event_type in ("step_completed", "step_failed"):
                step = self.steps.get(event.correlation_id or "")
                if step is None or step.kind == "turn":
                    last_end = place
            elif event.event_type == "hook_received" and event.correlation_id in inbox:
                last_word = place
        return last_word > last_end

    def _last_sign(self) -> datetime | None:
        times: list[datetime] = [
            e.created_at for run in self.session.all_runs for e in run.events[-3:] if e.created_at
        ]
        for chunk in self.session.stream_events[-3:]:
            at = chunk.stored_at or chunk.at
            if at is not None:
                times.append(at)
        return max(times, default=None)

    # -- subagents ----------------------------------------------------------------------------------------

    def _below(self) -> list[Below]:
        """The sessions of subagents whose caller is one of these runs."""
        out = []
        for session in self.session.below:
            caller = next((r.parent for r in session.runs if r.parent), None)
            under = self.index.get(caller or "")
            if under is None or not session.runs:
                continue
            inner = observe(session, self.policy)
            out.append(
                Below(
                    situation=inner, under=under, told=_has_told(session, inner), heard=self._heard(session)
                )
            )
        return out

    def _heard(self, session: Session) -> bool:
        """Whether a person's answer is on its way down to a subagent: its turn goes on by itself.

        The caller takes the answer first and routes it (``routeProxiedDeliverStep``); until that step has
        committed the subagent may not have it in its own log yet.
        """
        root = self.session.runs[-1]
        routing = any(
            s.function == "routeProxiedDeliverStep" and s.code not in ("done", "C1a", "C1b")
            for s in (self.states.get(step.step_id) for step in root.steps)
            if s is not None
        )
        asked = {p.request_id for p in session.parks if p.open and not p.lost and p.request_id}
        answered = any(recorded_answer(self.session.messages, request) is not None for request in asked)
        return routing or (bool(asked) and answered and self._answered())

    def _asked(self) -> list[Park]:
        """What a person is asked and the log holds no answer to."""
        out = []
        for park in self.session.parks:
            if not park.open or park.lost or park.kind not in _PEOPLE:
                continue
            if recorded_answer(self.session.messages, park.request_id) is not None:
                continue
            if park.request_id is None and self._answered():
                continue
            out.append(park)
        return out

    def _more(self, situation: Situation) -> bool | None:
        """Whether the turn needs another step after the open one, as far as the stream tells."""
        if not situation.runs or self.turn is None:
            return None
        open_ = [s for s in situation.root.steps if s.open and s.role == "turn"]
        if not open_:
            return None if self.turn.status not in _OVER else False
        step = self.steps.get(open_[-1].step_id or "")
        if step is None or not step.attempts:
            return None
        calls = [c for a in step.attempts for c in a.model_calls]
        if not calls:
            return None
        if any(a.tool_calls for a in step.attempts) or calls[-1].call_ids:
            return True
        return False if calls[-1].status == "completed" else None

    def _unread(self) -> bool:
        """Whether an answer of the model may not have reached the stream whole.

        Tools act before their request is durable, and chunks of one step are written concurrently: only a
            call
        of the model that is over, with a result for everything it asked for, is known to be whole.
        """
        for state in self.states.values():
            step = self.steps.get(state.step_id or "")
            if state.role != "turn" or state.code not in ("D", "F1", "R"):
                continue
            if step is None or not step.attempts:
                continue
            newest = step.attempts[-1]
            last = newest.model_calls[-1] if newest.model_calls else None
            over = last is not None and last.status == "completed"
            whole = over and all(call.returned for call in newest.tool_calls)
            if newest.outcome in ("interrupted", "running") and not whole:
                return True
        return False

    # -- effects ------------------------------------------------------------------------------------------

    def _effects(self, situation: Situation) -> list[EffectState]:
        out = []
        reader = EffectReader(self.session, self.index, self.states, self.steps)
        turn_id = self.turn.id if self.turn else None
        for effect in effects_of(self.session, self.policy):
            if not self.plain and effect.turn_id not in (turn_id, None):
                continue
            if effect.run_id not in self.index and effect.turn_id is None:
                continue
            out.append(reader.read(effect, situation))
        return out


def _has_told(session: Session, inner: Situation) -> bool:
    """Whether a subagent has given every answer it was asked for: nothing is open, or its caller has it."""
    if inner.root.over and inner.root.ended == "completed":
        return True
    told = [s for s in inner.root.steps if s.function == "notifyTurnCallerStep"]
    turns = len(session.turns)
    if turns and sum(1 for s in told if s.delivered) >= turns:
        return True
    return not inner.open_turn and not inner.asks and bool(told) and all(s.code == "done" for s in told)

"""From a joined session to a :class:`Plan`: which steps, runs, effects and parks belong to a turn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from eve_replay.errors import NotFound
from eve_replay.journal.effects import Effect, effects_of
from eve_replay.journal.executions import Execution, Executions
from eve_replay.journal.model import Attempt, Park, Run, Session, Step, Turn
from eve_replay.journal.policy import EffectsPolicy
from eve_replay.records import EventRecord
from eve_replay.recovery.plan import (
    FAR,
    Plan,
    PlanCall,
    PlanEffect,
    PlanHook,
    PlanPark,
    PlanPart,
    PlanRun,
    PlanStart,
    PlanStep,
    PlanWait,
)
from eve_replay.recovery.roles import awaited_run, step_role
from eve_replay.recovery.situation import NEVER
from eve_replay.recovery.writes import Writes, session_writes
from eve_replay.times import parse_time

__all__ = ["SessionPlans", "session_plans"]


class SessionPlans:
    """The plans of one session: writes and effects are worked out once, turns are cut out of them."""

    def __init__(
        self,
        session: Session,
        effects: EffectsPolicy | Mapping[str, object] | str | None = None,
        *,
        fine: bool | None = None,
    ) -> None:
        self.session = session
        # Lock and token files are the sign of a world that commits in small writes (the local one).
        self.fine = any(run.marks for run in session.all_runs) if fine is None else fine
        self.writes: Writes = session_writes(session, fine=self.fine)
        self.effects: tuple[Effect, ...] = effects_of(session, effects)
        self._starters = {child: step for step in session.steps for child in step.dispatched}
        self._steps = {step.step_id: step for step in session.steps}
        self._plans: dict[str | None, Plan] = {}
        self._built: dict[str, PlanStep] = {}
        self._bounds: dict[str, tuple[int, int]] | None = None

    def plan(self, turn_id: str | None = None) -> Plan:
        """Return the plan of a turn, or of the whole run for a plain SDK run (``None``).

        Raises:
            NotFound: the session has no such turn.
        """
        if turn_id not in self._plans:
            if turn_id is None:
                self._plans[None] = self._whole()
            else:
                turn = self.session.turn(turn_id)
                if turn is None:
                    known = ", ".join(t.id for t in self.session.turns[:8]) or "none"
                    raise NotFound(f"The session has no turn {turn_id!r}.", hint=f"Its turns: {known}.")
                self._plans[turn_id] = self._turn(turn)
        return self._plans[turn_id]

    def default_turn(self) -> str | None:
        """Return the turn that is meant when none is named: the only one; None for a plain run.

        Raises:
            NotFound: there are several turns, or none yet.
        """
        turns = self.session.turns
        if self.session.kind == "workflow":
            return None
        if len(turns) == 1:
            return turns[0].id
        known = ", ".join(t.id for t in turns[:8]) or "none yet"
        raise NotFound("Which turn?", hint=f"The session's turns: {known}.")

    # -- cutting ------------------------------------------------------------------------------------------

    def _whole(self) -> Plan:
        runs = list(self.session.all_runs)
        built = self._runs(runs, {s.step_id for s in self.session.steps})
        return self._finish(built, None, 0, len(self.writes), 0, FAR)

    def _turn(self, turn: Turn) -> Plan:
        first, last, opened, closed = self._window(turn)
        place = self.writes.place
        wanted = set()
        for run in self.session.runs:
            for step in run.steps:
                own = step.turn_id == turn.id
                created = place.get(("created", step.step_id), place.get(("pending", step.step_id), FAR))
                beside = step.turn_id is None and first <= created < last
                # Work beside an earlier turn that is still open when this one begins can stop it too.
                hanging = (
                    step.turn_id is None and created < first and place.get(("end", step.step_id), FAR) > first
                )
                if own or beside or hanging:
                    wanted.add(step.step_id)
        starters = {c for s in wanted for c in self._steps[s].dispatched}
        children = [
            run
            for run in self.session.children
            if run.run_id in starters
            or (run.run_id not in self._starters and first <= place.get(("run", run.run_id), FAR) < last)
        ]
        ids = list(dict.fromkeys([*turn.run_ids, *(self._steps[s].run_id for s in wanted)]))
        owners = [run for run in self.session.runs if run.run_id in ids] or list(self.session.runs[:1])
        wanted |= {step.step_id for run in children for step in run.steps}
        built = self._runs([*owners, *children], wanted, (first, last))
        return self._finish(built, turn, first, last, opened, closed)

    def _window(self, turn: Turn) -> tuple[int, int, int, int]:
        """Return first, last, opened, closed: see :class:`Plan`."""
        if self._bounds is None:
            self._bounds = self._all_bounds()
        turns = [t.id for t in self.session.turns]
        index = turns.index(turn.id)
        first, opened = self._bounds[turn.id]
        following = turns[index + 1 :]
        last = self._bounds[following[0]][0] if following else len(self.writes)
        ends = [self.writes.place.get(("end", s.step_id), FAR) for s in turn.steps]
        closed = max(ends, default=FAR)
        over = turn.status in ("completed", "failed", "cancelled")
        return first, last, opened, closed + 1 if over and closed < FAR else FAR

    def _all_bounds(self) -> dict[str, tuple[int, int]]:
        """Per turn: place of the first write of the delivery that opened it, and where it is durable."""
        place = self.writes.place
        opening: dict[str, tuple[str, str]] = {}
        for message in self.session.messages:
            if message.turn_id is not None and message.role == "opened":
                opening.setdefault(message.turn_id, (message.run_id, message.event_id))
        out: dict[str, tuple[int, int]] = {}
        previous = 0
        for index, turn in enumerate(self.session.turns):
            run_id, event_id = opening.get(turn.id, ("", ""))
            received = place.get(("received", run_id, event_id)) if event_id else None
            if index == 0:
                root = self.session.runs[0].run_id if self.session.runs else ""
                out[turn.id] = (0, place.get(("run-created", root), 0) + 1)
            elif received is not None:
                out[turn.id] = (place.get(("resume", run_id, event_id), received), received + 1)
            else:
                created = [
                    place.get(("lock", s.step_id), place.get(("created", s.step_id), FAR)) for s in turn.steps
                ]
                start = min(created, default=previous)
                start = previous if start == FAR else start
                out[turn.id] = (start, start)
            previous = out[turn.id][0]
        return out

    # -- building -----------------------------------------------------------------------------------------

    def _finish(
        self, runs: list[PlanRun], turn: Turn | None, first: int, last: int, opened: int, closed: int
    ) -> Plan:
        steps = {s.step_id: s for run in runs for s in run.steps}
        index = {run.run_id: run.index for run in runs}
        for run in runs:
            for step in run.steps:
                step.plans = tuple(index[c] for c in self._steps[step.step_id].dispatched if c in index)
        self._tell(runs)
        effects = [
            built
            for effect in self.effects
            if (turn is None or effect.turn_id in (turn.id, None))
            and (built := self._effect(effect, steps, index)) is not None
        ]
        session = self.session
        plain = session.kind == "workflow"
        if plain and turn is None:
            end = runs[0].end if runs else FAR
            opened, closed = (runs[0].created + 1 if runs else 0), end + 1 if end < FAR else FAR
        parks = [self._park(p) for p in session.parks if turn is None or p.turn_id == turn.id]
        plan = Plan(
            session_id=session.id,
            turn_id=turn.id if turn else None,
            writes=self.writes,
            runs=runs,
            effects=effects,
            first=first,
            last=last,
            opened=opened,
            closed=closed,
            parks=[park for park in parks if park is not None],
            plain=plain,
            eve_version=session.eve_version,
            ends=self._ends(turn),
            title=session.title,
            fine=self.fine,
            complete=turn is None or turn.status in ("completed", "failed", "cancelled"),
        )
        self._gates(plan)
        return plan

    def _ends(self, turn: Turn | None) -> str:
        if turn is None:
            return self.session.runs[0].status if self.session.runs else ""
        return turn.status if turn.status in ("completed", "failed", "cancelled") else ""

    def _tell(self, runs: list[PlanRun]) -> None:
        """A child has told its parent when its delivery is in the parent's log."""
        for run in runs[1:]:
            told = [s.terminal for s in run.steps if s.role == "handover" and s.terminal < FAR]
            if told:
                run.told = min(told)

    def _runs(
        self, runs: Iterable[Run], wanted: set[str], window: tuple[int, int] | None = None
    ) -> list[PlanRun]:
        runs = list(runs)
        index = {run.run_id: n for n, run in enumerate(runs)}
        built = []
        for n, run in enumerate(runs):
            built.append(self._run(n, run, index, wanted, window))
        return built

    def _run(
        self, n: int, run: Run, index: Mapping[str, int], wanted: set[str], window: tuple[int, int] | None
    ) -> PlanRun:
        get = self.writes.place.get
        run_id = run.run_id
        starter = self._starters.get(run_id)
        parent = index.get(starter.run_id) if starter is not None else index.get(run.parent or "")
        made = get(("run-created", run_id), 0)
        plan = PlanRun(
            index=n,
            run_id=run_id,
            role=run.role,
            workflow=run.workflow.function,
            awaited=n == 0 or awaited_run(run, starter),
            parent=None if n == 0 else (parent if parent is not None else 0),
            record=get(("run", run_id), made),
            created=made,
            running=get(("run-running", run_id), get(("run-started", run_id), made)),
            started=get(("run-started", run_id), made),
            lock=get(("run-lock", run_id), get(("run-end", run_id), FAR)),
            end=get(("run-end", run_id), FAR),
        )
        first, last = window or (0, FAR)
        plan.steps = [self._step(step, n) for step in run.steps if step.step_id in wanted]
        for event in run.events:
            subject = event.correlation_id or ""
            if event.event_type == "wait_created":
                plan.waits.append(self._wait(event, subject))
            elif event.event_type == "hook_created":
                hook = self._hook(run, event, subject)
                if first <= hook.event < last or first <= hook.relock < last:
                    plan.hooks.append(hook)
            elif event.event_type == "hook_received":
                received = get(("received", run_id, event.event_id), FAR)
                begin = get(("resume", run_id, event.event_id), received)
                if first <= received < last:
                    plan.deliveries.append((begin, received))
        return plan

    def _wait(self, event: EventRecord, wait_id: str) -> PlanWait:
        get = self.writes.place.get
        made = get(("wait-event", wait_id, "created"), 0)
        done = get(("wait-event", wait_id, "completed"), FAR)
        return PlanWait(
            wait_id=wait_id,
            lock=get(("wait-lock", wait_id, "created"), made),
            event=made,
            done_lock=get(("wait-lock", wait_id, "completed"), done),
            done_event=done,
            resume_at=parse_time(event.data.get("resumeAt")),
        )

    def _hook(self, run: Run, event: EventRecord, hook_id: str) -> PlanHook:
        get = self.writes.place.get
        made = get(("hook-created", hook_id), 0)
        token = event.data.get("token")
        awaited = isinstance(token, str) and token.startswith("eve:inbox:")
        taken = get(("slot-taken", hook_id)) is not None
        if awaited and not any(m.kind == "token" and m.fields.get("hookId") == hook_id for m in run.marks):
            # The token file is gone (the run has ended). The step scheduled with the hook takes the slot that
            # the claim names (SWEEP.md section 2, seen in every baseline).
            slot = event.slot or 0
            before = next((e for e in run.events if e.slot == slot - 1), None)
            taken = before is not None and before.event_type == "step_created"
        return PlanHook(
            hook_id=hook_id,
            lock=get(("token-lock", hook_id), made),
            file=get(("token", hook_id), made),
            unlock=get(("token-unlock", hook_id), made),
            event=made,
            awaited=awaited,
            taken=taken,
            relock=get(("token-relock", hook_id), FAR),
            reunlock=get(("token-reunlock", hook_id), FAR),
        )

    def _step(self, step: Step, run: int) -> PlanStep:
        known = self._built.get(step.step_id)
        get = self.writes.place.get
        created = get(
            ("created", step.step_id), get(("running", step.step_id, 1), get(("started", step.step_id, 1), 0))
        )
        if known is not None:
            known.run = run
            return known
        terminal = get(("terminal", step.step_id), get(("end", step.step_id), FAR))
        plan = PlanStep(
            step_id=step.step_id,
            run=run,
            function=step.function,
            role=step_role(step),
            queued=bool(step.attempts) and not step.attempts[0].inline,
            lock=get(("lock", step.step_id), get(("pending", step.step_id), created)),
            record=get(("pending", step.step_id), created),
            created=created,
            terminal=terminal,
            ended=get(("ended", step.step_id), terminal),
            end=get(("end", step.step_id), FAR),
            turn_id=step.turn_id,
            optimistic=bool(step.attempts) and step.attempts[0].optimistic,
            created_evidence=step.created_event.event_id if step.created_event else "",
            end_evidence=step.end_event.event_id if step.end_event else "",
        )
        plan.starts = tuple(self._start(step, attempt) for attempt in step.attempts)
        self._built[step.step_id] = plan
        return plan

    def _start(self, step: Step, attempt: Attempt) -> PlanStart:
        get = self.writes.place.get
        key = (step.step_id, attempt.n)
        started = get(("started", *key), FAR)
        retried = get(("retrying", *key), FAR)
        chunks = tuple(sorted(get(("chunk", e.chunk_id), FAR) for e in attempt.stream_events))
        calls = []
        floor = started
        for model in attempt.model_calls:
            answered = get(("answered", *key, model.coordinate.step_index), FAR)
            index = model.coordinate.step_index
            calls.append(PlanCall(index=index, begun=floor, answered=answered, tokens=model.tokens))
            floor = max(floor, answered) if answered < FAR else FAR
        return PlanStart(
            running=get(("running", *key), started),
            started=started,
            at=attempt.started_at,
            inline=attempt.inline,
            threw=retried < FAR,
            retried=retried,
            chunks=chunks,
            calls=tuple(calls),
            evidence=attempt.started_event.event_id if attempt.started_event else "",
        )

    def _effect(
        self, effect: Effect, steps: Mapping[str, PlanStep], index: Mapping[str, int]
    ) -> PlanEffect | None:
        parts = []
        for part in effect.by_attempt:
            step = steps.get(part.step_id)
            if step is None or not 0 < part.attempt <= len(step.starts):
                continue
            parts.append(self._part(effect, part, step))
        home = steps.get(effect.step_id)
        if home is None and parts:
            home = parts[-1].step
        if home is None:
            return None
        built = PlanEffect(
            tool=effect.tool,
            kind=effect.kind,
            call_id=effect.call_id if effect.kind != "step" else home.step_id,
            call_ids=effect.call_ids,
            coordinate=(
                (effect.coordinate.turn_id, effect.coordinate.step_index) if effect.coordinate else None
            ),
            position=effect.position,
            parts=parts,
            home=home,
            child=home.run if home.run else None,
            protection=effect.protection,
            evidence=tuple(item.id for item in effect.evidence[:4]),
        )
        if effect.kind == "workflow-tool":
            built.children = [index[p.run_id] for p in effect.by_attempt if p.run_id in index]
            built.child = None
            built.parts = []
        elif parts and all(p.final.max == 0 for p in parts):
            built.each = NEVER
        return built

    def _part(self, effect: Effect, part: Execution, step: PlanStep) -> PlanPart:
        get = self.writes.place.get
        start = step.starts[part.attempt - 1]
        following = step.starts[part.attempt].running if part.attempt < len(step.starts) else FAR
        close = min(following, step.terminal, start.retried)
        proof = FAR
        if effect.kind == "step":
            if part.executions.min:
                proof = min(step.terminal, start.retried)
        elif part.returned and part.call_id:
            proof = get(("returned", step.step_id, part.attempt, part.call_id), FAR)
        begin = start.started
        if effect.coordinate is not None and start.calls:
            # The next model step needs the results of this one (batched steps hold several).
            before = [get(("answered", step.step_id, part.attempt, effect.coordinate.step_index - 1))]
            begin = max([begin, *(b for b in before if b is not None)])
        opened = start.started
        if step.optimistic and part.attempt == 1:
            # Started optimistically: the body runs before its records exist (OBSERVED.md, 6b).
            opened = begin = step.lock - 1
        return PlanPart(start=opened, begin=begin, proof=proof, close=close, final=part.executions, step=step)

    def _park(self, park: Park) -> PlanPark | None:
        get = self.writes.place.get
        since = FAR
        until = FAR
        for item in park.evidence:
            found = get(("chunk", item.id)) if item.kind == "chunk" else None
            if found is not None:
                since = min(since, found)
        if since == FAR:
            return None
        for item in park.evidence:
            if item.kind == "event":
                for key in (("received", item.run_id, item.id),):
                    found = get(key)
                    if found is not None and found > since:
                        until = min(until, found)
        if until == FAR and park.until is not None:
            stamp = park.until.timestamp() * 1000
            until = next((n for n, w in enumerate(self.writes.items) if n > since and w.time >= stamp), FAR)
        return PlanPark(park=park, since=since, until=until)

    def _gates(self, plan: Plan) -> None:
        """Tie approvals to the effects they hold back."""
        for park in plan.parks:
            if park.park.kind != "approval":
                continue
            step = self._steps.get(park.park.step_id or "")
            asking = plan.step_of(step.step_id) if step is not None else None
            for effect in plan.effects:
                if park.park.call_id in effect.call_ids:
                    effect.allowed = 1
                    if asking is not None:
                        effect.asked.append((park.since, asking))


def session_plans(
    session: Session,
    effects: EffectsPolicy | Mapping[str, object] | str | None = None,
    *,
    fine: bool | None = None,
) -> SessionPlans:
    """Return the plans of a session.

    Args:
        session: the joined session.
        effects: the user's effects policy.
        fine: whether the world commits in the small writes of SWEEP.md section 1; None to tell by its marks.
    """
    return SessionPlans(session, effects, fine=fine)


def whole(count: int) -> Executions:
    """Return exactly ``count`` executions."""
    return Executions(min=count, max=count)

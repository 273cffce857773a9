"""The parts of a plan from the parts of a session: where each of their writes lies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from eve_replay.journal.effects.build import Effect
from eve_replay.journal.effects.executions import Execution
from eve_replay.journal.model import Attempt, Park, Run, Step
from eve_replay.records import EventRecord
from eve_replay.recovery.observe_parts import further_messages
from eve_replay.recovery.plan.parts import (
    FAR,
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
from eve_replay.recovery.roles import awaited_run, step_role, step_word
from eve_replay.recovery.situation import NEVER
from eve_replay.recovery.writes.order import Writes
from eve_replay.times import parse_time

__all__ = ["PartBuilder"]


class PartBuilder:
    """Builds the parts of one session's plans; steps are built once and shared between turns.

    Args:
        writes: the session's writes in order.
        starters: which step started a child run, by run id.
        framework: who wrote the session.
    """

    def __init__(self, writes: Writes, starters: Mapping[str, Step], framework: str = "eve") -> None:
        self.writes = writes
        self._framework = framework
        self._starters = starters
        self._built: dict[str, PlanStep] = {}
        self._events: dict[str, Sequence[EventRecord]] = {}

    def runs(
        self, runs: Iterable[Run], wanted: set[str], window: tuple[int, int] | None = None
    ) -> list[PlanRun]:
        """Return the runs with the wanted of their steps, hooks and deliveries within the window."""
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
        self._events[run_id] = run.events
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
            lock=get(("run-lock", run_id), get(("run-ended", run_id), get(("run-end", run_id), FAR))),
            end=get(("run-end", run_id), FAR),
            sent=get(("sent", run_id)),
            ended=run.status if run.status in ("completed", "failed", "cancelled") else "",
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
            elif event.event_type == "attr_set" and self._framework == "python-sdk" and subject:
                made_at = get(("event", run_id, event.event_id), 0)
                claim = get(("claim", subject), made_at)
                plan.hooks.append(
                    PlanHook(
                        hook_id=subject,
                        lock=made_at,
                        file=claim,
                        unlock=made_at,
                        event=made_at,
                        deaf_until=made_at,
                    )
                )
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
            # the claim names (docs/evidence/sweep.md#hook-token, seen in every baseline).
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
            deaf_until=get(("hook", hook_id), 0) if self._framework == "python-sdk" else 0,
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
            sent=get(("sent", step.step_id)),
            end=get(("end", step.step_id), FAR),
            turn_id=step.turn_id,
            word=step_word(step),
            optimistic=bool(step.attempts) and step.attempts[0].optimistic,
            created_evidence=step.created_event.event_id if step.created_event else "",
            end_evidence=step.end_event.event_id if step.end_event else "",
        )
        if self._framework == "python-sdk":
            plan.messages = further_messages(self._events.get(step.run_id, ()), step.step_id)
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

    def effect(
        self, effect: Effect, steps: Mapping[str, PlanStep], index: Mapping[str, int]
    ) -> PlanEffect | None:
        """Return the effect as the plan needs it, None when no step of the plan executes it."""
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
                proof = min(step.terminal, step.ended, start.retried)
        elif part.returned and part.call_id:
            proof = get(("returned", step.step_id, part.attempt, part.call_id), FAR)
        begin = start.started
        if effect.coordinate is not None and start.calls:
            # The next model step needs the results of this one (batched steps hold several).
            before = [get(("answered", step.step_id, part.attempt, effect.coordinate.step_index - 1))]
            begin = max([begin, *(b for b in before if b is not None)])
        opened = start.started
        if step.optimistic and part.attempt == 1:
            # Started optimistically: the body runs before its records exist
            # (docs/evidence/observed.md#optimistic-start).
            opened = begin = step.lock - 1
        return PlanPart(start=opened, begin=begin, proof=proof, close=close, final=part.executions, step=step)

    def park(self, park: Park) -> PlanPark | None:
        """Return the park with its places, None when nothing on the stream shows it."""
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

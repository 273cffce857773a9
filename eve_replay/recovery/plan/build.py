"""From a joined session to a :class:`Plan`: which steps, runs, effects and parks belong to a turn."""

from __future__ import annotations

from dataclasses import replace

from eve_replay.errors import NotFound
from eve_replay.journal.effects.build import Effect, effects_of
from eve_replay.journal.effects.policy import EffectsLike
from eve_replay.journal.model import Run, Session, Turn
from eve_replay.recovery.frameworks.base import Plans
from eve_replay.recovery.frameworks.registry import room_of
from eve_replay.recovery.plan.build_parts import PartBuilder
from eve_replay.recovery.plan.model import Plan
from eve_replay.recovery.plan.parts import FAR, PlanPark, PlanRun
from eve_replay.recovery.situation import FINAL_WORDS
from eve_replay.recovery.writes.order import Writes, session_writes

__all__ = ["SessionPlans", "session_plans"]


class SessionPlans:
    """The plans of one session: writes and effects are worked out once, turns are cut out of them.

    Attributes:
        session: the session itself; ``whole``: the same with the runs, steps and streams of its subagents,
            whose writes are part of the turns that wait for them.
        effects: its own effects; ``effects_below`` those of its subagents.
    """

    def __init__(
        self,
        session: Session,
        effects: EffectsLike = None,
        *,
        fine: bool | None = None,
    ) -> None:
        self.session = session
        #: Sessions of subagents: what they write is part of the turn that waits for them.
        self._below = _descendants(session)
        self.whole = _merged(session, self._below)
        # Lock and token files are the sign of a world that commits in small writes (the local one).
        small = session.framework == "python-sdk" or any(run.marks for run in session.all_runs)
        self.fine = small if fine is None else fine
        self.writes: Writes = session_writes(self.whole, fine=self.fine)
        self.effects: tuple[Effect, ...] = effects_of(session, effects)
        self.effects_below = tuple(e for each in self._below for e in effects_of(each, effects))
        self._starters = {child: step for step in self.whole.steps for child in step.dispatched}
        self._steps = {step.step_id: step for step in self.whole.steps}
        self._plans: dict[str | None, Plan] = {}
        self._parts = PartBuilder(self.writes, self._starters, session.framework)
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
                self._plans[turn_id] = self._turn(self.session.turn(turn_id))
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
        runs = list(self.whole.all_runs)
        built = self._parts.runs(runs, {s.step_id for s in self.whole.steps})
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
        children += self._started_by(children)
        ids = list(dict.fromkeys([*turn.run_ids, *(self._steps[s].run_id for s in wanted)]))
        owners = [run for run in self.session.runs if run.run_id in ids] or list(self.session.runs[:1])
        wanted |= {step.step_id for run in children for step in run.steps}
        built = self._parts.runs([*owners, *children], wanted, (first, last))
        return self._finish(built, turn, first, last, opened, closed)

    def _started_by(self, runs: list[Run]) -> list[Run]:
        """Return the sessions of subagents that runs opened, with what those started, and so on."""
        found = {run.run_id for run in runs}
        out: list[Run] = []
        grown = True
        while grown:
            grown = False
            for run in self.whole.children:
                starter = self._starters.get(run.run_id)
                above = starter.run_id if starter is not None else run.parent
                if run.run_id not in found and above in found:
                    found.add(run.run_id)
                    out.append(run)
                    grown = True
        return out

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
            and (built := self._parts.effect(effect, steps, index)) is not None
        ]
        effects += [
            built
            for effect in self.effects_below
            if effect.run_id in index and (built := self._parts.effect(effect, steps, index)) is not None
        ]
        session = self.session
        plain = session.kind == "workflow"
        if plain and turn is None:
            end = runs[0].end if runs else FAR
            opened, closed = (runs[0].created + 1 if runs else 0), end + 1 if end < FAR else FAR
        parks = [self._parts.park(p) for p in session.parks if turn is None or p.turn_id == turn.id]
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
            framework=session.framework,
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
            told = [s for s in run.steps if s.role == "handover" and s.terminal < FAR]
            # A journal without words (older, or purged) had one: the outcome.
            last = [s.terminal for s in told if s.word in FINAL_WORDS or not s.word]
            if run.role == "session":
                # A subagent's word is its answer to the caller of its turn.
                answers = [s.terminal for s in run.steps if s.function == "notifyTurnCallerStep"]
                last = [max(answers)] if answers else []
            if last:
                run.told = min(last)

    def _gates(self, plan: Plan) -> None:
        """Tie approvals to the effects they hold back."""
        runs = {run.run_id for run in self.session.all_runs}
        for park in plan.parks:
            self._gate(plan, park, runs)
        for each in self._below:
            inside = {run.run_id for run in each.all_runs}
            for asked in each.parks:
                if (built := self._parts.park(asked)) is not None:
                    self._gate(plan, built, inside)

    def _gate(self, plan: Plan, park: PlanPark, runs: set[str]) -> None:
        """Tie one approval to its effect: call ids repeat between a session and its subagents."""
        if park.park.kind != "approval":
            return
        step = self._steps.get(park.park.step_id or "")
        asking = plan.step_of(step.step_id) if step is not None else None
        for effect in plan.effects:
            if plan.runs[effect.child or 0].run_id in runs and park.park.call_id in effect.call_ids:
                effect.allowed = 1
                if asking is not None:
                    effect.asked.append((park.since, asking))


def _descendants(session: Session) -> tuple[Session, ...]:
    out: list[Session] = []
    wanted = list(session.below)
    while wanted:
        each = wanted.pop(0)
        out.append(each)
        wanted += each.below
    return tuple(out)


def _merged(session: Session, below: tuple[Session, ...]) -> Session:
    """Return the session with the runs, steps and streams of its subagents as if they were its children's."""
    if not below:
        return session
    return replace(
        session,
        children=(*session.children, *(run for each in below for run in each.all_runs)),
        ordered=(*session.steps, *(step for each in below for step in each.steps)),
        stream_events=(*session.stream_events, *(e for each in below for e in each.stream_events)),
    )


def session_plans(
    session: Session,
    effects: EffectsLike = None,
    *,
    fine: bool | None = None,
) -> Plans:
    """Return the plans of a session.

    Args:
        session: the joined session.
        effects: the user's effects policy.
        fine: whether the world commits in the small writes of docs/evidence/sweep.md#writes; None to tell by
            its marks.
    """
    room = room_of(session.framework)
    return SessionPlans(session, effects, fine=fine) if room is None else room.plans(session, effects)

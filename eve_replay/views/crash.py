"""The crash lab: every crash point along a turn, and what a crash there would do, as plain data.

::

    lab = CrashLab(session, "turn_0")            # or without a turn for a plain SDK run
    lab.points                                   # CrashPointRow, in order
    lab.view(31, model="new-ids", strategies={"charge_card": "coordinates"})   # CrashView
    lab.matrix(environment="eve-dev")            # MatrixView, views/matrix.py
    lab.choices                                  # what can be chosen, with words
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from eve_replay.errors import WrongUse
from eve_replay.journal import Session
from eve_replay.journal.executions import Executions
from eve_replay.journal.policy import EffectsPolicy
from eve_replay.recovery.build_plan import SessionPlans
from eve_replay.recovery.engine import Question, environments_for, simulate
from eve_replay.recovery.environment import ENVIRONMENTS
from eve_replay.recovery.points import CLASSES, crash_points
from eve_replay.recovery.policy import policies
from eve_replay.recovery.result import CrashPoint, EffectVerdict, Simulation, StepVerdict
from eve_replay.recovery.strategies import STRATEGIES
from eve_replay.views.base import View, event_key, step_key
from eve_replay.views.safe import safe_text
from eve_replay.views.tone import Tone
from eve_replay.views.words import executions, plural

if TYPE_CHECKING:
    from eve_replay.views.matrix import MatrixView

__all__ = [
    "Choice",
    "CrashChoices",
    "CrashEffectRow",
    "CrashLab",
    "CrashPointRow",
    "CrashStepRow",
    "CrashView",
    "count_text",
    "outcome_choices",
]

_OUTCOMES: dict[str, tuple[str, Tone]] = {
    "recovers": ("recovers by itself", "ok"),
    "needs-message": ("needs a message", "warning"),
    "needs-person": ("needs a person", "warning"),
    "hangs": ("hangs", "harm"),
    "fails": ("fails", "error"),
    "nothing-open": ("nothing is open", "muted"),
}
_VERDICTS: dict[str, Tone] = {
    "replayed": "replayed",
    "re-executed": "again",
    "never-reached": "muted",
    "stuck": "harm",
}
_MODELS = (
    ("same", "the same answer", "the model gives the same text, calls and call ids"),
    ("new-ids", "the same calls, new ids", "the model asks for the same things under new call ids"),
    ("other", "another answer", "the model asks for something else"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice(View):
    """Something that can be chosen: its name, what a person calls it, and a remark."""

    name: str
    words: str
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CrashChoices(View):
    """What can be assumed; ``tools`` are the effects of the turn that take a strategy."""

    policies: tuple[Choice, ...]
    environments: tuple[Choice, ...]
    models: tuple[Choice, ...]
    strategies: tuple[Choice, ...]
    tools: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CrashPointRow(View):
    """One crash point.

    Attributes:
        index: its number among the points of the turn, 0-based; ``position`` the engine's own place.
        klass: stable class; ``class_words`` it in words; ``label`` this very point in words.
        address: newest durable write, as ``--after`` takes it; ``before`` the next one.
        key: key of the moment it comes after, empty when that is no event; ``step`` key of the step it is in.
        at: time of the newest durable write.
        certainty: whether both neighbours are recorded in this order.
        happened, possible, not_yet: effects by whether they had happened outside.
    """

    index: int
    position: int
    klass: str
    class_words: str
    label: str
    address: str
    before: str
    key: str
    step: str
    at: datetime | None
    certainty: str
    happened: tuple[str, ...] = ()
    possible: tuple[str, ...] = ()
    not_yet: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CrashStepRow(View):
    """What becomes of one step: replayed, re-executed, never-reached or stuck."""

    key: str
    function: str
    verdict: str
    tone: Tone
    attempts: str
    certainty: str
    rule: str = ""
    proves: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CrashEffectRow(View):
    """How often one effect happens in the end.

    Attributes:
        tool, call_id: what; ``step`` key of its step.
        runs: how often the body runs, as text (``1``, ``1-2``, ``2 or more``); ``minimum`` and ``maximum`` as
            numbers, ``maximum`` None without bound.
        outside: how often the outside acts with the strategy; ``outside_minimum``, ``outside_maximum``.
        before, after: executions before the crash and by recovery, as text.
        missed: effects claimed or merged away that never happen, at most; None without bound.
        word: ``ran twice`` and the like for the runs; ``outside_word`` for the outside.
        harmful: the outside may act more often than once, or an effect may be missed.
        strategy: its name; ``strategy_words`` what a person calls it.
        tone: of what the outside sees; ``runs_tone`` of the runs.
    """

    tool: str
    call_id: str
    step: str
    runs: str
    minimum: int
    maximum: int | None
    outside: str
    outside_minimum: int
    outside_maximum: int | None
    before: str
    after: str
    missed: int | None
    word: str
    outside_word: str
    harmful: bool
    strategy: str
    strategy_words: str
    certainty: str
    rule: str
    tone: Tone
    runs_tone: Tone


@dataclass(frozen=True, slots=True, kw_only=True)
class CrashView(View):
    """The answer for one crash point.

    Attributes:
        point: where; ``total`` how many points the turn has.
        sentence: the whole answer in plain words.
        outcome: machine word; ``outcome_words`` and ``tone`` for people.
        steps, effects: rows.
        duplicates: effects that the outside may see more than once; ``missed`` those that may never happen.
        model_calls, model_calls_again, tokens, tokens_again: what is paid in all and again, at most.
        paid: the same in words.
        events_again: stream events emitted again.
        by: what brings recovery about; ``recovery`` it as a sentence; ``earliest`` the earliest time.
        person: what a person has to do, empty when nothing.
        ends: how the turn ends.
        assumptions: what the answer takes for granted, name and words.
        notes: remarks on the assumptions; ``told`` where the tutorial says otherwise.
        rules: the rules that were applied, name and text.
    """

    point: CrashPointRow
    total: int
    sentence: str
    outcome: str
    outcome_words: str
    tone: Tone
    steps: tuple[CrashStepRow, ...]
    effects: tuple[CrashEffectRow, ...]
    duplicates: int
    missed: int
    model_calls: int
    model_calls_again: int
    tokens: int
    tokens_again: int
    paid: str
    events_again: int
    by: str
    recovery: str
    earliest: datetime | None
    person: str
    ends: str
    certainty: str
    assumptions: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    rules: tuple[tuple[str, str], ...] = ()


def outcome_choices() -> tuple[Choice, ...]:
    """Return every outcome a crash can have, for a person who predicts one."""
    return tuple(Choice(name=name, words=words) for name, (words, _) in _OUTCOMES.items())


class CrashLab:
    """The crash points of one turn and what each would do.

    Args:
        session: the joined session.
        turn_id: the turn; None takes the last one, or the whole run of a plain SDK run.
        policy: the user's effects policy (a path, a dict, or None).
        moments: also the points that the journal implies but does not show.

    Raises:
        NotFound: the session has no such turn.
        WrongUse: the policy cannot be read.
    """

    def __init__(
        self,
        session: Session,
        turn_id: str | None = None,
        policy: EffectsPolicy | Mapping[str, object] | str | None = None,
        *,
        moments: bool = True,
    ) -> None:
        self.session = session
        self.turn_id = turn_id or (session.turns[-1].id if session.turns else None)
        self._plans = SessionPlans(session, EffectsPolicy.load(policy))
        self.plan = self._plans.plan(self.turn_id)
        self._points: tuple[CrashPoint, ...] = tuple(crash_points(self.plan, moments=moments))

    def __len__(self) -> int:
        return len(self._points)

    @cached_property
    def points(self) -> tuple[CrashPointRow, ...]:
        """Every crash point of the turn, in order."""
        return tuple(_point(point, index) for index, point in enumerate(self._points))

    @cached_property
    def choices(self) -> CrashChoices:
        """What can be assumed, in the order to offer it."""
        names = environments_for(self.turn_id is None)
        end = simulate(self.plan, self._points[-1]) if self._points else None
        return CrashChoices(
            policies=tuple(Choice(name=name, words=name) for name in policies()),
            environments=tuple(
                Choice(name=name, words=ENVIRONMENTS[name].words, note=ENVIRONMENTS[name].why)
                for name in names
            ),
            models=tuple(Choice(name=name, words=words, note=note) for name, words, note in _MODELS),
            strategies=tuple(
                Choice(name=each.name, words=each.words, note=each.note) for each in STRATEGIES.values()
            ),
            tools=tuple(dict.fromkeys(effect.tool for effect in end.effects)) if end else (),
        )

    def index_of(self, wanted: str) -> int | None:
        """Return the first point after an event, chunk or record id, or of a class; None without one."""
        for point in self.points:
            if wanted and wanted in (point.address, point.key, point.klass):
                return point.index
        return None

    def simulation(self, index: int, **question: Any) -> Simulation:
        """Return the engine's own answer for a point; ``question`` as for :class:`Question`."""
        return simulate(self.plan, self._at(index), Question(**question))

    def view(self, index: int, **question: Any) -> CrashView:
        """Return what a crash at point ``index`` does.

        Args:
            index: number of the point.
            **question: ``policy``, ``environment``, ``model``, ``strategies`` (tool to name, ``*`` for all),
                ``lease_seconds``, ``max_retries``.

        Raises:
            WrongUse: there is no such point, or an assumption does not exist.
        """
        return crash_view(self.simulation(index, **question), self.points[index], len(self._points))

    def matrix(self, **question: Any) -> MatrixView:
        """Return the answers for every point as a matrix; ``question`` as in :meth:`view`."""
        from eve_replay.views.matrix import matrix_view

        asked = Question(**question)
        return matrix_view([simulate(self.plan, point, asked) for point in self._points], self.points)

    def _at(self, index: int) -> CrashPoint:
        if not 0 <= index < len(self._points):
            raise WrongUse(f"There is no crash point {index}.", hint=f"They run from 0 to {len(self) - 1}.")
        return self._points[index]


def _point(point: CrashPoint, index: int) -> CrashPointRow:
    key = ""
    if point.address.startswith("evnt_"):
        key = event_key(point.run_id, point.address)
    elif point.address.startswith("chnk_"):
        key = f"chunk:{point.address}"
    return CrashPointRow(
        index=index,
        position=point.position,
        klass=point.klass,
        class_words=CLASSES.get(point.klass, point.klass),
        label=safe_text(point.label),
        address=point.address,
        before=point.before,
        key=key,
        step=step_key(point.run_id, point.step_id) if point.step_id else "",
        at=point.at,
        certainty=point.certainty,
        happened=tuple(safe_text(each) for each in point.happened),
        possible=tuple(safe_text(each) for each in point.possible),
        not_yet=tuple(safe_text(each) for each in point.not_yet),
    )


def crash_view(simulation: Simulation, point: CrashPointRow, total: int) -> CrashView:
    """Return the view of one simulation."""
    words, tone = _OUTCOMES[simulation.outcome]
    effects = tuple(effect_row(effect) for effect in simulation.effects)
    duplicates = sum(row.outside_maximum is None or row.outside_maximum > 1 for row in effects)
    missed = sum(row.missed is None or row.missed > 0 for row in effects)
    calls, tokens = simulation.model_calls, simulation.tokens
    if tone == "ok" and (duplicates or missed):
        tone = "harm"
    assumed = simulation.assumptions
    environment = ENVIRONMENTS.get(assumed.environment)
    return CrashView(
        point=point,
        total=total,
        sentence=safe_text(simulation.sentence),
        outcome=simulation.outcome,
        outcome_words=words,
        tone=tone,
        steps=tuple(_step(step) for step in simulation.steps),
        effects=effects,
        duplicates=duplicates,
        missed=missed,
        model_calls=calls.paid,
        model_calls_again=calls.again,
        tokens=tokens.paid,
        tokens_again=tokens.again,
        paid=_paid(simulation),
        events_again=simulation.events_again,
        by=simulation.by,
        recovery=safe_text(simulation.delay),
        earliest=simulation.earliest,
        person=safe_text(simulation.person),
        ends=safe_text(simulation.ends),
        certainty=simulation.certainty,
        assumptions=(
            ("policy", assumed.policy),
            ("environment", environment.words if environment else assumed.environment),
            ("model", {n: w for n, w, _ in _MODELS}.get(assumed.model, assumed.model)),
            *((tool, name) for tool, name in assumed.strategies),
        ),
        notes=tuple(safe_text(note) for note in assumed.notes),
        told=tuple(safe_text(text) for text in simulation.told),
        rules=tuple((rule.rule, safe_text(rule.text)) for rule in simulation.rules),
    )


def _paid(simulation: Simulation) -> str:
    calls, tokens = simulation.model_calls, simulation.tokens
    text = plural(calls.paid, "model call")
    if calls.unbounded:
        return f"{text} and more at every wake-up"
    if not calls.again:
        return f"{text}, none paid again"
    again = f"{calls.again} paid again"
    return f"{text}, {again}" + (f" ({tokens.again:,} tokens)" if tokens.again else "")


def _step(step: StepVerdict) -> CrashStepRow:
    return CrashStepRow(
        key=step_key(step.run_id, step.step_id) if step.step_id else "",
        function=safe_text(step.function),
        verdict=step.verdict,
        tone=_VERDICTS[step.verdict],
        attempts=count_text(step.attempts),
        certainty=step.certainty,
        rule=step.rule,
        proves=safe_text(step.proves),
    )


def effect_row(effect: EffectVerdict) -> CrashEffectRow:
    """Return the row of one effect verdict."""
    total, outside = effect.executions, effect.outside
    runs = executions(total.min, total.max)
    acts = executions(outside.min, outside.max)
    known = STRATEGIES.get(effect.strategy)
    missed = effect.missed.max
    harmful = outside.max is None or outside.max > 1 or missed is None or missed > 0
    return CrashEffectRow(
        tool=safe_text(effect.tool),
        call_id=safe_text(effect.call_id or ""),
        step=step_key(effect.run_id, effect.step_id) if effect.step_id else "",
        runs=count_text(total),
        minimum=total.min,
        maximum=total.max,
        outside=count_text(outside),
        outside_minimum=outside.min,
        outside_maximum=outside.max,
        before=count_text(effect.before),
        after=count_text(effect.after),
        missed=missed,
        word=runs.word,
        outside_word=acts.word,
        harmful=harmful,
        strategy=effect.strategy,
        strategy_words=known.words if known else effect.strategy,
        certainty=effect.certainty,
        rule=effect.rule,
        tone="harm" if harmful else acts.tone,
        runs_tone="again" if runs.tone == "harm" else runs.tone,
    )


def count_text(count: Executions) -> str:
    """Return ``2``, ``1-2`` or ``2 or more``."""
    if count.max is None:
        return f"{count.min} or more"
    return str(count.min) if count.min == count.max else f"{count.min}-{count.max}"

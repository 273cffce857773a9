"""The rows of the crash lab: points, steps, effects and the whole answer, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from eve_replay.journal.effects.executions import Executions
from eve_replay.journal.effects.judge import Judgement, Twice, judge, of_count, tally
from eve_replay.recovery.environment import ENVIRONMENTS
from eve_replay.recovery.points import CLASSES
from eve_replay.recovery.result import CrashPoint, EffectVerdict, Simulation, StepVerdict
from eve_replay.recovery.sentences import paid_tokens
from eve_replay.recovery.strategies import DURABLE, STRATEGIES
from eve_replay.views.kit.base import View, event_key, step_key
from eve_replay.views.kit.safe import safe_text
from eve_replay.views.kit.tone import Tone
from eve_replay.views.kit.words import plural

__all__ = [
    "MODELS",
    "OUTCOMES",
    "Choice",
    "CrashChoices",
    "CrashEffectRow",
    "CrashPointRow",
    "CrashStepRow",
    "CrashView",
    "count_text",
    "crash_view",
    "effect_row",
    "judge_verdict",
    "point_row",
    "simulation_tone",
]

#: Outcome -> words for people, tone. A session that hangs is wrong, not harm: harm is what the outside sees.
OUTCOMES: dict[str, tuple[str, Tone]] = {
    "recovers": ("recovers by itself", "ok"),
    "needs-message": ("needs a message", "warning"),
    "needs-person": ("needs a person", "warning"),
    "hangs": ("hangs", "error"),
    "fails": ("fails", "error"),
    "nothing-open": ("nothing is open", "muted"),
}
_VERDICTS: dict[str, Tone] = {
    "replayed": "replayed",
    "re-executed": "again",
    "never-reached": "muted",
    "stuck": "error",
}
#: Model assumption -> words and a remark.
MODELS = (
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

    runtimes: tuple[Choice, ...]
    environments: tuple[Choice, ...]
    models: tuple[Choice, ...]
    strategies: tuple[Choice, ...]
    tools: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CrashPointRow(View):
    """One crash point.

    Attributes:
        index: its place among the points that are shown, 0-based; ``position`` the engine's own place.
        number: its number among the points of the turn, from 1: the one that people are shown.
        klass: stable class; ``class_words`` it in words; ``label`` this very point in words.
        address: newest durable write, as ``--after`` takes it; ``before`` the next one.
        key: key of the moment it comes after, empty when that is no event; ``step`` key of the step it is in.
        at: time of the newest durable write.
        certainty: whether both neighbours are recorded in this order.
        happened, possible, not_yet: effects by whether they had happened outside.
    """

    index: int
    position: int
    number: int
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
        word: ``ran twice`` and the like for the runs; ``outside_word`` for the outside, with ``note`` why a
            repeat is no harm.
        harmful: the outside may see more than one act of something that acts, or an effect may be missed.
        twice_sure, twice_possible: whether the outside sees it twice for sure, or possibly.
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
    note: str
    harmful: bool
    twice_sure: bool
    twice_possible: bool
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
        outcome: machine word; ``outcome_words`` for people, in ``outcome_tone``.
        tone: of the whole answer: the worst of outcome and effects.
        steps, effects: rows.
        twice: effects that the outside sees more than once, surely and possibly; ``missed`` those that may
            never happen.
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
    outcome_tone: Tone
    tone: Tone
    steps: tuple[CrashStepRow, ...]
    effects: tuple[CrashEffectRow, ...]
    twice: Twice
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


def point_row(point: CrashPoint, index: int) -> CrashPointRow:
    """Return the row of one crash point."""
    key = ""
    if point.address.startswith("evnt_"):
        key = event_key(point.run_id, point.address)
    elif point.address.startswith("chnk_"):
        key = f"chunk:{point.address}"
    return CrashPointRow(
        index=index,
        position=point.position,
        number=point.number,
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
    words, outcome_tone = OUTCOMES[simulation.outcome]
    effects = tuple(effect_row(effect) for effect in simulation.effects)
    missed = sum(row.missed is None or row.missed > 0 for row in effects)
    calls, tokens = simulation.model_calls, simulation.tokens
    assumed = simulation.assumptions
    environment = ENVIRONMENTS.get(assumed.environment)
    return CrashView(
        point=point,
        total=total,
        sentence=safe_text(simulation.sentence),
        outcome=simulation.outcome,
        outcome_words=words,
        outcome_tone=outcome_tone,
        tone=simulation_tone(simulation),
        steps=tuple(_step(step) for step in simulation.steps),
        effects=effects,
        twice=tally(judge_verdict(effect) for effect in simulation.effects),
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
            ("runtime", assumed.runtime),
            ("environment", environment.words if environment else assumed.environment),
            ("model", {n: w for n, w, _ in MODELS}.get(assumed.model, assumed.model)),
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
    spent = f" ({paid_tokens(tokens)})" if tokens.again or tokens.unknown else ""
    return f"{text}, {again}{spent}"


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
    judged = judge_verdict(effect)
    runs = of_count(total.min, total.max, acts=judged.code != "reads")
    seen = of_count(outside.min, outside.max, acts=judged.code != "reads")
    known = DURABLE if effect.strategy == DURABLE.name else STRATEGIES.get(effect.strategy)
    missed = effect.missed.max
    lost = missed is None or missed > 0
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
        outside_word=seen.word,
        note=judged.note,
        harmful=judged.harmful or lost,
        twice_sure=judged.sure,
        twice_possible=judged.possible,
        strategy=effect.strategy,
        strategy_words=known.words if known else effect.strategy,
        certainty=effect.certainty,
        rule=effect.rule,
        tone="harm" if lost else seen.tone if judged.code == "keyed" else judged.tone,
        runs_tone="again" if total.max is None or total.max > 1 else runs.tone,
    )


def judge_verdict(effect: EffectVerdict) -> Judgement:
    """Return the judge's word on what a simulation says of one effect."""
    return judge(
        effect.executions,
        outside=effect.outside,
        acts=effect.strategy != "read-only",
        shield="same key",
    )


def simulation_tone(simulation: Simulation) -> Tone:
    """Return the tone of a whole answer: what is lost or seen twice outside, then how the session ends.

    Re-executions that do no harm are amber at most: the outside sees nothing of them.
    """
    judged = [judge_verdict(effect) for effect in simulation.effects]
    if any(each.harmful for each in judged) or any(e.missed.max != 0 for e in simulation.effects):
        return "harm"
    tone = OUTCOMES[simulation.outcome][1]
    return "again" if tone == "ok" and any(each.note for each in judged) else tone


def count_text(count: Executions) -> str:
    """Return ``2``, ``1-2`` or ``2 or more``."""
    if count.max is None:
        return f"{count.min} or more"
    return str(count.min) if count.min == count.max else f"{count.min}-{count.max}"

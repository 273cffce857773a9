"""Harm that is done: which execution is the orphan, which one the session goes on with, what to undo."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from eve_replay.checks.phrases import Voice, listed
from eve_replay.guidance.plan.model import PlanStep
from eve_replay.guidance.plan.naming import (
    about_effect,
    call_text,
    entry_text,
    execution_text,
    kept_part,
    latest,
)
from eve_replay.ids import short_id
from eve_replay.journal.effects.build import Effect, Execution
from eve_replay.journal.effects.judge import Judgement, judge_effect
from eve_replay.journal.ledger.join import Count
from eve_replay.journal.model import Session

__all__ = ["done_steps"]

_MANY = 3


def done_steps(
    session: Session,
    effects: Iterable[tuple[Effect, Count | None]],
    held: frozenset[int],
    voice: Voice,
    start: str,
) -> list[PlanStep]:
    """Return what to look up or undo of what has happened, worst first.

    Args:
        session: the session.
        effects: with their ledger counts.
        held: ids (``id(effect)``) of effects that run again and are looked up for that already.
        voice: now and zone.
        start: what brings the session back, in words; empty when nothing of it is open.
    """
    ranked = []
    for effect, counted in effects:
        known = counted.count if counted is not None else None
        ranked.append((judge_effect(effect, known), effect, counted))
    ranked.sort(key=lambda item: item[0].rank)
    out: list[PlanStep] = []
    for judged, effect, counted in ranked:
        if effect.protection.acts:
            out += _of_effect(session, effect, judged, counted, id(effect) in held, voice)
    return sorted(out, key=lambda step: step.group)


def _of_effect(
    session: Session,
    effect: Effect,
    judged: Judgement,
    counted: Count | None,
    held: bool,
    voice: Voice,
) -> Iterator[PlanStep]:
    known = counted.count if counted is not None else None
    if effect.kind == "workflow-tool":
        if judged.sure:
            yield _children(session, effect, voice)
    elif judged.sure:
        yield _undo(session, effect, judged, counted, voice)
    elif judged.code == "possible" and not held:
        yield _look_up(session, effect, voice)
    elif judged.code == "retried":
        yield _threw(session, effect, voice)
    elif judged.code == "keyed" and effect.protection.klass != "durable":
        # What a durable call has done is kept by its runtime, step by step: no receiver holds a key for it.
        yield _keyed(session, effect, voice)
    if effect.left_behind and known != 0 and not held:
        yield PlanStep(
            kind="look-up",
            does="look",
            sentence=f"Look up {call_text(effect)} of {voice.clock(latest(effect))} where it acts: its "
            "turn was "
            "cancelled before a result was recorded, and a cancelled turn takes nothing back. Undo it if "
            "it is not wanted.",
            certainty="unknown" if known is None else "observed",
            about=(about_effect(session, effect),),
            group=2,
        )


def _acted(effect: Effect) -> list[Execution]:
    return [p for p in effect.by_attempt if p.executions.max != 0]


def _undo(
    session: Session, effect: Effect, judged: Judgement, counted: Count | None, voice: Voice
) -> PlanStep:
    parts = _acted(effect)
    kept = kept_part(session, effect)
    rows = [entry_text(entry, voice) for entry in counted.entries] if counted is not None else []
    surplus = (counted.count or 0) - 1 if counted is not None and counted.count else effect.executions.min - 1
    surplus = max(surplus, 1)
    what = f"{call_text(effect)} {judged.word}"
    sure = [p for p in parts if p.executions.min and p is not kept]
    if kept is not None:
        rest = f"The session goes on with {execution_text(effect, kept, voice)}"
        others = _listed(
            [execution_text(effect, p, voice) for p in sure or [p for p in parts if p is not kept]]
        )
        orphan = f"the orphan is {others}" if len(sure) <= 1 else f"the orphans are {others}"
        which = "the orphan" if surplus == 1 else f"{surplus} of them"
        ask = f"Undo {which}: {rest[:1].lower()}{rest[1:]}; {orphan}."
    elif any(step.step_id == effect.step_id and step.committed for step in session.steps):
        ask = f"None of them is in the history: {_listed([execution_text(effect, p, voice) for p in parts])}."
    else:
        ask = (
            f"No attempt is committed yet, so none of them is what the session goes on with: "
            f"{_listed([execution_text(effect, p, voice) for p in parts])}. Undo all but the one that is "
            "kept in the end."
        )
    ledger = f" The ledger has {_listed(rows)}." if rows else ""
    keyed = ""
    if effect.same_key and counted is None:
        keyed = " Every attempt carried the same key: check first whether the receiver honoured it."
    unsure = "" if effect.certainty == "observed" or rows else " Look first whether each of them acted."
    return PlanStep(
        kind="undo",
        does="undo",
        sentence=f"{what}. {ask}{ledger}{keyed}{unsure}",
        certainty="observed",
        about=(about_effect(session, effect),),
        group=2,
    )


def _look_up(session: Session, effect: Effect, voice: Voice) -> PlanStep:
    parts = _acted(effect)
    kept = kept_part(session, effect)
    open_ = [p for p in parts if p is not kept and p.executions.min == 0]
    proven = [p for p in parts if p is not kept and p.executions.min]
    told = _listed([execution_text(effect, p, voice) for p in open_ or proven or parts])
    goes_on = f" The session goes on with {execution_text(effect, kept, voice)}." if kept is not None else ""
    undo = (
        "Undo it if it acted"
        if len(open_ or proven or parts) == 1
        else "Undo those that acted and are too many"
    )
    return PlanStep(
        kind="look-up",
        does="look",
        sentence=f"Look up whether {call_text(effect)} went through in {told}: the journal cannot tell, and "
        f"nothing recorded protects it.{goes_on} {undo}. A record of what the outside really did settles it "
        "(a ledger).",
        certainty="unknown",
        about=(about_effect(session, effect),),
        group=2,
    )


def _threw(session: Session, effect: Effect, voice: Voice) -> PlanStep:
    threw = [p for p in _acted(effect) if p.is_error]
    times = _listed([f"attempt {p.attempt} {voice.at(p.at)}" for p in threw])
    return PlanStep(
        kind="look-up",
        does="look",
        sentence=f"Look up whether {call_text(effect)} acted before it threw: {times}. The runtime tries a "
        "step that throws again, and a body can act and then throw.",
        certainty="unknown",
        about=(about_effect(session, effect),),
        group=2,
    )


def _keyed(session: Session, effect: Effect, voice: Voice) -> PlanStep:
    key = f" {effect.key}" if effect.key else ""
    when = listed(dict.fromkeys(voice.clock(p.at or p.started_at) for p in _acted(effect)[:_MANY]))
    return PlanStep(
        kind="look-up",
        does="look",
        sentence=f"Check that the receiver of {call_text(effect)} honoured its key{key}: it was asked at "
        f"{when}, and acted once if it did.",
        certainty="implied",
        about=(about_effect(session, effect),),
        group=3,
    )


def _children(session: Session, effect: Effect, voice: Voice) -> PlanStep:
    runs = dict.fromkeys(p.run_id for p in effect.by_attempt)
    return PlanStep(
        kind="look-up",
        does="look",
        sentence=f"{call_text(effect)} was started as {len(runs)} child runs "
        f"({_listed([short_id(run) for run in runs])}): look at what each of them did, and undo all but one.",
        certainty="observed",
        about=(about_effect(session, effect),),
        group=2,
    )


def _listed(texts: list[str]) -> str:
    shown = texts[:_MANY]
    more = len(texts) - len(shown)
    return "; ".join(shown) + (f"; and {more} more" if more else "")

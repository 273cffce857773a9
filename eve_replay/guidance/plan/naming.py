"""How a plan names calls and executions: with their arguments, and the id and amount that tell two apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime

from eve_replay.checks.phrases import Voice
from eve_replay.guidance.plan.model import About
from eve_replay.journal.effects.build import Effect, Execution
from eve_replay.journal.ledger.model import Entry
from eve_replay.journal.model import Session
from eve_replay.redaction.veil import glimpse
from eve_replay.values import UNDEFINED

__all__ = ["about_effect", "call_text", "entry_text", "execution_text", "kept_part"]

_ROOM = 72
#: Ends of field names that hold an id the outside gave; and names of amounts.
_IDS = ("id", "number", "ref", "reference", "receipt")
_AMOUNTS = ("cents", "amount", "total", "price", "sum")


def about_effect(session: Session, effect: Effect) -> About:
    """Return what a step of the plan about an effect concerns."""
    return About(
        session_id=session.id,
        run_id=effect.run_id,
        tool=effect.tool,
        call_id=effect.call_id or "",
        step_id=effect.step_id,
    )


def call_text(effect: Effect) -> str:
    """Return ``charge_card({customer: "cus_77", cents: 12900})``."""
    given = effect.input
    if given is None:
        given = next((p.input for p in effect.by_attempt if p.input is not None), None)
    if given is None or given is UNDEFINED:
        return effect.tool
    if effect.kind == "step" and isinstance(given, (list, tuple)):
        return f"{effect.tool}({', '.join(glimpse(each, _ROOM) for each in given[:3])})"
    return f"{effect.tool}({glimpse(given, _ROOM)})"


def execution_text(effect: Effect, part: Execution, voice: Voice) -> str:
    """Return ``the one of attempt 1, ch_1qc1r5hv, 9900 cents, at 08:54:54``."""
    several = len({p.run_id for p in effect.by_attempt}) > 1
    facts = [f"run {part.run_id[-4:]}" if several else f"attempt {part.attempt}"]
    if part.returned:
        verb = "threw" if part.is_error else "returned"
        nothing = part.output is None or part.output is UNDEFINED
        facts += list(_facts(part.output)) or ([] if nothing else [glimpse(part.output, 40)])
        facts.append(f"{verb} {voice.at(part.at)}" if part.at is not None else verb)
    elif part.requested:
        facts.append(f"asked for {voice.at(part.at)}, no result recorded")
    else:
        facts.append(f"begun {voice.at(part.started_at)}, nothing of the call recorded")
    return ", ".join(fact for fact in facts if fact)


def entry_text(entry: Entry, voice: Voice) -> str:
    """Return a ledger line in the same words."""
    facts = [f"ledger line {entry.line}", *_facts(entry.fields)]
    return ", ".join([*facts, voice.at(entry.at)] if entry.at is not None else facts)


def _facts(value: object) -> Iterator[str]:
    if not isinstance(value, Mapping):
        if isinstance(value, str) and 0 < len(value) <= 40:
            yield value
        return
    plain = [(str(name), each) for name, each in value.items() if isinstance(each, (str, int, float))]
    plain = [(name, each) for name, each in plain if not isinstance(each, bool) and str(each)]
    skip = ("callid", "sessionid", "runid", "stepid", "turnid")
    ids = [each for name, each in plain if name.lower().endswith(_IDS) and name.lower() not in skip]
    yield from (str(each)[:60] for each in ids[:1])
    for name, each in plain:
        if name.lower() in _AMOUNTS and isinstance(each, (int, float)):
            yield f"{each} {name}" if name.lower() == "cents" else f"{name} {each}"
            return


def kept_part(session: Session, effect: Effect) -> Execution | None:
    """Return the execution whose result the session goes on with, None while no step is committed with one.

    It is the one of the attempt that committed the step: only its words are in the history.
    """
    done: dict[tuple[str, str], int] = {}
    for step in session.steps:
        last = step.attempts[-1] if step.committed and step.attempts else None
        if last is not None and last.outcome in ("completed", "failed"):
            done[step.run_id, step.step_id] = last.n
    for part in reversed(effect.by_attempt):
        if part.executions.max != 0 and part.attempt == done.get((part.run_id, part.step_id)):
            return part
    return None


def latest(effect: Effect) -> datetime | None:
    """Return when it was last asked for or returned."""
    times = [part.at or part.started_at for part in effect.by_attempt if part.executions.max != 0]
    known = [when for when in times if when is not None]
    return max(known) if known else None

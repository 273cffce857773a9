"""What ran twice, may have run twice, or was left behind: verdicts about effects.

Sentences and words: docs/words.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from eve_replay.checks.finding import Verdict, VerdictCode
from eve_replay.checks.phrases import Voice, count, listed, times
from eve_replay.ids import short_id
from eve_replay.journal.effects.build import Effect, Execution
from eve_replay.journal.effects.idempotency_keys import absorbed
from eve_replay.journal.effects.judge import judge_effect
from eve_replay.journal.ledger.join import Count
from eve_replay.journal.model import Attempt, Certainty, Session, Step
from eve_replay.problems import Severity
from eve_replay.redaction.veil import glimpse
from eve_replay.values import UNDEFINED, same

__all__ = ["effect_verdicts", "named"]


def effect_verdicts(
    session: Session, effects: tuple[Effect, ...], counts: Mapping[int, Count], voice: Voice
) -> Iterator[Verdict]:
    """Yield the verdicts about effects.

    Args:
        session: whose effects they are.
        effects: all of them; read-only ones are never called harmful.
        counts: ledger counts by ``id(effect)``, empty without a ledger.
        voice: now and zone of the sentences.
    """
    steps = {step.step_id: step for step in session.steps}
    for effect in effects:
        if not effect.protection.acts:
            continue
        counted = counts.get(id(effect))
        known = counted.count if counted is not None else None
        if effect.kind == "workflow-tool":
            if effect.executions.min > 1:
                yield _doubled(effect, voice)
            continue
        if counted is not None and counted.hidden:
            yield _hidden(effect, counted, voice)
        elif (known is None or known == 1) and _repeats(effect) and _outside_once(effect, known):
            yield _absorbed(effect, steps, voice, known)
        elif (known is not None and known > 1) or (known is None and effect.ran_twice):
            yield _twice(effect, steps, voice, known)
        elif known is None and effect.may_have_run_twice:
            yield _maybe(effect, steps, voice)
        if effect.displaced and effect.executions.max != 0 and known != 0:
            yield _displaced(effect, voice, known)
        if effect.left_behind:
            yield _left_behind(effect, voice, known)


def named(effect: Effect) -> str:
    """Return what a sentence calls an effect: ``charge_card (call mock-tool-call-1-0-1)``."""
    if effect.kind == "step":
        return f"{effect.tool} ({short_id(effect.step_id)})"
    if len(effect.call_ids) > 1:
        return f"{effect.tool} (calls {listed(effect.call_ids)})"
    return f"{effect.tool} (call {effect.call_id})" if effect.call_id else effect.tool


def _repeats(effect: Effect) -> bool:
    return effect.ran_twice or effect.may_have_run_twice


def _outside_once(effect: Effect, known: int | None) -> bool:
    """Whether something recorded says that the outside acted once: the receiver's word, or the ledger."""
    if known == 1:
        return effect.ran_twice
    return any(absorbed(part.output) for part in effect.by_attempt if part.returned)


def _parts(effect: Effect) -> list[Execution]:
    """The attempts a sentence tells of: those that show a sign, and those that may have executed it."""
    return [p for p in effect.by_attempt if p.executions.max != 0]


def _story(effect: Effect, steps: Mapping[str, Step], voice: Voice) -> str:
    """Tell attempt by attempt what is recorded and what came between them; equal ones are told together."""
    parts = _parts(effect)
    several_runs = len({p.run_id for p in parts}) > 1
    clauses: list[str] = []
    for group in _alike(parts):
        first, last = group[0], group[-1]
        died = [_interrupted(steps.get(p.step_id), p.attempt) and not several_runs for p in group]
        if len(group) > 2:
            who = f"attempts {first.attempt} to {last.attempt}"
            clauses.append(f"{who} {_did(first, effect, steps, voice)} to {voice.clock(last.at)}")
            if all(died) and last is not parts[-1]:
                clauses.append("the process died each time before the step was committed")
            continue
        for part, dead in zip(group, died, strict=True):
            who = f"run {short_id(part.run_id)}" if several_runs else f"attempt {part.attempt}"
            clauses.append(f"{who} {_did(part, effect, steps, voice)}")
            if dead and part is not parts[-1]:
                clauses.append("the process died before the step was committed")
    return ", ".join(clauses)


def _alike(parts: list[Execution]) -> list[list[Execution]]:
    """Group neighbours that say the same apart from their times."""
    groups: list[list[Execution]] = []
    for part in parts:
        last = groups[-1][-1] if groups else None
        if last is not None and (last.returned, last.requested, last.is_error, last.run_id) == (
            part.returned,
            part.requested,
            part.is_error,
            part.run_id,
        ):
            groups[-1].append(part)
        else:
            groups.append([part])
    return groups


def _interrupted(step: Step | None, n: int) -> bool:
    attempt = _attempt(step, n)
    return attempt is not None and attempt.outcome == "interrupted"


def _attempt(step: Step | None, n: int) -> Attempt | None:
    return next((a for a in step.attempts if a.n == n), None) if step is not None else None


def _did(part: Execution, effect: Effect, steps: Mapping[str, Step], voice: Voice) -> str:
    attempt = _attempt(steps.get(part.step_id), part.attempt)
    if effect.kind == "step":
        if part.returned:
            if not part.is_error:
                return f"completed {voice.at(part.at)}"
            said = thrown(part.output)
            return f"threw {said} {voice.at(part.at)}" if said else f"threw {voice.at(part.at)}"
        return f"began with no recorded end {voice.at(part.started_at)}"
    if part.returned:
        verb = "failed with" if part.is_error else "returned"
        return " ".join(w for w in (verb, _brief(part.output, effect), voice.at(part.at)) if w)
    if part.requested:
        return f"asked for it, with no recorded result, {voice.at(part.at)}"
    if part.reached:
        return f"ended just before it showed anything of it, begun {voice.at(part.started_at)}"
    if attempt is not None and attempt.outcome == "running":
        return f"shows nothing of it yet, begun {voice.at(part.started_at)}"
    return f"shows nothing of it, begun {voice.at(part.started_at)}"


def thrown(output: object) -> str:
    """Return what a body threw, quoted and short; empty where it is not recorded."""
    message = output if isinstance(output, str) else getattr(output, "message", None)
    if isinstance(output, Mapping):
        message = output.get("message")
    words = " ".join(message.split()) if isinstance(message, str) else ""
    return glimpse(words, 60) if words else ""


def _brief(output: object, effect: Effect) -> str:
    """Return the shortest telling piece of a result: the id that differs between attempts, else a preview."""
    others = [p.output for p in effect.by_attempt if p.returned and p.output is not output]
    if others and all(same(output, other) for other in others):
        return "the same" if output is not effect.by_attempt[0].output else ""
    if isinstance(output, Mapping):
        fields = [
            (str(name), value)
            for name, value in output.items()
            if isinstance(value, (str, int)) and not isinstance(value, bool) and str(value)
        ]
        differing = [
            (name, value)
            for name, value in fields
            if any(isinstance(o, Mapping) and not same(o.get(name), value) for o in others)
        ]
        ids = [pair for pair in differing or fields if pair[0].lower().endswith(("id", "number", "ref"))]
        chosen = ids or differing
        if chosen:
            return glimpse(chosen[0][1], 40).strip("\"'")
    return "nothing" if output is None or output is UNDEFINED else glimpse(output, 40)


def _certainty_words(certainty: Certainty, effect: Effect) -> str:
    returned = sum(1 for p in effect.by_attempt if p.returned)
    if effect.kind == "step":
        return f"{certainty.capitalize()}: {count(len(_parts(effect)), 'recorded start')}"
    return f"{certainty.capitalize()}: {count(returned, 'action.result event')}"


def _verdict(
    effect: Effect,
    code: VerdictCode,
    severity: Severity,
    certainty: Certainty,
    sentence: str,
    next_: str,
    known: int | None = None,
) -> Verdict:
    return Verdict(
        code=code,
        sentence=sentence,
        certainty=certainty,
        next=next_,
        severity=severity,
        evidence=effect.evidence,
        turn_id=effect.turn_id or "",
        run_id=effect.run_id,
        step_id=effect.step_id,
        tool=effect.tool,
        call_ids=effect.call_ids,
        judgement=judge_effect(effect, known),
    )


def _twice(effect: Effect, steps: Mapping[str, Step], voice: Voice, known: int | None) -> Verdict:
    many = known if known is not None else effect.executions.min
    more = ""
    if known is None and effect.executions.max is not None and effect.executions.max > many:
        more = f", perhaps {times(effect.executions.max)}"
    how = _certainty_words("observed", effect)
    if known is not None:
        how = f"Observed: the ledger has it {times(known)}"
    retried = known is None and effect.kind == "step" and all(p.is_error for p in _parts(effect)[:-1])
    why = ""
    if retried:
        why = " The runtime tries a step that throws again; a body that threw may have acted before it threw."
    return _verdict(
        effect,
        "ran-twice",
        "warning" if known is None and (effect.outside.max == 1 or retried) else "error",
        "observed",
        f"{named(effect)} ran {times(many)}{more}: {_story(effect, steps, voice)}. "
        f"{how}.{why}{_key_words(effect, known)}",
        _undo(effect, many, known),
        known,
    )


def _maybe(effect: Effect, steps: Mapping[str, Step], voice: Voice) -> Verdict:
    top = effect.executions.max
    may = f"may have run {times(top)}" if top is not None else "may have run again, without bound"
    open_question = "a request without a result does not say whether the tool had acted"
    if effect.kind == "step":
        open_question = "a start without an end does not say whether the body had acted"
    if effect.unlogged is not None:
        open_question = effect.unlogged.why
    return _verdict(
        effect,
        "may-have-run-twice",
        "warning",
        "unknown",
        f"{named(effect)} {may}: {_story(effect, steps, voice)}. Unknown: {open_question}."
        f"{_key_words(effect)}",
        "Look it up where it acts (a ledger settles it: --ledger FILE), and undo what is too much; "
        f"{_advice(effect)}.",
    )


def _key_words(effect: Effect, known: int | None = None) -> str:
    if effect.same_key and known is not None:
        return " Every attempt that shows a key carried the same one, and the receiver acted each time."
    if effect.same_key:
        return " Every attempt that shows a key carried the same one: a receiver that honours it acted once."
    if effect.same_key is False:
        return " The keys of the attempts differ, so they did not protect."
    if len(effect.call_ids) > 1:
        return " The call has another id in each attempt, so a key made of the call id does not protect."
    if effect.protection.source == "policy":
        return f" Policy: {effect.protection.word}."
    return ""


def _advice(effect: Effect) -> str:
    """Return what to make the key of. A step's id is the same in every attempt, a call id need not be."""
    if effect.kind == "step":
        return "give it a key: the step id is the same in every attempt"
    if effect.protection.klass == "keyed" and effect.protection.by == "call-id":
        return "make its key of coordinates or a business id, not of the call id"
    return "give it a key that survives a re-run: coordinates or a business id"


def _undo(effect: Effect, many: int, known: int | None) -> str:
    protection = effect.protection
    which = "Undo one" if many == 2 else f"Undo {many - 1} of {many}"
    if known is not None:
        honoured = "; make the receiver honour the key" if effect.same_key else f"; {_advice(effect)}"
        return f"{which}{honoured}."
    if effect.same_key or (protection.source == "policy" and protection.survives):
        return "Check that the receiver acted once; if it did not, undo the rest."
    return f"{which}, if each of them acted; {_advice(effect)}."


def _absorbed(effect: Effect, steps: Mapping[str, Step], voice: Voice, known: int | None) -> Verdict:
    how = (
        "the ledger has it once"
        if known == 1
        else "the receiver's answer says that it had the first request already"
    )
    return _verdict(
        effect,
        "repeat-absorbed",
        "info",
        "observed",
        f"{named(effect)} was asked for again, and the outside acted once: {_story(effect, steps, voice)}. "
        f"Observed: {how}.",
        "",
    )


def _hidden(effect: Effect, counted: Count, voice: Voice) -> Verdict:
    known = counted.count or 0
    top = effect.executions.max or 0
    lines = listed(voice.at(entry.at) for entry in counted.entries[:4])
    return _verdict(
        effect,
        "hidden-execution",
        "error",
        "observed",
        f"{named(effect)} happened {times(known)} by the ledger ({lines}), and the journal has "
        f"{count(top, 'start')} for it: more effects than starts. A body ran that no start records.",
        "Look for a second process on the same store or a delivery sent twice; undo what is too much.",
    )


def _doubled(effect: Effect, voice: Voice) -> Verdict:
    parts = effect.by_attempt
    runs = listed(f"{short_id(p.run_id)} ({voice.at(p.started_at)})" for p in parts[:4])
    more = f" and {len(parts) - 4} more" if len(parts) > 4 else ""
    return _verdict(
        effect,
        "doubled-child",
        "error",
        "observed",
        f"{named(effect)} has {count(len(parts), 'child run')}: {runs}{more}. The step that starts it "
        "ran again, and "
        "the child it had already started went on. Observed: run records.",
        "Check what each child run did (they are listed below it), and undo the rest.",
    )


def _displaced(effect: Effect, voice: Voice, known: int | None) -> Verdict:
    """It acted, or may have, in an attempt that was run again, and the re-run's model asked otherwise."""
    part = next(p for p in reversed(effect.by_attempt) if p.executions.max != 0)
    sure = effect.executions.min > 0 or bool(known)
    instead = f"asked for {listed(effect.instead)} instead" if effect.instead else "did not ask for it again"
    both = ""
    if effect.instead:
        both = " Both acted." if sure else " Both may have acted."
    return _verdict(
        effect,
        "asked-otherwise",
        "warning",
        "observed" if sure else "unknown",
        f"{named(effect)} {'ran' if sure else 'may have run'} in attempt {part.attempt} {voice.at(part.at)}, "
        f"which was run again, and then the model {instead}.{both} The conversation that goes on knows "
        "nothing of it.",
        "Look it up where it acts, and undo it if it is not wanted.",
        known,
    )


def _left_behind(effect: Effect, voice: Voice, known: int | None) -> Verdict:
    asked = next((p for p in effect.by_attempt if p.requested), None)
    when = voice.at(asked.at) if asked is not None else "at an unrecorded time"
    fact = "it may have acted"
    if known is not None:
        fact = f"the ledger has it {times(known)}" if known else "the ledger does not have it"
    return _verdict(
        effect,
        "left-behind",
        "info" if known == 0 else "warning",
        "unknown" if known is None else "observed",
        f"{named(effect)} was asked for {when} in a turn that was cancelled before a result was "
        f"recorded: {fact}. "
        "A cancelled turn takes nothing back.",
        "" if known == 0 else "Look it up where it acts, and undo it if it is not wanted.",
    )

"""An answer in plain words: counts, times and what happens, in the nouns of those who read it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING

from eve_replay.journal.effects.executions import Executions
from eve_replay.journal.frameworks.registry import framework_named
from eve_replay.recovery.strategies import DURABLE

if TYPE_CHECKING:
    from eve_replay.recovery.result import EffectVerdict, Paid, Simulation

__all__ = ["joined", "paid_tokens", "paragraph", "seconds", "times", "whole_of"]

_UNNAMED = "Further calls of this answer may have run: that the stream names no others proves nothing."


def times(count: Executions) -> str:
    """Return ``once``, ``twice``, ``once or twice``, ``at least twice``, ``not at all``."""
    word = {0: "not at all", 1: "once", 2: "twice"}
    if count.max is None:
        if count.min == 0:
            return "an unknown number of times"
        return f"at least {_word(count.min, word)}, without end"
    if count.min == count.max:
        return _word(count.min, word)
    if count.min == 0 and count.max == 1:
        return "once or not at all"
    if count.min == 1 and count.max == 2:
        return "once or twice"
    return f"{count.min} to {count.max} times"


def _word(count: int, word: Mapping[int, str]) -> str:
    return word.get(count, f"{count} times")


def joined(words: Sequence[str], last: str = "and") -> str:
    """Return ``a``, ``a and b``, ``a, b and c``."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def seconds(value: float) -> str:
    """Return a number of seconds without needless zeros: ``860 s``, ``2.5 s``."""
    return f"{value:g} s"


def _clock(at: datetime, zone: tzinfo | None) -> str:
    local = at.astimezone(zone)
    offset = local.strftime("%z")
    name = "UTC" if offset == "+0000" else f"UTC{offset[:3]}:{offset[3:5]}"
    return f"{local:%Y-%m-%d %H:%M:%S} {name}"


def paragraph(sim: Simulation, zone: tzinfo | None = UTC) -> str:
    """Return the answer in plain words: what ran, what happens then, how often, when, what to do.

    Times are those of ``zone`` (None: the machine's own), which is named.
    """
    parts = [_opening(sim), _outcome(sim, zone)]
    if sim.steps:
        parts.append(_steps(sim))
    effects = _effects(sim)
    if effects:
        parts.append(effects)
    if sim.model_calls.again:
        unit = "call is" if sim.model_calls.again == 1 else "calls are"
        spent = f", {paid_tokens(sim.tokens)}" if sim.tokens.again or sim.tokens.unknown else ""
        often = " at every wake-up" if sim.model_calls.unbounded else ""
        parts.append(f"{sim.model_calls.again} model {unit} paid again{often}{spent}.")
    if sim.open:
        parts.append(sim.unnamed or _UNNAMED)
    if sim.person:
        parts.append(f"Next: {sim.person}.")
    return " ".join(part for part in parts if part)


def paid_tokens(tokens: Paid) -> str:
    """Return the tokens that are paid again, in words: at least those that are recorded."""
    if not tokens.unknown:
        return f"{tokens.again:,} tokens"
    return f"at least {tokens.again:,} tokens" if tokens.again else "tokens not recorded"


def whole_of(framework: str) -> str:
    """Return what a framework's people call one message and its work; the run itself where there are none."""
    nouns = framework_named(framework).nouns
    return nouns.turn or nouns.session


def _opening(sim: Simulation) -> str:
    if not sim.point.label:
        return ""
    if sim.point.klass == "as-it-lies":
        return f"As it lies ({sim.point.label}):"
    return f"If the process dies here ({sim.point.label}):"


def _outcome(sim: Simulation, zone: tzinfo | None) -> str:
    when = ""
    if sim.earliest is not None:
        assumed = ""
        if sim.by == "lease" and sim.assumptions.lease_seconds is not None:
            given = "its" if sim.assumptions.lease_fixed else "assuming a"
            assumed = f" ({given} lease of {seconds(sim.assumptions.lease_seconds)})"
        when = f", not before {_clock(sim.earliest, zone)}{assumed}"
    elif sim.delay:
        when = f", {sim.delay}"
    whole = whole_of(sim.framework)
    reason = sim.ends.removeprefix("failed").removeprefix(": ")
    # What fails in eve is the run that holds the turn.
    failing = "run" if framework_named(sim.framework).language == "workflow" else whole
    words = {
        "recovers": f"the {whole} goes on by itself" + when,
        "needs-message": "nothing goes on until somebody sends a message" + when,
        "needs-person": "it waits for a person",
        "hangs": "the run hangs for good"
        if sim.ends == "never"
        else f"the {whole} runs to its end, then the session hangs and processes no further message",
        "fails": f"the {failing} fails" + (f" ({reason})" if reason else ""),
        "nothing-open": "nothing is open and nothing runs again, and what was cut off may still act"
        if sim.late
        else "nothing is open, so nothing is lost and nothing is repeated"
        if sim.point.certainty != "unknown"
        else "whether something was due is not recorded",
    }
    return words[sim.outcome] + "."


def _steps(sim: Simulation) -> str:
    again = [step.function for step in sim.steps if step.verdict == "re-executed"]
    stuck = [step.function for step in sim.steps if step.verdict == "stuck" and step.code != "unborn"]
    text = []
    if again:
        text.append(f"{joined(again)} {'runs' if len(again) == 1 else 'run'} again from the start.")
    if stuck and sim.outcome in ("hangs", "needs-message"):
        text.append(f"{joined(stuck)} can never commit.")
    return " ".join(text)


def _effects(sim: Simulation) -> str:
    text = []
    for effect in sim.effects:
        if effect.executions.max in (0, 1) and effect.executions.min == effect.executions.max:
            continue
        text.append(_effect(effect))
    return " ".join(text)


def _effect(effect: EffectVerdict) -> str:
    name = f"{effect.tool} ({effect.call_id})" if effect.call_id else effect.tool
    if effect.strategy == DURABLE.name:
        sentence = f"{name} is entered {times(effect.executions)}; its recorded steps are kept, what lies"
        return f"{sentence} outside of them is done each time."
    sentence = f"{name} runs {times(effect.executions)}"
    if effect.strategy != "none" and effect.outside != effect.executions:
        sentence += f"; with {effect.strategy} the outside sees it {times(effect.outside)}"
    if effect.missed.max:
        sentence += ", and it may be missed altogether"
    return sentence + "."

"""How what a simulation shows is known: implied by recovery rules, which name where they were seen."""

from __future__ import annotations

from eve_replay.recovery.environment import environment
from eve_replay.recovery.words import RULES
from eve_replay.workshop.explain.words import fill
from eve_replay.workshop.model import Language, Outcome, Text

__all__ = ["basis", "basis_of_all"]

_WITHOUT = Text(
    "Implied: this is a simulation. Nothing was recovered in it.",
    "推断：这是模拟。其中没有发生恢复。",
)
_RULES = Text(
    "Implied: this is a simulation. What comes back after a crash follows rules that stand in {sources}.",
    "推断：这是模拟。崩溃之后怎样恢复，依据的规则见 {sources}。",
)
_UNKNOWN = Text(
    "Unknown: this is a simulation, and how this environment recovers was not recorded ({sources}).",
    "未知：这是模拟，而这个环境怎样恢复没有运行记录（{sources}）。",
)
_ALL = Text(
    "Implied: every crash was simulated by the recovery rules of docs/evidence/sweep.md and"
    " docs/evidence/observed.md.",
    "推断：每次崩溃都是按 docs/evidence/sweep.md 和 docs/evidence/observed.md 里的恢复规则模拟的。",
)


def basis(outcome: Outcome, language: Language) -> str:
    """Return how the recovery in an outcome is known, with the sources of the rules that were used."""
    place = environment(outcome.case.environment)
    unsure = place.certainty == "unknown"
    sources: dict[str, None] = {}
    for name in outcome.rules:
        # What is said of every environment is less than what is said of this one.
        sources[place.source if name == "environment" else RULES[name].source] = None
        unsure = unsure or RULES[name].certainty == "unknown"
    named = {"sources": "; ".join(each for each in sources if each)}
    if not named["sources"]:
        return _WITHOUT.get(language)
    return fill(_UNKNOWN if unsure else _RULES, language, named)


def basis_of_all(language: Language) -> str:
    """Return how it is known that an answer holds under every schedule."""
    return _ALL.get(language)

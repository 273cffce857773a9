"""What the outside ends up with, counted and judged: two charges for an invoice are harm, none is missed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from eve_replay.views.kit.tone import TONES, Tone
from eve_replay.workshop.engine.explore import first_breach
from eve_replay.workshop.model import Deed, Entry, Language, Outcome, Promise
from eve_replay.workshop.views.words import MARKS, counted, word

__all__ = ["Mark", "entry_tones", "mark_of", "sign_of", "sums_of"]

#: What a broken promise looks like; ``harm`` is kept for what was done too often.
_TONES: dict[str, Tone] = {
    "twice": "harm", "extra": "harm", "missed": "warning", "lied": "warning", "silent": "warning",
    "bothered": "parked", "threw": "warning", "wrong-answer": "warning", "hangs": "unknown",
    "diverged": "unknown", "runaway": "unknown",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mark:
    """What came of a run, in a cell: a tone, its sign and words."""

    tone: Tone
    sign: str
    words: str

    def to_json(self) -> dict[str, object]:
        """Return it as plain data."""
        return {"tone": self.tone, "sign": self.sign, "words": self.words}


def mark_of(outcome: Outcome, promises: Iterable[Promise], language: Language) -> Mark:
    """Return what a cell says of an outcome.

    Args:
        outcome: what came of the run.
        promises: what the lesson asks for; the first broken one decides. Without any the counts decide.
        language: of the words.
    """
    sums = sums_of(outcome, language)
    wrong = [each for each in sums if each["tone"] in ("harm", "warning")]
    said = "; ".join(str(each["text"]) for each in wrong)
    if any(each["tone"] == "harm" for each in wrong):
        return _mark("harm", said)
    breach = first_breach(outcome, tuple(promises))
    if breach is not None:
        name = MARKS[breach.code].get(language) if breach.code in MARKS else breach.code
        return _mark(_TONES.get(breach.code, "warning"), said or name)
    if outcome.ended not in ("completed", "dormant"):
        return _mark("unknown", word(f"end-{outcome.ended}", language))
    if any(entry.effect == "person" for entry in outcome.ledger):
        return _mark("parked", MARKS["person"].get(language))
    if wrong and not promises:
        return _mark("warning", said)
    return _mark("once", MARKS["kept"].get(language))


def _mark(tone: Tone, words: str) -> Mark:
    return Mark(tone, sign_of(tone), words)


def sign_of(tone: str) -> str:
    """Return the sign of a tone."""
    return TONES[tone].sign  # type: ignore[index]  # every tone here is one of ours


def entry_tones(outcome: Outcome) -> dict[int, Tone]:
    """Return the tone of every ledger line: all lines of a deed done too often are harm."""
    tones: dict[int, Tone] = {}
    for deed, wanted in _wanted(outcome):
        own = [entry.number for entry in outcome.ledger if _does(entry, deed)]
        for number in own:
            tones[number] = "harm" if len(own) > wanted else "once"
    deeds = [deed for deed, _ in _wanted(outcome)]
    effects = {deed.effect for deed in deeds}
    for entry in outcome.ledger:
        if entry.number not in tones:
            tones[entry.number] = "harm" if entry.effect in effects else "once"
    return tones


def _does(entry: Entry, deed: Deed) -> bool:
    return entry.effect == deed.effect and all(
        entry.fields.get(name) == value for name, value in deed.match.items()
    )


def _wanted(outcome: Outcome) -> list[tuple[Deed, int]]:
    deeds = list(outcome.case.deeds)
    return [(deed, deeds.count(deed)) for n, deed in enumerate(deeds) if deed not in deeds[:n]]


def sums_of(outcome: Outcome, language: Language) -> list[dict[str, Any]]:
    """Count what came of everything that was wanted, then what nobody wanted, then who was told."""
    sums: list[dict[str, Any]] = []

    def add(tone: Tone, text: str) -> None:
        sums.append({"tone": tone, "sign": sign_of(tone), "text": text})

    for deed, wanted in _wanted(outcome):
        count = outcome.count(deed)
        tone: Tone = "harm" if count > wanted else "warning" if count < wanted else "once"
        what = counted(count, deed.effect, language)
        add(tone, _joined(what, deed.effect, deed.text.get(language), language))
    wanted_effects = {deed.effect for deed, _ in _wanted(outcome)}
    known = [deed for deed, _ in _wanted(outcome)]
    for effect in sorted(wanted_effects):
        extra = [e for e in outcome.ledger if e.effect == effect and not any(_does(e, d) for d in known)]
        if extra:
            add("harm", word("unwanted", language, what=counted(len(extra), effect, language)))
    people = sum(entry.effect == "person" for entry in outcome.ledger)
    if people and "person" not in wanted_effects:
        add("parked", counted(people, "person", language))
    return sums


def _joined(what: str, effect: str, name: str, language: Language) -> str:
    if not name:
        return what
    if language == "zh":
        return f"{name}：{what}"
    return f"{what}: {name}" if effect == "mail" else f"{what} for {name}"

"""The story of an outcome, why it failed, and what to think about next, in plain sentences.

story(outcome, "en")       one line per thing that happened, the sum last
why(diagnosis, "en")       the reason, with the keys, ids and times that show it
next_hint(diagnosis, "en") a question, never the solution
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from eve_replay.workshop.explain.calls import pairs
from eve_replay.workshop.explain.diagnose import Diagnosis
from eve_replay.workshop.explain.teller import Teller
from eve_replay.workshop.explain.words import (
    EFFECTS,
    LABELS,
    NEXT,
    SERVICES,
    TOLD,
    WHY,
    cut,
    fill,
    named,
    quote,
    spell,
)
from eve_replay.workshop.model import Deed, Language, Outcome, Text
from eve_replay.workshop.outside.refusals import REFUSALS
from eve_replay.workshop.promises import claims_done, entries_of, told_of

__all__ = ["next_hint", "story", "sums", "why"]

#: A story is for reading: more lines than this are counted, not told.
_LINES = 40
#: Facts of a diagnosis that are times.
_TIMES = ("between", "after", "looked_at", "landed_at", "sent_at", "released_at", "owned_at", "seconds")
#: Facts that are quoted: they come from a learner's code or a model.
_QUOTED = (
    "first_key", "second_key", "key", "claim", "value", "subject", "note", "told", "asked", "recorded", "for",
)  # fmt: skip
_COMMON_WORD = re.compile(r"[a-z]{3,} ")


def story(outcome: Outcome, language: Language = "en") -> tuple[str, ...]:
    """Return what happened, one line per thing, and in the end what came of each deed.

    Args:
        outcome: of one simulation.
        language: ``en`` or ``zh``.
    """
    teller = Teller(outcome, language)
    lines = list(_shortened(_lines(teller), teller))
    return (*lines, *sums(outcome, language))


def _lines(teller: Teller) -> Iterator[tuple[str, int]]:
    """One line per told moment, with its process; a crash and what it leaves are one line."""
    space = TOLD["space"].get(teller.language)
    for index, moment in enumerate(teller.trace):
        if teller.quiet(index) and (moment.fault is None or moment.kind != "model"):
            continue
        said = teller.sentences(index)
        if said:
            yield space.join(said), moment.process


def _shortened(lines: Iterator[tuple[str, int]], teller: Teller) -> Iterator[str]:
    """Leave out what goes on and on in one process: the same few lines again, counted instead."""
    kept: list[tuple[str, int]] = []
    skipped = 0
    for each in lines:
        line, _ = each
        if kept.count(each) >= 2 and each in kept[-6:]:
            skipped += 1
            continue
        if skipped:
            yield teller.say("so-on", count=skipped)
            skipped = 0
        kept.append(each)
        if len(kept) <= _LINES:
            yield line
    if skipped:
        yield teller.say("so-on", count=skipped)


def sums(outcome: Outcome, language: Language = "en") -> tuple[str, ...]:
    """Return how it came out: how it ended, and every deed that was not done exactly once.

    When all were, that is said of each.
    """
    teller = Teller(outcome, language)
    said = [teller.say(outcome.ended)] if outcome.ended in ("hangs", "deaf", "runaway", "diverged") else []
    deeds = _known(outcome)
    wrong = [
        line for deed, line in ((deed, _sum(teller, deed)) for deed in deeds) if not _right(outcome, deed)
    ]
    right = [_sum(teller, deed) for deed in deeds if _right(outcome, deed)]
    return tuple(said + (wrong or right))


def _known(outcome: Outcome) -> list[Deed]:
    found: list[Deed] = []
    for deed in outcome.case.deeds:
        if deed not in found:
            found.append(deed)
    return found


def _right(outcome: Outcome, deed: Deed) -> bool:
    return outcome.count(deed) == sum(each == deed for each in outcome.case.deeds)


def _sum(teller: Teller, deed: Deed) -> str:
    outcome, language = teller.outcome, teller.language
    entries = entries_of(outcome, deed)
    name = f"done-{deed.effect}"
    words = cut(deed.text.get(language)) or pairs(deed.match)
    fields: dict[str, object] = {
        "deed": words[:1].upper() + words[1:] if language == "en" and _COMMON_WORD.match(words) else words,
        "done": TOLD[name if name in TOLD else "done-other"].get(language),
    }
    if len(entries) > 1:
        ids = [cut(entry.fields.get("id", entry.key or "")) for entry in entries]
        comma, last = TOLD["comma"].get(language), TOLD["and"].get(language)
        fields["ids"] = last.join([comma.join(ids[:-1]), ids[-1]])
        times = "times-2" if len(entries) == 2 else "times"
        return teller.say("twice", times=teller.say(times, count=len(entries)), **fields)
    if entries:
        return teller.say("once", **fields)
    if told_of(outcome, deed):
        return teller.say("never-told", **fields)
    result = teller.seen.result(deed)
    if claims_done(result):
        return teller.say("never-claimed", result=pairs(result), **fields)
    return teller.say("never", **fields)


# -- reasons -----------------------------------------------------------------------------------------------


def why(diagnosis: Diagnosis, language: Language = "en") -> str:
    """Return why it failed, in a sentence or two."""
    because = diagnosis.facts.get("because")
    text = WHY.get(f"{diagnosis.code}:{because}") or WHY.get(diagnosis.code)
    said = fill(text, language, _fields(diagnosis, language)) if text is not None else ""
    return TOLD["space"].get(language).join([said, *_slip(diagnosis.facts, language)]).strip()


def _slip(facts: Mapping[str, object], language: Language) -> Iterator[str]:
    """Which line of the learner's own code an error came from, and what may have been meant."""
    if "line" in facts:
        name = "slip-line" if facts.get("code") else "slip-line-only"
        yield fill(TOLD[name], language, {"line": facts["line"], "code": cut(facts.get("code", ""), 120)})
    if facts.get("meant"):
        yield fill(TOLD["slip-meant"], language, {"meant": cut(facts["meant"])})
    elif facts.get("can"):
        yield fill(TOLD["slip-can"], language, {"can": cut(facts["can"], 200)})


def next_hint(diagnosis: Diagnosis, language: Language = "en") -> str:
    """Return what to think about next."""
    because = diagnosis.facts.get("because")
    text = NEXT.get(f"{diagnosis.code}:{because}") or NEXT.get(diagnosis.code)
    return fill(text, language, _fields(diagnosis, language)) if text is not None else ""


def _fields(diagnosis: Diagnosis, language: Language) -> dict[str, object]:
    facts = diagnosis.facts
    fields: dict[str, object] = {
        name: cut(value.get(language) if isinstance(value, Text) else value, 200)
        for name, value in facts.items()
    }
    refusal = facts.get("refusal")
    if isinstance(refusal, Mapping) and refusal.get("code") in REFUSALS:
        fields["error"] = fill(REFUSALS[str(refusal["code"])], language, refusal)
    for name in _TIMES:
        value = facts.get(name)
        if isinstance(value, (int, float)):
            fields[name] = spell(float(value), language)
    if f"effect-{facts.get('effect')}" in LABELS:
        fields["effect"] = LABELS[f"effect-{facts['effect']}"].get(language)
    looked, landed = facts.get("looked_at"), facts.get("landed_at")
    if isinstance(looked, (int, float)) and isinstance(landed, (int, float)):
        near = landed - looked < 5
        time = {"time": spell(landed, language)}
        fields["landed"] = fill(TOLD["landed-right" if near else "landed-at"], language, time)
    hours = facts.get("hours")
    if isinstance(hours, (int, float)):
        fields["hours"] = spell(hours * 3600, language)
    for name in _QUOTED:
        if name in facts:
            fields[name] = quote(facts[name], language)
    effect, service = str(facts.get("effect", "")), str(facts.get("service", ""))
    two = named(EFFECTS, effect, language)
    fields["two"], fields["Two"] = two, two[:1].upper() + two[1:]
    whom = named(SERVICES, service or str(facts.get("where", "")).partition(".")[0], language)
    fields["service"], fields["Service"] = whom, whom[:1].upper() + whom[1:]
    return fields

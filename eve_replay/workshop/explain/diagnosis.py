"""What a diagnosis is, and the words for values that all of them share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from eve_replay.workshop.explain.evidence import Dealing, Evidence
from eve_replay.workshop.model import Entry, Text
from eve_replay.workshop.promises import belongs

__all__ = [
    "DIAGNOSES",
    "Diagnosis",
    "asked_words",
    "deed_words",
    "nothing",
    "result_words",
    "row_name",
    "said",
]

#: Every code, with what it says. A code may have variants (fact ``because``) with a sentence of their own.
DIAGNOSES: Mapping[str, str] = MappingProxyType(
    {
        "no-key": "two requests without a key",
        "key-ignored": "two requests with one key, at a service that does not look at keys",
        "key-changed": "two requests with different keys for one deed",
        "key-merged": "one key (or claim) for two deeds: the second one was never done",
        "key-expired": "the same key, after the service had forgotten it",
        "checked-too-early": "looked, found nothing, acted; the first request was still on its way",
        "noted-too-late": "looked for a note of its own that would have been written after acting",
        "memory-lost": "what was done was known to the memory of a process that died",
        "pending-forever": "a claim of a dead process that nobody takes over or reports",
        "claimed-not-done": "a claim taken for the deed itself",
        "claim-released": "the claim was gone when the second attempt came",
        "claim-ignored": "the claim was found taken, and the tool acted all the same",
        "answer-lost": "no answer came, and the tool took that for an answer",
        "outside-a-step": "a workflow body acted outside a step, so every replay acts again",
        "diverged": "a workflow body took another way on replay",
        "threw": "the tool ended with an exception",
        "runaway": "the tool called the outside without end",
        "hangs": "the run is stuck for good",
        "person-not-needed": "a person was told though nothing was unknown",
        "not-asked-for": "an effect that nobody asked for",
        "wrong-answer": "the result is not what was asked for",
        "not-done": "the tool did not act",
        "other-deed": "the tool acted, but what it did does not say that it is this deed",
        "not-protected": "the tool acted twice, and nothing of the above explains it",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """Why a promise was broken.

    Attributes:
        code: one of :data:`DIAGNOSES`.
        facts: what the sentence needs: keys, ids, processes, times in seconds; ``because`` names the variant.
    """

    code: str
    facts: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))


def nothing(dealing: Dealing) -> bool:
    """Return whether somebody looked and found nothing."""
    facts = dealing.facts("found", "got")
    if facts is None:
        return False
    return facts.get("count") == 0 if facts.get("did") == "found" else facts.get("value") is None


def row_name(dealing: Dealing) -> str:
    """Return the name of a claim that is a row: its table and unique columns."""
    facts = dealing.call.facts
    columns = facts.get("unique")
    names = columns if isinstance(columns, list) else []
    return f"{facts.get('table')}: " + ", ".join(f"{name}={facts.get(name)}" for name in names)


def said(fields: object) -> str:
    """Return fields as ``order INV-7, cents 4200``."""
    if not isinstance(fields, Mapping):
        return ""
    return ", ".join(
        f"{name} {value}"
        for name, value in fields.items()
        if value is not None and name not in ("method", "unique", "body")
    )


def result_words(result: object) -> str:
    """Return a result, or a value of the store, as one line."""
    if result is None:
        return "None"
    if isinstance(result, Mapping):
        return said(result)
    if isinstance(result, Sequence) and not isinstance(result, str):
        return "; ".join(result_words(each) for each in result)
    return str(result)


def deed_words(seen: Evidence, entry: Entry) -> Text | str:
    """Return what a ledger line did, as a person calls it."""
    deed = next((each for each in seen.outcome.case.deeds if belongs(entry, each)), None)
    return deed.text if deed is not None else said(entry.fields)


def asked_words(seen: Evidence, dealing: Dealing) -> Text | str:
    """Return what a call was asked for, as a person calls it; empty when that cannot be told."""
    call = dealing.call
    try:
        ask = seen.outcome.case.turns[call.turn].answers[call.step][call.position]
    except IndexError:
        return ""
    return ask.deeds[0].text if ask.deeds else ""

"""Why a promise was broken: a code and the facts that show it, from the trace and the ledger alone.

The source of a tool is never looked at: two tools that leave the same trace get the same diagnosis. Facts are
plain values; times are seconds of the case. The sentences are in :mod:`words`, joined in :mod:`story`.
"""

from __future__ import annotations

from collections.abc import Mapping

from eve_replay.workshop.explain.diagnose_missed import (
    diverged_facts,
    error_facts,
    last_call,
    never_done,
    stuck_facts,
    waits_for_a_claim,
)
from eve_replay.workshop.explain.diagnose_twice import done_twice
from eve_replay.workshop.explain.diagnosis import DIAGNOSES, Diagnosis, said
from eve_replay.workshop.explain.evidence import Dealing, Evidence
from eve_replay.workshop.model import Breach, Outcome

__all__ = ["DIAGNOSES", "Diagnosis", "diagnose"]


def diagnose(outcome: Outcome, breach: Breach) -> Diagnosis:
    """Return why a promise was broken in an outcome."""
    seen = Evidence(outcome)
    words = breach.deed.text if breach.deed is not None else ""
    found = _find(seen, breach)
    return Diagnosis(code=found.code, facts={"deed": words, "breach": breach.code, **found.facts})


def _find(seen: Evidence, breach: Breach) -> Diagnosis:
    if breach.code == "twice":
        return done_twice(seen, breach)
    if breach.code in ("missed", "silent", "lied"):
        return never_done(seen, breach)
    if breach.code == "runaway":
        return waits_for_a_claim(seen) or Diagnosis(code="runaway", facts=last_call(seen))
    if breach.code == "threw":
        return _threw(seen, breach)
    if breach.code == "hangs":
        return Diagnosis(code="hangs", facts=stuck_facts(seen))
    if breach.code == "diverged":
        return Diagnosis(code="diverged", facts=diverged_facts(seen))
    if breach.code == "bothered":
        noted = {name: breach.facts[name] for name in ("because", "note", "value") if name in breach.facts}
        subject = _entry_fields(seen, breach).get("subject", "")
        return Diagnosis(code="person-not-needed", facts={"subject": subject, **noted})
    if breach.code == "extra":
        fields = dict(_entry_fields(seen, breach))
        effect = fields.pop("effect", "")
        fields.pop("id", None)
        return Diagnosis(code="not-asked-for", facts={"effect": effect, "what": said(fields)})
    code = breach.code if breach.code in DIAGNOSES else "not-protected"
    return Diagnosis(code=code, facts=dict(breach.facts))


def _threw(seen: Evidence, breach: Breach) -> Diagnosis:
    error = str(breach.facts.get("error", ""))
    turn, position = breach.facts.get("turn"), breach.facts.get("position")
    for each in reversed(seen.dealings):
        if (each.call.turn, each.call.position) != (turn, position):
            continue
        reused = each.facts("key-reused")
        if reused is not None and "KeyReused" in error:
            first, body = reused.get("first"), reused.get("body")
            facts = {
                "service": each.call.service,
                "key": reused.get("key"),
                "other": said(first),
                "body": said(body),
                "error": error,
            }
            same = _same_deed(seen, each, first)
            return Diagnosis(
                code="threw" if same else "key-merged",
                facts={**facts, "because": "body" if same else "refused"},
            )
        if each.timed_out and "Timeout" in error:
            where = f"{each.call.service}.{each.call.method}"
            return Diagnosis(code="threw", facts={"because": "timeout", "where": where, "error": error})
        if "UniqueViolation" in error and each.facts("violated") is not None:
            return Diagnosis(code="threw", facts={"because": "unique", "error": error})
        break
    return Diagnosis(code="threw", facts=error_facts(seen, error))


def _same_deed(seen: Evidence, dealing: Dealing, first: object) -> bool:
    """Whether the request that first came with a key was made at the same place of the conversation."""
    place = (dealing.call.turn, dealing.call.step, dealing.call.position)
    for each in seen.dealings:
        if each.index < dealing.index and each.call.facts.get("key") == dealing.call.facts.get("key"):
            return (each.call.turn, each.call.step, each.call.position) == place
    return False


def _entry_fields(seen: Evidence, breach: Breach) -> Mapping[str, object]:
    entry = seen.entry(breach.entries[0]) if breach.entries else None
    return {"effect": entry.effect, **entry.fields} if entry is not None else {}

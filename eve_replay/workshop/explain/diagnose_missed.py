"""Why something was never done, or was said to be done without being it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from eve_replay.workshop.explain.diagnosis import (
    Diagnosis,
    asked_words,
    deed_words,
    nothing,
    result_words,
    row_name,
    said,
)
from eve_replay.workshop.explain.evidence import Dealing, Evidence
from eve_replay.workshop.model import Breach, Deed, Entry
from eve_replay.workshop.promises import belongs, claims_done

__all__ = ["diverged_facts", "error_facts", "last_call", "never_done", "stuck_facts", "waits_for_a_claim"]

#: Words of a claim's value, or of a result, that leave the matter open.
_OPEN = re.compile(
    r"pending|claim|progress|wait|later|unknown|unclear|running|started|busy|lock|retry|again|begun|trying|open|"
    r"处理中|等待|未知|进行中|稍后",
    re.IGNORECASE,
)

#: What is known of the line an error came from (:mod:`eve_replay.workshop.engine.slips`).
_SLIP = ("line", "code", "meant", "can")
#: Errors that are an answer of the outside: what led to them is the reason.
_REFUSALS = ("KeyReused", "Timeout", "UniqueViolation")


def never_done(seen: Evidence, breach: Breach) -> Diagnosis:
    """Return why a deed was not done, or was said to be done without being it."""
    deed = breach.deed
    result = breach.facts.get("result", seen.result(deed))
    facts: dict[str, object] = {"result": result_words(result), "claims": claims_done(result)}
    if seen.outcome.ended == "diverged":
        return Diagnosis(code="diverged", facts={**facts, **diverged_facts(seen)})
    if seen.outcome.ended in ("hangs", "deaf"):
        return Diagnosis(code="hangs", facts={**facts, **stuck_facts(seen)})
    error = seen.thrown(deed) if isinstance(result, Mapping) and "error" in result else ""
    if error and not error.startswith(_REFUSALS) and not _unnamed_before(seen, deed):
        # It did not get to what it would have done next: telling a person, for example.
        return Diagnosis(code="threw", facts={**facts, **error_facts(seen, error)})
    for found in (
        _merged(seen, deed),
        waits_for_a_claim(seen) if seen.outcome.ended == "runaway" else None,
        _stale_claim(seen, deed, result),
        _gave_up(seen, deed),
    ):
        if found is not None:
            return Diagnosis(code=found.code, facts={**facts, **found.facts})
    if error:
        return Diagnosis(code="threw", facts={**facts, **error_facts(seen, error)})
    if seen.outcome.ended == "runaway":
        return Diagnosis(code="runaway", facts={**facts, **last_call(seen)})
    other = _took_another(seen, deed) if claims_done(result) else None
    if other is not None:
        return Diagnosis(code="not-done", facts={**facts, **other})
    elsewhere = _acted_otherwise(seen, deed)
    if elsewhere is not None:
        return Diagnosis(code="other-deed", facts={**facts, **elsewhere})
    why = "said-done" if claims_done(result) else _not_done_because(seen, deed)
    return Diagnosis(code="not-done", facts={**facts, "because": why})


def _unnamed_before(seen: Evidence, deed: Deed | None) -> bool:
    """Whether the last execution had called a person before it raised, and did not say of what."""
    executions = seen.executions(deed)
    return any(each.facts("told") is not None for each in (executions[-1] if executions else ()))


def _took_another(seen: Evidence, deed: Deed | None) -> dict[str, object] | None:
    """It looked, found what somebody else's deed had left, and took it for its own."""
    executions = seen.executions(deed)
    for each in reversed(executions[-1] if executions and deed is not None else []):
        found = each.facts("found")
        ids = found.get("ids") if found is not None else None
        if not isinstance(ids, list) or not ids or each.cut:
            continue
        others = [entry for entry in seen.outcome.ledger if entry.fields.get("id") in ids]
        if others and deed is not None and not any(belongs(entry, deed) for entry in others):
            return {
                "because": "took-another",
                "where": f"{each.call.service}.{each.call.method}",
                "other_id": ids[0],
                "other": deed_words(seen, others[0]),
            }
    return None


def _acted_otherwise(seen: Evidence, deed: Deed | None) -> dict[str, object] | None:
    """The call acted, in the right way, but what it did does not say that it is this deed."""
    if deed is None:
        return None
    places = seen.places(deed)
    for entry in reversed(seen.outcome.ledger):
        if entry.effect != deed.effect or (entry.turn, entry.step, entry.position) not in places:
            continue
        if any(belongs(entry, each) for each in seen.outcome.case.deeds):
            continue
        lacks = [name for name in deed.match if name not in entry.fields]
        other = [name for name in deed.match if name not in lacks and entry.fields[name] != deed.match[name]]
        name = (lacks or other)[0]
        return {
            "because": "lacks" if lacks else "differs",
            "effect": entry.effect,
            "id": entry.fields.get("id", ""),
            "name": name,
            "wanted": deed.match[name],
            "got": entry.fields.get(name, ""),
        }
    return None


def _not_done_because(seen: Evidence, deed: Deed | None) -> str:
    if seen.outcome.ended == "dormant":
        return "dormant"
    executions = seen.executions(deed)
    last = executions[-1] if executions and seen.places(deed) else []
    if last and last[-1].cut:
        return "not-run-again"
    return "never-acted"


def _merged(seen: Evidence, deed: Deed | None) -> Diagnosis | None:
    """The key or the claim of this deed belonged to another one."""
    if deed is None:
        return None
    for each in reversed(seen.about(deed)):
        if each.cut:
            continue
        replayed = each.facts("replayed")
        if replayed is not None:
            other = next((e for e in seen.outcome.ledger if e.fields.get("id") == replayed.get("id")), None)
            if other is not None and (not belongs(other, deed) or _another_wish(other, each)):
                return Diagnosis(
                    code="key-merged",
                    facts={
                        "because": "replayed",
                        "service": each.call.service,
                        "key": replayed.get("key"),
                        "other_id": other.fields.get("id", ""),
                        "other": deed_words(seen, other),
                    },
                )
        reused = each.facts("key-reused")
        if reused is not None:
            return Diagnosis(
                code="key-merged",
                facts={
                    "because": "refused",
                    "service": each.call.service,
                    "key": reused.get("key"),
                    "other": "",
                },
            )
        claim = each.facts("taken", "violated")
        if claim is not None:
            other_call = _claimer(seen, each, claim)
            if other_call is not None and _elsewhere(seen, other_call, each, deed):
                name = str(claim.get("key")) if claim.get("did") == "taken" else row_name(each)
                return Diagnosis(
                    code="key-merged",
                    facts={"because": "claim", "key": name, "other": asked_words(seen, other_call)},
                )
    return None


def _another_wish(entry: Entry, dealing: Dealing) -> bool:
    """Whether an entry came from another place of the conversation: the same deed, wanted once more."""
    return (entry.turn, entry.step) != (dealing.call.turn, dealing.call.step)


def _claimer(seen: Evidence, taker: Dealing, facts: Mapping[str, object]) -> Dealing | None:
    """Who took a claim that somebody else found taken."""
    for each in reversed(seen.dealings):
        if each.index >= taker.index:
            continue
        if facts.get("did") == "taken":
            won = each.facts("claimed", "set")
            if won is not None and won.get("key") == facts.get("key"):
                return each
        elif each.facts("inserted") is not None and row_name(each) == row_name(taker):
            return each
    return None


def _elsewhere(seen: Evidence, one: Dealing, two: Dealing, deed: Deed) -> bool:
    """Whether a claim was taken by a call that was asked for something else."""
    place = (one.call.turn, one.call.step, one.call.position)
    return place != (two.call.turn, two.call.step, two.call.position) and place not in seen.places(deed)


def _stale_claim(seen: Evidence, deed: Deed | None, result: object) -> Diagnosis | None:
    """A claim (or a note) of an execution that died was found, and the work left undone."""
    executions = seen.executions(deed)
    if not executions:
        return None
    for each in reversed(executions[-1]):
        found = each.facts("taken", "violated", "got", "found")
        if found is None or each.cut or nothing(each):
            continue
        if found.get("did") == "found" and each.call.service == "payments":
            continue
        name = str(found.get("key")) if each.call.service == "store" else _row_or_search(each)
        owner = _owner(seen, each, name)
        value = found.get("value", found.get("rows", ""))
        facts: dict[str, object] = {
            "claim": name,
            "value": result_words(value),
            "looked_process": each.call.process,
            "owner": owner.call.process if owner is not None else 1,
            "owned_at": owner.call.seconds if owner is not None else 0.0,
        }
        raised = isinstance(result, Mapping) and set(result) == {"error"} and bool(_unnamed(seen, each))
        still_open = raised or (
            not claims_done(result) and (_is_open(result) or (_is_open(value) and not _skips(result)))
        )
        if still_open:
            return Diagnosis(code="pending-forever", facts={**facts, **_unnamed(seen, each)})
        if found.get("did") == "got" and claims_done(value):
            facts["because"] = "noted-first"
        return Diagnosis(code="claimed-not-done", facts=facts)
    return None


def _unnamed(seen: Evidence, taker: Dealing) -> dict[str, object]:
    """Whether the same call told a person after it had looked, in words that do not name the deed."""
    place = (taker.call.process, taker.call.turn, taker.call.step, taker.call.position)
    for each in seen.dealings:
        told = each.facts("told")
        call = each.call
        here = (call.process, call.turn, call.step, call.position) == place and each.index > taker.index
        if told is not None and here:
            return {"because": "unnamed", "told": str(told.get("subject", ""))}
    return {}


def _row_or_search(dealing: Dealing) -> str:
    return row_name(dealing) if dealing.call.facts.get("unique") else said(dealing.call.facts)


def _owner(seen: Evidence, taker: Dealing, name: str) -> Dealing | None:
    for each in seen.dealings:
        if each.index < taker.index:
            won = each.facts("claimed", "set", "inserted")
            if won is not None and (
                str(won.get("key")) == name or each.call.service == "sql" == taker.call.service
            ):
                return each
    return None


def _is_open(value: object) -> bool:
    return _OPEN.search(result_words(value)) is not None


def _skips(result: object) -> bool:
    return re.search(r"skip|duplicate|already|跳过|重复", result_words(result), re.IGNORECASE) is not None


def _gave_up(seen: Evidence, deed: Deed | None) -> Diagnosis | None:
    """No answer came, and the tool went on as if one had."""
    for execution in reversed(seen.executions(deed)):
        for each in reversed(execution):
            if each.timed_out and not each.call.reads:
                where = f"{each.call.service}.{each.call.method}"
                return Diagnosis(code="answer-lost", facts={"because": "gave-up", "where": where})
    return None


def waits_for_a_claim(seen: Evidence) -> Diagnosis | None:
    """A tool that waits for a claim which nobody will resolve."""
    tail = [each for each in seen.dealings[-12:] if not each.cut]
    if len(tail) < 6 or not all(each.facts("taken", "got", "found", "violated") for each in tail):
        return None
    last = tail[-1]
    found = last.facts("taken", "got", "found", "violated") or {}
    if found.get("did") == "found" and last.call.service == "payments":
        return None
    name = str(found.get("key")) if last.call.service == "store" else said(last.call.facts)
    owner = _owner(seen, last, name)
    return Diagnosis(
        code="pending-forever",
        facts={
            "because": "waits",
            "claim": name,
            "value": result_words(found.get("value", "")),
            "looked_process": last.call.process,
            "owner": owner.call.process if owner is not None else 1,
            "owned_at": owner.call.seconds if owner is not None else 0.0,
        },
    )


# -- how it ended ----------------------------------------------------------------------------------------


def error_facts(seen: Evidence, error: str) -> dict[str, object]:
    """An error, the refusal behind it, which can be said in every language, and whether it needs no crash."""
    slip = next(
        (
            {name: each.facts[name] for name in _SLIP if each.facts.get(name)}
            for each in reversed(seen.trace)
            if each.kind == "threw" and each.facts.get("error") == error
        ),
        {},
    )
    refused = next((each.facts for each in reversed(seen.trace) if each.kind == "bad-request"), None)
    if refused is None or not error.startswith("BadRequest"):
        by_itself = not any(each.fault for each in seen.trace)
        return {"error": error.rstrip("."), **slip, **({"because": "mistake"} if by_itself else {})}
    return {"error": error, "refusal": dict(refused), **slip}


def stuck_facts(seen: Evidence) -> dict[str, object]:
    """Return why a run cannot go on: nobody answers, or a commit was cut in the middle."""
    alone = any(each.kind == "note" and each.facts.get("what") == "no-answer" for each in seen.trace)
    because = "no-answer" if alone else "wedged"
    return {"because": because, "rules": list(seen.outcome.rules)}


def diverged_facts(seen: Evidence) -> dict[str, object]:
    """Return what a workflow body asked for, and what its record has in that place."""
    facts = next((each.facts for each in reversed(seen.trace) if each.kind == "diverged"), {})
    found = str(facts.get("found", ""))
    return {
        "recorded": facts.get("recorded", ""),
        "asked": found,
        "because": "other" if found else "ended",
    }


def last_call(seen: Evidence) -> dict[str, object]:
    """Return what was called last, and how often the same execution had called the outside."""
    if not seen.dealings:
        return {"where": "", "count": 0}
    last = seen.dealings[-1]
    body = seen.body(last.index)
    return {
        "where": f"{last.call.service}.{last.call.method}",
        "count": sum(seen.body(each.index) == body for each in seen.dealings),
    }

"""Why a promise was broken: a code and the facts that show it, from the trace and the ledger alone.

The source of a tool is never looked at: two tools that leave the same trace get the same diagnosis. Facts are
plain values; times are seconds of the case. The sentences are in :mod:`words`, joined in :mod:`story`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from eve_replay.workshop.evidence import Dealing, Evidence
from eve_replay.workshop.model import Breach, Deed, Entry, Moment, Outcome
from eve_replay.workshop.promises import belongs, claims_done

__all__ = ["DIAGNOSES", "Diagnosis", "diagnose"]

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
        "not-protected": "the tool acted twice, and nothing of the above explains it",
    }
)

#: Words of a claim's value, or of a result, that leave the matter open.
_OPEN = re.compile(
    r"pending|claim|progress|wait|later|unknown|unclear|running|started|busy|lock|retry|again|begun|trying|open|"
    r"处理中|等待|未知|进行中|稍后",
    re.IGNORECASE,
)
_CRASHED = ("crash-before", "crash-in-flight", "crash-after")


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """Why a promise was broken.

    Attributes:
        code: one of :data:`DIAGNOSES`.
        facts: what the sentence needs: keys, ids, processes, times in seconds; ``because`` names the variant.
    """

    code: str
    facts: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))


def diagnose(outcome: Outcome, breach: Breach) -> Diagnosis:
    """Return why a promise was broken in an outcome."""
    seen = Evidence(outcome)
    words = breach.deed.words if breach.deed is not None else ""
    found = _find(seen, breach)
    return Diagnosis(code=found.code, facts={"deed": words, "breach": breach.code, **found.facts})


def _find(seen: Evidence, breach: Breach) -> Diagnosis:
    if breach.code == "twice":
        return _twice(seen, breach)
    if breach.code in ("missed", "silent", "lied"):
        return _missed(seen, breach)
    if breach.code == "runaway":
        return _loops(seen) or Diagnosis(code="runaway", facts=_last_call(seen))
    if breach.code == "threw":
        return _threw(seen, breach)
    if breach.code == "hangs":
        return Diagnosis(code="hangs", facts=_stuck(seen))
    if breach.code == "diverged":
        return Diagnosis(code="diverged", facts=_diverged(seen))
    if breach.code == "bothered":
        return Diagnosis(
            code="person-not-needed", facts={"subject": _entry_fields(seen, breach).get("subject", "")}
        )
    if breach.code == "extra":
        fields = dict(_entry_fields(seen, breach))
        effect = fields.pop("effect", "")
        fields.pop("id", None)
        return Diagnosis(code="not-asked-for", facts={"effect": effect, "what": _said(fields)})
    code = breach.code if breach.code in DIAGNOSES else "not-protected"
    return Diagnosis(code=code, facts=dict(breach.facts))


# -- done twice ------------------------------------------------------------------------------------------


def _twice(seen: Evidence, breach: Breach) -> Diagnosis:
    pair = _pair(seen, breach)
    if pair is None:
        return Diagnosis(code="not-protected")
    first, second = pair
    facts = _pair_facts(seen, first, second)
    if second.process > 0 and second.attempt == 0:
        return Diagnosis(code="outside-a-step", facts=facts)
    for found in (
        _retried(seen, first, second),
        _keys(seen, first, second),
        _claims(seen, first, second),
        _looked(seen, first, second),
    ):
        if found is not None:
            return Diagnosis(code=found.code, facts={**facts, **found.facts})
    if seen.outcome.forgot and first.process != second.process:
        return Diagnosis(code="memory-lost", facts=facts)
    if first.key is None or second.key is None:
        same = min(first.moment, second.moment) >= 0 and seen.body(first.moment) == seen.body(second.moment)
        why = "same-run" if same else "again"
        return Diagnosis(code="no-key", facts={**facts, "because": why})
    return Diagnosis(code="not-protected", facts=facts)


def _pair(seen: Evidence, breach: Breach) -> tuple[Entry, Entry] | None:
    """The two ledger lines that tell most: by the same place of the conversation if there are such."""
    lines = [entry for entry in seen.outcome.ledger if entry.number in breach.entries]
    if len(lines) < 2 and breach.deed is not None:
        lines = [entry for entry in seen.outcome.ledger if belongs(entry, breach.deed)]
    lines.sort(key=lambda entry: (entry.moment, entry.number))
    for index, second in enumerate(lines):
        for first in lines[:index]:
            if (first.turn, first.step, first.position) == (second.turn, second.step, second.position):
                return first, second
    return (lines[0], lines[1]) if len(lines) > 1 else None


def _call(seen: Evidence, entry: Entry) -> Moment | None:
    return seen.trace[entry.moment] if 0 <= entry.moment < len(seen.trace) else None


def _pair_facts(seen: Evidence, first: Entry, second: Entry) -> dict[str, object]:
    facts: dict[str, object] = {"effect": second.effect, "service": second.service}
    for name, entry in (("first", first), ("second", second)):
        dealing = seen.dealing_of(entry)
        facts[f"{name}_id"] = entry.fields.get("id", "")
        facts[f"{name}_key"] = entry.key
        facts[f"{name}_process"] = entry.process
        facts[f"{name}_call"] = entry.call_id
        facts[f"{name}_at"] = entry.seconds
        facts[f"{name}_sent"] = dealing.call.seconds if dealing is not None else entry.seconds
        facts[f"{name}_number"] = entry.number
    sent = facts["second_sent"], facts["first_sent"]
    facts["between"] = abs(float(str(sent[0])) - float(str(sent[1])))
    cut = seen.dealing_of(first)
    facts["cut"] = cut.call.fault if cut is not None else None
    return facts


def _retried(seen: Evidence, first: Entry, second: Entry) -> Diagnosis | None:
    """The tool itself sent it again, after no answer had come."""
    sent = seen.dealing_of(first)
    if (
        sent is None
        or not sent.timed_out
        or first.process != second.process
        or first.attempt != second.attempt
    ):
        return None
    facts = {"waited": True}
    if first.key is not None and second.key is not None and first.key != second.key:
        return Diagnosis(code="key-changed", facts={**facts, "because": "retry"})
    return Diagnosis(code="answer-lost", facts={**facts, "because": "sent-again"})


def _keys(seen: Evidence, first: Entry, second: Entry) -> Diagnosis | None:
    if first.key is None or second.key is None:
        return None
    if first.key != second.key:
        return Diagnosis(code="key-changed", facts={"because": _because(seen, first, second)})
    dealing = seen.dealing_of(second)
    forgot = dealing.facts("forgot") if dealing is not None else None
    if forgot is not None:
        return Diagnosis(code="key-expired", facts={"hours": forgot["hours"], "after": forgot["after"]})
    return Diagnosis(code="key-ignored")


def _because(seen: Evidence, first: Entry, second: Entry) -> str:
    """Why two keys for one deed differ, as far as the keys themselves tell."""
    one, two = str(first.key), str(second.key)
    if first.process == 0 or first.service == "outbox":
        return "row"
    if first.call_id and first.call_id != second.call_id and first.call_id in one and second.call_id in two:
        return "call-id"
    if _has_time(one, first.seconds, seen, first) and _has_time(two, second.seconds, seen, second):
        return "time"
    if first.position != second.position or first.step != second.step or first.turn != second.turn:
        return "place"
    if seen.outcome.case.model == "other":
        return "other-answer"
    if seen.outcome.forgot:
        return "memory"
    return "made-anew"


def _has_time(key: str, seconds: float, seen: Evidence, entry: Entry) -> bool:
    """Whether a number in a key is a clock time between the start of its tool and its call."""
    numbers = {float(text) for text in re.findall(r"\d+(?:\.\d+)?", key)}
    call = _call(seen, entry)
    times = {seconds}
    if call is not None:
        body = seen.body(entry.moment)
        times = {
            each.seconds
            for index, each in enumerate(seen.trace)
            if seen.body(index) == body and each.seconds <= call.seconds
        }
    return any(number in (time, float(int(time))) for time in times if time >= 1 for number in numbers)


def _claims(seen: Evidence, first: Entry, second: Entry) -> Diagnosis | None:
    """Both took a claim (a key of the store, a unique row) first."""
    mine = _claim_before(seen, second)
    theirs = _claim_before(seen, first)
    if mine is None:
        return None
    index, name, won, facts = mine
    if not won:
        return Diagnosis(code="claim-ignored", facts={"claim": name, "value": facts.get("value", "")})
    if theirs is None or not theirs[2]:
        return None
    if theirs[1] != name:
        return Diagnosis(
            code="key-changed",
            facts={
                "first_key": theirs[1],
                "second_key": name,
                "because": _claim_because(first, second, theirs[1], name),
            },
        )
    gone = next(
        (
            (each, each_facts)
            for each in seen.dealings
            for each_index, each_facts in each.did
            if theirs[0] < each_index <= index
            and each_facts.get("did") == "deleted"
            and each_facts.get("key") == name
        ),
        None,
    )
    if gone is not None:
        return Diagnosis(
            code="claim-released",
            facts={
                "claim": name,
                "because": "deleted",
                "released_process": gone[0].call.process,
                "released_at": gone[0].call.seconds,
            },
        )
    seconds = theirs[3].get("seconds")
    if facts.get("ran_out") or seconds is not None:
        return Diagnosis(
            code="claim-released", facts={"claim": name, "because": "ran-out", "seconds": seconds}
        )
    return None


def _claim_because(first: Entry, second: Entry, one: str, two: str) -> str:
    if first.call_id and first.call_id != second.call_id and first.call_id in one and second.call_id in two:
        return "claim-call-id"
    return "claim"


def _claim_before(seen: Evidence, entry: Entry) -> tuple[int, str, bool, Mapping[str, object]] | None:
    """The last claim before an entry, by its execution: index, name, whether it was won, facts."""
    if entry.moment < 0:
        return None
    for each in seen.before(entry.moment):
        if each.cut:
            continue
        for index, facts in each.did:
            did = facts.get("did")
            if did in ("claimed", "taken"):
                return (
                    index,
                    str(facts.get("key")),
                    did == "claimed",
                    {**facts, "seconds": each.call.facts.get("seconds")},
                )
            if did in ("inserted", "violated") and each.call.facts.get("unique"):
                return (
                    index,
                    _row_name(each),
                    did == "inserted",
                    {**facts, "seconds": each.call.facts.get("seconds")},
                )
    return None


def _row_name(dealing: Dealing) -> str:
    facts = dealing.call.facts
    columns = facts.get("unique")
    names = columns if isinstance(columns, list) else []
    return f"{facts.get('table')}: " + ", ".join(f"{name}={facts.get(name)}" for name in names)


def _looked(seen: Evidence, first: Entry, second: Entry) -> Diagnosis | None:
    """It looked before it acted, and found nothing."""
    if second.moment < 0:
        return None
    for each in seen.before(second.moment):
        if not each.call.reads or each.cut or not _nothing(each):
            continue
        looked = each.did[-1][0] if each.did else each.index
        landed = seen.landed(first)
        sent = _call(seen, first)
        facts: dict[str, object] = {
            "where": f"{each.call.service}.{each.call.method}",
            "looked_process": each.call.process,
            "looked_at": each.call.seconds,
            "landed_at": first.seconds,
            "sent_at": sent.seconds if sent is not None else first.seconds,
        }
        if landed > looked:
            return Diagnosis(code="checked-too-early", facts=facts)
        if each.call.service in ("store", "sql"):
            return Diagnosis(code="noted-too-late", facts={**facts, "note": _looked_for(each)})
        return Diagnosis(
            code="not-protected", facts={**facts, "because": "looked-elsewhere", "for": _looked_for(each)}
        )
    return None


def _nothing(dealing: Dealing) -> bool:
    facts = dealing.facts("found", "got")
    if facts is None:
        return False
    return facts.get("count") == 0 if facts.get("did") == "found" else facts.get("value") is None


def _looked_for(dealing: Dealing) -> str:
    facts = dealing.call.facts
    return str(facts["key"]) if "key" in facts and dealing.call.service == "store" else _said(facts)


# -- never done ------------------------------------------------------------------------------------------


def _missed(seen: Evidence, breach: Breach) -> Diagnosis:
    deed = breach.deed
    result = breach.facts.get("result", seen.result(deed))
    facts: dict[str, object] = {"result": _result_words(result), "claims": claims_done(result)}
    if seen.outcome.ended == "diverged":
        return Diagnosis(code="diverged", facts={**facts, **_diverged(seen)})
    if seen.outcome.ended == "hangs":
        return Diagnosis(code="hangs", facts={**facts, **_stuck(seen)})
    for found in (
        _merged(seen, deed),
        _loops(seen) if seen.outcome.ended == "runaway" else None,
        _stale_claim(seen, deed, result),
        _gave_up(seen, deed),
    ):
        if found is not None:
            return Diagnosis(code=found.code, facts={**facts, **found.facts})
    error = seen.thrown(deed)
    if error and isinstance(result, Mapping) and "error" in result:
        return Diagnosis(code="threw", facts={**facts, **_error_facts(seen, error)})
    if seen.outcome.ended == "runaway":
        return Diagnosis(code="runaway", facts={**facts, **_last_call(seen)})
    why = "said-done" if claims_done(result) else _not_done_because(seen, deed)
    return Diagnosis(code="not-done", facts={**facts, "because": why})


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
            if other is not None and not belongs(other, deed):
                return Diagnosis(
                    code="key-merged",
                    facts={
                        "because": "replayed",
                        "service": each.call.service,
                        "key": replayed.get("key"),
                        "other_id": other.fields.get("id", ""),
                        "other": _deed_words(seen, other),
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
                name = str(claim.get("key")) if claim.get("did") == "taken" else _row_name(each)
                return Diagnosis(
                    code="key-merged",
                    facts={"because": "claim", "key": name, "other": _asked_words(seen, other_call)},
                )
    return None


def _claimer(seen: Evidence, taker: Dealing, facts: Mapping[str, object]) -> Dealing | None:
    """Who took a claim that somebody else found taken."""
    for each in reversed(seen.dealings):
        if each.index >= taker.index:
            continue
        if facts.get("did") == "taken":
            won = each.facts("claimed", "set")
            if won is not None and won.get("key") == facts.get("key"):
                return each
        elif each.facts("inserted") is not None and _row_name(each) == _row_name(taker):
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
        if found is None or each.cut or _nothing(each):
            continue
        if found.get("did") == "found" and each.call.service == "payments":
            continue
        name = str(found.get("key")) if each.call.service == "store" else _row_or_search(each)
        owner = _owner(seen, each, name)
        value = found.get("value", found.get("rows", ""))
        facts: dict[str, object] = {
            "claim": name,
            "value": _result_words(value),
            "looked_process": each.call.process,
            "owner": owner.call.process if owner is not None else 1,
            "owned_at": owner.call.seconds if owner is not None else 0.0,
        }
        still_open = not claims_done(result) and (
            _is_open(result) or (_is_open(value) and not _skips(result))
        )
        return Diagnosis(code="pending-forever" if still_open else "claimed-not-done", facts=facts)
    return None


def _row_or_search(dealing: Dealing) -> str:
    return _row_name(dealing) if dealing.call.facts.get("unique") else _said(dealing.call.facts)


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
    return _OPEN.search(_result_words(value)) is not None


def _skips(result: object) -> bool:
    return re.search(r"skip|duplicate|already|跳过|重复", _result_words(result), re.IGNORECASE) is not None


def _gave_up(seen: Evidence, deed: Deed | None) -> Diagnosis | None:
    """No answer came, and the tool went on as if one had."""
    for execution in reversed(seen.executions(deed)):
        for each in reversed(execution):
            if each.timed_out and not each.call.reads:
                where = f"{each.call.service}.{each.call.method}"
                return Diagnosis(code="answer-lost", facts={"because": "gave-up", "where": where})
    return None


def _loops(seen: Evidence) -> Diagnosis | None:
    """A tool that waits for a claim which nobody will resolve."""
    tail = [each for each in seen.dealings[-12:] if not each.cut]
    if len(tail) < 6 or not all(each.facts("taken", "got", "found", "violated") for each in tail):
        return None
    last = tail[-1]
    found = last.facts("taken", "got", "found", "violated") or {}
    if found.get("did") == "found" and last.call.service == "payments":
        return None
    name = str(found.get("key")) if last.call.service == "store" else _said(last.call.facts)
    owner = _owner(seen, last, name)
    return Diagnosis(
        code="pending-forever",
        facts={
            "because": "waits",
            "claim": name,
            "value": _result_words(found.get("value", "")),
            "looked_process": last.call.process,
            "owner": owner.call.process if owner is not None else 1,
            "owned_at": owner.call.seconds if owner is not None else 0.0,
        },
    )


# -- ended otherwise -------------------------------------------------------------------------------------


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
                "other": _said(first),
                "body": _said(body),
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
    return Diagnosis(code="threw", facts=_error_facts(seen, error))


def _error_facts(seen: Evidence, error: str) -> dict[str, object]:
    """An error, and the refusal behind it, which can be said in every language."""
    refused = next((each.facts for each in reversed(seen.trace) if each.kind == "bad-request"), None)
    if refused is None or not error.startswith("BadRequest"):
        return {"error": error.rstrip(".")}
    return {"error": error, "refusal": dict(refused)}


def _same_deed(seen: Evidence, dealing: Dealing, first: object) -> bool:
    """Whether the request that first came with a key was made at the same place of the conversation."""
    place = (dealing.call.turn, dealing.call.step, dealing.call.position)
    for each in seen.dealings:
        if each.index < dealing.index and each.call.facts.get("key") == dealing.call.facts.get("key"):
            return (each.call.turn, each.call.step, each.call.position) == place
    return False


def _stuck(seen: Evidence) -> dict[str, object]:
    alone = any(each.kind == "note" and each.facts.get("what") == "no-answer" for each in seen.trace)
    because = "no-answer" if alone else "wedged"
    return {"because": because, "rules": list(seen.outcome.rules)}


def _diverged(seen: Evidence) -> dict[str, object]:
    facts = next((each.facts for each in reversed(seen.trace) if each.kind == "diverged"), {})
    found = str(facts.get("found", ""))
    return {
        "recorded": facts.get("recorded", ""),
        "asked": found,
        "because": "other" if found else "ended",
    }


def _last_call(seen: Evidence) -> dict[str, object]:
    if not seen.dealings:
        return {"where": "", "count": 0}
    last = seen.dealings[-1]
    body = seen.body(last.index)
    return {
        "where": f"{last.call.service}.{last.call.method}",
        "count": sum(seen.body(each.index) == body for each in seen.dealings),
    }


# -- words for values --------------------------------------------------------------------------------------


def _entry_fields(seen: Evidence, breach: Breach) -> Mapping[str, object]:
    entry = seen.entry(breach.entries[0]) if breach.entries else None
    return {"effect": entry.effect, **entry.fields} if entry is not None else {}


def _said(fields: object) -> str:
    if not isinstance(fields, Mapping):
        return ""
    return ", ".join(
        f"{name} {value}"
        for name, value in fields.items()
        if value is not None and name not in ("method", "unique", "body")
    )


def _result_words(result: object) -> str:
    if result is None:
        return "None"
    if isinstance(result, Mapping):
        return _said(result)
    if isinstance(result, Sequence) and not isinstance(result, str):
        return "; ".join(_result_words(each) for each in result)
    return str(result)


def _deed_words(seen: Evidence, entry: Entry) -> str:
    deed = next((each for each in seen.outcome.case.deeds if belongs(entry, each)), None)
    return deed.words if deed is not None else _said(entry.fields)


def _asked_words(seen: Evidence, dealing: Dealing) -> str:
    call = dealing.call
    try:
        ask = seen.outcome.case.turns[call.turn].answers[call.step][call.position]
    except IndexError:
        return ""
    return ask.deeds[0].words if ask.deeds else ""

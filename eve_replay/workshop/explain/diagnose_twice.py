"""Why something was done twice."""

from __future__ import annotations

import re
from collections.abc import Mapping

from eve_replay.workshop.explain.diagnosis import Diagnosis, nothing, row_name, said
from eve_replay.workshop.explain.evidence import Dealing, Evidence
from eve_replay.workshop.model import Breach, Entry, Moment
from eve_replay.workshop.promises import belongs

__all__ = ["done_twice"]


def done_twice(seen: Evidence, breach: Breach) -> Diagnosis:
    """Return why a deed was done more often than wanted."""
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
        why = "same-run" if same else "again" if _heeds_keys(seen, second.service) else "no-memory"
        return Diagnosis(code="no-key", facts={**facts, "because": why})
    return Diagnosis(code="not-protected", facts=facts)


def _heeds_keys(seen: Evidence, service: str) -> bool:
    """Whether a key would have helped at all; mail services of the lessons look at keys only when told to."""
    setting = seen.outcome.case.setting.get(service, {})
    return bool(setting.get("keys", service != "mail"))


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
                    row_name(each),
                    did == "inserted",
                    {**facts, "seconds": each.call.facts.get("seconds")},
                )
    return None


def _looked(seen: Evidence, first: Entry, second: Entry) -> Diagnosis | None:
    """It looked before it acted, and found nothing."""
    if second.moment < 0:
        return None
    for each in seen.before(second.moment):
        if not each.call.reads or each.cut or not nothing(each):
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


def _looked_for(dealing: Dealing) -> str:
    facts = dealing.call.facts
    return str(facts["key"]) if "key" in facts and dealing.call.service == "store" else said(facts)

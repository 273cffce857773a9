"""The shortest way in which a promise breaks, told with the ledger, one sentence a line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eve_replay.crashtest.model import Result
from eve_replay.crashtest.verdict import Broken

__all__ = ["story", "where"]

_WHERE = {
    "before": "right before {}",
    "after": "right after {}",
    "in": "in {}: the outside acted, the answer is lost",
    "late": "as {} arrives: the outside is still working, and acts later",
}


def where(result: Result) -> str:
    """Return where the process died, in words."""
    point = result.point
    thing = point.label + (f" (the {point.k}. time)" if point.k > 1 else "")
    kinds = {"write": "the durable write {}", "tool": "{}", "model": "{}", "file": "{}", "act": "{}"}
    here = _WHERE.get(point.when, "{}").format(kinds.get(point.kind, "{}").format(thing))
    if point.then is None:
        return here
    return f"{here}; and again {_WHERE.get(point.then.when, '{}').format(point.then.label)}"


def story(broken: Broken) -> list[str]:
    """Return what happened outside, in order, until the promise was broken."""
    result = broken.result
    lines: list[str] = []
    sent = [act for act in result.acts if "appended" not in act]
    pids = list(dict.fromkeys(act.get("pid") for act in sent))
    lives = {pid: number for number, pid in enumerate(pids)}
    died = False
    for act in sent:
        if not died and (lives.get(act.get("pid"), 0) > 0 or act.get("late")):
            lines.append(f"The process dies {where(result)}.")
            died = True
        lines.append(_sentence(act))
        if act.get("lost") and not died:
            lines.append("The process dies here: it never gets the answer.")
            died = True
    for act in result.acts:
        if "appended" in act:
            said = act["appended"]
            lines.append(f"The ledger file has: {_short(said)}")
    if not died:
        lines.append(f"The process dies {where(result)}.")
    after = {
        "hangs": "After the restart the session hangs for good.",
        "needs-message": "After the restart nothing happens until somebody writes again.",
        "fails": "After the restart the session fails.",
    }.get(result.outcome, "After the restart the turn ends as if nothing had happened.")
    lines += [after, f"In the end: {broken.how}."]
    return lines


def _sentence(act: Mapping[str, Any]) -> str:
    call = act.get("call") or {}
    step = act.get("step") or {}
    who = f"{call.get('name')} " if call.get("name") else ""
    attempt = f"(attempt {step['attempt']}) " if step.get("attempt") else ""
    by = f" for {act['by']}" if act.get("by") else ""
    key = f", key {_short(act['key'])}" if act.get("key") else ", no key"
    if act.get("effect"):
        done = "it acts, late, when nobody listens any more" if act.get("late") else "the outside acts"
    else:
        done = {"key": "the key is known: nothing is done again", "claim": "it is claimed already"}.get(
            str(act.get("does")), "the outside only answers"
        )
    if act.get("unanswered"):
        done = "no stub answers it"
    return f"{who}{attempt}sends {act.get('label')}{by}{key}: {done} ({act.get('status', '-')})."


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 120 else text[:119] + "…"

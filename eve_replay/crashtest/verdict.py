"""What becomes of each promise over all points: kept, broken (the shortest way first), or not shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from eve_replay.crashtest.implied import differences
from eve_replay.crashtest.model import Promise, Result

__all__ = ["Broken", "Verdict", "agreement", "broken_at", "judge"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """One point at which a promise breaks, and how."""

    result: Result
    how: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One promise over all points.

    Attributes:
        state: ``kept`` only when every point was tried and none broke it; a run without a result is no pass.
        broken: each point that breaks it, the shortest way first.
        note: what a pass does not show, or why nothing is shown.
    """

    promise: Promise
    state: Literal["kept", "broken", "not shown"]
    broken: tuple[Broken, ...] = ()
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON."""
        broken = [
            {"point": b.result.point.name, "variant": b.result.variant, "how": b.how} for b in self.broken
        ]
        return {"promise": self.promise.words, "effect": self.promise.effect, "state": self.state,
                "broken": broken, "note": self.note}  # fmt: skip


def broken_at(promise: Promise, result: Result, expected: Mapping[str, int]) -> str:
    """Return how one run breaks a promise, empty when it does not.

    Args:
        promise: what must hold.
        result: a run with an outcome.
        expected: per business value how often the undisturbed turn does it.
    """
    seen = result.counts.get(promise.effect, {})
    if not promise.by:
        seen = {"": sum(seen.values())}
    for value in {**expected, **seen}:
        wanted, count = expected.get(value, 0), seen.get(value, 0)
        about = f" for {promise.by} {value}" if value else ""
        if promise.kind in ("once", "at most once") and count > max(wanted, 1):
            return f"{promise.effect} {_times(count)}{about}"
        lost = count < wanted and promise.kind in ("once", "at least once", "person told")
        if lost and result.variant != "other":
            tail = _LEFT.get(result.outcome, "")
            if promise.kind != "person told" or result.outcome not in ("fails", "needs-person"):
                return f"{promise.effect} {_times(count) if count else 'never'}{about}{tail}"
    return ""


_LEFT = {
    "recovers": ", and nobody is told",
    "hangs": ", and the session hangs",
    "needs-message": ", until somebody writes again",
    "fails": ", and the session fails",
}


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def expected_of(promise: Promise, baseline: Result) -> dict[str, int]:
    """Return per business value how often an undisturbed run does it."""
    seen = dict(baseline.counts.get(promise.effect, {}))
    return seen if promise.by else {"": sum(seen.values())}


def judge(promises: Sequence[Promise], results: Sequence[Result], baseline: Result) -> tuple[Verdict, ...]:
    """Return the verdict of each promise.

    Args:
        promises: what must hold.
        results: the runs of all points.
        baseline: an undisturbed run: what the turn does when nothing dies.
    """
    told = [each for each in results if each.outcome != "inconclusive"]
    silent = len(results) - len(told)
    out = []
    for promise in promises:
        expected = expected_of(promise, baseline)
        if promise.kind == "read only":
            changed = any(baseline.counts.get(promise.effect, {}).values())
            note = "it only reads: how often it runs does not count"
            state: Literal["kept", "broken"] = "broken" if changed else "kept"
            out.append(
                Verdict(promise=promise, state=state, note="it changes the outside" if changed else note)
            )
            continue
        if not any(expected.values()):
            note = f"the undisturbed turn never does {promise.effect}: nothing is shown"
            out.append(Verdict(promise=promise, state="not shown", note=note))
            continue
        found = [Broken(result=each, how=how) for each in told if (how := broken_at(promise, each, expected))]
        found.sort(key=lambda each: (each.result.point.then is not None, _rank(each), len(each.result.acts)))
        if found:
            out.append(Verdict(promise=promise, state="broken", broken=tuple(found)))
        elif silent or not told:
            note = f"{silent} of {len(results)} runs showed nothing: that is no pass"
            out.append(Verdict(promise=promise, state="not shown", note=note))
        else:
            out.append(Verdict(promise=promise, state="kept", note=_unprotected(promise, told)))
    return tuple(out)


#: The ways a reader understands first.
_ORDER = ("in", "after", "before", "late")


def _rank(broken: Broken) -> tuple[int, int]:
    point = broken.result.point
    kinds = ("act", "file", "tool", "model", "write")
    kind = kinds.index(point.kind) if point.kind in kinds else len(kinds)
    return kind, _ORDER.index(point.when) if point.when in _ORDER else len(_ORDER)


def _unprotected(promise: Promise, told: Sequence[Result]) -> str:
    """Say when a pass rests on no key at all."""
    acts = [act for result in told for act in result.acts if act.get("name") == promise.effect]
    if not acts or any(act.get("key") for act in acts) or promise.kind == "at least once":
        return ""
    if any(result.point.when == "late" for result in told):
        return "no request carried a key: something else kept it, at these points"
    return "no request carried a key, and no late effect was tried: this pass shows little"


def agreement(results: Sequence[Result]) -> tuple[int, int]:
    """Return at how many points the observed is what was implied at death, and at how many both are known."""
    both = [r for r in results if r.died and r.implied is not None and r.outcome != "inconclusive"]
    return sum(not differences(r.implied or {}, r.outcome, r.bodies) for r in both), len(both)

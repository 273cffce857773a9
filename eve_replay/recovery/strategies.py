"""Idempotency strategies: what the outside sees when a body runs ``n`` times.

A strategy gets the executions before the crash and those that recovery adds, and answers how often the
outside acts at least and at most, and how many effects are *missed* (claimed or merged away, never done).
Rules and where they were seen are on each strategy. Two facts decide most of it: a re-run calls the model
again, so call ids survive only if the model says the same thing (docs/evidence/observed.md#call-ids);
coordinates and position survive as long as it asks for the same things in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from eve_replay.errors import WrongUse
from eve_replay.journal.effects.executions import Executions
from eve_replay.journal.effects.policy import Protection

__all__ = ["DURABLE", "STRATEGIES", "ModelAnswer", "Seen", "Strategy", "strategy", "strategy_for"]

#: What the model does when it is asked again: the same answer, the same calls under new ids, another answer.
ModelAnswer = Literal["same", "new-ids", "other"]


@dataclass(frozen=True, slots=True)
class Seen:
    """What one effect went through.

    Attributes:
        before, after: executions before the crash and by recovery.
        again: whether the body that acts again is a re-run of the one that may have acted (the same step), so
            that the model was asked again for it.
        model: what it answers then.
        first_in_run: whether it is the first effect of its tool in the run (for keys that merge).
        intended: whether the effect is meant to happen at all by the end of the story.
    """

    before: Executions
    after: Executions
    again: bool
    model: ModelAnswer
    first_in_run: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Strategy:
    """One way to protect an effect.

    Attributes:
        name: as ``--strategy TOOL=NAME`` takes it.
        words: one line for a table.
        note: what it costs or risks.
        keyed: whether it merges executions by a key: such a strategy never raises a count.
    """

    name: str
    words: str
    note: str
    keyed: bool
    _apply: Callable[[Seen], tuple[Executions, Executions]]

    def apply(self, seen: Seen) -> tuple[Executions, Executions]:
        """Return ``(outside, missed)``."""
        return self._apply(seen)


_NONE = Executions(min=0, max=0)
_ONE = Executions(min=1, max=1)
_MAYBE = Executions(min=0, max=1)


def _merged(total: Executions) -> Executions:
    """All executions under one key: the outside acts once if any ran."""
    if total.max == 0:
        return _NONE
    return _ONE if total.min >= 1 else _MAYBE


def _none(seen: Seen) -> tuple[Executions, Executions]:
    return seen.before + seen.after, _NONE


def _call_id(seen: Seen) -> tuple[Executions, Executions]:
    """Seen: pay-with-key, 1 payment; pay-with-key-minted-ids, 2 payments for one call."""
    if seen.model == "same" or not seen.again:
        return _merged(seen.before + seen.after), _NONE
    # Each answer has ids of its own: the dead attempt's key and the re-run's key differ. Without bound
    # stays so.
    before = _merged(seen.before)
    return before + seen.after, _NONE


def _coordinates(seen: Seen) -> tuple[Executions, Executions]:
    """Turn, model step and position of the call. Another answer puts another call in its place."""
    total = _merged(seen.before + seen.after)
    if seen.model == "other" and seen.again and seen.after.max != 0:
        # In its old place the key is taken by what the first answer asked for: what the second one wants is
        # answered with that. In another place the key is a new one: it is done once more.
        most = None if seen.after.max is None else 2 if seen.before.max != 0 else 1
        return Executions(min=min(1, seen.before.min), max=most), _MAYBE
    return total, _NONE


def _business(seen: Seen) -> tuple[Executions, Executions]:
    """A key that belongs to the deed itself (order number): the same whatever the model says."""
    return _merged(seen.before + seen.after), _NONE


def _run_id(seen: Seen) -> tuple[Executions, Executions]:
    """The run's id alone: merges different effects of one tool in one run; only the first happens."""
    total = _merged(seen.before + seen.after)
    if seen.model == "other" and seen.again and seen.before.min == 0 and seen.after.max != 0:
        return _MAYBE, _MAYBE  # another answer may ask for something else first
    if seen.first_in_run:
        return total, _NONE
    return _NONE, total


def _claim(seen: Seen) -> tuple[Executions, Executions]:
    """SET NX or a unique constraint, taken before acting, released never.

    A process that dies between claim and deed leaves a ``pending`` claim: the re-run finds it and must not
    act, so the deed may never be done. Whoever cleans pending claims by hand has the old problem back.
    """
    total = _merged(seen.before + seen.after)
    unsure = seen.before.min == 0 and seen.before.max != 0
    if unsure and seen.after.max != 0:
        return _MAYBE, _MAYBE
    return total, _NONE


def _check_then_act(seen: Seen) -> tuple[Executions, Executions]:
    """Look first, act if nothing is there. Seen: pay-check-then-act, 2 payments, the first was in flight."""
    total = seen.before + seen.after
    if seen.before.min >= 1:
        # The first one has returned, so it is visible to the check.
        return _merged(total), _NONE
    if seen.before.max == 0:
        return _merged(total), _NONE
    if seen.after.max == 0:
        return total, _NONE
    # In flight when the process died: the check may come before it lands.
    return Executions(min=min(1, total.min), max=2), _NONE


def _approval(seen: Seen) -> tuple[Executions, Executions]:
    """A person allows it once; the step that executes it runs again without asking.

    Source: docs/evidence/sweep.md#approval.
    """
    return seen.before + seen.after, _NONE


def _outbox(seen: Seen) -> tuple[Executions, Executions]:
    """The tool writes an intent under a key that survives; one worker carries out each key once."""
    return _merged(seen.before + seen.after), _NONE


def _read_only(seen: Seen) -> tuple[Executions, Executions]:
    return seen.before + seen.after, _NONE


def _durable(seen: Seen) -> tuple[Executions, Executions]:
    """The body is entered again and what it did stands in its recorded steps, each an effect of its own."""
    return _merged(seen.before + seen.after), _NONE


#: Of a runtime, not of the user's choice: no answer to "what if it had this one".
DURABLE = Strategy(
    name="durable",
    words="its recorded steps are kept",
    note="what its body does outside of steps is done again each time it is entered",
    keyed=False,
    _apply=_durable,
)


def _named(*strategies: Strategy) -> Mapping[str, Strategy]:
    return MappingProxyType({each.name: each for each in strategies})


STRATEGIES: Mapping[str, Strategy] = _named(
    Strategy(name="none", words="nothing", note="every execution acts", keyed=False, _apply=_none),
    Strategy(
        name="call-id",
        words="key from the call id",
        note="holds only while the model gives the same ids when asked again",
        keyed=True,
        _apply=_call_id,
    ),
    Strategy(
        name="coordinates",
        words="key from turn, step and position",
        note="survives a re-run while the model asks for the same things in the same order",
        keyed=True,
        _apply=_coordinates,
    ),
    Strategy(
        name="business-id",
        words="key from the deed itself",
        note="the strongest, if the deed has such a key",
        keyed=True,
        _apply=_business,
    ),
    Strategy(
        name="run-id",
        words="key from the run id",
        note="merges different effects of one run: only the first happens",
        keyed=True,
        _apply=_run_id,
    ),
    Strategy(
        name="claim",
        words="atomic claim before acting",
        note="a crash between claim and deed leaves it pending: the deed may never be done",
        keyed=True,
        _apply=_claim,
    ),
    Strategy(
        name="check-then-act",
        words="look first, then act",
        note="a request in flight is not seen by the check",
        keyed=False,
        _apply=_check_then_act,
    ),
    Strategy(
        name="approval",
        words="a person allows each call",
        note="protects the first execution only: the re-run does not ask again",
        keyed=False,
        _apply=_approval,
    ),
    Strategy(
        name="outbox",
        words="write an intent, one worker acts",
        note="the worker needs a key that survives, and must be the only one",
        keyed=True,
        _apply=_outbox,
    ),
    Strategy(
        name="read-only",
        words="reads only",
        note="a repeat does no harm",
        keyed=False,
        _apply=_read_only,
    ),
)


def strategy(name: str) -> Strategy:
    """Return a strategy by name. Raises WrongUse with the names there are."""
    wanted = name.strip().lower().replace("_", "-").replace(" ", "-")
    wanted = {"callid": "call-id", "key": "call-id", "keyed": "call-id", "business": "business-id"}.get(
        wanted, wanted
    )
    wanted = {"set-nx": "claim", "claimed": "claim", "unprotected": "none", "runid": "run-id"}.get(
        wanted, wanted
    )
    found = STRATEGIES.get(wanted)
    if found is None:
        raise WrongUse(f"There is no strategy {name!r}.", hint=f"Use one of {', '.join(STRATEGIES)}.")
    return found


def strategy_for(protection: Protection | None) -> Strategy:
    """Return the strategy that an effects policy (or a key seen) amounts to."""
    if protection is None:
        return STRATEGIES["none"]
    if protection.klass == "keyed":
        by = {"session-id": "run-id", "step-id": "coordinates"}.get(protection.by or "", protection.by or "")
        if by in ("attempt", "random"):
            return STRATEGIES["none"]
        return STRATEGIES.get(by, STRATEGIES["none"])
    name = {
        "claimed": "claim",
        "check-then-act": "check-then-act",
        "approval-gated": "approval",
        "read-only": "read-only",
    }.get(protection.klass, "none")
    return STRATEGIES[name]

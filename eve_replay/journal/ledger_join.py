"""Joining a ledger with a journal: how often each effect really happened, and what does not fit.

A line is joined to an effect by call id, else by idempotency key, else by time: the line falls into the
window of an attempt that may have executed the effect, and their names have a word in common (``charge``
and ``charge_card``) or the policy says how the ledger calls it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

from eve_replay.journal.effects import Effect
from eve_replay.journal.ledger import Entry, Ledger
from eve_replay.journal.model import Session
from eve_replay.journal.policy import EffectsPolicy, split_words

__all__ = ["Count", "How", "Joined", "journal_end", "join"]

How = Literal["call-id", "key", "step", "time"]
Verdict = Literal[
    "agrees",
    "more effects than starts",
    "the ledger goes on longer",
    "fewer effects than results",
    "no effect in the ledger",
]

#: A body may begin before its start is recorded (10 ms seen, OBSERVED.md 6b), and clocks differ a little.
_EARLY = timedelta(milliseconds=250)
#: A request in flight when the process dies may still arrive (6 s in the payment recordings).
_LATE = timedelta(seconds=30)
#: A journal copied while it was written ends about here.
_AFTER = timedelta(seconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """How often one effect happened, by the ledger.

    Attributes:
        effect: the journal's effect.
        count: how often the ledger has it; None when the ledger does not cover effects of this kind.
        entries: the lines.
        how: by what the lines were joined, in the order of the lines.
        verdict: whether journal and ledger agree; empty when the ledger does not cover it.
    """

    effect: Effect
    count: int | None
    entries: tuple[Entry, ...] = ()
    how: tuple[How, ...] = ()
    verdict: Verdict | Literal[""] = ""

    @property
    def hidden(self) -> bool:
        """More effects than the journal has starts for: a body ran without a start (wf#3553)."""
        return self.verdict == "more effects than starts"


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """The whole join.

    Attributes:
        counts: one per effect, in the order given.
        unmatched: lines that no recorded start explains.
    """

    counts: tuple[Count, ...] = ()
    unmatched: tuple[Entry, ...] = ()
    ledger: Ledger = field(default_factory=Ledger)

    def of(self, effect: Effect) -> Count | None:
        """Return the count of one effect, None when it was not joined."""
        return next((count for count in self.counts if count.effect is effect), None)

    @property
    def missing(self) -> tuple[Count, ...]:
        """Effects whose result is recorded and that the ledger does not have."""
        return tuple(count for count in self.counts if count.verdict == "no effect in the ledger")

    @property
    def hidden(self) -> tuple[Count, ...]:
        """Effects with more lines than starts."""
        return tuple(count for count in self.counts if count.hidden)


def journal_end(session: Session) -> datetime | None:
    """Return the last instant the journal tells of a session, None when the session has no open attempt.

    Only a session cut short by a crash or a copy can have effects that its journal does not know yet.
    """
    if not any(a.outcome == "running" for step in session.steps for a in step.attempts):
        return None
    times = [event.created_at for run in session.all_runs for event in run.events]
    times += [event.at for event in session.stream_events]
    times.append(session.head.updated_at)
    return max((t for t in times if t is not None), default=None)


@dataclass(slots=True)
class _Candidate:
    """An effect with what joining needs, precomputed."""

    effect: Effect
    words: frozenset[str]
    names: frozenset[str]
    keys: frozenset[str]
    entries: list[tuple[Entry, How]] = field(default_factory=list)


def join(
    effects: Iterable[Effect],
    ledger: Ledger,
    *,
    policy: EffectsPolicy | Mapping[str, object] | str | None = None,
    ends: Mapping[str, datetime] | None = None,
) -> Joined:
    """Join ``ledger`` with ``effects`` (of one session or of a whole world).

    Args:
        effects: the journal's.
        ledger: the lines.
        policy: may say under which names a ledger has an effect.
        ends: by session id, the last instant the journal tells of; a ledger that goes on longer than the
            journal (a copy taken at a crash) is not held against it.
    """
    rules = EffectsPolicy.load(policy)
    candidates = [_candidate(effect, rules) for effect in effects]
    by_call: dict[str, list[_Candidate]] = {}
    by_key: dict[str, list[_Candidate]] = {}
    for candidate in candidates:
        for call_id in candidate.effect.call_ids:
            by_call.setdefault(call_id, []).append(candidate)
        for key in candidate.keys:
            by_key.setdefault(key, []).append(candidate)
    unmatched: list[Entry] = []
    for entry in ledger.entries:
        found = _find(entry, candidates, by_call, by_key)
        if found is None:
            unmatched.append(entry)
        else:
            found[0].entries.append((entry, found[1]))
    covered = _covered(candidates)
    return Joined(
        counts=tuple(
            _count(c, covered, ledger.names, (ends or {}).get(c.effect.session_id)) for c in candidates
        ),
        unmatched=tuple(unmatched),
        ledger=ledger,
    )


def _candidate(effect: Effect, rules: EffectsPolicy) -> _Candidate:
    rule = rules.rule_for(effect.tool)
    names = {effect.tool.lower(), *(name.lower() for name in (rule.ledger if rule is not None else ()))}
    return _Candidate(
        effect=effect,
        words=frozenset(split_words(effect.tool)),
        names=frozenset(names),
        keys=frozenset(seen.value for seen in effect.keys),
    )


def _find(
    entry: Entry,
    candidates: Sequence[_Candidate],
    by_call: Mapping[str, list[_Candidate]],
    by_key: Mapping[str, list[_Candidate]],
) -> tuple[_Candidate, How] | None:
    if entry.call_id:
        same_call = [c for c in by_call.get(entry.call_id, ()) if _same_session(entry, c.effect)]
        if same_call:
            return _best(entry, same_call), "call-id"
    if entry.key:
        same_key = [c for c in by_key.get(entry.key, ()) if _same_session(entry, c.effect)]
        if same_key:
            return _best(entry, same_key), "key"
    if entry.step_id:
        same_step = [
            c for c in candidates if any(part.step_id == entry.step_id for part in c.effect.by_attempt)
        ]
        named = [c for c in same_step if _named(entry, c)] or same_step
        if named:
            return _best(entry, named), "step"
    if entry.at is None:
        return None
    inside = [c for c in candidates if _same_session(entry, c.effect) and _inside(entry.at, c.effect)]
    named = [c for c in inside if _named(entry, c)]
    if not named and not entry.effect:
        named = inside
    if not named and len(inside) == 1 and inside[0].effect.kind == "step":
        # A step body is app code; whatever it wrote in its window is its doing, under whatever name.
        named = inside
    return (_best(entry, named), "time") if named else None


def _same_session(entry: Entry, effect: Effect) -> bool:
    if entry.session_id and entry.session_id != effect.session_id:
        return False
    return (
        not entry.run_id
        or entry.run_id in (effect.run_id, effect.session_id)
        or any(part.run_id == entry.run_id for part in effect.by_attempt)
    )


def _named(entry: Entry, candidate: _Candidate) -> bool:
    name = entry.effect.lower()
    return name in candidate.names or bool(candidate.words & set(split_words(entry.effect)))


def _inside(at: datetime, effect: Effect) -> bool:
    return any(
        part.executions.max != 0
        and part.started_at is not None
        and part.started_at - _EARLY <= at
        and (part.window_end is None or at <= part.window_end + (_LATE if not part.returned else _EARLY))
        for part in effect.by_attempt
    )


def _best(entry: Entry, candidates: Sequence[_Candidate]) -> _Candidate:
    """Prefer what really executes over a workflow tool's call, equal names, and the nearest in time."""

    def rank(candidate: _Candidate) -> tuple[bool, bool, float, int]:
        effect = candidate.effect
        times = [part.at for part in effect.by_attempt if part.at is not None]
        gap = min((abs((at - entry.at).total_seconds()) for at in times), default=1e12) if entry.at else 0.0
        full = effect.executions.max is not None and len(candidate.entries) >= effect.executions.max
        return (effect.kind == "workflow-tool", full, gap, len(candidate.entries))

    return min(candidates, key=rank)


def _covered(candidates: Sequence[_Candidate]) -> frozenset[str]:
    """Tools of which the ledger has at least one line: of those a missing line means something."""
    return frozenset(candidate.effect.tool for candidate in candidates if candidate.entries)


def _count(
    candidate: _Candidate, covered: frozenset[str], names: Sequence[str], end: datetime | None
) -> Count:
    effect = candidate.effect
    total = sum(entry.times for entry, _ in candidate.entries)
    if not candidate.entries and effect.kind == "workflow-tool":
        # What a workflow tool does, its steps do: a ledger has lines for those.
        return Count(effect=effect, count=None)
    if not candidate.entries and effect.tool not in covered:
        known = any(
            name.lower() in candidate.names or candidate.words & set(split_words(name)) for name in names
        )
        if not known or not effect.protection.acts:
            return Count(effect=effect, count=None)
    verdict: Verdict = "agrees"
    if effect.executions.max is not None and total > effect.executions.max:
        verdict = "more effects than starts"
        told = sum(
            e.times for e, _ in candidate.entries if e.at is None or end is None or e.at <= end + _AFTER
        )
        if told <= effect.executions.max:
            verdict = "the ledger goes on longer"
    elif total == 0 and effect.executions.min > 0:
        verdict = "no effect in the ledger"
    elif total < effect.executions.min:
        verdict = "fewer effects than results"
    return Count(
        effect=effect,
        count=total,
        entries=tuple(entry for entry, _ in candidate.entries),
        how=tuple(how for _, how in candidate.entries),
        verdict=verdict,
    )

"""Joining a ledger with a journal: how often each effect really happened, and what does not fit.

A line is joined to an effect by call id, else by idempotency key, else by step id, else by time: the line
falls into the window of an attempt that may have executed the effect, and their names have a word in common
(``charge`` and ``charge_card``) or the policy says how the ledger calls it. A line that names a session, a
run, a step or a call is never joined to an effect of another one.

Joining by time goes from sure to unsure, so that what comes first in the ledger takes nothing away: first
lines inside a window of an effect that still lacks one, then lines just beside a window, and only then lines
inside a window of an effect that has as many lines as starts. A line beside a window is never one too many.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

from eve_replay.brief import Brief
from eve_replay.journal.effects.build import Effect
from eve_replay.journal.effects.policy import EffectsLike, EffectsPolicy, split_words
from eve_replay.journal.ledger.model import Entry, Ledger
from eve_replay.journal.model import Session

__all__ = ["Count", "How", "Joined", "journal_end", "join"]

How = Literal["call-id", "key", "step", "time"]
Verdict = Literal[
    "agrees",
    "more effects than starts",
    "the ledger goes on longer",
    "fewer effects than results",
    "no effect in the ledger",
]

#: A body may begin before its start is recorded (10 ms seen, docs/evidence/observed.md#optimistic-start), and
#: clocks differ a little.
_EARLY = timedelta(milliseconds=250)
#: A request in flight when the process dies may still arrive (6 s in the payment recordings).
_LATE = timedelta(seconds=30)
_ENDED = frozenset({"completed", "failed", "cancelled"})
#: A journal copied while it was written ends about here.
_AFTER = timedelta(seconds=1)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Count(Brief):
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


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Joined(Brief):
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
    """Return the last instant the journal tells of a session, None when all its runs have ended.

    Only a session that goes on can have effects that its journal does not know yet: one cut short by a
    crash, or copied while it was parked (the approval came later).
    """
    if all(run.status in _ENDED for run in session.all_runs):
        return None
    times = [event.created_at for run in session.all_runs for event in run.events]
    times += [event.at for event in session.stream_events]
    times.append(session.newest_at)
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
    found: Iterable[Effect],
    ledger: Ledger,
    *,
    effects: EffectsLike = None,
    ends: Mapping[str, datetime] | None = None,
) -> Joined:
    """Join ``ledger`` with the effects found (of one session or of a whole world).

    Args:
        found: the journal's effects.
        ledger: the lines.
        effects: the effects policy; it may say under which names a ledger has an effect.
        ends: by session id, the last instant the journal tells of; a ledger that goes on longer than the
            journal (a copy taken at a crash) is not held against it.
    """
    rules = EffectsPolicy.load(effects)
    candidates = [_candidate(effect, rules) for effect in found]
    by_call: dict[str, list[_Candidate]] = {}
    by_key: dict[str, list[_Candidate]] = {}
    for candidate in candidates:
        for call_id in candidate.effect.call_ids:
            by_call.setdefault(call_id, []).append(candidate)
        for key in candidate.keys:
            by_key.setdefault(key, []).append(candidate)
    names = _Names.of(candidates)
    left: list[Entry] = []
    for entry in ledger.entries:
        named = _named_by_id(entry, candidates, by_call, by_key, names)
        if named is None:
            left.append(entry)
        else:
            named[0].entries.append((entry, named[1]))
    for reach in _REACHES:
        left = [entry for entry in left if not _join_by_time(entry, candidates, names, reach)]
    unmatched = sorted(left, key=lambda entry: entry.line)
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


@dataclass(frozen=True, slots=True)
class _Names:
    """Every id the effects have, to tell whether a line names one of another make (an order number)."""

    steps: frozenset[str]
    runs: frozenset[str]
    call_makes: frozenset[str]

    @classmethod
    def of(cls, candidates: Sequence[_Candidate]) -> _Names:
        effects = [candidate.effect for candidate in candidates]
        parts = [part for effect in effects for part in effect.by_attempt]
        return cls(
            steps=frozenset(part.step_id for part in parts),
            runs=frozenset(i for e in effects for i in (e.run_id, e.session_id)) | {p.run_id for p in parts},
            call_makes=frozenset(_make(i) for effect in effects for i in effect.call_ids),
        )

    def admits(self, entry: Entry, effect: Effect) -> bool:
        """Return whether nothing in the line names another session, run or step than the effect's."""
        if entry.session_id != effect.session_id and self._is_run(entry.session_id):
            return False
        parts = effect.by_attempt
        if self._is_run(entry.run_id) and entry.run_id not in (
            effect.run_id,
            effect.session_id,
            *(part.run_id for part in parts),
        ):
            return False
        if entry.step_id and (entry.step_id in self.steps or entry.step_id.startswith("step_")):
            return any(part.step_id == entry.step_id for part in parts)
        return True

    def is_call(self, entry: Entry) -> bool:
        """Return whether the line names a tool call, by the look of the id."""
        return bool(entry.call_id) and _make(entry.call_id or "") in self.call_makes

    def _is_run(self, id_: str | None) -> bool:
        return bool(id_) and (id_ in self.runs or str(id_).startswith("wrun_"))


def _make(call_id: str) -> str:
    """Return how ids of one maker begin: ``toolu``, ``call``, ``mock``."""
    return re.split(r"[^a-z]", call_id.lower(), maxsplit=1)[0]


def _named_by_id(
    entry: Entry,
    candidates: Sequence[_Candidate],
    by_call: Mapping[str, list[_Candidate]],
    by_key: Mapping[str, list[_Candidate]],
    names: _Names,
) -> tuple[_Candidate, How] | None:
    if entry.call_id:
        same_call = [c for c in by_call.get(entry.call_id, ()) if names.admits(entry, c.effect)]
        if same_call:
            return _best(entry, same_call), "call-id"
    if entry.key:
        same_key = [c for c in by_key.get(entry.key, ()) if names.admits(entry, c.effect)]
        if same_key:
            return _best(entry, same_key), "key"
    if entry.step_id and entry.step_id in names.steps:
        same_step = [
            c for c in candidates if names.admits(entry, c.effect) and not _other_call(entry, c.effect, names)
        ]
        # A turn step holds many calls, and a line of another name may be none of them.
        fits = [c for c in same_step if _named(entry, c)] or [
            c for c in same_step if c.effect.kind == "step" or not entry.effect
        ]
        if fits:
            return _best(entry, fits), "step"
    return None


def _other_call(entry: Entry, effect: Effect, names: _Names) -> bool:
    return effect.kind != "step" and bool(effect.call_ids) and names.is_call(entry)


@dataclass(frozen=True, slots=True)
class _Reach:
    """One round of joining by time.

    Attributes:
        beside: lines just before and after a window count as inside it.
        more: effects that have as many lines as starts take more.
    """

    beside: bool
    more: bool


_REACHES = (
    _Reach(beside=False, more=False),
    _Reach(beside=True, more=False),
    _Reach(beside=False, more=True),
)


def _join_by_time(entry: Entry, candidates: Sequence[_Candidate], names: _Names, reach: _Reach) -> bool:
    if entry.at is None:
        return False
    inside = [
        c
        for c in candidates
        if (reach.more or not _full(c))
        and names.admits(entry, c.effect)
        and _inside(entry, entry.at, c.effect, names, beside=reach.beside)
    ]
    fits = [c for c in inside if _named(entry, c)]
    if not fits and not entry.effect:
        fits = inside
    if not fits and len(inside) == 1 and inside[0].effect.kind == "step" and not reach.beside:
        # A step body is app code; whatever it wrote in its window is its doing, under whatever name.
        fits = inside
    if not fits:
        return False
    own = [c for c in fits if entry.run_id in {part.run_id for part in c.effect.by_attempt}]
    _best(entry, own or fits).entries.append((entry, "time"))
    return True


def _full(candidate: _Candidate) -> bool:
    most = candidate.effect.executions.max
    return most is not None and sum(entry.times for entry, _ in candidate.entries) >= most


def _named(entry: Entry, candidate: _Candidate) -> bool:
    name = entry.effect.lower()
    return name in candidate.names or bool(candidate.words & set(split_words(entry.effect)))


def _inside(entry: Entry, at: datetime, effect: Effect, names: _Names, *, beside: bool) -> bool:
    """Return whether ``at`` lies in the window of an attempt that may have executed the effect.

    A model may give a repeated call another id, and a crash may lose the first: a line with an unknown call
    id fits an attempt in which the call's id is not recorded, but no attempt that has another.
    """
    other = _other_call(entry, effect, names)
    if other and beside:
        return False
    for part in effect.by_attempt:
        if part.executions.max == 0 or part.started_at is None or (other and part.call_id):
            continue
        early = _EARLY if beside else timedelta(0)
        late = timedelta(0) if not beside else _EARLY if part.returned else _LATE
        if part.started_at - early <= at and (part.window_end is None or at <= part.window_end + late):
            return True
    return False


def _best(entry: Entry, candidates: Sequence[_Candidate]) -> _Candidate:
    """Prefer what really executes over a workflow tool's call, equal names, and the nearest in time."""

    def rank(candidate: _Candidate) -> tuple[bool, bool, float, int]:
        effect = candidate.effect
        times = [part.at for part in effect.by_attempt if part.at is not None]
        gap = min((abs((at - entry.at).total_seconds()) for at in times), default=1e12) if entry.at else 0.0
        return (effect.kind == "workflow-tool", _full(candidate), gap, len(candidate.entries))

    return min(candidates, key=rank)


def _covered(candidates: Sequence[_Candidate]) -> frozenset[str]:
    """Tools of which the ledger has at least one line: of those a missing line means something."""
    return frozenset(candidate.effect.tool for candidate in candidates if candidate.entries)


def _count(
    candidate: _Candidate, covered: frozenset[str], names: Sequence[str], end: datetime | None
) -> Count:
    effect = candidate.effect
    entries = sorted(_counting(candidate), key=lambda pair: pair[0].line)
    total = sum(entry.times for entry, _ in entries)
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
        told = sum(e.times for e, _ in entries if e.at is None or end is None or e.at <= end + _AFTER)
        if told <= effect.executions.max:
            verdict = "the ledger goes on longer"
    elif total == 0 and effect.executions.min > 0:
        verdict = "no effect in the ledger"
    elif total < effect.executions.min:
        verdict = "fewer effects than results"
    return Count(
        effect=effect,
        count=total,
        entries=tuple(entry for entry, _ in entries),
        how=tuple(how for _, how in entries),
        verdict=verdict,
    )


def _counting(candidate: _Candidate) -> list[tuple[Entry, How]]:
    """Return the lines that stand for the effect: a body may write others beside it (``charge``, ``audit``).

    Those that have its name count; where none has, those of the most frequent name.
    """
    named = [pair for pair in candidate.entries if _named(pair[0], candidate)]
    if named or not candidate.entries:
        return named
    by_name: dict[str, list[tuple[Entry, How]]] = {}
    for pair in candidate.entries:
        by_name.setdefault(pair[0].effect.lower(), []).append(pair)
    return max(by_name.values(), key=len)

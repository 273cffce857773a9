"""The outside's own record of a session: each line of a ledger as a mark on the timeline and a row to select.

The join says what a line belongs to (``journal/ledger/join.py``). A line that no recorded start explains is
drawn as an act without a call only if it names this session; one that names none may be another session's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from eve_replay.journal import Session
from eve_replay.journal.effects.build import Effect
from eve_replay.journal.effects.judge import judge_effect
from eve_replay.journal.ledger.join import Count, How, Joined
from eve_replay.journal.ledger.model import Entry
from eve_replay.views.kit.base import View, call_key, step_key
from eve_replay.views.kit.safe import safe_text
from eve_replay.views.kit.tone import Tone
from eve_replay.views.kit.words import plural

__all__ = ["Act", "acts_of", "acts_said"]

#: ``call``: the journal has a call for it; ``none``: it names this session, and no call explains it;
#: ``unsure``: it names no session, and happened while this one was at work.
Bond = Literal["call", "none", "unsure"]

_HOW: Mapping[How, str] = {
    "call-id": "by its call id",
    "key": "by its key",
    "step": "by its step",
    "time": "by its time",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Act(View):
    """One line of the ledger.

    Attributes:
        key: ``act:LINE``.
        line: 1-based line or row of the ledger.
        at: when it happened, None when the ledger does not say.
        name: what the ledger calls it.
        bond: whose it is, see :data:`Bond`.
        of: key of the call (or step) it belongs to, empty without one.
        said: one sentence.
        tone: harm for what nobody asked for and for a second time, once for the rest.
        fields: the whole line.
    """

    key: str
    line: int
    at: datetime | None
    name: str
    bond: Bond
    of: str = ""
    said: str = ""
    tone: Tone = "once"
    fields: Mapping[str, object] = field(default_factory=dict, repr=False)


def acts_of(session: Session, joined: Joined) -> tuple[Act, ...]:
    """Return what a ledger says happened in a session, by line.

    Args:
        session: the joined session.
        joined: the ledger against this session's effects.
    """
    acts = [act for count in joined.counts for act in _called(count)]
    mine = {session.id, *(run.run_id for run in session.all_runs)}
    steps = {step.step_id for step in session.steps}
    times = [when for when in (session.head.created_at, session.newest_at) if when is not None]
    for entry in joined.unmatched:
        names = {entry.session_id, entry.run_id, entry.step_id} - {None}
        if names & (mine | steps):
            acts.append(_alone(entry, "none", "No recorded call explains it.", "harm"))
        elif not names and entry.at is not None and times and min(times) <= entry.at <= max(times):
            said = "It names no session: it may be another one's."
            acts.append(_alone(entry, "unsure", said, "unknown"))
    told = {act.line for act in acts} | {entry.line for entry in joined.unmatched}
    acts += [
        _alone(
            entry,
            "call",
            "It belongs to a call of this session, and has another name: it is not counted.",
            "muted",
        )
        for entry in joined.ledger.entries
        if entry.line not in told
    ]
    return tuple(sorted(acts, key=lambda act: act.line))


def acts_said(acts: Sequence[Act]) -> str:
    """Return how many acts there are and how many have no call, in words."""
    alone = sum(act.bond == "none" for act in acts)
    unsure = sum(act.bond == "unsure" for act in acts)
    parts = [plural(len(acts), "act")]
    parts += [f"{alone} without a call"] if alone else []
    parts += [f"{unsure} perhaps another session's"] if unsure else []
    return ", ".join(parts)


def _called(count: Count) -> Iterable[Act]:
    several = sum(entry.times for entry in count.entries) > 1
    again = judge_effect(count.effect, count.count).tone
    tool = safe_text(count.effect.tool)
    seen = 0
    for entry, how in zip(count.entries, count.how, strict=False):
        seen += entry.times
        which = f" It is number {seen} of {count.count}." if several else ""
        beyond = (
            count.hidden and count.effect.executions.max is not None and seen > count.effect.executions.max
        )
        more = " The journal has no start for it." if beyond else ""
        yield Act(
            key=f"act:{entry.line}",
            line=entry.line,
            at=entry.at,
            name=safe_text(entry.effect or count.effect.tool),
            bond="call",
            of=_call_at(count.effect, entry),
            said=f"It is the {tool} of this session, joined {_HOW[how]}.{which}{more}",
            tone="harm" if beyond else again if several and seen > 1 else "once",
            fields=entry.fields,
        )


def _alone(entry: Entry, bond: Bond, said: str, tone: Tone) -> Act:
    return Act(
        key=f"act:{entry.line}",
        line=entry.line,
        at=entry.at,
        name=safe_text(entry.effect or "act"),
        bond=bond,
        said=said,
        tone=tone,
        fields=entry.fields,
    )


def _call_at(effect: Effect, entry: Entry) -> str:
    """Return the key of the call in the attempt that was at work at the time, else in the last one."""
    parts = [part for part in effect.by_attempt if part.executions.max != 0] or list(effect.by_attempt)
    if not parts:
        return step_key(effect.run_id, effect.step_id)
    begun = [p for p in parts if entry.at and p.started_at is not None and p.started_at <= entry.at]
    part = (begun or parts)[-1]
    call = part.call_id or effect.call_id
    if call is None or effect.kind == "step":
        return step_key(part.run_id, part.step_id)
    return call_key(part.run_id, part.step_id, part.attempt, call)

"""Looking again, after a post-mortem: is anything still open, did anything happen since?

The journal does not know what people did outside. What they did is told with ``settled``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from html import escape
from typing import Literal

from eve_replay.errors import EveReplayError
from eve_replay.guidance import Report
from eve_replay.guidance.why import why
from eve_replay.journal.effects.policy import EffectsLike
from eve_replay.journal.ledger.model import LedgerLike
from eve_replay.journal.targets import Target
from eve_replay.notebook.clock import clock_at
from eve_replay.views.kit.safe import safe_text
from eve_replay.views.kit.tone import BACKGROUNDS, PALETTES
from eve_replay.views.kit.words import day_and_clock, plural

__all__ = ["Recheck", "check_again", "facts_of"]

#: Remarks do not turn a check red.
_BAD = ("error", "warning")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recheck:
    """What a later look found.

    Attributes:
        state: ``green`` nothing is open or new; ``red`` something is; ``unknown`` it could not look.
        lines: what was found, a sentence each.
        as_of: when it looked.
    """

    state: Literal["green", "red", "unknown"]
    lines: tuple[str, ...]
    as_of: datetime

    def __repr__(self) -> str:
        return "\n".join([f"{self.state.upper()}, as of {day_and_clock(self.as_of, None)} UTC", *self.lines])

    def _repr_html_(self) -> str:
        tone = {"green": "committed", "red": "harm", "unknown": "unknown"}[self.state]
        colour = PALETTES["light"][tone]  # type: ignore[index]
        if self.state == "green":
            colour = "#1a7f37"
        head, *rest = (escape(safe_text(text)) for text in repr(self).split("\n"))
        items = "".join(f"<li>{text}</li>" for text in rest)
        style = f"background:{colour};color:{BACKGROUNDS['light']};padding:8px 12px;border-radius:6px"
        return f'<div style="{style}"><b>{head}</b><ul>{items}</ul></div>'


def facts_of(report: Report, now: datetime) -> dict[str, object]:
    """Return what a later check compares with: plain data, to stand in a cell."""
    return {
        "made": now.isoformat(timespec="seconds"),
        "verdicts": sorted({_verdict(each.code, each.tool, each.run_id) for each in report.verdicts}),
        "effects": {_name(each): each.executions.min for each in report.effects},
    }


def check_again(
    target: Target,
    session: str,
    *,
    then: Mapping[str, object],
    settled: Sequence[str] = (),
    effects: EffectsLike = None,
    ledger: LedgerLike | None = None,
    now: datetime | None = None,
) -> Recheck:
    """Look at the newest journal of a post-mortem again.

    Args:
        target: where the journal is now; empty when nobody said.
        session: id of the session.
        then: what the post-mortem found.
        settled: words of what people have done since (a tool, a kind of step): open steps that hold one of
            them count as done.
        effects: what the user knows of their tools.
        ledger: what really happened outside, as it is now.
        now: the instant to reckon from, with a time zone; the clock's by default.
    """
    when = clock_at(now)()
    if not target:
        return Recheck(state="unknown", lines=("Say where the journal is: SOURCE.",), as_of=when)
    try:
        report = why(target, session=session, effects=effects, ledger=ledger, now=when)
    except EveReplayError as error:
        return Recheck(state="unknown", lines=(f"The journal cannot be looked at: {error}",), as_of=when)
    lines: list[str] = []
    done = 0
    for step in report.plan.steps:
        words = " ".join([step.kind, *(f"{a.tool} {a.call_id}" for a in step.about), step.text]).lower()
        if any(word.strip().lower() in words for word in settled if word.strip()):
            done += 1
        else:
            lines.append(f"Open: {step.text}")
    known = _texts(then.get("verdicts"))
    for verdict in report.verdicts:
        name = _verdict(verdict.code, verdict.tool, verdict.run_id)
        if verdict.severity in _BAD and name not in known:
            lines.append(f"New: {verdict.sentence}")
    before = then.get("effects")
    for effect in report.effects:
        counted = before.get(_name(effect)) if isinstance(before, Mapping) else None
        if isinstance(counted, int) and effect.executions.min > counted:
            lines.append(f"Since then {effect.tool} ran again: {counted} then, {effect.executions.min} now.")
    if lines:
        return Recheck(state="red", lines=tuple(lines), as_of=when)
    said = [f"Nothing the journal tells is open, and nothing is new since {then.get('made', 'then')}."]
    said += [f"{plural(done, 'step')} of the plan settled by people, as this cell says."] if done else []
    return Recheck(state="green", lines=tuple(said), as_of=when)


def _verdict(code: str, tool: str, run_id: str) -> str:
    return " ".join(part for part in (code, tool, run_id) if part)


def _name(effect: object) -> str:
    tool, call, step = (getattr(effect, name) or "" for name in ("tool", "call_id", "step_id"))
    return f"{tool} {call or step}"


def _texts(value: object) -> frozenset[str]:
    return frozenset(str(each) for each in value) if isinstance(value, (list, tuple, set)) else frozenset()

"""What the journal implies: the forecast of a folder as it lies there, in the words that a run compares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eve_replay.errors import EveReplayError
from eve_replay.recovery.forecast import forecast
from eve_replay.recovery.question import Question

__all__ = ["Implied", "differences", "implied_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Implied:
    """A forecast in short.

    Attributes:
        outcome: what happens by itself; ``nothing-open`` also for an empty folder.
        label: where the process stood, in plain words; ``step``: the state of the open step (``F1``, ``D``).
        tools: per tool the least and the most executions, most None for no bound.
        certain: False when nothing is open but nothing says that nothing was due either.
        open: whether calls may be missing from the list.
        wait: seconds until the earliest thing can happen, where the journal says so.
    """

    outcome: str = "nothing-open"
    label: str = ""
    step: str = ""
    tools: Mapping[str, tuple[int, int | None]]
    certain: bool = True
    open: bool = False
    session: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            "outcome": self.outcome,
            "label": self.label,
            "step": self.step,
            "tools": {tool: list(ends) for tool, ends in self.tools.items()},
            "certain": self.certain,
            "open": self.open,
            "session": self.session,
        }


def implied_of(folder: Path, *, lease: float, variant: str = "same") -> Implied:
    """Return what the folder implies for its session, under the lease that the test has.

    Args:
        folder: a world as it lies there; one that is being written is read as far as it is whole.
        lease: seconds of the lease that the server was started with.
        variant: what the model answers when it is asked again.
    """
    model = {"same": "same", "new-ids": "new-ids"}.get(variant, "other")
    question = Question(lease_seconds=lease, model=model)  # type: ignore[arg-type]
    try:
        found = [each for each in forecast(str(folder), question=question) if each.kind != "workflow"]
        found = found or list(forecast(str(folder), question=question))
    except (EveReplayError, OSError, ValueError):
        return Implied(tools={}, label="there is no journal yet")
    if not found:
        return Implied(tools={}, label="there is no session yet")
    first = found[0]
    sim = first.answer
    tools: dict[str, tuple[int, int | None]] = {}
    for effect in sim.effects:
        least, most = tools.get(effect.tool, (0, 0))
        more = effect.executions
        total = None if most is None or more.max is None else most + more.max
        tools[effect.tool] = (least + more.min, total)
    return Implied(
        outcome=sim.outcome,
        label=sim.point.label,
        step=next((step.code for step in sim.steps if step.verdict != "replayed"), ""),
        tools=tools,
        certain=sim.point.certainty != "unknown",
        open=sim.open,
        session=first.session_id,
    )


#: Outcomes that are the same thing to somebody who only watches.
_SAME = {"nothing-open": {"recovers"}, "needs-person": {"recovers", "needs-person"}}


def differences(implied: Mapping[str, Any], outcome: str, bodies: Mapping[str, int]) -> list[str]:
    """Return where the implied and the observed contradict each other, one sentence each.

    Args:
        implied: :meth:`Implied.to_json` of the folder as it lay at death.
        outcome: what was observed.
        bodies: per tool how often its body began.
    """
    found = []
    told = str(implied.get("outcome"))
    if outcome != told and outcome not in _SAME.get(told, set()):
        found.append(f"implied: {told}, observed: {outcome}")
    for tool, (least, most) in implied.get("tools", {}).items():
        seen = bodies.get(tool, 0)
        if seen < least or (most is not None and seen > most and not implied.get("open")):
            ends = (
                f"at least {least}" if most is None else str(least) if least == most else f"{least} to {most}"
            )
            found.append(f"{tool}: implied {ends}, observed {seen}")
    return found

"""Lines of the trace while they are made: cheap to create, read like moments, made moments at the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eve_replay.workshop.model import FaultKind, Moment

__all__ = ["NOWHERE", "Place", "Row", "jsonable", "moments_of"]


class Place:
    """Where something happens (as in :class:`~eve_replay.workshop.model.Moment`)."""

    __slots__ = ("attempt", "call_id", "position", "step", "tool", "turn")

    def __init__(
        self,
        turn: int = -1,
        step: int = -1,
        attempt: int = 0,
        position: int = -1,
        tool: str = "",
        call_id: str = "",
    ) -> None:
        self.turn, self.step, self.attempt = turn, step, attempt
        self.position, self.tool, self.call_id = position, tool, call_id


NOWHERE = Place()


class Row:
    """A moment while it is being made: the fields of :class:`Moment`, cheap to create and to mark.

    Attributes:
        acts: how many acts of the outside had happened when it began.
        models: how often the model had been asked.
        journal: what was durable inside. Deaths that agree in these three find the same world.
    """

    __slots__ = (
        "acts",
        "attempt",
        "call_id",
        "facts",
        "fault",
        "journal",
        "kind",
        "may_time_out",
        "method",
        "models",
        "number",
        "position",
        "process",
        "reads",
        "seconds",
        "service",
        "slow",
        "step",
        "tool",
        "turn",
    )

    def __init__(
        self,
        number: int | None,
        kind: str,
        process: int,
        seconds: float,
        place: Place,
        facts: Mapping[str, object],
    ) -> None:
        self.number, self.kind, self.process, self.seconds = number, kind, process, seconds
        self.turn, self.step, self.attempt = place.turn, place.step, place.attempt
        self.position, self.tool, self.call_id = place.position, place.tool, place.call_id
        self.facts = facts
        self.service = self.method = ""
        self.fault: FaultKind | None = None
        self.reads = self.slow = self.may_time_out = False
        self.acts = self.models = 0
        self.journal: Any = None

    def moment(self) -> Moment:
        """Return it as plain frozen data."""
        return Moment(
            number=self.number,
            kind=self.kind,
            process=self.process,
            attempt=self.attempt,
            seconds=self.seconds,
            turn=self.turn,
            step=self.step,
            position=self.position,
            tool=self.tool,
            call_id=self.call_id,
            service=self.service,
            method=self.method,
            facts=self.facts,
            fault=self.fault,
            reads=self.reads,
            slow=self.slow,
            may_time_out=self.may_time_out,
        )


def jsonable(value: object) -> object:
    """Return a copy as plain JSON data; what is none becomes its ``repr``."""
    kind = type(value)
    if value is None or kind in (str, int, bool, float):
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return bool(value) if repr(value) in ("True", "False") else int(value)
    if isinstance(value, Mapping):
        return {str(name): jsonable(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [jsonable(each) for each in value]
    return repr(value)


def moments_of(rows: Sequence[Row]) -> tuple[Moment, ...]:
    """Return a trace as plain frozen data."""
    return tuple(row.moment() for row in rows)

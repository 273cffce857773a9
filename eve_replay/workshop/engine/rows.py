"""Lines of the trace while they are made: cheap to create, read like moments, made moments at the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eve_replay.workshop.model import FaultKind, Moment
from eve_replay.workshop.wire import Call

__all__ = ["NOWHERE", "Place", "Raw", "Row", "jsonable", "moments_of"]


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


#: A line of the trace while it is made: kind, number, process, seconds, place, facts, service, method, what
#: can go wrong with the call, the fault that fell, acts of the outside so far, model calls so far, journal.
#: A tuple, since a search makes millions of them and reads few.
Raw = tuple[
    str,
    int | None,
    int,
    float,
    Place,
    Mapping[str, object],
    str,
    str,
    Call | None,
    FaultKind | None,
    int,
    int,
    Any,
]


class Row:
    """A moment of a search: read like :class:`Moment`, with what a search has to know besides.

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

    def __init__(self, raw: Raw) -> None:
        self.kind, self.number, self.process, self.seconds, place, self.facts = raw[:6]
        self.service, self.method, call, self.fault, self.acts, self.models, self.journal = raw[6:]
        self.turn, self.step, self.attempt = place.turn, place.step, place.attempt
        self.position, self.tool, self.call_id = place.position, place.tool, place.call_id
        self.reads = self.slow = self.may_time_out = False
        if call is not None:
            self.reads, self.slow, self.may_time_out = call.reads, call.slow, call.may_time_out


def moments_of(raws: Sequence[Raw]) -> tuple[Moment, ...]:
    """Return a trace as plain frozen data."""
    return tuple(_moment(Row(raw)) for raw in raws)


def _moment(row: Row) -> Moment:
    return Moment(
        number=row.number,
        kind=row.kind,
        process=row.process,
        attempt=row.attempt,
        seconds=row.seconds,
        turn=row.turn,
        step=row.step,
        position=row.position,
        tool=row.tool,
        call_id=row.call_id,
        service=row.service,
        method=row.method,
        facts=row.facts,
        fault=row.fault,
        reads=row.reads,
        slow=row.slow,
        may_time_out=row.may_time_out,
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

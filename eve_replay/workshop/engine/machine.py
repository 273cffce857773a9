"""The machine below every run: clock, numbered moments, the wire to the outside, death and landing.

Nothing here knows what a step or a turn is. :mod:`runtime` and :mod:`workflow` say where things happen (the
place), this module lets faults fall there and writes down what happened.

Times are simulated: the model takes 1 s, a call to the outside 1 s (slow ones 3 s, a look at it none), a
restart 3 s (as in docs/evidence/sweep.md#delay). A call takes its time before the outside acts, so that a
crash after it and a crash before what comes next find the outside, and the clock, the same.

A request in flight when its process dies lands as late as can be: no look of a later process sees it
(recording pay-check-then-act: the check came first, the payment landed after it). It lands right before a
later process acts on the same service; one with the same key waits for it and gets its answer (recording
pay-with-key). And nothing is on its way for an hour: it lands when the process stays away for so long, when
a tool has waited for so long, or when the case is over.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NoReturn, Protocol, TypeVar, cast

from eve_replay.workshop.engine.breaking import break_out
from eve_replay.workshop.engine.rows import NOWHERE, Place, Raw, Row, jsonable
from eve_replay.workshop.model import Entry, Fault, Schedule
from eve_replay.workshop.wire import Call, ProcessDied, Timeout

__all__ = [
    "HOUR",
    "MODEL_SECONDS",
    "Machine",
    "MakeOutside",
    "RESTART_SECONDS",
    "Runaway",
    "Settles",
    "seconds_of",
]

T = TypeVar("T")

HOUR = 3600.0
MODEL_SECONDS = 1.0
CALL_SECONDS = 1.0
SLOW_SECONDS = 3.0
RESTART_SECONDS = 3.0
#: So often a dead process may try to reach the outside before its loop is broken.
_STUBBORN = 1000
_NO_FACTS: Mapping[str, object] = MappingProxyType({})


class Settles(Protocol):
    """What the runtime needs of an outside: a word when no process is running."""

    def settle(self) -> None:
        """Let what works by itself outside do its work."""
        ...


#: Makes the outside of one case: ``Outside`` of :mod:`eve_replay.workshop.outside`.
MakeOutside = Callable[[Any, Mapping[str, Mapping[str, object]]], Settles]


class Runaway(BaseException):
    """A tool went on without end."""


@dataclass(slots=True)
class _Flight:
    """A request that left before its process died."""

    call: Call
    act: Callable[[], object]
    place: Place
    process: int
    row: int
    seconds: float


class Machine:
    """One run of one case under one schedule. It is the :class:`~eve_replay.workshop.wire.Wire`.

    Args:
        schedule: what goes wrong.
        full: whether the trace keeps what only a story needs (answers); a search goes faster without.
        limit: calls to the outside (and waits) in one attempt beyond which a tool has run away.
    """

    __slots__ = (
        "_acts",
        "_calls",
        "_faults",
        "_flights",
        "_gone",
        "_refused",
        "_row",
        "_sender",
        "fault",
        "full",
        "journal",
        "ledger",
        "limit",
        "marks",
        "models",
        "number",
        "place",
        "process",
        "raws",
        "seconds",
    )

    def __init__(self, schedule: Schedule, limit: int, *, full: bool = True) -> None:
        self._faults = {fault.point: fault for fault in schedule}
        self.limit = limit
        self.full = full
        self._acts = self._calls = 0
        self._gone: BaseException | None = None
        self._refused = 0
        self._flights: list[_Flight] = []
        self._row = -1
        self._sender: _Flight | None = None
        self.fault: Fault | None = None
        self.journal: Any = None
        self.marks = False
        self.ledger: list[Entry] = []
        self.models = 0
        self.number = 0
        self.place = NOWHERE
        self.process = 1
        self.raws: list[Raw] = []
        self.seconds = 0.0

    # -- moments --------------------------------------------------------------------------------------

    def note(self, kind: str, facts: Mapping[str, object] = _NO_FACTS, call: Call | None = None) -> None:
        """Add a line to the trace where no fault can fall (``call``: the call to the outside it is about)."""
        service, method = ("", "") if call is None else (call.service, call.method)
        self.raws.append(
            (
                kind,
                None,
                self.process,
                self.seconds,
                self.place,
                facts,
                service,
                method,
                None,
                None,
                0,
                0,
                None,
            )
        )

    def moment(self, kind: str, facts: Mapping[str, object] = _NO_FACTS) -> None:
        """Let a numbered moment pass. Raises ProcessDied when a crash falls here."""
        if self._gone is not None:
            self._refuse(self._gone)
        fault = self._faults.get(self.number)
        if fault is not None and not fault.kind.startswith("crash"):
            fault = None
        self.raws.append(
            (
                kind,
                self.number,
                self.process,
                self.seconds,
                self.place,
                facts,
                "",
                "",
                None,
                None if fault is None else fault.kind,
                self._acts,
                self.models,
                self.journal,
            )
        )
        self.number += 1
        if fault is not None:
            self._die(fault)

    def falls_here(self) -> Fault | None:
        """Return the fault that falls at the next numbered moment, None without one."""
        return self._faults.get(self.number)

    def _die(self, fault: Fault) -> NoReturn:
        self.fault = fault
        self.note("crash", {"kind": fault.kind, "hours": fault.hours})
        self.leave_with(ProcessDied())

    @property
    def gone(self) -> BaseException | None:
        """What ended the tool that was going on (death, running away, parking), whatever it makes of it."""
        return self._gone

    def leave_with(self, why: BaseException) -> NoReturn:
        """End the tool that is going on: from now on everything it does raises this."""
        self._gone = why
        raise why

    def _refuse(self, gone: BaseException) -> NoReturn:
        """Nothing is reached any more, whatever the tool caught; one that tries for ever is broken out of."""
        self._refused += 1
        if self._refused > _STUBBORN:
            break_out(gone)
        raise gone.with_traceback(None)

    def back(self) -> None:
        """Whatever was going on has been left: the same process goes on."""
        self._gone = None
        self._refused = 0

    def count(self) -> None:
        """Count something that a tool can do without end. Raises Runaway beyond the limit."""
        if self._gone is not None:
            self._refuse(self._gone)
        self._calls += 1
        if self._calls > self.limit:
            self.leave_with(Runaway())

    def fresh_attempt(self) -> None:
        """A new attempt begins: it may call the outside as often as any other."""
        self._calls = 0

    def new_process(self) -> None:
        """The next process begins."""
        self.process += 1
        self.back()
        self.fault = None
        self._calls = 0

    # -- the wire -------------------------------------------------------------------------------------

    def call(self, call: Call, act: Callable[[], T], arrive: Callable[[], None] | None = None) -> T:
        """Carry out one call to the outside, or die trying (see ``Wire.call``)."""
        self.count()
        place, index, number = self.place, len(self.raws), self.number
        fault = self._faults.get(number)
        kind = None if fault is None else fault.kind
        self.raws.append(
            (
                "call",
                number,
                self.process,
                self.seconds,
                place,
                call.facts,
                call.service,
                call.method,
                call,
                kind,
                self._acts,
                self.models,
                self.journal,
            )
        )
        self.number = number + 1
        if kind == "crash-before":
            self._die(cast(Fault, fault))
        self.seconds += seconds_of(call)
        if kind == "crash-in-flight":
            self._flights.append(_Flight(call, act, place, self.process, index, self.seconds))
            if arrive is not None:
                arrive()
            self._die(cast(Fault, fault))
        if kind == "refused":
            self.note("timeout", _NO_FACTS, call)
            raise Timeout(_no_answer(call))
        if self._flights:
            self._land_before(call)
        if not call.reads:
            self._acts += 1
        self._row = index
        try:
            answer = act()
        except Exception as error:
            if kind == "crash-after":
                self._die(cast(Fault, fault))
            if kind == "lost":
                self.note("timeout", _NO_FACTS, call)
                raise Timeout(_no_answer(call)) from None
            self.note("answer", {"error": type(error).__name__, "message": str(error)}, call)
            raise
        finally:
            self._row = -1
        if kind == "crash-after":
            self._die(cast(Fault, fault))
        if kind == "lost":
            self.note("timeout", _NO_FACTS, call)
            raise Timeout(_no_answer(call))
        self.note("answer", {"result": jsonable(answer)} if self.full else _NO_FACTS, call)
        return answer

    def happened(self, service: str, effect: str, fields: Mapping[str, object], key: str | None) -> int:
        """Write one line into the outside's ledger; it belongs to whoever sent the request."""
        flight = self._sender
        place = self.place if flight is None else flight.place
        number = len(self.ledger)
        self.ledger.append(
            Entry(
                number=number,
                seconds=self.seconds,
                service=service,
                effect=effect,
                fields=fields,
                key=key,
                process=self.process if flight is None else flight.process,
                attempt=place.attempt,
                turn=place.turn,
                step=place.step,
                position=place.position,
                call_id=place.call_id,
                moment=self._row if flight is None else flight.row,
            )
        )
        return number

    def tell(self, kind: str, facts: Mapping[str, object]) -> None:
        """Add a line to the trace that is no call."""
        self.note(kind, facts)

    # -- what lands late --------------------------------------------------------------------------------

    def _land_before(self, call: Call) -> None:
        """What is in flight lands before a call that it comes too late for, or that has to wait for it."""
        key = call.facts.get("key")
        for flight in self._flights[:]:
            if self.seconds - flight.seconds >= HOUR:
                self._land(flight, "waited")
            elif flight.call.service == call.service and not call.reads:
                self._land(flight, "late" if key is None or flight.call.facts.get("key") != key else "key")

    def _land(self, flight: _Flight, why: str) -> None:
        self._flights.remove(flight)
        self._acts += 1
        call = flight.call
        here, self.place = self.place, flight.place
        process, self.process = self.process, flight.process
        outer, self._sender = self._sender, flight
        try:
            self.note("landed", {**call.facts, "because": why, "sent": flight.row}, call)
            try:
                flight.act()
            except Exception as error:
                name = type(error).__name__
                self.note("answer", {"error": name, "message": str(error), "late": True}, call)
        finally:
            self.place, self.process, self._sender = here, process, outer

    def settle(self, outside: Settles, *, over: bool, away: float = 0.0) -> None:
        """No process is running: let the outside do what it does by itself.

        Args:
            outside: the outside of this case.
            over: whether the case is over; what is in flight lands.
            away: seconds until the next process comes. Nothing is on its way for an hour.
        """
        here, self.place = self.place, NOWHERE
        process, self.process = self.process, 0
        try:
            if over or away >= HOUR:
                for flight in self._flights[:]:
                    self._land(flight, "end" if over else "away")
            outside.settle()
        finally:
            self.place, self.process = here, process


def seconds_of(call: Call | Row) -> float:
    """Return how long a call takes until the outside acts."""
    if call.slow:
        return SLOW_SECONDS
    return 0.0 if call.reads else CALL_SECONDS


def _no_answer(call: Call) -> str:
    return f"{call.service}.{call.method}: no answer came. It may have been carried out or not."

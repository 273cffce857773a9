"""The fake outside world of the workshop: services with the manners of real ones, which outlive a process.

A tool gets one ``Outside`` and calls its services. Every call goes over the wire, where it can be cut.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from eve_replay.workshop.outside.answers import Answer, Rows
from eve_replay.workshop.outside.base import BadRequest, KeyReused, Service, Timeout, UniqueViolation
from eve_replay.workshop.outside.mail import Mail
from eve_replay.workshop.outside.payments import Payments
from eve_replay.workshop.outside.people import People
from eve_replay.workshop.outside.sql import Sql, Transaction
from eve_replay.workshop.outside.store import Store
from eve_replay.workshop.outside.upstream import Upstream
from eve_replay.workshop.wire import Wire

__all__ = [
    "SERVICES",
    "Answer",
    "BadRequest",
    "KeyReused",
    "Mail",
    "Outside",
    "Payments",
    "People",
    "Rows",
    "Service",
    "Sql",
    "Store",
    "Timeout",
    "Transaction",
    "UniqueViolation",
    "Upstream",
]

#: The services by name, in the order in which they are explained.
SERVICES: Mapping[str, type[Service]] = MappingProxyType(
    {"payments": Payments, "mail": Mail, "store": Store, "sql": Sql, "upstream": Upstream, "people": People}
)
_NOTHING: Mapping[str, object] = MappingProxyType({})


class Outside:
    """Everything outside the process: ``payments``, ``mail``, ``store``, ``sql``, ``upstream``, ``people``.

    Args:
        wire: the runtime's wire.
        setting: how services behave, by service, as in :class:`eve_replay.workshop.model.Case`.
    """

    __slots__ = ("mail", "payments", "people", "sql", "store", "upstream")

    payments: Payments
    mail: Mail
    store: Store
    sql: Sql
    upstream: Upstream
    people: People

    def __init__(
        self, wire: Wire, setting: Mapping[str, Mapping[str, object]] = MappingProxyType({})
    ) -> None:
        for name, kind in SERVICES.items():
            object.__setattr__(self, name, kind(wire, setting.get(name, _NOTHING)))

    def settle(self) -> None:
        """Let what works by itself outside do its work: the outbox worker.

        The runtime calls it whenever no process is running: after a process has died, and when the case is
        over (requests in flight have landed by then).
        """
        self.sql.settle()

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("the outside keeps only what its services keep: use store or sql")

    def __repr__(self) -> str:
        return "\n".join(repr(getattr(self, name)) for name in SERVICES)

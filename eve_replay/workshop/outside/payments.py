"""The payment provider, with the manners of real ones and of the lab's server (pay-* recordings)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eve_replay.workshop.outside.answers import Answer, Rows, copied, shown
from eve_replay.workshop.outside.base import Service
from eve_replay.workshop.outside.keys import Keys
from eve_replay.workshop.wire import Wire

__all__ = ["Payments"]

#: How long a key is remembered when the setting does not say.
KEY_HOURS = 24.0


class Payments(Service):
    """Takes money and gives it back.

    Setting: ``keys`` (True; False ignores them), ``key_hours`` (24; None for ever), ``timeouts`` (False; True
    lets answers be lost while the process lives).
    """

    __slots__ = ("_charges", "_keys", "_refunds")

    name = "payments"
    can = ("charge(order, cents, key=None, **about)", "find(**about)", "refund(id, key=None)")

    def __init__(self, wire: Wire, setting: Mapping[str, object]) -> None:
        super().__init__(wire, setting)
        self._charges: list[dict[str, Any]] = []
        self._refunds = 0
        self._keys = Keys(self._option("key_hours", KEY_HOURS)) if self._option("keys", True) else None

    def charge(self, order: str, cents: int, key: str | None = None, **about: object) -> Answer:
        """Charge money. Slow: the request can be in flight when the process dies.

        Args:
            order: what is paid for.
            cents: how much, a whole number above 0.
            key: idempotency key: the same key gets the first answer again, marked ``replayed``.
            about: further facts stored on the charge (``invoice=...``), which ``find`` finds.

        Returns:
            ``{"id": "ch_1", "order", "cents", "replayed"}``.

        Raises:
            KeyReused: the key came before with another request.
            BadRequest: an argument makes no sense.
        """
        text = self._text("charge", "order", order)
        whole = self._whole("charge", "cents", cents)
        checked = self._key("charge", key)
        more = self._about("charge", about, ("id", "replayed", "refunded", "method"))
        body: dict[str, object] = {"method": "charge", "order": text, "cents": whole, **more}

        def do() -> dict[str, Any]:
            charge = {"id": f"ch_{len(self._charges) + 1}", "order": text, "cents": whole, **more}
            self._charges.append({**charge, "refunded": False})
            entry = self._wire.happened("payments", "charge", dict(charge), checked)
            self._acted("charge", "charged", id=charge["id"], key=checked, entries=[entry])
            return charge

        act, arrive = self._keyed("charge", body, checked, self._keys, do)
        facts = {"order": text, "cents": whole, "key": checked, **more}
        return self._call(
            "charge", facts, act, slow=True, may_time_out=self._option("timeouts", False), arrive=arrive
        )

    def find(self, **about: object) -> Rows:
        """Return the finished charges that have these fields. A request in flight is not among them."""
        wanted = self._about("find", about)

        def act() -> Rows:
            found = Rows(
                copied(each)
                for each in self._charges
                if all(name in each and each[name] == value for name, value in wanted.items())
            )
            self._acted("find", "found", count=len(found), ids=[each["id"] for each in found])
            return found

        return self._call("find", wanted, act, reads=True)

    def refund(self, id: str, key: str | None = None) -> Answer:
        """Give a charge back, whole and once.

        Returns:
            ``{"id": "re_1", "charge": "ch_1", "cents", "replayed"}``.

        Raises:
            BadRequest: no such charge, or it was given back before.
        """
        text = self._text("refund", "id", id)
        checked = self._key("refund", key)
        body: dict[str, object] = {"method": "refund", "charge": text}

        def do() -> dict[str, Any]:
            charge = next((each for each in self._charges if each["id"] == text), None)
            if charge is None:
                self._refuse("refund", "no-charge", value=shown(text))
            if charge["refunded"]:
                self._refuse("refund", "refunded", value=text)
            charge["refunded"] = True
            self._refunds += 1
            refund = {"id": f"re_{self._refunds}", "charge": text, "cents": charge["cents"]}
            more = {name: value for name, value in charge.items() if name not in (*refund, "refunded")}
            entry = self._wire.happened("payments", "refund", {**refund, **more}, checked)
            self._acted("refund", "refunded", id=refund["id"], charge=text, key=checked, entries=[entry])
            return refund

        act, arrive = self._keyed("refund", body, checked, self._keys, do)
        return self._call(
            "refund",
            {"id": text, "key": checked},
            act,
            slow=True,
            may_time_out=self._option("timeouts", False),
            arrive=arrive,
        )

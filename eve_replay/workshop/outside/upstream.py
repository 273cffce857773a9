"""A slow service of somebody else, whose answer can be lost while the process lives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eve_replay.workshop.outside.answers import Answer, awaited, copied
from eve_replay.workshop.outside.base import Service
from eve_replay.workshop.outside.keys import Keys
from eve_replay.workshop.wire import Wire

__all__ = ["Upstream"]


class Upstream(Service):
    """Reserves things.

    Setting: ``keys`` (True; False: a repeated ``request_id`` reserves again), ``key_hours`` (None: request
    ids are remembered for ever), ``timeouts`` (True).
    """

    __slots__ = ("_keys", "_reservations")

    name = "upstream"
    can = ("reserve(item, count, request_id=None)", "lookup(request_id)")

    def __init__(self, wire: Wire, setting: Mapping[str, object]) -> None:
        super().__init__(wire, setting)
        self._reservations: list[dict[str, Any]] = []
        hours = self._option("key_hours", None)
        self._keys = Keys(hours) if self._option("keys", True) else None

    def reserve(self, item: str, count: int, request_id: str | None = None) -> Answer:
        """Reserve something. Slow, and no answer may come.

        Returns:
            ``{"id": "rs_1", "item", "count", "request_id", "replayed"}``.

        Raises:
            Timeout: no answer came: it may be reserved or not.
            KeyReused: the request id came before with another request.
            BadRequest: an argument makes no sense.
        """
        text = self._text("reserve", "item", item)
        whole = self._whole("reserve", "count", count)
        key = self._key("reserve", request_id, "request_id")
        body: dict[str, object] = {"method": "reserve", "item": text, "count": whole}

        def do() -> dict[str, Any]:
            made = {
                "id": f"rs_{len(self._reservations) + 1}",
                "item": text,
                "count": whole,
                "request_id": key,
            }
            self._reservations.append(made)
            entry = self._wire.happened("upstream", "reservation", dict(made), key)
            self._acted("reserve", "reserved", id=made["id"], key=key, entries=[entry])
            return made

        act, arrive = self._keyed("reserve", body, key, self._keys, do)
        return self._call(
            "reserve",
            {"item": text, "count": whole, "key": key},
            act,
            slow=True,
            may_time_out=self._option("timeouts", True),
            arrive=arrive,
        )

    def lookup(self, request_id: str) -> Answer | None:
        """Return the finished reservation made by a request id, None when there is none (yet)."""
        key = self._text("lookup", "request_id", request_id)

        def act() -> Answer | None:
            found = next((each for each in self._reservations if each["request_id"] == key), None)
            self._acted(
                "lookup", "found", key=key, count=int(found is not None), ids=[found["id"]] if found else []
            )
            return None if found is None else Answer(copied(found))

        found: Answer | None = awaited(self._call("lookup", {"key": key}, act, reads=True))
        return found

"""State that tools and hooks wrote: what every model message found, and what its commit left.

A write is a record of its own in the batch of the commit it belongs to, so it is durable with it or never
(docs/formats/flue.md#records).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping

from eve_replay.journal.frameworks.flue.fold import MessageDraft, place_of
from eve_replay.journal.frameworks.flue.records import text
from eve_replay.records import EventRecord

__all__ = ["Kept", "KeptStates"]

#: What a message found, and what it left; the latter is None until its results are committed.
Kept = tuple[Mapping[str, object], Mapping[str, object] | None]

_END = 1 << 62


class KeptStates:
    """The named values of one stream after each write, shared between the messages that saw no other.

    Args:
        writes: the ``state_write`` records, in any order.
    """

    def __init__(self, writes: Iterable[EventRecord]) -> None:
        self._places: dict[str, list[tuple[int, int]]] = {}
        self._values: dict[str, list[Mapping[str, object]]] = {}
        for event in sorted(writes, key=place_of):
            values = self._values.setdefault(event.run_id, [{}])
            self._places.setdefault(event.run_id, []).append(place_of(event))
            values.append({**values[-1], text(event, "name"): event.data.get("value")})

    def of(self, message: MessageDraft) -> Kept | None:
        """Return a message's state, None where its conversation keeps none."""
        if message.conversation not in self._values:
            return None
        found = self._at(message.conversation, place_of(message.started))
        end = message.end
        left = self._at(message.conversation, (place_of(end)[0], _END)) if end is not None else None
        return found, left

    def _at(self, conversation: str, place: tuple[int, int]) -> Mapping[str, object]:
        return self._values[conversation][bisect_right(self._places[conversation], place)]

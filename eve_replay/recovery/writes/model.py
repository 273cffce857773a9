"""One durable write, or one moment between two. Their order: :mod:`eve_replay.recovery.writes.order`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

__all__ = ["Key", "Write", "millis"]

Key = tuple[object, ...]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def millis(at: datetime | None) -> float | None:
    """Return milliseconds since 1970, None for None."""
    return None if at is None else (at - _EPOCH) / timedelta(milliseconds=1)


@dataclass(slots=True)
class Write:
    """One durable write, or one moment between two.

    Attributes:
        address: see the module's table.
        kind: ``event``, ``record``, ``lock``, ``token``, ``index``, ``resume``, ``stage``, ``chunk``,
            ``moment``.
        run: the run's id; ``subject``: step, wait, hook, event or chunk id it is about.
        words: what a person calls it.
        time: milliseconds since 1970, never running backwards within a run.
        seen: whether the final journal shows this very write (else the rules imply it).
    """

    address: str
    kind: str
    run: str
    subject: str
    words: str
    time: float
    key: Key
    seen: bool = False
    rank: int = 1
    order: int = 0

    @property
    def durable(self) -> bool:
        """Whether it is a write, not a moment."""
        return self.kind != "moment"

    @property
    def at(self) -> datetime:
        """The time as an instant."""
        return _EPOCH + timedelta(milliseconds=self.time)

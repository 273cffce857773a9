"""From when to when each call and each attempt lived, in moments of a session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from eve_replay.journal import Attempt, Session, Step
from eve_replay.records import EventRecord
from eve_replay.views.kit.base import attempt_key, event_key
from eve_replay.views.session.moments import Stop

__all__ = ["Life", "Lives", "index_of", "place"]

#: What ends a call in a stream (eve) and in a log (Flue).
_RESULTS = frozenset({"action.result", "tool_outcome", "tool_call_settled"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Life:
    """Of one call or attempt: the first moment that shows it, and the one that ends it (None: none does)."""

    begun: int
    ended: int | None


def index_of(stops: Sequence[Stop]) -> dict[str, int]:
    """Return the number of each moment by its key."""
    return {stop.key: index for index, stop in enumerate(stops)}


def place(index: Mapping[str, int], step: Step, event: EventRecord | None) -> int | None:
    """Return the number of the moment of a step's log event, None without one."""
    return None if event is None else index.get(event_key(step.run_id, event.event_id))


class Lives:
    """Works out the lives of a session's calls and attempts.

    Args:
        session: the joined session.
        stops: its moments.
        named: keys of calls by the log moments that name them by id.
        times: the newest time up to each moment.

    Attributes:
        found: the lives by key.
    """

    def __init__(
        self,
        session: Session,
        stops: Sequence[Stop],
        named: Mapping[str, str],
        times: Sequence[datetime | None],
    ) -> None:
        self.found: dict[str, Life] = {}
        self._index = index_of(stops)
        self._times = times
        for index, stop in enumerate(stops):
            own = named.get(stop.key)
            for key in (*stop.path, *([own] if own else [])):
                if not key.startswith(("call:", "attempt:")):
                    continue
                life = self.found.setdefault(key, Life(begun=index, ended=None))
                if key.startswith("call:") and stop.type in _RESULTS:
                    self.found[key] = Life(begun=life.begun, ended=index)
        for step in session.steps:
            self._attempts(step)

    def _attempts(self, step: Step) -> None:
        begun = [self._start(step, attempt) for attempt in step.attempts]
        for n in range(len(begun) - 1, 0, -1):  # one without a sign of its own was over before the next
            begun[n - 1] = begun[n] if begun[n - 1] is None else begun[n - 1]
        for attempt, first, after in zip(step.attempts, begun, [*begun[1:], None], strict=True):
            if first is None:
                continue
            event = attempt.end_event or (step.end_event if attempt is step.attempts[-1] else None)
            last = min((e for e in (after, place(self._index, step, event)) if e is not None), default=None)
            self.found[attempt_key(step.run_id, step.step_id, attempt.n)] = Life(begun=first, ended=last)

    def _start(self, step: Step, attempt: Attempt) -> int | None:
        """Return the first moment of an attempt: its start in the log, else its first sign or its time."""
        logged = place(self._index, step, attempt.started_event)
        if logged is not None:
            return logged
        known = self.found.get(attempt_key(step.run_id, step.step_id, attempt.n))
        when = attempt.started_at
        timed = next((i for i, at in enumerate(self._times) if when and at and at >= when), None)
        return min((i for i in (known.begun if known else None, timed) if i is not None), default=None)

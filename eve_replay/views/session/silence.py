"""What has not been written since: the stretch from the last sign of something open until now."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from eve_replay.journal import Session, Step
from eve_replay.views.kit.base import View

__all__ = ["Silence", "silence_of"]

_OPEN = frozenset({"running", "interrupted"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Silence(View):
    """Nothing has been written of a step that is open.

    Attributes:
        run_id, step_id: the step.
        attempt: its last attempt.
        since: the last sign of it.
        now: until when it has been silent.
        lease_until: when others may take it over (assumed), before or after ``now``; None where no lease is.
    """

    run_id: str
    step_id: str
    attempt: int
    since: datetime
    now: datetime
    lease_until: datetime | None = None


def silence_of(session: Session, *, now: datetime, lease_until: datetime | None = None) -> Silence | None:
    """Return the silence of a session's open step, None when none is open.

    Args:
        session: the session.
        now: the instant to reckon until.
        lease_until: from the verdict on it, which knows whether there is a lease.
    """
    for step in reversed(session.steps):
        last = _last_sign(step)
        if last is not None and last < now:
            return Silence(
                run_id=step.run_id,
                step_id=step.step_id,
                attempt=step.attempts[-1].n,
                since=last,
                now=now,
                lease_until=lease_until,
            )
    return None


def _last_sign(step: Step) -> datetime | None:
    attempt = step.attempts[-1] if step.attempts else None
    if attempt is None or step.ended_at is not None or attempt.outcome not in _OPEN:
        return None
    return attempt.last_sign_at or attempt.started_at

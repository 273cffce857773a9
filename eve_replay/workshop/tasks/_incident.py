"""What went wrong in an incident, computed from journal and ledger of its recording. Nothing is typed in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType

from eve_replay.journal import Attempt, Session, Step
from eve_replay.journal.effects.build import Effect, effects_of
from eve_replay.journal.ledger.join import Count, join, journal_end
from eve_replay.journal.ledger.model import Entry
from eve_replay.workshop.incidents import Incident

__all__ = ["PLACE", "TOO_LATE", "Request", "Truth", "truth"]

#: What the runtime tells a tool about a call, besides its input.
PLACE = ("session", "turn", "step", "position", "call_id")
#: What nobody knows before the outside has acted, or what is new on every attempt.
TOO_LATE = frozenset(
    {"at", "charge_id", "mail_id", "refund_id", "idempotency_key", "attempt", "pid", "time", "date", "now"}
)
_IDS = frozenset({"chargeId", "mailId", "refundId"})
_NOT_INPUT = frozenset({"at", "effect", "idempotencyKey", "callId", "sessionId", *_IDS})


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One line of the ledger with the call that caused it.

    Attributes:
        line: the ledger's line.
        effect: the call, over all its attempts.
        fields: what a key could be made of: the place of the call, and what the line is about.
    """

    line: Entry
    effect: Effect
    fields: Mapping[str, object]

    @property
    def id(self) -> str:
        """The id that the outside gave it."""
        return next((str(self.line.fields[name]) for name in _IDS if name in self.line.fields), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """What a person should find.

    Attributes:
        session: the one with the harm.
        step: the step that ran again with it.
        doubled: calls with more lines in the ledger than wishes.
        single: calls with one line, of all sessions.
        silent: calls that the ledger has no line of (reading ones).
        kept: id of the charge that the session's record names; empty where no charge was doubled.
        refund: ids of the charges that it does not know.
        crash: class of the crash point (``recovery.CLASSES``).
        tool: the tool whose key is asked for: the charging one where a charge was doubled.
        requests: every line of that tool.
    """

    incident: Incident
    session: Session
    step: Step
    doubled: tuple[Effect, ...]
    single: tuple[Effect, ...]
    silent: tuple[Effect, ...]
    requests_of: Mapping[str, tuple[Request, ...]] = field(repr=False)
    kept: str
    refund: tuple[str, ...]
    crash: str
    tool: str

    @property
    def requests(self) -> tuple[Request, ...]:
        """Return every line that the tool in question caused."""
        return tuple(
            each for some in self.requests_of.values() for each in some if each.effect.tool == self.tool
        )

    def owner(self, name: str) -> tuple[Effect, Request | None] | None:
        """Return the call, and the line, that an id of a call or of a line belongs to."""
        for effect in (*self.doubled, *self.single, *self.silent):
            if name in effect.call_ids:
                return effect, None
            for request in self.requests_of.get(_name(effect), ()):
                if request.id == name:
                    return effect, request
        return None

    def lines(self, effect: Effect) -> tuple[Request, ...]:
        """Return the ledger's lines of a call."""
        return self.requests_of.get(_name(effect), ())


@cache
def truth(incident: Incident) -> Truth:
    """Return what went wrong in an incident."""
    effects = [effect for session in incident.sessions for effect in effects_of(session)]
    ends = {each.id: end for each in incident.sessions if (end := journal_end(each)) is not None}
    counts = join(effects, incident.ledger, ends=ends).counts
    requests = {_name(count.effect): _requests(count) for count in counts}
    doubled = tuple(each.effect for each in counts if (each.count or 0) > 1)
    charges = [each for each in doubled if _charged(requests[_name(each)])]
    session = incident.session(doubled[0].session_id)
    step = next(each for each in session.steps if each.step_id == doubled[0].step_id)
    kept = _kept(charges[0]) if charges else ""
    return Truth(
        incident=incident,
        session=session,
        step=step,
        doubled=doubled,
        single=tuple(each.effect for each in counts if each.count == 1),
        silent=tuple(each.effect for each in counts if not each.count),
        requests_of=MappingProxyType(requests),
        kept=kept,
        refund=tuple(
            request.id for each in charges for request in requests[_name(each)] if request.id != kept
        ),
        crash=crash_class(step.attempts[0]),
        tool=(charges or doubled)[0].tool,
    )


def crash_class(attempt: Attempt) -> str:
    """Return where the process died in an interrupted attempt, as ``recovery.CLASSES`` calls it."""
    asked = [call for call in attempt.tool_calls if call.requested_at is not None]
    if not asked:
        return "in-model"
    return "in-tool" if any(call.returned_at is None for call in asked) else "tools-returned"


def _name(effect: Effect) -> str:
    return f"{effect.session_id}/{effect.call_id}"


def _charged(requests: Sequence[Request]) -> bool:
    return any("chargeId" in each.line.fields for each in requests)


def _kept(effect: Effect) -> str:
    """Return the charge that the last attempt returned: that one is in the session's history."""
    outputs = [part.output for part in effect.by_attempt if isinstance(part.output, Mapping)]
    return str(outputs[-1].get("chargeId", "")) if outputs else ""


def _requests(count: Count) -> tuple[Request, ...]:
    effect = count.effect
    found = []
    for line in count.entries:
        part = next(
            (
                each
                for each in reversed(effect.by_attempt)
                if each.started_at is not None and line.at is not None and each.started_at <= line.at
            ),
            None,
        )
        place = {
            "session": effect.session_id,
            "turn": effect.coordinate.turn_id if effect.coordinate else "",
            "step": effect.coordinate.step_index if effect.coordinate else None,
            "position": effect.position,
            "call_id": line.call_id or (part.call_id if part is not None else effect.call_id),
        }
        about = {name: value for name, value in line.fields.items() if name not in _NOT_INPUT}
        found.append(Request(line=line, effect=effect, fields=MappingProxyType({**place, **about})))
    return tuple(found)

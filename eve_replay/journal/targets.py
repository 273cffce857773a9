"""What a person has in hand, and the session it means: one place for every function that takes a target.

Turns, steps, attempts and calls do not point upwards; a part finds its own session among those joined in this
process.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike
from typing import Literal, TypeAlias

from eve_replay.codec import KeyRing
from eve_replay.errors import NotFound, WrongUse
from eve_replay.journal.facade import Journal, open_journal
from eve_replay.journal.joined import joined_with
from eve_replay.journal.model import Attempt, Run, Session, Step, ToolCall, Turn
from eve_replay.worlds.base import World

__all__ = ["Located", "Part", "Target", "last_session", "locate", "session_of_part", "turn_of"]

#: What belongs to a session without holding it.
Part: TypeAlias = Run | Turn | Step | Attempt | ToolCall

#: Whatever names a session: a source, an open world or journal, the session, or a part of it.
Target: TypeAlias = str | PathLike[str] | World | Journal | Session | Part

_POSSIBLE = "a source (path or address), World, Journal, Session, Run, Turn, Step, Attempt or ToolCall"


@dataclass(frozen=True, slots=True, kw_only=True)
class Located:
    """What a target means.

    Attributes:
        session: the joined session.
        journal: the journal it was read from, where the target was one or was opened from a source.
        turn, step, attempt, call: the part that was given, with what lies around it; None above that.
    """

    session: Session
    journal: Journal | None = None
    turn: Turn | None = None
    step: Step | None = None
    attempt: Attempt | None = None
    call: ToolCall | None = None


def locate(
    target: Target,
    *,
    session: str | Session | Journal | None = None,
    several: Literal["refuse", "last"] = "refuse",
    keys: KeyRing | None = None,
) -> Located:
    """Return what a target means. Every public function that takes a target asks here.

    Args:
        target: a source, world, journal, session, or a part of a session.
        session: id of the session (or of one of its runs), where the target holds several; for a part its
            session or journal, needed only where several sessions hold the same part.
        several: with several sessions and none named: ``refuse``, or take the ``last`` conversation, as what
            only shows something may.
        keys: keys for encrypted payloads, where the target is a source.

    Raises:
        WrongUse: the target is of another kind, or several sessions are meant; the message says what is
            possible.
        NotFound: there is no such session, or nothing in this process holds the part.
        EveReplayError: as opening the source raises it.
    """
    if isinstance(target, Session):
        if isinstance(session, str) and not any(run.run_id.endswith(session) for run in target.all_runs):
            raise NotFound(f"The target is session {target.id}, not {session!r}.")
        return Located(session=target)
    if isinstance(target, Run | Turn | Step | Attempt | ToolCall):
        if isinstance(session, str):
            raise WrongUse(
                f"A {_kind(target)} belongs to its session already.",
                hint="Leave session out, or give the Session or Journal itself.",
            )
        return _around(target, session_of_part(target, session))
    if isinstance(session, Session):
        return Located(session=session)
    if not isinstance(target, str | PathLike | Journal | World):
        raise WrongUse(f"{_a(type(target).__name__)} is no target.", hint=f"Give {_POSSIBLE}.")
    if isinstance(session, Journal):
        raise WrongUse("The target and session= are two journals.", hint="Give the id of the session.")
    journal = target if isinstance(target, Journal) else open_journal(target, keys=keys)
    if session is None and several == "last":
        return Located(session=last_session(journal), journal=journal)
    return Located(session=journal.session(session), journal=journal)


def turn_of(located: Located, turn: str | int | Turn | None) -> Turn | None:
    """Return the turn that is meant: the one named, else the one of the part that was the target.

    Args:
        located: where to look.
        turn: ``"turn_0"``, ``"0"``, ``0``, a Turn, or None.

    Raises:
        NotFound: the session has no such turn, or the step that was the target belongs to none.
        WrongUse: the turn is of another kind.
    """
    if turn is None:
        if located.turn is None and located.step is not None and located.session.turns:
            raise NotFound(f"Step {located.step.step_id} belongs to no turn.", hint=_turns(located.session))
        return located.turn
    if isinstance(turn, Turn):
        turn = turn.id
    if isinstance(turn, bool) or not isinstance(turn, str | int):
        raise WrongUse(f"{_a(type(turn).__name__)} names no turn.", hint='Write turn="turn_0", 0 or a Turn.')
    return located.session.turn(turn)


def last_session(journal: Journal) -> Session:
    """Return the last conversation of a journal, else its last run.

    Raises:
        NotFound: the journal is empty.
    """
    if (near := journal.newest()) is not None:
        return near
    heads = journal.heads
    if not heads:
        raise NotFound("There are no sessions here yet.", hint="journal.receipt says what was read.")
    talks = [head for head in heads if head.kind == "session"]
    return journal.session((talks or list(heads))[-1].id)


def session_of_part(part: Part, within: Session | Journal | None = None) -> Session:
    """Return the session that a part belongs to.

    Args:
        part: a run, turn, step, attempt or tool call.
        within: its session or journal; without it the sessions joined in this process are looked through.

    Raises:
        NotFound: nothing at hand holds it.
    """
    run_id = part.session_id if isinstance(part, Turn | Run) else part.run_id
    if isinstance(within, Session):
        found: Session | None = within if any(run.run_id == run_id for run in within.all_runs) else None
    elif isinstance(within, Journal):
        found = _in_journal(within, run_id)
    else:
        held = joined_with(run_id)
        found = next((each for each in held if _holds(each, part)), held[0] if len(held) == 1 else None)
    if found is None:
        raise NotFound(
            f"Nothing here says which session this {_kind(part)} belongs to.",
            hint="Give the Session or Journal as session=.",
        )
    return found


def _in_journal(journal: Journal, run_id: str) -> Session | None:
    try:
        return journal.session(run_id)
    except (NotFound, WrongUse):
        return None


def _holds(session: Session, part: Part) -> bool:
    """Whether this very object is in the session: two copies of a journal have the same ids."""
    parts: Iterator[object]
    if isinstance(part, Run):
        parts = iter(session.all_runs)
    elif isinstance(part, Turn):
        parts = iter(session.turns)
    elif isinstance(part, Step):
        parts = iter(session.steps)
    else:
        attempts = (a for step in session.steps if step.step_id == part.step_id for a in step.attempts)
        parts = attempts if isinstance(part, Attempt) else (c for a in attempts for c in a.tool_calls)
    return any(each is part for each in parts)


def _around(part: Part, session: Session) -> Located:
    if isinstance(part, Run):
        return Located(session=session)
    if isinstance(part, Turn):
        return Located(session=session, turn=part)
    if isinstance(part, Step):
        step: Step | None = part
    else:
        step = next((s for s in session.steps if (s.run_id, s.step_id) == (part.run_id, part.step_id)), None)
    call = part if isinstance(part, ToolCall) else None
    attempt = part if isinstance(part, Attempt) else None
    if call is not None and step is not None:
        attempt = next((each for each in step.attempts if each.n == call.attempt), None)
    inside = (
        turn
        for turn in session.turns
        for each in turn.steps
        if step is not None and (each.run_id, each.step_id) == (step.run_id, step.step_id)
    )
    return Located(session=session, turn=next(inside, None), step=step, attempt=attempt, call=call)


def _turns(session: Session) -> str:
    known = ", ".join(turn.id for turn in session.turns[:8])
    return f"Its turns: {known}." if known else "It has no turns."


def _kind(part: Part) -> str:
    return "tool call" if isinstance(part, ToolCall) else type(part).__name__.lower()


def _a(name: str) -> str:
    return f"{'An' if name[:1].lower() in 'aeiou' else 'A'} {name}"

"""Finding the session, turn or step a person means, in a journal."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from eve_replay.cli.shared.match import match_id
from eve_replay.errors import NotFound, WrongUse
from eve_replay.journal import Journal, Session, Step, Turn

__all__ = ["session_wanted", "sessions_wanted", "step_wanted", "turn_wanted"]


def _ids(journal: Journal) -> list[str]:
    return [
        *(head.id for head in journal.heads),
        *(run for head in journal.heads for run in (*head.run_ids, *head.child_ids)),
    ]


def session_wanted(journal: Journal, wanted: str | None) -> Session:
    """Return the session of an id (its own or that of one of its runs); without one the only session.

    Raises:
        NotFound: no session fits, or several do.
        WrongUse: no id was given and there are several sessions.
    """
    if not wanted:
        return journal.session(None)
    if journal.by_name:
        # A large world: ids are enough to find it. What they do not settle, the sessions do.
        with suppress(NotFound):
            return journal.session(match_id(journal.run_ids, wanted, "session"))
    heads = [head.id for head in journal.heads]
    return journal.session(match_id(_ids(journal), wanted, "session", named=heads))


def sessions_wanted(journal: Journal, wanted: str | None) -> Iterable[Session]:
    """Return the one session of an id, or every session, each joined when its turn comes."""
    return [session_wanted(journal, wanted)] if wanted else journal.sessions


def turn_wanted(journal: Journal, turn: str | None, session: str | None) -> tuple[Session, Turn]:
    """Return a turn by id or number; without one the last turn of the session.

    Raises:
        NotFound: the session has no such turn, or no turn at all.
        WrongUse: several sessions have it and none was named.
    """
    if session is None and len([head for head in journal.heads if head.kind != "workflow"]) > 1:
        fits = [each for each in journal.sessions if each.turns and (turn is None or _turn(each, turn))]
        if len(fits) > 1:
            listed = ", ".join(each.id for each in fits[:3])
            raise WrongUse(
                f"{len(fits)} sessions have such a turn: {listed}.", hint="Say which with --session."
            )
        found = fits[0] if fits else session_wanted(journal, None)
    else:
        found = session_wanted(journal, session)
    if not found.turns:
        raise NotFound(
            f"Session {found.id} has no turns.", hint="`eve-replay attempts` shows the steps of a plain run."
        )
    if turn is None:
        return found, found.turns[-1]
    one = _turn(found, turn)
    if one is None:
        known = ", ".join(each.id for each in found.turns[:8])
        raise NotFound(f"Session {found.id} has no turn {turn!r}.", hint=f"Its turns: {known}.")
    return found, one


def _turn(session: Session, wanted: str) -> Turn | None:
    return session.turn_called(wanted)


def step_wanted(
    journal: Journal, wanted: str, *, session: str | None = None, run: str | None = None
) -> tuple[Session, Step]:
    """Return a step by id, abbreviated or whole, and its session.

    Step ids are unique only within a run (docs/evidence/reports.md#t27): when two runs hold the same one,
    ``run`` decides.

    Raises:
        NotFound: no step fits, or several do.
    """
    if session is not None or run is not None:
        sessions: Iterable[Session] = [session_wanted(journal, session or run)]
    else:
        sessions = journal.sessions
    homes: dict[str, list[tuple[Session, Step]]] = {}
    for each in sessions:
        for step in each.steps:
            if run is None or step.run_id.endswith(run) or step.run_id == run:
                homes.setdefault(step.step_id, []).append((each, step))
    found = homes[match_id(homes, wanted, "step")]
    if len(found) > 1:
        listed = ", ".join(step.run_id for _, step in found[:3])
        raise NotFound(
            f"{found[0][1].step_id} is in {len(found)} runs: {listed}.", hint="Say which with --run."
        )
    return found[0]

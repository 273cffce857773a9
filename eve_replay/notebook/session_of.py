"""Whose turn, step or attempt is this? The model's objects do not point upwards; the notebook knows."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from eve_replay.errors import NotFound, WrongUse
from eve_replay.journal import Attempt, Journal, Session, Step, Turn, open_journal
from eve_replay.views.kit.base import attempt_key, step_key

__all__ = ["Part", "key_of", "last_session", "owner_of", "session_of"]

#: What belongs to a session without saying to which.
Part = Turn | Step | Attempt


def key_of(part: Part) -> str:
    """Return the key of a turn, step or attempt, as all views name it."""
    if isinstance(part, Turn):
        return f"turn:{part.session_id}/{part.id}"
    if isinstance(part, Step):
        return step_key(part.run_id, part.step_id)
    return attempt_key(part.run_id, part.step_id, part.n)


def owner_of(part: Part, within: Session | Journal | None = None) -> Session:
    """Return the session that a part belongs to.

    Args:
        part: a turn, step or attempt.
        within: its session or journal; without it the variables of the running notebook are looked through.

    Raises:
        NotFound: nothing at hand holds it.
    """
    for holder in [within] if within is not None else list(_at_hand()):
        session = _session_in(holder, part)
        if session is not None:
            return session
    raise NotFound(
        f"Nothing here says which session this {type(part).__name__.lower()} belongs to.",
        hint="Give the session or the journal as second argument.",
    )


def last_session(journal: Journal) -> Session:
    """Return the session that is meant when none is named: the last conversation, else the last run.

    Raises:
        NotFound: the journal is empty.
    """
    heads = journal.heads
    if not heads:
        raise NotFound("There are no sessions here yet.", hint="journal.receipt says what was read.")
    talks = [head for head in heads if head.kind == "session"]
    return journal.session((talks or list(heads))[-1].id)


def _session_in(holder: Session | Journal, part: Part) -> Session | None:
    run_id = part.session_id if isinstance(part, Turn) else part.run_id
    if isinstance(holder, Session):
        return holder if run_id in {holder.id, *(run.run_id for run in holder.all_runs)} else None
    try:
        return holder.session(run_id)
    except (NotFound, WrongUse):
        return None


def _at_hand() -> Iterator[Session | Journal]:
    """Yield the sessions and journals of the running notebook, sessions first: they are joined already."""
    module = sys.modules.get("IPython")
    shell: Any = module.get_ipython() if module is not None else None
    found = list(shell.user_ns.values()) if shell is not None else []
    yield from (each for each in found if isinstance(each, Session))
    yield from (each for each in found if isinstance(each, Journal))


def session_of(target: Any, session: Any, options: dict[str, Any]) -> tuple[Session, str | None]:
    """Return the session a target means, and the key to start at (None for its first row).

    Args:
        target: a session, journal, source, turn, step or attempt.
        session: id of the session, or for a part its session or journal.
        options: for ``open_world``, where the target is a source.

    Raises:
        EveReplayError: as the journal raises it.
        WrongUse: nothing holds the part.
    """
    if isinstance(target, Session):
        return target, None
    if isinstance(target, Turn | Step | Attempt):
        if isinstance(session, str):
            raise WrongUse(
                "A session id alone does not say where to look.", hint="Give the session or journal."
            )
        return owner_of(target, session), key_of(target)
    try:
        journal = target if isinstance(target, Journal) else open_journal(target, **options)
    except TypeError as error:
        raise WrongUse(f"A {type(target).__name__} cannot be explored: {error}.") from error
    if session is None:
        return last_session(journal), None
    if isinstance(session, Session):
        return session, None
    return journal.session(session), None

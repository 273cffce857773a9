"""Where a session lies and how it is reached, told from its journal."""

from __future__ import annotations

from pathlib import Path

from eve_replay.guidance.plan.model import Place
from eve_replay.journal.facade import Journal
from eve_replay.journal.model import Session
from eve_replay.recovery.forecast import detect_environment

__all__ = ["place_of"]

_URL = "http://127.0.0.1:2000"


def place_of(
    journal: Journal, session: Session, *, url: str = "", alive: bool | None = None, seen: str = ""
) -> Place:
    """Return the place of a session of a journal.

    Args:
        journal: the journal; a data folder on this machine is named in commands, an archive or a copy is not.
        session: the session.
        url: base address of the running app; empty for the address that ``eve start`` takes by itself.
        alive: whether a process was seen at work on the store, None when nobody looked.
        seen: that in words.
    """
    about = journal.world.about
    folder = str(about.get("dataDir") or "")
    if journal.world.kind != "local" or not folder or not Path(folder).is_dir():
        folder = ""
    return Place(
        folder=folder,
        url=url or _URL,
        environment=detect_environment(journal, session.head)[0],
        alive=alive,
        seen=seen,
    )

"""Finding text in one joined session: the search of ``views/search.py`` over what the session holds already.

::

    for hit in find(session, "refund", limit=20):
        hit.text, hit.key, hit_tab(hit)
"""

from __future__ import annotations

from itertools import islice

from eve_replay.journal import Session
from eve_replay.views.search.search import Hit, Pattern, search_session

__all__ = ["find", "hit_tab"]

#: The inspector's tab that shows a payload, by the last word of where a hit lies.
_TABS = {"input": "input", "output": "output", "result": "output", "error": "output"}


def find(session: Session, text: str, *, limit: int = 50) -> tuple[Hit, ...]:
    """Return the first places where a text stands, each text once per run. Decodes payload by payload.

    Args:
        session: the joined session, its child runs included.
        text: what to find; case counts when it has upper case letters.
        limit: how many hits at most.
    """
    if not text.strip():
        return ()
    return tuple(islice(search_session(session, Pattern(text)), limit))


def hit_tab(hit: Hit) -> str:
    """Return the inspector's tab that shows a hit, empty when the first one will do."""
    if hit.kind == "chunk":
        return "output"
    return _TABS.get(hit.where.rpartition(".")[2], "")

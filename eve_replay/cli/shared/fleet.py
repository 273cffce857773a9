"""What the user says about work on many sessions: where the index lies, how many processes there may be."""

from __future__ import annotations

import os
import sys
from pathlib import Path

__all__ = ["index_folder", "processes"]

#: ``off`` for no index, or the folder it is to lie in.
INDEX_VARIABLE = "EVE_REPLAY_INDEX"
#: How many processes there may be; all cores without it.
WORKERS_VARIABLE = "EVE_REPLAY_WORKERS"


def index_folder() -> Path | None:
    """Return where indexes lie: the user's cache, unless they say otherwise; None when they want none."""
    told = os.environ.get(INDEX_VARIABLE, "")
    if told.lower() in ("off", "0", "no"):
        return None
    if told:
        return Path(told)
    try:
        home = Path.home()
    except RuntimeError:
        return None
    if sys.platform == "darwin":
        base = home / "Library" / "Caches"
    elif os.name == "nt":
        base = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    return base / "eve-replay" / "index"


def processes() -> int | None:
    """Return how many processes the user allows, None when they say nothing."""
    told = os.environ.get(WORKERS_VARIABLE, "")
    return int(told) if told.isdigit() and int(told) else None

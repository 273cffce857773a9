"""A session of the landing page as two lines of text."""

from __future__ import annotations

from datetime import datetime, tzinfo

from eve_replay.views.kit.safe import cut, display_width
from eve_replay.views.kit.text import Line, line
from eve_replay.views.kit.words import ago, day_and_clock
from eve_replay.views.verdicts.landing import LandingRow, standing_now

__all__ = ["entry_lines"]


def entry_lines(
    row: LandingRow, shown: str, *, width: int = 80, now: datetime, zone: tzinfo | None = None
) -> list[Line]:
    """Return two lines: what it is and how it stands; what is to be done, how we know and since when.

    Args:
        row: the session.
        shown: its id as this list shows it.
        width: cells per line.
        now: the instant to reckon from.
        zone: zone of clock times.
    """
    state = cut(standing_now(row, now), max(width - len(shown) - 24, 12))
    room = max(width - len(shown) - display_width(state) - 6, 0)
    head = line(
        (f"{row.sign:<2}", row.tone),
        (shown, "strong"),
        "  ",
        (state, row.tone),
        (f"  {cut(row.title, room)}" if room > 8 else "", "plain"),
    )
    said = [row.certainty]
    if row.twice:
        said.append(f"effects: {row.twice.words}")
    if row.deadline is not None:
        said.append(f"due {day_and_clock(row.deadline, zone)}")
    if row.last_activity is not None:
        said.append(f"last {ago(row.last_activity, now)}")
    said.append(f"eve {row.version}" if row.version else row.framework)
    todo = "" if row.quiet or not row.todo else cut(f"do now: {row.todo}; ", width - 12)
    room = max(width - 2 - display_width(todo), 8)
    while len(said) > 1 and display_width(", ".join(said)) > room:
        said.pop()  # what is less needed goes first
    return [head, line("  ", (todo, "strong"), (cut(", ".join(said), room), "muted"))]

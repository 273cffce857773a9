"""Rows of the session tree: name, status, remarks, how long it took."""

from __future__ import annotations

from eve_replay.views.kit.safe import cut
from eve_replay.views.kit.text import Line, Span
from eve_replay.views.kit.tone import TONES
from eve_replay.views.kit.words import duration
from eve_replay.views.session.tree import TreeRow
from eve_replay_tui.cells import cells as cell_width
from eve_replay_tui.lines import TextRow

__all__ = ["id_of", "tree_row"]


def tree_row(row: TreeRow, width: int, opened: bool) -> TextRow:
    """Return one row; the duration stands at the right edge, the detail gives way first."""
    pad = "  " * row.depth
    fold = ("▾ " if opened else "▸ ") if row.children else "  "
    sign = f"{TONES[row.tone].sign:<2}"
    head: list[Span] = [Span(f"{pad}{fold}", "muted"), Span(sign, row.tone)]
    strong = row.kind in ("session", "turn", "step")
    head.append(Span(row.label, "tool" if row.kind == "call" else "strong" if strong else "plain"))
    if row.status and row.status != "completed":
        head.append(Span(f"  {row.status}", row.tone))
    badges = [Span(f"  {_badge(badge.text, badge.tone)}", badge.tone) for badge in row.badges]
    took = duration(row.seconds) if row.seconds is not None else ""
    room = width - cell_width(took) - (1 if took else 0)
    used = sum(cell_width(span.text) for span in (*head, *badges))
    if used > room:
        badges = [span for span in badges if span.tone != "muted"]
        used = sum(cell_width(span.text) for span in (*head, *badges))
    spans: list[Span] = [*head, *badges]
    if row.detail and row.detail != row.label and used + 8 < room:
        text = cut(row.detail, room - used - 3)
        spans.append(Span(f"  {text}", "muted"))
        used += cell_width(text) + 2
    line: Line = tuple(spans)
    if took and used < room:
        line = (*spans, Span(" " * (room - used + 1)), Span(took, "muted"))
    return TextRow(line=line, key=row.key, copy=id_of(row.key), data=row)


def _badge(text: str, tone: str) -> str:
    sign = TONES[tone].sign if tone in ("harm", "parked", "again") else ""  # type: ignore[index]
    return f"{sign} {text}" if sign else text


def id_of(key: str) -> str:
    """Return the id a key names: its last part, of a turn and an attempt the one that can be looked up."""
    kind, _, rest = key.partition(":")
    parts = rest.split("/")
    if kind == "attempt":
        return parts[1] if len(parts) > 1 else rest
    if kind == "call":
        return "/".join(parts[3:])
    return parts[1] if kind in ("model", "step", "event") and len(parts) > 1 else parts[-1]

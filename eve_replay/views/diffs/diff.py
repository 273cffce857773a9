"""A comparison of values as rows and lines: what a screen of it shows, without the values themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from eve_replay.diff import ABSENT, Change, Piece, diff_values, json_patch, unified
from eve_replay.redaction.veil import glimpse
from eve_replay.views.kit.base import View
from eve_replay.views.kit.fit import fitted
from eve_replay.views.kit.safe import cut, display_width, safe_text
from eve_replay.views.kit.text import Line, Span, line
from eve_replay.views.kit.tone import Tone
from eve_replay.views.kit.words import plural

__all__ = ["DiffRow", "DiffView", "PieceView", "SIGNS", "diff_lines", "diff_view", "sides"]

_PREVIEW = 200
#: Characters of equal text shown on either side of a change inside a long text.
_AROUND = 48
#: Characters of one removed or added piece of text.
_LONGEST = 600

#: The sign of each kind, the same in every front end.
SIGNS = {"same": " ", "changed": "~", "added": "+", "removed": "-", "moved": ">", "unknown": "?"}
_TONES: dict[str, Tone] = {
    "same": "muted",
    "changed": "again",
    "added": "once",
    "removed": "error",
    "moved": "parked",
    "unknown": "unknown",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PieceView(View):
    """A stretch of text that stayed, went or came; safe, and cut where equal text is long."""

    kind: Literal["same", "removed", "added"]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffRow(View):
    """One node of a comparison.

    Attributes:
        path, old_path: where it is in the new and the old value; a row is named by ``path``.
        depth: 0 for the root.
        kind: same, changed, added, removed, moved or unknown; ``sign`` and ``tone`` of it.
        label: how its parent calls it.
        before, after: one safe line each, empty where a side has none.
        type_before, type_after: JS types.
        count: how many equal neighbours a ``same`` row stands for.
        changes: how many smallest differences are at or below it.
        children: how many rows hang below it.
        moved_from: the old path of a moved item, empty otherwise.
        pieces: for long texts, how one became the other by words.
        note: why it is not taken further apart.
    """

    path: str
    old_path: str
    depth: int
    kind: str
    sign: str
    tone: Tone
    label: str
    before: str = ""
    after: str = ""
    type_before: str = ""
    type_after: str = ""
    count: int = 1
    changes: int = 0
    children: int = 0
    moved_from: str = ""
    pieces: tuple[PieceView, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffView(View):
    """A comparison.

    Attributes:
        same: whether nothing differs.
        summary: ``2 changed, 1 added`` or ``the same``.
        rows: the tree in reading order.
        changed, added, removed, moved, unknown: counts of smallest differences.
        left, right: what the sides are called.
        truncated: how many rows were left out.
    """

    same: bool
    summary: str
    rows: tuple[DiffRow, ...]
    changed: int = 0
    added: int = 0
    removed: int = 0
    moved: int = 0
    unknown: int = 0
    left: str = "before"
    right: str = "after"
    truncated: int = 0

    def visible(self, folded: Collection[str] = (), *, only_changes: bool = False) -> tuple[DiffRow, ...]:
        """Return the rows that are not below a folded path, without equal ones when so wanted."""
        shown: list[DiffRow] = []
        hidden_below = -1
        for row in self.rows:
            if hidden_below >= 0 and row.depth > hidden_below:
                continue
            hidden_below = row.depth if row.path in folded and row.children else -1
            if not (only_changes and row.kind == "same"):
                shown.append(row)
        return tuple(shown)


def diff_view(change: Change, *, left: str = "before", right: str = "after", limit: int = 2000) -> DiffView:
    """Return a comparison as rows, at most ``limit`` of them; equal rows are the first to be left out."""
    kinds = Counter(each.kind for each in change.changes())
    rows: list[DiffRow] = []
    total = 0
    stack: list[tuple[Change, int]] = [(change, 0)]
    while stack:
        node, depth = stack.pop()
        total += 1
        room = len(rows) < limit if node.kind != "same" else len(rows) < limit // 2
        if room or not rows:
            rows.append(_row(node, depth))
        stack.extend((child, depth + 1) for child in reversed(node.children))
    names = ("changed", "added", "removed", "moved", "unknown")
    counts = {name: kinds[name] for name in names}  # type: ignore[index]
    return DiffView(
        same=change.is_same,
        summary=", ".join(f"{count} {name}" for name, count in counts.items() if count) or "the same",
        rows=tuple(rows),
        left=left,
        right=right,
        truncated=total - len(rows),
        **counts,
    )


def _row(node: Change, depth: int) -> DiffRow:
    moved = node.kind == "moved"
    texts = isinstance(node.before, str) and isinstance(node.after, str) and node.kind != "same"
    return DiffRow(
        path=node.path,
        old_path=node.old_path,
        depth=depth,
        kind=node.kind,
        sign=SIGNS[node.kind],
        tone=_TONES[node.kind],
        label=safe_text(node.label),
        before=_text(node.before),
        after=_text(node.after),
        type_before=node.type_before,
        type_after=node.type_after,
        count=node.count,
        changes=sum(1 for _ in node.changes()),
        children=len(node.children),
        moved_from=node.old_path if moved else "",
        pieces=_pieces(node.words()) if texts else (),
        note=safe_text(node.note),
    )


def _text(value: object) -> str:
    return "" if value is ABSENT else safe_text(glimpse(value, _PREVIEW))


def _pieces(pieces: tuple[Piece, ...]) -> tuple[PieceView, ...]:
    """Return pieces safe to draw; of long equal text only what stands next to a change."""
    if len(pieces) <= 2 and all(p.kind != "same" for p in pieces):
        return ()
    out = []
    for at, piece in enumerate(pieces):
        text = piece.text
        if piece.kind == "same":
            first, last = at == 0, at == len(pieces) - 1
            if first and len(text) > _AROUND:
                text = "…" + text[-_AROUND:]
            elif last and len(text) > _AROUND:
                text = text[:_AROUND] + "…"
            elif len(text) > 2 * _AROUND + 1:
                text = text[:_AROUND] + " … " + text[-_AROUND:]
        elif len(text) > _LONGEST:
            text = f"{text[:_LONGEST]}… ({len(text):,} characters)"
        out.append(PieceView(kind=piece.kind, text=safe_text(text)))
    return tuple(out)


def sides(before: object, after: object, *, left: str = "before", right: str = "after") -> DiffView:
    """Return the comparison of two values as a view."""
    return diff_view(diff_values(before, after), left=left, right=right)


def diff_lines(view: DiffView, *, width: int = 80, indent: int = 0, context: bool = True) -> list[Line]:
    """Return a comparison as text: one line per difference, sign first, words of long texts below it.

    With ``context`` the names of what holds a difference are shown above it, as an outline; without, every
    line carries its whole path.
    """
    if view.same:
        return [line(" " * indent, ("the same", "muted"))]
    out: list[Line] = []
    for row in view.rows:
        if row.kind == "same":
            continue
        outline = row.children and row.kind != "moved"
        if outline and not context:
            continue
        pad = " " * indent + ("  " * row.depth if context else "")
        name = row.label if context and row.depth else row.path
        sign = " " if outline else row.sign
        head = f"{pad}{sign} {cut(name, max(width - len(pad) - 16, 12), keep='both')}"
        if outline:
            out.append(line((head, "muted")))
            continue
        out.extend(_change_lines(row, head, pad, width))
    if view.truncated:
        out.append(line(" " * indent, (f"and {plural(view.truncated, 'more row')}", "muted")))
    return fitted(out, width)


def _change_lines(row: DiffRow, head: str, pad: str, width: int) -> list[Line]:
    if row.kind == "moved":
        return [line((head, row.tone), (f"  moved from {row.moved_from}", "muted"))]
    if row.pieces:
        out = [line((head, row.tone))]
        out.extend(_piece_lines(row, pad + "    ", width))
        return out
    note = f"  ({row.note})" if row.note and row.type_before == row.type_after else ""
    if row.kind == "unknown":
        return [line((head, row.tone), (f"  {row.note or 'cannot be compared'}", "unknown"))]
    if row.kind in ("added", "removed"):
        text = row.after if row.kind == "added" else row.before
        return [line((head, row.tone), "  ", (_cut(text, width - display_width(head) - 2), row.tone))]
    before, after = _typed(row)
    room = width - display_width(head) - 6
    if display_width(before) + display_width(after) + display_width(note) <= room:
        return [line((head, row.tone), "  ", (before, "error"), " → ", (after, "once"), (note, "muted"))]
    return [
        line((head, row.tone), (note, "muted")),
        line(f"{pad}    ", ("- ", "error"), (_cut(before, width - len(pad) - 6), "error")),
        line(f"{pad}    ", ("+ ", "once"), (_cut(after, width - len(pad) - 6), "once")),
    ]


def _typed(row: DiffRow) -> tuple[str, str]:
    """Return both sides, with their types when those differ."""
    if row.type_before == row.type_after:
        return row.before, row.after
    sides = ((row.type_before, row.before), (row.type_after, row.after))
    left, right = (text if text.startswith(kind) else f"{kind} {text}" for kind, text in sides)
    return left, right


def _cut(text: str, width: int) -> str:
    return cut(text, max(width, 12))


def _piece_lines(row: DiffRow, pad: str, width: int) -> list[Line]:
    """Return a text by words: ``[-old-]`` and ``{+new+}`` in one flow, wrapped."""
    spans: list[Span] = []
    for piece in row.pieces:
        if piece.kind == "same":
            spans.append(Span(piece.text, "muted"))
        elif piece.kind == "removed":
            spans.append(Span(f"[-{piece.text}-]", "error"))
        else:
            spans.append(Span(f"{{+{piece.text}+}}", "once"))
    return _flow(spans, pad, width)


def _flow(spans: list[Span], pad: str, width: int) -> list[Line]:
    """Wrap toned spans to ``width`` cells, breaking at blanks where there are any."""
    room = max(width - len(pad), 20)
    lines: list[list[Span]] = [[]]
    used = 0
    for span in spans:
        rest = span.text
        while rest:
            part = cut(rest, room - used, end="") if used < room else ""
            if len(part) < len(rest) and " " in part.strip():
                part = part[: part.rstrip().rfind(" ") + 1] or part
            elif len(part) < len(rest) and used:
                part = ""
            if not part and not used:
                part = rest[0]
            if part:
                lines[-1].append(Span(part, span.tone))
                used += display_width(part)
                rest = rest[len(part) :]
            if rest:
                lines.append([])
                used = 0
    return [(Span(pad), *parts) for parts in lines if parts]


__all__ += ["json_patch", "unified"]

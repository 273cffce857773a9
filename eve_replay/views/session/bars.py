"""A timeline in characters: one line per step and per call, over a common scale, for the command line."""

from __future__ import annotations

from collections.abc import Sequence

from eve_replay.views.kit.safe import cut, display_width, pad
from eve_replay.views.kit.text import Line, Span, line, paragraph
from eve_replay.views.kit.tone import Tone
from eve_replay.views.kit.words import duration
from eve_replay.views.session.timeline import Bar, Timeline, TimelineRow

__all__ = ["LEGEND", "timeline_lines"]

_FILL = {
    "queued": "-",
    "attempt": "=",
    "dead": ".",
    "retry-wait": ".",
    "parked": "o",
    "replayed": "=",
    "model": "m",
    "tool": "t",
}
_MARKS = {"commit": "#", "now": "|", "lease": "L"}
LEGEND = "= attempt  ~ no end recorded  . nobody  o parked  m model  t tool  # commit"


def timeline_lines(view: Timeline, *, width: int = 80, squeezed: bool = True) -> list[Line]:
    """Return the timeline as lines of at most ``width`` cells: scale on top, legend below.

    Bars of less than a cell still take one; a stretch in which nothing ran is squeezed, and the scale line
    says how long it was.
    """
    if not view.rows:
        return [line(("Nothing here has a time.", "muted"))]
    widths = [display_width(row.label) + 1 for row in view.rows]
    widths += [display_width(bar.label) + 3 for row in view.rows for bar in row.bars if bar.lane]
    label = min(max(widths), width // 3)
    room = width - label - 1
    out: list[Line] = [_scale(view, label, room, squeezed)]
    for row in view.rows:
        out.extend(_row(view, row, label, room, squeezed))
        if row.label == "silence":
            out.extend(paragraph(row.detail, width=width, indent=label, tone="unknown"))
    out.append(line((cut(LEGEND, width), "muted")))
    if any(row.label == "silence" for row in view.rows):
        out.append(line((cut("| now  L the lease ends", width), "muted")))
    return out


def _x(view: Timeline, at: float, room: int, squeezed: bool) -> int:
    return min(int(view.place(at, squeezed=squeezed) * room), room - 1)


def _scale(view: Timeline, label: int, room: int, squeezed: bool) -> Line:
    """Return the scale: ticks of the true scale, or where the squeezed one jumps."""
    cells = [" "] * room
    texts: list[tuple[float, str]] = [(0.0, "0")]
    if squeezed and view.quiet:
        texts += [(start, f"({duration((end - start) / 1000)})") for start, end in view.quiet]
    else:
        texts += [(tick.at, tick.label) for tick in view.ticks(count=max(room // 14, 2)) if tick.at > 0]
    texts.append((view.length, f"+{duration(view.length / 1000)}"))
    used = -1
    end = f"+{duration(view.length / 1000)}"
    for at, text in texts:
        x = _x(view, at, room, squeezed)
        if text == end and at == view.length:
            x = room - len(text)
        x = max(min(x, room - len(text)), 0)
        if x <= used or (text != end and x + len(text) >= room - len(end)):
            continue
        cells[x : x + len(text)] = list(text)
        used = x + len(text)
    return line((" " * label + "".join(cells[:room]), "muted"))


def _row(view: Timeline, row: TimelineRow, label: int, room: int, squeezed: bool) -> list[Line]:
    main = [bar for bar in row.bars if bar.lane == 0]
    commits = [(_x(view, mark.at, room, squeezed), mark) for mark in row.marks if mark.kind != "start"]
    cells: list[tuple[str, Tone]] = [(" ", "plain")] * room
    for bar in main:
        _paint(cells, view, bar, room, squeezed)
    for x, mark in commits:
        cells[x] = (_MARKS.get(mark.kind, "x"), mark.tone)
    out = [_joined(pad(cut(row.label, label - 1), label), "strong", cells)]
    for bar in row.bars:
        if bar.lane == 0:
            continue
        inner: list[tuple[str, Tone]] = [(" ", "plain")] * room
        _paint(inner, view, bar, room, squeezed)
        out.append(_joined(pad("  " + cut(bar.label, label - 3), label), "muted", inner))
    return out


def _paint(cells: list[tuple[str, Tone]], view: Timeline, bar: Bar, room: int, squeezed: bool) -> None:
    low, high = _x(view, bar.start, room, squeezed), _x(view, bar.end, room, squeezed)
    fill = "~" if bar.phase == "attempt" and bar.open else _FILL[bar.phase]
    for x in range(low, max(high, low + 1)):
        cells[x] = (fill, bar.tone)


def _joined(label: str, tone: Tone, cells: Sequence[tuple[str, Tone]]) -> Line:
    spans = [Span(label, tone)]
    for char, each in cells:
        if len(spans) > 1 and spans[-1].tone == each:
            spans[-1] = Span(spans[-1].text + char, each)
        else:
            spans.append(Span(char, each))
    while len(spans) > 1 and not spans[-1].text.strip():
        spans.pop()
    return tuple(spans)

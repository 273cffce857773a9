"""From lines of toned spans to strips of the terminal: the one place where text meets colour.

Every span is made safe here, whatever it holds: nothing from a journal is taken as markup or as a control
sequence. Widths are those of ``views/safe.py``.
"""

from __future__ import annotations

from functools import lru_cache

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from eve_replay.views.kit.safe import safe_text
from eve_replay.views.kit.text import Line
from eve_replay.views.kit.tone import PALETTES, TONES, Theme, Tone
from eve_replay_tui.cells import cells, shortened
from eve_replay_tui.themes import SELECTED, ascii_text

__all__ = ["Painter", "fit"]


def fit(line: Line, width: int) -> Line:
    """Return a line cut to ``width`` cells with an ellipsis, spans made safe."""
    from eve_replay.views.kit.text import Span

    out: list[Span] = []
    used = 0
    for span in line:
        text = safe_text(span.text)
        size = cells(text)
        if used + size > width:
            out.append(Span(shortened(text, width - used), span.tone))
            break
        out.append(Span(text, span.tone))
        used += size
    return tuple(out)


class Painter:
    """Turns lines into strips in one theme.

    Args:
        theme: the palette.
        ascii_only: draw ASCII only.
    """

    def __init__(self, theme: Theme = "dark", *, ascii_only: bool = False) -> None:
        self.theme = theme
        self.ascii_only = ascii_only
        self._styles: dict[Tone, Style] = {}
        for tone, spec in TONES.items():
            colour = PALETTES[theme].get(tone)
            if colour is None:
                self._styles[tone] = Style(bold=spec.bold or None)
            else:
                self._styles[tone] = Style(color=colour, bold=spec.bold or None)
        back = SELECTED.get(theme)
        self.selected = Style(bgcolor=back) if back else Style(reverse=True)
        self.selected_away = Style(bgcolor=back) if back else Style(underline=True)

    def style(self, tone: Tone) -> Style:
        """Return the style of a tone."""
        return self._styles[tone]

    def text(self, text: str) -> str:
        """Return safe text as this terminal can show it."""
        return ascii_text(safe_text(text)) if self.ascii_only else safe_text(text)

    def sign(self, tone: Tone) -> str:
        """Return the sign of a tone, padded to two cells."""
        spec = TONES[tone]
        return f"{spec.ascii if self.ascii_only else spec.sign:<2}"

    def strip(self, line: Line, width: int, base: Style, over: Style | None = None) -> Strip:
        """Return a line as a strip of exactly ``width`` cells.

        Args:
            line: toned spans; they are made safe here.
            width: cells.
            base: style below the tones.
            over: style over everything (selection).
        """
        segments: list[Segment] = []
        used = grown = 0
        for span in line:
            text = self.text(span.text)
            if self.ascii_only and not span.text.isascii():
                grown += len(text) - cells(safe_text(span.text))
            if grown > 0:
                text, grown = _narrower(text, grown)
            size = cells(text)
            if used + size > width:
                text = shortened(text, width - used, "~" if self.ascii_only else "…")
                size = cells(text)
            style = _mixed(base, self._styles[span.tone], over)
            segments.append(Segment(text, style))
            used += size
            if used >= width:
                break
        if used < width:
            segments.append(Segment(" " * (width - used), _mixed(base, None, over)))
        return Strip(segments, width) if used <= width else Strip(segments)


def _narrower(text: str, by: int) -> tuple[str, int]:
    """Take blanks away where there are two, so that columns stay aligned; return what could not be taken."""
    while by > 0 and "  " in text:
        head, _, tail = text.rpartition("  ")
        text = f"{head} {tail}"
        by -= 1
    return text, by


@lru_cache(4096)
def _mixed(base: Style, tone: Style | None, over: Style | None) -> Style:
    style = base if tone is None else base + tone
    return style if over is None else style + over

"""What all figures share: the page's theme, title and margins, rows with whole names, a folded time axis.

Rows lie on a numeric axis with names as tick texts: equal names stay rows of their own, and plotly's
automatic margin gives each name its room. Every text is escaped: plotly reads tags and links in texts.
"""

from __future__ import annotations

import html
import re
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from eve_replay.errors import WrongUse
from eve_replay.views.kit.safe import display_width, safe_text
from eve_replay.views.kit.scale import Knot, place_on, ticks_for
from eve_replay.views.kit.tone import BACKGROUNDS, PALETTES, TONES, Theme, Tone
from eve_replay.views.kit.words import duration

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["FigureTheme", "Frame", "mixed", "page_theme", "text_of"]

#: What ``theme=`` takes; None follows the page.
FigureTheme = Literal["light", "dark", "high-contrast"] | None

#: Where JupyterLab and Notebook 7 keep which theme was chosen, below Jupyter's folder of settings.
_CHOSEN = "lab/user-settings/@jupyterlab/apputils-extension/themes.jupyterlab-settings"
_FONT = "system-ui, Noto Sans CJK SC, sans-serif"
_THEME = re.compile(r'^[\s{]*"theme"\s*:\s*"([^"]*)"', re.MULTILINE)


def page_theme() -> Theme:
    """Return the theme of the page, as far as a kernel can know it.

    A dark default template of plotly (``plotly.io.templates.default = "plotly_dark"``) is taken at its word.
    Else what was chosen in JupyterLab or Notebook 7 on this machine; else light. Figures carry their own
    background, so a wrong guess is readable too.
    """
    import plotly.io as pio

    if "dark" in str(pio.templates.default):
        return "dark"
    try:
        from jupyter_core.paths import jupyter_config_dir

        chosen = (Path(jupyter_config_dir()) / _CHOSEN).read_text(encoding="utf-8")[:20_000]
    except (ImportError, OSError, ValueError):  # no Jupyter here, or nothing was ever chosen
        return "light"
    found = _THEME.search(chosen)
    name = found[1].lower() if found else ""
    return "high-contrast" if "high contrast" in name else "dark" if "dark" in name else "light"


def text_of(text: str, width: int = 0, *, lines: int = 3) -> str:
    """Return a text for plotly, whose tags are its own: escaped, broken at ``width`` cells into whole words.

    Nothing is cut before the last line is full; what is cut there ends in an ellipsis.
    """
    said = safe_text(text)
    if not width or display_width(said) <= width:
        return html.escape(said)
    if display_width(said) > len(said):  # wide characters take two cells and have no spaces between words
        width = max(width // 2, 8)
    parts = textwrap.wrap(said, width, max_lines=lines, placeholder=" …", break_on_hyphens=False)
    return "<br>".join(html.escape(part) for part in parts)


def mixed(colour: str, ground: str, share: float) -> str:
    """Return ``share`` of a hex colour over a ground."""
    pairs = [(int(colour[i : i + 2], 16), int(ground[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(a * share + b * (1 - share)):02x}" for a, b in pairs)


class Frame:
    """A figure under construction in one theme: colours, title, rows and axes in one manner.

    Args:
        theme: as callers give it; None follows the page.

    Raises:
        WrongUse: there is no such theme.
    """

    def __init__(self, theme: FigureTheme) -> None:
        chosen = theme or page_theme()
        if chosen not in BACKGROUNDS:
            raise WrongUse(
                f"There is no theme {chosen!r}.", hint=f"Themes: {', '.join(BACKGROUNDS)}, or None."
            )
        self.theme: Theme = chosen
        self.palette = PALETTES[chosen]
        self.ground = BACKGROUNDS[chosen]
        self.grid = mixed(self.palette["muted"], self.ground, 0.22)
        self.band = mixed(self.palette["muted"], self.ground, 0.08)
        # Plotly checks all of its shapes anew for each one that is added: they are handed over at once.
        self._shapes: list[dict[str, Any]] = []
        self._notes: list[dict[str, Any]] = []

    def rows_band(self, low: float, high: float) -> None:
        """Lay a band behind rows, across the whole width."""
        self._band({"x0": 0, "x1": 1, "xref": "paper", "y0": low, "y1": high, "yref": "y"})

    def columns_band(self, low: float, high: float) -> None:
        """Lay a band behind a stretch of the x axis, over the whole height."""
        self._band({"x0": low, "x1": high, "xref": "x", "y0": 0, "y1": 1, "yref": "paper"})

    def _band(self, where: dict[str, Any]) -> None:
        self._shapes.append(
            {"type": "rect", "fillcolor": self.band, "line": {"width": 0}, "layer": "below", **where}
        )

    def head(self, y: float, text: str) -> None:
        """Write a title of a group of rows, at the left inside the plot; ``text`` is plotly's already."""
        self._note(x=0, xref="x", y=y, yref="y", xanchor="left", yanchor="middle", text=text, size=12.5)

    def above(self, x: float, text: str, *, lift: int = 0) -> None:
        """Write a word above the plot, over a place of the x axis."""
        self._note(
            x=x,
            xref="x",
            y=1,
            yref="paper",
            xanchor="center",
            yanchor="bottom",
            text=text,
            yshift=lift,
            size=12,
        )

    def _note(self, *, size: float, **where: Any) -> None:
        self._notes.append(
            {"showarrow": False, "font": {"size": size, "color": self.palette["muted"]}, **where}
        )

    def figure(self, title: str, below: str = "", *, height: int) -> go.Figure:
        """Return an empty figure. ``title`` says what was found, ``below`` what the picture shows.

        ``height`` is that of the plot itself; :meth:`finish` adds the room of title and legend.
        """
        import plotly.graph_objects as go

        lines = text_of(title, 68, lines=4)
        more = "".join(
            f"<br><span style='font-size:13px;color:{self.palette['muted']}'>{line}</span>"
            for line in text_of(below, 100, lines=4).split("<br>")
            if line
        )
        figure = go.Figure()
        palette = self.palette
        figure.update_layout(
            template="none",
            title={
                "text": lines + more,
                "font": {"size": 18, "color": palette["strong"]},
            },
            paper_bgcolor=self.ground,
            plot_bgcolor=self.ground,
            font={"color": palette["plain"], "size": 13, "family": _FONT},
            hoverlabel={
                "bgcolor": self.ground,
                "bordercolor": palette["muted"],
                "align": "left",
                "font": {"color": palette["plain"], "size": 13},
            },
            height=height,
            bargap=0,
        )
        axis = {
            "zeroline": False, "showline": False, "ticks": "", "gridcolor": self.grid, "automargin": True,
            "tickfont": {"color": palette["plain"], "size": 12.5},
            "title": {"font": {"size": 12.5, "color": palette["muted"]}, "standoff": 12},
        }  # fmt: skip
        figure.update_xaxes(**axis)
        figure.update_yaxes(**axis, showgrid=False)
        return figure

    def finish(self, figure: go.Figure, *, top: int = 0, bottom: int = 30) -> go.Figure:
        """Give title and legend the room they need and return the figure.

        Args:
            figure: with its height being that of the plot.
            top: pixels above the plot for texts of its own.
            bottom: pixels below it for its axis.
        """
        extra = str(figure.layout.title.text).count("<br>")
        above = 48 + 23 * extra + top
        names = [each.name for each in figure.data if each.name and each.showlegend is not False]
        # Plotly lays a legend out in columns as wide as its longest name; 700 pixels is its least width.
        columns = max(1, int(680 // (max((display_width(name) for name in names), default=1) * 6.7 + 48)))
        lines = -(-len(names) // columns)
        below = bottom + (24 * lines + 14 if lines else 0)
        height = figure.layout.height + above + below
        figure.update_layout(
            height=height,
            shapes=self._shapes,
            annotations=self._notes,
            margin={"l": 20, "r": 24, "t": above, "b": below, "pad": 6},
            # Plotly lifts a title of several lines by half a line.
            title={
                "x": 0, "xref": "container", "xanchor": "left", "pad": {"l": 20, "t": 14},
                "y": 1 - (12 / height if extra else 0), "yref": "container", "yanchor": "top",
                "automargin": False,
            },
            showlegend=bool(names),
            legend={
                "orientation": "h", "x": 0, "xref": "container", "xanchor": "left", "y": 0,
                "yref": "container", "yanchor": "bottom", "traceorder": "normal", "itemsizing": "constant",
                "font": {"size": 12.5}, "bgcolor": self.ground,
            },
        )  # fmt: skip
        return figure

    def words(self, title: str, below: str) -> go.Figure:
        """Return a figure of words alone: what there would be to see, and why there is nothing."""
        figure = self.figure(title, below, height=24)
        figure.update_xaxes(visible=False, range=[0, 1])
        figure.update_yaxes(visible=False, range=[0, 1])
        return self.finish(figure, bottom=0)

    def named_rows(self, figure: go.Figure, at: Sequence[float], names: Sequence[str], low: float) -> None:
        """Name rows that lie at ``at``, from 0 at the top down to ``low``; names are plotly texts already."""
        figure.update_yaxes(
            tickmode="array", tickvals=list(at), ticktext=list(names), range=[low, 0], fixedrange=False
        )

    def fill(self, tone: Tone) -> dict[str, Any]:
        """Return the marker of a bar in a tone: colour, hatch, or an outline alone."""
        spec, colour = TONES[tone], self.palette[tone]
        if spec.outline:
            return {"color": mixed(colour, self.ground, 0.12), "line": {"color": colour, "width": 1.5}}
        hatch = "x" if tone == "error" else spec.hatch
        if hatch:
            return {
                "color": mixed(colour, self.ground, 0.25),
                "line": {"color": colour, "width": 1},
                "pattern": {"shape": hatch, "fgcolor": colour, "size": 6, "solidity": 0.35},
            }
        filled = mixed(colour, self.ground, 0.4) if tone == "muted" else colour
        return {"color": filled, "line": {"color": self.ground, "width": 1}}

    def folded(
        self, figure: go.Figure, knots: Sequence[Knot], quiet: Sequence[tuple[float, float]], length: float
    ) -> bool:
        """Draw a time axis over places from 0 to 1, with a break where a quiet stretch is folded.

        Args:
            figure: what to draw on.
            knots: the folded scale.
            quiet: the folded stretches in milliseconds.
            length: the whole, in milliseconds.

        Returns:
            Whether anything is folded.
        """
        inside = [each for each in quiet if each[1] - each[0] > 0]
        last, lifted = -1.0, False
        for start, end in inside:
            low, high = place_on(knots, start), place_on(knots, end)
            lifted = (low + high) / 2 - last < 0.09 and not lifted
            last = (low + high) / 2
            self.columns_band(low, high)
            self.above(last, f"// {text_of(duration((end - start) / 1000))}", lift=14 if lifted else 0)
        places: list[tuple[float, str]] = []
        for tick in ticks_for(0.0, length, 8) if not inside else self._edges(inside, length):
            x = place_on(knots, tick.at) if length else 0.0
            if not places or x - places[-1][0] > 0.085:
                places.append((x, tick.label))
        figure.update_xaxes(
            range=[-0.01, 1.015], tickmode="array", tickvals=[x for x, _ in places],
            ticktext=[text for _, text in places], title_text="time since the first sign",
            tickangle=0,
        )  # fmt: skip
        return bool(inside)

    @staticmethod
    def _edges(quiet: Sequence[tuple[float, float]], length: float) -> list[Any]:
        """Ticks of a folded axis: where each busy stretch begins, and in it where there is room."""
        starts = [0.0, *(end for _, end in quiet)]
        ends = [*(start for start, _ in quiet), length]
        share = max(2, 10 // len(starts))
        out: list[Any] = []
        for start, end in zip(starts, ends, strict=True):
            out += [tick for tick in ticks_for(start, end, share) if start <= tick.at <= end]
        return out

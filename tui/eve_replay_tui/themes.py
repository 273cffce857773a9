"""Themes: the palettes of ``views/tone.py`` as Textual themes, and the filters of poor terminals."""

from __future__ import annotations

from functools import lru_cache

from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter
from textual.theme import Theme as TextualTheme

from eve_replay.views.kit.safe import display_width
from eve_replay.views.kit.tone import BACKGROUNDS, PALETTES, TONES, Theme

__all__ = ["SELECTED", "THEMES", "AsciiFilter", "PlainFilter", "ascii_text", "tone_theme"]

#: Background of the selected row. The tests measure every tone against it.
SELECTED: dict[Theme, str] = {"dark": "#1a232e", "light": "#edf4fb", "high-contrast": "#1f1f1f"}
_SURFACES: dict[Theme, str] = {"dark": "#10161e", "light": "#f6f8fa", "high-contrast": "#000000"}
_PANELS: dict[Theme, str] = {"dark": "#30363d", "light": "#c5ccd4", "high-contrast": "#9a9a9a"}


def _theme(name: Theme) -> TextualTheme:
    palette = PALETTES[name]
    return TextualTheme(
        name=f"eve-{name}",
        primary=palette["tool"],
        accent=palette["tool"],
        secondary=palette["muted"],
        warning=palette["again"],
        error=palette["harm"],
        success=palette["once"],
        foreground=palette["plain"],
        background=BACKGROUNDS[name],
        surface=_SURFACES[name],
        panel=_PANELS[name],
        dark=name != "light",
        variables={
            "input-selection-background": f"{palette['tool']} 35%",
            "block-cursor-text-style": "bold",
            "scrollbar": _PANELS[name],
            "scrollbar-background": BACKGROUNDS[name],
            "scrollbar-background-hover": BACKGROUNDS[name],
            "scrollbar-background-active": BACKGROUNDS[name],
            "scrollbar-corner-color": BACKGROUNDS[name],
        },
    )


def _plain_theme() -> TextualTheme:
    """Return black and white, of which :class:`PlainFilter` leaves reverse, bold and underline."""
    black, white = "#000000", "#ffffff"
    return TextualTheme(
        name="eve-none",
        primary=white,
        secondary=white,
        accent=white,
        warning=white,
        error=white,
        success=white,
        foreground=white,
        background=black,
        surface=black,
        panel=black,
        boost=black,
        dark=True,
        luminosity_spread=0.0,
        text_alpha=1.0,
        variables={
            "block-cursor-foreground": black,
            "block-cursor-background": white,
            "block-hover-background": black,
            "input-cursor-text-style": "reverse",
            "scrollbar": white,
            "scrollbar-background": black,
            "scrollbar-background-hover": black,
            "scrollbar-background-active": black,
        },
    )


THEMES: tuple[TextualTheme, ...] = (
    _theme("dark"),
    _theme("light"),
    _theme("high-contrast"),
    _plain_theme(),
)


def tone_theme(name: str) -> Theme:
    """Return the palette that belongs to a Textual theme; the user may pick one of Textual's own."""
    for each in ("dark", "light", "high-contrast", "none"):
        if name == f"eve-{each}":
            return each
    return "light" if "light" in name else "dark"


_LINES = {
    **dict.fromkeys("─━═╌╍┄┅┈┉╴╶▔▁▂▃▄", "-"),
    **dict.fromkeys("│┃║┆┇┊┋▏▎▍▌▐▕", "|"),
    **dict.fromkeys("┌┐└┘├┤┬┴┼╭╮╯╰╔╗╚╝╟╢┏┓┗┛", "+"),
    **dict.fromkeys("█▅▆▇▉▊▋▀", "#"),
    "…": "~",
    "→": ">",
    "←": "<",
    "↑": "^",
    "↓": "v",
    "·": ".",
    "▾": "v",
    "▸": ">",
    "▼": "v",
    "▲": "^",
    "▹": ">",
    "×": "x",
    "•": "*",
    "–": "-",
}
_TABLE = str.maketrans(
    _LINES | {spec.sign: spec.ascii for spec in TONES.values() if spec.sign and spec.sign not in _LINES}
)


@lru_cache(4096)
def ascii_text(text: str) -> str:
    r"""Return text in ASCII: our signs by their ASCII forms, everything else as ``\u`` escapes."""
    if text.isascii():
        return text
    text = text.translate(_TABLE)
    return text if text.isascii() else text.encode("ascii", "backslashreplace").decode("ascii")


@lru_cache(4096)
def _squared(text: str) -> str:
    """Return text in ASCII, as wide as before: for what was laid out already (borders, scroll bars)."""
    out = []
    for char in text:
        if char.isascii():
            out.append(char)
        else:
            out.append(_LINES.get(char, "?" * display_width(char)))
    return "".join(out)


class AsciiFilter(LineFilter):
    """Replaces what is left of non-ASCII characters: borders and the like."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments in ASCII."""
        return [
            each if each.control or each.text.isascii() else Segment(_squared(each.text), each.style)
            for each in segments
        ]


@lru_cache(2048)
def _uncoloured(style: Style) -> Style:
    """Return a style without colours; a light background becomes reverse."""
    back = style.bgcolor
    light = back is not None and back.triplet is not None and sum(back.triplet) > 380
    return Style(
        bold=style.bold,
        underline=style.underline,
        reverse=bool(style.reverse) != light,
        strike=style.strike,
        meta=style.meta,
    )


class PlainFilter(LineFilter):
    """Takes every colour away and keeps bold, underline and reverse."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments without colours."""
        return [
            each if each.control or each.style is None else Segment(each.text, _uncoloured(each.style))
            for each in segments
        ]

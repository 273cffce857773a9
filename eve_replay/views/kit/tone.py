"""What a colour means, once for all front ends: tones, their signs, and a palette per theme.

A front end never picks a colour. It asks for the tone of a fact (``harm``, ``parked`` ...) and gets a
colour of the theme, a sign that says the same without colour, and a hatch for plots. The colours keep
4.5:1 contrast against their theme's background and stay apart for the common colour-blindnesses; the
tests measure both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

__all__ = ["BACKGROUNDS", "PALETTES", "TONES", "Theme", "Tone", "ToneSpec", "colour", "sign"]

Tone = Literal[
    "plain",
    "muted",
    "strong",
    "committed",
    "replayed",
    "once",
    "again",
    "harm",
    "unknown",
    "parked",
    "model",
    "tool",
    "ok",
    "warning",
    "error",
]
Theme = Literal["light", "dark", "high-contrast", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToneSpec:
    """One tone.

    Attributes:
        meaning: what it says, for legends.
        sign: one or two cells that say it without colour.
        ascii: the sign where only ASCII can be shown.
        hatch: plotly pattern shape for bars, empty for filled.
        outline: drawn as an outline, not filled.
        ansi: one of the sixteen terminal colours, so that the user's own theme decides the shade.
        bold: bold in terminals.
        dim: dimmed in terminals.
    """

    meaning: str
    sign: str = ""
    ascii: str = ""
    hatch: str = ""
    outline: bool = False
    ansi: str | None = None
    bold: bool = False
    dim: bool = False


TONES: Mapping[Tone, ToneSpec] = MappingProxyType(
    {
        "plain": ToneSpec(meaning="text"),
        "muted": ToneSpec(meaning="less important", dim=True),
        "strong": ToneSpec(meaning="heading", bold=True),
        "committed": ToneSpec(meaning="committed", sign="■", ascii="#", ansi="blue"),
        "replayed": ToneSpec(meaning="replayed from the record", sign="■", ascii="#", ansi="blue"),
        "once": ToneSpec(meaning="executed once", sign="✓", ascii="+", ansi="green"),
        "again": ToneSpec(meaning="re-executed", sign="↻", ascii="~", hatch="/", ansi="yellow"),
        "harm": ToneSpec(meaning="ran twice, or other harm", sign="‖", ascii="!!", ansi="red", bold=True),
        "unknown": ToneSpec(meaning="unknown", sign="?", ascii="?", hatch=".", ansi="bright_black"),
        "parked": ToneSpec(meaning="parked", sign="◇", ascii="o", outline=True, ansi="magenta"),
        "model": ToneSpec(meaning="model call", sign="○", ascii="m"),
        "tool": ToneSpec(meaning="tool call", sign="▸", ascii=">", ansi="cyan"),
        "ok": ToneSpec(meaning="nothing wrong", sign="✓", ascii="+", ansi="green"),
        "warning": ToneSpec(meaning="doubtful", sign="!", ascii="!", ansi="yellow"),
        "error": ToneSpec(meaning="wrong", sign="✗", ascii="x", ansi="red"),
    }
)

_LIGHT: dict[Tone, str] = {
    "plain": "#1f2328",
    "muted": "#59636e",
    "strong": "#1f2328",
    "committed": "#0b3d91",
    "once": "#0f766e",
    "again": "#a85a00",
    "harm": "#8f0f1d",
    "unknown": "#59636e",
    "parked": "#a020d8",
    "model": "#57606a",
    "tool": "#0b6580",
}
_DARK: dict[Tone, str] = {
    "plain": "#e6edf3",
    "muted": "#9198a1",
    "strong": "#ffffff",
    "committed": "#8fb4f5",
    "once": "#3ee8ac",
    "again": "#ffc21a",
    "harm": "#f25555",
    "unknown": "#9ea7b3",
    "parked": "#d24dff",
    "model": "#b7bfc9",
    "tool": "#5fd7e0",
}
_HIGH: dict[Tone, str] = {
    "plain": "#ffffff",
    "muted": "#d0d0d0",
    "strong": "#ffffff",
    "committed": "#4f9dff",
    "once": "#a8ffcb",
    "again": "#ffb21a",
    "harm": "#ff6b6b",
    "unknown": "#d0d0d0",
    "parked": "#e8c8ff",
    "model": "#e6e6e6",
    "tool": "#66f0ff",
}
_SAME: dict[Tone, Tone] = {"replayed": "committed", "ok": "once", "warning": "again", "error": "harm"}


def _palette(base: dict[Tone, str]) -> Mapping[Tone, str]:
    return MappingProxyType({tone: base[_SAME.get(tone, tone)] for tone in get_args(Tone)})


#: Hex colours by theme and tone. ``none`` has no colours: signs and words carry everything.
PALETTES: Mapping[Theme, Mapping[Tone, str]] = MappingProxyType(
    {"light": _palette(_LIGHT), "dark": _palette(_DARK), "high-contrast": _palette(_HIGH), "none": {}}
)
#: The background each palette was measured against.
BACKGROUNDS: Mapping[Theme, str] = MappingProxyType(
    {"light": "#ffffff", "dark": "#0d1117", "high-contrast": "#000000"}
)


def colour(tone: Tone, theme: Theme = "light") -> str | None:
    """Return the hex colour of a tone in a theme, None in the theme without colours."""
    return PALETTES[theme].get(tone)


def sign(tone: Tone, *, ascii_only: bool = False) -> str:
    """Return the sign that says the tone without colour, empty for plain text."""
    spec = TONES[tone]
    return spec.ascii if ascii_only else spec.sign

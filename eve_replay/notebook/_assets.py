"""JavaScript and CSS of the widgets: one file each per family, bundled from ``js/``, kept in ``static/``.

Nobody who uses this needs Node, and nothing is requested from anywhere.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Literal

from eve_replay.views.kit.tone import BACKGROUNDS, PALETTES, TONES, Theme

__all__ = ["Family", "script", "style", "widget_module"]

#: Which widgets a page can show: a saved page holds the script of its own family only.
Family = Literal["journal", "workshop"]

#: Edge lines, soft panels and the selection, per theme: surfaces, not tones.
_SURFACES: dict[Theme, dict[str, str]] = {
    "light": {"edge": "#d1d9e0", "soft": "#f3f5f8", "pick": "#dcebfa"},
    "dark": {"edge": "#30363d", "soft": "#161b22", "pick": "#1d3350"},
    "high-contrast": {"edge": "#ffffff", "soft": "#111111", "pick": "#333333"},
}


@cache
def script(family: Family = "journal") -> str:
    """Return the script of a family; ``eveReplay.render`` and ``eveReplay.start`` are its two ways in."""
    return _built(f"{family}.js")


def _built(name: str) -> str:
    """Return a file that ``tests/js/build.mjs`` made, without the line that says so."""
    text = (files("eve_replay.notebook") / "static" / name).read_text(encoding="utf-8")
    return text.partition("\n")[2]


@cache
def widget_module(family: Family = "journal") -> str:
    """Return the ES module that anywidget loads."""
    return f"{script(family)}\nexport default {{ render: eveReplay.render }};\n"


@cache
def style(family: Family = "journal") -> str:
    """Return the CSS: the palettes of every theme, then where the colours go."""
    blocks = []
    for theme, surfaces in _SURFACES.items():
        names: dict[str, str] = {str(tone): colour for tone, colour in PALETTES[theme].items()}
        names |= {**surfaces, "back": BACKGROUNDS[theme]}
        block = "".join(f"--er-{name}:{value};" for name, value in names.items())
        blocks.append(f'.er-root[data-theme="{theme}"]{{{block}}}')
    for tone, spec in TONES.items():
        weight = "font-weight:600;" if spec.bold else ""
        blocks.append(f".er-t-{tone}{{color:var(--er-{tone});{weight}}}")
        fill = f"background-color:var(--er-{tone});color:var(--er-back);"
        if spec.hatch == "/":
            fill += (
                "background-image:repeating-linear-gradient(45deg,transparent 0 4px,rgba(0,0,0,.28) 4px 7px);"
            )
        elif spec.hatch == ".":
            dots = "radial-gradient(rgba(0,0,0,.35) 1px,transparent 1.4px)"
            fill += f"background-image:{dots};background-size:5px 5px;"
        elif spec.outline:
            fill = f"box-shadow:inset 0 0 0 2px var(--er-{tone});color:var(--er-{tone});"
        blocks.append(f".er-f-{tone}{{{fill}}}")
    return "\n".join([*blocks, _built(f"{family}.css")])

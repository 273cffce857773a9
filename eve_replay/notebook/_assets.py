"""The JavaScript and CSS of the widgets, from plain files: no bundler, no request to anywhere."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Literal

from eve_replay.views.kit.tone import BACKGROUNDS, PALETTES, TONES, Theme

__all__ = ["Family", "script", "style", "widget_module"]

#: Which widgets a page can show: a saved page holds the script of its own family only.
Family = Literal["journal", "workshop"]

#: In the order in which one needs the other.
_PARTS: dict[Family, tuple[str, ...]] = {
    "journal": (
        "base", "cursor", "tree", "timeline", "inspector", "diff", "heat", "crashlab", "finder", "overlay",
        "explorer", "journal", "entry",
    ),
    "workshop": ("base", "board", "stage", "predict", "verdict", "workshop", "entry"),
}  # fmt: skip
#: Edge lines, soft panels and the selection, per theme: surfaces, not tones.
_SURFACES: dict[Theme, dict[str, str]] = {
    "light": {"edge": "#d1d9e0", "soft": "#f3f5f8", "pick": "#dcebfa"},
    "dark": {"edge": "#30363d", "soft": "#161b22", "pick": "#1d3350"},
    "high-contrast": {"edge": "#ffffff", "soft": "#111111", "pick": "#333333"},
}


@cache
def script(family: Family = "journal") -> str:
    """Return the functions of a family; ``render`` and ``start`` are among them."""
    folder = files("eve_replay.notebook") / "static"
    return "\n".join(_lean((folder / f"{name}.js").read_text(encoding="utf-8")) for name in _PARTS[family])


def _lean(text: str) -> str:
    """Drop comment lines and indentation: every widget of a saved notebook holds the script."""
    lines = (each.strip() for each in text.splitlines())
    return "\n".join(each for each in lines if each and not each.startswith(("//", "/*", "* ", "*/")))


@cache
def widget_module(family: Family = "journal") -> str:
    """Return the ES module that anywidget loads."""
    return f"{script(family)}\nexport default {{ render }};\n"


@cache
def style(family: Family = "journal") -> str:
    """Return the CSS: the palettes of every theme, then where the colours go."""
    folder = files("eve_replay.notebook") / "static"
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
    sheets = ["style.css"] if family == "journal" else ["style.css", "workshop.css"]
    return "\n".join([*blocks, *(_lean((folder / name).read_text(encoding="utf-8")) for name in sheets)])

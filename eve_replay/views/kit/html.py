"""A portrait as HTML: no script, readable in light and dark, for screen readers and for mail alike.

Everything from a journal is escaped; the colours are those of ``views/tone.py``, and the coloured word says
the same, so that nothing depends on colour.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from html import escape
from typing import Any

from eve_replay.views.kit.safe import safe_text
from eve_replay.views.kit.text import Line, plain
from eve_replay.views.kit.tone import BACKGROUNDS, PALETTES, TONES
from eve_replay.views.session.reprs import portrait

__all__ = ["html_of", "lines_html", "text_of"]

#: Characters of HTML a cell's output has at most; beyond it lines are folded away.
MOST_CHARACTERS = 150_000


def text_of(thing: Any) -> str:
    """Return what a terminal shows for an object."""
    return plain(portrait(thing))


def html_of(thing: Any) -> str:
    """Return what a notebook shows for an object: under 200 kB, without script."""
    return lines_html(portrait(thing), label=type(thing).__name__)


def lines_html(lines: Iterable[Line], *, label: str = "") -> str:
    """Return toned lines as one HTML block with its own styles."""
    parts: list[str] = []
    used = 0
    for each in lines:
        text = "".join(_span(safe_text(span.text), span.tone) for span in each)
        used += len(text)
        if used > MOST_CHARACTERS:
            parts.append("… folded")
            break
        parts.append(text)
    body = "\n".join(parts)
    name = f' aria-label="{escape(label, quote=True)}"' if label else ""
    box = f'<div class="er-portrait" role="group"{name}><pre class="er-lines">{body}</pre></div>'
    return f"<style>{_css()}</style>{box}"


def _span(text: str, tone: str) -> str:
    return (
        escape(text, quote=True)
        if tone == "plain"
        else f'<span class="er-{tone}">{escape(text, quote=True)}</span>'
    )


@cache
def _css() -> str:
    """Light by default; dark where the page or the system says so. Scoped to the block's own class."""

    def rules(scope: str, theme: str) -> str:
        palette = PALETTES[theme]  # type: ignore[index]  # the three names below are themes
        back = BACKGROUNDS[theme]  # type: ignore[index]
        tones = "".join(
            f"{scope} .er-portrait .er-{tone}{{color:{colour}}}"
            for tone, colour in palette.items()
            if tone != "plain"
        )
        own = f"color:{palette['plain']};background:{back}"
        return f"{scope} .er-portrait.er-portrait pre.er-lines{{{own}}}{tones}"

    bold = ",".join(f".er-portrait .er-{tone}" for tone, spec in TONES.items() if spec.bold)
    shape = (
        # JupyterLab has rules of its own for pre; the doubled class is the more specific one.
        ".er-portrait.er-portrait pre.er-lines{font:13px/1.5 ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',"
        "'Noto Sans Mono CJK SC',monospace;margin:0;padding:8px 10px;"
        "border:1px solid #8885;border-radius:6px;overflow:auto;max-height:34em;"
        "white-space:pre;word-break:normal}"
        f"{bold}{{font-weight:600}}"
    )
    system = f"@media (prefers-color-scheme:dark){{{rules('body:not([data-jp-theme-light])', 'dark')}}}"
    return shape + rules("", "light") + system + rules('body[data-jp-theme-light="false"]', "dark")

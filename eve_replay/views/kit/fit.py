"""Toned lines cut to a width: the last resort of every text view, so that nothing ever runs over."""

from __future__ import annotations

from collections.abc import Iterable

from eve_replay.views.kit.safe import cut, display_width, safe_text
from eve_replay.views.kit.text import Line, Span

__all__ = ["fitted"]


def fitted(lines: Iterable[Line], width: int) -> list[Line]:
    """Return the lines, those wider than ``width`` cells cut with a mark at the end."""
    return [_fit(each, width) for each in lines]


def _fit(each: Line, width: int) -> Line:
    texts = [safe_text(span.text) for span in each]
    if sum(display_width(text) for text in texts) <= width:
        return each
    out: list[Span] = []
    left = width
    for span, text in zip(each, texts, strict=True):
        cells = display_width(text)
        if cells < left:
            out.append(Span(text, span.tone))
            left -= cells
            continue
        out.append(Span(cut(text + " ", left), span.tone))
        break
    return tuple(out)

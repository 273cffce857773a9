"""Text with meaning: lines of toned spans, which a terminal colours and a test reads as plain text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from eve_replay.views.kit.safe import display_width, pad, safe_text, wrap
from eve_replay.views.kit.tone import Tone

__all__ = ["Line", "Span", "fields", "line", "paragraph", "plain", "section"]


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of text in one tone. ``text`` may come straight from a journal: drawing makes it safe."""

    text: str
    tone: Tone = "plain"


Line = tuple[Span, ...]


def line(*parts: str | Span | tuple[str, Tone]) -> Line:
    """Return one line from strings, ``(text, tone)`` pairs and spans, each made safe."""
    out = []
    for part in parts:
        if isinstance(part, str):
            part = Span(part)
        elif isinstance(part, tuple):
            part = Span(*part)
        out.append(Span(safe_text(part.text), part.tone))
    return tuple(out)


def plain(lines: Iterable[Line]) -> str:
    """Return lines as plain text, without a final line end."""
    return "\n".join("".join(safe_text(span.text) for span in each).rstrip() for each in lines)


def paragraph(text: str, *, width: int = 80, indent: int = 0, tone: Tone = "plain") -> list[Line]:
    """Return a sentence or several, wrapped to ``width`` cells with ``indent`` spaces in front."""
    room = max(width - indent, 10)
    return [line(" " * indent, (part, tone)) for part in wrap(safe_text(text), room)]


def section(title: str, *, note: str = "") -> list[Line]:
    """Return an empty line and a heading, with an optional note beside it."""
    head = line((title, "strong"), ("  " + note if note else "", "muted"))
    return [(), head]


def fields(pairs: Sequence[tuple[str, str | Line]], *, indent: int = 2, width: int = 80) -> list[Line]:
    """Return aligned ``label  value`` lines; long values continue below their start."""
    if not pairs:
        return []
    label_width = max(display_width(safe_text(label)) for label, _ in pairs)
    out: list[Line] = []
    for label, value in pairs:
        head = Span(" " * indent + pad(safe_text(label), label_width) + "  ", "muted")
        if not isinstance(value, str):
            out.append((head, *line(*value)))
            continue
        blank = Span(" " * (indent + label_width + 2))
        for index, part in enumerate(wrap(safe_text(value), width - indent - label_width - 2)):
            out.append(((blank if index else head), Span(part)))
    return out

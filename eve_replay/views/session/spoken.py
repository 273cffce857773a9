"""Portraits of sessions and reports in the language of the lesson."""

from __future__ import annotations

from collections.abc import Iterator

from eve_replay.views.kit.safe import wrap
from eve_replay.views.kit.speech import Spoken, said
from eve_replay.views.kit.text import Line, Span

__all__ = ["spoken_portrait"]

#: Sentences are told whole before they are wrapped: a half of one is in no catalog.
_ENDLESS = 100_000
_WIDTH = 100


def spoken_portrait(thing: object, language: Spoken) -> Iterator[Line]:
    """Yield a portrait's lines in a language, wrapped as the English ones are."""
    from eve_replay.views.session.reprs import portrait

    for each in portrait(thing, width=_ENDLESS):
        spans = tuple(Span(said(span.text, language), span.tone) for span in each)
        if len(spans) != 1 and sum(len(span.text) for span in spans) <= _WIDTH:
            yield spans
            continue
        *before, last = spans or (Span(""),)
        own = len(last.text) - len(last.text.lstrip())
        ahead = sum(len(span.text) for span in before)
        parts = wrap(last.text.strip(), _WIDTH - own - ahead) or [""]
        for number, part in enumerate(parts):
            blank = " " * (own if number == 0 else own + ahead)
            yield (*(before if number == 0 else ()), Span(blank + part, last.tone))

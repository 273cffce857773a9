"""The product's sentences in another language: one catalog as data, English and Chinese side by side.

``speech.json`` beside this module holds pairs. In an English sentence ``{n}`` stands for a number or a time,
``{x}`` and ``{y}`` for a name or for a part that is a sentence of its own. What the catalog does not hold
stays English: data, names, what people wrote. The widgets do the same in the browser
(``notebook/js/speech.js``; ``tests/js/speech.json`` holds both to the same).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import Literal

from eve_replay.codec.jsontext import loads_json

__all__ = ["LANGUAGES", "Spoken", "catalog", "said"]

Spoken = Literal["en", "zh"]
LANGUAGES: tuple[Spoken, ...] = ("en", "zh")

_SIGN = re.compile(r"^((?:\d+ (?=[!‖↻■◇✓✗]))?[!‖↻■◇✓✗▸▾?◀▶→, ]*)(.*?)([ ]*)$", re.DOTALL)
_NAME = re.compile(r"^[\w.:…#*()\[\]{}\"'@/-]+$", re.ASCII)
_WORDS = re.compile(r"[a-z]", re.IGNORECASE)
_SENTENCES = re.compile(r"(?<=\.) (?=[A-Za-z0-9])")
#: Where a text is cut when it is no sentence of the catalog as a whole, and what joins the parts.
_CUTS = (
    (re.compile("; "), "；"),
    (re.compile(": "), "："),
    (re.compile(", "), "，"),
)
_HOLE = re.compile(r"\{[nxy]\}")
_DEEPEST = 6


@cache
def catalog(language: Spoken) -> tuple[tuple[str, str], ...]:
    """Return the pairs of a language, empty for English."""
    if language != "zh":
        return ()
    text = (files("eve_replay.views.kit") / "speech.json").read_text("utf-8")
    return tuple((str(en), str(other)) for en, other in loads_json(text))


@lru_cache(maxsize=20_000)
def said(text: str, language: Spoken) -> str:
    """Return a text in a language, line by line; what is not in the catalog stays as it is."""
    if language == "en":
        return text
    lines = []
    for line in text.split("\n"):
        inner = line.strip()
        told = _said(inner, language, 0)
        lines.append(line.replace(inner, told, 1) if inner else line)
    return "\n".join(lines)


@cache
def _exact(language: Spoken) -> dict[str, str]:
    return dict(catalog(language))


@cache
def _patterns(language: Spoken) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((_pattern(en), other) for en, other in catalog(language) if "{" in en)


def _pattern(en: str) -> re.Pattern[str]:
    parts = []
    for piece in re.split(r"(\{[nxy]\})", en):
        if piece == "{n}":
            parts.append(r"([\d.,:TZ –-]*\d[\d.,:TZ –-]*?)")
        elif _HOLE.fullmatch(piece):
            # A name has no ", " and no ": " in it; a part that is a sentence may.
            parts.append("(.+?)" if piece == "{y}" else "((?:(?!, |: ).)+?)")
        else:
            parts.append(re.escape(piece))
    return re.compile(f"^{''.join(parts)}$", re.DOTALL)


def _whole(text: str, language: Spoken, depth: int) -> str | None:
    found = _exact(language).get(text)
    if found is not None:
        return found
    for pattern, other in _patterns(language):
        match = pattern.match(text)
        if match is not None:
            for each in match.groups():
                told = _said(each, language, depth + 1)
                before, hole, after = other.partition(_HOLE.search(other)[0])  # type: ignore[index]
                other = f"{before}{told}{after}" if hole else other
            return other
    return None


def _said(text: str, language: Spoken, depth: int) -> str:
    """Sentence by sentence; each whole, else by parts that are all known."""
    if depth > _DEEPEST or not _WORDS.search(text):
        return text
    match = _SIGN.match(text)
    assert match is not None
    sign, body, rest = match.groups()
    exact = _exact(language).get(body)
    if exact is not None:
        return f"{sign}{exact}{rest}"
    sentences = _SENTENCES.split(body)
    if len(sentences) > 1:
        told = [_said(each, language, depth + 1) for each in sentences]
        if told == sentences:
            return text
        spaced = (f"{each} " if each.endswith(".") else each for each in told)
        return f"{sign}{''.join(spaced).rstrip()}{rest}"
    one = _whole(body, language, depth)
    if one is not None:
        return f"{sign}{one}{rest}"
    for cut, joined in _CUTS:
        parts = cut.split(body)
        if len(parts) < 2:
            continue
        known = [_part(each, language, depth) for each in parts]
        if all(each is not None for each in known) and known != parts:
            return f"{sign}{_joined(known, joined)}{rest}"
    return text


def _part(part: str, language: Spoken, depth: int) -> str | None:
    found = _whole(part, language, depth + 1)
    if found is None:
        found = part if _NAME.match(part) else _said(part, language, depth + 1)
    return found if found != part or _NAME.match(part) else None


def _joined(parts: Sequence[str | None], joined: str) -> str:
    return joined.join(each for each in parts if each is not None)

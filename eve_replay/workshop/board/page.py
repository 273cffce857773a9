"""The two pages of the board: one for learners, one for the wall. No file beside them, no address outside."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Literal

from eve_replay.codec.jsonout import dumps_tagged
from eve_replay.workshop.board.words import words_of
from eve_replay.workshop.lesson import tasks
from eve_replay.workshop.model import Language

__all__ = ["page"]


def page(kind: Literal["learner", "board"], language: Language) -> str:
    """Return one page. Its words come in both languages; a button changes between them."""
    lessons = [
        {
            "number": each.lesson,
            "title": {"en": each.title.en, "zh": each.title.zh},
            "crashed": each.kind != "judged",
        }
        for each in tasks().values()
    ]
    data = {"language": language, "lessons": lessons, "words": {"en": words_of("en"), "zh": words_of("zh")}}
    # "<" cannot end the script element early, whatever a title says.
    given = dumps_tagged(data).replace("<", "\\u003c")
    script = _part("common.js") + _part("learner.js" if kind == "learner" else "wall.js")
    return f"""<!doctype html>
<html lang="{"zh-CN" if language == "zh" else "en"}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>eve-replay</title>
<style>{_part("board.css")}</style></head>
<body class="{kind}"><main id="main"></main>
<script>const GIVEN = {given};{script}</script></body></html>
"""


@cache
def _part(name: str) -> str:
    return (files(__package__) / "static" / name).read_text("utf-8")

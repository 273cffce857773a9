"""Which language the widgets of this notebook speak: the lesson's, unless a widget is told another."""

from __future__ import annotations

from eve_replay.errors import WrongUse
from eve_replay.views.kit.speech import LANGUAGES, Spoken

__all__ = ["spoken", "teach_in"]

_now: list[Spoken] = ["en"]


def teach_in(language: Spoken) -> None:
    """Let widgets that are not told otherwise speak a language from now on: a lesson has begun."""
    _now[0] = language


def spoken(language: str | None) -> Spoken:
    """Return the language that is meant, the lesson's for None.

    Raises:
        WrongUse: it is not spoken here.
    """
    if language is None:
        return _now[0]
    for each in LANGUAGES:
        if each == language:
            return each
    raise WrongUse(f"{language!r} is not spoken here.", hint="There are en and zh.")

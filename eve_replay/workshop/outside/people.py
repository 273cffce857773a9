"""The people who look at what no program can decide."""

from __future__ import annotations

from collections.abc import Mapping

from eve_replay.workshop.engine.wire import Wire
from eve_replay.workshop.outside.base import Answer, Service

__all__ = ["People"]


class People(Service):
    """Somebody looks at it by hand: costs time, so it is for what is unknown."""

    __slots__ = ("_known",)

    name = "people"
    can = ("tell(subject, **facts)",)

    def __init__(self, wire: Wire, setting: Mapping[str, object]) -> None:
        super().__init__(wire, setting)
        self._known: set[str] = set()

    def tell(self, subject: str, **facts: object) -> Answer:
        """Tell a person. The same subject again is the same matter: nobody is told twice.

        Returns:
            ``{"subject", "known"}``: ``known`` when the subject was there already.
        """
        text = self._text("tell", "subject", subject)
        more = self._about("tell", facts, ("known",))

        def act() -> Answer:
            if text in self._known:
                self._acted("tell", "known", subject=text)
                return Answer({"subject": text, "known": True})
            self._known.add(text)
            entry = self._wire.happened("people", "person", {"subject": text, **more}, None)
            self._acted("tell", "told", subject=text, entries=[entry])
            return Answer({"subject": text, "known": False})

        return self._call("tell", {"subject": text, **more}, act)

"""The people who look at what no program can decide."""

from __future__ import annotations

from collections.abc import Mapping

from eve_replay.workshop.outside.answers import Answer
from eve_replay.workshop.outside.base import Service
from eve_replay.workshop.wire import Wire

__all__ = ["People"]


class People(Service):
    """Somebody looks at it by hand: costs time, so it is for what is unknown."""

    __slots__ = ("_known",)

    name = "people"
    can = ("tell(subject, **facts)",)

    def __init__(self, wire: Wire, setting: Mapping[str, object]) -> None:
        super().__init__(wire, setting)
        self._known: list[tuple[str, dict[str, object]]] = []

    def tell(self, subject: str, **facts: object) -> Answer:
        """Tell a person. The same subject again is the same matter: nobody is told twice.

        Unless it comes with facts that nobody was told: then it is another matter.

        Returns:
            ``{"subject", "known"}``: ``known`` when the person knew it already.
        """
        text = self._text("tell", "subject", subject)
        more = self._about("tell", facts, ("known",))

        def act() -> Answer:
            if any(
                text == subject and all(item in told.items() for item in more.items())
                for subject, told in self._known
            ):
                self._acted("tell", "known", subject=text)
                return Answer({"subject": text, "known": True})
            self._known.append((text, more))
            entry = self._wire.happened("people", "person", {"subject": text, **more}, None)
            self._acted("tell", "told", subject=text, entries=[entry])
            return Answer({"subject": text, "known": False})

        return self._call("tell", {"subject": text, **more}, act)

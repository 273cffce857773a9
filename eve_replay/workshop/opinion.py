"""``why`` of an incident, locked until somebody has said whom they suspect; then both side by side."""

from __future__ import annotations

import html
from dataclasses import dataclass
from datetime import datetime

from eve_replay.guidance.why import Report
from eve_replay.views.kit.html import lines_html
from eve_replay.views.kit.text import plain
from eve_replay.views.session.spoken import spoken_portrait
from eve_replay.workshop.model import Language, Text

__all__ = ["Opinion", "instant_of"]

_LOCKED = Text(
    "`why` is locked. First name a suspect: write the last four characters of a session into SUSPECT, and run"
    " this cell again.",
    "`why` 还锁着。先说出你怀疑哪个会话：把它 id 的最后四位填进 SUSPECT，再运行这个单元格。",
)
_SAME = Text("You: {you}. `why`: {it}. The same.", "你：{you}。`why`：{it}。一致。")
_OTHER = Text(
    "You: {you}. `why`: {it}. Another one: what did it see that you did not, or you that it did not?",
    "你：{you}。`why`：{it}。不一致：它看到了什么你没看到的？或者你看到了什么它没看到的？",
)


@dataclass(frozen=True, slots=True, eq=False)
class Opinion:
    """What somebody suspects, and what ``why`` says; nothing of the latter without the former.

    Attributes:
        you: end of the suspected session's id, empty while it is locked.
        report: the worst session's report, None while it is locked.
        language: of the sentences.
    """

    you: str
    report: Report | None
    language: Language

    @property
    def sentence(self) -> str:
        """Whether both mean the same session, in one sentence; or that it is locked."""
        if self.report is None:
            return _LOCKED.get(self.language)
        it = self.report.session_id[-4:]
        text = _SAME if it == self.you else _OTHER
        return text.get(self.language).format(you=self.you, it=it)

    def __repr__(self) -> str:
        if self.report is None:
            return self.sentence
        lines = plain(spoken_portrait(self.report, self.language))
        return f"{self.sentence}\n\n{lines}"

    def _repr_html_(self) -> str:
        told = f"<p><b>{html.escape(self.sentence)}</b></p>"
        if self.report is None:
            return told
        return told + lines_html(spoken_portrait(self.report, self.language), label="why")


def instant_of(lines: object) -> datetime:
    """Return the evening of the incident's day: a report of it says the same whenever it is read."""
    first = str(lines[0]["at"]) if isinstance(lines, list | tuple) and lines else "2026-11-30"
    return datetime.fromisoformat(f"{first[:10]}T20:00:00+00:00")

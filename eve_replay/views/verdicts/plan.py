"""The plan of a session as rows and lines: "Do now", the same in every front end."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, tzinfo

from eve_replay.guidance.plan import Plan, PlanStep
from eve_replay.guidance.plan.model import KIND_WORDS
from eve_replay.views.kit.base import View, step_key
from eve_replay.views.kit.safe import safe_text
from eve_replay.views.kit.text import Line, line, paragraph
from eve_replay.views.kit.tone import TONES, Tone
from eve_replay.views.kit.words import ago, day_and_clock

__all__ = ["CommandRow", "PlanRow", "PlanView", "plan_lines", "plan_view"]

_GROUP_TONES: tuple[Tone, ...] = ("harm", "harm", "harm", "again", "strong")


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandRow(View):
    """One complete command to copy: ``kind`` what it is given to, ``words`` what it does."""

    kind: str
    command: str
    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRow(View):
    """One step of a plan.

    Attributes:
        number: its place, from 1.
        word: what kind of step it is, one word or two (``Look up``, ``Hold``); ``tone`` how urgent.
        text: condition and sentence, as they go on after the word.
        until: the deadline in words, empty without one; ``deadline`` itself.
        certainty: observed, implied or unknown.
        commands: commands to copy, the safest first.
        key: what it is about, to go there; empty when that is the session.
    """

    number: int
    word: str
    tone: Tone
    text: str
    until: str
    deadline: datetime | None
    certainty: str
    commands: tuple[CommandRow, ...] = ()
    key: str = ""

    @property
    def line(self) -> str:
        """Word and text in one: ``Look up whether ...``, ``Hold: If it went through ...``."""
        if self.word == "Do":  # the sentence is what to do
            return self.text
        first, _, _ = self.text.partition(" ")
        goes_on = first.isalpha() and first.islower()
        return f"{self.word} {self.text}" if goes_on else f"{self.word}: {self.text}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanView(View):
    """A plan: its steps, what to change for the next time, and whether something unprotected will repeat."""

    rows: tuple[PlanRow, ...] = ()
    advice: tuple[str, ...] = ()
    urgent: bool = False

    def __bool__(self) -> bool:
        return bool(self.rows)


def plan_view(plan: Plan) -> PlanView:
    """Return a plan as rows; deadlines are said with what is left of them."""
    return PlanView(
        rows=tuple(_row(n, step, plan.as_of, plan.zone) for n, step in enumerate(plan.steps, 1)),
        advice=tuple(safe_text(text) for text in plan.advice),
        urgent=plan.urgent,
    )


def _row(number: int, step: PlanStep, now: datetime | None, zone: tzinfo | None) -> PlanRow:
    until = ""
    if step.deadline is not None:
        left = f", {ago(step.deadline, now)}" if now is not None else ""
        until = f"until {day_and_clock(step.deadline, zone)}{left}"
    about = next((each for each in step.about if each.step_id and each.run_id), None)
    return PlanRow(
        number=number,
        word=KIND_WORDS[step.kind],
        # What may be done under a condition is no harm itself.
        tone="strong" if step.kind == "safe-to-start" else _GROUP_TONES[step.group],
        text=_continued(KIND_WORDS[step.kind], safe_text(step.text)),
        until=until,
        deadline=step.deadline,
        certainty=step.certainty,
        commands=tuple(
            CommandRow(kind=each.kind, command=safe_text(each.command), words=each.words)
            for each in step.commands
        ),
        key=step_key(about.run_id, about.step_id) if about is not None else "",
    )


def _continued(word: str, text: str) -> str:
    """The text below its heading: ``Look up`` goes on with ``whether ...``, it does not say so again."""
    return text.removeprefix(f"{word} ")


def plan_lines(view: PlanView, *, width: int = 80) -> list[Line]:
    """Return the plan as lines, empty without anything to do. A command is one line, so that it copies."""
    if not view.rows:
        return []
    out: list[Line] = [line(("Do now", "strong"))]
    for row in view.rows:
        sign = TONES[row.tone].sign or "-"
        until = f"  {row.until}" if row.until else ""
        out.append(
            line(
                (f"{row.number} {sign} {row.word}", row.tone),
                (until, "strong"),
                (f"  {row.certainty}", "muted"),
            )
        )
        out += paragraph(row.text, width=width, indent=4)
        for each in row.commands:
            if each.words:
                out.append(line((f"    {each.words}:", "muted")))
            out.append(line((f"    $ {each.command}", "tool")))
    for text in view.advice:
        out += paragraph(text, width=width, indent=2, tone="muted")
    return out

"""The post-mortem of one session as a page: what happened, what to do, how it went, and the evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from eve_replay.guidance import Report
from eve_replay.journal.effects.judge import judge_effect
from eve_replay.report.blocks import Block, Heading, Items, Sheet, Text
from eve_replay.views.kit.base import split_key
from eve_replay.views.kit.words import day_and_clock, executions, plural, word_for, zone_name
from eve_replay.views.session.explorer import Explorer
from eve_replay.views.session.moments import Stop
from eve_replay.views.session.outside import acts_said
from eve_replay.views.session.titles import title_text
from eve_replay.views.verdicts.plan import plan_view
from eve_replay.views.verdicts.postmortem import word_of

__all__ = ["Incident"]

#: Rows of a table; what is left out is counted.
_MOST = 60
#: Moments that a reader of a timeline asks for, by their type; the effects are there whatever their type.
_TOLD = frozenset(
    {
        "run_created",
        "step_started",
        "step_completed",
        "step_failed",
        "step_retrying",
        "run_completed",
        "run_failed",
    }
    | {"run_cancelled", "turn.started", "turn.completed", "turn.failed", "action.result", "message.received"}
    | {"user_message", "agent_start_run", "assistant_tool_call", "tool_outcome", "submission_settled"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Incident:
    """One session with what is to be said about it, as blocks, section by section.

    Attributes:
        view: its views, with the ledger if there is one.
        report: what ``why`` says of it.
        now: the instant it was made at; ``zone`` of its times, UTC for None.
        source: where it was read from, as a reader may see it.
        redacted: secrets were replaced before anything was read.
        ledger: what a person calls the ledger, empty without one.
    """

    view: Explorer
    report: Report
    now: datetime
    source: str = ""
    redacted: bool = False
    ledger: str = ""
    zone: tzinfo | None = None

    @property
    def title(self) -> str:
        """Its heading."""
        return f"Post-mortem: {title_text(self.report.title) or self.report.session_id}"

    def blocks(self) -> list[Block]:
        """Return the whole page."""
        parts = (self.head(), self.plan(), self.timeline(), self.attempts(), self.outside(), self.evidence())
        return [block for part in parts for block in part]

    def head(self) -> Iterator[Block]:
        """Yield title, facts and what happened."""
        session = self.view.session
        yield Heading(level=1, text=self.title)
        version = f", eve {session.eve_version}" if session.eve_version else ""
        where = f" Read from {self.source}." if self.source else ""
        made = f"{day_and_clock(self.now, self.zone)} ({zone_name(self.now, self.zone)})"
        yield Text(
            text=f"Session {session.id}, {session.framework}{version}, {session.status}.{where} Made {made}."
        )
        if self.redacted:
            yield Text(
                text="Secrets were replaced before anything was read. Look through it before you send it."
            )
        yield Heading(level=2, text="What happened")
        said = [f"{word_of(each)} ({each.certainty}): {each.sentence}" for each in self.report.verdicts]
        yield Items(texts=said) if said else Text(text="Nothing that the journal tells is wrong.")
        gaps = list(dict.fromkeys(gap.why for gap in session.gaps))
        if gaps:
            yield Text(text="Not everything could be read, so nothing here says that there was no more:")
            yield Items(texts=gaps[:_MOST])

    def plan(self) -> Iterator[Block]:
        """Yield what to do."""
        plan = plan_view(self.report.plan)
        yield Heading(level=2, text="What to do")
        if not plan.rows:
            yield Text(text="Nothing that the journal tells is open.")
        for row in plan.rows:
            until = f" {row.until}." if row.until else ""
            yield Items(texts=[f"{row.line}{until} ({row.certainty})"])
            for each in row.commands:
                yield Text(text=each.command, code=True)
        if plan.advice:
            yield Items(texts=plan.advice)

    def timeline(self) -> Iterator[Block]:
        """Yield the moments that count."""
        stops = [stop for stop in self.view.cursor.stops if stop.effect or stop.type in _TOLD]
        stops = [stop for stop in stops if stop.source == "stream" or not _plumbing(stop)]
        told = stops if len(stops) <= _MOST else (self._near(stops) or stops[-_MOST:])[:_MOST]
        rows = [(_at(stop.at, self.zone), stop.label) for stop in told]
        yield Heading(level=2, text="Timeline")
        yield Sheet(titles=("when", "what"), rows=rows)
        more = len(stops) - len(rows)
        if more > 0:
            yield Text(text=f"{plural(more, 'other moment')} left out: the explorer has them all.")

    def _near(self, stops: Sequence[Stop]) -> list[Stop]:
        """Return the moments of the turns in which a step ran again, or that something is said about."""
        steps = {step.step_id for step in self.view.session.repeated}
        steps |= {verdict.step_id for verdict in self.report.verdicts if verdict.step_id}
        turns = {
            key
            for stop in self.view.cursor.stops
            if any(split_key(each)[1][-1] in steps for each in stop.path if each.startswith("step:"))
            for key in stop.path
            if key.startswith("turn:")
        }
        return [stop for stop in stops if turns.intersection(stop.path)]

    def attempts(self) -> Iterator[Block]:
        """Yield what each attempt of a step that ran again says of each effect."""
        repeated = {step.step_id: step for step in self.view.session.repeated}
        yield Heading(level=2, text="The attempts")
        if not repeated:
            yield Text(text="No step was started twice, as far as the log tells.")
            return
        rows = [
            (each.function, str(a.n), word_for(a.outcome).word, a.certainty, _at(a.started_at, self.zone))
            for each in repeated.values()
            for a in each.attempts
        ]
        yield Sheet(titles=("step", "attempt", "ended", "certainty", "started"), rows=rows[:_MOST])
        parts = [(e, part) for e in self.view.effects for part in e.by_attempt if part.step_id in repeated]
        told = [
            (
                effect.tool,
                str(part.attempt),
                executions(part.executions.min, part.executions.max).word,
                part.certainty,
                part.why,
            )
            for effect, part in parts
        ]
        if told:
            yield Sheet(titles=("effect", "attempt", "ran", "certainty", "why"), rows=told[:_MOST])

    def outside(self) -> Iterator[Block]:
        """Yield how often each effect happened, by the journal and by the ledger."""
        yield Heading(level=2, text="The ledger")
        counts = self.view.counts
        rows = []
        for effect in self.view.effects:
            judged = judge_effect(effect, counts.get(id(effect)))
            counted = counts.get(id(effect))
            rows.append(
                (effect.tool, effect.call_id or "", judged.said, "" if counted is None else str(counted))
            )
        yield Sheet(titles=("effect", "call", "how often", "ledger"), rows=rows[:_MOST], right=frozenset({3}))
        if self.view.ledger is None:
            yield Text(text="No ledger was given: how often the outside acted is what the journal implies.")
            return
        acts = self.view.acts
        yield Text(text=f"{self.ledger or 'The ledger'}: {acts_said(acts)}.")
        told = [(str(act.line), _at(act.at, self.zone), act.name, act.said) for act in acts[:_MOST]]
        yield Sheet(titles=("line", "when", "act", "whose"), rows=told, right=frozenset({0}))

    def evidence(self) -> Iterator[Block]:
        """Yield on what each sentence stands."""
        rows = [
            (word_of(verdict), item.kind, item.id, item.path or "", item.note or "")
            for verdict in self.report.verdicts
            for item in verdict.evidence
        ]
        yield Heading(level=2, text="Evidence")
        if not rows:
            yield Text(text="No record stands behind what is said above.")
            return
        yield Sheet(titles=("what", "record", "id", "path", "note"), rows=rows[:_MOST])
        if len(rows) > _MOST:
            yield Text(text=f"{plural(len(rows) - _MOST, 'more record')} left out.")


def _plumbing(stop: Stop) -> bool:
    """Whether a log moment is of a step that belongs to no turn: housekeeping, unless it is an effect."""
    inside = any(key.startswith("turn:") for key in stop.path)
    return not stop.effect and not inside and stop.type.startswith("step_")


def _at(when: datetime | None, zone: tzinfo | None) -> str:
    return day_and_clock(when, zone) if when is not None else ""

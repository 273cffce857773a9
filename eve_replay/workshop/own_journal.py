"""The questions of the lessons, asked of any journal: the learner's own, of any kind, whole or broken.

::

    own = questions(journal, language="en", effects={"charge_card": "keyed:business-id"})
    own.again()      # which steps ran again
    own.effects()    # what may have happened twice
    own.keys()       # which protection survives a re-run
    own.crash_now()  # what happens when the process comes back
    own.waiting()    # what is parked, stranded, stuck

Every answer is a sheet: a table that shows itself in a notebook and prints itself elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from html import escape

from eve_replay.checks import Voice
from eve_replay.guidance import Report, why_all
from eve_replay.journal import Journal, Session, Step
from eve_replay.journal.effects.build import Effect, Executions
from eve_replay.journal.effects.policy import EffectsLike, EffectsPolicy
from eve_replay.journal.ledger.model import LedgerLike
from eve_replay.recovery import forecast
from eve_replay.views.kit.safe import cut, safe_text
from eve_replay.views.kit.table import Column, Table, table_html, table_lines
from eve_replay.views.kit.text import plain
from eve_replay.workshop.model import Language, Text
from eve_replay.workshop.own_words import COLUMNS, EMPTY, NOTES, TITLES

__all__ = ["MOST_SESSIONS", "Questions", "Sheet", "questions"]

#: Sessions that are read; the newest ones. A journal may hold tens of thousands.
MOST_SESSIONS = 50
_MOST_ROWS = 40

#: Verdicts that say that something is open, and needs somebody or some time.
_WAITING = frozenset(
    {
        "parked",
        "stranded",
        "retired",
        "dormant",
        "leased",
        "running",
        "interrupted",
        "overdue",
        "wedged",
        "will-fail",
        "repeats-without-end",
        "left-behind",
        "lost-answer",
        "late-answer",
        "half-written",
        "corrupted-event-log",
        "no-log",
        "purged",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """One answer.

    Attributes:
        title: the question.
        columns: headings.
        rows: one text per column.
        empty: what is said without rows: that is an answer too.
        notes: what to know about the table.
        language: of everything but the product's own words.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]] = field(default_factory=tuple)
    empty: str = ""
    notes: Sequence[str] = ()
    language: Language = "en"

    def __repr__(self) -> str:
        lines = plain(
            table_lines(self._table([[cut(cell, 60) for cell in row] for row in self.rows]), width=150)
        )
        return "\n".join([self.title, lines, *self._notes()])

    def _repr_html_(self) -> str:
        lang = "zh-CN" if self.language == "zh" else "en"
        # The notebook's heading above the cell is the title; here it only names the table for screen readers.
        table = table_html(self._table(self.rows), label=self.title)
        notes = "".join(f"<p>{escape(note)}</p>" for note in self._notes())
        return f'<div lang="{lang}" style="overflow-x:auto">{table}{notes}</div>'

    def _table(self, rows: Sequence[Sequence[str]]) -> Table:
        last = len(self.columns) - 1
        columns = [Column(title=name, shrink=int(n == last)) for n, name in enumerate(self.columns)]
        return Table(columns=columns, rows=rows[:_MOST_ROWS], empty=self.empty)

    def _notes(self) -> list[str]:
        left = len(self.rows) - _MOST_ROWS
        more = [NOTES["more-rows"].get(self.language).format(count=left)] if left > 0 else []
        return [*more, *self.notes]


def questions(
    journal: Journal,
    *,
    language: Language = "en",
    effects: EffectsLike = None,
    ledger: LedgerLike | None = None,
    eve: str | None = None,
    now: datetime | None = None,
) -> Questions:
    """Return the questions of the lessons, to be asked of a journal.

    Args:
        journal: any.
        language: of titles and notes; verdicts are in the product's words.
        effects: what is known of the tools: an effects policy, or the dict a person types.
        ledger: what really happened, in any form that ``Ledger.load`` takes.
        eve: the version that will open this journal; with it stranded sessions are named.
        now: the instant to reckon from; the clock's by default.

    Raises:
        WrongUse: the policy has a word that does not exist. SourceUnreadable: the ledger cannot be read.
    """
    rules = EffectsPolicy.load(effects or None)
    return Questions(journal, language, rules, ledger, eve, now or datetime.now(UTC))


class Questions:
    """See :func:`questions`."""

    def __init__(
        self,
        journal: Journal,
        language: Language,
        effects: EffectsPolicy,
        ledger: LedgerLike | None,
        eve: str | None,
        now: datetime,
    ) -> None:
        self.journal = journal
        self.language: Language = language
        self._rules = effects
        self._ledger, self._eve, self._now = ledger, eve, now

    @cached_property
    def sessions(self) -> tuple[Session, ...]:
        """The newest sessions, newest last; plain SDK runs are sessions too."""
        return tuple(list(self.journal.sessions)[-MOST_SESSIONS:])

    @cached_property
    def reports(self) -> tuple[Report, ...]:
        """Their post-mortems, worst first."""
        voice = Voice(now=self._now)
        return why_all(
            self.sessions,
            voice=voice,
            effects=self._rules,
            ledger=self._ledger,
            eve=self._eve,
            versions=self.journal.versions,
        ).reports

    def overview(self) -> Sheet:
        """What is in it, and what of it could not be read."""
        rows = [
            (
                _ending(each.id),
                each.kind,
                each.status,
                str(len(each.turns)),
                str(len(each.steps)),
                _safe(each.title, 70),
            )
            for each in reversed(self.sessions)
        ]
        notes = []
        receipt = self.journal.receipt
        if not receipt.clean:
            notes.append(self._say(NOTES["unclean"], count=len(receipt.skipped)))
        return self._sheet("overview", rows, notes)

    def again(self) -> Sheet:
        """Which steps were executed more than once, and how the earlier attempts ended."""
        rows = [
            (
                _ending(session.id),
                _where(step),
                step.function,
                str(len(step.attempts)),
                ", ".join(attempt.outcome for attempt in step.attempts),
            )
            for session in self.sessions
            for step in session.steps
            if len(step.attempts) > 1
        ]
        return self._sheet("again", rows)

    def effects(self) -> Sheet:
        """What ran twice, or may have."""
        rows = []
        for report in self.reports:
            for effect, counted in zip(report.effects, report.counts, strict=True):
                known = counted.count if counted is not None else None
                if not (effect.ran_twice or effect.may_have_run_twice or (known or 0) > 1):
                    continue
                rows.append(
                    (
                        _ending(report.session_id),
                        effect.turn_id or "",
                        f"{effect.tool} {effect.call_id or ''}".strip(),
                        _times(effect.executions),
                        effect.certainty,
                        "-" if known is None else str(known),
                        effect.protection.word,
                    )
                )
        return self._sheet("effects", rows, () if self._ledger is not None else ("no-ledger",))

    def keys(self) -> Sheet:
        """Per tool: what is known of its protection, and whether that survives a re-run."""
        tools: dict[str, list[Effect]] = {}
        for report in self.reports:
            for effect in report.effects:
                tools.setdefault(effect.tool, []).append(effect)
        rows = [
            (
                tool,
                str(len(some)),
                some[-1].protection.word,
                some[-1].protection.source,
                self._survives(some),
                self._ids(some),
            )
            for tool, some in sorted(tools.items())
        ]
        return self._sheet("keys", rows, ("policy",) if not self._rules.rules else ())

    def crash_now(self) -> Sheet:
        """What happens when the process comes back to the journal as it lies there."""
        wanted = {each.id for each in self.sessions}
        rows = []
        for each in forecast(self.journal, effects=self._rules):
            if each.session_id not in wanted or not each.open:
                continue
            again = [f"{effect.tool} {_times(effect.executions)}" for effect in each.answer.effects]
            rows.append(
                (
                    _ending(each.session_id),
                    each.answer.outcome,
                    each.answer.by,
                    ", ".join(again[:6]) or "-",
                    each.answer.sentence,
                )
            )
        return self._sheet("crash-now", rows)

    def waiting(self) -> Sheet:
        """What is parked, stranded or stuck, and what to do next."""
        rows = [
            (_ending(report.session_id), verdict.code, verdict.sentence, verdict.next)
            for report in self.reports
            for verdict in report.verdicts
            if verdict.code in _WAITING
        ]
        return self._sheet("waiting", rows, ("eve",) if self._eve is None else ())

    def _survives(self, effects: Sequence[Effect]) -> str:
        if effects[-1].protection.klass == "unknown":
            return self._say(NOTES["survives-unknown"])
        answers = {effect.protection.survives for effect in effects}
        name = "yes" if answers == {True} else "no" if answers == {False} else "depends"
        return self._say(NOTES[f"survives-{name}"])

    def _ids(self, effects: Sequence[Effect]) -> str:
        """Whether call ids were the same when the model was asked again: seen here, not assumed."""
        seen = [each for each in effects if each.kind == "tool" and len(_asked(each)) > 1]
        if not seen:
            return self._say(NOTES["ids-unseen"])
        changed = sum(len(set(_asked(each))) > 1 for each in seen)
        return self._say(NOTES["ids-changed" if changed else "ids-same"], changed=changed, count=len(seen))

    def _sheet(self, name: str, rows: Sequence[Sequence[str]], notes: Iterable[str] = ()) -> Sheet:
        left_out = len(self.journal.sessions) - len(self.sessions)
        said = [self._say(NOTES[note]) if note in NOTES else note for note in notes]
        if left_out > 0:
            said.append(self._say(NOTES["more-sessions"], count=left_out, most=MOST_SESSIONS))
        return Sheet(
            title=self._say(TITLES[name]),
            columns=tuple(self._say(column) for column in COLUMNS[name]),
            rows=tuple(tuple(_safe(cell, 600) for cell in row) for row in rows),
            empty=self._say(EMPTY[name]),
            notes=tuple(said),
            language=self.language,
        )

    def _say(self, text: Text, **fields: object) -> str:
        return text.get(self.language).format_map(fields)


def _times(count: Executions) -> str:
    if count.max is None:
        return f"{count.min}+"
    return str(count.min) if count.min == count.max else f"{count.min}-{count.max}"


def _asked(effect: Effect) -> list[str]:
    return [part.call_id for part in effect.by_attempt if part.requested and part.call_id]


def _ending(id_: str) -> str:
    return f"…{safe_text(id_)[-4:]}"


def _safe(text: str, width: int) -> str:
    return cut(safe_text(text), width)


def _where(step: Step) -> str:
    return (
        ", ".join(f"{each.turn_id} {each.step_index}" for each in step.coordinates[:3]) or step.turn_id or ""
    )

"""Why and doctor: verdicts and findings, each with its evidence to jump to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType

from eve_replay.guidance.plan import place_of
from eve_replay.views.kit.text import Line, line, paragraph
from eve_replay.views.kit.tone import TONES, Tone
from eve_replay.views.kit.words import plural
from eve_replay.views.session.explorer import Explorer
from eve_replay.views.verdicts.plan import PlanView
from eve_replay.views.verdicts.verdicts import (
    FindingRow,
    VerdictRow,
    finding_rows,
    session_verdicts,
    world_finding_rows,
)
from eve_replay_tui.keys import bindings
from eve_replay_tui.lines import Flow, LineView, TextRow, notice
from eve_replay_tui.reader import Job
from eve_replay_tui.rows.crash import LONGEST
from eve_replay_tui.rows.plan import plan_rows
from eve_replay_tui.rows.tables import evidence_row
from eve_replay_tui.screens.base import ReplayScreen
from eve_replay_tui.widgets.bars import Heading, KeyBar
from eve_replay_tui.work import start

__all__ = ["DoctorScreen", "WhyScreen"]

_KEYS = (
    ("Enter", "go to it", "into"),
    ("Space", "evidence", "toggle_evidence"),
    ("n", "next", "next_item"),
    ("b", "back", "previous_item"),
    ("y", "copy", "copy"),
    ("x", "export", "export"),
    ("Esc", "back", "back"),
    ("?", "help", "help"),
)


class _Verdicts(ReplayScreen):
    """A list of sentences with evidence below them."""

    ACTIONS: ClassVar[tuple[str, ...]] = (
        "next-event", "previous-event", "into", "copy", "copy-command", "export",
    )  # fmt: skip
    PLAIN: ClassVar[tuple[tuple[str, str], ...]] = (
        ("Enter", "Go to what the row is about, in the session. Rows with an arrow go to their evidence."),
        ("Space", "Show or hide the evidence."),
    )

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("into", "copy-command")]

    DEFAULT_CSS = """
    _Verdicts { background: $background; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.opened: set[str] = set()
        self.plan = PlanView()

    def compose(self) -> ComposeResult:
        """Return the panes."""
        yield Heading(id="head")
        yield LineView(id="verdicts")
        yield KeyBar(_KEYS)

    def on_mount(self) -> None:
        """Begin to read."""
        self.query_one("#head", Heading).left = line((self.TOPIC.capitalize(), "strong"))
        self.listing.focus()
        self.listing.show(notice("Working it out ..."))
        start(self, "verdicts", self._load)

    async def _load(self) -> None:
        raise NotImplementedError

    @property
    def listing(self) -> LineView:
        """The list."""
        return self.query_one("#verdicts", LineView)

    def _failed(self, text: str) -> None:
        self.listing.show(notice(text, tone="error"))

    def _rows(self, width: int) -> list[TextRow]:
        raise NotImplementedError

    def _show(self) -> None:
        self.listing.show(Flow(self._rows))

    def on_line_view_toggled(self, event: LineView.Toggled) -> None:
        """Show or hide the evidence."""
        if event.row is not None and event.row.fold:
            self.opened ^= {event.row.fold}
            at = self.listing.cursor
            self._show()
            if not self.listing.select(event.row.fold):
                self.listing.show(self.listing.rows, select=at)

    def on_line_view_chosen(self, event: LineView.Chosen) -> None:
        """Go there."""
        self.action_into()

    def action_copy_command(self) -> None:
        """Copy the command of the row, else the first one of the plan."""
        row = self.listing.current
        command = row.copy if row is not None else ""
        if command.startswith(("curl ", "eve-replay ", "rm ", "mv ", "$ ")):
            self.replay.copy(command)
        else:
            self.copy_command(self.plan)

    def action_toggle_evidence(self) -> None:
        """Show or hide the evidence of the row."""
        self.listing.action_fold_row()

    def action_into(self) -> None:
        """Go to what the row is about."""
        row = self.listing.current
        if row is not None and row.key:
            self.dismiss(row.key)
        else:
            self.say("This row is about nothing that can be shown.")

    def _item(self, by: int) -> None:
        rows = self.listing.rows
        at = self.listing.cursor + by
        while 0 <= at < len(rows):
            if rows.row(at, self.listing.room).data == "head":
                self.listing.action_line(at - self.listing.cursor)
                return
            at += by
        self.say("There is nothing further that way.")

    def action_next_item(self) -> None:
        """Go to the next verdict."""
        self._item(1)

    def action_previous_item(self) -> None:
        """Go to the verdict before."""
        self._item(-1)

    BINDINGS += [("n", "next_item", "next"), ("b", "previous_item", "back")]


class WhyScreen(_Verdicts):
    """What ran twice, what is open, what to do next."""

    TOPIC: ClassVar[str] = "why"
    ABOUT: ClassVar[str] = (
        "What happened in this session and what is open, worst first: who, what, when, how we know, "
        "what next."
    )

    def __init__(self, explorer: Explorer) -> None:
        super().__init__()
        self.explorer = explorer
        self.verdicts: tuple[VerdictRow, ...] = ()

    async def _load(self) -> None:
        options = self.replay.options
        found = await self.work(
            self.reader.long,
            lambda: session_verdicts(
                self.explorer.session,
                now=self.replay.now(),
                zone=options.zone,
                effects=options.effects,
                versions=[head.eve_version for head in self.reader.journal.heads if head.eve_version],
                place=place_of(self.reader.journal, self.explorer.session),
                ledger=self.explorer.ledger,
            ),
            self._failed,
        )
        if found is not None:
            self.plan, self.verdicts = found.plan, found.rows
            self.opened = {str(n) for n, row in enumerate(found.rows[:3]) if row.severity != "info"}
            steps = f"{plural(len(self.plan.rows), 'thing')} to do, " if self.plan else ""
            head = line((steps, "harm" if self.plan.urgent else "strong"))
            self.query_one("#head", Heading).right = (
                *head,
                *line((plural(len(found.rows), "verdict"), "muted")),
            )
            self._show()

    def _rows(self, width: int) -> list[TextRow]:
        out: list[TextRow] = plan_rows(self.plan, width)
        for n, row in enumerate(self.verdicts):
            if out:
                out.append(TextRow(line=()))
            remark: Line = line((f"  {row.certainty}", "muted"))
            out += _item(
                n,
                row.word,
                row.tone,
                remark,
                [(row.sentence, "plain"), ("" if self.plan else _next(row.next), "strong")],
                row.key,
                width,
            )
            out += _evidence(n, row.evidence, self.opened, row.key)
        return out or [TextRow(line=line(("There is nothing to say about this session.", "muted")))]


class DoctorScreen(_Verdicts):
    """What does not agree in a session, or in the whole world."""

    TOPIC: ClassVar[str] = "doctor"
    ABOUT: ClassVar[str] = (
        "The journal checked against itself: log, records, stream and commits. Nothing is repaired; hand "
        "repairs that were seen to work are told."
    )

    def __init__(self, explorer: Explorer | None) -> None:
        super().__init__()
        self.explorer = explorer
        self.findings: tuple[FindingRow, ...] = ()
        self.job = Job("Checking the sessions")

    async def _load(self) -> None:
        progress = self.set_interval(0.3, self._progress)
        try:
            found = await self.work(self.reader.long, self._checked, self._failed)
        finally:
            progress.stop()
        if found is not None:
            self.findings = found
            counts = [
                plural(sum(row.severity == word for row in found), said)
                for word, said in (("error", "error"), ("warning", "warning"), ("info", "remark"))
                if any(row.severity == word for row in found)
            ]
            self.query_one("#head", Heading).right = line((", ".join(counts), "muted"))
            self._show()

    def _progress(self) -> None:
        self.listing.show(notice(f"{self.job.text}. Esc stops it."))

    def _checked(self) -> tuple[FindingRow, ...]:
        now = self.replay.now()
        if self.explorer is not None:
            return finding_rows(self.explorer.session, now=now)
        journal = self.reader.journal
        heads = journal.heads
        self.job.total = len(heads)
        found: list[FindingRow] = []
        for n, head in enumerate(heads):
            session = self.reader.explorer(head.id, keep=False).session
            found += finding_rows(session, now=now, deep=len(heads) <= 50)
            self.job.step(n + 1)
        found += world_finding_rows(journal)
        order = {"error": 0, "warning": 1, "info": 2}
        return tuple(sorted(found, key=lambda row: order[row.severity]))

    def on_unmount(self) -> None:
        """Nobody waits for it any more."""
        self.job.stop()

    def _rows(self, width: int) -> list[TextRow]:
        out: list[TextRow] = []
        for n, row in enumerate(self.findings):
            if out:
                out.append(TextRow(line=()))
            remark: Line = line((f"  {row.where}", "muted"))
            texts: list[tuple[str, Tone]] = [
                (row.sentence, "plain"),
                (row.why, "muted"),
                (f"Do: {row.fix}" if row.fix else "", "strong"),
            ]
            out += _item(n, row.code, row.tone, remark, texts, row.key, width)
            out += _evidence(n, row.evidence, self.opened, row.key)
        clean = "Nothing found: log, records and stream agree."
        return out or [TextRow(line=line((f"{TONES['ok'].sign} {clean}", "ok")))]


def _next(text: str) -> str:
    return f"Next: {text}" if text else ""


def _item(
    n: int, word: str, tone: Tone, remark: Line, texts: Sequence[tuple[str, Tone]], key: str, width: int
) -> list[TextRow]:
    sign = TONES[tone].sign or "-"
    width = min(width, LONGEST)
    out = [TextRow(line=(*line((f"{sign} {word}", tone)), *remark), key=key, fold=str(n), data="head")]
    for text, each in texts:
        if text:
            out += [
                TextRow(line=part, key=key, fold=str(n), copy=text)
                for part in paragraph(text, width=width, indent=2, tone=each)
            ]
    return out


def _evidence(n: int, evidence: Sequence[object], opened: set[str], key: str) -> list[TextRow]:
    rows = list(evidence)
    if not rows:
        return []
    if str(n) not in opened:
        text = f"  {plural(len(rows), 'piece')} of evidence, Space shows"
        return [TextRow(line=line((text, "muted")), key=key, fold=str(n))]
    out = []
    for each in rows:
        row = evidence_row(each, indent=4)  # type: ignore[arg-type]
        out.append(TextRow(line=row.line, key=row.key, fold=str(n), copy=row.copy))
    return out

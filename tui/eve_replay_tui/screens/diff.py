"""Two attempts of a step, or two steps, side by side or as one flow."""

from __future__ import annotations

from itertools import pairwise
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from eve_replay.views.diffs.attempts import AttemptDiffView
from eve_replay.views.kit.text import line
from eve_replay.views.session.explorer import Explorer
from eve_replay_tui.keys import bindings
from eve_replay_tui.lines import Flow, LineView, notice
from eve_replay_tui.rows.diffs import attempt_diff_rows, step_diff_rows
from eve_replay_tui.screens.base import ReplayScreen
from eve_replay_tui.screens.help import PickScreen
from eve_replay_tui.widgets.bars import Heading, KeyBar
from eve_replay_tui.work import start

__all__ = ["DiffScreen"]


class DiffScreen(ReplayScreen):
    """Attempt against attempt; without a second attempt, the step against the step before it."""

    TOPIC: ClassVar[str] = "diff"
    ABOUT: ClassVar[str] = (
        "What is the same and what differs between two attempts of a step. Effects that ran in both stand on "
        "top. A step with one attempt is compared with the step before it; B and N choose other steps."
    )
    ACTIONS: ClassVar[tuple[str, ...]] = (
        "next-attempt", "previous-step", "next-step", "layout", "into", "copy", "export",
    )  # fmt: skip
    PLAIN: ClassVar[tuple[tuple[str, str], ...]] = (
        ("Enter", "Go to what the row is about."),
        ("f", "Show what is the same too."),
        ("o", "Choose which step to compare with."),
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings("next-attempt", "layout", "next-step", "previous-step"),
        Binding("f", "every", show=False),
        Binding("o", "against", show=False),
        Binding("d", "back", show=False),
    ]

    DEFAULT_CSS = """
    DiffScreen { background: $background; }
    """

    def __init__(self, explorer: Explorer, step: str) -> None:
        super().__init__()
        self.explorer = explorer
        self.step = step
        self.other = ""
        self.pair = 0
        self.beside = True
        self.every = False
        self.view: AttemptDiffView | None = None

    def compose(self) -> ComposeResult:
        """Return the panes."""
        yield Heading(id="head")
        yield LineView(id="diff")
        yield KeyBar(
            (
                ("a", "other attempts", "next_attempt"),
                ("v", "side by side", "layout"),
                ("f", "what is the same", "every"),
                ("B N", "other step", "next_step"),
                ("o", "against", "against"),
                ("Enter", "go there", "into"),
                ("x", "export", "export"),
                ("Esc", "back", "back"),
                ("?", "help", "help"),
            )
        )

    def on_mount(self) -> None:
        """Begin to compare."""
        self.diff.focus()
        self._start()

    @property
    def diff(self) -> LineView:
        """The comparison."""
        return self.query_one("#diff", LineView)

    @property
    def steps(self) -> list[str]:
        """Keys of all steps in tree order."""
        return [row.key for row in self.explorer.tree.rows if row.kind == "step"]

    def _attempts(self) -> list[int]:
        rows = self.explorer.tree.below(self.step)
        return [int(row.key.rpartition("/")[2]) for row in rows if row.kind == "attempt"]

    def _pairs(self) -> list[tuple[int, int]]:
        numbers = self._attempts()
        neighbours = list(pairwise(numbers))
        ends = [(numbers[0], numbers[-1])] if len(numbers) > 2 else []
        return [*reversed(neighbours), *ends]

    def _start(self) -> None:
        self.diff.show(notice("Comparing ..."))
        start(self, "diff", self._load)

    async def _load(self) -> None:
        pairs = self._pairs()
        if pairs and not self.other:
            first, second = pairs[self.pair % len(pairs)]
            view = await self.work(
                self.reader.quick,
                lambda: self.explorer.inspector.diff(self.step, first, second),
                self._failed,
            )
            if view is not None:
                self._attempt_diff(view, len(pairs))
            return
        other = self.other or self._before()
        if not other:
            self._failed("This step has one attempt, and no step comes before it to compare with.")
            return
        compared = await self.work(
            self.reader.quick, lambda: step_diff_rows(self.explorer, other, self.step), self._failed
        )
        if compared is not None:
            left, right, build = compared
            self.view = None
            self.query_one("#head", Heading).left = line(
                ("Diff  ", "strong"), left, ("  against  ", "muted"), right
            )
            self.query_one("#head", Heading).right = line(("steps", "muted"))
            self.diff.show(Flow(lambda width: build(width, self.beside)), select=0)

    def _before(self) -> str:
        """Return the step before this one, rather one of the same function."""
        steps = self.steps
        before = steps[: steps.index(self.step)] if self.step in steps else []
        labels = {row.key: row.label.split(" ")[-1] for row in self.explorer.tree.rows}
        alike = [key for key in before if labels[key] == labels.get(self.step)]
        return (alike or before or [""])[-1]

    def _attempt_diff(self, view: AttemptDiffView, pairs: int) -> None:
        self.view = view
        head = self.query_one("#head", Heading)
        head.left = line(
            ("Diff  ", "strong"), f"{view.function}  {view.left}", ("  against  ", "muted"), view.right
        )
        layout = "side by side" if self.beside else "unified"
        head.right = line((f"pair {self.pair % pairs + 1} of {pairs}  {layout}", "muted"))
        self.diff.show(
            Flow(lambda width: attempt_diff_rows(view, width, beside=self.beside, every=self.every)), select=0
        )

    def _failed(self, text: str) -> None:
        self.diff.show(notice(text, tone="error"))

    def on_line_view_chosen(self, event: LineView.Chosen) -> None:
        """Go to what the row is about."""
        self.action_into()

    def action_into(self) -> None:
        """Go to what the row is about."""
        row = self.diff.current
        self.dismiss(row.key if row is not None and row.key else self.step)

    def action_next_attempt(self) -> None:
        """Compare the next pair of attempts."""
        if len(self._pairs()) < 2:
            self.say("There is no other pair of attempts.")
            return
        self.pair += 1
        self._start()

    def action_layout(self) -> None:
        """Change between side by side and unified."""
        self.beside = not self.beside
        self._start()

    def action_every(self) -> None:
        """Show what is the same too, or not."""
        self.every = not self.every
        self._start()

    def _to(self, by: int) -> None:
        steps = self.steps
        at = steps.index(self.step) + by if self.step in steps else 0
        if 0 <= at < len(steps):
            self.step, self.other, self.pair = steps[at], "", 0
            self._start()
        else:
            self.say("There is no step further that way.")

    def action_next_step(self) -> None:
        """Compare at the next step."""
        self._to(1)

    def action_previous_step(self) -> None:
        """Compare at the step before."""
        self._to(-1)

    def action_against(self) -> None:
        """Choose the step to compare with."""

        def taken(key: str | None) -> None:
            if key:
                self.other = "" if key == self.step else key
                self._start()

        rows = [row for row in self.explorer.tree.rows if row.kind == "step"]
        choices = [(row.key, row.label, row.status) for row in rows[:500]]
        self.app.push_screen(PickScreen("Compare with which step", choices, self.other), taken)

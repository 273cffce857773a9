"""Help, and the two questions: a line of text, a choice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Input

from eve_replay.views.kit.safe import safe_text
from eve_replay.views.kit.text import line, paragraph
from eve_replay.views.kit.tone import TONES
from eve_replay_tui.keys import bindings, help_keys
from eve_replay_tui.lines import Flow, LineView, Listing, TextRow, notice
from eve_replay_tui.screens.base import Dialog
from eve_replay_tui.widgets.bars import Heading

__all__ = ["AskScreen", "HelpScreen", "PickScreen"]

_LEGEND = ("committed", "once", "again", "harm", "unknown", "parked", "model", "tool", "warning", "error")


class HelpScreen(Dialog[None]):
    """All keys of a screen, and what signs and colours mean."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("help", "leave")]

    DEFAULT_CSS = """
    HelpScreen > Vertical { height: 90%; }
    HelpScreen LineView { height: 1fr; max-height: 100%; }
    """

    def __init__(
        self, topic: str, about: str, actions: tuple[str, ...], plain: tuple[tuple[str, str], ...]
    ) -> None:
        super().__init__()
        self._topic, self._about, self._actions, self._plain = topic, about, actions, plain

    def compose(self) -> ComposeResult:
        """Return the box."""
        with Vertical():
            yield Heading()
            yield LineView()

    def on_mount(self) -> None:
        """Fill it."""
        self.query_one(Heading).left = line((f"Help: {self._topic}", "strong"))
        self.query_one(Heading).right = line(("Esc closes", "muted"))
        view = self.query_one(LineView)
        view.show(Flow(self._rows))
        view.focus()

    def _rows(self, width: int) -> Sequence[TextRow]:
        rows = [TextRow(line=each) for each in paragraph(self._about, width=width)]
        keys = [*self._plain, *((each.key, each.help) for each in help_keys(self._actions))]
        keys += [
            ("Ctrl+P", "Open the command palette: everything by name."),
            ("Tab", "Go to the next pane; Shift+Tab to the one before."),
            ("Arrows", "Move; Page Up, Page Down, Home and End too. The mouse does the obvious."),
            ("Esc", "Close this and go back."),
            ("q", "Leave the program."),
        ]
        rows.append(TextRow(line=()))
        first = dict(reversed(keys))
        for key, text in ((key, first[key]) for key in dict(keys)):
            for n, each in enumerate(paragraph(text, width=width - 14)):
                head = key if not n else ""
                rows.append(TextRow(line=(*line((f"  {head:<12}", "tool")), *each)))
        rows += [TextRow(line=()), TextRow(line=line(("Signs and colours", "strong")))]
        for tone in _LEGEND:
            spec = TONES[tone]  # type: ignore[index]
            sign = f"  {spec.sign:<12}"
            rows.append(TextRow(line=line((sign, tone), (spec.meaning, "plain"))))  # type: ignore[arg-type]
        rows += [
            TextRow(line=()),
            *(
                TextRow(line=each)
                for each in paragraph(
                    "observed: the journal records it. implied: it follows from what is recorded and the "
                    "rules. unknown: the journal cannot tell.",
                    width=width,
                    tone="muted",
                )
            ),
        ]
        return rows

    def action_help(self) -> None:
        """Close: the same key opens and closes."""
        self.dismiss(None)

    def action_leave(self) -> None:
        """Close."""
        self.dismiss(None)


class AskScreen(Dialog[str]):
    """Asks for a line of text."""

    def __init__(self, question: str, *, value: str = "", placeholder: str = "") -> None:
        super().__init__()
        self._question, self._value, self._placeholder = question, value, placeholder

    def compose(self) -> ComposeResult:
        """Return the box."""
        with Vertical():
            yield Heading()
            yield Input(value=self._value, placeholder=self._placeholder)

    def on_mount(self) -> None:
        """Ask."""
        self.query_one(Heading).left = line((self._question, "strong"))
        field = self.query_one(Input)
        field.cursor_blink = False
        field.focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Answer."""
        self.dismiss(event.value.strip())


class PickScreen(Dialog[str]):
    """Asks for one of several: ``(name, words, note)``. The note of the selected one stands below."""

    DEFAULT_CSS = """
    PickScreen #note { height: 3; border-top: solid $panel; }
    """

    def __init__(self, question: str, choices: Sequence[tuple[str, str, str]], current: str = "") -> None:
        super().__init__()
        self._question, self._choices, self._current = question, tuple(choices), current

    def compose(self) -> ComposeResult:
        """Return the box."""
        with Vertical():
            yield Heading()
            yield LineView(id="choices")
            note = LineView(id="note", marker=False)
            note.can_focus, note.passive = False, True
            yield note

    def on_mount(self) -> None:
        """Ask."""
        self.query_one(Heading).left = line((self._question, "strong"))
        self.query_one(Heading).right = line(("Enter takes it", "muted"))
        view = self.query_one("#choices", LineView)
        view.styles.height = min(len(self._choices), 16)
        at = next((n for n, choice in enumerate(self._choices) if choice[0] == self._current), 0)
        view.show(Listing(self._choices, self._draw, lambda choice: choice[0]), select=at)
        view.focus()
        self._tell()

    def _draw(self, choice: tuple[str, str, str], width: int) -> TextRow:
        mark = "• " if choice[0] == self._current else "  "
        return TextRow(line=line((mark, "tool"), safe_text(choice[1])), key=choice[0], data=choice)

    def _tell(self) -> None:
        """Show the note of the selected choice."""
        row = self.query_one("#choices", LineView).current
        note = row.data[2] if row is not None else ""
        self.query_one("#note", LineView).show(notice(note), select=0)

    def on_line_view_moved(self, event: LineView.Moved) -> None:
        """Another choice is selected."""
        self._tell()

    def on_line_view_chosen(self, event: LineView.Chosen) -> None:
        """Answer."""
        if event.row is not None:
            self.dismiss(event.row.key)

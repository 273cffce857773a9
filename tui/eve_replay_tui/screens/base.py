"""What all screens share: the application typed, keys that work everywhere, errors in their place."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

from textual.binding import BindingType
from textual.screen import ModalScreen, Screen

from eve_replay.errors import EveReplayError
from eve_replay.views.kit.safe import safe_text
from eve_replay_tui.keys import bindings
from eve_replay_tui.lines import LineView
from eve_replay_tui.reader import Lane, Reader

if TYPE_CHECKING:
    from eve_replay.views.verdicts.plan import PlanView
    from eve_replay_tui.app import ReplayApp

__all__ = ["Dialog", "Result", "ReplayScreen", "error_text"]

T = TypeVar("T")
Result = TypeVar("Result")


def error_text(error: BaseException) -> str:
    """Return an error as one safe sentence."""
    if isinstance(error, EveReplayError):
        return safe_text(str(error))
    return safe_text(f"This could not be worked out ({type(error).__name__}: {error}).")


class _Shared:
    """Helpers of screens and dialogs."""

    @property
    def replay(self) -> ReplayApp:
        """The application."""
        return cast("ReplayApp", self.app)  # type: ignore[attr-defined]

    @property
    def reader(self) -> Reader:
        """The reader of the application."""
        return self.replay.reader

    def say(self, text: str, *, warning: bool = False) -> None:
        """Say a sentence for a moment."""
        self.replay.say(text, warning=warning)

    async def work(self, lane: Lane, job: Callable[[], T], failed: Callable[[str], Any]) -> T | None:
        """Return what a job gives; what goes wrong is told to ``failed`` as a sentence, and None returned."""
        try:
            return await lane.run(job)
        except asyncio.CancelledError:
            raise
        except Exception as error:  # one damaged payload must not end the program
            failed(error_text(error))
            return None


class ReplayScreen(_Shared, Screen[str]):
    """A screen. It may be left with a key to go to in the session below it.

    Attributes:
        TOPIC: its name on the help screen; ``ABOUT`` a sentence.
        ACTIONS: its keys, by action; ``PLAIN`` keys in words.
    """

    TOPIC: ClassVar[str] = ""
    ABOUT: ClassVar[str] = ""
    ACTIONS: ClassVar[tuple[str, ...]] = ()
    PLAIN: ClassVar[tuple[tuple[str, str], ...]] = ()

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("help", "back", "copy", "export", "leave")]

    def action_help(self) -> None:
        """Show all keys."""
        self.replay.explain(self.TOPIC, self.ABOUT, self.ACTIONS, self.PLAIN)

    def action_back(self) -> None:
        """Close this and go back."""
        self.dismiss("")

    def action_leave(self) -> None:
        """Leave the program."""
        self.app.exit()

    def action_copy(self) -> None:
        """Copy the row under the cursor."""
        focused = self.focused
        if isinstance(focused, LineView) and focused.current is not None:
            row = focused.current
            self.replay.copy(row.copy or "".join(span.text for span in row.line).strip())

    def copy_command(self, plan: PlanView | None) -> None:
        """Copy the first command of a plan, or say why there is none."""
        commands = [each.command for row in plan.rows for each in row.commands] if plan is not None else []
        if commands:
            self.replay.copy(commands[0])
        else:
            self.say("Nothing of what is to be done here is a command.")

    def action_export(self) -> None:
        """Write what the focused pane shows to a file."""
        focused = self.focused
        view = focused if isinstance(focused, LineView) else next(iter(self.query(LineView)), None)
        if view is not None:
            view.rows.prepare(200)
            lines = [
                "".join(safe_text(span.text) for span in view.rows.row(n, 200).line).rstrip()
                for n in range(len(view.rows))
            ]
            view.rows.prepare(view.room)
            self.replay.export(self.TOPIC or "screen", "txt", "\n".join(lines) + "\n")


class Dialog(_Shared, ModalScreen[Result]):
    """A question above a screen."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("back")]

    DEFAULT_CSS = """
    Dialog { align: center middle; background: $background 60%; }
    Dialog > Vertical { width: 76; max-width: 95%; height: auto; max-height: 90%; border: round $accent;
                        background: $background; padding: 0 1; }
    Dialog LineView { height: auto; max-height: 20; }
    """

    def action_back(self) -> None:
        """Answer nothing."""
        self.dismiss(None)

"""The crash lab: move the crash point along a turn and see at once what a crash there does."""

from __future__ import annotations

from typing import Any, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container

from eve_replay.views.crashlab.crash import Choice, CrashLab, CrashPointRow, CrashView, Question
from eve_replay.views.kit.text import line
from eve_replay.views.kit.tone import Tone
from eve_replay.views.kit.words import clock
from eve_replay.views.session.explorer import Explorer
from eve_replay_tui.keys import bindings
from eve_replay_tui.lines import Flow, LineView, Listing, notice
from eve_replay_tui.rows.crash import point_row, view_rows
from eve_replay_tui.screens.base import ReplayScreen
from eve_replay_tui.screens.help import PickScreen
from eve_replay_tui.widgets.bars import Heading, KeyBar
from eve_replay_tui.widgets.points import PointStrip
from eve_replay_tui.work import start

__all__ = ["CrashScreen"]


class CrashScreen(ReplayScreen):
    """Crash points of one turn with the answer for the selected one.

    Args:
        explorer: the session.
        turn_id: the turn; None takes the last.
        at: key or id to start at: the first point after it.
        asked: assumptions to start with.
    """

    TOPIC: ClassVar[str] = "crash lab"
    ABOUT: ClassVar[str] = (
        "What would happen if the process died at this point. The points are the moments between two durable "
        "writes of the turn. Runtime, environment, the model's answer and the protection of each tool can be "
        "chosen; the answer changes at once."
    )
    ACTIONS: ClassVar[tuple[str, ...]] = (
        "previous-crash-point", "next-crash-point", "runtime", "environment", "model", "strategy", "matrix",
        "next-effect", "into", "copy", "export",
    )  # fmt: skip
    PLAIN: ClassVar[tuple[tuple[str, str], ...]] = (
        ("Arrows", "Move the crash point."),
        ("{ }", "Move to the next kind of point."),
        ("Enter", "Go to this moment in the session."),
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings("previous-crash-point", "next-crash-point", "runtime", "environment", "model", "strategy"),
        *bindings("matrix", "into"),
        Binding("left,b", "point(-1)", show=False),
        Binding("right,n", "point(1)", show=False),
        Binding("e", "next_effect", show=False),
        Binding("left_curly_bracket", "kind(-1)", show=False),
        Binding("right_curly_bracket", "kind(1)", show=False),
        Binding("c", "back", show=False),
    ]

    DEFAULT_CSS = """
    CrashScreen { background: $background; }
    CrashScreen #lab { layout: horizontal; height: 1fr; }
    CrashScreen #points { width: 2fr; border: round $panel; border-title-color: $secondary; }
    CrashScreen #answer { width: 3fr; border: round $panel; border-title-color: $secondary; }
    CrashScreen LineView:focus { border: round $accent; border-title-color: $accent; }
    CrashScreen.narrow #lab { layout: vertical; }
    CrashScreen.narrow #points { width: 1fr; height: 5; border: none; }
    CrashScreen.narrow #answer { width: 1fr; border: none; border-top: solid $panel; }
    CrashScreen.narrow #answer:focus { border: none; border-top: solid $accent; }
    """

    def __init__(
        self, explorer: Explorer, turn_id: str | None, at: str = "", *, asked: dict[str, Any] | None = None
    ) -> None:
        super().__init__()
        self.explorer = explorer
        self.turn_id = turn_id
        self.at = at
        self.lab: CrashLab | None = None
        self.asked: dict[str, Any] = dict(asked or {})
        self.view: CrashView | None = None
        self.tones: tuple[Tone, ...] = ()
        self._toned: dict[str, Any] | None = None

    def compose(self) -> ComposeResult:
        """Return the panes."""
        yield Heading(id="head")
        yield PointStrip(id="strip")
        yield Heading(id="assumed")
        with Container(id="lab"):
            points = LineView(id="points")
            points.border_title = "Crash points"
            yield points
            answer = LineView(id="answer", marker=False)
            answer.border_title = "What happens"
            yield answer
        yield KeyBar(
            (
                ("[ ]", "move", "point(1)"),
                ("{ }", "next kind", "kind(1)"),
                ("p", "runtime", "runtime"),
                ("E", "environment", "environment"),
                ("M", "model", "model"),
                ("S", "protection", "strategy"),
                ("m", "matrix", "matrix"),
                ("Enter", "go there", "into"),
                ("Esc", "back", "back"),
                ("?", "help", "help"),
            )
        )

    def on_mount(self) -> None:
        """Begin to work the points out."""
        self.points.show(notice("Working out the crash points ..."))
        self.points.focus()
        self.query_one("#head", Heading).left = line(("Crash lab", "strong"))
        start(self, "lab", self._load)

    @property
    def points(self) -> LineView:
        """The list of points."""
        return self.query_one("#points", LineView)

    @property
    def answer(self) -> LineView:
        """The answer."""
        return self.query_one("#answer", LineView)

    def on_resize(self, event: events.Resize) -> None:
        """Change to one column on a narrow screen."""
        self.set_class(event.size.width < 110, "narrow")

    async def _load(self) -> None:
        def made() -> CrashLab:
            lab = self.replay.lab_of(self.explorer, self.turn_id)
            _ = lab.points, lab.choices
            return lab

        lab = await self.work(self.reader.quick, made, self._failed)
        if lab is None:
            return
        self.lab = lab
        if not lab.points:
            self._failed("Nothing was written here yet, so there is no point to crash at.")
            return
        listing: Listing[CrashPointRow] = Listing(
            lab.points,
            lambda point, width: point_row(point, width, lab.points, self.replay.options.zone, self.tones),
            lambda point: str(point.index),
        )
        first = self._first(lab)
        self.points.show(listing, select=first)
        self.tones = tuple[Tone, ...](["muted"] * len(lab.points))
        self.query_one(PointStrip).show(self.tones, first)
        self._ask()

    def _first(self, lab: CrashLab) -> int:
        found = lab.index_of(self.at) if self.at else None
        if found is None and self.at:
            stops = {stop.key: n for n, stop in enumerate(self.explorer.cursor.stops)}
            here = stops.get(self.at, -1)
            after = [p.index for p in lab.points if p.key and stops.get(p.key, -1) >= here >= 0]
            found = after[0] if after else None
        if found is None:
            found = next((p.index for p in lab.points if p.happened or p.possible), 0)
        return found

    def _failed(self, text: str) -> None:
        self.points.show(notice("No crash points."))
        self.answer.show(notice(text, tone="error"))

    # -- the answer --------------------------------------------------------------------------------------

    @property
    def index(self) -> int:
        """The selected crash point."""
        return self.points.cursor

    def _ask(self) -> None:
        """Work the selected point out. One takes a few milliseconds, so it is done at once."""
        lab = self.lab
        if lab is None:
            return
        self.query_one(PointStrip).show(self.tones, self.index)
        start(self, "answer", self._answer, lab, self.index, dict(self.asked))
        asked = {**self.asked, "strategies": dict(self.asked.get("strategies", {}))}
        if self._toned != asked:
            self._toned = asked
            start(self, "tones", self._tone, lab, asked)

    async def _tone(self, lab: CrashLab, asked: dict[str, Any]) -> None:
        """Give every point the tone of what a crash there does, under the assumptions of the moment."""
        tones = await self.work(self.reader.long, lambda: lab.tones(Question(**asked)), self._wrong)
        if tones is None:
            return
        self.tones = tones
        self.query_one(PointStrip).show(tones, self.index)
        self.points.restyle()

    async def _answer(self, lab: CrashLab, index: int, asked: dict[str, Any]) -> None:
        view = await self.work(self.reader.quick, lambda: lab.view(index, Question(**asked)), self._wrong)
        if view is None:
            return
        self.view = view
        turn = (lab.turn_id or "run").replace("turn_", "turn ")
        head = self.query_one("#head", Heading)
        place = f"{turn}, point {view.point.number} of {view.total}: "
        head.left = line(("Crash lab  ", "strong"), place, view.point.label)
        head.right = line((clock(view.point.at, self.replay.options.zone, millis=True), "muted"))
        self.query_one("#assumed", Heading).left = line(
            *[
                part
                for name, words in view.assumptions
                for part in ((f"{name} ", "muted"), (f"{words}   ", "plain"))
            ]
        )
        self.answer.show(Flow(lambda width: view_rows(view, width, self.replay.options.zone)), select=0)

    def _wrong(self, text: str) -> None:
        self.answer.show(notice(text, tone="error"))

    def on_line_view_moved(self, event: LineView.Moved) -> None:
        """Another point is selected."""
        if event.view is self.points:
            self._ask()

    def on_line_view_chosen(self, event: LineView.Chosen) -> None:
        """Go to the moment, or where the row points."""
        if event.view is self.answer and event.row is not None and event.row.key:
            self.dismiss(event.row.key)
        elif event.view is self.points:
            self.action_into()

    def on_point_strip_picked(self, event: PointStrip.Picked) -> None:
        """A point was clicked."""
        self._to(event.index)

    def _to(self, index: int) -> None:
        self.points.cursor = min(max(index, 0), max(len(self.points.rows) - 1, 0))
        self.points.show(self.points.rows)
        self.points.restyle()
        self._ask()

    # -- actions -----------------------------------------------------------------------------------------

    def action_point(self, by: int) -> None:
        """Move the crash point."""
        if self.lab is not None:
            self._to(self.index + by)

    def action_next_crash_point(self) -> None:
        """Move to the next point."""
        self.action_point(1)

    def action_previous_crash_point(self) -> None:
        """Move to the point before."""
        self.action_point(-1)

    def action_kind(self, by: int) -> None:
        """Move to the next point of another class."""
        lab = self.lab
        if lab is None or not lab.points:
            return
        at, klass = self.index, lab.points[self.index].klass
        while 0 <= at + by < len(lab.points) and lab.points[at].klass == klass:
            at += by
        if by < 0:
            klass = lab.points[at].klass
            while at > 0 and lab.points[at - 1].klass == klass:
                at -= 1
        self._to(at)

    def action_next_effect(self) -> None:
        """Move to the next point at which other effects have happened."""
        lab = self.lab
        if lab is None:
            return
        now = lab.points[self.index]
        for point in lab.points[self.index + 1 :]:
            if (point.happened, point.possible) != (now.happened, now.possible):
                self._to(point.index)
                return
        self.say("No further effect in this turn.")

    def action_into(self) -> None:
        """Go to this moment in the session."""
        lab = self.lab
        if lab is None or not lab.points:
            return
        point = lab.points[self.index]
        key = point.key or point.step
        if key:
            self.dismiss(key)
        else:
            self.say("This point lies between two writes that are no events.")

    def _pick(self, question: str, name: str, choices: tuple[Choice, ...], default: str) -> None:
        def taken(choice: str | None) -> None:
            if choice:
                self.asked[name] = choice
                self._ask()

        rows = [(each.name, each.words, each.note) for each in choices]
        self.app.push_screen(PickScreen(question, rows, self.asked.get(name, default)), taken)

    def action_runtime(self) -> None:
        """Choose the runtime."""
        if self.lab is not None:
            choices = self.lab.choices.runtimes
            self._pick("Runtime", "runtime", choices, choices[0].name)

    def action_environment(self) -> None:
        """Choose what restarts it."""
        if self.lab is not None:
            choices = self.lab.choices.environments
            self._pick("What restarts it", "environment", choices, choices[0].name)

    def action_model(self) -> None:
        """Choose what the model answers."""
        if self.lab is not None:
            self._pick("What the model answers when asked again", "model", self.lab.choices.models, "same")

    def action_strategy(self) -> None:
        """Choose the protection of a tool: first the tool, then how."""
        lab = self.lab
        if lab is None:
            return
        if not lab.choices.tools:
            self.say("No tool and no step function runs in this turn.")
            return
        chosen: dict[str, str] = self.asked.get("strategies", {})

        def tool_taken(tool: str | None) -> None:
            if not tool:
                return

            def taken(name: str | None) -> None:
                if name:
                    strategies = {**chosen, tool: name}
                    if name == "as recorded":
                        strategies.pop(tool)
                    self.asked["strategies"] = strategies
                    self._ask()

            known = [(each.name, each.words, each.note) for each in lab.choices.strategies]
            known.insert(0, ("as recorded", "as it was recorded", "what the journal shows of its protection"))
            question = f"How {'every tool' if tool == '*' else tool} is protected"
            self.app.push_screen(PickScreen(question, known, chosen.get(tool, "as recorded")), taken)

        tools = [(tool, tool, chosen.get(tool, "")) for tool in lab.choices.tools]
        if len(tools) == 1:
            tool_taken(tools[0][0])
        else:
            self.app.push_screen(PickScreen("Which tool", [*tools, ("*", "every tool", "")]), tool_taken)

    def action_matrix(self) -> None:
        """Open the matrix under the same assumptions."""
        from eve_replay_tui.screens.matrix import MatrixScreen

        self.app.push_screen(MatrixScreen(self.explorer, self.turn_id, self.asked), self._from_matrix)

    def _from_matrix(self, key: str | None) -> None:
        if key and key.startswith("point:"):
            self._to(int(key.removeprefix("point:")))
        elif key:
            self.dismiss(key)

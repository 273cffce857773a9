"""How a session stands now: heading, what to do, silence and deadlines that go on, following the newest."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from eve_replay.views.kit.text import Span, line
from eve_replay.views.kit.tone import TONES
from eve_replay.views.kit.words import plural
from eve_replay.views.session.explorer import Explorer
from eve_replay.views.session.titles import title_text
from eve_replay_tui.rows.plan import now_line, told_of
from eve_replay_tui.widgets.bars import Heading
from eve_replay_tui.work import start

if TYPE_CHECKING:
    from eve_replay_tui.screens.session import SessionScreen

__all__ = ["TICK", "Live"]

#: Seconds between two looks at deadlines and silence.
TICK = 10.0


class Live:
    """What changes while nothing is pressed."""

    @property
    def _it(self) -> SessionScreen:
        return cast("SessionScreen", self)

    async def status(self, explorer: Explorer) -> None:
        """Say in the heading what the verdicts say of the session: leased, overdue, stranded."""
        me = self._it
        options, now = me.replay.options, me.replay.now()
        told = await me.work(
            me.reader.long, lambda: told_of(explorer, me.reader.journal, options, now), lambda text: None
        )
        if told is None or me.explorer is not explorer:
            return
        me.stated, me.plan, me.silence = told
        bar = me.query_one("#now", Heading)
        bar.left = now_line(me.plan) if me.plan else ()
        bar.set_class(not me.plan, "away")
        self.heading()
        if me.silence is not None:
            me.show_timeline()

    def tick(self) -> None:
        """Let deadlines come nearer and silence grow, where there is any."""
        me = self._it
        waits = me.plan is not None and any(row.deadline is not None for row in me.plan.rows)
        if me.explorer is not None and (waits or me.silence is not None) and me.is_current:
            start(me, "status", self.status, me.explorer)

    def heading(self) -> None:
        """Say what the session is and how it stands."""
        me = self._it
        if me.explorer is None:
            return
        row = me.stated or me.explorer.row(now=me.replay.now())
        head = me.query_one("#head", Heading)
        kind = "" if row.kind == "session" else f"{row.kind} "
        head.left = line((f"{kind}{title_text(row.title) or row.id}", "strong"))
        counts = [plural(row.runs, "run")] if row.runs > 1 else []
        counts += [plural(row.turns or 0, "turn"), plural(row.steps or 0, "step")]
        eve = f"  eve {row.versions[-1]}" if row.versions else ""
        sign = TONES[row.tone].sign
        live = ("  follows" if me.following else "  live") if me.replay.live else ""
        head.right = (
            Span(f"{sign} " if sign else "", row.tone),
            Span(row.status_text, row.tone),
            Span(f"{eve}  {', '.join(counts)}{live}", "muted"),
        )

    def newest(self, explorer: Explorer) -> str:
        """Return the key of the last moment that is recorded."""
        stops = explorer.cursor.stops
        return stops[-1].key if stops else f"session:{explorer.session.id}"

    def action_follow(self) -> None:
        """Go to what is newest whenever something is written, or stay where one is."""
        me = self._it
        me.following = not me.following
        if not me.following:
            me.say("Stays here when something is written.")
        elif not me.replay.live:
            me.say("Nothing is written to this source while it is read: there is nothing to follow.")
            me.following = False
        else:
            me.say("Follows what is newest; f stops.")
            if me.explorer is not None:
                me.go_to(self.newest(me.explorer))
        self.heading()

    def action_copy_command(self) -> None:
        """Copy the first command of what is to be done."""
        me = self._it
        me.copy_command(me.plan)

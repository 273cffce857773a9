"""What to do now: the first line of it for a session's heading, and all of it for the why screen."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from eve_replay.views.kit.text import Line, line, paragraph
from eve_replay.views.kit.tone import TONES
from eve_replay.views.kit.words import plural
from eve_replay.views.verdicts.plan import PlanView
from eve_replay_tui.lines import TextRow
from eve_replay_tui.options import Options
from eve_replay_tui.rows.crash import LONGEST

if TYPE_CHECKING:
    from eve_replay import Journal
    from eve_replay.views.session.explorer import Explorer
    from eve_replay.views.session.sessions import SessionRow
    from eve_replay.views.session.silence import Silence

__all__ = ["now_line", "plan_rows", "told_of"]


def told_of(
    explorer: Explorer, journal: Journal, options: Options, now: datetime
) -> tuple[SessionRow, PlanView, Silence | None]:
    """Return a session's row as its verdicts give it, its plan, and its silence. May take some time."""
    from eve_replay.guidance.plan import place_of
    from eve_replay.views.session.silence import silence_of
    from eve_replay.views.verdicts.verdicts import session_verdicts, stated

    session = explorer.session
    found = session_verdicts(
        session,
        now=now,
        zone=options.zone,
        effects=options.effects,
        versions=[head.eve_version for head in journal.heads if head.eve_version],
        place=place_of(journal, session),
        ledger=explorer.ledger,
    )
    lease = next((row.lease_until for row in found.rows if row.lease_until is not None), None)
    quiet = silence_of(session, now=now, lease_until=lease)
    return stated(explorer.row(now=now), session, found.rows, zone=options.zone), found.plan, quiet


def now_line(plan: PlanView) -> Line:
    """Return the most urgent step in one line, with how many there are; empty without a plan."""
    if not plan:
        return ()
    first = plan.rows[0]
    sign = TONES[first.tone].sign or "-"
    return line(
        (f"{sign} Do now ({plural(len(plan.rows), 'thing')}, w): ", first.tone),
        (f"{first.until}: " if first.until else "", "strong"),
        first.line,
    )


def plan_rows(plan: PlanView, width: int) -> list[TextRow]:
    """Return what to do now. ``y`` on a command copies it, Enter on a step goes to what it is about."""
    if not plan:
        return []
    width = min(width, LONGEST)
    out = [TextRow(line=line(("Do now", "strong"), ("  y copies a command; nothing is run", "muted")))]
    for row in plan.rows:
        sign = TONES[row.tone].sign or "-"
        until = f"  {row.until}" if row.until else ""
        head = line((f"{row.number} {sign} {row.word}", row.tone), (until, "strong"))
        remark = line((f"  {row.certainty}", "muted"))
        copy = row.commands[0].command if row.commands else row.text
        out.append(TextRow(line=(*head, *remark), key=row.key, copy=copy, data="head"))
        out += [
            TextRow(line=each, key=row.key, copy=copy) for each in paragraph(row.text, width=width, indent=4)
        ]
        for each in row.commands:
            words = f"    {each.words}: " if each.words else "    "
            out.append(TextRow(line=line((words, "muted"), (f"$ {each.command}", "tool")), copy=each.command))
    for text in plan.advice:
        out += [
            TextRow(line=each, copy=text) for each in paragraph(text, width=width, indent=2, tone="muted")
        ]
    out += [TextRow(line=()), TextRow(line=line(("What happened", "strong")))]
    return out

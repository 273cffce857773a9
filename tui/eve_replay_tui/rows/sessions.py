"""Rows of the list of sessions, its column heads, and what stands below it about the selected one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING

from eve_replay.views.kit.safe import cut, pad
from eve_replay.views.kit.text import Line, Span, line, paragraph
from eve_replay.views.kit.tone import TONES
from eve_replay.views.kit.words import ago, day_and_clock, plural
from eve_replay.views.session.sessions import SessionRow
from eve_replay_tui.lines import TextRow

if TYPE_CHECKING:
    from eve_replay.views.verdicts.verdicts import VerdictRow

__all__ = ["columns_line", "preview_rows", "session_line"]


def _widths(width: int) -> tuple[int, int, int, int]:
    """Return the widths of status, title, version and counts: what is less needed goes first."""
    counts = 21 if width >= 96 else 0
    version = 9 if width >= 72 else 0
    status = 34 if width >= 120 else 26 if width >= 90 else 22
    title = max(width - status - counts - version - 10 - 12 - 2, 10)
    return status, title, version, counts


def columns_line(width: int) -> Line:
    """Return the heads of the columns."""
    status, title, version, counts = _widths(width)
    text = f"{'status':<{status}}{'title':<{title}}{'last':>10}  "
    if counts:
        text += f"{'turns':>6}{'again':>7}{'twice':>7} "
    if version:
        text += f"{'eve':<{version}}"
    return line((text + "id", "muted"))


def session_line(row: SessionRow, width: int, now: datetime) -> TextRow:
    """Return one session: status in words, title, last activity, counts, version, the end of its id."""
    status, title, version, counts = _widths(width)
    sign = f"{TONES[row.tone].sign:<2}"
    # Until the session is joined, all that is known is what its run record says.
    tone = row.tone if row.detailed or row.status != "running" else "muted"
    spans: list[Span] = [Span(pad(cut(sign + row.status_text, status - 1), status), tone)]
    name = row.title or ("workflow" if row.kind == "workflow" else "no title")
    kind = f"{row.kind} " if row.kind not in ("session", "workflow") else ""
    spans.append(Span(kind, "muted"))
    room = title - len(kind) - 1
    spans.append(Span(pad(cut(name, room), room + 1), "plain" if row.title else "muted"))
    last = ago(row.last_activity, now, coarse=True).replace(" ago", "")
    spans.append(Span(f"{last:>10}  ", "muted"))
    if counts:
        turns = "" if row.turns is None else str(row.turns)
        again = str(row.attempts) if row.attempts else ""
        twice = row.twice.short if row.twice else ""
        spans += [Span(f"{turns:>6}"), Span(f"{again:>7}", "again"), Span(f"{twice:>7} ", "harm")]
    if version:
        known = row.versions[-1] if row.versions else ""
        spans.append(Span(pad(cut(known, version - 1), version), "muted"))
    spans.append(Span(row.id[-10:], "muted"))
    return TextRow(line=tuple(spans), key=row.key, copy=row.id, data=row)


def preview_rows(
    row: SessionRow, verdicts: Sequence[VerdictRow] | None, width: int, zone: tzinfo | None
) -> list[TextRow]:
    """Return id, facts and verdicts of a session; ``verdicts`` None says that they are being worked out."""
    when = day_and_clock(row.last_activity, zone)
    facts = [f"last activity {when}" if when else "", plural(row.runs, "run")]
    if row.turns is not None:
        facts += [plural(row.turns, "turn"), plural(row.steps or 0, "step")]
    facts += [row.model]
    told = ", ".join(each for each in facts if each)
    rows = [TextRow(line=(Span(f" {row.id}  ", "strong"), Span(told, "muted")))]
    if verdicts is None:
        rows.append(TextRow(line=line((" Looking at it ...", "muted"))))
    for verdict in verdicts or ():
        head = Span(f" {TONES[verdict.tone].sign or '-'} {verdict.word}  ", verdict.tone)
        rows.append(TextRow(line=(head, Span(verdict.certainty, "muted"))))
        rows += [TextRow(line=each) for each in paragraph(verdict.sentence, width=width - 1, indent=3)]
    return rows

"""The timeline: when each step worked, waited, was away, and what it called meanwhile."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from eve_replay.journal import Journal, Session, Turn
from eve_replay.journal.effects.policy import EffectsLike
from eve_replay.journal.targets import Target
from eve_replay.notebook.figures.frame import FigureTheme, Frame, text_of
from eve_replay.notebook.figures.target import Aim, TurnLike, aim, turn_words
from eve_replay.views.kit.tone import Tone
from eve_replay.views.kit.words import duration, plural
from eve_replay.views.session.focus import StepName, step_names, worst_effect
from eve_replay.views.session.timeline import Bar, Timeline, TimelineRow
from eve_replay.views.session.titles import title_text

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["timeline_figure"]

#: More steps than these are drawn a turn per row; more turns than these only as far as they have news.
_STEPS, _TURNS = 40, 40
#: Heights of a row, in rows: a title, the phases of a step, a lane of calls, the space below.
_HEAD, _PHASE, _LANE, _GAP = 0.9, 0.78, 0.76, 0.2
_PIXELS = 30

#: What the legend says, in its order.
_PHASES: tuple[tuple[str, str, Tone], ...] = (
    ("attempt/committed", "committed attempt", "committed"),
    ("attempt/again", "interrupted, or run again", "again"),
    ("attempt/error", "failed attempt", "error"),
    ("attempt/other", "no end recorded", "unknown"),
    ("queued", "queued", "muted"),
    ("dead", "nobody at work", "unknown"),
    ("retry-wait", "waiting for its retry", "muted"),
    ("parked", "parked", "parked"),
    ("model", "model call", "model"),
    ("model/again", "model call paid again", "again"),
    ("tool", "tool call", "tool"),
    ("tool/again", "repeated call, no harm outside", "again"),
    ("tool/harm", "call that acted twice, or may have", "harm"),
    ("tool/error", "failed call", "error"),
    ("tool/unknown", "call without a result", "unknown"),
)
_THIN = {"queued", "dead", "retry-wait"}


@dataclass(slots=True)
class _Laid:
    """Rows laid out from the top: bars by what they mean, names, bands."""

    bars: dict[str, list[tuple[Bar, float, float, str]]] = field(default_factory=dict)
    marks: list[tuple[float, float, str]] = field(default_factory=list)
    at: list[float] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    heads: list[tuple[float, str]] = field(default_factory=list)
    low: float = 0.0


def timeline_figure(
    target: Target,
    turn: TurnLike = None,
    *,
    session: str | Session | Journal | None = None,
    effects: EffectsLike = None,
    theme: FigureTheme = None,
) -> go.Figure:
    """Return when each step of a session or turn worked, waited or was away, and what it called.

    Stretches in which nothing ran are folded, and say how long they were. A long session has a row per turn.

    Args:
        target: a source, journal, session, run, turn, step, attempt or tool call.
        turn: only this turn: ``"turn_0"``, ``0`` or a Turn.
        session: id of the session, when the target holds several; the last conversation otherwise.
        effects: what the user knows of their tools.
        theme: ``light``, ``dark``, ``high-contrast``; None follows the page.

    Raises:
        NotFound, WrongUse: there is no such session, turn or theme.
    """
    import plotly.graph_objects as go

    frame, aimed = Frame(theme), aim(target, turn, session=session, effects=effects)
    one = aimed.turn
    view = aimed.view.turn_timeline(one.id) if one is not None else aimed.view.timeline
    if not view.rows:
        return frame.words("Nothing here has a time yet", "Steps appear when the first of them is recorded.")
    names = step_names(aimed.session)
    laid, left = _laid(frame, aimed, view, names)
    below = f"Steps of {turn_words(one.id) if one else 'the whole session'} over time, {_span(view)}"
    below += ". Stretches in which nothing ran are folded" if _folds(view) else ""
    below += f". {left}" if left else ""
    figure = frame.figure(_finding(aimed, names, view), f"{below}.", height=round(laid.low * _PIXELS))
    for y, text in laid.heads:
        frame.rows_band(y, y + _HEAD - 0.12)
        frame.head(y + (_HEAD - 0.12) / 2, text)
    for code, meaning, tone in _PHASES:
        found = laid.bars.get(code)
        if not found:
            continue
        starts = [view.place(bar.start) for bar, *_ in found]
        widths = [max(view.place(bar.end) - x, 0.004) for x, (bar, *_) in zip(starts, found, strict=True)]
        thin, marker = code in _THIN, frame.fill(tone)
        bare = thin or "pattern" in marker  # a text on a hatch cannot be read
        figure.add_trace(
            go.Bar(
                x=widths, base=starts, y=[y for _, y, _, _ in found],
                width=[thick * (0.35 if thin else 1) for _, _, thick, _ in found],
                orientation="h", name=meaning, marker=marker,
                text=["" if bare else text_of(bar.label) for bar, *_ in found],
                textposition="inside", insidetextanchor="start", textangle=0,
                insidetextfont={"color": _on(frame, tone), "size": 10.5},
                hovertext=[_hover(bar, step) for bar, _, _, step in found], hoverinfo="text",
            )
        )  # fmt: skip
    if laid.marks:
        figure.add_trace(
            go.Scatter(
                x=[view.place(at) for at, _, _ in laid.marks],
                y=[y for _, y, _ in laid.marks], mode="markers",
                marker={"symbol": "diamond", "size": 9, "color": frame.palette["committed"],
                        "line": {"color": frame.ground, "width": 1}},
                name="commit",
                hovertext=[text for _, _, text in laid.marks], hoverinfo="text",
            )
        )  # fmt: skip
    frame.named_rows(figure, laid.at, laid.names, laid.low)
    folded = frame.folded(figure, view.knots, view.quiet, view.length)
    figure.update_layout(barmode="overlay", uniformtext={"minsize": 10, "mode": "hide"})
    return frame.finish(figure, top=32 if folded else 0, bottom=52)


def _on(frame: Frame, tone: Tone) -> str:
    """The colour of a text on a bar: the ground's on a filled one, the plain one on any other."""
    filled = "pattern" not in frame.fill(tone) and tone != "parked"
    return frame.ground if filled else frame.palette["plain"]


def _span(view: Timeline) -> str:
    return f"{duration(view.length / 1000)} in all"


def _folds(view: Timeline) -> bool:
    return any(end > start for start, end in view.quiet)


def _code(bar: Bar) -> str:
    if bar.phase == "attempt":
        kind = {"committed": "committed", "again": "again", "error": "error"}.get(bar.tone, "other")
        return f"attempt/{kind}"
    if bar.phase == "model":
        return "model/again" if bar.tone == "again" else "model"
    if bar.phase == "tool":
        return f"tool/{bar.tone}" if bar.tone in ("again", "harm", "error", "unknown") else "tool"
    return "parked" if bar.phase == "parked" else bar.phase if bar.phase in _THIN else "attempt/other"


def _hover(bar: Bar, step: str) -> str:
    took = duration((bar.end - bar.start) / 1000)
    open_end = ", no end recorded" if bar.open else ""
    return f"<b>{text_of(step)}</b><br>{text_of(bar.detail or bar.label, 70, lines=6)}<br>{took}{open_end}"


def _laid(frame: Frame, aimed: Aim, view: Timeline, names: dict[str, StepName]) -> tuple[_Laid, str]:
    """Lay the rows out; also return what is left out, in words."""
    laid = _Laid()
    if len(view.rows) <= _STEPS or aimed.turn is not None:
        before: str | None = None
        rows = sorted(view.rows, key=lambda row: _place(row, view))
        turns = {f"turn:{turn.session_id}/{turn.id}": turn for turn in aimed.session.turns}
        for row in rows:
            name = names.get(row.key)
            group = row.turn or (name.group if name else "")
            if group != before and group:
                _head(laid, row, turns.get(row.turn), name)
            before = group
            _step(frame, laid, row, name)
        return laid, ""
    shown, left = _turns_shown(aimed.session.turns, view)
    for each in shown:
        key = f"turn:{each.session_id}/{each.id}"
        _turn(laid, each, [row for row in view.rows if row.turn == key], names)
    return laid, left


def _place(row: TimelineRow, view: Timeline) -> bool:
    """Order rows: what came before the first turn (its set-up, mostly) stands before it."""
    began = min((bar.start for each in view.rows if each.turn for bar in each.bars), default=0.0)
    return bool(row.turn) or not row.bars or row.bars[0].start >= began


def _head(laid: _Laid, row: TimelineRow, turn: Turn | None, name: StepName | None) -> None:
    said = (
        f"turn {turn.id.removeprefix('turn_')}" if turn else name.group if name and name.group else "beside"
    )
    laid.at.append(laid.low + (_HEAD - 0.12) / 2)
    laid.names.append(f"<b>{text_of(said)}</b>")
    laid.heads.append(
        (laid.low, text_of(title_text((turn.message or "")[:400]), 90, lines=1) if turn else "")
    )
    laid.low += _HEAD


def _step(frame: Frame, laid: _Laid, row: TimelineRow, name: StepName | None) -> None:
    said = f"step {name.number} · {name.does}" if name else row.label
    count = sum(bar.phase == "attempt" for bar in row.bars)
    label = text_of(said, 34)
    if count > 1:
        label += f"<br><span style='color:{frame.palette['again']}'>{plural(count, 'attempt')}</span>"
    lanes = max(row.lanes, 2 if count > 1 or "<br>" in label else 1)
    top = laid.low
    for bar in row.bars:
        y = top + _PHASE / 2 if not bar.lane else top + _PHASE + (bar.lane - 0.5) * _LANE
        thick = _PHASE - 0.12 if not bar.lane else _LANE - 0.1
        laid.bars.setdefault(_code(bar), []).append((bar, y, thick, name.whole if name else row.label))
    laid.marks += [
        (mark.at, top + _PHASE / 2, f"<b>{text_of(said)}</b><br>committed")
        for mark in row.marks
        if mark.kind == "commit"
    ]
    high = _PHASE + (lanes - 1) * _LANE
    laid.at.append(top + high / 2)
    laid.names.append(label)
    laid.low += high + _GAP


def _turn(laid: _Laid, turn: Turn, rows: Iterable[TimelineRow], names: dict[str, StepName]) -> None:
    """One row for a whole turn: the phases of its steps above, what they called below."""
    for row in rows:
        step = names[row.key].whole if row.key in names else row.label
        for bar in row.bars:
            below = bar.lane > 0
            y = laid.low + (_PHASE + _LANE / 2 - 0.04 if below else _PHASE / 2)
            thick = _LANE - 0.16 if below else _PHASE - 0.12
            laid.bars.setdefault(_code(bar), []).append((bar, y, thick, step))
    laid.at.append(laid.low + (_PHASE + _LANE) / 2)
    said = title_text((turn.message or "")[:400])
    laid.names.append(f"<b>turn {text_of(turn.id.removeprefix('turn_'))}</b> {text_of(said, 30, lines=1)}")
    laid.low += _PHASE + _LANE + _GAP / 2


def _turns_shown(turns: Sequence[Turn], view: Timeline) -> tuple[Sequence[Turn], str]:
    """Return the turns to draw, in order: those with news and the last ones, and how many are left out."""
    if len(turns) <= _TURNS:
        return turns, "A row is a turn; name one to see its steps"
    news = dict(_news(turns, view))
    ranked = sorted(range(len(turns)), key=lambda i: (-news.get(turns[i].id, 0), -i))[:_TURNS]
    shown = [turns[i] for i in sorted(ranked)]
    return shown, (
        f"{len(turns) - len(shown)} of {len(turns)} turns are left out: those with repeats, failures and "
        "waits come first, then the last ones. Name a turn to see its steps"
    )


def _news(turns: Sequence[Turn], view: Timeline) -> Iterator[tuple[str, int]]:
    ranks: dict[Tone, int] = {"harm": 4, "error": 3, "again": 2, "parked": 1}
    rows: dict[str, int] = {}
    for row in view.rows:
        rows[row.turn] = max(rows.get(row.turn, 0), *(ranks.get(bar.tone, 0) for bar in row.bars), 0)
    for turn in turns:
        yield turn.id, rows.get(f"turn:{turn.session_id}/{turn.id}", 0)


def _finding(aimed: Aim, names: dict[str, StepName], view: Timeline) -> str:
    """Return what was found: the worst effect, else what ran again, else that nothing did."""
    inside = aimed.turn.id if aimed.turn is not None else None
    effects = [each for each in aimed.view.effects if inside is None or each.turn_id == inside]
    worst = worst_effect(effects, aimed.view.counts)
    if worst is not None:
        name = names.get(f"step:{worst.effect.run_id}/{worst.effect.step_id}")
        where = f" in {name.group}, step\u00a0{name.number}" if name and name.group else ""
        return f"{worst.effect.tool} {worst.judgement.said}{where}"
    keys = {row.key for row in view.rows}
    steps = [s for s in aimed.session.steps if f"step:{s.run_id}/{s.step_id}" in keys]
    again = sum(len(step.attempts) > 1 for step in steps)
    if again:
        return f"{again} of {plural(len(steps), 'step')} ran again; no effect is known to have acted twice"
    failed = sum(step.status == "failed" for step in steps)
    if failed:
        return f"{failed} of {plural(len(steps), 'step')} failed"
    return f"{plural(len(steps), 'step')}, each started at most once as far as recorded"

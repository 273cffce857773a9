"""Steps one after the other: what they store and what they cost; attempts and how they ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from typing import TYPE_CHECKING

from eve_replay.journal import Attempt, Journal, Session, Step
from eve_replay.journal.targets import Target
from eve_replay.notebook.figures.frame import FigureTheme, Frame, mixed, text_of
from eve_replay.notebook.figures.target import TurnLike, aim, turn_words
from eve_replay.views.kit.base import step_key
from eve_replay.views.kit.scale import knots_for, place_on
from eve_replay.views.kit.tone import Tone
from eve_replay.views.kit.words import day_and_clock, duration, plural, size
from eve_replay.views.session.focus import StepName, step_names
from eve_replay.views.session.titles import title_text

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["attempts_figure", "growth_figure"]

#: More steps than these are named by their turns only.
_NAMED = 28
#: More rows of attempts than these are drawn only as far as they have news.
_ROWS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sizes:
    name: StepName
    input: int
    output: int
    tokens_in: int | None
    tokens_out: int | None


def growth_figure(
    target: Target,
    turn: TurnLike = None,
    *,
    session: str | Session | Journal | None = None,
    theme: FigureTheme = None,
) -> go.Figure:
    """Return stored bytes and tokens per step: inputs repeat the whole history, so they grow.

    Args:
        target: a source, journal, session, run, turn, step, attempt or tool call.
        turn: only this turn.
        session: id of the session, when the target holds several; the last conversation otherwise.
        theme: ``light``, ``dark``, ``high-contrast``; None follows the page.

    Raises:
        NotFound, WrongUse: there is no such session, turn or theme.
    """
    import plotly.graph_objects as go

    frame, aimed = Frame(theme), aim(target, turn, session=session)
    one = aimed.turn
    names = step_names(aimed.session)
    steps = list(one.steps) if one is not None else _in_order(aimed.session)
    rows = [_sizes(step, names[step_key(step.run_id, step.step_id)]) for step in steps]
    if not any(row.input or row.output for row in rows):
        return frame.words(
            "No step has a stored payload",
            "This runtime stores none of its own, none ran yet, or retention deleted them.",
        )
    tokens = any(row.tokens_in is not None for row in rows)
    where = turn_words(one.id) if one is not None else "the whole session"
    below = f"What each step of {where} stores" + (
        ", and the tokens its model calls took." if tokens else "."
    )
    below += "" if tokens else " No model call recorded its tokens."
    figure = frame.figure(_growth_words(rows), below, height=380 if tokens else 220)
    places = list(range(1, len(rows) + 1))
    gap = {"line": {"width": 0 if len(rows) > 60 else 1, "color": frame.ground}}
    tones: tuple[tuple[str, str, Tone, float], ...] = (
        ("input", "input, bytes stored", "committed", 0.85),
        ("output", "output, bytes stored", "tool", 0.75),
    )
    for field, label, tone, share in tones:
        counts = [int(getattr(row, field)) for row in rows]
        figure.add_trace(
            go.Bar(
                x=places, y=counts, name=label, width=0.78, yaxis="y",
                marker={"color": mixed(frame.palette[tone], frame.ground, share), **gap},
                hovertext=[f"<b>{text_of(r.name.whole)}</b><br>{field} {size(n)}"
                           for r, n in zip(rows, counts, strict=True)],
                hoverinfo="text",
            )
        )  # fmt: skip
    if tokens:
        kinds: tuple[tuple[str, str, Tone, float], ...] = (
            ("tokens_in", "tokens given to the model", "model", 0.75),
            ("tokens_out", "tokens it gave", "again", 0.9),
        )
        for field, label, tone, share in kinds:
            found = [getattr(row, field) or 0 for row in rows]
            figure.add_trace(
                go.Bar(
                    x=places, y=found, name=label, width=0.78, yaxis="y2",
                    marker={"color": mixed(frame.palette[tone], frame.ground, share), **gap},
                    hovertext=[f"<b>{text_of(r.name.whole)}</b><br>{n:,} {label}"
                               for r, n in zip(rows, found, strict=True)],
                    hoverinfo="text",
                )
            )  # fmt: skip
    _bytes_axis(figure, max(row.input + row.output for row in rows), upper=tokens)
    if tokens:
        figure.update_layout(
            yaxis2={
                "domain": [0, 0.44], "anchor": "x", "tickformat": ",d",
                "title": {"text": "tokens", "standoff": 12,
                          "font": {"size": 12.5, "color": frame.palette["muted"]}},
                "rangemode": "tozero", "gridcolor": frame.grid, "showgrid": True, "zeroline": False,
                "automargin": True, "nticks": 5, "side": "left",
                "tickfont": {"color": frame.palette["plain"], "size": 12.5},
            }
        )  # fmt: skip
    _step_axis(frame, figure, [row.name for row in rows])
    figure.update_layout(barmode="stack", xaxis_anchor="y2" if tokens else "y")
    return frame.finish(figure, top=18, bottom=52)


def _in_order(session: Session) -> list[Step]:
    """Steps as they were made: set-up steps belong to no turn and come before the first one."""
    made = [(step.created_at or step.started_at, n, step) for n, step in enumerate(session.steps)]
    last: datetime | None = None
    keyed = []
    for when, n, step in made:
        last = when or last
        keyed.append((last is not None, last.timestamp() if last else 0.0, n, step))
    return [step for *_, step in sorted(keyed, key=lambda each: each[:3])]


def _sizes(step: Step, name: StepName) -> _Sizes:
    counted = [call.tokens for attempt in step.attempts for call in attempt.model_calls if call.tokens]
    return _Sizes(
        name=name,
        input=step.input.size if step.input is not None else 0,
        output=step.output.size if step.output is not None else 0,
        tokens_in=sum(each.input for each in counted) if counted else None,
        tokens_out=sum(each.output for each in counted) if counted else None,
    )


def _growth_words(rows: Sequence[_Sizes]) -> str:
    """Return the finding: how inputs grew between the first and the last step of the same function."""
    functions = Counter(row.name.function for row in rows if row.input).most_common(1)
    common = functions[0][0] if functions else ""
    same = [row for row in rows if row.name.function == common and row.input]
    total = sum(row.input + row.output for row in rows)
    stored = f"{plural(len(rows), 'step')} store {size(total)}"
    if len(same) > 1:
        first, last = same[0].input, same[-1].input
        if last >= first * 1.2:
            times = f"{last / first:.1f}".removesuffix(".0")
            return f"The input of {common} grew {times}-fold, from {size(first)} to {size(last)}"
        if last > first * 0.8:
            return f"The input of {common} stays at about {size(last)}; {stored}"
    most = max(rows, key=lambda row: row.input + row.output)
    return f"{stored}, {size(most.input + most.output)} of it {most.name.whole}"


def _bytes_axis(figure: go.Figure, most: int, *, upper: bool) -> None:
    unit = next(s for s in (1, 1024, 1024**2, 1024**3) if most < s * 1024 or s == 1024**3)
    sizes = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
    step = next(each * unit for each in sizes if most / (each * unit) <= 5 or each == sizes[-1])
    values = list(range(0, most + step, step))
    figure.update_yaxes(
        domain=[0.54, 1] if upper else [0, 1],
        title_text="bytes stored",
        showgrid=True,
        tickmode="array",
        tickvals=values,
        ticktext=[size(value).replace(".0 ", " ") for value in values],
        range=[0, values[-1]],
    )


def _step_axis(frame: Frame, figure: go.Figure, names: Sequence[StepName]) -> None:
    """Name steps by number within their turn; turns are bands. Of many turns only some are named."""
    start = 0
    spans: list[tuple[int, int, str]] = []
    for group, inside in groupby(names, key=lambda name: name.group):
        count = len(list(inside))
        spans.append((start + 1, start + count, group))
        start += count
    every = max(1, -(-len(spans) // 16))
    ticks: list[tuple[float, str]] = []
    for n, (first, last, group) in enumerate(spans):
        if n % 2:
            frame.columns_band(first - 0.5, last + 0.5)
        if len(names) <= _NAMED:
            said = "set-up" if group == "beside the turns" else group
            room = max(9, 6 * (last - first + 1))
            frame.above((first + last) / 2, text_of(said, room))
        elif n % every == 0 and group.startswith("turn "):
            ticks.append(((first + last) / 2, text_of(group)))
    if len(names) <= _NAMED:
        ticks = [(place, str(name.number)) for place, name in enumerate(names, 1)]
    figure.update_xaxes(
        tickmode="array", tickvals=[x for x, _ in ticks], ticktext=[text for _, text in ticks],
        range=[0.4, len(names) + 0.6], showgrid=False, tickangle=0 if len(names) <= _NAMED else -35,
        title_text="step within its turn" if len(names) <= _NAMED else "steps, turn by turn",
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sign:
    row: str
    at: datetime
    end: datetime
    attempt: Attempt
    step: str


_OUTCOMES: tuple[tuple[str, Tone, str], ...] = (
    ("completed", "committed", "circle"),
    ("failed", "error", "x"),
    ("interrupted", "again", "triangle-up"),
    ("running", "unknown", "circle-open"),
    ("cancelled", "muted", "square"),
)


def attempts_figure(
    target: Target | Sequence[Session],
    turn: TurnLike = None,
    *,
    session: str | Session | Journal | None = None,
    theme: FigureTheme = None,
) -> go.Figure:
    """Return every attempt by when it began and how it ended; repeats carry their number.

    A row is a turn; of several sessions a row is a session.

    Args:
        target: a source, journal, session, run, turn, step, attempt or tool call; or several sessions.
        turn: only this turn.
        session: id of the session, when the target holds several; the last conversation otherwise.
        theme: ``light``, ``dark``, ``high-contrast``; None follows the page.

    Raises:
        NotFound, WrongUse: there is no such session, turn or theme.
    """
    import plotly.graph_objects as go

    frame = Frame(theme)
    signs, steps = _signs(target, turn, session)
    if not signs:
        return frame.words("No attempt is recorded yet", "Attempts appear when the first step starts.")
    origin = min(sign.at for sign in signs)

    def ms(when: datetime) -> float:
        return (when - origin).total_seconds() * 1000

    length = max(max(ms(sign.end) for sign in signs), 1.0)
    knots, quiet = knots_for([(ms(sign.at), max(ms(sign.end), ms(sign.at))) for sign in signs], length)
    told = _attempt_words(signs, steps)
    below = (
        f"{plural(len(signs), 'attempt')} of {plural(steps, 'step')} since {day_and_clock(origin, UTC)} UTC"
    )
    below += "; second and further ones carry their number."
    rows, left = _rows_shown(signs)
    if left:
        below += f" {plural(left, 'row')} without a repeat or a failure are left out."
    signs = [sign for sign in signs if sign.row in rows]
    names = [text_of(row, 34) for row in rows]
    high = 38 if any("<br>" in name for name in names) else 32
    figure = frame.figure(told, below, height=len(rows) * high)
    for outcome, tone, symbol in _OUTCOMES:
        found = [sign for sign in signs if sign.attempt.outcome == outcome]
        if not found:
            continue
        figure.add_trace(
            go.Scatter(
                x=[place_on(knots, ms(sign.at)) for sign in found],
                y=[rows.index(sign.row) + 0.5 for sign in found],
                mode="markers+text", name=outcome,
                text=[str(sign.attempt.n) if sign.attempt.n > 1 else "" for sign in found],
                textposition="top center", textfont={"size": 12, "color": frame.palette[tone]},
                marker={"color": frame.palette[tone], "symbol": symbol, "size": 11,
                        "line": {"width": 1.5 if symbol.endswith("open") else 1,
                                 "color": frame.palette[tone] if symbol.endswith("open") else frame.ground}},
                hovertext=[f"<b>{text_of(sign.step)}</b><br>attempt {sign.attempt.n} {outcome}, "
                           f"{duration(sign.end - sign.at)}" for sign in found],
                hoverinfo="text", cliponaxis=False,
            )
        )  # fmt: skip
    for n in range(0, len(rows), 2):
        frame.rows_band(n, n + 1)
    at = [n + 0.5 for n in range(len(rows))]
    frame.named_rows(figure, at, names, float(len(rows)))
    folded = frame.folded(figure, knots, quiet, length)
    return frame.finish(figure, top=32 if folded else 0, bottom=52)


def _signs(
    target: Target | Sequence[Session], turn: TurnLike, session: str | Session | Journal | None
) -> tuple[list[_Sign], int]:
    """Return every attempt with a time, named by its row, in the order of the rows; and how many steps."""
    if isinstance(target, Sequence) and not isinstance(target, str):
        several = len(target) > 1
        parts = [(each, _in_order(each)) for each in target]
    else:
        aimed = aim(target, turn, session=session)
        several = False
        parts = [(aimed.session, list(aimed.turn.steps) if aimed.turn else _in_order(aimed.session))]
    out: list[_Sign] = []
    steps = 0
    for each, inside in parts:
        names = step_names(each)
        title = f"{title_text(each.title[:400])[:60]} ({each.id[-4:]})" if several else ""
        for step in inside:
            name = names[step_key(step.run_id, step.step_id)]
            steps += 1
            out.extend(
                _Sign(
                    row=title or name.group or "this run", at=attempt.started_at,
                    end=attempt.ended_at or attempt.last_sign_at or attempt.started_at,
                    attempt=attempt, step=name.whole,
                )
                for attempt in step.attempts
                if attempt.started_at is not None
            )  # fmt: skip
    return out, steps


def _rows_shown(signs: Sequence[_Sign]) -> tuple[list[str], int]:
    """Return the rows to draw, in order: those with repeats and failures and the last ones; how many not."""
    rows = list(dict.fromkeys(sign.row for sign in signs))
    news = {s.row for s in signs if s.attempt.n > 1 or s.attempt.outcome in ("failed", "interrupted")}
    ranked = sorted(range(len(rows)), key=lambda n: (rows[n] not in news, -n))[:_ROWS]
    return [rows[n] for n in sorted(ranked)], max(len(rows) - _ROWS, 0)


def _attempt_words(signs: Sequence[_Sign], steps: int) -> str:
    most = max(signs, key=lambda sign: sign.attempt.n)
    again = len({sign.step for sign in signs if sign.attempt.n > 1})
    died = sum(sign.attempt.outcome == "interrupted" for sign in signs)
    if not again:
        open_ = f", {plural(died, 'attempt')} interrupted" if died else ""
        return f"No second attempt is recorded for any of {plural(steps, 'step')}{open_}"
    said = f"{again} of {plural(steps, 'step')} needed more than one attempt"
    return f"{said}; the most is {most.attempt.n}: {most.step}"

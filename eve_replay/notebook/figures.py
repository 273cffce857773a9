"""Plotly figures over the view-models: timeline, matrix, growth, attempts over time, strategies compared.

Plain ``plotly.graph_objects.Figure``: a ``FigureWidget`` would store five megabytes of script per cell.
Colours and hatches come from ``views/tone.py``; every bar says its meaning in words when pointed at.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from eve_replay.journal import Session
from eve_replay.recovery.question import Question
from eve_replay.views.crashlab.crash import CrashLab
from eve_replay.views.kit.tone import BACKGROUNDS, PALETTES, TONES, Theme, Tone
from eve_replay.views.session.explorer import Explorer

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["attempts_figure", "growth_figure", "matrix_figure", "strategies_figure", "timeline_figure"]


def _figure(title: str, theme: Theme, **layout: Any) -> go.Figure:
    import plotly.graph_objects as go

    palette = PALETTES[theme]
    figure = go.Figure()
    figure.update_layout(
        title={"text": title, "font": {"size": 16}},
        template="none",
        paper_bgcolor=BACKGROUNDS[theme],
        plot_bgcolor=BACKGROUNDS[theme],
        font={"color": palette["plain"], "size": 13, "family": "system-ui, Noto Sans CJK SC, sans-serif"},
        margin={"l": 150, "r": 20, "t": 50, "b": 50},
        **layout,
    )
    return figure


def timeline_figure(session: Session, turn: str | None = None, *, theme: Theme = "light") -> go.Figure:
    """Return the steps of a session or turn as bars over seconds; x is seconds from the first sign."""
    import plotly.graph_objects as go

    view = Explorer(session)
    timeline = view.turn_timeline(turn) if turn else view.timeline
    figure = _figure(
        "Timeline", theme, barmode="overlay", xaxis_title="seconds", yaxis={"autorange": "reversed"}
    )
    palette = PALETTES[theme]
    names = [f"{number}  {row.label}" for number, row in enumerate(timeline.rows, 1)]
    seen: set[str] = set()
    for row, name in zip(timeline.rows, names, strict=True):
        for bar in row.bars:
            spec = TONES[bar.tone]
            figure.add_trace(
                go.Bar(
                    x=[max(bar.end - bar.start, 1) / 1000],
                    y=[name],
                    base=[bar.start / 1000],
                    orientation="h",
                    width=0.7 if bar.lane == 0 else 0.28,
                    name=spec.meaning,
                    legendgroup=bar.tone,
                    showlegend=bar.tone not in seen,
                    marker={"color": palette[bar.tone], "pattern": {"shape": spec.hatch}},
                    hovertext=f"{bar.label}: {bar.detail}",
                    hoverinfo="text",
                )
            )
            seen.add(bar.tone)
    return figure


def matrix_figure(
    session: Session,
    turn: str | None = None,
    *,
    question: Question | None = None,
    theme: Theme = "light",
) -> go.Figure:
    """Return crash points against effects: how often the outside acts at most. 9 stands for without bound."""
    import plotly.graph_objects as go

    lab = CrashLab(session, turn)
    view = lab.matrix(question)
    columns = [i for i, column in enumerate(view.columns) if column.kind == "effect"]
    palette = PALETTES[theme]
    scale = [
        [0.0, BACKGROUNDS[theme]],
        [1 / 9, palette["once"]],
        [2 / 9, palette["harm"]],
        [1.0, palette["harm"]],
    ]
    figure = _figure("What the outside sees, by crash point", theme, yaxis={"autorange": "reversed"})
    figure.add_trace(
        go.Heatmap(
            z=[[row.cells[i].value for i in columns] for row in view.rows],
            x=[view.columns[i].title for i in columns],
            y=[f"{row.point.number}  {row.point.label}"[:60] for row in view.rows],
            text=[[row.cells[i].text for i in columns] for row in view.rows],
            texttemplate="%{text}",
            zmin=0,
            zmax=9,
            colorscale=scale,
            showscale=False,
            hovertext=[[f"{row.sentence}<br>{row.cells[i].word}" for i in columns] for row in view.rows],
            hoverinfo="text",
        )
    )
    figure.update_layout(height=max(320, 90 + 16 * len(view.rows)), margin={"l": 360})
    return figure


def growth_figure(session: Session, *, theme: Theme = "light") -> go.Figure:
    """Return stored bytes and tokens per step: inputs repeat the whole history, so they grow."""
    import plotly.graph_objects as go

    steps = [step for step in session.steps if step.input is not None]
    names = [f"{number} {step.function}" for number, step in enumerate(steps, 1)]
    figure = _figure("Payload and tokens per step", theme, yaxis_title="bytes stored", barmode="group")
    palette = PALETTES[theme]
    tones: Sequence[tuple[str, str, Tone]] = (("input", "input", "model"), ("output", "output", "tool"))
    for field, label, tone in tones:
        sizes = [payload.size if (payload := getattr(step, field)) is not None else 0 for step in steps]
        figure.add_trace(go.Bar(x=names, y=sizes, name=label, marker_color=palette[tone]))
    tokens = [
        sum(call.tokens.total for attempt in step.attempts for call in attempt.model_calls if call.tokens)
        for step in steps
    ]
    figure.add_trace(
        go.Scatter(
            x=names,
            y=tokens,
            name="tokens",
            yaxis="y2",
            mode="lines+markers",
            line={"color": palette["again"]},
        )
    )
    figure.update_layout(yaxis2={"overlaying": "y", "side": "right", "title": "tokens", "showgrid": False})
    return figure


def attempts_figure(sessions: Sequence[Session], *, theme: Theme = "light") -> go.Figure:
    """Return every attempt of several sessions as a point: when it began, and how it ended."""
    import plotly.graph_objects as go

    palette = PALETTES[theme]
    tones: dict[str, Tone] = {
        "completed": "committed", "failed": "error", "interrupted": "again", "running": "unknown",
        "cancelled": "muted",
    }  # fmt: skip
    figure = _figure("Attempts over time", theme, yaxis_title="attempt number")
    for outcome, tone in tones.items():
        found = [
            (attempt.started_at, attempt.n, step.function)
            for session in sessions
            for step in session.steps
            for attempt in step.attempts
            if attempt.outcome == outcome and attempt.started_at is not None
        ]
        if found:
            figure.add_trace(
                go.Scatter(
                    x=[each[0] for each in found],
                    y=[each[1] for each in found],
                    text=[each[2] for each in found],
                    mode="markers",
                    name=outcome,
                    marker={"color": palette[tone], "size": 11},
                )
            )
    return figure


def strategies_figure(session: Session, turn: str | None = None, *, theme: Theme = "light") -> go.Figure:
    """Return for each idempotency strategy how many crash points still let the outside act more than once."""
    import plotly.graph_objects as go

    lab = CrashLab(session, turn)
    palette = PALETTES[theme]
    names, harmful, missed = [], [], []
    for choice in lab.choices.strategies:
        views = [lab.view(i, Question(strategies={"*": choice.name})) for i in range(len(lab))]
        names.append(choice.words)
        harmful.append(sum(bool(view.twice) for view in views))
        missed.append(sum(view.missed > 0 for view in views))
    figure = _figure("Crash points that still do harm", theme, barmode="group", yaxis_title="crash points")
    figure.add_trace(go.Bar(x=names, y=harmful, name="an effect twice", marker_color=palette["harm"]))
    figure.add_trace(
        go.Bar(
            x=names, y=missed, name="an effect missed",
            marker={"color": palette["unknown"], "pattern": {"shape": "."}},
        )
    )  # fmt: skip
    return figure

"""Crash points: what the outside sees of a crash at each, and what protects against it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal

from eve_replay.journal import Journal, Session
from eve_replay.journal.effects.policy import EffectsLike
from eve_replay.journal.targets import Target
from eve_replay.notebook.figures.frame import FigureTheme, Frame, mixed, text_of
from eve_replay.notebook.figures.target import TurnLike, aim, turn_words
from eve_replay.recovery.question import Question
from eve_replay.recovery.result import Simulation
from eve_replay.views.crashlab.crash import CrashLab
from eve_replay.views.crashlab.matrix import MatrixCell, MatrixRow, MatrixView
from eve_replay.views.crashlab.rows import judge_verdict
from eve_replay.views.kit.tone import Tone
from eve_replay.views.kit.words import plural
from eve_replay.views.session.focus import StepName, step_names

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["matrix_figure", "strategies_figure"]

_ROW = 25
#: The worst that one point does, worst first.
Harm = Literal["sure", "possible", "missed", "none"]

#: What a cell means: code, words of the legend, tone, share of its colour over the ground.
_CELLS: tuple[tuple[str, str, Tone, float], ...] = (
    ("sure", "twice or more, for sure", "harm", 1.0),
    ("possible", "possibly twice or more", "harm", 0.42),
    ("missed", "may never happen", "unknown", 0.55),
    ("again", "runs again, harmless", "again", 0.32),
    ("once", "once", "once", 0.26),
    ("maybe", "once at most", "once", 0.12),
    ("none", "not at all", "muted", 0.1),
)


def matrix_figure(
    target: Target,
    turn: TurnLike = None,
    *,
    question: Question | None = None,
    session: str | Session | Journal | None = None,
    effects: EffectsLike = None,
    theme: FigureTheme = None,
) -> go.Figure:
    """Return crash points against effects: how often the outside acts in the end if the process dies there.

    Neighbouring points at which the same comes of it share a row, which says their numbers.

    Args:
        target: a source, journal, session, run, turn, step, attempt or tool call.
        turn: which turn; without one that of the worst effect.
        question: what is assumed.
        session: id of the session, when the target holds several; the last conversation otherwise.
        effects: what the user knows of their tools.
        theme: ``light``, ``dark``, ``high-contrast``; None follows the page.

    Raises:
        NotFound, WrongUse: there is no such session, turn or theme.
    """
    import plotly.graph_objects as go

    frame, aimed = Frame(theme), aim(target, turn, session=session, effects=effects)
    lab = aimed.lab()
    where = turn_words(lab.turn_id)
    if not len(lab):
        return frame.words(f"No crash points in {where}", "Nothing durable was written in it.")
    view = lab.matrix(question)
    columns = [n for n, column in enumerate(view.columns) if column.kind == "effect"]
    if not columns:
        return frame.words(f"No effect is recorded in {where}", _nobody(aimed.session, len(lab)))
    stretches = list(_stretches(view.rows))
    labels = [_row_name(row, count) for row, count in stretches]
    heads, at, low = _placed(stretches, labels, step_names(aimed.session))
    titles = _titles(view, columns)
    below = f"How often the outside acts in the end, for a crash at each of {len(lab)} points of {where}"
    figure = frame.figure(
        _harm_words(view, titles, where), f"{below} ({_assumed(view)}).", height=round(low * _ROW)
    )
    for y, text in heads:
        frame.rows_band(y, y + 0.86)
        frame.head(y + 0.43, text_of(text, 70, lines=1))
    cells: dict[str, list[tuple[int, float, MatrixCell, MatrixRow]]] = {}
    for y, (row, _) in zip(at, stretches, strict=True):
        for place, n in enumerate(titles):
            if row.cells[n].text:
                cells.setdefault(_cell(row.cells[n]), []).append((place, y, row.cells[n], row))
    named = list(titles.values())
    for code, meaning, tone, share in _CELLS:
        found = cells.get(code, [])
        if found:
            figure.add_trace(
                go.Bar(
                    x=[0.96] * len(found), base=[place + 0.02 for place, *_ in found],
                    y=[y for _, y, *_ in found], width=0.88, orientation="h", name=meaning,
                    text=[_number(cell) for *_, cell, _ in found],
                    hovertext=[_hover(named[place], cell, row) for place, _, cell, row in found],
                    **_share(frame, tone, share),
                )
            )  # fmt: skip
    ends = [row.cells[0] for row, _ in stretches]
    figure.add_trace(
        go.Scatter(
            x=[len(titles) + 0.5] * len(ends), y=at, mode="text", showlegend=False,
            text=[text_of(cell.text) for cell in ends],
            textfont={"color": [frame.palette[cell.tone] for cell in ends], "size": 12.5},
            hovertext=[text_of(row.sentence, 80, lines=8) for row, _ in stretches], hoverinfo="text",
        )
    )  # fmt: skip
    frame.named_rows(figure, at, labels, low)
    heads_text = [_broken(title, 18 if len(titles) < 4 else 9) for title in named]
    widest = max(len(line) for text in heads_text for line in text.split("<br>"))
    few = widest * 8.4 * (len(titles) + 1) < 480
    heads_text = heads_text if few else [text_of(title) for title in named]
    longest = max(len(title) for title in named)
    top = 14 + 17 * max(text.count("<br>") for text in heads_text) if few else 4 * longest
    figure.update_xaxes(
        side="top", tickmode="array", tickvals=[n + 0.5 for n in range(len(titles) + 1)],
        ticktext=[*(f"<b>{title}</b>" for title in heads_text), "the session"],
        range=[0, max(len(titles) + 1, 3)], showgrid=False, tickangle=0 if few else -40,
    )  # fmt: skip
    figure.update_layout(barmode="overlay")
    return frame.finish(figure, top=14 + top, bottom=8)


def _nobody(session: Session, points: int) -> str:
    """Why there is no effect; without payloads nobody can tell what the tools did."""
    if session.head.purged:
        return "Its payloads are deleted: what its tools did, and what a crash would repeat, cannot be told."
    return (
        f"{plural(points, 'crash point')}, and no tool or step acted on the outside world as far as recorded."
    )


def _titles(view: MatrixView, columns: Sequence[int]) -> dict[int, str]:
    """Return a title per column; calls of one tool are numbered as they stand, their ids say little."""
    tools = Counter(view.columns[n].tool for n in columns)
    seen: Counter[str] = Counter()
    out: dict[int, str] = {}
    for n in columns:
        tool = view.columns[n].tool
        seen[tool] += 1
        out[n] = f"{tool} #{seen[tool]}" if tools[tool] > 1 else tool
    return out


def _broken(name: str, width: int) -> str:
    """Return a name broken where its words meet: names of tools have underscores and no spaces."""
    lines = [""]
    for part in re.findall(r"[^_\s:.-]*[_\s:.-]+|[^_\s:.-]+", name):
        if lines[-1] and len(lines[-1]) + len(part.rstrip()) > width:
            lines.append("")
        lines[-1] += part
    return "<br>".join(text_of(line) for line in lines)


def _share(frame: Frame, tone: Tone, share: float) -> dict[str, Any]:
    """Return how a bar of a part looks: a share of its tone, with its number in it."""
    return {
        "marker": {"color": mixed(frame.palette[tone], frame.ground, share), "line": {"width": 0}},
        "textposition": "inside",
        "insidetextanchor": "middle",
        "textangle": 0,
        "insidetextfont": {
            "size": 12.5,
            "color": frame.ground if share == 1 else frame.palette["plain"],
        },
        "hoverinfo": "text",
    }


def _stretches(rows: Sequence[MatrixRow]) -> Iterator[tuple[MatrixRow, int]]:
    """Yield neighbouring points with the same cells in the same step as one row, and how many they are."""

    def same(row: MatrixRow) -> object:
        return row.point.step, row.point.label, row.cells

    for _, group in groupby(rows, same):
        found = list(group)
        yield found[0], len(found)


def _placed(
    stretches: Sequence[tuple[MatrixRow, int]], labels: Sequence[str], names: dict[str, StepName]
) -> tuple[list[tuple[float, str]], list[float], float]:
    """Return where the titles of steps stand, where each row stands, and where the last one ends."""
    heads: list[tuple[float, str]] = []
    at: list[float] = []
    low, before = 0.0, ""
    for (row, _), label in zip(stretches, labels, strict=True):
        name = names.get(row.point.step)
        head = f"step {name.number} · {name.does}" if name and name.turn else "outside the turn's steps"
        if name and not name.group:
            head = f"step {name.number} · {name.does}"
        if head != before:
            heads.append((low, head))
            low, before = low + 0.95, head
        high = 1 + 0.62 * label.count("<br>")
        at.append(low + high / 2)
        low += high
    return heads, at, low + 0.1


def _row_name(row: MatrixRow, count: int) -> str:
    first = row.point.number
    numbers = f"{first}" if count == 1 else f"{first}–{first + count - 1}"
    return f"{text_of(row.point.label, 46)}  <b>{numbers}</b>"


def _cell(cell: MatrixCell) -> str:
    if cell.text.endswith("missed"):
        return "missed"
    if cell.tone == "harm":
        return "sure" if cell.minimum >= 2 else "possible"
    if cell.tone == "again" or (cell.value or 0) > 1:
        return "again"
    return "none" if not cell.value else "once" if cell.minimum else "maybe"


def _number(cell: MatrixCell) -> str:
    return text_of(cell.text.replace("-", "–").removesuffix(" missed"))


def _hover(title: str, cell: MatrixCell, row: MatrixRow) -> str:
    return f"<b>{text_of(title)}: {text_of(cell.word)}</b><br>{text_of(row.sentence, 80, lines=8)}"


def _assumed(view: MatrixView) -> str:
    return ", ".join(f"{name} {value}" for name, value in view.assumptions[:3])


def _harm_words(view: MatrixView, titles: dict[int, str], where: str) -> str:
    """Return the finding: which effect acts twice at most of the points, and at how many."""
    sure: Counter[str] = Counter()
    maybe: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    counters = {"sure": sure, "possible": maybe, "missed": missed}
    for row in view.rows:
        for n, title in titles.items():
            code = _cell(row.cells[n]) if row.cells[n].text else ""
            if code in counters:
                counters[code][title] += 1
    total = len(view.rows)
    harmed = sure + maybe
    if harmed:
        tool = max(harmed, key=lambda each: (sure[each], harmed[each]))
        if sure[tool]:
            more = f", and might at {maybe[tool]} more" if maybe[tool] else ""
            return f"{tool} would act twice at {sure[tool]} of {total} crash points of {where}{more}"
        return f"{tool} might act twice at {maybe[tool]} of {total} crash points of {where}"
    if missed:
        tool, count = missed.most_common(1)[0]
        return f"{tool} might never happen at {count} of {total} crash points of {where}"
    return f"No crash point of {where} makes the outside see an effect twice"


@dataclass(slots=True)
class _Option:
    words: str
    counts: Counter[str]
    recorded: bool = False


def strategies_figure(
    target: Target,
    turn: TurnLike = None,
    *,
    session: str | Session | Journal | None = None,
    effects: EffectsLike = None,
    theme: FigureTheme = None,
) -> go.Figure:
    """Return for each way to protect effects at how many crash points the outside is still harmed, and how.

    A point counts once, under the worst that happens there.

    Args:
        target: a source, journal, session, run, turn, step, attempt or tool call.
        turn: which turn; without one that of the worst effect.
        session: id of the session, when the target holds several; the last conversation otherwise.
        effects: what the user knows of their tools.
        theme: ``light``, ``dark``, ``high-contrast``; None follows the page.

    Raises:
        NotFound, WrongUse: there is no such session, turn or theme.
    """
    import plotly.graph_objects as go

    frame, aimed = Frame(theme), aim(target, turn, session=session, effects=effects)
    lab = aimed.lab()
    where, total = turn_words(lab.turn_id), len(lab)
    if not total or not lab.choices.tools:
        return frame.words(f"No effect to protect is recorded in {where}", _nobody(aimed.session, total))
    options = [_Option("as it is recorded", _harms(lab, None), recorded=True)]
    options += [
        _Option(choice.words, _harms(lab, Question(strategies={"*": choice.name})))
        for choice in lab.choices.strategies
    ]
    if all(each.counts["none"] == total for each in options):
        return frame.words(
            f"A crash in {where} harms nothing, whatever protects its effects",
            f"{plural(total, 'crash point')}: none acts twice and none is missed under any strategy.",
        )
    options.sort(key=lambda each: (-each.counts["none"], each.counts["sure"], each.counts["possible"]))
    tools = ", ".join(lab.choices.tools[:4]) + (" …" if len(lab.choices.tools) > 4 else "")
    figure = frame.figure(
        _best_words(options, total, where),
        f"What the outside sees if {tools} were protected so, over {total} crash points; each counts once, "
        "under the worst that happens there.",
        height=len(options) * 34,
    )
    at = [n + 0.5 for n in range(len(options))]
    parts: tuple[tuple[Harm, str, Tone, float], ...] = (
        ("sure", "an effect twice, for sure", "harm", 1.0),
        ("possible", "an effect possibly twice", "harm", 0.42),
        ("missed", "an effect may never happen", "unknown", 0.55),
        ("none", "no harm", "once", 0.2),
    )
    for code, meaning, tone, share in parts:
        counts = [each.counts[code] for each in options]
        if any(counts):
            figure.add_trace(
                go.Bar(
                    x=counts, y=at, width=0.7, orientation="h", name=meaning,
                    text=[str(count) if count else "" for count in counts],
                    hovertext=[
                        f"{text_of(each.words)}<br>{count} of {total} crash points: {meaning}"
                        for each, count in zip(options, counts, strict=True)
                    ],
                    **_share(frame, tone, share),
                )
            )  # fmt: skip
    named = [
        f"<b>{text_of(each.words, 40)}</b>" if each.recorded else text_of(each.words, 40) for each in options
    ]
    frame.named_rows(figure, at, named, float(len(options)))
    figure.update_xaxes(title_text="crash points", range=[0, total * 1.01], **_whole_numbers(total))
    figure.update_layout(barmode="stack")
    return frame.finish(figure, bottom=52)


def _whole_numbers(most: int) -> dict[str, Any]:
    """Ticks of an axis that counts: whole numbers, about eight of them, the last one the whole."""
    step = next(s for s in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, most) if most / s <= 9 or s >= most)
    values = [n for n in range(0, most + 1, step) if most - n >= step * 0.6 or n == most]
    values += [] if values and values[-1] == most else [most]
    return {"tickmode": "array", "tickvals": values, "ticktext": [f"{value:,}" for value in values]}


def _harms(lab: CrashLab, question: Question | None) -> Counter[str]:
    return Counter(_worst(lab.simulation(index, question)) for index in range(len(lab)))


def _worst(simulation: Simulation) -> Harm:
    judged = [judge_verdict(effect) for effect in simulation.effects]
    if any(each.sure for each in judged):
        return "sure"
    if any(each.possible for each in judged):
        return "possible"
    return "missed" if any(effect.missed.max != 0 for effect in simulation.effects) else "none"


def _best_words(options: Sequence[_Option], total: int, where: str) -> str:
    """Return the finding: what leaves no harm, or that nothing does; and what is recorded."""
    safe = [each.words for each in options if each.counts["none"] == total and not each.recorded]
    now = next(each for each in options if each.recorded)
    harmed = total - now.counts["none"]
    said = f"As recorded, a crash does harm at {harmed} of {total} points of {where}"
    if not harmed:
        said = f"As recorded, no crash point of {where} does harm"
    if not safe:
        best = next(each for each in options if not each.recorded)
        return f"{said}; nothing excludes it, the best is: {best.words}"
    count = len(safe)
    return (
        f"{said}; {safe[0]} excludes it"
        if count == 1
        else f"{said}; {count} ways to protect effects exclude it"
    )

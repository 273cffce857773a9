"""Every crash point of a turn against every effect, as a matrix of toned cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from eve_replay.journal.effects.judge import of_count
from eve_replay.recovery.result import EffectVerdict, Simulation
from eve_replay.views.crashlab.rows import OUTCOMES, CrashPointRow, count_text, judge_verdict
from eve_replay.views.kit.base import View
from eve_replay.views.kit.safe import safe_text
from eve_replay.views.kit.tone import Tone

__all__ = ["MatrixCell", "MatrixColumn", "MatrixRow", "MatrixTotal", "MatrixView", "matrix_view"]

#: What fits a narrow cell; tones are those of the crash lab.
_SHORT = {
    "recovers": "recovers",
    "needs-message": "message",
    "needs-person": "person",
    "hangs": "hangs",
    "fails": "fails",
    "nothing-open": "nothing",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixColumn(View):
    """A column: ``outcome``, ``model`` (calls paid again) or one effect, titled by tool (and call)."""

    key: str
    title: str
    kind: str
    tool: str = ""
    call_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixCell(View):
    """One cell.

    Attributes:
        text: what it says: ``2``, ``0-1``, ``hangs``; empty for an effect that point knows nothing of.
        value: a number for a heat map: most executions the outside sees (9 stands for without bound), or
            model calls paid again.
        minimum: fewest executions the outside sees, 0 for what is no effect.
        runs: executions of the body as text, where the strategy makes them differ from ``text``.
        tone: its tone; ``word`` it in the vocabulary.
    """

    text: str
    value: float | None
    tone: Tone
    word: str = ""
    runs: str = ""
    minimum: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixRow(View):
    """One crash point with its cells, in the order of the columns."""

    point: CrashPointRow
    cells: tuple[MatrixCell, ...]
    sentence: str
    harmful: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixTotal(View):
    """Over all points: how many show this, for example outcome ``hangs`` or ``charge_card`` twice."""

    name: str
    count: int
    tone: Tone


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixView(View):
    """The matrix of one turn under one set of assumptions.

    Attributes:
        columns, rows: the matrix.
        totals: counts over all points, gravest first.
        assumptions: what was assumed, name and value.
    """

    columns: tuple[MatrixColumn, ...]
    rows: tuple[MatrixRow, ...]
    totals: tuple[MatrixTotal, ...]
    assumptions: tuple[tuple[str, str], ...]

    def classes(self) -> tuple[MatrixRow, ...]:
        """Return the rows that differ: one per stretch of points with the same class and the same cells."""
        out: list[MatrixRow] = []
        for row in self.rows:
            if not out or (out[-1].point.klass, out[-1].cells) != (row.point.klass, row.cells):
                out.append(row)
        return tuple(out)


def matrix_view(simulations: Sequence[Simulation], points: Sequence[CrashPointRow]) -> MatrixView:
    """Return the matrix of simulations of the points of one turn."""
    columns: dict[str, MatrixColumn] = {
        "outcome": MatrixColumn(key="outcome", title="outcome", kind="outcome"),
        "model": MatrixColumn(key="model", title="model again", kind="model"),
    }
    tools = Counter(e.tool for s in simulations[-1:] for e in s.effects)
    for simulation in simulations:
        for effect in simulation.effects:
            key = _key(effect)
            if key not in columns:
                several = tools[effect.tool] > 1 and effect.call_id
                title = f"{effect.tool} ({effect.call_id})" if several else effect.tool
                columns[key] = MatrixColumn(
                    key=key,
                    title=safe_text(title),
                    kind="effect",
                    tool=safe_text(effect.tool),
                    call_id=safe_text(effect.call_id or ""),
                )
    rows = tuple(_row(s, p, list(columns)) for s, p in zip(simulations, points, strict=True))
    first = simulations[0].assumptions if simulations else None
    assumptions = (
        (
            ("runtime", first.runtime),
            ("environment", first.environment),
            ("model", first.model),
            *first.strategies,
        )
        if first is not None
        else ()
    )
    return MatrixView(
        columns=tuple(columns.values()), rows=rows, totals=_totals(simulations), assumptions=assumptions
    )


def _key(effect: EffectVerdict) -> str:
    """Name an effect across points: its place in the turn where it has one, its id otherwise."""
    if effect.coordinate is None or effect.position is None:
        return f"{effect.tool}/{effect.step_id}/{effect.call_id}"
    return f"{effect.tool}/{effect.coordinate[0]}/{effect.coordinate[1]}/{effect.position}"


def _row(simulation: Simulation, point: CrashPointRow, columns: Sequence[str]) -> MatrixRow:
    words, tone = _SHORT[simulation.outcome], OUTCOMES[simulation.outcome][1]
    again = simulation.model_calls.again
    unbounded = simulation.model_calls.unbounded
    cells = {
        "outcome": MatrixCell(text=words, value=None, tone=tone, word=simulation.outcome),
        "model": MatrixCell(
            text="no end" if unbounded else str(again),
            value=9.0 if unbounded else float(again),
            tone="error" if unbounded else "again" if again else "muted",
        ),
    }
    for effect in simulation.effects:
        cells[_key(effect)] = _cell(effect)
    nothing = MatrixCell(text="", value=None, tone="muted")
    return MatrixRow(
        point=point,
        cells=tuple(cells.get(key, nothing) for key in columns),
        sentence=safe_text(simulation.sentence),
        harmful=any(cell.tone == "harm" for cell in cells.values()),
    )


def _cell(effect: EffectVerdict) -> MatrixCell:
    outside = effect.outside
    judged = judge_verdict(effect)
    seen = of_count(outside.min, outside.max, acts=judged.code != "reads")
    missed = effect.missed.max is None or effect.missed.max > 0
    runs = count_text(effect.executions)
    text = count_text(outside)
    return MatrixCell(
        text=text + (" missed" if missed else ""),
        value=9.0 if outside.max is None else float(outside.max),
        tone="harm" if missed else seen.tone if judged.code == "keyed" else judged.tone,
        word=seen.word if judged.code == "keyed" else judged.said,
        runs=runs if runs != text else "",
        minimum=outside.min,
    )


def _totals(simulations: Sequence[Simulation]) -> tuple[MatrixTotal, ...]:
    outcomes = Counter(simulation.outcome for simulation in simulations)
    every = [
        (effect.tool, judge_verdict(effect))
        for simulation in simulations
        for effect in {_key(e): e for e in simulation.effects}.values()
    ]
    sure = Counter(tool for tool, judged in every if judged.sure)
    possible = Counter(tool for tool, judged in every if judged.possible)
    out = [MatrixTotal(name=f"{t} twice or more", count=n, tone="harm") for t, n in sure.items()]
    out += [MatrixTotal(name=f"{t} possibly twice", count=n, tone="harm") for t, n in possible.items()]
    order = ("hangs", "fails", "needs-person", "needs-message", "recovers", "nothing-open")
    out += [
        MatrixTotal(name=_SHORT[name], count=outcomes[name], tone=OUTCOMES[name][1])  # type: ignore[index]
        for name in order
        if outcomes[name]  # type: ignore[index]
    ]
    return tuple(out)

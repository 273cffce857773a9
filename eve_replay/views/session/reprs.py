"""What a person sees who types a name: one object as a few toned lines, for terminals and notebooks alike.

``portrait(thing)`` knows the public objects. It decodes no more than it shows and stays small: long things
are folded, with a remark that says how to see the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sized
from dataclasses import fields as dataclass_fields
from dataclasses import is_dataclass
from datetime import datetime
from functools import singledispatch
from itertools import islice
from typing import Any

from eve_replay.brief import Brief
from eve_replay.checks.finding import Finding, Verdict
from eve_replay.codec import Payload
from eve_replay.diff.attempts import AttemptDiff
from eve_replay.guidance.why import Report
from eve_replay.journal import Attempt, Journal, Session, Step, Turn
from eve_replay.journal.facade import LazySequence
from eve_replay.journal.ledger.join import Joined
from eve_replay.recovery.matrix import Matrix
from eve_replay.recovery.result import Simulation
from eve_replay.times import iso
from eve_replay.values import UNDEFINED, preview
from eve_replay.views.diffs.attempts import AttemptDiffView
from eve_replay.views.diffs.diff import DiffView, diff_lines
from eve_replay.views.inspect.value import value_lines, value_rows
from eve_replay.views.kit.safe import cut, safe_text
from eve_replay.views.kit.table import Cell, Column, Row, Table, table_lines
from eve_replay.views.kit.text import Line, fields, line, paragraph
from eve_replay.views.kit.words import clock, executions, plural, word_for
from eve_replay.views.session.effect_marks import EffectMarks
from eve_replay.views.session.explorer import Explorer
from eve_replay.views.session.listing import attempt_diff_lines, attempts_lines, tree_lines, turns_table
from eve_replay.views.session.sessions import SessionRow, session_rows
from eve_replay.views.stepping.moment import Moment
from eve_replay.views.verdicts.postmortem import (
    finding_lines,
    ledger_table,
    unmatched_table,
    verdict_lines,
    why_lines,
)
from eve_replay.worlds.base import World

__all__ = ["MOST_LINES", "portrait", "session_lines"]

#: Lines a portrait has at most; the rest is counted.
MOST_LINES = 60
_WIDTH = 100
_SESSIONS = 20
_LONGEST = 300  # characters of one field


def portrait(thing: Any, *, width: int = _WIDTH) -> list[Line]:
    """Return an object as at most ``MOST_LINES`` lines of ``width`` cells.

    A thing nobody described is shown by its type only: never by a ``repr`` that may hold a whole journal.
    """
    lines = list(islice(_draw(thing, width), MOST_LINES + 1))
    if len(lines) > MOST_LINES:
        lines[MOST_LINES:] = [line(("… more than fits here", "muted"))]
    return lines


@singledispatch
def _draw(thing: Any, width: int) -> Iterator[Line]:
    if isinstance(thing, World):
        yield from _world(thing, width)
    elif isinstance(thing, Brief):
        yield from _fields(thing, width)
    else:
        yield line((type(thing).__name__, "muted"))


def _fields(thing: Any, width: int) -> Iterator[Line]:
    """A thing without a portrait of its own: what it holds, a line each, nothing decoded."""
    yield line((type(thing).__name__, "strong"))
    pairs = []
    for each in dataclass_fields(thing):
        value = getattr(thing, each.name)
        empty = value is None or value is UNDEFINED or value is False
        if empty or each.name.startswith("_") or (isinstance(value, Sized) and not len(value)):
            continue
        pairs.append((each.name, _field_text(value)))
    yield from fields(sorted(pairs, key=lambda pair: pair[0].endswith("_id")), width=width)


def _field_text(value: object) -> str:
    if isinstance(value, Payload):
        return f"{value.size} bytes, {' > '.join(value.layers)}"
    if isinstance(value, datetime):
        return iso(value) or ""
    if isinstance(value, Brief):
        return repr(value)
    if isinstance(value, tuple | set | frozenset) and not any(is_dataclass(each) for each in value):
        return preview(list(value), _LONGEST)
    if is_dataclass(value):
        return cut(str(getattr(value, "full", value)), _LONGEST)
    if isinstance(value, str):
        return cut(value, _LONGEST)
    if isinstance(value, tuple | frozenset) and any(is_dataclass(each) for each in value):
        return f"{len(value)} of {type(next(iter(value))).__name__}"
    return preview(value, _LONGEST)


def _world(world: World, width: int) -> Iterator[Line]:
    yield line((safe_text(world.label), "strong"), f"  {world.kind} world")
    rows: list[Row] = []
    more = False
    for run in world.runs():
        if len(rows) == _SESSIONS:
            more = True
            break
        state = word_for(run.status)
        rows.append((run.run_id, Cell(state.word, state.tone), run.workflow.function, clock(run.created_at)))
    columns = (
        Column(title="run"),
        Column(title="status"),
        Column(title="workflow", shrink=1),
        Column(title="created"),
    )
    yield from table_lines(Table(columns=columns, rows=rows, empty="No runs yet."), width=width)
    if more:
        yield line(("… and more; list(world.runs()) has them all", "muted"))
    if not world.receipt.clean:
        skipped, problems = len(world.receipt.skipped), len(world.receipt.problems)
        yield line(
            (
                f"! {plural(skipped, 'thing')} skipped, {plural(problems, 'problem')}; see world.receipt",
                "warning",
            )
        )


@_draw.register
def _(journal: Journal, width: int) -> Iterator[Line]:
    heads = list(islice(journal.heads, _SESSIONS + 1))
    yield line((safe_text(journal.world.label), "strong"), f"  journal over a {journal.world.kind} world")
    rows = [_session_cells(row) for row in session_rows(heads[:_SESSIONS])]
    columns = (
        Column(title="session"), Column(title="status"), Column(title="title", shrink=1, minimum=16),
        Column(title="runs", align="right"), Column(title="versions"), Column(title="last activity"),
    )  # fmt: skip
    yield from table_lines(Table(columns=columns, rows=rows, empty="No sessions yet."), width=width)
    if len(heads) > _SESSIONS:
        yield line(("… and more; journal.heads has them all", "muted"))


@_draw.register(LazySequence)
def _lazy(sequence: LazySequence[Any], width: int) -> Iterator[Line]:
    yield line(safe_text(repr(sequence)))


def _session_cells(row: SessionRow) -> tuple[Cell | str, ...]:
    return (
        row.short, Cell(row.status_text, row.tone), row.title, str(row.runs), ", ".join(row.versions),
        clock(row.last_activity),
    )  # fmt: skip


@_draw.register
def _(session: Session, width: int) -> Iterator[Line]:
    yield from session_lines(Explorer(session), width=width)


def session_lines(view: Explorer, *, width: int = _WIDTH) -> Iterator[Line]:
    """Yield the portrait of a session whose view-models exist already."""
    session = view.session
    row = view.row()
    version = ", ".join(f"eve {each}" for each in row.versions)
    yield line((session.id, "strong"), "  ", (row.status_text, row.tone), (f"  {version}", "muted"))
    if session.turns:
        yield from table_lines(turns_table(session, view.marks, None), width=width)
    else:
        yield from tree_lines(view.tree.visible(view.tree.opened)[: MOST_LINES + 1], None, width=width)
    yield line(("er.explore(session) steps through it; eve-replay why says what ran twice", "muted"))


@_draw.register
def _(moment: Moment, width: int) -> Iterator[Line]:
    turn, step, attempt = moment.turn, moment.step, moment.attempt
    where = [turn.id] if turn is not None else []
    where += [step.function] if step is not None else []
    where += [f"attempt {attempt.n}"] if attempt is not None else []
    yield line(
        (f"moment {moment.index + 1} of {moment.total}", "strong"),
        f"  {moment.label}  ",
        (f"{clock(moment.at)}  {', '.join(where)}", "muted"),
    )
    effects = [
        f"{each.tool} {executions(each.executions.min, each.executions.max).word}" for each in moment.effects
    ]
    pairs = [
        ("open calls", ", ".join(call.name for call in moment.open_calls)),
        ("effects so far", ", ".join(effects)),
        ("said so far", plural(len(moment.messages), "entry", "entries")),
        ("state", "moment.state.at(path), moment.state.parts"),
        ("id", moment.id),
    ]
    yield from fields([pair for pair in pairs if pair[1]], width=width)


@_draw.register
def _(turn: Turn, width: int) -> Iterator[Line]:
    state = word_for(turn.status)
    yield line((turn.id, "strong"), "  ", (state.word, state.tone), f"  {plural(len(turn.steps), 'step')}")
    for step in turn.steps:
        word = word_for(step.status)
        again = f"  {len(step.attempts)} attempts" if len(step.attempts) > 1 else ""
        yield line(
            "  ",
            step.function,
            "  ",
            (word.word, word.tone),
            (again, "again"),
            (f"  {step.step_id}", "muted"),
        )


@_draw.register
def _(step: Step, width: int) -> Iterator[Line]:
    word = word_for(step.status)
    yield line((step.function, "strong"), "  ", (word.word, word.tone), (f"  {step.step_id}", "muted"))
    yield from attempts_lines(step, EffectMarks.of(()), None, width=width)
    for name, payload in (("input", step.input), ("output", step.output), ("error", step.error)):
        if payload is not None:
            yield from fields([(name, f"{payload.size} bytes, {' > '.join(payload.layers)}")], width=width)


@_draw.register
def _(attempt: Attempt, width: int) -> Iterator[Line]:
    word = word_for(attempt.outcome)
    yield line(
        (f"attempt {attempt.n}", "strong"), "  ", (word.word, word.tone), (f"  {attempt.certainty}", "muted")
    )
    for call in attempt.tool_calls:
        yield line("  ", call.name, (f"  {cut(call.call_id, 40)}", "muted"))


@_draw.register
def _(payload: Payload, width: int) -> Iterator[Line]:
    yield line((f"{payload.size} bytes", "strong"), (f"  {' > '.join(payload.layers)}", "muted"))
    yield from value_lines(value_rows(payload.shared), width=width)


@_draw.register(DiffView)
def _diff(view: DiffView, width: int) -> Iterator[Line]:
    yield from diff_lines(view, width=width)


@_draw.register(AttemptDiffView)
def _attempt_diff_view(view: AttemptDiffView, width: int) -> Iterator[Line]:
    yield from attempt_diff_lines(view, width=width)


@_draw.register
def _(diff: AttemptDiff, width: int) -> Iterator[Line]:
    yield line((f"attempt {diff.first.n} against attempt {diff.second.n}", "strong"))
    for fact in diff.facts:
        yield line(f"  {fact.name}  ", (fact.verdict, "muted" if fact.verdict == "same" else "again"))


@_draw.register
def _(simulation: Simulation, width: int) -> Iterator[Line]:
    from eve_replay.views.crashlab.crash import effect_row

    yield from paragraph(simulation.sentence, width=width, tone="strong")
    rows = []
    for effect in map(effect_row, simulation.effects):
        rows.append(
            (
                effect.tool,
                Cell(effect.runs, effect.runs_tone),
                Cell(effect.outside, effect.tone),
                effect.strategy_words,
                effect.certainty,
            )
        )
    columns = (
        Column(title="effect"), Column(title="runs"), Column(title="outside sees"),
        Column(title="strategy", shrink=1), Column(title="known"),
    )  # fmt: skip
    yield from table_lines(Table(columns=columns, rows=rows, empty="No effects."), width=width)


@_draw.register
def _(matrix: Matrix, width: int) -> Iterator[Line]:
    outcomes: dict[str, int] = {}
    for simulation in matrix.points:
        outcomes[simulation.outcome] = outcomes.get(simulation.outcome, 0) + 1
    yield line((plural(len(matrix.points), "crash point"), "strong"), f"  of {matrix.session_id}")
    yield from fields([(name, str(number)) for name, number in sorted(outcomes.items())], width=width)


@_draw.register
def _(verdict: Verdict, width: int) -> Iterator[Line]:
    yield from verdict_lines(verdict, width=width)


@_draw.register
def _(finding: Finding, width: int) -> Iterator[Line]:
    yield from finding_lines([finding], width=width)


@_draw.register
def _(report: Report, width: int) -> Iterator[Line]:
    yield from why_lines(report, width=width)


@_draw.register
def _(joined: Joined, width: int) -> Iterator[Line]:
    yield from table_lines(ledger_table(joined), width=width)
    if joined.unmatched:
        yield line(("Effects without a recorded start", "strong"))
        yield from table_lines(unmatched_table(joined.unmatched), width=width)

"""What the crash commands share: their options, finding the turn, and drawing one answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from eve_replay.cli.shared.common import Shell, echo, echo_table, open_journal
from eve_replay.cli.shared.options import RenamedOption
from eve_replay.cli.shared.select import session_wanted, turn_wanted
from eve_replay.errors import WrongUse
from eve_replay.recovery.words import paragraph as answer_words
from eve_replay.views.kit.table import Cell, Column, Row, Table
from eve_replay.views.kit.text import Line, fields, line, paragraph
from eve_replay.views.kit.words import clock, day_and_clock, plural, zone_name

if TYPE_CHECKING:
    from eve_replay.journal import Journal, Session
    from eve_replay.recovery import Plan, Question, Simulation
    from eve_replay.views.crashlab.crash import CrashView

__all__ = ["Target", "assumption_options", "draw_answer", "explain_lines", "find_target", "question_from"]

MODELS = ("same", "new-ids", "other")


def assumption_options(function: Callable[..., None]) -> Callable[..., None]:
    """Add the options that say what is assumed; the function gets them as ``assumed: dict``."""

    def body(*args: Any, **values: Any) -> None:
        names = ("runtime", "environment", "model", "strategy", "lease", "retries", "retention")
        assumed = {name: values.pop(name) for name in names}
        function(*args, assumed=assumed, **values)

    body.__doc__ = function.__doc__
    body.__name__ = function.__name__
    options = (
        click.option(
            "--runtime",
            "--policy",
            "runtime",
            cls=RenamedOption,
            metavar="NAME",
            default="eve",
            help="Whose recovery rules: eve, flue or none.",
        ),
        click.option(
            "--environment", metavar="NAME", help="How the process comes back: eve-start, eve-dev ..."
        ),
        click.option(
            "--model",
            type=click.Choice(MODELS),
            default="same",
            help="What the model says when it is asked again.",
        ),
        click.option(
            "--strategy",
            metavar="TOOL=NAME",
            multiple=True,
            help="Idempotency strategy of a tool (* for all): call-id, coordinates, claim ...",
        ),
        click.option("--lease", metavar="SECONDS", type=float, help="Assumed lease (default 860)."),
        click.option("--retries", metavar="N", type=int, help="Retries of a step that throws (default 3)."),
        click.option("--retention", metavar="DAYS", type=float, help="Assumed retention."),
    )
    wrapped: Callable[..., None] = body
    for option in reversed(options):
        wrapped = option(wrapped)
    return wrapped


def strategies_from(texts: Sequence[str]) -> dict[str, str]:
    """Return strategies by tool from ``TOOL=NAME`` texts. Raises WrongUse for another form."""
    out = {}
    for text in texts:
        tool, equals, name = text.partition("=")
        if not equals or not tool or not name:
            raise WrongUse(
                f"--strategy {text!r} is not understood.", hint="Write it as TOOL=NAME or '*=NAME'."
            )
        out[tool.strip()] = name.strip()
    return out


def question_from(assumed: Mapping[str, Any], *, plain: bool = False) -> Question:
    """Return the question that the options ask."""
    from eve_replay.recovery import Question

    environment = assumed["environment"]
    if environment is None and plain and assumed["runtime"] == "eve":
        environment = "sdk-started"
    return Question(
        runtime=assumed["runtime"],
        environment=environment,
        model=assumed["model"],
        strategies=strategies_from(assumed["strategy"]),
        lease_seconds=assumed["lease"],
        max_retries=assumed["retries"],
        retention_days=assumed["retention"],
    )


@dataclass(slots=True, kw_only=True)
class Target:
    """The turn (or plain run) a command is about."""

    journal: Journal
    session: Session
    turn_id: str | None
    plan: Plan


def find_target(
    shell: Shell,
    source: str | None,
    turn: str | None,
    session: str | None,
    effects: str | None,
    *,
    run: str | None = None,
    batch: int | None = None,
) -> Target:
    """Return the turn that the words mean; a plain SDK run is meant as a whole.

    Args:
        shell: the caller.
        source: what to read.
        turn: turn id or number; without one the last turn.
        session: session id (or a run of it), where there are several.
        effects: file of an effects policy.
        run: a run id; it names the session when ``session`` is not given.
        batch: ``modelCallsPerStep`` to regroup to.
    """
    from eve_replay.recovery import regroup, session_plans

    journal = open_journal(shell, source)
    wanted = session or (run if turn is None else None)
    sessions = [head for head in journal.heads if head.kind != "workflow"]
    if turn is None and not sessions:
        owner = session_wanted(journal, wanted)
        turn_id = None
    elif turn is None and wanted is not None and session_wanted(journal, wanted).kind == "workflow":
        owner, turn_id = session_wanted(journal, wanted), None
    else:
        owner, one = turn_wanted(journal, turn, session)
        turn_id = one.id
    plan = session_plans(owner, effects).plan(turn_id)
    if batch is not None:
        plan = regroup(plan, batch)
    return Target(journal=journal, session=owner, turn_id=turn_id, plan=plan)


def view_of(simulation: Simulation, total: int) -> CrashView:
    """Return the view-model of an answer."""
    from eve_replay.views.crashlab.crash import crash_view, point_row

    return crash_view(simulation, point_row(simulation.point, simulation.point.position), total)


def draw_answer(shell: Shell, simulation: Simulation, *, explain: bool = False, head: bool = True) -> None:
    """Print one answer: where, outcome, steps, effects, what is paid, when, what to do, in plain words."""
    view = view_of(simulation, 0)
    if head:
        echo(shell, _head(shell, simulation))
    facts: list[tuple[str, str | Line]] = [("outcome", line((view.outcome_words, view.tone)))]
    if simulation.earliest is not None:
        lease = simulation.assumptions.lease_seconds
        assumed = f", assuming a lease of {lease:g} s" if simulation.by == "lease" and lease else ""
        when = day_and_clock(simulation.earliest, shell.zone)
        facts.append(("not before", f"{when} {zone_name(simulation.earliest, shell.zone)}{assumed}"))
    elif simulation.outcome == "recovers":
        facts.append(("when", simulation.delay or "at once after the restart"))
    facts.append(("run ends" if simulation.plain else "turn ends", simulation.ends or "not recorded"))
    if not simulation.plain:
        facts.append(("model calls", view.paid))
    if simulation.events_again:
        verb = "appears" if simulation.events_again == 1 else "appear"
        facts.append(("stream", f"{plural(simulation.events_again, 'event')} {verb} again"))
    if simulation.person:
        facts.append(("next", simulation.person))
    echo(shell, fields(facts, width=shell.width))
    open_steps = [row for row, step in zip(view.steps, simulation.steps, strict=True) if step.code != "done"]
    if open_steps:
        echo(shell, [()])
        echo_table(shell, _steps_table(view, simulation))
        for text in _proofs(simulation):
            echo(shell, paragraph(text, width=shell.width, indent=2, tone="muted"))
    if view.effects:
        echo(shell, [()])
        echo_table(shell, _effects_table(view))
    echo(shell, [(), *paragraph(answer_words(simulation, shell.zone), width=shell.width)])
    for text in simulation.told:
        echo(shell, [(), *paragraph(text, width=shell.width, tone="warning")])
    assumed = _assumed(simulation)
    echo(shell, [(), *paragraph(assumed, width=shell.width, tone="muted")])
    if explain:
        echo(shell, explain_lines(simulation, width=shell.width))


def _head(shell: Shell, simulation: Simulation) -> list[Line]:
    point = simulation.point
    out = [line((point.label, "strong"))]
    where = []
    if point.address:
        where.append(f"after {point.address}")
    if point.before:
        where.append(f"before {point.before}")
    if point.at is not None:
        where.append(clock(point.at, shell.zone, millis=True))
    out += paragraph(", ".join(where), width=shell.width, indent=2, tone="muted") if where else []
    return out


def _steps_table(view: CrashView, simulation: Simulation) -> Table:
    rows: list[Row] = []
    every = Counter(row.function for row in view.steps)
    seen: Counter[str] = Counter()
    done = 0
    for row, step in zip(view.steps, simulation.steps, strict=True):
        seen[row.function] += 1
        if step.code == "done":
            done += 1
            continue
        name = f"{row.function} #{seen[row.function]}" if every[row.function] > 1 else row.function
        rows.append([name, Cell(row.verdict, row.tone), step.code, row.attempts])
    if done:
        rows.insert(0, [plural(done, "step"), Cell("replayed", "replayed"), "done", ""])
    return Table(
        columns=[
            Column(title="step", shrink=1, minimum=12),
            Column(title="verdict"),
            Column(title="state"),
            Column(title="starts", align="right"),
        ],
        rows=rows,
    )


def _proofs(simulation: Simulation) -> list[str]:
    """What the counts of starts prove, once each."""
    return list(dict.fromkeys(f"{s.function}: {s.proves}." for s in simulation.steps if s.proves))


def _effects_table(view: CrashView) -> Table:
    rows: list[Row] = []
    for row in view.effects:
        missed = "" if row.missed == 0 else "may be missed"
        rows.append(
            [
                row.tool,
                Cell(row.call_id, "muted"),
                Cell(row.runs, row.runs_tone),
                Cell(row.outside, row.tone),
                row.strategy,
                Cell(missed, "harm"),
            ]
        )
    return Table(
        columns=[
            Column(title="effect", shrink=1, minimum=12),
            Column(title="call", shrink=2, minimum=8, keep="end"),
            Column(title="runs"),
            Column(title="outside sees"),
            Column(title="strategy"),
            Column(title=""),
        ],
        rows=rows,
    )


def _assumed(simulation: Simulation) -> str:
    each = simulation.assumptions
    parts = [f"runtime {each.runtime}", f"environment {each.environment}", f"model {each.model}"]
    parts += [f"{tool}: {name}" for tool, name in each.strategies]
    if each.model_calls_per_step is not None:
        parts.append(f"{each.model_calls_per_step} model calls per step")
    if each.crashes != 1:
        parts.append(plural(each.crashes, "crash", "crashes"))
    notes = f" Note: {'; '.join(each.notes)}." if each.notes else ""
    return f"Assumed: {', '.join(parts)}.{notes}"


def explain_lines(simulation: Simulation, *, width: int) -> list[Line]:
    """Return the rules that were applied, one by one, with their sources."""
    out: list[Line] = [(), line(("Why", "strong"))]
    for number, rule in enumerate(simulation.rules, 1):
        about = f" [{rule.about}]" if rule.about else ""
        out += paragraph(f"{number}. {rule.text}{about}", width=width, indent=2)
        out += paragraph(f"{rule.source}, {rule.certainty}", width=width, indent=5, tone="muted")
    for effect in simulation.effects:
        before, after = effect.before, effect.after
        name = f"{effect.tool} ({effect.call_id})" if effect.call_id else effect.tool
        text = (
            f"{name}: {_span(before.min, before.max)} before the crash, {_span(after.min, after.max)} by "
            f"recovery (rule {effect.rule or 'none'})"
        )
        out += paragraph(text, width=width, indent=2)
    cited = [rule.source for rule in simulation.rules if rule.source.startswith("docs/")]
    if cited:
        out += [(), line(("What was seen, and where: ", "muted"), f"eve-replay docs {_short(cited[0])}")]
    return out


def _short(pointer: str) -> str:
    """``docs/evidence/sweep.md#f1`` as a person types it: ``sweep#f1``."""
    page, mark, part = pointer.partition("#")
    return f"{page.rpartition('/')[2].removesuffix('.md')}{mark}{part.partition(',')[0]}"


def _span(low: int, high: int | None) -> str:
    if high is None:
        return f"{low} or more"
    return str(low) if low == high else f"{low} to {high}"

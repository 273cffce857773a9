"""What the crash commands share: their options, finding the turn, and drawing one answer."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import fields as fields_of
from typing import TYPE_CHECKING, Any

import click

from eve_replay.cli.shared.common import Shell, echo, echo_table, next_words, open_journal, source_and
from eve_replay.cli.shared.options import RenamedOption, effects_option, session_option
from eve_replay.cli.shared.select import session_wanted, turn_wanted
from eve_replay.errors import WrongUse
from eve_replay.recovery.sentences import paragraph as answer_words
from eve_replay.recovery.sentences import whole_of
from eve_replay.views.kit.table import Cell, Column, Row, Table
from eve_replay.views.kit.text import Line, fields, line, paragraph
from eve_replay.views.kit.words import clock, day_and_clock, plural, zone_name

if TYPE_CHECKING:
    from eve_replay.journal import Journal, Session
    from eve_replay.recovery import Plan, Question, Simulation
    from eve_replay.recovery.result import Assumptions
    from eve_replay.views.crashlab.crash import CrashView

__all__ = [
    "Target",
    "Words",
    "about_a_turn",
    "assumed_words",
    "assumption_options",
    "draw_answer",
    "explain_lines",
    "point_words",
    "question_from",
]

MODELS = ("same", "new-ids", "other")


def assumption_options(function: Callable[..., None]) -> Callable[..., None]:
    """Add the options that say what is assumed; the function gets them as ``assumed: dict``."""

    @functools.wraps(function)
    def body(*args: Any, **values: Any) -> None:
        names = ("runtime", "environment", "model", "strategy", "lease", "retries", "retention")
        assumed = {name: values.pop(name) for name in names}
        function(*args, assumed=assumed, **values)

    options = (
        click.option(
            "--runtime",
            "--policy",
            "runtime",
            cls=RenamedOption,
            metavar="NAME",
            default=None,
            help="Whose recovery rules: eve, flue, none; without it those of what wrote the journal.",
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


def question_from(assumed: Mapping[str, Any]) -> Question:
    """Return the question that the options ask."""
    from eve_replay.recovery import Question

    return Question(
        runtime=assumed["runtime"],
        environment=assumed["environment"],
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

    @property
    def name(self) -> str:
        """What to call it in a heading."""
        return self.turn_id or self.session.title

    @property
    def whole(self) -> str:
        """What its people call it: a turn, a submission, a run."""
        return whole_of(self.session.framework)

    def question(self, assumed: Mapping[str, Any]) -> Question:
        """Return the question that the options ask about it, where its journal says that it runs."""
        from eve_replay.recovery.forecast import at_home

        head = self.journal.head(self.session.id)
        question = question_from(assumed)
        return at_home(self.journal, self.session, head, question) if head is not None else question


@dataclass(slots=True, kw_only=True)
class Words:
    """What the caller said about which turn is meant.

    Attributes:
        source: what to read.
        turn: turn id or number; without one the last turn.
        session: session id (or a run of it), where there are several.
        run: a run id; it names the session when ``session`` is not given.
        effects: file of an effects policy.
        batch: ``modelCallsPerStep`` to regroup to.
    """

    source: str | None
    turn: str | None
    session: str | None
    run: str | None
    effects: str | None
    batch: int | None

    def target(self, shell: Shell) -> Target:
        """Return the turn that is meant; a plain SDK run is meant as a whole."""
        from eve_replay.recovery import regroup, session_plans

        journal = open_journal(shell, self.source)
        wanted = self.session or (self.run if self.turn is None else None)
        sessions = [head for head in journal.heads if head.kind != "workflow"]
        turn_id = None
        owner = session_wanted(journal, wanted) if self.turn is None and (wanted or not sessions) else None
        if owner is None or (sessions and owner.kind != "workflow"):
            owner, one = turn_wanted(journal, self.turn, self.session)
            turn_id = one.id
        plan = session_plans(owner, self.effects).plan(turn_id)
        if self.batch is not None:
            plan = regroup(plan, self.batch)
        return Target(journal=journal, session=owner, turn_id=turn_id, plan=plan)


def about_a_turn(
    *, run: str = "A plain SDK run.", batch: bool = True
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that adds ``[SOURCE] [TURN]`` and what else says which turn; gives ``words: Words``.

    Args:
        run: help of ``--run``.
        batch: ``--batch`` makes sense.
    """

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(function)
        def body(*args: Any, **values: Any) -> None:
            given = {field.name: values.pop(field.name, None) for field in fields_of(Words)}
            function(*args, words=Words(**given), **values)

        wrapped: Callable[..., None] = body
        if batch:
            wrapped = click.option(
                "--batch", type=int, metavar="N", help="What if modelCallsPerStep were N."
            )(wrapped)
        wrapped = effects_option(wrapped)
        wrapped = click.option("--run", metavar="RUN", help=run)(wrapped)
        wrapped = session_option(wrapped)
        return source_and("turn", required=False, option="The turn; the same as the word.")(wrapped)

    return decorate


def point_words(words: Words, target: Target) -> str:
    """Return the command that explains one point of the turn."""
    return next_words(words.source, " ".join(filter(None, ("crash", target.turn_id, "--point N"))))


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
        given = "its" if simulation.assumptions.lease_fixed else "assuming a"
        assumed = f", {given} lease of {lease:g} s" if simulation.by == "lease" and lease else ""
        when = day_and_clock(simulation.earliest, shell.zone)
        facts.append(("not before", f"{when} {zone_name(simulation.earliest, shell.zone)}{assumed}"))
    elif simulation.outcome == "recovers":
        facts.append(("when", simulation.delay or "at once after the restart"))
    facts.append((f"{whole_of(simulation.framework)} ends", simulation.ends or "not recorded"))
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
    assumed = assumed_words(simulation.assumptions)
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
    from eve_replay.journal.frameworks.registry import framework_named

    framework = framework_named(simulation.framework)
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
        # A code of the Workflow SDK's commits, which other stores do not have.
        state = step.code if framework.language == "workflow" else "open"
        rows.append([name, Cell(row.verdict, row.tone), state, row.attempts])
    if done:
        word = plural(done, framework.nouns.step)
        rows.insert(0, [word, Cell("replayed", "replayed"), "done", ""])
    return Table(
        columns=[
            Column(title=framework.nouns.step, shrink=1, minimum=12),
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


def assumed_words(each: Assumptions) -> str:
    """Return what an answer takes for granted, as the last line of it."""
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

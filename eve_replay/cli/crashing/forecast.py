"""``eve-replay forecast``: what happens next to the journal as it lies there."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import click

from eve_replay.cli.shared.common import (
    Shell,
    command,
    echo,
    echo_table,
    emit_json,
    finish,
    next_words,
    note,
    open_journal,
    source_and,
)
from eve_replay.cli.shared.crash import assumption_options, draw_answer, question_from
from eve_replay.cli.shared.here import here_option, sighting
from eve_replay.cli.shared.options import effects_option, explain_option
from eve_replay.ids import short_id
from eve_replay.journal.effects.judge import tally
from eve_replay.views.crashlab.rows import OUTCOMES, judge_verdict
from eve_replay.views.kit.safe import cut
from eve_replay.views.kit.table import Cell, Column, Table
from eve_replay.views.kit.text import Line, fields, line, paragraph
from eve_replay.views.kit.tone import TONES, Tone
from eve_replay.views.kit.words import plural, short_ids
from eve_replay.views.session.titles import title_text

if TYPE_CHECKING:
    from eve_replay.guidance.choices import Choice
    from eve_replay.journal import Journal, Session
    from eve_replay.recovery import Forecast

__all__ = ["cli"]

_TONES = {outcome: tone for outcome, (_, tone) in OUTCOMES.items()}


@command("forecast")
@source_and("session", required=False, option="Only this session.")
@effects_option
@click.option(
    "--if", "choices", is_flag=True, help="What you can do now, side by side: what each repeats or loses."
)
@here_option
@explain_option
@assumption_options
def cli(
    shell: Shell,
    source: str | None,
    session: str | None,
    effects: str | None,
    choices: bool,
    here: bool,
    explain: bool,
    assumed: dict[str, Any],
) -> None:
    """Say what will happen when the process comes back, for the journal as it lies there.

    Without SESSION: all sessions, worst first. The environment is told from the journal unless
    --environment says it.
    """
    from eve_replay.cli.shared.fleet import processes
    from eve_replay.cli.shared.progress import counted
    from eve_replay.cli.shared.select import session_wanted
    from eve_replay.fleet.pool import asked
    from eve_replay.recovery import forecast
    from eve_replay.recovery.forecast import worst_first

    journal = open_journal(shell, source)
    wanted = session
    if wanted is not None:
        wanted = session_wanted(journal, wanted).id
    question = question_from(assumed)

    def told(one: Session) -> tuple[Forecast, ...]:
        return forecast(journal, session=one.id, question=question, effects=effects)

    ids = [head.id for head in journal.heads] if wanted is None else [wanted]
    answers = counted(asked(journal, ids, told, workers=processes()), len(ids), "session", quiet=shell.json)
    found = worst_first(each for answer in answers for each in answer.answer)
    open_ = [each for each in found if each.open]
    seen = sighting(journal.world) if here else None
    chosen = {each.session_id: _choices(shell, journal, each, assumed, effects) for each in found if choices}
    if shell.json:
        # Sessions with nothing open are listed too, with that as their outcome: a script that asks for one
        # session finds an answer, and never has to guess what its absence means.
        emit_json(
            shell,
            "forecast",
            journal,
            sessions=[
                each.to_json() | ({"if": [c.to_json() for c in chosen[each.session_id]]} if choices else {})
                for each in found
            ],
            **({"here": seen.to_json()} if seen is not None else {}),
            nothingOpen=[each.session_id for each in found if not each.open],
        )
        finish(shell, journal.receipt)
        return
    if seen is not None:
        echo(shell, [*paragraph(seen.line, width=shell.width, tone="muted"), ()])
    shown = found if wanted is not None else open_
    if not shown:
        echo(shell, [line((_nothing(found), "muted"))])
    elif len(shown) == 1:
        _one(shell, shown[0], explain)
    else:
        _entries(shell, source, shown)
    rest = len(found) - len(shown)
    if shown and rest:
        words = "has nothing open" if rest == 1 else "have nothing open"
        echo(shell, [(), line((f"{plural(rest, 'session')} more {words}.", "muted"))])
    for each in shown if choices else ():
        echo(shell, [(), line((f"If now, session {short_id(each.session_id)}", "strong"))])
        echo(shell, _choice_lines(shell, chosen[each.session_id]))
    finish(shell, journal.receipt)


def _choices(
    shell: Shell, journal: Journal, found: Forecast, assumed: dict[str, Any], effects: str | None
) -> tuple[Choice, ...]:
    from eve_replay.checks import Voice
    from eve_replay.guidance.choices import choices_of
    from eve_replay.journal.effects.policy import EffectsPolicy

    lease = timedelta(seconds=assumed["lease"] if assumed["lease"] is not None else 860)
    return choices_of(
        journal.session(found.session_id),
        environment=found.answer.assumptions.environment,
        voice=Voice(now=shell.now, zone=shell.zone, lease=lease),
        effects=EffectsPolicy.load(effects),
    )


def _choice_lines(shell: Shell, choices: tuple[Choice, ...]) -> list[Line]:
    """Two lines a choice: what it is, what it repeats; what it leaves, and how we know."""
    out: list[Line] = []
    for each in choices:
        again = ", ".join(each.repeats)
        tone: Tone = "muted" if not again else "harm" if each.unprotected else "once"
        out.append(
            line(
                ("✓ " if each.safest else "  ", "ok"),
                (each.words, "strong"),
                (f"  {again or 'nothing'} again", tone),
                ("  safest" if each.safest else "", "ok"),
            )
        )
        out += paragraph(f"{each.leaves}. {each.certainty}", width=shell.width, indent=4, tone="muted")
    return out


def _nothing(found: Sequence[Forecast]) -> str:
    if not found:
        return "There are no sessions here yet."
    if len(found) == 1:
        name = _noun(found[0])
        return f"Nothing is open: if its process dies now, the {name} loses nothing and repeats nothing."
    return f"Nothing is open: if their process dies now, all {len(found):,} sessions lose and repeat nothing."


def _noun(found: Forecast) -> str:
    """What its people call it: a session, a conversation, a run."""
    from eve_replay.journal.frameworks.registry import framework_named

    return framework_named(found.answer.framework).nouns.session


def _one(shell: Shell, found: Any, explain: bool) -> None:
    sim = found.answer
    title = cut(" ".join(title_text(found.title).split()), max(20, shell.width - 30))
    echo(shell, [line((f"{_noun(found)} {short_id(found.session_id)}  ", "muted"), (title, "strong"))])
    echo(shell, paragraph(f"{sim.point.label}", width=shell.width, indent=2))
    pairs: list[tuple[str, str | Line]] = [("certain", text) for text in found.certain]
    pairs += [
        ("unknown", f"{name} was cut off: its function may still act, in a process that lives.")
        for name in found.late
    ]
    if pairs:
        echo(shell, [(), *fields(pairs, width=shell.width)])
    echo(shell, [()])
    draw_answer(shell, sim, explain=explain, head=False)
    if found.others:
        echo(shell, [()])
        echo_table(shell, _environments(found))


def _environments(found: Any) -> Table:
    from eve_replay.recovery import ENVIRONMENTS

    rows = []
    for name, sim in found.others:
        why = ENVIRONMENTS[name].why
        rows.append([name, Cell(sim.outcome, _TONES[sim.outcome]), Cell(why, "muted")])
    return Table(
        columns=[
            Column(title="elsewhere"),
            Column(title="outcome"),
            Column(title="", shrink=1, minimum=16),
        ],
        rows=rows,
    )


def _entries(shell: Shell, source: str | None, found: Any) -> None:
    """Two or three lines a session: what becomes of it and its effects, where it stands, who is needed."""
    short = short_ids([each.session_id for each in found])
    out: list[Line] = []
    for each in found:
        sim = each.answer
        twice = tally(judge_verdict(effect) for effect in sim.effects)
        tone: Tone = "harm" if twice else _TONES[sim.outcome]  # it comes back, and does harm by it
        shown = short[each.session_id]
        told = f"  {twice.words}" if twice else ""
        room = shell.width - len(shown) - len(sim.outcome) - len(told) - 8
        title = cut(title_text(each.title), room) if room > 8 else ""
        out += [
            *([()] if out else []),
            line(
                (f"{TONES[tone].sign or '-'} ", tone),
                (shown, "strong"),
                "  ",
                (sim.outcome, tone),
                (told, "harm"),
                f"  {title}",
            ),
            *paragraph(sim.point.label, width=shell.width, indent=2, tone="muted")[:2],
            *(
                line((cut(f"  {name} was cut off and may still act", shell.width), "muted"))
                for name in each.late
            ),
        ]
        if sim.person:
            out.append(line((cut(f"  Needs a person: {sim.person}", shell.width), "strong")))
    echo(shell, out)
    note(shell, f"`{next_words(source, 'forecast SESSION')}` tells the whole of one.")

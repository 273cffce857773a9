"""``eve-replay state``: what a checkpoint holds, and what a step changed."""

from __future__ import annotations

import click

from eve_replay.cli.shared.common import (
    Shell,
    command,
    echo,
    echo_table,
    emit_json,
    finish,
    open_journal,
    source_and,
)
from eve_replay.cli.shared.options import session_option
from eve_replay.cli.shared.select import session_wanted, step_wanted
from eve_replay.codec import parse_path
from eve_replay.errors import WrongUse
from eve_replay.journal import Journal, Session, Step, walk_states
from eve_replay.journal.documents import state_document
from eve_replay.journal.state import State, StepState
from eve_replay.values import UNDEFINED, same, to_tagged
from eve_replay.views.kit.safe import cut, safe_text
from eve_replay.views.kit.table import Cell, Column, Table
from eve_replay.views.kit.text import Line, line, paragraph
from eve_replay.views.kit.tone import Tone
from eve_replay.views.kit.words import plural, word_for
from eve_replay.views.session.messages import MessageRow
from eve_replay.views.session.state import StateView, state_view

__all__ = ["cli"]


@command("state")
@source_and("step", required=False)
@session_option
@click.option("--run", metavar="RUN", help="The run, when two runs hold a step of this id.")
@click.option("--before", "side", flag_value="before", help="The whole state before the step.")
@click.option("--after", "side", flag_value="after", help="The whole state after it.")
@click.option("--path", metavar="PATH", help="Only this part, such as 'sessionState.snapshot.session'.")
@click.option("--all", "whole", is_flag=True, help="Unfold everything, texts to their end.")
def cli(
    shell: Shell,
    source: str | None,
    step: str | None,
    session: str | None,
    run: str | None,
    side: str | None,
    path: str | None,
    whole: bool,
) -> None:
    """Show the state before and after a step: what a checkpoint holds, what is rebuilt, what changed.

    STEP is a step id or its last characters; without one, every step that carries state is listed. The
    state a step leaves is its own input with its output's delta applied; it must equal what the next
    step gets, and every way in which it does not is listed.
    """
    journal = open_journal(shell, source)
    if step is None:
        _listing(shell, journal, session_wanted(journal, session or run))
        return
    owner, one = step_wanted(journal, step, session=session, run=run)
    walked = next((each for each in walk_states(owner.steps) if each.step is one), None)
    view = state_view(one, walked=walked)
    before, after = (walked.before, walked.after) if walked is not None else (None, None)
    if path is not None and side is None:
        side = "after" if after is not None else "before"
    if side is not None:
        chosen = before if side == "before" else after
        _whole(shell, journal, one, side, chosen, path, whole=whole, note=view.note)
        return
    if shell.json:
        emit_json(
            shell,
            "state",
            journal,
            sessionId=owner.id,
            runId=one.run_id,
            stepId=one.step_id,
            before=to_tagged(before.parts()) if before is not None else None,
            after=to_tagged(after.parts()) if after is not None else None,
            messagesAdded=[to_tagged(each) for each in (walked.added if walked is not None else ())],
            law=[row.to_json() for row in view.law],
            view=view.to_json(),
        )
    else:
        _show(shell, one, view)
    finish(shell, journal.receipt, problems=any(not row.expected for row in view.law))


def _listing(shell: Shell, journal: Journal, session: Session) -> None:
    states = list(walk_states(session.steps))
    if shell.json:
        emit_json(
            shell, "state", journal, sessionId=session.id, steps=[state_document(each) for each in states]
        )
    else:
        columns = (
            Column(title="step", shrink=1, minimum=12),
            Column(title="id", shrink=2, minimum=12, keep="both"),
            Column(title="status"),
            Column(title="messages", align="right", optional=True),
            Column(title="added", align="right", shrink=1, minimum=6),
            Column(title="differs", align="right"),
        )
        rows = []
        for each in states:
            word = word_for(each.step.status)
            odd = sum(not change.expected for change in each.law)
            rows.append(
                (
                    each.step.function,
                    each.step.step_id,
                    Cell(word.word, word.tone),
                    *_grown(each),
                    Cell(str(odd) if odd else "", "error"),
                )
            )
        empty = "No step of this session carries state that can be read."
        echo(shell, [line((session.id, "strong"))])
        echo_table(shell, Table(columns=columns, rows=rows, empty=empty))
    finish(shell, journal.receipt, problems=any(not c.expected for each in states for c in each.law))


def _grown(each: StepState) -> tuple[str, str]:
    """How many messages the state holds and how many are new; of named values which ones changed."""
    state = each.after or each.before
    if state is None:
        return "0", ""
    if not state.named:
        return str(len(state.history)), f"+{len(each.added)}" if each.added else ""
    old = each.before.session if each.before is not None else {}
    changed = [name for name, value in state.session.items() if name not in old or not same(old[name], value)]
    return "", safe_text(", ".join(changed))


def _whole(
    shell: Shell,
    journal: Journal,
    step: Step,
    side: str,
    state: State | None,
    path: str | None,
    *,
    whole: bool,
    note: str,
) -> None:
    from eve_replay.views.inspect.value import value_lines, value_rows

    value: object = state.parts() if state is not None else UNDEFINED
    if path is not None and state is not None:
        value = _at(value, path)
    if shell.json:
        emit_json(
            shell,
            "state",
            journal,
            stepId=step.step_id,
            side=side,
            path=path or "$",
            value=to_tagged(value),
        )
    elif state is None:
        echo(
            shell, paragraph(note or f"There is no state {side} this step.", width=shell.width, tone="muted")
        )
    else:
        budget = 1_000_000 if whole else 60
        rows = value_rows(value, budget=budget, page=budget if whole else 20, path=path or "$")
        echo(shell, [line((f"state {side} {step.function}", "strong"), (f"  {path or ''}", "muted"))])
        echo(shell, value_lines(rows, width=shell.width, indent=2, whole_text=whole))
    finish(shell, journal.receipt)


def _at(value: object, path: str) -> object:
    steps = parse_path(path)
    if steps is None:
        raise WrongUse(f"{path!r} is no path.", hint="Write it like sessionState.snapshot.session.state.")
    for step in steps:
        if isinstance(value, dict):
            value = value.get(step, UNDEFINED)
        elif isinstance(value, (list, tuple)) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return UNDEFINED
    return value


def _show(shell: Shell, step: Step, view: StateView) -> None:
    from eve_replay.views.diffs.diff import diff_lines

    word = word_for(step.status)
    out: list[Line] = [
        line(
            (f"state around {step.function}", "strong"),
            "  ",
            (word.word, word.tone),
            (f"  {step.step_id}", "muted"),
        )
    ]
    if view.note:
        out += paragraph(view.note, width=shell.width, indent=2, tone="warning")
    echo(shell, [*out, ()])
    columns = (
        Column(title="part"),
        Column(title="held by"),
        Column(title="", shrink=1),
        Column(title="now", shrink=2, minimum=16),
    )
    rows = [
        (
            part.what,
            Cell("the checkpoint" if part.origin == "checkpoint" else "the code of the day", "muted"),
            Cell("changed" if part.changed else "", "again"),
            Cell(part.text or part.note, "plain" if part.text else "muted"),
        )
        for part in view.parts
        if part.present or part.origin == "rebuilt"
    ]
    echo_table(shell, Table(columns=columns, rows=rows))
    if view.diff is not None:
        echo(shell, [(), line(("what the step changed", "strong"), (f"  {view.diff.summary}", "muted"))])
        echo(shell, diff_lines(view.diff, width=shell.width, indent=2))
    if view.messages:
        echo(shell, [(), line((f"{plural(len(view.messages), 'message')} added", "strong"))])
        echo(shell, [each for row in view.messages for each in _message_lines(row, shell.width)])
    if view.law:
        echo(shell, [(), line(("got otherwise than the step before left it", "strong"))])
        for law in view.law:
            tone: Tone = "muted" if law.expected else "error"
            echo(shell, [line((f"  {law.path}  {law.left} → {law.got}", tone), (f"  {law.why}", "muted"))])


def _message_lines(row: MessageRow, width: int) -> list[Line]:
    out: list[Line] = []
    for number, part in enumerate(row.parts or ()):
        head = f"  {row.role if not number else '':<10}"
        name = f"{part.name} " if part.name else ""
        kind = f"{part.kind}: " if part.kind not in ("text",) else ""
        text = " ".join(part.text.split())
        out.append(
            line(
                (head, "muted"),
                (f"{kind}{name}", "muted"),
                (cut(text, max(width - len(head) - len(kind) - len(name), 12)), part.tone),
            )
        )
    return out or [line((f"  {row.role}", "muted"))]

"""``eve-replay diff``: attempts, steps, runs or values compared."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

import click

from eve_replay.cli.shared.common import Shell, command, echo, emit_json, finish, open_journal
from eve_replay.cli.shared.json import write_json
from eve_replay.cli.shared.select import session_wanted, step_wanted
from eve_replay.codec import Payload, loads_json
from eve_replay.errors import NotFound, SourceUnreadable, WrongUse
from eve_replay.journal import Journal, Run, Session, Step
from eve_replay.values import UNDEFINED, from_tagged, to_tagged
from eve_replay.views.diffs.diff import diff_lines, json_patch, sides, unified
from eve_replay.views.kit.base import View
from eve_replay.views.kit.safe import safe_text
from eve_replay.views.kit.text import Line, line
from eve_replay.worlds.layouts.library import split_layout

__all__ = ["cli"]

_FORMATS = click.Choice(["text", "unified", "patch"])


@command("diff")
@click.argument("words", nargs=-1, metavar="[SOURCE] [A] [B]")
@click.option("-s", "--read", "read_from", metavar="SOURCE", help="Where to read, instead of as first word.")
@click.option("--with", "other", metavar="SOURCE", help="Where to read B, when it lies elsewhere.")
@click.option("--attempts", nargs=2, type=int, metavar="N M", help="Which attempts of step A (the last two).")
@click.option("--part", type=click.Choice(["input", "output", "error"]), help="Only this payload of A and B.")
@click.option("--path", metavar="PATH", help="Only this part of the payloads.")
@click.option("--values", is_flag=True, help="A and B are JSON files (plain or tagged JSON).")
@click.option(
    "--format", "form", type=_FORMATS, default="text", help="text, unified diff, or RFC 6902 patch."
)
@click.option("--every", is_flag=True, help="Also what is the same.")
def cli(
    shell: Shell,
    words: tuple[str, ...],
    read_from: str | None,
    other: str | None,
    attempts: tuple[int, int] | None,
    part: str | None,
    path: str | None,
    values: bool,
    form: str,
    every: bool,
) -> None:
    """Compare two attempts of a step, two steps, two runs, or two JSON files.

    \b
    diff SOURCE STEP              attempt against attempt (the last two)
    diff SOURCE STEP STEP         step against step
    diff SOURCE RUN RUN           run against run
    diff SOURCE                   every step that was started more than once
    diff --values A.json B.json   two values
    """
    if values:
        _files(shell, words, form)
        return
    source, ids = _words(words, read_from)
    journal = open_journal(shell, source)
    second = open_journal(shell, other) if other else journal
    if not ids:
        _all_again(shell, journal, every=every)
        return
    if len(ids) == 1 and other is None:
        owner, step = step_wanted(journal, ids[0])
        _attempts(shell, journal, owner, step, attempts, every=every)
        return
    one, two = _thing(journal, ids[0]), _thing(second, ids[-1])
    if isinstance(one, Step) and isinstance(two, Step):
        _steps(shell, journal, one, two, part, path, form)
    elif isinstance(one, Run) and isinstance(two, Run):
        _runs(shell, journal, one, two, part, path, form)
    else:
        raise WrongUse("A and B must be two steps or two runs.", hint="Mixing them compares nothing.")


def _words(words: tuple[str, ...], read: str | None) -> tuple[str | None, list[str]]:
    rest = list(words)
    source = read
    if source is None and rest and (len(rest) > 2 or _is_source(rest[0])):
        source = rest.pop(0)
    if len(rest) > 2:
        raise WrongUse(f"Too many words: {' '.join(rest)}.", hint="Give a source and at most two ids.")
    return source, rest


def _is_source(word: str) -> bool:
    return word.startswith("sample:") or "://" in word or Path(split_layout(word)[0]).exists()


def _thing(journal: Journal, wanted: str) -> Step | Run:
    """Return the run or step of an id; a plain ending may be either, runs are asked first."""
    if not wanted.startswith("step_"):
        try:
            session = session_wanted(journal, wanted)
        except NotFound:
            if wanted.startswith("wrun_"):
                raise
        else:
            fits = [run for run in session.all_runs if run.run_id == wanted or run.run_id.endswith(wanted)]
            return fits[0] if fits else session.runs[0]
    return step_wanted(journal, wanted)[1]


def _all_again(shell: Shell, journal: Journal, *, every: bool) -> None:
    from eve_replay.journal.effects.build import effects_of
    from eve_replay.views.diffs.attempts import attempt_diff_view
    from eve_replay.views.session.listing import attempt_diff_lines

    views = []
    for session in journal.sessions:
        again = [step for step in session.steps if len(step.attempts) > 1]
        effects = effects_of(session) if again else ()
        for step in again:
            numbers = [attempt.n for attempt in step.attempts]
            for one, two in pairwise(numbers):
                views.append(attempt_diff_view(step, one, two, effects=effects))
    if shell.json:
        emit_json(shell, "diff", journal, attempts=[view.to_json() for view in views])
    elif not views:
        echo(shell, [line(("No step here was started more than once.", "muted"))])
    else:
        for number, view in enumerate(views):
            lines = attempt_diff_lines(view, width=shell.width, every=every)
            echo(shell, [(), (), *lines] if number else lines)
    finish(shell, journal.receipt)


def _attempts(
    shell: Shell,
    journal: Journal,
    owner: Session,
    step: Step,
    numbers: tuple[int, int] | None,
    *,
    every: bool,
) -> None:
    from eve_replay.journal.effects.build import effects_of
    from eve_replay.views.diffs.attempts import attempt_diff_view
    from eve_replay.views.session.listing import attempt_diff_lines

    there = [attempt.n for attempt in step.attempts]
    if numbers is None:
        if len(there) < 2:
            raise WrongUse(
                f"{step.step_id} has {len(there)} attempt: nothing to compare.",
                hint="Give a second step, or a step from `eve-replay attempts --again`.",
            )
        numbers = (there[-2], there[-1])
    view = attempt_diff_view(step, *numbers, effects=effects_of(owner))
    if shell.json:
        emit_json(shell, "diff", journal, attempts=[view.to_json()])
    else:
        echo(shell, attempt_diff_lines(view, width=shell.width, every=every))
    finish(shell, journal.receipt)


def _steps(
    shell: Shell, journal: Journal, one: Step, two: Step, part: str | None, path: str | None, form: str
) -> None:
    from eve_replay.views.diffs.steps import step_diff_lines, step_diff_view

    if part is not None or path is not None or form != "text":
        name = part or "output"
        _values(shell, journal, _part(getattr(one, name), path), _part(getattr(two, name), path), form)
        return
    view = step_diff_view(one, two)
    _whole(shell, journal, step_diff_lines(view, width=shell.width), step=view)


def _runs(
    shell: Shell, journal: Journal, one: Run, two: Run, part: str | None, path: str | None, form: str
) -> None:
    from eve_replay.views.diffs.steps import run_diff_lines, run_diff_view

    if part is not None or path is not None or form != "text":
        name = part or "output"
        left, right = one.record.payload(name), two.record.payload(name)
        _values(shell, journal, _part(left, path), _part(right, path), form)
        return
    view = run_diff_view(one, two)
    _whole(shell, journal, run_diff_lines(view, width=shell.width), run=view)


def _whole(shell: Shell, journal: Journal, lines: Iterable[Line], **views: View) -> None:
    """Print one difference: its lines, or under its name as JSON."""
    if shell.json:
        emit_json(shell, "diff", journal, **{name: view.to_json() for name, view in views.items()})
    else:
        echo(shell, lines)
    finish(shell, journal.receipt)


def _part(payload: Payload | None, path: str | None) -> object:
    if payload is None:
        return UNDEFINED
    return payload.shared if path is None else payload.at(path)


def _values(shell: Shell, journal: Journal | None, before: object, after: object, form: str) -> None:
    view = sides(before, after)
    if shell.json:
        fields = {
            "value": view.to_json(),
            "patch": json_patch(before, after),
            "before": to_tagged(before),
            "after": to_tagged(after),
        }
        if journal is None:
            emit_json(shell, "diff", "values", None, **fields)
        else:
            emit_json(shell, "diff", journal, **fields)
    elif form == "patch":
        _emit_patch(json_patch(before, after))
    elif form == "unified":
        echo(shell, [_unified_line(each) for each in unified(before, after).splitlines()])
    else:
        echo(shell, diff_lines(view, width=shell.width))
    if journal is not None:
        finish(shell, journal.receipt)


def _emit_patch(patch: list[dict[str, object]]) -> None:
    """Print a patch for a program to read: ASCII only, so that nothing in it can move a cursor."""
    try:
        click.echo(json.dumps(patch, indent=2, allow_nan=False))
    except (RecursionError, ValueError):
        write_json(patch, sys.stdout.buffer)


def _unified_line(text: str) -> Line:
    tone = {"+": "once", "-": "error", "@": "muted"}.get(text[:1], "plain")
    return line((safe_text(text), tone))  # type: ignore[arg-type]


def _files(shell: Shell, words: tuple[str, ...], form: str) -> None:
    if len(words) != 2:
        raise WrongUse("--values needs two files.", hint="eve-replay diff --values A.json B.json")
    loaded = []
    for name in words:
        try:
            data = Path(name).read_bytes()
        except OSError as error:
            raise SourceUnreadable(f"{name} cannot be read: {error.strerror}.") from None
        try:
            loaded.append(from_tagged(loads_json(data)))
        except ValueError as error:
            raise WrongUse(f"{name} is not JSON: {error}.") from None
    _values(shell, None, loaded[0], loaded[1], form)

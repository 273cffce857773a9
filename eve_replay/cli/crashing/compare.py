"""``eve-replay compare``: runtimes, strategies, batch sizes and model answers side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from eve_replay.cli.shared.common import (
    Shell,
    command,
    echo,
    echo_table,
    emit_json,
    finish,
    open_journal,
)
from eve_replay.cli.shared.crash import (
    MODELS,
    Target,
    Words,
    about_a_turn,
    assumption_options,
)
from eve_replay.ids import short_id
from eve_replay.views.kit.table import Cell, Column, Row, Table
from eve_replay.views.kit.text import line, paragraph
from eve_replay.views.kit.tone import Tone

__all__ = ["cli"]


@command("compare")
@about_a_turn(batch=False)
@click.option("--dedup", is_flag=True, help="What each key keeps and loses of a recorded crash.")
@click.option("--keys", is_flag=True, help="Try candidate keys on all executions of the store.")
@click.option("--determinism", is_flag=True, help="Whether workflow bodies would replay the same way.")
@click.option(
    "--policies",
    "--runtimes",
    "policies",
    metavar="NAMES",
    help="Only these recovery rules, side by side at every point: eve,flue",
)
@assumption_options
def cli(
    shell: Shell,
    words: Words,
    dedup: bool,
    keys: bool,
    determinism: bool,
    policies: str | None,
    assumed: dict[str, Any],
) -> None:
    """Compare strategies, model answers, runtimes and batch sizes over all points of a turn.

    With --policies eve,flue: what a crash at every point repeats, loses or leaves unknown under each.
    With --dedup: apply each deduplication key to what is recorded, and see what it keeps and loses.
    With --keys: for every tool of the store, the repeats each candidate key would have let through and the
    different deeds it would have merged, over all recorded executions.
    With --determinism: what the logs of workflow runs say about replaying them.
    """
    if keys:
        _keys(shell, words)
        return
    target = words.target(shell)
    if dedup:
        _dedup(shell, target)
        return
    if determinism:
        _determinism(shell, target)
        return
    if policies:
        _side_by_side(shell, target, policies, assumed)
        return
    groups = _groups(target, assumed)
    if shell.json:
        emit_json(
            shell,
            "compare",
            target.journal,
            sessionId=target.session.id,
            turnId=target.turn_id,
            **{name: [row.to_json() for row in rows] for name, _, rows in groups},
        )
        finish(shell, target.journal.receipt)
        return
    echo(shell, [line((f"{target.name}: a crash at any point", "strong"))])
    for _, title, rows in groups:
        echo(shell, [()])
        echo_table(shell, _table(title, rows))
    text = (
        "Repeats are executions the outside sees beyond the first, over all effects: at the worst point, and "
        f"expected when the crash comes at a random time of the {target.whole}."
    )
    echo(shell, [(), *paragraph(text, width=shell.width, tone="muted")])
    finish(shell, target.journal.receipt)


def _side_by_side(shell: Shell, target: Target, policies: str, assumed: dict[str, Any]) -> None:
    from eve_replay.recovery.side_by_side import side_by_side
    from eve_replay.views.crashlab.side import side_lines, side_table

    names = [name.strip() for name in policies.split(",") if name.strip()]
    found = side_by_side(target.plan, runtimes=names, question=target.question({**assumed, "runtime": None}))
    if shell.json:
        emit_json(shell, "compare", target.journal, **found.to_json())
        finish(shell, target.journal.receipt)
        return
    echo(shell, [line((f"{target.name}: a crash at any point, under {len(names)} sets of rules", "strong"))])
    echo_table(shell, side_table(found))
    echo(shell, [()])
    for text in side_lines(found):
        echo(shell, paragraph(text, width=shell.width))
    note = (
        f"The {target.whole} is what {found.framework} recorded; the other rules are asked of the same "
        "moments. What the other runtime's own records would have been is not claimed."
    )
    echo(shell, [(), *paragraph(note, width=shell.width, tone="muted")])
    finish(shell, target.journal.receipt)


def _groups(target: Target, assumed: dict[str, Any]) -> list[tuple[str, str, Sequence[Any]]]:
    from eve_replay.recovery import compare_batches, compare_strategies
    from eve_replay.recovery.matrix import Comparison, matrix_of
    from eve_replay.recovery.runtimes.registry import comparable, runtime_named

    plan, question = target.plan, target.question(assumed)
    models = []
    for model in MODELS:
        asked = target.question({**assumed, "model": model})
        words = {"same": "the same answer", "new-ids": "same calls, new ids", "other": "another answer"}[
            model
        ]
        models.append(Comparison(name=model, words=words, totals=matrix_of(plan, asked).totals))
    under = []
    for name in comparable(plan.framework):
        asked = target.question({**assumed, "runtime": name, "environment": None})
        under.append(
            Comparison(name=name, words=runtime_named(name).words, totals=matrix_of(plan, asked).totals)
        )
    groups: list[tuple[str, str, Sequence[Any]]] = [
        ("strategies", "strategy", compare_strategies(plan, question)),
        ("models", "model asked again", models),
        ("policies", "recovery", under),
    ]
    if plan.batches_calls:
        groups.append(("batches", "model calls per step", compare_batches(plan, question)))
    return groups


def _table(title: str, rows: Sequence[Any]) -> Table:
    body: list[Row] = []
    for row in rows:
        totals = row.totals
        worst = "no end" if totals.outside_worst is None else str(totals.outside_worst)
        body.append(
            [
                row.name,
                Cell(worst, "harm" if totals.outside_worst is None or totals.outside_worst else "ok"),
                str(totals.outside_worst_bounded),
                f"{totals.outside_expected:.2f}",
                Cell(str(totals.missed) if totals.missed else "", "harm"),
                str(totals.tokens_again or "") + "?" * totals.tokens_unknown or "0",
                Cell(row.words, "muted"),
            ]
        )
    return Table(
        columns=[
            Column(title=title),
            Column(title="worst", align="right"),
            Column(title="with end", align="right"),
            Column(title="expected", align="right"),
            Column(title="missed", align="right"),
            Column(title="tokens", align="right"),
            Column(title="", shrink=1, minimum=12),
        ],
        rows=body,
    )


def _keys(shell: Shell, words: Words) -> None:
    from eve_replay.cli.shared.select import session_wanted
    from eve_replay.guidance.keys import try_keys
    from eve_replay.journal.effects.build import effects_of
    from eve_replay.views.verdicts.keys import keys_table

    journal = open_journal(shell, words.source)
    ids = (
        [session_wanted(journal, words.session).id] if words.session else [head.id for head in journal.heads]
    )
    tests = try_keys(effect for id_ in ids for effect in effects_of(journal.session(id_), words.effects))
    if shell.json:
        emit_json(shell, "compare", journal, sessions=ids, keys=[t.to_json() for t in tests])
    else:
        echo_table(shell, keys_table(tests))
        text = (
            "Let through: repeats of one deed that would have got another key and been done again. Merged: "
            "different deeds under one key: only the first would have been done. A key that is added "
            "now does not protect a first call that carried none."
        )
        echo(shell, [(), *paragraph(text, width=shell.width, tone="muted")])
    finish(shell, journal.receipt)


def _dedup(shell: Shell, target: Target) -> None:
    from eve_replay.recovery.dedup import KEYS, dedup_effects, dedup_events

    found = [dedup_effects(target.session, key, target.turn_id) for key in KEYS]
    found += [
        dedup_events(target.session, key, target.turn_id) for key in KEYS if key in ("meta-id", "coordinates")
    ]
    if shell.json:
        emit_json(
            shell,
            "compare",
            target.journal,
            sessionId=target.session.id,
            turnId=target.turn_id,
            dedup=[each.to_json() for each in found],
        )
        finish(shell, target.journal.receipt)
        return
    body: list[Row] = [
        [
            each.of,
            each.by,
            str(len(each.rows)),
            str(len(each.kept)),
            Cell(str(each.repeats) if each.repeats else "", "harm"),
            Cell(str(each.lost) if each.lost else "", "harm"),
            Cell(each.verdict, "muted"),
        ]
        for each in found
    ]
    echo_table(
        shell,
        Table(
            columns=[
                Column(title="of"),
                Column(title="key"),
                Column(title="all", align="right"),
                Column(title="kept", align="right"),
                Column(title="repeats", align="right"),
                Column(title="lost", align="right"),
                Column(title="", shrink=1, minimum=16, optional=True),
            ],
            rows=body,
        ),
    )
    for each in found:
        echo(shell, paragraph(f"{each.of} by {each.by}: {each.verdict}", width=shell.width, indent=2))
    finish(shell, target.journal.receipt)


def _determinism(shell: Shell, target: Target) -> None:
    from eve_replay.recovery import check_determinism

    runs = [run for run in target.session.all_runs if run.role in ("tool", "workflow", "turn")]
    found = [check_determinism(run) for run in runs or target.session.runs]
    if shell.json:
        emit_json(
            shell,
            "compare",
            target.journal,
            sessionId=target.session.id,
            determinism=[each.to_json() for each in found],
        )
        finish(shell, target.journal.receipt)
        return
    tones: dict[str, Tone] = {"same": "ok", "differs": "harm"}
    for each in found:
        echo(
            shell,
            [
                line(
                    (short_id(each.run_id), "strong"),
                    "  ",
                    (each.verdict, tones.get(each.verdict, "unknown")),
                )
            ],
        )
        echo(shell, paragraph(each.sentence, width=shell.width, indent=2))
        if each.order:
            asked = f"asked for: {', '.join(each.order)}"
            echo(shell, paragraph(asked, width=shell.width, indent=2, tone="muted"))
        for sign in each.signs:
            text = f"{sign.code}: {sign.sentence}"
            echo(
                shell, paragraph(text, width=shell.width, indent=2, tone="harm" if sign.harmful else "muted")
            )
    finish(shell, target.journal.receipt)

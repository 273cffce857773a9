"""Candidate keys, tried on the recorded executions, as a table."""

from __future__ import annotations

from collections.abc import Iterable

from eve_replay.guidance.keys import KeyTest
from eve_replay.views.kit.safe import safe_text
from eve_replay.views.kit.table import Cell, Column, Table
from eve_replay.views.kit.tone import Tone

__all__ = ["keys_table"]


def keys_table(tests: Iterable[KeyTest]) -> Table:
    """Return a row per tool and key, in the order of the tests: what works first."""
    columns = (
        Column(title="effect", shrink=1, minimum=10),
        Column(title="key", shrink=2, minimum=12),
        Column(title="runs", align="right"),
        Column(title="deeds", align="right"),
        Column(title="let through", align="right"),
        Column(title="merged", align="right"),
        Column(title="unseen", align="right"),
        Column(title=""),
    )
    rows = []
    for test in tests:
        works = test.works and test.repeats > 0
        verdict = "works" if works else "not put to the test" if test.works else ""
        tone: Tone = "ok" if works else "muted"
        rows.append(
            (
                safe_text(test.tool),
                safe_text(test.key) + (" (today)" if test.used else ""),
                str(test.executions),
                str(test.deeds),
                Cell(str(test.let_through) if test.let_through else "", "harm"),
                Cell(str(test.merged) if test.merged else "", "harm"),
                Cell(str(test.unseen) if test.unseen else "", "unknown"),
                Cell(verdict, tone),
            )
        )
    return Table(columns=columns, rows=rows, empty="No effect is recorded that a key could be tried on.")

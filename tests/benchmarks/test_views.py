"""How long the screens take that everyone looks at: the list of sessions, stepping through the crash lab."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from eve_replay.journal import SessionHead, open_journal
from eve_replay.views.crashlab.crash import CrashLab
from eve_replay.views.session.sessions import filter_rows, session_rows, sort_rows
from tests.support.corpus import data

NOW = datetime(2026, 12, 3, 9, 0, tzinfo=UTC)


@pytest.fixture(scope="module")
def heads():
    """10,000 sessions."""
    return [
        SessionHead(
            id=f"wrun_{n:026d}",
            kind="session",
            run_ids=(f"wrun_{n:026d}",),
            status=("running", "completed", "failed")[n % 3],
            title=f"refund order {n}",
            eve_version="0.80.1",
            created_at=NOW - timedelta(minutes=n),
            updated_at=NOW - timedelta(seconds=n),
        )
        for n in range(10_000)
    ]


def test_list_10000_sessions(benchmark, heads):
    assert len(benchmark.pedantic(lambda: session_rows(heads), rounds=3)) == 10_000


def test_filter_10000_sessions(benchmark, heads):
    rows = session_rows(heads)
    assert len(benchmark.pedantic(lambda: filter_rows(rows, "order 9999"), rounds=3)) == 1


def test_sort_10000_sessions(benchmark, heads):
    rows = session_rows(heads)
    assert len(benchmark.pedantic(lambda: sort_rows(rows, "title"), rounds=3)) == 10_000


def test_step_through_the_crash_lab(benchmark):
    """Each step of the slider; below 20 ms it feels immediate."""
    journal = open_journal(data("crash-in-tool"))
    lab = CrashLab(journal.session(journal.heads[0].id))
    benchmark.extra_info["points"] = len(lab)
    views = benchmark.pedantic(lambda: [lab.view(i) for i in range(len(lab))], rounds=3, warmup_rounds=1)
    assert len(views) == len(lab)

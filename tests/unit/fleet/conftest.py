"""A folder of sessions of every kind, as if nobody had written to it for an hour."""

from __future__ import annotations

import os
import shutil
from datetime import UTC, datetime

import pytest

from tests.support import corpus

#: Parked, wedged, idle, interrupted, failed, with children, and plain runs.
SCENARIOS = (
    "crash-in-tool",
    "approval-hold",
    "subagent",
    "simple-turn",
    "crash-waiting-for-lease",
    "retention-0",
    "stranded",
    "cancelled-turn",
)
NOW = datetime(2026, 11, 30, 9, 20, tzinfo=UTC)


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """One folder with all the scenarios in it."""
    folder = tmp_path_factory.mktemp("many") / "data"
    for name in SCENARIOS:
        shutil.copytree(corpus.data(name), folder, dirs_exist_ok=True)
    old = NOW.timestamp() - 3600  # nothing is being written
    for place, _, names in os.walk(folder):
        for each in (*names, "."):
            os.utime(os.path.join(place, each), (old, old))
    return folder


@pytest.fixture
def own_index(tmp_path):
    return tmp_path / "index"

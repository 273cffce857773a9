"""A Postgres world of 100,000 runs from the command line: the first screen, and one session of many."""

from __future__ import annotations

import time

import pytest

from tests.unit.cli._run import call
from tests.unit.worlds.test_postgres_size import server

__all__ = ["server"]

pytestmark = pytest.mark.postgres

RUN_ID = "wrun_01M8" + "4711".rjust(22, "0")


@pytest.mark.parametrize(
    ("words", "most"),
    [
        (("runs",), 1.0),
        (("runs", "--last", "50"), 1.0),
        (("why", "--session", RUN_ID), 1.5),
        (("show", RUN_ID), 1.0),
    ],
)
def test_seconds_of_a_command(server, capsys, words, most) -> None:
    command, *rest = words
    took = []
    for _ in range(3):
        began = time.perf_counter()
        assert call(capsys, command, "--read", server.url("er_size"), *rest).code in (0, 1)
        took.append(time.perf_counter() - began)
    assert min(took) < most, f"{' '.join(words)}: {min(took):.2f} s"

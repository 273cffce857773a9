"""What holds for every test: one time zone, no colours, no keys of the person who runs it."""

from __future__ import annotations

import os
import time

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "default", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("default")

#: Two browsers, or a browser and a terminal, are too much at a time; a PostgreSQL server serves all tests.
ONE_WORKER = ("browser", "terminal", "postgres")


def pytest_configure() -> None:
    """Make output the same on every machine."""
    for name in (
        "EVE_REPLAY_SOURCE",
        "EVE_REPLAY_KEY",
        "EVE_REPLAY_DEBUG",
        "NO_COLOR",
        "FORCE_COLOR",
        "COLUMNS",
    ):
        os.environ.pop(name, None)
    os.environ["TZ"] = "UTC"
    if hasattr(time, "tzset"):
        time.tzset()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give each file one worker, and one to all tests that share a server or that two at a time disturb.

    Used by ``--dist loadgroup``; without xdist the marks do nothing.
    """
    for item in items:
        if not any(item.iter_markers("xdist_group")):
            group = next((name for name in ONE_WORKER if any(item.iter_markers(name))), item.location[0])
            item.add_marker(pytest.mark.xdist_group("browser" if group == "terminal" else group))

"""What holds for every test: one time zone, no colours, no keys of the person who runs it."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "default", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("default")

#: Two browsers, or a browser and a terminal, are too much at a time; a PostgreSQL server serves all tests.
ONE_WORKER = {
    "tests/e2e/": "screens",
    "tests/notebooks/": "screens",
    "tests/tui/test_tmux": "screens",
    "tests/unit/worlds/test_postgres": "postgres",
}


#: Not in the quick tier: what starts servers, browsers, terminals and child processes, or tries things by the
#: thousand. ``-m quick`` does not even collect it.
SLOW = (
    "tests/benchmarks", "tests/corpus", "tests/e2e", "tests/notebooks", "tests/property", "tests/tui",
    "tests/workshop",
    "tests/repo/test_wheel", "tests/repo/test_scripts", "tests/repo/test_docs", "tests/repo/test_imports",
    "tests/unit/tools", "tests/unit/workshop/grading", "tests/unit/cli/workshop",
    "tests/unit/cli/showing/test_lab",
    "tests/unit/proof", "tests/unit/notebook", "tests/unit/worlds/postgres",
    "tests/unit/worlds/test_postgres",
    "tests/unit/worlds/redis", "tests/unit/worlds/layouts/test_stores", "tests/unit/worlds/mongo",
    # These try by the thousand what a change elsewhere seldom touches: half of the time of all others.
    "tests/unit/codec/devalue/test_lazy", "tests/unit/codec/devalue/test_parse",
    "tests/unit/values/test_tagged",
    "tests/unit/worlds/test_dump", "tests/unit/checks/test_wedged", "tests/repo/test_typing",
    "tests/unit/cli/crashing/test_proof", "tests/unit/workshop/tasks/test_lesson_09",
    "tests/unit/workshop/views/test_lanes", "tests/unit/workshop/engine", "tests/unit/cli/mcp",
    "tests/unit/guidance/plan/test_plans_of_all", "tests/unit/fleet",
)  # fmt: skip


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out what is slow before it is imported, when only the quick tier is asked for."""
    if config.getoption("markexpr") != "quick":
        return None
    inside = collection_path.relative_to(config.rootpath).as_posix()
    return True if inside.startswith(SLOW) else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the quick tier: whatever is not slow, and needs no program besides Python."""
    for item in items:
        needs = {"browser", "postgres", "redis", "site", "vendor"} & {
            each.name for each in item.iter_markers()
        }
        if not needs and not item.nodeid.startswith(SLOW):
            item.add_marker("quick")


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


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """With ``-n``: each file has one worker, and so have the files that would disturb each other.

    In place of ``--dist loadgroup``, whose marks pytest-xdist 3.8 loses under pytest 9.2.
    """
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            path = nodeid.partition("::")[0]
            return next((group for start, group in ONE_WORKER.items() if path.startswith(start)), path)

    config.option.loadscopereorder = False  # files of few tests are the long ones: not last
    return ByFile(config, log)

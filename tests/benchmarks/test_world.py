"""How fast folders are listed and read, with the vendor's own reader side by side where it is present.

``EVE_PACKAGE`` names an installed eve package (0.79 or newer) and ``node`` 24 is on the PATH, or ``NODE``
names it; without them the comparison is skipped. Times are recorded, counts and memory are asserted.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from eve_replay.worlds.registry import open_world
from tests.support import corpus
from tests.support.multiply import multiply

ROOT = Path(__file__).parents[2]
VENDOR = Path(__file__).with_name("vendor.mjs")

LIST = """
import sys, time
from eve_replay import open_world
world = open_world(sys.argv[1])
print(len(list(world.runs())))
"""

STEP_THROUGH = """
import pathlib, resource, sys
from eve_replay import open_world
world = open_world(sys.argv[1])
count = 0
for run in world.runs():
    for event in world.events(run.run_id):
        count += 1
    for step in world.steps(run.run_id):
        for name in ("input", "output"):
            payload = step.payload(name)
            if payload is not None:
                payload.value
                count += 1
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
status = pathlib.Path("/proc/self/status")
if status.exists():  # ru_maxrss starts with what the parent had when it forked
    peak = int(status.read_text().partition("VmHWM:")[2].split()[0])
print(count, peak // 1024)
"""


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """600 runs: crash-in-tool 300 times."""
    return multiply(
        corpus.data("crash-in-tool"), tmp_path_factory.mktemp("many"), 300, without="streams/chunks"
    )


@pytest.fixture(scope="module")
def many_flat(tmp_path_factory):
    """300 runs in the flat layout: older-0.50.0 100 times."""
    return multiply(
        corpus.data("older-0.50.0"), tmp_path_factory.mktemp("flat"), 100, without="streams/chunks"
    )


def python(script, *arguments):
    """Run a script in a fresh interpreter and return what it printed."""
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    result = subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=True,
        env=env,
    )
    return result.stdout.split()


def vendor(what, folder):
    """Run the vendor's reader and return what it measured, or skip with the reason."""
    node = os.environ.get("NODE") or shutil.which("node")
    package = os.environ.get("EVE_PACKAGE")
    if not node or not package:
        pytest.skip("needs node on the PATH and EVE_PACKAGE")
    result = subprocess.run(
        [node, str(VENDOR), what, str(folder)], capture_output=True, text=True, check=False, timeout=120
    )
    if result.returncode:
        pytest.skip(f"the vendor's reader does not run here: {result.stderr.strip().splitlines()[-1:]}")
    return json.loads(result.stdout.splitlines()[-1])


def test_list_600_runs(benchmark, many):
    count = benchmark(lambda: sum(1 for _ in open_world(str(many)).runs()))
    assert count == 600


def test_list_300_runs_of_the_flat_layout(benchmark, many_flat):
    assert benchmark(lambda: sum(1 for _ in open_world(str(many_flat)).runs())) == 300


def test_all_events_and_steps_of_600_runs(benchmark, many):
    def read():
        world = open_world(str(many))
        return sum(
            len(list(world.events(run.run_id))) + len(list(world.steps(run.run_id))) for run in world.runs()
        )

    assert benchmark.pedantic(read, rounds=2, iterations=1) == 8100


def test_everything_else_of_600_runs(benchmark, many):
    """Hooks, waits, streams and marks, run by run: linear, not quadratic."""

    def read():
        world = open_world(str(many))
        return sum(len(list(world.others(run.run_id))) for run in world.runs())

    assert benchmark.pedantic(read, rounds=2, iterations=1) > 6000


def test_a_long_session_needs_little_memory(benchmark):
    folder = corpus.data("long-session")
    found = []
    benchmark.pedantic(lambda: found.append(python(STEP_THROUGH, folder)), rounds=1, iterations=1)
    count, megabytes = map(int, found[-1])
    benchmark.extra_info["peak MB"] = megabytes
    assert count > 1000
    assert megabytes < 150


@pytest.mark.vendor
def test_listing_next_to_the_vendor(benchmark, many, tmp_path):
    """Both as whole processes (start, import, list), in turn; recorded, the machine may be busy."""
    copy = tmp_path / "copy"
    shutil.copytree(many, copy)  # the vendor may write into its folder
    theirs = []

    def turn():
        theirs.append(vendor("list", copy))
        assert theirs[-1]["count"] == 600
        return (), {}

    assert benchmark.pedantic(lambda: python(LIST, many), setup=turn, rounds=4, iterations=1) == ["600"]
    benchmark.extra_info["vendor"] = min(t["import"] + t["work"] for t in theirs)


@pytest.mark.vendor
def test_decoding_the_steps_of_a_long_session_next_to_the_vendor(benchmark, tmp_path):
    """Recorded side by side; the codec's own benchmarks say more."""
    copy = tmp_path / "copy"
    shutil.copytree(corpus.data("long-session"), copy)
    theirs = vendor("steps", copy)

    def ours():
        world = open_world(str(copy))
        payloads = [
            payload
            for run in world.runs()
            for step in world.steps(run.run_id)
            for name in ("input", "output")
            if (payload := step.payload(name)) is not None
        ]
        for payload in payloads:
            payload.value  # noqa: B018
            payload.forget()
        return len(payloads)

    assert benchmark.pedantic(ours, rounds=3, iterations=1) == theirs["count"]
    benchmark.extra_info["vendor work"] = theirs["work"]

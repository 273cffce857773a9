"""Each command on a world twice and four times as large: work counted in calls, not in seconds.

The first size pays for imports and tables, so steps between sizes are held against each other: twice
the step of the input is twice the step of the work where the work is linear, and four times where it is not.
"""

from __future__ import annotations

import contextlib
import io
import sys
from datetime import timedelta

import pytest

from eve_replay.cli import run
from eve_replay.journal.facade import Journal
from eve_replay.proof.asof import as_of
from eve_replay.worlds.bundle.write import write_bundle
from eve_replay.worlds.registry import open_world
from tests.support import corpus
from tests.support.multiply import multiply

#: Fewer sessions than make a command use every core: work in other processes is not counted.
SESSIONS = (4, 8, 16)
TURNS = (8, 16, 32)

OVER_SESSIONS = (
    ["sessions"], ["runs"], ["why"], ["doctor"], ["search", "zebra"], ["forecast"], ["frames", "effects"],
    ["attempts", "--json"], ["dump"], ["turns"], ["report", "--since", "2020-01-01"], ["receipt"], ["audit"],
    ["guard", "--once"], ["trace", "--output", "{out}.json"],
)  # fmt: skip

OVER_TURNS = (
    ["show"], ["why"], ["doctor"], ["turns"], ["turn"], ["attempts"], ["state"], ["transcript"], ["matrix"],
    ["crash"], ["forecast"], ["search", "zebra"], ["search", "charge"],
    ["events"], ["stream"], ["frames", "effects"],
    ["guard", "--once"], ["sessions"], ["compare"], ["report", "--since", "2020-01-01"], ["dump"], ["diff"],
    ["trace", "--output", "{out}.json"], ["audit"],
)  # fmt: skip


def work(words):
    """Run a command; return how many calls it took and how much it printed."""
    count = 0

    def counter(frame, event, arg):
        nonlocal count
        count += 1

    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()) as err:
        sys.setprofile(counter)
        try:
            code = run(words)
        finally:
            sys.setprofile(None)
    assert code in (0, 1), (words, code, err.getvalue())
    return count


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    source = corpus.data("crash-in-tool")
    return [multiply(source, tmp_path_factory.mktemp(f"sessions-{count}"), count) for count in SESSIONS]


@pytest.fixture(scope="module")
def bundles(tmp_path_factory):
    """One session as it was after 8, 16 and 32 turns; payloads hold the conversation so far."""
    world = open_world(str(corpus.data("long-session")))
    turns = Journal(world).session().turns
    made = []
    for count in TURNS:
        path = tmp_path_factory.mktemp("turns") / f"{count}.everun"
        with path.open("wb") as file:
            write_bundle(as_of(world, turns[count].started_at - timedelta(milliseconds=1)), file)
        made.append(path)
    return made


@pytest.fixture(autouse=True)
def alone(tmp_path, monkeypatch):
    """No index of an earlier look: it would spare the work that is counted."""
    monkeypatch.setenv("EVE_REPLAY_INDEX", str(tmp_path / "index"))


def steps_of_work(words, sources, tmp_path):
    counts = []
    for number, source in enumerate((sources[0], *sources)):  # the first time pays for the imports
        filled = [each.format(out=tmp_path / str(number)) for each in words[1:]]
        counts.append(work([words[0], str(source), *filled]))
    _, one, two, four = counts
    return two - one, four - two


@pytest.mark.parametrize("words", OVER_SESSIONS, ids=lambda words: words[0])
def test_four_times_the_sessions(words, folders, tmp_path, monkeypatch):
    first, second = steps_of_work(words, folders, tmp_path)
    assert second <= 2.6 * first + 2000, (first, second)


@pytest.fixture(scope="module")
def bytes_inside(bundles):
    """What every step's payloads hold together: each carries all messages before it."""
    sizes = []
    for path in bundles:
        world = open_world(str(path))
        steps = [step for run in world.runs() for step in world.steps(run.run_id)]
        loads = [step.payload(name) for step in steps for name in ("input", "output")]
        sizes.append(sum(each.text_size or 0 for each in loads if each is not None))
    return sizes


@pytest.mark.parametrize("words", OVER_TURNS, ids=" ".join)
def test_four_times_the_turns(words, bundles, bytes_inside, tmp_path):
    first, second = steps_of_work(words, bundles, tmp_path)
    small, middle, large = bytes_inside
    growth = max(2.6, 1.3 * (large - middle) / (middle - small)) if words[0] in ("dump", "search") else 2.6
    assert second <= growth * first + 2000, (first, second, growth)

"""No module needs another that needs it: what a layer contract between rooms does not see inside one."""

import sys
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).parents[2]

#: ``==`` of a container asks ``same``, and ``same`` takes containers apart: one thing in three files.
ALLOWED = {frozenset(f"eve_replay.values.{name}" for name in ("containers", "equal", "objects"))}


@pytest.fixture(scope="module")
def graph():
    sys.path[:0] = [str(ROOT), str(ROOT / "tui")]
    try:
        return grimp.build_graph(
            "eve_replay", "eve_replay_tui", exclude_type_checking_imports=True, cache_dir=None
        )
    finally:
        del sys.path[:2]


def rings(graph):
    """Return the strongly connected parts of more than one module (Tarjan, without recursion)."""
    number, low, stack, found = {}, {}, [], set()
    for start in sorted(graph.modules):
        if start in number:
            continue
        work = [(start, None)]
        while work:
            module, after = work.pop()
            if after is None:
                number[module] = low[module] = len(number)
                stack.append(module)
                after = iter(sorted(graph.find_modules_directly_imported_by(module)))
            for other in after:
                if other not in number:
                    work += [(module, after), (other, None)]
                    break
                if other in stack:
                    low[module] = min(low[module], low[other])
            else:
                if low[module] == number[module]:
                    ring = []
                    while not ring or ring[-1] != module:
                        ring.append(stack.pop())
                    if len(ring) > 1:
                        found.add(frozenset(ring))
                if work:
                    below = work[-1][0]
                    low[below] = min(low[below], low[module])
    return found


def test_no_modules_need_each_other(graph):
    found = rings(graph)
    assert found <= ALLOWED, [sorted(ring) for ring in found - ALLOWED]
    assert found == ALLOWED, "a ring is gone: take it out of ALLOWED"


def test_no_room_asks_the_face_of_the_package(graph):
    """``eve_replay/__init__.py`` hands out names of every room; only front ends may take them from there."""
    askers = {
        module
        for module in graph.find_modules_that_directly_import("eve_replay")
        if not module.startswith(("eve_replay_tui", "eve_replay.cli", "eve_replay.notebook"))
    }
    assert not askers

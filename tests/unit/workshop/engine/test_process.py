"""What a process remembers, and that the next one does not."""

import functools
import itertools
import logging
import math
import random
from collections import deque

from eve_replay.workshop.engine.process import Memory

SEEN = set()
BY_ORDER = {"known": [1]}
NAMES = [BY_ORDER, BY_ORDER["known"]]
COUNT = 0
QUEUE = deque([1], maxlen=3)


class Cache:
    shared = []  # noqa: RUF012

    def __init__(self):
        self.own = {}


CACHE = Cache()


def helper(order):
    SEEN.add(order)
    return len(SEEN)


@functools.lru_cache
def expensive(order):
    return object()


def test_names_that_the_function_and_its_helpers_use():
    def tool(order):
        global COUNT
        COUNT += 1
        BY_ORDER["known"].append(order)
        BY_ORDER[order] = [order]
        QUEUE.append(order)
        return helper(order)

    memory = Memory.of([tool])
    assert not memory.renew()
    tool("a")
    assert (COUNT, SEEN, BY_ORDER["known"]) == (1, {"a"}, [1, "a"])
    assert memory.renew()
    assert (COUNT, SEEN, BY_ORDER, list(QUEUE)) == (0, set(), {"known": [1]}, [1])
    assert not memory.renew()


def test_names_that_share_one_list_still_share_it():
    def tool():
        NAMES[0]["known"].append(2)
        NAMES[1] = []

    memory = Memory.of([tool])
    tool()
    assert memory.renew()
    assert NAMES[0] is BY_ORDER
    assert NAMES[1] is BY_ORDER["known"]
    assert BY_ORDER["known"] == [1]


def test_a_name_that_did_not_exist():
    def tool():
        global made_later
        made_later = 1

    memory = Memory.of([tool])
    tool()
    assert memory.renew()
    assert "made_later" not in globals()


def test_defaults_attributes_and_closures():
    outer = {"n": 0}
    number = 0

    def tool(seen=[], *, more={}):  # noqa: B006
        nonlocal number
        number += 1
        outer["n"] += 1
        seen.append(1)
        more["a"] = 1
        tool.calls = 1

    memory = Memory.of([tool])
    tool()
    assert memory.renew()
    assert (tool.__defaults__, tool.__kwdefaults__, outer, number) == (([],), {"more": {}}, {"n": 0}, 0)
    assert not hasattr(tool, "calls")


def test_objects_and_classes_of_the_program():
    def tool():
        CACHE.own["a"] = 1
        Cache.shared.append(1)
        Cache.late = True
        CACHE.extra = 2

    memory = Memory.of([tool])
    tool()
    assert memory.renew()
    assert (CACHE.own, Cache.shared, hasattr(Cache, "late"), hasattr(CACHE, "extra")) == (
        {},
        [],
        False,
        False,
    )


def test_caches_of_functions():
    def tool():
        return expensive("a")

    memory = Memory.of([tool])
    first = tool()
    assert tool() is first
    assert memory.renew()
    assert tool() is not first
    expensive.cache_clear()


NUMBERS = itertools.count(5)
STEPS = itertools.count(1, 2)
DICE = random.Random(1)


def test_counters_and_dice():
    inner = itertools.count()

    def tool():
        return next(NUMBERS), next(STEPS), next(inner), DICE.random()

    memory = Memory.of([tool])
    first = tool()
    tool()
    assert memory.renew()
    assert tool() == first
    assert memory.renew()
    assert not memory.renew()


def test_methods_partials_and_callable_objects():
    class Tool:
        def __init__(self):
            self.seen = []

        def __call__(self):
            self.seen.append(1)

        def method(self, n):
            self.seen.append(n)

    tool = Tool()
    for call in (tool, functools.partial(tool.method, 1)):
        memory = Memory.of([call])
        call()
        assert memory.renew()
        assert tool.seen == []


def test_what_is_not_changed_is_not_forgotten():
    def tool():
        return len(SEEN), BY_ORDER.get("known")

    memory = Memory.of([tool])
    tool()
    assert not memory.renew()


def test_cycles_and_numbers_of_things_do_no_harm():
    ring = []
    ring.append(ring)
    many = list(range(100_000))

    def tool():
        return ring, many

    memory = Memory.of([tool])
    ring.append(1)
    assert memory.renew()
    assert len(ring) == 1


LOG = logging.getLogger("of a tool")


def test_what_a_library_notes_for_itself_is_put_back_and_is_no_memory_of_the_tool():
    def tool():
        LOG.debug("begun")
        math.seen = 1

    memory = Memory.of([tool])
    tool()
    assert not memory.renew()
    assert not hasattr(math, "seen")

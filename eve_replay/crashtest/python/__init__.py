"""Crash tests of Python functions: the workshop's engine through a public door, inside any test runner.

Nothing here is killed for real: processes, crashes, clock and dice are simulated, so that every schedule of
crashes up to a bound is tried. What a runtime does after a crash is *implied* by the product's rules.
"""

from eve_replay.crashtest.python.declared import call_id, outside
from eve_replay.crashtest.python.promises import at_least_once, at_most_once, once, read_only
from eve_replay.crashtest.python.survives import Broken, Inconclusive, Survived, crash_test, survives

__all__ = [
    "Broken",
    "Inconclusive",
    "Survived",
    "at_least_once",
    "at_most_once",
    "call_id",
    "crash_test",
    "once",
    "outside",
    "read_only",
    "survives",
]

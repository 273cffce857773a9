"""Environments by name, and their numbers."""

import pytest

from eve_replay.errors import WrongUse
from eve_replay.recovery.environment import DEFAULT_LEASE, ENVIRONMENTS, environment


def test_names():
    assert environment("EVE start").name == "eve-start"
    with pytest.raises(WrongUse, match="no environment"):
        environment("the moon")


def test_options_say_that_the_lease_is_no_longer_assumed():
    found = environment("eve-start")
    assert (found.lease_seconds, found.lease_assumed) == (DEFAULT_LEASE, True)
    changed = found.with_options(lease_seconds=2, max_retries=5, retention_days=1)
    assert (changed.lease_seconds, changed.lease_assumed, changed.max_retries) == (2.0, False, 5)
    with pytest.raises(WrongUse, match="makes no sense"):
        found.with_options(lease_seconds=-1)


def test_where_nothing_comes_back_the_reason_and_the_way_out_are_said():
    for each in ENVIRONMENTS.values():
        assert each.words and each.source
        assert bool(each.why) is bool(each.person) is (each.recovers == "no")

"""Instants at the ends of all years: journals are hostile, a sum of two is not."""

from datetime import UTC, datetime, timedelta

import pytest

from eve_replay.times import later, parse_time


@pytest.mark.parametrize("text", ["9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+12:00"])
def test_an_offset_out_of_the_years_is_no_time(text):
    assert parse_time(text) is None


def test_later_stops_at_the_ends():
    last = datetime(9999, 12, 31, 23, 59, tzinfo=UTC)
    first = datetime(1, 1, 1, tzinfo=UTC)
    assert later(last, timedelta(days=1)) == datetime.max.replace(tzinfo=UTC)
    assert later(first, timedelta(seconds=-1)) == datetime.min.replace(tzinfo=UTC)
    assert later(first, timedelta(seconds=1)) == datetime(1, 1, 1, 0, 0, 1, tzinfo=UTC)

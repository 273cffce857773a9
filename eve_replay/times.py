"""Instants as journals write them: ISO 8601 strings, epoch milliseconds, naive UTC columns."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

__all__ = ["iso", "later", "parse_time"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def parse_time(value: object) -> datetime | None:
    """Return the instant ``value`` names, in UTC, or None when it names none.

    Accepts ISO 8601 text (naive text is UTC: the Postgres world stores it so, docs/formats/postgres.md),
    epoch milliseconds, and datetimes. Never raises.
    """
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            return None
    if isinstance(value, datetime):
        try:
            return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
        except OverflowError:  # an offset that leads out of the years there are
            return None
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            return _EPOCH + timedelta(milliseconds=value)
        except (OverflowError, ValueError):
            return None
    return None


def later(instant: datetime, delay: timedelta) -> datetime:
    """Return the instant a while later (or before); at the ends of all years the last one there is."""
    try:
        return instant + delay
    except OverflowError:
        return (datetime.max if delay > timedelta(0) else datetime.min).replace(tzinfo=UTC)


def iso(value: datetime | None) -> str | None:
    """Return ISO 8601 UTC text with milliseconds and ``Z``, the form every JSON output uses."""
    if value is None:
        return None
    return value.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

"""A JS Date: milliseconds since 1970 in any year JS knows, or invalid; ISO text in and out."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["JsDate", "date_from_iso"]

#: ECMAScript time range: 100,000,000 days on either side of 1970.
_MAX_MS = 8_640_000_000_000_000
_DAY = 86_400_000
_ISO = re.compile(
    r"([+-]\d{6}|\d{4})(?:-(\d\d)(?:-(\d\d))?)?"
    r"(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(Z|[+-]\d\d:?\d\d)?)?\Z",
    re.ASCII,
)


def _days_from_civil(year: int, month: int, day: int) -> int:
    """Return days since 1970-01-01 in the proleptic Gregorian calendar (datetime stops at year 1)."""
    year -= month <= 2
    era = year // 400
    of_era = year - era * 400
    of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * 146_097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719_468


def _civil_from_days(days: int) -> tuple[int, int, int]:
    days += 719_468
    era = days // 146_097
    of_era = days - era * 146_097
    year = (of_era - of_era // 1460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    month = (5 * of_year + 2) // 153
    day = of_year - (153 * month + 2) // 5 + 1
    month += 3 if month < 10 else -9
    return year + era * 400 + (month <= 2), month, day


@dataclass(frozen=True, slots=True)
class JsDate:
    """A Date. ``datetime`` cannot be its image: JS years go from -271821 to 275760.

    Attributes:
        ms: milliseconds since 1970-01-01T00:00Z, None for an invalid date.
    """

    ms: int | None

    def iso(self) -> str | None:
        """Return what ``toISOString`` gives, None for an invalid date."""
        if self.ms is None:
            return None
        days, rest = divmod(self.ms, _DAY)
        year, month, day = _civil_from_days(days)
        seconds, ms = divmod(rest, 1000)
        minutes, second = divmod(seconds, 60)
        hour, minute = divmod(minutes, 60)
        head = f"{year:04d}" if 0 <= year <= 9999 else f"{'-' if year < 0 else '+'}{abs(year):06d}"
        return f"{head}-{month:02d}-{day:02d}T{hour:02d}:{minute:02d}:{second:02d}.{ms:03d}Z"

    def __repr__(self) -> str:
        return f"JsDate({self.iso() or 'invalid'})"


def date_from_ms(ms: float) -> JsDate:
    """Return the date JS makes of a number: out of range or NaN is an invalid date."""
    if not -_MAX_MS <= ms <= _MAX_MS:
        return JsDate(None)
    return JsDate(int(ms))


def date_from_iso(text: str) -> JsDate | None:
    """Return the date of an ISO text, None when the text is no date.

    A text without zone is read as UTC: the journal does not say in which zone it was written.
    """
    match = _ISO.match(text)
    if match is None:
        return None
    year_text, month, day, hour, minute, second, fraction, zone = match.groups()
    y, mo, d = int(year_text), int(month or 1), int(day or 1)
    h, mi, s = int(hour or 0), int(minute or 0), int(second or 0)
    ms = int(((fraction or "") + "000")[:3])
    if not (1 <= mo <= 12 and 1 <= d <= 31 and h <= 24 and mi <= 59 and s <= 59) or year_text == "-000000":
        return None
    if h == 24 and (mi or s or ms):
        return None
    total = _days_from_civil(y, mo, d) * _DAY + ((h * 60 + mi) * 60 + s) * 1000 + ms
    if zone and zone != "Z":
        digits = zone.replace(":", "")
        offset = (int(digits[1:3]) * 60 + int(digits[3:5])) * 60_000
        total += -offset if zone[0] == "+" else offset
    return date_from_ms(total)

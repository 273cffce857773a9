"""Ids of the field: what a prefix means, the slot of an event, the time in a ULID, names of steps."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime

__all__ = ["FunctionName", "event_slot", "parse_function_name", "short_id", "ulid_time"]

_CROCKFORD = {c: i for i, c in enumerate("0123456789ABCDEFGHJKMNPQRSTVWXYZ")}
_SLOT = re.compile(r"evnt_(\d{26})\Z")
_ULID = re.compile(r"(?:[a-z]+_)?([0-7][0-9A-HJKMNP-TV-Z]{25})\Z")


def ulid_time(id_: str) -> datetime | None:
    """Return the instant a ULID (with or without prefix) was minted, or None when it is no ULID.

    A slot id (26 digits) is not a ULID although its letters would fit: its "time" would be nonsense.
    """
    match = _ULID.match(id_)
    if match is None or _SLOT.match(id_):
        return None
    millis = 0
    for char in match.group(1)[:10]:
        millis = millis * 32 + _CROCKFORD[char]
    try:
        return datetime.fromtimestamp(millis / 1000, tz=UTC)
    except (OverflowError, ValueError, OSError):
        return None


def event_slot(event_id: str) -> int | None:
    """Return the 1-based slot of a slot-numbered event id, None for ULID ids of older worlds."""
    match = _SLOT.match(event_id)
    if match is None:
        return None
    slot = int(match.group(1))
    return slot if 0 < slot < 10**15 else None


def short_id(id_: str) -> str:
    """Return prefix and last four characters (``step_…SKF``-style), whole ids when short already."""
    if len(id_) <= 14:
        return id_
    prefix, sep, rest = id_.partition("_")
    return f"{prefix}{sep}…{rest[-4:]}" if sep else f"…{id_[-4:]}"


@dataclass(frozen=True, slots=True)
class FunctionName:
    """``step//eve@0.80.1//turnStep`` taken apart; ``full`` is what the record holds.

    Attributes:
        kind: ``step`` or ``workflow`` or empty when the name has no such prefix.
        module: package or file, without version.
        version: version after ``@`` or None.
        function: the function's own name, what people say.
    """

    full: str
    kind: str
    module: str
    version: str | None
    function: str


def parse_function_name(full: str) -> FunctionName:
    """Take a step or workflow name apart; a name of another form keeps everything in ``function``."""
    parts = full.split("//")
    if len(parts) < 3 or parts[0] not in ("step", "workflow"):
        return FunctionName(full=full, kind="", module="", version=None, function=full)
    module = "//".join(parts[1:-1])
    base, at, version = module.rpartition("@")
    if at and base and re.match(r"\d", version):
        module = base
    else:
        version = ""
    return FunctionName(full=full, kind=parts[0], module=module, version=version or None, function=parts[-1])

"""Which framework wrote a run, and the frameworks by name.

Each room is imported when records of its language are met, so that reading a journal of one framework loads
nothing of another. Other packages add a framework by an entry point in the group ``eve_replay.frameworks``
(a name and ``module:framework``); it is asked when no room of this package knows a record.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from functools import cache
from typing import cast

from eve_replay.errors import WrongUse
from eve_replay.journal.frameworks.base import Framework, Grouping
from eve_replay.journal.model import SessionHead
from eve_replay.records import RunRecord

__all__ = [
    "ENTRY_POINT_GROUP",
    "framework_named",
    "framework_of",
    "frameworks",
    "group_records",
    "part_of",
]

ENTRY_POINT_GROUP = "eve_replay.frameworks"

#: The sign in a record's ``format`` field -> the room; records without one are the Workflow SDK's.
_FORMATS: Mapping[str, tuple[str, ...]] = {
    "flue": ("flue",),
    "": ("python-sdk", "workflow-sdk", "eve"),
}
#: Name -> where it is. The order is the one in which they are asked.
BUILTIN: Mapping[str, str] = {
    "python-sdk": "eve_replay.journal.frameworks.python.framework:framework",
    "workflow-sdk": "eve_replay.journal.frameworks.sdk.framework:framework",
    "eve": "eve_replay.journal.frameworks.eve.framework:framework",
    "flue": "eve_replay.journal.frameworks.flue.framework:framework",
}


def frameworks() -> tuple[str, ...]:
    """Return the names of the frameworks, those of other packages last."""
    return (*BUILTIN, *(name for name in _added() if name not in BUILTIN))


@cache
def framework_named(name: str) -> Framework:
    """Return a framework by name. Raises WrongUse with the names there are."""
    place = BUILTIN.get(name)
    if place is not None:
        module, _, attribute = place.partition(":")
        return cast("Framework", getattr(importlib.import_module(module), attribute))
    found = _added().get(name)
    if found is None:
        raise WrongUse(f"There is no framework {name!r}.", hint=f"There are {', '.join(frameworks())}.")
    return found


@cache
def _added() -> Mapping[str, Framework]:
    """Return the frameworks of other packages."""
    from importlib.metadata import entry_points  # not in a browser's grader: it loads sockets

    return {
        point.name: framework
        for point in entry_points(group=ENTRY_POINT_GROUP)
        if isinstance(framework := point.load(), Framework)
    }


def framework_of(record: RunRecord) -> Framework:
    """Return the framework that wrote a run; eve where nothing says otherwise."""
    sign = (record.text("format") or "").partition("/")[0]
    for name in _FORMATS.get(sign, ()):
        found = framework_named(name)
        if found.owns(record):
            return found
    return next((each for each in _added().values() if each.owns(record)), framework_named("eve"))


def group_records(records: Iterable[RunRecord]) -> Grouping:
    """Group the run records of a world into sessions, each language by its own rules."""
    parts: dict[str, list[RunRecord]] = {}
    first: dict[str, Framework] = {}
    for record in records:
        writer = framework_of(record)
        first.setdefault(writer.language, writer)
        parts.setdefault(writer.language, []).append(record)
    if not parts:
        return framework_named("eve").group(())
    made = [first[language].group(part) for language, part in parts.items()]
    return made[0] if len(made) == 1 else _Several(made)


class _Several:
    """Sessions of several languages side by side, as of several stores that were opened together."""

    def __init__(self, parts: Iterable[Grouping]) -> None:
        self._parts = tuple(parts)
        self.records: Mapping[str, RunRecord] = {
            run_id: record for part in self._parts for run_id, record in part.records.items()
        }
        self.heads: Mapping[str, SessionHead] = {
            key: head for part in self._parts for key, head in part.heads.items()
        }

    def session_of(self, run_id: str) -> str:
        """Return the id of the session a run belongs to."""
        return next(part for part in self._parts if run_id in part.records).session_of(run_id)

    def waits(self, session_id: str) -> bool:
        """Return whether a session may belong below a run that has not been read yet."""
        return next(part for part in self._parts if session_id in part.heads).waits(session_id)

    def part_of(self, session_id: str) -> Grouping:
        """Return the grouping that a session comes from: its framework reads its own."""
        return next(part for part in self._parts if session_id in part.heads)


def part_of(grouping: Grouping, session_id: str) -> Grouping:
    """Return the grouping of one language that holds a session."""
    return grouping.part_of(session_id) if isinstance(grouping, _Several) else grouping

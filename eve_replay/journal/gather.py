"""Reading all run records for a list that fills while one looks at it.

Run ids are ULIDs, so a world that can yields its newest runs first. A run below another one (a timeout, a
turn, a handoff) is younger than what it hangs below: it waits unseen until that has been read, and whoever
waits in vain is placed at the end, when everything is grouped once more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from eve_replay.journal.frameworks.base import Grouping
from eve_replay.journal.frameworks.registry import group_records
from eve_replay.journal.model import SessionHead
from eve_replay.records import RunRecord
from eve_replay.worlds.base import NewestFirst, Pageable, World

__all__ = ["gathered"]

#: Records before something is told for the first time. Every further part is as large as all before it, so
#: that grouping and sorting what is known costs as much as doing it once more, however many there are.
_FIRST = 100
_PAGE = 500


def gathered(world: World, told: Callable[[Sequence[SessionHead]], object]) -> Grouping:
    """Return all runs of a world grouped into sessions.

    Args:
        world: the world.
        told: called now and then with the heads that are known since the last call, newest first. What
            they tell of runs and subagents below them may be less than the whole until the end.
    """
    records: list[RunRecord] = []
    waiting: list[RunRecord] = []
    part: list[RunRecord] = []
    for record in _records(world):
        part.append(record)
        if len(part) >= max(_FIRST, len(records)):
            records += part
            heads, waiting = _known([*waiting, *part])
            part = []
            if heads:
                told(heads)
    records += part
    return group_records(sorted(records, key=lambda record: record.run_id))


def _records(world: World) -> Iterator[RunRecord]:
    if isinstance(world, NewestFirst):
        yield from world.newest()
    elif isinstance(world, Pageable):
        page = world.page(_PAGE, newest_first=True)
        yield from page
        while len(page) == _PAGE:
            page = world.page(_PAGE, after=page[-1].run_id, newest_first=True)
            yield from page
    else:
        yield from world.runs()


def _known(records: Iterable[RunRecord]) -> tuple[list[SessionHead], list[RunRecord]]:
    """Return the heads of what can be placed, and the records of what cannot be yet."""
    found = group_records(sorted(records, key=lambda record: record.run_id))
    heads: list[SessionHead] = []
    waiting: list[RunRecord] = []
    for head in sorted(found.heads.values(), key=lambda head: head.id, reverse=True):
        if found.waits(head.id):
            waiting += (found.records[run_id] for run_id in (*head.run_ids, *head.child_ids))
        else:
            heads.append(head)
    return heads, waiting

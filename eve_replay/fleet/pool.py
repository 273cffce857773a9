"""One question asked of many sessions by all cores; the answers come in the order of the sessions.

A worker is a copy of this process (fork): it has the folder's listings already and only reads what its
sessions consist of. What it saw goes back with its answers, so that the receipt is that of one process.
Where a store is no folder, or processes cannot be copied, the same code runs here.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from eve_replay.journal import Journal, Session
from eve_replay.worlds.local.large import LargeFolder, Seen

__all__ = ["Asked", "asked", "spread", "workers_for"]

T = TypeVar("T")
#: Fewer sessions than this are not worth a second process.
FEW = 48
_CHUNK = 8
#: Processes at most.
_MOST = 16


@dataclass(frozen=True, slots=True)
class Asked(Generic[T]):
    """An answer: of which session, what, and what was seen for it."""

    session: str
    answer: T
    seen: Seen | None = None


def workers_for(journal: Journal, sessions: int, wanted: int | None = None) -> int:
    """Return how many processes are used; 1 means this one."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    able = isinstance(journal.world, LargeFolder) and journal.world.copyable
    if sessions < FEW or not able or "fork" not in multiprocessing.get_all_start_methods():
        return 1
    return min(wanted or cores, _MOST)


_JOB: tuple[Journal, Callable[[str], Any]] | None = None


def asked(
    journal: Journal, ids: Sequence[str], question: Callable[[Session], T], *, workers: int | None = None
) -> Iterator[Asked[T]]:
    """Yield the answers of all sessions, in the order of ``ids``.

    Args:
        journal: where they are.
        ids: session ids.
        question: gets a session; what it returns has to be picklable.
        workers: processes at most, None for as many as there are cores; few sessions are asked here.
    """
    yield from spread(journal, ids, lambda id_: question(journal.session(id_)), workers=workers)


def spread(
    journal: Journal, ids: Sequence[str], question: Callable[[str], T], *, workers: int | None = None
) -> Iterator[Asked[T]]:
    """Yield the answers about ids, in their order; as ``asked``, but the question gets the id alone."""
    global _JOB
    count = workers_for(journal, len(ids), workers)
    if count <= 1 or not isinstance(journal.world, LargeFolder):
        for id_ in ids:
            yield _ask(journal, id_, question)
        return
    world = journal.world
    world.prepare()
    _JOB = (journal, question)
    waiting: dict[str, Asked[T]] = {}
    order = iter(ids)
    wanted = next(order, None)
    context = multiprocessing.get_context("fork")
    with context.Pool(count, initializer=_begin) as pool:  # leaving ends the workers, an interrupt too
        for answers in pool.imap(_work, _chunks(journal, ids)):
            waiting |= {each.session: each for each in answers}
            while wanted is not None and wanted in waiting:
                each = waiting.pop(wanted)
                if each.seen is not None:
                    world.absorb(each.seen)
                yield each
                wanted = next(order, None)


def _chunks(journal: Journal, ids: Sequence[str]) -> Iterator[list[str]]:
    """Yield portions of the sessions; one and those that it started stay together: they share files."""
    parents = {head.id: head.parent for head in journal.heads}
    families: dict[str, list[str]] = {}
    for id_ in ids:
        top, known = id_, {id_}
        while (up := parents.get(top)) is not None and up not in known:
            top = up
            known.add(up)
        families.setdefault(top, []).append(id_)
    chunk: list[str] = []
    for family in families.values():
        chunk += family
        if len(chunk) >= _CHUNK:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def _begin() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer


def _work(ids: Sequence[str]) -> list[Asked[Any]]:
    assert _JOB is not None
    journal, question = _JOB
    return [_ask(journal, id_, question) for id_ in ids]


def _ask(journal: Journal, id_: str, question: Callable[[str], T]) -> Asked[T]:
    world = journal.world
    if not isinstance(world, LargeFolder):
        return Asked(id_, question(id_))
    before = world.mark()
    answer = question(id_)
    return Asked(id_, answer, world.since(before))

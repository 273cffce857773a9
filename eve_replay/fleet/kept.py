"""One question asked of all sessions of a store: by all cores, and only of those that changed since."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from eve_replay.fleet.index import Answer, open_index
from eve_replay.fleet.pool import Asked, spread
from eve_replay.journal import Journal, Session, SessionHead
from eve_replay.worlds.local.large import LargeFolder, Seen

__all__ = ["Made", "Question", "answers", "task_of"]

#: Answers that are written to the index at once: so many are lost when the program is killed.
_AT_ONCE = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """An answer as it is kept.

    Attributes:
        brief: what a list shows, JSON data.
        whole: the entry of the JSON document, JSON text; may be empty.
        until: the time it holds until, None for ever.
    """

    brief: Mapping[str, Any]
    whole: str = ""
    until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked of a session.

    Attributes:
        ask: gets a session; what it returns goes through a pipe.
        task: the question with all that its answers depend on (:func:`task_of`).
        now: the instant.
        whole: the JSON text is wanted too.
        failed: what is said of a session that cannot be joined; without it the error ends all.
    """

    ask: Callable[[Session], Made] = field(repr=False)
    task: str
    now: datetime
    whole: bool = False
    failed: Callable[[str, Exception], Made] | None = None


def task_of(name: str, *parts: object) -> str:
    """Return the name of a question with its options, as the index knows it."""
    return f"{name} {hashlib.sha256(repr(parts).encode('utf-8', 'surrogateescape')).hexdigest()}"


def answers(
    journal: Journal,
    heads: Sequence[SessionHead],
    question: Question,
    *,
    workers: int | None = None,
    index: Path | None = None,
    kept_first: bool = False,
) -> Iterator[tuple[str, Made]]:
    """Yield session ids and answers, in the order of ``heads``.

    Args:
        journal: where they are.
        heads: the sessions that are asked.
        question: what is asked.
        workers: processes, None for as many as help.
        index: the folder in which answers are kept for the next look; None keeps and uses none.
        kept_first: those that the index knows come first, the others after them.
    """
    world = journal.world
    kept = open_index(world.identity, index) if index is not None and isinstance(world, LargeFolder) else None
    before: dict[str, Answer] = {}
    stamps: dict[str, bytes] = {}
    shared: Answer | None = None
    if kept is not None and isinstance(world, LargeFolder):
        stamps = _session_stamps(journal.heads, world.stamps())
        kept_before = kept.answers(question.task, question.now, whole=question.whole)
        shared = kept_before.pop("", None)
        before = {id_: answer for id_, answer in kept_before.items() if stamps.get(id_) == answer.stamp}
    order = sorted(heads, key=lambda head: head.id not in before) if kept_first else heads
    ids = [head.id for head in heads if head.id not in before]
    waiting: list[Answer] = []
    if isinstance(world, LargeFolder):
        if ids or shared is None:
            mark = world.mark()
            world.prepare()
            waiting.append(_shared(world.since(mark), question.now))
        else:
            _seen_before(world, shared)

    def ask(id_: str) -> Made:
        try:
            return question.ask(journal.session(id_))
        except Exception as error:
            if question.failed is None:
                raise
            return question.failed(id_, error)

    fresh = spread(journal, ids, ask, workers=workers)
    try:
        for head in order:
            known = before.pop(head.id, None)
            if known is not None:
                _seen_before(world, known)
                yield head.id, Made(brief=known.brief["row"], whole=known.whole, until=known.until)
                continue
            new = next(fresh)
            if kept is not None and new.seen is not None and new.seen.clean and head.id in stamps:
                waiting.append(_keepable(new, stamps[head.id], question.now))
            yield head.id, new.answer
            if kept is not None and len(waiting) >= _AT_ONCE:
                kept.keep(question.task, waiting)
                waiting = []
    finally:
        if kept is not None:
            kept.keep(question.task, waiting)
            kept.close()


def _shared(seen: Seen, now: datetime) -> Answer:
    """Return what was seen of the files that all runs share, kept like an answer of no session."""
    counts = [seen.seen, seen.parsed, seen.decoded]
    return Answer(session="", stamp=b"", since=now, until=None, brief={"seen": [counts, [], []]}, whole="")


def _keepable(new: Asked[Made], stamp: bytes, now: datetime) -> Answer:
    assert new.seen is not None
    seen, made = new.seen, new.answer
    counts = [seen.seen, seen.parsed, seen.decoded]
    brief = {"row": made.brief, "seen": [counts, list(seen.runs), list(dict.fromkeys(seen.streams))]}
    return Answer(
        session=new.session, stamp=stamp, since=now, until=made.until, brief=brief, whole=made.whole
    )


def _seen_before(world: object, known: Answer) -> None:
    """Count what was seen when the answer was made: it has been looked at again, by its names and times."""
    counts, runs, streams = known.brief["seen"]
    if isinstance(world, LargeFolder):
        world.absorb(
            Seen(
                seen=counts[0], parsed=counts[1], decoded=counts[2], runs=tuple(runs), streams=tuple(streams)
            )
        )


def _session_stamps(heads: Sequence[SessionHead], stamps: dict[str, bytes]) -> dict[str, bytes]:
    """Return a digest per session: of its runs, of the sessions below it, and of what names nobody."""
    by_id = {head.id: head for head in heads}
    found = {}
    for head in heads:
        queue, known = [head], {head.id}
        digest = hashlib.blake2b(stamps.get("", b""), digest_size=16)
        while queue:
            each = queue.pop()
            for run_id in sorted((*each.run_ids, *each.child_ids)):
                digest.update(run_id.encode() + b" " + stamps.get(run_id, b"none"))
            for below in each.subagents:
                if below in by_id and below not in known:
                    known.add(below)
                    queue.append(by_id[below])
        found[head.id] = digest.digest()
    return found

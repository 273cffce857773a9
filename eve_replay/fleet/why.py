"""``why`` of very many sessions: by all cores, and only of what changed since it was last asked."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from eve_replay.checks import Voice
from eve_replay.fleet.index import Answer, Index, open_index
from eve_replay.fleet.pool import Asked, asked
from eve_replay.fleet.watched import watched
from eve_replay.guidance import why_all
from eve_replay.guidance.plan import Place
from eve_replay.journal import Journal, Session, SessionHead
from eve_replay.journal.effects.policy import EffectsLike, EffectsPolicy
from eve_replay.views.verdicts.reports import ReportRow, report_row
from eve_replay.worlds.local.large import LargeFolder, Seen

__all__ = ["FleetAnswer", "why_fleet"]

#: Answers that are written to the index at once: so many are lost when the program is killed.
_AT_ONCE = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetAnswer:
    """What is to be said of one session: its row in the list, and its entry of the document as JSON text."""

    row: ReportRow
    whole: str


@dataclass(frozen=True, slots=True)
class _Made:
    """An answer with the time it holds until."""

    answer: FleetAnswer
    until: datetime | None


def why_fleet(
    journal: Journal,
    *,
    voice: Voice,
    effects: EffectsLike = None,
    eve: str | None = None,
    places: Callable[[Session], Place] | None = None,
    whole: bool = False,
    key: str = "",
    workers: int | None = None,
    index: Path | None = None,
) -> Iterator[FleetAnswer]:
    """Yield what ``why_all`` says of every session of a journal, in the order of its heads.

    Args:
        journal: where they are.
        voice: now, zone and lease.
        effects: the effects policy.
        eve: the version that is to open the journal.
        places: says where a session lies, for the commands of its plan.
        whole: the JSON text is wanted too.
        key: what else the answers depend on, in words: options of the caller.
        workers: processes, None for as many as help.
        index: the folder in which answers are kept for the next look; None keeps and uses none.
    """
    rules = EffectsPolicy.load(effects)
    heads = journal.heads
    versions = tuple(journal.versions)
    plain = [head for head in heads if head.kind == "workflow"]
    told: dict[str, FleetAnswer] = {}
    if plain:
        # A plain run that a step started twice is told by its neighbours: these are looked at together.
        together = why_all(
            (journal.session(head.id) for head in plain),
            voice=voice,
            effects=rules,
            eve=eve,
            versions=versions,
            places=places,
        )
        told = {report.session_id: _answer(report) for report in together.reports}

    def question(session: Session) -> _Made:
        now, watch = watched(voice.now)
        made = why_all(
            [session],
            voice=replace(voice, now=now),
            effects=rules,
            eve=eve,
            versions=versions,
            places=places,
        )
        return _Made(_answer(made.reports[0]), watch.until)

    task = _task(voice, rules, eve, versions, key)
    kept = None
    if index is not None and isinstance(journal.world, LargeFolder):
        kept = open_index(journal.world.identity, index)
    yield from _all(journal, heads, told, question, kept, task, voice.now, whole, workers)


def _all(
    journal: Journal,
    heads: Sequence[SessionHead],
    told: dict[str, FleetAnswer],
    question: Callable[[Session], _Made],
    kept: Index | None,
    task: str,
    now: datetime,
    whole: bool,
    workers: int | None,
) -> Iterator[FleetAnswer]:
    world = journal.world
    before: dict[str, Answer] = {}
    stamps: dict[str, bytes] = {}
    shared: Answer | None = None
    if kept is not None and isinstance(world, LargeFolder):
        stamps = _session_stamps(heads, world.stamps())
        kept_before = kept.answers(task, now, whole=whole)
        shared = kept_before.pop("", None)
        before = {id_: answer for id_, answer in kept_before.items() if stamps.get(id_) == answer.stamp}
    ids = [head.id for head in heads if head.id not in told and head.id not in before]
    waiting: list[Answer] = []
    if isinstance(world, LargeFolder):
        if ids or shared is None:
            mark = world.mark()
            world.prepare()
            waiting.append(_shared(world.since(mark), now))
        else:
            _seen_before(world, shared)
    fresh = asked(journal, ids, question, workers=workers)
    try:
        for head in heads:
            if (answer := told.get(head.id)) is None and (known := before.pop(head.id, None)) is not None:
                _seen_before(world, known)
                answer = FleetAnswer(row=_row(known.brief["row"]), whole=known.whole)
            elif answer is None:
                new = next(fresh)
                answer = new.answer.answer
                if kept is not None and new.seen is not None and new.seen.clean and head.id in stamps:
                    waiting.append(_keepable(new, stamps[head.id], now))
            yield answer
            if kept is not None and len(waiting) >= _AT_ONCE:
                kept.keep(task, waiting)
                waiting = []
    finally:
        if kept is not None:
            kept.keep(task, waiting)
            kept.close()


def _answer(report: Any) -> FleetAnswer:
    return FleetAnswer(row=report_row(report), whole=json.dumps(report.to_json()))


def _shared(seen: Seen, now: datetime) -> Answer:
    """Return what was seen of the files that all runs share, kept like an answer of no session."""
    counts = [seen.seen, seen.parsed, seen.decoded]
    return Answer(session="", stamp=b"", since=now, until=None, brief={"seen": [counts, [], []]}, whole="")


def _keepable(new: Asked[_Made], stamp: bytes, now: datetime) -> Answer:
    assert new.seen is not None
    seen = new.seen
    counts = [seen.seen, seen.parsed, seen.decoded]
    return Answer(
        session=new.session,
        stamp=stamp,
        since=now,
        until=new.answer.until,
        brief={
            "row": asdict(new.answer.answer.row),
            "seen": [counts, list(seen.runs), list(dict.fromkeys(seen.streams))],
        },
        whole=new.answer.answer.whole,
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


def _row(data: dict[str, Any]) -> ReportRow:
    return ReportRow(**{**data, "rank": tuple(data["rank"])})


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


def _task(voice: Voice, rules: EffectsPolicy, eve: str | None, versions: Sequence[str], key: str) -> str:
    parts = (voice.zone, voice.lease, rules, eve, sorted(versions), key)
    return "why " + hashlib.sha256(repr(parts).encode("utf-8", "surrogateescape")).hexdigest()

"""The landing page of very many sessions: each row by whichever core is free, or from the index."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any

from eve_replay.fleet.kept import Made, Question, answers, task_of
from eve_replay.fleet.watched import watched
from eve_replay.journal import Journal, Session, SessionHead
from eve_replay.journal.effects.judge import Twice
from eve_replay.journal.effects.policy import EffectsLike, EffectsPolicy
from eve_replay.views.verdicts.landing import LandingRow, landing_row, unread_row

__all__ = ["landing_fleet"]

_TIMES = ("since", "deadline", "last_activity")
_NAMES = tuple(field.name for field in fields(LandingRow))


def landing_fleet(
    journal: Journal,
    heads: Sequence[SessionHead] | None = None,
    *,
    now: datetime,
    zone: tzinfo | None = None,
    effects: EffectsLike = None,
    fenced: bool = False,
    key: str = "",
    workers: int | None = None,
    index: Path | None = None,
) -> Iterator[LandingRow]:
    """Yield the rows of sessions as ``landing_row`` makes them, those that the index knows first.

    Args:
        journal: where they are.
        heads: the sessions, all of them without it, the newest first.
        now: the instant to reckon from.
        zone: zone of clock times in words.
        effects: the effects policy.
        fenced: a session that cannot be joined is a row that says so.
        key: what else the rows depend on, in words: options of the caller.
        workers: processes, None for as many as help.
        index: the folder in which rows are kept for the next look; None keeps and uses none.
    """
    rules = EffectsPolicy.load(effects)
    versions = tuple(sorted(journal.versions))
    every = tuple(reversed(journal.heads)) if heads is None else heads
    known = {head.id: head for head in every}

    def ask(session: Session) -> Made:
        told, watch = watched(now)
        row = landing_row(session, now=told, zone=zone, effects=rules, versions=versions)
        return Made(brief=packed(row), until=watch.until)

    def failed(id_: str, error: Exception) -> Made:
        return Made(brief=packed(unread_row(known[id_], error)), until=now)

    question = Question(
        ask=ask,
        task=task_of("landing", zone, rules, versions, key),
        now=now,
        failed=failed if fenced else None,
    )
    for _, made in answers(journal, every, question, workers=workers, index=index, kept_first=True):
        yield unpacked(made.brief)


def packed(row: LandingRow) -> dict[str, Any]:
    """Return a row as JSON data."""
    data = {name: getattr(row, name) for name in _NAMES}
    for name in _TIMES:
        data[name] = data[name].isoformat() if data[name] is not None else None
    return data | {"twice": [row.twice.sure, row.twice.possible]}


def unpacked(data: Mapping[str, Any]) -> LandingRow:
    """Return the row that was packed."""
    sure, possible = data["twice"]
    made: dict[str, Any] = {**data, "twice": Twice(sure=sure, possible=possible)}
    made |= {name: datetime.fromisoformat(data[name]) for name in _TIMES if data[name] is not None}
    return LandingRow(**made | {"tools": tuple(data["tools"]), "order": tuple(data["order"])})

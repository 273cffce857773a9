"""``why`` of very many sessions: by all cores, and only of what changed since it was last asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from eve_replay.checks import Voice
from eve_replay.fleet.kept import Made, Question, answers, task_of
from eve_replay.fleet.watched import watched
from eve_replay.guidance import why_all
from eve_replay.guidance.plan import Place
from eve_replay.journal import Journal, Session
from eve_replay.journal.effects.policy import EffectsLike, EffectsPolicy
from eve_replay.views.verdicts.reports import ReportRow, report_row

__all__ = ["FleetAnswer", "why_fleet"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetAnswer:
    """What is to be said of one session: its row in the list, and its entry of the document as JSON text."""

    row: ReportRow
    whole: str


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

    def ask(session: Session) -> Made:
        now, watch = watched(voice.now)
        made = why_all(
            [session],
            voice=replace(voice, now=now),
            effects=rules,
            eve=eve,
            versions=versions,
            places=places,
        ).reports[0]
        answer = _answer(made)
        return Made(brief=asdict(answer.row), whole=answer.whole, until=watch.until)

    task = task_of("why", voice.zone, voice.lease, rules, eve, sorted(versions), key)
    question = Question(ask=ask, task=task, now=voice.now, whole=whole)
    left = [head for head in heads if head.id not in told]
    others = answers(journal, left, question, workers=workers, index=index)
    for head in heads:
        if (known := told.get(head.id)) is not None:
            yield known
        else:
            made = next(others)[1]
            yield FleetAnswer(row=_row(made.brief), whole=made.whole)
    for _ in others:  # it ends by itself: what is left to keep is written down
        pass


def _answer(report: Any) -> FleetAnswer:
    return FleetAnswer(row=report_row(report), whole=json.dumps(report.to_json()))


def _row(data: Mapping[str, Any]) -> ReportRow:
    return ReportRow(**{**data, "rank": tuple(data["rank"])})

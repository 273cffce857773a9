"""Journals with fields missing, of other types or cut: every answer is still given, nothing raises."""

from __future__ import annotations

import dataclasses
import random
from typing import Any

import pytest

from eve_replay import open_journal
from eve_replay.codec import Payload
from eve_replay.journal import Journal, attempts_document, transcript, walk_states
from eve_replay.records import EventRecord, RunRecord, StepRecord, StreamChunk, StreamRecord
from eve_replay.worlds.memory import MemoryWorld
from tests.support import corpus

ODD: list[Any] = [None, 5, -1, True, "x", [], {}, [None], "turn_x", float("nan"), {"kind": "send"}, [{}]]


class Breaker:
    """Breaks copies of values at random, the same way for the same seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def value(self, value: Any) -> Any:
        if self.random.random() < 0.08:
            return self.random.choice(ODD)
        if isinstance(value, dict):
            return {k: self.value(v) for k, v in value.items() if self.random.random() > 0.04}
        if isinstance(value, list):
            return [self.value(v) for v in value if self.random.random() > 0.04]
        return value

    def field(self, value: Any) -> Any:
        if isinstance(value, Payload):
            return Payload.plain(self.value(value.value)) if self.random.random() < 0.5 else value
        return self.value(value) if self.random.random() < 0.3 else value

    def fields(self, fields: Any) -> dict[str, Any]:
        broken: dict[str, Any] = {}
        for key, value in fields.items():
            if key != "runId" and self.random.random() < 0.03:
                continue
            if key == "eventData" and isinstance(value, dict):
                broken[key] = {k: self.field(v) for k, v in value.items()}
            else:
                broken[key] = value if key == "runId" else self.field(value)
        return broken

    def chunk(self, chunk: StreamChunk) -> StreamChunk:
        cut = self.random.random() < 0.1
        data = chunk.data[: self.random.randrange(len(chunk.data) + 1)] if cut else chunk.data
        return dataclasses.replace(chunk, data=data)


@pytest.mark.parametrize(
    "name", ["crash-in-tool", "approval-hold", "workflow-tool", "older-0.50.0", "sdk4-crash"]
)
@pytest.mark.parametrize("seed", range(6))
def test_broken_journals_are_still_read(name: str, seed: int) -> None:
    world = open_journal(corpus.data(name)).world
    breaker = Breaker(seed)
    ids = [run.run_id for run in world.runs()]
    events = [EventRecord(breaker.fields(e.fields)) for i in ids for e in world.events(i)]
    others = [other for i in ids for other in world.others(i)]
    streams = [o for o in others if isinstance(o, StreamRecord)]
    chunks = [breaker.chunk(c) for o in streams for c in world.stream(o.run_id, o.name)]
    broken = MemoryWorld(
        runs=[RunRecord(breaker.fields(r.fields)) for r in world.runs()],
        events=events,
        steps=[StepRecord(breaker.fields(s.fields)) for i in ids for s in world.steps(i)],
        others=others,
        chunks=chunks,
    )
    journal = Journal(broken)
    assert len(journal.heads) >= 1
    for session in journal.sessions:
        list(walk_states(session.steps))
        list(transcript(session))
        repr(session)
    attempts_document(journal)

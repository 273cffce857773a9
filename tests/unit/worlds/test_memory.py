"""A world of plain lists."""

from __future__ import annotations

import pytest

from eve_replay.errors import NotFound
from eve_replay.records import (
    EventRecord,
    HookRecord,
    MarkRecord,
    RunRecord,
    StepRecord,
    StreamChunk,
    StreamRecord,
    WaitRecord,
)
from eve_replay.worlds.dump import dump_document
from eve_replay.worlds.memory import MemoryWorld
from eve_replay.worlds.registry import open_world
from tests.support.folders import RUN


def test_lists_in_any_order():
    world = MemoryWorld(
        runs=[RunRecord({"runId": "wrun_2"}), RunRecord({"runId": "wrun_1", "specVersion": 7})],
        events=[
            EventRecord({"runId": "wrun_1", "eventId": f"evnt_{n:026d}", "specVersion": 8})
            for n in (10, 9, 1)
        ],
        steps=[StepRecord({"runId": "wrun_1", "stepId": s}) for s in "ba"],
        others=[
            MarkRecord({}, kind="step", phase="created", subject="a", of_run="wrun_1"),
            StreamRecord({"runId": "wrun_1", "name": "s"}),
            WaitRecord({"runId": "wrun_1", "waitId": "w"}),
            HookRecord({"runId": "wrun_1", "hookId": "h"}),
        ],
        chunks=[StreamChunk("s", "chnk_2", b"", True), StreamChunk("s", "chnk_1", b"x")],
        about={"note": 1},
    )
    assert [r.run_id for r in world.runs()] == ["wrun_1", "wrun_2"]
    assert [e.slot for e in world.events("wrun_1")] == [1, 9, 10]
    assert [s.step_id for s in world.steps("wrun_1")] == ["a", "b"]
    kinds = [type(o) for o in world.others("wrun_1")]
    assert kinds == [HookRecord, WaitRecord, StreamRecord, MarkRecord]
    assert [c.chunk_id for c in world.stream("wrun_1", "s")] == ["chnk_1", "chnk_2"]
    assert world.about == {"specVersion": 8, "note": 1}
    assert world.receipt.seen == world.receipt.parsed == 13
    for ask in (world.run, world.events, world.steps, world.others):
        with pytest.raises(NotFound):
            ask(RUN)
    with pytest.raises(NotFound):
        world.stream("wrun_1", "t")


def test_a_copy_shows_the_same():
    original = open_world("sample:approval-hold")
    copy = MemoryWorld.copy_of(open_world("sample:approval-hold"))
    ours, theirs = dump_document(copy), dump_document(original)
    for part in ("runs", "steps", "events", "hooks", "waits", "streams"):
        assert ours[part] == theirs[part]


def test_an_announced_stream_without_chunks():
    world = MemoryWorld(runs=[RunRecord({"runId": RUN})], others=[StreamRecord({"runId": RUN, "name": "s"})])
    assert list(world.stream(RUN, "s")) == []

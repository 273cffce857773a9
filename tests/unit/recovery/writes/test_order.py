"""The order of durable writes: complete, never backwards, as docs/evidence/sweep.md#writes lays it down."""

import pytest

from tests.support.recovery import TURNS, baseline, turn_plan


@pytest.mark.parametrize("turn", TURNS)
def test_every_event_and_chunk_is_there_once_and_in_order(turn):
    plans = baseline(turn)
    items = plans.writes.items
    for run in plans.session.all_runs:
        slots = [w.address for w in items if w.kind == "event" and w.run == run.run_id]
        assert slots == [e.event_id for e in run.events]
    chunks = [w.address for w in items if w.kind == "chunk"]
    assert chunks == sorted({e.chunk_id for e in plans.session.stream_events})
    assert [w.time for w in items] == sorted(w.time for w in items)


@pytest.mark.parametrize("turn", TURNS)
def test_the_writes_around_a_step_come_in_the_order_of_the_world(turn):
    place = baseline(turn).writes.place
    for step in baseline(turn).session.steps:
        id_ = step.step_id
        keys = [("lock", id_), ("pending", id_), ("created", id_), ("running", id_, 1), ("started", id_, 1)]
        keys += [("terminal", id_), ("ended", id_), ("end", id_)]
        places = [place[key] for key in keys]
        assert places == sorted(places)


@pytest.mark.parametrize("turn", TURNS)
def test_chunks_lie_inside_their_attempt(turn):
    plans = baseline(turn)
    place = plans.writes.place
    for step in plans.session.steps:
        for attempt in step.attempts:
            for event in attempt.stream_events:
                at = place["chunk", event.chunk_id]
                assert place["started", step.step_id, attempt.n] < at < place["terminal", step.step_id]


def test_a_tool_has_returned_before_the_first_chunk_of_its_batch():
    plans = baseline("T1")
    place = plans.writes.place
    step = next(s for s in plans.session.steps if s.kind == "turn")
    returned = place["returned", step.step_id, 1, "mock-tool-call-1-0-2"]
    batch = next(e for e in plans.session.stream_events if e.type == "turn.started")
    assert returned < place["chunk", batch.chunk_id]


def test_an_inbox_whose_claim_names_another_slot_is_marked():
    plan = turn_plan("T1")
    hooks = {h.hook_id: h for h in plan.runs[0].hooks}
    assert [h.taken for h in hooks.values() if h.awaited] == [True]


def test_addresses_name_one_write_within_a_run():
    plans = baseline("T3")
    seen = {}
    for write in plans.writes.items:
        key = (write.run, write.address)
        assert key not in seen, key
        seen[key] = write

"""What every world must do, as tests, for this package's worlds and for anybody's own.

Example::

    from eve_replay.worlds.contract import WorldContract

    class TestMyWorld(WorldContract):
        def open(self):
            return my_world("...")

pytest collects the ``test_`` methods; without pytest call ``check_world(open)``. Each failure is an
AssertionError that names the rule. The world opened must hold at least one run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from eve_replay.errors import NotFound
from eve_replay.ids import event_slot
from eve_replay.problems import Receipt
from eve_replay.records import (
    EventRecord,
    HookRecord,
    MarkRecord,
    Other,
    RunRecord,
    StepRecord,
    StreamChunk,
    StreamRecord,
    WaitRecord,
)
from eve_replay.worlds.base import World

__all__ = ["WorldContract", "check_world"]

_NO_SUCH = "wrun_00000000000000000000000000"


class WorldContract:
    """The rules of the World protocol. Override ``open``."""

    def open(self) -> World:
        """Return a fresh world of the same source each time."""
        raise NotImplementedError("Override open() to return the world to test.")

    def test_it_is_a_world(self) -> None:
        """It has the protocol's methods, a kind, a label, facts and a receipt."""
        world = self.open()
        assert isinstance(world, World), "a method of the World protocol is missing"
        assert world.kind and world.kind.strip() == world.kind, "kind is a short word"
        assert world.label, "label is what a person calls the source"
        assert isinstance(world.receipt, Receipt), "receipt is a Receipt"
        assert all(isinstance(key, str) for key in world.about), "about maps words to facts"
        world.close()

    def test_runs_come_in_order_and_once(self) -> None:
        """``runs`` yields every run once, by run id ascending, the same every time."""
        world = self.open()
        ids = [run.run_id for run in world.runs()]
        assert ids, "the world to test must hold a run"
        assert all(ids), "every run has an id"
        assert ids == sorted(set(ids)), "runs come by run id ascending, each once"
        assert ids == [run.run_id for run in world.runs()], "a second listing gives the same runs"
        world.close()

    def test_a_run_can_be_asked_for(self) -> None:
        """``run`` returns what the listing shows."""
        world = self.open()
        for listed in world.runs():
            asked = world.run(listed.run_id)
            assert isinstance(asked, RunRecord), "runs are RunRecords"
            assert asked.run_id == listed.run_id, "run(id) returns the run of that id"
            assert asked.status == listed.status, "run(id) agrees with the listing"
        world.close()

    def test_an_unknown_run_is_not_found(self) -> None:
        """Every question about a run that is not there raises NotFound, also with strange ids."""
        world = self.open()
        for run_id in (_NO_SUCH, "", "..", "../x", "a/b", "x\0y", "'; --", "\ud800"):
            for ask in (world.run, world.events, world.steps, world.others):
                assert _raises_not_found(ask, run_id), f"{ask.__name__}({run_id!a}) raises NotFound"
        world.close()

    def test_events_are_of_the_run_and_in_order(self) -> None:
        """``events`` yields the run's events by slot, or by id where ids are ULIDs."""
        world = self.open()
        for run in world.runs():
            events = list(world.events(run.run_id))
            assert all(isinstance(event, EventRecord) for event in events), "events are EventRecords"
            assert all(event.run_id == run.run_id for event in events), "events name their run"
            keys = [_order(event) for event in events]
            assert keys == sorted(keys), f"the events of {run.run_id} are in log order"
        world.close()

    def test_steps_are_of_the_run_and_in_order(self) -> None:
        """``steps`` yields the run's steps by step id, each once."""
        world = self.open()
        for run in world.runs():
            steps = list(world.steps(run.run_id))
            assert all(isinstance(step, StepRecord) for step in steps), "steps are StepRecords"
            assert all(step.run_id == run.run_id for step in steps), "steps name their run"
            ids = [step.step_id for step in steps]
            assert ids == sorted(set(ids)), f"the steps of {run.run_id} come by step id, each once"
        world.close()

    def test_the_rest_belongs_to_the_run(self) -> None:
        """``others`` yields hooks, waits, streams and marks of that run."""
        world = self.open()
        for run in world.runs():
            for other in world.others(run.run_id):
                assert isinstance(other, (HookRecord, WaitRecord, StreamRecord, MarkRecord)), (
                    "others are hooks, waits, streams and marks"
                )
                owner = _owner(other)
                assert owner in ("", run.run_id), f"{other.origin} belongs to the run it is listed with"
        world.close()

    def test_streams_can_be_read(self) -> None:
        """Every stream that is listed can be read; chunks come by chunk id and are bytes."""
        world = self.open()
        for run in world.runs():
            for other in world.others(run.run_id):
                if not isinstance(other, StreamRecord):
                    continue
                chunks = list(world.stream(run.run_id, other.name))
                assert all(isinstance(chunk, StreamChunk) for chunk in chunks), "chunks are StreamChunks"
                assert all(isinstance(chunk.data, bytes) for chunk in chunks), "chunk data is bytes"
                ids = [chunk.chunk_id for chunk in chunks]
                assert ids == sorted(ids), f"the chunks of {other.name} come by chunk id"
                assert all(chunk.stream == other.name for chunk in chunks), "chunks name their stream"
        world.close()

    def test_reading_twice_gives_the_same(self) -> None:
        """A second reading gives the same records and adds nothing to the receipt."""
        world = self.open()
        first = list(_everything(world))
        counts = (world.receipt.seen, len(world.receipt.problems), len(world.receipt.skipped))
        assert list(_everything(world)) == first, "a second reading gives the same records"
        again = (world.receipt.seen, len(world.receipt.problems), len(world.receipt.skipped))
        assert again == counts, "what was seen before is not counted or reported again"
        world.close()

    def test_closing_twice_is_fine(self) -> None:
        """``close`` may be called twice."""
        world = self.open()
        world.close()
        world.close()


def check_world(open_world: Callable[[], World]) -> list[str]:
    """Run the whole contract and return the names of the rules that hold. Raises AssertionError."""
    contract = WorldContract()
    contract.open = open_world  # type: ignore[method-assign]
    names = [name for name in dir(WorldContract) if name.startswith("test_")]
    for name in names:
        getattr(contract, name)()
    return names


def _raises_not_found(ask: Callable[[str], object], run_id: str) -> bool:
    try:
        found = ask(run_id)
        if isinstance(found, Iterator):
            next(found, None)
    except NotFound:
        return True
    return False


def _order(event: EventRecord) -> tuple[bool, int, str]:
    slot = event_slot(event.event_id)
    return (slot is None, slot or 0, event.event_id)


def _owner(other: Other) -> str:
    return other.of_run if isinstance(other, MarkRecord) else other.run_id


def _everything(world: World) -> Iterator[tuple[object, ...]]:
    """Yield ids and statuses of all records: payloads compare by identity, so they are left out."""
    for run in world.runs():
        yield (run.run_id, run.status)
        for event in world.events(run.run_id):
            yield (event.event_id, event.event_type)
        for step in world.steps(run.run_id):
            yield (step.step_id, step.status, step.attempt)
        for other in world.others(run.run_id):
            yield (type(other).__name__, other.origin)
            if isinstance(other, StreamRecord):
                yield from (
                    (chunk.chunk_id, chunk.data, chunk.end) for chunk in world.stream(run.run_id, other.name)
                )

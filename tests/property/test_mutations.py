"""Any file cut at any byte, any bit flipped, any file missing: the rest is shown and the loss is told.

More than 20,000 mutations of recordings of every layout, in memory: nothing is written to disk, one mutation
takes a few milliseconds. Positions are spread evenly and drawn from a fixed seed, so a failure repeats.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eve_replay.codec import Payload, session_events, stream_values
from eve_replay.records import EventRecord, HookRecord, MarkRecord, StreamRecord
from eve_replay.worlds.dump import dump_document
from eve_replay.worlds.local.opener import LocalWorld, MemoryTree, open_tree
from tests.support import corpus

Files = dict[str, bytes]

SCENARIOS = {
    "crash-in-tool": "data",
    "older-0.50.0": "data",
    "older-0.20.0": "data",
    "retention-0": "data",
    "sdk4-crash": "data",
    "local-sdk/local4_rich": "final",
    "local-sdk/local5_rich": "final",
    "local-sdk/local5_sleephook": "held",
    "local-sdk/local5_failed": "final",
    "python-sdk": "journal-retry",
}
PER_SCENARIO = 2_100
assert PER_SCENARIO * len(SCENARIOS) > 20_000


@cache
def files_of(name: str) -> Files:
    folder = corpus.scenario(name) / SCENARIOS[name]
    return {
        p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()
    }


def read(world: LocalWorld, decode: str = "") -> dict[str, str]:
    """Read everything; return origin -> run. Only payloads of the file ``decode`` are decoded."""
    shown: dict[str, str] = {}
    streams = set()
    for run in world.runs():
        found = [run, *world.events(run.run_id), *world.steps(run.run_id), *world.others(run.run_id)]
        for record in found:
            if not isinstance(record, (MarkRecord, StreamRecord)):
                shown[record.origin] = run.run_id
            if record.origin == decode:
                for value in [
                    *record.fields.values(),
                    *(record.data.values() if isinstance(record, EventRecord) else ()),
                ]:
                    if isinstance(value, Payload):
                        value.tagged()
                        value.at("$.args[0]")
            if isinstance(record, HookRecord):
                assert record.hook_id
            if isinstance(record, StreamRecord) and record.name not in streams:
                streams.add(record.name)
                chunks = list(world.stream(run.run_id, record.name))
                shown.update((chunk.origin, run.run_id) for chunk in chunks)
                if any(chunk.origin == decode for chunk in chunks):
                    for item in stream_values(chunks):
                        item.payload.tagged()
                    session_events(chunks)
    return shown


@cache
def whole(name: str) -> frozenset[str]:
    return frozenset(read(open_tree(MemoryTree(files_of(name)))))


def mutations(files: Files, count: int, seed: str) -> Iterator[tuple[str, str, bytes | None]]:
    """Yield ``(what, path, new content or None)``: every file missing, then cuts and flips over all files."""
    rng = random.Random(seed)
    paths = list(files)
    for path in paths:
        yield "missing", path, None
    left = count - len(paths)
    with_content = [path for path in paths if files[path]]
    for number in range(left):
        path = with_content[number % len(with_content)]
        data = files[path]
        turn, turns = number // len(with_content), max(1, left // len(with_content))
        if number % 2:
            at = (turn * len(data)) // turns if turn else rng.randrange(len(data))
            yield f"cut at {at}", path, data[:at]
        else:
            at, bit = rng.randrange(len(data)), rng.randrange(8)
            yield f"bit {bit} of byte {at}", path, data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :]


def told(world: LocalWorld, path: str) -> bool:
    return any(path in s.where for s in world.receipt.skipped) or any(
        p.where in path or path in p.where for p in world.receipt.problems if p.severity != "info"
    )


def follows(path: str, files: Files) -> set[str]:
    """What cannot be shown any more when ``path`` is lost: a stream that only its index named."""
    if not path.startswith("streams/runs/"):
        return set()
    return {other for other in files if other.startswith("streams/chunks/")}


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_rest_is_shown_and_the_loss_is_told(name):
    files, before = files_of(name), whole(name)
    last = {
        max((p for p in before if p.startswith("events/") and run in p), default="")
        for run in {p.split("/")[-1].split("-")[0] for p in before if p.startswith("events/")}
    }
    done = 0
    for what, path, data in mutations(files, PER_SCENARIO, name):
        changed = dict(files)
        if data is None:
            del changed[path]
        else:
            changed[path] = data
        world = open_tree(MemoryTree(changed))
        shown = read(world, decode=path)
        label = f"{name}: {path} {what}"
        lost = before - shown.keys() - {path}
        if path.startswith("streams/runs/"):
            assert lost <= follows(path, files), label
            assert (
                not lost
                or told(world, path)
                or any(p.code == "orphan-stream" for p in world.receipt.problems)
            ), label
        else:
            assert not lost, f"{label} lost {sorted(lost)[:3]}"
        if path in before and path not in shown and data is not None:
            assert told(world, path), label
        if data is None and path.startswith("runs/"):
            assert any(p.code == "no-run-record" for p in world.receipt.problems), label
        if data is None and path.startswith("steps/"):
            assert any(p.code == "missing-record" for p in world.receipt.problems), label
        if data is None and path.startswith("events/") and path not in last and "evnt_0000" in path:
            assert any(p.code == "slot-gap" for p in world.receipt.problems), label
        done += 1
    assert done == PER_SCENARIO


@pytest.mark.parametrize("name", ["crash-in-tool", "local-sdk/local5_rich", "python-sdk"])
def test_a_dump_of_a_damaged_world_never_fails(name):
    """The same through everything: all payloads decoded, the whole document made."""
    files = files_of(name)
    for what, path, data in mutations(files, 250, f"dump {name}"):
        changed = dict(files)
        if data is None:
            del changed[path]
        else:
            changed[path] = data
        document = dump_document(open_tree(MemoryTree(changed)))
        assert document["runs"], f"{path} {what}"


@settings(max_examples=300)
@given(data=st.data())
def test_many_damages_at_once(data):
    """Several files damaged in any way, names included: no exception, the receipt adds up."""
    name = data.draw(st.sampled_from(["local-sdk/local5_sleephook", "sdk4-crash", "python-sdk"]))
    changed = dict(files_of(name))
    for _ in range(data.draw(st.integers(1, 6))):
        path = data.draw(st.sampled_from(sorted(changed)))
        kind = data.draw(st.sampled_from(["drop", "bytes", "splice", "rename", "copy"]))
        if kind == "drop" and len(changed) > 1:
            del changed[path]
        elif kind == "bytes":
            changed[path] = data.draw(st.binary(max_size=200))
        elif kind == "splice":
            at = data.draw(st.integers(0, len(changed[path])))
            changed[path] = changed[path][:at] + data.draw(st.binary(max_size=20)) + changed[path][at:]
        else:
            folder = path.rpartition("/")[0]
            new = data.draw(st.text(st.characters(blacklist_characters="/\0"), min_size=1, max_size=40))
            if new not in (".", ".."):
                changed[f"{folder}/{new}".lstrip("/")] = changed[path]
                if kind == "rename":
                    changed.pop(path)
    world = open_tree(MemoryTree(changed))
    read(world)
    dump_document(world)
    assert world.receipt.parsed <= world.receipt.seen


@settings(max_examples=300)
@given(
    st.dictionaries(
        st.sampled_from(
            [
                "runs/wrun_1.json",
                "events/wrun_1/wrun_1-evnt_00000000000000000000000001.json",
                "events/wrun_1-evnt_00000000000000000000000002.json",
                "steps/wrun_1/wrun_1-step_1.json",
                "hooks/hook_1.json",
                "hooks/tokens/abc.json",
                "hooks/resumes/abc.json",
                "hooks/id-index/hook_1/x.json",
                "waits/wrun_1-wait_1.json",
                "streams/runs/wrun_1.json",
                "streams/chunks/strm_1_user/chnk_1.bin",
                ".locks/hooks/hook_1.disposed",
                ".locks/runs/wrun_1.pending/evnt_1.json",
                "version.txt",
            ]
        ),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(
                    st.sampled_from(
                        [
                            "runId",
                            "eventId",
                            "stepId",
                            "hookId",
                            "waitId",
                            "eventData",
                            "input",
                            "error",
                            "status",
                            "eventType",
                            "correlationId",
                            "attributes",
                            "streams",
                            "specVersion",
                            "__type",
                            "data",
                            "token",
                        ]
                    ),
                    inner,
                    max_size=6,
                )
            ),
            max_leaves=12,
        ),
    )
)
def test_records_of_any_shape(shapes):
    """JSON that is valid and means nothing: every field may be of every type."""
    import json

    world = open_tree(MemoryTree({path: json.dumps(value).encode() for path, value in shapes.items()}))
    read(world)
    for run in world.runs():
        assert run.run_id
        assert isinstance(run.workflow.function, str)
        assert run.created_at is None or run.created_at.tzinfo
    dump_document(world)

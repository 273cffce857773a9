"""Locks, tokens, deliveries: everything that docs/evidence/sweep.md names can be seen."""

from __future__ import annotations

import pytest

from eve_replay.codec import Payload
from eve_replay.records import HookRecord, MarkRecord
from eve_replay.worlds.registry import open_world
from tests.support import corpus
from tests.support.folders import OTHER, RUN, STEP, codes, packed, run, world

HASH = "a9c780a9fa6725d18ed500e7f296fa3b0994683ff56cad3879f6aa794b391895"
HOOK = "hook_01M8NVET2Q1207NWPAG2NV4SK9"
WAIT = "wait_01M8NVETA8670DMJFCC54D80AE"
EVENT = "evnt_00000000000000000000000003"


def marks(opened, run_id=RUN):
    return {(o.kind, o.phase, o.subject): o for o in opened.others(run_id) if isinstance(o, MarkRecord)}


@pytest.mark.parametrize(
    ("path", "data", "key"),
    [
        (f".locks/steps/{RUN}-{STEP}.created", b"", ("step", "created", STEP)),
        (f".locks/steps/{RUN}-{STEP}.terminal", b"", ("step", "terminal", STEP)),
        (f".locks/steps/{RUN}-{STEP}.terminal.vitest-1", b"", ("step", "terminal", STEP)),
        (f".locks/waits/{RUN}-{WAIT}.created", b"", ("wait", "created", WAIT)),
        (f".locks/waits/{RUN}-{WAIT}.completed", b"", ("wait", "completed", WAIT)),
        (f".locks/runs/{RUN}.terminal", b"", ("run", "terminal", RUN)),
        (f".locks/attributes/{RUN}-attr_1.created", b"", ("run", "attribute", "attr_1")),
        (
            f"hooks/tokens/{HASH}.json",
            packed({"token": "t", "hookId": HOOK, "runId": RUN}),
            ("token", "file", HASH),
        ),
        (f"hooks/resumes/{HASH}.json", packed({"runId": RUN, "hookId": HOOK}), ("resume", "file", HASH)),
        (f"hooks/by-run/{RUN}-{HOOK}.json", packed({"hookId": HOOK}), ("index", "by-run", HOOK)),
        (f"hooks/id-index/{HOOK}/{RUN}-{EVENT}.json", packed({"runId": RUN}), ("index", "id-index", HOOK)),
        (f"hooks/id-index/{HOOK}/{EVENT}.json", packed({"runId": RUN}), ("index", "id-index", HOOK)),
        (
            f"hooks/token-index/{HASH}/{RUN}-{EVENT}.json",
            packed({"runId": RUN}),
            ("index", "token-index", HASH),
        ),
        (f"hooks/token-index/{HASH}/{EVENT}.json", packed({"runId": RUN}), ("index", "token-index", HASH)),
    ],
)
def test_each_kind_of_mark(path, data, key):
    opened = world(run(), run(OTHER), (path, data))
    found = marks(opened)
    assert found[key].origin == path and found[key].of_run == RUN
    assert not marks(opened, OTHER)
    assert opened.receipt.clean


def test_a_staged_delivery_is_an_event_with_its_payload():
    event = {
        "eventType": "hook_received",
        "eventData": {"token": "t", "payload": {"__type": "Uint8Array", "data": "ZGV2bFsxXQ=="}},
    }
    name = f"{EVENT}.01M8NVGXW28R3Z66DXKRA083R8"
    opened = world(run(), (f".locks/runs/{RUN}.pending/{name}.json", packed(event)))
    mark = marks(opened)["run", "pending", name]
    payload = mark.fields["eventData"]["payload"]
    assert isinstance(payload, Payload) and payload.value == 1


def test_an_empty_staging_folder_means_nothing():
    opened = world(run(), folders=(f".locks/runs/{RUN}.pending",))
    assert not marks(opened)


def test_the_lock_folder_of_a_token():
    token = (f"hooks/tokens/{HASH}.json", packed({"runId": RUN, "hookId": HOOK}))
    lock = f"hooks/tokens/{HASH}.json.lock"
    owned = world(run(), run(OTHER), token, folders=(lock,))
    assert marks(owned)["token", "lock", HASH].of_run == RUN
    assert ("token", "lock", HASH) not in marks(owned, OTHER)
    by_index = world(
        run(), run(OTHER), (f"hooks/token-index/{HASH}/{RUN}-{EVENT}.json", b"{}"), folders=(lock,)
    )
    assert marks(by_index)["token", "lock", HASH].of_run == RUN


def test_a_lock_whose_run_is_unknown_is_shown_with_every_open_run():
    lock = f"hooks/tokens/{HASH}.json.lock"
    opened = world(run(), run(OTHER, status="completed"), folders=(lock,))
    assert marks(opened)["token", "lock", HASH].of_run == ""
    assert not marks(opened, OTHER)


@pytest.mark.parametrize(
    ("content", "fields"),
    [(b"", {}), (b'{"forceClaimedBy":{"runId":"wrun_2"}}', {"forceClaimedBy": {"runId": "wrun_2"}})],
)
def test_a_disposed_hook(content, fields):
    opened = world(
        run(),
        (f".locks/hooks/{HOOK}.disposed", content),
        (f"hooks/id-index/{HOOK}/{RUN}-{EVENT}.json", packed({"runId": RUN})),
    )
    mark = marks(opened)["hook", "disposed", HOOK]
    assert mark.of_run == RUN and dict(mark.fields) == fields
    assert opened.receipt.seen == opened.receipt.parsed


def test_a_damaged_token_file_is_still_a_mark():
    opened = world(run(), (f"hooks/tokens/{HASH}.json", b"{"))
    assert marks(opened)["token", "file", HASH].of_run == ""
    assert codes(opened.receipt) == ["torn-file"]


def test_a_hook_record_that_lost_its_run():
    opened = world(
        run(),
        (f"hooks/{HOOK}.json", packed({"hookId": HOOK})),
        (f"hooks/by-run/{RUN}-{HOOK}.json", packed({"hookId": HOOK})),
    )
    assert [o.hook_id for o in opened.others(RUN) if isinstance(o, HookRecord)] == [HOOK]


@pytest.mark.parametrize(
    "name", ["simple-turn", "approval-hold", "older-0.50.0", "older-0.20.0", "workflow-tool", "sdk4-crash"]
)
def test_every_lock_token_and_index_of_a_recording_is_shown(name):
    folder = corpus.data(name)
    opened = open_world(str(folder))
    shown = {o.origin for r in opened.runs() for o in opened.others(r.run_id) if isinstance(o, MarkRecord)}
    there = {p.relative_to(folder).as_posix() for p in (folder / ".locks").rglob("*") if p.is_file()}
    for part in ("tokens", "resumes", "by-run", "id-index", "token-index"):
        there |= {p.relative_to(folder).as_posix() for p in (folder / "hooks" / part).rglob("*.json")}
    assert shown == there


@pytest.mark.parametrize("turn", ["T1", "T2", "T3"])
def test_every_lock_token_and_delivery_of_the_sweep_is_shown(turn):
    """A reader of a crashed folder sees every half-written commit (docs/evidence/sweep.md)."""
    root = corpus.scenario(f"sweep/{turn}")
    folders = [
        path
        for point in sorted(root.iterdir())
        if point.is_dir()
        for path in point.iterdir()
        if path.is_dir()
    ]
    assert folders
    for folder in folders:
        opened = open_world(str(folder))
        shown = set()
        for found in opened.runs():
            list(opened.events(found.run_id))
            shown |= {o.origin for o in opened.others(found.run_id) if isinstance(o, MarkRecord)}
        there = {
            path.relative_to(folder).as_posix()
            for part in (".locks", "hooks/tokens", "hooks/resumes", "hooks/id-index", "hooks/token-index")
            for path in (folder / part).rglob("*")
            if path.is_file() and ".tmp." not in path.name
        }
        assert there <= shown, folder
        assert "slot-gap" not in codes(opened.receipt), folder
        assert not [p for p in opened.receipt.problems if p.severity == "error"], folder

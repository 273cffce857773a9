"""The local world: layouts, losses, oddities, in small folders made by hand and in recordings."""

from __future__ import annotations

import pytest

from eve_replay.errors import NotFound
from eve_replay.records import HookRecord, MarkRecord, StreamRecord, WaitRecord
from eve_replay.worlds.registry import open_world
from tests.support import corpus
from tests.support.folders import AT, OTHER, RUN, STEP, codes, drain, event, packed, run, step, world

HOOK = "hook_01M8NVET2Q1207NWPAG2NV4SK9"


def log(*kinds, **fields):
    return [event(slot, kind, **fields) for slot, kind in enumerate(kinds, start=1)]


@pytest.mark.parametrize(
    ("name", "layout", "spec", "events"),
    [
        ("simple-turn", "per-run", 8, 37),
        ("stranded", "per-run", 8, None),
        ("older-0.50.0", "flat", 7, 42),
        ("older-0.20.0", "flat", 5, 33),
        ("sdk4-crash", "flat", 3, 28),
        ("sdk5-crash", "flat", 7, None),
        ("local-sdk/local5_sleephook", "flat", 5, 19),
    ],
)
def test_layouts_of_the_recordings(name, layout, spec, events):
    opened = open_world(str(corpus.data(name)))
    found = drain(opened)
    assert opened.about["layout"] == layout
    assert opened.about["specVersion"] == spec
    assert events is None or len(found["events"]) == events
    assert found["steps"]
    assert ("flat-layout" in codes(opened.receipt)) == (layout == "flat")


def test_the_flat_layout_is_told_before_a_newer_eve_deletes_it():
    flat = world(run(), event(1, "run_created", flat=True))
    problem = next(p for p in flat.receipt.problems if p.code == "flat-layout")
    assert "deletes" in problem.message and problem.severity == "info"  # doctor warns


def test_both_layouts_side_by_side_are_both_read():
    mixed = world(
        run(),
        run(OTHER),
        *log("run_created"),
        event(1, "run_created", OTHER, flat=True),
        step(),
        step(run_id=OTHER, flat=True),
    )
    found = drain(mixed)
    assert mixed.about["layout"] == "mixed"
    assert len(found["events"]) == 2 and len(found["steps"]) == 2
    assert "mixed-layout" in codes(mixed.receipt)


def test_unknown_fields_are_kept():
    opened = world(run(newThing={"a": [1]}), event(1, "run_created", other=2), step(more=None))
    found = drain(opened)
    assert found["runs"][0].fields["newThing"] == {"a": [1]}
    assert found["events"][0].fields["other"] == 2
    assert found["steps"][0].fields["more"] is None


def test_a_run_without_record_is_put_together_from_its_events():
    opened = world(
        *log("run_created", "run_started", eventData={"workflowName": "workflow//app//order", "input": [1]}),
    )
    [found] = opened.runs()
    assert found.synthesised and found.status == "running" and found.workflow.function == "order"
    assert found.payload("input") is not None
    assert "no-run-record" in codes(opened.receipt)
    assert opened.run(RUN).synthesised


@pytest.mark.parametrize(
    ("last", "status"),
    [("run_completed", "completed"), ("run_failed", "failed"), ("run_cancelled", "cancelled")],
)
def test_the_end_of_a_run_without_record(last, status):
    [found] = world(*log("run_created", "run_started", last, eventData={})).runs()
    assert found.status == status and found.time("completedAt") is not None


def test_a_torn_run_record_does_not_hide_the_run():
    path, data = run()
    opened = world((path, data[:-10]), *log("run_created"), step())
    found = drain(opened)
    assert found["runs"][0].synthesised and found["steps"]
    assert "torn-file" in codes(opened.receipt) and "no-run-record" not in codes(opened.receipt)
    assert opened.receipt.skipped[0].where == path


def test_a_run_known_by_its_steps_only():
    [found] = world(step()).runs()
    assert found.run_id == RUN and found.status == ""


def test_gaps_in_the_slots_are_reported():
    opened = world(run(), event(1, "run_created"), event(3, "step_created"), event(7, "run_completed"))
    assert [e.slot for e in opened.events(RUN)] == [1, 3, 7]
    gaps = [p.message for p in opened.receipt.problems if p.code == "slot-gap"]
    assert "slot 2 is" in gaps[0] and "slots 4 to 6 are" in gaps[1]


def test_a_missing_first_event_is_a_gap():
    opened = world(run(), event(2, "run_started"))
    list(opened.events(RUN))
    assert "slot-gap" in codes(opened.receipt)


def test_a_slot_that_a_lost_delivery_had_is_no_loss():
    """Seen in the sweep: a delivery staged under its slot, the process killed before it became an event."""
    staged = f".locks/runs/{RUN}.pending/evnt_{4:026d}.01M8NVGXW28R3Z66DXKRA083R8.json"
    other = f".locks/runs/{RUN}.pending/evnt_{6:026d}.01M8NVGXW28R3Z66DXKRA083R9.json"
    opened = world(
        run(), event(1, "run_created"), event(2, "x"), event(8, "y"), (staged, b"{}"), (other, b"{}")
    )
    list(opened.events(RUN))
    assert codes(opened.receipt) == ["slot-unused", "slot-gap", "slot-unused", "slot-gap", "slot-gap"]
    gaps = [p.message.split(" missing")[0] for p in opened.receipt.problems if p.code == "slot-gap"]
    assert gaps == ["The event of slot 3 is", "The event of slot 5 is", "The event of slot 7 is"]


def test_second_ends_and_second_writes_are_reported():
    opened = world(
        run(),
        event(1, "step_created", correlationId=STEP),
        event(2, "step_completed", correlationId=STEP),
        event(3, "step_completed", correlationId=STEP),
        event(4, "attr_set", correlationId="attr_1"),
        event(5, "attr_set", correlationId="attr_1"),
        event(6, "attr_set"),
        event(7, "attr_set"),
        event(8, "run_completed"),
        event(9, "run_failed"),
        step(),
    )
    assert len(list(opened.events(RUN))) == 9
    found = [p.where for p in opened.receipt.problems if p.code == "duplicate-event"]
    assert [where[-1] for where in found] == ["3", "5", "9"]


def test_two_files_of_one_event():
    opened = world(run(), *log("run_created"), event(1, "run_created", flat=True))
    assert len(list(opened.events(RUN))) == 2
    assert "duplicate-event" in codes(opened.receipt)


def test_ids_of_two_kinds_in_one_log():
    path, data = event(1, "run_created")
    ulid = "evnt_01M8NXXFRBWDY0H45EWQN51Q5A"
    opened = world(
        run(), (path, data), (f"events/{RUN}/{RUN}-{ulid}.json", packed({"runId": RUN, "eventType": "x"}))
    )
    assert [e.event_id for e in opened.events(RUN)][-1] == ulid
    assert "mixed-event-ids" in codes(opened.receipt)


def test_a_step_that_the_log_knows_and_no_record_shows():
    opened = world(run(), event(1, "step_created", correlationId=STEP))
    list(opened.events(RUN))
    assert "missing-record" not in codes(opened.receipt)
    list(opened.steps(RUN))
    assert "missing-record" in codes(opened.receipt)


def test_newer_spec_versions_are_read_with_a_warning():
    opened = world(run(specVersion=9), event(1, "run_created", specVersion=12))
    found = drain(opened)
    assert found["runs"] and found["events"]
    assert codes(opened.receipt).count("newer-spec") == 2
    assert opened.about["specVersion"] == 12


def test_tagged_files():
    path, data = run()
    tagged = (path.replace(".json", ".vitest-3.json"), data.replace(b'"running"', b'"completed"'))
    only = world(tagged, (f"hooks/{HOOK}.vitest-3.json", packed({"hookId": HOOK, "runId": RUN})))
    found = drain(only)
    assert found["runs"][0].run_id == RUN
    assert [o.hook_id for o in found["others"] if isinstance(o, HookRecord)] == [HOOK]
    both = world((path, data), tagged)
    assert [r.status for r in both.runs()] == ["completed"]
    assert both.run(RUN).status == "completed"
    assert "two-copies" in codes(both.receipt)


def test_names_and_ids_that_disagree():
    path, data = step()
    opened = world(run(), (path, data.replace(STEP.encode(), b"step_other")), (f"runs/{OTHER}.json", b"{}"))
    found = drain(opened)
    assert found["steps"][0].step_id == STEP
    assert {"name-mismatch", "missing-id"} <= set(codes(opened.receipt))


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "torn-file"),
        (b"[1]", "not-a-record"),
        (b"3", "not-a-record"),
        (b"{", "torn-file"),
        (b"\0", "torn-file"),
    ],
)
def test_files_that_are_no_records(data, code):
    path, _ = step()
    opened = world(run(), step("step_01M8NVET2Q1207NWPAG2NV4SK9"), (path, data))
    assert len(list(opened.steps(RUN))) == 1
    assert codes(opened.receipt) == [code]
    assert opened.receipt.skipped[0].where == path
    assert opened.receipt.seen == opened.receipt.parsed + 1


def test_bad_bytes_in_a_text_do_not_cost_the_record():
    path, data = run(status="running", note="café")
    raw = data.replace(b"caf\\u00e9", b"caf\xff\xfe")
    opened = world((path, raw))
    [found] = opened.runs()
    assert found.fields["note"] == "caf��"
    assert codes(opened.receipt) == ["bad-text"]


def test_no_runs_yet():
    empty = world(("version.txt", b"@workflow/world-local@5.1.0"), folders=("runs",))
    assert list(empty.runs()) == []
    assert codes(empty.receipt) == ["no-runs"]
    assert empty.about["versionTxt"] == "@workflow/world-local@5.1.0"


def test_unknown_runs_and_streams():
    opened = world(run())
    for run_id in ("wrun_nope", "", "..", "../runs/x", "x" * 5000, "\udc00", "\ud800"):
        with pytest.raises(NotFound):
            opened.run(run_id)
        with pytest.raises(NotFound):
            opened.events(run_id)
    with pytest.raises(NotFound):
        opened.stream(RUN, "strm_nope")


def test_one_run_of_a_folder(tmp_path):
    folder = corpus.data("crash-in-tool")
    path = sorted((folder / "runs").iterdir())[1]
    opened = open_world(str(path))
    assert [r.run_id for r in opened.runs()] == [path.stem] == [opened.about["onlyRun"]]
    others = sorted((folder / "runs").iterdir())[0].stem
    assert list(opened.events(others))


def test_hooks_waits_and_streams_of_a_recording():
    opened = open_world("sample:approval-hold")
    session, timeout = (list(opened.others(r.run_id)) for r in opened.runs())
    assert [type(o) for o in session if not isinstance(o, MarkRecord)] == [HookRecord] * 3 + [StreamRecord]
    assert not any(o.hidden for o in session if isinstance(o, HookRecord))
    [wait] = [o for o in timeout if isinstance(o, WaitRecord)]
    assert wait.correlation_id.startswith("wait_") and wait.time("resumeAt") is not None


def test_hooks_of_a_run_that_has_ended_are_hidden():
    opened = world(
        run(status="completed"),
        (f"hooks/{HOOK}.json", packed({"hookId": HOOK, "runId": RUN, "createdAt": AT})),
    )
    assert [o.hidden for o in opened.others(RUN) if isinstance(o, HookRecord)] == [True]


def test_strange_files_are_told_and_noise_is_not():
    opened = world(
        run(),
        ("runs/notes.txt", b"x"),
        ("runs/.DS_Store", b"x"),
        (f"runs/{OTHER}.json.tmp.01M8NVET2Q1207NWPAG2NV4SK8", b"{"),
        (f"events/{RUN}/readme.md", b"x"),
        ("events/strange.json", b"{}"),
    )
    drain(opened)
    assert sorted(s.where for s in opened.receipt.skipped) == [
        "events/strange.json",
        f"events/{RUN}/readme.md",
        "runs/notes.txt",
    ]
    assert "temporary-files" in codes(opened.receipt)
    assert not [p for p in opened.receipt.problems if p.severity == "error"]


def test_when_a_file_was_written(tmp_path):
    folder = corpus.scratch("crash-in-tool", tmp_path) / "data"
    opened = open_world(str(folder))
    [first, *_] = opened.runs()
    assert opened.modified_ns(first.origin) == (folder / first.origin).stat().st_mtime_ns
    assert opened.modified_ns("runs/none.json") is None
    assert world(run()).modified_ns(f"runs/{RUN}.json") is None


def test_it_is_a_context():
    with world(run()) as opened:
        assert list(opened.runs())


@pytest.mark.parametrize("name", ["crash-in-tool", "older-0.50.0"])
def test_listing_reads_run_records_only(name):
    """The reason it is fast; how fast: tests/benchmarks/test_world.py."""
    opened = open_world(str(corpus.data(name)))
    runs = list(opened.runs())
    assert opened.receipt.seen <= len(runs) + 1  # and version.txt

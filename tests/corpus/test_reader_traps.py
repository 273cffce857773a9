"""Inputs that broke other readers of such journals: one row each, T1 to T53, and the test that covers it.

``ROWS`` is the table; docs/evidence/reports.md says what each input is and who reported it. A row names tests
of this file by their name and tests elsewhere by their node id, or says why it cannot concern us. Numbers
that are missing were never given. The first three tests keep the table honest: every row has an entry, every
target exists, and no test named after a row is left out.
"""

from __future__ import annotations

import ast
import base64
import errno
import functools
import gzip
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cbor2
import pytest
import zstandard

from eve_replay import open_journal
from eve_replay.codec import KeyRing, Payload, stream_values
from eve_replay.problems import Receipt
from eve_replay.values import JsDate, JsError, Tagged, Undecoded
from eve_replay.views.kit.safe import safe_text
from eve_replay.views.session.attempts import attempt_rows
from eve_replay.worlds.export.entities import Wrap
from eve_replay.worlds.local.opener import LocalWorld, MemoryTree
from eve_replay.worlds.postgres.rows import RowMapper
from eve_replay.worlds.registry import open_world
from tests.support.folders import AT, OTHER, RUN, STEP, codes, drain, event, packed, run, step, world, written
from tests.support.runlog import RunLog
from tests.support.vectors import vector
from tests.unit.cli._run import call

ROOT = Path(__file__).parents[2]
HARD = "tests/unit/views/test_hard_inputs.py"
JUDGED = "tests/unit/guidance/test_user_rows.py"
LOCAL = "tests/unit/worlds/local/test_world.py"
FILES = "tests/unit/worlds/local/test_files.py"
STREAMS = "tests/unit/worlds/local/test_streams.py"
FIND = "tests/unit/worlds/local/test_find.py"
VECTORS = "tests/unit/codec/test_vectors.py"


@dataclass(frozen=True, slots=True)
class Row:
    """One row: what came in, which tests cover it, or why none is needed."""

    input: str
    tests: tuple[str, ...] = ()
    why_not: str = ""


def row(text: str, *tests: str) -> Row:
    return Row(text, tests)


ROWS: dict[str, Row] = {
    "T1": row(
        "events/ and steps/ in folders per run: listed, never nothing with code 0",
        "test_t1_folders_per_run_are_listed",
        "test_t1_nothing_readable_is_never_an_empty_list_with_code_0",
        f"{LOCAL}::test_layouts_of_the_recordings",
    ),
    "T2": row(
        "a typed value whose argument is an index",
        "test_t2_a_date_whose_argument_is_an_index",
        "tests/unit/codec/devalue/test_parse.py::test_forms",
    ),
    "T3": row("a stream reference read without a run id", "test_t3_a_stream_reference_without_a_run_id"),
    "T4": row(
        "records of spec version 8 and beyond: read, with a warning",
        f"{LOCAL}::test_newer_spec_versions_are_read_with_a_warning",
        f"{LOCAL}::test_layouts_of_the_recordings",
    ),
    "T5": row(
        "a run whose error is an object, next to good runs",
        "test_t5_t6_errors_of_every_era_hide_no_run",
        f"{JUDGED}::test_t5_a_failed_run_with_an_error_object_hides_nothing",
    ),
    "T6": row(
        "one field in three eras",
        "test_t5_t6_errors_of_every_era_hide_no_run",
        f"{JUDGED}::test_t6_one_field_in_three_eras",
    ),
    "T7": row(
        "errors of every class as a step's error",
        f"{HARD}::test_t7_t8_errors_of_every_class_are_named",
        "test_t7_whatever_was_thrown_is_named_in_its_attempt",
    ),
    "T8": row(
        "HookConflictError",
        f"{HARD}::test_t7_t8_errors_of_every_class_are_named",
        f"{HARD}::test_t8_a_hook_conflict_keeps_its_own_fields",
    ),
    "T9": row(
        "a custom Error subclass with own fields",
        "test_t9_a_custom_error_class_keeps_its_fields",
        f"{HARD}::test_t9_t13_instances_show_class_and_data",
    ),
    "T10": row("Request and Response", f"{HARD}::test_t10_requests_and_responses"),
    "T11": row(
        "Headers and URLSearchParams with repeated keys",
        f"{HARD}::test_t11_headers_and_search_parameters_keep_repeated_keys",
        f"{VECTORS}::test_vector",
    ),
    "T12": row(
        "Map, Set, Date, RegExp, BigInt, typed arrays, nested",
        f"{HARD}::test_t12_maps_sets_dates_and_typed_arrays_nested",
        f"{VECTORS}::test_vector",
    ),
    "T13": row(
        "a class instance, classId known or not", f"{HARD}::test_t9_t13_instances_show_class_and_data"
    ),
    "T14": row("a step input that carries this", f"{HARD}::test_t14_a_step_input_with_this"),
    "T15": row(
        "zstd and gzip, cut and with bytes behind",
        "test_t15_compressed_payloads_whole_cut_and_trailed",
        "tests/unit/codec/test_envelope.py::test_zstd_tells_whole_truncated_trailing_damaged_and_garbage_apart",
        "tests/unit/codec/test_envelope.py::test_gzip_tells_whole_truncated_trailing_damaged_and_garbage_apart",
    ),
    "T16": row(
        "encr with, without and with a wrong key",
        f"{HARD}::test_t16_encrypted_payloads_say_which_key_is_missing",
        f"{VECTORS}::test_encrypted_payloads_of_a_hosted_world",
    ),
    "T17": row(
        "encp for a reader that has a symmetric key or none",
        "test_t17_a_sealed_payload_and_a_symmetric_key",
        f"{HARD}::test_t17_sealed_payloads_without_a_key",
        f"{VECTORS}::test_vector",
        "tests/unit/worlds/hosted/test_opener.py::test_sealed_payloads_of_the_vendor_open",
    ),
    "T18": row(
        "Postgres: a _cbor column beside its JSON column; a text with a NUL",
        "test_t18_cbor_column_beside_its_json_column",
        "tests/unit/worlds/postgres/test_opener.py::test_column_sets_and_the_upgraded_database_are_told_apart",
    ),
    "T19": row(
        "a step row without its step_created",
        f"{JUDGED}::test_t19_a_step_row_without_its_creation_event",
        "tests/unit/journal/test_attempts.py::test_a_record_without_any_event_is_shown_and_reported",
    ),
    "T20": row(
        "stream rows after the first end marker",
        "test_t20_what_follows_the_end_of_a_stream_does_not_count",
        "tests/unit/codec/test_streams.py::test_end_markers_and_empty_chunks",
        f"{STREAMS}::test_chunks_after_the_end_are_kept_and_told",
    ),
    "T21": row(
        "stream chunks flat and in folders; an empty chunk",
        f"{STREAMS}::test_chunks_come_in_the_order_of_their_names",
        f"{STREAMS}::test_both_layouts_of_one_stream",
        f"{STREAMS}::test_damaged_chunks",
    ),
    "T23": row(
        "a run of spec version 1: JSON without a prefix",
        "test_t23_a_run_of_the_first_version",
        f"{HARD}::test_t23_payloads_of_the_first_version_have_no_prefix",
    ),
    "T24": row(
        "a second step_completed: marked, not counted in status or time",
        f"{JUDGED}::test_t24_a_second_completion_is_marked_and_not_counted",
        f"{LOCAL}::test_second_ends_and_second_writes_are_reported",
        "tests/unit/journal/test_attempts.py::test_a_second_end_is_marked_and_does_not_count",
    ),
    "T26": row(
        "a gap in the slots",
        f"{JUDGED}::test_t26_a_gap_in_the_slots_is_a_gap",
        f"{JUDGED}::test_t26_two_events_in_one_slot",
        f"{LOCAL}::test_gaps_in_the_slots_are_reported",
    ),
    "T27": row(
        "one correlation id in two runs",
        f"{JUDGED}::test_t27_the_same_id_in_two_runs_is_two_steps",
        "tests/unit/journal/test_sessions.py::test_steps_are_found_within_a_run_when_ids_repeat",
        "tests/unit/views/session/test_cursor.py::test_event_ids_repeat_between_runs_and_the_own_run_comes_first",
    ),
    "T28": row(
        "step_started carries the input",
        f"{HARD}::test_t28_an_input_that_only_step_started_carries_is_found",
        "tests/unit/journal/test_attempts.py::test_a_start_without_created_event_is_an_attempt_with_its_input",
    ),
    "T30": row(
        "the time of an event is not createdAt, nor its order",
        "test_t30_when_it_happened_is_shown_beside_when_it_was_written",
        f"{JUDGED}::test_t30_the_time_of_an_event_is_not_its_order",
        "tests/unit/cli/reading/test_events.py::test_events_come_in_slot_order_whatever_their_times",
    ),
    "T33": row(
        "a span without data",
        "test_t33_events_without_any_data_are_listed_and_named",
        f"{HARD}::test_t33_a_step_without_any_data_has_a_row_and_no_bar",
        "tests/unit/checks/test_log.py::test_an_event_about_nothing_is_told",
    ),
    "T34": row(
        "more than one page of events",
        "test_t34_more_events_than_any_page",
        "tests/unit/worlds/hosted/test_opener.py::test_served_records_are_those_of_the_database",
    ),
    "T37": row(
        "a step name with its workflow prefix",
        f"{HARD}::test_t37_step_names_are_short_and_whole_on_demand",
    ),
    "T38": row(
        "step ids of two eve versions in one history",
        f"{JUDGED}::test_t38_steps_of_two_eve_versions_in_one_history",
        f"{HARD}::test_t38_steps_of_two_versions_in_one_history",
    ),
    "T39": row(
        "a record file cut at any byte",
        "test_t39_a_file_cut_at_any_byte_hides_nothing_else",
        "test_t39_a_chunk_cut_at_any_byte",
        f"{FILES}::test_a_half_written_file_is_read_again",
        f"{FILES}::test_a_file_that_stays_torn_is_reported_once",
    ),
    "T40": row(
        "EPERM, EBUSY or EACCES once while reading",
        "test_t40_every_kind_of_file_may_be_busy_once",
        f"{FILES}::test_a_busy_file_is_tried_once_more",
        f"{FILES}::test_a_busy_folder_is_tried_once_more",
    ),
    "T41": row(
        "no data folder; D:\\ paths",
        f"{FIND}::test_a_project_that_never_ran",
        f"{FIND}::test_what_does_not_exist",
        f"{FIND}::test_windows_paths",
    ),
    "T42": row(
        "tagged files",
        "test_t42_every_kind_of_file_may_be_tagged",
        f"{LOCAL}::test_tagged_files",
        f"{STREAMS}::test_tagged_chunks",
    ),
    "T43": row(
        "an expired run: listed, payloads gone",
        f"{JUDGED}::test_t43_a_purged_run_is_listed_and_told_as_such",
        f"{STREAMS}::test_a_purged_stream_is_one_end_marker",
    ),
    "T46": row(
        "an option that is parsed and dropped; a limit that is accepted and then fails",
        "test_t46_options_are_obeyed_or_refused",
        "tests/unit/cli/reading/test_runs.py::test_filters_are_obeyed",
        "tests/unit/cli/reading/test_events.py::test_filters",
    ),
    "T48": row(
        "two effects, one start",
        f"{JUDGED}::test_t48_more_effects_than_starts",
        "tests/unit/journal/ledger/test_model.py::test_more_effects_than_starts_is_flagged",
    ),
    "T49": row(
        "two starts of one step that overlap",
        f"{JUDGED}::test_t49_two_starts_at_once",
        "tests/unit/journal/test_stream_join.py::test_two_bodies_at_once_are_seen_by_what_is_said_twice",
    ),
    "T52": row(
        "CORRUPTED_EVENT_LOG names an event",
        f"{JUDGED}::test_t52_a_corrupted_log_leads_to_the_event_it_names",
        f"{JUDGED}::test_t52_an_event_that_is_not_there_is_said_to_be_missing",
        "tests/tui/test_verdicts.py::test_from_a_verdict_to_its_evidence",
    ),
    "T53": row(
        "our own export opens again, decoded and raw",
        "tests/unit/worlds/export/test_dump.py::test_a_dump_reads_back_as_it_was",
        "tests/unit/worlds/bundle/test_opener.py::test_every_recording_comes_back_byte_for_byte",
        "tests/unit/worlds/bundle/test_opener.py::test_what_is_decoded_is_the_same_and_so_is_the_story",
    ),
}
GIVEN = (*range(1, 22), 23, 24, 26, 27, 28, 30, 33, 34, *range(37, 44), 46, 48, 49, 52, 53)


# --- the table itself ------------------------------------------------------------------------------


@functools.cache
def names_in(path: Path) -> frozenset[str]:
    """Return the names of the test functions of a file, without importing it."""
    tree = ast.parse(path.read_text("utf-8"))
    found = (node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))
    return frozenset(name for name in found if name.startswith("test_"))


def place(target: str) -> tuple[Path, str]:
    path, _, name = target.rpartition("::")
    return (ROOT / path if path else Path(__file__)), name


def test_every_row_has_an_entry():
    assert list(ROWS) == [f"T{number}" for number in GIVEN]
    page = (ROOT / "docs" / "evidence" / "reports.md").read_text("utf-8")
    assert re.findall(r"^## (T\d+)$", page, re.MULTILINE) == list(ROWS)


@pytest.mark.parametrize("number", ROWS)
def test_every_target_exists(number):
    entry = ROWS[number]
    assert entry.input and bool(entry.tests) != bool(entry.why_not)
    for target in entry.tests:
        path, name = place(target)
        assert path.is_file(), f"{number}: there is no {target}"
        assert name in names_in(path), f"{number}: there is no {target}"


@pytest.mark.parametrize("file", [Path(__file__), ROOT / HARD, ROOT / JUDGED], ids=lambda path: path.name)
def test_no_test_of_a_row_is_left_out(file):
    for name in names_in(file):
        for number in re.findall(r"_t(\d+)(?=_)", name):
            assert (file, name) in {place(target) for target in ROWS[f"T{number}"].tests}, name


# --- rows that are covered here --------------------------------------------------------------------


def stored(raw: bytes) -> dict[str, str]:
    """Return a payload as record files hold it."""
    return {"__type": "Uint8Array", "data": base64.b64encode(raw).decode()}


def devl(text: str) -> bytes:
    return b"devl" + text.encode()


def number_of(index: int) -> str:
    return f"{STEP[:-2]}{index:02d}"


def many_steps(*payloads: bytes) -> tuple[tuple[str, bytes], ...]:
    """Return a run with one completed step per output."""
    return (
        run(),
        *(step(number_of(i), output=stored(raw)) for i, raw in enumerate(payloads)),
    )


def test_t1_folders_per_run_are_listed(capsys, tmp_path):
    log = [event(n, kind) for n, kind in enumerate(("run_created", "run_started", "run_completed"), 1)]
    folder = written(
        tmp_path / ".workflow-data", run(), *log, step(), run(OTHER), event(1, "run_created", OTHER)
    )
    assert len(call(capsys, "runs", folder, "--json").json["runs"]) == 2
    assert len(call(capsys, "events", folder, RUN, "--json").json["events"]) == 3
    assert len(drain(open_world(str(folder)))["steps"]) == 1


def test_t1_nothing_readable_is_never_an_empty_list_with_code_0(capsys, tmp_path):
    folder = written(tmp_path / ".workflow-data", (run()[0], b"{"), (run(OTHER)[0], b""))
    result = call(capsys, "runs", folder, "--json")
    assert result.code != 0 or result.json["runs"]
    assert result.json["receipt"]["skipped"] and result.json["receipt"]["problems"]
    shown = call(capsys, "runs", folder)
    assert shown.code != 0 and "no complete JSON" in " ".join(shown.err.split())


def test_t2_a_date_whose_argument_is_an_index():
    raw = devl('[[1],{"deadline":2},["Date",3],"2026-12-30T08:54:50.335Z"]')
    wanted = JsDate(1798620890335)
    (value,) = Payload(raw).value
    assert value == {"deadline": wanted}
    assert Payload(raw).at("$[0].deadline") == wanted
    found = drain(world(*many_steps(raw)))["steps"][0]
    assert found.payload("output").value == [{"deadline": wanted}]


@pytest.mark.parametrize(
    "name", ["special-readable-stream-object", "special-readable-stream-bodyinit", "special-writable-stream"]
)
def test_t3_a_stream_reference_without_a_run_id(name):
    payload = Payload(vector(name).raw, run_id="")
    value = payload.decode(strict=True)
    inside = value if isinstance(value, Tagged) else next(iter(value.values()))
    assert isinstance(inside, Tagged) and inside.tag.endswith("Stream")
    found = drain(world(*many_steps(vector(name).raw, devl('["next"]'))))["steps"]
    assert not isinstance(found[0].payload("output").value, Undecoded)
    assert found[1].payload("output").value == "next"


def test_t5_t6_errors_of_every_era_hide_no_run(capsys, tmp_path):
    kinds: dict[str, dict[str, Any]] = {
        "object": {"error": {"message": "old era", "stack": "at x", "code": "USER_ERROR"}},
        "bytes": {
            "error": stored(devl('[["TypeError",1],{"message":2},"new era"]')),
            "errorCode": "USER_ERROR",
        },
        "absent": {},
    }
    ids = {kind: f"{RUN[:-1]}{n}" for n, kind in enumerate(kinds)}
    failed = [run(ids[kind], status="failed", **fields) for kind, fields in kinds.items()]
    logs = [event(1, "run_created", run_id) for run_id in (*ids.values(), OTHER)]
    folder = written(tmp_path / ".workflow-data", *failed, run(OTHER, status="completed"), *logs)
    told = {each["runId"]: each["status"] for each in call(capsys, "runs", folder, "--json").json["runs"]}
    assert told == {**dict.fromkeys(ids.values(), "failed"), OTHER: "completed"}
    with open_journal(str(folder)) as journal:
        errors = {kind: journal.run(run_id).record.payload("error") for kind, run_id in ids.items()}
    assert errors["object"].value["message"] == "old era"
    assert isinstance(errors["bytes"].value, JsError) and errors["bytes"].value.message == "new era"
    assert errors["absent"] is None
    for kind, word in (("object", "old era"), ("bytes", "new era")):
        assert word in call(capsys, "why", folder, ids[kind]).out


@pytest.mark.parametrize(
    ("thrown", "words"),
    [
        ('[["TypeError",1],{"message":2},"no such card"]', "no such card"),
        ('["just words"]', "just words"),
        ("-1", "undefined"),
        ('[{"message":1,"name":2},"like an error","OddError"]', "like an error"),
        (
            '[["Instance",1],{"classId":2,"data":3},"class//./app//PaymentError",{"message":4},"declined"]',
            "declined",
        ),
        ('[["NewKind",1],{"message":2},"of another day"]', "NewKind"),
        ("[{", "bad-json"),
    ],
)
def test_t7_whatever_was_thrown_is_named_in_its_attempt(capsys, tmp_path, thrown, words):
    about = {"correlationId": STEP}
    name = {"stepName": "step//app//charge"}
    log = [
        event(1, "run_created"),
        event(2, "run_started"),
        event(3, "step_created", **about, eventData=name),
        event(4, "step_started", **about, eventData=name),
        event(5, "step_failed", **about, eventData=name | {"error": stored(devl(thrown))}),
    ]
    failed = step(status="failed", error=stored(devl(thrown)))
    folder = written(tmp_path / ".workflow-data", run(), *log, failed)
    with open_journal(str(folder)) as journal:
        (shown,) = attempt_rows(journal.step(STEP))
    assert shown.outcome == "failed" and words in str(shown.error)
    assert words in call(capsys, "attempts", folder).out


def test_t9_a_custom_error_class_keeps_its_fields():
    raw = devl(
        '[["Instance",1],{"classId":2,"data":3},"class//./app//PaymentError",'
        '{"message":4,"code":5,"attempts":6},"card declined","E_CARD",3]'
    )
    value = Payload(raw).decode(strict=True)
    assert value.fields["classId"] == "class//./app//PaymentError"
    assert value.fields["data"] == {"message": "card declined", "code": "E_CARD", "attempts": 3}


def test_t15_compressed_payloads_whole_cut_and_trailed():
    inner = devl('[{"text":1},"' + "many words " * 40 + '"]')
    frames = {
        "zstd": b"zstd" + zstandard.ZstdCompressor().compress(inner),
        "gzip": b"gzip" + gzip.compress(inner, mtime=0),
    }
    for frame in frames.values():
        found = drain(world(*many_steps(frame, frame[:-9], frame + b"more", devl('["next"]'))))["steps"]
        values = [each.payload("output").value for each in found]
        assert values[0]["text"].startswith("many words")
        assert isinstance(values[1], Undecoded) and values[1].reason == "truncated"
        assert values[3] == "next"
        # As the vendor's reader: zstd ignores what follows, gzip refuses it. Both are said.
        assert "trailing" in {problem.code for problem in found[2].payload("output").problems}
        assert isinstance(values[2], Undecoded) == frame.startswith(b"gzip")


def test_t17_a_sealed_payload_and_a_symmetric_key():
    """A key that opens ``encr`` does not open what was sealed for another: said, and nothing else is lost."""
    sealed = vector("crypto-encp-no-key").raw
    for keys, reason in ((None, "missing-key"), (KeyRing(default=bytes(32)), "wrong-key")):
        found = drain(world(*many_steps(sealed, devl('["next"]')), keys=keys))["steps"]
        value = found[0].payload("output").value
        assert isinstance(value, Undecoded) and value.reason == reason
        assert found[0].payload("output").layers == ("encp",)
        assert found[1].payload("output").value == "next"


def test_t18_cbor_column_beside_its_json_column():
    mapper = RowMapper(receipt=Receipt(), wrap=Wrap())
    both = {
        "id": RUN,
        "name": "workflow//./app//order",
        "status": "completed",
        "input": '["old json"]',
        "input_cbor": cbor2.dumps(devl('["a\\u0000b"]')),
        "output": '["only json"]',
        "output_cbor": None,
    }
    fields = mapper.fields("workflow_runs", both)
    assert fields["input"].value == "a\x00b"
    assert fields["output"].value == "only json"
    assert "\x00" not in safe_text(fields["input"].value)


def test_t20_what_follows_the_end_of_a_stream_does_not_count():
    log = RunLog().run("wrun_A", status="completed").stream("wrun_A")
    log.event("run_created", 0).event("run_started", 0).step("step_A", starts=(1,), end=9)
    log.say("turn.started", 2, "turn_0").say("step.started", 3, "turn_0", 0)
    log.say("step.completed", 4, "turn_0", 0)
    last = log.chunks[-1]
    log.chunks.append(replace(last, chunk_id=last.chunk_id[:-1] + "Z", data=b"", end=True))
    log.say("message.completed", 5, "turn_0", 0, message="a ghost", finishReason="stop")
    log.chunks[-1] = replace(log.chunks[-1], chunk_id="chnk_" + "Z" * 26)
    journal = log.journal()
    (only,) = journal.session("wrun_A").steps[0].attempts
    assert [event.type for event in only.stream_events] == ["turn.started", "step.started", "step.completed"]
    assert "after-end" in {problem.code for problem in journal.session("wrun_A").problems}


def test_t23_a_run_of_the_first_version(capsys, tmp_path):
    old = {"specVersion": 1, "input": [[1, 2], 5, "five"], "output": [{"when": 1}, ["Date", 2], AT]}
    folder = written(
        tmp_path / ".workflow-data",
        run(status="completed", **old),
        event(1, "run_created", flat=True, specVersion=1),
        step(flat=True, specVersion=1, input=[{"args": 1}, [2], "x"], output=["ok"]),
    )
    found = drain(open_world(str(folder)))
    assert found["runs"][0].payload("input").value == [5, "five"]
    assert isinstance(found["runs"][0].payload("output").value["when"], JsDate)
    assert found["steps"][0].payload("input").value == {"args": ["x"]}
    assert found["steps"][0].payload("output").value == "ok"
    assert call(capsys, "show", folder, RUN).code == 0


def test_t30_when_it_happened_is_shown_beside_when_it_was_written(capsys, tmp_path):
    log = [
        event(1, "run_created"),
        event(2, "run_started"),
        event(3, "hook_received", correlationId=HOOK, occurredAt="2026-11-30T09:08:59.842Z"),
        event(4, "attr_set", correlationId="attr_1", occurredAt=AT),
    ]
    folder = written(tmp_path / ".workflow-data", run(), *log)
    told = call(capsys, "events", folder, "--json").json["events"]
    assert [each["eventType"] for each in told][2:] == ["hook_received", "attr_set"]
    assert (told[2]["at"], told[2]["occurredAt"]) == (AT, "2026-11-30T09:08:59.842Z")
    assert told[3]["occurredAt"] is None  # the same time
    out = call(capsys, "events", folder, "--utc").out
    assert out.count("happened") == 1 and "happened 30.0 s earlier" in out


@pytest.mark.parametrize("command", ["attempts", "show", "why", "doctor", "events", "turns", "dump", "state"])
def test_t33_events_without_any_data_are_listed_and_named(capsys, tmp_path, command):
    log = [event(1, "run_created"), event(2, "step_started", correlationId=STEP), event(3, "step_completed")]
    folder = written(tmp_path / ".workflow-data", run(), *log)
    result = call(capsys, command, folder)
    assert result.code in (0, 1) and "Traceback" not in result.err
    if command == "attempts":
        assert "unnamed step" in result.out and "running" in result.out
        (told,) = call(capsys, command, folder, "--json").json["steps"]
        assert told["function"] == told["stepName"] == ""
    if command == "doctor":
        assert "The log tells of unnamed step," in " ".join(result.out.split())
        assert "This step_completed does not say what it is about" in " ".join(result.out.split())
    if command == "events":
        assert "3 events" in result.out


def test_t34_more_events_than_any_page(capsys, tmp_path):
    log = [event(1, "run_created"), event(2, "run_started")]
    log += [event(n, "attr_set", eventData={"key": f"k{n}", "value": n}) for n in range(3, 2346)]
    folder = written(tmp_path / ".workflow-data", run(), *log)
    told = call(capsys, "events", folder, RUN, "--json").json["events"]
    assert [each["slot"] for each in told] == list(range(1, 2346))
    assert "2345" in call(capsys, "events", folder, RUN).out.replace(",", "")


@pytest.mark.parametrize("which", ["run", "event", "step"])
def test_t39_a_file_cut_at_any_byte_hides_nothing_else(which):
    cut = {"run": run(OTHER), "event": event(3, "step_created"), "step": step()}[which]
    rest = [run(), event(1, "run_created"), event(2, "run_started"), step(number_of(77))]
    whole = drain(world(*rest))
    for length in range(len(cut[1])):
        opened = world(*rest, (cut[0], cut[1][:length]))
        found = drain(opened)
        assert {r.run_id for r in found["runs"]} >= {RUN}
        assert [e.event_id for e in found["events"]] == [e.event_id for e in whole["events"]]
        assert [s.step_id for s in found["steps"]] == [s.step_id for s in whole["steps"]]
        assert "torn-file" in codes(opened.receipt), length
        assert [skip.where for skip in opened.receipt.skipped] == [cut[0]]


STREAM = f"strm_{RUN[5:]}_user"
HOOK = "hook_01M8NVET2Q9XT7ZZ1AMCAAJ64S"
CHUNK = f"streams/chunks/{STREAM}/chnk_01M8NVETB8JW9GHDXTQZ56P491.bin"
EVERY_KIND = dict(
    (
        run(),
        event(1, "run_created"),
        event(2, "run_started"),
        step(),
        (f"hooks/{HOOK}.json", packed({"hookId": HOOK, "runId": RUN, "token": "t", "createdAt": AT})),
        (f"waits/{RUN}-wait_1.json", packed({"waitId": f"{RUN}-wait_1", "runId": RUN, "resumeAt": AT})),
        (f"streams/runs/{RUN}.json", packed({"streams": [STREAM]})),
        (CHUNK, b"\0" + b"\0\0\0\7devl[1]"),
    )
)


def counts(opened: LocalWorld) -> tuple[int, ...]:
    found = drain(opened)
    chunks = list(opened.stream(RUN, STREAM))
    return (*(len(found[kind]) for kind in ("runs", "events", "steps", "others")), len(chunks))


def test_t39_a_chunk_cut_at_any_byte():
    for length in range(len(EVERY_KIND[CHUNK]) + 1):
        opened = world(*(EVERY_KIND | {CHUNK: EVERY_KIND[CHUNK][:length]}).items())
        assert counts(opened) == (1, 2, 1, 3, 1)
        values = stream_values(opened.stream(RUN, STREAM))
        whole = [item.value for item in values if not isinstance(item.value, Undecoded)]
        assert whole == ([1] if length == len(EVERY_KIND[CHUNK]) else [])
        assert bool(values.problems) == (length < len(EVERY_KIND[CHUNK]))


class Busy(MemoryTree):
    """A folder in which one file is refused the first time it is read."""

    live = True

    def __init__(self, files: dict[str, bytes], path: str, code: int) -> None:
        super().__init__(files)
        self.refusals = {path: OSError(code, "busy")}

    def read(self, path: str, limit: int) -> bytes:
        if path in self.refusals:
            raise self.refusals.pop(path)
        return super().read(path, limit)


@pytest.mark.parametrize("path", EVERY_KIND)
@pytest.mark.parametrize("code", [errno.EPERM, errno.EBUSY, errno.EACCES])
def test_t40_every_kind_of_file_may_be_busy_once(path, code):
    opened = LocalWorld(Busy(EVERY_KIND, path, code))
    assert counts(opened) == (1, 2, 1, 3, 1)
    assert codes(opened.receipt) == []


def test_t42_every_kind_of_file_may_be_tagged():
    tagged = {re.sub(r"\.(json|bin)$", r".vitest-3.\1", path): held for path, held in EVERY_KIND.items()}
    opened = world(*tagged.items())
    assert counts(opened) == counts(world(*EVERY_KIND.items())) == (1, 2, 1, 3, 1)
    assert [found.event_id for found in opened.events(RUN)] == [f"evnt_{slot:026d}" for slot in (1, 2)]
    assert [found.step_id for found in opened.steps(RUN)] == [STEP]
    assert codes(opened.receipt) == []


@pytest.mark.parametrize("last", [1, 100, 101, 999, 1000, 100_000])
def test_t46_options_are_obeyed_or_refused(capsys, tmp_path, last):
    ids = [f"{RUN[:-3]}{n:03d}" for n in range(130)]
    folder = written(tmp_path / ".workflow-data", *(run(each) for each in ids))
    told = call(capsys, "runs", folder, "--last", last, "--json")
    assert told.code == 0 and len(told.json["runs"]) == min(last, 130)
    assert call(capsys, "runs", folder, "--hookId", "hook_1").code == 2
    assert call(capsys, "runs", folder, "--last", 0).code == 2

"""Inputs that broke other readers (docs/evidence/reports.md, display), and what our views show.

Each is put into a journal as a step's payload and read through the same views that the front ends draw.
"""

import dataclasses
import json

import pytest

from eve_replay.codec import KeyRing, Payload
from eve_replay.diff import diff_values, json_patch
from eve_replay.journal import Session
from eve_replay.records import EventRecord, StepRecord
from eve_replay.redaction.veil import unveiled
from eve_replay.values import Undecoded
from eve_replay.views.diffs.steps import step_diff_view
from eve_replay.views.inspect.value import value_lines, value_rows
from eve_replay.views.kit.base import step_key
from eve_replay.views.kit.text import plain
from eve_replay.views.session.attempts import attempt_rows
from eve_replay.views.session.explorer import Explorer
from tests.support.runlog import RunLog
from tests.support.vectors import vectors

RUN = "wrun_01AAAAAAAAAAAAAAAAAAAAAAAA"
STEP = "step_01AAAAAAAAAAAAAAAAAAAAAAAA"
NAME = "step//./workflows/orders//charge"
VECTORS = {vector.id: vector for vector in vectors()}


def payload(name, **options):
    found = next(v for v in vectors() if v.name == name)
    return Payload(found.raw, **options)


def session_with(input_=None, output=None, error=None, *, failed=False) -> Session:
    log = RunLog().run(RUN, "workflow//./workflows/orders//order")
    log.step(STEP, NAME, starts=(1,), end=2, failed=failed)
    fields = {k: v for k, v in (("input", input_), ("output", output), ("error", error)) if v is not None}
    log.steps[-1] = StepRecord({**log.steps[-1].fields, **fields})
    name = "error" if failed else "result"
    last = dict(log.events[-1].fields)
    last["eventData"] = {
        **last.get("eventData", {}),
        **({name: error if failed else output} if (error or output) else {}),
    }
    log.events[-1] = EventRecord(last)
    return log.journal().session(RUN)


def shown(session, tab="input"):
    view = Explorer(session)
    key = step_key(RUN, STEP)
    opened = view.inspector.tab(key, tab)
    json.dumps(opened.to_json())
    text = plain(value_lines(value_rows(opened.body.root.value, budget=400), width=120))
    assert all(line.isprintable() for line in text.split("\n"))
    return text + ("\n" + opened.note if opened.note else "")


@pytest.mark.parametrize("id_", VECTORS)
def test_every_vector_can_be_shown_compared_and_searched(id_):
    vector = VECTORS[id_]
    keys = None
    if vector.key is not None:
        from eve_replay.codec import parse_key

        keys = KeyRing(default=parse_key(vector.key))
    made = Payload(vector.raw, keys=keys, limit=1 << 22)
    view = Explorer(session_with(input_=made, output=made))
    for tab in ("input", "output", "raw", "events", "effects", "evidence"):
        opened = view.inspector.tab(step_key(RUN, STEP), tab)
        assert opened.body or opened.note
    value = made.value
    change = diff_values({"v": value}, {"v": [value, "another"]})
    assert not change.is_same
    if not id_.startswith(("container-deep", "malformed-sparse", "container-huge", "primitive-long")):
        json_patch({"v": value}, {"v": [value]})


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("error-fatal", "FatalError"),
        ("error-retryable", "RetryableError"),
        ("error-typeerror", "TypeError"),
        ("error-aggregate-empty-with-cause", "AggregateError: none"),
        ("error-domexception", "DOMException"),
        ("error-hookconflict", "HookConflictError"),
    ],
)
def test_t7_t8_errors_of_every_class_are_named(name, wanted):
    assert any(vector.name == name for vector in vectors())
    session = session_with(error=payload(name), failed=True)
    value = payload(name).value
    text = shown(session, "output")
    assert "This is the recorded error." in text
    assert wanted.split(":")[0] in f"{value.kind} {value.name} {text}"
    (row,) = attempt_rows(session.steps[0])
    assert row.outcome == "failed"
    assert row.error


def test_t8_a_hook_conflict_keeps_its_own_fields():
    text = shown(session_with(error=payload("error-hookconflict"), failed=True), "output")
    assert "tok:1" in text
    assert "conflictingRunId: " in text


def test_t9_t13_instances_show_class_and_data():
    text = shown(session_with(input_=payload("special-class-instance")))
    assert "class//./src/money.ts//Money" in text
    assert "10n" in text
    assert "EUR" in text
    raw = b'devl[["Instance",1],{"classId":2,"data":3},"class//nobody//Knows",{"amount":4},5]'
    text = shown(session_with(input_=Payload(raw)))
    assert "class//nobody//Knows" in text
    assert "amount: 5" in text


def test_t10_requests_and_responses():
    text = shown(session_with(input_=payload("special-request")))
    assert "Request" in text
    assert "https://example.com/a?b=1" in text
    assert "Response" in shown(session_with(input_=payload("special-response-empty")))


def test_t11_headers_and_search_parameters_keep_repeated_keys():
    text = shown(session_with(input_=payload("builtin-headers")))
    assert text.count("set-cookie") == 2
    assert "a=1&b=+&a=2" in shown(session_with(input_=payload("builtin-urlsearchparams")))


def test_t12_maps_sets_dates_and_typed_arrays_nested():
    text = shown(session_with(input_=payload("container-map-in-set-in-map")))
    assert "Map" in text
    assert "Set" in text
    assert "Float64Array" in shown(session_with(input_=payload("builtin-typed-float64")))
    assert "-0" in shown(session_with(input_=payload("primitive-minus-zero")))


def test_t14_a_step_input_with_this():
    raw = b'devl[{"args":1,"closureVars":2,"thisVal":3},[],-1,{"shop":4},"Oslo"]'
    text = shown(session_with(input_=Payload(raw)))
    assert "thisVal" in text
    assert "Oslo" in text


def test_t16_encrypted_payloads_say_which_key_is_missing():
    found = next(v for v in vectors() if v.name == "crypto-encr")
    from eve_replay.codec import parse_key

    assert "undecoded: missing-key" in shown(session_with(input_=Payload(found.raw)))
    wrong = KeyRing(default=bytes(32))
    assert "undecoded: wrong-key" in shown(session_with(input_=Payload(found.raw, keys=wrong)))
    right = KeyRing(default=parse_key(found.key))
    with unveiled():  # its field is called "secret"
        assert "value 😀" in shown(session_with(input_=Payload(found.raw, keys=right)))


def test_t17_sealed_payloads_without_a_key():
    text = shown(session_with(input_=payload("crypto-encp-no-key")))
    assert "undecoded: " in text
    view = Explorer(session_with(input_=payload("crypto-encp-no-key")))
    (raw, *_) = view.inspector.tab(step_key(RUN, STEP), "raw").body
    assert raw.layers[0] == "encp"
    assert raw.problems


def test_t23_payloads_of_the_first_version_have_no_prefix():
    session = session_with(input_=payload("legacy-object"))
    assert "2026-01-01T00:00:00.000Z" in shown(session)
    (raw, *_) = Explorer(session).inspector.tab(step_key(RUN, STEP), "raw").body
    assert raw.layers == ("legacy",)


def test_t28_an_input_that_only_step_started_carries_is_found():
    log = RunLog().run(RUN, "workflow//./workflows/orders//order")
    log.event("step_started", 1, STEP, stepName=NAME, input={"args": [42]})
    log.event("step_completed", 2, STEP, stepName=NAME, result="ok")
    assert "42" in shown(log.journal().session(RUN))


def test_t33_a_step_without_any_data_has_a_row_and_no_bar():
    log = RunLog().run(RUN, "workflow//./workflows/orders//order")
    log.record(STEP, NAME, status="pending")
    session = log.journal().session(RUN)
    view = Explorer(session)
    assert [row.label for row in view.tree.rows if row.kind == "step"] == ["step 1 charge"]
    for row in view.timeline.rows:
        assert not row.bars
    for tab in view.inspector.tabs(step_key(RUN, STEP)):
        opened = view.inspector.tab(step_key(RUN, STEP), tab.name)
        assert opened.body or opened.note


def test_t37_step_names_are_short_and_whole_on_demand():
    log = RunLog().run(RUN).step(STEP, "step//eve@0.80.1//turnStep", starts=(1,), end=2)
    session = log.journal().session(RUN)
    view = Explorer(session)
    (row,) = [row for row in view.tree.rows if row.kind == "step"]
    assert row.label == "step 1 turnStep"
    assert session.steps[0].name.full == "step//eve@0.80.1//turnStep"


def test_t38_steps_of_two_versions_in_one_history():
    log = RunLog().run(RUN).step(STEP, "step//eve@0.79.0//turnStep", starts=(1,), end=2)
    log.step(STEP[:-1] + "B", "step//eve@0.80.1//turnStep", starts=(3,), end=4)
    one, two = log.journal().session(RUN).steps
    facts = {fact.name: (fact.before, fact.after) for fact in step_diff_view(one, two).facts}
    assert facts["version"] == ("0.79.0", "0.80.1")
    assert facts["function"] == ("turnStep", "turnStep")


def test_an_undecoded_payload_never_hides_the_rest():
    session = session_with(input_=Payload(b"devl[{"), output=Payload(b'devl["fine"]'))
    assert "undecoded" in shown(session)
    assert "fine" in shown(session, "output")
    step = session.steps[0]
    assert isinstance(step.input.value, Undecoded)
    other = dataclasses.replace(step, input=Payload(b'devl["now"]'))
    view = step_diff_view(step, other)
    assert view.input.unknown == 1
    assert view.input.summary == "1 unknown"

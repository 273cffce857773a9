"""Spans of real recordings: a tree whose marks are the judge's, in forms that other tools read."""

import json
from collections import Counter

import pytest

import eve_replay as er
from eve_replay.exports.chrome import chrome_trace
from eve_replay.exports.otlp import otlp_trace
from eve_replay.exports.spans import session_spans
from tests.support.corpus import data, names

RECORDINGS = [
    "crash-in-tool",
    "batch-crash",
    "approval-hold",
    "subagent",
    "workflow-tool",
    "attempts-exhausted-kill",
]
RECORDINGS = [name for name in RECORDINGS if name in names()]


@pytest.fixture(params=RECORDINGS)
def sessions(request):
    return list(er.open_journal(data(request.param)).sessions)


def test_spans_are_a_tree(sessions):
    for session in sessions:
        spans = session_spans(session)
        keys = [span.key for span in spans]
        assert len(set(keys)) == len(keys)
        seen = {""}
        for span in spans:
            assert span.parent in seen, "parents come before their children"
            assert span.start <= span.end
            assert not span.link or span.link in keys
            seen.add(span.key)


def test_every_attempt_is_a_span_and_a_rerun_is_linked():
    [session] = er.open_journal(data("crash-in-tool")).sessions
    spans = session_spans(session)
    attempts = [span for span in spans if span.kind == "attempt"]
    assert len(attempts) == sum(len(step.attempts) for step in session.steps)
    [again] = [span for span in attempts if span.link]
    assert again.attributes["eve_replay.again"] is True
    first = next(span for span in attempts if span.key == again.link)
    assert first.open and first.message == "interrupted" and first.status == "unset"
    charges = [span for span in spans if span.attributes.get("gen_ai.tool.name") == "charge_card"]
    assert [span.open for span in charges] == [True, False]
    assert all(span.attributes["eve_replay.effect.harmful"] for span in charges)


def test_no_value_of_a_payload_is_given_away():
    [session] = er.open_journal(data("crash-in-tool")).sessions
    pair = [(session.id, session_spans(session))]
    for document in (chrome_trace(pair), otlp_trace(pair)):
        text = json.dumps(document)
        assert "charge_card" in text
        assert "cus_42" not in text and "cents" not in text


def test_slices_of_a_track_lie_inside_each_other(sessions):
    """Complete events of one thread that overlap partly are drawn wrongly by every viewer."""
    document = chrome_trace((session.id, session_spans(session)) for session in sessions)
    tracks = {}
    for event in document["traceEvents"]:
        if event["ph"] == "X":
            tracks.setdefault((event["pid"], event["tid"]), []).append(
                (event["ts"], event["ts"] + event["dur"])
            )
    assert tracks
    for slices in tracks.values():
        stack = []
        for start, end in slices:
            while stack and stack[-1] <= start:
                stack.pop()
            # A slice of no length is drawn a microsecond wide, and may stand out by that.
            assert not stack or end <= stack[-1] + 1
            stack.append(end)


def test_arrows_lead_from_an_attempt_to_its_rerun():
    [session] = er.open_journal(data("crash-in-tool")).sessions
    events = chrome_trace([(session.id, session_spans(session))])["traceEvents"]
    assert Counter(event["ph"] for event in events if event["ph"] in "sf") == {"s": 1, "f": 1}


def test_otlp_is_what_a_collector_takes(sessions):
    trace = pytest.importorskip("opentelemetry.proto.collector.trace.v1.trace_service_pb2")
    from google.protobuf import json_format

    document = otlp_trace((session.id, session_spans(session)) for session in sessions)
    message = json_format.ParseDict(
        document, trace.ExportTraceServiceRequest()
    )  # unknown fields are an error
    spans = message.resource_spans[0].scope_spans[0].spans
    raw = document["resourceSpans"][0]["scopeSpans"][0]["spans"]
    assert len(spans) == len(raw) > 0
    ids = {span["spanId"] for span in raw}
    assert len(ids) == len(raw)
    for span in raw:
        assert len(span["traceId"]) == 32 and len(span["spanId"]) == 16
        assert span.get("parentSpanId", next(iter(ids))) in ids
        assert int(span["startTimeUnixNano"]) <= int(span["endTimeUnixNano"])


def test_the_same_journal_is_the_same_trace():
    def once():
        [session] = er.open_journal(data("crash-in-tool")).sessions
        return json.dumps(otlp_trace([(session.id, session_spans(session))]))

    assert once() == once()

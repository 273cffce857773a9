"""How fast payloads are decoded: whole sessions, one field of a big payload, streams, canonical JSON.

Times are recorded. What is asserted are ratios on one machine in one process, which its load does not
change much. The vendor's decoder side by side: ``test_world.py``.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
import zstandard

from eve_replay.codec import Payload, dumps_tagged, open_envelope, parse_record, session_events, stream_values
from eve_replay.codec.devalue.document import decode_devalue
from eve_replay.values import from_tagged, preview, same, to_tagged
from tests.benchmarks.test_world import vendor
from tests.support import corpus
from tests.support.devalue import payload_bytes

ROOT = Path(__file__).parents[2]

STEPS = """
import sys
from eve_replay import open_world
world = open_world(sys.argv[1])
count = 0
for run in world.runs():
    for step in world.steps(run.run_id):
        for name in ("input", "output"):
            payload = step.payload(name)
            if payload is not None:
                payload.value
                count += 1
print(count)
"""


def best(ask, rounds=7):
    """Return the shortest time of a few, in seconds."""
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        ask()
        times.append(time.perf_counter() - started)
    return min(times)


@pytest.fixture(scope="module")
def payloads():
    """All step payloads of the long session, as stored."""
    folder = corpus.data("long-session") / "steps"
    records = [
        parse_record(p.read_bytes(), ("input", "output", "error")).fields for p in folder.rglob("*.json")
    ]
    return [
        r[name].raw
        for r in records
        for name in ("input", "output", "error")
        if isinstance(r.get(name), Payload)
    ]


def session(messages, words):
    """A turn step's input: a long history between what stands before and after it."""
    text = "the customer asked for it twice and was charged once "
    return {
        "args": [
            {
                "serializedContext": {"eve.channel": {"kind": "http"}, "eve.sessionId": "wrun_1"},
                "history": [
                    {
                        "role": "assistant" if i % 2 else "user",
                        "content": [
                            {"type": "text", "text": f"{i}: {text * words}"},
                            {"type": "tool-call", "toolCallId": f"call_{i}", "input": {"cents": i}},
                        ],
                    }
                    for i in range(messages)
                ],
                "sessionState": {"sequence": messages},
            }
        ]
    }


#: Two shapes of 2 MB: many small messages (parsing weighs), few long ones (decompression weighs).
SHAPES = {"small messages": (10_000, 1), "long messages": (600, 60)}


@pytest.fixture(scope="module", params=sorted(SHAPES))
def two_megabytes(request):
    text = payload_bytes(session(*SHAPES[request.param]))
    assert 1.9e6 < len(text) < 2.6e6
    return b"zstd" + zstandard.ZstdCompressor(level=3).compress(text)


def test_all_step_payloads_of_a_long_session(benchmark, payloads):
    texts = [open_envelope(raw).text for raw in payloads]
    benchmark.extra_info["payloads"] = len(payloads)
    benchmark.extra_info["text MB"] = round(sum(map(len, texts)) / 1e6, 1)

    def decode():
        for raw in payloads:
            decode_devalue(open_envelope(raw).text)

    benchmark.pedantic(decode, rounds=3, iterations=1)


@pytest.mark.vendor
def test_the_same_as_a_whole_process_next_to_the_vendor(benchmark, tmp_path):
    """From start to finish, as a person waits for it: start, import, read, decode. Recorded."""
    folder = corpus.data("long-session")
    theirs = vendor("steps", corpus.scratch("long-session", tmp_path) / "data")
    env = os.environ | {"PYTHONPATH": str(ROOT)}

    def ours():
        command = [sys.executable, "-c", STEPS, str(folder)]
        return subprocess.run(command, capture_output=True, text=True, check=True, env=env).stdout

    assert int(benchmark.pedantic(ours, rounds=3, iterations=1)) == theirs["count"]
    benchmark.extra_info["vendor"] = round(theirs["import"] + theirs["work"], 3)


def test_one_field_of_two_megabytes(benchmark, two_megabytes):
    """At least ten times faster than the whole: the front of the text is enough."""
    path = "$.args[0].history[3].content[0].text"
    whole = best(lambda: Payload(two_megabytes).value)
    field = best(lambda: Payload(two_megabytes).at(path))
    benchmark.extra_info["times faster"] = round(whole / field, 1)
    benchmark.extra_info["whole ms"] = round(whole * 1000, 1)
    assert benchmark(lambda: Payload(two_megabytes).at(path)).startswith("3: the customer")
    assert whole / field >= 10


def test_a_second_field_costs_next_to_nothing(benchmark, two_megabytes):
    payload = Payload(two_megabytes)
    assert payload.at("$.args[0].history[3].role") == "assistant"
    assert benchmark(lambda: payload.at("$.args[0].history[4].role")) == "user"


def test_the_last_field_of_two_megabytes(benchmark, two_megabytes):
    """What no front reaches: parsed as a whole, not hydrated. Recorded."""
    whole = best(lambda: Payload(two_megabytes).value)
    field = best(lambda: Payload(two_megabytes).at("$.args[0].sessionState.sequence"))
    benchmark.extra_info["times faster"] = round(whole / field, 1)
    benchmark.pedantic(
        lambda: Payload(two_megabytes).at("$.args[0].sessionState.sequence"), rounds=3, iterations=1
    )


def test_a_payload_costs_nothing_until_it_is_asked(benchmark, two_megabytes):
    assert benchmark(lambda: Payload(two_megabytes).size) == len(two_megabytes)
    assert best(lambda: Payload(two_megabytes).size) < best(lambda: Payload(two_megabytes).value) / 100


def test_canonical_json_of_a_long_session(benchmark, payloads):
    values = [Payload(raw).value for raw in payloads[::8]]
    benchmark.pedantic(lambda: [dumps_tagged(to_tagged(v)) for v in values], rounds=2, iterations=1)


def test_indented_json(benchmark, payloads):
    tagged = [Payload(raw).tagged() for raw in payloads[::40]]
    benchmark.pedantic(lambda: [dumps_tagged(t, indent=2) for t in tagged], rounds=2, iterations=1)


def test_events_of_a_session_stream(benchmark):
    folder = corpus.data("long-session") / "streams" / "chunks"
    chunks = {
        stream.name: [data[1:] for p in sorted(stream.iterdir()) if (data := p.read_bytes())[0] == 0]
        for stream in folder.iterdir()
    }
    name = max(chunks, key=lambda stream: len(chunks[stream]))
    events = benchmark.pedantic(lambda: session_events(chunks[name]), rounds=3, iterations=1)
    assert len(events) >= len(chunks[name]) > 1000 and not events.problems
    assert len(stream_values(chunks[name])) == len(chunks[name])


def test_depth_costs_what_size_costs(benchmark):
    """20,000 levels through every function, linear: half the depth takes half the time, not a quarter."""

    def through(levels):
        value = "leaf"
        for _ in range(levels):
            value = [value]
        payload = Payload(payload_bytes(value))
        decoded = payload.value
        tagged = to_tagged(decoded)
        assert same(from_tagged(tagged), decoded)
        return len(dumps_tagged(tagged)) + len(preview(decoded))

    half, full = best(lambda: through(10_000), 3), best(lambda: through(20_000), 3)
    assert full < half * 6
    benchmark.pedantic(lambda: through(20_000), rounds=1, iterations=1)

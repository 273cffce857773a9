"""Random documents, read by the vendor's decoder and by ours. Needs node and EVE_PACKAGE, else skipped."""

import base64
import json
import os
import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from eve_replay.codec import Payload
from eve_replay.values import UNDEFINED, BigInt, JsBytes, JsDate, JsError, JsMap, JsSet, Tagged, Url
from tests.support.devalue import payload_bytes

SCRIPT = Path(__file__).parents[2] / "support" / "vendor_decode.mjs"
COUNT = int(os.environ.get("EVE_REPLAY_DOCUMENTS", "3000"))

TYPES = [
    "Map",
    "Set",
    "Date",
    "null",
    "Object",
    "BigInt",
    "Error",
    "TypeError",
    "AggregateError",
    "Zebra",
    "DataView",
    "ArrayBuffer",
    "Headers",
    "URL",
    "URLSearchParams",
    "RegExp",
    "Uint8Array",
    "Int16Array",
    "DataViewBytes",
    "Float16Array",
    "Instance",
    "StepFunction",
    "Request",
    "toString",
    "RetryableError",
    "DOMException",
]
#: Entries that are not in the form in which the Workflow SDK writes them.
OWN = re.compile(r'\["(?:Set|Map)"(?:, [^],]+)*\]|\["\w+Array", [^],]+, ')
TEXTS = [
    "a",
    "b",
    "name",
    "message",
    "stack",
    "cause",
    "source",
    "flags",
    "g",
    "1",
    "-5",
    "AQID",
    "AQIDBA==",
    ".",
    "",
    "2026-01-01T00:00:00.000Z",
    "https://a.b/c",
    "a=1&b=2",
    "__proto__",
    "$type",
    "é",
    "12",
    "(",
    "[a-z]+",
    "x-a",
]


def vendor(payloads):
    """Return what the vendor's decoder says of each payload."""
    node, package = os.environ.get("NODE") or shutil.which("node"), os.environ.get("EVE_PACKAGE")
    if not node or not package:
        pytest.skip("needs node on the PATH and EVE_PACKAGE")
    lines = "\n".join(base64.b64encode(raw).decode() for raw in payloads)
    result = subprocess.run(
        [node, SCRIPT], input=lines, capture_output=True, text=True, check=False, timeout=120
    )
    if result.returncode:
        pytest.skip(f"the vendor's decoder does not run here: {result.stderr.strip()[-200:]}")
    return [json.loads(line) for line in result.stdout.split("\n")]


def reference(pick, count):
    chance = pick.random()
    if chance < 0.85:
        return pick.randrange(count)
    if chance < 0.97:
        return pick.choice([-1, -2, -3, -4, -5, -6, -7, -8])
    return pick.choice([count, count + 3, "0", None, True, 1.5, [0], {"a": 0}])


def entry(pick, count):
    """Return a random entry: a scalar, an object, an array, sparse or typed; often not quite right."""

    def refs(most):
        return [reference(pick, count) for _ in range(pick.randint(0, most))]

    chance = pick.random()
    if chance < 0.3:
        numbers = [0.5, 1e21, -0.0, 2.0**53, 3.0, pick.randint(-9, 14)]
        return pick.choice([pick.choice(TEXTS), pick.choice(numbers), True, False, None])
    if chance < 0.5:
        return {pick.choice(TEXTS): ref for ref in refs(4)}
    if chance < 0.7:
        return refs(4)
    if chance < 0.75:
        slots = pick.sample(range(7), 2)
        return [
            -7,
            pick.randint(0, 6),
            *[x for slot, ref in zip(slots, refs(2), strict=False) for x in (slot, ref)],
        ]
    name = pick.choice(TYPES)
    if name == "null":
        return [
            name,
            *[x for key, ref in zip(pick.sample(TEXTS, 2), refs(2), strict=False) for x in (key, ref)],
        ]
    if pick.random() < 0.85:
        return [name, reference(pick, count)]
    inline = pick.choice([pick.choice(TEXTS), refs(1), {"a": reference(pick, count)}])
    return [name, inline, pick.randint(0, 3), pick.randint(0, 3)][: pick.randint(1, 4)]


def named_difference(payload, theirs):
    """Return why the two may differ, None when they may not."""
    codes = {problem.code for problem in payload.problems}
    ours = json.dumps(payload.tagged())
    if '"cycle"' in ours:
        return "a cycle through a typed value: the vendor loses it or fails, we keep it"
    if "proto-key" in codes:
        return "a property __proto__: the vendor refuses it, we show it"
    if OWN.search(payload.raw.decode()):
        return "devalue's own form of a Set, a Map or a part of a buffer, which the vendor's SDK never writes"
    if "e" in theirs:
        return "its payload has a bad part that is not needed" if '"RegExp"' in payload.raw.decode() else None
    if "invalid-input" in codes:
        return "a payload of the wrong type: the vendor takes what JS makes of it, we say so"
    return "a note says so" if codes & {"unreadable-date", "builtin-regexp"} else None


@pytest.mark.vendor
def test_any_document_is_read_as_the_vendor_does_or_named():
    pick = random.Random(1)
    documents = []
    for _ in range(COUNT):
        count = pick.randint(1, 12)
        text = json.dumps([entry(pick, count) for _ in range(count)])
        documents.append(b"devl" + text.encode())
    agreed = 0
    for raw, theirs in zip(documents, vendor(documents), strict=True):
        payload = Payload(raw)
        if ("e" in theirs and payload.undecoded is not None) or payload.tagged() == theirs.get("v", payload):
            agreed += 1
        else:
            assert named_difference(payload, theirs), (raw, theirs, payload.tagged())
    assert agreed > COUNT * 0.85


def value(pick, depth=0):
    """Return a random value as a step might give it."""

    def inside():
        return value(pick, depth + 1)

    scalars = [
        lambda: pick.choice([None, True, False, 0, 1.5, -0.0, float("nan"), float("-inf"), UNDEFINED]),
        lambda: pick.choice(["", "text", "é😀", "\u2028<script>", "devl", "__proto__", "-1"]),
        lambda: pick.randint(-(2**53), 2**53),
        lambda: BigInt(pick.randint(-(10**30), 10**30)),
        lambda: JsDate(pick.choice([None, 0, pick.randint(-(864 * 10**13), 864 * 10**13)])),
        lambda: JsBytes("Uint16Array", bytes(pick.randrange(256) for _ in range(2 * pick.randint(0, 5)))),
        lambda: Url("https://example.com/?a=1"),
    ]
    containers = [
        lambda: [inside() for _ in range(pick.randint(0, 4))],
        lambda: {
            pick.choice(["a", "b", "$type", "odd key", "7"]): inside() for _ in range(pick.randint(0, 4))
        },
        lambda: JsMap([(inside(), inside()) for _ in range(pick.randint(0, 3))]),
        lambda: JsSet([inside() for _ in range(pick.randint(0, 3))]),
        lambda: JsError("TypeError", message="m", cause=inside()),
        lambda: Tagged("Instance", {"classId": "class//x", "data": inside()}),
    ]
    return pick.choice(scalars if depth > 4 or pick.random() < 0.4 else containers)()


@pytest.mark.vendor
def test_what_a_step_may_give_is_read_the_same():
    pick = random.Random(2)
    payloads = [Payload(payload_bytes(value(pick))) for _ in range(COUNT // 3)]
    for payload, theirs in zip(payloads, vendor([p.raw for p in payloads]), strict=True):
        assert payload.undecoded is None and payload.problems == ()
        assert payload.tagged() == theirs["v"]

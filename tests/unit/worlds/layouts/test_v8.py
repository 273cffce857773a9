"""V8's structured clone against what Node itself writes; a cut document is refused with a reason."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from eve_replay.values import BigInt, JsDate, RegExp
from eve_replay.worlds.layouts.v8 import V8Error, decode_v8

#: ``v8.serialize({a: [1, "é", {b: null}], m: new Map([["k", 2n]]), d: new Date(1e12)})`` of Node 24.
SMALL = (
    "ff0f6f220161410349022201e96f220162307b0124000322016d3b"
    "22016b5a1002000000000000003a0222016444000000a2941a6d427b03"
)


def test_a_document_of_node_24():
    assert decode_v8(bytes.fromhex(SMALL)) == {
        "a": [1, "é", {"b": None}],
        "m": {"k": BigInt(2)},
        "d": JsDate(1_000_000_000_000),
    }


@pytest.mark.vendor
def test_what_node_writes():
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node")
    script = """
      const v = {u: "漢字", f: 1.5, big: 2**40, neg: -5, un: undefined, hole: [1,,3], s: new Set([1, "b"]),
        b: new Uint8Array([1,2,3]).subarray(1), n: -5n, r: /a+/gi, deep: {x: {y: [true, false, null]}}};
      v.same = v.deep; process.stdout.write(require("v8").serialize(v).toString("hex"))"""
    found = decode_v8(
        bytes.fromhex(subprocess.run([node, "-e", script], capture_output=True, text=True).stdout)
    )
    assert found["u"] == "漢字" and found["f"] == 1.5 and found["big"] == 2**40 and found["neg"] == -5
    assert found["hole"][0] == 1 and found["hole"][2] == 3 and found["s"] == [1, "b"]
    assert found["b"] == b"\x02\x03" and found["n"] == BigInt(-5) and found["r"] == RegExp("a+", "gi")
    assert found["same"] is found["deep"]


@pytest.mark.parametrize("data", [b"", b"{}", b"\xff", b'\xff\x0fo"\x01a', b"\xff\x63_", b"\xff\x0f!"])
def test_what_is_none_is_refused(data):
    with pytest.raises(V8Error):
        decode_v8(data)


def test_every_cut_is_refused_or_shorter():
    whole = bytes.fromhex(SMALL)
    for size in range(len(whole)):
        with pytest.raises(V8Error):
            decode_v8(whole[:size])

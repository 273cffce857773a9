# ruff: noqa: E501
"""What the vendor's Python SDK writes for the types of Python that JSON has not, against this reader."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from eve_replay.codec import decode_devalue  # noqa: E402
from eve_replay.values import to_tagged  # noqa: E402

VERSION = "0.12.0"
WRITER = """
import json, sys
from vercel.workflow._internal.devalue import stringify
from datetime import datetime, timezone
values = {
    "set": {"admin"}, "sets": {"admin", "ops"}, "empty": set(), "tuples": {("a", 1)}, "frozen": frozenset([2]),
    "nested": [{"k": {"z"}}], "tuple": (1, 2), "bytes": b"xy", "none": {None}, "numbers": {1, 2, 3},
    "map": {1: "a", 2: [3]}, "when": datetime(2026, 1, 1, tzinfo=timezone.utc), "big": 2**70, "buffer": bytearray(b"ab"),
}
out = {}
for name, value in values.items():
    try:
        out[name] = stringify(value)
    except Exception as error:
        out[name] = {"error": repr(error)}
print(json.dumps(out))
"""
#: What each must read as, in tagged JSON; sets in any order.
MEANT: dict[str, object] = {
    "set": {"$type": "Set", "values": ["admin"]},
    "sets": {"$type": "Set", "values": ["admin", "ops"]},
    "empty": {"$type": "Set", "values": []},
    "tuples": {"$type": "Set", "values": [["a", 1]]},
    "frozen": {"$type": "Set", "values": [2]},
    "nested": [{"k": {"$type": "Set", "values": ["z"]}}],
    "tuple": [1, 2],
    "bytes": {"$type": "Uint8Array", "base64": "eHk="},
    "none": {"$type": "Set", "values": [None]},
    "numbers": {"$type": "Set", "values": [1, 2, 3]},
    "map": {"$type": "Map", "entries": [[1, "a"], [2, [3]]]},
    "when": {"$type": "Date", "value": "2026-01-01T00:00:00.000Z"},
    "big": {"$type": "BigInt", "value": str(2**70)},
    "buffer": {"$type": "ArrayBuffer", "base64": "YWI="},
}


def written(version: str) -> dict[str, object]:
    """Return the SDK's text of every value; the package goes into a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="drift-") as folder:
        subprocess.run(
            [sys.executable, "-m", "pip", "install", "-q", "--target", folder, f"vercel-workflow=={version}"],
            check=True,
        )
        done = subprocess.run(
            [sys.executable, "-c", WRITER],
            check=True,
            capture_output=True,
            text=True,
            env={"PYTHONPATH": folder, "PATH": "/usr/bin:/bin"},
        )
        found: dict[str, object] = json.loads(done.stdout)
        return found


def main(version: str) -> int:
    """Print one line per difference; return 1 when there is one."""
    new = 0
    for name, text in written(version).items():
        if not isinstance(text, str):
            print(f"not written  {name}: {text}")
            continue
        value, _ = decode_devalue(text, own=True)
        tagged = json.loads(json.dumps(to_tagged(value)))
        if _sorted(tagged) != _sorted(MEANT[name]):
            new += 1
            print(f"NEW  {name}: text {text}, meant {json.dumps(MEANT[name])}, read {json.dumps(tagged)}")
    print(f"vercel-workflow {version}: {new} differences in {len(MEANT)} values")
    return 1 if new else 0


def _sorted(tagged: object) -> object:
    if isinstance(tagged, dict) and tagged.get("$type") == "Set":
        return {**tagged, "values": sorted(tagged["values"], key=json.dumps)}
    if isinstance(tagged, dict):
        return {key: _sorted(item) for key, item in tagged.items()}
    return [_sorted(item) for item in tagged] if isinstance(tagged, list) else tagged


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1] if len(sys.argv) > 1 else VERSION))

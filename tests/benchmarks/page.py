"""The benchmarks page: ours, the vendor's reader and the floor, side by side in one run.

    python -m tests.benchmarks.page [--rounds 5] [--guard]

Whole processes in turn, the same rounds for each side, processor time (with all that they start), the
smallest of the rounds. The floor reads the files and inflates the payloads, nothing more.
``EVE_PACKAGE`` names an installed eve and ``NODE`` (or the PATH) Node 24; without them that column is empty.
``--guard`` fails when our share of the vendor's time is worse than what is written here.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.support import corpus
from tests.support.multiply import multiply

ROOT = Path(__file__).parents[2]
VENDOR = Path(__file__).with_name("vendor.mjs")

LIST = (
    "import sys\nfrom eve_replay import open_world\nprint(sum(1 for _ in open_world(sys.argv[1]).runs()))\n"
)
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
                payload.forget()
                count += 1
print(count)
"""
FLOOR_LIST = """
import pathlib, sys
print(sum(1 for path in pathlib.Path(sys.argv[1], "runs").iterdir() if path.read_bytes()))
"""
FLOOR_STEPS = """
import base64, pathlib, re, sys, zstandard
payload, count = re.compile(rb'"data": ?"([A-Za-z0-9+/=]+)"'), 0
for path in pathlib.Path(sys.argv[1], "steps").rglob("*.json"):
    for text in payload.findall(path.read_bytes()):
        data = base64.b64decode(text)
        if data[:4] == b"zstd":
            zstandard.ZstdDecompressor().decompressobj().decompress(data[4:])
        count += 1
print(count)
"""
#: Our processor time over the vendor's, as measured when this was written, with room for a busy machine.
MOST = {"list 600 runs": 0.9, "decode the steps of a long session": 1.6}


def spent(command: list[str]) -> float:
    """Return the processor seconds of a command and all it starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        command, check=True, capture_output=True, timeout=300, env=os.environ | {"PYTHONPATH": str(ROOT)}
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measured(sides: dict[str, list[str] | None], rounds: int) -> dict[str, float | None]:
    """Return the smallest time of each side; they take turns."""
    found: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(rounds):
        for name, command in sides.items():
            if command is not None:
                found[name].append(spent(command))
    return {name: min(times) if times else None for name, times in found.items()}


def main() -> int:
    """Print the page."""
    options = argparse.ArgumentParser(description="ours, the vendor's reader and the floor")
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--guard", action="store_true")
    given = options.parse_args()
    node = os.environ.get("NODE") or shutil.which("node")
    vendor = bool(node and os.environ.get("EVE_PACKAGE"))
    worse = []
    with tempfile.TemporaryDirectory() as scratch:
        many = multiply(corpus.data("crash-in-tool"), Path(scratch, "many"), 300, without="streams/chunks")
        long = Path(scratch, "long")
        shutil.copytree(corpus.data("long-session"), long)
        rows = {
            "list 600 runs": (LIST, FLOOR_LIST, "list", many),
            "decode the steps of a long session": (STEPS, FLOOR_STEPS, "steps", long),
        }
        load = os.getloadavg()[0]
        print(f"Processor seconds of whole processes, smallest of {given.rounds}, load {load:.1f}\n")
        print(f"{'':36} {'ours':>7} {'vendor':>7} {'floor':>7} {'ours/vendor':>12} {'ours/floor':>11}")
        for name, (ours, floor, word, folder) in rows.items():
            sides = {
                "ours": [sys.executable, "-c", ours, str(folder)],
                "vendor": [str(node), str(VENDOR), word, str(folder)] if vendor else None,
                "floor": [sys.executable, "-c", floor, str(folder)],
            }
            times = measured(sides, given.rounds)
            mine, theirs, least = times["ours"], times["vendor"], times["floor"]
            assert mine is not None and least is not None
            ratio = mine / theirs if theirs else None
            if ratio is not None and ratio > MOST[name]:
                worse.append(f"{name}: {ratio:.2f} of the vendor's time, at most {MOST[name]} is asked")
            cells = (f"{theirs:7.2f}" if theirs else "      -", f"{ratio:12.2f}" if ratio else f"{'-':>12}")
            print(f"{name:36} {mine:7.2f} {cells[0]} {least:7.2f} {cells[1]} {mine / least:11.2f}")
    for line in worse:
        print(line, file=sys.stderr)
    return 1 if given.guard and worse else 0


if __name__ == "__main__":
    sys.exit(main())

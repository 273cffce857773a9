# ruff: noqa: E501
"""Values as the vendor's own decoder shows them against this reader's."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from eve_replay.codec import Payload
from eve_replay.codec.envelope import PREFIXES
from eve_replay.values import to_tagged
from tests.drift.packages import Failed
from tests.drift.report import Report

SCRIPT = Path(__file__).parent / "decode.mjs"
#: Where a package keeps its serializer.
PLACES = (
    "dist/src/compiled/@workflow/core/serialization.js",
    "@workflow/core/dist/serialization.js",
    "eve/dist/src/compiled/@workflow/core/serialization.js",
)


def compare(data: Path, package: Path, report: Report) -> None:
    """Compare every payload of a data folder with what the package itself reads in it."""
    core = _core(package, report)
    if core is None:
        return
    payloads = list(_payloads(data))
    for (where, text), said in zip(
        payloads, _node("read", [text for _, text in payloads], core), strict=True
    ):
        _one(where, text, said, report)
    report.seen["payloads compared"] = len(payloads)


def compare_values(package: Path, report: Report) -> None:
    """Compare many values that the package writes with what it reads back itself."""
    core = _core(package, report)
    if core is None:
        return
    written = _node("write", [], core)
    good = [each for each in written if "data" in each]
    report.notes += [f"the writer refuses {each['name']}: {each['e']}" for each in written if "e" in each]
    for each, said in zip(good, _node("read", [e["data"] for e in good], core), strict=True):
        head = base64.b64decode(each["data"])[:4]
        if head not in PREFIXES and head[:1] not in b"[{-0123456789":
            report.new("prefix", repr(head), each["name"])
        _one(each["name"], each["data"], said, report)
    report.seen["values compared"] = len(good)


def differences(said: Iterable[dict[str, Any]], data: Path, report: Report) -> None:
    """Compare what the Python SDK's decoder said of a folder; dates and other classes by their presence only."""
    ours = dict(_payloads(data))
    count = 0
    for each in said:
        if "error" in each:
            report.notes.append(f"the SDK's decoder refuses {each['at'].rpartition(' ')[2]}: {each['error']}")
            continue
        text = ours.get(each["at"])
        if text is None:
            report.new("decode", "a payload that this reader did not find", each["at"])
            continue
        count += 1
        mine = to_tagged(Payload(base64.b64decode(text), own=True).value)
        if _python(mine) != _python(each["value"]):
            report.new("decode", f"{json.dumps(mine)[:90]} for {json.dumps(each['value'])[:90]}", each["at"])
    report.seen["payloads compared"] = count


def _python(value: Any) -> Any:
    """Our form and the program's form with what is not compared taken out: kinds of dates and instances."""
    if isinstance(value, dict):
        kind = value.get("$type")
        if kind in ("Date", "Instance", "Class", "other", "Error", "ReadableStream", "WritableStream"):
            return "an instance"
        if kind == "Set":
            return {"Set": sorted((_python(each) for each in value["values"]), key=json.dumps)}
        return {key: _python(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_python(each) for each in value]
    return value


def _one(where: str, text: str, said: dict[str, Any], report: Report) -> None:
    raw = base64.b64decode(text)
    payload = Payload(raw) if raw[:4] in PREFIXES else Payload(json.loads(raw))
    mine = to_tagged(payload.value)
    undecoded = isinstance(mine, dict) and mine.get("$type") == "undecodable"
    if "e" in said:
        if undecoded:
            report.notes.append(f"neither reads {where}: {said['e']}")
        return
    if undecoded:
        report.new("decode", f"not decoded: {json.dumps(mine)[:120]}", where)
    elif _loose(mine) != _loose(said["v"]):
        report.new("decode", f"{json.dumps(mine)[:90]} for {json.dumps(said['v'])[:90]}", where)


def _loose(value: Any) -> Any:
    """Without what a reader may keep or leave: stacks, and the name of an error that says its kind."""
    if isinstance(value, dict):
        return {k: _loose(v) for k, v in sorted(value.items()) if k not in ("stack", "raw", "kind", "name")}
    if isinstance(value, list):
        return [_loose(each) for each in value]
    return value


def _payloads(data: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(data.rglob("*.json")):
        try:
            record = json.loads(path.read_bytes())
        except ValueError:
            continue
        yield from _inside(record, path.name, "")


def _inside(value: Any, name: str, key: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        if value.get("__type") == "Uint8Array":
            if base64.b64decode(str(value["data"]))[:4] in PREFIXES:
                yield f"{name} {key}", str(value["data"])
            return
        for inner, deep in value.items():
            yield from _inside(deep, name, inner)


def _core(package: Path, report: Report) -> Path | None:
    for place in PLACES:
        if (package / place).exists():
            return package / place
    report.notes.append("not compared: this version bundles no serializer of its own")
    return None


def _node(mode: str, lines: list[str], core: Path) -> list[dict[str, Any]]:
    node = shutil.which("node")
    if node is None:
        raise Failed("node is not installed.")
    done = subprocess.run(
        [node, str(SCRIPT), mode],
        input="\n".join(lines) + "\n",
        env={**os.environ, "CORE": str(core)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    if done.returncode:
        raise Failed(f"the vendor's serializer could not be used: {done.stderr.strip()[-400:]}")
    return [json.loads(line) for line in done.stdout.split("\n") if line]

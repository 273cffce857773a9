# ruff: noqa: E501
"""The Python SDK: workflows to their end and killed inside a step, with what its own decoder says of them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from tests.drift.compare import differences
from tests.drift.packages import Failed, Target, run, venv
from tests.drift.report import Report
from tests.drift.survey import survey

HERE = Path(__file__).parent / "python_sdk_crash"
FLOWS = "plain,retry,fatal,sleepy,hooked,nested"
#: Decodes every payload of a folder with the SDK's own code.
DECODER = """
import base64, json, pathlib, sys, dataclasses, datetime, decimal, uuid
from vercel.workflow._internal import serialization as ser
def plain(v):
    if isinstance(v, (set, frozenset)): return {"$type": "Set", "values": sorted((plain(x) for x in v), key=json.dumps)}
    if isinstance(v, (bytes, bytearray)): return {"$type": "Uint8Array", "base64": base64.b64encode(v).decode()}
    if isinstance(v, datetime.datetime): return {"$type": "Date"}
    if isinstance(v, bool) or v is None or isinstance(v, str): return v
    if isinstance(v, int): return v if abs(v) < 2**53 else {"$type": "BigInt", "value": str(int(v))}
    if isinstance(v, float): return v
    if isinstance(v, dict): return {str(k): plain(x) for k, x in v.items()}
    if isinstance(v, (list, tuple)): return [plain(x) for x in v]
    return {"$type": "other", "name": type(v).__name__}
for path in sorted(pathlib.Path(sys.argv[1]).rglob("*.json")):
    record = json.loads(path.read_text())
    def walk(x, key):
        if isinstance(x, dict) and x.get("__type") == "Uint8Array":
            data = base64.b64decode(x["data"])
            try: print(json.dumps({"at": f"{path.name} {key}", "value": plain(ser.hydrate(data, what=key))}))
            except Exception as error: print(json.dumps({"at": f"{path.name} {key}", "data": x["data"], "error": repr(error)[:200]}))
        elif isinstance(x, dict):
            for k, y in x.items(): walk(y, k)
    walk(record, "")
"""


def record(target: Target, work: Path) -> list[Report]:
    """Install, record and compare."""
    folder = work / target.folder
    folder.mkdir(parents=True, exist_ok=True)
    python = venv(folder, f"vercel-workflow=={target.version}", "uvicorn")
    out = folder / "recorded"
    shutil.rmtree(out, ignore_errors=True)
    recorder = [str(python), str(HERE / "record.py"), "--out", str(out), "--mode", "restart"]
    run(*recorder, "--flows", FLOWS, "--taps", "ledger:1", seconds=600)
    reports = []
    for each in sorted(out.iterdir()):
        facts = each / "facts.json"
        if not facts.exists():
            raise Failed(f"{each.name} was not recorded: {(each / 'worker.log').read_text()[-300:]}")
        if json.loads(facts.read_text()).get("status") == "none":
            raise Failed(f"{each.name} wrote no run: {(each / 'worker.log').read_text()[-300:]}")
        report = survey(each / "data", f"{target} {each.name}")
        _compare(each / "data", python, report)
        reports.append(report)
    return _together(reports, str(target))


def _compare(data: Path, python: Path, report: Report) -> None:
    try:
        said = run(str(python), "-c", DECODER, str(data))
    except Failed as error:
        report.notes.append(f"not compared with the SDK's own decoder: {error}")
        return
    differences([json.loads(line) for line in said.split("\n") if line], data, report)


def _together(reports: list[Report], name: str) -> list[Report]:
    """One report for all recordings of a target."""
    whole = Report(name=name)
    for each in reports:
        for kind, found in each.news.items():
            for what, where in found.items():
                whole.new(kind, what, f"{each.name.rpartition(' ')[2]}: {where}")
        for what, count in each.seen.items():
            whole.seen[what] = whole.seen.get(what, 0) + count
        whole.notes += [note for note in each.notes if note not in whole.notes]
    whole.seen["recordings"] = len(reports)
    return [whole]

"""Journals that mean harm, made on the spot: what a stranger's file may hold, in a few kilobytes each.

Each stands for a kind that once hurt a reader: text that a terminal or a browser would obey, values without
end, files that open to gigabytes, names that leave their archive, patterns that never come back. Nothing of
it is run; ``eve-replay selftest`` reads all of it with every front end and looks at what that cost.
"""

from __future__ import annotations

import base64
import gzip
import io
import json
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

from eve_replay import samples
from eve_replay.codec import loads_json
from eve_replay.codec.zstdlib import deflater

__all__ = ["TEXTS", "evil_inputs"]

#: Texts that must be shown and never obeyed: HTML, scripts, links, escape sequences, reordering, formulas.
TEXTS = (
    "<script>window.PWNED=1</script><img src=x onerror=window.PWNED=2>",
    '"><svg onload=window.PWNED=3></script><!--',
    "[x](javascript:window.PWNED=4) ${window.PWNED=5} {{7*7}}",
    "\x1b[31mred\x1b]8;;http://evil.example\x07link\x1b]8;;\x07\x1b]52;c;cm0=\x07\x1b[2J\x9b31m\x90q\x9c\r\x08",
    "abc\u202egnp.exe\u2066\u200b\u2028\ufeff\u115f e\u0301\u0301\u0301\U000e0041",
    "=cmd|'/C calc'!A0",
    "\ud800 half a pair, \x00 a nul",
)
_RUN = "wrun_01M8NVET2Q9XT7ZZ1AMCAAJ6"
_DEEP = 200_000


def evil_inputs(folder: Path) -> list[Path]:
    """Write all inputs below a folder and return them."""
    made = []
    for name, make in _INPUTS.items():
        path = folder / name
        make(path)
        made.append(path)
    return made


def _world(path: Path, payload: bytes, extra: str = "") -> None:
    data = {"__type": "Uint8Array", "data": base64.b64encode(payload).decode()}
    run_id = f"{_RUN}4S"
    (path / "runs").mkdir(parents=True)
    (path / "events" / run_id).mkdir(parents=True)
    head = {"runId": run_id, "status": "running", "workflowName": "workflow//./app//order", "specVersion": 8}
    record = json.dumps(head | {"createdAt": "2026-11-30T09:00:00.000Z", "input": data})
    (path / "runs" / f"{run_id}.json").write_text(record[:-1] + extra + "}")
    for number, kind in enumerate(("run_created", "step_created", "step_started", "step_completed"), 1):
        event_id = f"evnt_{number:026d}"
        event = {
            "runId": run_id,
            "eventId": event_id,
            "eventType": kind,
            "specVersion": 8,
            "createdAt": "2026-11-30T09:00:00.000Z",
            "eventData": {"stepName": "step//./app//charge", "input": data, "result": data},
        }
        event |= {"correlationId": "step_A"} if number > 1 else {}
        (path / "events" / run_id / f"{run_id}-{event_id}.json").write_text(json.dumps(event))


def _texts(path: Path) -> None:
    """A real recording with hostile text in every field of its records, and hostile files beside them."""
    samples.extract("crash-in-tool", path)
    data = next(each for each in path.rglob("runs") if each.is_dir()).parent
    everything = " ".join(TEXTS)
    for number, file in enumerate(sorted(data.rglob("*.json"))):
        try:
            record = loads_json(file.read_text(encoding="utf-8"))
        except ValueError:
            continue
        if isinstance(record, dict):
            record[TEXTS[number % len(TEXTS)]] = everything
            if isinstance(record.get("attributes"), dict):
                record["attributes"] |= {"$eve.title": everything, TEXTS[0]: everything}
            record |= (
                {"deploymentId": everything, "errorCode": everything} if "workflowName" in record else {}
            )
            file.write_text(json.dumps(record))
    runs = data / "runs"
    odd = {
        "status": "=1+1",
        "workflowName": TEXTS[0],
        "createdAt": "-271821-04-20T00:00:00Z",
        "startedAt": 1e300,
    }
    (runs / "wrun_odd.json").write_text(json.dumps({"runId": "../../../../etc/passwd"} | odd))
    (runs / "wrun_bytes.json").write_bytes(
        b'{"runId":"wrun_bytes","status":"run\xff\xfe","workflowName":"\\ud800"}'
    )
    (runs / "wrun_times.json").write_text(
        '{"runId":"wrun_times","createdAt":' + "9" * 5000 + ',"specVersion":-1e400}'
    )
    try:
        (runs / "wrun_loop.json").symlink_to("wrun_loop.json")
        (data / "loop").symlink_to(".")
        (runs / "wrun_out.json").symlink_to("/etc/passwd")
    except OSError:
        pass  # links need a right on Windows


def _zstd(data: bytes, times: int = 1) -> bytes:
    frame = deflater(3)
    one = frame.compress(data) + frame.finish()
    return one * times


def _dump(path: Path, cbor: bytes) -> None:
    hexed = "\\\\x" + cbor.hex()
    path.write_text(
        "-- PostgreSQL database dump\n"
        "CREATE TABLE workflow.workflow_runs (id text, status text, input_cbor bytea);\n"
        "COPY workflow.workflow_runs (id, status, input_cbor) FROM stdin;\n"
        f"{_RUN}4S\trunning\t{hexed}\n\\.\n-- PostgreSQL database dump complete\n"
    )


def _spaces(path: Path) -> None:
    row = b"INSERT INTO workflow.workflow_runs VALUES (" + b" " * 20_000 + b"x" + b" " * 20_000
    path.write_bytes(b"-- PostgreSQL database dump\nSET client_encoding = 'a\0b';\n" + row)


def _zip(path: Path, members: dict[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        run = {"runId": f"{_RUN}4S", "status": "running", "workflowName": "workflow//./app//order"}
        out.writestr(f"runs/{_RUN}4S.json", json.dumps(run))
        for name, data in members.items():
            out.writestr(name, data)


def _tar(path: Path) -> None:
    with tarfile.open(path, "w") as out:
        for name in (
            "../../etc/passwd",
            "/etc/shadow",
            "runs/\x1b]0;x\x07.json",
            "C:\\x",
            "runs/" + "n" * 4000,
        ):
            info = tarfile.TarInfo(name)
            info.size = 2
            out.addfile(info, io.BytesIO(b"{}"))
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE):
            info = tarfile.TarInfo(f"runs/{kind!r}.json")
            info.type, info.linkname = kind, "/etc/passwd"
            out.addfile(info)
        run = json.dumps({"runId": f"{_RUN}4S", "status": "running", "workflowName": "w"}).encode()
        info = tarfile.TarInfo(f"runs/{_RUN}4S.json")
        info.size = len(run)
        out.addfile(info, io.BytesIO(run))


def _deep_list() -> bytes:
    return b"devl[" + b",".join(b"[%d]" % (index + 1) for index in range(20_000)) + b',"x"]'


_NESTED = '"x":' + "[" * _DEEP + "]" * _DEEP
_INPUTS: dict[str, Callable[[Path], object]] = {
    "texts": _texts,
    "inline-payloads": lambda path: _world(
        path, b'devl[{"values":1,"x":2},["Set",[3,[7]]],["Map",[4]],"k",[3,3]]'
    ),
    "a-thousand-references": lambda path: _world(
        path, b"devl" + json.dumps([{"a": 1}, *([i + 1, i + 1] for i in range(1, 60)), "x"]).encode()
    ),
    "a-value-in-itself": lambda path: _world(path, b'devl[{"self":0,"l":1},[0,1,2],["Map",3],[0,1,2,2]]'),
    "a-deep-value": lambda path: _world(path, _deep_list()),
    "a-deep-record": lambda path: _world(path, b"devl[1]", f',{_NESTED},"attributes":{{{_NESTED}}}'),
    "a-huge-number": lambda path: _world(path, b'devl[{"a":1},["BigInt",2],"' + b"9" * 500_000 + b'"]'),
    "a-payload-that-swells": lambda path: _world(
        path, b"zstd" + _zstd(b'devl["' + b"A" * (80 << 20) + b'"]')
    ),
    "number-as-a-name.sql": lambda path: _dump(path, b"\xa1\xc2\x59\x07\xd0" + b"\xff" * 2000 + b"\x01"),
    "list-as-a-name.sql": lambda path: _dump(path, b"\xa1" + b"\x81" * 5000 + b"\x01\x01"),
    "spaces.sql": _spaces,
    "swells.sql.zst": lambda path: path.write_bytes(_zstd(b" " * (16 << 20), 256)),
    "empty-parts.sql.gz": lambda path: path.write_bytes(gzip.compress(b"", mtime=0) * 20_000),
    "swells.everun": lambda path: path.write_bytes(
        b"\x5e\x2a\x4d\x18\x08\0\0\0everun\0\x01" + _zstd(b"{}\n" * (4 << 20), 64)
    ),
    "deep-folders.zip": lambda path: _zip(path, {"a/" * 20_000 + "x.json": b"{}"}),
    "swells.zip": lambda path: _zip(path, {f"events/{_RUN}4S/x.json": b"{" + b" " * (140 << 20) + b"}"}),
    "names.tar": _tar,
}

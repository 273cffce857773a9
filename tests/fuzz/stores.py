"""Fuzz targets of everything that is opened as a file: the file is damaged, then opened and read whole."""

from __future__ import annotations

import contextlib
import functools
import io
import os
import tarfile
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

from eve_replay.errors import EveReplayError
from eve_replay.journal.ledger.model import Ledger
from eve_replay.worlds.dump import dump_document
from eve_replay.worlds.registry import open_world
from tests.support import corpus

LIMIT = 1 << 22


@functools.cache
def _folder() -> Path:
    held = tempfile.TemporaryDirectory(prefix="eve-replay-fuzz-", ignore_cleanup_errors=True)
    globals()["_held"] = held  # removed at exit
    return Path(held.name)


def opened(suffix: str, kind: str) -> Callable[[bytes], None]:
    """Return the target that opens the bytes as a file of one kind and reads all of it."""

    def one(data: bytes) -> None:
        path = _folder() / f"{kind}-{os.getpid()}{suffix}"
        path.write_bytes(data)
        try:
            world = open_world(str(path), kind=kind, limit=LIMIT)
        except EveReplayError:
            return
        try:
            dump_document(world)
        except EveReplayError:
            pass
        finally:
            world.close()

    return one


def ledger(data: bytes) -> None:
    """A ledger of the outside world, as lines or as a table."""
    for suffix in (".ndjson", ".csv", ".json"):
        path = _folder() / f"ledger-{os.getpid()}{suffix}"
        path.write_bytes(data)
        with contextlib.suppress(EveReplayError):
            assert len(Ledger.load(path).entries) <= len(data)


def archive(data: bytes) -> None:
    """A tar or zip whose members and names are made from the bytes."""
    names = [
        b"runs/wrun_1.json",
        b"events/wrun_1/a.json",
        data[:24],
        b"../" + data[24:40],
        b"/" + data[40:60],
    ]
    out = io.BytesIO()
    if data[:1] < b"\x80":
        with tarfile.open(fileobj=out, mode="w") as tar:
            for number, name in enumerate(names):
                info = tarfile.TarInfo(name.decode("utf-8", "replace").replace("\0", "") or "x")
                info.size = len(data)
                info.type = (tarfile.REGTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE)[
                    data[number : number + 1] > b"\xc0"
                ]
                tar.addfile(info, io.BytesIO(data))
        suffix = ".tar"
    else:
        with zipfile.ZipFile(out, "w") as made:
            for name in dict.fromkeys(names):
                made.writestr(name.decode("utf-8", "replace").replace("\0", "") or "x", data)
        suffix = ".zip"
    raw = bytearray(out.getvalue())
    if len(data) > 4:  # and damaged itself
        raw[int.from_bytes(data[:4], "little") % len(raw)] ^= data[4]
    opened(suffix, "local")(bytes(raw))


def _file(group: str, name: str, path: str) -> Callable[[], list[bytes]]:
    return lambda: [(corpus.scenario(f"{group}/{name}") / path).read_bytes()[:40_000]]


def _bundle_seed() -> list[bytes]:
    from eve_replay.worlds.bundle.write import write_bundle

    out = io.BytesIO()
    write_bundle(open_world(str(corpus.data("sdk5-crash"))), out)
    return [out.getvalue()]


def _export_seed() -> list[bytes]:
    folder = corpus.scenario("cli-export/cli489_local_local4_failed")
    return [path.read_bytes()[:20_000] for path in sorted(folder.glob("*.json"))[:6]]


def _sqlite_seed() -> list[bytes]:
    folder = corpus.scenario("worlds/turso")
    found = [
        path for path in sorted(folder.rglob("*")) if path.is_file() and path.read_bytes()[:6] == b"SQLite"
    ]
    return [path.read_bytes() for path in found[:1]]


TARGETS: dict[str, tuple[Callable[[bytes], None], Callable[[], list[bytes]]]] = {
    "pgdump": (opened(".sql", "pgdump"), _file("postgres", "sdk4_failed", "final/dump.sql")),
    "pgdump-inserts": (opened(".sql", "pgdump"), _file("postgres", "sdk4_failed", "final/dump.inserts.sql")),
    "pgdump-archive": (
        opened(".dump", "pgdump"),
        lambda: [b"PGDMP\x01\x0e\x00\x04\x08\x01\x01" + bytes(200)],
    ),
    "sqldump": (
        opened(".sql", "sqldump"),
        lambda: [b"-- MySQL dump\nCREATE TABLE `w` (`id` text);\nINSERT INTO `workflow_runs` VALUES ('a');"],
    ),
    "sqlite": (opened(".db", "sqlite"), _sqlite_seed),
    "rdb": (opened(".rdb", "redis"), _file("redis", "redisr_failed", "final/dump.rdb")),
    "bundle": (opened(".everun", "bundle"), _bundle_seed),
    "export": (opened(".json", "export"), _export_seed),
    "ledger": (
        ledger,
        lambda: [
            b'{"at":"2026-11-30T09:00:00Z","action":"charge","key":"k"}\n',
            b"at,action,key\n2026-11-30,charge,k\n",
        ],
    ),
    "archive": (archive, lambda: [b"\x01" + b'{"runId":"wrun_1","status":"running"}', b"\x81" + b"x" * 90]),
}

"""Fuzz targets of folders: a recording is damaged as files are damaged, then read, told and simulated."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from eve_replay.checks import Voice, check_session, check_world
from eve_replay.codec import session_events
from eve_replay.guidance import why_all
from eve_replay.journal import Journal
from eve_replay.records import StreamRecord
from eve_replay.recovery import crash_points, forecast, matrix, simulate
from eve_replay.worlds.local.opener import LocalWorld, MemoryTree, open_tree
from tests.fuzz.pick import Pick
from tests.support import corpus

NOW = datetime(2026, 12, 1, tzinfo=UTC)
Files = dict[str, bytes]

#: Small recordings of every layout; the longer ones come up less often.
SMALL = (
    ("sdk4-crash", "data"),
    ("sdk5-crash", "data"),
    ("local-sdk/local5_rich", "final"),
    ("local-sdk/local5_failed", "final"),
    ("local-sdk/local4_rich", "final"),
    ("local-sdk/local5_sleephook", "held"),
)
LONGER = (
    ("crash-waiting-for-lease", "data"),
    ("crash-in-tool", "data"),
    ("approval-hold", "data"),
    ("cancelled-turn", "data"),
    ("tool-throws", "data"),
    ("retention-0", "data"),
    ("older-0.20.0", "data"),
    ("subagent", "data"),
)
#: Values that a field is replaced by: what parsers of numbers, times, ids and paths trip over.
ODD: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    1e308,
    10**30,
    10**400,
    "",
    "\ud800",
    "../../x",
    "step_started",
    "run_completed",
    "9999-12-31T23:59:59.999Z",
    "-271821-04-20T00:00:00Z",
    "+275760-09-13T00:00:00.000Z",
    "1970-01-01",
    "NaN",
    [],
    {},
    [[]],
    {"a": 1},
    "x" * 200,
    "\x1b[31m\u202e<script>",
    {"__type": "Uint8Array", "data": "ZGV2bFsxXQ"},
)


@functools.cache
def base(name: str, folder: str) -> Files:
    """Return the files of a recording."""
    root = corpus.scenario(name) / folder
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}


def damaged(data: bytes) -> Files:
    """Return a recording damaged in one to four places."""
    pick = Pick(data)
    name, folder = pick.one(SMALL) if pick.number(64) else pick.one(LONGER)
    files = dict(base(name, folder))
    paths = list(files)
    for _ in range(1 + pick.number(4)):
        path = pick.one(paths)
        _damage(files, path, pick, paths)
    return files


def _damage(files: Files, path: str, pick: Pick, paths: list[str]) -> None:
    content = files.get(path, b"")
    match pick.number(8):
        case 0:
            files.pop(path, None)
        case 1:
            files[path] = pick.bytes(60)
        case 2 if content:
            at = pick.number(len(content))
            new = pick.bytes(12)
            files[path] = content[:at] + new + content[at + len(new) :]
        case 3 if content:
            files[path] = content[: pick.number(len(content))]
        case 4:
            files[path] = files.get(pick.one(paths), b"")
        case 5 | 6:
            _field(files, path, content, pick)
        case 7:
            name = pick.bytes(12).decode("utf-8", "replace").replace("/", "_").replace("\0", "")
            if name not in ("", ".", ".."):
                files[f"{path.rpartition('/')[0]}/{name}"] = content


def _field(files: Files, path: str, content: bytes, pick: Pick) -> None:
    try:
        record = json.loads(content)
    except ValueError:
        return
    target = record
    for inner in ("eventData", "attributes", "metadata"):
        if isinstance(record, dict) and isinstance(record.get(inner), dict) and pick.number(2):
            target = record[inner]
    if isinstance(target, dict) and target:
        target[pick.one(sorted(target))] = pick.one(ODD)
        files[path] = json.dumps(record).encode()


def local(data: bytes) -> None:
    """Everything a local world gives: runs, events, steps, others, streams."""
    world = open_tree(MemoryTree(damaged(data)))
    for run in world.runs():
        list(world.events(run.run_id))
        list(world.steps(run.run_id))
        for other in world.others(run.run_id):
            if isinstance(other, StreamRecord):
                session_events(world.stream(run.run_id, other.name))


def journal(data: bytes) -> None:
    """A full pass: sessions, why, checks, forecast, every third crash point simulated, the matrix."""
    whole_pass(open_tree(MemoryTree(damaged(data))))


def whole_pass(world: LocalWorld) -> None:
    """Tell everything about a world that the front ends tell."""
    journal = Journal(world)
    heads = journal.heads
    why_all((journal.session(head.id) for head in heads), voice=Voice(now=NOW))
    list(forecast(journal))
    for head in heads:
        session = journal.session(head.id)
        list(check_session(session, now=NOW))
        for turn in session.turns:
            points = list(crash_points(session, turn.id))
            for point in points[:: max(1, len(points) // 3)]:
                simulate(session, point, turn=turn.id)
            matrix(session, turn.id)
    list(check_world(world, heads))


def _seeds() -> list[bytes]:
    return [
        bytes([size, recording, *([damage] * 20)])
        for size in (0, 1)
        for recording in range(8)
        for damage in range(8)
    ]


TARGETS: dict[str, tuple[Callable[[bytes], None], Callable[[], list[bytes]]]] = {
    "local": (local, _seeds),
    "journal": (journal, _seeds),
}

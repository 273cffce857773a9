"""What tells that nothing of a run was written since: name, size and time of each of its files.

One walk over the folder, nothing is parsed. Files whose name does not tell their run (hook records, tokens,
deliveries) count with their content. The index folders of hooks repeat what these say and are left out.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections import defaultdict

from eve_replay.worlds.local.disk import DiskTree
from eve_replay.worlds.local.kin import Kin
from eve_replay.worlds.local.tree import NotReadable, join

__all__ = ["stamps"]

_RUN = re.compile(rb'"runId"\s*:\s*"([^"\\]*)"')
_STREAM = re.compile(rb'"(strm_[^"\\]*)"')
#: A file written this shortly ago may be written again without its time telling.
_FRESH_NS = 2_000_000_000
_BY_NAME = ("runs", "events", "steps", "waits", "streams/runs")
_LOCKS = (".locks/steps", ".locks/waits", ".locks/runs", ".locks/attributes", "hooks/by-run")


def stamps(tree: DiskTree, base: str, kin: Kin) -> dict[str, bytes]:
    """Return a digest per run id; under the empty id that of all that names no run."""
    found: dict[str, list[str]] = defaultdict(list)
    now = time.time_ns()
    fresh, unsure = now - _FRESH_NS, f"unsure at {now}"

    def note(folder: str, owner: str) -> list[str]:
        """Note the files of one folder, of one owner or each of the run its name begins with; the folders."""
        folders = []
        try:
            with os.scandir(join(tree.root.rstrip(os.sep), base, folder)) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.name)
                        continue
                    seen = entry.stat(follow_symlinks=False)
                    mine = owner or _begins(entry.name)
                    found[mine].append(f"{folder}/{entry.name} {seen.st_size} {seen.st_mtime_ns}")
                    if seen.st_mtime_ns > fresh:
                        found[mine].append(unsure)
        except (OSError, NotReadable):
            found[owner].append(unsure)  # who reads it says why; never taken for unchanged
        return folders

    for folder in _BY_NAME:
        for inner in note(folder, "") if kin.names(folder) else ():
            note(f"{folder}/{inner}", inner)
    for folder in _LOCKS:
        for name in kin.names(folder):
            found[_begins(name)].append(f"{folder}/{name}")
            if name.endswith(".pending"):
                note(f"{folder}/{name}", _begins(name))
    streams = {
        stream.decode("utf-8", "replace"): _begins(name)
        for name, data in kin.contents("streams/runs", kin.names("streams/runs"))
        for stream in _STREAM.findall(data or b"")
    }
    for name in kin.names("streams/chunks"):
        ulid = name.removeprefix("strm_").partition("_")[0]
        owner = streams.get(name, f"wrun_{ulid}")
        if name.endswith((".bin", ".json")):
            found[owner].append(f"streams/chunks/{name}")
        else:
            note(f"streams/chunks/{name}", owner)
    hooks = {}
    for name in kin.names("hooks/by-run"):
        run, mark, hook = name.removesuffix(".json").partition("-hook_")
        if mark:
            hooks[f"hook_{hook}"] = run
    for folder in ("hooks", "hooks/tokens", "hooks/resumes"):
        files = [name for name in kin.names(folder) if name.endswith(".json")]
        for name, data in kin.contents(folder, files):
            owners = {run.decode("utf-8", "replace") for run in _RUN.findall(data or b"")} or {""}
            digest = hashlib.blake2b(data or unsure.encode(), digest_size=8).hexdigest()
            for owner in owners:
                found[owner].append(f"{folder}/{name} {digest}")
    for name in kin.names("hooks/tokens"):
        if name.endswith(".lock"):
            found[""].append(name)
    for name in kin.names(".locks/hooks"):
        found[hooks.get(name.partition(".")[0], "")].append(f".locks/hooks/{name}")
    return {
        run: hashlib.blake2b(
            "\n".join(sorted(lines)).encode("utf-8", "surrogateescape"), digest_size=16
        ).digest()
        for run, lines in found.items()
    }


def _begins(name: str) -> str:
    """Return the run that a file's name begins with."""
    stem = name.partition(".")[0]
    return stem.partition("-")[0] if stem.startswith("wrun_") else stem

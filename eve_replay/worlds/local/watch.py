"""Which runs of a local folder are being written to: by the system's notices, else by looking again.

Nothing is written and no lock is taken. A folder that did not change is not listed again, except for a while
after a change: a file that is filled in place does not change its folder's time.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from pathlib import PurePath

from eve_replay.worlds.local.names import is_noise, is_temporary, read_name, split_run
from eve_replay.worlds.local.tree import FileTree, NotReadable, join

__all__ = ["changes"]

_EVERY = 0.25
#: Looks at a folder after its last change, so many times.
_AFTERWARDS = 40
_PARTS = ("runs", "events", "steps", "hooks", "waits")


def changes(
    tree: FileTree, base: str, stop: threading.Event, *, every: float | None = None
) -> Iterator[set[str]]:
    """Yield sets of run ids that were touched until ``stop`` is set; ends at once if nothing can change.

    What counts as new is fixed by this call, not by the first use of what it returns: so nothing is missed
    between a reading that follows the call and the first change.
    """
    if not tree.live:
        return iter(())
    look = _Look(tree, base)
    look.touched()
    return _changes(tree, base, stop, look, _EVERY if every is None else every)


def _changes(
    tree: FileTree, base: str, stop: threading.Event, look: _Look, every: float
) -> Iterator[set[str]]:
    root = getattr(tree, "root", None)
    if isinstance(root, str):
        try:
            yield from _notices(join(root, base), stop, look)
            return
        except (ImportError, OSError, RuntimeError):
            pass  # no watchfiles, or the system gives no notices here: look
    while not stop.wait(every):
        touched = look.touched()
        if touched:
            yield touched


def _notices(folder: str, stop: threading.Event, look: _Look) -> Iterator[set[str]]:
    import watchfiles

    found = watchfiles.watch(
        folder,
        stop_event=stop,
        debounce=200,
        step=40,
        rust_timeout=300,
        yield_on_timeout=True,
        raise_interrupt=True,
        watch_filter=None,
    )
    for number, batch in enumerate(found):
        touched = _runs_of(PurePath(path).relative_to(folder).parts for _, path in batch)
        if number == 0:
            touched |= look.touched()  # what came before the system began to tell
        if touched:
            yield touched


def _runs_of(paths: Iterable[tuple[str, ...]]) -> set[str]:
    return {run for parts in paths if (run := _run_of(parts))}


def _run_of(parts: tuple[str, ...]) -> str:
    """Return the run that a path in a data folder belongs to, empty when its name does not tell."""
    if len(parts) < 2 or is_temporary(parts[-1]) or is_noise(parts[-1]):
        return ""
    if parts[0] in ("events", "steps") and len(parts) > 2:
        return parts[1]
    parsed = read_name(parts[-1])
    if parsed is None:
        return ""
    if parts[0] == "runs" or parts[:2] == ("streams", "runs"):
        return parsed.stem
    return split_run(parsed.stem)[0] if parts[0] in ("events", "steps", "waits") else ""


class _Look:
    """Remembers sizes and times of files, and looks only at folders where something may be new."""

    def __init__(self, tree: FileTree, base: str) -> None:
        self._tree = tree
        self._base = base
        self._times: dict[str, int] = {}
        self._files: dict[str, dict[str, tuple[int, int]]] = {}
        self._folders: dict[str, list[str]] = {}
        self._awake: dict[str, int] = {}

    def touched(self) -> set[str]:
        """Return the runs whose files changed since the last call."""
        found: set[str] = set()
        waiting = list(_PARTS)
        while waiting:
            folder = waiting.pop()
            try:
                found |= self._folder(folder)
            except (OSError, NotReadable):
                continue
            waiting += [f"{folder}/{name}" for name in self._folders.get(folder, ())]
        return found

    def _folder(self, folder: str) -> set[str]:
        place = join(self._base, folder)
        stat = self._tree.stat(place)
        if stat is None or stat.kind != "dir":
            return set()
        awake = self._awake.get(folder, 0)
        if self._times.get(folder) == stat.mtime_ns and not awake:
            return set()
        before, now = self._files.get(folder, {}), {}
        folders: list[str] = []
        for entry in self._tree.entries(place):
            if entry.kind == "dir":
                folders.append(entry.name)
            elif entry.kind == "file":
                file = self._tree.stat(join(place, entry.name))
                if file is not None:
                    now[entry.name] = (file.size, file.mtime_ns)
        new = {name for name, seen in now.items() if before.get(name) != seen}
        changed = bool(new) or self._times.get(folder) != stat.mtime_ns
        self._times[folder], self._files[folder], self._folders[folder] = stat.mtime_ns, now, folders
        self._awake[folder] = _AFTERWARDS if changed else awake - 1
        return _runs_of((*folder.split("/"), name) for name in new)

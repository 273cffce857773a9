"""Finding the data folder that a path means, and saying plainly why there is none.

A path may be the project, ``.eve``, ``.workflow-data``, a data folder, something inside one, one run's file,
or an archive of any of these (also ``archive.tar.gz/folder``).
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from eve_replay.codec import parse_record
from eve_replay.errors import SourceUnreadable, UnknownSource
from eve_replay.limits import DEFAULT, Limits, begun
from eve_replay.worlds.local.disk import DiskTree
from eve_replay.worlds.local.names import is_archive_name, is_noise, read_name, split_run
from eve_replay.worlds.local.tree import FileTree, MemoryTree, NotReadable, join

__all__ = ["Found", "data_folders", "find", "looks_like_data", "recognise"]

#: Folders that only a data folder of the local world has side by side.
_PARTS = ("runs", "events", "steps", "streams", "hooks", "waits", ".locks")
#: Where a project keeps its data folder: eve 0.50 on, eve 0.20 and plain SDK apps, Next.js apps.
_PLACES = (".eve/.workflow-data", ".workflow-data", ".next/workflow-data", "workflow-data", "data")
_WINDOWS = re.compile(r"[A-Za-z]:[\\/]|\\\\[^\\]+\\")
_MANY = 12
_CHILDREN = 50
#: Ends of files that other kinds of worlds read.
_SOURCES = (".sql", ".everun", ".rdb", ".db", ".sqlite", ".zip", ".tar.gz")
#: Sure enough to be asked first, so that our message is the one that is shown.
_SURE_ENOUGH = 0.6


@dataclass(frozen=True, slots=True)
class Found:
    """A data folder: the tree, its path in it, the one run the path named (or empty), others beside it."""

    tree: FileTree
    base: str
    label: str
    only: str = ""
    beside: tuple[str, ...] = ()


def recognise(source: str) -> float:
    """Return how sure we are that ``source`` is ours, without opening anything big. Never raises."""
    try:
        if _is_windows(source) and os.name != "nt":
            return _SURE_ENOUGH
        path = Path(source).expanduser()
        if path.is_dir():
            if data_folders(DiskTree(path)) or _enclosing(path) is not None:
                return 0.95
            return 0.3
        if path.is_file():
            if path.suffix == ".json" and _enclosing(path) is not None:
                return 0.95
            return 0.4 if is_archive_name(path.name) else 0.1
        if _archive_in(path) is not None:
            return 0.8
        return 0.1 if "://" not in source else 0.0
    except (OSError, ValueError, RuntimeError):
        return 0.05


def find(source: str, limits: Limits = DEFAULT) -> Found:
    """Return the data folder ``source`` means.

    Raises:
        UnknownSource: there is none; the message says what is there instead.
        SourceUnreadable: permissions, a damaged archive.
    """
    if _is_windows(source) and os.name != "nt":
        raise UnknownSource(
            f"{source} is a Windows path, and this is not Windows.",
            hint=f"Under WSL it is {_wsl(source)}; else copy the folder to this machine.",
        )
    try:
        path = Path(source).expanduser()
        if path.is_dir():
            return _in_folder(path)
        if path.is_file():
            return _in_archive(path, "", limits) if is_archive_name(path.name) else _from_file(path)
        inner = _archive_in(path)
        if inner is not None:
            return _in_archive(*inner, limits)
        if path.exists():
            raise UnknownSource(f"{source} is neither a folder nor a regular file.")
    except PermissionError as error:
        raise SourceUnreadable(
            f"{error.filename or source} may not be read by this user.",
            hint="Give yourself read permission, or copy the folder.",
        ) from None
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise SourceUnreadable(f"{source[:200]} cannot be opened: {why}.") from None
    hint = _nearest(path) or "Give the project folder or its .workflow-data folder."
    raise UnknownSource(f"{source} does not exist.", hint=hint)


def looks_like_data(tree: FileTree, base: str) -> bool:
    """Whether a folder of a tree is a data folder: it has ``runs``, or two of the other parts."""
    try:
        entries = tree.entries(base)
    except (OSError, NotReadable):
        return False
    parts = {entry.name for entry in entries if entry.kind == "dir"}.intersection(_PARTS)
    files = {entry.name for entry in entries if entry.kind == "file"}
    if "runs" in parts:
        # The cheap signs first: the folder of runs may hold very many.
        return len(parts) > 1 or "version.txt" in files or _holds_runs(tree, join(base, "runs"))
    return len(parts) > 1 or (bool(parts) and "version.txt" in files) or _holds_run_folders(tree, base, parts)


def data_folders(tree: FileTree, base: str = "") -> list[str]:
    """Return the data folders that a folder means: itself, else a usual place, else its direct children."""
    if looks_like_data(tree, base):
        return [base]
    for place in _PLACES:
        if looks_like_data(tree, join(base, place)):
            return [join(base, place)]
    try:
        children = [entry.name for entry in tree.entries(base) if entry.kind == "dir"]
    except (OSError, NotReadable):
        return []
    found = [join(base, name) for name in children if looks_like_data(tree, join(base, name))]
    if not found and len(children) == 1:
        return data_folders(tree, join(base, children[0])) if base.count("/") < 3 else []
    return found


def _beside(tree: FileTree, base: str, chosen: str) -> tuple[str, ...]:
    """Return the other usual places that hold data too: after an upgrade a project may have two."""
    if chosen == base:
        return ()
    places = (join(base, place) for place in _PLACES)
    return tuple(place for place in places if place != chosen and looks_like_data(tree, place))


def _holds_runs(tree: FileTree, folder: str) -> bool:
    try:
        entries = tree.entries(folder)
    except (OSError, NotReadable):
        return False
    return not entries or any(read_name(entry.name) for entry in entries if entry.kind == "file")


def _holds_run_folders(tree: FileTree, base: str, parts: set[str]) -> bool:
    """A lone ``events`` or ``steps`` folder counts when the names in it are a run's."""
    for part in parts.intersection(("events", "steps")):
        try:
            entries = tree.entries(join(base, part))
        except (OSError, NotReadable):
            continue
        if any(entry.name.startswith("wrun_") for entry in entries):
            return True
    return False


def _in_folder(path: Path) -> Found:
    tree = DiskTree(path)
    names = sorted(entry.name for entry in path.iterdir() if not is_noise(entry.name))  # or PermissionError
    found = data_folders(tree)
    if len(found) == 1:
        label = str(path / found[0]) if found[0] else str(path)
        return Found(tree, found[0], label, beside=_beside(tree, "", found[0]))
    if found:
        raise _several(str(path), found)
    enclosing = _enclosing(path)
    if enclosing is not None:
        return Found(DiskTree(enclosing), "", str(enclosing))
    for place in _PLACES:
        if (path / place).is_dir() and not os.access(path / place, os.R_OK | os.X_OK):
            raise PermissionError(errno.EACCES, "Permission denied", str(path / place))
    raise _not_ours(path, names)


def _in_archive(path: Path, inner: str, limits: Limits) -> Found:
    from eve_replay.worlds.local.archive import archive_tree  # tarfile and zipfile take a while to load

    tree = archive_tree(path, limits=begun(limits))
    label = f"{path}/{inner}" if inner else str(path)
    if inner and tree.stat(inner) is None:
        raise UnknownSource(f"{path} holds no {inner}.", hint=_listing(tree, ""))
    found = data_folders(tree, inner)
    if len(found) == 1:
        place = f"{path}/{found[0]}" if found[0] else str(path)
        return Found(tree, found[0], place, beside=_beside(tree, inner, found[0]))
    if found:
        raise _several(label, found)
    raise UnknownSource(f"{label} holds no data folder of a local world.", hint=_listing(tree, inner))


def _from_file(path: Path) -> Found:
    enclosing = _enclosing(path)
    if enclosing is not None:
        relative = path.resolve().relative_to(enclosing.resolve())
        only = _run_of(relative)
        if only:
            return Found(DiskTree(enclosing), "", str(enclosing), only)
        if relative.parts[0] in _PARTS:
            raise UnknownSource(
                f"{path} lies in a data folder but its name tells no run.", hint=f"Open {enclosing} instead."
            )
    alone = _lone_record(path)
    if alone is not None:
        return alone
    raise UnknownSource(
        f"{path} is no run record.",
        hint="Give a data folder, a file runs/<runId>.json inside one, or an export made by this tool.",
    )


def _lone_record(path: Path) -> Found | None:
    """Accept a run record that was copied out of its folder: a world of one run without events."""
    if path.suffix != ".json" or path.stat().st_size > 64 << 20:
        return None
    data = path.read_bytes()
    fields = parse_record(data).fields
    if fields is None:
        return None
    run_id = fields.get("runId")
    if not isinstance(run_id, str) or "workflowName" not in fields or "status" not in fields:
        return None
    if not run_id or "/" in run_id or "\\" in run_id or run_id.startswith("."):
        return None
    return Found(MemoryTree({f"runs/{run_id}.json": data}, label=str(path)), "", str(path), run_id)


def _enclosing(path: Path) -> Path | None:
    """Return the data folder that ``path`` lies in, at most four levels up."""
    resolved = path.resolve()
    for folder in list(resolved.parents)[:4]:
        inside = resolved.relative_to(folder).parts
        if inside[0] in _PARTS and looks_like_data(DiskTree(folder), ""):
            return folder
    return None


def _run_of(relative: Path) -> str:
    """Return the run a file inside a data folder belongs to, empty when its name does not tell."""
    parsed = read_name(relative.name)
    if parsed is None:
        return ""
    parts = relative.parts
    if parts[0] == "runs" or parts[:2] == ("streams", "runs"):
        return parsed.stem
    if parts[0] in ("events", "steps", "waits"):
        return split_run(parsed.stem)[0]
    return ""


def _archive_in(path: Path) -> tuple[Path, str] | None:
    """Split ``archive.tar.gz/inner`` into the archive and the rest."""
    for folder in path.parents:
        if folder.is_file():
            return (folder, path.relative_to(folder).as_posix()) if is_archive_name(folder.name) else None
        if folder.is_dir():
            return None
    return None


def _several(label: str, found: list[str]) -> UnknownSource:
    names = ", ".join(found[:_MANY]) + (", ..." if len(found) > _MANY else "")
    hint = f"Name one of them, e.g. {label}/{found[0]}"
    return UnknownSource(f"{label} holds {len(found)} data folders: {names}.", hint=hint)


def _emptied(path: Path) -> UnknownSource:
    return UnknownSource(
        f"{path} holds nothing but version.txt: no run was written here yet, or a newer eve that was started "
        "on this folder has deleted what an older one had written.",
        hint="eve 0.80 does so with one line in its log; look there, and for a copy of the folder.",
    )


def _not_ours(path: Path, names: list[str]) -> UnknownSource:
    if names and set(names) <= {"version.txt", ".locks"} and "version.txt" in names:
        return _emptied(path)
    for inside in (".eve/.workflow-data", ".workflow-data", ".next/workflow-data"):
        if (path / inside / "version.txt").is_file():
            return _emptied(path / inside)
    if path.name in (".workflow-data", "workflow-data"):
        return UnknownSource(f"{path} holds no runs/ folder yet.", hint="Start a run, then look again.")
    if not names:
        return UnknownSource(
            f"{path} is an empty folder.",
            hint="Runs appear once the app has run; give the project folder or its .workflow-data folder.",
        )
    if "package.json" in names or ".eve" in names:
        return UnknownSource(
            f"{path} is a project, but it has no run data yet "
            "(looked for .eve/.workflow-data, .workflow-data and .next/workflow-data).",
            hint="Start the app and run something, or name the folder WORKFLOW_LOCAL_DATA_DIR points to.",
        )
    shown = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
    below = _below(path, names)
    return UnknownSource(
        f"{path} holds something else ({shown}): no runs/, events/ or steps/ folder.",
        hint=f"There is one in {below}."
        if below
        else _files_below(path, names)
        or "Give the project folder, its .eve or .workflow-data folder, or a copy of the data folder.",
    )


def _files_below(path: Path, names: list[str]) -> str:
    """Say what lies one level further down that may be another kind of source: a dump, an export."""
    for name in names[:_CHILDREN]:
        folder = path / name
        if not name.startswith(".") and folder.is_dir() and not folder.is_symlink():
            try:
                inside = sorted(each.name for each in folder.iterdir())
            except OSError:
                continue
            found = [each for each in inside if each.endswith(_SOURCES)]
            if found:
                return f"{name} holds {', '.join(found[:3])}: try {folder}."
    return ""


def _below(path: Path, names: list[str]) -> str:
    """Return a data folder one level further down, empty when there is none."""
    for name in names[:_CHILDREN]:
        if (path / name).is_dir() and not (path / name).is_symlink():
            found = data_folders(DiskTree(path / name))
            if found:
                return str(path / name / found[0])
    return ""


def _listing(tree: FileTree, base: str) -> str:
    try:
        names = [entry.name for entry in tree.entries(base)]
    except (OSError, NotReadable):
        return ""
    return f"It holds {', '.join(names[:_MANY])}." if names else "It is empty."


def _nearest(path: Path) -> str:
    """Say where the path stops existing."""
    for folder in path.parents:
        if folder.is_dir():
            if str(folder) in (".", "/"):
                return ""
            similar = _similar(folder, path)
            return f"{folder} exists{similar}."
        if folder.exists():
            return f"{folder} is a file, not a folder."
    return ""


def _similar(folder: Path, path: Path) -> str:
    import difflib

    wanted = path.relative_to(folder).parts[0]
    close = difflib.get_close_matches(wanted, _names(folder), n=1)
    return f" and holds {close[0]}" if close else ""


def _names(folder: Path) -> Iterator[str]:
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                yield entry.name
    except OSError:
        return


def _is_windows(source: str) -> bool:
    return _WINDOWS.match(source) is not None


def _wsl(source: str) -> str:
    rest = source[2:].replace("\\", "/")
    return f"/mnt/{source[0].lower()}{rest}" if source[1:2] == ":" else "a mounted share"

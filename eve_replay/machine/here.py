"""Whether a process on this machine works on a data folder: observed, not guessed.

A journal cannot tell a process that died from one that is slow. The machine can: on Linux ``/proc`` shows the
working folder, the open files and the listening ports of every process that this user may look at. eve keeps
its world at ``<working folder>/.eve/.workflow-data``, the SDKs at ``<working folder>/.workflow-data`` or at a
folder of an environment variable, so a server whose working folder is above the data folder is at work on it.

Nothing is sent to a process, nothing is written. Only this machine is seen: not another one that has mounted
the folder, not another container. Elsewhere than on Linux nothing can be seen, and that is said.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Sighting", "Worker", "look"]

#: Programs that look at a project and work on no world: editors, shells and ourselves.
_ONLOOKERS = re.compile(
    r"(?:^|/)(?:(?:ba|z|fi|da|k)?sh|tmux|screen|vim?|nvim|emacs|less|tail|watch|git|ssh|code)$|jupyter|ipykernel|"
    r"eve[-_]replay"
)
#: How far above its data folder a project's working folder may lie: ``project/.eve/.workflow-data``.
_ABOVE = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker:
    """A process that works on the folder.

    Attributes:
        pid: its number.
        command: the beginning of its command line.
        ports: TCP ports it listens on.
        how: what was seen: ``its working folder is ...``, ``it has ... open``.
    """

    pid: int
    command: str
    ports: tuple[int, ...] = ()
    how: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """What was seen.

    Attributes:
        alive: True when a worker was seen, False when every process could be looked at and none works on it,
            None when that cannot be told.
        words: that as a sentence, with what it does not cover.
        workers: the processes.
    """

    alive: bool | None
    words: str
    workers: tuple[Worker, ...] = ()

    @property
    def line(self) -> str:
        """The sentence with how it is known."""
        return f"{'Unknown' if self.alive is None else 'Observed'}: {self.words}"

    def to_json(self) -> dict[str, object]:
        """Return it as plain data."""
        return {
            "alive": self.alive,
            "sentence": self.words,
            "workers": [
                {"pid": each.pid, "command": each.command, "ports": list(each.ports), "how": each.how}
                for each in self.workers
            ],
        }


def look(folder: str | Path | None, *, port: int | None = None, proc: str | Path = "/proc") -> Sighting:
    """Look for processes of this machine that work on a data folder, or listen on a port.

    Args:
        folder: the data folder; None for a store that is no folder (then only the port tells).
        port: where the app would listen on this machine, None when that is not known.
        proc: where the system shows its processes.
    """
    root = Path(proc)
    if not (root / "self" / "cwd").exists():
        return Sighting(
            alive=None,
            words="Processes can be looked at on Linux only (/proc): whether one works on it is not known.",
        )
    wanted = Path(folder).resolve() if folder is not None else None
    listening = _listening(root)
    found: list[Worker] = []
    hidden = 0
    for pid in _pids(root):
        try:
            worker = _worker(root / str(pid), pid, wanted, port, listening)
        except PermissionError:
            hidden += 1
            continue
        except OSError:  # it ended meanwhile
            continue
        if worker is not None:
            found.append(worker)
    return _told(found, hidden, wanted, port)


def _told(found: list[Worker], hidden: int, wanted: Path | None, port: int | None) -> Sighting:
    where = " or ".join(
        part for part in (str(wanted) if wanted else "", f"port {port}" if port is not None else "") if part
    )
    if found:
        first = found[0]
        ports = f", listening on {', '.join(map(str, first.ports))}" if first.ports else ""
        more = f" ({len(found) - 1} more)" if len(found) > 1 else ""
        words = f"Process {first.pid} ({first.command}) is up{ports}: {first.how}{more}."
        return Sighting(alive=True, words=words, workers=tuple(found))
    if hidden:
        return Sighting(
            alive=None,
            words=f"No process that this user may look at works on {where}; {hidden} others could not be "
            "looked at.",
        )
    return Sighting(
        alive=False,
        words=f"No process of this machine works on {where}. Other machines and containers are not seen.",
    )


def _pids(root: Path) -> Iterator[int]:
    for entry in sorted(root.iterdir()):
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            yield int(entry.name)


def _worker(
    folder: Path, pid: int, wanted: Path | None, port: int | None, listening: dict[str, int]
) -> Worker | None:
    command = _command(folder)
    if not command or _ONLOOKERS.search(command.split(" ")[0]) or "eve-replay" in command:
        return None
    inside, sockets = _open(folder, wanted)
    ports = tuple(sorted({listening[each] for each in sockets if each in listening}))
    how = ""
    if inside:
        how = f"it has {inside} open"
    elif wanted is not None and _works_above(folder, wanted) and ports:
        how = f"its working folder is {(folder / 'cwd').readlink()}"
    elif port is not None and port in ports:
        how = f"it listens on port {port}"
    return Worker(pid=pid, command=command[:60], ports=ports, how=how) if how else None


def _command(folder: Path) -> str:
    words = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace").strip()
    return "".join(char if char.isprintable() else "?" for char in words)


def _works_above(folder: Path, wanted: Path) -> bool:
    cwd = (folder / "cwd").readlink()
    return cwd in (wanted, *list(wanted.parents)[:_ABOVE])


def _open(folder: Path, wanted: Path | None) -> tuple[str, list[str]]:
    """Return a file inside the folder that is open, and the sockets (``socket:[INODE]``)."""
    inside = ""
    sockets = []
    for link in (folder / "fd").iterdir():
        try:
            target = str(link.readlink())
        except FileNotFoundError:
            continue
        if target.startswith("socket:["):
            sockets.append(target[8:-1])
        elif wanted is not None and not inside and Path(target).is_relative_to(wanted):
            inside = target
    return inside, sockets


def _listening(root: Path) -> dict[str, int]:
    """Return listening TCP ports by the inode of their socket."""
    found: dict[str, int] = {}
    for name in ("tcp", "tcp6"):
        try:
            lines = (root / "net" / name).read_text("ascii", "replace").splitlines()[1:]
        except OSError:
            continue
        for line in lines:
            parts = line.split()
            if len(parts) > 9 and parts[3] == "0A":
                found[parts[9]] = int(parts[1].rpartition(":")[2], 16)
    return found

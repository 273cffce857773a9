"""Names and versions, and their installation by npm and pip as they are set up on this machine."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path


class Failed(Exception):
    """A target could not be installed or recorded; the message says at what."""


@dataclass(frozen=True, slots=True)
class Target:
    """A package and its version."""

    name: str
    version: str

    @property
    def folder(self) -> str:
        """Name of its folder below the work folder."""
        return f"{self.name.strip('@').replace('/', '-')}-{self.version}"

    def __str__(self) -> str:
        return f"{self.name}@{self.version}"


def parse(text: str) -> Target:
    """Return a target from ``name@version``. Exits with a sentence for another form."""
    name, at, version = text.rpartition("@")
    if not at or not name or not version:
        sys.exit(f"{text!r} is no NAME@VERSION, for example eve@0.80.1 or @workflow/core@4.8.9.")
    return Target(name, version)


def run(*command: str, cwd: Path | None = None, env: dict[str, str] | None = None, seconds: int = 900) -> str:
    """Run a program to its end and return what it printed. Raises Failed with its last words."""
    program = shutil.which(command[0], path=(env or {}).get("PATH"))
    if program is None:
        raise Failed(f"{command[0]} is not installed.")
    try:
        done = subprocess.run(
            [program, *command[1:]], cwd=cwd, env=env, capture_output=True, text=True, timeout=seconds
        )
    except subprocess.TimeoutExpired:
        raise Failed(f"{' '.join(command[:3])} took more than {seconds} s.") from None
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip())[-600:]
        raise Failed(f"{' '.join(command[:4])} failed: {last}")
    return done.stdout


def npm(folder: Path, dependencies: dict[str, str]) -> Path:
    """Install packages into ``folder/node_modules`` (once), and return the folder."""
    package = {"name": "drift", "private": True, "type": "module", "dependencies": dependencies}
    text = json.dumps(package, indent=1)
    there = folder / "package.json"
    if not (there.exists() and there.read_text() == text and (folder / "node_modules").exists()):
        folder.mkdir(parents=True, exist_ok=True)
        there.write_text(text)
        run("npm", "install", "--no-audit", "--no-fund", "--loglevel=error", cwd=folder)
    return folder


def venv(folder: Path, *requirements: str) -> Path:
    """Make a virtual environment with packages (once), and return its Python."""
    python = folder / "venv" / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    mark = folder / "installed.txt"
    if not mark.exists() or mark.read_text().split() != list(requirements):
        run(sys.executable, "-m", "venv", str(folder / "venv"))
        run(str(python), "-m", "pip", "install", "-q", *requirements)
        mark.write_text("\n".join(requirements))
    return python

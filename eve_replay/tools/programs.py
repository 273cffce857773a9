"""Other programs at work: pip, npm, JupyterLite. What goes wrong with them becomes one plain sentence."""

from __future__ import annotations

import importlib.util
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from eve_replay.errors import EveReplayError

__all__ = ["Say", "ToolFailed", "has_module", "npm_pack", "pip_download", "python", "require"]

#: Called with each line of progress.
Say = Callable[[str], None]

_NO_NETWORK = re.compile(
    r"ENOTFOUND|EAI_AGAIN|ECONN|ETIMEDOUT|network|NewConnectionError|NameResolution|ProxyError|SSLError"
    r"|Failed to establish|timed out|unreachable|Cannot connect|ConnectTimeout|Connection (?:refused|reset)",
    re.IGNORECASE,
)
_NO_VERSION = re.compile(
    r"No matching distribution found for ([^\n]+)|ETARGET|E404|is not in this registry|No matching version",
)


class ToolFailed(EveReplayError):
    """A program that is needed is not there, failed, or did not reach its registry (exit code 3)."""

    exit_code = 3


def has_module(name: str) -> bool:
    """Return whether this Python has a module, without importing it."""
    try:
        return importlib.util.find_spec(name) is not None
    except ImportError:
        return False


def require(needs: Iterable[tuple[bool, str, str]], *, purpose: str) -> None:
    """Say everything that is missing at once.

    Args:
        needs: whether it is there, what it is, how to get it.
        purpose: what cannot be done without, "To build the site".

    Raises:
        ToolFailed: something is missing.
    """
    lacking = [(what, how) for there, what, how in needs if not there]
    if lacking:
        names = ", ".join(what for what, _ in lacking)
        hints = "; ".join(dict.fromkeys(how for _, how in lacking))
        raise ToolFailed(f"{purpose}, this is missing: {names}.", hint=f"{hints[:1].upper()}{hints[1:]}.")


def python(words: Sequence[str], *, what: str, folder: Path | None = None) -> str:
    """Run this Python with arguments and return what it printed.

    Args:
        words: its arguments, ``("-m", "pip", "download")``.
        what: what that is called in the message when it fails, "Building the wheel".
        folder: where it runs.

    Raises:
        ToolFailed: it failed; the message ends with the last thing it said.
    """
    return _run([sys.executable, *words], what=what, folder=folder)


def pip_download(
    requirements: Sequence[str], folder: Path, *, options: Sequence[str] = (), sources: Sequence[Path] = ()
) -> None:
    """Download wheels, and nothing that would have to be compiled.

    Args:
        requirements: what to download; dependencies are not followed.
        folder: where the wheels go.
        options: more options of ``pip download``, which say for what machine.
        sources: folders with wheels; when there are any, nothing else is asked.

    Raises:
        ToolFailed: there is no such wheel, or the package index cannot be reached.
    """
    words = ["-m", "pip", "download", "--disable-pip-version-check", "--no-input", "--quiet", "--no-deps"]
    words += ["--only-binary=:all:", "--retries=2", "--dest", str(folder), *options]
    if sources:
        words += ["--no-index", *(f"--find-links={source}" for source in sources)]
    python([*words, *requirements], what="pip download")


def npm_pack(package: str, folder: Path) -> Path:
    """Download a package of the npm registry and return its archive.

    Raises:
        ToolFailed: npm is missing or fails, there is no such version, or the registry cannot be reached.
    """
    npm = shutil.which("npm")
    if npm is None:
        raise ToolFailed("npm is not installed.", hint="It comes with Node.js.")
    words = [npm, "pack", package, "--pack-destination", str(folder), "--loglevel=error", "--prefer-offline"]
    # By default npm tries for minutes before it says that there is no network.
    words += ["--fetch-retries=1", "--fetch-retry-mintimeout=2000", "--fetch-retry-maxtimeout=5000"]
    _run(words, what=f"npm pack {package}", folder=folder)
    found = sorted(folder.glob("*.tgz"))
    if not found:
        raise ToolFailed(f"npm gave no archive of {package}.")
    return found[-1]


def _run(words: Sequence[str], *, what: str, folder: Path | None) -> str:
    import subprocess

    try:
        done = subprocess.run(
            words, cwd=folder, capture_output=True, text=True, encoding="utf-8", errors="replace", check=False
        )
    except OSError as error:
        raise ToolFailed(f"{what} cannot be run: {error.strerror or error}.") from error
    if done.returncode:
        raise _failed(what, done.stderr + done.stdout)
    return done.stdout


def _failed(what: str, told: str) -> ToolFailed:
    if _NO_NETWORK.search(told):
        return ToolFailed(
            f"{what} failed: the package registry cannot be reached.",
            hint="Making it needs internet, using it does not. Nothing was changed.",
        )
    absent = _NO_VERSION.search(told)
    if absent:
        name = (absent.group(1) or "").strip()
        return ToolFailed(
            f"{what} failed: there is no such package for this machine{f' ({name})' * bool(name)}."
        )
    if "No module named pip" in told:
        return ToolFailed("This Python has no pip.", hint="Install it with `python -m ensurepip`.")
    lines = [line.strip() for line in told.splitlines() if line.strip()]
    last = next(
        (line for line in lines if "error" in line.lower()), lines[-1] if lines else "it said nothing"
    )
    return ToolFailed(f"{what} failed: {last[:300]}")

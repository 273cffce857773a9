"""``eve-replay lab``: JupyterLab on the guides, with the source preset."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from eve_replay._version import __version__
from eve_replay.cli.shared.common import Shell, command, echo, source_argument
from eve_replay.cli.shared.options import SOURCE_VARIABLE
from eve_replay.codec.jsontext import loads_json
from eve_replay.errors import EveReplayError, SourceUnreadable, WrongUse
from eve_replay.views.kit.text import line
from eve_replay.views.kit.words import joined

__all__ = ["Copied", "cli", "copy_guides", "open_lab"]

_HERE = "eve-replay-guides"
#: Beside the guides: what each was copied from.
_KNOWN = ".eve-replay-guides.json"
#: The guides promise that nothing leaves the machine: this one asks for news, and looks for updates.
_ASKS_FOR_NEWS = "@jupyterlab/apputils-extension:announcements"


@command("lab")
@source_argument
@click.option(
    "--to", "target", metavar="DIR", help=f"Where the guides are copied, without a question ({_HERE})."
)
@click.option("--yes", is_flag=True, help="Copy them into the current folder without a question.")
@click.option("--port", type=int, help="Port of JupyterLab.")
@click.option("--no-browser", is_flag=True, help="Do not open a browser.")
@click.option("--copy-only", is_flag=True, help="Copy the guides and stop.")
def cli(
    shell: Shell,
    source: str | None,
    target: str | None,
    yes: bool,
    port: int | None,
    no_browser: bool,
    copy_only: bool,
) -> None:
    """Open JupyterLab on the guides.

    The guides are copied into a folder of your own, after a question. Those you did not change are renewed
    after an upgrade, yours stay as they are, and every notebook reads SOURCE unless it names another one.
    JupyterLab's own question about news, and its look for updates, are switched off.
    """
    folder = Path(target or _HERE)
    if target is None and not yes and not folder.is_dir():
        _ask(folder)
    done = copy_guides(folder)
    said = [f"{n} {word}" for word, n in (("renewed", done.renewed), ("kept as they were", done.kept)) if n]
    echo(
        shell,
        [line(f"{done.copied} guides copied to ", (str(folder), "strong"), "".join(f", {s}" for s in said))],
    )
    if done.beside:
        echo(shell, [line(f"You changed {joined(done.changed)}: the new one is {joined(done.beside)}.")])
    if copy_only:
        return
    environment = {}
    if source is not None:
        # The kernels start in the guides' folder: a relative path would mean another place there.
        environment[SOURCE_VARIABLE] = str(Path(source).resolve()) if Path(source).exists() else source
    shell.exit_code = open_lab(folder, port=port, no_browser=no_browser, environment=environment)


def open_lab(
    place: Path, *, port: int | None, no_browser: bool, environment: Mapping[str, str] | None = None
) -> int:
    """Open JupyterLab on a folder or a notebook and return its exit code when it ends.

    Args:
        place: what it shows; of a notebook its folder too.
        port: its port, None for its own choice.
        no_browser: do not open a browser.
        environment: variables that the kernels get beside those of the caller.

    Raises:
        EveReplayError: JupyterLab is not installed.
    """
    if importlib.util.find_spec("jupyterlab") is None:
        raise EveReplayError("JupyterLab is not installed.", hint="pip install 'eve-replay[notebook]'.")
    words = [sys.executable, "-m", "jupyterlab", str(place)]
    if port is not None:
        words.append(f"--port={port}")
    if no_browser:
        words.append("--no-browser")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        words.append(
            "--allow-root"
        )  # JupyterLab refuses root otherwise; the box where an agent ran often is root
    with TemporaryDirectory(prefix="eve-replay-") as quiet:
        config = Path(quiet, "labconfig")
        config.mkdir()
        (config / "page_config.json").write_text(json.dumps({"disabledExtensions": {_ASKS_FOR_NEWS: True}}))
        more = {
            "JUPYTER_CONFIG_PATH": os.pathsep.join(
                filter(None, (quiet, os.environ.get("JUPYTER_CONFIG_PATH")))
            )
        }
        whole = {**os.environ, **more, **(environment or {})}
        return subprocess.run(words, env=whole, check=False).returncode


def _ask(folder: Path) -> None:
    """Ask whether a folder may be made here. Raises WrongUse where nobody can answer, or the answer is no."""
    hint = "Name another place with --to DIR, or say --yes."
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise WrongUse(
            f"May the guides be copied to {folder.absolute()}? Nobody is here to answer.", hint=hint
        )
    if not click.confirm(f"Copy the guides to {folder.absolute()}?", default=True):
        raise WrongUse("Nothing was copied.", hint=hint)


@dataclass(frozen=True, slots=True, kw_only=True)
class Copied:
    """What became of the guides: how many, and which the user had changed, with the names of the new ones."""

    copied: int = 0
    renewed: int = 0
    kept: int = 0
    changed: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()


def copy_guides(folder: Path) -> Copied:
    """Copy the guides into a folder, and renew those of an earlier version that nobody changed.

    Outputs do not count as a change. Of a guide that was changed the new version is put beside it.

    Raises:
        WrongUse: the target is a file.
        SourceUnreadable: the folder cannot be written, or the installation lacks its guides.
    """
    if folder.exists() and not folder.is_dir():
        raise WrongUse(f"{folder} is a file.", hint="Name a folder with --to DIR.")
    guides = _guides()
    known = _known(folder)
    copied = renewed = kept = 0
    changed: list[str] = []
    beside: list[str] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for guide in guides:
            place, new = folder / guide.name, guide.read_bytes()
            mark, old = _mark(new), _mark(place.read_bytes()) if place.exists() else ""
            if not old:
                place.write_bytes(new)
                copied += 1
            elif old != mark and old == known.get(guide.name):
                place.write_bytes(new)
                renewed += 1
            elif old != mark and known.get(guide.name) != mark:
                extra = place.with_name(f"{place.stem}-{__version__}{place.suffix}")
                if not extra.exists():
                    extra.write_bytes(new)
                    changed.append(place.name)
                    beside.append(extra.name)
                kept += 1
                continue  # what it was copied from stays known
            else:
                kept += 1
            known[guide.name] = mark
        (folder / _KNOWN).write_text(json.dumps(known, indent=1), "utf-8")
    except OSError as error:
        raise SourceUnreadable(f"The guides cannot be copied to {folder}: {error.strerror}.") from error
    return Copied(copied=copied, renewed=renewed, kept=kept, changed=tuple(changed), beside=tuple(beside))


def _known(folder: Path) -> dict[str, str]:
    """Return what the guides in a folder were copied from, by name; empty where nobody wrote it down."""
    try:
        known = loads_json((folder / _KNOWN).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return {str(name): str(mark) for name, mark in known.items()} if isinstance(known, dict) else {}


def _mark(text: bytes) -> str:
    """Return a digest of what a notebook's cells say, without their outputs."""
    try:
        cells = loads_json(text.decode("utf-8", "replace"))["cells"]
        said = repr([(cell["cell_type"], "".join(cell["source"])) for cell in cells]).encode()
    except (ValueError, KeyError, TypeError):
        said = text
    return hashlib.sha256(said).hexdigest()


def _guides() -> list[Path]:
    """Return the guides: inside the wheel, or beside the package in a checkout."""
    for place in (
        Path(str(files("eve_replay"))) / "_notebooks",
        Path(str(files("eve_replay"))).parent / "notebooks",
    ):
        found = sorted(place.glob("*.ipynb"))
        if found:
            return found
    raise SourceUnreadable("This installation has no guides.", hint="Install eve-replay again.")

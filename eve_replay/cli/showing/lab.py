"""``eve-replay lab``: JupyterLab on the guides, with the source preset."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

import click

from eve_replay.cli.shared.common import Shell, command, echo, source_argument
from eve_replay.cli.shared.options import SOURCE_VARIABLE
from eve_replay.errors import EveReplayError, SourceUnreadable, WrongUse
from eve_replay.views.kit.text import line

__all__ = ["cli", "copy_guides", "open_lab"]


@command("lab")
@source_argument
@click.option(
    "--to", "target", metavar="DIR", default="eve-replay-guides", help="Where the guides are copied."
)
@click.option("--port", type=int, help="Port of JupyterLab.")
@click.option("--no-browser", is_flag=True, help="Do not open a browser.")
@click.option("--copy-only", is_flag=True, help="Copy the guides and stop.")
def cli(
    shell: Shell, source: str | None, target: str, port: int | None, no_browser: bool, copy_only: bool
) -> None:
    """Open JupyterLab on the guides.

    The guides are copied into a folder of your own, existing files stay as they are, and every notebook
    reads SOURCE unless it names another one.
    """
    folder = Path(target)
    copied, kept = copy_guides(folder)
    remark = f", {kept} kept as they were" if kept else ""
    echo(shell, [line(f"{copied} guides copied to ", (str(folder), "strong"), remark)])
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
    return subprocess.run(words, env=os.environ | (environment or {}), check=False).returncode


def copy_guides(folder: Path) -> tuple[int, int]:
    """Copy the guides into a folder and return how many were copied and how many were there already.

    Raises:
        WrongUse: the target is a file.
        SourceUnreadable: the folder cannot be written, or the installation lacks its guides.
    """
    if folder.exists() and not folder.is_dir():
        raise WrongUse(f"{folder} is a file.", hint="Name a folder with --to DIR.")
    guides = _guides()
    copied = kept = 0
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for guide in guides:
            place = folder / guide.name
            if place.exists():
                kept += 1
                continue
            place.write_bytes(guide.read_bytes())
            copied += 1
    except OSError as error:
        raise SourceUnreadable(f"The guides cannot be copied to {folder}: {error.strerror}.") from error
    return copied, kept


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

"""The folder that a command makes: refused when it is somebody else's, whole when it appears, never half."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

from eve_replay.errors import SourceUnreadable, WrongUse

__all__ = ["beside", "check_place", "move_into_place", "size_of"]


def check_place(out: Path, mark: str, *, force: bool) -> None:
    """Refuse a place that holds something which is not ours to replace.

    Raises:
        WrongUse: it is a file, or a folder with something else in it.
    """
    if out.exists() and not out.is_dir():
        raise WrongUse(f"{out} is a file.", hint="Name a folder.")
    if out.is_dir() and any(out.iterdir()) and not (out / mark).is_file() and not force:
        raise WrongUse(
            f"{out} holds something else.", hint="Name another folder, or replace it with --force."
        )
    if out.resolve() in (Path.cwd(), *Path.cwd().parents):
        raise WrongUse(f"{out} is the folder you are in.", hint="Name a folder inside of it.")


@contextlib.contextmanager
def beside(out: Path) -> Iterator[Path]:
    """Give a folder to work in, on the same disk as ``out``, gone at the end whatever happens.

    Raises:
        SourceUnreadable: there is no room, or no right to write there.
    """
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{out.name}-", dir=out.parent) as scratch:
            yield Path(scratch)
    except OSError as error:
        raise SourceUnreadable(f"{out} cannot be written: {error.strerror or error}.") from error


def move_into_place(made: Path, out: Path) -> None:
    """Put a finished folder where an earlier one may be; that one stays when it fails."""
    aside = made.with_name("earlier")
    if out.exists():
        out.rename(aside)
    try:
        made.rename(out)
    except OSError:
        if aside.exists():
            aside.rename(out)
        raise


def size_of(folder: Path) -> int:
    """Return how many bytes the files of a folder have."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())

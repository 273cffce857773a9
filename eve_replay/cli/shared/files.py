"""Files of ours: written aside and renamed, so that no half file ever stands under the final name."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from eve_replay.errors import WrongUse

__all__ = ["written_aside"]


@contextmanager
def written_aside(target: Path, *, force: bool) -> Iterator[BinaryIO]:
    """Open a file beside ``target`` that takes its name when everything has been written.

    Killed at any moment, the old file (or none) stands under the name. What a killed process left beside it
    is removed by the next one that writes the same target.

    Raises:
        WrongUse: the target exists and ``force`` was not given, or it cannot be written (the message has the
            system's reason).
    """
    if not force and target.exists():
        raise WrongUse(f"{target} exists.", hint="Give another name, or --force to overwrite it.")
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        _sweep(target)
        with part.open("xb") as file:
            yield file
        if force:
            part.replace(target)
        else:
            _take(part, target)
    except OSError as error:
        raise WrongUse(f"{target} cannot be written: {error.strerror or error}.") from None
    finally:
        with suppress(OSError):
            part.unlink()


def _take(part: Path, target: Path) -> None:
    """Give it the name unless somebody took that meanwhile."""
    try:
        target.hardlink_to(part)
    except FileExistsError:
        raise WrongUse(f"{target} exists.", hint="Give another name, or --force to overwrite it.") from None
    except OSError:  # a file system without hard links
        part.replace(target)


def _sweep(target: Path) -> None:
    """Remove what dead processes left of earlier tries."""
    name = re.compile(rf"\.{re.escape(target.name)}\.(\d+)\.part")
    for path in list(target.parent.glob(".*.part")):
        found = name.fullmatch(path.name)
        if found is not None and not _alive(int(found[1])):
            with suppress(OSError):
                path.unlink()


def _alive(process: int) -> bool:
    """Whether a process may still run; where that cannot be asked without harm, yes."""
    if os.name != "posix":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True

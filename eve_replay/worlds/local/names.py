"""What the file names of the local world mean (docs/formats/local.md#files)."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

__all__ = [
    "FileName",
    "is_archive_name",
    "is_noise",
    "is_plain",
    "is_temporary",
    "lock_name",
    "read_name",
    "split_run",
]

#: A world "tag" (test runs have one) comes before the extension; the vendor takes it off by this pattern.
_TAG = re.compile(r"\.([a-zA-Z][a-zA-Z0-9-]*)\Z")
#: The vendor writes to ``<name>.tmp.<ULID>`` and renames; a crash leaves it behind (seen in the sweep).
_TEMPORARY = re.compile(r"\.tmp\.[0-9A-Za-z]+\Z|\A\.workflow-write-test-\d+\Z|\.tmp\Z")
_OWNED = re.compile(r"(?P<run>.+?)-(?P<rest>(?:step|evnt|hook|wait|chnk|attr|strm)_.*)\Z", re.DOTALL)
_RUN = re.compile(r"(?P<run>wrun_[0-9A-Za-z]+)-(?P<rest>.+)\Z", re.DOTALL)
_LOCK = re.compile(
    r"(?P<stem>.+)\.(?P<phase>created|terminal|completed|disposed|pending)(?:\.(?P<tag>[a-zA-Z][a-zA-Z0-9-]*))?\Z"
)
_ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.bz2", ".tbz2", ".tar.zst", ".tzst")
#: No file system we meet allows longer names.
_LONGEST = 255
_NOISE = frozenset({".DS_Store", "Thumbs.db", "desktop.ini", ".gitkeep", ".gitignore", ".keep"})


@dataclass(frozen=True, slots=True)
class FileName:
    """A record's file name without extension and tag."""

    stem: str
    tag: str = ""


def read_name(name: str, suffix: str = ".json") -> FileName | None:
    """Return stem and tag of ``<stem>[.<tag>]<suffix>``, None for a name with another ending."""
    if not name.endswith(suffix) or len(name) == len(suffix):
        return None
    stem = name[: -len(suffix)]
    if "." not in stem:
        return FileName(stem)
    tag = _TAG.search(stem)
    if tag is not None and tag.start() > 0:
        return FileName(stem[: tag.start()], tag.group(1))
    return FileName(stem)


def split_run(stem: str) -> tuple[str, str]:
    """Return ``(run id, the rest)`` of ``<runId>-<id>``; the run id is empty when the name has no such form.

    Run ids are ``wrun_`` and letters (the vendor's own check). Other ids are accepted when what follows the
    hyphen is an id we know.
    """
    found = _RUN.match(stem) or _OWNED.match(stem)
    return (found["run"], found["rest"]) if found else ("", stem)


def lock_name(name: str) -> tuple[str, str, str] | None:
    """Return ``(stem, phase, tag)`` of a lock file's name, None when it is none."""
    found = _LOCK.match(name)
    return (found["stem"], found["phase"], found["tag"] or "") if found else None


def is_archive_name(name: str) -> bool:
    """Whether a file name looks like an archive we open."""
    return name.lower().endswith(_ARCHIVES)


def is_plain(name: str) -> bool:
    """Whether an id or stream name can be a file's name: anything else could lead out of the folder."""
    if not name or name in (".", "..") or len(name) > _LONGEST or any(sign in name for sign in "/\\\0"):
        return False
    try:
        os.fsencode(name)
    except UnicodeEncodeError:
        return False
    return True


def is_temporary(name: str) -> bool:
    """Whether the name is of a file that was being written."""
    return _TEMPORARY.search(name) is not None


def is_noise(name: str) -> bool:
    """Whether the name is of a file that other programs leave everywhere."""
    return name in _NOISE or name.startswith("._")

"""A wall around an answer that is judged, as far as this system lets anybody build one without being root.

On Linux two things are tried in the child itself, before the answer's first line runs, and neither needs a
program to be installed: a network namespace of its own (nothing can be reached, not even this machine), and
Landlock rules (files can be read where Python and its packages lie, and written nowhere). Both hold for
whatever the answer starts. Elsewhere there are limits of time and memory only.

What was built is told with every verdict: a wall that is only hoped for is worse than none.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterable
from pathlib import Path

__all__ = ["BUILT", "build_wall"]

#: What can stand: ``network`` nothing is reached; ``files`` nothing is read but Python, nothing is written.
BUILT = ("network", "files")

_CLONE_NEWUSER, _CLONE_NEWNET = 0x10000000, 0x40000000
_PR_SET_NO_NEW_PRIVS = 38
#: System calls of Landlock: the same numbers on every architecture.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_PATH_BENEATH = 1
_READ = 1 << 0 | 1 << 2 | 1 << 3  # execute, read a file, read a folder
_READ_FILE = 1 << 0 | 1 << 2
#: Everything of the first version: reading, writing, making, removing.
_ALL = (1 << 13) - 1
_SYSTEM = ("/usr", "/lib", "/lib64", "/etc/ssl", "/etc/localtime", "/dev/null", "/dev/urandom", "/dev/zero")


class _Ruleset(ctypes.Structure):
    _fields_ = (("handled_access_fs", ctypes.c_uint64),)


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed_access", ctypes.c_uint64), ("parent_fd", ctypes.c_int32))


def build_wall(own: str = "") -> tuple[str, ...]:
    """Wall this process in, for good.

    Args:
        own: a folder that may be written to, empty for none.

    Returns:
        What stands, some of :data:`BUILT`; empty where nothing does.
    """
    if not sys.platform.startswith("linux"):
        return ()
    try:
        library = ctypes.CDLL(None, use_errno=True)
        library.syscall.restype = ctypes.c_long
    except (OSError, AttributeError):
        return ()
    built = []
    if _alone(library):
        built.append("network")
    if _reads_only(library, _places(), own):
        built.append("files")
    return tuple(built)


def _alone(library: ctypes.CDLL) -> bool:
    """A network of its own, in which nothing is. A user namespace lets somebody do that who is not root."""
    return bool(library.unshare(_CLONE_NEWUSER | _CLONE_NEWNET) == 0 or library.unshare(_CLONE_NEWNET) == 0)


def _places() -> Iterable[str]:
    """What Python itself reads."""
    own = {sys.prefix, sys.base_prefix, sys.exec_prefix, os.path.realpath(sys.executable), *sys.path}
    return sorted({os.path.realpath(each) for each in (*own, *_SYSTEM) if each and Path(each).exists()})


def _reads_only(library: ctypes.CDLL, places: Iterable[str], own: str) -> bool:
    rules = _Ruleset(_ALL)
    made = library.syscall(_CREATE_RULESET, ctypes.byref(rules), ctypes.sizeof(rules), 0)
    if made < 0:
        return False
    try:
        for place in (*places, *filter(None, (own,))):
            handle = os.open(place, os.O_PATH | os.O_CLOEXEC)
            try:
                allowed = _READ if Path(place).is_dir() else _READ_FILE
                beneath = _Beneath(_ALL if place == own else allowed, handle)
                if library.syscall(_ADD_RULE, made, _PATH_BENEATH, ctypes.byref(beneath), 0) != 0:
                    return False
            finally:
                os.close(handle)
        if library.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
            return False
        return bool(library.syscall(_RESTRICT_SELF, made, 0) == 0)
    except OSError:
        return False
    finally:
        os.close(made)

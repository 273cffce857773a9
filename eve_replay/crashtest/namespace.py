"""A network of one's own: on Linux the whole worker stands where no other network can be reached.

Native add-ons and unsealed children get past the preload; past this they do not. Not every system allows it
(plain containers, some distributions, macOS): then the report says so.
"""

from __future__ import annotations

import ctypes
import os
import socket
import struct
import sys
from pathlib import Path

__all__ = ["enter_namespace"]

_NEWNET, _NEWUSER = 0x40000000, 0x10000000
_SIOCSIFFLAGS, _UP_RUNNING = 0x8914, 0x41


def enter_namespace() -> tuple[bool, str]:
    """Move this process (one thread so far) and its children into a network namespace of their own.

    Returns:
        Whether it holds, and how (or why not) in words.
    """
    if not sys.platform.startswith("linux"):
        return False, f"{sys.platform} has no network namespaces"
    libc = ctypes.CDLL(None, use_errno=True)
    uid, gid = os.getuid(), os.getgid()
    how = "as root"
    if libc.unshare(_NEWNET) != 0:
        if libc.unshare(_NEWUSER | _NEWNET) != 0:
            return False, f"the system does not allow it ({os.strerror(ctypes.get_errno())})"
        how = "in a user namespace"
        try:
            Path("/proc/self/setgroups").write_text("deny")
            Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
            Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")
        except OSError as error:
            return True, f"in a user namespace without names ({error.strerror})"
    import fcntl

    with socket.socket() as probe:
        fcntl.ioctl(probe, _SIOCSIFFLAGS, struct.pack("16sh22x", b"lo", _UP_RUNNING))
    return True, how

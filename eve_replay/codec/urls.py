"""Whether text can be a URL at all. Recorded URLs are ``href``s already, so no full parser is needed."""

from __future__ import annotations

import re

__all__ = ["url_fault"]

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")
_SPECIAL = ("http:", "https:", "ws:", "wss:", "ftp:")


def url_fault(text: str) -> bool:
    """Return whether ``new URL(text)`` must fail: no scheme, or a web address without a host."""
    text = text.strip("\x00\x01\x02\x03\x04\x05\x06\x07\x08\t\n\x0b\x0c\r\x0e\x0f\x10\x1b\x1f ")
    match = _SCHEME.match(text)
    if match is None:
        return True
    if match.group().lower() not in _SPECIAL:
        return False
    rest = text[match.end() :].lstrip("/\\")
    host = re.split(r"[/\\?#]", rest, maxsplit=1)[0].rpartition("@")[2]
    return not host or host.startswith(":")

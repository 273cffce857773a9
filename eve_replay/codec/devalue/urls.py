"""URLs and query strings as JS has them. Recorded URLs are ``href``s already, so no full parser is needed."""

from __future__ import annotations

import re

__all__ = ["query_text", "url_fault"]

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")
_PLAIN_QUERY = re.compile(r"(?:[A-Za-z0-9*._+-]+=[A-Za-z0-9*._+-]*(?:&(?!\Z)|\Z))*\Z")
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


def query_text(text: str) -> str:
    """Return what ``new URLSearchParams(text)`` prints."""
    text = text.removeprefix("?")
    if _PLAIN_QUERY.match(text):
        return text
    from urllib.parse import parse_qsl, quote_plus  # Rare, and 3 ms to load.

    def encoded(part: str) -> str:
        return quote_plus(part, safe="*", errors="replace").replace("~", "%7E")

    pairs = parse_qsl(text, keep_blank_values=True, errors="replace")
    return "&".join(f"{encoded(name)}={encoded(value)}" for name, value in pairs)

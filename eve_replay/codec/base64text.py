"""Base64 as Node reads it: what is not of the alphabet is skipped, nothing is an error."""

from __future__ import annotations

import binascii
import re

__all__ = ["decode_base64", "decoded_size"]

_SKIPPED = re.compile(r"[^A-Za-z0-9+/]")
_URL_SAFE = str.maketrans("-_", "+/")


def decode_base64(text: str) -> tuple[bytes, bool]:
    """Return the bytes and whether the text was plain, strict base64."""
    try:
        return binascii.a2b_base64(text, strict_mode=True), True
    except (binascii.Error, ValueError):
        pass
    kept = _SKIPPED.sub("", text.translate(_URL_SAFE))
    if len(kept) % 4 == 1:
        kept = kept[:-1]
    return binascii.a2b_base64(kept + "=" * (-len(kept) % 4)), False


def decoded_size(text: str) -> int:
    """Return how many bytes strict base64 text stands for, without decoding it."""
    return (
        len(text) // 4 * 3 - (text.endswith("=") + text.endswith("=="))
        if len(text) % 4 == 0
        else len(text) * 3 // 4
    )

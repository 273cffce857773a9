"""Base64 as Node reads it: what is not of the alphabet is skipped, nothing is an error."""

from __future__ import annotations

import binascii
import re

__all__ = ["decode_base64", "decoded_size"]

_SKIPPED = re.compile(r"[^A-Za-z0-9+/]")
_URL_SAFE = str.maketrans("-_", "+/")


def decode_base64(text: str) -> tuple[bytes, bool]:
    """Return the bytes and whether the text was plain, strict base64.

    Node stops at the first ``=``, skips everything else that is not of either alphabet, and drops a
    lone last character (tried with Node 24 on random texts).
    """
    try:
        return binascii.a2b_base64(text, strict_mode=True), True
    except (binascii.Error, ValueError):
        pass
    kept = _SKIPPED.sub("", text.partition("=")[0].translate(_URL_SAFE))
    if len(kept) % 4 == 1:
        kept = kept[:-1]
    return binascii.a2b_base64(kept + "=" * (-len(kept) % 4)), False


def decoded_size(text: str) -> int:
    """Return how many bytes strict base64 text stands for, without decoding it."""
    padding = 2 if text.endswith("==") else 1 if text.endswith("=") else 0
    return (len(text) - padding) * 3 // 4

"""How one text became another, by words: what a person reads, not a list of character positions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from eve_replay.diff.sequence import align

__all__ = ["Piece", "text_pieces"]

_WORDS = re.compile(r"\w+|\s+|[^\w\s]")
_CLAUSES = re.compile(r"[^\n.,;{}]*[\n.,;{}]+|[^\n.,;{}]+")

#: Above this many characters on both sides the differing middle is compared by clauses first (lines,
#: sentences, JSON members), then by words inside those that differ: 3 MB of prose has 800,000 words.
_LONG = 60_000
#: A differing region longer than this is shown as replaced: word by word it would take over a second.
_REPLACED = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A stretch of text that stayed, went or came; all pieces but ``added`` joined give the old text."""

    kind: Literal["same", "removed", "added"]
    text: str


def text_pieces(before: str, after: str) -> tuple[Piece, ...]:
    """Return the pieces that lead from ``before`` to ``after``, by words, in reading order.

    Texts that share hardly anything give one removed and one added piece: a salad of matching blanks
    and commas helps nobody.
    """
    head = _common_prefix(before, after)
    tail = _common_suffix(before, after, head)
    left, right = before[head : len(before) - tail], after[head : len(after) - tail]
    pieces: list[tuple[str, str]] = [("same", before[:head])]
    pieces.extend(_middle(left, right))
    pieces.append(("same", before[len(before) - tail :] if tail else ""))
    return _merged(pieces)


def _middle(left: str, right: str) -> list[tuple[str, str]]:
    if not left or not right:
        return [("removed", left), ("added", right)]
    if len(left) > _LONG and len(right) > _LONG:
        return _by_clauses(left, right)
    return _by_words(left, right)


def _by_clauses(left: str, right: str) -> list[tuple[str, str]]:
    out: list[tuple[str, str]] = []
    for kind, old, new in _gaps(_CLAUSES.findall(left), _CLAUSES.findall(right)):
        if kind == "same" or len(old) + len(new) > _REPLACED or not old or not new:
            out.extend([("same", old)] if kind == "same" else [("removed", old), ("added", new)])
        else:
            out.extend(_by_words(old, new))
    return out


def _by_words(left: str, right: str) -> list[tuple[str, str]]:
    gaps = _gaps(_WORDS.findall(left), _WORDS.findall(right))
    kept = sum(len(old.strip()) for kind, old, _ in gaps if kind == "same")
    if kept * 5 < min(len(left), len(right)):
        return [("removed", left), ("added", right)]
    out: list[tuple[str, str]] = []
    for kind, old, new in gaps:
        out.extend([("same", old)] if kind == "same" else [("removed", old), ("added", new)])
    return out


def _gaps(left: Sequence[str], right: Sequence[str]) -> list[tuple[str, str, str]]:
    """Return ``(kind, old text, new text)`` for stretches that match and stretches between them."""
    out: list[tuple[str, str, str]] = []
    i = j = 0
    run: list[str] = []
    for at, to in [*align(left, right), (len(left), len(right))]:
        if at > i or to > j:
            if run:
                out.append(("same", "".join(run), ""))
                run = []
            out.append(("changed", "".join(left[i:at]), "".join(right[j:to])))
        if at < len(left):
            run.append(left[at])
        i, j = at + 1, to + 1
    if run:
        out.append(("same", "".join(run), ""))
    return out


def _merged(pieces: list[tuple[str, str]]) -> tuple[Piece, ...]:
    """Join neighbours; a single blank between two changes belongs to them (word by word is unreadable)."""
    old = new = ""
    out: list[Piece] = []

    def flush() -> None:
        nonlocal old, new
        if old:
            out.append(Piece(kind="removed", text=old))
        if new:
            out.append(Piece(kind="added", text=new))
        old = new = ""

    solid = [piece for piece in pieces if piece[1]]
    for at, (kind, text) in enumerate(solid):
        if kind == "removed":
            old += text
        elif kind == "added":
            new += text
        elif (old or new) and text in (" ", "\t") and any(k != "same" for k, _ in solid[at + 1 : at + 2]):
            old, new = old + text, new + text
        else:
            flush()
            if out and out[-1].kind == "same":
                text = out.pop().text + text
            out.append(Piece(kind="same", text=text))
    flush()
    return tuple(out)


def _common_prefix(a: str, b: str) -> int:
    """Return the length of the common beginning, cut back to a word's start (halving, C-speed slices)."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    if low < len(a) or low < len(b):
        while low and (a[low - 1].isalnum() or a[low - 1] == "_"):
            low -= 1
    return low


def _common_suffix(a: str, b: str, head: int) -> int:
    """Return the length of the common end, not reaching into the common beginning."""
    low, high = 0, min(len(a), len(b)) - head
    while low < high:
        middle = (low + high + 1) // 2
        if a[len(a) - middle : len(a) - low] == b[len(b) - middle : len(b) - low]:
            low = middle
        else:
            high = middle - 1
    if low < len(a) - head or low < len(b) - head:
        while low and (a[len(a) - low].isalnum() or a[len(a) - low] == "_"):
            low -= 1
    return low

r"""The one place that makes text from a journal safe to draw, and that knows how wide it is.

A payload can hold anything: ANSI and OSC sequences, bidirectional overrides, zero-width characters,
lone surrogates. ``safe_text`` shows them as escapes (``\x1b``, ``\u202e``), never obeys them. The
result is for eyes, not for reading back: exact bytes are what ``--json`` is for.

Widths follow what current terminals do: East Asian wide characters and emoji take two cells,
combining marks none, a joined emoji sequence as much as its first member.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

__all__ = ["cut", "display_width", "graphemes", "pad", "safe_lines", "safe_text", "wrap"]

_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f", "\v": "\\v", "\0": "\\0"}
_ZWNJ, _ZWJ, _VS16, _KEYCAP = "\u200c", "\u200d", "\ufe0f", "\u20e3"
#: Format characters that draw something (Arabic number signs and the like).
_VISIBLE_FORMAT = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd")
#: Letters and symbols that draw nothing: fillers and the blank braille pattern.
_BLANK = frozenset("\u115f\u1160\u3164\uffa0\u2800\u034f\u17b4\u17b5")
#: Marks stacked on one character beyond this are written out: they would cover neighbouring lines.
_MAX_MARKS = 8
#: Anything that needs a closer look; the common text has none and is returned as it is.
_SUSPECT = re.compile(
    "[\\x00-\\x1f\\x7f-\\x9f\\xad\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0600-\u061c\u064b-\u065f\u0670\u06d6-\u06ed"
    "\u070f-\u1aff\u1dc0-\u1dff\u200b-\u200f\u2028-\u202e\u2060-\u206f\u20d0-\u20ff\u2800\u302a-\u302f\u3099\u309a\u3164"
    "\ua66f-\uabff\ud800-\uf8ff\ufe00-\ufe2f\ufdd0-\ufdef\ufeff\uffa0\ufff0-\uffff\U00010000-\U0010ffff]"
)


def _escape(char: str) -> str:
    code = ord(char)
    if char in _NAMED:
        return _NAMED[char]
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _is_emoji_block(code: int) -> bool:
    """Blocks where newer Unicode adds emoji: a Python older than the emoji still shows it."""
    return 0x1F300 <= code <= 0x1FAFF


def _is_mark(char: str) -> bool:
    return unicodedata.category(char) in ("Mn", "Me", "Mc")


def _joins(before: str, after: str) -> bool:
    """Whether a joiner between the two does its work: emoji sequences, Indic and Arabic letters."""
    return (
        bool(before)
        and bool(after)
        and ord(before) >= 0x300
        and ord(after) >= 0x300
        and not before.isspace()
        and not after.isspace()
        and unicodedata.category(before) != "Cf"
        and unicodedata.category(after) != "Cf"
    )


def _shown(text: str, index: int, marks: int) -> bool:
    """Whether the character may be drawn as it is; ``marks`` is how many marks came right before."""
    char = text[index]
    category = unicodedata.category(char)
    if char in (_ZWJ, _ZWNJ):
        return _joins(text[index - 1 : index] if index else "", text[index + 1 : index + 2])
    if category == "Cf":
        return char in _VISIBLE_FORMAT
    if category in ("Cc", "Cs", "Co", "Zl", "Zp") or char in _BLANK:
        return False
    if category == "Cn":
        return _is_emoji_block(ord(char))
    if "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef":
        return bool(index) and not _is_mark(text[index - 1]) and not text[index - 1].isspace()
    if category in ("Mn", "Me", "Mc"):
        return marks < _MAX_MARKS
    return True


def safe_text(text: str) -> str:
    r"""Return ``text`` as one line in which nothing is invisible, obeyed, or reorders the rest.

    Line ends and tabs become ``\n`` and ``\t``; control, bidirectional, zero-width and private
    characters and lone surrogates become escapes. Doing it twice changes nothing.
    """
    if text.isascii() and text.isprintable():
        return text
    if _SUSPECT.search(text) is None:
        return text
    out: list[str] = []
    marks = 0
    for index, char in enumerate(text):
        if " " <= char <= "~" or _shown(text, index, marks):
            out.append(char)
        else:
            out.append(_escape(char))
        marks = marks + 1 if char > "\u02ff" and _is_mark(char) else 0
    return "".join(out)


def safe_lines(text: str) -> list[str]:
    """Return ``text`` as safe lines: line ends split, tabs become spaces to the next stop of four."""
    lines = []
    for line in text.replace("\r\n", "\n").split("\n"):
        first, *rest = (safe_text(part) for part in line.split("\t"))
        for part in rest:
            first += " " * (4 - display_width(first) % 4) + part
        lines.append(first)
    return lines


def _cell_width(char: str) -> int:
    code = ord(char)
    if 0x20 <= code < 0x7F:
        return 1
    category = unicodedata.category(char)
    if category in ("Mn", "Me", "Mc", "Cf", "Cc") and char not in _VISIBLE_FORMAT:
        return 0
    if 0x1160 <= code <= 0x11FF:  # medial and final Hangul letters join the one before
        return 0
    if unicodedata.east_asian_width(char) in ("W", "F"):
        return 2
    return 2 if category == "Cn" and _is_emoji_block(code) else 1


def _is_regional(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _is_skin(char: str) -> bool:
    return "\U0001f3fb" <= char <= "\U0001f3ff"


def graphemes(text: str) -> Iterator[tuple[str, int]]:
    """Yield ``(cluster, cells)``: what a person sees as one character, and the cells it takes."""
    index, end = 0, len(text)
    while index < end:
        start = index
        first = text[index]
        index += 1
        if first < "\u0300" and (index == end or text[index] < "\u0300"):
            yield first, _cell_width(first)
            continue
        width = _cell_width(first)
        if _is_regional(first) and index < end and _is_regional(text[index]):
            index += 1
            width = 2
        while index < end:
            char = text[index]
            if char == _ZWJ and index + 1 < end and _joins(text[index - 1], text[index + 1]):
                index += 2
            elif char == _VS16:
                width = max(width, 2) if width else width
                index += 1
            elif (_is_skin(char) and width == 2) or (char >= "\u0300" and _cell_width(char) == 0):
                index += 1
            else:
                break
        yield text[start:index], width


def display_width(text: str) -> int:
    """Return how many terminal cells ``text`` takes (text should be safe already)."""
    if text.isascii():
        return len(text)
    return sum(width for _, width in graphemes(text))


def cut(text: str, width: int, *, end: str = "…", keep: str = "start") -> str:
    """Return ``text`` in at most ``width`` cells, with ``end`` where something was left out.

    Args:
        text: safe text.
        width: cells available; 0 or less gives an empty string.
        end: the mark for what is missing.
        keep: ``start`` cuts at the end, ``end`` cuts at the start, ``both`` cuts in the middle.
    """
    if width <= 0:
        return ""
    if display_width(text) <= width:
        return text
    room = width - display_width(end)
    if room <= 0:
        return _head(end, width)
    if keep == "end":
        return end + _tail(text, room)
    if keep == "both":
        left = (room + 1) // 2
        return _head(text, left) + end + _tail(text, room - left)
    return _head(text, room) + end


def _head(text: str, width: int) -> str:
    if text[: width + 1].isascii():  # no mark can join what is kept
        return text[:width]
    used, out = 0, []
    for cluster, cells in graphemes(text):
        if used + cells > width:
            break
        used += cells
        out.append(cluster)
    return "".join(out)


def _tail(text: str, width: int) -> str:
    used, out = 0, []
    for cluster, cells in reversed(list(graphemes(text))):
        if used + cells > width:
            break
        used += cells
        out.append(cluster)
    return "".join(reversed(out))


def pad(text: str, width: int, *, align: str = "left") -> str:
    """Return ``text`` filled with spaces to ``width`` cells; longer text stays as it is.

    ``align`` is ``left``, ``right`` or ``centre``.
    """
    missing = width - display_width(text)
    if missing <= 0:
        return text
    if align == "right":
        return " " * missing + text
    if align == "centre":
        return " " * (missing // 2) + text + " " * (missing - missing // 2)
    return text + " " * missing


_WORDS = re.compile(r" +|[^ ]+")
#: Characters that a line may break before and after (ideographs, kana), and the marks that stay with them.
_BREAKS = r"\u2e80-\u2fff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_OPENS, _CLOSES = "“（《〈「『【", "”）》〉」』】，。、：；？！…"
_WIDE = re.compile(f"[{_BREAKS}]")
_MARKS = r"\u0300-\u036f\u200d\ufe00-\ufe0f"
_PIECES = re.compile(
    rf" +|[{_OPENS}]*(?:[{_BREAKS}][{_MARKS}]*|[^ {_BREAKS}{_OPENS}{_CLOSES}]+)[{_CLOSES}]*"
    rf"|[{_OPENS}]+|[{_CLOSES}]+"
)


def wrap(text: str, width: int) -> list[str]:
    """Return safe ``text`` as lines of at most ``width`` cells, broken at spaces where there are any.

    Chinese and Japanese break between any two characters, but no line begins with a comma, a stop or a
    closing bracket, or ends with an opening one, where the width allows it. A word longer than the line
    is broken between characters. Always returns at least one line.
    """
    width = max(width, 2)
    lines: list[str] = []
    line, used = "", 0
    for word in (_PIECES if _WIDE.search(text) else _WORDS).findall(text):
        cells = display_width(word)
        if used + cells <= width:
            line, used = line + word, used + cells
            continue
        if word[0] == " ":
            lines.append(line)
            line, used = "", 0
            continue
        if line.strip() and cells <= width:
            lines.append(line.rstrip(" "))
            line, used = word, cells
            continue
        for cluster, step in graphemes(word):
            if used + step > width and used:
                lines.append(line)
                line, used = "", 0
            line, used = line + cluster, used + step
    if line.strip(" ") or not lines:
        lines.append(line)
    return [part.rstrip(" ") for part in lines]

"""A page as blocks of text, written as Markdown for a ticket or as one HTML file.

Every text is untrusted: a journal may hold HTML, Markdown, escape sequences and text that turns direction.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from eve_replay.views.kit.safe import safe_lines, safe_text

__all__ = ["Block", "Heading", "Items", "Sheet", "Text", "to_html", "to_markdown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A heading; ``level`` 1 to 3."""

    level: Literal[1, 2, 3]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A paragraph; ``code`` for a command to copy."""

    text: str
    code: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """A list of sentences."""

    texts: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A table; columns in ``right`` hold numbers."""

    titles: Sequence[str]
    rows: Sequence[Sequence[str]]
    right: frozenset[int] = frozenset()


Block = Heading | Text | Items | Sheet


def to_markdown(blocks: Iterable[Block]) -> str:
    """Return GitHub-flavoured Markdown; what a text holds of it is written so that it shows as it is."""
    return "\n\n".join(_markdown(block) for block in blocks) + "\n"


def _markdown(block: Block) -> str:
    if isinstance(block, Heading):
        return f"{'#' * block.level} {_plain(block.text)}"
    if isinstance(block, Text):
        return _fenced(block.text) if block.code else _plain(block.text)
    if isinstance(block, Items):
        return "\n".join(f"- {_plain(text)}" for text in block.texts)
    head = "| " + " | ".join(_plain(title) for title in block.titles) + " |"
    rule = (
        "|" + "|".join("--:" if number in block.right else "---" for number in range(len(block.titles))) + "|"
    )
    rows = ["| " + " | ".join(_plain(cell) for cell in row) + " |" for row in block.rows]
    return "\n".join([head, rule, *rows])


#: What Markdown, or HTML inside it, could take for its own; ``@name`` and ``#12`` call people and tickets.
_OWN = re.compile(
    r"[\\`*\[\]<>|~$]|(?<!\w)_|_(?!\w)|&(?=#?\w+;)|(?<!\w)[#@](?=\w)|^(?:[#+-]|\d+[.)])(?=\s)|^=+$"
)


def _plain(text: str) -> str:
    flat = " ".join(safe_text(text).split())
    return _OWN.sub(lambda found: f"{found[0][:-1]}\\{found[0][-1]}", flat)


def _fenced(text: str) -> str:
    shown = "\n".join(safe_lines(text))
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", shown)), default=0))
    return f"{fence}sh\n{shown}\n{fence}"


def to_html(blocks: Sequence[Block], *, title: str) -> str:
    """Return one HTML page: no script, no address, light and dark."""
    body = "\n".join(_html(block) for block in blocks)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_escaped(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _escaped(text: str) -> str:
    return html.escape(safe_text(text))


def _escaped_lines(text: str) -> str:
    return html.escape("\n".join(safe_lines(text)))


def _html(block: Block) -> str:
    if isinstance(block, Heading):
        return f"<h{block.level}>{_escaped(block.text)}</h{block.level}>"
    if isinstance(block, Text):
        return f"<pre>{_escaped_lines(block.text)}</pre>" if block.code else f"<p>{_escaped(block.text)}</p>"
    if isinstance(block, Items):
        return "<ul>" + "".join(f"<li>{_escaped(text)}</li>" for text in block.texts) + "</ul>"
    kind = [' class="n"' if number in block.right else "" for number in range(len(block.titles))]
    head = "".join(f"<th{k}>{_escaped(title)}</th>" for k, title in zip(kind, block.titles, strict=True))
    rows = "".join(
        "<tr>" + "".join(f"<td{k}>{_escaped(cell)}</td>" for k, cell in zip(kind, row, strict=True)) + "</tr>"
        for row in block.rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = (
    ":root{color-scheme:light dark}"
    "body{font:15px/1.5 system-ui,'Noto Sans CJK SC','Microsoft YaHei',sans-serif;max-width:60rem;"
    "margin:2rem auto;padding:0 1rem}"
    "h1{font-size:1.6rem}h2{font-size:1.25rem;margin-top:2rem;border-bottom:1px solid #8886}"
    "h3{font-size:1rem;margin-top:1.5rem}"
    "table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.3rem .6rem;vertical-align:top;"
    "border-bottom:1px solid #8884;overflow-wrap:break-word}"
    "th,td:first-child{white-space:nowrap}.n{text-align:right}"
    "pre{background:#8882;padding:.6rem;overflow-x:auto;border-radius:4px}"
)

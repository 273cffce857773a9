"""``eve-replay docs``: the section that a rule points at, with the recordings that prove it."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import click

from eve_replay.cli.shared.common import Shell, command, echo, echo_table, emit_json, finish
from eve_replay.errors import NotFound, SourceUnreadable
from eve_replay.views.kit.table import Column, Table
from eve_replay.views.kit.text import Line, line

__all__ = ["Page", "Section", "cli", "find", "pages"]

#: The folders of docs/ that ship with the package: what rules and readers rest on.
_SHIPPED = ("evidence", "formats")


class Section(NamedTuple):
    """A part of a page: its name in pointers, its heading and its text, without the sections below it."""

    name: str
    heading: str
    text: str


class Page(NamedTuple):
    """One page: ``name`` as in ``docs/evidence/sweep.md``, without ``docs/`` and ``.md``."""

    name: str
    title: str
    sections: tuple[Section, ...]


@command("docs")
@click.argument("pointer", required=False, metavar="[SECTION]")
def cli(shell: Shell, pointer: str | None) -> None:
    """Read the page or section that a rule points at: what was seen, and in which recordings.

    SECTION is what commands print, docs/evidence/sweep.md#f1, or shorter: sweep#f1, sweep, f1. Without it:
    all pages.
    """
    if pointer is None:
        shown = pages()
        if shell.json:
            emit_json(shell, "docs", "", None, pages=[{"page": p.name, "title": p.title} for p in shown])
        else:
            _list(shell, shown)
        finish(shell)
        return
    page, sections = find(pointer)
    if shell.json:
        found = [{"section": s.name, "heading": s.heading, "text": s.text} for s in sections]
        emit_json(shell, "docs", "", None, page=page.name, title=page.title, sections=found)
    else:
        echo(shell, _told(page, sections))
    finish(shell)


def pages() -> tuple[Page, ...]:
    """Return the pages that ship with the package, the rules first.

    Raises:
        SourceUnreadable: the installation lacks them.
    """
    root = _root()
    found = [path for folder in _SHIPPED for path in sorted((root / folder).glob("*.md"))]
    return tuple(_page(path, f"{path.parent.name}/{path.stem}") for path in found)


def find(pointer: str) -> tuple[Page, tuple[Section, ...]]:
    """Return the page and the sections that a pointer names: one, several (``sweep#f1, #f2``) or all.

    Raises:
        NotFound: there is no such page or section; the message names those there are.
    """
    place, *parts = (part.strip(" ,") for part in pointer.split("#"))
    place = place.removeprefix("docs/").removesuffix(".md")
    every = pages()
    named = [page for page in every if place in (page.name, page.name.rpartition("/")[2])]
    if not named:
        by_section = [(page, s) for page in every for s in page.sections if s.name == place.lower()]
        if not by_section:
            raise NotFound(
                f"There is no page or section {place!a}.", hint="`eve-replay docs` lists the pages."
            )
        return by_section[0][0], (by_section[0][1],)
    page = named[0]
    if not parts:
        return page, page.sections
    sections = {section.name: section for section in page.sections}
    missing = [part for part in parts if part not in sections]
    if missing:
        raise NotFound(
            f"{page.name} has no section {missing[0]!a}.", hint=f"It has {', '.join(filter(None, sections))}."
        )
    return page, tuple(sections[part] for part in parts)


def _root() -> Path:
    """Return the folder of the pages: inside the wheel, or beside the package in a checkout."""
    package = Path(str(files("eve_replay")))
    for place in (package / "_docs", package.parent / "docs"):
        if (place / _SHIPPED[0]).is_dir():
            return place
    raise SourceUnreadable("This installation has no pages.", hint="Install eve-replay again.")


def _page(path: Path, name: str) -> Page:
    head, *rest = re.split(r"^## (.+)\n", path.read_text("utf-8"), flags=re.MULTILINE)
    title, _, lead = head.partition("\n")
    sections = [Section("", "", lead.strip())]
    sections += [
        Section(_slug(heading), heading, text.strip())
        for heading, text in zip(rest[::2], rest[1::2], strict=True)
    ]
    return Page(name, title.lstrip("# "), tuple(sections))


def _slug(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def _told(page: Page, sections: tuple[Section, ...]) -> list[Line]:
    # Lines stay as they are written: a table that is wrapped is no table any more.
    out: list[Line] = [line((f"docs/{page.name}.md", "muted"), "  ", (page.title, "strong"))]
    for section in sections:
        out.append(())
        if section.heading:
            out += [line((f"#{section.name}", "muted"), "  ", (section.heading, "strong")), ()]
        out += [line(text) for text in section.text.splitlines()]
    return out


def _list(shell: Shell, shown: tuple[Page, ...]) -> None:
    rows = [(page.name, page.title) for page in shown]
    columns = (Column(title="page"), Column(title="what it holds", shrink=1))
    echo_table(shell, Table(columns=columns, rows=rows, empty="No pages."))

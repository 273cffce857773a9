"""How the site is built: ``python -m sphinx -W docs build/site``. Needs ``pip install 'eve-replay[docs]'``.

Nothing is fetched while building or reading: theme, fonts and search are files of the site.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import eve_replay

project = "eve-replay"
author = "The eve-replay authors"
version = release = eve_replay.__version__
language = "en"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.napoleon"]
root_doc = "contents"
templates_path = ["templates"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["pictures", "templates"]
html_theme = "furo"
html_title = "eve-replay"
html_theme_options = {"sidebar_hide_name": False}
html_show_sourcelink = False

myst_heading_anchors = 3
autosummary_generate = True
autosummary_imported_members = True
autodoc_typehints = "description"
autodoc_class_signature = "separated"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "undoc-members": False}
napoleon_google_docstring = True
napoleon_use_ivar = True
#: Docstrings are written to be read in an editor: not every ``|`` or ``*`` in them is meant as markup.
suppress_warnings = ["docutils", "ref.python", "autosummary"]

ROOT = Path(__file__).parent.parent
#: Documents of the repository that are pages of the site too.
OUTSIDE = ("README.md", "README.zh.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")


def _bring(_app: object) -> None:
    """Copy the documents that stand beside docs/ into it, with their links turned round."""
    here = ROOT / "docs" / "project"
    here.mkdir(exist_ok=True)
    for name in OUTSIDE:
        text = (ROOT / name).read_text("utf-8")
        text = re.sub(r"\]\(docs/", "](../", text)
        (here / name).write_text(text, "utf-8", newline="\n")


def _read(_app: object, page: str, source: list[str]) -> None:
    """Turn links that leave docs/ to the copies, and pointers of the code into links."""
    depth = page.count("/")
    away, home = "../" * (depth + 1), "../" * depth
    for name in OUTSIDE:
        source[0] = source[0].replace(f"]({away}{name}", f"]({home}project/{name}")


def _link(match: re.Match[str]) -> str:
    page, parts = match[1], re.findall(r"#([\w-]+)", match[2])
    first = f"`{page} <../{page}.html{'#' + parts[0] if parts else ''}>`__"
    more = (f"`#{part} <../{page}.html#{part}>`__" for part in parts[1:])
    shown = f"`{page}#{parts[0]} <../{page}.html#{parts[0]}>`__" if parts else first
    return ", ".join((shown, *more))


def _docstring(_app: object, _what: str, _name: str, _obj: object, _options: Any, lines: list[str]) -> None:
    """Make ``docs/evidence/sweep.md#f1`` in a docstring a link."""
    text = re.sub(r"(?<!`)docs/([\w/-]+)\.md((?:#[\w-]+)?(?:,\s+#[\w-]+)*)", _link, "\n".join(lines))
    lines[:] = text.split("\n")


def setup(app: Any) -> None:
    """Connect the three."""
    app.connect("builder-inited", _bring, priority=100)
    app.connect("source-read", _read)
    app.connect("autodoc-process-docstring", _docstring)

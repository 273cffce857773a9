"""Every pointer to a page or a section of docs/ leads to one that is there.

The form is ``docs/evidence/sweep.md#f1``; ``docs/evidence/observed.md#held, #deltas`` names two sections of
one page. It is used alike in code, tests, lessons, configuration and in what users see on a screen.
"""

import re
import subprocess
import tarfile
from functools import cache
from pathlib import Path

import pytest

from eve_replay import samples

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
POINTER = re.compile(
    r"(?<![\w/.-])docs/((?:[\w-]+/)*[\w-]+\.md)((?:#[\w-]+)?(?:(?:,\s+(?:#:?\s+)?|、)#[\w-]+)*)"
)
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
#: Names of notes that were never in the repository: nothing may rest on them.
OUTSIDE = re.compile(
    r"\b(SWEEP|OBSERVED|LOCAL|FLUE|POSTGRES|HOSTED|EXPORT|OTHERWORLDS|LIBS|DESIGN|CONTRACT|UX|USERS)\.md"
)
TEXTS = (".py", ".md", ".js", ".mjs", ".ts", ".css", ".html", ".toml", ".ipynb", ".json", ".txt", ".svg")


def slug(heading):
    """Return the anchor that GitHub and the site give to a heading."""
    text = re.sub(r"`|\*|\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


@cache
def anchors(page):
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    return frozenset(slug(found) for found in re.findall(r"^#{1,6} (.+)$", text, re.MULTILINE))


@cache
def texts():
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("no git checkout")
    paths = (ROOT / name for name in listed.stdout.split("\0") if name.endswith(TEXTS))
    return tuple((path, path.read_text("utf-8", "replace")) for path in paths if path.is_file())


def missing(page, parts):
    if not page.is_file():
        return [f"there is no {page.relative_to(ROOT)}"]
    return [f"{page.name} has no section {part}" for part in parts if part not in anchors(page)]


def test_every_pointer_leads_to_a_section_that_is_there():
    wrong, seen = [], 0
    for path, text in texts():
        for page, parts in POINTER.findall(text):
            seen += 1
            trouble = missing(DOCS / page, re.findall(r"#([\w-]+)", parts))
            wrong += [f"{path.relative_to(ROOT)}: {what}" for what in trouble]
    assert not wrong
    assert seen > 200  # the pattern still sees what it is there for


def test_every_link_in_a_document_leads_to_something_that_is_there():
    wrong = []
    for path, text in texts():
        if path.suffix != ".md":
            continue
        for target in LINK.findall(text):
            if re.match(r"[a-z]+:", target):
                continue
            name, _, part = target.partition("#")
            page = (path.parent / name) if name else path
            if not page.exists():
                wrong.append(f"{path.relative_to(ROOT)}: {target}")
            elif part and page.suffix == ".md":
                wrong += [f"{path.relative_to(ROOT)}: {what}" for what in missing(page.resolve(), [part])]
    assert not wrong


def test_nothing_rests_on_notes_outside():
    here = Path(__file__)
    assert not [
        f"{path.relative_to(ROOT)}" for path, text in texts() if path != here and OUTSIDE.search(text)
    ]


def test_no_two_sections_of_a_page_have_one_name():
    for page in DOCS.rglob("*.md"):
        named = [slug(found) for found in re.findall(r"^## (.+)$", page.read_text("utf-8"), re.MULTILINE)]
        assert len(named) == len(set(named)), page.name


def test_every_sample_that_a_document_names_opens():
    known = {name for group in ("tour", "workshop", "incidents") for name in samples.names(group)}
    named = {
        (path.name, name)
        for path in (*DOCS.rglob("*.md"), *ROOT.glob("*.md"))
        for name in re.findall(r"sample:([a-z][a-z0-9-]+)", path.read_text("utf-8"))
    }
    assert len(named) > 20 and not [pair for pair in named if pair[1] not in known]
    table = (DOCS / "evidence" / "recordings.md").read_text("utf-8")
    assert not [name for name in known if f"`{name}`" not in table]
    archive = ROOT / "tests" / "corpus" / "crash-kinds.tar.xz"
    with tarfile.open(archive) as packed:
        kinds = {name.partition("/")[0] for name in packed.getnames()} - {"README.md"}
    assert len(kinds) > 20 and not [name for name in kinds if f"`{name}`" not in table]

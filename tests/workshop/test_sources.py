"""The page that holds what the lessons cite: both editions alike, no recording named that is not there."""

import re
from pathlib import Path

from eve_replay import samples

HOME = Path(__file__).parents[2] / "notebooks" / "workshop"
PAGES = [(HOME / folder / "sources.md").read_text("utf-8") for folder in ("", "zh")]
CITED = re.compile(r"docs/evidence/(sweep|observed)\.md((?:#[\w-]+)?(?:(?:, |、)#[\w-]+)*)")


def rows(page):
    return [line.split("|")[1:-1] for line in page.splitlines() if line.startswith("|")]


def test_both_editions_have_the_same_rows_and_name_the_same_recordings():
    english, chinese = (rows(page) for page in PAGES)
    assert [len(row) for row in english] == [len(row) for row in chinese] and len(english) > 20
    for one, other in zip(english, chinese, strict=True):
        assert re.findall(r"`[^`]+`", "".join(one)) == re.findall(r"`[^`]+`", "".join(other))


def test_every_recording_it_names_can_be_opened():
    known = {*samples.names(), *samples.names("workshop")}
    named = {name for row in rows(PAGES[0]) if len(row) == 3 for name in re.findall(r"`([a-z-]+)`", row[2])}
    assert named and named <= known


def test_every_section_that_a_lesson_cites_is_on_it():
    held = {
        (note, row[0].strip(" `#"))
        for note, part in re.findall(
            r"## docs/evidence/(sweep|observed)\.md(.*?)(?=\n## |\Z)", PAGES[0], re.DOTALL
        )
        for row in rows(part)
    }
    cited = {
        (note, section)
        for folder in (HOME, HOME / "zh")
        for path in folder.glob("*.ipynb")
        for note, sections in CITED.findall(path.read_text("utf-8"))
        for section in re.findall(r"#([\w-]+)", sections)
    }
    assert cited and cited <= held, cited - held

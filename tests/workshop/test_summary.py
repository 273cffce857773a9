"""The page that is handed out: one sheet of A4 in each language, without anything from elsewhere."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.e2e.lab import FLAGS, chromium

HOME = Path(__file__).parents[2] / "notebooks" / "workshop" / "instructor"
PAGES = sorted(HOME.glob("summary.*.html"))


def test_both_languages_have_one():
    assert [page.name for page in PAGES] == ["summary.en.html", "summary.zh.html"]
    english, chinese = (page.read_text("utf-8") for page in PAGES)
    for tag in ("<h2>", "<tr>", "<li>", "<rect"):
        assert english.count(tag) == chinese.count(tag)
    for page in (english, chinese):
        assert "http" not in page and "<script" not in page and "src=" not in page
        assert page.count("!") == 1 and "\uff01" not in page  # that of the doctype
    assert 'lang="zh-CN"' in chinese


@pytest.mark.browser
@pytest.mark.skipif(chromium() is None, reason="no Chromium found")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_it_prints_on_one_sheet(page, tmp_path):
    sheet = tmp_path / "sheet.pdf"
    words = [chromium(), "--headless", *FLAGS, "--no-pdf-header-footer", f"--print-to-pdf={sheet}"]
    subprocess.run(
        [*words, f"--user-data-dir={tmp_path / 'profile'}", page.as_uri()],
        check=True,
        capture_output=True,
        timeout=60,
    )
    pdf = sheet.read_bytes()
    assert len(re.findall(rb"/Type\s*/Page[^s]", pdf)) == 1
    width, height = map(float, re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", pdf).groups())
    assert abs(width - 595) < 2 and abs(height - 842) < 2  # A4 in points

"""The edition in a browser, built as an instructor builds it and used as a learner uses it, with no internet.

Needs npm, pip and their registries for the building; the browser may reach the site and nothing else.
"""

import contextlib
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from tests.e2e.lab import ROOT, run_all, shot
from tests.support.programs import running

pytestmark = [pytest.mark.browser, pytest.mark.site]

_START = 90_000


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, built by its one command."""
    out = tmp_path_factory.mktemp("site") / "site"
    words = [sys.executable, "-m", "eve_replay", "workshop", "site", str(out)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, encoding="utf-8")
    if done.returncode == 3 and ("cannot be reached" in done.stderr or "is missing" in done.stderr):
        pytest.skip(f"the site cannot be built here: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr
    assert "http.server" in done.stdout and "MB" in done.stdout
    return out


@pytest.fixture(scope="module")
def home(site):
    """The address of the site, served as its README says."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [sys.executable, "-m", "http.server", "--bind", "127.0.0.1", "--directory", str(site), str(port)]
    address = f"http://127.0.0.1:{port}"
    with running(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
        for _ in range(100):
            with contextlib.suppress(OSError):
                urllib.request.urlopen(address, timeout=2).close()
                break
            time.sleep(0.1)
        yield address


def shows(page, selector, timeout=60_000):
    """Scroll the notebook until an element is there: JupyterLab keeps only the cells in view."""
    page.mouse.move(700, 450)
    page.mouse.wheel(0, -30_000)
    end = time.monotonic() + timeout / 1000
    while time.monotonic() < end:
        if page.query_selector(selector):
            page.locator(selector).first.scroll_into_view_if_needed()
            return page.locator(selector).first
        page.mouse.wheel(0, 500)
        page.wait_for_timeout(150)
        at_end = page.evaluate(
            "() => { const e = document.querySelector('.jp-WindowedPanel-outer');"
            " return !e || e.scrollTop + e.clientHeight >= e.scrollHeight - 2; }"
        )
        if at_end:
            page.wait_for_timeout(400)
            page.mouse.wheel(0, -30_000)
    shot(page, "failed-site")
    raise AssertionError(f"{selector} did not appear")


def test_a_lesson_is_done_in_the_browser_alone(site, home, watched):
    page = watched.page
    refused = []

    def only_home(route):
        if route.request.url.startswith(home):
            route.continue_()
        else:
            refused.append(route.request.url)
            route.abort()

    page.context.route("**/*", only_home)
    page.goto(home)
    assert page.locator("li a").count() >= 16
    page.click('section[lang="en"] li a >> nth=0')
    page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=_START)
    page.wait_for_selector('.jp-StatusBar-TextItem:text-matches("Pyodide.* Idle")', timeout=_START)
    run_all(page)

    shows(page, ".jp-OutputArea-output:has-text('about 15 minutes')", timeout=_START)
    shows(page, ".er-root .er-tree, .er-root [role=tree]")
    shot(page, "site-explorer")
    verdict = shows(page, ".jp-OutputArea-output:has-text('Not yet')")
    assert "is sent twice" in verdict.text_content()

    # The answer of the solution, put in as a person pastes it; then the check once more.
    answer = (ROOT / "notebooks" / "workshop" / "solutions" / "lesson_01.py").read_text("utf-8")
    answer = answer[answer.index("def ") :]
    shows(page, ".jp-CodeCell:has-text('def send_mail') .cm-content").click()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.insert_text(answer)
    page.keyboard.press("Shift+Enter")
    shows(page, ".jp-CodeCell:has-text('here.check(send_mail)') .cm-content").click()
    page.keyboard.press("Shift+Enter")
    passed = shows(page, ".jp-CodeCell:has-text('here.check(send_mail)') .jp-OutputArea-output:has-text('✓')")
    assert "Not yet" not in passed.text_content()
    shot(page, "site-passed")

    # Progress is kept beside the lesson, in the browser.
    page.wait_for_selector(".jp-DirListing-item:has-text('workshop-progress.json')", timeout=30_000)
    assert refused == [] and watched.abroad == []
    # Looking whether a file is called "sample:..." asks the site for it; that there is none is no fault.
    faults = [each for each in watched.errors if "sample" not in each and "/api/contents/" not in each]
    assert faults == []


def test_what_the_site_is_made_of(site):
    files = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
    assert {"index.html", "README.txt", "site.json", "files/zh/01-the-mail-sent-twice.ipynb"} <= files
    assert not [each for each in files if "solution" in each or "instructor" in each]
    wheel = next(each for each in files if Path(each).name.startswith("eve_replay-"))
    import zipfile

    with zipfile.ZipFile(site / wheel) as archive:
        inside = archive.namelist()
    assert not [each for each in inside if "_notebooks" in each or "_tui" in each]
    assert sum((site / each).stat().st_size for each in files) < 60 << 20

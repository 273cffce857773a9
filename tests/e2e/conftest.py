"""One Jupyter server and one Chromium for all browser tests; skipped with a reason where they cannot run."""

from __future__ import annotations

import pytest

from tests.e2e.lab import FLAGS, Watched, chromium, missing, server, write

#: What the notebooks of the tests show; each test opens its own so that kernels do not mix.
EXPLORE = (
    "import eve_replay as er\njournal = er.open_journal('sample:crash-in-tool')\n"
    "session = journal.session()\n"
)


def pytest_collection_modifyitems(items):
    reason = missing()
    for item in items:
        if (
            "tests/e2e" in item.location[0].replace("\\", "/")
            and any(item.iter_markers("browser"))
            and reason
        ):
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("lab")


@pytest.fixture(scope="session")
def address(folder):
    with server(folder) as where:
        yield where


@pytest.fixture(scope="package")
def browser():
    """Closed when the tests of this folder are done: Playwright keeps an event loop running until then."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        found = play.chromium.launch(executable_path=chromium(), args=list(FLAGS))
        yield found
        found.close()


@pytest.fixture
def watched(browser):
    """Give a page of 1280x800 that notes every error and every request to elsewhere."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    watched = Watched(context.new_page())
    yield watched
    context.close()


@pytest.fixture
def opened(watched, address, folder, request):
    """Open and run a notebook of the given cells in JupyterLab; returns the page."""
    from tests.e2e.lab import open_notebook, run_all, shot

    def opening(*cells, wait=".er-root"):
        name = f"{request.node.name.replace('[', '-').replace(']', '')}.ipynb"
        write(folder, name, *cells)
        open_notebook(watched.page, address, name)
        run_all(watched.page)
        try:
            watched.page.wait_for_selector(wait, timeout=20_000)
        except Exception:
            shot(watched.page, f"failed-{request.node.name}")
            raise
        return watched.page

    return opening

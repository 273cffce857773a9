"""An explorer that follows a folder, in a real JupyterLab: new events arrive, the reader's place stays."""

import shutil

import pytest

from tests.support.corpus import data

pytestmark = pytest.mark.browser


def test_new_events_arrive_and_the_place_stays(opened, watched, tmp_path):
    whole, folder = data("crash-in-tool"), tmp_path / "data"
    shutil.copytree(whole, folder)
    late = [path for path in folder.glob("events/**/*.json") if path.stem[-26:] > f"{15:026d}"]
    for path in late:
        path.unlink()
    page = opened(f"import eve_replay as er\ner.explore({str(folder)!r}, live=True)")
    page.wait_for_selector(".er-row.er-chosen")
    assert "live" in page.inner_text(".er-head")
    page.locator(".er-explorer").focus()
    for key in ("n", "n", "n"):
        page.keyboard.press(key)
    page.keyboard.press("r")
    before, chosen = page.inner_text(".er-place"), page.get_attribute(".er-row.er-chosen", "data-key")
    # A sheet that somebody reads stays: what is new comes when it is closed.
    page.keyboard.press("?")
    page.wait_for_selector(".er-sheet:not([hidden])")
    page.evaluate("document.querySelector('.er-explorer').id = 'old'")
    for path in late:
        shutil.copy(whole / path.relative_to(folder), path)
    page.wait_for_timeout(2500)
    assert page.is_visible("#old .er-sheet")
    page.keyboard.press("Escape")
    page.wait_for_selector(".er-explorer:not(#old) .er-row.er-chosen", timeout=10_000)
    after = page.inner_text(".er-place")
    assert after.split()[0] == before.split()[0] and int(after.split()[2]) > int(before.split()[2])
    assert page.get_attribute(".er-row.er-chosen", "data-key") == chosen
    assert page.get_attribute(".er-tab[aria-selected=true]", "data-tab") == "raw"
    assert page.evaluate("document.activeElement.classList.contains('er-explorer')")
    page.keyboard.press("n")
    assert page.inner_text(".er-place") != after
    watched.clean()

"""The crash lab and the attempt diff in a real JupyterLab: drag, step, choose, guess."""

# ruff: noqa: E501  # JavaScript reads better unbroken

import time

import pytest

from tests.e2e.conftest import EXPLORE
from tests.e2e.lab import shot, theme

pytestmark = pytest.mark.browser
SHOWN = EXPLORE + "from eve_replay.notebook import crash_lab, attempt_diff\n"


def settled(page):
    """Wait until the answer belongs to the point that is shown."""
    page.wait_for_function(
        """() => { const a = document.querySelector('.er-answer'), s = document.querySelector('.er-strip');
        return a && s && a.getAttribute('data-shown') === String(Number(s.getAttribute('aria-valuenow')) - 1); }"""
    )
    return int(page.get_attribute(".er-strip", "aria-valuenow"))


def test_drag_step_and_choose(opened, watched):
    page = opened(SHOWN + "crash_lab(session)", wait=".er-block")
    page.locator(".er-lab").scroll_into_view_if_needed()
    start = settled(page)
    assert "inside" in page.inner_text(".er-where")  # it opens inside a tool, where one cannot be sure
    line = page.locator(".er-crashline").bounding_box()
    page.mouse.move(line["x"] + 1, line["y"] + 60)
    page.mouse.down()
    page.mouse.move(line["x"] + 400, line["y"] + 60, steps=8)
    page.mouse.up()
    dragged = settled(page)
    assert dragged > start
    page.locator(".er-lab").focus()
    for key, by in (("ArrowLeft", -1), ("]", 1), ("[", -1), ("ArrowRight", 1)):
        page.keyboard.press(key)
        dragged += by
        assert settled(page) == dragged
    strip = page.locator(".er-strip").bounding_box()
    page.mouse.click(strip["x"] + strip["width"] * 0.51, strip["y"] + 10)
    assert settled(page) == 55
    # a strategy changes what the outside sees, here and in the matrix
    card = '.er-answer tr:has(th:has-text("charge_card"))'
    assert "may have run twice" in page.inner_text(card)
    options = page.locator('select[aria-label="charge_card"] option').all_inner_texts()
    assert options[0] == "as recorded: nothing" and len(options) > 5
    assert (
        page.locator('select[aria-label="send_email"] option').first.inner_text()
        == "as recorded: key from the call id"
    )
    shot(page, "crashlab-before")
    page.select_option('select[aria-label="charge_card"]', "coordinates")
    page.wait_for_function(
        f"() => !document.querySelector('{card.split(':has')[0]}').innerText.includes('nothing')"
    )
    page.wait_for_function(
        "() => !document.querySelector('.er-answer').innerText.includes('may have run twice')"
    )
    page.wait_for_function("() => !document.querySelector('.er-totals').innerText.includes('charge_card')")
    shot(page, "crashlab-strategy")
    page.select_option('select[aria-label="model gives"]', "new-ids")
    page.wait_for_function(
        "() => document.querySelector('.er-answer').innerText.includes('ran twice')"
    )  # the mail, now
    page.select_option('select[aria-label="environment"]', index=1)
    settled(page)
    # the matrix jumps
    page.click(".er-track >> nth=0", position={"x": 5, "y": 5})
    assert settled(page) <= 2
    page.click(".er-heattable summary")
    page.click('.er-heattable tr[data-point="10"] button')
    assert settled(page) == 11
    # the bar of a tool call leads to the crash points in it
    page.click('.er-bar[title^="charge_card"] >> nth=-1', position={"x": 4, "y": 5})
    assert settled(page) > 40 and "turnStep" in page.inner_text(".er-where") + page.inner_text(".er-answer")
    # another batch size brings its own points and timeline
    page.select_option('select[aria-label="model calls per step"]', "3")
    page.wait_for_selector('select[aria-label="model calls per step"]:has(option[value="3"]:checked)')
    settled(page)
    watched.clean()


def test_predict_first_hides_everything_until_guessed(opened, watched):
    page = opened(SHOWN + "crash_lab(session, predict=True)", wait=".er-guess")
    assert page.locator(".er-block").count() == 0  # the matrix would tell
    page.locator(".er-lab").scroll_into_view_if_needed()
    shot(page, "crashlab-predict")
    for tool, least, most in (("charge_card", 1, 1), ("send_email", 1, 1)):
        page.fill(f'input[aria-label="At least, for {tool}"]', str(least))
        page.fill(f'input[aria-label="At most, for {tool}"]', str(most))
    page.select_option('select[aria-label="Guess for the session"]', "recovers")
    page.click('button:has-text("Show the answer")')
    page.wait_for_selector(".er-sentence")
    text = page.inner_text(".er-answer")
    # Once is in the range of a card that may be charged twice, and is not the range.
    assert "✓ right" in text and "✗ not the whole range" in text and "you said so" in text
    assert "2 is possible too" in text and "0 of 1 points right" in text
    shot(page, "crashlab-guessed")
    before = page.get_attribute(".er-strip", "aria-valuenow")
    page.click('button:has-text("Next different point")')
    page.wait_for_selector(".er-guess")
    assert page.get_attribute(".er-strip", "aria-valuenow") != before
    watched.clean()


def test_attempts_side_by_side_and_everything_dark(opened, watched):
    page = opened(
        SHOWN + "attempt_diff(session)", "crash_lab(session)", "session", "journal", wait=".er-block"
    )
    page.wait_for_selector(".er-portrait >> nth=1")
    text = page.inner_text(".er-diffroot")
    assert text.index("send_email ran twice") < text.index("attempt 2, completed")
    for name, key in (("JupyterLab Light", "light"), ("JupyterLab Dark", "dark")):
        theme(page, name)
        for place, label in (
            (".er-diffroot", "diff"),
            (".er-lab", "crashlab"),
            (".er-portrait >> nth=1", "portraits"),
        ):
            page.locator(place).scroll_into_view_if_needed()
            time.sleep(0.3)
            shot(page, f"{label}-{key}")
    page.select_option('select[aria-label="second attempt"]', "1")
    page.wait_for_selector(".er-diffroot")
    watched.clean()

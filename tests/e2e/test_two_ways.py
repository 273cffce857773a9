"""Page and Python under one cursor in a real JupyterLab: selection, cells, links, breakpoints, ledger."""

import pytest

from tests.e2e.conftest import EXPLORE
from tests.e2e.lab import shot

pytestmark = pytest.mark.browser
LEDGER = (
    "rows = er.samples.ledger('crash-in-tool')\n"
    "line = {'at': '2026-11-30T09:09:33Z', 'effect': 'refund', 'sessionId': session.id, 'callId': 'x-1'}\n"
    "rows.append(line)\n"
    "w = er.explore(session, ledger=rows)\nheard = []\nw.on_select(heard.append)\nw"
)


def run(page, number, code):
    """Type code into a cell, run it, and return what it printed."""
    cell = page.locator(".jp-Notebook-cell").nth(number)
    cell.locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(f"{code}\nprint('#', {len(code)})")
    page.keyboard.press("Control+Enter")
    area = cell.locator(f'.jp-OutputArea-output:has-text("# {len(code)}")')
    area.wait_for(timeout=20_000)
    return area.inner_text().rpartition("#")[0].strip()


def place(page):
    return page.inner_text(".er-place")


def test_page_and_python_under_one_cursor(opened, watched):
    page = opened(EXPLORE + LEDGER, "print()", "print()")
    page.wait_for_selector(".er-explorer .er-m-act")
    assert page.locator(".er-m-act").count() == 4
    page.click(".er-m-act-alone")
    page.wait_for_selector('.er-body[data-shown^="act:5"]')
    assert "No recorded call explains it" in page.inner_text(".er-body")
    shot(page, "two-ways-ledger")

    # From the page to Python ...
    page.click('.er-row[data-key^="attempt:"] >> nth=1')
    page.wait_for_selector('.er-body[data-shown^="attempt:"]')
    assert (
        run(page, 1, "print(w.selected.n, type(heard[-1]).__name__, heard[-1] is w.selected)")
        == "2 Attempt True"
    )
    # ... and back.
    assert run(page, 1, "w.select(session.turns[0])") == ""
    page.wait_for_selector('.er-row.er-chosen[data-key^="turn:"]')

    # A value of the inspector into the next cell, where it runs.
    page.click('.er-row[data-key^="step:"] >> nth=0')
    page.click('.er-tab[data-tab="input"]')
    value = page.locator('.er-value[title^="$.args"]').first
    value.hover()
    value.locator('button:text-is("to cell")').click()
    page.wait_for_function("() => document.querySelector('.er-say').innerText === 'It is in the next cell.'")
    written = page.locator(".jp-Notebook-cell").nth(1).inner_text()
    assert "w" not in written.split("session.step(")[0] and ".input.at('$.args')" in written
    page.click('.er-title button:text-is("copy link")')
    page.wait_for_function("() => document.querySelector('.er-say').innerText === 'Copied.'")
    link = page.evaluate("navigator.clipboard.readText()")
    assert link.startswith('er.explore(session, at="step:')
    assert run(page, 2, f"print({link}.selected is w.selected)") == "True"

    # A value's way: what holds it lights up, by a button beside the value and from Python.
    page.click('.er-row[data-key^="attempt:"] >> nth=1')
    assert run(page, 2, "w.follow('ch_p36nyrea')") == ""
    page.wait_for_selector('.er-way:not([hidden]) .er-waysaid:has-text("Lost with attempt 1")')
    assert page.locator(".er-mark.er-lit").count() == 1
    assert run(page, 2, "w.select(session.repeated[0].attempts[1].tool_calls[0])") == ""
    page.click('.er-tab[data-tab="output"]')
    value = page.locator('.er-value[title^="$.chargeId"]')
    value.hover()
    value.locator('button:text-is("follow")').click()
    page.wait_for_selector('.er-waysaid:has-text("Committed: in the output of turnStep")')
    assert "records looked into" in page.inner_text(".er-wayhead")
    assert page.locator(".er-row.er-lit").count() >= 3 and page.locator(".er-bar.er-lit").count() >= 2
    shot(page, "two-ways-follow")
    page.click('.er-wayplaces button:has-text("in the output of")')
    page.wait_for_selector('.er-row.er-chosen[data-key^="step:"]')
    page.click('.er-wayhead button:text-is("close")')
    assert page.locator(".er-lit").count() == 0
    page.locator(".er-explorer").focus()
    page.keyboard.press("/")
    page.keyboard.insert_text("ch_gsvar356")
    page.wait_for_selector(".er-found .er-hit mark")
    page.keyboard.press("Escape")

    # Breakpoints: n and b go from hit to hit.
    run(page, 2, "w.select(session); w.break_on(lambda m: m.tool == 'charge_card')")
    page.wait_for_selector(".er-breaks:not([hidden])")
    assert "m.tool == 'charge_card'" in page.inner_text(".er-breaks code")
    page.locator(".er-explorer").focus()
    seen = []
    for key in ("n", "n", "n", "b"):
        before = place(page)
        page.keyboard.press(key)
        page.wait_for_function(
            "(before) => document.querySelector('.er-place').innerText !== before", arg=before
        )
        seen.append(place(page).split(" ")[3:5])
    assert [words[:2] for words in seen[:3]] == [["charge_card", "requested"]] * 2 + [
        ["charge_card", "returned"]
    ]
    shot(page, "two-ways-breaks")
    page.keyboard.press("n")
    page.keyboard.press("n")
    page.wait_for_function(
        "() => document.querySelector('.er-say').innerText.startsWith('No further moment')"
    )
    page.click('.er-breaks button:text-is("clear")')
    page.wait_for_selector(".er-breaks", state="hidden")
    assert run(page, 2, "print(w.breaks)") == "{}"
    watched.clean()

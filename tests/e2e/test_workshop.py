"""A lesson in a real JupyterLab: predict, play, check, by mouse and by keyboard, in both languages."""

# ruff: noqa: E501  # JavaScript reads better unbroken

import json
import shutil
import subprocess
import sys
import time

import pytest

from tests.e2e.lab import ROOT, notebook, open_notebook, run_all, shot, theme

pytestmark = pytest.mark.browser

#: A lesson of our own: what is tried here must not depend on what the lessons say.
LESSON = """
from eve_replay.notebook.classroom import Desk
from eve_replay.workshop.model import Ask, Case, Deed, Text, Turn
from eve_replay.workshop.promises import each_deed_once, it_ends
from eve_replay.workshop.task import Prediction, Task

def case(name, model):
    deed = Deed(effect="charge", match={"order": "ord_1"}, words="invoice INV-7")
    ask = Ask(tool="pay", input={"order": "ord_1", "cents": 500}, deeds=(deed,))
    return Case(name=name, turns=(Turn(message="Pay.", answers=((ask,),)),), model=model,
                words=Text("the same ids" if model == "same" else "the model mints ids", "模型 " + model))

TASK = Task(
    lesson="41", slug="ours", title=Text("A lesson of our own", "自己的一课"), answer="pay",
    cases=lambda seed: (case("same", "same"), case("minted", "new-ids")),
    promises=(each_deed_once(), it_ends()), good=Text("A key of the business.", "用业务里的键。"),
    finds=Text("How often a card is charged.", "一张卡会被扣几次款。"),
    predictions={"how": Prediction(
        question=Text("The process dies after the charge. How often is the card charged?", "扣款之后进程崩溃。卡会被扣几次？"),
        choices=(Text("once", "一次"), Text("twice", "两次"), Text("never", "一次也没有")),
        answer=lambda: 1, facts=lambda: {"count": 2},
        reveal=Text("It was charged {count} times.", "一共扣了 {count} 次。"), source="sample:pay-without-key"),
        "free": Prediction(question=Text("Why?", "为什么？"), reveal=Text("The step runs again.", "步骤会重新执行。"))},
)
here = Desk(TASK, "LANGUAGE")
"""
PAY = """
def pay(input, ctx, outside):
    outside.payments.charge(input["order"], input["cents"])
    return {"status": "paid"}
"""
SAFE = PAY.replace('["cents"])', '["cents"], key="pay " + input["order"])')


def setup(language="en"):
    return LESSON.replace("LANGUAGE", language)


@pytest.fixture(autouse=True)
def no_progress(folder):
    (folder / "workshop-progress.json").unlink(missing_ok=True)


def sums(page):
    return page.locator(".er-stage .er-sum").all_inner_texts()


def faults(page):
    return json.loads(page.get_attribute(".er-stage", "data-faults"))


def until(page, count, kind=None):
    """Wait until the stage shows so many crashes, the last one of a kind."""
    page.wait_for_function(
        "([n, kind]) => { const all = JSON.parse(document.querySelector('.er-stage').getAttribute('data-faults') || '[]'); return all.length === n && (!kind || all[n - 1][1] === kind); }",
        arg=[count, kind],
    )


def cell(page, kind, label, level=0):
    return page.locator(f'.er-cell[data-level="{level}"][data-kind="{kind}"][aria-label*=", {label}:"]')


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)
        page.wait_for_timeout(150)


def test_a_prediction_hides_everything_until_there_is_a_choice(opened, watched, folder):
    page = opened(setup() + 'here.predict("how")', 'here.predict("free")', wait=".er-choice")
    assert "charged 2 times" not in page.inner_text(".er-predict >> nth=0")
    page.locator(".er-predict").first.scroll_into_view_if_needed()
    page.locator(".er-predict").first.focus()
    press(page, "ArrowDown", "ArrowDown", "ArrowUp")
    assert page.evaluate("document.activeElement.getAttribute('data-choice')") == "0"
    page.keyboard.press("Enter")
    page.wait_for_selector(".er-reveal")
    text = page.inner_text(".er-predict >> nth=0")
    assert "Not so" in text and "It was charged 2 times." in text and "sample:pay-without-key" in text
    assert page.inner_text('.er-choice[data-choice="0"]').endswith("you chose")
    assert "so it is" in page.inner_text('.er-choice[data-choice="1"]')
    shot(page, "workshop-predicted")
    stored = json.loads((folder / "workshop-progress.json").read_text("utf-8"))
    assert stored["lessons"]["41"]["predictions"][0]["choice"] == 0
    # Free text wants a word first.
    page.locator(".er-send").click()
    page.wait_for_function(
        "() => document.querySelector('.er-say').innerText || [...document.querySelectorAll('.er-say')].some((e) => e.innerText)"
    )
    assert "The step runs again" not in page.inner_text(".er-predict >> nth=1")
    page.fill(".er-predict textarea", "it is run again")
    page.locator(".er-predict textarea").press("Control+Enter")
    page.wait_for_selector(".er-wrote")
    assert "The step runs again." in page.inner_text(".er-predict >> nth=1")
    # The cell run again shows the earlier choice; nothing of it reached the notebook.
    page.locator(".jp-CodeCell .cm-content").first.click()
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(".er-predict >> nth=0 >> .er-mine")
    assert page.locator(".jp-Notebook .jp-Cell").count() == 2
    watched.clean()


def test_a_number_chooses(opened, watched):
    page = opened(setup() + 'here.predict("how")', wait=".er-choice")
    page.locator(".er-predict").focus()
    page.keyboard.press("2")
    page.wait_for_selector(".er-reveal")
    assert "✓ Right" in page.inner_text(".er-reveal")
    watched.clean()


def test_the_mouse_chooses_where_the_process_dies(opened, watched):
    page = opened(setup(), PAY + "here.play(pay)", wait=".er-cell")
    stage = page.locator(".er-stage")
    stage.scroll_into_view_if_needed()
    assert sums(page) == ["✓ 1 charge for invoice INV-7"] and page.locator(".er-ledger tbody tr").count() == 1
    # Guess first: a place says what it leads to when it has been tried.
    assert page.locator(".er-cell").count() == page.locator(".er-cell.er-c-hidden").count() > 5
    cell(page, "crash-after", "charge").click()
    until(page, 1, "crash-after")
    assert page.locator(".er-cell:not(.er-c-hidden)").count() == 1
    page.click('button:has-text("Show every place")')
    assert (
        page.locator(".er-cell.er-c-hidden").count() == 0 and page.locator(".er-cell.er-c-harm").count() > 2
    )
    page.click('button:has-text("Hide what I have not tried")')
    assert page.locator(".er-cell.er-c-hidden").count() > 5
    assert (
        sums(page) == ["‖ 2 charges for invoice INV-7"] and page.locator(".er-ledger tbody tr").count() == 2
    )
    assert "process 2" in page.inner_text(".er-board")
    shot(page, "workshop-one-crash")
    page.click('button:has-text("add a second crash")')
    page.wait_for_selector('.er-cell[data-level="1"]')
    cell(page, "crash-after", "charge", 1).click()
    until(page, 2, "crash-after")
    assert sums(page) == ["‖ 3 charges for invoice INV-7"]
    shot(page, "workshop-two-crashes")
    # Step back to the first moments: the ledger knows no more than has happened.
    page.locator(".er-moments li").nth(1).click()
    page.wait_for_function("() => document.querySelectorAll('.er-ledger tbody tr').length === 0")
    page.click('button[aria-label="Next moment"]')
    page.wait_for_function("() => document.querySelectorAll('.er-moments .er-now').length === 1")
    page.click(".er-reset")
    until(page, 0)
    assert sums(page) == ["✓ 1 charge for invoice INV-7"]
    page.select_option('select[aria-label="case"]', "minted")
    page.click(".er-break")
    until(page, 1)
    assert "shortest" in page.inner_text(".er-stagenote") and sums(page)[0].startswith("‖ 2")
    watched.clean()


def test_a_crash_at_the_first_moment_shows_its_whole_sign(opened, watched):
    page = opened(setup(), PAY + "here.play(pay)", wait=".er-cell")
    page.locator(".er-stage").scroll_into_view_if_needed()
    cell(page, "crash-before", "model").first.click()
    until(page, 1, "crash-before")
    sign = page.locator(".er-box .er-cross").bounding_box()
    labels = page.locator(".er-bgutter").nth(1).bounding_box()
    assert sign["x"] >= labels["x"] + labels["width"] - 1
    page.locator(".er-stage").press("?")
    assert "not tried yet" in page.inner_text(".er-stage")
    watched.clean()


def test_the_keyboard_alone_is_enough(opened, watched):
    page = opened(setup(), PAY + "here.play(pay)", wait=".er-cell")
    page.locator(".er-stage").scroll_into_view_if_needed()
    page.locator(".er-stage").focus()
    press(page, "ArrowRight", "]", "ArrowDown", "ArrowDown", "ArrowDown")
    until(page, 1, "crash-after")
    assert sums(page) == ["‖ 2 charges for invoice INV-7"]
    press(page, "+")
    page.wait_for_selector('.er-cell[data-level="1"]')
    press(page, "ArrowRight", "ArrowRight")
    until(page, 2)
    press(page, "[")
    until(page, 2)
    press(page, "n", "n", "n")
    assert page.locator(".er-moments .er-now").count() == 1 and "3" in page.inner_text(".er-count")
    press(page, "b")
    assert "2" in page.inner_text(".er-count")
    press(page, "?")
    page.wait_for_selector(".er-stage .er-sheet:not([hidden])")
    shot(page, "workshop-keys")
    press(page, "Escape")
    page.wait_for_selector(".er-stage .er-sheet", state="hidden")
    press(page, "Escape", "Escape")
    until(page, 0)
    press(page, "v")
    assert page.locator(".er-cell.er-c-hidden").count() == 0
    press(page, "f")
    until(page, 1)
    assert page.evaluate("document.activeElement.classList.contains('er-stage')")
    # Nothing of all this reached the notebook.
    press(page, "x", "d", "d", "m", "0", "0")
    assert page.locator(".jp-Notebook .jp-Cell").count() == 2 and page.locator(".jp-Dialog").count() == 0
    watched.clean()


def test_the_same_crash_again_after_the_code_was_mended(opened, watched):
    page = opened(setup(), PAY, "here.play(pay)", wait=".er-cell")
    page.locator(".er-stage").scroll_into_view_if_needed()
    cell(page, "crash-after", "charge").click()
    until(page, 1)
    assert sums(page)[0].startswith("‖ 2")
    editor = page.locator(".jp-CodeCell .cm-content").nth(1)
    editor.click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(SAFE)
    page.keyboard.press("Shift+Enter")
    page.keyboard.press("Shift+Enter")
    page.wait_for_function(
        "() => [...document.querySelectorAll('.er-stage .er-sum')].map((e) => e.innerText).join() === '✓ 1 charge for invoice INV-7'"
    )
    page.click(".er-openall")
    assert faults(page)[0][1] == "crash-after" and page.locator(".er-cell.er-c-harm").count() == 0
    assert page.locator(".er-cell.er-c-hidden").count() == 0
    watched.clean()


def test_a_check_passes_and_fails(opened, watched):
    page = opened(
        "import eve_replay.notebook as n\nhere = n.lesson('04')\nhere",
        'def pay(input, ctx, outside):\n    outside.payments.charge(input["order"], input["cents"], key=ctx.call_id, invoice=input["invoice"])\n    return {"status": "paid"}\nhere.check(pay)',
        setup() + SAFE + "from eve_replay.workshop.grading.check import check\ncheck(TASK, pay)",
        wait=".er-verdict",
    )
    page.wait_for_selector(".er-verdict >> nth=1")
    assert "about" in page.inner_text(".er-desk")
    bad = page.locator(".er-verdict.er-is-failed")
    assert bad.locator(".er-story li").count() > 4 and bad.locator(".er-lanenote").count() >= 2
    assert "2 charges" in bad.inner_text() and bad.locator(".er-board button").count() == 0
    good = page.locator(".er-verdict.er-is-passed")
    assert good.inner_text().startswith("✓ Passed") and "A key of the business." in good.inner_text()
    bad.scroll_into_view_if_needed()
    shot(page, "workshop-verdict")
    watched.clean()


def test_what_goes_wrong_in_the_function_is_told_in_words(opened, watched):
    page = opened(
        setup() + 'def pay(input, ctx, outside):\n    return {}["<b>none</b>"]\nhere.play(pay)',
        "here.play(None)",
        "here.play(lambda: 1)",
        wait=".er-trouble >> nth=2",
    )
    assert "KeyError: '<b>none</b>'" in page.inner_text(".er-stage >> nth=0 >> .er-trouble")
    assert "None" in page.inner_text(".er-stage >> nth=1") and page.locator(".er-cell").count() > 0
    assert page.locator(".er-stage b:text-is('none')").count() == 0
    watched.clean()


def test_in_chinese_dark_and_narrow(opened, watched):
    page = opened(
        setup("zh") + "here", 'here.predict("how", 1)', PAY + "here.play(pay, runtimes=True)", wait=".er-cell"
    )
    for place in (".er-desk", ".er-predict", ".er-stage"):
        text = page.inner_text(place)
        assert any("\u4e00" <= letter <= "\u9fff" for letter in text)
        for word in ("crash", "process", "ledger", "Prediction", "Reset", "moment"):
            assert word not in text, (place, word)
    page.locator(".er-stage").scroll_into_view_if_needed()
    cell(page, "crash-after", "charge").click()
    until(page, 1)
    assert sums(page) == ["‖ 订单 ord_1：2 次扣款"]
    shot(page, "workshop-zh")
    for runtime in ("flue", "none", "eve"):
        page.select_option('select[aria-label="运行时"]', runtime)
        page.wait_for_function(
            "(name) => document.querySelector('select[aria-label=\"运行时\"]').value === name", arg=runtime
        )
        until(page, 1)
    theme(page, "JupyterLab Dark")
    page.set_viewport_size({"width": 760, "height": 900})
    time.sleep(0.5)
    page.locator(".er-stage").focus()
    press(page, "End")
    until(page, 1)
    box, picked = page.locator(".er-boardscroll").bounding_box(), page.locator(".er-picked").bounding_box()
    assert box["x"] <= picked["x"] and picked["x"] + picked["width"] <= box["x"] + box["width"] + 1
    assert page.evaluate(
        "() => { const s = document.querySelector('.er-stage'); return s.scrollWidth <= s.clientWidth + 1; }"
    )
    shot(page, "workshop-zh-dark-narrow")
    theme(page, "JupyterLab Light")
    watched.clean()


def test_a_saved_page_still_lets_one_crash_be_chosen(watched, tmp_path):
    start = setup().replace('Desk(TASK, "en")', f'Desk(TASK, "en", {str(tmp_path)!r})')
    cells = (start + "here", 'here.predict("how")', PAY + "here.play(pay, schedule=[(1, 'crash-after')])")
    import nbformat  # here: it takes seconds to import

    book = nbformat.from_dict(notebook(*cells))
    from nbclient import NotebookClient  # here: it takes a second to import

    NotebookClient(book, timeout=120, kernel_name="python3").execute()
    nbformat.write(book, tmp_path / "lesson.ipynb")
    subprocess.run(
        [sys.executable, "-m", "nbconvert", "--to", "eve_replay.notebook.export.PageExporter", str(tmp_path / "lesson.ipynb")],
        check=True, capture_output=True,
    )  # fmt: skip
    page = watched.page
    page.context.set_offline(True)
    page.goto((tmp_path / "lesson.html").as_uri())
    page.wait_for_selector(".er-cell")
    assert sums(page) == ["‖ 2 charges for invoice INV-7"]
    cell(page, "crash-before", "charge").click()
    until(page, 1, "crash-before")
    assert sums(page) == ["✓ 1 charge for invoice INV-7"]
    page.locator(".er-stage").focus()
    press(page, "n", "n")
    assert page.locator(".er-moments .er-now").count() == 1
    page.click(".er-break")
    page.wait_for_function("() => document.querySelector('.er-stagenote').innerText.includes('not saved')")
    page.locator(".er-choice").first.click()
    page.wait_for_function(
        "() => document.querySelector('.er-predict .er-say').innerText.includes('not saved')"
    )
    shot(page, "workshop-saved")
    watched.clean()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_lesson_as_a_learner_does_it(watched, address, folder, language):
    """Lesson 4 as it is handed out: predict, see it break, mend it with the solution, pass."""
    home = ROOT / "notebooks" / "workshop"
    name = f"learner-{language}.ipynb"
    shutil.copy((home / "zh" if language == "zh" else home) / "04-which-key.ipynb", folder / name)
    page = watched.page
    open_notebook(page, address, name)
    run_all(page)
    page.wait_for_selector(".er-verdict.er-is-failed", timeout=60_000)
    for number in (0, 1):
        place = page.locator(".er-predict:has(.er-choices)").nth(number)
        place.scroll_into_view_if_needed()
        place.focus()
        page.keyboard.press("2")
        place.locator(".er-reveal").wait_for()
    stage = page.locator(".er-stage")
    stage.scroll_into_view_if_needed()
    stage.focus()
    page.keyboard.press("f")
    until(page, 1)
    assert any(text.startswith("‖ 2") or "：2 " in text for text in sums(page))
    shot(page, f"workshop-lesson-{language}")
    editor = page.locator(".jp-CodeCell .cm-content:has-text('def pay(')")
    editor.scroll_into_view_if_needed()
    editor.click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text((home / "solutions" / "lesson_04.py").read_text("utf-8"))
    run_all(page)
    page.wait_for_selector(".er-verdict.er-is-passed", timeout=60_000)
    page.wait_for_function("() => !document.querySelector('.er-verdict.er-is-failed')")
    page.wait_for_function(
        "() => document.querySelector('.er-stage').getAttribute('data-faults') && ![...document.querySelectorAll('.er-stage .er-sum')].some((e) => e.innerText.startsWith('‖'))"
    )
    page.click(".er-stage .er-openall")
    assert page.locator(".er-stage .er-c-harm").count() == page.locator(".er-stage .er-c-hidden").count() == 0
    page.locator(".er-verdict").scroll_into_view_if_needed()
    shot(page, f"workshop-lesson-passed-{language}")
    stored = json.loads((folder / "workshop-progress.json").read_text("utf-8"))["lessons"]["04"]
    assert stored["passed"] is True and stored["tries"] == 2 and len(stored["predictions"]) == 2
    watched.clean()

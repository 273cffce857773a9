"""Saved pages: small, inert, and complete enough to step."""

import base64
import contextlib
import json
import re
import zlib

import pytest

from eve_replay.errors import NotFound
from eve_replay.notebook import attempt_diff, crash_lab, explore
from eve_replay.notebook._assets import script, style
from eve_replay.notebook.saved import SAVED_BUDGET, pack, packed_page, saved_html
from tests.support.corpus import data, names
from tests.support.hostile import PAYLOADS, hostile_journal


def unpacked(widget):
    return json.loads(zlib.decompress(base64.b64decode(widget.packed)))


def test_pack_keeps_every_text():
    value = {"a": "\ud800 half", "b": "</script>\u2028", "c": [1, None, True]}
    assert json.loads(zlib.decompress(base64.b64decode(pack(value)))) == value
    assert re.fullmatch(r"[A-Za-z0-9+/=]+", pack(value))


def test_answers_are_found_by_the_text_of_the_question():
    page = packed_page({}, lambda request: {"got": request["key"]}, [{"do": "tab", "key": "é"}])
    saved = json.loads(zlib.decompress(base64.b64decode(page)))["saved"]
    assert saved == {'{"do":"tab","key":"é"}': {"got": "é"}}


def test_the_budget_ends_what_is_saved_and_errors_are_left_out():
    def answer(request):
        if request["n"] == 0:
            raise NotFound("no")
        return [str(hash((request["n"], i))) for i in range(400)]

    page = packed_page({"x": 1}, answer, [{"n": n} for n in range(100)])
    held = json.loads(zlib.decompress(base64.b64decode(page)))
    assert 1 < len(held["saved"]) < 99 and '{"n":0}' not in held["saved"]
    assert len(page) < SAVED_BUDGET * 2


def test_html_cannot_be_broken_out_of():
    html = saved_html("explorer", pack({"data": "</script><script>alert(1)</script>"}), "<pre>plain</pre>")
    assert html.count("<script") == html.count("</script>") == 1
    assert "alert(1)" not in html
    assert "<pre>plain</pre>" in html


@pytest.mark.parametrize("number", range(len(PAYLOADS)))
def test_hostile_payloads_stay_text(number):
    widget = explore(hostile_journal(PAYLOADS[number]))
    html = widget.to_html()
    assert html.count("<script") == html.count("</script>") == 1
    assert "<img" not in html and "\x1b" not in html and "\u202e" not in html
    assert len(html) < 300_000


def test_ten_widgets_stay_under_three_megabytes():
    """Both places where a notebook keeps them: the outputs, and the widget state that nbclient stores."""
    total = 0
    for name in ("crash-in-tool", "pay-with-key", "subagent", "batch-crash"):
        for make in (explore, crash_lab, attempt_diff):
            try:
                widget = make(str(data(name)))
            except NotFound:
                continue
            state = {key: widget.get_state()[key] for key in ("_esm", "_css", "packed", "kind")}
            total += len(json.dumps(state)) + len(json.dumps(widget.to_html()))
    count = 10
    assert total / count < 300_000


@pytest.mark.parametrize("name", names())
def test_every_recording_opens_in_every_widget(name):
    source = str(data(name))
    widget = explore(source)
    page = unpacked(widget)
    assert page["data"]["tree"]["rows"]
    # It opens at the harm where there is some, else at the session, which begins with a summary.
    first = page["data"]["tree"]["rows"][0]["key"]
    rows = {row["key"]: row for row in page["data"]["tree"]["rows"]}
    harm = any(badge["tone"] in ("harm", "again") for row in rows.values() for badge in row["badges"])
    assert page["data"]["start"] in rows and (page["data"]["start"] == first or harm)
    assert page["data"]["heads"]["session"][0]["name"] == "summary"
    assert len(widget.to_html()) < 600_000
    with contextlib.suppress(NotFound):
        assert unpacked(crash_lab(source))["data"]["points"] is not None
    with contextlib.suppress(NotFound):
        assert unpacked(attempt_diff(source))["data"]["view"]["summary"]


def test_script_asks_nobody():
    """No address of another host in what the browser gets, no eval, and text never becomes HTML."""
    everything = script() + style()
    assert not re.search(
        r"https?://|//[a-z]+\.|\bimport\b|\bfetch\(|XMLHttpRequest|WebSocket|eval\(", everything
    )
    assert "innerHTML" not in everything and "insertAdjacentHTML" not in everything
    assert len(everything) < 90_000


def test_the_notebook_output_has_three_forms():
    bundle = explore("sample:crash-in-tool")._repr_mimebundle_()
    bundle = bundle[0] if isinstance(bundle, tuple) else bundle
    assert {"text/plain", "text/html", "application/vnd.jupyter.widget-view+json"} <= set(bundle)
    assert bundle["text/plain"].startswith("explorer of session wrun_")
    assert "turn 0" in bundle["text/html"] or "turn_0" in bundle["text/html"]


def test_a_page_of_its_own(tmp_path):
    place = explore("sample:simple-turn").save(tmp_path / "page.html")
    text = place.read_text("utf-8")
    assert text.startswith("<!doctype html>") and text.count("<script") == 1

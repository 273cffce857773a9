"""``eve-replay report``."""

import pytest

from tests.support.corpus import data
from tests.unit.cli._run import call

PERIOD = ("--since", "2026-11-30T00:00:00Z", "--now", "2026-11-30T10:00:00Z", "--utc")


def test_a_shift_as_markdown(capsys):
    done = call(capsys, "report", "sample:crash-in-tool", *PERIOD, "--sum", "cents")
    assert done.code == 0
    assert "# Shift report: 2026-11-30 00:00:00 to 2026-11-30 10:00:00" in done.out
    assert "## To do, and open" in done.out and "Look up whether charge_card" in done.out
    assert "| charge_card | 1 | 9,900 | 19,800 | 19,800 |" in done.out
    assert "1 possibly twice" in done.out
    assert "may have run twice" in done.out and "(unknown)" in done.out


def test_what_began_before_is_not_at_work_but_may_be_open(capsys):
    late = ("--since", "2026-11-30T09:50:00Z", "--now", "2026-11-30T10:00:00Z", "--utc")
    done = call(capsys, "report", "sample:crash-in-tool", *late)
    assert "At work: 0 sessions" in done.out
    assert "No attempt of what was read began in this period." in done.out
    assert "Look up whether charge_card" in done.out


def test_json_has_the_same(capsys):
    found = call(capsys, "report", "sample:crash-in-tool", *PERIOD, "--sum", "cents", "--json").json
    assert found["format"] == "eve-replay/report"
    assert found["sums"][0] | {} == {
        "tool": "charge_card", "field": "cents", "calls": 1, "min": "9900", "max": "19800",
        "maxIfKeysHeld": "19800", "without": 0,
    }  # fmt: skip
    assert found["sessions"][0]["attemptsAgain"] == 1
    assert found["text"].startswith("# Shift report")


def test_an_html_page_that_is_redacted(capsys, tmp_path):
    file = tmp_path / "shift.html"
    done = call(capsys, "report", "sample:crash-in-tool", *PERIOD, "--format", "html", "--redact", "-o", file)
    assert done.code == 0 and "Look through it" in done.err
    page = file.read_text()
    assert page.startswith("<!DOCTYPE html>") and "charge_card" in page
    assert "a@example.com" not in page
    assert call(capsys, "report", "sample:crash-in-tool", *PERIOD, "-o", file).code == 2, "it is there"


def test_what_was_not_read_is_said(capsys, tmp_path):
    import shutil

    copy = tmp_path / "data"
    shutil.copytree(data("crash-in-tool"), copy)
    next((copy / "runs").glob("*.json")).write_text("{")
    done = call(capsys, "report", copy, *PERIOD)
    assert "Not everything could be read" in done.out and done.code == 1


@pytest.mark.parametrize("since", ["22:00", "8h", "2d", "30m", "2026-11-30T00:00:00"])
def test_ways_to_say_since(capsys, since):
    assert (
        call(capsys, "report", "sample:simple-turn", "--since", since, "--now", "2026-11-30T21:00:00Z").code
        == 0
    )


def test_wrong_times(capsys):
    assert call(capsys, "report", "sample:simple-turn", "--since", "yesterday").code == 2
    assert call(capsys, "report", "sample:simple-turn", "--since", "2h", "--until", "3h").code == 2

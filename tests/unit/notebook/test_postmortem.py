"""A post-mortem as Markdown and as a notebook that runs, and the last cell that turns red or green."""

import base64
import json
import re
import shutil
import subprocess
import sys
import zlib
from datetime import UTC, datetime

import pytest

import eve_replay as er
from eve_replay.notebook import check_again
from eve_replay.notebook.recheck import facts_of
from eve_replay.report import incident
from tests.support.corpus import scenario

NOW = datetime(2026, 12, 1, 9, 0, tzinfo=UTC)
SAMPLE = "sample:crash-in-tool"


@pytest.fixture
def ledger(tmp_path):
    file = tmp_path / "payments.ndjson"
    file.write_text("\n".join(json.dumps(row) for row in er.samples.ledger("crash-in-tool")))
    return file


def test_markdown_for_a_ticket(tmp_path, ledger):
    text = er.postmortem(SAMPLE, tmp_path / "incident.md", ledger=ledger, now=NOW).read_text("utf-8")
    sections = [line for line in text.splitlines() if line.startswith("#")]
    assert sections == [
        "# Post-mortem: Charging.",
        "## What happened",
        "## What to do",
        "## Timeline",
        "## The attempts",
        "## The ledger",
        "## Evidence",
    ]
    assert "ran twice (observed): charge" in text and "| charge\\_card |" in text.replace(
        "charge_card", "charge\\_card"
    )
    assert "payments.ndjson: 4 acts." in text and "Made 2026-12-01 09:00" in text
    bare = er.postmortem(SAMPLE, tmp_path / "bare.md", now=NOW).read_text("utf-8")
    assert "No ledger was given" in bare
    calm = er.postmortem("sample:simple-turn", tmp_path / "calm.md", now=NOW).read_text("utf-8")
    assert "No step was started twice" in calm


def test_it_is_written_aside_and_over_nothing(tmp_path):
    place = tmp_path / "incident.md"
    place.write_text("our notes")
    with pytest.raises(er.WrongUse, match="exists"):
        er.postmortem(SAMPLE, place)
    assert place.read_text() == "our notes"
    er.postmortem(SAMPLE, place, force=True)
    assert [each.name for each in tmp_path.iterdir()] == ["incident.md"]
    with pytest.raises(er.WrongUse, match=r"\.ipynb or \.md"):
        er.postmortem(SAMPLE, tmp_path / "incident.pdf")
    with pytest.raises(er.WrongUse, match="cannot be written"):
        er.postmortem(SAMPLE, tmp_path / "nowhere" / "incident.md")


def test_the_last_cell_turns_red_and_green():
    session = er.open_journal(SAMPLE).session()
    then = facts_of(er.why(session, now=NOW), NOW)
    red = check_again(SAMPLE, session.id, then=then, now=NOW)
    assert red.state == "red" and all(line.startswith("Open: ") for line in red.lines)
    assert "RED" in repr(red) and "<li>Open" in red._repr_html_()
    green = check_again(SAMPLE, session.id, then=then, settled=["charge_card", "send_email"], now=NOW)
    assert green.state == "green" and "settled by people" in green.lines[-1]
    assert (
        check_again(SAMPLE, session.id, then={**then, "verdicts": []}, settled=["_"], now=NOW)
        .lines[0]
        .startswith("New: ")
    )
    earlier = {**then, "effects": dict.fromkeys(then["effects"], 0)}
    lines = check_again(SAMPLE, session.id, then=earlier, settled=["_"], now=NOW).lines
    assert any("ran again: 0 then" in line for line in lines)
    assert check_again("", session.id, then=then).state == "unknown"
    assert check_again("sample:simple-turn", session.id, then=then).state == "unknown"


def test_a_redacted_one_holds_no_secret(tmp_path, ledger):
    text = er.postmortem(SAMPLE, tmp_path / "a.md", now=NOW).read_text("utf-8")
    assert "a@example.com" in text
    hidden = er.postmortem(SAMPLE, tmp_path / "b.md", ledger=ledger, redact=True, now=NOW).read_text("utf-8")
    assert "a@example.com" not in hidden and "Secrets were replaced" in hidden
    assert "ran twice (observed)" in hidden and "payments.ndjson: 4 acts." in hidden


def test_the_notebook_runs_and_looks_again(tmp_path, ledger):
    pytest.importorskip("anywidget")
    pytest.importorskip("nbconvert")
    pytest.importorskip("ipykernel")
    place = er.postmortem(
        SAMPLE, tmp_path / "incident.ipynb", ledger=ledger, effects={"charge_card": "unprotected"}, now=NOW
    )
    book = json.loads(place.read_text("utf-8"))
    shown = [cell for cell in book["cells"] if cell.get("outputs")]
    assert len(shown) == 2 and all('class="er-saved"' in c["outputs"][0]["data"]["text/html"] for c in shown)
    command = [sys.executable, "-m", "nbconvert", "--execute", "--to", "notebook", "--inplace", str(place)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-1500:]
    last = json.loads(place.read_text("utf-8"))["cells"][-1]["outputs"][0]["data"]
    assert "".join(last["text/plain"]).startswith("RED") and "background:" in "".join(last["text/html"])
    hidden = er.postmortem(SAMPLE, tmp_path / "hidden.ipynb", ledger=ledger, redact=True, now=NOW)
    text = hidden.read_text("utf-8")
    rows = er.samples.ledger("crash-in-tool")
    inside = er.postmortem(SAMPLE, tmp_path / "rows.ipynb", ledger=rows, now=NOW).read_text("utf-8")
    assert "'effect': 'charge'" in inside
    assert "sample:crash-in-tool" not in text and "payments.ndjson" in text
    packed = re.findall(r'\\"([A-Za-z0-9+/=]{2000,})\\"', text)
    assert len(packed) == 2
    for each in packed:
        assert b"a@example.com" not in zlib.decompress(base64.b64decode(each))
    assert str(tmp_path) not in text
    shutil.rmtree(tmp_path / ".ipynb_checkpoints", ignore_errors=True)


def test_a_long_timeline_shows_what_matters(tmp_path, monkeypatch):
    def timeline(source, name):
        text = er.postmortem(source, tmp_path / name, now=NOW).read_text("utf-8")
        return text.partition("## Timeline")[2].partition("## The attempts")[0]

    quiet = timeline(str(scenario("long-session")), "long.md")  # nothing ran again: how it ended
    assert "other moments left out" in quiet and quiet.count("\n| 2026") == 60
    monkeypatch.setattr(incident, "_MOST", 12)
    harm = timeline(SAMPLE, "short.md")
    assert "other moments left out" in harm and "run created" not in harm and "charge_card requested" in harm

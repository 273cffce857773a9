"""The drift kit finds what was planted: a field, an event type, a prefix, a file; silent without it."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

from tests.drift.__main__ import main
from tests.drift.survey import survey
from tests.support import corpus


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return corpus.scratch("python-sdk", tmp_path) / "journal-killed"


def event(data: Path) -> Path:
    return sorted((data / "events").rglob("*.json"))[-1]


def planted(path: Path, **fields: object) -> None:
    record = json.loads(path.read_bytes())
    record.update(fields)
    path.write_text(json.dumps(record))


def test_nothing_is_new_in_what_is_known(data: Path) -> None:
    assert survey(data, "killed").news == {}


def test_a_field_and_a_field_of_an_event(data: Path) -> None:
    planted(next((data / "runs").glob("*.json")), zoneOfTwilight=1)
    planted(event(data), eventData={"quux": 1})
    fields = survey(data, "killed").news["field"]
    assert "run.zoneOfTwilight" in fields
    assert any(each.endswith("eventData.quux") for each in fields)


def test_an_event_type(data: Path) -> None:
    planted(event(data), eventType="step_paused")
    assert "step_paused" in survey(data, "killed").news["event type"]


def test_a_prefix_and_a_type_of_a_record(data: Path) -> None:
    run = next((data / "runs").glob("*.json"))
    planted(run, input={"__type": "Uint8Array", "data": base64.b64encode(b"brot....").decode()})
    assert "b'brot'" in survey(data, "killed").news["prefix"]
    planted(run, input={"__type": "Float8Array", "data": ""})
    assert "record type 'Float8Array'" in survey(data, "killed").news["tag"]


def test_a_tag_inside_a_payload(data: Path) -> None:
    text = base64.b64encode(b'devl[["Quaternion",1],[2,2],1]').decode()
    planted(next((data / "runs").glob("*.json")), input={"__type": "Uint8Array", "data": text})
    assert any("Quaternion" in tag for tag in survey(data, "killed").news["tag"])


def test_a_file_and_a_function_of_the_vendor(data: Path) -> None:
    (data / "ledgers").mkdir()
    (data / "ledgers" / "wrun_1.json").write_text("{}")
    planted(event(data), eventData={"stepName": "step//eve@9.0.0//foldTimeStep"})
    news = survey(data, "killed").news
    assert "ledgers/ID.json" in news["layout"]
    assert "stepName foldTimeStep" in news["code"]


def test_the_command(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--survey", str(data)]) == 0
    planted(event(data), eventType="step_paused")
    assert main(["--survey", str(data), "--json"]) == 1
    out = capsys.readouterr().out
    assert "nothing new" in out
    assert "step_paused" in out
    with pytest.raises(SystemExit):
        main(["eve"])
    with pytest.raises(SystemExit):
        main([])
    with pytest.raises(SystemExit) as helped:
        main(["--help"])
    assert helped.value.code == 0
    assert "eve@0.80.1" in capsys.readouterr().out

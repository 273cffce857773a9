import base64

import pytest

from eve_replay import samples
from tests.unit.cli._run import CRASH, call

STEP = "step_01M8NVET2Q1207NWPAG2NV4SKF"


def test_input_and_output_are_decoded(capsys):
    document = call(capsys, "step", CRASH, "4SKF", "--json").json
    assert document["step"]["stepId"] == STEP
    assert document["output"]["value"]["action"] == "continue"
    assert document["output"]["layers"] == ["zstd", "devl"]
    assert document["input"]["value"]["closureVars"] == {"$type": "undefined"}


def test_parts_can_be_chosen(capsys):
    out = call(capsys, "step", CRASH, STEP, "--output", "--path", "$.action").out
    assert out.splitlines()[-1].strip() == '"continue"'
    assert "input" not in out
    document = call(capsys, "step", CRASH, STEP, "--output", "--path", "$.action", "--json").json
    assert document["output"]["value"] == "continue"
    assert "input" not in document
    assert "There is nothing at this path" in call(capsys, "step", CRASH, STEP, "--path", "$.nothing").out


def test_a_path_that_is_none_and_a_step_that_is_none(capsys):
    assert call(capsys, "step", CRASH, STEP, "--path", "$[").code == 2
    assert call(capsys, "step", CRASH, "ZZZZ").code == 2
    assert "Which step?" in call(capsys, "step", CRASH).err


def test_all_unfolds_everything(capsys):
    folded = call(capsys, "step", CRASH, STEP, "--output").out
    whole = call(capsys, "step", CRASH, STEP, "--output", "--all").out
    assert "Folded to fit" in folded
    assert "Folded to fit" not in whole
    assert "ch_gsvar356" in whole


def test_raw_bytes_are_exact(capsys):
    document = call(capsys, "step", CRASH, STEP, "--output", "--raw", "--json").json
    raw = base64.b64decode(document["output"]["raw"])
    assert raw[:4] == b"zstd"
    assert len(raw) == document["output"]["bytes"]
    assert (
        f"  000000  {raw[:16].hex(' ')}  zstd" in call(capsys, "step", CRASH, STEP, "--output", "--raw").out
    )


def test_a_missing_part_says_why(capsys):
    out = call(capsys, "step", CRASH, STEP, "--error").out
    assert "There is no error recorded for this step." in out


@pytest.fixture
def without_record(tmp_path):
    folder = samples.extract("crash-in-tool", tmp_path)
    next((folder / "data" / "steps").rglob(f"*{STEP}.json")).unlink()
    return folder / "data"


def test_a_step_without_record_is_read_from_the_log(capsys, without_record):
    document = call(capsys, "step", without_record, "4SKF", "--json").json
    assert document["output"]["value"]["action"] == "continue"
    assert document["step"]["note"] == "It has no record, only events."
    assert document["step"]["starts"] == 2


def test_bytes_that_do_not_decode_are_named_and_set_the_code(capsys, tmp_path):
    folder = samples.extract("crash-in-tool", tmp_path)
    file = next((folder / "data" / "steps").rglob(f"*{STEP}.json"))
    file.write_text(file.read_text().replace('"data": "enN0Z', '"data": "enN0a'))
    result = call(capsys, "step", folder / "data", STEP)
    assert result.code == 1
    assert "undecoded: " in result.out
    document = call(capsys, "step", folder / "data", STEP, "--json").json
    assert set(document["input"]["undecoded"]) >= {"reason", "message", "path"}

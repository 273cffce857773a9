import csv
import io
import json

import pytest

from eve_replay.frames.columns import EARLIER
from eve_replay.frames.tables import FRAMES
from tests.unit.cli._run import CRASH, call


def test_without_a_name_the_frames_and_columns_are_listed(capsys):
    out = call(capsys, "frames").out
    assert all(name in out for name in FRAMES)
    assert set(call(capsys, "frames", "--json").json["frames"]) == set(FRAMES)


@pytest.mark.parametrize("name", FRAMES)
def test_csv_ndjson_and_json_say_the_same(capsys, name):
    rows = call(capsys, "frames", CRASH, name, "--json").json["rows"]
    lines = call(capsys, "frames", CRASH, name, "--format", "ndjson").out.splitlines()
    earlier = EARLIER.get(name, {})  # documents keep the names of before beside those of today
    assert all(row[old] == row[new] for row in rows for old, new in earlier.items())
    rows = [{key: value for key, value in row.items() if key not in earlier} for row in rows]
    assert [json.loads(each) for each in lines] == rows
    table = list(csv.DictReader(io.StringIO(call(capsys, "frames", CRASH, name).out)))
    assert len(table) == len(rows) > 0
    assert list(table[0]) == list(FRAMES[name])


def test_a_file_is_written_once(capsys, tmp_path):
    target = tmp_path / "steps.ndjson"
    assert "rows written" in call(capsys, "frames", CRASH, "steps", "--out", target).err
    assert json.loads(target.read_text().splitlines()[0])["function"]
    result = call(capsys, "frames", CRASH, "steps", "--out", target)
    assert result.code == 2
    assert "exists" in result.err
    assert call(capsys, "frames", CRASH, "steps", "--out", target, "--force").code == 0
    assert call(capsys, "frames", CRASH, "steps", "--out", tmp_path / "no" / "x.csv").code == 2


def test_unknown_frames_say_which_there_are(capsys):
    result = call(capsys, "frames", CRASH, "nonsense")
    assert result.code == 2
    assert "runs, steps, attempts" in result.err


def test_text_that_a_spreadsheet_would_run_is_quoted():
    from eve_replay.cli.understanding.frames import _cell

    assert _cell("=1+1") == "'=1+1"
    assert _cell("@cmd") == "'@cmd"
    assert (_cell(True), _cell(None), _cell(3)) == ("true", "", 3)

"""Several worlds read as one."""

from __future__ import annotations

import pytest

from eve_replay.errors import NotFound
from eve_replay.records import RunRecord, StreamRecord
from eve_replay.worlds.combined import CombinedWorld
from eve_replay.worlds.memory import MemoryWorld
from eve_replay.worlds.registry import open_world
from tests.support.folders import OTHER, RUN, codes


def one(run_id, status="running", label="a"):
    return MemoryWorld(runs=[RunRecord({"runId": run_id, "status": status})], label=label)


def test_runs_of_all_worlds_in_order():
    both = CombinedWorld([one(OTHER, label="a"), one(RUN, label="b")])
    assert [r.run_id for r in both.runs()] == [RUN, OTHER]
    assert both.label == "a + b"


def test_a_run_in_two_worlds_comes_from_the_first():
    both = CombinedWorld([one(RUN, "completed", "after"), one(RUN, "running", "before")])
    assert [r.status for r in both.runs()] == ["completed"]
    assert codes(both.receipt) == ["in-several-worlds"]
    assert CombinedWorld([one(RUN, "completed"), one(RUN)]).run(RUN).status == "completed"


def test_each_question_goes_to_the_world_that_holds_the_run():
    both = open_world("sample:crash + sample:approval")
    for run in open_world("sample:approval").runs():
        assert list(both.events(run.run_id)) and both.run(run.run_id).status == run.status
        assert list(both.steps(run.run_id)) is not None
        for other in both.others(run.run_id):
            if isinstance(other, StreamRecord):
                assert list(both.stream(run.run_id, other.name))
    assert both.receipt.seen == both.receipt.parsed > 50
    both.close()


def test_unknown_runs():
    with pytest.raises(NotFound, match="any of 2"):
        CombinedWorld([one(RUN), one(OTHER)]).events("wrun_x")


def test_what_it_says_of_itself():
    both = open_world("sample:crash + sample:approval")
    list(both.runs())
    assert both.about["specVersion"] == 8
    assert [w["kind"] for w in both.about["worlds"]] == ["local", "local"]
    broken = MemoryWorld(label="x")
    broken.receipt.problem("error", "c", "somewhere", "Bad.")
    broken.receipt.skip(where="there", what="file", why="bad")
    both = CombinedWorld([broken, one(RUN)])
    assert both.receipt.problems[0].where == "x: somewhere" and both.receipt.skipped[0].where == "x: there"


def test_sources_of_different_kinds_are_one_view_on_the_command_line(tmp_path, capsys):
    import json

    from eve_replay.cli import run as run_cli

    bundle = tmp_path / "before.everun"
    assert run_cli(["pack", "sample:crash", "-o", str(bundle), "--redact"]) == 0
    capsys.readouterr()
    source = f"{bundle} + sample:approval"
    assert run_cli(["runs", source, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["runs"]
    apart = [run.run_id for part in ("sample:crash", "sample:approval") for run in open_world(part).runs()]
    assert sorted(run["runId"] for run in found) == sorted(apart)
    assert run_cli(["why", source]) in (0, 1)
    assert "is redacted" in " ".join(capsys.readouterr().err.split())
    assert run_cli(["pack", source, "-o", str(tmp_path / "both.everun")]) == 0
    assert [run.run_id for run in open_world(str(tmp_path / "both.everun")).runs()] == sorted(apart)


def test_a_part_that_cannot_be_opened_is_named(tmp_path, capsys):
    from eve_replay.cli import run as run_cli

    assert run_cli(["runs", f"sample:crash + {tmp_path}/nothing"]) == 3
    said = capsys.readouterr().err
    assert "nothing does not exist" in said
    (tmp_path / "x.json").write_text('{"a": 1}')
    assert run_cli(["runs", f"{tmp_path}/x.json"]) == 3
    assert "x.json" in capsys.readouterr().err

"""Loose recordings: a crash folder, the end, a ledger, nothing more."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from eve_replay.proof.board import prove
from eve_replay.worlds.local.disk import DiskTree
from tests.support import corpus


def recording(name: str, target: Path) -> Path:
    """Copy one recording of the corpus, to be changed."""
    return Path(shutil.copytree(corpus.scenario("crash-kinds") / name, target / name))


def test_a_recording_is_predicted_from_its_crash_folders(tmp_path: Path) -> None:
    recording("two-approvals-one-answered", tmp_path)
    board = prove(DiskTree(tmp_path))
    assert [case.name for case in board.cases] == [
        "two-approvals-one-answered crash",
        "two-approvals-one-answered crash-2",
    ]
    assert all(case.hit for case in board.cases), [case.misses for case in board.cases]
    assert board.cases[0].predicted["outcome"] == "needs-person"


def test_a_ledger_that_says_otherwise_is_a_miss_with_its_evidence(tmp_path: Path) -> None:
    folder = recording("sdk4.8.9-torn-F2-record-completed", tmp_path)
    ledger = folder / "ledger.ndjson"
    line = json.loads(ledger.read_text("utf-8").splitlines()[0])
    ledger.write_text(f"{json.dumps(line)}\n" * 3, "utf-8")
    (case,) = prove(DiskTree(tmp_path)).cases
    assert not case.hit
    (miss,) = case.misses
    assert "bookSeat at the end: predicted 1 to 1, really 3" in miss
    assert "evidence evnt_" in miss


def test_a_turn_that_went_on_although_it_should_hang_is_a_miss(tmp_path: Path) -> None:
    folder = recording("order-desk-6-turns", tmp_path)
    shutil.rmtree(folder / "data")
    shutil.copytree(folder / "crash", folder / "data")
    (case,) = prove(DiskTree(tmp_path)).cases
    assert any(miss.startswith("outcome: predicted recovers, really hung") for miss in case.misses)

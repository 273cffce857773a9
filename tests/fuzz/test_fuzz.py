"""Every target runs a little, whatever was found before is tried again, and a finding is told."""

import random

import pytest

from tests.fuzz import drive

RUNS = {"local": 40, "journal": 6, "pgdump": 12, "pgdump-inserts": 12, "rdb": 12}


@pytest.mark.parametrize("name", drive.NAMES)
def test_a_target_runs_and_finds_nothing(name):
    target, seeds = drive.load(name)
    watched = drive.Watched(name, target)
    pool = seeds()
    pick = random.Random(name)
    for each in pool[:3]:
        watched(each)
    for _ in range(RUNS.get(name, 25)):
        watched(drive.mutated(pick.choice(pool), pick, pick.choice(pool)))
    found = {kind: text for kind, text in watched.kinds.items() if not kind.startswith(("slow", "memory"))}
    assert not found, "\n".join(found.values())


@pytest.mark.parametrize("path", sorted(drive.FINDINGS.iterdir()), ids=lambda path: path.name)
def test_what_was_found_stays_mended(path):
    name = next(
        name for name in sorted(drive.NAMES, key=len, reverse=True) if path.name.startswith(f"{name}-")
    )
    drive.load(name)[0](path.read_bytes())


def test_a_finding_is_kept_once_with_its_input(tmp_path):
    def broken(data):
        if b"x" in data:
            raise KeyError("x")

    watched = drive.Watched("broken", broken, tmp_path)
    drive.plain(watched, [b"xx", b"yy"], runs=60, seconds=0)
    assert watched.runs == 60 and len(watched.kinds) == 1
    assert [path.suffix for path in sorted(tmp_path.glob("broken-*"))] == ["", ".txt"]
    assert "1 kinds of findings" in watched.line()

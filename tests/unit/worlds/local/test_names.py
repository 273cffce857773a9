"""What file names mean."""

from __future__ import annotations

import pytest

from eve_replay.worlds.local.names import is_noise, is_plain, is_temporary, lock_name, read_name, split_run

ULID = "01M8NVET2Q9XT7ZZ1AMCAAJ64S"


@pytest.mark.parametrize(
    ("name", "stem", "tag"),
    [
        (f"wrun_{ULID}.json", f"wrun_{ULID}", ""),
        (f"hook_{ULID}.vitest-3.json", f"hook_{ULID}", "vitest-3"),
        (f"evnt_{'0' * 25}1.{ULID}.json", f"evnt_{'0' * 25}1.{ULID}", ""),
        (".x.json", ".x", ""),
    ],
)
def test_record_names(name, stem, tag):
    found = read_name(name)
    assert (found.stem, found.tag) == (stem, tag)


@pytest.mark.parametrize("name", ["a.txt", ".json", "json", "a.json.tmp.X", "a.json.lock"])
def test_other_names(name):
    assert read_name(name) is None


@pytest.mark.parametrize(
    ("stem", "run", "rest"),
    [
        (f"wrun_{ULID}-step_{ULID}", f"wrun_{ULID}", f"step_{ULID}"),
        (f"wrun_{ULID}-abc", f"wrun_{ULID}", "abc"),
        (f"my-own-run-evnt_{'0' * 25}1", "my-own-run", f"evnt_{'0' * 25}1"),
        ("wrun_A-step_x-step_y", "wrun_A", "step_x-step_y"),
        ("notes", "", "notes"),
        (f"wrun_{ULID}", "", f"wrun_{ULID}"),
    ],
)
def test_run_and_rest(stem, run, rest):
    assert split_run(stem) == (run, rest)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("a-b.created", ("a-b", "created", "")),
        ("a.terminal.vitest-1", ("a", "terminal", "vitest-1")),
        ("a.pending", ("a", "pending", "")),
        ("a.other", None),
        (".created", None),
    ],
)
def test_lock_names(name, found):
    assert lock_name(name) == found


def test_temporary_and_noise():
    assert is_temporary(f"a.json.tmp.{ULID}") and is_temporary(".workflow-write-test-1796032801308")
    assert not is_temporary("a.json")
    assert is_noise(".DS_Store") and is_noise("._wrun") and not is_noise("wrun")


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a\\b", "a\0b", "\ud800", "x" * 256])
def test_names_that_cannot_be_files(name):
    assert not is_plain(name)


def test_plain_names():
    assert is_plain("wrun_1") and is_plain("..x") and is_plain("é") and is_plain("\udcff")

"""The scoreboard: what it finds, what it counts, and the rates the product promises."""

import functools

import pytest

from eve_replay.proof.board import prove
from eve_replay.worlds.local.tree import MemoryTree
from tests.support.recovery import archives


@functools.cache
def board():
    scenarios, sweep = archives()
    return prove(scenarios), prove(sweep)


def groups():
    return {g.name: g for b in board() for g in b.groups if g.name != "all"}


def rate(word, attribute):
    chosen = [g for name, g in groups().items() if word in name]
    return sum(getattr(g, attribute) for g in chosen) / sum(g.cases for g in chosen)


def test_forecast_from_the_crash_folder():
    assert rate("forecast from the crash folder", "hits") >= 0.97


def test_simulate_from_the_baseline():
    assert rate("simulate", "hits") >= 0.90


def test_sharpness():
    assert rate("forecast from the crash folder", "exact") >= 0.90
    assert rate("simulate", "exact") >= 0.90


def test_every_scenario_agrees_with_its_ledger():
    assert (
        groups()["scenarios, forecast as of the kill"].hits
        == groups()["scenarios, forecast as of the kill"].cases
    )


def test_every_miss_is_explained():
    assert [c.name for b in board() for c in b.cases if not c.hit and not c.why] == []


def test_as_json():
    document = board()[1].to_json()
    assert {"name", "predicted", "real", "hit", "exact"} <= set(document["cases"][0])
    assert document["totals"][-1]["name"] == "all"


def test_points_that_were_not_reached_are_named():
    assert any("not reached" in each.why for each in board()[1].unusable)


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"a/facts.json": b"not json", "a/data/x": b""},
        {"facts.json": b"{}", "data/version.txt": b""},
        {"sweep-T9.ndjson": b'{"when":"before","n":1,"label":"x","effects":{}}\n'},
    ],
)
def test_other_folders_prove_nothing_and_break_nothing(files):
    assert prove(MemoryTree(files)).cases == ()

"""A world that can page: one session is read by its own runs, a list by its newest part."""

from __future__ import annotations

import pytest

from eve_replay.cli.shared import common as _common
from eve_replay.errors import NotFound, WrongUse
from eve_replay.journal import Journal
from eve_replay.records import RunRecord
from eve_replay.worlds.base import Pageable
from eve_replay.worlds.combined import CombinedWorld
from eve_replay.worlds.memory import MemoryWorld
from eve_replay.worlds.registry import open_world
from tests.support.synthetic import run
from tests.unit.cli._run import call


class Paged(MemoryWorld):
    """Many runs, and a record of how many of them were read."""

    def __init__(self, **records) -> None:
        super().__init__(**records)
        self.whole = 0
        self.read: set[str] = set()

    def _seen(self, records: list[RunRecord]) -> list[RunRecord]:
        self.read |= {record.run_id for record in records}
        return records

    def runs(self):
        self.whole += 1
        yield from super().runs()

    def page(self, limit, *, after=None, newest_first=False):
        every = sorted(super().runs(), key=lambda r: r.run_id, reverse=newest_first)
        if after is not None:
            every = [r for r in every if (r.run_id < after if newest_first else r.run_id > after)]
        return self._seen(every[:limit])

    def count_runs(self):
        return sum(1 for _ in super().runs())

    def run_ids(self):
        return [record.run_id for record in super().runs()]

    def children(self, run_id):
        yield from self._seen([r for r in super().runs() if r.attribute("$parentRunId") == run_id])

    def family(self, run_id):
        known = [super().run(run_id)]
        related = [
            r for r in super().runs() if run_id in (r.attribute("$parentRunId"), r.attribute("$rootRunId"))
        ]
        return self._seen(known + related)


def id_of(number: int) -> str:
    return f"wrun_01M8NVET2Q9XT7ZZ{number:010d}"


def paged(count: int) -> Paged:
    child = {"$parentRunId": id_of(7), "$rootRunId": id_of(7)}
    runs = [
        run(id_of(n), status="failed" if n % 50 == 0 else "completed", attributes=child if n == 9 else {})
        for n in range(1, count + 1)
    ]
    return Paged(runs=runs)


def test_the_ability_is_found_by_its_methods() -> None:
    assert isinstance(paged(1), Pageable)
    assert not isinstance(MemoryWorld(), Pageable)
    assert not isinstance(CombinedWorld([paged(1)]), Pageable)


@pytest.mark.parametrize("wanted", [id_of(7), id_of(7)[-10:], f"wrun_…{id_of(7)[-10:]}"])
def test_a_named_session_reads_its_own_runs(wanted) -> None:
    world = paged(2_000)
    journal = Journal(world)
    assert journal.by_name
    assert journal.session(wanted).id == id_of(7)
    assert journal.run(id_of(7)).run_id == id_of(7)
    assert world.whole == 0 and world.read == {id_of(7), id_of(9)}


def test_it_is_the_session_that_the_whole_world_gives() -> None:
    near, whole = Journal(paged(30)), Journal(paged(30))
    assert len(whole.heads) > 1  # everything is read
    assert not whole.by_name
    assert near.session(id_of(7)) == whole.session(id_of(7))
    assert near.run_ids == list(whole.run_ids)
    assert near.versions == whole.versions


def test_what_fits_no_run_or_several_is_said_as_ever() -> None:
    with pytest.raises(NotFound):
        Journal(paged(30)).session(id_of(99))
    with pytest.raises(NotFound):
        Journal(paged(30)).session("nothing-like-it")
    with pytest.raises(WrongUse, match="fits"):
        Journal(paged(30)).session(id_of(1)[:15])


def test_refreshing_forgets_what_was_read() -> None:
    world = paged(30)
    journal = Journal(world)
    journal.session(id_of(7))
    world.read.clear()
    journal.session(id_of(7))
    assert not world.read
    journal.refresh()
    journal.session(id_of(7))
    assert world.read


@pytest.fixture
def big(monkeypatch) -> Paged:
    world = paged(3_000)
    monkeypatch.setattr("eve_replay.worlds.registry.open_world", lambda *a, **k: world)
    assert _common.open_source is not None
    return world


def listed(out: str) -> int:
    return sum("wrun_" in line for line in out.splitlines() if "Next:" not in line)


def test_runs_shows_the_newest_and_says_so(capsys, big) -> None:
    result = call(capsys, "runs", "x", "--utc")
    assert "200 of 3,000 runs" in result.out
    assert listed(result.out) == 200
    assert "--last 2000" in result.err and "--all" in result.err
    assert big.whole == 0 and len(big.read) <= 401


def test_runs_last_reads_what_it_shows(capsys, big) -> None:
    result = call(capsys, "runs", "x", "--last", "50")
    assert "50 of 3,000 runs" in result.out and listed(result.out) == 50
    assert big.whole == 0 and len(big.read) <= 200
    ids = [each["runId"] for each in call(capsys, "runs", "x", "--last", "3", "--json").json["runs"]]
    assert ids == [id_of(n) for n in (2_998, 2_999, 3_000)]


def test_runs_with_a_filter_goes_back_as_far_as_needed(capsys, big) -> None:
    result = call(capsys, "runs", "x", "--status", "failed", "--last", "10", "--json")
    assert [each["runId"] for each in result.json["runs"]] == [id_of(n) for n in range(2_550, 3_001, 50)]
    assert big.whole == 0 and len(big.read) < 1_000
    every = call(capsys, "runs", "x", "--status", "failed")
    assert listed(every.out) == 60 and "are shown" not in every.err


def test_runs_all_and_json_leave_nothing_out(capsys, big) -> None:
    assert len(call(capsys, "runs", "x", "--json").json["runs"]) == 3_000
    result = call(capsys, "runs", "x", "--all")
    assert "3,000 runs" in result.out and "are shown" not in result.err
    assert call(capsys, "runs", "x", "--all", "--last", "3").code == 2


def test_why_and_show_of_one_read_one(capsys, big) -> None:
    assert call(capsys, "why", "sample:x", "--session", id_of(7)).code in (0, 1)
    assert call(capsys, "show", "x", id_of(7)[-10:]).code == 0
    newest = {id_of(n) for n in range(2_801, 3_001)}  # asked for the versions in use
    assert big.whole == 0 and big.read - newest == {id_of(7), id_of(9)}


def test_an_id_that_does_not_settle_it_is_looked_for_among_the_sessions(capsys, big) -> None:
    result = call(capsys, "turns", "sample:x", "--session", id_of(1)[:20])
    assert result.code == 2 and "fits" in result.err


def test_a_small_world_is_listed_whole(capsys, monkeypatch) -> None:
    world = paged(300)
    monkeypatch.setattr("eve_replay.worlds.registry.open_world", lambda *a, **k: world)
    assert listed(call(capsys, "runs", "x").out) == 300


def test_other_worlds_are_as_they_were() -> None:
    journal = Journal(open_world("sample:crash-in-tool"))
    assert not journal.by_name
    assert list(journal.run_ids) == [record.run_id for record in journal.records]

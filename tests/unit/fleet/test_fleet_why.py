"""``why`` of many sessions: all cores and the index change nothing but the time it takes."""

from __future__ import annotations

import json
import shutil
import sqlite3
from datetime import timedelta

import pytest

from eve_replay.checks import Voice
from eve_replay.cli.shared.fleet import index_folder
from eve_replay.fleet import pool
from eve_replay.fleet.watched import watched
from eve_replay.fleet.why import why_fleet
from eve_replay.guidance import why_all
from eve_replay.journal import Journal
from eve_replay.worlds.registry import open_world
from tests.unit.fleet.conftest import NOW


def single(folder, now=NOW):
    """Return what one process says, and its receipt."""
    journal = Journal(open_world(str(folder)))
    versions = journal.versions
    reports = why_all(
        (journal.session(head.id) for head in journal.heads), voice=Voice(now=now), versions=versions
    ).reports
    by_id = {report.session_id: json.loads(json.dumps(report.to_json())) for report in reports}
    return by_id, journal.receipt.to_json()


def fleet(folder, now=NOW, **options):
    """Return what the fleet says, and its receipt."""
    journal = Journal(open_world(str(folder)))
    answers = list(why_fleet(journal, voice=Voice(now=now), whole=True, **options))
    return {each.row.session_id: json.loads(each.whole) for each in answers}, journal.receipt.to_json()


@pytest.mark.parametrize("workers", [1, 2])
def test_all_cores_say_what_one_says(many, workers, monkeypatch) -> None:
    monkeypatch.setattr(pool, "FEW", 1)
    assert fleet(many, workers=workers) == single(many)


def test_a_second_look_reads_only_what_changed(many, tmp_path, own_index, monkeypatch) -> None:
    folder = tmp_path / "data"
    shutil.copytree(many, folder)  # times are kept
    expected = single(folder)
    assert fleet(folder, index=own_index) == expected
    built = []
    monkeypatch.setattr(Journal, "session", counting(built, Journal.session))
    assert fleet(folder, index=own_index) == expected
    plain = {head.id for head in Journal(open_world(str(folder))).heads if head.kind == "workflow"}
    again = set(built) - plain
    # What is said of a session that is about to change state holds for no time at all.
    assert len(again) < len(expected[0]) / 2
    changed = next(id_ for id_ in sorted(expected[0]) if id_ not in again | plain)
    record = folder / "runs" / f"{changed}.json"
    record.write_bytes(record.read_bytes() + b"\n")
    built.clear()
    assert fleet(folder, index=own_index)[0] == expected[0]
    assert set(built) - plain == again | {changed}
    assert [path.suffix for path in own_index.iterdir()].count(".sqlite") == 1


def counting(built, session):
    """Return ``session``, writing down what it built."""

    def counted(self, id_=None):
        built.append(id_)
        return session(self, id_)

    return counted


@pytest.mark.parametrize("damage", ["garbage", "cut", "foreign", "gone"])
def test_a_damaged_index_is_made_anew(many, own_index, damage) -> None:
    expected = fleet(many, index=own_index)
    (path,) = own_index.glob("*.sqlite")
    if damage == "garbage":
        path.write_bytes(b"no database at all" * 500)
    elif damage == "cut":
        data = path.read_bytes()
        path.write_bytes(data[: len(data) // 2])
    elif damage == "foreign":
        link = sqlite3.connect(path)
        link.execute("update answers set brief = '{', whole = x'00'")
        link.commit()
        link.close()
    else:
        shutil.rmtree(own_index)
    assert fleet(many, index=own_index) == expected
    assert fleet(many, index=own_index) == expected


def test_an_index_never_lies_inside_a_world(many, tmp_path) -> None:
    folder = tmp_path / "data"
    shutil.copytree(many, folder)
    before = sorted(folder.rglob("*"))
    fleet(folder, index=folder / "cache")
    assert sorted(folder.rglob("*")) == before


def test_the_user_says_where_the_index_lies(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("EVE_REPLAY_INDEX", "off")
    assert index_folder() is None
    monkeypatch.setenv("EVE_REPLAY_INDEX", str(tmp_path))
    assert index_folder() == tmp_path


def test_what_is_said_at_a_watched_instant_holds_until_it_says(many) -> None:
    """Just before the end of the time it holds for, the report is the same."""
    journal = Journal(open_world(str(many)))
    held = 0
    for head in journal.heads:
        session = journal.session(head.id)
        for later in (timedelta(minutes=1), timedelta(hours=5), timedelta(days=9)):
            start = NOW + later
            now, watch = watched(start)
            first = why_all([session], voice=Voice(now=now)).reports[0].to_json()
            assert first == why_all([session], voice=Voice(now=start)).reports[0].to_json()
            until = watch.until or start + timedelta(days=400)
            if until - start > timedelta(seconds=2):
                held += 1
                last = until - timedelta(seconds=1)
                assert why_all([session], voice=Voice(now=last)).reports[0].to_json() == first
    assert held > len(journal.heads)

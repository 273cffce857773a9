"""The landing page of many sessions: all cores and the index change nothing but the time it takes."""

from __future__ import annotations

from datetime import timedelta

import pytest

from eve_replay.fleet import pool
from eve_replay.fleet.landing import landing_fleet, packed, unpacked
from eve_replay.journal import Journal
from eve_replay.views.verdicts.landing import landing, landing_row
from eve_replay.worlds.registry import open_world
from tests.unit.fleet.conftest import NOW


def slow(folder, now=NOW):
    """Return the rows made one after the other, and the receipt."""
    journal = Journal(open_world(str(folder)))
    rows = [landing_row(each, now=now, versions=journal.versions) for each in journal.sessions]
    return landing(rows), journal.receipt.to_json()


def fleet(folder, now=NOW, **options):
    """Return the rows of the fleet, and its receipt."""
    journal = Journal(open_world(str(folder)))
    return landing(landing_fleet(journal, now=now, **options)), journal.receipt.to_json()


@pytest.mark.parametrize("workers", [1, 2])
def test_all_cores_say_what_one_says(many, workers, monkeypatch) -> None:
    monkeypatch.setattr(pool, "FEW", 1)
    assert fleet(many, workers=workers) == slow(many)


def test_what_was_kept_is_said_only_while_it_holds(many, own_index, monkeypatch) -> None:
    built: list[str] = []
    session = Journal.session
    monkeypatch.setattr(Journal, "session", lambda self, id_=None: (built.append(id_), session(self, id_))[1])
    asked = []
    for later in (0, 1, 59, 61, 3600, 86400 * 2):
        now = NOW + timedelta(seconds=later)
        built.clear()
        found = fleet(many, now, index=own_index)
        asked.append(len(built))
        assert found == slow(many, now)
    assert asked[1] < asked[0] / 2


def test_a_row_survives_being_kept(many) -> None:
    for row in slow(many)[0].rows:
        assert unpacked(packed(row)) == row


def test_one_that_cannot_be_joined_is_a_row(many, own_index, monkeypatch) -> None:
    bad = Journal(open_world(str(many))).heads[2].id
    session = Journal.session

    def failing(self, id_=None):
        if id_ == bad:
            raise ValueError("torn")
        return session(self, id_)

    monkeypatch.setattr(Journal, "session", failing)
    for _ in range(2):
        rows = {row.id: row for row in fleet(many, index=own_index, fenced=True)[0].rows}
        assert rows[bad].code == "unread"
        assert "torn" in rows[bad].worst
    with pytest.raises(ValueError, match="torn"):
        fleet(many)

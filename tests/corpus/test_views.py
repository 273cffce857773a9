"""The views over every other kind of journal: other versions, writers and worlds, half-written folders."""

import json

import pytest

from eve_replay.journal import open_journal
from eve_replay.views.crashlab.crash import CrashLab
from eve_replay.views.session.explorer import Explorer
from eve_replay.views.session.sessions import session_rows
from tests.support.corpus import data, names, scenario

SOURCES = [f"local-sdk/{name}" for name in names("local-sdk")] + [
    f"cli-export/{name}" for name in names("cli-export")
]


def everything(source):
    """Open every part of every session once; every view must be plain JSON."""
    with open_journal(source) as journal:
        rows = session_rows(journal.heads)
        for row in rows:
            view = Explorer(journal.session(row.id))
            json.dumps([view.row().to_json(), view.tree.to_json(), view.timeline.to_json()])
            json.dumps([entry.to_json() for entry in view.transcript()])
            for each in view.tree.rows:
                for tab in view.inspector.tabs(each.key):
                    opened = view.inspector.tab(each.key, tab.name)
                    json.dumps(opened.to_json())
                    assert opened.body or opened.note
            for stop in view.cursor.stops:
                assert view.inspector.title(stop.key)
            lab = CrashLab(view.session)
            json.dumps(lab.matrix().to_json())
        return len(rows)


@pytest.mark.parametrize("name", SOURCES)
def test_every_view_opens(name):
    folder = scenario(name)
    for place in sorted(p for p in folder.iterdir() if p.is_dir()) or [folder]:
        assert everything(place) >= 0


@pytest.mark.parametrize("name", names("sweep")[::6] if names("sweep") else [])
def test_half_written_folders(name):
    for place in sorted(scenario(f"sweep/{name}").glob("**/crash")):
        assert everything(place) >= 0


def test_the_helper_finds_folders():
    assert data("crash-in-tool").exists()

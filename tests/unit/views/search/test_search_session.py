"""Search inside one session: the same hits as the search of the whole world, with the tab that shows them."""

import pytest

import eve_replay as er
from eve_replay.views.search.search import Pattern, search
from eve_replay.views.session.explorer import Explorer
from tests.support.corpus import data


@pytest.fixture(scope="module")
def session():
    return er.open_journal("sample:crash-in-tool").session()


def test_text_in_payloads_ids_and_names(session):
    assert {hit.field for hit in Explorer(session).search("charge_card")} >= {"values"}
    assert any(hit.field == "names" for hit in Explorer(session).search("turnStep"))
    assert Explorer(session).search(session.id)[0].key == f"run:{session.id}"


def test_limit_and_nothing(session):
    assert len(Explorer(session).search("e", limit=3)) == 3
    for text in ("", "   ", "no such text"):
        assert Explorer(session).search(text) == ()


def test_same_as_the_search_of_the_world():
    journal = er.open_journal(str(data("subagent")))
    session = journal.sessions[0]
    runs = [run.run_id for run in session.all_runs]
    world = {
        (h.run_id, h.kind, h.id, h.where, h.path) for h in search(journal.world, Pattern("turn"), runs=runs)
    }
    own = {
        (h.run_id, h.kind, h.id, h.where, h.path)
        for h in Explorer(session).search("turn", limit=10_000)
        if h.kind != "chunk"
    }
    assert own == world


def test_a_hit_names_the_tab_that_shows_it(session):
    tabs = {hit.where: hit.tab for hit in Explorer(session).search("cus_42")}
    assert set(tabs.values()) <= {"input", "output", ""}
    assert any(tabs.values())

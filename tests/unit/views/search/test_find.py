"""Search inside one session: the same hits as the search of the whole world, with the tab that shows them."""

import pytest

import eve_replay as er
from eve_replay.views.search.find import find, hit_tab
from eve_replay.views.search.search import Pattern, search
from tests.support.corpus import data


@pytest.fixture(scope="module")
def session():
    return er.open_journal("sample:crash-in-tool").session()


def test_text_in_payloads_ids_and_names(session):
    assert {hit.field for hit in find(session, "charge_card")} >= {"values"}
    assert any(hit.field == "names" for hit in find(session, "turnStep"))
    assert find(session, session.id)[0].key == f"run:{session.id}"


def test_limit_and_nothing(session):
    assert len(find(session, "e", limit=3)) == 3
    assert find(session, "") == find(session, "   ") == find(session, "no such text") == ()


def test_same_as_the_search_of_the_world():
    journal = er.open_journal(str(data("subagent")))
    session = journal.sessions[0]
    runs = [run.run_id for run in session.all_runs]
    world = {
        (h.run_id, h.kind, h.id, h.where, h.path) for h in search(journal.world, Pattern("turn"), runs=runs)
    }
    own = {
        (h.run_id, h.kind, h.id, h.where, h.path)
        for h in find(session, "turn", limit=10_000)
        if h.kind != "chunk"
    }
    assert own == world


def test_a_hit_names_the_tab_that_shows_it(session):
    tabs = {hit.where: hit_tab(hit) for hit in find(session, "cus_42")}
    assert set(tabs.values()) <= {"input", "output", ""}
    assert any(tabs.values())

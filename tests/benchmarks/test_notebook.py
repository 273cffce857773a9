"""How long a notebook waits. Agreed: first picture under 1 s, a step under 100 ms.

The browser's part is measured in ``tests/e2e``; this is Python's: making a widget, and answering one tab.
"""

from __future__ import annotations

import eve_replay as er
from eve_replay.notebook import crash_lab, explore
from eve_replay.notebook.widget_data import Answers
from eve_replay.views.kit.html import html_of
from eve_replay.views.session.explorer import Explorer
from tests.support.corpus import data
from tests.support.hostile import long_journal


def test_explorer_of_the_sample(benchmark):
    session = er.open_journal("sample:crash-in-tool").session()
    assert benchmark(lambda: explore(session)).packed


def test_explorer_of_a_long_session(benchmark):
    session = er.open_journal(str(data("long-session"))).session()
    assert benchmark.pedantic(lambda: explore(session), rounds=3).packed


def test_explorer_of_five_thousand_rows(benchmark):
    journal = long_journal(5000)
    session = journal.sessions[0]
    assert benchmark.pedantic(lambda: explore(session), rounds=3).packed


def test_one_tab(benchmark):
    view = Explorer(er.open_journal(str(data("long-session"))).session())
    keys = [row.key for row in view.tree.rows if row.kind == "step"]

    def fresh():
        view.inspector._made.clear()

    def tab():
        return Answers(view).answer({"do": "tab", "key": keys[len(keys) // 2], "tab": "input"})

    assert benchmark.pedantic(tab, setup=fresh, rounds=20)


def test_crash_lab(benchmark):
    session = er.open_journal("sample:crash-in-tool").session()
    assert benchmark(lambda: crash_lab(session)).packed


def test_a_portrait(benchmark):
    session = er.open_journal(str(data("long-session"))).session()
    assert benchmark(lambda: html_of(session))

"""Figures: what is in them, in both themes, for recordings of every kind, without plotly's heavy parts."""

import subprocess
import sys

import pytest

import eve_replay as er
from eve_replay.journal.targets import last_session
from eve_replay.notebook import figures
from eve_replay.views.kit.tone import BACKGROUNDS, PALETTES
from tests.support.corpus import data

KINDS = ("crash-in-tool", "sdk5-crash", "retention-0", "approval-hold", "older-0.50.0")


@pytest.fixture(scope="module")
def session():
    return er.open_journal("sample:crash-in-tool").session()


def test_the_timeline_has_a_bar_per_phase_and_call(session):
    figure = figures.timeline_figure(session, "turn_0")
    texts = [trace.hovertext for trace in figure.data]
    assert any("charge_card" in text for text in texts)
    assert {trace.name for trace in figure.data} >= {"committed", "re-executed"}
    assert len({trace.name for trace in figure.data if trace.showlegend}) == sum(
        bool(t.showlegend) for t in figure.data
    )


def test_the_matrix_has_a_row_per_point_and_a_column_per_effect(session):
    figure = figures.matrix_figure(session)
    (heat,) = figure.data
    assert len(heat.y) == len(er.crash_points(session)) and len(heat.x) == 2
    assert len(set(heat.y)) == len(heat.y)  # equal labels would fold rows together
    keyed = figures.matrix_figure(session, question=er.Question(strategies={"*": "coordinates"}))
    worst = [
        max(value for row in each.data[0].z for value in row if value is not None) for each in (figure, keyed)
    ]
    assert worst[0] >= 2 > worst[1]


def test_strategies_differ(session):
    figure = figures.strategies_figure(session)
    twice = dict(zip(figure.data[0].x, figure.data[0].y, strict=True))
    assert max(twice.values()) > 0 == min(twice.values())


def test_growth_and_attempts(session):
    growth = figures.growth_figure(session)
    assert [trace.name for trace in growth.data] == ["input", "output", "tokens"]
    assert all(size > 0 for size in growth.data[0].y)
    attempts = figures.attempts_figure([session])
    assert {trace.name for trace in attempts.data} >= {"completed", "interrupted"}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", KINDS)
def test_every_figure_of_every_kind_draws(name, theme):
    session = last_session(er.open_journal(str(data(name))))
    for make in (
        figures.timeline_figure,
        figures.growth_figure,
        figures.matrix_figure,
        figures.strategies_figure,
    ):
        figure = make(session, theme=theme)
        assert figure.layout.paper_bgcolor == BACKGROUNDS[theme]
        assert figure.layout.font.color == PALETTES[theme]["plain"]
        assert type(figure).__name__ == "Figure"
        assert len(figure.to_json()) < 400_000
    assert figures.attempts_figure([session], theme=theme).to_json()


def test_plotly_express_stays_out():
    code = (
        "import sys, eve_replay as er\nfrom eve_replay.notebook import figures\n"
        "figures.timeline_figure(er.open_journal('sample:simple-turn').session())\n"
        "assert 'plotly.express' not in sys.modules and 'anywidget' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)

"""Figures: what they say and draw, in both themes, for recordings of every kind."""

import subprocess
import sys

import pytest

import eve_replay as er
from eve_replay.errors import NotFound, WrongUse
from eve_replay.journal.targets import last_session
from eve_replay.notebook import figures
from eve_replay.notebook.figures import frame
from eve_replay.views.crashlab.crash import CrashLab
from eve_replay.views.kit.tone import BACKGROUNDS, PALETTES
from tests.support.corpus import data

KINDS = ("crash-in-tool", "sdk5-crash", "retention-0", "approval-hold", "older-0.50.0", "order-desk")
OF_A_TURN = (figures.timeline_figure, figures.matrix_figure, figures.strategies_figure)
ALL = (*OF_A_TURN, figures.growth_figure, figures.attempts_figure)


def source(name):
    return "sample:incident-3" if name == "order-desk" else str(data(name))


@pytest.fixture(scope="module")
def session():
    return er.open_journal("sample:crash-in-tool").session()


def title(figure):
    return figure.layout.title.text.partition("<br><span")[0].replace("<br>", " ").replace("\xa0", " ")


def test_the_timeline_names_turns_and_steps_and_says_the_worst(session):
    figure = figures.timeline_figure(session)
    assert title(figure) == "charge_card may have run twice in turn 0, step 1"
    names = [name.replace("<br>", " ") for name in figure.layout.yaxis.ticktext]
    assert names[0] == "<b>beside the turns</b>"  # set-up came first in time
    assert any(name.startswith("step 1 · charge_card, send_email") and "2 attempts" in name for name in names)
    assert [t.name for t in figure.data if t.name and "acted twice" in t.name]
    # A stretch in which nobody worked is folded and says how long it was.
    assert any(note.text.startswith("// ") for note in figure.layout.annotations)
    assert max(x + w for t in figure.data if t.type == "bar" for x, w in zip(t.base, t.x, strict=True)) < 1.02


def test_the_matrix_has_every_point_once_and_counts_what_it_says(session):
    figure = figures.matrix_figure(session)
    lab = CrashLab(session)
    numbers = [name.rsplit("<b>", 1)[1].removesuffix("</b>") for name in figure.layout.yaxis.ticktext]
    spans = [[int(n) for n in each.split("–")] for each in numbers]
    assert [n for span in spans for n in range(span[0], span[-1] + 1)] == list(range(1, len(lab) + 1))
    views = [lab.view(i) for i in range(len(lab))]
    sure = sum(any(e.tool == "charge_card" and e.twice_sure for e in view.effects) for view in views)
    maybe = sum(any(e.tool == "charge_card" and e.twice_possible for e in view.effects) for view in views)
    assert sure and maybe
    assert title(figure) == (
        f"charge_card would act twice at {sure} of {len(lab)} crash points of turn 0, "
        f"and might at {maybe} more"
    )
    keyed = figures.matrix_figure(session, question=er.Question(strategies={"*": "coordinates"}))
    assert title(keyed) == "No crash point of turn 0 makes the outside see an effect twice"


def test_strategies_are_told_apart_and_each_point_counts_once(session):
    figure = figures.strategies_figure(session)
    names = [name.replace("<br>", " ") for name in figure.layout.yaxis.ticktext]
    bars = {trace.name: dict(zip(names, trace.x, strict=True)) for trace in figure.data}
    total = len(CrashLab(session))
    assert all(sum(each[name] for each in bars.values()) == total for name in names)
    assert len(set(names)) == len(names)
    assert bars["no harm"]["key from turn, step and position"] == total
    assert (
        bars["an effect twice, for sure"]["nothing"]
        > bars["an effect twice, for sure"]["key from the call id"]
    )
    assert "<b>as it is recorded</b>" in names


def test_growth_is_counted_in_whole_numbers_per_turn(session):
    figure = figures.growth_figure(session)
    assert list(figure.layout.xaxis.ticktext) == ["1", "2", "1", "2"]  # two of the set-up, two of turn 0
    assert {note.text for note in figure.layout.annotations} == {"set-up", "turn 0"}
    assert "grew" in title(figure) and figure.layout.yaxis2.tickformat == ",d"
    assert [t.name for t in figure.data][:2] == ["input, bytes stored", "output, bytes stored"]


def test_attempts_carry_their_number_when_they_are_repeats(session):
    figure = figures.attempts_figure(session)
    assert {trace.name for trace in figure.data} >= {"completed", "interrupted"}
    assert [text for trace in figure.data for text in trace.text if text] == ["2"]
    several = list(er.open_journal("sample:incident-3").sessions)
    assert len(figures.attempts_figure(several).layout.yaxis.ticktext) == len(several)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", KINDS)
def test_every_figure_of_every_kind_draws(name, theme):
    found = last_session(er.open_journal(source(name)))
    for make in ALL:
        figure = make(found, theme=theme)
        assert figure.layout.paper_bgcolor == BACKGROUNDS[theme]
        assert figure.layout.font.color == PALETTES[theme]["plain"]
        assert type(figure).__name__ == "Figure" and title(figure)
        assert len(figure.to_json()) < 400_000
        assert figure.layout.yaxis.automargin


def test_any_target_will_do(session):
    step = session.repeated[0]
    call = step.attempts[-1].tool_calls[0]
    wanted = {make: make(session).to_json() for make in ALL}
    for make in ALL:
        assert make("sample:crash-in-tool").to_json() == wanted[make]
    for part in (session.turns[0], step, step.attempts[0], call):
        for make in OF_A_TURN:
            assert title(make(part)) == title(make(session, 0)) == title(make(session, "turn_0"))
    for make in ALL:
        with pytest.raises(NotFound, match="turn"):
            make(session, 7)
        with pytest.raises(WrongUse, match="target"):
            make(None)


def test_where_there_is_nothing_to_draw_words_say_why():
    found = last_session(er.open_journal(source("retention-0")))
    for make in (figures.matrix_figure, figures.strategies_figure):
        figure = make(found)
        assert not figure.data and "No effect" in title(figure)
        # Payloads are gone: that nothing acted would be more than anybody knows.
        assert "cannot be told" in figure.layout.title.text
    assert not figures.growth_figure(found).data


def test_names_are_no_markup():
    said = frame.text_of("<a href='x'>pay</a> & go" + " word" * 30, 20, lines=2)
    assert "<a" not in said and "&lt;a" in said and said.count("<br>") == 1 and said.endswith("…")
    assert frame.text_of("为订单三三零二收款四十二元并且通知客户", 16).count("<br>") >= 1


def test_the_theme_follows_the_page(tmp_path, monkeypatch):
    import plotly.io as pio

    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path))
    assert frame.page_theme() == "light"
    chosen = tmp_path / "lab/user-settings/@jupyterlab/apputils-extension/themes.jupyterlab-settings"
    chosen.parent.mkdir(parents=True)
    chosen.write_text('{\n    // "theme": "JupyterLab Light",\n    "theme": "JupyterLab Dark"\n}')
    assert frame.page_theme() == "dark"
    chosen.write_text('{"theme": "JupyterLab Dark High Contrast"}')
    assert frame.page_theme() == "high-contrast"
    chosen.unlink()
    monkeypatch.setattr(pio.templates, "default", "plotly_dark")
    assert frame.page_theme() == "dark"
    with pytest.raises(WrongUse, match="no theme"):
        figures.growth_figure("sample:simple-turn", theme="pink")


def test_plotly_express_stays_out():
    code = (
        "import sys, eve_replay as er\nfrom eve_replay.notebook import figures\n"
        "figures.timeline_figure(er.open_journal('sample:simple-turn').session())\n"
        "assert 'plotly.express' not in sys.modules and 'anywidget' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)

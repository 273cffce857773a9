from eve_replay.views.kit.safe import display_width
from eve_replay.views.kit.text import plain
from eve_replay.views.session.bars import LEGEND, timeline_lines
from eve_replay.views.session.timeline import Timeline
from tests.unit.views._sessions import explorer


def shown(name, **options):
    return plain(timeline_lines(explorer(name).turn_timeline("turn_0"), **options)).split("\n")


def test_a_crashed_step_in_characters():
    lines = shown("crash-before-commit")
    assert lines[0].split()[0] == "0"
    assert lines[0].endswith("+5.3 s")
    bar = lines[1]
    assert bar.startswith("turnStep")
    assert "~" in bar
    assert "." in bar
    assert "#" in bar
    assert bar.index("~") < bar.index(".") < bar.index("=") < bar.index("#")
    assert lines[-1] == LEGEND


def test_lines_fit_and_every_bar_can_be_seen():
    for width in (40, 80, 160):
        for squeezed in (True, False):
            lines = shown("approval-hold", width=width, squeezed=squeezed)
            assert all(display_width(each) <= width for each in lines)
    names = [
        each.split("  ")[0].strip() or each.strip().split(" ")[0] for each in shown("crash-before-commit")
    ]
    assert "charge_card" in " ".join(names)


def test_the_squeezed_stretch_says_how_long_it_was():
    assert "(8.0 s)" in shown("approval-hold")[0]


def test_nothing_with_a_time():
    assert plain(timeline_lines(Timeline.nothing())) == "Nothing here has a time."

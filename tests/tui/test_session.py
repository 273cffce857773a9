"""One session: tree, timeline and inspector over one selection."""

from __future__ import annotations

import pytest

from tests.support import corpus
from tests.tui.support import NARROW, lines, press, running, said, screen_name, settle, text


def screen(pilot):
    return pilot.app.screen


async def test_it_opens_on_the_step_whose_effects_ran_twice():
    async with running(keys=["enter"]) as pilot:
        assert "2 attempts" in text(pilot) and "ran twice" in text(pilot)
        assert screen(pilot).key.startswith("step:") and screen(pilot).key.endswith("4SKF")
        assert "turnStep step_…4SKF" in lines(pilot)[-2]


async def test_every_move_of_the_key_table_moves_or_says_that_it_cannot():
    async with running(keys=["enter"]) as pilot:
        for key in ("n", "b", "N", "B", "a", "e", "i", "o"):
            before = screen(pilot).key, screen(pilot).here.index
            await press(pilot, key)
            assert (screen(pilot).key, screen(pilot).here.index) != before or said(pilot), key


async def test_next_goes_through_every_event_and_stops_at_the_last():
    async with running(keys=["enter"]) as pilot:
        explorer = screen(pilot).explorer
        screen(pilot).go_to(f"session:{explorer.session.id}")
        seen = 0
        while not said(pilot) and seen < 200:
            await pilot.press("n")
            await pilot.pause()
            seen += 1
        assert screen(pilot).here.index == len(explorer.cursor) - 1
        assert said(pilot) == "There is nothing further that way."


async def test_tree_timeline_and_inspector_show_the_same():
    async with running(keys=["enter", "a", "a", "a"]) as pilot:
        key = screen(pilot).key
        assert key.startswith("attempt:") and key.endswith("/2")
        assert screen(pilot).outline.current.key == key
        assert screen(pilot).inspector.key == key
        assert screen(pilot).inspector.shown.tab.key == key
        assert "attempt 2 of turnStep" in lines(pilot)[-2]


async def test_arrows_fold_and_unfold_the_tree():
    async with running(keys=["enter"]) as pilot:
        rows = len(screen(pilot).outline.rows)
        await press(pilot, "left")
        assert len(screen(pilot).outline.rows) == rows - 2
        await press(pilot, "right")
        assert len(screen(pilot).outline.rows) == rows
        await press(pilot, "space")
        assert len(screen(pilot).outline.rows) == rows - 2
        await press(pilot, "space", "left", "left")
        assert screen(pilot).key.startswith("turn:")


async def test_every_tab_of_every_kind_of_row_opens():
    async with running(keys=["enter"]) as pilot:
        explorer = screen(pilot).explorer
        kinds = {row.kind: row for row in explorer.tree.rows}
        for row in kinds.values():
            assert screen(pilot).go_to(row.key), row.key
            for head in explorer.inspector.tabs(row.key):
                screen(pilot).inspector.open(head.name)
                await settle(pilot)
                assert screen(pilot).inspector.shown.tab.name == head.name
                assert len(screen(pilot).inspector.body.rows) or head.name in ("events", "stream")


async def test_numbers_and_angle_brackets_open_tabs_s_and_r_too():
    async with running(keys=["enter", "1"]) as pilot:
        inspector = screen(pilot).inspector
        assert inspector.shown.tab.name == "input"
        await press(pilot, "greater_than_sign")
        assert inspector.shown.tab.name == "output"
        await press(pilot, "less_than_sign", "less_than_sign")
        assert inspector.shown.tab.name == "evidence"
        await press(pilot, "s")
        assert inspector.shown.tab.name == "state" and "in the checkpoint" in text(pilot)
        await press(pilot, "r")
        assert inspector.shown.tab.name == "raw" and "devl" in text(pilot)


async def test_s_from_a_call_goes_up_to_its_step():
    async with running(keys=["enter", "e", "s"]) as pilot:
        assert screen(pilot).key.startswith("step:")


async def test_values_fold_and_show_their_types():
    async with running(keys=["enter", "2", "tab", "tab"]) as pilot:
        body = screen(pilot).inspector.body
        assert body.has_focus and "object" in text(pilot)
        rows = len(body.rows)
        await press(pilot, "home", "space")
        assert len(body.rows) == 1
        await press(pilot, "enter")
        assert len(body.rows) == rows


async def test_evidence_rows_lead_to_what_they_name():
    async with running(keys=["enter", "tab", "tab"]) as pilot:
        screen(pilot).inspector.open("evidence")
        await settle(pilot)
        body = screen(pilot).inspector.body
        while body.current.key == "" or body.current.key == screen(pilot).key:
            await press(pilot, "down")
        wanted = body.current.key
        await press(pilot, "enter")
        assert screen(pilot).key == wanted


async def test_the_timeline_marks_commits_and_selects_bars():
    async with running(keys=["enter", "tab"]) as pilot:
        bars = screen(pilot).timeline.bars
        assert bars.has_focus and "■" in text(pilot) and "+10.1 s" in text(pilot)
        await press(pilot, "down", "down")
        assert screen(pilot).key.startswith(("call:", "model:"))
        index = screen(pilot).here.index
        await press(pilot, "right")
        assert screen(pilot).here.index == index + 1
        await press(pilot, "left")
        assert screen(pilot).here.index == index
        await press(pilot, "v")
        assert "true scale" in said(pilot)


async def test_crash_points_can_be_walked_without_leaving_the_session():
    async with running(keys=["enter"]) as pilot:
        index = screen(pilot).here.index
        await press(pilot, "right_square_bracket")
        assert screen(pilot).here.index > index
        await press(pilot, "left_square_bracket")
        assert screen(pilot).here.index <= index


async def test_one_column_on_a_narrow_screen():
    async with running(size=NARROW, keys=["enter"]) as pilot:
        assert "[Tree]" in text(pilot) and "Effects" not in text(pilot)
        await press(pilot, "tab")
        assert "[Timeline]" in text(pilot) and "+10.1 s" in text(pilot)
        await press(pilot, "tab")
        assert "[Effects]" in text(pilot)
        await press(pilot, "shift+tab", "shift+tab")
        assert "[Tree]" in text(pilot)
        assert all(len(line) <= 80 for line in lines(pilot))


async def test_zoom_gives_one_pane_the_whole_screen_and_takes_it_back():
    async with running(keys=["enter", "z"]) as pilot:
        assert screen(pilot).outline.size.width > 150
        await press(pilot, "z")
        assert screen(pilot).outline.size.width < 80


async def test_resizing_keeps_the_selection():
    async with running(keys=["enter", "a", "a", "a"]) as pilot:
        key = screen(pilot).key
        for size in ((80, 24), (200, 50), (40, 10), (160, 45)):
            await pilot.resize_terminal(*size)
            await settle(pilot)
            assert screen(pilot).key == key and screen(pilot).outline.current.key == key
            assert all(len(line) <= size[0] for line in lines(pilot))


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("c", "CrashScreen"),
        ("m", "MatrixScreen"),
        ("d", "DiffScreen"),
        ("w", "WhyScreen"),
        ("D", "DoctorScreen"),
        ("slash", "SearchScreen"),
        ("g", "AskScreen"),
        ("question_mark", "HelpScreen"),
        ("f1", "HelpScreen"),
        ("ctrl+p", "CommandPalette"),
    ],
)
async def test_ways_to_other_screens_and_back(key, name):
    async with running(keys=["enter", key]) as pilot:
        assert screen_name(pilot) == name
        await press(pilot, "escape")
        if name == "CommandPalette":
            await press(pilot, "escape") if screen_name(pilot) == name else None
        assert screen_name(pilot) == "SessionScreen"


async def test_going_to_an_id_by_its_last_letters():
    async with running(keys=["enter", "g", *"4SKG", "enter"]) as pilot:
        assert screen(pilot).key.endswith("4SKG")
        await press(pilot, "g", *"nowhere", "enter")
        assert "Nothing here has the id 'nowhere'" in said(pilot)


async def test_reading_again_keeps_the_selection():
    async with running(corpus.data("crash-in-tool"), keys=["enter", "a", "a", "a", "u"]) as pilot:
        assert screen(pilot).key.endswith("/2")


@pytest.mark.parametrize("name", ["sdk5-crash", "subagent", "retention-0", "older-0.20.0", "steering"])
async def test_other_recordings_open_and_step_to_their_end(name):
    async with running(corpus.data(name), keys=["enter"]) as pilot:
        assert screen_name(pilot) == "SessionScreen"
        explorer = screen(pilot).explorer
        assert explorer is not None
        for stop in explorer.cursor.stops[:: max(len(explorer.cursor) // 8, 1)]:
            assert screen(pilot).go_to(stop.key)
            await pilot.pause()
        await settle(pilot)
        for key in ("w", "c", "m", "d"):
            await press(pilot, key)
            if screen_name(pilot) != "SessionScreen":
                await press(pilot, "escape")
        assert screen_name(pilot) == "SessionScreen"


async def test_stepping_inside_what_is_open_draws_the_panes_no_second_time():
    async with running(keys=["enter"]) as pilot:
        me = screen(pilot)
        again = 0
        for _ in range(8):
            tree, opened = me.outline.rows, set(me.opened)
            bars, view = me.timeline.bars.rows, me.timeline._view
            await press(pilot, "n")
            assert (me.outline.rows is tree) == (me.opened == opened)
            assert (me.timeline.bars.rows is bars) == (me.timeline._view is view)
            assert me.timeline._drawing.focus in (*me.here.path, me.key)
            again += me.outline.rows is tree
        assert again >= 4


async def test_a_key_that_is_held_makes_the_tab_of_the_last_place_only():
    async with running(keys=["enter"]) as pilot:
        explorer, made = screen(pilot).explorer, []
        tabs = explorer.inspector.tabs

        def counted(key):
            made.append(key)
            return tabs(key)

        explorer.inspector.tabs = counted
        for _ in range(5):
            screen(pilot).move("previous-event")
        await settle(pilot)
        assert made == [screen(pilot).key]
        assert screen(pilot).inspector.shown.tab.key == screen(pilot).key


async def test_the_collector_passes_over_what_was_read():
    import gc

    gc.unfreeze()
    async with running(keys=["enter"]) as pilot:
        assert screen_name(pilot) == "SessionScreen"
        assert gc.get_freeze_count() > 1000
    gc.unfreeze()

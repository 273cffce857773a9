"""The list of sessions."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager

import pytest
from textual.widgets import Input

from eve_replay.journal import Journal
from eve_replay.views.verdicts.board import SORTS
from eve_replay_tui import ReplayApp
from tests.support import corpus
from tests.tui.support import NARROW, WIDE, lines, options, press, running, said, screen_name, settle, text
from tests.tui.worlds import Slow, many


async def test_a_session_with_its_status_counts_and_worst_verdict():
    async with running() as pilot:
        row = lines(pilot)[4]
        assert row.startswith("▌‖ idle, may have run twice") and "0.80.1" in row
        assert row.endswith("1AMCAAJ64S") and row.split()[6:8] == ["1?", "Charging."]
        assert "1 idle; 1 possibly twice" in lines(pilot)[1]
        assert "Do now (2 things, w): Look up" in text(pilot)
        assert "charge_card (call mock-tool-call-1-0-1) may have run twice" in text(pilot)


async def test_a_parked_session_says_for_what_and_since_when():
    async with running("sample:approval-hold") as pilot:
        assert "parked" in text(pilot) or "idle" in text(pilot)


async def test_the_filter_narrows_while_typing_and_escape_clears_it():
    async with running(opener=lambda: Journal(many(40))) as pilot:
        await press(pilot, "slash", *"order 17")
        assert pilot.app.screen.query_one("#filter", Input).value == "order 17"
        assert len(pilot.app.screen.shown) == 1 and "1 of 40 sessions" in text(pilot)
        await press(pilot, "escape")
        assert "40 sessions" in text(pilot) and pilot.app.screen.listing.has_focus


async def test_a_filter_that_fits_nothing_says_so():
    async with running(opener=lambda: Journal(many(5))) as pilot:
        await press(pilot, "slash", *"zzz")
        assert "No session holds 'zzz'" in text(pilot)
        await press(pilot, "escape")
        assert len(pilot.app.screen.shown) == 5


async def test_sorting_goes_through_every_column_and_keeps_the_cursor_on_its_session():
    async with running(opener=lambda: Journal(many(30))) as pilot:
        await press(pilot, "down", "down")
        chosen = pilot.app.screen.selected.id
        for sort in (*SORTS[1:], SORTS[0]):
            await press(pilot, "t")
            assert pilot.app.screen.sort == sort and pilot.app.screen.selected.id == chosen
        await press(pilot, "T")
        assert pilot.app.screen.reverse and "reversed" in text(pilot)


@pytest.mark.parametrize(("key", "screen"), [("enter", "SessionScreen"), ("i", "SessionScreen")])
async def test_opening(key, screen):
    async with running(keys=[key]) as pilot:
        assert screen_name(pilot) == screen


@pytest.mark.parametrize(("key", "screen"), [("w", "WhyScreen"), ("c", "CrashScreen")])
async def test_why_and_crash_lab_from_the_list(key, screen):
    async with running(keys=[key]) as pilot:
        await settle(pilot)
        assert screen_name(pilot) == screen
        await press(pilot, "escape", "escape")
        assert screen_name(pilot) == "SessionsScreen"


async def test_doctor_of_the_world_goes_to_what_a_finding_is_about():
    async with running(corpus.data("stranded"), keys=["D"]) as pilot:
        assert screen_name(pilot) == "DoctorScreen"


async def test_copying_takes_the_whole_id():
    async with running(keys=["y"]) as pilot:
        assert pilot.app.clipboard == "wrun_01M8NVET2Q9XT7ZZ1AMCAAJ64S"
        assert said(pilot).startswith("Copied wrun_")


async def test_escape_says_how_to_quit_and_q_quits():
    async with running(keys=["escape"]) as pilot:
        assert said(pilot) == "q leaves the program."
        await pilot.press("q")
    assert pilot.app.return_code == 0


async def test_reading_again_finds_new_sessions():
    worlds = [many(3), many(4)]
    journal = Journal(worlds[0])
    async with running(opener=lambda: journal) as pilot:
        assert "3 sessions" in text(pilot)
        journal.world = worlds[1]
        await press(pilot, "u")
        assert "4 sessions" in text(pilot)


async def test_a_source_that_cannot_be_read_is_told_in_words(tmp_path):
    async with running(tmp_path) as pilot:
        assert "could not be read" in text(pilot) or "no sessions" in text(pilot).lower()
        assert "eve-replay tui sample:crash-in-tool" in text(pilot)


async def test_an_empty_world_says_what_would_fill_it():
    async with running(opener=lambda: Journal(many(0))) as pilot:
        assert "one begins with the first message" in text(pilot)


async def test_a_mouse_click_selects_and_a_second_one_opens():
    async with running(opener=lambda: Journal(many(10))) as pilot:
        await pilot.click("#list", offset=(20, 4))
        await settle(pilot)
        assert pilot.app.screen.listing.cursor == 4
        await pilot.click("#list", offset=(20, 4))
        await settle(pilot)
        assert screen_name(pilot) == "SessionScreen"


async def test_narrow_screens_leave_columns_out_and_nothing_is_ragged():
    async with running(size=NARROW, opener=lambda: Journal(many(50))) as pilot:
        shown = lines(pilot)
        assert all(len(line) <= 80 for line in shown)
        assert "twice" in shown[3] and "turns" not in shown[3]  # harm stays, what is less needed goes
        assert shown[-1].strip().endswith("? help")


async def test_ten_thousand_rows_draw_only_what_is_on_screen_and_say_what_was_not_looked_at():
    app = ReplayApp(options(opener=lambda: Journal(many(10_000))))
    async with app.run_test(size=WIDE) as pilot:
        me = pilot.app.screen
        for _ in range(400):
            await asyncio.sleep(0.02)
            if len(me.every) == 10_000:
                break
        await pilot.press("end")
        await pilot.pause()
        # The session under the cursor is looked at next and takes its place among the others.
        assert me.listing.cursor > 40 and me.selected is not None
        assert len(me.listing._cache) < 500 and len(me.told) < 200
        assert "not looked at yet" in text(pilot)


@asynccontextmanager
async def reading(count):
    """A list that is being read: yields pilot, world, and a way to wait for a number of rows."""
    world = Slow.of(count)
    app = ReplayApp(options(opener=lambda: Journal(world)))
    async with app.run_test(size=WIDE, notifications=True) as pilot:

        async def rows(wanted):
            for _ in range(400):
                await asyncio.sleep(0.02)
                if len(pilot.app.screen.every) == wanted:
                    break
            await pilot.pause()
            assert len(pilot.app.screen.every) == wanted

        try:
            yield pilot, world, rows
        finally:
            world.let(count)


async def test_rows_appear_while_the_rest_is_read_newest_first():
    async with reading(900) as (pilot, world, rows):
        world.let(150)
        await rows(100)
        me = pilot.app.screen
        assert "100 sessions so far" in text(pilot) and "refund order 899" in text(pilot)
        assert me.selected.title == "refund order 899"
        world.let(750)
        await settle(pilot)
        assert "900 sessions  worst first" in text(pilot) and me.page.found == 900
        assert me.board.looked == 900 and "not looked at" not in text(pilot)
        await press(pilot, *"tttt")  # by last activity
        assert [row.title for row in me.shown[:2]] == ["refund order 899", "refund order 898"]


async def test_the_cursor_stays_on_its_session_and_its_line_while_rows_come_in_above_and_below():
    async with reading(900) as (pilot, world, rows):
        world.let(100)
        await rows(100)
        me = pilot.app.screen
        await pilot.press("t", "t", "T")  # by title, backwards: later parts come in above and below
        assert me.sort == "title" and me.reverse
        me.listing.action_page(1)
        me.listing.action_page(1)
        me.listing.action_line(-3)
        chosen, y = me.selected.id, me.listing.cursor - int(me.listing.scroll_offset.y)
        before = me.listing.cursor
        for let, wanted in ((100, 200), (200, 400), (400, 800)):
            world.let(let)
            await rows(wanted)
            assert me.selected.id == chosen
            assert me.listing.cursor - int(me.listing.scroll_offset.y) == y
        world.let(100)
        await settle(pilot)
        assert me.selected.id == chosen and me.listing.cursor - int(me.listing.scroll_offset.y) == y
        assert me.listing.cursor > before + 10  # refund order 9 and 90 to 99 stand above


async def test_the_filter_holds_for_what_comes_later():
    async with reading(900) as (pilot, world, rows):
        world.let(100)
        await rows(100)
        me = pilot.app.screen
        await pilot.press("slash", *"order 123")
        assert "No session looked at so far" in text(pilot)
        world.let(800)
        await settle(pilot)
        assert [row.title for row in me.shown] == ["refund order 123"]
        assert "1 of 900 sessions" in text(pilot) and "so far" not in text(pilot)


async def test_a_session_opens_once_its_relatives_are_known():
    async with reading(300) as (pilot, world, rows):
        world.let(100)
        await rows(100)
        await pilot.press("down", "enter")
        await pilot.pause()
        assert screen_name(pilot) == "SessionScreen" and "Joining the session" in text(pilot)
        world.let(200)
        await settle(pilot)
        assert "refund order 298" in text(pilot)
        await press(pilot, "escape")
        assert "300 sessions" in text(pilot) and pilot.app.screen.selected.title == "refund order 298"

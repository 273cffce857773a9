"""What works everywhere: help, palette, themes, poor terminals, copies, exports, deep links, live updates."""

from __future__ import annotations

import json
import threading

import pytest
from rich.cells import cell_len

from eve_replay.errors import SourceUnreadable
from eve_replay.journal import Journal, open_journal
from eve_replay.views.kit.safe import display_width
from eve_replay.views.kit.tone import BACKGROUNDS, PALETTES
from eve_replay_tui.reader import Job, Lane, Reader, Stopped
from eve_replay_tui.themes import SELECTED, THEMES, ascii_text, tone_theme
from tests.support import corpus
from tests.tui.support import NARROW, lines, options, press, running, said, screen_name, settle, text
from tests.tui.worlds import many


async def test_help_lists_keys_signs_and_certainties_and_closes_with_its_own_key():
    async with running(keys=["question_mark"]) as pilot:
        assert "Help: sessions" in text(pilot) and "Ctrl+P" in text(pilot)
        await press(pilot, "end")
        assert "the journal cannot tell" in text(pilot)
        await press(pilot, "question_mark")
        assert screen_name(pilot) == "SessionsScreen"


async def test_the_palette_runs_an_action_by_name():
    async with running(keys=["enter", "ctrl+p"]) as pilot:
        await press(pilot, *"crash here")
        await pilot.pause(0.3)
        await press(pilot, "enter")
        await settle(pilot)
        assert screen_name(pilot) == "CrashScreen"


@pytest.mark.parametrize("name", ["light", "high-contrast", "none"])
async def test_themes_change_at_once(name):
    async with running(keys=["enter"]) as pilot:
        await pilot.app.run_action(f"take_theme('{name}')")
        await settle(pilot)
        assert pilot.app.painter.theme == name and "ran twice" in text(pilot)


async def test_without_colours_no_colour_is_written():
    async with running(keys=["enter"], theme="none") as pilot:
        strips = pilot.app.screen._compositor.render_strips()
        filters = pilot.app.get_line_filters()
        for strip in strips:
            for segment in strip.apply_filter(filters[-1], pilot.app.screen.background_colors[1]):
                style = segment.style
                assert style is None or (style.color is None and style.bgcolor is None)


async def test_ascii_terminals_get_ascii_only():
    async with running(keys=["enter"], size=(120, 40), ascii_only=True) as pilot:
        for key in ("tab", "c", "m"):
            for strip in pilot.app.screen._compositor.render_strips():
                for each in pilot.app.get_line_filters():
                    strip = strip.apply_filter(each, pilot.app.screen.background_colors[1])
                line = "".join(segment.text for segment in strip)
                assert line.isascii() and len(line) == 120, line
            await press(pilot, key)


def test_ascii_text_escapes_what_it_cannot_draw():
    assert ascii_text("‖ ran twice → 日本") == "!! ran twice > \\u65e5\\u672c"


def test_tones_are_readable_on_the_selected_row_too():
    def luminance(colour):
        parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    def contrast(one, two):
        high, low = sorted((luminance(one), luminance(two)), reverse=True)
        return (high + 0.05) / (low + 0.05)

    for theme, background in SELECTED.items():
        for tone, colour in PALETTES[theme].items():
            assert contrast(colour, background) >= 4.5, (theme, tone)
            assert contrast(colour, BACKGROUNDS[theme]) >= 4.5, (theme, tone)


def test_every_theme_has_a_palette():
    assert [tone_theme(theme.name) for theme in THEMES] == ["dark", "light", "high-contrast", "none"]
    assert tone_theme("textual-light") == "light" and tone_theme("nord") == "dark"


async def test_copying_reaches_values_ids_and_lines():
    async with running(keys=["enter", "y"]) as pilot:
        assert pilot.app.clipboard == "step_01M8NVET2Q1207NWPAG2NV4SKF"
        await press(pilot, "e", "1", "tab", "tab", "home", "y")
        value = json.loads(pilot.app.clipboard)
        assert value["customer"] == "cus_42" and value["cents"] == 9900


async def test_export_writes_the_open_tab_and_never_over_a_file(tmp_path):
    async with running(keys=["enter", "e", "1", "tab", "tab", "x"], folder=tmp_path) as pilot:
        assert screen_name(pilot) == "AskScreen"
        await press(pilot, "enter")
        (written,) = tmp_path.iterdir()
        assert written.suffix == ".json" and json.loads(written.read_text("utf-8"))
        before = written.read_bytes()
        await press(pilot, "x", "enter")
        assert "exists already" in said(pilot) and written.read_bytes() == before


@pytest.mark.parametrize(
    "keys", [[], ["enter"], ["enter", "c"], ["enter", "m"], ["enter", "w"], ["enter", "d"]]
)
async def test_every_screen_exports_what_it_shows(tmp_path, keys):
    async with running(keys=[*keys, "x", "enter"], folder=tmp_path) as pilot:
        (written,) = tmp_path.iterdir()
        assert written.read_text("utf-8").strip() and "Written to" in said(pilot)


async def test_deep_links_open_session_and_step():
    link = {"session": "wrun_01M8NVET2Q9XT7ZZ1AMCAAJ64S", "step": "step_01M8NVET2Q1207NWPAG2NV4SKG"}
    async with running(**link) as pilot:
        await settle(pilot)
        assert screen_name(pilot) == "SessionScreen" and pilot.app.screen.key.endswith("4SKG")
    async with running(step="step_01M8NVET2Q1207NWPAG2NV4SKG") as pilot:
        await settle(pilot)
        assert screen_name(pilot) == "SessionScreen" and pilot.app.screen.key.endswith("4SKG")
    async with running(session="wrun_nowhere") as pilot:
        await settle(pilot)
        assert screen_name(pilot) == "SessionsScreen" and "wrun_nowhere" in said(pilot)


async def test_going_to_an_id_from_the_list_opens_its_session():
    async with running(keys=["g", *"4SKG", "enter"]) as pilot:
        await settle(pilot)
        assert screen_name(pilot) == "SessionScreen"


HOSTILE = (
    "\x1b[31mred\x1b]0;title\x07 [bold]not bold[/bold] [@click=app.quit]x[/] \u202ereversed \r\n日本語 👩‍👩‍👧"
)


async def test_hostile_texts_are_shown_never_obeyed():
    async with running(opener=lambda: Journal(many(3, title=HOSTILE.replace("{", "{{")))) as pilot:
        shown = text(pilot)
        assert "\\x1b[31mred\\x1b]0;title\\x07 [bold]not bold[/bold]" in shown
        assert "\x1b" not in shown and "\u202e" not in shown and "\x07" not in shown
        await press(pilot, "slash", *"[bold]")
        assert len(pilot.app.screen.shown) == 3
        await press(pilot, "escape", "enter", "w", "escape", "y")
        pilot.app.say(HOSTILE)
        await pilot.pause()
        assert "\x1b" not in text(pilot)


async def test_wide_characters_keep_every_line_as_wide_as_the_screen():
    async with running(
        size=NARROW, opener=lambda: Journal(many(20, title="日本語👩‍👩‍👧 {n} 漢字漢字"))
    ) as pilot:
        for strip in pilot.app.screen._compositor.render_strips():
            line = "".join(segment.text for segment in strip)
            assert cell_len(line) == display_width(line) == 80


async def test_live_updates_keep_cursor_and_filter(tmp_path, monkeypatch):
    monkeypatch.setattr("eve_replay_tui.app._POLL", 0.05)
    folder = corpus.scratch("crash-in-tool", tmp_path) / "data"
    app_options = options(str(folder), live=True)
    from eve_replay_tui import ReplayApp

    app = ReplayApp(app_options)
    async with app.run_test(size=(120, 40)) as pilot:
        for _ in range(100):
            await pilot.pause(0.05)
            if getattr(app.screen, "loaded", False) and app.live:
                break
        run = folder / "runs" / "wrun_01M8NVET2Q9XT7ZZ1AMCAAJ64S.json"
        fresh = run.read_text("utf-8").replace(run.stem, "wrun_01M8NVFFFFFFFFFFFFFFFFFFFF")
        run.with_name("wrun_01M8NVFFFFFFFFFFFFFFFFFFFF.json").write_text(fresh, "utf-8")
        before = app.screen.selected.id
        for _ in range(100):
            await pilot.pause(0.05)
            if len(app.screen.every) == 2:
                break
        assert len(app.screen.every) == 2 and app.screen.selected.id == before
        assert "live" in lines(pilot)[0]


async def test_when_a_watch_breaks_off_the_world_is_looked_at_now_and_then(tmp_path, monkeypatch):
    def broken(self, stop):
        raise SourceUnreadable("The server went away.")
        yield set()

    monkeypatch.setattr("eve_replay_tui.app._POLL", 0.05)
    monkeypatch.setattr("eve_replay.worlds.local.world.LocalWorld.changes", broken)
    from eve_replay_tui import ReplayApp

    folder = corpus.scratch("crash-in-tool", tmp_path) / "data"
    app = ReplayApp(options(str(folder), live=True))
    async with app.run_test(size=(120, 40)) as pilot:
        for _ in range(100):
            await pilot.pause(0.05)
            if getattr(app.screen, "loaded", False) and app.live:
                break
        run = folder / "runs" / "wrun_01M8NVET2Q9XT7ZZ1AMCAAJ64S.json"
        fresh = run.read_text("utf-8").replace(run.stem, "wrun_01M8NVFFFFFFFFFFFFFFFFFFFF")
        run.with_name("wrun_01M8NVFFFFFFFFFFFFFFFFFFFF.json").write_text(fresh, "utf-8")
        for _ in range(100):
            await pilot.pause(0.05)
            if len(app.screen.every) == 2:
                break
        assert len(app.screen.every) == 2


async def test_a_narrow_heading_still_says_how_a_session_stands():
    async with running(size=(70, 24), keys=["enter"]) as pilot:
        assert " idle" in lines(pilot)[0]


async def test_the_signs_and_words_of_the_vocabulary():
    async with running(keys=["enter", "c", "right_square_bracket"]) as pilot:
        for _ in range(8):
            await press(pilot, "right_curly_bracket")
            if "re-executed" in text(pilot):
                break
        assert "re-executed" in text(pilot) and "re executed" not in text(pilot)
    async with running(keys=["enter", "m", "question_mark"]) as pilot:
        assert "Left Right  Show other columns." in text(pilot)


async def test_a_lane_works_in_order_and_hands_errors_over():
    lane = Lane("test")
    assert [await lane.run(lambda n=n: n) for n in range(3)] == [0, 1, 2]
    with pytest.raises(ZeroDivisionError):
        await lane.run(lambda: 1 // 0)
    assert await lane.run(threading.current_thread) is not threading.current_thread()


def test_a_job_stops_at_its_next_step():
    job = Job("Counting", total=2)
    job.step()
    assert job.text == "Counting: 1 of 2"
    job.stop()
    with pytest.raises(Stopped):
        job.step()


def test_the_reader_keeps_a_few_explorers_only():
    reader = Reader(options())
    first = reader.explorer("wrun_01M8NVET2Q9XT7ZZ1AMCAAJ64S")
    assert reader.explorer("wrun_01M8NVET2Q9XT7ZZ1AMCAAJ64S") is first
    reader.refresh()
    assert reader.explorer("wrun_01M8NVET2Q9XT7ZZ1AMCAAJ64S") is not first
    reader.close()


async def test_an_error_in_one_payload_is_told_in_its_place():
    journal = open_journal("sample:crash-in-tool")
    async with running(opener=lambda: journal, keys=["enter"]) as pilot:
        inspector = pilot.app.screen.explorer.inspector
        inspector._makers["output"] = lambda found, start: 1 // 0
        await press(pilot, "2")
        assert "This could not be worked out (ZeroDivisionError" in text(pilot)
        await press(pilot, "1")
        assert "could not be worked out" not in text(pilot)

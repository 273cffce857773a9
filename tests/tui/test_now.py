"""What goes on while nobody presses a key: silence, deadlines, a ledger that grows, what is newest."""

from __future__ import annotations

import json
from datetime import timedelta

from eve_replay.journal import open_journal
from eve_replay.journal.ledger.model import Ledger
from eve_replay_tui import ReplayApp
from tests.support import corpus
from tests.tui.support import NARROW, NOW, options, press, running, said, settle, text


def open_one(name="crash-not-restarted"):
    return {"source": str(corpus.data(name)), "opener": lambda: open_journal(str(corpus.data(name)))}


async def test_silence_and_the_end_of_the_lease_are_drawn():
    async with running(**open_one(), keys=["enter"]) as pilot:
        shown = text(pilot)
        assert "! overdue" in shown and "silence" in shown
        assert "silent for 2 h 25 min, assumed lease ended 2 h 10 min ago" in shown


async def test_inside_the_lease_what_is_left_is_said_and_ticks():
    with open_journal(str(corpus.data("crash-not-restarted"))) as journal:
        start = journal.session().steps[-1].started_at
    clock = [start + timedelta(seconds=60)]
    async with running(**open_one(), now=lambda: clock[0]) as pilot:
        assert "13 min left" in text(pilot)
        await press(pilot, "enter")
        assert "lease ends" in text(pilot)
        clock[0] += timedelta(seconds=600)
        pilot.app.screen.tick()
        await settle(pilot)
        assert "200 s" in text(pilot) or "3 min 20 s" in text(pilot)


async def test_where_one_pane_is_shown_a_key_brings_its_pane_forward():
    async with running(size=NARROW, keys=["enter"]) as pilot:
        me = pilot.app.screen
        assert me.pane == "tree"
        for key, pane in (("s", "inspector"), ("v", "timeline"), ("2", "inspector"), ("r", "inspector")):
            await press(pilot, key)
            assert me.pane == pane


async def test_a_ledger_settles_what_the_journal_cannot_tell_and_is_followed(tmp_path):
    whole = (corpus.scenario("crash-in-tool") / "ledger.ndjson").read_text("utf-8").splitlines()
    file = tmp_path / "ledger.ndjson"
    charges = [each for each in whole if json.loads(each).get("effect") == "charge"]
    file.write_text("\n".join(each for each in whole if each != charges[0]) + "\n", "utf-8")
    given = {"ledger": lambda: Ledger.load(file), "ledger_file": file}
    async with ReplayApp(options(**given)).run_test(size=(120, 40)) as pilot:
        while not pilot.app.screen.board.looked:
            await pilot.pause(0.05)
        await pilot.pause()
        before = pilot.app.screen.board.row(pilot.app.screen.every[0].id)
        file.write_text("\n".join(whole) + "\n", "utf-8")
        for _ in range(200):
            await pilot.pause(0.05)
            after = pilot.app.screen.board.row(before.id)
            if after.looked and after.twice.sure == 2:
                break
        # Two mails from the start; the second charge only with the line that was written meanwhile.
        assert before.twice.words == "1 twice" and after.twice.words == "2 twice"


async def test_follow_says_when_there_is_nothing_to_follow():
    async with running(keys=["enter", "f"]) as pilot:
        assert "nothing to follow" in said(pilot) and not pilot.app.screen.following


async def test_the_first_command_of_the_plan_is_copied_whole():
    async with running(**open_one(), keys=["Y"]) as pilot:
        assert pilot.app.clipboard.startswith("curl -X POST http") and pilot.app.clipboard.endswith("'")
        await press(pilot, "enter", "Y")
        assert pilot.app.clipboard.startswith("curl -X POST http")


async def test_control_c_leaves():
    async with running() as pilot:
        await pilot.press("ctrl+c")
    assert pilot.app.return_code == 0


def test_the_clock_of_these_tests_lies_after_the_recordings():
    assert NOW.year == 2026

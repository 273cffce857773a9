"""The crash lab and the matrix."""

from __future__ import annotations

from tests.support import corpus
from tests.tui.support import NARROW, lines, press, running, said, screen_name, settle, text


def screen(pilot):
    return pilot.app.screen


async def test_it_opens_at_the_event_of_the_cursor_and_answers_at_once():
    async with running(keys=["enter", "a", "a", "a", "c"]) as pilot:
        assert screen_name(pilot) == "CrashScreen"
        assert "If the process dies here" in text(pilot) and "outside sees" in text(pilot)
        assert "runtime eve" in text(pilot)


async def test_arrows_brackets_and_braces_move_the_point():
    async with running(keys=["enter", "c"]) as pilot:
        at = screen(pilot).index
        there = ("right", "right_square_bracket", "down", "n")
        back = ("left", "left_square_bracket", "up", "b")
        moves = [
            (key, by) for pair in zip(there, back, strict=True) for key, by in zip(pair, (1, 0), strict=True)
        ]
        for key, expected in moves:
            await press(pilot, key)
            assert screen(pilot).index == at + expected, key
            assert f"point {at + expected + 1} of" in lines(pilot)[0]
        klass = screen(pilot).lab.points[at].klass
        await press(pilot, "right_curly_bracket")
        assert screen(pilot).lab.points[screen(pilot).index].klass != klass
        await press(pilot, "home")
        assert screen(pilot).index == 0
        await press(pilot, "left")
        assert screen(pilot).index == 0


async def test_e_goes_to_the_point_where_the_next_effect_happened():
    async with running(keys=["enter", "c", "home", "e"]) as pilot:
        point = screen(pilot).lab.points[screen(pilot).index]
        assert point.happened or point.possible
        await press(pilot, *["e"] * 12)
        assert said(pilot) == "No further effect in this turn."


async def test_the_answer_follows_the_environment():
    async with running(keys=["enter", "c", "E"]) as pilot:
        assert screen_name(pilot) == "PickScreen" and "eve dev without --resume" in text(pilot)
        await press(pilot, "down")
        while screen(pilot).query_one("#choices").current.key != "eve-dev":
            await press(pilot, "down")
        await press(pilot, "enter")
        assert screen(pilot).asked == {"environment": "eve-dev"}
        assert "environment eve dev without --resume" in text(pilot)
        assert "needs a person" in text(pilot) and "eve dev --resume" in text(pilot)


async def test_a_strategy_changes_what_the_outside_sees():
    async with running(keys=["enter", "c"]) as pilot:
        lab = screen(pilot)
        at = next(p.index for p in lab.lab.points if any("charge_card" in each for each in p.happened))
        lab._to(at)
        await settle(pilot)
        before = lab.view.effects[0]
        assert before.tool == "charge_card" and before.outside_maximum != 1
        await press(pilot, "S", "enter")
        while screen(pilot).query_one("#choices").current.key != "business-id":
            await press(pilot, "down")
        await press(pilot, "enter")
        assert screen(pilot).view.effects[0].outside_maximum == 1
        assert "charge_card business-id" in text(pilot)


async def test_policy_and_model_can_be_chosen_and_escape_changes_nothing():
    async with running(keys=["enter", "c", "p", "down", "enter", "M", "down", "down", "enter"]) as pilot:
        assert screen(pilot).asked["runtime"] == "flue" and screen(pilot).asked["model"] in (
            "new-ids",
            "other",
        )
        before = dict(screen(pilot).asked)
        await press(pilot, "p", "escape")
        assert screen_name(pilot) == "CrashScreen" and screen(pilot).asked == before


async def test_enter_goes_to_the_moment_in_the_session():
    async with running(keys=["enter", "c", "e"]) as pilot:
        lab = screen(pilot)
        point = next(p for p in lab.lab.points[lab.index :] if p.key)
        lab._to(point.index)
        await settle(pilot)
        await press(pilot, "enter")
        assert screen_name(pilot) == "SessionScreen" and screen(pilot).here.event == point.key


async def test_matrix_to_lab_and_back():
    async with running(keys=["enter", "c", "m"]) as pilot:
        assert screen_name(pilot) == "MatrixScreen"
        assert "charge_card" in lines(pilot)[2] and "hangs" in text(pilot)
        await press(pilot, "e")
        harmful = screen(pilot).grid.current.data
        assert harmful.harmful and harmful.sentence.split(":")[0] in text(pilot)
        await press(pilot, "enter")
        assert screen_name(pilot) == "CrashScreen" and screen(pilot).index == harmful.point.index


async def test_matrix_shows_every_point_and_other_columns():
    async with running(size=NARROW, keys=["enter", "m"]) as pilot:
        few = len(screen(pilot).grid.rows)
        await press(pilot, "v")
        assert len(screen(pilot).grid.rows) > few
        assert "charge_card" in lines(pilot)[2]
        await press(pilot, "right")
        assert "charge_card" not in lines(pilot)[2] and "send_email" in lines(pilot)[2]
        await press(pilot, "left", "enter")
        assert screen_name(pilot) == "CrashScreen"
        await press(pilot, "escape")
        assert screen_name(pilot) == "MatrixScreen"


async def test_a_matrix_that_is_left_stops():
    async with running(keys=["enter"]) as pilot:
        await pilot.press("m")
        job = screen(pilot).job
        await pilot.press("escape")
        await settle(pilot)
        assert job._stop.is_set()


async def test_a_click_on_the_strip_moves_the_point():
    async with running(keys=["enter", "c"]) as pilot:
        await pilot.click("#strip", offset=(158, 0))
        await settle(pilot)
        assert screen(pilot).index > 100


async def test_a_plain_sdk_run_has_a_lab_too():
    async with running(corpus.data("sdk5-crash"), keys=["enter", "c"]) as pilot:
        assert screen_name(pilot) == "CrashScreen" and "If the process dies here" in text(pilot)


async def test_the_matrix_leads_to_the_turn_under_several_rules():
    async with running(keys=["enter", "c", "m", "p"]) as pilot:
        await settle(pilot)
        assert screen_name(pilot) == "SideScreen"
        assert "under eve" in text(pilot) and "under flue" in text(pilot)
        assert "may repeat charge_card" in text(pilot) or "crash points" in text(pilot)
        await press(pilot, "escape")
        assert screen_name(pilot) == "MatrixScreen"

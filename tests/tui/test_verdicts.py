"""Why, doctor, diff and search: sentences with ways to their evidence."""

from __future__ import annotations

from tests.support import corpus
from tests.tui.support import NARROW, lines, press, running, said, screen_name, settle, text


def screen(pilot):
    return pilot.app.screen


async def test_why_says_who_what_when_how_and_what_next():
    async with running(keys=["enter", "w"]) as pilot:
        shown = text(pilot)
        assert (
            "Do now" in shown and "went through in attempt 1" in shown and "ch_gsvar356, 9900 cents" in shown
        )
        assert "may have run twice" in shown and "Next: " not in shown


async def test_from_a_verdict_to_its_evidence():
    async with running(keys=["enter", "w"]) as pilot:
        view = screen(pilot).listing
        while not view.current.key.startswith("chunk:"):
            await press(pilot, "down")
        wanted = view.current.key
        await press(pilot, "enter")
        assert screen_name(pilot) == "SessionScreen" and screen(pilot).here.event == wanted


async def test_n_and_b_go_from_verdict_to_verdict_and_space_folds_evidence():
    async with running(keys=["enter", "w"]) as pilot:
        view = screen(pilot).listing
        await press(pilot, "n")
        assert "Look up" in "".join(span.text for span in view.current.line)
        await press(pilot, "n", "n", "n")
        assert "ran twice, same key" in "".join(span.text for span in view.current.line)
        rows = len(view.rows)
        await press(pilot, "space")
        assert len(view.rows) < rows and "pieces of evidence, Space shows" in text(pilot)
        await press(pilot, "b", "b", "b")
        assert view.cursor == 1
        await press(pilot, "b")
        assert said(pilot) == "There is nothing further that way."


async def test_doctor_of_a_session_is_clean_or_says_what_and_where():
    async with running(keys=["enter", "D"]) as pilot:
        assert screen_name(pilot) == "DoctorScreen"
        assert "Nothing found" in text(pilot) or "Do: " in text(pilot) or "remark" in text(pilot)


async def test_doctor_of_the_world_checks_every_session():
    async with running(corpus.data("subagent"), keys=["D"]) as pilot:
        await settle(pilot)
        assert screen(pilot).job.total == screen(pilot).job.done > 0


async def test_diff_puts_what_ran_twice_on_top():
    async with running(keys=["enter", "d"]) as pilot:
        shown = lines(pilot)
        assert "attempt 1, interrupted  against  attempt 2, completed" in shown[0]
        assert "send_email ran in both attempts" in shown[1]
        assert any("│" in line for line in shown)
        await press(pilot, "v")
        assert "unified" in lines(pilot)[0] and not any("│" in line for line in lines(pilot))
        await press(pilot, "f")
        assert "coordinates" in text(pilot)


async def test_diff_of_a_step_with_one_attempt_takes_the_step_before():
    async with running(keys=["enter", "d", "N"]) as pilot:
        assert "steps" in lines(pilot)[0] and "against" in lines(pilot)[0]
        await press(pilot, "v", "a")
        assert said(pilot) == "There is no other pair of attempts."
        await press(pilot, "B")
        assert "attempt 1, interrupted" in lines(pilot)[0]


async def test_diff_against_a_chosen_step():
    async with running(keys=["enter", "d", "o"]) as pilot:
        assert screen_name(pilot) == "PickScreen"
        await press(pilot, "end", "enter")
        assert screen_name(pilot) == "DiffScreen" and "steps" in lines(pilot)[0]


async def test_many_attempts_give_many_pairs():
    async with running(corpus.data("attempts-exhausted-kill"), keys=["enter", "d"]) as pilot:
        assert "pair 1 of" in lines(pilot)[0]
        await press(pilot, "a")
        assert "pair 2 of" in lines(pilot)[0]
        await press(pilot, "enter")
        assert screen_name(pilot) == "SessionScreen"


async def test_a_narrow_diff_is_one_flow():
    async with running(size=(60, 24), keys=["enter", "d"]) as pilot:
        assert not any("│" in line for line in lines(pilot)[1:-1])
        assert all(len(line) <= 60 for line in lines(pilot))


async def test_search_finds_decoded_values_and_goes_there():
    async with running(keys=["enter", "slash", *"ch_gsvar", "enter"]) as pilot:
        assert screen_name(pilot) == "SearchScreen" and "ch_gsvar356" in text(pilot)
        assert "place" in lines(pilot)[0]
        wanted = screen(pilot).listing.current.key
        await press(pilot, "enter")
        assert screen_name(pilot) == "SessionScreen" and screen(pilot).key == wanted


async def test_search_for_what_is_not_there():
    async with running(size=NARROW, keys=["enter", "slash", *"no such", "enter"]) as pilot:
        assert "'no such' stands nowhere in this session." in text(pilot)
        await press(pilot, "f1")
        assert screen_name(pilot) == "HelpScreen"

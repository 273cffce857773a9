"""The desk of a lesson: predictions, the stage, verdicts. A task of our own, so that no lesson decides it."""

import base64
import json
import time
import types
import zlib
from datetime import UTC, datetime

import pytest

from eve_replay.errors import EveReplayError, NotFound, WrongUse
from eve_replay.notebook import display, lesson
from eve_replay.notebook._assets import script, style
from eve_replay.notebook.classroom import ClassroomWidget, Desk, verdict_widget
from eve_replay.notebook.clock import clock_at
from eve_replay.notebook.saved import SAVED_BUDGET
from eve_replay.notebook.widgets import _POSITIONS
from eve_replay.workshop.engine.schedules import KINDS
from eve_replay.workshop.grading.progress import Progress
from eve_replay.workshop.lesson import tasks
from eve_replay.workshop.model import Ask, Case, Deed, Fault, Text, Turn
from eve_replay.workshop.outside import Timeout
from eve_replay.workshop.promises import each_deed_once, it_ends
from eve_replay.workshop.task import Prediction, Task
from eve_replay.workshop.verdict import Verdict
from eve_replay.workshop.views.predicting import Predicting
from eve_replay.workshop.views.words import ACCIDENTS, EFFECTS, FAULTS, MARKS, WORDS, counted, words_for


def both(text):
    return Text(text, f"中 {text}")


def case(name="one", model="same"):
    deed = Deed(effect="charge", match={"order": "ord_1"}, words="ord_1")
    ask = Ask(tool="pay", input={"order": "ord_1", "cents": 500}, deeds=(deed,))
    return Case(name=name, turns=(Turn(message="Pay.", answers=((ask,),)),), model=model, words=both(name))


def made(**changes):
    values = {
        "lesson": "41",
        "slug": "ours",
        "title": both("Ours"),
        "answer": "pay",
        "cases": lambda seed: (case(), case("new", "new-ids")),
        "promises": (each_deed_once(), it_ends()),
        "good": both("good"),
        "finds": both("Everything"),
        "predictions": {
            "how": Prediction(
                question=both("How often?"),
                choices=(both("once"), both("twice")),
                answer=lambda: 1,
                reveal=both("It was {count} times."),
                facts=lambda: {"count": 2},
                source="sample:pay-without-key",
            ),
            "free": Prediction(question=both("Why?"), reveal=both("Because.")),
        },
    }
    return Task(**(values | changes))


def pay(input, ctx, outside):
    outside.payments.charge(input["order"], input["cents"])
    return {"status": "paid"}


def safe(input, ctx, outside):
    outside.payments.charge(input["order"], input["cents"], key="pay " + input["order"])
    return {"status": "paid"}


@pytest.fixture
def here(tmp_path):
    _POSITIONS.clear()
    return Desk(made(), "en", tmp_path)


def page(widget):
    return json.loads(zlib.decompress(base64.b64decode(widget.packed)))


def see(widget, *faults, case="one", runtime="eve"):
    return widget._answer({"do": "see", "case": case, "runtime": runtime, "faults": list(faults)})


def strip(widget, *faults, case="one"):
    return widget._answer({"do": "strip", "case": case, "runtime": "eve", "faults": list(faults)})


# -- the desk ------------------------------------------------------------------------------------------


def test_a_lesson_by_number_and_what_is_no_lesson(tmp_path):
    number = next(iter(tasks()))
    desk = lesson(int(number), language="zh", folder=str(tmp_path))
    assert desk.task.lesson == number and desk.language == "zh"
    with pytest.raises(NotFound):
        lesson("99")
    with pytest.raises(WrongUse, match="language"):
        lesson(number, language="fr")


def test_the_desk_says_what_it_is_about_and_how_far_one_is(here):
    assert "Ours" in repr(here) and "Predictions made: 0 of 2" in repr(here)
    here.predict("how", 2)
    here.progress.checked(
        Verdict(lesson="41", passed=False, language="en", headline="no", code="no-key"),
        at=datetime(2026, 1, 2, tzinfo=UTC),
    )
    assert "1 of 2" in repr(here) and "not passed yet, checked once" in repr(here)
    bundle = here._repr_mimebundle_()
    bundle = bundle[0] if isinstance(bundle, tuple) else bundle
    assert "Everything" in bundle["text/plain"] and "application/vnd.jupyter.widget-view+json" in bundle


def test_every_word_is_there_in_both_languages():
    texts = [*WORDS.values(), *FAULTS.values(), *MARKS.values(), *ACCIDENTS.values()]
    texts += [one for one, _ in EFFECTS.values()]
    for text in texts:
        assert text.en and text.zh and "!" not in text.en and "！" not in text.zh
        fields = {part.split("}")[0] for part in text.en.split("{")[1:]}
        assert fields == {part.split("}")[0] for part in text.zh.split("{")[1:]}, text
    assert set(FAULTS) == set(KINDS)
    assert counted(1, "mail", "en") == "1 mail" and counted(2, "thing", "en") == "2 things"
    assert "fault-lost" in words_for("zh")


# -- predictions ---------------------------------------------------------------------------------------


def test_nothing_of_the_answer_is_in_the_page_before_the_choice(here):
    widget = here.predict("how")
    text = json.dumps(page(widget))
    assert "It was" not in text and "sample:" not in text and page(widget)["data"]["shown"] is None
    assert "It was" not in widget.to_html() and "It was" not in repr(widget)
    shown = widget._answer({"do": "choose", "choice": 0})
    assert shown["reveal"] == "It was 2 times." and shown["right"] is False and shown["answer"] == 1


def test_the_first_choice_stays_in_this_kernel_and_the_next(here, tmp_path):
    here.predict("how")._answer({"do": "choose", "choice": 0})
    assert page(here.predict("how", 2))["data"]["shown"]["choice"] == 0
    again = Desk(made(), "zh", tmp_path)
    shown = page(again.predict("how"))["data"]["shown"]
    assert shown["choice"] == 0 and shown["reveal"].startswith("中")
    assert Progress(tmp_path).lesson("41").prediction("how").right is False


def test_free_text_is_kept_and_has_no_right_answer(here):
    shown = page(here.predict("free", "the key \x1b[31m changes"))["data"]["shown"]
    assert shown["right"] is None and shown["answer"] is None and "\x1b" not in shown["choice"]
    with pytest.raises(WrongUse):
        here.predict("how", 3)
    with pytest.raises(WrongUse):
        here.predict("how", True)
    with pytest.raises(WrongUse, match="has no prediction"):
        here.predict("nothing")


def test_a_recording_that_is_not_there_spoils_nothing(tmp_path):
    def gone():
        raise NotFound("no such recording")

    task = made(
        predictions={
            "p": Prediction(
                question=both("?"), choices=(both("a"),), answer=gone, reveal=both("{x}"), facts=gone
            )
        }
    )
    shown = Predicting(task, "p", "en", Progress(tmp_path), clock_at(None)).choose(0)
    assert shown["right"] is None and "no such recording" in shown["reveal"]


def test_a_folder_that_cannot_be_written_is_said(tmp_path):
    task = made()
    asked = Predicting(task, "how", "en", Progress(tmp_path / "nowhere"), clock_at(None))
    assert "cannot be written" in asked.choose(1)["trouble"]
    assert asked.data()["shown"]["choice"] == 1


# -- the stage -----------------------------------------------------------------------------------------


def test_the_cells_say_what_each_crash_does(here):
    widget = here.play(pay)
    cells = {(cell["point"], cell["kind"]): cell["tone"] for cell in strip(widget)["cells"]}
    charge = next(box["point"] for box in see(widget)["lanes"][0]["boxes"] if box["kind"] == "call")
    assert cells[charge, "crash-before"] == "once"
    assert cells[charge, "crash-in-flight"] == cells[charge, "crash-after"] == "harm"
    fixed = strip(here.play(safe))["cells"]
    assert {cell["tone"] for cell in fixed} == {"once"}


def test_a_crash_gives_a_second_lane_and_a_second_charge(here):
    widget = here.play(pay)
    calm = see(widget)
    charge = next(box["point"] for box in calm["lanes"][0]["boxes"] if box["kind"] == "call")
    assert len(calm["lanes"]) == 1 and calm["sums"][0]["text"] == "1 charge for ord_1"
    view = see(widget, [charge, "crash-after", 0])
    assert [lane["process"] for lane in view["lanes"]] == [1, 2]
    assert view["sums"] == [{"tone": "harm", "sign": "‖", "text": "2 charges for ord_1"}]
    assert [entry["by"] for entry in view["ledger"]] == ["process 1", "process 2"]
    columns = [[box["col"] for box in lane["boxes"] if "#" in box["text"]] for lane in view["lanes"]]
    assert columns[0] == columns[1]  # the same place of the program stands in one column
    assert view["columns"] == calm["columns"]  # a crash does not move the columns
    assert view["faultWords"] == ["process 1 dies after the outside did “charge”"]


def test_two_crashes_and_the_cells_after_the_first(here):
    widget = here.play(pay)
    first = [1, "crash-after", 0]
    cells = strip(widget, first)["cells"]
    assert {cell["lane"] for cell in cells} == {1} and all(cell["point"] > 1 for cell in cells)
    again = next(cell for cell in cells if cell["kind"] == "crash-after")
    view = see(widget, first, [again["point"], "crash-after", 0])
    assert view["sums"][0]["text"] == "3 charges for ord_1" and len(view["lanes"]) == 3


def test_what_is_in_flight_reaches_the_ledger_when_it_lands(here):
    view = see(here.play(pay), [1, "crash-in-flight", 0])
    sent = next(box for box in view["lanes"][0]["boxes"] if box["fault"] == "crash-in-flight")
    late = next(entry for entry in view["ledger"] if entry["by"] == "process 1")
    assert late["at"] > sent["last"]
    covered = [index for moment in view["moments"] for index in range(moment["from"], moment["to"] + 1)]
    assert covered == sorted(set(covered))
    assert any(box["kind"] == "landed" for lane in view["lanes"] for box in lane["boxes"])


def test_a_fault_that_falls_nowhere_is_moved_and_that_is_said(here):
    view = see(here.play(pay), [999, "crash-in-flight", 0])
    assert len(view["faults"]) == 1 and view["faults"][0][0] < 999 and view["moved"]
    assert strip(here.play(pay), [0, "crash-after", 0]) == strip(here.play(pay), [0, "crash-before", 0])
    assert see(here.play(pay), [0, "crash-after", 0])["faults"] == [[0, "crash-before", 0.0]]
    with pytest.raises(WrongUse):
        see(here.play(pay), [1, "explodes", 0])
    with pytest.raises(WrongUse):
        here.play(pay, schedule=["x"])


def test_inside_the_commit_the_column_stands_beside_the_commit(here):
    view = see(here.play(pay), [4, "crash-before", 0])
    labels = [column["label"] for column in view["columns"]]
    assert labels[labels.index("commit") : labels.index("commit") + 3] == ["commit", "lock", "committed"]
    assert view["end"]["text"] == "hangs for good" and len(view["lanes"]) == 3
    assert view["lanes"][2]["process"] == 2 and "once more" in view["lanes"][2]["note"]


def test_a_schedule_and_a_case_to_begin_with(here):
    start = page(here.play(pay, schedule=[Fault(1, "crash-after")], case="new"))["data"]["start"]
    assert start["faults"] == [[1, "crash-after", 0.0]] and start["case"] == "new"
    with pytest.raises(WrongUse, match="no case"):
        here.play(pay, case="nothing")


def test_the_shortest_way_to_break_it(here):
    found = here.play(pay)._answer({"do": "break", "case": "one", "runtime": "eve"})
    assert len(found["faults"]) == 1 and found["case"] == "one" and "shortest" in found["say"]
    view = see(here.play(pay), *found["faults"])
    assert view["sums"][0]["tone"] == "harm"
    calm = here.play(safe)._answer({"do": "break", "case": "one", "runtime": "eve"})
    assert "faults" not in calm and "None of them" in calm["say"]


def test_it_looks_in_the_other_cases_too(here):
    def by_call(input, ctx, outside):
        outside.payments.charge(input["order"], input["cents"], key=ctx.call_id)

    found = here.play(by_call)._answer({"do": "break", "case": "one", "runtime": "eve"})
    assert found["case"] == "new" and "this case does" in found["say"]


def test_another_runtime_is_another_answer(here):
    widget = here.play(pay, runtimes=True)
    assert [each["name"] for each in page(widget)["data"]["runtimes"]] == ["eve", "flue", "none"]
    sums = {
        runtime: see(widget, [2, "crash-before", 0], runtime=runtime)["sums"][0]["text"]
        for runtime in ("eve", "flue")
    }
    assert sums["eve"] != sums["flue"]
    spans = see(widget, [1, "crash-after", 0], runtime="flue")["lanes"][1]["spans"]
    assert [span["tone"] for span in spans] == ["unknown"]
    assert page(here.play(pay))["data"]["runtimes"] == []


def test_an_error_of_the_function_is_words(here):
    def broken(input, ctx, outside):
        return {}["<b>no</b>"]

    view = see(here.play(broken))
    assert view["threw"] == ["KeyError: '<b>no</b>'"] and view["told"][0]["tone"] == "error"
    assert {cell["tone"] for cell in strip(here.play(broken))["cells"]} <= {"warning", "unknown"}

    def endless(input, ctx, outside):
        while True:
            outside.payments.find(order="x")

    assert see(here.play(endless))["end"]["text"] == "calls without end"

    def patient(input, ctx, outside):
        try:
            outside.payments.charge(input["order"], input["cents"])
        except Timeout:
            return {"status": "unknown"}

    assert see(here.play(patient))["sums"][0]["tone"] == "once"


@pytest.mark.parametrize("wrong", [None, 3, "pay", Task, lambda: None, {"pay": pay}])
def test_what_is_no_tool_is_said_in_words(here, wrong):
    widget = here.play(wrong)
    assert page(widget)["data"]["trouble"] and "cannot be run" in repr(widget)


def test_a_tool_that_really_waits_is_not_run(here):
    def slow(input, ctx, outside):
        time.sleep(5)

    assert "sleep" in page(here.play(slow))["data"]["trouble"]


def test_a_lesson_without_cases_has_no_stage(tmp_path):
    assert "nothing to play" in page(Desk(made(cases=None), "en", tmp_path).play(pay))["data"]["trouble"]


def test_texts_of_the_learner_are_data(here):
    def pay(input, ctx, outside):
        outside.payments.charge(input["order"], input["cents"], key="</script><b>\u202e", note="\x1b[31m")
        return "<img src=x>"

    pay.__name__ = "<i>pay</i>"
    widget = here.play(pay)
    html = widget.to_html()
    assert html.count("<script") == html.count("</script>") == 1
    assert "<img" not in html and "<i>pay" not in html
    text = json.dumps(see(widget), ensure_ascii=False)
    assert "\u202e" not in text and "\x1b" not in text


def test_the_page_holds_every_single_crash_and_stays_small(here):
    widget = here.play(pay)
    saved = page(widget)["saved"]
    assert (
        len([name for name in saved if '"see"' in name and '"one"' in name])
        == len(strip(widget)["cells"]) + 1
    )
    assert len(widget.packed) < SAVED_BUDGET * 2


def test_the_place_is_remembered_when_the_cell_runs_again(here):
    widget = here.play(pay)
    widget.position = {"case": "new", "runtime": "eve", "faults": [[1, "crash-after", 0]]}
    again = page(here.play(pay))["data"]["start"]
    assert again["case"] == "new" and again["faults"] == [[1, "crash-after", 0]]


def test_what_the_function_prints_stands_beside_its_picture(here, capsys):
    def talks(input, ctx, outside):
        print("paying", input["order"])
        print("\x1b[31m<b>")
        outside.payments.charge(input["order"], input["cents"])

    widget = here.play(talks)
    assert see(widget)["printed"].splitlines()[0] == "paying ord_1" and "\x1b" not in see(widget)["printed"]
    assert see(widget, [1, "crash-after", 0])["printed"].count("paying") == 2
    widget._answer({"do": "break", "case": "one", "runtime": "eve"})
    assert capsys.readouterr().out == ""


def test_an_old_stage_undoes_nothing_of_a_cell_that_was_run_later(here):
    names = {"key": lambda order: "old"}
    code = "def pay(input, ctx, outside):\n    outside.payments.charge(input['order'], 5, key=key(ctx))\n"
    exec(code, names)
    old = here.play(names["pay"])
    see(old, [1, "crash-after", 0])
    names["key"] = newer = lambda order: "new"
    see(old, [1, "crash-after", 0], case="new")
    strip(old, [1, "crash-after", 0], case="new")
    assert names["key"] is newer


def test_a_workflow_that_was_parked_starts_over_in_a_lane_of_its_own(tmp_path):
    def order(input, ctx, outside):
        outside.payments.find(order=input["order"])
        ctx.ask("Really?")
        ctx.step("pay", outside.payments.charge, input["order"], 5, "key")
        return {"status": "paid"}

    deed = Deed(effect="charge", match={"order": "o"}, words="o")
    ask = Ask(tool="order", input={"order": "o"}, deeds=(deed,))
    task = made(
        kind="workflow", answer="order",
        cases=lambda seed: (Case(name="w", turns=(Turn(message="", answers=((ask,),)),), answers=("yes",)),),
    )  # fmt: skip
    view = see(Desk(task, "en", tmp_path).play(order), case="w")
    assert len(view["lanes"]) == 2 and view["sums"][0]["tone"] == "once"
    found = [[view["columns"][box["col"]]["label"] for box in lane["boxes"]] for lane in view["lanes"]]
    assert found[0][:2] == ["find", "parked"] and found[1][0] == "find" and "charge" in found[1]
    labels = [column["label"] for column in view["columns"]]
    assert labels.index("parked") < labels.index("charge")


def test_a_person_who_was_told_is_counted_once(tmp_path):
    def careful(input, ctx, outside):
        if outside.store.set_nx(input["to"] + input["subject"], "pending"):
            outside.mail.send(input["to"], input["subject"])
        else:
            outside.people.tell(input["to"] + " " + input["subject"])
        return {"status": "unknown"}

    view = see(Desk(tasks()["05"], "en", tmp_path).play(careful), [2, "crash-before", 0])
    assert [each["text"] for each in view["sums"] if each["tone"] == "parked"] == ["1 person told"]


@pytest.mark.parametrize(
    "number", [n for n, each in tasks().items() if each.cases is not None and each.kind != "judged"]
)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_lesson_can_be_played(number, language, tmp_path):
    desk = Desk(tasks()[number], language, tmp_path)

    def nothing(input, ctx, outside):
        return {"status": "done"}

    widget = desk.play(nothing)
    for each in page(widget)["data"]["cases"]:
        view = see(widget, case=each["name"])
        assert view["lanes"] and all(moment["text"] for moment in view["moments"])


# -- verdicts ------------------------------------------------------------------------------------------


def verdict(here, tool, **changes):
    outcome = None
    if tool is not None:
        from eve_replay.workshop.engine.runtime import run

        outcome = run({"pay": tool}, case(), (Fault(1, "crash-after"),))
    values = {
        "lesson": "41",
        "passed": False,
        "language": "en",
        "headline": "Not yet.",
        "story": ("One <b>.", "Two."),
        "why": "Because.",
        "next": "Think.",
        "tried": 9,
        "cases": 2,
    }
    return Verdict(**(values | {"outcome": outcome} | changes))


def test_a_verdict_shows_story_reason_and_picture(here):
    widget = verdict_widget(verdict(here, pay))
    data = page(widget)["data"]
    assert data["story"] == ["One <b>.", "Two."] and data["view"]["sums"][0]["tone"] == "harm"
    assert data["tried"] == "Tried 9 ways in 2 cases."
    at_once = page(verdict_widget(verdict(here, pay, tried=1, cases=1)))["data"]["tried"]
    assert at_once == "Tried one way in one case."
    judged = page(verdict_widget(verdict(here, None, tried=1, cases=0)))["data"]["tried"]
    assert judged == "Tried one input."
    assert "<b>" not in widget.to_html() and "1. One" in repr(widget)
    good = page(verdict_widget(verdict(here, None, passed=True, language="zh", story=())))["data"]
    assert good["view"] is None and good["lang"] == "zh-CN" and good["tried"] == ""


def test_a_running_ipython_learns_to_show_verdicts(monkeypatch, here):
    known = {}

    class Formatter:
        def for_type_by_name(self, home, name, shows):
            known[home, name] = shows

    formatters = {"text/html": Formatter(), "text/plain": Formatter()}
    shown = types.SimpleNamespace(mimebundle_formatter=Formatter(), formatters=formatters)
    shell = types.SimpleNamespace(display_formatter=shown)
    monkeypatch.setitem(display.sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    display.register()
    shows = known[Verdict.__module__, Verdict.__name__]
    bundle = shows(verdict(here, pay))
    bundle = bundle[0] if isinstance(bundle, tuple) else bundle
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert bundle["text/plain"].startswith("Not yet.")
    monkeypatch.setitem(display.sys.modules, "eve_replay.notebook.classroom", None)
    assert shows(verdict(here, pay)) is None


def test_a_real_check_is_kept(tmp_path):
    desk = lesson("04", folder=str(tmp_path))

    def pay(input, ctx, outside):
        outside.payments.charge(input["order"], input["cents"], invoice=input["invoice"])
        return {"status": "paid"}

    found = desk.check(pay)
    assert not found.passed and found.story and found.outcome is not None
    assert Progress(tmp_path).lesson("04").tries == 1 and "checked once" in repr(desk)


# -- the page ------------------------------------------------------------------------------------------


def test_the_workshops_script_asks_nobody():
    everything = script("workshop") + style("workshop")
    assert "innerHTML" not in everything and "insertAdjacentHTML" not in everything
    assert (
        "fetch(" not in everything
        and "eval(" not in everything
        and "http" not in everything.replace("https", "http").split("xmlns")[0]
    )
    assert len(everything) < 80_000
    assert "er-explorer" not in script("workshop") and "er-stage" not in script()


def test_requests_that_nobody_answers(here):
    for widget in (here.play(pay), here.predict("how"), verdict_widget(verdict(here, pay))):
        assert isinstance(widget, ClassroomWidget)
        with pytest.raises(EveReplayError):
            widget._answer({"do": "nonsense"})


def test_a_task_says_itself_which_runtimes_its_stage_offers(tmp_path):
    from eve_replay.workshop.tasks.lesson_08 import RUNTIMES

    def charge(input, ctx, outside):
        outside.payments.charge(input["order"], input["cents"])

    desk = lesson(RUNTIMES, folder=tmp_path)
    assert [each["name"] for each in page(desk.play(charge))["data"]["runtimes"]] == list(RUNTIMES.runtimes)
    assert page(desk.play(charge, runtimes=False))["data"]["runtimes"] == []

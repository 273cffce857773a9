"""What the browser may ask, and what it gets."""

from datetime import UTC, datetime

import pytest

import eve_replay as er
from eve_replay.errors import WrongUse
from eve_replay.notebook.python_path import python_path
from eve_replay.notebook.widget_data import Answers, explorer_data, lab_data
from eve_replay.views.session.explorer import Explorer
from tests.support.corpus import data


@pytest.fixture(scope="module")
def journal():
    return er.open_journal("sample:crash-in-tool")


@pytest.fixture(scope="module")
def view(journal):
    return Explorer(journal.session())


@pytest.fixture(scope="module")
def answers(view):
    return Answers(view)


def test_nobody_answers_what_is_not_known(answers):
    with pytest.raises(WrongUse):
        answers.answer({"do": "nothing"})
    with pytest.raises(WrongUse):
        answers.answer({})


def test_every_tab_of_every_row_is_answered(view, answers):
    for row in view.tree.rows:
        for head in view.inspector.tabs(row.key):
            answer = answers.answer({"do": "tab", "key": row.key, "tab": head.name})
            assert answer["name"] == head.name
            named = [t.name for t in view.inspector.tabs(row.key)]
            first = ["summary"] if row.kind == "session" else []
            assert [each["name"] for each in answer["heads"]] == first + named
            assert answer["body"] is not None or answer["note"]


def test_counts_belong_to_the_row_and_not_to_its_kind(view, answers):
    heads = explorer_data(view)["heads"]
    assert all("remark" not in tab for tabs in heads.values() for tab in tabs)
    steps = [row.key for row in view.tree.rows if row.kind == "step"]
    counts = {
        next(
            h["remark"]
            for h in answers.answer({"do": "tab", "key": key, "tab": "attempts"})["heads"]
            if h["name"] == "attempts"
        )
        for key in steps
    }
    assert counts == {"1", "2"}


def test_children_come_page_by_page(view, answers):
    step = next(row.key for row in view.tree.rows if row.kind == "step")
    root = answers.answer({"do": "children", "key": step, "tab": "input", "path": "$"})
    assert root["nodes"][0]["label"] == "args"
    deeper = answers.answer({"do": "children", "key": step, "tab": "input", "path": "$.args[0]"})
    assert deeper["nodes"] and deeper["more"] == 0
    with pytest.raises(WrongUse):
        answers.answer({"do": "children", "key": step, "tab": "events", "path": "$"})


def test_copy_as_json_and_as_python(view, answers, journal):
    row = next(row.key for row in view.tree.rows if row.kind == "step")
    text = answers.answer({"do": "json", "key": row, "tab": "input", "path": "$.args[0]"})
    assert text.startswith("{")
    found = 0
    for each in view.tree.rows:
        if each.kind in ("session", "turn", "step", "attempt", "call", "run"):
            thing = eval(python_path(each.key), {"journal": journal, "next": next})  # the expression is ours
            assert thing is not None
            found += 1
    assert found > 8
    call = next(row.key for row in view.tree.rows if row.kind == "call" and "charge" in row.label)
    path = python_path(call, "input", "$.customer")
    assert eval(path, {"journal": journal, "next": next}) == "cus_42"
    step = python_path(row, "input", "$.args[0]")
    assert isinstance(eval(step, {"journal": journal}), dict)


def test_search_finds_text_inside_payloads_and_says_where(view, answers):
    answer = answers.answer({"do": "search", "text": "cus_42"})
    hits = answer["hits"]
    assert hits and all(hit["text"][hit["start"] : hit["end"]] == "cus_42" for hit in hits)
    keys = {row.key for row in view.tree.rows} | {stop.key for stop in view.cursor.stops}
    assert any(hit["key"] in keys for hit in hits)
    assert {hit["tab"] for hit in hits} & {"input", "output"}
    assert answers.answer({"do": "search", "text": "  "})["hits"] == []
    assert answers.answer({"do": "search", "text": "nowhere at all"})["hits"] == []


def test_crash_points_of_a_turn_are_stops(view, answers):
    points = set(answers.answer({"do": "points", "turn": "turn_0"}))
    assert points & {stop.id for stop in view.cursor.stops}


def test_the_lab_opens_inside_a_tool_and_names_recorded_protection(view, answers):
    page = answers.answer({"do": "lab"})
    assert page["points"][page["index"]]["klass"] == "in-tool"
    assert page["assumed"]["charge_card"]["words"] == "nothing"
    assert page["assumed"]["send_email"]["words"] == "key from the call id"
    at = next(stop.key for stop in view.cursor.stops if stop.source == "log" and "turn" in stop.label)
    assert answers.answer({"do": "lab", "key": at})["turn"] == "turn_0"


def test_larger_batches_have_points_of_their_own():
    session = er.open_journal(str(data("long-session"))).session()
    answers = Answers(Explorer(session))
    turn = max(session.turns, key=lambda each: len(each.steps)).id
    one = answers.answer({"do": "lab_of", "turn": turn, "batch": 1})
    five = answers.answer({"do": "lab_of", "turn": turn, "batch": 5})
    assert five["batch"] == 5
    assert len(five["points"]) <= len(one["points"])
    question = five["question"]
    asked = {"turn": turn, "index": 0, "question": question, "batch": 5}
    assert answers.answer({"do": "crash", **asked})["sentence"]
    del asked["index"]
    assert len(answers.answer({"do": "matrix", **asked})["rows"]) == len(five["points"])


def test_strategies_change_the_answer(answers):
    page = answers.answer({"do": "lab"})
    asked = {"do": "crash", "turn": page["turn"], "index": page["index"]}
    plain = answers.answer({**asked, "question": page["question"]})
    keyed = answers.answer(
        {**asked, "question": {**page["question"], "strategies": {"charge_card": "coordinates"}}}
    )
    assert sum(plain["twice"].values()) > sum(keyed["twice"].values())


def test_why_comes_as_toned_lines(answers):
    lines = answers.answer({"do": "why"})
    assert any("charge_card" in text for line in lines for text, _ in line)


def test_data_of_an_empty_lab(view):
    session = er.open_journal(str(data("sdk5-crash"))).sessions[0]
    whole = Explorer(session)
    assert lab_data(Answers(whole).lab(None), whole)["turn"] is None


def test_a_session_begins_with_its_plan_and_its_verdicts_each_with_its_row(view, answers):
    rows = {row.key for row in view.tree.rows}
    first = view.tree.rows[0].key
    told = answers.answer({"do": "tab", "key": first, "tab": "summary"})["body"]
    assert told["plan"]["rows"][0]["word"] == "Look up"
    assert {row["key"] for row in told["rows"]} <= rows and any(row["key"] != first for row in told["rows"])
    assert all("certainty" in row for row in told["rows"])


def test_it_opens_at_the_worst_effect_and_d_means_its_step_on_every_row(view, answers):
    start = explorer_data(view)["start"]
    assert start.startswith("call:") and "charge_card" in view.inspector.title(start)
    for row in view.tree.rows:
        if row.kind in ("session", "turn"):
            assert answers.answer({"do": "diff", "key": row.key})["repeats"]
    alone = next(row for row in view.tree.rows if row.kind == "step" and "park" in row.detail)
    with pytest.raises(WrongUse, match="Nothing here was started more than once"):
        answers.answer({"do": "diff", "key": alone.key})


def test_silence_now_and_the_end_of_the_lease_come_first_in_the_timeline():
    quiet = Explorer(er.open_journal("sample:crash-not-restarted").session())
    line = explorer_data(quiet, now=datetime(2026, 11, 30, 9, 45, tzinfo=UTC))["timeline"]
    assert line["rows"][0]["label"] == "silence"
    assert [mark["kind"] for mark in line["rows"][0]["marks"]] == ["now", "lease"]
    over = explorer_data(Explorer(er.open_journal("sample:simple-turn").session()), now=datetime.now(UTC))
    assert all(row["label"] != "silence" for row in over["timeline"]["rows"])

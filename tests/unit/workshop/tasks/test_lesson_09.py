"""The report on an incident: right ones pass, and every wrong part is explained without giving it away."""

import importlib.util
from pathlib import Path

import pytest

from eve_replay.recovery import CLASSES
from eve_replay.workshop.grading.check import check
from eve_replay.workshop.incidents import incident
from eve_replay.workshop.lesson import task
from eve_replay.workshop.tasks._incident import truth
from eve_replay.workshop.tasks._incident_words import WORDS

HOME = Path(__file__).parents[4] / "notebooks" / "workshop" / "solutions" / "lesson_09.py"


def _solution():
    spec = importlib.util.spec_from_file_location("solution_09", HOME)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SOLUTION = _solution()
REPORTS = SOLUTION.REPORTS


def judged(number, language="en", **parts):
    report = {**REPORTS[number], "tools": {}, **parts}
    return check("09", report, language=language, seeds=(0,))


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("number", REPORTS)
def test_every_incident_has_a_right_report(number, language):
    verdict = check("09", REPORTS[number], language=language, seeds=(0, 7))
    assert verdict.passed, str(verdict)
    assert verdict.tried > 500


@pytest.mark.parametrize("number", REPORTS)
def test_a_report_on_another_incident_fails(number):
    other = number % 4 + 1
    assert judged(number, who=str(other)).code == "wrong-session"


@pytest.mark.parametrize("number", REPORTS)
def test_parts_may_be_written_in_many_ways(number):
    found = truth(incident(number))
    lines = [request.id for effect in found.doubled for request in found.lines(effect)]
    for parts in (
        {"session": found.session.id},
        {"session": f"…{found.session.id[-5:].lower()}"},
        {"twice": lines},
        {"twice": [effect.call_ids[0] for effect in found.doubled]},
        {"twice": tuple(effect.call_ids[-1] for effect in reversed(found.doubled))},
        {"refund": found.refund[0] if found.refund else ""},
        {"crash": CLASSES[found.crash]},
        {"crash": found.crash.replace("-", "_")},
        {"key": {"session_id", "turnId", "stepIndex", "position"}},
        {"key": ["session", "turn", "step", "position", "tool"][:4]},
    ):
        assert judged(number, **parts).code == "no-tools", parts


@pytest.mark.parametrize("number", REPORTS)
def test_no_explanation_gives_the_answer_away(number):
    found = truth(incident(number))
    calls = [each for effect in found.doubled for each in effect.call_ids]
    other = next(each for each in found.incident.sessions if each.id != found.session.id)
    secrets = [found.session.id[-4:], *calls, found.kept, *found.refund]
    for part, wrongs in {
        "session": ["", "nobody", other.id, 7, None, ["x"]],
        "twice": [[], ["nobody"], "", None, 3, [found.silent[0].call_ids[0]], [found.single[0].call_ids[0]]],
        "kept": ["nobody", "ch_", "ml_1"],
        "refund": [["nobody"], [found.requests[0].id] if found.requests[0].effect in found.single else ["x"]],
        "crash": ["", "nowhere", "committed", "in-model", "parked"],
        "key": [[], ["moon"], ["at"], ["call_id", "attempt"], ["mailId"], ["turn"]],
    }.items():
        for wrong in wrongs:
            for language in ("en", "zh"):
                verdict = judged(number, language, **{part: wrong})
                assert not verdict.passed and verdict.code not in ("no-tools", "stopped"), (part, wrong)
                assert verdict.headline and verdict.next
                if part == "key":  # two values of a key that changes are shown: that is the explanation
                    continue
                given = str(wrong)
                shown = [each for each in secrets if each and each in verdict.headline and each not in given]
                assert not shown, (part, wrong, verdict.headline)


def test_call_ids_protect_only_where_they_stay():
    assert judged(1, key=["session", "call_id"]).code == "no-tools"
    assert judged(3, key=["session", "call_id"]).code == "key-changed"


def test_nothing_to_refund_is_an_answer():
    assert truth(incident(4)).refund == ()
    for wrong in ({"kept": "ch_21dd8c57"}, {"refund": [truth(incident(4)).single[0].call_ids[0]]}):
        assert judged(4, **wrong).code in ("wrong-kept", "wrong-refund")
    charge = next(each for each in incident(4).lines if each["effect"] == "charge")
    assert "ordered" in judged(4, refund=[charge["chargeId"]]).headline
    mail = next(each for each in incident(1).lines if each["effect"] == "mail")
    assert "mail" in judged(1, refund=[mail["mailId"]]).headline


def test_no_report_at_all():
    for answer in ([], 3, "report", lambda: None, None):
        assert check("09", answer, seeds=(0,)).code == "not-a-dict"
    assert check("09", {}, seeds=(0,)).code == "wrong-session"


@pytest.mark.parametrize(
    ("tools", "code"),
    [
        ({"charge_order": SOLUTION.charge_order}, "no-tools"),
        ({**SOLUTION.TOOLS, "send_mail": "a key"}, "not-a-function"),
        ({**SOLUTION.TOOLS, "charge_order": lambda input: None}, "parameters"),
        ({**SOLUTION.TOOLS, "charge_order": lambda input, ctx, outside: {"status": "paid"}}, "not-done"),
    ],
)
def test_tools_that_are_none(tools, code):
    verdict = judged(2, tools=tools)
    assert not verdict.passed and verdict.code == code, str(verdict)


def test_a_failing_tool_is_told_as_a_story():
    def send_mail(input, ctx, outside):
        outside.mail.send(input["to"], input["subject"], input["text"])
        return {"status": "sent"}

    for language in ("en", "zh"):
        verdict = judged(4, language, tools={**SOLUTION.TOOLS, "send_mail": send_mail})
        assert verdict.code == "no-key" and len(verdict.story) >= 4 and verdict.why
        assert verdict.outcome is not None and "周岚" in verdict.story[0]
        assert verdict.headline.count("Not yet") <= 1 and verdict.headline.count("还不") <= 1


def test_words_are_of_both_languages():
    for text in (*WORDS.values(), *task("09").hints.values()):
        assert text.en and text.zh and text.en != text.zh
        assert "!" not in text.en + text.zh


def test_a_wish_that_comes_again_is_no_repeat():
    """One key for a receipt and for the same receipt, wanted once more: sent once, and that is too few."""

    def send_mail(input, ctx, outside):
        outside.mail.send(input["to"], input["subject"], input["text"], key=input["subject"])
        return {"status": "sent"}

    for language, words in (("en", "sent once, less often"), ("zh", "比要求的少")):
        verdict = judged(4, language, tools={**SOLUTION.TOOLS, "send_mail": send_mail})
        assert verdict.code == "key-merged" and words in verdict.headline, str(verdict)


def test_the_words_for_where_it_died_are_those_of_the_lesson():
    for given in ("", "nowhere"):
        told = judged(1, crash=given).headline
        assert "in-model, in-tool, tools-returned, committed" in told and "class" not in told
    assert (
        "still open" in judged(1, crash="").headline
        and "nowhere is no word" in judged(1, crash="nowhere").headline
    )
    assert "还没写" in judged(1, "zh", crash="").headline

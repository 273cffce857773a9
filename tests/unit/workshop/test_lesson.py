import pytest

from eve_replay.errors import NotFound
from eve_replay.workshop.lesson import number_of, task, tasks
from eve_replay.workshop.task import Task
from tests.unit.workshop.grading._exercise import PAY


def test_every_lesson_has_a_number_a_name_and_words_in_both_languages():
    assert list(tasks()) == sorted(tasks())
    for number, each in tasks().items():
        assert each.lesson == number and len(number) == 2 and each.slug
        for text in (each.title, each.good, *each.hints.values()):
            assert text.en and text.zh


@pytest.mark.parametrize("words", ["01", "1", 1, " 1 ", "the-mail-sent-twice", "01-the-mail-sent-twice"])
def test_a_lesson_by_number_or_name(words):
    assert task(words).lesson == "01"


def test_a_task_of_one_s_own():
    assert task(PAY) is PAY


@pytest.mark.parametrize("words", ["", "77", "x", "01x", "-1", "\x1b[31m"])
def test_what_is_no_lesson_is_told_with_those_there_are(words):
    with pytest.raises(NotFound) as told:
        task(words)
    assert "01 the-mail-sent-twice" in told.value.hint


@pytest.mark.parametrize(
    ("words", "number"),
    [
        (4, "04"),
        ("4", "04"),
        ("04-which-key", "04"),
        ("which-key", ""),
        ("123", ""),
        ("", ""),
        (-1, ""),
        ("٤", ""),
    ],
)
def test_numbers(words, number):
    assert number_of(words) == number


def test_the_package_gives_its_names_when_they_are_asked_for():
    import eve_replay.workshop as workshop

    assert isinstance(workshop.Task, type) and workshop.Task is Task
    for name in workshop.__all__:
        assert getattr(workshop, name).__doc__, name
    with pytest.raises(AttributeError):
        workshop.no_such_name  # noqa: B018

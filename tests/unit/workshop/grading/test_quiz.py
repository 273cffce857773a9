"""Questions that come back: other numbers, the same truth."""

import random
from datetime import UTC, datetime, timedelta

from eve_replay.workshop.grading.quiz import Memo, due_from, questions_of

NOW = datetime(2026, 12, 1, 9, tzinfo=UTC)


def test_every_question_has_its_right_answer_among_its_choices(tmp_path):
    for day in range(8):
        for each in questions_of(Memo(tmp_path), NOW + timedelta(days=day), 9, everything=True):
            assert 0 <= each.right < len(each.choices)
            assert each.choices[each.right].en in each.reveal.en
            assert each.text.zh and each.reveal.zh


def test_numbers_differ_from_day_to_day(tmp_path):
    texts = {
        tuple(each.text.en for each in questions_of(Memo(tmp_path), NOW + timedelta(days=day), 9))
        for day in range(10)
    }
    assert len(texts) > 1


def test_right_comes_back_later_and_wrong_tomorrow(tmp_path):
    memo = Memo(tmp_path)
    first, second = questions_of(memo, NOW, 2)
    memo.note(first, True, NOW)
    memo.note(second, False, NOW)
    assert Memo(tmp_path).due(second.name) == NOW + timedelta(days=1)
    memo.note(first, True, NOW + timedelta(days=1))
    assert Memo(tmp_path).due(first.name) == NOW + timedelta(days=4)
    assert due_from(memo) == NOW + timedelta(days=1)
    assert first.name not in {each.name for each in questions_of(memo, NOW + timedelta(days=2), 9)}


def test_a_broken_file_is_a_new_beginning(tmp_path):
    (tmp_path / "workshop-quiz.json").write_text('{"again": {"row": "x"}, "b": 1')
    assert len(questions_of(Memo(tmp_path), NOW, 5)) == 5
    assert random.Random(1).random()  # the dice of everybody else are left alone

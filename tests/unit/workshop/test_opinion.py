"""The incident in English, and `why` that stays locked until somebody names a suspect."""

import re

import pytest

from eve_replay.workshop.incidents import incident

HAN = re.compile("[\u4e00-\u9fff]")


@pytest.mark.parametrize("number", "1234")
def test_the_english_edition_shows_no_chinese_in_its_tables(number):
    mine = incident(number)
    rows = [*mine.money("en"), *mine.mails("en"), *mine.titles("en")]
    assert not [value for row in rows for value in row.values() if HAN.search(str(value))]
    assert any(HAN.search(str(value)) for row in mine.titles("zh") for value in row.values())


@pytest.mark.parametrize("language", ["en", "zh"])
def test_why_is_locked_until_somebody_is_suspected(language):
    mine = incident("1")
    locked = mine.why("  ", language)
    assert locked.report is None and "SUSPECT" in str(locked) and "SUSPECT" in locked._repr_html_()
    right = mine.why(mine.why(mine.sessions[0].id).report.session_id, language)
    assert right.report.session_id[-4:] in right.sentence
    assert ("The same" in right.sentence) == (language == "en")
    assert ("发生了什么" in str(right)) == (language == "zh")

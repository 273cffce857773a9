"""The questions of the lessons, asked of all kinds of journals."""

import shutil

import pytest

from eve_replay import open_journal, samples
from eve_replay.errors import EveReplayError
from eve_replay.workshop.grading.check import check
from eve_replay.workshop.own_journal import MOST_SESSIONS, questions
from eve_replay.workshop.tasks.lesson_10 import QUESTIONS
from tests.support.corpus import data, names

ASKED = ("overview", "again", "effects", "keys", "crash_now", "waiting")
EVERY = [name for group in ("tour", "workshop", "incidents") for name in samples.names(group)]


def asked(journal, **options):
    own = questions(journal, **options)
    return {name: getattr(own, name)() for name in ASKED}


def whole(sheet):
    """Return a sheet's rows after showing it in both ways."""
    assert repr(sheet).startswith(sheet.title) and sheet._repr_html_().endswith("</div>")
    assert all(len(row) == len(sheet.columns) for row in sheet.rows)
    assert sheet.rows or sheet.empty in repr(sheet)
    return sheet.rows


@pytest.mark.parametrize("name", EVERY)
def test_every_sample_answers(name):
    english = asked(open_journal(f"sample:{name}"))
    chinese = asked(open_journal(f"sample:{name}"), language="zh")
    for question in ASKED:
        assert len(whole(english[question])) == len(whole(chinese[question]))
        assert english[question].title != chinese[question].title
    assert english["overview"].rows


@pytest.mark.parametrize("name", names("local-sdk"))
def test_plain_runs_answer(name):
    for sheet in asked(open_journal(str(data(f"local-sdk/{name}")))).values():
        whole(sheet)


def test_a_session_that_nobody_restarted():
    sheets = asked(open_journal("sample:crash-not-restarted"), effects={"charge_card": "unprotected"})
    # 0: nothing of this session says that charge_card asks nobody, and its request is all that is there
    assert not sheets["again"].rows and "charge_card 0-2" in sheets["crash_now"].rows[0][3]
    assert {row[0]: row[4] for row in sheets["keys"].rows}["charge_card"] == "no"
    assert sheets["waiting"].rows


def test_ids_that_change_are_seen():
    keys = asked(open_journal("sample:pay-minted-ids"))["keys"].rows
    assert "changed, 1 of 1" in keys[0][5]
    keys = asked(open_journal("sample:pay-with-key"))["keys"].rows
    assert "the same" in keys[0][5]


def test_a_ledger_settles_what_was_unknown():
    journal = open_journal("sample:pay-with-key")
    assert asked(journal)["effects"].notes
    with_one = asked(journal, ledger=samples.ledger("pay-with-key"))
    assert not with_one["effects"].notes
    assert all(row[5] == "1" for row in with_one["effects"].rows)


def test_a_stranded_session_is_named_with_the_version():
    journal = open_journal("sample:stranded")
    assert not any(row[1] == "stranded" for row in asked(journal)["waiting"].rows)
    waiting = asked(journal, eve="0.80.1")["waiting"]
    assert any(row[1] == "stranded" for row in waiting.rows) and not waiting.notes


@pytest.mark.parametrize("lost", ["events", "streams", "steps", "runs", "hooks"])
def test_a_journal_with_a_part_missing_answers(lost, tmp_path):
    folder = samples.extract("crash-before-commit", tmp_path) / "data"
    shutil.rmtree(folder / lost)
    try:
        journal = open_journal(str(folder))
    except EveReplayError:
        return
    for sheet in asked(journal).values():
        whole(sheet)


def test_half_written_files_are_counted(tmp_path):
    folder = samples.extract("crash-before-commit", tmp_path) / "data"
    for number, file in enumerate(sorted(folder.rglob("*.json"))):
        if number % 4 == 0:
            file.write_bytes(file.read_bytes()[:30])
    sheets = asked(open_journal(str(folder)))
    for sheet in sheets.values():
        whole(sheet)
    assert "doctor" in " ".join(sheets["overview"].notes)


def test_only_the_newest_sessions_of_many_are_read(monkeypatch):
    monkeypatch.setattr("eve_replay.workshop.own_journal.MOST_SESSIONS", 2)
    sheets = asked(open_journal("sample:incident-1"))
    assert len(sheets["overview"].rows) == 2
    assert any("4 older" in note for note in sheets["overview"].notes)
    assert MOST_SESSIONS == 50


def test_control_characters_and_markup_are_harmless(monkeypatch):
    sheet = asked(open_journal("sample:crash-in-tool"))["overview"]
    from dataclasses import replace

    evil = replace(sheet, rows=(("<script>", *sheet.rows[0][1:]),), notes=("<b>",))
    assert "<script>" not in evil._repr_html_() and "<b>" not in evil._repr_html_()


def test_the_form_wants_every_question_answered():
    for answer in (None, [], {}, {"twice": "nothing"}, dict.fromkeys(QUESTIONS, " ")):
        assert not check("10", answer).passed
    left = check("10", {**dict.fromkeys(QUESTIONS, "yes, twice"), "harm": ""}, language="zh")
    assert left.code == "open" and "1 项" in left.headline
    assert check("10", dict.fromkeys(QUESTIONS, "nothing so far")).passed

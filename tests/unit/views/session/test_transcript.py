from eve_replay.views.kit.safe import display_width
from eve_replay.views.kit.text import plain
from eve_replay.views.session.transcript import transcript_lines, transcript_rows
from tests.unit.views._sessions import explorer


def test_attempts_are_marked_and_superseded_words_stand_behind_a_bar():
    rows = list(explorer("crash-before-commit").transcript())
    assert [row.kind for row in rows] == [
        "user", "note", "assistant", "tool", "tool", "note", "assistant", "tool", "tool", "assistant",
    ]  # fmt: skip
    assert [row.superseded for row in rows] == [False] * 2 + [True] * 3 + [False] * 5 or rows[2].superseded
    assert [row.remark for row in rows if row.kind == "tool"] == [
        "ran twice",
        "ran twice, same key",
    ] * 2
    text = plain(transcript_lines(rows))
    assert "│ agent  Charging." in text
    assert "  agent  Charging." in text
    assert "attempt 1 of 2: interrupted" in text


def test_lines_fit_the_width():
    for width in (40, 80):
        lines = plain(transcript_lines(explorer("crash-before-commit").transcript(), width=width)).split("\n")
        assert all(display_width(line) <= width for line in lines)


def test_one_turn_only():
    assert {row.turn for row in transcript_rows(explorer("simple-turn").session, "turn_1")} == {"turn_1"}

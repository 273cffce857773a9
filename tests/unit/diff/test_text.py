"""Texts by words: nothing is lost, and what is shown is what a person would mark."""

from hypothesis import given
from hypothesis import strategies as st

from eve_replay.diff.text import Piece, text_pieces

WORDS = st.lists(st.sampled_from(["ab", "cd ", " ", "\n", "x,", "日本", "é_1", "\ud800", ". "]), max_size=30)


def shown(before, after):
    marks = {"same": "{}", "removed": "[-{}-]", "added": "[+{}+]"}
    return "".join(marks[p.kind].format(p.text) for p in text_pieces(before, after))


@given(WORDS, WORDS)
def test_the_pieces_give_both_texts_back(a, b):
    before, after = "".join(a), "".join(b)
    pieces = text_pieces(before, after)
    assert "".join(p.text for p in pieces if p.kind != "added") == before
    assert "".join(p.text for p in pieces if p.kind != "removed") == after


def test_whole_words_are_marked_not_letters():
    assert shown("I charged card 42.", "I charged card 43.") == "I charged card [-42-][+43+]."
    assert shown("the quick fox", "the slow fox") == "the [-quick-][+slow+] fox"


def test_neighbouring_changed_words_are_one_piece():
    assert shown("pay ten euros now", "pay six pounds now") == "pay [-ten euros-][+six pounds+] now"


def test_texts_with_nothing_in_common_are_replaced_as_a_whole():
    assert text_pieces("alpha beta", "gamma") == (
        Piece(kind="removed", text="alpha beta"),
        Piece(kind="added", text="gamma"),
    )
    assert text_pieces("", "") == ()
    assert text_pieces("same", "same") == (Piece(kind="same", text="same"),)


def test_three_megabytes_with_one_changed_word_tell_that_word():
    before = "lorem ipsum dolor sit amet, " * 110_000
    after = before[:1_500_000] + "CHANGED " + before[1_500_000:]
    pieces = text_pieces(before, after)
    assert [p.kind for p in pieces if p.kind != "same"][-1] == "added"
    assert sum(len(p.text) for p in pieces if p.kind == "added") < 60


def test_three_megabytes_with_many_changed_words_tell_each():
    before = "\n".join(f"line {n} of the log, all as before" for n in range(80_000))
    after = before.replace("line 7", "row 7")
    pieces = text_pieces(before, after)
    assert len(pieces) > 1000

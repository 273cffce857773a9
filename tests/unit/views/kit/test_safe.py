import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eve_replay.views.kit.safe import cut, display_width, graphemes, pad, safe_lines, safe_text, wrap

TEXTS = st.text(
    alphabet=st.one_of(st.characters(), st.sampled_from("a \n\t\x1b\u200d\u202e\u0301你👩\ufe0f"))
)


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("plain text", "plain text"),
        ("a\x1b[31mred", "a\\x1b[31mred"),
        ("\x1b]8;;http://x\x07link\x1b]8;;\x07", "\\x1b]8;;http://x\\x07link\\x1b]8;;\\x07"),
        ("\x9b2J", "\\x9b2J"),
        ("invoice\u202egpj.exe", "invoice\\u202egpj.exe"),
        ("\u2066x\u2069", "\\u2066x\\u2069"),
        ("pay\u200bpal", "pay\\u200bpal"),
        ("pay\u200dpal", "pay\\u200dpal"),
        ("\ufeffbom", "\\ufeffbom"),
        ("a\u00adb", "a\\xadb"),
        ("line\nbreak\r\ttab\0", "line\\nbreak\\r\\ttab\\0"),
        ("two\u2028lines", "two\\u2028lines"),
        ("cut emoji \ud83d", "cut emoji \\ud83d"),
        ("private \ue000", "private \\ue000"),
        ("tag \U000e0041", "tag \\U000e0041"),
        ("filler\u3164", "filler\\u3164"),
        ("\x7f", "\\x7f"),
    ],
)
def test_what_could_deceive_is_written_out(raw, shown):
    assert safe_text(raw) == shown


@pytest.mark.parametrize(
    "text",
    [
        "你好，世界",
        "日本語のテキスト",
        "한국어",
        "👨\u200d👩\u200d👧\u200d👦",
        "❤\ufe0f",
        "🇩🇪",
        "1\ufe0f\u20e3",
        "👍🏽",
        "می\u200cخواهم",
        "न्\u200dय",
        "e\u0301te\u0301",
        "\u0600\u0661",
        "Grüße",
        "\U0001fae8",
    ],
)
def test_honest_text_of_any_language_stays(text):
    assert safe_text(text) == text


def test_stacked_marks_are_written_out_beyond_a_few():
    assert safe_text("z" + "\u0301" * 10).endswith("\\u0301\\u0301")


@given(TEXTS)
def test_safe_text_is_one_line_without_controls_and_settles(text):
    once = safe_text(text)
    assert safe_text(once) == once
    for char in once:
        assert unicodedata.category(char) not in ("Cc", "Cs", "Zl", "Zp", "Co")
    once.encode()


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("abc", 3),
        ("你好", 4),
        ("ｆｕｌｌ", 8),
        ("e\u0301", 1),
        ("👨\u200d👩\u200d👧\u200d👦", 2),
        ("❤", 1),
        ("❤\ufe0f", 2),
        ("🇩🇪🇫🇷", 4),
        ("👍🏽", 2),
        ("1\ufe0f\u20e3", 2),
        ("한국", 4),
        ("\u1112\u1161\u11ab", 2),
        ("नमस्ते", 4),
        ("✅ ok", 5),
        ("…", 1),
        ("", 0),
    ],
)
def test_display_width(text, width):
    assert display_width(text) == width


@given(TEXTS)
def test_clusters_cover_the_text_and_add_up(text):
    text = safe_text(text)
    parts = list(graphemes(text))
    assert "".join(part for part, _ in parts) == text
    assert sum(cells for _, cells in parts) == display_width(text)


@given(TEXTS, st.integers(0, 20), st.sampled_from(["start", "end", "both"]))
def test_cut_never_exceeds_and_keeps_what_fits(text, width, keep):
    text = safe_text(text)
    out = cut(text, width, keep=keep)
    assert display_width(out) <= width
    if display_width(text) <= width and width:
        assert out == text


def test_cut_does_not_split_wide_or_joined_characters():
    assert cut("你好世界", 4) == "你…"
    assert cut("👨\u200d👩\u200d👧x", 2) == "…"
    assert cut("abcdefgh", 5, keep="end") == "…efgh"
    assert cut("abcdefgh", 5, keep="both") == "ab…gh"


@given(TEXTS, st.integers(0, 20), st.sampled_from(["left", "right", "centre"]))
def test_pad_fills_exactly(text, width, align):
    text = safe_text(text)
    assert display_width(pad(text, width, align=align)) == max(width, display_width(text))


@given(TEXTS, st.integers(4, 30))
def test_wrap_keeps_every_visible_character(text, width):
    text = safe_text(text)
    lines = wrap(text, width)
    assert lines
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert all(display_width(line) <= width for line in lines)


def test_wrap_breaks_at_spaces():
    assert wrap("the quick brown fox", 10) == ["the quick", "brown fox"]
    assert wrap("你好世界你好", 5) == ["你好", "世界", "你好"]
    assert wrap("键是“a b”，调用 send(x)。", 10) == ["键是“a", "b”，调用", "send(x)。"]
    assert wrap("见 NOTES.md，再试一次。", 12) == ["见", "NOTES.md，再", "试一次。"]
    assert wrap("", 5) == [""]


def test_lines_split_and_tabs_expand():
    assert safe_lines("a\tb\r\nc\n") == ["a   b", "c", ""]
    assert safe_lines("你\tb") == ["你  b"]
    assert safe_lines("a\x1b[2J\nb") == ["a\\x1b[2J", "b"]

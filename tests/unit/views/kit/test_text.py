from eve_replay.views.kit.safe import display_width
from eve_replay.views.kit.text import Span, fields, line, paragraph, plain, section


def test_lines_are_safe_whatever_they_are_made_of():
    assert line("a\x1b", ("b\n", "harm"), Span("c\u202e", "ok")) == (
        Span("a\\x1b"),
        Span("b\\n", "harm"),
        Span("c\\u202e", "ok"),
    )
    assert plain([(Span("a\x07"),)]) == "a\\x07"


def test_paragraph_wraps_and_indents():
    lines = plain(paragraph("one two three four", width=14, indent=2)).split("\n")
    assert lines == ["  one two", "  three four"]


def test_section_has_a_line_before_it():
    assert plain(section("Steps", note="3")) == "\nSteps  3"


def test_fields_align_values_also_with_wide_labels():
    text = plain(fields([("run", "wrun_1"), ("会话", line(("x", "ok"))), ("long", "word " * 20)], width=40))
    lines = text.split("\n")
    assert lines[0] == "  run   wrun_1"
    assert lines[1] == "  会话  x"
    assert lines[2].startswith("  long  word")
    assert lines[3].startswith("        word")
    assert all(display_width(each) <= 40 for each in lines)
    assert fields([]) == []

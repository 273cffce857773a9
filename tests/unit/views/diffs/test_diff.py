"""Comparisons on screen: rows without values, text that fits, nothing obeyed."""

import json

from eve_replay.values import UNDEFINED, Undecoded
from eve_replay.views.diffs.diff import diff_lines, sides
from eve_replay.views.kit.safe import display_width
from eve_replay.views.kit.text import plain

ITEMS = [{"id": n, "text": f"item {n}"} for n in range(30)]


def shown(before, after, **options):
    return plain(diff_lines(sides(before, after), **options)).split("\n")


def test_rows_name_what_changed_and_count_what_did_not():
    view = sides({"a": 1, "items": ITEMS}, {"a": 2, "items": [{"id": 99, "text": "new"}, *ITEMS]})
    assert (view.same, view.summary, view.changed, view.added) == (False, "1 changed, 1 added", 1, 1)
    assert [(r.kind, r.depth, r.label, r.count) for r in view.rows] == [
        ("changed", 0, "$", 1),
        ("changed", 1, "a", 1),
        ("changed", 1, "items", 1),
        ("added", 2, "[0]", 1),
        ("same", 2, "[1..30]", 30),
    ]
    assert [r.sign for r in view.rows] == ["~", "~", "~", "+", " "]
    json.dumps(view.to_json())


def test_equal_values_have_one_row_and_one_word():
    view = sides([1, {"a": 2}], [1, {"a": 2}])
    assert view.same
    assert view.summary == "the same"
    assert shown(1, 1) == ["the same"]


def test_folding_and_hiding_what_is_equal():
    view = sides({"a": {"x": 1, "y": 1}, "b": 1}, {"a": {"x": 2, "y": 1}, "b": 2})
    assert [r.path for r in view.visible(["$.a"])] == ["$", "$.a", "$.b"]
    assert "same" not in {r.kind for r in view.visible(only_changes=True)}


def test_text_is_an_outline_or_whole_paths():
    before, after = {"a": {"b": [1, 2]}}, {"a": {"b": [1, 3]}}
    assert shown(before, after) == ["    $", "      a", "        b", "      ~ [1]  2 → 3"] or shown(
        before, after
    )[-1].endswith("~ [1]  2 → 3")
    assert shown(before, after, context=False) == ["~ $.a.b[1]  2 → 3"]


def test_types_that_differ_are_named():
    assert shown({"v": "1"}, {"v": 1}, context=False) == ['~ $.v  string "1" → number 1']
    assert shown({"v": 1}, {"v": UNDEFINED}, context=False) == ["~ $.v  number 1 → undefined"]
    assert shown({"v": 1}, {"v": Undecoded("wrong-key")}, context=False) == ["? $.v  undecoded: wrong-key"]


def test_moves_say_from_where():
    assert shown(list("abcdef"), list("fabcde"), context=False) == ["> $[0]  moved from $[5]"]


def test_long_texts_are_shown_by_words():
    before = "The order of Ada is paid. " * 30 + "Total 100 EUR." + " Thanks." * 30
    after = before.replace("100", "200")
    lines = shown({"t": before}, {"t": after}, width=60, context=False)
    text = " ".join(lines)
    assert "[-100-]" in text
    assert "{+200+}" in text
    assert all(display_width(each) <= 60 for each in lines)
    row = next(r for r in sides({"t": before}, {"t": after}).rows if r.pieces)
    assert row.pieces[0].text.startswith("…")
    assert row.pieces[-1].text.endswith("…")


def test_text_fits_the_width_also_with_wide_characters():
    before = {"名前" * 10: "東京" * 60, "k": ["あ" * 80]}
    after = {"名前" * 10: "大阪" * 60, "k": ["い" * 80], "new" * 40: 1}
    for width in (40, 80, 120):
        assert all(display_width(each) <= width for each in shown(before, after, width=width))


def test_control_characters_are_shown_never_obeyed():
    lines = shown({"a": "x\x1b[31mred\x07", "b\u202e": 1}, {"a": "x\x9b2J", "b\u202e": 2})
    text = "\n".join(lines)
    assert all(each.isprintable() for each in lines)
    assert "\\x1b" in text
    assert "\\u202e" in text


def test_many_rows_are_cut_equal_ones_first():
    before = {f"k{n}": n for n in range(5000)}
    after = {f"k{n}": n + (n % 2) for n in range(5000)}
    view = sides(before, after)
    assert len(view.rows) <= 2000
    assert view.truncated > 0
    assert view.changed == 2500
    assert shown(before, after)[-1] == f"and {view.truncated:,} more rows"

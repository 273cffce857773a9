"""Tables of rows in notebooks: what is shown, in which order, and that nothing gets out of its cell."""

from datetime import UTC, datetime

from eve_replay.notebook import table

ROWS = [
    {"at": datetime(2026, 1, 2, 3, 4, 5, 678000, tzinfo=UTC), "who": "a", "note": None},
    {"who": "b", "more": 1},
]


def test_columns_as_asked_or_as_they_occur():
    assert table(ROWS).head == ["at", "who", "note", "more"]
    chosen = table(ROWS, "who", "at")
    assert (chosen.head, chosen.grid) == (["who", "at"], [["a", "2026-01-02 03:04:05.678"], ["b", ""]])
    assert len(chosen) == 2
    assert repr(chosen).splitlines()[0].split() == ["who", "at"]


def test_a_grid_and_a_turned_table_are_numbered_from_nought():
    grid = table([[True, False], [False, True]])
    assert (grid.head, grid.side) == (["0", "1"], ["0", "1"])
    assert repr(grid).splitlines()[1].split() == ["0", "True", "False"]
    turned = table(ROWS, "who", "more", turned=True)
    assert (turned.head, turned.side, turned.grid) == (["0", "1"], ["who", "more"], [["a", "b"], ["", "1"]])
    assert '<th scope="row">who</th>' in turned._repr_html_()


def test_html_is_escaped_control_characters_are_shown_long_text_is_cut():
    shown = table([{"<b>": "<script>x</script>\x1b[31m", "long": "x" * 500}])
    html = shown._repr_html_()
    assert "<script>" not in html and "&lt;script&gt;" in html and "<b>" not in html
    assert "\x1b" not in html and "\\x1b" in html
    assert "x" * 81 not in html


def test_none_and_very_many():
    assert len(table([], "a", turned=True)) == 1
    assert "no rows" in table([])._repr_html_() and repr(table([])) == "no rows"
    assert "no rows" in table([], "at", "effect")._repr_html_()
    many = table([{"a": 1}] * 501)
    assert "1 more row<" in many._repr_html_() and repr(many).endswith("\n1 more row")

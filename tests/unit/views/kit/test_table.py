from hypothesis import given
from hypothesis import strategies as st

from eve_replay.views.kit.safe import display_width
from eve_replay.views.kit.table import Cell, Column, Table, table_html, table_lines
from eve_replay.views.kit.text import plain


def lines(table, **options):
    return plain(table_lines(table, **options)).split("\n")


def test_columns_align_with_wide_characters_and_numbers_go_right():
    table = Table(
        columns=[Column(title="tool"), Column(title="n", align="right"), Column(title="note")],
        rows=[["退款", "2", "a"], [Cell("charge_card", "harm"), "13", "b"], ["👍🏽", "1"]],
    )
    assert lines(table) == [
        "tool          n  note",
        "退款          2  a",
        "charge_card  13  b",
        "👍🏽            1",
    ]


def test_shrinking_columns_give_way_the_widest_first():
    table = Table(
        columns=[Column(title="id"), Column(title="a", shrink=1, minimum=4), Column(title="b", shrink=1)],
        rows=[["0123456789", "x" * 30, "y" * 20]],
    )
    _, row = lines(table, width=40)
    assert display_width(row) == 40
    assert row.startswith("0123456789  xxx")
    assert row.count("…") == 2


def test_columns_that_may_not_shrink_stay_whole():
    table = Table(columns=[Column(title="id")], rows=[["x" * 100]])
    assert lines(table, width=40)[1] == "x" * 100


def test_an_empty_column_is_left_out_and_an_empty_table_says_why():
    table = Table(columns=[Column(title="a"), Column(title="b")], rows=[["1", ""]])
    assert lines(table) == ["a", "1"]
    assert lines(Table(columns=[Column(title="a")], empty="No runs yet.")) == ["No runs yet."]
    assert table_lines(Table(columns=[Column(title="a")])) == []


def test_control_characters_do_not_break_the_row():
    table = Table(columns=[Column(title="a"), Column(title="b")], rows=[["x\ny\x1b[1m", "z"]])
    assert lines(table)[1] == "x\\ny\\x1b[1m  z"


@given(
    st.lists(st.lists(st.text(max_size=30), min_size=3, max_size=3), min_size=1, max_size=5),
    st.integers(20, 90),
)
def test_rows_never_exceed_the_width_when_they_can_shrink(rows, width):
    columns = [
        Column(title="", shrink=1, minimum=3),
        Column(title="", shrink=2, minimum=3),
        Column(title="", shrink=1),
    ]
    for row in table_lines(Table(columns=columns, rows=rows), width=width):
        assert sum(display_width(span.text) for span in row) <= width


def test_html_is_escaped_named_and_says_when_there_is_nothing():
    table = Table(
        columns=[Column(title="", names=True), Column(title="<b>")], rows=[["0", Cell("a\x1b<i>", "harm")]]
    )
    html = table_html(table, label='"x"')
    assert (
        '<th scope="row">0</th>' in html
        and "&lt;b&gt;" in html
        and "&lt;i&gt;" in html
        and "&quot;x&quot;" in html
    )
    assert "\x1b" not in html
    assert table_html(Table(columns=[], empty="no <rows>")) == "<p>no &lt;rows&gt;</p>"

from hypothesis import given
from hypothesis import strategies as st

from eve_replay.views.kit.fit import fitted
from eve_replay.views.kit.safe import display_width
from eve_replay.views.kit.text import Span, plain

TEXTS = st.text(alphabet=st.sampled_from("abc 日本😀é\x1b"), max_size=12)


@given(st.lists(TEXTS, max_size=5), st.integers(1, 30))
def test_no_line_is_wider_than_asked(texts, width):
    (line,) = fitted([tuple(Span(text) for text in texts)], width)
    assert display_width(plain([line])) <= width


def test_lines_that_fit_stay_as_they_are():
    line = (Span("abc", "harm"), Span("d"))
    assert fitted([line], 4) == [line]
    assert plain(fitted([line], 3)) == "ab…"

"""What keeps an answer small and secrets inside."""

from hypothesis import given
from hypothesis import strategies as st

from eve_replay.cli.mcp.fit import MASK, fold, masked, page, size_of

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=60,
)


@given(json_values)
def test_what_fits_is_left_as_it_is(value):
    assert fold(value, size_of(value)) == value


@given(st.lists(st.text(min_size=50), min_size=30), st.integers(300, 900))
def test_what_does_not_fit_is_cut_with_marks(texts, budget):
    assert size_of(fold({"history": texts, "n": 1}, budget)) <= budget


@given(st.lists(st.text(), max_size=40), st.integers(400, 2000))
def test_every_row_is_on_one_page(rows, budget):
    seen, cursor = [], 0
    while cursor is not None:
        shown, cursor = page(rows, cursor=cursor, budget=budget)
        seen += shown
    assert seen == rows


def test_secrets_are_masked_by_key_and_by_shape():
    token = "ghp_" + "a1B2" * 9
    value = {
        "apiKey": "anything",
        "headers": {"authorization": ["Basic Zm9v"], "accept": "json"},
        "credentials": {"user": "ana", "retries": 3},
        "text": f"use {token} please",
        "email": "ana@example.com",
    }
    out = masked(value)
    assert out["apiKey"] == MASK
    assert out["headers"] == {"authorization": [MASK], "accept": "json"}
    assert out["credentials"]["user"] == MASK
    assert out["text"] == f"use {MASK} please"
    assert out["email"] == "ana@example.com"


def test_a_path_that_names_a_secret_masks_what_it_leads_to():
    assert masked("anything", ("session", "apiKey")) == MASK
    assert masked({"a": ["x"]}, ("password",)) == {"a": [MASK]}


def test_depth_is_bounded():
    deep: object = "x"
    for _ in range(100_000):
        deep = [deep]
    assert "too deep" in str(masked(deep))

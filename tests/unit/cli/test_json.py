import io
import json

from hypothesis import given
from hypothesis import strategies as st

from eve_replay.cli._json import json_chunks, write_json

DOCUMENTS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


def written(document, **options):
    out = io.BytesIO()
    write_json(document, out, **options)
    return out.getvalue()


@given(DOCUMENTS)
def test_the_own_walk_writes_what_the_standard_encoder_writes(document):
    assert "".join(json_chunks(document)) == json.dumps(document, ensure_ascii=False)


def test_any_depth_is_written():
    deep = leaf = []
    for _ in range(20_000):
        leaf.append([])
        leaf = leaf[0]
    assert written({"value": deep}) == b'{"value": ' + b"[" * 20_001 + b"]" * 20_001 + b"}\n"


def test_lone_surrogates_and_unjsonable_numbers_become_valid_json():
    assert written({"a": "cut \ud83d", "b": "whole 👍"}) == '{"a": "cut \\ud83d", "b": "whole 👍"}\n'.encode()
    assert json.loads(written([float("nan"), float("-inf")])) == [
        {"$type": "number", "value": "NaN"},
        {"$type": "number", "value": "-Infinity"},
    ]


def test_large_documents_come_in_pieces():
    assert len(list(json_chunks(["x" * 100] * 5000))) > 5
    assert json.loads(written(["é" * 100] * 20_000)) == ["é" * 100] * 20_000


def test_indent():
    assert written({"a": 1}, indent=2) == b'{\n  "a": 1\n}\n'

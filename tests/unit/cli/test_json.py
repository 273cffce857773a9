import io
import json

from eve_replay.cli.shared.json import write_json


def written(document, **options):
    out = io.BytesIO()
    write_json(document, out, **options)
    return out.getvalue()


def test_any_depth_is_written():
    deep = leaf = []
    for _ in range(20_000):
        leaf.append([])
        leaf = leaf[0]
    assert written({"value": deep}) == b'{"value": ' + b"[" * 20_001 + b"]" * 20_001 + b"}\n"


def test_lone_surrogates_become_valid_json():
    assert written({"a": "cut \ud83d", "b": "whole 👍"}) == '{"a": "cut \\ud83d", "b": "whole 👍"}\n'.encode()


def test_large_documents_are_whole():
    document = ["é\ud83d" * 100] * 20_000
    assert json.loads(written(document)) == document


def test_indent():
    assert written({"a": 1}, indent=2) == b'{\n  "a": 1\n}\n'


def test_what_a_terminal_may_obey_is_escaped_and_means_the_same():
    import io
    import json

    from eve_replay.cli.shared.json import write_json

    text = (
        "\x1b]52;c;aGk=\x07 \x9b31m \x85 \u202egnp.exe \u200b\u2066 \x7f \ufeff \U000e0041 中文 é 😀 \ud800"
    )
    out = io.BytesIO()
    write_json({text: [text]}, out)
    raw = out.getvalue().decode()
    assert not [c for c in raw[:-1] if not c.isprintable()], [c for c in raw if not c.isprintable()]
    assert "中文 é 😀" in raw and json.loads(raw) == {text: [text]}

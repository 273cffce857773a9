"""Whatever lies in a folder: words, not tracebacks; and no control character reaches the terminal."""

import io
import random
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eve_replay import samples
from eve_replay.cli import run

CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
COMMANDS = ("runs", "show", "events", "stream", "receipt", "dump")


def check(capsys, *words):
    capsys.readouterr()
    code = run([*words])
    captured = capsys.readouterr()
    assert code in (0, 1, 2, 3), words
    assert "defect in eve-replay" not in captured.err, captured.err
    if "--json" not in words and words[0] != "dump":
        assert not CONTROL.search(captured.out), words
    assert not CONTROL.search(captured.err)
    assert "Traceback" not in captured.err
    return captured.out


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return samples.extract("crash-in-tool", tmp_path_factory.mktemp("robust")) / "data"


def damaged(data, generator):
    data = bytearray(data)
    how = generator.randrange(4)
    if not data or how == 0:
        return bytes(data[: generator.randrange(len(data) + 1)])
    if how == 1:
        data[generator.randrange(len(data))] ^= 1 << generator.randrange(8)
    elif how == 2:
        place = generator.randrange(len(data))
        data[place : place + generator.randrange(9)] = generator.randbytes(generator.randrange(9))
    else:
        return generator.randbytes(generator.randrange(60))
    return bytes(data)


@pytest.mark.parametrize("seed", range(60))
def test_damaged_files(folder, seed, capsys):
    generator = random.Random(seed)
    files = sorted(path for path in Path(folder).rglob("*") if path.is_file())
    path = generator.choice(files)
    original = path.read_bytes()
    try:
        path.write_bytes(damaged(original, generator))
        for name in COMMANDS:
            check(capsys, name, str(folder))
        check(capsys, "step", str(folder), "4SKF")
        check(capsys, "step", str(folder), "4SKF", "--json")
    finally:
        path.write_bytes(original)


def test_hostile_texts_are_shown_in_every_command(folder, capsys):
    """A tool result, a title and a token that try to draw, move the cursor and reorder the line."""
    evil = "\\u001b[2J\\u001b]0;owned\\u0007\\u202eevil\\u200b\\ud800"
    path = next(Path(folder).glob("runs/*64S.json"))
    original = path.read_text()
    hook = next(Path(folder).glob("hooks/hook_*SK9.json"))
    token = hook.read_text()
    try:
        path.write_text(
            original.replace('"$eve.type": "session"', f'"$eve.type": "session", "$eve.title": "{evil}"')
        )
        path.write_text(path.read_text().replace("workflow//eve//workflowEntry", f"workflow//eve//{evil}"))
        hook.write_text(token.replace("eve:inbox:v1", evil))
        for name in COMMANDS:
            out = check(capsys, name, str(folder))
            if name == "show":
                assert "\\x1b[2J" in out
                assert "\\u202e" in out
    finally:
        path.write_text(original)
        hook.write_text(token)


@settings(max_examples=300)
@given(data=st.one_of(st.binary(max_size=80), st.text(max_size=60).map(lambda t: b"devl" + repr(t).encode())))
def test_decode_takes_any_bytes(data):
    import sys
    from unittest import mock

    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    err = io.StringIO()
    with mock.patch.multiple(sys, stdin=io.TextIOWrapper(io.BytesIO(data)), stdout=out, stderr=err):
        code = run(["decode", "-"])
    out.flush()
    text = out.buffer.getvalue().decode()
    assert code in (0, 1, 2)
    assert "defect" not in err.getvalue()
    assert not CONTROL.search(text)

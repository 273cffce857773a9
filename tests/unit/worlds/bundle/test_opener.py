"""Bundles: every byte comes back, damage is survived and said, newer versions too."""

from __future__ import annotations

import functools
import io
import json

import pytest
import zstandard

from eve_replay.cli import run as run_cli
from eve_replay.codec import Payload
from eve_replay.errors import EveReplayError, SourceUnreadable, UnknownSource
from eve_replay.records import RunRecord, StreamChunk, StreamRecord
from eve_replay.worlds.bundle import zstd_frames as bundle_frames
from eve_replay.worlds.bundle.format import BundleDamage, chunk_line, line_chunk, line_record, record_line
from eve_replay.worlds.bundle.opener import opener
from eve_replay.worlds.bundle.world import BundleWorld
from eve_replay.worlds.bundle.write import write_bundle
from eve_replay.worlds.contract import check_world
from eve_replay.worlds.dump import dump_document
from eve_replay.worlds.export.entities import Wrap
from eve_replay.worlds.memory import MemoryWorld
from eve_replay.worlds.registry import open_world
from tests.support.corpus import data, names

BIG = {"big-payload", "long-session"}
SOURCES = [
    name if group == "local" else f"{group}/{name}"
    for group in ("local", "local-sdk", "postgres", "redis", "cli-export")
    for name in names(group)
    if name not in BIG
]


def lines_of(world):
    """Everything a world holds, as lines: payloads and chunks by their bytes."""
    for run in world.runs():
        yield record_line(run)
        yield from map(record_line, world.steps(run.run_id))
        yield from map(record_line, world.events(run.run_id))
        for other in world.others(run.run_id):
            yield record_line(other)
            if isinstance(other, StreamRecord):
                yield from map(chunk_line, world.stream(run.run_id, other.name))


def packed(world, **how):
    file = io.BytesIO()
    write_bundle(world, file, **how)
    return file.getvalue()


def reopened(content, label="x"):
    return BundleWorld(io.BytesIO(content), label)


@pytest.mark.parametrize("source", SOURCES)
def test_every_recording_comes_back_byte_for_byte(source):
    world = open_world(str(data(source)))
    bundle = reopened(packed(world))
    assert list(lines_of(bundle)) == list(lines_of(world))
    assert bundle.about["of"] == world.kind
    assert [p.code for p in bundle.receipt.problems] == [p.code for p in world.receipt.problems]


def test_what_is_decoded_is_the_same_and_so_is_the_story(tmp_path, capsys):
    source, file = str(data("crash-in-tool")), str(tmp_path / "any.name")
    assert run_cli(["pack", source, "-o", file, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["counts"]["run"] == 2 and told["redacted"] is None
    assert opener.recognises(file) == 1.0
    ours, theirs = dump_document(open_world(file)), dump_document(open_world(source))
    del ours["world"], theirs["world"]
    assert ours == theirs
    for command in ("attempts", "why", "forecast", "turns", "doctor"):
        answers = []
        for where in (source, file):
            run_cli([command, where, "--json", "--now", "2026-11-30T12:00:00Z"])
            answer = json.loads(capsys.readouterr().out)
            answer = {k: v for k, v in answer.items() if k not in ("source", "receipt")}
            if command == "doctor":  # a finding about the folder's own version file
                answer["findings"] = [f for f in answer["findings"] if f["code"] != "version-txt"]
            answers.append(answer)
        assert answers[0] == answers[1], command


def test_the_contract_holds(tmp_path):
    file = tmp_path / "x.everun"
    file.write_bytes(packed(open_world(str(data("local-sdk/local5_sleephook")))))
    assert check_world(lambda: open_world(str(file)))


def test_a_session_alone_with_its_children(tmp_path, capsys):
    source, file = str(data("compact-and-clear")), tmp_path / "x.everun"
    assert run_cli(["turns", source, "--json"]) in (0, 1)
    capsys.readouterr()
    run_cli(["why", source, "--json"])
    session = json.loads(capsys.readouterr().out)["sessions"][0]
    assert run_cli(["pack", source, session["sessionId"], "-o", str(file)]) in (0, 1)
    world = open_world(str(file))
    assert {run.run_id for run in world.runs()} >= set(session["runs"])
    assert world.about["partial"] is True
    assert run_cli(["pack", source, "nobody", "-o", str(tmp_path / "y")]) == 2


def test_files_are_never_written_over_unasked(tmp_path, capsys):
    file = tmp_path / "x.everun"
    file.write_text("mine")
    assert run_cli(["pack", "sample:crash-in-tool", "-o", str(file)]) == 2
    assert file.read_text() == "mine"
    assert run_cli(["pack", "sample:crash-in-tool", "-o", str(file), "--force"]) == 0
    assert run_cli(["runs", str(file)]) == 0
    assert [p.name for p in tmp_path.iterdir()] == ["x.everun"]
    assert run_cli(["pack", "sample:crash-in-tool", "-o", str(tmp_path)]) == 2
    assert run_cli(["pack", "sample:crash-in-tool", "-o", str(tmp_path / "no" / "x")]) == 2


@functools.cache
def the_content():
    return packed(open_world(str(data("crash-in-tool"))))


@pytest.mark.parametrize("part", [0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 0.9999])
def test_a_cut_bundle_gives_what_is_there_and_says_so(part):
    content = the_content()[: int(len(the_content()) * part)]
    try:
        world = reopened(content)
    except SourceUnreadable as error:
        assert "beginning is damaged" in str(error) and part < 0.1
        return
    found = list(lines_of(world))
    whole = list(lines_of(reopened(the_content())))
    assert all(line in whole for line in found)
    assert part < 0.5 or found
    assert "cut-bundle" in {p.code for p in world.receipt.problems}
    assert not world.receipt.clean


@pytest.mark.parametrize("at", range(30, len(the_content()), max(1, len(the_content()) // 40)))
def test_damage_anywhere_never_raises_anything_unexpected(at, tmp_path):
    file = tmp_path / "x.everun"
    file.write_bytes(the_content()[:at] + bytes([the_content()[at] ^ 0xFF]) + the_content()[at + 1 :])
    try:
        world = open_world(str(file))
        for run in world.runs():
            list(world.events(run.run_id))
            list(world.steps(run.run_id))
            for other in world.others(run.run_id):
                if isinstance(other, StreamRecord):
                    list(world.stream(run.run_id, other.name))
    except EveReplayError:
        return
    assert not world.receipt.clean or list(lines_of(world)) == list(lines_of(reopened(the_content())))


def test_a_newer_bundle_gives_what_is_understood(tmp_path, monkeypatch):
    monkeypatch.setattr(bundle_frames, "VERSION", 2)
    content = packed(open_world(str(data("crash-in-tool"))))
    monkeypatch.undo()
    file = tmp_path / "x.everun"
    file.write_bytes(content)
    world = open_world(str(file))
    assert len(list(world.runs())) == 2
    assert "newer-version" in {p.code for p in world.receipt.problems}


def test_unknown_lines_are_left_out_and_named():
    world = reopened(packed(open_world(str(data("crash-in-tool")))))
    with pytest.raises(BundleDamage):
        line_record({"k": "planet", "f": {}}, Wrap())
    with pytest.raises(BundleDamage):
        line_chunk({"k": "chunk", "s": "x"})
    with pytest.raises(BundleDamage):
        line_record({"k": "mark", "f": {}, "kind": "moon"}, Wrap())
    assert world.receipt.clean


def test_a_bomb_costs_no_memory(tmp_path):
    bomb = zstandard.ZstdCompressor().compress(b" " * (64 << 20))
    content = the_content()[: bundle_frames.FIRST] + bomb
    file = tmp_path / "x.everun"
    file.write_bytes(content)
    with pytest.raises(SourceUnreadable, match=r"more than 1,048,576 bytes.*--limit line="):
        open_world(str(file), limit={"line": 1 << 20})
    lines = zstandard.ZstdCompressor().compress(b"{}\n" * (64 << 20))
    file.write_bytes(the_content()[: bundle_frames.FIRST] + lines)
    with pytest.raises(SourceUnreadable, match="header has more than"):
        open_world(str(file))


def test_odd_values_come_back():
    odd = {
        "runId": "wrun_1", "status": "running", "x": float("nan"), "y": -0.0, "lone": "\ud83d", "n": 10**30,
        "$bytes": {"$text": "a"}, "deep": {"$value": 1, "b": [1, {"$map": 2}]},
        "input": Payload(b"devl[\"\xff\xfe\"]"), "output": Payload([1, 2]), "error": Payload.plain({"a": 1}),
    }  # fmt: skip
    chunk = StreamChunk(stream="s", chunk_id="chnk_1", data=b"\x00\x01\xff")
    world = MemoryWorld(
        runs=[RunRecord(odd, synthesised=True)],
        others=[
            StreamRecord({"runId": "wrun_1", "name": "s"}),
            StreamRecord({"runId": "wrun_1", "name": "t"}),
        ],
        chunks=[chunk],
    )
    bundle = reopened(packed(world))
    run = bundle.run("wrun_1")
    assert run.synthesised
    assert record_line(run) == record_line(RunRecord(odd, synthesised=True))
    assert run.fields["$bytes"] == {"$text": "a"} and run.fields["deep"] == odd["deep"]
    assert str(run.fields["x"]) == "nan" and str(run.fields["y"]) == "-0.0"
    assert list(bundle.stream("wrun_1", "s")) == [chunk]
    assert list(bundle.stream("wrun_1", "t")) == []


def test_what_is_no_bundle_is_said(tmp_path):
    file = tmp_path / "x.everun"
    with pytest.raises(UnknownSource, match="does not exist"):
        open_world(str(file))
    file.write_bytes(b"hello")
    with pytest.raises(UnknownSource, match="no bundle"):
        open_world(str(file))


def test_the_file_is_plain_zstd(tmp_path):
    reader = zstandard.ZstdDecompressor().stream_reader(io.BytesIO(the_content()), read_across_frames=True)
    first, *_, last = reader.read().decode("ascii").splitlines()
    assert json.loads(first)["format"] == "eve-replay/bundle"
    assert json.loads(last)["k"] == "stop"

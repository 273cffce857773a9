"""What reading may cost: names, values, and that all readers of a source spend the same object."""

import bz2
import gzip
import io
import json
import lzma
import struct
import tarfile
import zipfile

import pytest
import zstandard

from eve_replay.codec import Payload
from eve_replay.errors import SourceUnreadable, WrongUse
from eve_replay.limits import DEFAULT, Limits, OverLimit, as_limits, begun, parse_limit
from eve_replay.worlds.registry import open_world

RUN = "wrun_01M8NVET2Q9XT7ZZ1AMCAAJ64S"
RECORD = json.dumps({"runId": RUN, "status": "running", "workflowName": "workflow//./app//order"}).encode()


def test_texts_of_the_command_line():
    limits = parse_limit(("256M", "unpacked=8G", "digits=500000", "seconds=2.5"))
    assert limits is not None
    assert (limits.payload, limits.unpacked, limits.digits, limits.seconds) == (
        256 << 20,
        8 << 30,
        500_000,
        2.5,
    )
    assert limits.nodes == 16 << 20 and limits.file == 512 << 20
    assert parse_limit(()) is None
    assert parse_limit(("memory=0",)).memory == 0


@pytest.mark.parametrize("text", ["much", "0", "unpacked=", "unpacked=-1", "teeth=3", "=4", "payload=1e9"])
def test_what_is_no_limit(text):
    with pytest.raises(WrongUse):
        parse_limit((text,))


def test_forms_of_the_api():
    assert as_limits(None) is DEFAULT and as_limits(1 << 20).payload == 1 << 20
    assert as_limits({"ratio": 7, "payload": "2M"}) == Limits(ratio=7, payload=2 << 20)
    with pytest.raises(WrongUse):
        as_limits("64M")
    with pytest.raises(WrongUse):
        as_limits({"teeth": 1})


def test_spent_together_and_by_one_source_only():
    limits = begun(Limits(unpacked=100, files=2))
    limits.unpack(60, "a")
    with pytest.raises(OverLimit, match=r"b opens to more than 100 bytes.*--limit unpacked=200 "):
        begun(limits).unpack(60, "b")
    limits.fresh().unpack(60, "c")
    limits.member("z"), limits.member("z")
    with pytest.raises(OverLimit, match="more than 2 files"):
        limits.member("z")
    assert DEFAULT._spent.unpacked == 0


def test_seconds_and_memory_are_looked_at():
    slow = Limits(seconds=1e-9).fresh()
    with pytest.raises(OverLimit, match="processor time"):
        sum(range(100_000)), slow.check("x")
    with pytest.raises(OverLimit, match="of memory"):
        Limits(memory=1 << 20).fresh().check("x")


def zipped(*members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in members:
            made.writestr(name, data)
    return out.getvalue()


def test_the_rest_of_an_archive_is_read(tmp_path):
    path = tmp_path / "a.zip"
    path.write_bytes(
        zipped((f"runs/{RUN}.json", RECORD), (f"events/{RUN}/x.json", b"{" + b" " * 5000 + b"}"))
    )
    with open_world(str(path), limit={"file": 1000}) as world:
        assert [run.run_id for run in world.runs()] == [RUN]
        assert not list(world.events(RUN))
        skipped = [each for each in world.receipt.skipped if "limit" in each.why]
        assert len(skipped) == 1 and "--limit file=4000" in skipped[0].why
        assert {gap.of for gap in world.receipt.gaps} >= {"events", "runs"}


BOMBS = {
    ".sql.zst": lambda: zstandard.compress(b" " * (160 << 20)),
}


@pytest.mark.parametrize("suffix", BOMBS)
def test_a_packed_dump_may_not_swell(tmp_path, suffix):
    path = tmp_path / f"bomb{suffix}"
    path.write_bytes(BOMBS[suffix]())
    with pytest.raises(SourceUnreadable, match="200 times its own size"):
        open_world(str(path), kind="pgdump")


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, zstandard.compress])
def test_many_empty_parts_end(tmp_path, pack):
    path = tmp_path / "many.sql.x"
    path.write_bytes(pack(b"") * 3000)
    with pytest.raises(SourceUnreadable, match="empty parts in a row"):
        open_world(str(path), kind="pgdump")


def test_a_tar_header_that_claims_much(tmp_path):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        info = tarfile.TarInfo(f"runs/{RUN}.json")
        info.size = len(RECORD)
        tar.addfile(info, io.BytesIO(RECORD))
    claim = tarfile.TarInfo("pax")
    claim.type, claim.size = tarfile.XHDTYPE, 1 << 40
    path = tmp_path / "a.tar"
    path.write_bytes(out.getvalue().rstrip(b"\0").ljust(1024, b"\0") + claim.tobuf(tarfile.GNU_FORMAT))
    with open_world(str(path)) as world:
        assert [run.run_id for run in world.runs()] == [RUN]
        assert any("claims" in each.why for each in world.receipt.skipped)


def test_a_window_of_gigabytes_is_not_made(tmp_path):
    path = tmp_path / "window.sql.zst"
    path.write_bytes(struct.pack("<I", 0xFD2FB528) + bytes([0, 20 << 3]) + b"\x01\x00\x00")
    with pytest.raises(SourceUnreadable):
        open_world(str(path), kind="pgdump")


def test_a_payload_says_how_to_go_on():
    text = "[" + ",".join(["0"] * 3000) + "]"
    found = Payload(b"devl" + text.encode(), limit=Limits(nodes=1000)).undecoded
    assert found is not None and found.reason == "too-big" and "--limit nodes=4000" in found.message

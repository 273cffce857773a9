"""Four times the input, about four times the work: counted in lines of Python, not in seconds."""

import io
import sys

import pytest
import zstandard

from eve_replay.codec import Payload
from eve_replay.values import to_tagged
from eve_replay.worlds.bundle.zstd_frames import FrameReader
from eve_replay.worlds.cborx import decode_cbor
from eve_replay.worlds.local.tree import MemoryTree
from eve_replay.worlds.mongo.bson import documents
from eve_replay.worlds.pgdump.text import scan
from eve_replay.worlds.pgdump.values import next_value
from eve_replay.worlds.redis.rdb import read_rdb
from eve_replay.worlds.sqldump.mysql import read_mysql

#: Lines of Python run, each counted once; what runs in C is bounded by the time limit of the test.
SMALL = 300


def lines_run(act):
    count = 0

    def tracer(frame, event, arg):
        nonlocal count
        count += 1
        return tracer

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        act()
    finally:
        sys.settrace(before)
    return count


def copied(count):
    return b"COPY w.workflow_runs (id) FROM stdin;\n" + b"wrun_1\n" * count + b"\\.\n"


def inserted(count):
    return b"INSERT INTO w.workflow_runs (id) VALUES\n" + b"('a'),\n" * count + b"('b');\n"


def mysql(count):
    table = b"CREATE TABLE `r` (\n`id` text\n);\n"
    return table + b"INSERT INTO `r` VALUES " + b"('a')," * count + b"('b');\n"


def scanned(text):
    return list(scan(io.BytesIO(text), frozenset({"workflow_runs"})))


#: What makes an input of a size, and what reads it.
READERS = {
    "pgdump copy": (copied, scanned),
    "pgdump inserts": (inserted, scanned),
    "mysql dump": (mysql, lambda text: read_mysql(text, lambda name: True)),
    "cbor": (
        lambda n: b"\x9f" + b"\xa1\x61a\x81\x01" * n + b"\xff",
        lambda data: to_tagged(decode_cbor(data)),
    ),
    "bson": (
        lambda n: b"\x0c\x00\x00\x00\x10n\x00\x01\x00\x00\x00\x00" * n,
        lambda data: list(documents(data)),
    ),
    "rdb": (lambda n: b"REDIS0011" + b"".join(b"\x00\x04k%03d\x01v" % (i % 999) for i in range(n)), read_rdb),
    "bundle": (
        lambda n: zstandard.compress(b'{"k":"run","f":{}}\n' * n),
        lambda data: list(FrameReader(io.BytesIO(data), 0).lines()),
    ),
    "devalue": (
        lambda n: b"devl[" + b",".join(b"[%d]" % (i + 1) for i in range(n)) + b',"x"]',
        lambda raw: Payload(raw).value,
    ),
    "folders": (lambda n: {"a/" * (n // 2) + "x.json": b"{}"}, lambda files: MemoryTree(files).entries("")),
}


@pytest.mark.parametrize("name", READERS)
def test_work_grows_as_the_input_does(name):
    make, read = READERS[name]
    read(make(8))  # imports are no work
    one, four = (lines_run(lambda size=size: read(make(size))) for size in (SMALL, SMALL * 4))
    assert four <= 5 * one + 2000, (one, four)


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "text",
    [
        b"(" + b" " * 200_000 + b"x" + b" " * 200_000,
        b"('a'" + b" " * 400_000,
        b"(x::" + b"y " * 200_000,
        b"(" + b"(a)" * 100_000,
        b"(" + b"a:" * 200_000,
        b"('" + b"''" * 200_000,
    ],
)
def test_no_pattern_tries_all_ways_to_split_a_row(text):
    next_value(text, 1)


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "line",
    [
        b"COPY x" + b" " * 300_000 + b"y",
        b"INSERT INTO x" + b" " * 300_000 + b"y;",
        b'COPY "' + b'""' * 150_000 + b"\n",
        b"CREATE TABLE x" + b" " * 300_000 + b";",
        b"COPY x FROM stdin" + b"; " * 150_000 + b"z",
        b"SET client_encoding = 'a\0b';",
    ],
)
def test_no_statement_takes_more_than_its_length(line):
    list(scan(io.BytesIO(line + b"\n"), frozenset({"workflow_runs", "x"})))

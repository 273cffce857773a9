"""The community Redis world, from a private server and from files of its keys."""

from __future__ import annotations

import base64
import json
import random
import socket
import time
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest

from eve_replay.errors import EveReplayError, NotFound, SourceUnreadable
from eve_replay.records import HookRecord, StreamRecord
from eve_replay.worlds.base import World
from eve_replay.worlds.contract import check_world
from eve_replay.worlds.dump import dump_document
from eve_replay.worlds.redis.listpack import lzf, stream_entries, ziplist
from eve_replay.worlds.redis.opener import opener
from eve_replay.worlds.redis.rdb import read_rdb
from eve_replay.worlds.redis.world import RedisWorld
from eve_replay.worlds.registry import open_world
from tests.support import redisserver
from tests.support.corpus import names, scenario
from tests.support.vendor_oracle import check, same_paths

SNAPSHOTS = [
    f"{name}/{folder.name}"
    for name in names("redis")
    for folder in sorted(scenario(f"redis/{name}").iterdir())
    if folder.is_dir()
]


def folder_of(snapshot: str) -> Path:
    name, _, part = snapshot.partition("/")
    return scenario(f"redis/{name}") / part


@pytest.mark.parametrize("snapshot", SNAPSHOTS)
def test_files_of_keys_read_as_the_vendor_reads_the_server(snapshot: str) -> None:
    source = str(folder_of(snapshot) / "keys.json")
    assert opener.recognises(source) > 0.9
    world = opener.open(source)
    oracle = folder_of(snapshot) / "oracle.json"
    if oracle.exists():
        counts = check(world, json.loads(oracle.read_text("utf-8")))
        assert counts["events"] > 5
    else:
        assert snapshot.endswith("held")
        assert len(dump_document(world)["hooks"]) == 1
    assert world.receipt.clean or {p.code for p in world.receipt.problems} == {"after-end"}


@pytest.mark.redis
@pytest.mark.parametrize("snapshot", SNAPSHOTS)
def test_a_server_holds_the_same_and_is_not_written_to(snapshot: str) -> None:
    folder = folder_of(snapshot)
    server = redisserver.start(folder / "dump.rdb")
    try:
        with server.connect() as link:
            link.config_resetstat()
            before = link.info("persistence")["rdb_changes_since_last_save"]
        world = opener.open(server.url)
        assert isinstance(world, World)
        assert opener.recognises(server.url) == 1.0
        ours, file = dump_document(world), dump_document(opener.open(str(folder / "keys.json")))
        # The RDB file still has the paths of the recording machine in it.
        assert same_paths(ours) == same_paths(file)
        world.close()
        world.close()
        with server.connect() as link:
            commands = set(link.info("commandstats"))
            allowed = {"exists", "zrange", "hgetall", "smembers", "xrange", "scan"}
            setup = {"config|resetstat", "info", "client|setinfo", "client", "config", "hello", "select"}
            assert {name.removeprefix("cmdstat_") for name in commands} <= allowed | setup
            assert link.info("persistence")["rdb_changes_since_last_save"] == before == 0
            assert len(link.client_list()) == 1
    finally:
        server.stop()


def test_events_of_one_millisecond_come_in_the_order_of_their_ids() -> None:
    keys = json.loads((folder_of("redisr_retry/final") / "keys.json").read_text("utf-8"))
    name = next(key for key in keys if key.startswith("workflow:events:wrun_"))
    # Within one score the server orders by the base64 text: the worst case is upside down.
    keys[name]["value"] = [[member, 0.0] for member, _ in reversed(keys[name]["value"])]
    from eve_replay.worlds.redis.store import FileStore

    world = RedisWorld(FileStore(keys, "x"))
    run = next(iter(world.runs()))
    types = [event.event_type for event in world.events(run.run_id)]
    assert types[0] == "run_created" and types[-1] == "run_completed"


def test_damaged_keys_are_named_and_hide_nothing(tmp_path: Path) -> None:
    keys = json.loads((folder_of("redisr_rich/final") / "keys.json").read_text("utf-8"))
    events = next(key for key in keys if key.startswith("workflow:events:wrun_"))
    run_key = next(key for key in keys if key.startswith("workflow:runs:wrun_"))
    stream = next(
        key for key in keys if keys[key]["type"] == "stream" and key.startswith("workflow:stream:strm")
    )
    step = next(key for key in keys if key.startswith("workflow:steps:wrun_"))
    keys[events]["value"][3][0] = base64.b64encode(b"cbor:!!!").decode()
    keys[events]["value"][4][0] = base64.b64encode(b"cbor:" + base64.b64encode(b"\xb9\x00\x02\x61")).decode()
    del keys[step]
    for pair in keys[run_key]["value"]:
        if base64.b64decode(pair[0]) == b"executionContext":
            pair[1] = base64.b64encode(b"cbor:" + base64.b64encode(b"\xff")).decode()
    for pair in keys[stream]["value"][0][1]:
        if base64.b64decode(pair[0]) == b"data":
            pair[1] = base64.b64encode(b"*").decode()
    path = tmp_path / "keys.json"
    path.write_text(json.dumps(keys), "utf-8")
    world = opener.open(str(path))
    document = dump_document(world)
    assert len(document["events"]) == 13 and len(document["steps"]) == 2
    assert document["runs"][0]["executionContext"]["$type"] == "undecodable"
    skipped = [skip.what for skip in world.receipt.skipped]
    assert skipped.count("event") == 2 and "chunk" in skipped and "steps" in skipped


def test_other_prefixes_are_found_and_chosen(tmp_path: Path) -> None:
    keys = json.loads((folder_of("redisr_retry/final") / "keys.json").read_text("utf-8"))
    one = {key.replace("workflow:", "shop:", 1): value for key, value in keys.items()}
    two = {key.replace("workflow:", "app:", 1): value for key, value in keys.items()}
    path = tmp_path / "keys.json"
    path.write_text(json.dumps({**one, **two}), "utf-8")
    world = opener.open(str(path))
    assert world.about["prefix"] == "app"
    assert [p.code for p in world.receipt.problems] == ["several-prefixes"]
    assert opener.open(str(path), prefix="shop").about["prefix"] == "shop"
    with pytest.raises(SourceUnreadable, match=r"\?prefix=NAME"):
        opener.open(str(path), prefix="other")
    run = next(iter(world.runs()))
    assert not any(isinstance(other, (HookRecord, StreamRecord)) for other in world.others(run.run_id))
    for ask in (world.run, lambda i: list(world.events(i)), lambda i: list(world.steps(i)),
                lambda i: list(world.others(i)), lambda i: list(world.stream(i, "strm_x"))):  # fmt: skip
        with pytest.raises(NotFound):
            ask("wrun_x")


@pytest.mark.parametrize("snapshot", SNAPSHOTS)
def test_an_rdb_file_holds_the_same(snapshot: str, tmp_path: Path) -> None:
    folder = folder_of(snapshot)
    source = str(folder / "dump.rdb")
    assert opener.recognises(source) == 0.9
    world = opener.open(source)
    ours, file = dump_document(world), dump_document(opener.open(str(folder / "keys.json")))
    assert same_paths(ours) == same_paths(file)
    (tmp_path / "dump.rdb").write_bytes(Path(source).read_bytes())
    assert opener.recognises(str(tmp_path)) == 0.55
    assert len(list(opener.open(str(tmp_path)).runs())) == len(ours["runs"])


def test_a_torn_rdb_file_shows_what_is_there(tmp_path: Path) -> None:
    raw = (folder_of("redisr_sleephook/final") / "dump.rdb").read_bytes()
    path = tmp_path / "dump.rdb"
    seen = set()
    for cut in range(100, len(raw) - 1, 1997):
        path.write_bytes(raw[:cut])
        try:
            world = opener.open(str(path))
        except SourceUnreadable:
            seen.add("nothing")
            continue
        assert [p.code for p in world.receipt.problems] == ["torn-rdb"]
        dump_document(world)
        seen.add("something")
    assert seen == {"nothing", "something"}
    chance = random.Random(7)
    for _ in range(100):
        damaged = bytearray(raw)
        for _ in range(3):
            damaged[chance.randrange(9, len(raw))] = chance.randrange(256)
        path.write_bytes(damaged)
        try:
            json.dumps(dump_document(opener.open(str(path))))
        except EveReplayError as error:
            assert str(error)


def test_other_files_are_explained(tmp_path: Path) -> None:
    other = tmp_path / "keys.json"
    other.write_text("[1, 2", "utf-8")
    assert opener.recognises(str(other)) == 0.0
    for text in ("[1, 2", "[1, 2]", "{}", "REDIS0010"):
        other.write_text(text, "utf-8")
        with pytest.raises(SourceUnreadable):
            opener.open(str(other))
    with pytest.raises(SourceUnreadable):
        opener.open(str(tmp_path / "missing.json"))


@pytest.mark.redis
@pytest.mark.parametrize("packed", ["yes", "no"])
def test_every_encoding_the_server_writes_is_read(packed: str) -> None:
    """Small and large values of every type, with numbers that each packed form stores differently."""
    server = redisserver.start(None, "--rdbcompression", packed)
    numbers = [
        0,
        1,
        12,
        13,
        63,
        64,
        127,
        128,
        -1,
        -4096,
        4095,
        8191,
        -8192,
        2**15,
        -(2**23),
        2**31 - 1,
        -(2**63),
    ]
    texts = ["", "a", "x" * 63, "y" * 64, "z" * 4095, "w" * 4096, "v" * 70_000, "\0\xff"]
    items = [*map(str, numbers), *texts]
    try:
        with server.connect() as link:
            for number, text in enumerate(items):
                link.set(f"string:{number}", text)
            link.set("gone", 1, px=86_400_000)
            for name, some in (
                ("small", items[:20]),
                ("large", items),
                ("many", [f"m{i}" for i in range(2000)]),
            ):
                link.hset(f"hash:{name}", mapping={f"f{i}": text for i, text in enumerate(some)})
                link.sadd(f"set:{name}", *some)
                link.rpush(f"list:{name}", *some)
                link.zadd(f"zset:{name}", {text: i / 3 for i, text in enumerate(some)})
                for i, text in enumerate(some):
                    link.xadd(
                        f"stream:{name}",
                        {"a": text, "b": i} if i % 7 else {"other": text},
                        id=f"{i + 1}-{i % 3}",
                    )
            link.sadd("set:numbers", *numbers[:10])
            link.zadd("zset:odd", {"inf": float("inf"), "-inf": float("-inf"), "big": 1e300, "int": 7})
            link.xdel("stream:small", "3-2")
            link.xgroup_create("stream:small", "group", id="0")
            link.xreadgroup("group", "consumer", {"stream:small": ">"}, count=3)
            link.execute_command("SELECT", 3)
            link.set("elsewhere", "x")
            link.execute_command("SELECT", 0)
            link.save()
            folder = Path(link.config_get("dir")["dir"])
            found = read_rdb((folder / "dump.rdb").read_bytes())
            assert found.fault == "" and found.version
            assert found.databases[3]["elsewhere"].value == b"x"
            keys = found.databases[0]
            assert set(keys) == {key.decode() for key in link.scan_iter(count=1000)}
            for name, key in keys.items():
                real: object = {
                    "string": lambda n: link.get(n),
                    "hash": lambda n: link.hgetall(n),
                    "set": lambda n: sorted(link.smembers(n)),
                    "list": lambda n: link.lrange(n, 0, -1),
                    "zset": lambda n: link.zrange(n, 0, -1),
                    "stream": lambda n: [(i.decode(), f) for i, f in link.xrange(n)],
                }[key.kind](name)
                ours = sorted(key.value) if key.kind == "set" else key.value  # type: ignore[type-var]
                assert ours == real, name
    finally:
        server.stop()


def test_packed_forms_of_old_servers() -> None:
    def packed(*entries: bytes) -> bytes:
        return bytes(10) + b"".join(entries) + b"\xff"

    found = ziplist(packed(b"\x00\x03abc", b"\x05\xf1", b"\x02\xfd", b"\x02\xc0\xff\x7f", b"\x04\xfe\x80",
                           b"\x03\xf0\x00\x00\x80", b"\xfe\x05\x00\x00\x00\x40\x03xyz"))  # fmt: skip
    assert list(found) == [b"abc", b"0", b"12", b"32767", b"-128", b"-8388608", b"xyz"]
    with pytest.raises(ValueError, match="no ziplist"):
        list(ziplist(packed(b"\x00\xff")))
    node = bytes(6) + b"\x05\x01\x00\x01\x01\x01\xff"
    for broken in (node, bytes(6) + b"\xff", bytes(6) + b"\x81a\x02\xff"):
        with pytest.raises((ValueError, IndexError)):
            list(stream_entries((1, 0), broken))
    assert lzf(b"\x02abc\x60\x02", 8) == b"abcabcab"
    for bad in (b"\xe0\xff\xff", b"\x00a"):
        with pytest.raises((ValueError, IndexError)):
            lzf(bad, 5)


def failure(source: str, **options: object) -> str:
    with pytest.raises(EveReplayError) as caught:
        opener.open(source, **options)
    assert "s3cret" not in "".join(traceback.format_exception(caught.value))
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.fixture(scope="module")
def locked() -> Iterator[redisserver.Server]:
    server = redisserver.start(folder_of("redisr_retry/final") / "dump.rdb", "--requirepass", "s3cret")
    yield server
    server.stop()


@pytest.mark.redis
def test_passwords_and_permissions(locked: redisserver.Server) -> None:
    place = f"127.0.0.1:{locked.port}"
    assert "password" in failure(f"redis://{place}/0")
    assert "refused" in failure(f"redis://:wrong@{place}/0")
    assert "holds no key at all" in failure(f"redis://:s3cret@{place}/1")
    assert "no database of the number" in failure(f"redis://:s3cret@{place}/99")
    world = opener.open(f"redis://:s3cret@{place}/0?timeout=5")
    assert world.label == f"redis://{place}/0"
    assert len(list(world.runs())) == 1
    world.close()
    import redis

    with redis.Redis(port=locked.port, password="s3cret") as link:
        link.execute_command("ACL", "SETUSER", "reader", "on", ">s3cret2", "+@read", "~workflow:*")
        link.execute_command("ACL", "SETUSER", "poor", "on", ">s3cret2", "+exists", "~*")
    world = opener.open(f"redis://reader:s3cret2@{place}/0")
    assert len(dump_document(world)["events"]) == 11
    world.close()
    assert "may not read" in failure(f"redis://poor:s3cret2@{place}/0")


def test_an_address_without_a_host_means_this_machine() -> None:
    with pytest.raises(SourceUnreadable, match="localhost:6399/0"):
        open_world("redis://:6399/0?timeout=2")
    try:
        open_world("redis:///0?timeout=2").close()
    except SourceUnreadable as error:  # a server of this machine may or may not answer
        assert "localhost:6379/0" in str(error)


def test_dead_and_silent_servers() -> None:
    pytest.importorskip("redis")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        began = time.monotonic()
        assert "did not answer within 1 s" in failure(f"redis://:s3cret@127.0.0.1:{port}/0", timeout=1)
        assert time.monotonic() - began < 30
    assert "No Redis server answers" in failure(f"redis://:s3cret@127.0.0.1:{port}/0")
    assert "cannot be read" in failure("redis://127.0.0.1:port/0")


@pytest.mark.parametrize("snapshot", SNAPSHOTS)
def test_it_keeps_the_contract(snapshot: str) -> None:
    source = str(folder_of(snapshot) / "keys.json")
    assert len(check_world(lambda: opener.open(source))) > 9


@pytest.mark.redis
def test_a_server_keeps_the_contract() -> None:
    server = redisserver.start(folder_of("redisr_sleephook/final") / "dump.rdb")
    try:
        assert len(check_world(lambda: opener.open(server.url))) > 9
    finally:
        server.stop()

"""MongoDB in every form: mongoexport of all kinds, BSON of mongodump, an archive, a server's collections."""

from __future__ import annotations

import gzip
import shutil

import pytest

from eve_replay.errors import SourceUnreadable
from eve_replay.worlds.contract import check_world
from eve_replay.worlds.export.entities import Wrap
from eve_replay.worlds.layouts.access import TableAccess
from eve_replay.worlds.layouts.choose import choose
from eve_replay.worlds.layouts.world import LayoutWorld
from eve_replay.worlds.mongo.bson import ARCHIVE, BsonFault, documents
from eve_replay.worlds.mongo.server import MongoCollections
from eve_replay.worlds.registry import open_world
from tests.support import corpus

FORMS = [
    "canonical",
    "canonical-array",
    "canonical-pretty",
    "relaxed",
    "relaxed-pretty",
    "dump",
    "dump/workflow",
]
NAMES = ("runs", "steps", "events", "hooks", "stream_chunks", "stream_runs")


def told(world):
    [run] = world.runs()
    return (
        run.status,
        run.payload("output").value,
        [event.event_type for event in world.events(run.run_id)],
        [(step.attempt, step.payload("output").value) for step in world.steps(run.run_id)],
    )


@pytest.mark.parametrize("form", FORMS)
def test_every_form_tells_the_same(form):
    folder = corpus.scenario("worlds/mongo")
    assert told(open_world(str(folder / form))) == told(open_world(str(folder / "canonical")))
    check_world(lambda: open_world(str(folder / form)))


def test_gzip_and_archive_of_mongodump(tmp_path):
    folder = corpus.scenario("worlds/mongo") / "dump" / "workflow"
    for name in NAMES:
        (tmp_path / f"{name}.bson.gz").write_bytes(gzip.compress((folder / f"{name}.bson").read_bytes()))
    assert told(open_world(str(tmp_path)))[0] == "completed"
    end = b"\xff\xff\xff\xff"
    archive = ARCHIVE + end
    for name in NAMES:
        head = b"\x02collection\0" + (len(name) + 1).to_bytes(4, "little") + name.encode() + b"\0"
        head = (len(head) + 5).to_bytes(4, "little") + head + b"\0"
        archive += head + (folder / f"{name}.bson").read_bytes() + end
    (tmp_path / "backup.archive").write_bytes(archive)
    assert told(open_world(str(tmp_path / "backup.archive")))[0] == "completed"


def test_a_cut_bson_file_is_told(tmp_path):
    shutil.copytree(corpus.scenario("worlds/mongo") / "dump" / "workflow", tmp_path / "w")
    events = tmp_path / "w" / "events.bson"
    events.write_bytes(events.read_bytes()[:-60])
    world = open_world(str(tmp_path / "w"))
    [run] = world.runs()
    assert len(list(world.events(run.run_id))) == 6
    assert "torn-bson" in {p.code for p in world.receipt.problems}
    assert world.receipt.missing("events")


@pytest.mark.parametrize("size", range(0, 60, 7))
def test_any_cut_of_bson_ends_with_a_fault(size):
    raw = (corpus.scenario("worlds/mongo") / "dump" / "workflow" / "runs.bson").read_bytes()
    found = list(documents(raw[:size]))
    assert not found or isinstance(found[-1], BsonFault)


class Collection(list):
    def find(self, query, limit=0):
        found = [
            each
            for each in self
            if all(each.get(k) in (v["$in"] if isinstance(v, dict) else [v]) for k, v in query.items())
        ]
        return found[: limit or None]

    def distinct(self, key, query):
        return list({each[key]: None for each in self.find(query) if key in each})


class Database(dict):
    """Stands in for a database of pymongo: only what is read of one."""

    def list_collection_names(self):
        return list(self)


def server(database):
    store = MongoCollections(database, "mongodb://h/workflow")
    layout = choose(
        store.tables, given=None, what="a MongoDB database", label=store.label, reader="documents"
    )
    return LayoutWorld(TableAccess(store), layout, kind="mongo", wrap=Wrap())


def test_collections_of_a_server():
    folder = corpus.scenario("worlds/mongo") / "dump" / "workflow"
    database = Database(
        {name: Collection(documents((folder / f"{name}.bson").read_bytes())) for name in NAMES}
    )
    assert told(server(database)) == told(open_world(str(folder)))
    check_world(lambda: server(database))


def test_collections_nobody_knows_are_named():
    with pytest.raises(SourceUnreadable, match="a MongoDB database with the table users; no layout is known"):
        server(Database({"users": Collection([{"a": 1}])}))

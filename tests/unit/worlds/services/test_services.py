"""Worlds in services: what real packages wrote, through the readers of each, without their servers.

``services`` in the corpus holds what was recorded; the clients here answer from it as the real ones do. Where
a real client and a server were at hand, the same readers were tried on both (docs/formats/community.md).
"""

from __future__ import annotations

import base64
import gzip
import json
import shutil
import sys
from datetime import UTC, datetime

import pytest

from eve_replay.cli import run
from eve_replay.errors import SourceUnreadable, WrongUse
from eve_replay.journal import attempts_document, open_journal
from eve_replay.problems import Receipt
from eve_replay.worlds.contract import check_world
from eve_replay.worlds.layouts.tables import MemoryTables
from eve_replay.worlds.probe import probe
from eve_replay.worlds.registry import open_world
from eve_replay.worlds.services import serve
from eve_replay.worlds.services.firestore import FirestoreTables
from eve_replay.worlds.services.nats import Message, tables_of
from eve_replay.worlds.services.surreal import SurrealTables
from tests.support import corpus
from tests.support.hrana_server import HranaServer

EVENTS = ["run_created", "run_started", "step_created", "step_started", "step_retrying", "step_started"]


@pytest.fixture(scope="module")
def folder():
    return corpus.scenario("worlds/services")


def told(world):
    """Return status, types of events and stream of each run, and outcomes of the attempts."""
    journal = open_journal(world)
    runs = {
        each.run_id: (
            each.status,
            [event.event_type for event in world.events(each.run_id)],
            [bytes(c.data) for c in world.stream(each.run_id, f"strm_{each.run_id[5:]}_user")],
        )
        for each in world.runs()
    }
    steps = [(s["function"], [a["outcome"] for a in s["attempts"]]) for s in attempts_document(journal)]
    return runs, steps


def check_story(world, facts):
    """Both runs of ``drive.mjs``: one ends, one is left where a process would be killed inside its step."""
    runs, steps = told(world)
    assert runs.keys() == set(facts.values())
    assert [runs[facts[name]][0] for name in ("done", "killed")] == ["completed", "running"]
    assert runs[facts["killed"]][1] == [*EVENTS, "hook_created"]
    assert runs[facts["done"]][1][:6] == EVENTS and runs[facts["done"]][1][-1] == "run_completed"
    assert steps == [("charge", ["failed", "completed"]), ("charge", ["failed", "running"])]
    assert runs[facts["done"]][2] == [
        b'\x00\x00\x00\x0bdevl["one"]',
        b'\x00\x00\x00\x13devl["it\'s \\\\ two"]',
        b"",
    ]
    output = world.run(facts["done"]).payload("output")
    assert output is not None and output.value == {"done": "漢字 🙂"}
    [step] = world.steps(facts["killed"])
    assert (step.attempt, step.status, step.payload("input").value["args"]) == (2, "running", ["c9"])


def test_dynamodb_as_a_scan_prints_it(folder, capsys):
    path = folder / "dynamodb-scan.json"
    check_story(open_world(str(path)), corpus.load_json(folder / "dynamodb-facts.json"))
    check_world(lambda: open_world(str(path)))
    found = probe(str(path))
    assert (found.kind, found.layout, found.status) == ("dynamodb", "dynamodb", "recorded")
    assert run(["receipt", str(path)]) == 0
    assert "Everything was read" in capsys.readouterr().out


def test_dynamodb_as_an_export_writes_it(folder, tmp_path):
    """One item a line, packed, as the export to S3 does."""
    items = corpus.load_json(folder / "dynamodb-scan.json")["Items"]
    text = "\n".join(json.dumps({"Item": item}) for item in items)
    (tmp_path / "abc.json.gz").write_bytes(gzip.compress(text.encode()))
    check_story(open_world(str(tmp_path / "abc.json.gz")), corpus.load_json(folder / "dynamodb-facts.json"))


def test_one_page_of_a_scan_is_not_the_table(folder, tmp_path):
    document = corpus.load_json(folder / "dynamodb-scan.json") | {"NextToken": "more"}
    (tmp_path / "page.json").write_text(json.dumps(document))
    world = open_world(str(tmp_path / "page.json"))
    assert world.receipt.missing("events") and world.receipt.problems[0].code == "partial-scan"


def test_items_of_another_table_are_named(tmp_path):
    (tmp_path / "scan.json").write_text(
        json.dumps({"Items": [{"PK": {"S": "user#1"}, "name": {"S": "Ada"}}]})
    )
    with pytest.raises(SourceUnreadable) as caught:
        open_world(str(tmp_path / "scan.json"))
    assert (
        "items of a DynamoDB table" in caught.value.message and "no layout is known" in caught.value.message
    )


class Document:
    def __init__(self, name, held):
        self.id, self._held = name, held
        self.reference = self

    def to_dict(self):
        return None if self._held is None else opened(self._held["fields"])

    def collections(self, **_):
        return [Collection(name, held) for name, held in self._held["collections"].items()]

    def collection(self, name):
        return Collection(name, (self._held or {"collections": {}})["collections"].get(name, {}))


class Collection:
    def __init__(self, name, held, keep=lambda row: True):
        self.id, self._held, self._keep = name, held, keep

    def limit(self, count):
        return Collection(self.id, dict(list(self._held.items())[:count]), self._keep)

    def stream(self, **_):
        found = [Document(name, held) for name, held in self._held.items()]
        return [each for each in found if self._keep(each.to_dict())]

    def where(self, *given, filter=None):
        column, value = (filter.field_path, filter.value) if filter is not None else (given[0], given[2])
        return Collection(self.id, self._held, lambda row: row.get(column) == value)

    def document(self, name):
        return Document(name, self._held.get(name))


class Firestore:
    """Answers as google-cloud-firestore does, from the recorded state of a database."""

    def __init__(self, held, may_list=True):
        self._held, self._may_list = held, may_list

    def collections(self, **_):
        if not self._may_list:
            raise PermissionError("listing is not allowed")
        return [Collection(name, held) for name, held in self._held.items()]

    def collection(self, name):
        return Collection(name, self._held.get(name, {}))

    def get_all(self, documents, **_):
        return documents


def opened(value):
    if isinstance(value, dict):
        if value.keys() == {"$b"}:
            return base64.b64decode(value["$b"])
        if value.keys() == {"$t"}:
            return datetime.fromtimestamp(value["$t"] / 1000, UTC)
        return {name: opened(each) for name, each in value.items()}
    return [opened(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize("may_list", [True, False])
def test_firestore(folder, may_list):
    client = Firestore(corpus.load_json(folder / "firestore.json"), may_list)

    def world():
        store = FirestoreTables(client, "firestore://lab", (PermissionError,))
        return serve.layout_world(store, kind="firestore", what="a Firestore database", options={})

    check_story(world(), corpus.load_json(folder / "firestore-facts.json"))
    check_world(world)


def messages(folder):
    return {
        stream: [
            Message(
                subject=each["subject"],
                seq=each["seq"],
                data=base64.b64decode(each["data"]),
                headers=each["headers"],
            )
            for each in some
        ]
        for stream, some in corpus.load_json(folder / "nats.json").items()
    }


def test_nats_keeps_the_last_value_of_a_key_and_leaves_out_the_deleted(folder):
    def world():
        receipt = Receipt()
        store = MemoryTables("nats://lab", tables_of(messages(folder), "workflow_", receipt))
        return serve.layout_world(store, kind="nats", what="NATS", options={}, receipt=receipt)

    opened_world = world()
    facts = corpus.load_json(folder / "dynamodb-facts.json")
    check_story(opened_world, facts)
    check_world(world)
    assert opened_world.about["layoutStatus"] == "untested"


class Surreal:
    """Answers the three questions that are asked, from the tables of another store."""

    def __init__(self, tables):
        self.tables, self.asked = tables, []

    def query(self, query, values):
        self.asked.append(query)
        if query.startswith("INFO"):
            return {"tables": dict.fromkeys(self.tables, "DEFINE")}
        rows = self.tables[values["table"]]
        if "WHERE" in query:
            column = query.split("WHERE ")[1].split()[0]
            rows = [row for row in rows if row.get(column) in values["among"]]
        return rows[: int(query.split("LIMIT ")[1])] if "LIMIT" in query else rows


def test_surrealdb_reads_and_only_reads(folder):
    nats = tables_of(messages(folder), "workflow_", Receipt())
    named = {"chunks": "workflow_stream_chunks"}
    tables = {
        named.get(name, f"workflow_{name}"): [
            {"id": 1, "deploymentId": "d", **{key: value for key, value in row.items() if key != "key"}}
            for row in rows
        ]
        for name, rows in nats.items()
    }
    for row in tables["workflow_stream_chunks"]:
        row["streamId"], row["eof"] = row.pop("stream"), row.pop("end")
    client = Surreal(tables)

    def world():
        store = SurrealTables(client, "surrealdb://lab")
        return serve.layout_world(store, kind="surrealdb", what="a SurrealDB database", options={})

    check_story(world(), corpus.load_json(folder / "dynamodb-facts.json"))
    check_world(world)
    assert {query.split()[0] for query in client.asked} == {"INFO", "SELECT"}


@pytest.fixture
def libsql(tmp_path):
    path = tmp_path / "workflow.db"
    shutil.copyfile(corpus.scenario("worlds/turso") / "workflow.db", path)
    server = HranaServer(path, token="secret")
    yield server
    server.stop()


def test_libsql_over_http_says_what_the_file_says(libsql):
    source = f"libsql://{libsql.place}?tls=0&authToken=secret"
    world, file = open_world(source), open_world(str(corpus.scenario("worlds/turso")))
    assert [(r.run_id, r.status) for r in world.runs()] == [(r.run_id, r.status) for r in file.runs()]
    assert attempts_document(open_journal(world)) == attempts_document(open_journal(file))
    check_world(lambda: open_world(source))
    assert all(query.lower().startswith("select") for query in libsql.asked)


def test_a_wrong_token_is_said_and_never_shown(libsql):
    with pytest.raises(SourceUnreadable) as caught:
        open_world(f"libsql+http://{libsql.place}?authToken=wrongsecret")
    assert "refuses access (401)" in caught.value.message and "wrongsecret" not in str(caught.value.hint)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("libsql://127.0.0.1:1?tls=0", "No libSQL server answers"),
        ("dynamodb://", "names no table"),
        ("firestore://", "names no project"),
        ("surrealdb://host:8000", "names no namespace"),
    ],
)
def test_an_address_that_cannot_be_read_says_why(source, said):
    with pytest.raises((SourceUnreadable, WrongUse), match=said):
        open_world(source)


@pytest.mark.parametrize(
    ("source", "extra", "module"),
    [
        ("nats://127.0.0.1:1", "nats", "nats"),
        ("dynamodb://workflow", "dynamodb", "boto3"),
        ("firestore://lab", "firestore", "google.cloud.firestore"),
        ("surrealdb://h:1/a/b", "surrealdb", "surrealdb"),
    ],
)
def test_a_client_that_is_not_installed_is_one_line(source, extra, module, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)  # importing it fails, installed or not
    with pytest.raises(SourceUnreadable) as caught:
        open_world(source)
    assert caught.value.hint == f"pip install 'eve-replay[{extra}]'."

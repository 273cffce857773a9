"""A world of a third party in about sixty lines: runs in one SQLite file. The README explains it.

A package that brings such a world names it in its pyproject.toml::

    [project.entry-points."eve_replay.worlds"]
    sqlite-demo = "my_package.world:opener"
"""

import json
import sqlite3

from eve_replay.codec import Payload
from eve_replay.errors import NotFound, UnknownSource
from eve_replay.problems import Receipt
from eve_replay.records import EventRecord, RunRecord, StepRecord


class SqliteWorld:
    kind = "sqlite-demo"

    def __init__(self, path):
        self.label = path
        self.about = {"file": path}
        self.receipt = Receipt()
        self._db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)  # never write
        self._seen = set()

    def runs(self):
        return self._records("run", RunRecord, "select id, id, fields, null from records where kind = 'run'")

    def run(self, run_id):
        for record in self.runs():
            if record.run_id == run_id:
                return record
        raise NotFound(f"There is no run {run_id[:80]!a} in {self.label}.")

    def events(self, run_id):
        self.run(run_id)  # raises NotFound
        return self._of("event", EventRecord, run_id)

    def steps(self, run_id):
        self.run(run_id)
        return self._of("step", StepRecord, run_id)

    def others(self, run_id):
        self.run(run_id)
        return iter(())  # this store has no hooks, waits and streams

    def stream(self, run_id, name):
        raise NotFound(f"There is no stream {name[:80]!a} in {self.label}.")

    def close(self):
        self._db.close()

    def _of(self, kind, make, run_id):
        query = "select id, run, fields, input from records where kind = ? and run = ?"
        return self._records(kind, make, query, kind, run_id)

    def _records(self, kind, make, query, *values):
        for id_, run_id, fields, payload in self._db.execute(f"{query} order by id", values):
            if (kind, run_id, id_) not in self._seen:  # the receipt counts what was seen, once
                self._seen.add((kind, run_id, id_))
                self.receipt.seen += 1
                self.receipt.parsed += 1
            found = json.loads(fields)
            if payload is not None:  # bytes stay bytes: nothing is decoded before somebody asks
                found["input"] = Payload(payload, where=f"{kind}/{id_}/input", run_id=run_id)
            yield make(found, origin=f"{kind}/{id_}")


class Opener:
    kind = "sqlite-demo"
    reads = "a .demo.sqlite file"
    can = ()

    def recognises(self, source):
        return 1.0 if source.endswith(".demo.sqlite") else 0.0

    def open(self, source, **options):
        try:
            return SqliteWorld(source)
        except sqlite3.Error as error:
            raise UnknownSource(f"{source} is no demo store: {error}.") from None


opener = Opener()

"""What a layout says of a store: parts (runs, steps, events ...), where each lies, which column is which.

A layout is data: TOML in this package or of the user (``docs/layouts.md``). Nothing here reads a store.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["FORMS", "IDS", "MANY", "NEEDED", "PARTS", "READERS", "Join", "Layout", "Part", "Rule", "camel"]

#: How a store is addressed: rows of tables, documents of collections, keys of a key-value store.
READERS = ("tables", "documents", "keys")
#: Values of a key that are many records: those of one run.
MANY = ("list", "set", "zset", "stream")
PARTS = ("runs", "steps", "events", "hooks", "waits", "streams", "chunks")
#: Without these nothing can be told about a run.
NEEDED = ("runs", "steps", "events")
#: The field that names a record of each part.
IDS = {
    "runs": "runId",
    "steps": "stepId",
    "events": "eventId",
    "hooks": "hookId",
    "waits": "waitId",
    "streams": "name",
    "chunks": "chunkId",
}
#: Fields without which a record says nothing, or belongs to nothing; every other column may be missing.
ESSENTIAL = ("runId", "eventType", "stream", "data", "name")
#: Form of a stored value -> what it is, for the error that lists them and for the documentation.
FORMS = {
    "text": "text as it stands",
    "integer": "a whole number, or the text of one",
    "flag": "true and false, also as 0 and 1, t and f",
    "time": "an instant: ISO text, a timestamp without zone in UTC, or epoch milliseconds",
    "seconds": "an instant in epoch seconds",
    "ulid": "the instant inside a ULID, after its prefix",
    "json": 'JSON text or a JSON column; {"__type": "Uint8Array"} in it are bytes',
    "cbor": "a CBOR document",
    "cbor-text": "a CBOR document as base64 after the letters cbor:",
    "bytes": "the bytes as they are: a payload with its prefix, or the data of a chunk",
    "base64": "the bytes as base64",
    "mixed": "JSON where it begins like JSON, else the bytes; payloads inside the JSON as base64 or as JSON",
    "v8": "a value of V8's structured clone, as Durable Objects keep it",
    "slot": "the number of an event in its run",
    "serial": "a number that grows over the whole store",
    "document": "the value as it is",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Where one field comes from: a column (or property, or part of a key) and the form of its value.

    ``path`` leads into a column that holds JSON or an object: ``kind`` or ``data.kind``.
    """

    column: str
    form: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Join:
    """A second table whose columns belong to the same record: ``on`` names the column both have."""

    table: str
    on: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Where the records of one kind lie.

    Attributes:
        name: one of ``PARTS``.
        table: the table or collection, empty for keys.
        key: pattern of the keys, for example ``{prefix}:run:{runId}``.
        index: pattern of the key that lists the ids of a run (or of all runs); empty: keys are searched.
        value: what lies under a key: ``json`` (a string of it), ``hash``, or many records of one run:
            ``list``, ``set`` or ``zset`` of JSON, ``stream`` of entries.
        where: column to the value it must have, for tables that hold several kinds of records.
        fields: record field to the rules that are tried in turn.
        merge: columns that hold an object whose properties belong to the record itself.
        ignore: columns that are no fields.
        join: a second table.
        blocks: how several chunks lie in one row, empty for one chunk a row.
    """

    name: str
    table: str = ""
    key: str = ""
    index: str = ""
    value: str = "json"
    fields: Mapping[str, tuple[Rule, ...]] = field(default_factory=dict)
    merge: tuple[Rule, ...] = ()
    ignore: frozenset[str] = frozenset()
    join: Join | None = None
    blocks: str = ""
    where: Mapping[str, str] = field(default_factory=dict)

    @property
    def many(self) -> bool:
        """Whether one key holds many records."""
        return bool(self.key) and self.value in MANY

    def rule(self, name: str) -> Rule:
        """Return the first rule of a field; a field that is not described has the column of its name."""
        rules = self.fields.get(name)
        return rules[0] if rules else Rule(column=self.column(name))

    @property
    def id_field(self) -> str:
        """The field that names a record."""
        return IDS[self.name]

    def column(self, name: str) -> str:
        """Return the (first) column of a field; a field that is not described has the column of its name."""
        rules = self.fields.get(name)
        return rules[0].column if rules else (snake(name) if self.table else name)

    def columns(self) -> frozenset[str]:
        """Return the columns that must be there for this part to be read at all."""
        wheres = frozenset(self.where)
        named = {
            rules[0].column
            for field, rules in self.fields.items()
            if len(rules) == 1 and field in (*ESSENTIAL, self.id_field)
        }
        return frozenset((*named, *wheres, *(rule.column for rule in self.merge)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """One world's way of keeping its records.

    Attributes:
        name: short word, unique.
        title: what a person calls the store.
        reader: one of ``READERS``.
        package: the npm package that writes it, for the commands of the vendor's own export.
        recorded: the writers whose stores were read in full, empty when nobody has recorded one yet.
        payload: default form of payload fields.
        prefix: default of ``{prefix}`` in keys.
        parts: part name to part.
        telling: table (or collection) to columns that tell this layout from one of the same names.
        note: what a person should know before trusting it.
        origin: where the layout was read from.
    """

    name: str
    title: str
    reader: str
    package: str = ""
    recorded: tuple[str, ...] = ()
    payload: str = "document"
    prefix: str = ""
    parts: Mapping[str, Part] = field(default_factory=dict)
    telling: Mapping[str, frozenset[str]] = field(default_factory=dict)
    note: str = ""
    origin: str = ""

    @property
    def status(self) -> str:
        """``recorded`` when a real store was read in full, else ``untested``."""
        return "recorded" if self.recorded else "untested"

    def part(self, name: str) -> Part | None:
        """Return a part, None when the store has none of that kind."""
        return self.parts.get(name)


def camel(column: str) -> str:
    """Return the field name of a column: ``created_at`` is ``createdAt``."""
    head, *rest = column.split("_")
    return head + "".join(word[:1].upper() + word[1:] for word in rest)


def snake(name: str) -> str:
    """Return the usual column of a field: ``createdAt`` is ``created_at``."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda match: "_" + match[1].lower(), name)

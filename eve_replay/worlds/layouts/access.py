"""How the rows of a part are reached: by columns in tables and documents, by patterns of keys in Redis."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Protocol

from eve_replay.codec import loads_json
from eve_replay.problems import LISTS, Receipt
from eve_replay.worlds.layouts.forms import revive_bytes
from eve_replay.worlds.layouts.model import Layout, Part
from eve_replay.worlds.layouts.tables import Row, TableStore, as_id, dig
from eve_replay.worlds.redis.store import KeyStore, entry_order

__all__ = ["Access", "Found", "KeyAccess", "TableAccess"]

#: ``(where a person finds it, the stored row)``
Found = tuple[str, Row]
_PAGE = 200


class Access(Protocol):
    """What a layout world asks of a store."""

    label: str

    def missing(self, part: Part) -> str:
        """Return what is not there of a part (a table, a column), empty when all is."""
        ...

    def absent(self, part: Part) -> dict[str, list[str]]:
        """Return the described fields none of whose columns is there, with those columns."""
        ...

    def ids(self, part: Part) -> list[str]:
        """Return the ids of all records of a part."""
        ...

    def rows(self, part: Part, *, ids: Sequence[str] = (), run: str = "") -> Iterator[Found]:
        """Yield the rows of these ids, or those of a run, or (chunks) those of a stream named by ``ids``."""
        ...

    def streams(self, layout: Layout, run: str) -> list[str]:
        """Return the names of the streams of a run."""
        ...

    def close(self) -> None:
        """Release the store."""
        ...


class TableAccess:
    """Rows of tables (SQL or documents).

    Args:
        store: the tables.
    """

    def __init__(self, store: TableStore) -> None:
        self._store = store
        self.label = store.label
        self._joined: dict[str, dict[object, Row]] = {}
        self._kept: dict[str, list[Row]] = {}
        self._indexed: dict[tuple[str, str], dict[str, list[Row]]] = {}

    def missing(self, part: Part) -> str:
        """Return the table, or the columns, that are not there."""
        columns = self._store.tables.get(part.table)
        if columns is None:
            return f"no table {part.table}"
        lacking = sorted({rule for rule in part.columns() if rule not in columns})
        return f"no column {', '.join(lacking)} in {part.table}" if lacking and columns else ""

    def absent(self, part: Part) -> dict[str, list[str]]:
        """Return the described fields none of whose columns is there; an empty collection has none."""
        there = self._store.tables.get(part.table, ())
        named = {field: [rule.column for rule in rules] for field, rules in part.fields.items()}
        return {field: cols for field, cols in named.items() if there and not set(cols) & set(there)}

    def ids(self, part: Part) -> list[str]:
        """Return the ids of all records of a part."""
        rule = part.rule(part.id_field)
        if rule.path or part.where:
            found: Iterator[object] = (dig(row, rule) for row in self._all(part))
        else:
            found = iter(self._store.values(part.table, rule.column))
        return [as_id(value) for value in found if value is not None]

    def _all(self, part: Part) -> list[Row]:
        """Return the rows of a part that cannot be asked for by a column: all of them, once."""
        rows = self._kept.get(part.name)
        if rows is None:
            column, among = next(((name, [value]) for name, value in part.where.items()), ("", []))
            rows = self._kept[part.name] = [
                row
                for row in self._store.rows(part.table, column, among)
                if all(as_id(row.get(name)) == value for name, value in part.where.items())
            ]
        return rows

    def rows(self, part: Part, *, ids: Sequence[str] = (), run: str = "") -> Iterator[Found]:
        """Yield rows by id, by run, or by stream."""
        field, among = part.id_field, list(ids)
        if part.name == "chunks":
            field = "stream"
        elif run:
            field, among = "runId", [run]
        asked, named = part.rule(field), part.rule(part.id_field)
        if asked.path or part.where:
            index = self._by(part, field)
            found: Iterator[Row] = (row for id_ in among for row in index.get(id_, ()))
        else:
            found = self._store.rows(part.table, asked.column, among)
        for row in found:
            yield f"{part.table}/{as_id(dig(row, named))}", self._with_join(part, row)

    def _by(self, part: Part, field: str) -> dict[str, list[Row]]:
        index = self._indexed.get((part.name, field))
        if index is None:
            index = self._indexed[part.name, field] = {}
            rule = part.rule(field)
            for row in self._all(part):
                index.setdefault(as_id(dig(row, rule)), []).append(row)
        return index

    def _with_join(self, part: Part, row: Row) -> Row:
        if part.join is None or part.join.table not in self._store.tables:
            return row
        table = self._joined.get(part.join.table)
        if table is None:
            rows = self._store.rows(part.join.table)
            table = self._joined[part.join.table] = {each.get(part.join.on): each for each in rows}
        return {**table.get(row.get(part.join.on), {}), **row}

    def streams(self, layout: Layout, run: str) -> list[str]:
        """Return a run's streams: from their own table, from the chunks, or by the run's id in the name."""
        own = f"strm_{run.partition('_')[2]}_user"
        part, chunks = layout.part("streams"), layout.part("chunks")
        if part is not None and not self.missing(part):
            names = self._names(part, "name", run)
        elif chunks is not None and chunks.rule("runId").column in self._store.tables.get(chunks.table, ()):
            names = self._names(chunks, "stream", run)
        else:
            names = []
        found = {as_id(name) for name in names if name is not None}
        if chunks is not None and own not in found and not self.missing(chunks):
            found |= {own for _ in islice(self.rows(chunks, ids=[own]), 1)}
        return sorted(found)

    def _names(self, part: Part, field: str, run: str) -> list[object]:
        of_run, wanted = part.rule("runId"), part.rule(field)
        if of_run.path or wanted.path or part.where:
            return [dig(row, wanted) for row in self._by(part, "runId").get(run, ())]
        return self._store.values(part.table, wanted.column, (of_run.column, run))

    def close(self) -> None:
        """Close the store."""
        self._store.close()


class KeyAccess:
    """Records under keys.

    Args:
        store: the keys.
        layout: their patterns.
        prefix: what ``{prefix}`` stands for.
        receipt: told of keys that an index names and that are gone, and of what is no JSON.
    """

    def __init__(self, store: KeyStore, layout: Layout, prefix: str, receipt: Receipt) -> None:
        self._store = store
        self._prefix = prefix
        self._receipt = receipt
        self.label = store.label

    def missing(self, part: Part) -> str:
        """Return empty: a store of keys has no key of what it does not hold."""
        return ""

    def absent(self, part: Part) -> dict[str, list[str]]:
        """Return nothing: keys have no columns that could be missing altogether."""
        return {}

    def _fill(self, pattern: str, **names: str) -> str:
        return re.sub(r"\{(\w+)\}", lambda m: {"prefix": self._prefix, **names}.get(m[1], "*"), pattern)

    def ids(self, part: Part) -> list[str]:
        """Return the ids of all records of a part, from its index or by searching keys."""
        return self._listed(part, "")

    def _listed(self, part: Part, run: str) -> list[str]:
        if part.many:
            column = part.column(part.id_field)
            return [as_id(row.get(column, "")) for _, row in self._many(part, run)] if run else []
        if part.index:
            index = self._fill(part.index, runId=run)
            members: Iterable[bytes] = list(self._store.sorted_members(index)) or self._store.members(index)
            return sorted({member.decode("utf-8", "replace") for member in members})
        glob = self._fill(part.key, **({"runId": run} if run else {}))
        wanted = self._pattern(part, run)
        found = (wanted.match(key) for key in self._store.find(glob))
        return sorted({match[part.id_field] for match in found if match})

    def _pattern(self, part: Part, run: str) -> re.Pattern[str]:
        text = re.escape(part.key)
        text = text.replace(re.escape("{prefix}"), re.escape(self._prefix))
        if run:
            text = text.replace(re.escape("{runId}"), re.escape(run))
        # An id ends where the pattern's own signs begin: ``:`` or ``/`` as a rule.
        signs = "".join(sorted(set(re.sub(r"\{\w+\}|[\w.-]", "", part.key)))) or ":"
        one = f"[^{re.escape(signs)}]+"
        return re.compile(re.sub(r"\\\{(\w+)\\\}", lambda name: f"(?P<{name[1]}>{one})", text) + r"\Z")

    def rows(self, part: Part, *, ids: Sequence[str] = (), run: str = "") -> Iterator[Found]:
        """Yield the values of keys as rows."""
        if part.name == "chunks":
            for name in ids:
                yield from self._chunks(part, name, run)
            return
        if part.many:
            yield from self._many(part, run)
            return
        wanted = list(ids) or self._listed(part, run)
        for start in range(0, len(wanted), _PAGE):
            page = wanted[start : start + _PAGE]
            names = [{"runId": run} | {part.id_field: id_} for id_ in page]
            keys = [self._fill(part.key, **each) for each in names]
            for key, row, named in zip(keys, self._values(part, keys), names, strict=True):
                if row is None:
                    self._receipt.skip(where=key, what=part.name, why="the index names it and it is gone")
                    of = part.name if part.name in LISTS else "others"
                    self._receipt.gap(LISTS[LISTS.index(of)], f"the index names {key}: gone", run_id=run)
                else:
                    yield key, self._named(row, key, part, named)

    def _values(self, part: Part, keys: list[str]) -> Iterator[Row | None]:
        if part.value == "hash":
            for stored in self._store.hashes(keys):
                yield {name.decode("utf-8", "replace"): value for name, value in stored.items()} or None
            return
        for key, text in zip(keys, self._store.strings(keys), strict=True):
            if text is None:
                yield None
                continue
            yield self._opened(text, key)

    def _many(self, part: Part, run: str) -> Iterator[Found]:
        """Yield the records of one run that lie together under one key."""
        key = self._fill(part.key, runId=run)
        if part.value == "stream":
            for entry, fields in self._store.entries(key):
                row: dict[str, object] = {name.decode("utf-8", "replace"): v for name, v in fields.items()}
                yield f"{key}/{entry}", {"entry": entry_order(entry), "runId": run, **row}
            return
        if part.value == "zset":
            items: Iterable[bytes] = self._store.sorted_members(key)
        elif part.value == "set":
            items = self._store.members(key)
        else:
            items = self._store.items(key)
        for number, item in enumerate(items, 1):
            where = f"{key}/{number}"
            yield (
                where,
                {"entry": f"{number:012d}", "place": number, "runId": run, **self._opened(item, where)},
            )

    def _opened(self, text: bytes, where: str) -> Row:
        try:
            value = revive_bytes(loads_json(text))
        except ValueError as error:
            said = f"What lies here is no JSON: {error}."
            self._receipt.problem("error", "bad-json", where, said)
            value = {}
        return value if isinstance(value, dict) else {}

    def _named(self, row: Row, key: str, part: Part, names: dict[str, str]) -> Row:
        """Return the row with the ids of its key, whatever it says itself."""
        made = dict(row)
        for name, wanted in names.items():
            column = part.column(name)
            if wanted and as_id(made.get(column)) != wanted:
                if column in made:
                    said = f"The key says {name} {wanted}, the record does not."
                    self._receipt.problem("warning", "name-mismatch", key, said)
                made[column] = wanted
        return made

    def _chunks(self, part: Part, name: str, run: str) -> Iterator[Found]:
        key = self._fill(part.key, name=name, stream=name, **({"runId": run} if run else {}))
        if part.value in ("list", "zset"):
            items = self._store.items(key) if part.value == "list" else self._store.sorted_members(key)
            for number, item in enumerate(items):
                # An element is the chunk itself, or an object that holds it.
                inner = self._opened(item, f"{key}/{number}") if item[:1] == b"{" else {"data": item}
                yield f"{key}/{number}", {"entry": f"{number:012d}", "stream": name, **inner}
            return
        for entry, fields in self._store.entries(key):
            row: dict[str, object] = {field.decode("utf-8", "replace"): v for field, v in fields.items()}
            yield f"{key}/{entry}", {"entry": entry_order(entry), "stream": name, **row}

    def streams(self, layout: Layout, run: str) -> list[str]:
        """Return the streams of a run."""
        part, chunks = layout.part("streams"), layout.part("chunks")
        if part is not None:
            return self._listed(part, run)
        if chunks is None:
            return []
        # Without a list of streams their keys are looked for: those that name the run.
        key = chunks.key.replace("{stream}", "{name}")
        if "{runId}" in key:
            named = replace(chunks, name="streams", key=key, index="", value="json")
            return self._listed(named, run)
        own = f"strm_{run.partition('_')[2]}_user"
        return [own] if next(self._chunks(chunks, own, run), None) is not None else []

    def close(self) -> None:
        """Close the store."""
        self._store.close()

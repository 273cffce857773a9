"""How the rows of a part are reached: by columns in tables and documents, by patterns of keys in Redis."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from eve_replay.codec import loads_json
from eve_replay.problems import LISTS, Receipt
from eve_replay.worlds.layouts.forms import revive_bytes
from eve_replay.worlds.layouts.model import Layout, Part
from eve_replay.worlds.layouts.tables import Row, TableStore
from eve_replay.worlds.redis.store import KeyStore

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

    def missing(self, part: Part) -> str:
        """Return the table, or the columns, that are not there."""
        columns = self._store.tables.get(part.table)
        if columns is None:
            return f"no table {part.table}"
        lacking = sorted({rule for rule in part.columns() if rule not in columns})
        return f"no column {', '.join(lacking)} in {part.table}" if lacking and columns else ""

    def ids(self, part: Part) -> list[str]:
        """Return the ids of all records of a part."""
        column = part.column(part.id_field)
        return [str(value) for value in self._store.values(part.table, column) if value is not None]

    def rows(self, part: Part, *, ids: Sequence[str] = (), run: str = "") -> Iterator[Found]:
        """Yield rows by id, by run, or by stream."""
        if part.name == "chunks":
            column, among = part.column("stream"), list(ids)
        elif run:
            column, among = part.column("runId"), [run]
        else:
            column, among = part.column(part.id_field), list(ids)
        id_column = part.column(part.id_field)
        for row in self._store.rows(part.table, column, among):
            yield f"{part.table}/{row.get(id_column)}", self._with_join(part, row)

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
            where = (part.column("runId"), run)
            names = self._store.values(part.table, part.column("name"), where)
        elif chunks is not None and chunks.column("runId") in self._store.tables.get(chunks.table, ()):
            where = (chunks.column("runId"), run)
            names = self._store.values(chunks.table, chunks.column("stream"), where)
        else:
            names = []
        found = {str(name) for name in names if name is not None}
        if chunks is not None and own not in found:
            stream = chunks.column("stream")
            if next(iter(self._store.rows(chunks.table, stream, [own])), None) is not None:
                found.add(own)
        return sorted(found)

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

    def _fill(self, pattern: str, **names: str) -> str:
        return re.sub(r"\{(\w+)\}", lambda m: {"prefix": self._prefix, **names}.get(m[1], "*"), pattern)

    def ids(self, part: Part) -> list[str]:
        """Return the ids of all records of a part, from its index or by searching keys."""
        return self._listed(part, "")

    def _listed(self, part: Part, run: str) -> list[str]:
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
                yield from self._chunks(part, name)
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
            try:
                value = revive_bytes(loads_json(text))
            except ValueError as error:
                self._receipt.problem(
                    "error", "bad-json", key, f"What lies under this key is no JSON: {error}."
                )
                value = {}
            yield value if isinstance(value, dict) else {}

    def _named(self, row: Row, key: str, part: Part, names: dict[str, str]) -> Row:
        """Return the row with the ids of its key, whatever it says itself."""
        made = dict(row)
        for name, wanted in names.items():
            column = part.column(name)
            if wanted and made.get(column) != wanted:
                if column in made:
                    said = f"The key says {name} {wanted}, the record does not."
                    self._receipt.problem("warning", "name-mismatch", key, said)
                made[column] = wanted
        return made

    def _chunks(self, part: Part, name: str) -> Iterator[Found]:
        key = self._fill(part.key, name=name, stream=name)
        for entry, fields in self._store.entries(key):
            row: dict[str, object] = {field.decode("utf-8", "replace"): v for field, v in fields.items()}
            yield f"{key}/{entry}", {"entry": entry, "stream": name, **row}

    def streams(self, layout: Layout, run: str) -> list[str]:
        """Return the streams of a run."""
        part = layout.part("streams")
        return [] if part is None else self._listed(part, run)

    def close(self) -> None:
        """Close the store."""
        self._store.close()

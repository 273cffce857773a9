"""libSQL and Turso servers over HTTP, ``libsql://HOST``: read by the layouts of files of the same world.

Spoken is the pipeline of Hrana (version 2 and 3), which sqld and Turso serve and @libsql/client uses for
``http``: one POST of statements, values with their types. Only SELECT and PRAGMA are ever sent, so a token
that may read is enough. Rows come as they are at the moment of each question: there is no snapshot.
"""

from __future__ import annotations

import base64
import binascii
import json
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from eve_replay.codec import loads_json
from eve_replay.errors import SourceUnreadable, WrongUse
from eve_replay.worlds.base import World
from eve_replay.worlds.export.entities import number_option, text_option
from eve_replay.worlds.layouts.tables import SqlTables
from eve_replay.worlds.services.serve import layout_world, query_of
from eve_replay.worlds.sources import public_source

__all__ = ["HranaLink", "opener"]

_SCHEMES = ("libsql://", "libsql+http://", "libsql+https://", "turso://")
_TIMEOUT = 30.0
_LARGEST = 1 << 30
_TABLES = (
    "select name from sqlite_master where type in ('table', 'view') "
    "and name not like 'sqlite_%' order by name"
)


class HranaLink:
    """Questions to one server.

    Args:
        base: ``https://host:port``.
        token: bearer token, empty for none.
        timeout: seconds one answer may take.
        label: what a person calls the server.
    """

    def __init__(self, base: str, token: str, timeout: float, label: str) -> None:
        self._url = base.rstrip("/") + "/v2/pipeline"
        self._token = token
        self._timeout = timeout
        self._label = label

    def ask(self, query: str, values: Sequence[object] = ()) -> Iterator[Sequence[object]]:
        """Yield the rows of a query.

        Raises:
            SourceUnreadable: no server, no access, or the server refuses the query.
        """
        statement = {"sql": query, "args": [_argument(value) for value in values]}
        body = {"requests": [{"type": "execute", "stmt": statement}, {"type": "close"}]}
        answer = self._post(json.dumps(body).encode())
        results = answer.get("results") if isinstance(answer, Mapping) else None
        first = results[0] if isinstance(results, list) and results else {}
        if not isinstance(first, Mapping) or first.get("type") != "ok":
            error = first.get("error") if isinstance(first, Mapping) else None
            words = error.get("message") if isinstance(error, Mapping) else "an answer of another form"
            raise SourceUnreadable(f"The libSQL server of {self._label} refuses a query: {words}.")
        rows = first.get("response", {}).get("result", {}).get("rows", [])
        for row in rows:
            yield [_value(each) for each in row]

    def _post(self, body: bytes) -> Any:
        headers = {"Content-Type": "application/json"}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        request = urllib.request.Request(self._url, data=body, headers=headers, method="POST")
        try:
            with urllib.request.urlopen(request, timeout=self._timeout) as answer:
                return loads_json(answer.read(_LARGEST))
        except urllib.error.HTTPError as error:
            if error.code in (401, 403):
                raise SourceUnreadable(
                    f"The libSQL server of {self._label} refuses access ({error.code}).",
                    hint="Give a token that may read: libsql://HOST?authToken=TOKEN.",
                ) from None
            raise SourceUnreadable(
                f"What answers at {self._label} is no libSQL server over HTTP (status {error.code}).",
                hint="Check host and port.",
            ) from None
        except ValueError as error:
            raise SourceUnreadable(f"{self._label} does not answer in JSON: {error}.") from None
        except OSError as error:
            reason = getattr(error, "reason", error)
            raise SourceUnreadable(
                f"No libSQL server answers at {self._label}: {reason}.",
                hint="Check host and port. A server without TLS is written libsql://HOST:PORT?tls=0.",
            ) from None


def _argument(value: object) -> dict[str, object]:
    if isinstance(value, bool) or value is None:
        return {"type": "null"} if value is None else {"type": "integer", "value": str(int(value))}
    if isinstance(value, int):
        return {"type": "integer", "value": str(value)}
    if isinstance(value, float):
        return {"type": "float", "value": value}
    if isinstance(value, bytes):
        return {"type": "blob", "base64": base64.b64encode(value).decode().rstrip("=")}
    return {"type": "text", "value": str(value)}


def _value(cell: Any) -> object:
    kind = cell.get("type") if isinstance(cell, Mapping) else None
    if kind == "integer":
        return int(cell["value"])
    if kind == "blob":
        text = str(cell.get("base64", ""))
        try:
            return base64.b64decode(text + "=" * (-len(text) % 4))
        except binascii.Error:
            return None
    return cell.get("value") if kind in ("text", "float") else None


def _tables(link: HranaLink) -> dict[str, tuple[str, ...]]:
    tables: dict[str, tuple[str, ...]] = {}
    for (name,) in link.ask(_TABLES):
        columns = link.ask("select name from pragma_table_info(?)", (str(name),))
        tables[str(name)] = tuple(str(row[0]) for row in columns)
    return tables


@dataclass(frozen=True, slots=True)
class _LibsqlOpener:
    kind: str = "libsql"

    def recognises(self, source: str) -> float:
        """Return 1.0 for an address of a libSQL server."""
        return 1.0 if source.lower().startswith(_SCHEMES) else 0.0

    def open(self, source: str, **options: object) -> World:
        """Ask for the tables. Options: keys, limit, layout, token, timeout."""
        parts, query = urlsplit(source), query_of(source)
        if not parts.netloc:
            raise WrongUse("This libSQL address names no host.", hint="Write libsql://HOST?authToken=TOKEN.")
        plain = parts.scheme == "libsql+http" or query.get("tls") == "0"
        token = text_option(options, "token") or query.get("authToken", "")
        place = parts.netloc.rpartition("@")[2]
        label = public_source(f"{parts.scheme}://{place}")
        link = HranaLink(
            f"{'http' if plain else 'https'}://{place}{parts.path}",
            token,
            number_option(options, "timeout") or _TIMEOUT,
            label,
        )
        store = SqlTables(label, _tables(link), link.ask)
        return layout_world(store, kind=self.kind, what="a libSQL database", options=options, reader="tables")


opener = _LibsqlOpener()

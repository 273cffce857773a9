"""Firestore: collections as tables, those below a document as ``parent/child``, through Google's own client.

``firestore://PROJECT/DATABASE``; a local emulator is found by FIRESTORE_EMULATOR_HOST, as every client does,
or named by ``?emulator=HOST:PORT``. Only documents are read and listed.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any
from urllib.parse import urlsplit

from eve_replay.errors import SourceUnreadable, WrongUse
from eve_replay.worlds.base import World
from eve_replay.worlds.export.entities import number_option
from eve_replay.worlds.layouts.tables import Row
from eve_replay.worlds.services.serve import client_of, layout_world, query_of, said
from eve_replay.worlds.sources import public_source

__all__ = ["FirestoreTables", "opener"]

_SCHEME = "firestore://"
_EMULATOR = "FIRESTORE_EMULATOR_HOST"
#: Collections that are tried where they may not be listed.
_KNOWN = (
    "workflow_runs/steps",
    "workflow_runs/events",
    "workflow_runs/hooks",
    "workflow_runs/waits",
    "workflow_streams/chunks",
)
#: Documents of a collection that are looked at for its properties and for collections below them.
_SAMPLE = 20
_TIMEOUT = 20.0


class FirestoreTables:
    """Collections as tables of documents.

    Args:
        client: a Firestore client.
        label: what a person calls the database.
        failures: what the client raises.
        timeout: seconds one answer may take.
    """

    def __init__(
        self, client: Any, label: str, failures: tuple[type[Exception], ...] = (), timeout: float = _TIMEOUT
    ) -> None:
        self.label = label
        # The client would try for five minutes by itself.
        self._patience: dict[str, Any] = {"retry": None, "timeout": timeout}
        self._client = client
        self._failures = failures
        self.tables: Mapping[str, tuple[str, ...]] = dict(self._look())

    def _look(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        below: dict[str, list[str]] = {}
        for name in _KNOWN:
            parent, _, child = name.partition("/")
            below.setdefault(parent, []).extend([child] if child else [])
        tops = list(below)
        # An account that may read need not be allowed to list: the known names are tried then.
        with suppress(*self._failures):
            tops = [collection.id for collection in self._client.collections(**self._patience)]
        for top in tops:
            columns: dict[str, None] = {}
            inner: dict[str, dict[str, None]] = {}
            for document in self._asked(self._client.collection(top).limit(_SAMPLE)):
                columns.update(dict.fromkeys(document.to_dict() or {}))
                for child in self._children(document.reference, below.get(top, [])):
                    found = inner.setdefault(f"{top}/{child}", {})
                    for each in self._asked(document.reference.collection(child).limit(_SAMPLE)):
                        found.update(dict.fromkeys(each.to_dict() or {}))
            if columns:
                yield top, tuple(columns)
                yield from ((name, tuple(found)) for name, found in inner.items())

    def _children(self, document: Any, known: list[str]) -> list[str]:
        try:
            return [collection.id for collection in document.collections(**self._patience)]
        except self._failures:
            return known

    def _asked(self, query: Any) -> list[Any]:
        try:
            return list(query.stream(**self._patience))
        except self._failures as error:
            raise self._explain(error) from None

    def _explain(self, error: BaseException) -> SourceUnreadable:
        return SourceUnreadable(
            f"Firestore cannot be read ({self.label}): {said(error)}.",
            hint="Check project and database, and that the account may read (roles/datastore.viewer).",
        )

    def rows(self, table: str, column: str = "", among: Sequence[object] = ()) -> Iterator[Row]:
        """Yield documents; those below a document are found by the name of that document."""
        parent, _, child = table.partition("/")
        top = self._client.collection(parent)
        if not child:
            if not column:
                yield from self._rows(top)
            elif column in self.tables.get(table, ()):
                yield from self._named(top, column, [str(value) for value in among])
            return
        if not column:
            for document in self._asked(top):
                yield from self._rows(document.reference.collection(child))
            return
        for value in among:
            for row in self._rows(top.document(str(value)).collection(child)):
                if row.get(column, value) == value:
                    yield row

    def _named(self, top: Any, column: str, among: list[str]) -> Iterator[Row]:
        """Yield the documents whose property has one of these values, by their names first: one question."""
        left = set(among)
        try:
            asked = list(self._client.get_all([top.document(name) for name in among], **self._patience))
        except self._failures as error:
            raise self._explain(error) from None
        for document in asked:
            row = document.to_dict() or {}
            if row.get(column) in left:
                left.discard(str(row.get(column)))
                yield row
        for value in sorted(left):
            yield from self._rows(_equals(top, column, value))

    def _rows(self, query: Any) -> Iterator[Row]:
        for document in self._asked(query):
            yield document.to_dict() or {}

    def values(self, table: str, column: str, where: tuple[str, object] | None = None) -> list[object]:
        """Return the different values of a property."""
        found = self.rows(table, where[0], [where[1]]) if where else self.rows(table)
        return list(dict.fromkeys(row.get(column) for row in found))

    def sample(self, table: str) -> list[Row]:
        """Return some documents of a collection."""
        return list(islice(self.rows(table), _SAMPLE))

    def close(self) -> None:
        """End the connection."""
        close = getattr(self._client, "close", None)
        if callable(close):
            close()


def _equals(query: Any, column: str, value: str) -> Any:
    """Return a query for documents with this value; old clients know the positional form only."""
    try:
        module = importlib.import_module("google.cloud.firestore_v1.base_query")
        return query.where(filter=module.FieldFilter(column, "==", value))
    except (ImportError, AttributeError, TypeError):
        return query.where(column, "==", value)


@dataclass(frozen=True, slots=True)
class _FirestoreOpener:
    kind: str = "firestore"

    def recognises(self, source: str) -> float:
        """Return 1.0 for an address of Firestore."""
        return 1.0 if source.lower().startswith(_SCHEME) else 0.0

    def open(self, source: str, **options: object) -> World:
        """Look at the collections. Options: keys, limit, layout, timeout."""
        parts, query = urlsplit(source), query_of(source)
        if not parts.netloc:
            raise WrongUse("This address names no project.", hint="Write firestore://PROJECT/(default).")
        module = client_of(
            "google.cloud.firestore", what="Firestore", extra="firestore", package="google-cloud-firestore"
        )
        api = client_of(
            "google.api_core.exceptions",
            what="Firestore",
            extra="firestore",
            package="google-cloud-firestore",
        )
        auth = client_of(
            "google.auth.exceptions", what="Firestore", extra="firestore", package="google-cloud-firestore"
        )
        failures: tuple[type[Exception], ...] = (api.GoogleAPIError, auth.GoogleAuthError)
        before = os.environ.get(_EMULATOR)
        try:
            if query.get("emulator"):
                os.environ[_EMULATOR] = query["emulator"]
            client = module.Client(project=parts.netloc, database=parts.path.strip("/") or "(default)")
        except failures + (OSError, ValueError) as error:  # noqa: RUF005
            raise SourceUnreadable(
                f"Firestore cannot be reached ({public_source(source)}): {said(error)}.",
                hint="Log in with: gcloud auth application-default login. An emulator is named by "
                "?emulator=HOST:PORT.",
            ) from None
        finally:
            if before is None:
                os.environ.pop(_EMULATOR, None)
            else:
                os.environ[_EMULATOR] = before
        timeout = number_option(options, "timeout") or _TIMEOUT
        store = FirestoreTables(client, public_source(source), failures, timeout)
        return layout_world(store, kind=self.kind, what="a Firestore database", options=options)


opener = _FirestoreOpener()

"""The Postgres world: ``@workflow/world-postgres`` of every release line, read from a live server.

Sources: docs/formats/postgres.md. Reading needs SELECT on the six tables and nothing else. This module only
recognises the address; what reads lies in ``postgres_world``, because psycopg takes 300 ms to import.
"""

from __future__ import annotations

from dataclasses import dataclass

from eve_replay.errors import SourceUnreadable
from eve_replay.worlds.base import World
from eve_replay.worlds.export.entities import Wrap, number_option, text_option
from eve_replay.worlds.layouts.unknown import UnknownLayout
from eve_replay.worlds.postgres.schema import OtherTables

__all__ = ["opener"]


@dataclass(frozen=True, slots=True)
class _PostgresOpener:
    kind: str = "postgres"

    def recognises(self, source: str) -> float:
        """Return 1 for a Postgres address."""
        head = source[:40].lower()
        return 1.0 if head.startswith(("postgres://", "postgresql://", "postgresql+")) else 0.0

    def open(self, source: str, **options: object) -> World:
        """Connect and look at the tables. Options: keys, limit, schema, timeout, layout."""
        try:
            from eve_replay.worlds.postgres.foreign import layout_world
            from eve_replay.worlds.postgres.world import PostgresWorld
        except ImportError as error:
            raise SourceUnreadable(
                f"Reading a Postgres server needs psycopg and cbor2 ({error}).",
                hint="pip install 'eve-replay[postgres]'.",
            ) from error
        given, schema = text_option(options, "layout"), text_option(options, "schema")
        timeout, wrap = number_option(options, "timeout"), Wrap.of(options)
        if not given:
            try:
                return PostgresWorld(source, schema=schema, timeout=timeout, wrap=wrap)
            except OtherTables as error:
                missing = error
        try:
            return layout_world(source, given=given, schema=schema, timeout=timeout, wrap=wrap)
        except SourceUnreadable as error:
            if given or missing.columns:
                raise
            # No known world in any schema: what was looked for first says more.
            if isinstance(error, UnknownLayout):
                if not error.tables:
                    raise SourceUnreadable(missing.message, hint=missing.hint) from error
                raise UnknownLayout(
                    f"{missing.message} {error.message}",
                    hint=f"{missing.hint} {error.hint}",
                    tables=error.tables,
                    samples=error.samples,
                ) from error
            raise SourceUnreadable(missing.message, hint=missing.hint) from error


opener = _PostgresOpener()

"""A folder of Durable Objects as one world; the layout is that of the merged tables."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from eve_replay.errors import SourceUnreadable
from eve_replay.problems import Receipt
from eve_replay.worlds.base import World
from eve_replay.worlds.cloudflare.objects import STORAGE, object_files, read_objects
from eve_replay.worlds.export.entities import Wrap
from eve_replay.worlds.layouts.access import TableAccess
from eve_replay.worlds.layouts.library import given_layout
from eve_replay.worlds.layouts.tables import MemoryTables
from eve_replay.worlds.layouts.world import LayoutWorld
from eve_replay.worlds.sqlite.file import open_sqlite
from eve_replay.worlds.wayout import way_out

__all__ = ["opener"]

_LOOKED_AT = 8


@dataclass(frozen=True, slots=True)
class _CloudflareOpener:
    kind: str = "cloudflare"

    def recognises(self, source: str) -> float:
        """Return how sure a folder holds Durable Objects of a world: by the tables of its first files."""
        path = Path(source).expanduser()
        try:
            if not path.is_dir():
                return 0.0
            found = list(islice(object_files(path), _LOOKED_AT))
        except (OSError, ValueError):
            return 0.0
        return 0.6 if any(_is_object(file) for file in found) else 0.0

    def open(self, source: str, **options: object) -> World:
        """Read every object of a folder. Options: keys, limit."""
        path, receipt = Path(source).expanduser(), Receipt()
        try:
            rows, stored = read_objects(path, receipt)
        except OSError as error:
            raise SourceUnreadable(f"{path} cannot be read: {error.strerror or error}.") from error
        if not rows["run"]:
            raise SourceUnreadable(
                f"{path} holds SQLite files of Durable Objects, and no run of a known world in them.",
                hint=way_out(),
            )
        layout = given_layout("cloudflare")
        # An object that never had a wait has no row to tell the columns by: none are missing.
        tables = {name: ("runId",) if some else () for name, some in rows.items()}
        store = MemoryTables(str(path), rows, tables)
        # Objects with tables were recorded in the real simulator, values in their storage were not.
        about = {"layoutStatus": "untested"} if stored else None
        return LayoutWorld(
            TableAccess(store),
            layout,
            kind=self.kind,
            wrap=Wrap.of(options),
            receipt=receipt,
            about=about,
        )


def _is_object(path: Path) -> bool:
    try:
        store = open_sqlite(path, Receipt())
    except SourceUnreadable:
        return False
    try:
        return STORAGE in store.tables or {"run", "events"} <= store.tables.keys()
    finally:
        store.close()


opener = _CloudflareOpener()

"""SQLite files as worlds: the layout is found by tables and columns, never by the name of the file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from eve_replay.errors import SourceUnreadable
from eve_replay.problems import Receipt
from eve_replay.worlds.base import World
from eve_replay.worlds.export.entities import Wrap, text_option
from eve_replay.worlds.layouts.access import TableAccess
from eve_replay.worlds.layouts.choose import choose
from eve_replay.worlds.layouts.library import fits_tables
from eve_replay.worlds.layouts.world import LayoutWorld
from eve_replay.worlds.sqlite.file import glance, is_sqlite, open_sqlite

__all__ = ["opener"]

_SUFFIXES = (".db", ".sqlite", ".sqlite3", ".db3")
_SCHEMES = ("file:",)


@dataclass(frozen=True, slots=True)
class _SqliteOpener:
    kind: str = "sqlite"

    def recognises(self, source: str) -> float:
        """Return how sure this is an SQLite file (by its first bytes), or a folder that holds one."""
        path = _path(source)
        try:
            if path.is_dir():
                return 0.55 if next(_files(path), None) is not None else 0.0
            if not is_sqlite(path):
                return 0.0
            tables = glance(path)
            # Tables nobody here knows may be known to a world of another package: it is asked first.
            return 0.95 if not tables or fits_tables(tables) else 0.45
        except (OSError, ValueError):
            return 0.0

    def open(self, source: str, **options: object) -> World:
        """Open a file, or the only database of a folder. Options: keys, limit, layout."""
        path, receipt = _path(source), Receipt()
        if path.is_dir():
            files = list(_files(path))
            if not files:
                raise SourceUnreadable(f"{path} holds no SQLite file.")
            if len(files) > 1:
                names = ", ".join(file.name for file in files[:5])
                raise SourceUnreadable(
                    f"{path} holds {len(files)} SQLite files: {names}.", hint=f"Name one: {files[0]}"
                )
            path = files[0]
        store = open_sqlite(path, receipt)
        try:
            layout = choose(
                store.tables,
                given=text_option(options, "layout"),
                what="an SQLite database",
                label=str(path),
                sample=store.sample,
            )
            return LayoutWorld(
                TableAccess(store), layout, kind=self.kind, wrap=Wrap.of(options), receipt=receipt
            )
        except BaseException:
            store.close()
            raise


def _path(source: str) -> Path:
    for scheme in _SCHEMES:
        source = source.removeprefix(scheme)
    return Path(source).expanduser()


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.suffix.lower() in _SUFFIXES and is_sqlite(path):
            yield path


opener = _SqliteOpener()

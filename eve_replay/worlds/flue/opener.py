"""Recognising a Flue database: by its tables, or by what its write-ahead log holds of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from eve_replay.errors import SourceUnreadable
from eve_replay.limits import Limits, as_limits
from eve_replay.problems import Receipt
from eve_replay.worlds.base import World
from eve_replay.worlds.flue.http_view import is_view, view_tables
from eve_replay.worlds.flue.tables import FlueTables
from eve_replay.worlds.flue.world import FlueWorld
from eve_replay.worlds.layouts.signs import is_flue
from eve_replay.worlds.layouts.tables import TableStore
from eve_replay.worlds.pgdump.packed import open_dump_file
from eve_replay.worlds.sqlite.file import glance, is_sqlite, open_sqlite

__all__ = ["flue_world", "opener"]

_SUFFIXES = (".db", ".sqlite", ".sqlite3")
_SCHEMES = ("flue:", "file:")
#: Where Flue's own commands keep a database when the project names none.
_OWN_FOLDERS = ("", "data", ".flue", "node_modules/.cache/flue")
_SIGN = b"flue_conversation_stream"
_PEEK = 8 << 20
#: Files that may hold what the HTTP endpoint said.
_VIEWS = frozenset({".json", ".jsonl", ".ndjson", ".sse", ".txt"})
_PEEK_VIEW = 4096


@dataclass(frozen=True, slots=True)
class _FlueOpener:
    kind: str = "flue"

    def recognises(self, source: str) -> float:
        """Return how sure this is a Flue database, or a folder that holds one. Only the heads are read."""
        path = _path(source)
        try:
            if source.startswith("flue:"):
                return 1.0
            if path.is_dir():
                return 0.6 if next(_files(path), None) is not None else 0.0
            return 0.97 if _holds(path) or _views(path) else 0.0
        except (OSError, ValueError):
            return 0.0

    def open(self, source: str, **options: object) -> World:
        """Open a database file or the only one of a folder. It is copied first when it has a log.

        Raises:
            SourceUnreadable: it cannot be read, or is no Flue database.
        """
        path, receipt = _path(source), Receipt()
        if path.is_dir():
            files = list(_files(path))
            if not files:
                raise SourceUnreadable(f"{path} holds no Flue database.")
            if len(files) > 1:
                names = ", ".join(str(file.relative_to(path)) for file in files[:5])
                raise SourceUnreadable(
                    f"{path} holds {len(files)} Flue databases: {names}.", hint=f"Name one: {files[0]}"
                )
            path = files[0]
        if _views(path):
            return _view_world(path, receipt, as_limits(options.get("limit")))
        store = open_sqlite(path, receipt)
        if not is_flue(store.tables):
            store.close()
            raise SourceUnreadable(
                f"{path} holds none of Flue's tables.",
                hint="After a kill they are in the file ending in -wal: keep both together.",
            )
        return flue_world(store, receipt)


def flue_world(store: TableStore, receipt: Receipt, kind: str = "flue", **about: object) -> FlueWorld:
    """Return the world of a store with Flue's tables, whatever database it is.

    Args:
        store: its tables.
        receipt: what was seen so far.
        kind: the kind of database.
        **about: what else is to be told of it; ``layoutStatus="untested"`` where nothing of it was recorded.
    """
    if kind != "flue":
        about = {"layout": "flue", "writer": "Flue", **about}
    return FlueWorld(FlueTables(store, receipt), receipt=receipt, kind=kind, about=about)


def _view_world(path: Path, receipt: Receipt, limits: Limits) -> FlueWorld:
    """Return what the HTTP endpoint said of conversations, which is not all that their store has."""
    try:
        file, fault = open_dump_file(path, lambda _name: True, limits)
        with file:
            text = file.read().decode("utf-8", "replace")
    except (OSError, EOFError) as error:
        raise SourceUnreadable(f"{path} cannot be read: {error}.") from error
    store, faults = view_tables(text, str(path))
    if fault:
        faults.insert(0, (0, fault))
    for line, why in faults:
        receipt.skip(where=f"{path}:{line}", what="update", why=why)
        receipt.problem("error", "torn-view", f"{path}:{line}", f"Line {line} was left out: {why}.")
    said = "the HTTP view leaves out attempts, leases, step memos, state, and what delegates did"
    receipt.gap("events", said)
    receipt.problem(
        "info",
        "flue-view",
        str(path),
        f"Not the store itself: {said}.",
        "Open the store (flue.db with its -wal) for what a crash would do.",
    )
    return flue_world(store, receipt, view="http")


def _views(path: Path) -> bool:
    if path.suffix.lower() not in _VIEWS or not path.is_file():
        return False
    with path.open("rb") as file:
        return is_view(file.read(_PEEK_VIEW))


def _holds(path: Path) -> bool:
    if not is_sqlite(path):
        return False
    if is_flue(glance(path)):
        return True
    # After a kill the main file may hold no table while the log holds all of them.
    log = Path(f"{path}-wal")
    if not log.is_file():
        return False
    with log.open("rb") as file:
        return _SIGN in file.read(_PEEK)


def _files(folder: Path) -> Iterator[Path]:
    for name in _OWN_FOLDERS:
        place = folder / name if name else folder
        if not place.is_dir():
            continue
        for path in sorted(place.iterdir()):
            if path.suffix.lower() in _SUFFIXES and path.is_file() and _holds(path):
                yield path


def _path(source: str) -> Path:
    for scheme in _SCHEMES:
        source = source.removeprefix(scheme)
    return Path(source).expanduser()


opener = _FlueOpener()

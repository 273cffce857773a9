"""An SQLite file opened so that nothing of it changes, with what still lies in its write-ahead log.

At a crash most rows are in ``-wal`` only: a reader of the main file alone shows an old world. SQLite itself
needs a ``-shm`` file beside the log and would move the log into the database when it closes, so a file with
a log or a journal is copied first (both as they were at one moment) and the copy is read. A file without
them is read in place as immutable: no lock, no new file.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from eve_replay.errors import SourceUnreadable
from eve_replay.problems import Receipt
from eve_replay.worlds.layouts.tables import SqlTables

__all__ = ["MAGIC", "glance", "is_sqlite", "open_sqlite"]

MAGIC = b"SQLite format 3\0"
_BESIDE = ("-wal", "-journal")
_TRIES = 5


def is_sqlite(path: Path) -> bool:
    """Return whether the file begins as an SQLite database does."""
    try:
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def glance(path: Path) -> dict[str, tuple[str, ...]]:
    """Return the tables of the main file alone, without its log; empty when they cannot be told."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as link:
            link.text_factory = lambda raw: raw.decode("utf-8", "replace")
            return _tables(link)
    except (sqlite3.Error, OSError):
        return {}


def open_sqlite(path: Path, receipt: Receipt) -> SqlTables:
    """Return the tables of an SQLite file.

    Raises:
        SourceUnreadable: it cannot be read, is no database, or is damaged.
    """
    folder: tempfile.TemporaryDirectory[str] | None = None
    place = path
    try:
        if any(_size(Path(f"{path}{end}")) for end in _BESIDE):
            folder = tempfile.TemporaryDirectory(prefix="eve-replay-")
            place = _copied(path, Path(folder.name), receipt)
        options = "" if folder else "?mode=ro&immutable=1"
        link = sqlite3.connect(f"{place.absolute().as_uri()}{options}", uri=True, check_same_thread=False)
        link.text_factory = lambda raw: raw.decode("utf-8", "replace")
        tables = _tables(link)
    except (sqlite3.Error, OSError) as error:
        if folder is not None:
            folder.cleanup()
        raise SourceUnreadable(f"{path} cannot be read as SQLite: {error}.", hint=_hint(error)) from error

    def ask(query: str, values: Sequence[object]) -> Iterator[Sequence[object]]:
        try:
            yield from link.execute(
                query, [str(v) if not isinstance(v, (int, float, bytes)) else v for v in values]
            )
        except sqlite3.Error as error:
            raise SourceUnreadable(f"{path} cannot be read to its end: {error}.", hint=_hint(error)) from None

    def close() -> None:
        link.close()
        if folder is not None:
            folder.cleanup()

    return SqlTables(str(path), tables, ask, close=close)


def _tables(link: sqlite3.Connection) -> dict[str, tuple[str, ...]]:
    names = [
        str(name)
        for (name,) in link.execute(
            "select name from sqlite_master where type in ('table', 'view') order by name"
        )
        if not str(name).startswith("sqlite_")
    ]
    tables: dict[str, tuple[str, ...]] = {}
    for name in names:
        quoted = name.replace('"', '""')
        tables[name] = tuple(str(row[1]) for row in link.execute(f'pragma table_info("{quoted}")'))
    return tables


def _copied(path: Path, folder: Path, receipt: Receipt) -> Path:
    """Copy the database and its log as they were at one moment: again when a writer was in between."""
    for _ in range(_TRIES):
        before = _state(path)
        for end in ("", *_BESIDE):
            part = Path(f"{path}{end}")
            copy = folder / f"{path.name}{end}"
            copy.unlink(missing_ok=True)
            if part.exists():
                shutil.copyfile(part, copy)
        if _state(path) == before:
            break
    else:
        receipt.problem(
            "warning",
            "changing-file",
            str(path),
            "The database was written to while it was copied: rows of the last moment may be missing.",
            "Open it again when the app is quiet.",
        )
    return folder / path.name


def _state(path: Path) -> list[tuple[int, int]]:
    found = []
    for end in ("", *_BESIDE):
        try:
            stat = Path(f"{path}{end}").stat()
        except FileNotFoundError:
            found.append((0, 0))
        else:
            found.append((stat.st_mtime_ns, stat.st_size))
    return found


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _hint(error: Exception) -> str:
    if "malformed" in str(error) or "not a database" in str(error):
        return (
            "The file is damaged: sqlite3 FILE .recover writes what can be saved as SQL, which can be opened."
        )
    return ""

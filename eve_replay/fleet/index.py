"""Answers of before, in the user's cache: only ever a shortcut, safe to delete, never inside a world.

One SQLite file per source. An answer is kept with the stamp of what was read for it and with the time it
holds for; whatever does not fit exactly is answered anew. A file that is damaged is thrown away.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import zlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from eve_replay._version import __version__
from eve_replay.codec.jsontext import loads_json

__all__ = ["Answer", "Index", "open_index"]

_FORMAT = 1
_TABLE = (
    "create table if not exists answers (task text, session text, stamp blob, since real, until real, "
    "brief text, whole blob, primary key (task, session)) without rowid"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What is kept of one session.

    Attributes:
        session: its id.
        stamp: of what was read.
        since, until: the instants between which it holds; None for ever.
        brief: what a list shows, JSON data.
        whole: the entry of the JSON document, JSON text.
    """

    session: str
    stamp: bytes
    since: datetime
    until: datetime | None
    brief: Mapping[str, Any]
    whole: str


def open_index(source: str, folder: Path) -> Index | None:
    """Return the index of a source, None where there can be none (a read-only disk, inside the world).

    Args:
        source: what the source is, whole: the real path of a folder.
        folder: where indexes lie; made when it is not there.
    """
    with suppress(OSError, RuntimeError, sqlite3.Error):
        inside = Path(source)
        if inside.is_dir() and folder.resolve().is_relative_to(inside.resolve()):
            return None  # never write into a world
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        name = hashlib.sha256(f"{_FORMAT} {__version__} {source}".encode("utf-8", "surrogateescape"))
        return Index(folder / f"{name.hexdigest()[:32]}.sqlite")
    return None


class Index:
    """The answers of one source.

    Args:
        path: the file; made when it is not there, made anew when it is damaged.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._link = self._open()
        except sqlite3.DatabaseError:
            self._throw_away()
            self._link = self._open()

    def _open(self) -> sqlite3.Connection:
        if not self._path.exists():
            os.close(os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600))
        link = sqlite3.connect(self._path, timeout=5, isolation_level=None)
        try:
            link.execute("pragma journal_mode=wal")
            link.execute("pragma synchronous=off")
            link.execute(_TABLE)
        except sqlite3.Error:
            link.close()
            raise
        return link

    def _throw_away(self) -> None:
        for tail in ("", "-wal", "-shm"):
            with suppress(OSError):
                self._path.with_name(self._path.name + tail).unlink()

    def answers(self, task: str, now: datetime, *, whole: bool) -> dict[str, Answer]:
        """Return the answers that hold now, by session.

        Args:
            task: the question with all its options.
            now: the instant.
            whole: the JSON text is wanted too.
        """
        found = {}
        column = "whole" if whole else "null"
        at = now.timestamp()
        try:
            rows = self._link.execute(
                f"select session, stamp, since, until, brief, {column} from answers where task = ? "
                "and since <= ? and (until is null or until > ?)",
                (task, at, at),
            )
            for session, stamp, since, until, brief, text in rows:
                found[session] = Answer(
                    session=session,
                    stamp=bytes(stamp),
                    since=datetime.fromtimestamp(since, now.tzinfo),
                    until=None if until is None else datetime.fromtimestamp(until, now.tzinfo),
                    brief=loads_json(brief),
                    whole=zlib.decompress(text).decode() if text is not None else "",
                )
        except (sqlite3.Error, ValueError, TypeError, zlib.error, OverflowError):
            # Damaged inside: everything is answered anew and written to a fresh file.
            with suppress(sqlite3.Error):
                self._link.close()
            self._throw_away()
            with suppress(sqlite3.Error):
                self._link = self._open()
            return {}
        return found

    def keep(self, task: str, answers: Iterable[Answer]) -> None:
        """Keep answers; a disk that is full or taken away costs the index, not the answer."""
        rows = [
            (
                task,
                each.session,
                each.stamp,
                each.since.timestamp(),
                None if each.until is None else each.until.timestamp(),
                json.dumps(dict(each.brief)),
                zlib.compress(each.whole.encode(), 1),
            )
            for each in answers
        ]
        with suppress(sqlite3.Error, OSError):
            self._link.execute("begin")
            self._link.executemany("insert or replace into answers values (?, ?, ?, ?, ?, ?, ?)", rows)
            self._link.execute("commit")

    def close(self) -> None:
        """Close the file."""
        with suppress(sqlite3.Error):
            self._link.close()

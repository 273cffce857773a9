"""What a source is by its own bytes and its address, when no world recognises it: never a guess by name.

The words here end up in front of people ("is an SQLite database"), so each is a noun phrase with its article.
"""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["address_kind", "file_kind"]

_HEAD = 4_096
#: First bytes -> what the file is.
_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"SQLite format 3\0", "an SQLite database"),
    (b"PGDMP", "a dump in pg_dump's custom format"),
    (b"REDIS00", "a Redis dump (RDB)"),
    (b"\x1f\x8b", "a gzip file"),
    (b"\x28\xb5\x2f\xfd", "a zstd file"),
    (b"\xfd7zXZ", "an xz file"),
    (b"BZh", "a bzip2 file"),
    (b"PK\x03\x04", "a zip archive"),
    (b"PAR1", "a Parquet file"),
    (b"Obj\x01", "an Avro file"),
    (b"DUCK", "a DuckDB database"),
    (b"%PDF", "a PDF"),
    (b"\x89PNG", "a picture"),
    (b"\x7fELF", "a program"),
)
_TEXT: tuple[tuple[bytes, str], ...] = (
    (b"PostgreSQL database dump", "a text dump of PostgreSQL"),
    (b"MySQL dump", "a dump of MySQL"),
    (b"MariaDB dump", "a dump of MariaDB"),
    (b"BEGIN TRANSACTION;", "SQL text as sqlite3 .dump writes it"),
    (b"CREATE TABLE", "SQL text"),
    (b"INSERT INTO", "SQL text"),
    (b"OPTION IMPORT", "an export of SurrealDB"),
)
#: Scheme -> what lies there, and the extra that reads it, empty when nothing here does.
_SCHEMES: dict[str, tuple[str, str]] = {
    "mysql": ("a MySQL or MariaDB server", "mysql"),
    "mariadb": ("a MySQL or MariaDB server", "mysql"),
    "postgres": ("a PostgreSQL server", "postgres"),
    "postgresql": ("a PostgreSQL server", "postgres"),
    "redis": ("a Redis server", "redis"),
    "rediss": ("a Redis server", "redis"),
    "mongodb": ("a MongoDB server", "mongo"),
    "mongodb+srv": ("a MongoDB server", "mongo"),
    "libsql": ("a libSQL or Turso server", "sqlite"),
    "turso": ("a libSQL or Turso server", "sqlite"),
    "nats": ("a NATS server", "nats"),
    "surrealdb": ("a SurrealDB server", "surrealdb"),
    "dynamodb": ("a DynamoDB table", "dynamodb"),
    "firestore": ("a Firestore database", "firestore"),
    "cosmos": ("a Cosmos DB database", ""),
    "jazz": ("a Jazz store", ""),
    "ws": ("a web socket", ""),
    "wss": ("a web socket", ""),
}
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*)(?=://)", re.IGNORECASE)


def address_kind(source: str) -> tuple[str, str] | None:
    """Return what an address names, and the extra that reads it (empty: none); None for no known scheme."""
    match = _SCHEME.match(source)
    return _SCHEMES.get(match[1].lower()) if match else None


def file_kind(path: Path) -> str:
    """Return what a file is by its first bytes, empty when they tell nothing."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except (OSError, ValueError):
        return ""
    for magic, words in _MAGIC:
        if head.startswith(magic):
            return words
    if _is_bson(head, path):
        return "a BSON file, as mongodump writes it"
    start = head.lstrip()[:1]
    if start in (b"{", b"["):
        return "JSON"
    for part, words in _TEXT:
        if part in head:
            return words
    return "an empty file" if not head else ""


def _is_bson(head: bytes, path: Path) -> bool:
    """A BSON document begins with its length and, after a type, the name of its first element."""
    if len(head) < 7:
        return False
    size = int.from_bytes(head[:4], "little")
    try:
        whole = path.stat().st_size
    except OSError:
        return False
    if not 5 <= size <= whole or head[4] not in range(1, 0x14):
        return False
    name = head[5 : head.find(b"\0", 5)] if b"\0" in head[5:] else b""
    return bool(name) and name.isascii() and (size > len(head) or head[size - 1] == 0)

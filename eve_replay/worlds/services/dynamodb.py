"""DynamoDB: a live table (or one of a local server), what ``aws dynamodb scan`` printed, an export to S3.

A table of a single-table world is read once, by a scan: it costs the read units of the whole table. Values
come with their types (``{"S": ...}``, ``{"B": ...}``) in all three forms.
"""

from __future__ import annotations

import base64
import binascii
import gzip
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from eve_replay.codec import JsonFault, loads_json, loads_lines
from eve_replay.errors import SourceUnreadable, WrongUse
from eve_replay.problems import LISTS, Receipt
from eve_replay.worlds.base import World
from eve_replay.worlds.layouts.tables import MemoryTables, Row
from eve_replay.worlds.services.serve import client_of, layout_world, query_of, said

__all__ = ["opener", "plain_item"]

#: What the only table is called in a layout: its real name is the owner's.
_TABLE = "items"
_SCHEME = "dynamodb://"
_HEAD = 65_536
_DEEPEST = 200


def plain_item(item: Mapping[str, Any]) -> dict[str, object]:
    """Return an item without the types of its values; bytes stay bytes."""
    return {str(name): _plain(value) for name, value in item.items()}


def _plain(value: Any, depth: int = 0) -> object:
    if not isinstance(value, Mapping) or len(value) != 1 or depth > _DEEPEST:
        return value
    [(kind, inner)] = value.items()
    if kind == "B":
        return _binary(inner)
    if kind == "N":
        text = str(inner)
        return int(text) if text.lstrip("-").isdigit() else float(text)
    if kind == "M" and isinstance(inner, Mapping):
        return {str(name): _plain(each, depth + 1) for name, each in inner.items()}
    if kind == "L" and isinstance(inner, list):
        return [_plain(each, depth + 1) for each in inner]
    if kind == "BS" and isinstance(inner, list):
        return [_binary(each) for each in inner]
    return None if kind == "NULL" else inner


def _binary(value: object) -> object:
    if isinstance(value, str):
        try:
            return base64.b64decode(value, validate=True)
        except binascii.Error:
            return value
    return bytes(value) if isinstance(value, (bytes, bytearray)) else value


def _store(label: str, items: Iterable[Mapping[str, Any]], receipt: Receipt) -> MemoryTables:
    rows: list[Row] = []
    for number, item in enumerate(items, 1):
        try:
            rows.append(plain_item(item))
        except (ValueError, AttributeError) as error:
            receipt.skip(where=f"{label}[{number}]", what="item", why=f"its values have no types: {error}")
    return MemoryTables(label, {_TABLE: rows})


def _scan(
    client: Any, table: str, failures: tuple[type[Exception], ...], label: str
) -> Iterator[Mapping[str, Any]]:
    start: dict[str, Any] = {}
    while True:
        try:
            page = client.scan(TableName=table, **start)
        except failures as error:
            raise SourceUnreadable(
                f"The DynamoDB table {table} cannot be read ({label}): {said(error)}.",
                hint="Check region, table and credentials; reading needs dynamodb:Scan. "
                "Or: aws dynamodb scan --table-name NAME > scan.json, and open that file.",
            ) from None
        yield from page.get("Items", ())
        if not page.get("LastEvaluatedKey"):
            return
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


def _file_items(path: Path, receipt: Receipt) -> Iterator[Mapping[str, Any]]:
    """Yield the items of a scan's output, or of a file of an export (one item a line, often gzip)."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise SourceUnreadable(f"{path} cannot be read: {error.strerror or error}.") from error
    if raw.startswith(b"\x1f\x8b"):
        try:
            raw = gzip.decompress(raw)
        except (OSError, EOFError, zlib.error) as error:
            raise SourceUnreadable(f"{path} cannot be unpacked: {error}.") from error
    try:
        whole = loads_json(raw)
    except ValueError:
        whole = None
    if isinstance(whole, Mapping) and isinstance(whole.get("Items"), list):
        if whole.get("LastEvaluatedKey") or whole.get("NextToken"):
            receipt.problem(
                "error",
                "partial-scan",
                str(path),
                "This is one page of a scan: what follows is not in the file.",
                "Scan without --max-items, which prints all pages.",
            )
            for of in LISTS:
                receipt.gap(of, "the scan was not printed to its end")
        yield from (item for item in whole["Items"] if isinstance(item, Mapping))
        return
    for number, line in loads_lines(raw):
        item = line.get("Item") if isinstance(line, Mapping) else None
        if isinstance(item, Mapping):
            yield item
        elif isinstance(line, JsonFault):
            receipt.problem(
                "error", "torn-export", f"{path}:{number}", f"This line is no JSON: {line.message}."
            )
            for of in LISTS:
                receipt.gap(of, f"line {number} of {path.name} cannot be read")


@dataclass(frozen=True, slots=True)
class _DynamoOpener:
    kind: str = "dynamodb"

    def recognises(self, source: str) -> float:
        """Return how sure this is DynamoDB: an address, or JSON whose values have its types."""
        if source.lower().startswith(_SCHEME):
            return 1.0
        try:
            path = Path(source).expanduser()
            if not path.is_file():
                return 0.0
            with path.open("rb") as file:
                head = file.read(_HEAD)
            if head.startswith(b"\x1f\x8b"):
                head = zlib.decompressobj(wbits=31).decompress(head, _HEAD)
        except (OSError, ValueError, zlib.error):
            return 0.0
        if not head.lstrip().startswith(b"{"):
            return 0.0
        squeezed = b"".join(head.split())
        typed = any(mark in squeezed for mark in (b':{"S":', b':{"N":', b':{"B":'))
        return 0.92 if typed and (b'"Items":[' in squeezed or squeezed.startswith(b'{"Item":{')) else 0.0

    def open(self, source: str, **options: object) -> World:
        """Scan a table, or read a file. Options: keys, limit, layout."""
        receipt = Receipt()
        if source.lower().startswith(_SCHEME):
            store, what = _live(source, receipt), "a DynamoDB table"
        else:
            path = Path(source).expanduser()
            store, what = _store(str(path), _file_items(path, receipt), receipt), "items of a DynamoDB table"
        return layout_world(store, kind=self.kind, what=what, options=options, receipt=receipt)


def _live(source: str, receipt: Receipt) -> MemoryTables:
    table, query = urlsplit(source).netloc, query_of(source)
    if not table:
        raise WrongUse(
            "This address names no table.",
            hint="Write dynamodb://TABLE?region=eu-central-1, or &endpoint=URL.",
        )
    boto3 = client_of("boto3", what="a DynamoDB table", extra="dynamodb", package="boto3")
    core = client_of("botocore.exceptions", what="a DynamoDB table", extra="dynamodb", package="boto3")
    failures: tuple[type[Exception], ...] = (core.BotoCoreError, core.ClientError)
    label = f"{_SCHEME}{table}"
    try:
        client = boto3.client(
            "dynamodb", region_name=query.get("region"), endpoint_url=query.get("endpoint"), verify=True
        )
    except failures + (ValueError,) as error:  # noqa: RUF005
        raise SourceUnreadable(
            f"DynamoDB cannot be reached ({label}): {said(error)}.",
            hint=f"Name the region: {label}?region=eu-central-1.",
        ) from None
    return _store(label, _scan(client, table, failures, label), receipt)


opener = _DynamoOpener()

"""NATS JetStream: key-value buckets as tables of documents, streams of chunks beside them, ``nats://HOST:PORT``.

Read with STREAM.INFO and STREAM.MSG.GET alone, message by message: no consumer is made, nothing is
acknowledged, nothing written. Of a key with a history the last value counts, as for the bucket itself.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from eve_replay.codec import loads_json
from eve_replay.errors import SourceUnreadable
from eve_replay.problems import Receipt
from eve_replay.worlds.base import World
from eve_replay.worlds.export.entities import number_option, text_option
from eve_replay.worlds.layouts.forms import revive_bytes
from eve_replay.worlds.layouts.tables import MemoryTables, Row
from eve_replay.worlds.services.serve import client_of, layout_world, query_of, said
from eve_replay.worlds.sources import public_source

__all__ = ["Message", "opener", "tables_of"]

_SCHEMES = ("nats://", "tls+nats://", "nats+tls://")
_BUCKET = "KV_"
#: The streams of chunks: prefix, run, base64url of the name.
_CHUNKS = re.compile(r"(?P<prefix>.*)stream_(?P<run>wrun_[0-9A-Z]{26})_(?P<name>[A-Za-z0-9_-]+)\Z")
_GONE = ("DEL", "PURGE")
_PREFIX = "workflow_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message of a stream."""

    subject: str
    seq: int
    data: bytes
    headers: dict[str, str] = field(default_factory=dict)


def tables_of(streams: dict[str, list[Message]], prefix: str, receipt: Receipt) -> dict[str, list[Row]]:
    """Return the tables of a world from the messages of its streams.

    Args:
        streams: stream to its messages, in order.
        prefix: what the names of buckets and streams begin with.
        receipt: told of values that are no JSON.
    """
    tables: dict[str, list[Row]] = {}
    for stream, messages in streams.items():
        if stream.startswith(_BUCKET):
            name = stream.removeprefix(_BUCKET).removeprefix(prefix)
            tables[name] = list(_documents(stream, messages, receipt))
            continue
        match = _CHUNKS.fullmatch(stream)
        if match is not None:
            tables.setdefault("chunks", []).extend(_chunks(match, messages))
    return tables


def _documents(stream: str, messages: list[Message], receipt: Receipt) -> Iterator[Row]:
    last = {message.subject: message for message in messages}
    for subject, message in last.items():
        if message.headers.get("KV-Operation") in _GONE:
            continue
        key = subject.removeprefix(f"$KV.{stream.removeprefix(_BUCKET)}.")
        try:
            value = revive_bytes(loads_json(message.data)) if message.data[:1] == b"{" else None
        except ValueError as error:
            where = f"{stream}/{key}"
            receipt.problem("error", "bad-json", where, f"What lies under this key is no JSON: {error}.")
            value = None
        if isinstance(value, dict):
            yield {"key": key, **value}
        else:
            yield {"key": key, "value": message.data.decode("utf-8", "replace")}


def _chunks(match: re.Match[str], messages: list[Message]) -> Iterator[Row]:
    text = match["name"]
    try:
        name = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode()
    except (binascii.Error, ValueError):
        name = text
    for message in messages:
        yield {
            "stream": name,
            "runId": match["run"],
            "chunkId": f"{message.seq:012d}",
            "data": message.data,
            "end": message.headers.get("X-EOF") == "true",
        }


async def _read(client: Any, source: str, prefix: str, timeout: float) -> dict[str, list[Message]]:
    server = source.partition("?")[0]
    # The client takes 0 attempts for "for ever": a server that is not there is then asked without an end.
    link = await client.connect(
        servers=[server], connect_timeout=timeout, max_reconnect_attempts=1, reconnect_time_wait=0.1,
        allow_reconnect=False, error_cb=_quiet,
    )  # fmt: skip
    try:
        context = link.jetstream(timeout=timeout)
        found: dict[str, list[Message]] = {}
        for info in await _streams(context):
            name = str(info.config.name)
            if name.startswith((f"{_BUCKET}{prefix}", f"{prefix}stream_")):
                found[name] = [message async for message in _messages(context, name, info.state)]
        return found
    finally:
        await link.close()


async def _quiet(error: Exception) -> None:
    """The client prints its errors unless somebody takes them; they are raised as well."""


async def _streams(context: Any) -> list[Any]:
    found: list[Any] = []
    while True:
        page = await context.streams_info(offset=len(found))
        found += page
        if len(page) < 256:
            return found


async def _messages(context: Any, stream: str, state: Any) -> Any:
    seq, last = int(state.first_seq or 0), int(state.last_seq or 0)
    if not int(state.messages or 0):
        return
    while seq <= last:
        try:
            raw = await context.get_msg(stream, seq=seq, next=True, subject=">")
        except Exception as error:
            if type(error).__name__ == "NotFoundError":
                return
            raise
        headers = {str(name): str(value) for name, value in (raw.headers or {}).items()}
        yield Message(subject=raw.subject or "", seq=int(raw.seq), data=raw.data or b"", headers=headers)
        seq = int(raw.seq) + 1


@dataclass(frozen=True, slots=True)
class _NatsOpener:
    kind: str = "nats"

    def recognises(self, source: str) -> float:
        """Return 1.0 for an address of a NATS server."""
        return 1.0 if source.lower().startswith(_SCHEMES) else 0.0

    def open(self, source: str, **options: object) -> World:
        """Read the buckets. Options: keys, limit, layout, prefix, timeout."""
        client = client_of("nats", what="a NATS server", extra="nats", package="nats-py")
        receipt, label = Receipt(), public_source(source.partition("?")[0])
        prefix = text_option(options, "prefix") or query_of(source).get("prefix", _PREFIX)
        timeout = number_option(options, "timeout") or 10.0
        if not urlsplit(source).hostname:
            raise SourceUnreadable("This NATS address names no host.", hint="Write nats://HOST:4222.")
        try:
            streams = asyncio.run(_read(client, source, prefix, timeout))
        except SourceUnreadable:
            raise
        except Exception as error:
            # The client raises errors of its own, of asyncio and of sockets.
            raise SourceUnreadable(
                f"The NATS server of {label} cannot be read: {said(error)}.",
                hint="Check host, port and login, and that JetStream is on; reading needs STREAM.INFO and "
                "STREAM.MSG.GET.",
            ) from None
        if not streams:
            raise SourceUnreadable(
                f"{label} is a NATS server without any bucket whose name begins with {prefix!r}.",
                hint="Another prefix is given with ?prefix=NAME_.",
            )
        store = MemoryTables(label, tables_of(streams, prefix, receipt))
        return layout_world(
            store, kind=self.kind, what="NATS JetStream with buckets", options=options, receipt=receipt
        )


opener = _NatsOpener()

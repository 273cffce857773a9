"""A server of the project's own that speaks the hosted store's read API, on 127.0.0.1.

The API is that of docs/formats/hosted.md. ``recorded`` answers with recorded exchanges; ``Served`` serves any
world through the same routes, with paging and with every kind of trouble a test asks for. Nothing else is
contacted.
"""

from __future__ import annotations

import base64
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import cbor2

from eve_replay.codec import Payload
from eve_replay.errors import NotFound
from eve_replay.records import HookRecord, Record, StreamRecord
from eve_replay.worlds.base import World
from eve_replay.worlds.hosted.wire_frames import BODY_FIELD

FRAMES = "application/vnd.workflow.v4-frames"
CBOR = "application/cbor"


@dataclass
class Reply:
    """One answer. ``length`` other than the body's makes it a cut one; ``delay`` a slow one."""

    body: bytes = b""
    status: int = 200
    kind: str = CBOR
    headers: dict[str, str] = field(default_factory=dict)
    length: int | None = None
    delay: float = 0.0


Answer = Callable[[str, dict[str, str]], Reply]


@contextmanager
def serving(answer: Answer, *, token: str | None = None) -> Iterator[Server]:
    """Run a server; its ``log`` holds every request as ``(path, query, headers)``."""
    server = Server(answer, token)
    thread = threading.Thread(target=server.http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.http.shutdown()
        server.http.server_close()
        thread.join()


class Server:
    def __init__(self, answer: Answer, token: str | None) -> None:
        self.log: list[tuple[str, dict[str, str], dict[str, str]]] = []
        self.methods: set[str] = set()
        #: Replies given first, whatever is asked.
        self.trouble: list[Reply] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: Any) -> None:
                pass

            def do_GET(self) -> None:
                split = urlsplit(self.path)
                query = {name: values[-1] for name, values in parse_qs(split.query).items()}
                outer.methods.add(self.command)
                outer.log.append((split.path, query, {k.lower(): v for k, v in self.headers.items()}))
                if token is not None and self.headers.get("Authorization") != f"Bearer {token}":
                    reply = Reply(b'{"error":"unauthorized"}', 401, "application/json")
                elif outer.trouble:
                    reply = outer.trouble.pop(0)
                else:
                    try:
                        reply = answer(split.path, query)
                    except (NotFound, KeyError):
                        reply = Reply(b'{"error":"not found"}', 404, "application/json")
                time.sleep(reply.delay)
                try:
                    self.send_response(reply.status)
                    self.send_header("Content-Type", reply.kind)
                    length = len(reply.body) if reply.length is None else reply.length
                    self.send_header("Content-Length", str(length))
                    for name, value in reply.headers.items():
                        self.send_header(name, value)
                    if length != len(reply.body):
                        self.close_connection = True
                    self.end_headers()
                    self.wfile.write(reply.body)
                except OSError:
                    self.close_connection = True

            do_POST = do_PUT = do_DELETE = do_PATCH = do_GET

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}"


def recorded(lines: str) -> Answer:
    """Return what answers with recorded exchanges (NDJSON text); what was never asked is 404.

    Our page sizes and orders differ from the recording clients', so a question is matched by its path and by
    how payloads are wanted; of several answers the longest is given: the one that no limit cut.
    """
    known: dict[tuple[str, str, str], tuple[str, bytes]] = {}
    for line in lines.splitlines():
        entry = json.loads(line)
        split = urlsplit(entry["url"])
        query = {name: values[-1] for name, values in parse_qs(split.query).items()}
        key = (unquote(split.path), query.get("remoteRefBehavior", "resolve"), query.get("runId", ""))
        body = base64.b64decode(entry["body_base64"])
        if entry["status"] == 200 and len(body) >= len(known.get(key, ("", b""))[1]):
            known[key] = (entry["content_type"], body)

    def answer(path: str, query: dict[str, str]) -> Reply:
        key = (unquote(path), query.get("remoteRefBehavior", "resolve"), query.get("runId", ""))
        if key not in known:
            key = (key[0], "resolve", key[2])
        kind, body = known[key]
        return Reply(body, kind=kind)

    return answer


class Served:
    """Answers from a world.

    Args:
        world: what to serve.
        page: most items per page, whatever the client asks.
        lazy: send references instead of payloads unless ``resolve`` is asked; ``always`` also then.
        cut_frames: event streams stop without an end frame after so many events per answer.
        error_after: event streams end in an ``_error`` frame after so many events.
        encrypt: turns a payload's bytes into encrypted ones, given the run id.
        events: changes an answer's frame bytes.
    """

    def __init__(self, world: World, **how: Any) -> None:
        self.world = world
        self.page = how.get("page", 1000)
        self.lazy = how.get("lazy", "")
        self.cut_frames = how.get("cut_frames", 0)
        self.error_after = how.get("error_after", -1)
        self.encrypt = how.get("encrypt")
        self.prefix = how.get("prefix", "/api")

    def __call__(self, path: str, query: dict[str, str]) -> Reply:
        parts = [unquote(part) for part in path.removeprefix(self.prefix).strip("/").split("/")]
        match parts:
            case ["v2", "runs"]:
                return self._page(list(self.world.runs()), query)
            case ["v2", "runs", run]:
                return Reply(cbor2.dumps(self._item(self.world.run(run), query)))
            case ["v2", "runs", run, "steps"]:
                return self._page(list(self.world.steps(run)), query)
            case ["v4", "runs", run, "events"]:
                return self._events(run, query)
            case ["v2", "hooks"]:
                found = [o for o in self.world.others(query["runId"]) if isinstance(o, HookRecord)]
                return self._page(found, query)
            case ["v2", "runs", run, "streams"]:
                names = [o.name for o in self.world.others(run) if isinstance(o, StreamRecord)]
                return Reply(json.dumps(names).encode(), kind="application/json")
            case ["v2", "runs", run, "streams", name, "chunks"]:
                return self._chunks(run, name, query)
        raise KeyError(path)

    def _page(self, items: list[Any], query: dict[str, str]) -> Reply:
        start = int(query.get("cursor") or 0)
        size = min(self.page, int(query.get("limit", 1000)))
        more = start + size < len(items)
        data = [self._item(item, query) for item in items[start : start + size]]
        return Reply(cbor2.dumps({"data": data, "cursor": str(start + size), "hasMore": more}))

    def _item(self, record: Record, query: dict[str, str]) -> dict[str, Any]:
        lazy = self.lazy == "always" or (self.lazy and query.get("remoteRefBehavior") == "lazy")
        out: dict[str, Any] = {}
        for name, value in record.fields.items():
            if isinstance(value, Payload) and lazy:
                out[f"{name}Ref"] = {"_type": "ref", "_ref": f"{record.run_id}/{name}"}
            else:
                out[name] = self._value(value, record.run_id)
        return out

    def _value(self, value: Any, run: str) -> Any:
        if isinstance(value, Payload):
            raw = value.raw
            return self.encrypt(raw, run) if self.encrypt and isinstance(raw, bytes) else raw
        if isinstance(value, dict):
            return {name: self._value(item, run) for name, item in value.items()}
        return value

    def _events(self, run: str, query: dict[str, str]) -> Reply:
        events = list(self.world.events(run))
        if not events:
            self.world.run(run)
        cursor = query.get("cursor") or "0"
        if cursor.startswith("eid:"):
            start = 1 + [event.event_id for event in events].index(cursor[4:])
        else:
            start = int(cursor)
        size = min(self.page, int(query.get("limit", 1000)))
        part = events[start : start + size]
        frames: list[bytes] = []
        for number, event in enumerate(part):
            if self.error_after == number:
                meta = {"_error": 1, "code": "payload-missing", "message": "the payload is gone"}
                frames.append(frame(meta))
                return Reply(b"".join(frames), kind=FRAMES)
            if self.cut_frames and number == self.cut_frames:
                return Reply(b"".join(frames) + b"\0\0\0\x09cu", kind=FRAMES)
            frames.append(self._frame(event, run))
        frames.append(
            frame({"_end": 1, "next": str(start + len(part)), "hasMore": start + size < len(events)})
        )
        return Reply(b"".join(frames), kind=FRAMES)

    def _frame(self, event: Any, run: str) -> bytes:
        meta = {name: value for name, value in event.fields.items() if name != "eventData"}
        data = dict(event.data)
        name = BODY_FIELD.get(event.event_type, "")
        body = data.pop(name, None)
        stored = self._value(body, run) if body is not None else b""
        if data or (body is not None and "eventData" in event.fields):
            meta["eventData"] = {key: self._value(item, run) for key, item in data.items()}
        elif "eventData" in event.fields:
            meta["eventData"] = {}
        return frame(meta, stored if isinstance(stored, bytes) else cbor2.dumps(stored))

    def _chunks(self, run: str, name: str, query: dict[str, str]) -> Reply:
        stored = list(self.world.stream(run, name))
        done = any(chunk.end for chunk in stored)
        data = [{"index": i, "data": c.data} for i, c in enumerate(c for c in stored if not c.end)]
        start = int(query.get("cursor") or 0)
        size = min(self.page, int(query.get("limit", 100)))
        more = start + size < len(data)
        page = {
            "data": data[start : start + size],
            "cursor": str(start + size),
            "hasMore": more,
            "done": done,
        }
        return Reply(cbor2.dumps(page))


def frame(meta: dict[str, Any], body: bytes = b"") -> bytes:
    head = cbor2.dumps(meta)
    return len(head).to_bytes(4, "big") + head + len(body).to_bytes(4, "big") + body

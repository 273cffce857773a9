"""The outside as a process: ``python -m eve_replay.crashtest.broker``, started by a worker.

It says ``{"port": N}`` on its stdout, answers every connection of the sealed process, keeps the ledger and
the providers' state over the kill, and dies when its stdin closes, which is when the worker is gone.

Lines that begin a connection: ``CT0 pid`` is a tether (kept open: the server dies when it closes), ``CT1
{json}`` an outgoing connection of the sealed process with its TLS taken off, ``CTC`` the worker's control.
"""

from __future__ import annotations

import json
import os
import signal
import socketserver
import threading
import time
from dataclasses import asdict
from io import BufferedReader
from typing import Any, BinaryIO, cast
from urllib.parse import unquote

from eve_replay.codec.jsontext import loads_json
from eve_replay.crashtest.lifeline import die_with_parent
from eve_replay.crashtest.provider import Answer, Provider, Request, stubs_from

__all__ = ["Broker", "main"]

_LARGEST = 16 << 20
_PG = b"E\x00\x00\x00\x37SERROR\x00C57P03\x00Mcrashtest: no stub for Postgres\x00\x00"


class Broker(socketserver.ThreadingTCPServer):
    """One outside. All state is behind one lock."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Connection)
        self.lock = threading.Lock()
        self.provider = Provider()
        self.entries: list[dict[str, Any]] = []
        self.armed: dict[str, Any] | None = None
        self.lag = 4.0
        self.waiting = 0
        self.epoch = 0

    def command(self, asked: dict[str, Any]) -> Any:
        """Do what the worker says: ``reset``, ``arm``, ``ledger``, ``pending``."""
        with self.lock:
            match asked.get("do"):
                case "reset":
                    self.provider = Provider(
                        stubs=stubs_from(asked["stubs"]), learn=asked.get("learn", False)
                    )
                    self.entries, self.armed, self.waiting = [], None, 0
                    self.epoch += 1
                case "arm":
                    self.armed, self.lag = asked.get("point"), asked.get("lag", 4.0)
                case "ledger":
                    return self.entries
                case "pending":
                    return self.waiting
        return True

    def serve(self, request: Request, who: dict[str, Any], act: dict[str, Any]) -> Answer | None:
        """Act and answer; None when the caller was killed on the way."""
        label, k = act.get("label", request.label), act.get("k", 0)
        with self.lock:
            epoch, provider = self.epoch, self.provider
            how = self._how(label, k)
            if how == "late":
                self.waiting += 1
                provider.reserve(request)
                os.kill(who["pid"], signal.SIGKILL)
            else:
                answer = provider.answer(request)
                self._note(request, who, act, label, k, answer, lost=how == "in")
                if how == "in":
                    os.kill(who["pid"], signal.SIGKILL)
                    return None
        if how == "late":
            time.sleep(self.lag)
            with self.lock:
                if epoch == self.epoch:
                    answer = provider.answer(request, late=True)
                    self._note(request, who, act, label, k, answer, lost=True, late=True)
                    self.waiting -= 1
            return None
        if answer.stub is not None and answer.stub.delay:
            time.sleep(answer.stub.delay)
        return answer

    def _how(self, label: str, k: int) -> str:
        point = self.armed
        if point is None or point["label"] != label or point["k"] != k or point["when"] not in ("in", "late"):
            return ""
        self.armed = None
        return str(point["when"])

    def _note(
        self,
        request: Request,
        who: dict[str, Any],
        act: dict[str, Any],
        label: str,
        k: int,
        answer: Answer,
        *,
        lost: bool = False,
        late: bool = False,
    ) -> None:
        entry: dict[str, Any] = {
            "at": time.time(), "name": answer.name, "label": label, "k": k, "method": request.method,
            "host": request.host, "path": request.path, "by": answer.by, "key": answer.key,
            "status": answer.status, "effect": answer.effect, "lost": lost, "late": late,
            "pid": who.get("pid"),
            "call": act.get("call") or who.get("call"), "step": act.get("step") or who.get("step"),
            "unanswered": answer.unanswered, "body": request.body,
            "does": answer.stub.does if answer.stub else "",
        }  # fmt: skip
        self.entries.append(entry)


class _Connection(socketserver.StreamRequestHandler):
    server: Broker

    def handle(self) -> None:
        first = self.rfile.readline(1 << 16)
        if first.startswith(b"CT0 "):
            while self.rfile.read1(64):
                pass
        elif first.startswith(b"CT1 "):
            self._outgoing(loads_json(first[4:]))
        elif first.startswith(b"CTC"):
            for line in self.rfile:
                self._say(json.dumps(self.server.command(loads_json(line))).encode() + b"\n")

    def _say(self, data: bytes) -> None:
        try:
            self.wfile.write(data)
        except OSError:
            return  # the caller is dead, which is what this is about

    def _outgoing(self, who: dict[str, Any]) -> None:
        first = cast("BufferedReader", self.rfile).peek(8)[:8]
        if not first:
            return
        if not first[:1].isalpha() or first.startswith(b"PRI "):
            self._refuse(who, first)
            return
        try:
            request, act = _read(cast("BinaryIO", self.rfile), who)
        except (ValueError, UnicodeDecodeError):
            self._refuse(who, first)
            return
        if request.headers.get("upgrade"):
            self._refuse(who, b"upgrade " + request.headers["upgrade"].encode())
            return
        answer = self.server.serve(request, who, act)
        if answer is None:
            return
        body = json.dumps(answer.body).encode()
        head = f"HTTP/1.1 {answer.status} X\r\ncontent-type: application/json\r\nconnection: close\r\n"
        self._say(head.encode() + b"content-length: %d\r\n\r\n" % len(body) + body)

    def _refuse(self, who: dict[str, Any], first: bytes) -> None:
        """Say no in the words of the protocol, where it is known, and write down what was refused."""
        kind = {b"\x16": "TLS", b"P": "HTTP/2", b"\x00": "Postgres", b"*": "Redis", b"u": "WebSocket"}
        name = kind.get(first[:1], "an unknown protocol")
        asked = f"{name} to {who.get('host')}:{who.get('port')}"
        with self.server.lock:
            self.server.entries.append(
                {"at": time.time(), "name": "", "label": asked, "k": 0, "unanswered": True, "effect": False}
                | {
                    "call": who.get("call"),
                    "step": who.get("step"),
                    "pid": who.get("pid"),
                    "key": "",
                    "by": "",
                }
            )
        says = {"Postgres": _PG, "Redis": b"-ERR crashtest: no stub for Redis\r\n"}
        why = f"crashtest: no stub for {asked}; stub it over HTTP, or allow it on purpose".encode()
        plain = b"HTTP/1.1 501 X\r\nconnection: close\r\ncontent-length: %d\r\n\r\n%s" % (len(why), why)
        self._say(says.get(name, plain))


def _read(file: BinaryIO, who: dict[str, Any]) -> tuple[Request, dict[str, Any]]:
    """Read one HTTP/1.1 request. Raises ValueError when it is none."""
    method, target, version = file.readline(1 << 16).decode("latin-1").split()
    if not version.startswith("HTTP/1"):
        raise ValueError(version)
    headers: dict[str, str] = {}
    while (line := file.readline(1 << 16).strip()) != b"":
        name, _, value = line.decode("latin-1").partition(":")
        headers[name.strip().lower()] = value.strip()
    raw = b""
    if "chunked" in headers.get("transfer-encoding", ""):
        while (size := int(file.readline().split(b";")[0].strip() or b"0", 16)) and len(raw) < _LARGEST:
            raw += file.read(size)
            file.readline()
        file.readline()
    else:
        raw = file.read(min(int(headers.get("content-length", "0")), _LARGEST))
    act = loads_json(unquote(headers.pop("x-ct-act", "null"))) or {}
    try:
        body = loads_json(raw) if raw else None
    except ValueError:
        body = raw.decode("utf-8", "replace")
    port = who.get("port")
    host = who["host"] if port in (80, 443, None) else f"{who['host']}:{port}"
    return Request(method=method, host=host, target=target, headers=headers, body=body), act


def main() -> None:
    """Serve until the worker is gone."""
    die_with_parent()
    broker = Broker()
    os.write(1, json.dumps({"port": broker.server_address[1]}).encode() + b"\n")
    broker.serve_forever()


def stub_data(stubs: Any) -> list[dict[str, Any]]:
    """Return stubs as JSON for ``reset``."""
    return [asdict(each) for each in stubs]


if __name__ == "__main__":
    main()

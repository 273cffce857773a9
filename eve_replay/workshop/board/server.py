"""The board on the local network: plain HTTP, no internet, a PIN. Standard library only."""

from __future__ import annotations

import hmac
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from eve_replay.codec.jsonout import dumps_tagged
from eve_replay.codec.jsontext import loads_json
from eve_replay.errors import EveReplayError
from eve_replay.workshop.board.page import page
from eve_replay.workshop.board.room import Room
from eve_replay.workshop.model import Language

__all__ = ["serve"]

_LARGEST = 250_000
#: Wrong PINs from one address before it has to wait for a restart of the board.
_GUESSES = 30
_HEADERS = (
    ("Cache-Control", "no-store"),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Content-Security-Policy", "default-src 'self' 'unsafe-inline'; frame-ancestors 'none'"),
)


def serve(room: Room, pin: str, host: str, port: int, language: Language) -> ThreadingHTTPServer:
    """Return a server that is ready; ``serve_forever`` runs it.

    Args:
        room: the class.
        pin: what everybody has to know.
        host: address to listen at, ``0.0.0.0`` for the whole local network.
        port: 0 for any free one.
        language: of the pages, where a browser does not ask for another.

    Raises:
        OSError: the address or port is taken.
    """

    class Handler(_Handler):
        pass

    Handler.room, Handler.pin, Handler.language = room, pin, language
    Handler.wrong, Handler.lock = {}, threading.Lock()
    server = ThreadingHTTPServer((host, port), Handler)
    server.daemon_threads = True
    return server


class _Handler(BaseHTTPRequestHandler):
    room: Room
    pin: str
    language: Language
    wrong: dict[str, int]
    lock: threading.Lock
    timeout = 20
    server_version, sys_version = "board", ""

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: the terminal shows the address and the PIN."""

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path in ("/", "/board"):
            self._send(200, "text/html", page("board" if path == "/board" else "learner", self.language))
        elif path == "/favicon.ico":
            self._send(204, "image/x-icon", "")
        else:
            self._send(404, "text/plain", "There is no such page.")

    def do_POST(self) -> None:
        size = self.headers.get("Content-Length", "")
        if not size.isdigit() or int(size) > _LARGEST:
            self._send(413, "application/json", '{"error": "too large"}')
            return
        try:
            asked = loads_json(self.rfile.read(int(size)))
        except ValueError:
            asked = None
        if not isinstance(asked, dict):
            self._send(400, "application/json", '{"error": "no JSON"}')
            return
        if not self._may(str(asked.get("pin", ""))):
            self._send(403, "application/json", '{"error": "pin"}')
            return
        act = _ACTS.get(self.path)
        if act is None:
            self._send(404, "application/json", '{"error": "no such thing"}')
            return
        try:
            self._send(200, "application/json", dumps_tagged(act(self.room, asked)))
        except EveReplayError as error:
            self._send(422, "application/json", dumps_tagged({"error": str(error)}))
        except (KeyError, TypeError, ValueError):
            self._send(400, "application/json", '{"error": "incomplete"}')

    def _may(self, pin: str) -> bool:
        who = self.client_address[0]
        with self.lock:
            if self.wrong.get(who, 0) >= _GUESSES:
                return False
            right = hmac.compare_digest(pin.encode(), self.pin.encode())
            if not right:
                self.wrong[who] = self.wrong.get(who, 0) + 1
            return right

    def _send(self, code: int, kind: str, text: str) -> None:
        body = text.encode()
        self.send_response(code)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        for name, value in _HEADERS:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


def _language(asked: Mapping[str, Any]) -> Language:
    return "zh" if asked.get("language") == "zh" else "en"


def _questions(room: Room, asked: Mapping[str, Any]) -> object:
    return {"questions": room.questions(str(asked["lesson"]), _language(asked))}


def _predict(room: Room, asked: Mapping[str, Any]) -> object:
    room.predict(str(asked["who"]), str(asked["lesson"]), str(asked["name"]), int(asked["choice"]))
    return {"ok": True}


def _hand_in(room: Room, asked: Mapping[str, Any]) -> object:
    job = room.hand_in(str(asked["who"]), str(asked["lesson"]), str(asked["source"]), _language(asked))
    return {"job": job}


def _neighbour(room: Room, asked: Mapping[str, Any]) -> object:
    return room.neighbour(str(asked["who"]), str(asked["lesson"]))


def _attack(room: Room, asked: Mapping[str, Any]) -> object:
    world = asked["world"]
    if not isinstance(world, dict):
        raise TypeError
    lesson, of = str(asked["lesson"]), str(asked["of"])
    return {"job": room.attack(str(asked["who"]), lesson, of, world, _language(asked))}


def _job(room: Room, asked: Mapping[str, Any]) -> object:
    return room.job(int(asked["job"]))


def _state(room: Room, asked: Mapping[str, Any]) -> object:
    return room.state(_language(asked))


_ACTS: Mapping[str, Callable[[Room, Mapping[str, Any]], object]] = {
    "/api/questions": _questions,
    "/api/predict": _predict,
    "/api/hand-in": _hand_in,
    "/api/neighbour": _neighbour,
    "/api/attack": _attack,
    "/api/job": _job,
    "/api/state": _state,
}

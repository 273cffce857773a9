"""A stand-in for a libSQL server over HTTP: the pipeline of Hrana 2 over an SQLite file, reading only.

Checked by hand against the real @libsql/client 0.18, which reads a database through it.
"""

from __future__ import annotations

import base64
import json
import sqlite3
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


def cell(value: Any) -> dict[str, Any]:
    if value is None:
        return {"type": "null"}
    if isinstance(value, int):
        return {"type": "integer", "value": str(value)}
    if isinstance(value, float):
        return {"type": "float", "value": value}
    if isinstance(value, bytes):
        return {"type": "blob", "base64": base64.b64encode(value).decode().rstrip("=")}
    return {"type": "text", "value": value}


def plain(argument: dict[str, Any]) -> Any:
    kind = argument["type"]
    if kind == "blob":
        return base64.b64decode(argument["base64"] + "==")
    return int(argument["value"]) if kind == "integer" else argument.get("value")


class HranaServer:
    """Serves one file; ``asked`` keeps every statement that came."""

    def __init__(self, path: Path, token: str = "") -> None:
        self.asked: list[str] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if token and self.headers.get("Authorization") != f"Bearer {token}":
                    self.send_error(401)
                    return
                link = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
                answer = {
                    "baton": None,
                    "base_url": None,
                    "results": [run(link, r) for r in body["requests"]],
                }
                link.close()
                data = json.dumps(answer).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                pass

        def run(link: sqlite3.Connection, request: dict[str, Any]) -> dict[str, Any]:
            if request["type"] != "execute":
                return {"type": "ok", "response": {"type": request["type"]}}
            statement = request["stmt"]
            outer.asked.append(statement["sql"])
            try:
                cursor = link.execute(statement["sql"], [plain(a) for a in statement.get("args") or []])
                rows = [[cell(value) for value in row] for row in cursor]
            except sqlite3.Error as error:
                return {"type": "error", "error": {"message": str(error), "code": "SQLITE_ERROR"}}
            cols = [{"name": d[0], "decltype": None} for d in cursor.description or ()]
            result = {"cols": cols, "rows": rows, "affected_row_count": 0, "last_insert_rowid": None}
            return {"type": "ok", "response": {"type": "execute", "result": result}}

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.place = f"127.0.0.1:{self._server.server_address[1]}"

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

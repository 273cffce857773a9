"""Commands a person can copy, with real ids. None is ever run here.

The HTTP routes are those of eve 0.80.1, from its route table and channel reference
(docs/evidence/environments.md#stopping-an-open-step): ``POST /eve/v1/session/ID`` with ``inputResponses`` or
``message``, ``.../cancel`` with an optional ``turnId``, ``.../reset`` with an optional ``reason``. A plain
Workflow SDK app has no such routes.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from urllib.parse import quote

from eve_replay.guidance.plan.model import Next, Place
from eve_replay.ids import short_id
from eve_replay.journal.model import Park, Session

__all__ = ["answers", "cancel", "request_of", "reset", "send", "unlock"]

_SESSION = "/eve/v1/session"


def _post(place: Place, path: str, body: Mapping[str, object], words: str) -> Next:
    address = shlex.quote(place.url.rstrip("/") + path)
    data = shlex.quote(json.dumps(body, ensure_ascii=False, separators=(",", ":")))
    return Next(
        kind="curl",
        command=f"curl -X POST {address} -H 'content-type: application/json' -d {data}",
        words=words,
    )


def _path(session_id: str, verb: str = "") -> str:
    return f"{_SESSION}/{quote(session_id, safe='')}" + (f"/{verb}" if verb else "")


def reset(place: Place, session_id: str) -> Next:
    """Return the command that retires a session; its id never becomes a session again."""
    return _post(place, _path(session_id, "reset"), {"reason": "ended by hand"}, "retire the session")


def cancel(place: Place, session_id: str, turn_id: str = "") -> Next:
    """Return the command that cancels the turn at work; with its id it cannot hit a later one."""
    return _post(
        place, _path(session_id, "cancel"), {"turnId": turn_id} if turn_id else {}, "cancel the turn"
    )


def send(place: Place, session_id: str, text: str) -> Next:
    """Return the command that sends the session a message."""
    return _post(place, _path(session_id), {"message": text}, "send a message")


def request_of(session: Session, park: Park) -> Mapping[str, object]:
    """Return the request of a park as the stream holds it, empty when it does not."""
    for event in reversed(session.stream_events):
        requests = event.data.get("requests") if event.type == "input.requested" else None
        for request in requests if isinstance(requests, list) else ():
            if isinstance(request, dict) and request.get("requestId") == park.request_id:
                return request
    return {}


def answers(place: Place, session: Session, park: Park) -> tuple[Next, ...]:
    """Return one command per recorded option of a request, the one that does nothing outside first.

    A request without options is answered with a text, which the person has to write: no command then.
    """
    if not park.request_id:
        return ()
    options = request_of(session, park).get("options")
    names = [
        str(option["id"])
        for option in (options if isinstance(options, list) else ())
        if isinstance(option, dict) and isinstance(option.get("id"), str)
    ]
    names.sort(key=lambda name: name not in ("cancel", "deny", "reject", "decline", "no"))
    return tuple(
        _post(
            place,
            _path(session.head.parent or park.session_id),  # a subagent is answered through its caller
            {"inputResponses": [{"requestId": park.request_id, "optionId": name}]},
            f"answer {name}",
        )
        for name in names
    )


def unlock(place: Place, path: str, subject: str) -> Next | None:
    """Return the commands that copy the data folder and delete one lock, None without a folder or a path."""
    if not place.folder or not path:
        return None
    folder = place.folder.rstrip("/")
    lock = shlex.quote(f"{folder}/{path}")
    copy = shlex.quote(f"{folder}.copy")
    return Next(
        kind="shell",
        command=f"cp -a {shlex.quote(folder)} {copy} && rm {lock}",
        words=f"copy the folder, then delete the lock of {short_id(subject)}",
    )

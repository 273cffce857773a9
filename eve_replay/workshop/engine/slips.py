"""An error of a learner's own code, as far as a person needs it to mend it: which line, and what was meant.

Python knows the line and keeps it in the traceback, which ends with the run; here it becomes plain facts of
the trace. What is meant by a name that is not there is guessed by spelling only: ``callId`` is ``call_id``.
"""

from __future__ import annotations

import difflib
import linecache
import os
import re
import sysconfig
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import FrameType, MethodType, TracebackType

__all__ = ["slip_of"]

_OURS = str(Path(__file__).resolve().parents[2]) + os.sep
_PYTHON = tuple(
    str(Path(place).resolve()) + os.sep
    for name in ("stdlib", "platstdlib", "purelib")
    if (place := sysconfig.get_paths().get(name))
)
#: What other interfaces call the same thing.
_ALSO = {
    "idempotency_key": "key",
    "idempotencykey": "key",
    "dedupe_key": "key",
    "dedup_key": "key",
    "request_id": "key",
    "recipient": "to",
    "title": "subject",
    "amount": "cents",
    "setnx": "set_nx",
    "session": "session_id",
    "id": "call_id",
    "mailer": "mail",
    "email": "mail",
    "payment": "payments",
    "db": "sql",
    "redis": "store",
    "human": "people",
    "person": "people",
}
_LONGEST = 120
_MOST_NAMES = 12
_KEYWORD = re.compile(r"(\w+)\(\) got an unexpected keyword argument '(\w+)'")


def slip_of(error: BaseException) -> dict[str, object]:
    """Return the facts: ``line`` and ``code`` of the learner's own code, ``meant`` and ``can`` for a name.

    Args:
        error: as it was caught, with its traceback.

    Returns:
        Only what is known: nothing for an error that never was in the learner's code.
    """
    frame, line = _own_place(error.__traceback__)
    if frame is None:
        return {}
    facts: dict[str, object] = {"line": line}
    # The number alone where the text is not at hand: a cell that was typed in leaves none.
    text = linecache.getline(frame.f_code.co_filename, line).strip()
    if text:
        facts["code"] = text[:_LONGEST]
    return {**facts, **_meant(error, frame)}


def _own_place(traceback: TracebackType | None) -> tuple[FrameType | None, int]:
    """The innermost place that is neither of this package nor of Python."""
    frame, line = None, 0
    while traceback is not None:
        name = str(Path(traceback.tb_frame.f_code.co_filename).resolve())
        made = traceback.tb_frame.f_code.co_filename.startswith("<frozen")
        if not made and not name.startswith((_OURS, *_PYTHON)):
            frame, line = traceback.tb_frame, traceback.tb_lineno
        traceback = traceback.tb_next
    return frame, line


def _meant(error: BaseException, frame: FrameType) -> Mapping[str, object]:
    if isinstance(error, AttributeError) and error.name and not _explains_itself(error):
        can = _public(error.obj)
        return {"meant": _like(error.name, can), "can": ", ".join(can[:_MOST_NAMES])}
    if isinstance(error, NameError) and error.name:
        return {"meant": _meant_by_name(error.name, frame)}
    if isinstance(error, KeyError) and error.args and isinstance(error.args[0], str):
        given = frame.f_locals.get("input")
        can = [name for name in given if isinstance(name, str)] if isinstance(given, Mapping) else []
        if error.args[0] not in can:
            return {"meant": _like(error.args[0], can), "can": ", ".join(can[:_MOST_NAMES])}
    found = _KEYWORD.search(str(error)) if isinstance(error, TypeError) else None
    if found is not None:
        takes = _takes(found[1], frame)
        return {"meant": _like(found[2], takes), "can": ", ".join(takes[:_MOST_NAMES])}
    return {}


def _explains_itself(error: AttributeError) -> bool:
    return "It can:" in str(error)


def _public(thing: object) -> list[str]:
    """The names somebody may use of a thing of the workshop; nothing of other things, which Python knows."""
    if not type(thing).__module__.startswith("eve_replay.workshop"):
        return []
    return [name for name in dir(type(thing)) if not name.startswith("_")]


def _meant_by_name(name: str, frame: FrameType) -> str:
    """What stands at hand where a name was not found: in the function, in ``ctx``, in ``input``."""
    spoken = {each: each for each in (*frame.f_locals, *frame.f_globals) if not each.startswith("_")}
    context, given = frame.f_locals.get("ctx"), frame.f_locals.get("input")
    spoken |= {each: f"ctx.{each}" for each in _public(context)}
    if isinstance(given, Mapping):
        spoken |= {each: f'input["{each}"]' for each in given if isinstance(each, str)}
    services = _public(frame.f_locals.get("outside"))
    spoken |= {each: f"outside.{each}" for each in services}
    found = _like(name, spoken)
    return spoken.get(found, "")


def _takes(name: str, frame: FrameType) -> list[str]:
    """The parameters of a method of a service that was called, found by its name in what is at hand."""
    for value in frame.f_locals.values():
        if not type(value).__module__.startswith("eve_replay.workshop"):
            continue
        for holder in (value, *(getattr(value, each, None) for each in _public(value))):
            method = getattr(type(holder), name, None)
            code = getattr(method, "__code__", None)
            if code is not None and not isinstance(method, MethodType):
                count = code.co_argcount + code.co_kwonlyargcount
                return [each for each in code.co_varnames[1:count] if not each.startswith("_")]
    return []


def _like(name: str, names: Iterable[str]) -> str:
    plain = {_plain(each): each for each in names}
    if _plain(name) in plain:
        return plain[_plain(name)]
    also = _ALSO.get(name.lower())
    if also is not None and also in plain.values():
        return also
    close = difflib.get_close_matches(_plain(name), list(plain), n=1, cutoff=0.6)
    return plain[close[0]] if close else ""


def _plain(name: str) -> str:
    return name.replace("_", "").lower()

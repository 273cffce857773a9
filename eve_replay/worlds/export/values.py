"""What ``workflow inspect --json`` made of values, undone as far as it can be (docs/formats/export.md).

The command prints hydrated values through JSON.stringify. That loses things, and what is lost is said in
its place: an ``Undecoded`` whose reason is ``lost-in-export``, never an empty object.
"""

from __future__ import annotations

from collections.abc import Mapping

from eve_replay.values import JsBytes, JsError, Tagged, Undecoded

__all__ = ["NOT_EXPORTED", "index_bytes", "restore", "restore_error"]

_ENCRYPTED = "\U0001f512 Encrypted"
_EXPIRED = "<data expired>"
_STREAM = "__workflow_stream_ref__"
_INSTANCE = "__workflow_class_instance_ref__"

LOST_OBJECT = Undecoded(
    "lost-in-export",
    "Printed as {}: an empty object, or a Map, Set, RegExp, Headers, URLSearchParams or ArrayBuffer whose "
    "content the export lost.",
)
NOT_EXPORTED = Undecoded("not-exported", "The export was made without --withData: what was here is unknown.")
UNDEFINED_LOST = Undecoded("lost-in-export", "The export leaves out undefined values: probably undefined.")
ENCRYPTED = Undecoded("missing-key", "Exported without --decrypt: the value is encrypted.")
EXPIRED = Undecoded("expired", "The value had expired when it was exported.")
_HIDDEN = {_ENCRYPTED: ENCRYPTED, _EXPIRED: EXPIRED}


def restore(printed: object) -> object:
    """Return the value behind what was printed for a payload.

    ``{}`` becomes Undecoded, references become Tagged. Dates stay text and NaN stays null: nothing tells
    them from real text and real null. Without recursion, since exported values may be deep.
    """
    if isinstance(printed, str):
        return _HIDDEN.get(printed, printed)
    top: list[object] = [printed]
    todo: list[tuple[object, object]] = [(top, 0)]
    while todo:
        holder, slot = todo.pop()
        item = holder[slot]  # type: ignore[index]
        new: object
        if isinstance(item, list):
            new = list(item)
            todo.extend((new, i) for i in range(len(item)))
        elif isinstance(item, Mapping):
            new, inside = _object(item)
            todo.extend((inside, key) for key in inside)
        else:
            continue
        holder[slot] = new  # type: ignore[index]
    return top[0]


def _object(item: Mapping[str, object]) -> tuple[object, dict[str, object]]:
    if not item:
        return LOST_OBJECT, {}
    kind = item.get("__type")
    if kind == _STREAM and isinstance(item.get("streamId"), str):
        fields: dict[str, object] = {"name": item["streamId"]}
        return Tagged("ReadableStream", fields), {}
    if kind == _INSTANCE:
        fields = {name: item[name] for name in ("className", "classId", "data") if name in item}
        return Tagged("Instance", fields), fields
    new = dict(item)
    return new, new


def restore_error(printed: object, spec_version: object) -> object:
    """Return the error a run, a step or an event failed with.

    From spec version 5 on it was a value, printed as ``{name, message, stack, cause}``; before, it is the
    plain record that was stored.
    """
    value = restore(printed)
    old = isinstance(spec_version, int) and spec_version < 5
    if old or not isinstance(value, dict) or "message" not in value or "name" not in value:
        return value
    return JsError("Error", fields=dict(value))


def index_bytes(printed: object) -> JsBytes | None:
    """Return the bytes of a printed byte array ``{"0": 104, "1": 101}``, None when it is none.

    An object that happens to have these keys looks the same: use this where bytes are expected.
    """
    if not isinstance(printed, Mapping) or not printed:
        return None
    numbers = list(printed.values())
    if any(key != str(i) for i, key in enumerate(printed)):
        return None
    if any(isinstance(n, bool) or not isinstance(n, int) or not 0 <= n <= 255 for n in numbers):
        return None
    return JsBytes("Uint8Array", bytes(numbers))

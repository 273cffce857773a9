"""Entities of the vendor's storage API as record fields: shared by Postgres, Redis, MongoDB and exports.

Those worlds store the same entities (run, step, event, hook, wait) and differ in the container only: CBOR
columns, CBOR in base64, extended JSON. Here the container is open already and the payloads are still bytes.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from eve_replay.codec import KeyRing, Payload, loads_json
from eve_replay.errors import SourceUnreadable, WrongUse
from eve_replay.limits import DEFAULT, Limits, as_limits
from eve_replay.problems import Receipt
from eve_replay.records import EVENT_PAYLOADS
from eve_replay.values import UNDEFINED, JsBytes, JsDate, Undecoded, to_tagged

__all__ = [
    "Wrap",
    "entity_field",
    "entity_fields",
    "entity_value",
    "event_data",
    "from_json",
    "number_option",
    "read_json",
    "text_option",
]

#: Payload fields of runs, steps and hooks; those of events lie inside ``eventData``.
_PAYLOADS = frozenset(("input", "output", "error", "metadata", "dynamicWorkflowCode"))
#: Records outside payloads are shallow; what is deeper is a broken or hostile document.
_DEEPEST = 200


def from_json(text: str) -> object:
    """Return the data of a JSON text. Raises ValueError."""
    data: object = loads_json(text)
    return data


def read_json(path: Path) -> object:
    """Return the data of a JSON file. Raises SourceUnreadable."""
    try:
        data: object = loads_json(path.read_bytes())
    except OSError as error:
        raise SourceUnreadable(f"{path} cannot be read: {error.strerror or error}.") from error
    except ValueError as error:
        raise SourceUnreadable(f"{path} is no JSON: {error}.") from error
    return data


def text_option(options: Mapping[str, object], name: str) -> str | None:
    """Return an option that must be text. Raises WrongUse."""
    value = options.get(name)
    if value is None or isinstance(value, str):
        return value
    raise WrongUse(f"The option {name} must be text.")


def number_option(options: Mapping[str, object], name: str) -> float | None:
    """Return an option that must be a number above 0, or the text of one. Raises WrongUse."""
    value = options.get(name)
    if value is None:
        return None
    try:
        number = float(value) if isinstance(value, (int, float, str)) else 0.0
    except ValueError:
        number = 0.0
    if not number > 0:
        raise WrongUse(f"The option {name} must be a number above 0.")
    return number


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrap:
    """Makes payload objects for one world: knows the keys and the size limit the user gave."""

    keys: KeyRing | None = None
    limit: Limits = DEFAULT

    @classmethod
    def of(cls, options: Mapping[str, object]) -> Wrap:
        """Return the wrap that ``open_world``'s options ask for. Raises WrongUse."""
        keys, limit = options.get("keys"), options.get("limit")
        if keys is not None and not isinstance(keys, KeyRing):
            raise WrongUse("The option keys must be a KeyRing.")
        return cls(keys=keys, limit=as_limits(limit))

    def payload(self, opened: object, where: str, run_id: str) -> Payload:
        """Return the payload for what a container held.

        Bytes are an envelope. A list or a number is a devalue document of layout 1. Text and objects are
        plain records, such as the ``{message, stack, code}`` errors of spec version 3
        (docs/formats/payload.md#spec-versions).
        """
        if isinstance(opened, JsBytes):
            opened = opened.data
        if isinstance(opened, (bytes, list)) or (isinstance(opened, int) and not isinstance(opened, bool)):
            return Payload(opened, keys=self.keys, limit=self.limit, where=where, run_id=run_id)
        return self.decoded(_without_undefined(opened), where, run_id)

    def decoded(self, value: object, where: str, run_id: str) -> Payload:
        """Return a payload over a value that needs no decoding."""
        return Payload.plain(value, where=where, run_id=run_id)

    def open_cbor(self, data: bytes, where: str, receipt: Receipt) -> object:
        """Return the value of a CBOR document, or Undecoded and a problem."""
        from eve_replay.worlds.cborx import decode_cbor

        notes: list[tuple[str, str]] = []
        value = decode_cbor(data, notes=notes)
        if isinstance(value, Undecoded):
            # What is not installed is said once, not for every field of every row.
            again = value.reason == "missing-library" and any(
                p.code == value.reason for p in receipt.problems
            )
            if not again:
                receipt.problem("error", value.reason, where, value.message)
        for code, message in notes:
            receipt.problem("warning", code, where, message)
        return value


def entity_value(value: object, depth: int = 0) -> object:
    """Return data outside payloads as JSON data: dates as ISO text, undefined properties left out.

    Values that JSON does not have come in their tagged form (docs/formats/tagged-json.md), bytes as local
    files hold them.
    """
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, JsDate):
        return value.iso()
    if isinstance(value, bytes):
        return {"__type": "Uint8Array", "data": base64.b64encode(value).decode("ascii")}
    if not isinstance(value, (Mapping, list)):
        return to_tagged(value)
    if depth > _DEEPEST:
        return to_tagged(Undecoded("too-deep", f"Nested deeper than {_DEEPEST} levels."))
    if isinstance(value, Mapping):
        return {str(k): entity_value(v, depth + 1) for k, v in value.items() if v is not UNDEFINED}
    return [None if item is UNDEFINED else entity_value(item, depth + 1) for item in value]


def _without_undefined(value: object) -> object:
    # The vendor's reader adds ``code: undefined`` to plain errors; no file of another world holds it.
    if isinstance(value, Mapping):
        return {str(k): v for k, v in value.items() if v is not UNDEFINED}
    return value


def entity_field(value: object, where: str, run_id: str) -> object:
    """Return a field that should be an object: a container that cannot be read is a payload that says so."""
    if value is UNDEFINED:
        return None
    if isinstance(value, Undecoded):
        return Payload.plain(value, where=where, run_id=run_id)
    return entity_value(value)


def event_data(opened: object, wrap: Wrap, where: str, run_id: str) -> object:
    """Return ``eventData`` with its payloads wrapped; anything but a mapping is returned as it is."""
    if not isinstance(opened, Mapping):
        return entity_field(opened, where, run_id)
    data: dict[str, object] = {}
    for key, value in opened.items():
        name = str(key)
        if value is UNDEFINED or (value is None and name in EVENT_PAYLOADS):
            continue
        if isinstance(value, (JsBytes, bytes)) or name in EVENT_PAYLOADS:
            data[name] = wrap.payload(value, f"{where}/{name}", run_id)
        else:
            data[name] = entity_value(value)
    return data


def entity_fields(opened: Mapping[str, object], wrap: Wrap, where: str) -> dict[str, object]:
    """Return an entity's properties as record fields: null and undefined ones left out."""
    fields: dict[str, object] = {}
    run_id = opened.get("runId")
    run_id = run_id if isinstance(run_id, str) else ""
    for name, value in opened.items():
        if value is None or value is UNDEFINED:
            continue
        if name == "eventData":
            data = event_data(value, wrap, f"{where}/eventData", run_id)
            if data is not None:
                fields[name] = data
        elif name in _PAYLOADS:
            fields[name] = wrap.payload(value, f"{where}/{name}", run_id)
        else:
            fields[name] = entity_field(value, f"{where}/{name}", run_id)
    return fields

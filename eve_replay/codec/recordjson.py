"""Record files: JSON in which bytes are ``{"__type": "Uint8Array", "data": "<base64>"}``."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

from eve_replay.codec.devalue.document import decode_text
from eve_replay.codec.devalue.parse import Notes
from eve_replay.codec.jsontext import JsonFault, parse_json
from eve_replay.codec.keys import KeyRing
from eve_replay.codec.payload import Payload
from eve_replay.limits import LimitsLike
from eve_replay.values import Undecoded

__all__ = ["ParsedRecord", "is_json_bytes", "parse_record", "payload_from_json"]


class ParsedRecord(NamedTuple):
    """What a record file holds.

    Attributes:
        fields: the record, None when the file is none.
        failure: why it is none.
        notes: ``(code, message)`` of damage that could be read over: ``bad-utf8``.
    """

    fields: dict[str, Any] | None
    failure: Undecoded | None
    notes: tuple[tuple[str, str], ...] = ()


def is_json_bytes(value: object) -> bool:
    """Return whether a JSON value stands for bytes."""
    return (
        isinstance(value, dict) and value.get("__type") == "Uint8Array" and isinstance(value.get("data"), str)
    )


def payload_from_json(
    value: Any,
    *,
    keys: KeyRing | None = None,
    limit: LimitsLike = None,
    where: str = "",
    run_id: str = "",
    own: bool | None = False,
) -> Payload | None:
    """Return the payload a record field holds, None for null.

    Bytes are an envelope (their base64 is decoded when the payload is opened, not here); a list or a
    number is devalue itself (spec version 1); an object or text is a plain record, such as an error
    before spec version 5 (docs/formats/payload.md#spec-versions). ``own`` as in ``Payload``.
    """
    if value is None:
        return None
    if is_json_bytes(value):
        return Payload.from_base64(value["data"], keys=keys, limit=limit, where=where, run_id=run_id, own=own)
    if (elsewhere := _elsewhere(value)) is not None:
        return Payload.plain(elsewhere, where=where, run_id=run_id)
    if isinstance(value, (dict, str)):
        return Payload.plain(value, where=where, run_id=run_id)
    return Payload(value, keys=keys, limit=limit, where=where, run_id=run_id, own=own)


def _elsewhere(value: object) -> Undecoded | None:
    """Return a marker for what stands in place of a payload: the value itself is not in this store.

    The hosted store keeps large values apart and leaves a reference; tools that print records write
    ``[Circular]`` where they met an object twice.
    """
    if isinstance(value, dict) and value.get("_type") == "RemoteRef":
        ref = str(value.get("_ref"))[:200]
        return Undecoded("kept-elsewhere", f"The value is not here, only a reference to it: {ref!a}.")
    if value == "[Circular]":
        return Undecoded(
            "not-written", "The tool that wrote this record put [Circular] in place of the value."
        )
    return None


def parse_record(
    text: bytes | str,
    payload_fields: Collection[str] = (),
    *,
    data_fields: Collection[str] = (),
    keys: KeyRing | None = None,
    limit: LimitsLike = None,
    where: str = "",
) -> ParsedRecord:
    """Return a record with its payload fields as ``Payload``. Never raises.

    Args:
        text: the file.
        payload_fields: names of payload fields of the record itself.
        data_fields: names of payload fields inside ``eventData``.
        keys: keys for encrypted payloads; the record's ``runId`` chooses.
        limit: as in ``Payload``.
        where: the file, for problems.
    """
    notes = Notes()
    fields = parse_json(decode_text(text, notes) if isinstance(text, bytes) else text)
    if isinstance(fields, JsonFault):
        return ParsedRecord(None, Undecoded("bad-json", f"Not JSON: {fields.message}.", "$", fields.offset))
    if not isinstance(fields, dict):
        return ParsedRecord(None, Undecoded("invalid-input", "The file holds JSON, but no record."))
    run = fields.get("runId")
    run_id = run if isinstance(run, str) else ""
    event = fields.get("eventData")
    holders: list[tuple[Any, Collection[str], str]] = [(fields, payload_fields, "")]
    if data_fields and isinstance(event, dict):
        holders.append((event, data_fields, "eventData."))
    for holder, names, prefix in holders:
        for name in names:
            if holder.get(name) is not None:
                place = f"{where} {prefix}{name}".strip()
                holder[name] = payload_from_json(
                    holder[name], keys=keys, limit=limit, where=place, run_id=run_id
                )
    return ParsedRecord(fields, None, tuple(notes))

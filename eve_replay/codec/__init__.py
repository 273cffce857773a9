"""Bytes to values: envelopes, devalue, streams, record JSON. Knows nothing of runs and worlds."""

from __future__ import annotations

from eve_replay.codec.crypto import derive_run_key
from eve_replay.codec.devalue.document import decode_devalue
from eve_replay.codec.devalue.lazy import LazyValue, parse_path
from eve_replay.codec.envelope import DEFAULT_LIMIT, Opened, open_envelope
from eve_replay.codec.frames import Frame, iter_frames
from eve_replay.codec.jsonout import dumps_tagged
from eve_replay.codec.jsontext import JsonFault, loads_json, loads_lines
from eve_replay.codec.keys import KeyRing, parse_key
from eve_replay.codec.payload import Payload
from eve_replay.codec.recordjson import ParsedRecord, is_json_bytes, parse_record, payload_from_json
from eve_replay.codec.streams import (
    Found,
    StreamItem,
    byte_stream,
    session_events,
    stream_form,
    stream_values,
)

__all__ = [
    "DEFAULT_LIMIT",
    "Found",
    "Frame",
    "JsonFault",
    "KeyRing",
    "LazyValue",
    "Opened",
    "ParsedRecord",
    "Payload",
    "StreamItem",
    "byte_stream",
    "decode_devalue",
    "derive_run_key",
    "dumps_tagged",
    "is_json_bytes",
    "iter_frames",
    "loads_json",
    "loads_lines",
    "open_envelope",
    "parse_key",
    "parse_path",
    "parse_record",
    "payload_from_json",
    "session_events",
    "stream_form",
    "stream_values",
]

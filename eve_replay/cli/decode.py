"""``eve-replay decode``: one payload, wherever it came from."""

from __future__ import annotations

import base64
import binascii
import re
import sys
from pathlib import Path

import click

from eve_replay.cli._common import Shell, command, echo, emit_json, finish, note
from eve_replay.cli._payload import payload_json, payload_lines, raw_lines
from eve_replay.codec import Payload
from eve_replay.codec.jsontext import JsonFault, parse_json
from eve_replay.errors import SourceUnreadable, WrongUse
from eve_replay.values import Undecoded

__all__ = ["cli"]

_BASE64 = re.compile(rb"[A-Za-z0-9+/_\-\s]+={0,2}\s*\Z")
_PREFIXES = (b"devl", b"zstd", b"gzip", b"encr", b"encp")


@command("decode")
@click.argument("file", default="-")
@click.option(
    "--base64", "is_base64", is_flag=True, help="FILE holds base64 text; found out by itself otherwise."
)
@click.option("--path", metavar="PATH", help="Only this part, such as '$.args[0]'.")
@click.option("--all", "whole", is_flag=True, help="Unfold everything, texts to their end.")
@click.option("--raw", is_flag=True, help="Show the stored bytes too.")
def cli(shell: Shell, file: str, is_base64: bool, path: str | None, whole: bool, raw: bool) -> None:
    """Decode one payload: a file, `-` for stdin, or the base64 text itself.

    Takes the stored bytes, their base64 text, or the JSON that local records hold
    ({"__type": "Uint8Array", "data": "..."}).
    """
    data, label = _read(file)
    payload = Payload(
        _payload_bytes(data, forced=is_base64),
        keys=shell.keys,
        limit=shell.limit,
        where=label,
    )
    document = payload_json(payload, path)
    if shell.json:
        emit_json(shell, "decode", label, None, **document)
    else:
        if raw:
            echo(shell, raw_lines("stored", payload)[1:])
        echo(shell, payload_lines(shell, "value", payload, path, whole=whole)[0 if raw else 1 :])
        value = payload.value
        if isinstance(value, Undecoded) and value.reason == "missing-key":
            note(shell, "It is encrypted. Give the run key with --key BASE64 or --key-file FILE.")
    finish(shell, None, problems="undecoded" in document)


def _read(file: str) -> tuple[bytes, str]:
    """The bytes and a label: from stdin, from a file, or from the word itself when it is base64."""
    if file == "-":
        if sys.stdin.isatty():
            raise WrongUse("Nothing to decode.", hint="Give a file, base64 text, or pipe the payload in.")
        return sys.stdin.buffer.read(), "-"
    path = Path(file)
    try:
        return path.read_bytes(), file
    except (OSError, ValueError) as error:
        word = file.encode("utf-8", "replace")
        if len(word) >= 8 and _BASE64.match(word) and "." not in file:
            return word, "argument"
        reason = getattr(error, "strerror", None) or "no such file"
        raise SourceUnreadable(
            f"{file!r} cannot be read ({reason}).", hint="It is no base64 text either."
        ) from None


def _payload_bytes(data: bytes, *, forced: bool) -> bytes | object:
    """Find the payload in what was given; a legacy payload (spec 1) is JSON, not bytes."""
    if forced:
        return _unbase64(data, strict=True)
    if data[:4] in _PREFIXES:
        return data
    stripped = data.strip()
    if stripped[:1] in (b"{", b"[", b"-"):
        parsed = parse_json(stripped.decode("utf-8", "replace"))
        if not isinstance(parsed, JsonFault):
            return _from_json(parsed)
    if len(stripped) >= 8 and _BASE64.match(stripped):
        inner = _unbase64(stripped, strict=False)
        if inner is not None and (inner[:4] in _PREFIXES or re.match(rb"[a-z0-9]{4}", inner)):
            return inner
    return data


def _from_json(value: object) -> bytes | object:
    """What local JSON holds: bytes in base64, or a payload of spec 1 (formats/LOCAL.md section 3)."""
    if not isinstance(value, dict):
        return value
    data = value.get("data")
    if value.get("__type") == "Uint8Array" and isinstance(data, str):
        return _unbase64(data.encode(), strict=True)
    raise WrongUse(
        "This is a JSON object, not a payload.",
        hint="A whole record or folder is read by `eve-replay dump`, `show` and `step`.",
    )


def _unbase64(text: bytes, *, strict: bool) -> bytes | None:
    compact = re.sub(rb"\s", b"", text).replace(b"-", b"+").replace(b"_", b"/").rstrip(b"=")
    try:
        return base64.b64decode(compact + b"=" * (-len(compact) % 4), validate=True)
    except (binascii.Error, ValueError):
        if strict:
            raise WrongUse(
                "This is not base64 text.", hint="Leave out --base64 to have it found out."
            ) from None
        return None

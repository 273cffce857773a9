"""``eve-replay decode``: one payload, wherever it came from."""

from __future__ import annotations

import base64
import re
import sys
from pathlib import Path
from typing import Any

import click

from eve_replay.cli.shared.common import Shell, command, echo, emit_json, finish, note
from eve_replay.cli.shared.payload import payload_json, payload_lines, raw_lines
from eve_replay.codec import JsonFault, Payload, is_json_bytes, payload_from_json
from eve_replay.codec.jsontext import parse_json
from eve_replay.errors import SourceUnreadable, WrongUse
from eve_replay.problems import Receipt
from eve_replay.values import Undecoded

__all__ = ["cli"]

_BASE64 = re.compile(rb"[A-Za-z0-9+/_\-\s]+={0,2}\s*\Z")
_PREFIX = re.compile(rb"[a-z0-9]{4}")


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
    payload = _payload(data, forced=is_base64, keys=shell.keys, limit=shell.limit, where=label)
    document = payload_json(payload, path)
    if shell.json:
        receipt = Receipt(seen=1, parsed=1, decoded=int("undecoded" not in document))
        emit_json(shell, "decode", label, receipt, **document)
    else:
        if raw:
            echo(shell, raw_lines("stored", payload)[1:])
        echo(shell, payload_lines(shell, "value", payload, path, whole=whole)[0 if raw else 1 :])
        value = payload.shared
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
        if _is_base64(word):
            return word, "argument"
        reason = getattr(error, "strerror", None) or "no such file"
        raise SourceUnreadable(
            f"{file!r} cannot be read ({reason}).", hint="It is no base64 text either."
        ) from None


def _payload(data: bytes, *, forced: bool, **options: Any) -> Payload:
    """Find the payload in what was given: bytes, base64 text, or what local JSON holds."""
    if forced:
        return Payload.from_base64(data.decode("ascii", "replace").strip(), **options)
    stripped = data.strip()
    if stripped[:1] in (b"{", b"[", b"-"):
        parsed = parse_json(stripped.decode("utf-8", "replace"))
        if isinstance(parsed, dict) and not is_json_bytes(parsed):
            raise WrongUse(
                "This is a JSON object, not a payload.",
                hint="A whole record or folder is read by `eve-replay dump`, `show` and `step`.",
            )
        if (
            not isinstance(parsed, JsonFault)
            and (payload := payload_from_json(parsed, **options)) is not None
        ):
            return payload
    if _is_base64(stripped):
        return Payload.from_base64(stripped.decode("ascii"), **options)
    return Payload(data, own=None, **options)  # nobody knows who wrote a lone payload


def _is_base64(text: bytes) -> bool:
    """Whether this is base64 text of something that starts as a payload does."""
    if len(text) < 8 or not _BASE64.match(text):
        return False
    head = text[:8].replace(b"-", b"+").replace(b"_", b"/")
    try:
        return _PREFIX.match(base64.b64decode(head)) is not None
    except ValueError:
        return False

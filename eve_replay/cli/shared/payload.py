"""Payloads as the commands show them: layers, decoded value, raw bytes."""

from __future__ import annotations

from eve_replay.cli.shared.common import Shell
from eve_replay.codec import Payload
from eve_replay.values import UNDEFINED, Undecoded, to_tagged
from eve_replay.views.inspect.value import value_lines, value_rows
from eve_replay.views.kit.text import Line, line
from eve_replay.views.kit.words import size

__all__ = ["first_undecoded", "hex_lines", "payload_json", "payload_lines", "raw_lines", "undecoded_json"]

_FOLDED, _UNFOLDED = 40, 1_000_000
_HEX_BYTES = 512


def undecoded_json(value: Undecoded) -> dict[str, object]:
    """Return the object ``undecoded``, see docs/json.md."""
    return {"reason": value.reason, "message": value.message, "path": value.path} | (
        {"offset": value.offset} if value.offset is not None else {}
    )


def payload_json(payload: Payload, path: str | None) -> dict[str, object]:
    """Return ``{layers, bytes, value}``, or ``undecoded`` in place of ``value``.

    A value of which a part could not be decoded has both: the part is marked where it stands, and
    ``undecoded`` names the first one.
    """
    value = part(payload, path)
    head: dict[str, object] = {"layers": list(payload.layers), "bytes": payload.size}
    lost = first_undecoded(payload, path)
    if not isinstance(value, Undecoded):
        head["value"] = to_tagged(value)
    return head | ({"undecoded": undecoded_json(lost)} if lost is not None else {})


def first_undecoded(payload: Payload, path: str | None = None) -> Undecoded | None:
    """Return what could not be decoded of a payload; with a path only whether that part could not."""
    if path is None:
        return payload.undecoded
    value = part(payload, path)
    return value if isinstance(value, Undecoded) else None


def part(payload: Payload, path: str | None) -> object:
    """Return the value, or the part of it at ``path``. Raises WrongUse for a text that is no path."""
    return payload.shared if path is None else payload.at(path)


def payload_lines(
    shell: Shell, name: str, payload: Payload, path: str | None = None, *, whole: bool = False
) -> list[Line]:
    """Return a heading with sizes and layers, and the value folded to fit (or ``whole``)."""
    value = part(payload, path)
    layers = " > ".join(payload.layers)
    stored = f"{size(payload.size)} " if payload.is_bytes else ""
    opened = f", opened to {size(payload.text_size)}" if payload.text_size and len(payload.layers) > 1 else ""
    head = line((name, "strong"), (f"  {stored}{layers}{opened}", "muted"), (f"  {path or ''}", "muted"))
    if path is not None and value is UNDEFINED:
        return [(), head, line(("  There is nothing at this path.", "muted"))]
    budget = _UNFOLDED if whole else _FOLDED
    rows = value_rows(value, budget=budget, page=budget if whole else 20, path=path or "$")
    out = [(), head, *value_lines(rows, width=shell.width, indent=2, whole_text=whole)]
    folded = any(row.node is not None and row.node.count and not row.open and not row.note for row in rows)
    if folded and not whole and len(rows) > 20:
        out.append(line(("  Folded to fit: --path PATH opens a part, --all everything.", "muted")))
    return out


def raw_lines(name: str, payload: Payload) -> list[Line]:
    """Return the layers and the first stored bytes in hexadecimal."""
    head = line((name, "strong"), (f"  {size(payload.size)} {' > '.join(payload.layers)}", "muted"))
    if not payload.is_bytes:
        return [(), head, line(("  Stored as plain JSON, not as bytes.", "muted"))]
    return [(), head, *hex_lines(payload.raw)]


def hex_lines(data: bytes, *, limit: int = _HEX_BYTES) -> list[Line]:
    """Return lines of 16 bytes: offset, hexadecimal, printable ASCII."""
    out = []
    for start in range(0, min(len(data), limit), 16):
        chunk = data[start : start + 16]
        text = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in chunk)
        out.append(line((f"  {start:06x}  ", "muted"), f"{chunk.hex(' '):<47}  ", (text, "muted")))
    if len(data) > limit:
        out.append(line((f"  and {size(len(data) - limit)} more; --json --raw gives all of it.", "muted")))
    return out

"""The typed forms of devalue itself, for types the SDK brings no own form for, and sparse arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eve_replay.codec.devalue.revive import BadPayload, byte_view
from eve_replay.values import (
    HOLE,
    UNDEFINED,
    BigInt,
    Boxed,
    JsBytes,
    NullObject,
    SparseArray,
    Tagged,
    Unknown,
)
from eve_replay.values.scalars import ELEMENT_SIZES

if TYPE_CHECKING:
    from eve_replay.codec.devalue.parse import Hydrator

__all__ = ["MAX_SPARSE", "make_builtin", "make_sparse"]

#: The vendor refuses longer sparse arrays (docs/formats/payload.md#types).
MAX_SPARSE = 100_000
_LIST_UP_TO = 4096


def make_builtin(raw: list[Any], document: Hydrator) -> object:
    """Return the value of a typed entry that is no custom type. Raises BadPayload."""
    tag = raw[0]
    if tag == "Object":
        return _boxed(raw, document)
    if tag == "null":
        return _null_object(raw, document)
    if tag in ("Float16Array", "DataView"):
        return make_view(raw, document)
    if isinstance(tag, str) and tag.startswith("Temporal.") and len(raw) == 2:
        # devalue 5.3 on; the Node that eve runs on has no Temporal, so the vendor's reader fails there.
        text = document.payload(raw)
        if isinstance(text, str):
            return Tagged(tag, {"value": text})
    document.context.failed = True
    if len(raw) > 2:
        rest: list[object] = [None] * (len(raw) - 1)
        document.spread.append((rest, list(range(len(rest))), raw[1:]))
        return Unknown(tag, rest)
    try:
        return Unknown(tag, document.payload(raw) if len(raw) > 1 else UNDEFINED)
    except BadPayload as error:
        return Unknown(tag, document.undecoded("invalid-input", str(error)))


def make_view(raw: list[Any], document: Hydrator) -> object:
    """Return a view on a buffer: ``[tag, buffer, start, length]``. Raises BadPayload.

    devalue from 5.7 on writes the offset in bytes and the number of elements; before, the first and the last
    element (``subarray(start, end)``; tests/drift/devalue_forms.py). Where only one of them fits it is taken;
    where both do, the newer one is, and a note says what the other would be.
    """
    tag = raw[0]
    buffer = document.resolve(raw[1]) if len(raw) > 1 else UNDEFINED
    if not isinstance(buffer, JsBytes) or buffer.kind != "ArrayBuffer":
        raise BadPayload(f"A {tag} needs an ArrayBuffer.")
    start = raw[2] if len(raw) > 2 else UNDEFINED
    length = raw[3] if len(raw) > 3 else UNDEFINED
    if length is None or (length is UNDEFINED and start is not UNDEFINED):
        # devalue 5.6 to 5.8 wrote ``undefined`` here, which is no JSON: a DataView has no ``length``.
        document.note("view-length", f"A {tag} on a part of a buffer was written without its length.")
        return byte_view(tag, buffer.data, start)
    older = _subarray(tag, buffer.data, start, length)
    try:
        newer = byte_view(tag, buffer.data, start, length)
    except BadPayload:
        if older is None:
            raise
        return older
    if older is not None and older != newer and start != 0:
        document.note(
            "ambiguous-view",
            f"A {tag} on a part of a buffer: read as byte {start} and {length} elements, as devalue 5.7 on "
            f"writes it. Before, the same numbers meant the elements {start} to {length}.",
        )
    return newer


def _subarray(tag: str, data: bytes, start: Any, end: Any) -> JsBytes | None:
    size = ELEMENT_SIZES[tag]
    if tag == "DataView" or start.__class__ is not int or end.__class__ is not int:
        return None
    return JsBytes(tag, data[start * size : end * size]) if 0 <= start <= end <= len(data) // size else None


def _boxed(raw: list[Any], document: Hydrator) -> object:
    if len(raw) > 1 and raw[1].__class__ in (str, bool):
        return Boxed(raw[1])  # devalue up to 5.6 puts the primitive itself here
    try:
        value = document.resolve(raw[1]) if len(raw) > 1 else UNDEFINED
    except BadPayload:
        value = Boxed
    typed = value.__class__ is list and bool(value) and value[0].__class__ is str
    number = len(raw) > 1 and raw[1].__class__ in (int, float)
    if number and (value is Boxed or value.__class__ is Boxed or typed):
        document.note("boxed-inline", "A boxed number in the form of devalue up to 5.6.")
        return Boxed(raw[1])
    if value.__class__ not in (str, int, float, bool, BigInt):
        raise BadPayload("Invalid input: only a primitive can be boxed.")
    return Boxed(value)


def _null_object(raw: list[Any], document: Hydrator) -> object:
    result = NullObject()
    keys = raw[1::2]
    if "__proto__" in keys:
        document.note_proto()
    if not all(isinstance(key, str) for key in keys):
        raise BadPayload("Invalid input: a key is no text.")
    result.update(dict.fromkeys(keys))
    refs = raw[2::2]
    document.spread.append((result, keys, refs + [None] * (len(keys) - len(refs))))
    return result


def make_sparse(raw: list[Any], document: Hydrator) -> object:
    """Return the array of ``[-7, length, index, ref, ...]``. Raises BadPayload."""
    length = raw[1] if len(raw) > 1 else None
    if length.__class__ is float and length.is_integer():
        length = int(length)
    if length.__class__ is not int or not 0 <= length < 2**32:
        raise BadPayload("Invalid input: a sparse array needs a length.")
    if length > MAX_SPARSE:
        message = f"Sparse array length {length} exceeds the maximum of {MAX_SPARSE}."
        return document.undecoded("too-big", message)
    indexes, refs = raw[2::2], raw[3::2]
    refs += [None] * (len(indexes) - len(refs))
    for index in indexes:
        if index.__class__ is not int or not 0 <= index < length:
            raise BadPayload("Invalid input: an index outside the sparse array.")
    if length <= _LIST_UP_TO or len(set(indexes)) * 4 >= length:
        array: list[object] = [HOLE] * length
        document.spread.append((array, indexes, refs))
        return array
    sparse = SparseArray(length)
    sparse.entries = dict.fromkeys(sorted(indexes))
    document.spread.append((sparse.entries, indexes, refs))
    return sparse

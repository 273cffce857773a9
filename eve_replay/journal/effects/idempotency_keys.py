"""Idempotency keys seen in inputs and results: what a journal shows of how a tool protects itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from eve_replay.journal.effects.policy import KeyBy, Protection, split_words

__all__ = ["SeenKey", "absorbed", "key_at", "keys_in", "protection_from"]

#: Names, joined words in lower case, that are idempotency keys wherever they stand.
_SURE_WORDS = (
    "idempotencykey idempotencytoken idempotentkey idempotenttoken idempotencyid dedupekey dedupkey"
    " deduplicationkey deduplicationid messagededuplicationid clientrequesttoken clienttoken"
    " requesttoken idempotence"
)
#: A bare ``key`` counts only when its value is made of an id of this very call (pay-with-key recording).
_MAYBE = frozenset(["key", "requestkey", "requestid", "reference"])
#: Flags by which a receiver says that it had seen the key before (pay-with-key: ``replayed: true``).
_ABSORBED_WORDS = (
    "replayed idempotentreplayed idempotentreplay alreadyprocessed duplicate deduplicated"
    " isduplicate isreplay reused"
)
_SURE = frozenset(_SURE_WORDS.split())
_ABSORBED = frozenset(_ABSORBED_WORDS.split())
_COORDINATES = re.compile(r"turn[_-]?\d+\D+\d+")
_DEPTH = 4
_WIDTH = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenKey:
    """One key seen in one attempt.

    Attributes:
        value: the key.
        name: the field's name.
        where: ``input`` or ``result``.
        by: what it is made of.
        attempt: the attempt, 0 when not yet told.
    """

    value: str
    name: str
    where: Literal["input", "result"]
    by: KeyBy
    attempt: int = 0


def _fields(value: object, depth: int = 0) -> Iterator[tuple[str, str]]:
    """Yield ``(name, text)`` of the string and number fields of nested plain objects and arrays."""
    if depth > _DEPTH:
        return
    if isinstance(value, Mapping):
        for name, item in list(value.items())[:_WIDTH]:
            if isinstance(item, str) or (isinstance(item, int) and not isinstance(item, bool)):
                yield str(name), str(item)
            elif isinstance(item, (Mapping, list)):
                yield from _fields(item, depth + 1)
    elif isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        for item in value[:_WIDTH]:
            if isinstance(item, (Mapping, list)):
                yield from _fields(item, depth + 1)


def _made_of(value: str, known: Mapping[str, str], others: Sequence[str]) -> KeyBy:
    """Say what a key is made of; the part that changes soonest decides (``session:callId`` is by call id)."""
    if known.get("call-id") and known["call-id"] in value:
        return "call-id"
    if known.get("step-id") and known["step-id"] in value:
        return "step-id"
    if _COORDINATES.search(value):
        return "coordinates"
    if any(len(other) >= 3 and other in value for other in others):
        return "business-id"
    if known.get("session-id") and known["session-id"] in value:
        return "session-id"
    if known.get("run-id") and known["run-id"] in value:
        return "run-id"
    return "unknown"


def keys_in(
    input_: object, output: object, known: Mapping[str, str], *, result_first: bool = True
) -> Iterator[SeenKey]:
    """Yield the keys in an input and a result, best first.

    Args:
        input_: the call's input.
        output: its result, None without one.
        known: ids of this call: ``call-id``, ``step-id``, ``run-id``, ``session-id``.
        result_first: look at the result before the input.
    """
    inputs = list(_fields(input_))
    outputs = list(_fields(output))
    groups: list[tuple[Literal["input", "result"], list[tuple[str, str]]]] = [
        ("result", outputs),
        ("input", inputs),
    ]
    if not result_first:
        groups.reverse()
    plain = [text for name, text in inputs if "".join(split_words(name)) not in _SURE | _MAYBE]
    for where, fields in groups:
        for name, text in fields:
            word = "".join(split_words(name))
            if not text or (word not in _SURE and word not in _MAYBE):
                continue
            by = _made_of(text, known, plain)
            if word in _SURE or by in ("call-id", "step-id", "coordinates", "session-id", "run-id"):
                yield SeenKey(value=text, name=name, where=where, by=by)


def key_at(path: str, input_: object, output: object, known: Mapping[str, str]) -> SeenKey | None:
    """Return the key at a policy's path: ``$.input.order``, ``$.result.id``; ``$.order`` means the input."""
    names = [part for part in path.removeprefix("$").replace("[", ".").replace("]", "").split(".") if part]
    where: Literal["input", "result"] = "input"
    if names and names[0] in ("input", "result", "output"):
        where = "input" if names[0] == "input" else "result"
        names = names[1:]
    value = input_ if where == "input" else output
    for name in names:
        if isinstance(value, Mapping):
            value = value.get(name)
        elif isinstance(value, list) and name.isdigit() and int(name) < len(value):
            value = value[int(name)]
        else:
            return None
    if value is None or isinstance(value, (Mapping, list)):
        return None
    text = str(value)
    return SeenKey(value=text, name=names[-1] if names else "", where=where, by=_made_of(text, known, ()))


def absorbed(output: object) -> bool:
    """Whether a result says that the receiver had already done it and only repeated its answer."""
    if not isinstance(output, Mapping):
        return False
    return any(
        value is True and "".join(split_words(str(name))) in _ABSORBED for name, value in output.items()
    )


def protection_from(keys: Sequence[SeenKey]) -> Protection:
    """Return the class that the keys seen are evidence of.

    Keys that differ between attempts do not protect, whatever they are made of.
    """
    last = keys[-1]
    by = last.by
    if by == "unknown" and len({key.value for key in keys}) > 1 and len({key.attempt for key in keys}) > 1:
        by = "random"
    return Protection(
        klass="keyed",
        by=by,
        key=last.value,
        source="evidence",
        note=f"{last.name} in the {last.where}",
    )

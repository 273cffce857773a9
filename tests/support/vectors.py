"""The decoder vectors of ``tests/corpus/vectors``: payloads and what the vendor's reader makes of them."""

from __future__ import annotations

import base64
import functools
import json
import zipfile
from dataclasses import dataclass
from typing import Any

from tests.support.corpus import CORPUS

FOLDER = CORPUS / "vectors"


@dataclass(frozen=True, slots=True, kw_only=True)
class Vector:
    """One payload of one vector.

    ``raw`` is bytes, or the JSON value of a legacy payload. ``error`` is the vendor's, None when the
    vendor reads it. ``quirk`` marks what the vendor gets wrong by accident.
    """

    name: str
    variant: str
    raw: Any
    key: str | None
    expected: Any
    error: dict[str, str] | None
    quirk: bool
    summary: dict[str, Any] | None

    @property
    def id(self) -> str:
        return f"{self.name}-{self.variant}"


@functools.cache
def vectors() -> tuple[Vector, ...]:
    """Every payload of every vector that has one (the vendor refused to write some values)."""
    found: list[Vector] = []
    with zipfile.ZipFile(FOLDER / "vectors.zip") as archive:
        for name in sorted(archive.namelist()):
            document = json.loads(archive.read(name))
            payloads = {"raw": document["payloadBase64"]} if document.get("payloadBase64") is not None else {}
            payloads |= {k: v["payloadBase64"] for k, v in document.get("variants", {}).items()}
            raws = {variant: base64.b64decode(text) for variant, text in payloads.items()}
            if "legacyValue" in document:
                raws["legacy"] = document["legacyValue"]
            expected = document.get("expected")
            failed = isinstance(expected, dict) and set(expected) == {"error"}
            found += [
                Vector(
                    name=document["name"],
                    variant=variant,
                    raw=raw,
                    key=document.get("keyBase64"),
                    expected=None if failed else expected,
                    error=expected["error"] if failed else None,
                    quirk=bool(document.get("vendorQuirk")),
                    summary=document.get("expectedSummary"),
                )
                for variant, raw in raws.items()
            ]
    return tuple(found)


def vector(name: str, variant: str = "raw") -> Vector:
    """Return one payload by name."""
    return next(v for v in vectors() if v.name == name and v.variant == variant)


def encrypted() -> dict[str, Any]:
    """The encrypted payloads of a hosted world: real ones, the vendor's encrypted forms, a test key."""
    return json.loads((FOLDER / "encrypted.json").read_text("utf-8"))


def cbor() -> dict[str, bytes]:
    """CBOR documents written by cbor-x 1.6.0, by name."""
    documents = json.loads((FOLDER / "cbor.json").read_text("utf-8"))
    return {name: bytes.fromhex(text) for name, text in documents.items()}

"""What eleven versions of @workflow/core wrote, read as each of them reads it itself.

Made by the drift kit (``python -m tests.drift @workflow/core@VERSION``): the same 37 values, written and read
back by every version; what several versions write alike is kept once.
"""

from __future__ import annotations

import base64
import json
import lzma

import pytest

from eve_replay.codec import Payload
from eve_replay.codec.envelope import PREFIXES
from eve_replay.values import to_tagged
from tests.support import corpus

VECTORS = json.loads(lzma.decompress((corpus.CORPUS / "vectors" / "core-writers.json.xz").read_bytes()))
VERSIONS = sorted({version for each in VECTORS for version in each["versions"]})
#: What a reader may keep or leave: stacks, the bytes as they were, the name of an error that says its kind.
LEFT = ("stack", "raw", "kind", "name")


def loose(value):
    if isinstance(value, dict):
        return {key: loose(each) for key, each in sorted(value.items()) if key not in LEFT}
    return [loose(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize("version", VERSIONS)
def test_values_of_a_version_are_read_as_it_reads_them(version):
    some = [each for each in VECTORS if version in each["versions"]]
    assert len(some) > 30
    for each in some:
        raw = base64.b64decode(each["data"])
        payload = Payload(raw) if raw[:4] in PREFIXES else Payload(json.loads(raw))
        assert loose(to_tagged(payload.value)) == loose(each["value"]), each["name"]


def test_all_versions_are_there():
    assert len(VERSIONS) == 11

"""Encrypted layers: every failure has its word, the library is loaded late, keys are no secrets lost."""

import base64
import subprocess
import sys

import pytest

from eve_replay.codec import KeyRing, Payload, derive_run_key, open_envelope, parse_key
from eve_replay.errors import WrongUse
from tests.support.vectors import vector

KEY = base64.b64decode(vector("crypto-encr").key)


@pytest.mark.parametrize("name", ["crypto-encr", "crypto-encp-compressed"])
def test_every_cut_and_every_changed_byte_is_noticed(name):
    raw = vector(name).raw
    assert open_envelope(raw, key=KEY).text is not None
    for cut in range(4, len(raw), 7):
        assert open_envelope(raw[:cut], key=KEY).failure.reason in ("truncated", "wrong-key")
    for at in range(4, len(raw), 11):
        changed = bytearray(raw)
        changed[at] ^= 0x40
        assert open_envelope(bytes(changed), key=KEY).failure.reason == "wrong-key"


def test_a_key_of_wrong_length_never_reaches_the_library():
    raw = vector("crypto-encr").raw
    assert open_envelope(raw, key=b"short").failure.reason == "wrong-key"
    ring = KeyRing(derive=lambda run_id: b"short")
    assert Payload(raw, keys=ring, run_id="wrun_1").undecoded.reason == "wrong-key"
    assert (
        Payload(vector("crypto-encp-compressed").raw, keys=ring, run_id="r").undecoded.reason == "wrong-key"
    )


def test_missing_library(monkeypatch):
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.ciphers.aead", None)
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.asymmetric.x25519", None)
    for name in ("crypto-encr", "crypto-encp-compressed"):
        assert open_envelope(vector(name).raw, key=KEY).failure.reason == "missing-library"


def test_the_library_is_loaded_only_when_something_is_encrypted():
    code = (
        "import sys; from eve_replay.codec import Payload; Payload(b'devl[1]').value;"
        "assert not {'cryptography', 'cbor2', 'zstandard', 'hashlib'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_key_ring():
    with pytest.raises(WrongUse):
        KeyRing(default=b"short")
    with pytest.raises(WrongUse):
        KeyRing({"wrun_1": bytes(31)})
    ring = KeyRing.from_base64(
        base64.b64encode(KEY).decode(), {"wrun_1": base64.b64encode(bytes(32)).decode()}
    )
    assert ring.key_for("wrun_1") == bytes(32)
    assert ring.key_for("wrun_2") == KEY and ring.key_for("") == KEY
    assert KeyRing().key_for("wrun_1") is None
    assert KEY.hex() not in repr(ring) and "1 run keys" in repr(ring)


@pytest.mark.parametrize("text", ["", "AA==", "no base64 at all!", "A" * 100, "é" * 43])
def test_what_is_no_key(text):
    with pytest.raises(WrongUse):
        parse_key(text)


def test_keys_may_be_url_safe_or_unpadded():
    key = bytes([251, 255] * 16)
    standard = base64.b64encode(key).decode()
    assert parse_key(standard) == parse_key(f" {standard}\n") == key
    assert parse_key(base64.urlsafe_b64encode(key).decode().rstrip("=")) == key


def test_derived_key_is_hkdf():
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    hkdf = HKDF(hashes.SHA256(), 32, bytes(32), b"prj_a|wrun_b")
    assert derive_run_key(b"deployment key", "prj_a", "wrun_b") == hkdf.derive(b"deployment key")

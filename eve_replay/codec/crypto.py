"""The two encrypted layers, ``encr`` and ``encp`` (docs/formats/payload.md#encryption).

Loads cryptography when used.
"""

from __future__ import annotations

from eve_replay.codec.failure import LayerError

__all__ = ["derive_run_key", "open_encp", "open_encr"]

_NONCE, _TAG, _PUBLIC = 12, 16, 32
_ZEROS = bytes(32)


def _hkdf(secret: bytes, info: bytes) -> bytes:
    """Return 32 bytes of HKDF-SHA256 with a salt of 32 zero bytes (RFC 5869, one block is enough)."""
    import hashlib  # OpenSSL takes 5 ms to load, and most journals are not encrypted.
    import hmac

    key = hmac.new(_ZEROS, secret, hashlib.sha256).digest()
    return hmac.new(key, info + b"\x01", hashlib.sha256).digest()


def derive_run_key(deployment_key: bytes, project_id: str, run_id: str) -> bytes:
    """Return the 32-byte key of one run of a hosted project (docs/formats/hosted.md#keys)."""
    return _hkdf(deployment_key, f"{project_id}|{run_id}".encode())


def open_encr(data: bytes, key: bytes | None) -> bytes:
    """Return what ``nonce | ciphertext | tag`` holds.

    Raises LayerError: ``missing-key``, ``truncated``, ``wrong-key``, ``missing-library``.
    """
    _check(key)
    if key is None:
        raise LayerError("missing-key", "Encrypted, and no key was given for this run.", 0)
    if len(data) < _NONCE + _TAG:
        raise LayerError("truncated", f"Encrypted data needs 28 bytes, here are {len(data)}.", len(data))
    return _aes_gcm(key, data)


def open_encp(data: bytes, key: bytes | None) -> bytes:
    """Return what ``ephemeral public key | nonce | ciphertext | tag`` holds.

    Raises LayerError: ``missing-key``, ``truncated``, ``wrong-key``, ``missing-library``.
    """
    _check(key)
    if key is None:
        raise LayerError("missing-key", "Sealed for a run whose key was not given.", 0)
    if len(data) < _PUBLIC + _NONCE + _TAG:
        raise LayerError("truncated", f"Sealed data needs 60 bytes, here are {len(data)}.", len(data))
    try:
        from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
    except ImportError as error:
        raise _no_library() from error
    ephemeral = data[:_PUBLIC]
    private = X25519PrivateKey.from_private_bytes(_hkdf(key, b"workflow/encp/x25519/v1"))
    try:
        shared = private.exchange(X25519PublicKey.from_public_bytes(ephemeral))
    except ValueError as error:
        raise LayerError("wrong-key", "The key agreement of the sealed payload fails.", 0) from error
    recipient = private.public_key().public_bytes_raw()
    return _aes_gcm(_hkdf(shared, b"workflow/encp/aes256gcm/v1" + ephemeral + recipient), data[_PUBLIC:])


def _check(key: bytes | None) -> None:
    if key is not None and len(key) != 32:
        raise LayerError("wrong-key", f"A run key has 32 bytes, this one has {len(key)}.", 0)


def _aes_gcm(key: bytes, data: bytes) -> bytes:
    try:
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    except ImportError as error:
        raise _no_library() from error
    try:
        return AESGCM(key).decrypt(data[:_NONCE], data[_NONCE:], None)
    except InvalidTag as error:
        raise LayerError("wrong-key", "The key does not fit, or the bytes were changed.", 0) from error


def _no_library() -> LayerError:
    return LayerError("missing-library", "Opening encrypted payloads needs the package cryptography.")

"""Which key opens the payloads of which run."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping

from eve_replay.errors import WrongUse

__all__ = ["KeyRing", "parse_key"]


def parse_key(text: str) -> bytes:
    """Return the 32 bytes of a base64 run key. Raises WrongUse when it is none."""
    try:
        key = base64.b64decode(text.strip().replace("-", "+").replace("_", "/") + "==", validate=False)
    except (binascii.Error, ValueError) as error:
        raise WrongUse("The key is not base64.", hint="Give the run key as base64 of 32 bytes.") from error
    if len(key) != 32:
        raise WrongUse(
            f"The key has {len(key)} bytes, a run key has 32.", hint="Give the run key as base64 of 32 bytes."
        )
    return key


class KeyRing:
    """Run keys by run id, with one for every other run. A missing key is a state, never an error.

    Args:
        run_keys: ``{run id: 32 bytes}``.
        default: key for runs without their own, or None.
        derive: asked last, with the run id; for keys that are derived per run (hosted worlds).
    """

    __slots__ = ("_default", "_derive", "_runs")

    def __init__(
        self,
        run_keys: Mapping[str, bytes] | None = None,
        default: bytes | None = None,
        *,
        derive: Callable[[str], bytes | None] | None = None,
    ) -> None:
        self._runs = dict(run_keys or {})
        self._default = default
        self._derive = derive
        for key in (*self._runs.values(), *([default] if default is not None else [])):
            if len(key) != 32:
                raise WrongUse(f"A run key has 32 bytes, this one has {len(key)}.")

    @classmethod
    def from_base64(cls, default: str | None = None, run_keys: Mapping[str, str] | None = None) -> KeyRing:
        """Return a ring of base64 keys. Raises WrongUse when one is no key."""
        runs = {run: parse_key(text) for run, text in (run_keys or {}).items()}
        return cls(runs, None if default is None else parse_key(default))

    def key_for(self, run_id: str) -> bytes | None:
        """Return the key of a run, None when there is none."""
        key = self._runs.get(run_id, self._default)
        if key is None and self._derive is not None and run_id:
            key = self._derive(run_id)
        return key

    def __repr__(self) -> str:
        # Keys are secrets: a repr ends up in tracebacks and notebooks.
        return f"KeyRing({len(self._runs)} run keys{', a default' if self._default else ''})"

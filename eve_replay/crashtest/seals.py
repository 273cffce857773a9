"""The self-test before the first point: which ways out end at the broker, and which are refused."""

from __future__ import annotations

import json
import socket
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eve_replay.codec.jsontext import loads_json
from eve_replay.crashtest.outside import BrokerOutside

__all__ = ["Seals", "test_seals"]

_PROBE = Path(__file__).parent / "node" / "probe.mjs"
_PRELOAD = Path(__file__).parent / "node" / "outside.cjs"
#: An address that is nobody's (RFC 5737): in a namespace there is no way to it.
_NOBODY = ("192.0.2.1", 9)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seals:
    """What holds. ``network_words``: how the namespace holds, or why not; ``ways``: what was seen per way."""

    process: bool
    network: bool
    network_words: str = ""
    ways: dict[str, str] = field(default_factory=dict)
    allowed: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """Which seals hold, for the head of the report."""
        held = "process + network" if self.network else "process" if self.process else "none"
        tail = (
            ""
            if self.network
            else f": native add-ons and unsealed programs could get out ({self.network_words})"
        )
        open_ = f"; allowed on purpose: {', '.join(self.allowed)}" if self.allowed else ""
        return f"seal: {held}{tail}{open_}"

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {"process": self.process, "network": self.network, "networkWords": self.network_words,
                "ways": self.ways, "allowed": list(self.allowed), "words": self.words}  # fmt: skip


def test_seals(
    outside: BrokerOutside, node: Path, network: tuple[bool, str], allow: tuple[str, ...]
) -> Seals:
    """Run the probe behind the preload and look what reached the broker.

    Args:
        outside: the broker.
        node: the Node that will run the server.
        network: what ``enter_namespace`` returned.
        allow: what the user lets through.
    """
    outside.reset((), learn=True)
    settings = json.dumps({"broker": outside.address, "allow": list(allow)})
    env = {"PATH": "/usr/bin:/bin", "CRASHTEST": settings, "NODE_OPTIONS": f"--require={_PRELOAD}"}
    done = subprocess.run(
        [str(node), str(_PROBE)], env=env, capture_output=True, text=True, timeout=30, check=False
    )
    try:
        said = dict(loads_json(done.stdout))
    except (ValueError, TypeError):
        said = {}
    reached = {str(entry["label"]) for entry in outside.ledger()}
    ways = {}
    for way, word in said.items():
        ends = f"GET probe.example/{way}" in reached
        ways[way] = (
            "ends at the broker" if ends else "refused" if word.startswith("refused") else f"OPEN: {word}"
        )
    holds = len(ways) >= 8 and not any(word.startswith("OPEN") for word in ways.values())
    held, words = network
    if held:
        held, words = _nothing_outside(words)
    return Seals(process=holds, network=held, network_words=words, ways=ways, allowed=allow)


def _nothing_outside(words: str) -> tuple[bool, str]:
    with socket.socket() as probe:
        probe.settimeout(1)
        try:
            probe.connect(_NOBODY)
        except OSError as error:
            return error.errno is not None, words
    return False, "a connection got out of the namespace"

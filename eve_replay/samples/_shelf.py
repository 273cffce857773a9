"""Which recordings there are, what happened in each, and in which archive it lies.

An archive is unpacked once per process (a tenth of a second for the largest) and read from memory after
that; worlds never write, so all of them can share it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from eve_replay.worlds.local.archive import archive_tree
from eve_replay.worlds.local.tree import MemoryTree

__all__ = ["GROUPS", "SUFFIX", "Group", "Place", "places"]

Group = Literal["tour", "workshop", "incidents"]

#: A tree and the folder of one recording in it, ``""`` for all of it.
Place = tuple[MemoryTree, str]

SUFFIX = ".parts.tar.xz"

_TOUR = {
    "simple-turn": "two turns that went well: parallel tool calls, a second call, a text answer",
    "crash-in-tool": "the process was killed while charge_card ran: the card was charged twice",
    "approval-hold": "a tool waits for a person, the server is killed and restarted, then it is approved",
}

#: What the archive ``proof/scenarios`` holds (and the tour does not), then what ``workshop`` holds whole.
_WORKSHOP = {
    "crash-in-model": "killed while the model answered: the model was asked again, one charge",
    "crash-before-commit": "killed after the tools had returned and before the commit: they ran again",
    "crash-after-commit": "killed after step 0 was committed: its charge was not repeated",
    "crash-not-restarted": "killed while charge_card ran, and never restarted",
    "batch-crash": "four model calls per step: killed in the third, two calls' effects happened again",
    "attempts-exhausted-kill": "one step killed eight times in a row: nine attempts, nine charges, no end",
    "attempts-exhausted-throw-then-kill": "a workflow step that throws and is killed until its retries end",
    "eve-dev-no-resume": "eve dev killed while charge_card ran, restarted without --resume: nothing goes on",
    "eve-dev-resume": "the same data, started again with --resume: it goes on, the charge ran again",
    "approval-denied": "a tool waits for a person, and the person says no",
    "workflow-tool": "a workflow tool asks twice and sleeps; killed during its durable sleep",
    "pay-with-key": "a payment with a key, killed in flight: one charge",
    "pay-without-key": "a payment without a key, killed in flight: two charges",
    "pay-check-then-act": "a payment that looks before it pays, killed in flight: two charges",
    "sdk4-crash": "a plain Workflow SDK 4 run, killed in chargeCard and restarted",
    "sdk4-crash-world-not-started": "the same, restarted by a server that does not start its world",
    "sdk5-crash": "a plain Workflow SDK 5 run, killed in chargeCard; the restarted server could not go on",
    "sdk5-crash-world-not-started": "a plain Workflow SDK 5 run whose world is not started again",
    "pay-minted-ids": "a payment keyed by the call id, which the model minted anew: two charges",
    "pay-again-on-purpose": "one order paid in two turns because it was asked for twice; killed once: three",
    "crash-lease-20s": "killed while charge_card ran; the restarted server waits for a lease of 20 s",
    "two-crashes-one-turn": "one turn, the process killed in two of its steps",
    "stranded": "a session of eve 0.79.0 that eve 0.80.1 does not pick up",
}

_WHOLE = frozenset({"pay-minted-ids", "crash-lease-20s", "two-crashes-one-turn", "stranded"})

#: These have an archive of their own.
_OWN = frozenset({*_TOUR, "pay-again-on-purpose"})

#: Not a word on what went wrong: finding that out is the last lesson.
_INCIDENTS = {
    f"incident-{number}": f"an order desk, {sessions} sessions, one crash: somebody complained"
    for number, sessions in ((1, "six"), (2, "six"), (3, "six"), (4, "five"))
}

GROUPS: Mapping[Group, Mapping[str, str]] = MappingProxyType(
    {"tour": _TOUR, "workshop": _WORKSHOP, "incidents": _INCIDENTS}
)


def places(name: str) -> tuple[Place, ...]:
    """Return where a recording's files lie. The first place has its world, the next ones more about it.

    The scenarios of the proof have no markers in their archive; those lie beside the workshop's own.
    """
    if name in _OWN:
        return ((_archive(name), ""),)
    if name in _INCIDENTS:
        return ((_archive("incidents"), f"incidents/{name}"),)
    ours = (_archive("workshop"), f"workshop/{name}")
    return (ours,) if name in _WHOLE else ((_archive("proof/scenarios"), f"scenarios/{name}"), ours)


@cache
def _archive(name: str) -> MemoryTree:
    file = name + SUFFIX
    folder = resources.files("eve_replay.samples")
    return archive_tree(
        Path(file), label=f"samples/{file}", data=folder.joinpath(*file.split("/")).read_bytes()
    )

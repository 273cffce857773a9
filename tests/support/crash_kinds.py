"""The recordings of ``tests/corpus/crash-kinds.tar.xz``: their folders, and what really happened by then."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.support import corpus

#: ``recording/when``, one a line; ``EVE_REPLAY_UPDATE=1`` and ``test_crash_kinds.py`` write it anew.
INDEX = corpus.CORPUS / "crash-kinds.txt"

#: What the tools of the recorded agents call themselves in the ledger.
LEDGER_NAMES = {
    "charge_card": "charge",
    "send_email": "email",
    "bookSeat": "book_seat",
    "payTrip": "pay_trip",
    "cancelSeat": "cancel_seat",
    "record": "record_deal",
}


def folders() -> Iterator[tuple[str, Path, Path]]:
    """Yield ``(name/when, data folder, ledger)`` of every recording, at its crashes and at its end."""
    for name in names():
        data = folder(name)
        ledger = "ledger.ndjson" if data.name == "data" else f"{data.name}.ledger.ndjson"
        yield name, data, data.parent / ledger


def names() -> list[str]:
    """Return their names, from a list beside the archive: collecting tests unpacks nothing."""
    return INDEX.read_text("utf-8").split()


def found() -> list[str]:
    """Return the names of what is in the archive."""
    out = []
    root = corpus.scenario("crash-kinds")
    for recording in sorted(path for path in root.iterdir() if path.is_dir()):
        crashes = sorted(path.name for path in recording.glob("crash*") if path.is_dir())
        out += [f"{recording.name}/{each}" for each in ("data", *crashes)]
    return out


def folder(name: str) -> Path:
    """Return one data folder, ``two-servers-one-folder/data``."""
    return corpus.scenario("crash-kinds") / name


def truth(ledger: Path) -> Counter[str]:
    """Return how often each effect really happened, by the name that the ledger gives it."""
    return Counter(line["effect"] for line in corpus.load_ndjson(ledger))

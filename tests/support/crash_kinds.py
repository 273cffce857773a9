"""The recordings of ``tests/corpus/crash-kinds.tar.xz``: their folders, and what really happened by then."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.support import corpus

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
    root = corpus.scenario("crash-kinds")
    for recording in sorted(path for path in root.iterdir() if path.is_dir()):
        yield f"{recording.name}/data", recording / "data", recording / "ledger.ndjson"
        for crash in sorted(path for path in recording.glob("crash*") if path.is_dir()):
            yield f"{recording.name}/{crash.name}", crash, recording / f"{crash.name}.ledger.ndjson"


def folder(name: str) -> Path:
    """Return one data folder, ``two-servers-one-folder/data``."""
    return corpus.scenario("crash-kinds") / name


def truth(ledger: Path) -> Counter[str]:
    """Return how often each effect really happened, by the name that the ledger gives it."""
    return Counter(line["effect"] for line in corpus.load_ndjson(ledger))

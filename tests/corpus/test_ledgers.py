"""``why`` with a ledger, on every recording that has one: it names what happened twice, and nothing else.

The truth is counted from the ledger alone: lines that are equal but for time, process and the ids a receiver
hands out are one effect that happened again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from eve_replay import open_journal
from eve_replay.checks.phrases import Voice
from eve_replay.guidance.why import LEASE, Report, why_all
from eve_replay.journal.ledger.model import Entry, Ledger
from tests.support.corpus import names, scenario

VOICE = Voice(now=datetime(2026, 11, 30, 12, tzinfo=UTC), zone=UTC, lease=LEASE)
#: Fields that differ each time the same thing is done.
FREE = {"at", "pid", "attempt", "chargeId", "startedAt", "parcelId", "reservationId"}
FILES = {"postgres": "dump.sql", "redis": "keys.json"}
TWICE = {"ran-twice", "hidden-execution"}
#: Every eighth point of the sweep; all of them take minutes.
STRIDE = 8


ARCHIVES = [
    f"{group}/{name}"
    for group in ("local", "local-sdk", "postgres", "redis", "sweep")
    for name in names(group)
]


def recordings(archive: str) -> Iterator[str]:
    """Yield what an archive holds with a ledger: itself, or every eighth point of a sweep."""
    folder = scenario(archive)
    points = sorted(folder.iterdir())[::STRIDE] if archive.startswith("sweep/") else [folder]
    for point in points:
        if (point / "ledger.ndjson").is_file():
            yield archive if point == folder else f"{archive}/{point.name}"


def snapshots(recording: str) -> Iterator[Path]:
    group, name, *point = recording.split("/")
    folder = Path(scenario(f"{group}/{name}"), *point)
    for part in sorted(folder.iterdir()):
        source = part / FILES.get(group, "")
        if part.is_dir() and source.exists():
            yield source


def same_effects(ledger: Ledger) -> list[list[Entry]]:
    found: dict[str, list[Entry]] = defaultdict(list)
    for entry in ledger.entries:
        found[repr(sorted((k, repr(v)) for k, v in entry.fields.items() if k not in FREE))].append(entry)
    return list(found.values())


def lines_named_twice(report: Report) -> set[int]:
    """Return the ledger lines of the effects that the report says happened more than once."""
    found: set[int] = set()
    for verdict in report.verdicts:
        if verdict.code in TWICE:
            for effect, count in zip(report.effects, report.counts, strict=True):
                same = (effect.tool, effect.step_id, effect.call_ids)
                if count is not None and same == (verdict.tool, verdict.step_id, verdict.call_ids):
                    found |= {entry.line for entry in count.entries}
    return found


def explained(reports: list[Report]) -> set[int]:
    """Return the lines that an effect of the journal explains."""
    return {e.line for report in reports for c in report.counts if c is not None for e in c.entries}


def test_there_are_enough_ledgers() -> None:
    assert sum(1 for archive in ARCHIVES if archive.startswith("local/") for _ in recordings(archive)) > 20


@pytest.mark.parametrize("archive", ARCHIVES)
def test_twice_is_named_and_once_is_not(archive: str) -> None:
    for recording in recordings(archive):
        check(recording)


def check(recording: str) -> None:
    for source in snapshots(recording):
        folder = source if source.is_dir() else source.parent
        ledger = Ledger.load(str(folder.parent / "ledger.ndjson"))
        twice = {e.line for same in same_effects(ledger) if len(same) > 1 for e in same}
        with open_journal(str(source)) as journal:
            sessions = list(journal.sessions)
            whole = list(why_all(sessions, voice=VOICE, ledger=ledger).reports)
            single = [why_all([s], voice=VOICE, ledger=ledger).reports[0] for s in sessions]
        for reports in (whole, single):
            said = {line for report in reports for line in lines_named_twice(report)}
            assert said <= twice, f"{source}: it happened once"
            doubled = any(v.code == "doubled-child" for report in reports for v in report.verdicts)
            if not doubled:  # there the second line belongs to the second child's own step
                assert twice & explained(reports) <= said, f"{source}: it happened twice"
            for report in reports:
                for effect, count in zip(report.effects, report.counts, strict=True):
                    for entry in count.entries if count is not None else ():
                        steps = {part.step_id for part in effect.by_attempt}
                        assert entry.step_id is None or entry.step_id in steps
        counts = [
            [
                {r.session_id: [c and c.count for c in r.counts]}
                for r in sorted(rs, key=lambda r: r.session_id)
            ]
            for rs in (whole, single)
        ]
        assert counts[0] == counts[1], "one session alone gets the same lines as beside its neighbours"


@pytest.mark.parametrize("name", ["sdk4_crash", "sdk5_crash"])
def test_the_next_steps_line_is_not_counted(name: str) -> None:
    """The copy at the kill knows one start; by the whole ledger the charge happened twice, not thrice."""
    folder = scenario(f"postgres/{name}")
    with open_journal(str(folder / "after-kill" / "dump.sql")) as journal:
        report = why_all(list(journal.sessions), voice=VOICE, ledger=str(folder / "ledger.ndjson")).reports[0]
    assert [(e.tool, c and c.count) for e, c in zip(report.effects, report.counts, strict=True)] == [
        ("charge", 2)
    ]
    assert "ran twice" in next(v.sentence for v in report.verdicts if v.code == "ran-twice")

"""Does the journal agree with itself? The doctor's findings, each with its evidence."""

from __future__ import annotations

from eve_replay.checks.doctor import check_session, sorted_findings
from eve_replay.checks.finding import Finding, Verdict
from eve_replay.checks.phrases import Voice
from eve_replay.checks.wedged import Wedge, wedges
from eve_replay.checks.world import check_world

__all__ = [
    "Finding",
    "Verdict",
    "Voice",
    "Wedge",
    "check_session",
    "check_world",
    "sorted_findings",
    "wedges",
]

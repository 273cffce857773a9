"""Judgements on a journal: the doctor's findings and the post-mortem's verdicts, each with its evidence."""

from __future__ import annotations

from eve_replay.checks.doctor import check_session, sorted_findings
from eve_replay.checks.finding import Finding, Verdict
from eve_replay.checks.phrases import Voice
from eve_replay.checks.wedged import Wedge, wedges
from eve_replay.checks.why import LEASE, Report, WorldReport, why, why_all
from eve_replay.checks.world import check_world

__all__ = [
    "LEASE",
    "Finding",
    "Report",
    "Verdict",
    "Voice",
    "Wedge",
    "WorldReport",
    "check_session",
    "check_world",
    "sorted_findings",
    "wedges",
    "why",
    "why_all",
]

"""What happened, what goes on, and what to do now: the post-mortem's verdicts, each with its evidence."""

from __future__ import annotations

from eve_replay.guidance.why import LEASE, Report, WorldReport, why, why_all

__all__ = ["LEASE", "Report", "WorldReport", "why", "why_all"]

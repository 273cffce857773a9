"""Runs of a plain app that a re-run step started again: said of the starter and of each run it started."""

from __future__ import annotations

from eve_replay.checks.finding import Verdict
from eve_replay.checks.phrases import Voice, listed, times
from eve_replay.ids import short_id
from eve_replay.journal.effects.doubled_runs import DoubledRun

__all__ = ["doubled_verdicts"]


def doubled_verdicts(found: tuple[DoubledRun, ...], voice: Voice) -> dict[str, list[Verdict]]:
    """Return verdicts by the id of the run they are about."""
    out: dict[str, list[Verdict]] = {}
    for doubled in found:
        for run_id in (doubled.starter_id, *(run.run_id for run in doubled.runs)):
            out.setdefault(run_id, []).append(_verdict(doubled, run_id, voice))
    return out


def _verdict(doubled: DoubledRun, run_id: str, voice: Voice) -> Verdict:
    step, kept = doubled.step, short_id(doubled.kept)
    flow = doubled.runs[0].workflow.function
    runs = listed(f"{short_id(run.run_id)} ({voice.at(run.created_at)})" for run in doubled.runs)
    told = (
        f"{step.function} ({short_id(step.step_id)}) of {short_id(doubled.starter_id)} was run again and "
        f"started {flow} {times(len(doubled.runs))} with the same input: {runs}. Its result names {kept} "
        "only; the other went on all the same, and what its steps did was done again. Implied: same workflow "
        "and input, one created in each attempt."
    )
    orphan = run_id not in (doubled.starter_id, doubled.kept)
    return Verdict(
        code="doubled-child",
        sentence=told,
        certainty="implied",
        next=(
            "Undo what this run did, unless it was wanted twice."
            if orphan
            else "Look at what each of the runs did, and undo the rest; give the steps of the child keys "
            "made of its input, which both runs share."
        ),
        severity="error" if run_id != doubled.kept else "warning",
        evidence=doubled.evidence,
        run_id=run_id,
        step_id=step.step_id if run_id == doubled.starter_id else "",
    )

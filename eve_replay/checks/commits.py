"""Findings about half-written commits, lost deliveries and leftovers (docs/evidence/sweep.md)."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from eve_replay.checks.finding import Finding
from eve_replay.checks.phrases import count
from eve_replay.checks.wedged import Wedge
from eve_replay.ids import short_id
from eve_replay.journal.commits.states import RunCommits
from eve_replay.journal.model import Run
from eve_replay.recovery.fate import Because

__all__ = ["check_commits", "waiting_finding", "wedge_finding"]


def wedge_finding(wedge: Wedge, session_id: str) -> Finding:
    """Return the finding of one half-written commit: what is missing, what happens next, the hand repair."""
    stops = wedge.stops
    words = {
        "repeats": "wedged",
        "multiplies": "wedged",
        "hangs": "wedged",
        "needs-message": "wedged until the next message",
        "deaf": "wedged: the turn ends, and the session hears nothing after it",
        "fails": "bound to fail",
        "unsent": "waiting for a message that nobody sends",
        "mute": "half written: the session goes on and refuses every message",
        "harmless": "half written, without harm to the session",
    }[wedge.consequence]
    fix = ""
    if wedge.consequence == "needs-message":
        fix = (
            "Send the session a message: that was seen to wake a turn that needs another step. For what "
            "comes "
            "after the turn, start a new session."
        )
    elif wedge.consequence == "deaf":
        by_hand = f" Or by hand, on a copy first, {wedge.repair}." if wedge.repair else ""
        fix = f"Let the turn end, then start a new session; a message does not wake this one.{by_hand}"
    elif wedge.consequence == "fails":
        fix = "Create the session again; this one cannot be continued."
    elif wedge.consequence == "unsent":
        fix = wedge.repair
    elif wedge.consequence == "mute":
        fix = "Let the turn end, then start a new session."
    elif stops:
        by_hand = (
            f"By hand, on a copy first, {wedge.repair}." if wedge.repair else "No repair was seen to work."
        )
        plain = wedge.run.role == "workflow"
        instead = "cancel the run and start it again" if plain else "reset the session"
        fix = f"{by_hand} Or {instead}. eve-replay never changes the store."
    return Finding(
        code=f"{'wedged' if stops else 'half-written'}-{wedge.code.lower()}",
        severity="error" if stops else "warning" if wedge.consequence == "mute" else "info",
        where=wedge.subject,
        sentence=f"{wedge.what} ({short_id(wedge.subject)}) is {words} ({wedge.code}): {wedge.missing}.",
        why=f"What happens next: {wedge.then}.",
        fix=fix,
        run_id=wedge.run.run_id,
        session_id=session_id,
        evidence=wedge.evidence,
    )


def waiting_finding(because: Because, session_id: str) -> Finding:
    """Return the finding of a run that waits for a child which will never answer."""
    failed = because.rule == "child-failed"
    how = "failed or was cancelled before its last word" if failed else "cannot go on and has words left"
    return Finding(
        code="waits-for-ever",
        severity="error",
        where=because.run_id,
        sentence=f"The turn waits for {because.about}, which {how}.",
        why=because.text,
        fix="Cancel the turn or start a new session; what the child had done stays done.",
        run_id=because.run_id,
        session_id=session_id,
    )


def check_commits(run: Run, states: RunCommits, told: Collection[str] = ()) -> Iterator[Finding]:
    """Yield lost deliveries and leftovers of one run that stop nothing; ``told``: what was said already."""

    def info(code: str, where: str, sentence: str, why: str, fix: str = "") -> Finding:
        return Finding(
            code=code,
            severity="info",
            where=where,
            sentence=sentence,
            why=why,
            fix=fix,
            run_id=run.run_id,
            session_id=run.session_id,
        )

    if states.run.code == "done":
        return
    for delivery in states.deliveries:
        if not delivery.received:
            yield Finding(
                code="delivery-lost",
                severity="warning",
                where=delivery.evidence[0] if delivery.evidence else delivery.hook_id,
                sentence="A delivery reached the store and never became a hook_received event.",
                why="The process died in between: the client's connection broke, and the session "
                "never sees it.",
                fix="Let the client send it again.",
                run_id=run.run_id,
                session_id=run.session_id,
            )
    if states.staged:
        yield info(
            "staging-left",
            states.staged[0],
            f"{count(len(states.staged), 'staging file')} of a delivery was left behind.",
            "Seen to do no harm.",
        )
    if states.token_locks:
        yield info(
            "token-lock-left",
            states.token_locks[0],
            f"{count(len(states.token_locks), 'hook-token lock')} was left behind.",
            "Recovery waits until it is stale, 23 to 29 s were seen; then it goes on by itself.",
        )
    for hook in states.hooks:
        if hook.code in ("H1", "H1-free") and not hook.fatal and hook.hook_id not in told:
            yield info(
                "hook-half-written",
                hook.hook_id,
                "A hook's token file is there, its hook_created event is not.",
                "Seen to do no harm to hooks on which the run waits for nothing.",
            )

"""Half-written commits as verdicts: what is missing, what it does at the next wake-up, the way out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from eve_replay.checks.finding import Verdict
from eve_replay.checks.phrases import count, listed
from eve_replay.checks.wedged import Wedge
from eve_replay.ids import short_id
from eve_replay.journal.effects.build import Effect
from eve_replay.journal.model import Evidence, Session
from eve_replay.recovery.fate import Because

__all__ = ["waiting_verdicts", "wedge_verdicts"]


def wedge_verdicts(
    session: Session, found: tuple[Wedge, ...], effects: tuple[Effect, ...]
) -> Iterator[Verdict]:
    """Yield one verdict per half-written commit; harmless ones are told as such."""
    for wedge in found:
        about = f"{wedge.what} ({short_id(wedge.subject)})"
        if wedge.consequence == "harmless":
            yield Verdict(
                code="half-written",
                sentence=f"{about} is half written ({wedge.code}): {wedge.missing}. The session goes "
                "on without it: "
                f"{wedge.then}.",
                certainty="implied",
                evidence=wedge.evidence,
                run_id=wedge.run.run_id,
                step_id=wedge.subject if wedge.subject.startswith("step_") else "",
            )
            continue
        if wedge.consequence == "mute":
            yield Verdict(
                code="half-written",
                sentence=f"{about} is half written ({wedge.code}): {wedge.missing}. {_then(wedge)}.",
                certainty="implied",
                evidence=wedge.evidence,
                next="Let the turn end, then start a new session.",
                severity="warning",
                run_id=wedge.run.run_id,
            )
            continue
        if wedge.consequence == "fails":
            yield Verdict(
                code="will-fail",
                sentence=f"{about} is half written ({wedge.code}): {wedge.missing}. At the next "
                f"wake-up {wedge.then}.",
                certainty="implied",
                evidence=wedge.evidence,
                next="Create the session again; this one cannot be continued.",
                severity="error",
                run_id=wedge.run.run_id,
            )
            continue
        if wedge.consequence == "unsent":
            yield Verdict(
                code="wedged",
                sentence=f"{about} does not go on ({wedge.code}): {wedge.missing}. {_then(wedge)}.",
                certainty="implied",
                evidence=wedge.evidence,
                next=wedge.repair,
                severity="error",
                run_id=wedge.run.run_id,
                step_id=wedge.subject if wedge.subject.startswith("step_") else "",
            )
            continue
        again = _again(wedge, effects)
        endless = wedge.consequence in ("repeats", "multiplies")
        waiting = sum(1 for m in session.messages if m.role == "pending")
        wait = "waits" if waiting == 1 else "wait"
        held = f" {count(waiting, 'accepted message')} already {wait} behind it." if waiting else ""
        yield Verdict(
            code="repeats-without-end" if endless else "wedged",
            sentence=f"{about} is wedged ({wedge.code}): {wedge.missing}. {_then(wedge)}.{again}{held}",
            certainty="implied",
            evidence=wedge.evidence,
            next=_way_out(wedge),
            severity="error",
            run_id=wedge.run.run_id,
            step_id=wedge.subject if wedge.subject.startswith("step_") else "",
        )


def waiting_verdicts(session: Session, reasons: Iterable[Because]) -> Iterator[Verdict]:
    """Yield what the session waits for and will never get: a child that failed, or cannot go on."""
    for because in reasons:
        failed = because.rule == "child-failed"
        how = (
            "failed or was cancelled before its last word"
            if failed
            else "cannot go on and has words left to say"
        )
        turn = session.turns[-1].id if session.turns else ""
        yield Verdict(
            code="stuck",
            sentence=f"{turn or 'The run'} waits for {because.about}, which {how}: it waits for ever, and a "
            "message does not bring that answer.",
            certainty="implied",
            evidence=tuple(
                Evidence(
                    kind="event" if item.startswith("evnt_") else "record", id=item, run_id=because.run_id
                )
                for item in because.evidence[:4]
            ),
            next="Cancel the turn or start a new session; what the child had done stays done.",
            severity="error",
            turn_id=turn,
            run_id=because.run_id,
        )


def _then(wedge: Wedge) -> str:
    return wedge.then[:1].upper() + wedge.then[1:]


def _again(wedge: Wedge, effects: tuple[Effect, ...]) -> str:
    if wedge.consequence not in ("repeats", "multiplies"):
        return " No effect is repeated." if wedge.consequence == "hangs" else ""
    inside = [e.tool for e in effects if e.step_id == wedge.subject and e.protection.acts]
    what = f" Each time {listed(dict.fromkeys(inside))} may act again." if inside else ""
    return f"{what} So far it was started {count(wedge.starts, 'time')}."


def _way_out(wedge: Wedge) -> str:
    if wedge.consequence == "needs-message":
        return "Send the session a message: that was seen to wake it up. Then start a new session."
    if wedge.consequence == "deaf":
        return "Let the turn end, then start a new session: a message does not wake this one."
    if wedge.repair:
        stop = "Stop the server first. " if wedge.consequence in ("repeats", "multiplies") else ""
        return f"{stop}By hand, on a copy first: {wedge.repair}. Or reset the session."
    return "No repair was seen to work; reset the session."

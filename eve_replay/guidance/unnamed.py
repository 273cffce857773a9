"""What the journal cannot name, and what worked beside each other: verdicts about bodies and open lists."""

from __future__ import annotations

from collections.abc import Iterator

from eve_replay.checks.finding import Verdict
from eve_replay.checks.phrases import Voice, count, listed, numbered
from eve_replay.ids import short_id
from eve_replay.journal.effects.open_calls import OpenCalls, open_calls
from eve_replay.journal.model import Attempt, Session, Step

__all__ = ["process_verdicts", "unnamed_verdicts"]


def process_verdicts(session: Session, voice: Voice) -> Iterator[Verdict]:
    """Yield the steps on which two processes worked at the same time: nobody died, and all of it acted."""
    for step in session.steps:
        beside = [attempt for attempt in step.attempts if attempt.overlaps]
        if len(beside) < 2:
            continue
        kept = next((a for a in beside if a.end_event is not None and a.end_event is step.end_event), None)
        told = [
            f"Two processes worked on {step.function} ({short_id(step.step_id)}) at the same time: "
            + ", ".join(_body(attempt, voice) for attempt in beside)
            + "."
        ]
        if kept is not None:
            refused = [a.n for a in beside if a is not kept]
            told.append(
                f"Attempt {kept.n} committed; the result of {numbered(refused)} was refused, and what its "
                "tools did stays done."
            )
        elif step.committed:
            told.append("Which of them committed is not recorded.")
        else:
            told.append("Neither has committed yet.")
        guessed = any(a.certainty == "implied" and a.outcome != "refused" for a in beside)
        yield Verdict(
            code="two-processes",
            sentence=" ".join(told) + " Nothing was interrupted.",
            certainty="implied" if guessed else "observed",
            next="Let one server only work on a store, or make its lease longer than its longest tool; "
            "check what each body did, and undo what is too much.",
            severity="warning",
            evidence=tuple(item for attempt in beside for item in attempt.evidence),
            turn_id=step.turn_id or "",
            run_id=step.run_id,
            step_id=step.step_id,
        )


def _body(attempt: Attempt, voice: Voice) -> str:
    last = attempt.last_sign_at or attempt.ended_at
    until = f", last sign {voice.at(last)}" if last is not None else ""
    return f"attempt {attempt.n} (begun {voice.at(attempt.started_at)}{until})"


def unnamed_verdicts(session: Session) -> Iterator[Verdict]:
    """Yield what may have acted without a name in the journal: answers not yet read, purged children."""
    gaps = open_calls(session)
    steps = {step.step_id: step for step in session.steps}
    for gap in gaps:
        if gap.code == "unread-answer":
            yield _unread(gap, steps[gap.step_id])
    own = [gap for gap in gaps if gap.code == "purged-child" and gap.run_id in session.head.run_ids]
    below = [gap for gap in gaps if gap.code == "purged-child" and gap not in own]
    if own:
        yield _purged(own, "this session", again=_reruns(session))
    if below:
        again = [n for child in session.below for n in _reruns(child)]
        who = "the subagent below it" if len(below) == 1 else "the subagents below it"
        yield _purged(below, who, again=again)


def _unread(gap: OpenCalls, step: Step) -> Verdict:
    seen = "no call of it is named"
    if gap.named:
        seen = f"{count(gap.named, 'call')} of it {'is' if gap.named == 1 else 'are'} named"
    return Verdict(
        code="unread-answer",
        sentence=f"The model's answer in attempt {gap.attempt} of {step.function} ({short_id(gap.step_id)}) "
        f"had not reached the stream whole: {seen}, and further calls of this answer may have run. Effects "
        "run ahead of the stream: absence on it proves nothing.",
        certainty="unknown",
        next="Look where the tools act (a ledger settles it: --ledger FILE).",
        evidence=gap.evidence,
        turn_id=gap.turn_id or "",
        run_id=gap.run_id,
        step_id=gap.step_id,
    )


def _reruns(session: Session) -> list[int]:
    """How many starts each turn step had that was started more than once."""
    return [len(s.attempts) for s in session.steps if s.kind == "turn" and len(s.attempts) > 1]


def _purged(gaps: list[OpenCalls], whose: str, *, again: list[int]) -> Verdict:
    runs = listed(short_id(gap.run_id) for gap in gaps)
    more = ""
    if again:
        more = f" {count(len(again), 'step')} of it ran again ({max(again)} starts): all of that is gone."
    return Verdict(
        code="purged-child",
        sentence=f"What the tools of {whose} did ({runs}) was deleted by retention: at least 0 effects, no "
        f"upper bound.{more} That none is listed does not say that none happened.",
        certainty="unknown",
        next="Look where the tools act (a ledger settles it: --ledger FILE); children are kept longer with a "
        "retention for them.",
        severity="warning" if again else "info",
        evidence=tuple(item for gap in gaps for item in gap.evidence),
        run_id=gaps[-1].run_id,
        call_ids=tuple(gap.call_id for gap in gaps if gap.call_id),
    )

"""What of a session is still open, and what it waits for: steps, sleeps, parks and versions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Protocol

from eve_replay.checks.finding import Verdict, VerdictCode
from eve_replay.checks.phrases import Voice, count, listed, span
from eve_replay.checks.wedged import Wedge
from eve_replay.ids import short_id
from eve_replay.journal.commit_states import RunCommits, StepCommit, WaitCommit
from eve_replay.journal.effects import Effect
from eve_replay.journal.model import Evidence, Message, Park, Run, Session, Step
from eve_replay.problems import Severity

__all__ = ["open_verdicts", "park_verdicts", "repeat_verdicts", "version_verdicts", "wedge_verdicts"]

#: A sleep or retry may be late by this much before we call it overdue: timers poll.
_GRACE = timedelta(seconds=60)
_ENDED = frozenset({"completed", "failed", "cancelled"})


def repeat_verdicts(session: Session, voice: Voice) -> Iterator[Verdict]:
    """Yield which steps ran again, and what that cost: model calls and tokens paid more than once."""
    for step in session.steps:
        died = [a for a in step.attempts[:-1] if a.outcome == "interrupted"]
        if not died:
            continue
        last = step.attempts[-1]
        again = [call for call in step.model_calls if call.paid_again]
        tokens = sum(call.tokens.total for call in again if call.tokens is not None)
        silent = [a for a in died if step.kind == "turn" and not a.tool_calls]
        cost = ""
        if again:
            paid = f" ({tokens} tokens)" if tokens else ""
            verb = "was" if len(again) == 1 else "were"
            cost = f" {count(len(again), 'model call')} {verb} made again{paid}."
        unseen = ""
        if silent:
            numbers = listed(str(a.n) for a in silent)
            unseen = (
                f" Attempt {numbers} shows no tool call; one that ran in its last moments need not "
                "have reached "
                "the stream."
            )
        numbers = listed(str(a.n) for a in died)
        when = voice.at(died[-1].last_sign_at or died[-1].started_at)
        yield Verdict(
            code="re-executed",
            sentence=f"{step.function} ({short_id(step.step_id)}) was executed again: attempt {numbers} was "
            f"interrupted (its last sign {when}), attempt {last.n} began "
            f"{voice.at(last.started_at)}.{cost}{unseen}",
            certainty="observed",
            evidence=tuple(e for a in step.attempts for e in a.evidence),
            turn_id=step.turn_id or "",
            run_id=step.run_id,
            step_id=step.step_id,
        )


#: A generation of ``eve dev``: a time in base 36 and a UUID. Servers have ``dpl_...`` or the world's name.
_GENERATION = re.compile(r"[0-9a-z]{7,10}-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\Z")


class _Maker(Protocol):
    """Makes a verdict about one open step."""

    def __call__(
        self, code: VerdictCode, sentence: str, next_: str = "", severity: Severity = "info"
    ) -> Verdict:
        """Return the verdict."""
        ...


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
        again = _again(wedge, effects)
        endless = wedge.consequence in ("repeats", "multiplies")
        waiting = sum(1 for m in session.messages if m.role == "pending")
        held = f" {count(waiting, 'accepted message')} already wait behind it." if waiting else ""
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
        return "Send the session a message: that was seen to wake it up."
    if wedge.repair:
        stop = "Stop the server first. " if wedge.consequence in ("repeats", "multiplies") else ""
        return f"{stop}By hand, on a copy first: {wedge.repair}. Or reset the session."
    return "No repair was seen to work; reset the session."


def open_verdicts(
    session: Session, commits: Mapping[str, RunCommits], stuck: frozenset[str], voice: Voice
) -> Iterator[Verdict]:
    """Yield what is running, leased, overdue or dormant.

    Args:
        session: the session.
        commits: commit states by run id.
        stuck: ids of steps and waits that are wedged: of them nothing else is said.
        voice: now, zone and the assumed lease.
    """
    for run in session.all_runs:
        states = commits.get(run.run_id)
        if states is None or states.run.code in ("done", "ending") or run.status in _ENDED:
            continue
        steps = {step.step_id: step for step in run.steps}
        for state in states.open_steps:
            if state.step_id not in stuck:
                yield from _open_step(session, run, state, steps.get(state.step_id), voice)
        for wait in states.waits:
            if wait.wait_id not in stuck and wait.code == "waiting":
                yield from _sleep(run, wait, voice)


def _open_step(
    session: Session, run: Run, state: StepCommit, step: Step | None, voice: Voice
) -> Iterator[Verdict]:
    name = f"{state.function or 'A step'} ({short_id(state.step_id)})"
    evidence = tuple(
        Evidence(kind="event", id=item, run_id=run.run_id)
        for item in state.evidence
        if item.startswith("evnt_")
    )

    def verdict(code: VerdictCode, sentence: str, next_: str = "", severity: Severity = "info") -> Verdict:
        return Verdict(
            code=code,
            sentence=sentence,
            certainty="unknown" if code in ("running", "interrupted") else "implied",
            evidence=evidence,
            next=next_,
            severity=severity,
            turn_id=(step.turn_id if step is not None else None) or "",
            run_id=run.run_id,
            step_id=state.step_id,
        )

    if state.code == "R":
        yield from _retry(state, step, name, voice, verdict)
        return
    if state.code != "D":
        since = voice.since(state.created_at)
        yield verdict(
            "interrupted" if _silent(session, voice) else "running",
            f"{name} was created and not started {since}: nothing of it has run, and it runs at once "
            "when a server is"
            " up. Observed: no step_started event.",
        )
        return
    started = state.last_started_at
    attempts = f", attempt {state.starts}" if state.starts > 1 else ""
    dev = _dev(run)
    free = started + voice.lease if started is not None else None
    if started is None or free is None or (state.inline and voice.now < free):
        yield verdict(
            "running",
            f"{name} was started {voice.at(started)}{attempts}, and no end is recorded. It is "
            "running, or its "
            "process died: the journal cannot tell.",
        )
        if state.inline and free is not None and not dev:
            yield verdict(
                "leased",
                f"If its process died, nobody takes {name} over before "
                f"{voice.at(free).removeprefix('at ')}: an "
                f"inline start is leased for {span(voice.lease)} from its start (assumed: the length "
                "is a setting the "
                "journal does not hold). Silence until then is normal.",
                "Wait; or restart with a shorter lease next time.",
            )
        if dev:
            yield _dormant(name, run, verdict)
        return
    if dev:
        yield _dormant(name, run, verdict)
        return
    waited = (
        f"its lease (assumed {span(voice.lease)}) ended {voice.at(free)}"
        if state.inline
        else "it is not leased"
    )
    who = "A plain SDK app recovers nothing until world.start() is called. " if run.role == "workflow" else ""
    yield verdict(
        "overdue",
        f"{name} was started {voice.at(started)}{attempts}, no end is recorded, {waited}, and nothing "
        "has taken it "
        f"over {voice.since(free if state.inline else started)}. {who}Its process died and no server "
        "has been up since,"
        " or it is still at work.",
        "Start the server on the same version: the step runs again whole, with its model calls and "
        "every tool in it."
        " Put keys on its effects first.",
        "warning",
    )


def _dormant(name: str, run: Run, verdict: _Maker) -> Verdict:
    return verdict(
        "dormant",
        f"{name} is open in a session of eve dev (deployment {run.record.text('deploymentId')}). "
        "Without --resume a "
        "restarted eve dev does not take it up, and a message to it is answered with HTTP 500.",
        "Restart with eve dev --resume; the step then runs again whole.",
        "warning",
    )


def _dev(run: Run) -> bool:
    """Whether ``eve dev`` recorded it: its deployment is a generation id (OBSERVED.md, 22)."""
    return (
        _GENERATION.match(run.record.text("deploymentId") or "") is not None and run.eve_version is not None
    )


def _silent(session: Session, voice: Voice) -> bool:
    last = session.head.updated_at
    return last is not None and voice.now - last > _GRACE


def _retry(
    state: StepCommit, step: Step | None, name: str, voice: Voice, verdict: _Maker
) -> Iterator[Verdict]:
    attempt = step.attempts[-1] if step is not None and step.attempts else None
    due = attempt.retry_after if attempt is not None else None
    threw = attempt.ended_at if attempt is not None else None
    if due is None:
        due = threw
    if due is not None and voice.now - due > _GRACE:
        yield verdict(
            "overdue",
            f"{name} threw {voice.at(threw)} and was to be tried again {voice.at(due)}: it is overdue by "
            f"{span(voice.now - due)}, and nothing has happened since.",
            "Start the server; if it is up, look whether its queue still holds the retry.",
            "warning",
        )
    else:
        when = voice.at(due) if due is not None else "soon"
        yield verdict("running", f"{name} threw {voice.at(threw)}; the runtime tries it again {when}.")


def _sleep(run: Run, wait: WaitCommit, voice: Voice) -> Iterator[Verdict]:
    if wait.resume_at is None or voice.now - wait.resume_at <= _GRACE:
        return
    what = "The session's timeout" if run.role == "timeout" else f"A durable sleep of {run.workflow.function}"
    yield Verdict(
        code="overdue",
        sentence=f"{what} was to end {voice.at(wait.resume_at)}: it is overdue by "
        f"{span(voice.now - wait.resume_at)}, and no wait_completed is recorded.",
        certainty="observed",
        evidence=tuple(
            Evidence(kind="event", id=e, run_id=run.run_id) for e in wait.evidence if e.startswith("evnt_")
        ),
        next="Start the server: the sleep ends at once.",
        severity="info" if run.role == "timeout" else "warning",
        run_id=run.run_id,
    )


def park_verdicts(session: Session, voice: Voice) -> Iterator[Verdict]:
    """Yield what is parked and for whom, and what had been held."""
    for park in session.parks:
        if park.lost:
            yield from _lost(park, voice)
        elif park.open and park.kind == "timer" and park.due is not None and voice.now - park.due > _GRACE:
            continue  # said as overdue
        elif park.open or _still_asked(session, park):
            yield _parked(park, voice)
        elif park.kind == "approval":
            yield Verdict(
                code="held",
                sentence=f"{_subject(park)} was held for a person's approval from "
                f"{_clock(park.since, voice)} to "
                f"{_clock(park.until, voice)}: {park.released_by or 'released'}. An approved call "
                "runs in the next "
                "step, a denied one does not run.",
                certainty=park.certainty,
                evidence=park.evidence,
                turn_id=park.turn_id or "",
                run_id=park.run_id,
                step_id=park.step_id or "",
                tool=park.tool or "",
                call_ids=(park.call_id,) if park.call_id else (),
            )
    for message in session.messages:
        if message.role == "late" and not _heard(session, message):
            yield Verdict(
                code="late-answer",
                sentence=f"An answer came {voice.at(message.at)} to a question nobody waited for any "
                "more; it was "
                "taken as an ordinary message or ignored.",
                certainty=message.certainty,
                evidence=message.evidence,
                next="Answer the question that is open now, by its request id.",
                severity="warning",
                turn_id=message.turn_id or "",
                run_id=message.run_id,
            )


def _still_asked(session: Session, park: Park) -> bool:
    """Whether a question outlived its turn: before eve 0.50 a turn ends with the question still open."""
    if park.kind not in ("approval", "question") or park.released_by != "the turn completed":
        return False
    return not any(park.since is None or m.at is None or m.at > park.since for m in session.messages)


def _heard(session: Session, message: Message) -> bool:
    """Whether what an answer was about ran after it all the same (an approved call of an older eve)."""
    calls = {p.call_id for p in session.parks if p.request_id in message.request_ids and p.call_id}
    return any(
        call.call_id in calls
        and call.returned_at is not None
        and message.at is not None
        and call.returned_at >= message.at
        for step in session.steps
        for call in step.tool_calls
    )


def _clock(when: datetime | None, voice: Voice) -> str:
    return voice.at(when).removeprefix("at ")


def _subject(park: Park) -> str:
    if park.tool and park.call_id:
        return f"{park.tool} (call {park.call_id})"
    return park.tool or park.turn_id or "The session"


def _parked(park: Park, voice: Voice) -> Verdict:
    asked = f': "{park.asked}"' if park.asked and park.kind in ("approval", "question", "sign-in") else ""
    waits = {
        "approval": "a person's approval",
        "question": "a person's answer",
        "sign-in": "a person to sign in",
        "tasks": park.of_whom or "its tasks",
        "timer": "a durable sleep to end",
        "webhook": "a caller of its webhook",
    }[park.kind]
    release = {
        "approval": f"Answer request {park.request_id} with approve or cancel.",
        "question": f"Answer request {park.request_id}.",
        "sign-in": "Complete the sign-in.",
        "tasks": "Look at the tasks it waits for.",
        "timer": f"It ends by itself {voice.at(park.due)}." if park.due else "It ends by itself.",
        "webhook": "Deliver to the hook.",
    }[park.kind]
    return Verdict(
        code="parked",
        sentence=f"{_subject(park)} is parked {voice.since(park.since)}, waiting for {waits}{asked}.",
        certainty=park.certainty,
        evidence=park.evidence,
        next=release,
        turn_id=park.turn_id or "",
        run_id=park.run_id,
        step_id=park.step_id or "",
        tool=park.tool or "",
        call_ids=(park.call_id,) if park.call_id else (),
    )


def _lost(park: Park, voice: Voice) -> Iterator[Verdict]:
    answered = park.answer is not None
    yield Verdict(
        code="lost-answer",
        sentence=f"{_subject(park)} was asked about {voice.at(park.since)} (request "
        f"{park.request_id}) by an attempt "
        "that was never committed, and asked again under another id."
        + (" The answer to the first request did nothing." if answered else " An answer to it does nothing."),
        certainty=park.certainty,
        evidence=park.evidence,
        next="Answer the newer request.",
        severity="warning" if answered or park.open else "info",
        turn_id=park.turn_id or "",
        run_id=park.run_id,
        tool=park.tool or "",
        call_ids=(park.call_id,) if park.call_id else (),
    )


def version_verdicts(session: Session, current: str | None, newest: str | None) -> Iterator[Verdict]:
    """Yield whether another version strands the session.

    Args:
        session: the session.
        current: the version that is to open it, where the caller knows it.
        newest: the newest version seen in the same world: it has been there, so it will be again.
    """
    own = session.eve_version
    open_ = any(run.ended_at is None and run.role in ("session", "turn") for run in session.runs)
    other = current or newest
    if own is None or other is None or own == other or not open_:
        return
    known = current is not None
    child = session.kind == "subagent"
    yield Verdict(
        code="stranded",
        sentence=f"The session was built by eve {own}, and "
        + (f"eve {other} is to open it" if known else f"eve {other} has worked in the same store since")
        + ". Another version cannot replay it: "
        + (
            "a subagent's or tool's run is cancelled."
            if child
            else "messages are answered with 409 session_stranded, and it waits."
        ),
        certainty="implied",
        evidence=(Evidence(kind="attribute", id="$eve.version", run_id=session.runs[-1].run_id),),
        next=f"Open it with eve {own}, or reset the session to start afresh.",
        severity="error" if known else "warning",
        run_id=session.runs[-1].run_id,
    )

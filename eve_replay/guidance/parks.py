"""What a session waits for by design, answers that came to nothing, versions that cannot go on with it."""

from __future__ import annotations

from collections.abc import Iterator

from eve_replay.checks.finding import Verdict
from eve_replay.checks.phrases import GRACE, Voice
from eve_replay.guidance.rest import unsure_park
from eve_replay.ids import short_id
from eve_replay.journal.frameworks.workflow.messages import recorded_answer
from eve_replay.journal.model import Evidence, Park, Session

__all__ = ["park_verdicts", "version_verdicts"]


def park_verdicts(session: Session, voice: Voice) -> Iterator[Verdict]:
    """Yield what is parked and for whom, and what had been held."""
    unsure = {
        run.run_id: said
        for run in session.runs
        if run.role == "workflow"
        if (said := unsure_park(session, run, voice)) is not None
    }
    yield from unsure.values()
    for park in session.parks:
        if park.open and park.run_id in unsure:
            continue  # the log does not say that the code has come to it
        if park.lost:
            yield from _lost(park, voice)
        elif park.open and park.kind == "timer" and park.due is not None and voice.now - park.due > GRACE:
            continue  # said as overdue
        elif park.open and (answer := recorded_answer(session.messages, park.request_id)) is not None:
            yield _answered(park, answer, voice)
        elif park.open:
            yield _parked(park, session, voice)
        elif park.kind == "approval":
            yield Verdict(
                code="held",
                sentence=f"{_subject(park)} was held for a person's approval from "
                f"{voice.clock(park.since)} to "
                f"{voice.clock(park.until)}: {park.released_by or 'released'}. An approved call "
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
        if message.role == "late":
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


def _answered(park: Park, answer: str, voice: Voice) -> Verdict:
    word = f" ({answer})" if answer else ""
    return Verdict(
        code="held",
        sentence=f"{_subject(park)} was held for a person from {voice.clock(park.since)}; the answer{word} "
        "is recorded, and nothing on the stream says yet that it was taken. What was approved runs in the "
        "step that takes the answer, and can have run before the stream says so.",
        certainty="observed",
        evidence=park.evidence,
        turn_id=park.turn_id or "",
        run_id=park.run_id,
        step_id=park.step_id or "",
        tool=park.tool or "",
        call_ids=(park.call_id,) if park.call_id else (),
    )


def _subject(park: Park, session: Session | None = None) -> str:
    if park.tool and park.call_id:
        return f"{park.tool} (call {park.call_id})"
    if session is not None and session.kind == "workflow":
        return f"Run {short_id(park.run_id)} ({session.runs[-1].workflow.function})"
    return park.tool or park.turn_id or "The session"


def _parked(park: Park, session: Session, voice: Voice) -> Verdict:
    asked = f': "{park.asked}"' if park.asked and park.kind in ("approval", "question", "sign-in") else ""
    hook = park.asked.removeprefix("Delivery to the hook ")
    waits = {
        "approval": "a person's approval",
        "question": "a person's answer",
        "sign-in": "a person to sign in",
        "tasks": park.of_whom or "its tasks",
        "timer": "a durable sleep to end",
        "webhook": f"a delivery to its {_hook_word(park, session)} {hook}",
    }[park.kind]
    release = {
        "approval": f"Answer request {park.request_id} with approve or cancel.",
        "question": f"Answer request {park.request_id}.",
        "sign-in": "Complete the sign-in.",
        "tasks": "Look at the tasks it waits for.",
        "timer": f"It ends by itself {voice.at(park.due)}." if park.due else "It ends by itself.",
        "webhook": f"Deliver to the {_hook_word(park, session)} {hook}.",
    }[park.kind]
    return Verdict(
        code="parked",
        sentence=f"{_subject(park, session)} is parked {voice.since(park.since)}, "
        f"waiting for {waits}{asked}.",
        certainty=park.certainty,
        evidence=park.evidence,
        next=release,
        turn_id=park.turn_id or "",
        run_id=park.run_id,
        step_id=park.step_id or "",
        tool=park.tool or "",
        call_ids=(park.call_id,) if park.call_id else (),
    )


def _hook_word(park: Park, session: Session) -> str:
    """Return ``webhook`` only for a hook that has an address of its own: ``createHook`` makes none."""
    for run in session.all_runs:
        if run.run_id == park.run_id:
            created = (e for e in run.events if e.event_type == "hook_created")
            flags = {e.correlation_id: e.data.get("isWebhook") for e in created}
            flags |= {h.hook_id: h.fields.get("isWebhook", flags.get(h.hook_id)) for h in run.hooks}
            return "webhook" if flags.get(park.request_id) is True else "hook"
    return "hook"


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

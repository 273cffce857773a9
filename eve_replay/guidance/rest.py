"""What is said of a session about which nothing else is open: it ended, waits, or stopped between two steps.

"Nothing is open" is a negative sentence, so it needs something seen: the end of the run, or the runtime's own
``session.waiting`` after a committed turn, and a log that is whole as far as anybody knows. A log that merely
ends is no such thing: the process may have died after a step was committed and before the next one was
created, and then nothing in the store says that work is due (docs/evidence/sweep.md, class A).
"""

from __future__ import annotations

from eve_replay.checks.finding import Verdict
from eve_replay.checks.phrases import GRACE, Voice, count, listed
from eve_replay.guidance.runtime_words import is_python, start_words
from eve_replay.ids import short_id
from eve_replay.journal.model import Evidence, Run, Session
from eve_replay.journal.settled import between_steps, newest_event, open_hooks, waiting_word
from eve_replay.records import EventRecord
from eve_replay.recovery.fate import fate_of

__all__ = ["cut_log_verdict", "no_log_verdict", "rest_verdict", "unsure_park"]

_ENDED = frozenset({"completed", "failed", "cancelled"})
#: What the stream says when a session has nothing more to do until somebody writes.
_WAITS = "session.waiting"


def rest_verdict(session: Session, voice: Voice) -> Verdict:
    """Return the verdict of a session about which nothing else is open."""
    last = owner(session)
    if last.status in _ENDED:
        return _ended(session, last, voice)
    if not last.events:
        return no_log_verdict(last)
    for run in session.runs:
        if run.log_gap and run.status not in _ENDED:
            return cut_log_verdict(run)
    if last.role == "workflow":
        return _plain(last, voice) or _stuck(session, last, voice)
    return _waiting(session, last, voice) or _unsettled(session, last, voice)


def owner(session: Session) -> Run:
    """Return the run that is the session now: turn runs (eve 0.20 to 0.50) end with their turn."""
    return ([run for run in session.runs if run.role != "turn"] or list(session.runs))[-1]


def unsure_park(session: Session, run: Run, voice: Voice) -> Verdict | None:
    """Return what is to be said of a plain run with an open hook whose code may not have come to it yet."""
    last = between_steps(run)
    hooks = open_hooks(run)
    if run.role != "workflow" or last is None or not hooks:
        return None
    names = listed(hooks.values())
    got = sum(1 for e in run.events if e.event_type == "hook_received" and e.correlation_id in hooks)
    came = f"{count(got, 'delivery has', 'deliveries have')} come" if got else ""
    received = f" {came}, and nothing after shows that the code took {'it' if got == 1 else 'them'}." * bool(
        got
    )
    return Verdict(
        code="between-steps",
        sentence=f"{_named(run)}: {_after(last, run)} is the last event, {voice.at(last.created_at)}."
        f"{received} It waits for {'another' if got else 'a'} delivery to hook {names}, or its process died "
        "before the next step: the log does not say which.",
        certainty="unknown",
        evidence=(_event(last, run),),
        next=f"{start_words(session, run)}: a step that is due runs then. If none is, deliver to the hook.",
        severity="warning",
        run_id=run.run_id,
    )


def _named(run: Run) -> str:
    return f"Run {short_id(run.run_id)} ({run.workflow.function or 'workflow'})"


def _wakes(session: Session, run: Run) -> str:
    """Return what could wake a plain run in its store, a sentence."""
    if is_python(run):
        return (
            "Only a message from its queue takes it up: one that is delivered again, or one that somebody "
            "sends (world.queue)."
        )
    if session.store == "hosted":
        return "Only the platform's queue can wake it, and the journal does not hold the queue."
    if session.store in ("postgres", "pgdump"):
        return "Only a job in the queue or a start of the world (world.start()) can wake it."
    return "Only a start of its world (world.start()) or a message that its queue delivers again can wake it."


def _ended(session: Session, run: Run, voice: Voice) -> Verdict:
    end = next((e for e in run.events if e.event_type == f"run_{run.status}"), None)
    when = run.ended_at or (end.created_at if end is not None else None)
    name = "run" if session.kind == "workflow" else "session"
    return Verdict(
        code="completed",
        sentence=f"The {name} {run.status} {voice.at(when)}. Nothing of it is open.",
        certainty="observed",
        evidence=(
            Evidence(kind="record", id=run.run_id, run_id=run.run_id, path="$.status"),
            *([_event(end, run)] if end is not None else []),
        ),
        run_id=run.run_id,
    )


def _plain(run: Run, voice: Voice) -> Verdict | None:
    """A plain run in which something else than a step is the last word: a hook or a sleep that it opened."""
    last = newest_event(run)
    if between_steps(run) is not None and last is not None and last.created_at is not None:
        if voice.now - last.created_at > GRACE:
            return None
        return Verdict(
            code="running",
            sentence=f"{_named(run)}: {_after(last, run)} is the last event, "
            f"{voice.at(last.created_at)}. It is at work between two steps, or its process died: the journal "
            "cannot tell.",
            certainty="unknown",
            evidence=(_event(last, run),),
            run_id=run.run_id,
        )
    return None


def _stuck(session: Session, run: Run, voice: Voice) -> Verdict:
    last = newest_event(run)
    assert last is not None  # the caller has seen that there are events
    done = [step.function for step in run.steps if step.committed]
    where = "between two steps" if done else "before its first step"
    fact = f"the last event is {_after(last, run)}"
    if session.queued:
        return Verdict(
            code="between-steps",
            sentence=f"{_named(run)} lies {where} {voice.since(last.created_at)}: {fact}. "
            f"Its queue holds work: {' '.join(session.queued)}",
            certainty="observed",
            evidence=(_event(last, run),),
            next="Start the app: its worker takes the job.",
            severity="warning",
            run_id=run.run_id,
        )
    return Verdict(
        code="stuck",
        sentence=f"{_named(run)} is stuck {where} {voice.since(last.created_at)}: {fact}, and "
        "nothing is open that could wake it: no step, no sleep, no hook. " + _wakes(session, run),
        certainty="implied",
        evidence=(_event(last, run),),
        next=f"{start_words(session, run)}; what is committed is not run again, the next step runs then.",
        severity="error",
        run_id=run.run_id,
    )


def _waiting(session: Session, run: Run, voice: Voice) -> Verdict | None:
    """A session that said itself that it waits, after a turn whose last step is committed."""
    said = waiting_word(session)
    if said is None:
        return None
    turn = session.turns[-1]
    built = f" Only eve {session.eve_version} can go on with it." if session.eve_version else ""
    return Verdict(
        code="idle",
        sentence=f"Nothing is open: the session has waited for the next message {voice.since(turn.ended_at)}."
        f"{built}",
        certainty="observed",
        evidence=(
            *session.evidence,
            Evidence(kind="chunk", id=said.chunk_id, run_id=session.id, note=_WAITS),
        ),
        run_id=run.run_id,
    )


def _unsettled(session: Session, run: Run, voice: Voice) -> Verdict:
    """No step is open, and nothing says that the session waits: it stopped in between, or is at work."""
    last = newest_event(run)
    assert last is not None  # the caller has seen that there are events
    turn = session.turns[-1] if session.turns else None
    lost = session.missing("chunks")
    if lost:
        why = f"its stream is not whole ({lost})"
    elif not session.stream_events:
        why = "nothing of its stream is here"
    elif turn is None:
        why = "no turn is recorded"
    else:
        why = f"no {_WAITS} follows {turn.id} on its stream"
    if fate_of(session).due:
        return Verdict(
            code="between-steps",
            sentence=f"No step of the session is open, and work is due: {why}. The last event is "
            f"{_after(last, run)}, {voice.at(last.created_at)}. It goes on by itself when its server is up.",
            certainty="implied",
            evidence=(_event(last, run),),
            next=f"Start the server on the same version{_version(session)}, if it is not up.",
            severity="warning",
            run_id=run.run_id,
        )
    recent = last.created_at is not None and voice.now - last.created_at <= GRACE
    return Verdict(
        code="running" if recent else "between-steps",
        sentence=f"No step of the session is open, and nothing says that it waits for a message: {why}. "
        f"The last event is {_after(last, run)}, {voice.at(last.created_at)}. "
        "It was between two steps, at work or interrupted: the journal cannot tell.",
        certainty="unknown",
        evidence=(_event(last, run),),
        next=""
        if recent
        else f"Start the server on the same version{_version(session)}: what is due goes on.",
        severity="info" if recent else "warning",
        run_id=run.run_id,
    )


def _version(session: Session) -> str:
    return f" ({session.eve_version})" if session.eve_version else ""


def _after(event: EventRecord, run: Run) -> str:
    subject = event.correlation_id
    step = next((s for s in run.steps if s.step_id == subject), None)
    about = step.function if step is not None else short_id(subject) if subject else ""
    return f"{event.event_type} of {about}" if about else event.event_type


def _event(event: EventRecord, run: Run) -> Evidence:
    return Evidence(kind="event", id=event.event_id, run_id=run.run_id)


def no_log_verdict(run: Run) -> Verdict:
    """Return the verdict of a run whose event log is not here."""
    return Verdict(
        code="no-log",
        sentence=f"{_named(run)} is {run.status or 'without status'}, and its event log is not "
        "here: what is open in it cannot be told.",
        certainty="unknown",
        evidence=(Evidence(kind="record", id=run.run_id, run_id=run.run_id),),
        next="Read it from the store itself with the right to read all of it, or export its events too.",
        severity="warning",
        run_id=run.run_id,
    )


def cut_log_verdict(run: Run) -> Verdict:
    """Return the verdict of a run whose event log is known not to be whole."""
    return Verdict(
        code="no-log",
        sentence=f"{_named(run)}: its event log is not whole ({run.log_gap}). "
        + ("" if run.status in _ENDED else "What is open in it cannot be told. ")
        + "How often its steps ran is known in part only.",
        certainty="unknown",
        evidence=(Evidence(kind="record", id=run.run_id, run_id=run.run_id),),
        next="Read the log again from the store itself, then ask again.",
        severity="warning",
        run_id=run.run_id,
    )

"""How runs and turns ended: failed, cancelled, purged."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime

from eve_replay.checks.finding import Verdict
from eve_replay.checks.phrases import Voice, listed
from eve_replay.codec import Payload, loads_json
from eve_replay.ids import short_id
from eve_replay.journal.model import Evidence, Run, Session
from eve_replay.redaction.veil import glimpse, veiled
from eve_replay.values import Undecoded

__all__ = ["end_verdicts", "error_words"]

#: What the runtime's error codes mean (its ``RUN_ERROR_CODES``).
CODES: Mapping[str, str] = {
    "USER_ERROR": "the workflow's own code threw",
    "RUNTIME_ERROR": "the runtime could not run it",
    "CORRUPTED_EVENT_LOG": "the replay met an event that the code does not explain",
    "REPLAY_DIVERGENCE": "the replay did something else than the log says",
    "MAX_DELIVERIES_EXCEEDED": "its message was delivered again and again without success",
    "MAX_EVENTS_EXCEEDED": "its event log grew past the limit",
    "REPLAY_TIMEOUT": "the replay took too long",
    "STREAM_ERROR": "its stream could not be read or written",
    "WORLD_CONTRACT_ERROR": "the store answered with something the runtime does not accept",
    "DEPLOYMENT_MISMATCH": "another deployment tried to run it",
}
_DIVERGED = frozenset({"CORRUPTED_EVENT_LOG", "REPLAY_DIVERGENCE"})
_EVENT_ID = re.compile(r"evnt_[0-9A-HJKMNP-TV-Z]{26}")
#: What the runtime writes when another version retires a child run (eve 0.80.1, stranded-replay-guard).
_RETIRED = "Run retired"


def end_verdicts(session: Session, voice: Voice) -> Iterator[Verdict]:
    """Yield what failed, was cancelled or was purged."""
    for run in session.all_runs:
        if run.status == "failed":
            yield _failed_run(run, voice)
        elif run.status == "cancelled" and run.role != "timeout":
            yield _cancelled_run(run, voice)
    for turn in session.turns:
        if turn.status == "failed":
            code = str((turn.error or {}).get("code", "")) or "no code"
            said = str((turn.error or {}).get("message", ""))
            yield Verdict(
                code="failed-turn",
                sentence=f"{turn.id} failed {voice.at(turn.ended_at)} with {code}{_quoted(said)}. A "
                "failed turn is a "
                "completed step: its effects stay, nothing of it is tried again, and the session goes on.",
                certainty=turn.certainty,
                evidence=turn.evidence,
                next="Look at the effects of the turn, then send the message again.",
                severity="warning",
                turn_id=turn.id,
                run_id=turn.run_ids[-1] if turn.run_ids else "",
            )
        elif turn.status == "cancelled":
            yield Verdict(
                code="cancelled-turn",
                sentence=f"{turn.id} was cancelled {voice.at(turn.ended_at)}. What its tools had done "
                "by then stays.",
                certainty=turn.certainty,
                evidence=turn.evidence,
                turn_id=turn.id,
                run_id=turn.run_ids[-1] if turn.run_ids else "",
            )
    purged = [run for run in session.all_runs if run.purged]
    if purged:
        title = any(run.record.attribute("$eve.title") for run in purged)
        yield Verdict(
            code="purged",
            sentence=f"The payloads of {listed(short_id(run.run_id) for run in purged)} were deleted "
            "by retention "
            f"{voice.at(purged[-1].record.time('expiredAt'))}: names, times and attempts are left, "
            "inputs, outputs and "
            "the stream are gone."
            + (" The first message is still in the $eve.title attribute." if title else ""),
            certainty="observed",
            evidence=tuple(
                Evidence(kind="record", id=r.run_id, run_id=r.run_id, path="$.expiredAt") for r in purged
            ),
            run_id=purged[-1].run_id,
        )


def error_words(payload: Payload | None) -> tuple[str, str]:
    """Return ``(name, message)`` of a run's or step's error, of any era; empty strings where it has none.

    Three eras (docs/evidence/reports.md#t6): a plain record ``{message, stack, code}``, a payload beside
    ``errorCode``, nothing.
    """
    if payload is None:
        return "", ""
    value: object = payload.shared
    if isinstance(value, Undecoded):
        return "", ""  # what the decoder says of it is not what the run said
    if isinstance(value, str) and value.startswith("{") and (inner := _json_error(value)) is not None:
        value = inner
    name, message = getattr(value, "name", None), getattr(value, "message", None)
    if isinstance(message, str):
        return str(name or ""), message
    if isinstance(value, Mapping):
        said = value.get("message")
        return str(value.get("name") or ""), veiled(said) if isinstance(said, str) else glimpse(value, 120)
    return "", veiled(value) if isinstance(value, str) else glimpse(value, 120)


def unread_error(payload: Payload | None) -> str:
    """Return why an error that is there cannot be told, a sentence; empty when it can, or there is none."""
    value = payload.shared if payload is not None else None
    if not isinstance(value, Undecoded):
        return ""
    if value.reason == "missing-key":
        return " Its error is encrypted: give --key to read it."
    return f" Its error is recorded and cannot be read ({value.reason})."


def _json_error(text: str) -> Mapping[str, object] | None:
    """Return the error that a text holds as JSON: old worlds stored ``JSON.stringify({message, stack})``."""
    try:
        found = loads_json(text)
    except ValueError:
        return None
    return found if isinstance(found, dict) and isinstance(found.get("message"), str) else None


def _quoted(text: str) -> str:
    one_line = " ".join(text.split())
    return f': "{one_line[:160]}{"..." if len(one_line) > 160 else ""}"' if one_line else ""


def _ended_at(run: Run) -> datetime | None:
    """Return when a run ended: its record says it, or its log where the record does not."""
    end = next((e for e in run.events if e.event_type == f"run_{run.status}"), None)
    return run.ended_at or (end.created_at if end is not None else None)


def _code_of(run: Run) -> str:
    code = run.record.text("errorCode")
    if code:
        return code
    for event in reversed(run.events):
        if event.event_type == "run_failed":
            value = event.data.get("errorCode")
            if isinstance(value, str):
                return value
    raw = run.error.value if run.error is not None else None
    value = raw.get("code") if isinstance(raw, Mapping) else None
    return value if isinstance(value, str) else ""


def _failed_run(run: Run, voice: Voice) -> Verdict:
    code = _code_of(run)
    name, message = error_words(run.error)
    meaning = f" ({CODES[code]})" if code in CODES else ""
    evidence: list[Evidence] = [Evidence(kind="record", id=run.run_id, run_id=run.run_id, path="$.error")]
    subject = f"Run {short_id(run.run_id)} ({run.workflow.function or 'workflow'})"
    diverged = code in _DIVERGED or name in ("CorruptedEventLogError", "ReplayDivergenceError")
    kind = code or name or "an error"
    sentence = f"{subject} failed {voice.at(_ended_at(run))} with {kind}{meaning}{_quoted(message)}."
    sentence += unread_error(run.error)
    next_ = ""
    if diverged:
        found = _EVENT_ID.findall(message)
        for event_id in dict.fromkeys(found):
            event = next((e for e in run.events if e.event_id == event_id), None)
            if event is None:
                sentence += f" The event it names, {event_id}, is not in the log."
                continue
            evidence.insert(
                0, Evidence(kind="event", id=event_id, run_id=run.run_id, note="named by the error")
            )
            what = event.data.get("stepName")
            about = f" of {str(what).rpartition('//')[2]}" if isinstance(what, str) else ""
            where = f"slot {event.slot}" if event.slot is not None else event_id
            sentence += (
                f" It names {event.event_type}{about} ({where}, written {voice.at(event.created_at)})."
            )
        sentence += _writers(run)
        next_ = "Look at the event it names; let only the version that wrote the log replay it."
    elif run.role == "session":
        next_ = "Start the session again; this one takes no more messages."
    return Verdict(
        code="corrupted-event-log" if diverged else "failed-run",
        sentence=sentence,
        certainty="observed",
        evidence=tuple(evidence),
        next=next_,
        severity="error",
        run_id=run.run_id,
    )


def _writers(run: Run) -> str:
    """Say which versions wrote the log and which replayed it, as far as it is recorded."""
    steps = {s.name.version for s in run.steps if s.name.version and s.name.module == "eve"}
    specs = sorted({e.spec_version for e in run.events if e.spec_version is not None})
    context = run.record.fields.get("executionContext")
    core = context.get("workflowCoreVersion") if isinstance(context, Mapping) else None
    parts = []
    if steps:
        parts.append(f"its steps were written by eve {listed(sorted(steps))}")
    if run.eve_version and run.eve_version not in steps:
        parts.append(f"the run says eve {run.eve_version}")
    if isinstance(core, str):
        parts.append(f"it was started with workflow core {core}")
    if len(specs) > 1:
        parts.append(f"its events have spec versions {listed(str(s) for s in specs)}")
    return f" Versions: {'; '.join(parts)}." if parts else ""


def _cancelled_run(run: Run, voice: Voice) -> Verdict:
    reason = ""
    for event in run.events:
        if event.event_type == "run_cancelled":
            value = event.data.get("cancelReason")
            reason = value if isinstance(value, str) else ""
    subject = f"Run {short_id(run.run_id)} ({run.workflow.function or 'workflow'})"
    retired = reason.startswith(_RETIRED)
    sentence = (
        f"{subject} was cancelled {voice.at(_ended_at(run))}{_quoted(reason)}. "
        "What it had done by then stays."
    )
    if retired:
        sentence = (
            f"{subject}, built by eve {run.eve_version or 'of an unknown version'}, was cancelled "
            f"{voice.at(_ended_at(run))} by another version{_quoted(reason)}. What it had done by then stays."
        )
    return Verdict(
        code="retired" if retired else "cancelled-run",
        sentence=sentence,
        certainty="observed",
        evidence=(Evidence(kind="record", id=run.run_id, run_id=run.run_id),),
        next="Ask for the work again in a new session." if retired else "",
        severity="warning" if retired else "info",
        run_id=run.run_id,
    )

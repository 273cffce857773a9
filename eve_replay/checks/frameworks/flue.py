"""Where a Flue conversation shows one of the runtime's departures from its own documentation.

Source: docs/evidence/flue.md#departures. Each is told only where the records show it.
"""

from __future__ import annotations

from collections.abc import Iterator

from eve_replay.checks.finding import Finding
from eve_replay.journal.model import Evidence, Session, Step, ToolCall, Turn

__all__ = ["check"]

_KNOWN = frozenset(
    {
        "conversation_created",
        "user_message",
        "signal",
        "assistant_message_started",
        "assistant_text_started",
        "assistant_text_delta",
        "assistant_text_completed",
        "assistant_reasoning_started",
        "assistant_reasoning_delta",
        "assistant_reasoning_completed",
        "assistant_tool_call",
        "assistant_message_completed",
        "tool_outcome",
        "tool_results_committed",
        "tool_step_settled",
        "state_write",
        "child_session_retained",
        "agent_start_run",
        "agent_finish_cycle",
        "message_data_write",
        "message_metadata",
        "resource_snapshot",
        "compaction",
        "submission_settled",
    }
)


def check(session: Session) -> Iterator[Finding]:
    """Yield the findings of one conversation."""
    yield from _unknown_records(session)
    yield from _repeated_ids(session)
    for turn in session.turns:
        yield from _skipped_hooks(session, turn)
        yield from _hidden_error(session, turn)
        yield from _second_owner(session, turn)
    for step in session.steps:
        for call in step.tool_calls:
            yield from _cut_off(session, step, call)
    yield from _lost_state(session)
    yield from _bare_children(session)


def _finding(
    session: Session, code: str, severity: str, where: str, sentence: str, why: str, fix: str, *ids: str
) -> Finding:
    return Finding(
        code=code,
        severity=severity,  # type: ignore[arg-type]  # one of its words
        where=where,
        sentence=sentence,
        why=why,
        fix=fix,
        run_id=session.id,
        session_id=session.id,
        evidence=tuple(Evidence(kind="event", id=each, run_id=session.id) for each in ids),
    )


def _unknown_records(session: Session) -> Iterator[Finding]:
    seen: set[str] = set()
    for run in session.all_runs:
        for event in run.events:
            if event.event_type in _KNOWN or event.event_type in seen:
                continue
            seen.add(event.event_type)
            yield _finding(
                session,
                "unknown-record-type",
                "warning",
                event.event_id,
                f"The stream holds records of the unknown type {event.event_type!r}.",
                "A newer Flue may give them a meaning that is not shown here.",
                "Update eve-replay, or look at the record itself.",
                event.event_id,
            )


def _repeated_ids(session: Session) -> Iterator[Finding]:
    first: dict[str, tuple[Step, ToolCall]] = {}
    for step in session.steps:
        for call in step.tool_calls:
            if call.requested_at is None:
                continue
            known = first.setdefault(call.call_id, (step, call))
            if known[0].step_id == step.step_id:
                continue
            replayed = known[1].durable and call.name == known[1].name and not call.durable
            yield _finding(
                session,
                "replayed-memos" if replayed else "repeated-call-id",
                "error" if replayed else "warning",
                step.step_id,
                f"The call id {call.call_id} is used by two calls ({known[1].name} and {call.name})."
                + (" The second recorded no step: it replayed the steps of the first." if replayed else ""),
                "Step memos are looked up by call id and step name over the whole stream, not per call.",
                "Let the provider give every call an id of its own.",
                *(e.id for e in (*known[1].evidence[:1], *call.evidence[:1])),
            )


def _last_answer(session: Session, turn: Turn) -> Step | None:
    own = [s for s in turn.turn_steps if s.run_id == session.id]
    return own[-1] if own else None


def _skipped_hooks(session: Session, turn: Turn) -> Iterator[Finding]:
    """An agent that has finish hooks in other submissions, and none in this one after a crash."""
    if turn.status != "completed" or turn.budget is None:
        return
    events = [e for run in session.runs for e in run.events if e.text("submissionId") in turn.delivery_ids]
    settled = next((e for e in events if e.event_type == "submission_settled"), None)
    last = _last_answer(session, turn)
    if settled is None or last is None or last.end_event is None:
        return
    hooked = any(
        e.event_type in ("agent_finish_cycle", "message_metadata", "message_data_write")
        for run in session.runs
        for e in run.events
    )
    finished = any(e.event_type in ("agent_finish_cycle", "message_metadata") for e in events)
    another = settled.fields.get("epoch") != last.end_event.fields.get("epoch")
    if another and hooked and not finished:
        yield _finding(
            session,
            "finish-hooks-skipped",
            "warning",
            settled.event_id,
            f"Submission {turn.sequence} was settled by another process than gave its last answer: its "
            "finish hooks did not run to their end.",
            "Recovery settles a complete answer at once; the documentation says that the hooks run again.",
            "Do what the hook does by hand, or let the next message do it.",
            settled.event_id,
        )


def _hidden_error(session: Session, turn: Turn) -> Iterator[Finding]:
    row = next((u for run in session.runs for u in run.units if u.step_id == turn.delivery_ids[0]), None)
    said = row.text("errorText") if row is not None else None
    told = str((turn.error or {}).get("message") or "")
    if said and told and said.rstrip(".") not in told and told.rstrip(".") not in said:
        yield _finding(
            session,
            "hidden-error",
            "info",
            turn.delivery_ids[0],
            f"The row of submission {turn.sequence} keeps an error that clients are not shown: {said[:200]}",
            "The settlement hides internal messages; the column keeps them.",
            "Do not hand the database to people who must not see it.",
        )


def _second_owner(session: Session, turn: Turn) -> Iterator[Finding]:
    """Records of an older epoch after those of a newer one: two processes at one database."""
    newest = 0
    for run in session.runs[:1]:
        for event in run.events:
            epoch = event.fields.get("epoch")
            if not isinstance(epoch, int) or event.text("submissionId") not in turn.delivery_ids:
                continue
            if epoch < newest:
                yield _finding(
                    session,
                    "two-owners",
                    "error",
                    event.event_id,
                    "A process went on writing after another one had taken over.",
                    "Two processes on one database fence each other; outcomes may be lost.",
                    "Let one process serve the database.",
                    event.event_id,
                )
                return
            newest = max(newest, epoch)


def _cut_off(session: Session, step: Step, call: ToolCall) -> Iterator[Finding]:
    if call.fate not in ("abandoned", "timed_out") or call.requested_at is None:
        return
    yield _finding(
        session,
        "cut-off-call",
        "warning",
        step.step_id,
        f"{call.name} ({call.call_id}) was cut off while it ran, and is recorded as an ordinary error.",
        "It is not listed among the interrupted tools, and its function may act later in a living process.",
        "Look up whether it acted.",
        *(e.id for e in call.evidence[-1:]),
    )


def _lost_state(session: Session) -> Iterator[Finding]:
    """A call that ended in one process and was committed by another: what state it wrote was dropped."""
    writes = any(e.event_type == "state_write" for run in session.runs for e in run.events)
    for step in session.steps:
        end = step.end_event
        if step.kind != "turn" or end is None or end.event_type != "tool_results_committed":
            continue
        kept = [
            event
            for event in step.events
            if event.event_type == "tool_outcome"
            and (event.text("recordId") or "").startswith("record_tool_outcome_")
            and event.fields.get("epoch") != end.fields.get("epoch")
        ]
        if kept:
            names = ", ".join(dict.fromkeys(str(event.data.get("toolName")) for event in kept))
            yield _finding(
                session,
                "state-write-lost",
                "warning" if writes else "info",
                step.step_id,
                f"{names} had ended before the crash, and the results were committed by another process: if "
                "it wrote state, that write is lost.",
                "Outcomes are appended one by one, state only with the commit of the whole batch.",
                "Compare the state with what the calls did.",
                end.event_id,
            )


def _bare_children(session: Session) -> Iterator[Finding]:
    for run in session.children:
        if any(e.event_type in ("user_message", "signal") for e in run.events):
            continue
        yield _finding(
            session,
            "child-without-input",
            "error",
            run.run_id,
            f"The delegate's conversation {run.run_id} was created and its input was not written.",
            "A crash between the two fails the whole submission at its next attempt, inside its budget.",
            "Send the message again: the next one works.",
            *(e.event_id for e in run.events[:1]),
        )

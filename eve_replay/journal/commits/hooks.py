"""Commit states of hooks and of what was delivered to them, and the log sorted for all commit states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from eve_replay.journal.commits.states import Delivery, HookCode, HookCommit
from eve_replay.records import EventRecord, HookRecord, MarkRecord

__all__ = ["Log", "deliveries", "hook_commits"]

_INBOX = "eve:inbox:"


@dataclass(slots=True)
class Log:
    """The log once over: events by what they are about, with their places."""

    steps: dict[str, list[tuple[int, EventRecord]]] = field(default_factory=dict)
    waits: dict[str, list[tuple[int, EventRecord]]] = field(default_factory=dict)
    hooks: dict[str, list[tuple[int, EventRecord]]] = field(default_factory=dict)
    by_id: dict[str, EventRecord] = field(default_factory=dict)

    @classmethod
    def read(cls, events: Sequence[EventRecord]) -> Log:
        """Sort the events of one run, in log order, by what they are about."""
        log = cls()
        for place, event in enumerate(events):
            log.by_id[event.event_id] = event
            subject = event.correlation_id
            if not subject:
                continue
            family = event.event_type.partition("_")[0]
            table = {"step": log.steps, "wait": log.waits, "hook": log.hooks}.get(family)
            if table is not None:
                table.setdefault(subject, []).append((place, event))
        return log


def hook_commits(
    run_id: str,
    log: Log,
    records: dict[str, HookRecord],
    marks: dict[tuple[str, str, str], MarkRecord],
) -> tuple[HookCommit, ...]:
    """Return which half of its creation or disposal each hook of a run is in."""
    out = []
    tokens = {
        str(mark.fields.get("hookId")): mark
        for (kind, phase, _), mark in marks.items()
        if kind == "token" and phase == "file" and mark.fields.get("runId", run_id) == run_id
    }
    ids = dict.fromkeys(log.hooks)
    ids.update(dict.fromkeys(sorted({*records, *tokens} - set(ids) - {"None"})))
    for hook_id in ids:
        events = log.hooks.get(hook_id, [])
        created = next((event for _, event in events if event.event_type == "hook_created"), None)
        token_mark = tokens.get(hook_id)
        token = _token(created, records.get(hook_id), token_mark)
        code: HookCode
        if any(event.event_type == "hook_disposed" for _, event in events):
            code = "disposed"
        elif ("hook", "disposed", hook_id) in marks:
            code = "H2"
        elif created is not None or any(event.event_type == "hook_conflict" for _, event in events):
            code = "open"
        elif token_mark is not None:
            taken = str(token_mark.fields.get("eventId")) in log.by_id
            code = "H1" if taken else "H1-free"
        else:
            code = "open"
        out.append(
            HookCommit(
                run_id=run_id,
                hook_id=hook_id,
                code=code,
                token=token,
                # A session's inbox is the one hook whose creation the workflow awaits
                # (docs/evidence/sweep.md#hook-token).
                awaited=token.startswith(_INBOX) or not token,
                system=token.startswith("abrt_"),
                evidence=(
                    *([token_mark.origin] if token_mark else []),
                    *(event.event_id for _, event in events),
                ),
            )
        )
    return tuple(out)


def _token(created: EventRecord | None, record: HookRecord | None, mark: MarkRecord | None) -> str:
    for value in (
        created.data.get("token") if created else None,
        record.text("token") if record else None,
        mark.fields.get("token") if mark else None,
    ):
        if isinstance(value, str):
            return value
    return ""


def deliveries(run_id: str, log: Log, marks: dict[tuple[str, str, str], MarkRecord]) -> tuple[Delivery, ...]:
    """Return the messages a run received, in log order, then those that were accepted and never logged."""
    received: list[tuple[int, Delivery]] = []
    seen: set[str] = set()
    for hook_id, events in log.hooks.items():
        for place, event in events:
            if event.event_type != "hook_received":
                continue
            resume = event.text("resumeId")
            if resume:
                seen.add(resume)
            received.append(
                (
                    place,
                    Delivery(
                        run_id=run_id,
                        hook_id=hook_id,
                        event_id=event.event_id,
                        received=True,
                        resume_id=resume,
                        at=event.created_at,
                        evidence=(event.event_id,),
                    ),
                )
            )
    received.sort(key=lambda pair: pair[0])
    lost = []
    for (kind, _, _), mark in marks.items():
        if kind != "resume" or mark.fields.get("runId", run_id) != run_id:
            continue
        resume = mark.text("resumeId")
        if resume in seen or (str(mark.fields.get("eventId")) in log.by_id and not resume):
            continue
        lost.append(
            Delivery(
                run_id=run_id,
                hook_id=mark.text("hookId") or "",
                event_id=mark.text("eventId") or "",
                received=False,
                resume_id=resume,
                evidence=(mark.origin,),
            )
        )
    return (*(delivery for _, delivery in received), *lost)

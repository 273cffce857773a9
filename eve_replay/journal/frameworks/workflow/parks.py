"""Waits by design: what was asked, of whom, since when, and what released it.

Sources (docs/evidence/observed.md#held, #deltas, docs/evidence/sweep.md#approval): ``input.requested`` and
``input.resolved`` for approvals and questions, ``authorization.*`` for sign-ins, ``turn.waiting`` and
``task.*`` for tasks, ``wait_*`` events for durable sleeps, hooks of workflows for webhooks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from eve_replay.journal.frameworks.workflow.calls import chunk_evidence
from eve_replay.journal.frameworks.workflow.steps import event_evidence
from eve_replay.journal.model import Park, ParkKind, Run, Step, StreamEvent
from eve_replay.records import EventRecord
from eve_replay.times import parse_time

__all__ = ["Emitted", "open_parks", "stream_parks", "workflow_parks"]

_ENDS_TURN = frozenset({"turn.completed", "turn.failed", "turn.cancelled"})
_KINDS: dict[str, ParkKind] = {"tool-approval": "approval", "question": "question"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Emitted:
    """A stream event with the step and attempt that emitted it (both None when none is known).

    ``committed`` says whether that attempt is the one whose result the log holds.
    """

    event: StreamEvent
    step: Step | None = None
    attempt: int | None = None
    committed: bool = False


def stream_parks(emitted: Sequence[Emitted], session_id: str) -> list[Park]:
    """Read approvals, questions, sign-ins and waits for tasks from the session stream, in order."""
    book = _Book(session_id)
    for item in emitted:
        event = item.event
        match event.type:
            case "input.requested":
                book.requested(item)
            case "approval.settled":
                book.settled(event)
            case "input.resolved":
                book.resolved(event)
            case "authorization.required":
                book.sign_in(item)
            case "authorization.completed":
                book.signed_in(event)
            case "task.started":
                book.task_started(event)
            case "turn.waiting":
                book.waiting(item)
            case "task.settled":
                book.task_settled(event)
            case "action.result" | "step.started":
                book.resumed(event)
            case kind if kind in _ENDS_TURN:
                book.turn_ended(item)
            case _:
                pass
    return book.parks


class _Book:
    """Open and closed parks while the stream is read."""

    def __init__(self, session_id: str) -> None:
        self.session_id = session_id
        self.parks: list[Park] = []
        self._working: dict[str, str] = {}  # task id -> name
        self._asked_by: list[tuple[str, int] | None] = []  # step and attempt of each park, by index

    def _open(self, **wanted: object) -> int | None:
        for index in range(len(self.parks) - 1, -1, -1):
            park = self.parks[index]
            if park.open and all(getattr(park, key) == value for key, value in wanted.items()):
                return index
        return None

    def _add(self, item: Emitted, park: Park) -> None:
        self.parks.append(park)
        if item.step is None or item.attempt is None:
            self._asked_by.append(None)
        else:
            self._asked_by.append((item.step.step_id, item.attempt))

    def _close(self, index: int | None, event: StreamEvent, by: str, answer: object = None) -> None:
        if index is None:
            return
        park = self.parks[index]
        self.parks[index] = replace(
            park,
            open=False,
            until=event.at,
            released_by=by,
            answer=answer if answer is not None else park.answer,
            evidence=(*park.evidence, chunk_evidence(event, self.session_id)),
        )

    def requested(self, item: Emitted) -> None:
        event = item.event
        requests = event.data.get("requests")
        for request in requests if isinstance(requests, list) else []:
            if not isinstance(request, dict):
                continue
            request_id = _text(request.get("requestId"))
            known = self._open(request_id=request_id) if request_id is not None else None
            if known is not None:  # asked again by a re-run, under the same id
                self.parks[known] = replace(
                    self.parks[known],
                    lost=False if item.committed else self.parks[known].lost,
                    evidence=(*self.parks[known].evidence, chunk_evidence(event, self.session_id)),
                )
                continue
            self._give_up_on_earlier_attempts(item)
            action = request.get("action")
            action = action if isinstance(action, dict) else {}
            self._add(
                item,
                Park(
                    kind=_KINDS.get(str(request.get("kind")), "question"),
                    session_id=self.session_id,
                    run_id=item.step.run_id if item.step else self.session_id,
                    since=event.at,
                    of_whom="person",
                    asked=_text(request.get("prompt")) or "",
                    request_id=request_id,
                    call_id=_text(action.get("callId")) or _text(event.data.get("callId")),
                    tool=_text(action.get("toolName")),
                    turn_id=event.turn_id,
                    step_id=item.step.step_id if item.step else None,
                    lost=item.step is not None and item.step.committed and not item.committed,
                    evidence=(chunk_evidence(event, self.session_id),),
                ),
            )

    def _give_up_on_earlier_attempts(self, item: Emitted) -> None:
        """A step that asks anew under another id no longer hears the answer to what it asked before."""
        for index, asker in enumerate(self._asked_by):
            if asker is None or item.step is None or item.attempt is None or not self.parks[index].open:
                continue
            if asker[0] == item.step.step_id and asker[1] < item.attempt:
                self.parks[index] = replace(self.parks[index], lost=True)

    def settled(self, event: StreamEvent) -> None:
        """Note who settled an approval; ``input.resolved`` follows and closes it."""
        index = self._open(request_id=_text(event.data.get("requestId")))
        if index is not None:
            who = _text(event.data.get("responderPrincipalId"))
            outcome = _text(event.data.get("outcome")) or "settled"
            self._close(index, event, f"{outcome} by {who}" if who else outcome)

    def resolved(self, event: StreamEvent) -> None:
        resolutions = event.data.get("resolutions")
        for resolution in resolutions if isinstance(resolutions, list) else []:
            if not isinstance(resolution, dict):
                continue
            request_id = _text(resolution.get("requestId"))
            outcome = _text(resolution.get("outcome")) or "resolved"
            response = resolution.get("response")
            index = self._open(request_id=request_id)
            if index is not None:
                self._close(index, event, outcome, response)
                continue
            settled = next(
                (i for i in range(len(self.parks) - 1, -1, -1) if self.parks[i].request_id == request_id),
                None,
            )
            if settled is not None and self.parks[settled].answer is None:
                self.parks[settled] = replace(
                    self.parks[settled],
                    answer=response,
                    evidence=(*self.parks[settled].evidence, chunk_evidence(event, self.session_id)),
                )

    def sign_in(self, item: Emitted) -> None:
        event = item.event
        name = _text(event.data.get("name")) or "connection"
        attempt = _text(event.data.get("attemptId")) or name
        if self._open(kind="sign-in", request_id=attempt) is None:
            self._add(
                item,
                Park(
                    kind="sign-in",
                    session_id=self.session_id,
                    run_id=item.step.run_id if item.step else self.session_id,
                    since=event.at,
                    of_whom="person",
                    asked=_text(event.data.get("description")) or f"Sign in to {name}",
                    request_id=attempt,
                    tool=name,
                    turn_id=event.turn_id,
                    step_id=item.step.step_id if item.step else None,
                    evidence=(chunk_evidence(event, self.session_id),),
                ),
            )

    def signed_in(self, event: StreamEvent) -> None:
        attempt = _text(event.data.get("attemptId")) or _text(event.data.get("name"))
        self._close(
            self._open(kind="sign-in", request_id=attempt),
            event,
            _text(event.data.get("outcome")) or "completed",
        )

    def task_started(self, event: StreamEvent) -> None:
        task = _text(event.data.get("taskId"))
        if task is not None:
            self._working[task] = _text(event.data.get("name")) or task

    def waiting(self, item: Emitted) -> None:
        event = item.event
        if event.data.get("on") != "tasks" or self._open(kind="tasks", turn_id=event.turn_id) is not None:
            return
        names = sorted(set(self._working.values()))
        self._add(
            item,
            Park(
                kind="tasks",
                session_id=self.session_id,
                run_id=item.step.run_id if item.step else self.session_id,
                since=event.at,
                of_whom="task " + ", ".join(names) if names else "tasks",
                asked="The turn waits for the tasks it started",
                turn_id=event.turn_id,
                step_id=item.step.step_id if item.step else None,
                evidence=(chunk_evidence(event, self.session_id),),
            ),
        )

    def task_settled(self, event: StreamEvent) -> None:
        task = _text(event.data.get("taskId"))
        name = self._working.pop(task, None) if task is not None else None
        index = self._open(kind="tasks", turn_id=event.turn_id)
        status = _text(event.data.get("status")) or "settled"
        answer = event.data.get("output")
        self._close(index, event, f"task {name or task or ''} {status}".replace("  ", " "), answer)

    def resumed(self, event: StreamEvent) -> None:
        """The turn goes on: whatever held it for tasks does so no more."""
        result = event.data.get("result")
        name = _text(result.get("toolName")) if isinstance(result, dict) else None
        by = f"result of {name}" if name else "the turn went on"
        self._close(self._open(kind="tasks", turn_id=event.turn_id), event, by)

    def turn_ended(self, item: Emitted) -> None:
        """Withdraw what the turn still asked for.

        A turn that ends in the very attempt that asked ends because it asked: before eve 0.66 an approval
        was not held inside its turn, and the answer opened the next one.
        """
        event = item.event
        for index, park in enumerate(self.parks):
            if not park.open or park.turn_id != event.turn_id:
                continue
            asker = self._asked_by[index]
            if asker is not None and item.step is not None and asker == (item.step.step_id, item.attempt):
                continue
            self._close(index, event, f"the turn {event.type.removeprefix('turn.')}")


def workflow_parks(run: Run, session_id: str, turn_id: str | None) -> list[Park]:
    """Read durable sleeps and webhooks of a workflow (a plain SDK run or a workflow tool's run).

    The runtime's own waits (session timeouts) and hooks (abort signals, control tokens) are no parks.
    """
    if run.role not in ("tool", "workflow"):
        return []
    parks: dict[str, Park] = {}
    for event in run.events:
        key = event.correlation_id
        if key is None:
            continue
        if event.event_type == "wait_created":
            parks[key] = _timer(run, event, session_id, turn_id)
        elif event.event_type == "hook_created" and _is_webhook(run, event):
            parks[key] = _webhook(run, event, session_id, turn_id)
        elif key in parks and event.event_type in ("wait_completed", "hook_received", "hook_disposed"):
            park = parks[key]
            by = {"wait_completed": "time passed", "hook_received": "a delivery"}.get(
                event.event_type, "disposed"
            )
            if park.open:
                payload = event.data_payload("payload")
                parks[key] = replace(
                    park,
                    open=False,
                    until=event.created_at,
                    released_by=by,
                    answer=payload.value if payload is not None else None,
                    evidence=(*park.evidence, event_evidence(event)),
                )
    if run.status in ("completed", "failed", "cancelled"):
        return [_ended(park, run) if park.open else park for park in parks.values()]
    return list(parks.values())


def _timer(run: Run, event: EventRecord, session_id: str, turn_id: str | None) -> Park:
    return Park(
        kind="timer",
        session_id=session_id,
        run_id=run.run_id,
        since=event.created_at,
        of_whom="clock",
        asked="Durable sleep",
        request_id=event.correlation_id,
        call_id=run.parent_call,
        tool=run.tool,
        turn_id=turn_id,
        due=parse_time(event.data.get("resumeAt")),
        evidence=(event_evidence(event),),
    )


def _webhook(run: Run, event: EventRecord, session_id: str, turn_id: str | None) -> Park:
    return Park(
        kind="webhook",
        session_id=session_id,
        run_id=run.run_id,
        since=event.created_at,
        of_whom="caller",
        asked=f"Delivery to the hook {_text(event.data.get('token')) or event.correlation_id}",
        request_id=event.correlation_id,
        call_id=run.parent_call,
        tool=run.tool,
        turn_id=turn_id,
        evidence=(event_evidence(event),),
    )


def _is_webhook(run: Run, event: EventRecord) -> bool:
    """Whether a hook waits for the outside: every hook of the app's own workflow, webhooks of a tool's."""
    token = event.data.get("token")
    if event.data.get("isSystem") or (isinstance(token, str) and token.startswith("abrt_")):
        return False
    return run.role == "workflow" or bool(event.data.get("isWebhook"))


def _ended(park: Park, run: Run) -> Park:
    return replace(park, open=False, until=run.ended_at, released_by=f"the run {run.status}")


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def open_parks(parks: Iterable[Park]) -> list[Park]:
    """Return the parks that still wait, oldest first."""
    return sorted((p for p in parks if p.open and not p.lost), key=lambda p: (p.since is None, p.since))

"""Single things as they lie in a journal: hooks, parks, deliveries, model calls, the kind of a step."""

from __future__ import annotations

import re
from collections.abc import Sequence

from eve_replay.ids import event_slot
from eve_replay.journal.commits.states import Delivery, HookCommit, RunCommits, StepCommit
from eve_replay.journal.model import ModelCall, Park, Run, Step, Tokens
from eve_replay.records import EventRecord
from eve_replay.recovery.situation import HookState, ModelState, ParkState, RunState, StepState

__all__ = [
    "claimed_attributes",
    "further_messages",
    "guess_unknown",
    "how_ended",
    "is_deaf",
    "is_unanswerable",
    "kind_of",
    "model_state",
    "note_unsent",
    "on_its_way",
    "park_state",
    "unrecorded_inboxes",
]

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\Z")
_OVER = ("completed", "failed", "cancelled")
_WAKES = frozenset({"step_completed", "step_failed", "wait_completed", "hook_received"})


def how_ended(run: Run, commits: RunCommits) -> str:
    """How a run ended, empty while it has not."""
    if commits.run.end_event:
        return {"run_completed": "completed", "run_failed": "failed"}.get(commits.run.end_event, "cancelled")
    return run.status if commits.run.code == "ending" and run.status in _OVER else ""


def unrecorded_inboxes(run: Run) -> list[tuple[str, str]]:
    """Inbox hooks whose event is in the log and whose record was never written: (hook id, event id).

    Nothing writes the record later, and a message to such a session is refused: 409 ``session_not_ready``.
    """
    files = {m.text("hookId") for m in run.marks if m.kind == "token" and m.phase == "file"}
    records = {hook.hook_id for hook in run.hooks}
    gone = {e.correlation_id for e in run.events if e.event_type == "hook_disposed"}
    return [
        (e.correlation_id, e.event_id)
        for e in run.events
        if e.event_type == "hook_created"
        and str(e.data.get("token", "")).startswith("eve:inbox:")
        and e.correlation_id is not None
        and e.correlation_id in files
        and e.correlation_id not in records | gone
    ]


def is_deaf(hook: HookCommit, run: Run) -> bool:
    """Whether a tool run hears nothing on a hook that it needs: the answer channel of a subagent.

    Tokens of abort hooks begin with ``abrt_``; the hook for cancelling has a UUID and the task's name hook
    ``eve:task:``: nobody sends anything there unless a person or another turn wants something. A claim names
    one event slot. Hooks that are created together all claim the next one, and only one of them gets it.
    """
    if hook.system or hook.awaited or hook.token.startswith("eve:") or _UUID.match(hook.token):
        return False
    claims = {
        str(mark.fields.get("hookId")): mark.fields.get("eventId")
        for mark in run.marks
        if mark.kind == "token"
        and mark.phase == "file"
        and mark.fields.get("runId", run.run_id) == run.run_id
    }
    rivals = [h for h, slot in claims.items() if slot == claims.get(hook.hook_id) and h != hook.hook_id]
    # With one rival it was seen to win, with two to lose: who comes first is a race.
    return hook.code == "H1" or (hook.hook_id in claims and len(rivals) > 1)


def is_unanswerable(hook: HookCommit, run: Run) -> bool:
    """Whether nobody can answer a hook of the Python SDK: its token is claimed and its record is not there.

    The claim keeps every later pass from creating it, and without the record nobody finds it by its token
    (docs/evidence/python-sdk.md#hooks).
    """
    return hook.hook_id not in {each.hook_id for each in run.hooks}


def further_messages(events: Sequence[EventRecord], step_id: str | None) -> int:
    """Return how many messages of a step there may be beside the first, for the Python SDK.

    Each end of a step or sleep starts a pass. Passes side by side all find a step that is not in the log yet,
    and each puts a message of it into the queue (docs/evidence/python-sdk.md#two-messages).
    """
    ends = 0
    for event in events:
        if event.event_type == "step_created":
            if event.correlation_id == step_id:
                break
            ends = 0
        elif event.event_type in _WAKES:
            ends += 1
    return max(0, ends - 1)


def claimed_attributes(run: Run) -> list[HookState]:
    """Attribute writes of the Python SDK whose claim is there and whose event is not, in the form of hooks.

    Every pass finds the claim taken and starts over at once (docs/evidence/python-sdk.md#half-written).
    """
    written = {e.correlation_id for e in run.events if e.event_type == "attr_set"}
    return [
        HookState(hook_id=mark.subject, code="A1", deaf=True, evidence=(mark.origin,))
        for mark in run.marks
        if mark.kind == "run" and mark.phase == "attribute" and mark.subject not in written
    ]


def note_unsent(state: RunState, run: Run) -> None:
    """Say of which steps the Python SDK had certainly not sent the message yet.

    All steps of one pass are created before the first of their messages leaves: beside a step whose event is
    not there, those created last in the log had not been sent (docs/evidence/python-sdk.md#lost-message).
    """
    for step in state.steps:
        step.messages = further_messages(run.events, step.step_id) if step.open else 0
    if not any(step.code == "C1b" for step in state.steps):
        return
    last = set()
    for event in reversed(run.events):
        if event.event_type != "step_created":
            break
        last.add(event.correlation_id)
    for step in state.steps:
        if step.code == "B" and step.step_id in last:
            step.sent = False


def on_its_way(delivery: Delivery, newest: int) -> bool:
    """Whether a delivery never became an event, and is no left-over from before the ``newest`` slot."""
    if delivery.received:
        return False
    slot = event_slot(delivery.event_id)
    return slot is None or slot > newest


def kind_of(commit: StepCommit) -> str:
    """Return the kind of a step of which the journal knows nothing but what is half written."""
    if commit.function == "turnStep":
        return "turn"
    return "runtime" if not commit.step_name or commit.step_name.startswith("step//eve@") else "function"


def guess_unknown(run: RunState) -> None:
    """A created lock alone does not say whose it is. The side step comes first, beside the turn's."""
    unknown = [s for s in run.steps if s.code == "C1a" and s.function == "a step"]
    if not unknown or run.role not in ("session", "workflow"):
        return
    names = {s.function for s in run.steps}
    first = run.role == "session" and "startSessionTimeoutStep" not in names and "createSessionStep" in names
    for place, step in enumerate(unknown):
        if first and place == 0:
            step.role, step.function = "side", "startSessionTimeoutStep"
        else:
            step.role = "turn" if run.role == "session" else "function"


def park_state(park: Park) -> ParkState:
    """Return a park as the engine takes it."""
    return ParkState(
        kind=park.kind, of_whom=park.of_whom, due=park.due, asked=park.asked, tool=park.tool, lost=park.lost
    )


def model_state(step: Step | None, state: StepState) -> ModelState:
    """The model calls as far as the stream tells; a step that says nothing yet makes at least one.

    ``step.started`` is written before the model is asked: only an answer, or a part of one, proves a call.
    """
    attempts = step.attempts if step else ()
    calls = [call for attempt in attempts for call in attempt.model_calls]
    newest = attempts[-1].model_calls if attempts else ()
    certain = [call for call in calls if _answered(call)]
    interrupted = sum(1 for a in attempts if a.outcome in ("interrupted", "running"))
    tokens = [c.tokens for c in newest if c.tokens is not None]
    spent = [c.tokens for c in calls if c.tokens is not None]
    return ModelState(
        total=max(1, len(newest)),
        began=len(certain),
        maybe=max(len(calls), interrupted if state.code != "done" else 0),
        tokens=_sum(tokens),
        again=_sum(spent),
    )


def _answered(call: ModelCall) -> bool:
    return call.status in ("completed", "failed") or bool(
        call.text or call.call_ids or call.reasoning or call.tokens
    )


def _sum(tokens: list[Tokens]) -> Tokens | None:
    return sum(tokens[1:], tokens[0]) if tokens else None

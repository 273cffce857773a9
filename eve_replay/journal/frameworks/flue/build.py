"""One conversation built: submissions to turns, model messages to steps, step memos to function steps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from eve_replay.ids import FunctionName
from eve_replay.journal.frameworks.base import Grouping
from eve_replay.journal.frameworks.flue.calls import evidence
from eve_replay.journal.frameworks.flue.fold import Fold, SubmissionDraft, fold
from eve_replay.journal.frameworks.flue.kept import KeptStates
from eve_replay.journal.frameworks.flue.steps import memo_steps, message_step
from eve_replay.journal.frameworks.flue.turns import (
    message_of_submission,
    turn_id_of,
    turn_of_submission,
)
from eve_replay.journal.model import Message, Run, Session, SessionHead, Step, Turn
from eve_replay.problems import Gap
from eve_replay.records import EventRecord, RunRecord, StepRecord
from eve_replay.worlds.base import World

__all__ = ["Stream", "build_from", "build_session", "read_stream"]


class Stream:
    """What the store holds of one instance: its conversations, their records, the submissions.

    Args:
        head: the listing facts of the root conversation.
        runs: the root's record first, then those of its children.
        events: all records, by conversation.
        rows: the submissions.
    """

    def __init__(
        self,
        head: SessionHead,
        runs: Sequence[RunRecord],
        events: Mapping[str, tuple[EventRecord, ...]],
        rows: Sequence[StepRecord],
    ) -> None:
        self.head, self.runs, self.events, self.rows = head, tuple(runs), dict(events), tuple(rows)


def read_stream(world: World, grouping: Grouping, head: SessionHead) -> Stream:
    """Read everything of one instance from the world."""
    ids = (*head.run_ids, *head.child_ids)
    return Stream(
        head,
        [grouping.records[each] for each in ids],
        {each: tuple(world.events(each)) for each in ids},
        tuple(world.steps(head.id)),
    )


def build_session(world: World, grouping: Grouping, head: SessionHead) -> Session:
    """Build one conversation from its world."""
    stream = read_stream(world, grouping, head)
    lists = ("runs", "events", "steps")
    gaps = tuple(gap for gap in world.receipt.gaps if gap.of in lists and gap.run_id in ("", head.id))
    return build_from(stream, store=str(world.about.get("of") or world.kind), gaps=gaps)


def build_from(stream: Stream, *, store: str = "flue", gaps: tuple[Gap, ...] = ()) -> Session:
    """Build one conversation from records: as they are, or as they were when a process died."""
    head = stream.head
    everything = [event for events in stream.events.values() for event in events]
    found = fold(head.id, everything, stream.rows)
    states = KeptStates(event for writes in found.state.values() for event in writes)
    turns: list[Turn] = []
    steps: dict[str, list[tuple[tuple[int, int], Step]]] = {run.run_id: [] for run in stream.runs}
    messages: list[Message] = []
    for number, submission in enumerate(found.submissions):
        turn_id = turn_id_of(number)
        mine: list[Step] = []
        for message in submission.messages:
            made = message_step(message, submission, turn_id, states.of(message))
            memos = memo_steps(message, submission, turn_id)
            bucket = steps.setdefault(message.conversation, [])
            for place, step in (made, *memos):
                bucket.append((place, step))
                if message.conversation == head.id:
                    mine.append(step)
        turns.append(turn_of_submission(submission, number, head.id, tuple(mine)))
        messages += message_of_submission(submission, number, head.id)
    runs = [_run(record, stream, steps, found, head, gaps) for record in stream.runs]
    status, certainty = _status(found.submissions)
    last = found.submissions[-1] if found.submissions else None
    newest = last.events[-1] if last is not None and last.events else None
    own, children = runs[:1], tuple(runs[1:])
    ordered = [step for run in own for step in run.steps] + [step for run in children for step in run.steps]
    in_turns = {step.step_id for turn in turns for step in turn.steps}
    return Session(
        head=head,
        runs=tuple(own),
        children=children,
        turns=tuple(turns),
        status=status,
        certainty=certainty,  # type: ignore[arg-type]  # one of its two words
        evidence=(evidence(newest),) if newest is not None else (),
        messages=tuple(messages),
        ordered=tuple(ordered),
        steps_beside=tuple(s for run in own for s in run.steps if s.step_id not in in_turns),
        gaps=gaps,
        store=store,
    )


def _run(
    record: RunRecord,
    stream: Stream,
    steps: Mapping[str, list[tuple[tuple[int, int], Step]]],
    found: Fold,
    head: SessionHead,
    gaps: tuple[Gap, ...],
) -> Run:
    run_id = record.run_id
    child = run_id != head.id
    call = next((c for m in found.messages.values() for c in m.calls if c.child == run_id), None)
    events = stream.events.get(run_id, ())
    status = record.status or "idle"
    if child:
        over = call is None or call.outcome is not None or call.message.end is not None
        status = "completed" if over and call is not None and call.fate == "ok" else "running"
        if over and status == "running":
            status = "cancelled"
    agent = record.attribute("$flue.agent") or "agent"
    return Run(
        run_id=run_id,
        role="tool" if child else "session",
        session_id=head.id,
        record=record,
        workflow=FunctionName(full=agent, kind="", module="", version=None, function=agent),
        status=status,
        parent=record.attribute("$parentRunId"),
        parent_call=call.call_id if call is not None else None,
        tool=call.name if call is not None else None,
        children=tuple(run.run_id for run in stream.runs if run.attribute("$parentRunId") == run_id),
        events=events,
        steps=tuple(step for _, step in sorted(steps.get(run_id, []), key=lambda pair: pair[0])),
        created_at=record.created_at,
        started_at=events[0].created_at if events else record.created_at,
        ended_at=call.outcome.created_at if call is not None and call.outcome is not None else None,
        units=() if child else stream.rows,
        gaps=tuple(gap for gap in gaps if gap.of in ("events", "steps")),
    )


def _status(submissions: Iterable[SubmissionDraft]) -> tuple[str, str]:
    """Return the conversation's status: at rest when every submission is settled."""
    found = list(submissions)
    open_ = [each for each in found if each.status != "settled" and each.settled is None]
    if open_:
        return "running", "observed"
    return "idle", "observed" if found else "implied"

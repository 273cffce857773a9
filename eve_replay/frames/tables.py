"""The journal as pandas frames, for people who want to compute.

Columns have fixed names and dtypes, also in an empty frame. Ids, names and words are ``string``, counts are
``Int64`` (missing: not recorded), flags are ``boolean``, times are ``datetime64[ms, UTC]``, durations are
seconds in ``Float64``. Nothing is decoded beyond what the journal has joined; inputs and results of tool
calls are tagged JSON text.

pandas is imported when a frame is asked for: it takes a second.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from os import PathLike
from typing import TYPE_CHECKING, Literal, TypeAlias

from eve_replay.codec import dumps_tagged
from eve_replay.errors import WrongUse
from eve_replay.frames.columns import FRAMES, TIME
from eve_replay.ids import short_id
from eve_replay.journal import Journal, Run, Session, ToolCall, open_journal
from eve_replay.journal.effects.build import effects_of
from eve_replay.journal.effects.policy import EffectsLike, EffectsPolicy
from eve_replay.journal.targets import Part, Target, locate
from eve_replay.times import iso
from eve_replay.worlds.base import World

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "FRAMES",
    "attempts",
    "columns_of",
    "effects",
    "events",
    "frame",
    "frame_rows",
    "runs",
    "steps",
    "tool_calls",
]

Row = dict[str, object]
#: What a table is made of: any target, or several sessions.
Source: TypeAlias = Target | Iterable[Session]
Ids: TypeAlias = Literal["whole", "short"]


def runs(
    target: Source, *, session: str | Session | Journal | None = None, ids: Ids = "whole"
) -> pd.DataFrame:
    """Return one row per run.

    ``role``: session, turn, timeout, tool or workflow. ``seconds``: from start to end. ``starts``: recorded
    step starts, a lower bound of body runs. ``events``: length of the log.
    """
    return frame("runs", target, session=session, ids=ids)


def steps(
    target: Source, *, session: str | Session | Journal | None = None, ids: Ids = "whole"
) -> pd.DataFrame:
    """Return one row per step.

    ``queued_seconds``: from creation to the first start. ``seconds``: from the first start to the end, dead
    time included. ``input_bytes``, ``output_bytes``: stored bytes. Calls and tokens are of all attempts.
    """
    return frame("steps", target, session=session, ids=ids)


def attempts(
    target: Source, *, session: str | Session | Journal | None = None, ids: Ids = "whole"
) -> pd.DataFrame:
    """Return one row per recorded start of a step body; ``attempt`` is its number, from 1.

    ``window_end``: where its window closes (next start or end of the step). ``seconds``: from the start to
    the recorded end, else to the last stream event. ``dead_seconds``: from there to the next start.
    ``body``: whether the start proves that the body ran.
    """
    return frame("attempts", target, session=session, ids=ids)


def tool_calls(
    target: Source, *, session: str | Session | Journal | None = None, ids: Ids = "whole"
) -> pd.DataFrame:
    """Return one row per tool call per attempt.

    ``position``: 0-based place among the calls of its model step. ``deferred``: asked for here, executed
    elsewhere. ``history_only``: never executed. ``input``, ``output``: tagged JSON text.
    """
    return frame("tool_calls", target, session=session, ids=ids)


def events(
    target: Source, *, session: str | Session | Journal | None = None, ids: Ids = "whole"
) -> pd.DataFrame:
    """Return one row per log event, in log order.

    ``position``: 0-based place in the run's log (``slot`` where the world has slots). ``back_seconds``: how
    far its time lies before that of its predecessor. ``payload_bytes``: stored bytes of its payloads.
    """
    return frame("events", target, session=session, ids=ids)


def effects(
    target: Source,
    effects: EffectsLike = None,
    *,
    session: str | Session | Journal | None = None,
    ids: Ids = "whole",
) -> pd.DataFrame:
    """Return one row per effect over all attempts.

    ``executions_max`` and ``outside_max`` are missing where there is no bound (``unbounded``).
    ``attempts``: in how many it ran or may have run. ``call_ids``: how many different ids it had.
    """
    return frame("effects", target, session=session, ids=ids, effects=effects)


def frame(
    name: str,
    target: Source,
    *,
    session: str | Session | Journal | None = None,
    ids: Ids = "whole",
    effects: EffectsLike = None,
) -> pd.DataFrame:
    """Return a frame by its name.

    Args:
        name: ``runs``, ``steps``, ``attempts``, ``tool_calls``, ``events`` or ``effects``.
        target: a source or journal (all sessions), a session, a part of one (what lies in it), or sessions.
        session: id of the session, when the target holds several and one is meant.
        ids: ``short`` for ids that can be read; they are not unique, join by whole ones.
        effects: what the user knows of their tools, for ``effects``.

    Raises:
        WrongUse: there is no such frame, or the target is of another kind.
        EveReplayError: as opening a source raises it.
    """
    import pandas as pd

    columns = columns_of(name)
    if ids not in ("whole", "short"):
        raise WrongUse(f"ids={ids!r} is not known.", hint='Write ids="whole" or ids="short".')
    rows = list(frame_rows(name, target, effects, session=session))
    data = {}
    for column, dtype in columns.items():
        values = [row[column] for row in rows]
        if ids == "short" and column.endswith("_id"):
            values = [short_id(each) if isinstance(each, str) else each for each in values]
        if dtype == TIME:
            # Texts, not datetimes: pandas would take the resolution of the first one.
            texts = [iso(value) if isinstance(value, datetime) else None for value in values]
            data[column] = pd.Series(
                pd.to_datetime(pd.Series(texts, dtype=object), utc=True, format="ISO8601"), dtype=dtype
            )
        else:
            data[column] = pd.Series(values, dtype=dtype)
    return pd.DataFrame(data, columns=list(columns))


def columns_of(name: str) -> Mapping[str, str]:
    """Return the columns of a frame and their dtypes. Raises WrongUse for an unknown name."""
    try:
        return FRAMES[name]
    except KeyError:
        raise WrongUse(f"There is no frame {name!r}.", hint=f"Use one of {', '.join(FRAMES)}.") from None


def frame_rows(
    name: str,
    target: Source,
    effects: EffectsLike = None,
    *,
    session: str | Session | Journal | None = None,
) -> Iterator[Row]:
    """Yield a frame's rows as plain dicts, without pandas: times are datetimes, missing values None."""
    columns_of(name)
    rules = EffectsPolicy.load(effects)
    make = {
        "runs": _runs,
        "steps": _steps,
        "attempts": _attempts,
        "tool_calls": _tool_calls,
        "events": _events,
    }
    found, wanted = _within(name, target, session)
    for each in found:
        rows = _effects(each, rules) if name == "effects" else make[name](each)
        yield from rows if wanted is None else filter(wanted, rows)


def _within(
    name: str, target: Source, session: str | Session | Journal | None
) -> tuple[Iterable[Session], Callable[[Row], bool] | None]:
    """Return the sessions to look through, and which rows of theirs lie in the target; None for all."""
    if session is None and isinstance(target, str | PathLike | World | Journal):
        return (target if isinstance(target, Journal) else open_journal(target)).sessions, None
    if not isinstance(target, str | PathLike | World | Journal | Session | Part) and isinstance(
        target, Iterable
    ):
        return target, None
    located = locate(target, session=session)
    if isinstance(target, Run):
        run = target.run_id
        return [located.session], lambda row: row["run_id"] == run
    if located.step is not None:
        inside = [located.step]
    elif located.turn is not None:
        inside = list(located.turn.steps)
    else:
        return [located.session], None
    places = {(step.run_id, step.step_id) for step in inside}
    runs_of = {step.run_id for step in inside}
    step_column = "correlation_id" if name == "events" else "step_id"
    number = located.attempt.n if located.attempt is not None else None
    call = located.call

    def lies_in(row: Row) -> bool:
        if name == "runs":
            return row["run_id"] in runs_of
        if (row["run_id"], row[step_column]) not in places:
            return False
        if call is not None and name in ("tool_calls", "effects") and row["tool"] != call.name:
            return False
        if call is not None and name == "tool_calls" and row["call_id"] != call.call_id:
            return False
        return number is None or name not in ("attempts", "tool_calls") or row["attempt"] == number

    return [located.session], lies_in


def _seconds(start: datetime | None, end: datetime | None) -> float | None:
    return (end - start).total_seconds() if start is not None and end is not None else None


def _runs(session: Session) -> Iterator[Row]:
    for run in session.all_runs:
        yield {
            "run_id": run.run_id,
            "session_id": run.session_id,
            "role": run.role,
            "workflow": run.workflow.function,
            "status": run.status,
            "eve_version": run.eve_version,
            "parent_run_id": run.parent,
            "created_at": run.created_at,
            "started_at": run.started_at,
            "ended_at": run.ended_at,
            "seconds": _seconds(run.started_at, run.ended_at),
            "steps": len(run.steps),
            "starts": sum(len(step.attempts) for step in run.steps),
            "events": len(run.events),
            "purged": run.purged,
            "problems": len(run.problems),
        }


def _steps(session: Session) -> Iterator[Row]:
    for step in session.steps:
        tokens = [attempt.tokens for attempt in step.attempts if attempt.tokens is not None]
        yield {
            "step_id": step.step_id,
            "run_id": step.run_id,
            "session_id": session.id,
            "turn_id": step.turn_id,
            "function": step.name.function,
            "step_name": step.name.full,
            "version": step.name.version,
            "kind": step.kind,
            "status": step.status,
            "action": step.action,
            "attempts": len(step.attempts),
            "created_at": step.created_at,
            "started_at": step.started_at,
            "ended_at": step.ended_at,
            "queued_seconds": _seconds(step.created_at, step.started_at),
            "seconds": _seconds(step.started_at, step.ended_at),
            "input_bytes": step.input.size if step.input is not None else None,
            "output_bytes": step.output.size if step.output is not None else None,
            "tool_calls": len(step.tool_calls),
            "model_calls": len(step.model_calls),
            "tokens_input": sum(t.input for t in tokens) if tokens else None,
            "tokens_output": sum(t.output for t in tokens) if tokens else None,
        }


def _attempts(session: Session) -> Iterator[Row]:
    for step in session.steps:
        for at, attempt in enumerate(step.attempts):
            end = attempt.ended_at or attempt.last_sign_at
            following = step.attempts[at + 1].started_at if at + 1 < len(step.attempts) else None
            tokens = attempt.tokens
            yield {
                "step_id": step.step_id,
                "run_id": step.run_id,
                "session_id": session.id,
                "turn_id": step.turn_id,
                "function": step.name.function,
                "attempt": attempt.n,
                "outcome": attempt.outcome,
                "certainty": attempt.certainty,
                "body": attempt.body,
                "started_at": attempt.started_at,
                "ended_at": attempt.ended_at,
                "window_end": attempt.window_end,
                "last_sign_at": attempt.last_sign_at,
                "seconds": _seconds(attempt.started_at, end),
                "dead_seconds": _seconds(end or attempt.started_at, following),
                "inline": attempt.inline,
                "tool_calls": len(attempt.tool_calls),
                "model_calls": len(attempt.model_calls),
                "tokens_input": tokens.input if tokens else None,
                "tokens_output": tokens.output if tokens else None,
                "stream_events": len(attempt.stream_events),
            }


def _tool_calls(session: Session) -> Iterator[Row]:
    for step in session.steps:
        for call in step.tool_calls:
            yield _tool_call(session, step.run_id, call)


def _tool_call(session: Session, run_id: str, call: ToolCall) -> Row:
    return {
        "call_id": call.call_id,
        "tool": call.name,
        "step_id": call.step_id,
        "run_id": run_id,
        "session_id": session.id,
        "attempt": call.attempt,
        "turn_id": call.coordinate.turn_id if call.coordinate else None,
        "step_index": call.coordinate.step_index if call.coordinate else None,
        "position": call.position,
        "requested_at": call.requested_at,
        "returned_at": call.returned_at,
        "seconds": _seconds(call.requested_at, call.returned_at),
        "requested": call.requested_at is not None,
        "returned": call.returned,
        "is_error": call.is_error,
        "status": call.status,
        "deferred": call.deferred,
        "history_only": call.history_only,
        "certainty": call.certainty,
        "input": dumps_tagged(call.input),
        "output": dumps_tagged(call.output) if call.returned else None,
    }


def _events(session: Session) -> Iterator[Row]:
    for run in session.all_runs:
        before: datetime | None = None
        for position, event in enumerate(run.events):
            at = event.created_at
            back = _seconds(at, before)
            yield {
                "run_id": run.run_id,
                "session_id": session.id,
                "position": position,
                "slot": event.slot,
                "event_id": event.event_id,
                "type": event.event_type,
                "correlation_id": event.correlation_id,
                "at": at,
                "back_seconds": max(back, 0.0) if back is not None else 0.0,
                "payload_bytes": sum(payload.size for _, payload in event.payloads()),
                "spec_version": event.spec_version,
            }
            before = at or before


def _effects(session: Session, policy: EffectsPolicy) -> Iterator[Row]:
    for effect in effects_of(session, policy):
        yield {
            "tool": effect.tool,
            "kind": effect.kind,
            "session_id": effect.session_id,
            "turn_id": effect.turn_id,
            "step_index": effect.coordinate.step_index if effect.coordinate else None,
            "position": effect.position,
            "run_id": effect.run_id,
            "step_id": effect.step_id,
            "call_id": effect.call_id,
            "call_ids": len(set(effect.call_ids)),
            "executions_min": effect.executions.min,
            "executions_max": effect.executions.max,
            "outside_min": effect.outside.min,
            "outside_max": effect.outside.max,
            "unbounded": effect.executions.max is None,
            "certainty": effect.certainty,
            "attempts": len(effect.attempts),
            "ran_twice": effect.ran_twice,
            "may_have_run_twice": effect.may_have_run_twice,
            "protection": effect.protection.klass,
            "protection_source": effect.protection.source,
            "key": effect.key,
            "same_key": effect.same_key,
            "left_behind": effect.left_behind,
        }

"""The moments of a session as objects to ask: what was going on, and what was known, then.

A moment is a place in the order of ``views/session/moments.py``; what it tells is worked out when it is asked
for, so that a condition on names decodes nothing.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import ClassVar, overload

from eve_replay.brief import Brief
from eve_replay.codec import KeyRing
from eve_replay.journal import Attempt, Journal, Run, Session, Step, ToolCall, Turn
from eve_replay.journal.effects.build import Effect
from eve_replay.journal.effects.executions import Execution, Executions
from eve_replay.journal.effects.policy import EffectsLike
from eve_replay.journal.state import State
from eve_replay.journal.targets import Target, locate
from eve_replay.journal.transcript import TranscriptEntry, transcript
from eve_replay.records import EventRecord
from eve_replay.views.inspect.lookup import Lookup
from eve_replay.views.kit.base import attempt_key, call_key
from eve_replay.views.session.explorer import Explorer
from eve_replay.views.session.moments import Stop
from eve_replay.views.stepping.lives import Life, Lives, index_of, place
from eve_replay.views.stepping.past import Boundary, EffectThen, StateThen, read_state

__all__ = ["Moment", "Moments", "moments"]


def moments(
    target: Target,
    *,
    session: str | Session | Journal | None = None,
    effects: EffectsLike = None,
    keys: KeyRing | None = None,
) -> Moments:
    """Return every moment of a session, in order: each log event and each event of its stream.

    Args:
        target: a source, journal or session, or a part of one: the whole session is meant.
        session: id of the session, when the target holds several; the last conversation otherwise.
        effects: what the user knows of their tools.
        keys: keys for encrypted payloads, when the target is a source.

    Raises:
        NotFound, WrongUse: as every function that takes a target.

    Example::

        for moment in moments("sample:crash-in-tool"):
            if moment.tool == "charge_card":
                print(moment.index, moment.label, moment.open_calls)
    """
    located = locate(target, session=session, several="last", keys=keys)
    return Moments(Explorer(located.session, effects))


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Moment(Brief):
    """One moment of a session, as it was then.

    Attributes:
        index: its number, from 0; ``total`` how many there are.
        id: id of the log event or stream chunk; ``key`` names it everywhere (``er.explore(s, at=key)``).
        type: its type as recorded, ``step_started`` or ``action.result`` for example.
        source: ``log`` or ``stream``.
        label: what happened, in a line.
        at: when, None where the journal has no time.
    """

    _told: ClassVar[tuple[str, ...]] = ("index", "label", "type", "tool", "at", "id")

    index: int
    total: int
    id: str
    key: str
    type: str
    source: str
    label: str
    at: datetime | None
    _of: Moments = field(repr=False, compare=False)

    @property
    def session(self) -> Session:
        """The session, as the whole journal tells it."""
        return self._of.session

    @property
    def turn(self) -> Turn | None:
        """The turn it belongs to, None outside turns."""
        return self._of.lookup.find(self._of.part(self.index, "turn")).turn

    @property
    def step(self) -> Step | None:
        """The step it belongs to."""
        return self._of.lookup.find(self._of.part(self.index, "step")).step

    @property
    def attempt(self) -> Attempt | None:
        """The attempt it belongs to."""
        return self._of.lookup.find(self._of.part(self.index, "attempt")).attempt

    @property
    def call(self) -> ToolCall | None:
        """The tool call it is about, with what came of it later."""
        return self._of.call(self.index)

    @property
    def tool(self) -> str:
        """Name of the tool it is about, or of the app's step function; empty for neither."""
        call = self.call
        if call is not None:
            return call.name
        step = self.step
        return step.function if step is not None and step.kind == "function" else ""

    @property
    def event(self) -> object:
        """The record itself: an ``EventRecord`` or a ``StreamEvent``."""
        found = self._of.lookup.find(self.key)
        return found.event or found.chunk

    @property
    def state(self) -> StateThen:
        """The state in force: ``moment.state.at("$.cart.total")``."""
        return self._of.state(self.index)

    @property
    def messages(self) -> tuple[TranscriptEntry, ...]:
        """What had been said by then, tool calls included; of a call that was still open, no result."""
        return self._of.messages(self.index)

    @property
    def open_calls(self) -> tuple[ToolCall, ...]:
        """Tool calls that had been asked for and had no result yet, of attempts that were still at work."""
        return self._of.open_calls(self.index)

    @property
    def effects(self) -> tuple[EffectThen, ...]:
        """The effects that had begun, with how often each had run by then: at least, at most."""
        return self._of.effects(self.index)


class Moments(Sequence[Moment]):
    """The moments of one session, a sequence of :class:`Moment`.

    Args:
        view: the views of the session.
    """

    def __init__(self, view: Explorer) -> None:
        self.view = view
        self.session: Session = view.session
        self.stops: tuple[Stop, ...] = view.cursor.stops
        self._states: dict[tuple[str, str, bool], State | None] = {}

    def __len__(self) -> int:
        return len(self.stops)

    @overload
    def __getitem__(self, index: int) -> Moment: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Moment, ...]: ...
    def __getitem__(self, index: int | slice) -> Moment | tuple[Moment, ...]:
        if isinstance(index, slice):
            return tuple(self._moment(i) for i in range(*index.indices(len(self))))
        if not -len(self) <= index < len(self):
            raise IndexError(f"There are {len(self)} moments.")
        return self._moment(index % len(self))

    def __iter__(self) -> Iterator[Moment]:
        return (self._moment(index) for index in range(len(self)))

    def __repr__(self) -> str:
        return f"<{len(self)} moments of {self.session.id}>"

    def _moment(self, index: int) -> Moment:
        stop = self.stops[index]
        return Moment(
            index=index,
            total=len(self.stops),
            id=stop.id,
            key=stop.key,
            type=stop.type,
            source=stop.source,
            label=stop.label,
            at=stop.at,
            _of=self,
        )

    # -- what a moment asks ------------------------------------------------------------------------------

    @property
    def lookup(self) -> Lookup:
        """From keys to things."""
        return self.view.inspector.lookup

    def part(self, index: int, kind: str) -> str:
        """Return the key of a kind around a moment, empty where it has none."""
        return next((key for key in self.stops[index].path if key.startswith(f"{kind}:")), "")

    def call(self, index: int) -> ToolCall | None:
        """Return the call a moment is about: the stream says so by its place, a log by an id."""
        if key := self.part(index, "call"):
            return self.lookup.find(key).call
        named = self._named.get(self.stops[index].key)
        return None if named is None else self.lookup.find(named).call

    def state(self, index: int) -> StateThen:
        """Return the state in force at a moment."""
        upto = bisect_right(self._boundaries, index, key=lambda each: each.index)
        run = self._run_of(index)
        return StateThen(self._boundaries[:upto], run, lambda: self._committed(run, index), self._read)

    def messages(self, index: int) -> tuple[TranscriptEntry, ...]:
        """Return what had been said by a moment."""
        now, out = self._times[index], []
        open_now = {id(call) for call in self.open_calls(index)}
        for entry in self._said:
            if entry.at is None or now is None or entry.at > now or self._unsaid(entry, index, now):
                continue
            if entry.call is not None and (
                id(entry.call) in open_now or self._later(entry.call.returned_at, now)
            ):
                entry = replace(entry, returned=False, output=None, is_error=False)
            if entry.superseded and self._last(entry, index):
                entry = replace(entry, superseded=False)
            out.append(entry)
        return tuple(out)

    def open_calls(self, index: int) -> tuple[ToolCall, ...]:
        """Return the calls that were open at a moment."""
        return tuple(
            call
            for key, call in self._calls.items()
            if self._going(self._lives.get(key), index) and self._going(self._lives.get(_around(key)), index)
        )

    def effects(self, index: int) -> tuple[EffectThen, ...]:
        """Return the effects that had begun by a moment."""
        out = []
        for effect in self.view.effects:
            parts = [self._part(effect, part, index) for part in effect.by_attempt]
            begun = [part for part in parts if part is not None]
            if begun:
                total = sum(begun[1:], begun[0])
                out.append(EffectThen(effect=effect, executions=total))
        return tuple(out)

    # -- worked out once ---------------------------------------------------------------------------------

    @cached_property
    def _calls(self) -> dict[str, ToolCall]:
        return {
            call_key(step.run_id, step.step_id, attempt.n, call.call_id): call
            for step in self.session.steps
            for attempt in step.attempts
            for call in attempt.tool_calls
            if not call.deferred
        }

    @cached_property
    def _starts(self) -> dict[str, datetime | None]:
        return {
            attempt_key(step.run_id, step.step_id, attempt.n): attempt.started_at
            for step in self.session.steps
            for attempt in step.attempts
        }

    @cached_property
    def _named(self) -> dict[str, str]:
        """Keys of calls by the log events that name them by id, in worlds without a stream."""
        by_id: dict[str, list[str]] = {}
        for key, call in self._calls.items():
            by_id.setdefault(call.call_id, []).append(key)
        found: dict[str, str] = {}
        for stop in self.stops:
            if stop.source != "log" or len(stop.path) < 2:
                continue
            event = self.lookup.find(stop.key).event
            keys = by_id.get(event.correlation_id or "", ()) if isinstance(event, EventRecord) else ()
            if keys:
                begun = [key for key in keys if not self._later(self._starts.get(_around(key)), stop.at)]
                found[stop.key] = begun[-1] if begun else keys[0]
        return found

    @cached_property
    def _lives(self) -> Mapping[str, Life]:
        return Lives(self.session, self.stops, self._named, self._times).found

    @cached_property
    def _index(self) -> dict[str, int]:
        return index_of(self.stops)

    @cached_property
    def _times(self) -> list[datetime | None]:
        """The newest time up to each moment."""
        out: list[datetime | None] = []
        last: datetime | None = None
        for stop in self.stops:
            if stop.at is not None and (last is None or stop.at > last):
                last = stop.at
            out.append(last)
        return out

    @cached_property
    def _said(self) -> tuple[TranscriptEntry, ...]:
        return tuple(transcript(self.session))

    @cached_property
    def _steps(self) -> dict[str, Step]:
        return {step.step_id: step for step in self.session.steps}

    @cached_property
    def _boundaries(self) -> tuple[Boundary, ...]:
        found = []
        for run in self.session.runs:
            for step in run.steps:
                if step.kind == "function":
                    continue
                for event, left in [(e, False) for e in step.started_events] + [(step.end_event, True)]:
                    at = place(self._index, step, event)
                    if at is not None:
                        found.append(Boundary(index=at, step=step, left=left))
        return tuple(sorted(found, key=lambda each: each.index))

    # -- helpers -----------------------------------------------------------------------------------------

    def _read(self, boundary: Boundary) -> State | None:
        name = (boundary.step.run_id, boundary.step.step_id, boundary.left)
        if name not in self._states:
            while len(self._states) > _KEPT:
                self._states.pop(next(iter(self._states)))
            self._states[name] = read_state(boundary)
        return self._states[name]

    def _run_of(self, index: int) -> Run | None:
        for number in range(index, -1, -1):
            key = self.stops[number].key
            if key.startswith("event:"):
                run_id = key[6:].partition("/")[0]
                return next((run for run in self.session.all_runs if run.run_id == run_id), None)
        return self.session.runs[0] if self.session.runs else None

    def _committed(self, run: Run | None, index: int) -> list[Step]:
        ended = []
        for step in run.steps if run is not None else ():
            at = place(self._index, step, step.end_event)
            if at is not None and at <= index and step.committed:
                ended.append((at, step))
        return [step for _, step in sorted(ended, key=lambda pair: pair[0])]

    @staticmethod
    def _later(when: datetime | None, than: datetime | None) -> bool:
        return when is not None and than is not None and when > than

    @staticmethod
    def _going(life: Life | None, index: int) -> bool:
        return life is not None and life.begun <= index and (life.ended is None or life.ended > index)

    def _unsaid(self, entry: TranscriptEntry, index: int, now: datetime) -> bool:
        """Whether an entry tells what nobody knew yet: how an attempt ends, a text before it was whole."""
        step = self._steps.get(entry.step_id or "")
        if step is None or entry.attempt is None:
            return False
        if entry.kind == "note":
            life = self._lives.get(attempt_key(step.run_id, step.step_id, entry.attempt))
            return life is not None and (life.ended is None or life.ended > index)
        if entry.kind not in ("assistant", "reasoning"):
            return False
        ends = []
        for attempt in step.attempts:
            if attempt.n == entry.attempt:
                ends += [e.at for e in attempt.stream_events if e.data.get("message") == entry.text]
                calls = attempt.model_calls if not ends else ()
                ends += [call.ended_at for call in calls if entry.text in (call.text, call.reasoning)]
        return bool(ends) and all(self._later(end, now) for end in ends)

    def _last(self, entry: TranscriptEntry, index: int) -> bool:
        """Whether no later attempt had begun yet: nothing had superseded it."""
        step = self._steps.get(entry.step_id or "")
        if step is None or entry.attempt is None:
            return False
        life = self._lives.get(attempt_key(step.run_id, step.step_id, entry.attempt + 1))
        return life is None or life.begun > index

    def _part(self, effect: Effect, part: Execution, index: int) -> Executions | None:
        """Return how often one attempt had made an effect by a moment, None before there is a sign of it."""
        if part.executions.max == 0:
            return None
        whole = attempt_key(part.run_id, part.step_id, part.attempt)
        call = part.call_id or effect.call_id
        key = whole if call is None or effect.kind == "step" else f"call:{whole[8:]}/{call}"
        life = self._lives.get(key)
        if life is None and key != whole and part.reached:
            life = self._lives.get(whole)
        if life is None:  # a run of its own, or a start that was never logged: only times tell
            now, when = self._times[index], part.at or part.started_at
            return part.executions if now and when and when <= now else None
        if life.begun > index:
            return None
        done = life.ended is not None and life.ended <= index
        if done or self._going(self._lives.get(whole), index) is False:
            return part.executions
        top = part.executions.max
        return Executions(min=0, max=top)


#: States kept of one walk: a condition that reads them looks at each one for many moments.
_KEPT = 32


def _around(key: str) -> str:
    """Return the attempt that a call's key lies in."""
    return "attempt:" + "/".join(key[5:].split("/", 3)[:3])

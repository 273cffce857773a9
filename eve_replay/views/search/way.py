"""A value's way through a session: where it was first seen, what lost it, what it was handed on to.

A value is followed as text, whole: an id inside a longer id is another one. The index is made record by
record, so that a front end can show how far it is, and stop.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Literal

from eve_replay.codec import KeyRing
from eve_replay.errors import WrongUse
from eve_replay.journal import Attempt, Journal, Session, Step, ToolCall
from eve_replay.journal.effects.policy import EffectsLike
from eve_replay.journal.ledger.model import LedgerLike
from eve_replay.journal.targets import Target, locate
from eve_replay.values import walk
from eve_replay.views.kit.base import View, attempt_key, call_key, event_key, split_key, step_key
from eve_replay.views.kit.safe import cut, safe_text
from eve_replay.views.kit.tone import Tone
from eve_replay.views.kit.words import clock, joined, plural
from eve_replay.views.search.search import Hit, Pattern, Unread, search_slices, slices_in, text_of
from eve_replay.views.session.explorer import Explorer

__all__ = ["Sighting", "Tracing", "ValueWay", "follow", "value_text"]

Role = Literal["given", "result", "said", "checkpoint", "committed", "log", "outside", "run"]

_WORDS: dict[Role, str] = {
    "given": "given to",
    "result": "result of",
    "said": "on the stream",
    "checkpoint": "in the state given to",
    "committed": "in the output of",
    "log": "in the log",
    "outside": "in the ledger",
    "run": "in the run",
}
#: Shorter texts stand everywhere.
_SHORTEST = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting(View):
    """One place that holds the value.

    Attributes:
        key: where to go; ``tab`` and ``path`` where it stands there.
        role: what it is there: ``given`` to a tool, the ``result`` of one, ``said`` on the stream, in the
            ``checkpoint`` a step was given, ``committed`` in its output, in the
            ``log``, ``outside`` (a ledger).
        what: the same in words, with the name of the thing.
        moment: number of the moment, None where it has none.
        attempt: key of the attempt it belongs to, empty outside attempts.
        at: when.
    """

    key: str
    role: Role
    what: str
    moment: int | None = None
    attempt: str = ""
    at: datetime | None = None
    tab: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ValueWay(View):
    """What was found of a value.

    Attributes:
        value: the value as text.
        sightings: every place, in the order of the moments.
        said: what that means, a sentence each, with its tone.
        lit: keys of everything that holds it, with what lies around.
        looked, total: how many records were looked into, of how many; ``unread`` payloads could not be.
    """

    value: str
    sightings: tuple[Sighting, ...]
    said: tuple[tuple[str, Tone], ...]
    lit: tuple[str, ...]
    looked: int
    total: int
    unread: int = 0

    def __repr__(self) -> str:
        places = (
            f"  {(each.moment if each.moment is not None else -1) + 1:>5}  {each.what}"
            for each in self.sightings
        )
        return "\n".join([self.value, *(text for text, _ in self.said), *places])

    @property
    def complete(self) -> bool:
        """Whether everything was looked into and could be read."""
        return self.looked >= self.total and not self.unread


def value_text(value: object) -> str:
    """Return the text that a value is followed by.

    Raises:
        WrongUse: it has parts, or is too short to tell anything.
    """
    text = value if isinstance(value, str) else text_of(value)
    if len(text.strip()) < _SHORTEST:
        raise WrongUse(f"{safe_text(text)!r} is too short to follow.", hint="Give an id, a number, a text.")
    return text


class _Whole(Pattern):
    """A text that stands for itself: not as a part of a longer word or number."""

    def __init__(self, text: str) -> None:
        super().__init__(text, case=True)
        before = r"(?<![\w-])" if text[0].isalnum() else ""
        after = r"(?![\w-])" if text[-1].isalnum() else ""
        self._find = re.compile(f"{before}{re.escape(text)}{after}")


def follow(
    target: Target,
    value: object,
    *,
    session: str | Session | Journal | None = None,
    effects: EffectsLike = None,
    ledger: LedgerLike | None = None,
    keys: KeyRing | None = None,
) -> ValueWay:
    """Return a value's way through a session: every place that holds it, and what that means.

    Args:
        target: a source, journal or session, or a part of one: the whole session is meant.
        value: an id, a number, a text: it is looked for as a whole.
        session: id of the session, when the target holds several; the last conversation otherwise.
        effects: what the user knows of their tools.
        ledger: what really happened outside; its lines are looked into too.
        keys: keys for encrypted payloads, when the target is a source.

    Raises:
        WrongUse: the value has parts, or is too short to tell anything.
        NotFound: there is no such session.

    Example::

        print(follow("sample:crash-in-tool", "ch_gsvar356"))
    """
    located = locate(target, session=session, several="last", keys=keys)
    return Tracing(Explorer(located.session, effects, ledger), value).whole()


class Tracing:
    """The index of one value, made step by step.

    Args:
        view: the session's views.
        value: what to follow.

    Raises:
        WrongUse: the value cannot be followed.
    """

    def __init__(self, view: Explorer, value: object) -> None:
        self.view = view
        self.text = value_text(value)
        self._pattern = _Whole(self.text)
        self._unread: list[Unread] = []
        self.looked = 0
        self.total = slices_in(view.session)
        self._hits: list[Hit] = []
        self._slices = search_slices(
            view.session, self._pattern, fields=("ids", "values"), every=True, unread=self._unread
        )

    def step(self) -> bool:
        """Look into one more record; False when there is none left."""
        found = next(self._slices, None)
        if found is None:
            self.looked = self.total
            return False
        self.looked += 1
        self._hits.extend(found)
        return True

    def whole(self) -> ValueWay:
        """Look into everything, and return the way."""
        while self.step():
            pass
        return self.way()

    def way(self) -> ValueWay:
        """Return what was found so far."""
        seen = sorted(self._sightings(), key=lambda each: (each.moment is None, each.moment or 0))
        lit = dict.fromkeys(key for each in seen for key in self._around(each))
        said = tuple(self._said(seen))
        return ValueWay(
            value=self.text,
            sightings=tuple(seen),
            said=said,
            lit=tuple(lit),
            looked=self.looked,
            total=self.total,
            unread=len(self._unread),
        )

    # -- where it stands -------------------------------------------------------------------------------

    def _sightings(self) -> Iterator[Sighting]:
        yield from self._in_calls()
        for hit in self._hits:
            found = self._of_hit(hit)
            if found is not None:
                yield found
        for act in self.view.acts:
            for trail, each in walk(dict(act.fields)):
                if self._holds(each):
                    yield Sighting(
                        key=act.key,
                        role="outside",
                        what=f"{_WORDS['outside']}: {act.name}, line {act.line}",
                        moment=self._when(act.at),
                        attempt=_attempt_of(act.of),
                        at=act.at,
                        path=trail.path("$"),
                    )
                    break

    def _in_calls(self) -> Iterator[Sighting]:
        for step, attempt, call in self._calls:
            key = call_key(step.run_id, step.step_id, attempt.n, call.call_id)
            places = self._places.get(key, [])
            sides: list[tuple[Role, object, datetime | None, int | None]] = [
                ("given", call.input, call.requested_at, places[0] if places else None),
                (
                    "result",
                    call.output if call.returned else None,
                    call.returned_at,
                    places[-1] if places else None,
                ),
            ]
            for role, value, at, moment in sides:
                trail = next((trail for trail, each in walk(value) if self._holds(each)), None)
                if trail is not None:
                    yield Sighting(
                        key=key,
                        role=role,
                        what=f"{_WORDS[role]} {safe_text(call.name)}, attempt {attempt.n}",
                        moment=moment if moment is not None else self._when(at),
                        attempt=attempt_key(step.run_id, step.step_id, attempt.n),
                        at=at,
                        tab="input" if role == "given" else "output",
                        path=trail.path("$"),
                    )

    def _of_hit(self, hit: Hit) -> Sighting | None:
        kind = split_key(hit.key)[0]
        if kind == "step":
            step = self._steps.get(hit.key)
            if step is None:
                return None
            given = hit.where == "input"
            event = step.created_event if given else step.end_event
            moment = self._index.get(event_key(step.run_id, event.event_id)) if event is not None else None
            role: Role = "checkpoint" if given else "committed"
            if given and step.kind == "function":
                role = "given"
            name = safe_text(step.function)
            attempt = attempt_key(step.run_id, step.step_id, len(step.attempts)) if not given else ""
            return self._sighting(hit, role, f"{_WORDS[role]} {name}", moment, attempt)
        moment = self._index.get(hit.key)
        stop = self.view.cursor.stops[moment] if moment is not None else None
        path = stop.path if stop is not None else ()
        if any(key.startswith("call:") for key in path) and kind == "chunk":
            return None  # the call says it better
        role = "said" if kind == "chunk" else "log" if kind == "event" else "run"
        label = stop.label if stop is not None else hit.where or hit.kind
        attempt = next((key for key in path if key.startswith("attempt:")), "")
        return self._sighting(hit, role, f"{_WORDS[role]}: {cut(safe_text(label), 60)}", moment, attempt)

    def _sighting(self, hit: Hit, role: Role, what: str, moment: int | None, attempt: str) -> Sighting:
        at = self.view.cursor.stops[moment].at if moment is not None else None
        return Sighting(
            key=hit.key,
            role=role,
            what=what,
            moment=moment,
            attempt=attempt,
            at=at,
            tab=hit.tab,
            path=hit.path,
        )

    def _holds(self, value: object) -> bool:
        text = text_of(value)
        return bool(text) and self._pattern.find(text) is not None

    def _around(self, seen: Sighting) -> Iterator[str]:
        yield seen.key
        if seen.attempt:
            yield seen.attempt
        if seen.moment is not None:
            path = self.view.cursor.stops[seen.moment].path
            yield from path[1:] if seen.key in path or seen.role in ("given", "result") else ()

    # -- what it means ---------------------------------------------------------------------------------

    def _said(self, seen: Sequence[Sighting]) -> Iterator[tuple[str, Tone]]:
        inside = [each for each in seen if each.role != "outside"]
        outside = [each for each in seen if each.role == "outside"]
        if self.looked < self.total:  # what is not looked into yet may come before, or hold it later
            if seen:
                yield f"So far in {plural(len(seen), 'place')}.", "muted"
            return
        if inside:
            first = inside[0]
            when = f" at {clock(first.at)}" if first.at else ""
            yield f"First seen{when}: {first.what}.", "strong"
        elif seen:
            yield "The journal does not hold it, only the ledger does.", "warning"
        else:
            yield "It stands nowhere in what was looked into.", "muted"
        yield from self._attempts(inside)
        if not inside:
            for each in outside:
                yield from self._never_recorded(each)
        if inside:
            yield from self._handed_on(inside)
        if outside and inside:
            yield (
                f"The ledger holds it: {joined([each.what.partition(': ')[2] for each in outside])}.",
                "once",
            )
        if self._unread:
            yield (
                f"{plural(len(self._unread), 'payload')} could not be read: it may stand there too.",
                "warning",
            )

    def _attempts(self, inside: Sequence[Sighting]) -> Iterator[tuple[str, Tone]]:
        """Say which attempts of a step that ran again hold it, and whether it was lost with one."""
        for step in self.view.session.repeated:
            keys = {attempt_key(step.run_id, step.step_id, a.n): a.n for a in step.attempts}
            held = sorted({keys[each.attempt] for each in inside if each.attempt in keys})
            if not held:
                continue
            name = f"{safe_text(step.function)}"
            if len(held) > 1:
                both = (
                    "Both attempts"
                    if len(step.attempts) == 2
                    else f"Attempts {joined([str(n) for n in held])}"
                )
                yield f"{both} of {name} hold it.", "again"
            elif held[-1] < step.attempts[-1].n:
                last = max(each.moment or 0 for each in inside if each.attempt in keys)
                after = [e for e in inside if e.attempt not in keys and (e.moment or 0) > last]
                if after or any(e.key == step_key(step.run_id, step.step_id) for e in inside):
                    yield f"Attempt {held[-1]} of {name} holds it, and it was kept.", "muted"
                else:
                    yield f"Lost with attempt {held[-1]} of {name}: nothing later holds it.", "harm"

    def _never_recorded(self, act: Sighting) -> Iterator[tuple[str, Tone]]:
        kind, parts = split_key(act.attempt)
        step = self._steps.get(step_key(parts[0], parts[1])) if kind == "attempt" else None
        if step is None:
            return
        number = int(parts[2]) if parts[2].isdigit() else 0
        later = any(attempt.n > number for attempt in step.attempts)
        name = safe_text(step.function)
        if later:
            yield f"Lost with attempt {number} of {name}: it acted, and no result of it was recorded.", "harm"
        else:
            yield f"Attempt {number} of {name} made it; its result is not recorded.", "unknown"

    def _handed_on(self, inside: Sequence[Sighting]) -> Iterator[tuple[str, Tone]]:
        first = inside[0].moment
        given = [e for e in inside if e.role == "given" and e.moment is not None and e.moment != first]
        names = Counter(each.what.removeprefix(_WORDS["given"]).strip() for each in given)
        if names:
            told = [f"{name} ({count} calls)" if count > 1 else name for name, count in names.items()]
            shown = [*told[:6], f"{len(told) - 6} more"] if len(told) > 7 else told
            yield f"Handed on to {joined(shown)}.", "tool"
        kept = [each for each in inside if each.role == "committed"]
        if kept:
            yield f"Committed: {kept[0].what}.", "committed"
        states = len({each.key for each in inside if each.role == "checkpoint"})
        if states:
            yield f"Carried in the state of {plural(states, 'step')}.", "muted"

    # -- worked out once -------------------------------------------------------------------------------

    @cached_property
    def _calls(self) -> tuple[tuple[Step, Attempt, ToolCall], ...]:
        steps = self.view.session.steps
        return tuple((s, a, c) for s in steps for a in s.attempts for c in a.tool_calls)

    @cached_property
    def _steps(self) -> dict[str, Step]:
        return {step_key(step.run_id, step.step_id): step for step in self.view.session.steps}

    @cached_property
    def _index(self) -> dict[str, int]:
        return {stop.key: index for index, stop in enumerate(self.view.cursor.stops)}

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        """The moments of each call."""
        found: dict[str, list[int]] = {}
        for index, stop in enumerate(self.view.cursor.stops):
            for key in stop.path:
                if key.startswith("call:"):
                    found.setdefault(key, []).append(index)
        return found

    def _when(self, at: datetime | None) -> int | None:
        """Return the last moment before a time."""
        if at is None:
            return None
        found = None
        for index, stop in enumerate(self.view.cursor.stops):
            if stop.at is not None and stop.at <= at:
                found = index
        return found


def _attempt_of(key: str) -> str:
    """Return the attempt that a call's key lies in, empty for another key."""
    kind, parts = split_key(key)
    return f"attempt:{parts[0]}/{parts[1]}/{parts[2]}" if kind == "call" else ""

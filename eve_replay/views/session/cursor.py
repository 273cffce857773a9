"""Moving through a session: next and back, into and out, to the next attempt, effect or crash point.

The words are those of the key table (``views/keys.py``), so a front end passes an action straight on::

    cursor = Cursor(session, marks)
    here = cursor.first()
    here = cursor.move(here, "next-event")
    here = cursor.move(here, "into")
    here = cursor.go(here, "call_1")

A move that has nowhere to go returns the position it was given.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from eve_replay.errors import NotFound, WrongUse
from eve_replay.journal import Session
from eve_replay.views.kit.base import View, split_key
from eve_replay.views.kit.tone import Tone
from eve_replay.views.session.effect_marks import EffectMarks
from eve_replay.views.session.moments import Stop, session_stops

__all__ = ["Cursor", "Position"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Position(View):
    """Where one is: a moment, and how much around it is selected.

    Attributes:
        index: number of the moment, 0-based; ``total`` how many there are.
        level: how many keys of ``path`` are selected, less one: 0 is the session, the last the moment itself.
        focus: key of the selected thing, ``path[level]``: what tree and inspector show.
        kind: its kind: session, turn, run, step, attempt, call, event or chunk.
        path: keys around the moment, outermost first.
        event: key of the moment; ``id`` its event or chunk id.
        turn, step, attempt, call: keys of what the moment belongs to, empty where it belongs to none.
        label: what happened.
        at, tone: when, and its tone.
    """

    index: int
    total: int
    level: int
    focus: str
    kind: str
    path: tuple[str, ...]
    event: str
    id: str
    turn: str = ""
    step: str = ""
    attempt: str = ""
    call: str = ""
    label: str = ""
    at: datetime | None = None
    tone: Tone = "plain"


class Cursor:
    """The moments of one session and the ways between them. Holds no position of its own.

    Args:
        session: the joined session.
        marks: which calls are effects; without them there is no next effect.
        points: event or chunk ids of crash points, in any order.

    Attributes:
        stops: every moment in order.
    """

    def __init__(
        self, session: Session, marks: EffectMarks | None = None, *, points: Iterable[str] = ()
    ) -> None:
        self.stops: tuple[Stop, ...] = session_stops(session, marks)
        self._first: dict[str, int] = {}
        for index, stop in enumerate(self.stops):
            for key in stop.path:
                self._first.setdefault(key, index)
            if stop.source == "log":
                # A session's own runs are not in any path, but can be gone to.
                self._first.setdefault(f"run:{split_key(stop.key)[1][0]}", index)
        self._steps = self._starts("step")
        self._attempts = self._starts("attempt")
        self._effects = [index for index, stop in enumerate(self.stops) if stop.effect]
        self._points: list[int] = []
        self.set_points(points)
        self._moves: dict[str, Callable[[Position], Position]] = {
            "next-event": lambda here: self.at(here.index + 1),
            "previous-event": lambda here: self.at(here.index - 1),
            "next-step": lambda here: self._after(here, self._steps, "step"),
            "previous-step": lambda here: self._before(here, self._steps, "step"),
            "into": self._into,
            "out": self._out,
            "next-attempt": lambda here: self._after(here, self._attempts, "attempt"),
            "previous-attempt": lambda here: self._before(here, self._attempts, "attempt"),
            "next-effect": lambda here: self._after(here, self._effects, "effect"),
            "previous-effect": lambda here: self._before(here, self._effects, "effect"),
            "next-crash-point": lambda here: self._after(here, self._points, ""),
            "previous-crash-point": lambda here: self._before(here, self._points, ""),
        }

    def __len__(self) -> int:
        return len(self.stops)

    @property
    def actions(self) -> tuple[str, ...]:
        """The actions that :meth:`move` knows."""
        return tuple(self._moves)

    def set_points(self, points: Iterable[str]) -> None:
        """Take other crash points (event or chunk ids); positions stay valid."""
        wanted = set(points)
        self._points[:] = [i for i, stop in enumerate(self.stops) if stop.id in wanted or stop.key in wanted]

    def first(self) -> Position:
        """Return the first moment, the session selected. Raises NotFound when the session has none."""
        return self.at(0, level=0)

    def last(self) -> Position:
        """Return the last moment."""
        return self.at(len(self.stops) - 1)

    def at(self, index: int, *, level: int | None = None) -> Position:
        """Return moment ``index`` (clamped); without ``level`` the moment itself is selected."""
        if not self.stops:
            raise NotFound("This session has no events to step through.")
        index = min(max(index, 0), len(self.stops) - 1)
        stop = self.stops[index]
        top = len(stop.path) - 1
        level = top if level is None else min(max(level, 0), top)
        keys = {split_key(key)[0]: key for key in stop.path}
        return Position(
            index=index,
            total=len(self.stops),
            level=level,
            focus=stop.path[level],
            kind=split_key(stop.path[level])[0],
            path=stop.path,
            event=stop.key,
            id=stop.id,
            turn=keys.get("turn", ""),
            step=keys.get("step", ""),
            attempt=keys.get("attempt", ""),
            call=keys.get("call", ""),
            label=stop.label,
            at=stop.at,
            tone=stop.tone,
        )

    def move(self, here: Position, action: str) -> Position:
        """Return where an action of the key table leads. Raises WrongUse for an action that is no move."""
        try:
            step = self._moves[action]
        except KeyError:
            raise WrongUse(
                f"{action!r} does not move.", hint=f"Moves are {', '.join(self._moves)}."
            ) from None
        return step(here)

    def go(self, here: Position | None, wanted: str) -> Position:
        """Return the place of an id or key: event, chunk, step, run, turn, call, or the last letters of one.

        Event ids repeat between runs: the run of ``here`` comes first.

        Raises:
            NotFound: nothing here has that id.
        """
        wanted = wanted.strip()
        key = self._key_of(here, wanted)
        if key is None:
            raise NotFound(f"Nothing in this session has the id {wanted!r}.")
        index = self._first[key]
        path = self.stops[index].path
        return self.at(index, level=path.index(key) if key in path else None)

    def _key_of(self, here: Position | None, wanted: str) -> str | None:
        if not wanted:
            return None
        if wanted in self._first:
            return wanted
        near = split_key(here.event)[1][0] if here is not None and here.event.startswith("event:") else ""
        best: tuple[int, int, str] | None = None
        for key, index in self._first.items():
            parts = split_key(key)[1]
            name = parts[-1]
            if wanted in parts[-2:] or key.endswith(f"/{wanted}") or key == f"turn:{wanted}":
                rank = 0 if name == wanted else 1
            elif len(wanted) >= 4 and name.lower().endswith(wanted.lower()):
                rank = 2
            else:
                continue
            if near and parts[0] != near:
                rank += 3
            if best is None or (rank, index) < best[:2]:
                best = (rank, index, key)
        return best[2] if best is not None else None

    def _starts(self, kind: str) -> list[int]:
        return sorted(index for key, index in self._first.items() if key.startswith(f"{kind}:"))

    def _after(self, here: Position, places: list[int], kind: str) -> Position:
        at = bisect_right(places, here.index)
        return self._select(places[at], kind) if at < len(places) else here

    def _before(self, here: Position, places: list[int], kind: str) -> Position:
        at = bisect_left(places, here.index)
        return self._select(places[at - 1], kind) if at else here

    def _select(self, index: int, kind: str) -> Position:
        """Select the thing of a kind at a moment; an effect selects the call (or attempt) it stands for."""
        stop = self.stops[index]
        for level, key in enumerate(stop.path):
            if (kind == "effect" and key == stop.effect) or (kind and key.startswith(f"{kind}:")):
                return self.at(index, level=level)
        return self.at(index)

    def _into(self, here: Position) -> Position:
        """Go to the first thing inside the selected one: rather a container than a bare event."""
        if here.level >= len(here.path) - 1:
            return here
        inside = here.level + 1
        focus = here.focus
        fallback = -1
        for index in range(self._first[focus], len(self.stops)):
            path = self.stops[index].path
            if len(path) <= here.level or path[here.level] != focus:
                if focus.startswith(("attempt:", "call:")) and fallback >= 0:
                    break
                continue
            if len(path) > inside + 1:
                return self.at(index, level=inside)
            fallback = index if fallback < 0 else fallback
        return self.at(fallback, level=inside) if fallback >= 0 else here

    def _out(self, here: Position) -> Position:
        if here.level == 0:
            return here
        level = here.level - 1
        return self.at(self._first[here.path[level]], level=level)

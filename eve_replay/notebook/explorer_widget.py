"""The explorer in a notebook, both ways: what is selected there is a Python object here, and back."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import traitlets

from eve_replay.codec import parse_path
from eve_replay.codec.devalue.lazy import step_into
from eve_replay.errors import EveReplayError, NotFound, WrongUse
from eve_replay.journal import Attempt, Run, Session, Step, StreamEvent, ToolCall, Turn
from eve_replay.journal.targets import locate
from eve_replay.notebook.clock import a_while
from eve_replay.notebook.part_key import key_of
from eve_replay.notebook.python_path import python_path, roots
from eve_replay.notebook.widgets import JournalWidget
from eve_replay.records import EventRecord
from eve_replay.redaction.veil import unveiled, veiled
from eve_replay.values import UNDEFINED
from eve_replay.views.inspect.value import ValueTree
from eve_replay.views.kit.base import call_key, event_key, split_key
from eve_replay.views.search.way import Tracing, value_text
from eve_replay.views.session.explorer import Explorer
from eve_replay.views.stepping.moment import Moment, Moments

__all__ = ["Condition", "ExplorerWidget", "first_hit", "link_around"]

#: What a breakpoint asks of a moment.
Condition = Callable[[Moment], object]
#: Characters of a condition's source that the page shows.
_SHOWN = 100


class ExplorerWidget(JournalWidget):
    """The explorer of a session; the same cursor from the page and from Python.

    Args:
        view: the session's views.
        origin: how the target was written, when it was text.
        reveal: show what looks like a secret.
        more: as of every widget.
    """

    goal = traitlets.Dict().tag(sync=True)
    breaks = traitlets.Dict().tag(sync=True)
    followed = traitlets.Dict().tag(sync=True)

    def __init__(self, *, view: Explorer, origin: str = "", reveal: bool = False, **more: Any) -> None:
        self._view = view
        self._reveal = reveal
        self._origin = origin
        self._moments: Moments | None = None
        self._condition: Condition | None = None
        self._tracing: Tracing | None = None
        self._told: list[Callable[[object], object]] = []
        self._last = ""
        self._start = str(more["data"].get("start", ""))
        answer = more.pop("answer")
        super().__init__(answer=self._answering(answer), **more)
        if not more["data"].get("startIsDefault", True):  # asked to open here, wherever it was before
            self.position = {"key": self._start}
        self._last = self._key
        self.observe(self._moved, names="position")

    def take(self, *, view: Explorer | None = None, **more: Any) -> None:
        """Show something newer in the same place."""
        if view is not None:
            self._view, self._moments = view, None
        answer = more.pop("answer")
        super().take(answer=self._answering(answer), **more)

    # -- selection ---------------------------------------------------------------------------------------

    @property
    def session(self) -> Session:
        """The session it shows."""
        return self._view.session

    @property
    def selected(self) -> object:
        """What the cursor is on: a session, run, turn, step, attempt, model call, tool call, park or event.

        A line of the ledger is an ``Act``. None where the page shows nothing of this session.
        """
        return self._thing(self._key)

    @property
    def selected_value(self) -> object:
        """The value that was clicked in the inspector's Input or Output, ``UNDEFINED`` before."""
        position = self.position if isinstance(self.position, Mapping) else {}
        path, tab = position.get("path"), str(position.get("tab") or "input")
        if not isinstance(path, str) or not path:
            return UNDEFINED
        return self._value(self._key, tab, path)

    def _value(self, key: str, tab: str, path: str) -> object:
        body = self._view.inspector.tab(key, tab).body
        value: object = body.root.value if isinstance(body, ValueTree) else UNDEFINED
        for step in parse_path(path) or ():
            value = step_into(value, step)
        return value

    def select(self, thing: object) -> None:
        """Move the cursor: to a part of the session, a moment, an event, or what an id (or its end) names.

        Raises:
            NotFound: this session has nothing of that name.
            WrongUse: a thing of another kind.
        """
        self._show(self._key_for(thing))

    def on_select(self, told: Callable[[object], object], *, remove: bool = False) -> None:
        """Call a function with what is selected, whenever that changes; ``remove`` ends it."""
        if remove:
            self._told = [each for each in self._told if each != told]
        else:
            self._told.append(told)

    @property
    def expression(self) -> str:
        """How to reach what is selected from Python, with the names of this notebook."""
        position = self.position if isinstance(self.position, Mapping) else {}
        path = position.get("path")
        tab = str(position.get("tab") or "") if path else ""
        return self._python(self._key, tab, str(path or ""))

    @property
    def link(self) -> str:
        """A line of Python that opens the explorer at this place."""
        before, after = link_around(self.session, self._origin)
        return f"{before}{self._key!r}{after}"

    # -- breakpoints -------------------------------------------------------------------------------------

    @property
    def moments(self) -> Moments:
        """Every moment of the session."""
        if self._moments is None:
            self._moments = Moments(self._view)
        return self._moments

    @property
    def moment(self) -> Moment:
        """The moment under the cursor; the first one of what is selected."""
        position = self.position if isinstance(self.position, Mapping) else {}
        index = position.get("moment")
        stops = self.moments.stops
        if isinstance(index, int) and 0 <= index < len(stops) and self._key in stops[index].path:
            return self.moments[index]
        return self.moments[self._view.cursor.go(None, self._key).index]

    def break_on(self, condition: Condition | None) -> None:
        """Let ``n`` and ``b`` go to the next and the previous moment that a condition fits; None ends it.

        Example::

            w.break_on(lambda m: m.tool == "charge_card")
        """
        self._condition = condition
        number = int(self.breaks.get("id") or 0) + 1
        self.breaks = {"id": number, "text": _said(condition)} if condition is not None else {}

    # -- a value's way -----------------------------------------------------------------------------------

    def follow(self, value: object) -> None:
        """Light up everything that holds a value, in the page: ``w.follow("ch_yzuk2t1r")``.

        Raises:
            WrongUse: the value has parts, or is too short to tell anything.
        """
        self.followed = {"value": value_text(value), "n": int(self.followed.get("n") or 0) + 1}

    def _way(self, request: Mapping[str, Any]) -> object:
        """Look for a while, and return what was found so far; the page asks again for the rest."""
        looked = int(request.get("looked") or 0)
        if self._tracing is None or self._tracing.looked != looked or not looked:
            value = request.get("value")
            if value is None:
                value = self._value(str(request["key"]), str(request["tab"]), str(request["path"]))
            self._tracing = Tracing(self._view, value)
        over = a_while()
        while self._tracing.step():
            if over():
                break
        way = self._tracing.way().to_json()
        name = (parse_path(str(request.get("path") or "")) or ("",))[-1]
        with unveiled(on=self._reveal):
            way["value"] = veiled(self._tracing.text, name=str(name))
        return {"way": way}

    # -- inside ------------------------------------------------------------------------------------------

    @property
    def _key(self) -> str:
        position = self.position if isinstance(self.position, Mapping) else {}
        return str(position.get("key") or self._start)

    def _show(self, key: str) -> None:
        place = {"key": key, "tab": (self.position or {}).get("tab")}
        self.goal = {"key": key, "n": int(self.goal.get("n") or 0) + 1}
        self.position = place

    def _moved(self, _change: object) -> None:
        if self._key == self._last:
            return
        self._last = self._key
        for told in list(self._told):
            told(self.selected)

    def _thing(self, key: str) -> object:
        found = self._view.inspector.lookup.find(key)
        kind = split_key(key)[0]
        return getattr(found, "act" if found.act is not None else kind, None) if found.title else None

    def _key_for(self, thing: object) -> str:
        if isinstance(thing, Moment):
            return thing.key
        if isinstance(thing, EventRecord):
            return event_key(thing.run_id or self.session.id, thing.event_id)
        if isinstance(thing, StreamEvent):
            return f"chunk:{thing.chunk_id}"
        if isinstance(thing, Session | Run | Turn | Step | Attempt | ToolCall):
            located = locate(thing, session=None if isinstance(thing, Session) else self.session)
            if located.session.id != self.session.id:
                raise NotFound("This belongs to another session.")
            if isinstance(thing, Run):
                return f"run:{thing.run_id}"
            return key_of(located) or f"session:{self.session.id}"
        if isinstance(thing, str):
            if any(row.key == thing for row in self._view.tree.rows):
                return thing
            return self._view.cursor.go(None, thing).focus
        raise WrongUse(
            f"{type(thing).__name__} objects cannot be selected.",
            hint="Give a part of the session, a Moment, an event, or an id.",
        )

    def _python(self, key: str, tab: str, path: str) -> str:
        root = roots(self.session, self._origin)
        kind = split_key(key)[0]
        if tab not in ("input", "output") or kind not in ("chunk", "event", "run", "session"):
            return python_path(key, tab, path, root=root)
        found = self._view.inspector.lookup.find(key)
        place = f".at({path!r})" if path else ""
        thing = python_path(key, root=root)
        if found.call is not None and found.step is not None and found.attempt is not None:
            own = call_key(found.step.run_id, found.step.step_id, found.attempt.n, found.call.call_id)
            return python_path(own, tab, path, root=root)
        if found.event is not None:
            shown = found.input if tab == "input" else found.output or found.error
            named = next((name for name, each in found.event.payloads() if each is shown), None)
            return thing if named is None else f"{thing}.data[{named!r}]{place}"
        if kind == "session":
            thing += f".runs[{0 if tab == 'input' else -1}]"
        return f"{thing}.record.payload({tab!r}){place}"

    def _answering(
        self, answer: Callable[[Mapping[str, Any]], object]
    ) -> Callable[[Mapping[str, Any]], object]:
        def reply(request: Mapping[str, Any]) -> object:
            asked = request.get("do")
            if asked == "hit":
                return self._hit(int(request["index"]), back=bool(request["back"]))
            if asked == "way":
                return self._way(request)
            if asked == "unbreak":
                self.break_on(None)
                return None
            if asked == "python":
                return self._python(str(request["key"]), str(request["tab"]), str(request["path"]))
            with unveiled(on=self._reveal):
                return answer(request)

        return reply

    def _hit(self, index: int, *, back: bool) -> object:
        if self._condition is None:
            raise WrongUse("No breakpoint is set.")
        numbers = range(index - 1, -1, -1) if back else range(index + 1, len(self.moments))
        found = first_hit(self.moments, numbers, self._condition)
        return {"index": None if found is None else found.index}


def link_around(session: Session, origin: str) -> tuple[str, str]:
    """Return what stands before and after a key in a line of Python that opens the explorer there."""
    if origin:
        return f"er.explore({origin!r}, {session.id!r}, at=", ")"
    root = roots(session)
    return f"er.explore({root.text}, at=", ")"


def first_hit(walk: Moments, numbers: Iterable[int], condition: Condition) -> Moment | None:
    """Return the first of these moments that a condition fits, None when none does.

    Raises:
        WrongUse: the condition itself failed; the message says at which moment.
    """
    for number in numbers:
        moment = walk[number]
        try:
            fits = bool(condition(moment))
        except EveReplayError:
            raise
        except Exception as error:  # it is the user's code: any of its errors is told with its place
            raise WrongUse(
                f"The condition failed at moment {number} ({moment.label}): {type(error).__name__}: {error}.",
                hint="moment.state.at(...) of what is not there compares as false.",
            ) from error
        if fits:
            return moment
    return None


def _body_of(text: str) -> str:
    """Return what a lambda at the beginning of a text gives back, as it was written."""
    for end in range(min(len(text), 4 * _SHOWN), 0, -1):  # what follows it in its line is the call around it
        try:
            found = ast.parse(text[:end], mode="eval").body
        except SyntaxError:
            continue
        if isinstance(found, ast.Lambda):
            return ast.get_source_segment(text, found.body) or text
    return text


def _said(condition: Condition) -> str:
    """Return a condition as a person wrote it, else its name."""
    try:
        text = " ".join(inspect.getsource(condition).split())
    except (OSError, TypeError):
        text = getattr(condition, "__name__", "a condition")
    text = _body_of(text[text.find("lambda") :]) if "lambda" in text else text
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"

"""What the inspector shows of the selected thing, tab by tab, made when a tab is opened and not before.

::

    inspector = Inspector(session, effects)
    inspector.tabs("step:wrun_.../step_...")       # which tabs there are
    inspector.tab("step:wrun_.../step_...", "output").body

The body's class depends on the tab: see :class:`Tab`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from eve_replay.codec import Payload
from eve_replay.journal import Evidence, Session
from eve_replay.journal.effects.build import Effect
from eve_replay.journal.state import messages_added, state_after, state_before
from eve_replay.values import Undecoded
from eve_replay.views.diffs.attempts import AttemptDiffView, attempt_diff_view
from eve_replay.views.diffs.diff import DiffView
from eve_replay.views.inspect.evidence import EvidenceRow, evidence_rows
from eve_replay.views.inspect.lookup import Found, Lookup
from eve_replay.views.inspect.raw import RawView, raw_view
from eve_replay.views.inspect.records import EventRow, event_row
from eve_replay.views.inspect.value import ValueTree
from eve_replay.views.kit.base import View, plain_json, split_key, step_key
from eve_replay.views.kit.safe import safe_text
from eve_replay.views.kit.words import plural
from eve_replay.views.session.attempts import AttemptRow, attempt_rows
from eve_replay.views.session.effect_marks import EffectMarks
from eve_replay.views.session.effects import EffectRow, effect_rows
from eve_replay.views.session.messages import MessageRow, message_rows
from eve_replay.views.session.outside import Act
from eve_replay.views.session.state import StateView, state_view, turn_state_view
from eve_replay.views.session.stream import StreamRow, stream_rows

__all__ = ["TABS", "Body", "Inspector", "Tab", "TabHead"]

#: Tabs in their order: machine name and what is written on them.
TABS: dict[str, str] = {
    "input": "Input",
    "output": "Output",
    "state": "State",
    "state-diff": "State diff",
    "messages": "Messages",
    "events": "Events",
    "stream": "Stream",
    "attempts": "Attempts",
    "effects": "Effects",
    "raw": "Raw",
    "evidence": "Evidence",
}

#: What a tab can hold: input and output a value tree; state a :class:`StateView`; state diff a
#: :class:`DiffView`; attempts rows (and their diff through :meth:`Inspector.diff`); the rest rows.
Body = (
    ValueTree
    | StateView
    | DiffView
    | tuple[MessageRow, ...]
    | tuple[EventRow, ...]
    | tuple[StreamRow, ...]
    | tuple[AttemptRow, ...]
    | tuple[EffectRow, ...]
    | tuple[RawView, ...]
    | tuple[EvidenceRow, ...]
)

_KEPT = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class TabHead(View):
    """A tab that can be opened: its name, its title, and a remark such as a count."""

    name: str
    title: str
    remark: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tab(View):
    """An opened tab.

    Attributes:
        key: the thing it is about; ``name`` and ``title`` as in its head.
        body: what it shows, None when there is nothing.
        note: why there is nothing, or what to know about the body; empty otherwise.
        more: how many rows were left out of a long body.
    """

    key: str
    name: str
    title: str
    body: Body | None = field(default=None, repr=False)
    note: str = ""
    more: int = 0

    def to_json(self) -> dict[str, object]:
        """Return the tab as JSON; of a value tree only the root (children come on demand)."""
        body = self.body
        shown = body.root.to_json() if isinstance(body, ValueTree) else plain_json(body)
        if isinstance(body, StateView):
            shown = body.to_json()
        return {
            "key": self.key,
            "name": self.name,
            "title": self.title,
            "body": shown,
            "note": self.note,
            "more": self.more,
        }


class Inspector:
    """Tabs of everything in one session. Keeps the last few tabs it made.

    Args:
        session: the joined session.
        effects: its effects, if they have been worked out.
        counts: how often a ledger says that each happened, by ``id`` of the effect.
        acts: the lines of the ledger that are this session's.
        marks: what the judge says of the effects, where that was asked already.
    """

    def __init__(
        self,
        session: Session,
        effects: Sequence[Effect] = (),
        counts: Mapping[int, int] | None = None,
        acts: Iterable[Act] = (),
        marks: EffectMarks | None = None,
    ) -> None:
        self.session = session
        self.effects = tuple(effects)
        self.counts = counts
        self.marks = marks or EffectMarks.of(self.effects, counts)
        self.lookup = Lookup(session, acts)
        self._last_state: StateView | None = None
        self._made: OrderedDict[tuple[str, str, int], Tab] = OrderedDict()
        self._makers: dict[str, Callable[[Found, int], tuple[Body | None, str, int]]] = {
            "input": self._input,
            "output": self._output,
            "state": self._state,
            "state-diff": self._state_diff,
            "messages": self._messages,
            "events": self._events,
            "stream": self._stream,
            "attempts": self._attempts,
            "effects": self._effects,
            "raw": self._raw,
            "evidence": self._evidence,
        }

    def title(self, key: str) -> str:
        """Return one line that names the thing, empty when the key is unknown."""
        return self.lookup.find(key).title

    def tabs(self, key: str) -> tuple[TabHead, ...]:
        """Return the tabs that make sense for a thing; cheap, decodes nothing."""
        found = self.lookup.find(key)
        kind = split_key(key)[0]
        if found.act is not None:
            return (
                TabHead(name="input", title="Ledger line"),
                TabHead(name="effects", title=TABS["effects"]),
            )
        names = ["input", "output"]
        if found.step is not None and kind in ("step", "attempt", "turn"):
            names += ["state", "state-diff", "messages"]
        names += ["events"]
        if found.stream_events:
            names.append("stream")
        if found.steps:
            names.append("attempts")
        names += ["effects", "raw", "evidence"]
        counts = {
            "events": len(found.events),
            "stream": len(found.stream_events),
            "attempts": sum(len(step.attempts) for step in found.steps),
        }
        return tuple(
            TabHead(name=name, title=TABS[name], remark=str(counts[name]) if name in counts else "")
            for name in names
        )

    def tab(self, key: str, name: str, *, start: int = 0) -> Tab:
        """Return one tab, long bodies from row or byte ``start`` on. Never raises for bad payloads."""
        known = self._made.get((key, name, start))
        if known is not None:
            self._made.move_to_end((key, name, start))
            return known
        found = self.lookup.find(key)
        if name not in self._makers or not found.title:
            return Tab(key=key, name=name, title=TABS.get(name, name), note="There is nothing of that name.")
        body, note, more = self._makers[name](found, start)
        tab = Tab(key=key, name=name, title=TABS[name], body=body, note=note, more=more)
        self._made[key, name, start] = tab
        while len(self._made) > _KEPT:
            self._made.popitem(last=False)
        return tab

    def diff(self, key: str, first: int | None = None, second: int | None = None) -> AttemptDiffView | None:
        """Return attempt against attempt of the thing's step; without numbers the last two.

        None when the step has only one attempt, or the thing has no step.
        """
        step = self.lookup.find(key).step
        if step is None or len(step.attempts) < 2:
            return None
        numbers = [attempt.n for attempt in step.attempts]
        return attempt_diff_view(
            step, first or numbers[-2], second or numbers[-1], effects=self.effects, counts=self.counts
        )

    # -- one method per tab: body, note, rows left out -------------------------------------------------

    def _input(self, found: Found, start: int) -> tuple[Body | None, str, int]:
        if found.act is not None:
            return ValueTree(dict(found.act.fields)), found.act.said, 0
        if found.call is not None:
            return ValueTree(found.call.input), "", 0
        return _value(found.input, "No input is recorded.")

    def _output(self, found: Found, start: int) -> tuple[Body | None, str, int]:
        call = found.call
        if call is not None:
            if call.error is not None:
                return ValueTree(dict(call.error)), "The call failed.", 0
            if not call.returned:
                return None, "No result is recorded: it may have run all the same.", 0
            return ValueTree(call.output), "", 0
        if found.model is not None:
            return ValueTree(found.model_output()), "", 0
        if found.error is not None and found.output is None:
            body, note, more = _value(found.error, "")
            return body, note or "This is the recorded error.", more
        return _value(found.output, "No output is recorded: the step is not committed.")

    def _state(self, found: Found, start: int) -> tuple[Body | None, str, int]:
        view = self._state_of(found)
        return view, "" if view is not None else "Select a step to see its state.", 0

    def _state_diff(self, found: Found, start: int) -> tuple[Body | None, str, int]:
        view = self._state_of(found)
        if view is None:
            return None, "Select a step to see what it changed.", 0
        if view.diff is None and not view.note:
            return None, "This step makes the state: there is none before it.", 0
        return view.diff, "" if view.diff is not None else view.note, 0

    def _state_of(self, found: Found) -> StateView | None:
        """Return the state view of a thing; the last one is kept, since two tabs show it."""
        whole = found.turn if found.key.startswith("turn:") else None
        step = found.step
        if whole is None and step is None:
            return None
        key = found.key if whole is not None else step_key(step.run_id, step.step_id) if step else ""
        if self._last_state is None or self._last_state.key != key:
            if whole is not None:
                self._last_state = turn_state_view(whole)
            elif step is not None:
                self._last_state = state_view(step)
        return self._last_state

    def _messages(self, found: Found, start: int) -> tuple[Body | None, str, int]:
        if found.step is None:
            return None, "Select a step to see its messages.", 0
        before = state_before(found.step)
        after = state_after(found.step, before)
        state = after or before
        if state is None:
            return None, "This step carries no message history.", 0
        added = len(messages_added(before, after))
        total = len(state.history)
        first = start or max(0, total - 200)
        note = f"{plural(added, 'message')} added by this step" if after is not None else "not committed yet"
        return message_rows(state.history, added=added, start=first, limit=200), note, first

    def _events(self, found: Found, start: int) -> tuple[Body | None, str, int]:
        page = found.events[start : start + 1000]
        rows = tuple(event_row(event, page[n - 1] if n else None) for n, event in enumerate(page))
        note = "" if rows else "No log event is about this."
        return rows, note, len(found.events) - start - len(page)

    def _stream(self, found: Found, start: int) -> tuple[Body | None, str, int]:
        page = found.stream_events[start : start + 1000]
        return (
            stream_rows(page),
            "" if page else "Nothing on the session stream belongs to this.",
            (len(found.stream_events) - start - len(page)),
        )

    def _attempts(self, found: Found, start: int) -> tuple[Body | None, str, int]:
        steps = found.steps[:200]
        rows = tuple(row for step in steps for row in attempt_rows(step, self.marks))
        return rows, "" if rows else "No start is recorded.", len(found.steps) - len(steps)

    def _effects(self, found: Found, start: int) -> tuple[Body | None, str, int]:
        wanted = found.step_ids
        calls = {found.call.call_id} if found.call is not None else None
        mine = [
            effect
            for effect in self.effects
            if (wanted is None or any(part.step_id in wanted for part in effect.by_attempt))
            and (calls is None or calls & {effect.call_id, *effect.call_ids})
        ]
        note = "" if mine else "No tool call and no step function of the app belongs to this."
        return effect_rows(mine, counts=self.counts), note, 0

    def _raw(self, found: Found, start: int) -> tuple[Body | None, str, int]:
        views = tuple(raw_view(payload, name, offset=start) for name, payload in found.payloads())
        return views, "" if views else "No payload is stored for this.", 0

    def _evidence(self, found: Found, start: int) -> tuple[Body | None, str, int]:
        rows: list[EvidenceRow] = []
        statement: tuple[str, str, Sequence[Evidence]]
        for statement in found.statements():
            rows.extend(evidence_rows(*statement))
        return tuple(rows), "" if rows else "Nothing is claimed about this.", 0


def _value(payload: Payload | None, missing: str) -> tuple[Body | None, str, int]:
    if payload is None:
        return None, missing, 0
    value = payload.shared
    if isinstance(value, Undecoded):
        return ValueTree(value), safe_text(f"undecoded: {value.reason}. {value.message}"), 0
    return ValueTree(value), "", 0

"""The state around a step: what a checkpoint holds, what is rebuilt at resume, what the step changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from eve_replay.journal import Step, Turn
from eve_replay.journal.state import (
    CHECKPOINT,
    REBUILT,
    Change,
    State,
    StatePart,
    StepState,
    messages_added,
    state_after,
    state_before,
)
from eve_replay.redaction.veil import glimpse
from eve_replay.values import UNDEFINED, same
from eve_replay.views.diffs.diff import DiffView, sides
from eve_replay.views.inspect.value import ValueTree
from eve_replay.views.kit.base import View, step_key
from eve_replay.views.kit.safe import safe_text
from eve_replay.views.kit.tone import Tone
from eve_replay.views.session.messages import MessageRow, message_rows

__all__ = ["LawRow", "StatePartRow", "StateView", "state_view", "turn_state_view"]

_PREVIEW = 160


@dataclass(frozen=True, slots=True, kw_only=True)
class StatePartRow(View):
    """One part of the state.

    Attributes:
        path: where it is; ``what`` it is in words; ``note`` what that means for an old session.
        origin: ``checkpoint`` (stored with the session) or ``rebuilt`` (anew from the code of the day).
        text: what it holds now, one line, empty for rebuilt parts and parts that are absent.
        present: whether this state has it.
        changed: whether the step changed it.
    """

    path: str
    what: str
    origin: str
    note: str = ""
    text: str = ""
    present: bool = False
    changed: bool = False
    tone: Tone = "plain"


@dataclass(frozen=True, slots=True, kw_only=True)
class LawRow(View):
    """One way in which a step got another state than the step before it left."""

    path: str
    left: str
    got: str
    expected: bool
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StateView(View):
    """The state around one step.

    Attributes:
        key: the step's key.
        note: why there is nothing to show, empty when there is.
        parts: what a checkpoint holds and what is rebuilt.
        diff: what the step changed, None while it is not committed.
        messages: the messages it added.
        history: how many messages there were before it and are after it.
        law: differences from what the step before left; ``checked`` whether that was compared.
        before, after: the whole states as trees, for the state tab.
    """

    key: str
    note: str = ""
    parts: tuple[StatePartRow, ...] = ()
    diff: DiffView | None = None
    messages: tuple[MessageRow, ...] = ()
    history: tuple[int | None, int | None] = (None, None)
    law: tuple[LawRow, ...] = ()
    checked: bool = False
    before: ValueTree | None = field(default=None, repr=False, compare=False)
    after: ValueTree | None = field(default=None, repr=False, compare=False)

    def to_json(self) -> dict[str, object]:
        """Return everything but the trees."""
        return super(StateView, replace(self, before=None, after=None)).to_json()


def state_view(step: Step, *, walked: StepState | None = None) -> StateView:
    """Return the state around a step.

    Args:
        step: any step; one that carries no state gives a view that says so.
        walked: the step's entry of ``journal.state.walk_states``, when the caller has it: it brings the
            comparison with the step before.
    """
    key = step_key(step.run_id, step.step_id)
    before = walked.before if walked is not None else state_before(step)
    after = walked.after if walked is not None else state_after(step, before)
    if before is None and after is None:
        return StateView(key=key, note=_why_none(step), parts=_parts(None, None))
    note = "" if after is not None else "The step is not committed: what it did is not in any state."
    law = walked.law if walked is not None else None
    return _view(key, before, after, ("before the step", "after the step"), note, law)


def turn_state_view(turn: Turn) -> StateView:
    """Return the state around a whole turn: what its first step was given, what its last commit left."""
    key = f"turn:{turn.session_id}/{turn.id}"
    before = next((s for s in map(state_before, turn.turn_steps) if s is not None), None)
    after = next((s for s in map(state_after, reversed(turn.turn_steps)) if s is not None), None)
    if before is None and after is None:
        return StateView(key=key, note="No step of this turn has a recorded state.", parts=_parts(None, None))
    note = "" if after is not None else "Nothing of this turn is committed."
    return _view(key, before, after, ("before the turn", "after its last commit"), note, None)


def _view(
    key: str,
    before: State | None,
    after: State | None,
    names: tuple[str, str],
    note: str,
    law: Sequence[Change] | None,
) -> StateView:
    added = messages_added(before, after)
    history = after.history if after is not None else ()
    diff = None
    if before is not None and after is not None:
        diff = sides(before.parts(), after.parts(), left=names[0], right=names[1])
    return StateView(
        key=key,
        note=note,
        parts=_parts(before, after),
        diff=diff,
        messages=message_rows(history, added=len(added), start=len(history) - len(added)),
        history=(_messages(before), _messages(after)),
        law=tuple(
            LawRow(
                path=each.path,
                left=safe_text(glimpse(each.left, _PREVIEW)),
                got=safe_text(glimpse(each.got, _PREVIEW)),
                expected=each.expected,
                why=safe_text(each.why),
            )
            for each in law or ()
        ),
        checked=law is not None,
        before=ValueTree(before.parts()) if before is not None else None,
        after=ValueTree(after.parts()) if after is not None else None,
    )


def _messages(state: State | None) -> int | None:
    return len(state.history) if state is not None and not state.named else None


def _why_none(step: Step) -> str:
    if step.input is None and step.output is None:
        return "Neither input nor output is recorded: the payloads were purged, or the step never started."
    if step.kind == "function":
        return "This is a function of the app: it takes arguments, it carries no session state."
    return "This step carries no session state."


def _parts(before: State | None, after: State | None) -> tuple[StatePartRow, ...]:
    held = [each for each in (before, after) if each is not None and each.named]
    if held:
        names = dict.fromkeys(name for each in held for name in each.session)
        return tuple(
            _checkpoint_row(StatePart(f"sessionState.{name}", safe_text(name)), before, after)
            for name in names
        )
    rows = [_checkpoint_row(part, before, after) for part in CHECKPOINT]
    rows += [
        StatePartRow(path=part.path, what=part.what, origin="rebuilt", note=part.note, tone="muted")
        for part in REBUILT
    ]
    return tuple(rows)


def _checkpoint_row(part: StatePart, before: State | None, after: State | None) -> StatePartRow:
    old, new = _at(before, part.path), _at(after, part.path)
    now = new if after is not None else old
    changed = before is not None and after is not None and not same(old, new)
    return StatePartRow(
        path=part.path,
        what=part.what,
        origin="checkpoint",
        note=part.note,
        text="" if now is UNDEFINED else safe_text(glimpse(now, _PREVIEW)),
        present=now is not UNDEFINED,
        changed=changed,
        tone="again" if changed else "plain" if now is not UNDEFINED else "muted",
    )


def _at(state: State | None, path: str) -> object:
    """Return the part of a state at a dotted path, UNDEFINED when it has none."""
    if state is None:
        return UNDEFINED
    value: object = state.parts()
    for name in path.split("."):
        value = value.get(name, UNDEFINED) if isinstance(value, dict) else UNDEFINED
    return value

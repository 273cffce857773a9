"""What a step was given and what it left: the state a checkpoint holds.

A turn step's output is a delta on its own input (formats/OBSERVED.md surprise 12): ``stateDelta`` and its
``history`` are trees of ``{kind: "value" | "object" | "array", set, patch, keys, length}``. Before eve
0.66 the output holds the whole state. Runtime steps that change state (dispatches, proxied answers,
cancellations) return the same deltas.

Every input repeats the whole history, so a journal is quadratic on disk. :func:`walk_states` is linear in
memory: what did not change between two steps is the same object in both. States are values to read: a
caller that changes one changes its neighbours too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from eve_replay.journal.model import Step
from eve_replay.values import UNDEFINED, Undecoded, same

__all__ = [
    "CHECKPOINT",
    "MAY_DIFFER",
    "REBUILT",
    "Change",
    "State",
    "StatePart",
    "StepState",
    "apply_delta",
    "compare_states",
    "messages_added",
    "state_after",
    "state_before",
    "walk_states",
]

_DEEPEST = 200  # deeper values are kept as decoded, unshared


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """The state of a session at one boundary.

    Attributes:
        context: ``serializedContext``: channel, auth, delivery, dynamic selections.
        session: ``sessionState`` without the history: prompt, limits, harness state, sandbox.
        history: the message history, oldest first.
        whole: the output held the whole state, not a delta (eve before 0.66).
        undecoded: parts that could not be decoded.
    """

    context: Mapping[str, object]
    session: Mapping[str, object]
    history: Sequence[object]
    whole: bool = False
    undecoded: tuple[Undecoded, ...] = ()

    def parts(self) -> dict[str, object]:
        """Return the three parts under the names they have in a step input."""
        return {"serializedContext": self.context, "sessionState": self.session, "history": self.history}


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One difference between what a step left and what the next one got.

    ``expected`` says that this field is known to be set between steps, and ``why``.
    """

    path: str
    left: object
    got: object
    expected: bool = False
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepState:
    """State around one step.

    Attributes:
        step: the step.
        before: what it was given, None when its input is gone (purged) or it takes no state.
        after: what it left, None when it is not committed or left none.
        added: messages it added to the history.
        law: how ``before`` differs from what the step before it left.
    """

    step: Step
    before: State | None
    after: State | None
    added: tuple[object, ...] = ()
    law: tuple[Change, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class StatePart:
    """One part of the state, for the state view: where it is, what it is, whether a checkpoint holds it."""

    path: str
    what: str
    note: str = ""


#: What a checkpoint holds, so an old session keeps it.
CHECKPOINT: tuple[StatePart, ...] = (
    StatePart("history", "message history", "every message, tool call and result committed so far"),
    StatePart(
        "sessionState.snapshot.session.agent.system",
        "system prompt",
        "as it was when the session began: an old session keeps its old prompt",
    ),
    StatePart("sessionState.snapshot.session.limits", "limits", "token limits of the session"),
    StatePart("sessionState.snapshot.session.compaction", "compaction counters"),
    StatePart(
        "sessionState.snapshot.session.state",
        "session state",
        "what tools stored, and the harness's own counters and open requests",
    ),
    StatePart("sessionState.snapshot.session.sandboxState", "sandbox", "which sandbox, not its files"),
    StatePart("serializedContext", "context", "channel, sign-ins, delivery, dynamic selections"),
)
#: What is built anew from the code of the day whenever a step starts, so an old session gets it at once.
REBUILT: tuple[StatePart, ...] = (
    StatePart("tools", "tools", "names, schemas and bodies: an old session gets new tools at once"),
    StatePart("model", "model", "which model is called"),
    StatePart("hooks", "hooks", "subscriptions to stream events"),
    StatePart("connections", "connections", "clients; their sign-ins are in the context"),
)
#: Fields that the workflow body sets between two steps, so step n + 1 may get other values than step n
#: left. Each was seen to differ in the recordings. Path prefix -> why.
MAY_DIFFER: Mapping[str, str] = {}


def state_before(step: Step, earlier: State | None = None) -> State | None:
    """Return the state a step was given, None when it takes none or its input is gone.

    Args:
        step: a turn step or a runtime step that carries state.
        earlier: a state to share unchanged structure with.
    """
    if step.input is None:
        return None
    args = step.input.at("$.args[0]")
    if not isinstance(args, Mapping):
        return None
    return _state(args, earlier, whole="history" not in args)


def state_after(step: Step, before: State | None = None) -> State | None:
    """Return the state a step left, None when it is not committed or left none.

    Args:
        step: the step.
        before: its own input state, when the caller already has it.
    """
    if step.output is None or not step.committed:
        return None
    output = step.output.value
    if not isinstance(output, Mapping):
        return None
    delta = output.get("stateDelta")
    if isinstance(delta, Mapping):
        base = before if before is not None else state_before(step)
        return None if base is None else _apply(base, delta)
    if isinstance(output.get("sessionState"), Mapping):
        return _state(output, before, whole=True)
    if step.name.function == "createSessionStep" and isinstance(output.get("state"), Mapping):
        args = {"sessionState": output["state"], "history": output.get("history", [])}
        return _state(args, before, whole="history" not in output)
    return None


def messages_added(before: State | None, after: State | None) -> tuple[object, ...]:
    """Return the messages that ``after`` has beyond ``before``.

    A history that was rewritten (compaction, clear) gives the messages that were not there before.
    """
    if after is None:
        return ()
    if before is None:
        return tuple(after.history)
    common = 0
    for one, two in zip(before.history, after.history, strict=False):
        if one is not two and not same(one, two):
            break
        common += 1
    return tuple(after.history[common:])


def walk_states(steps: Iterable[Step], *, check: bool = True) -> Iterator[StepState]:
    """Yield the state around every step that carries state, in log order, sharing what did not change.

    Args:
        steps: the steps of one session in log order, for example ``session.steps``.
        check: compare what each step got with what the one before it left.
    """
    left: State | None = None
    for step in steps:
        if step.kind == "function":
            continue
        before = state_before(step, left)
        after = state_after(step, before)
        if before is None and after is None:
            continue
        law: tuple[Change, ...] = ()
        if check and left is not None and before is not None:
            law = tuple(compare_states(left, before))
        yield StepState(step=step, before=before, after=after, added=messages_added(before, after), law=law)
        left = after if after is not None else before if before is not None else left


def _state(args: Mapping[str, object], earlier: State | None, *, whole: bool) -> State | None:
    session = args.get("sessionState")
    context = args.get("serializedContext")
    if not isinstance(session, Mapping) and not isinstance(args.get("history"), list):
        return None
    undecoded = tuple(v for v in args.values() if isinstance(v, Undecoded))
    session = session if isinstance(session, Mapping) else {}
    history = args.get("history")
    if whole:
        history, session = _take_history(session)
    found = {
        "context": context if isinstance(context, Mapping) else {},
        "session": session,
        "history": history if isinstance(history, list) else [],
    }
    if earlier is not None:
        found = {
            "context": _share(found["context"], earlier.context),
            "session": _share(found["session"], earlier.session),
            "history": _share(found["history"], earlier.history),
        }
    return State(whole=whole, undecoded=undecoded, **found)  # type: ignore[arg-type]


def _take_history(session: Mapping[str, object]) -> tuple[object, Mapping[str, object]]:
    """Take the history out of a whole session state (eve before 0.66 keeps it in the snapshot)."""
    snapshot = session.get("snapshot")
    inner = snapshot.get("session") if isinstance(snapshot, Mapping) else None
    if not isinstance(snapshot, Mapping) or not isinstance(inner, Mapping) or "history" not in inner:
        return [], session
    rest = {k: v for k, v in inner.items() if k != "history"}
    return inner["history"], {**session, "snapshot": {**snapshot, "session": rest}}


def _apply(base: State, delta: Mapping[str, object]) -> State:
    return State(
        context=_mapping(apply_delta(base.context, delta.get("serializedContext", UNDEFINED))),
        session=_mapping(apply_delta(base.session, delta.get("sessionState", UNDEFINED))),
        history=_list(apply_delta(base.history, delta.get("history", UNDEFINED))),
        whole=base.whole,
        undecoded=base.undecoded + tuple(v for v in delta.values() if isinstance(v, Undecoded)),
    )


def apply_delta(base: object, delta: object) -> object:
    """Apply one delta to a value and return the result; the base stays as it is.

    ``{kind: "value", value}`` replaces. ``{kind: "object", set, patch, keys}`` sets and patches members;
    ``keys``, when there, lists all keys that remain, in order. ``{kind: "array", set, patch, length}``
    does the same by index. A missing delta changes nothing. Unknown kinds leave the base unchanged.
    """
    if not isinstance(delta, Mapping):
        return base
    kind = delta.get("kind")
    if kind == "value":
        return delta.get("value", UNDEFINED)
    changes = _mapping(delta.get("set"))
    patches = _mapping(delta.get("patch"))
    if kind == "object":
        old = base if isinstance(base, Mapping) else {}
        members = dict(old)
        members.update(changes)
        for key, inner in patches.items():
            members[key] = apply_delta(old.get(key, UNDEFINED), inner)
        keys = delta.get("keys")
        if isinstance(keys, list):
            return {key: members[key] for key in keys if key in members}
        return members
    if kind == "array":
        items = list(base) if isinstance(base, (list, tuple)) else []
        length = delta.get("length")
        size = int(length) if isinstance(length, (int, float)) else len(items)
        size = max(0, min(size, len(items) + len(changes) + len(patches)))
        items = items[:size] + [UNDEFINED] * (size - len(items))
        for index, value in _indexed(changes, size):
            items[index] = value
        for index, inner in _indexed(patches, size):
            items[index] = apply_delta(items[index], inner)
        return items
    return base


def _indexed(members: Mapping[str, object], size: int) -> Iterator[tuple[int, object]]:
    for key, value in members.items():
        if key.isascii() and key.isdigit() and int(key) < size:
            yield int(key), value


def _share(new: object, old: object, depth: int = 0) -> object:
    """Return ``new`` with every part that equals the same place in ``old`` replaced by that object."""
    if new is old or type(new) is not type(old) or depth > _DEEPEST:
        return new
    if isinstance(new, dict) and isinstance(old, dict):
        equal = len(new) == len(old) and list(new) == list(old)
        for key, value in new.items():
            if key in old:
                kept = _share(value, old[key], depth + 1)
                new[key] = kept
                equal = equal and kept is old[key]
        return old if equal else new
    if isinstance(new, list) and isinstance(old, list):
        equal = len(new) == len(old)
        for index, (value, other) in enumerate(zip(new, old, strict=False)):
            kept = _share(value, other, depth + 1)
            new[index] = kept
            equal = equal and kept is other
        return old if equal else new
    if isinstance(new, (str, int, float, bool)) or new is None:
        return old if new == old and not (isinstance(new, float) and new == 0) else new
    return old if same(new, old) else new


def compare_states(left: State, got: State) -> Iterator[Change]:
    """Yield how what a step got differs from what the one before it left."""
    for name, one in left.parts().items():
        yield from _differences(one, got.parts()[name], name, 0)


def _differences(left: object, got: object, path: str, depth: int) -> Iterator[Change]:
    if left is got or same(left, got):
        return
    if depth < _DEEPEST and isinstance(left, Mapping) and isinstance(got, Mapping):
        for key in dict.fromkeys((*left, *got)):
            yield from _differences(
                left.get(key, UNDEFINED), got.get(key, UNDEFINED), f"{path}.{key}", depth + 1
            )
        return
    why = next((text for prefix, text in MAY_DIFFER.items() if _under(path, prefix)), "")
    yield Change(path=path, left=left, got=got, expected=bool(why), why=why)


def _under(path: str, prefix: str) -> bool:
    return path == prefix or path.startswith((f"{prefix}.", f"{prefix}["))


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []

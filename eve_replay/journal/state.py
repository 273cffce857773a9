"""What a step was given and what it left: the state a checkpoint holds.

A turn step's output is a delta on its own input (docs/evidence/observed.md#deltas): ``stateDelta`` and its
``history`` are trees of ``{kind: "value" | "object" | "array", set, patch, keys, length}``. Before eve
0.66 the output holds the whole state. Runtime steps that change state (dispatches, proxied answers,
cancellations) return the same deltas.

Every input repeats the whole history, so a journal is quadratic on disk. :func:`walk_states` is linear in
memory: what did not change between two steps is the same object in both. States are values to read: a
caller that changes one changes its neighbours too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from eve_replay.journal.model import Step
from eve_replay.values import UNDEFINED, Undecoded, same

__all__ = [
    "CHECKPOINT",
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

_DROPPED = "the last turn step is not part of the state: its turn was cancelled"
_MOVED = "another run took over, and its version may rewrite the checkpoint"
_DEEPEST = 200  # deeper values are kept as decoded, unshared


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """The state of a session at one boundary.

    Attributes:
        context: ``serializedContext``: channel, auth, delivery, dynamic selections.
        session: ``sessionState`` without the history: prompt, limits, harness state, sandbox.
        history: the message history, oldest first.
        given: names of the parts (as in :meth:`parts`) that this step itself holds; the others are carried
            over from the step before, because many runtime steps get only what they need.
        whole: the output held the whole state, not a delta (eve before 0.66).
        undecoded: parts that could not be decoded.
        named: values that tools and hooks named, recorded beside the steps (Flue): no history, no context.
    """

    context: Mapping[str, object]
    session: Mapping[str, object]
    history: Sequence[object]
    given: frozenset[str] = frozenset()
    whole: bool = False
    undecoded: tuple[Undecoded, ...] = ()
    named: bool = False

    def parts(self) -> dict[str, object]:
        """Return the three parts under the names they have in a step input; named values are one part."""
        if self.named:
            return {"sessionState": self.session}
        return {"serializedContext": self.context, "sessionState": self.session, "history": self.history}


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One difference between what a step left and what the next one got.

    ``expected`` says that it may be so, and ``why``.
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
        law: how ``before`` differs from what the step before it left. In the recordings there is no
            difference, except that eve 0.37 drops what the last step of a cancelled turn left. A handoff
            may differ too: the new run's version may rewrite the checkpoint.
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


def state_before(step: Step, earlier: State | None = None) -> State | None:
    """Return the state a step was given, None when it takes none or its input is gone.

    Args:
        step: a turn step or a runtime step that carries state.
        earlier: a state to share unchanged structure with.
    """
    if step.kept is not None:
        return _kept(step.kept[0])
    if step.input is None:
        return None
    value = step.input.value  # nearly all of it is state, so reading it whole is cheaper than by path
    args = value.get("args") if isinstance(value, Mapping) else None
    given = args[0] if isinstance(args, list) and args else None
    return _state(given, earlier) if isinstance(given, Mapping) else None


def state_after(step: Step, before: State | None = None) -> State | None:
    """Return the state a step left, None when it is not committed or left none.

    Args:
        step: the step.
        before: its own input state, when the caller already has it.
    """
    if step.kept is not None:
        return _kept(step.kept[1]) if step.kept[1] is not None else None
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
        return _state(output, before)
    if step.name.function == "createSessionStep" and isinstance(output.get("state"), Mapping):
        return _state({**output, "sessionState": output["state"]}, before)
    return None


def _kept(values: Mapping[str, object]) -> State:
    """Named values that are recorded beside the steps: no history is among them."""
    return State(context={}, session=values, history=(), given=frozenset({"sessionState"}), named=True)


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
    given: State | None = None  # what the last turn step was given
    run_id = ""
    handed = False  # the state is with a turn's own run, and comes back changed
    for step in steps:
        if step.kind == "function":
            continue
        before = state_before(step, left)
        after = state_after(step, before)
        if before is None and after is None:
            continue
        law: tuple[Change, ...] = ()
        # Named values may be written between two messages, by a hook: no difference is against a law.
        if check and left is not None and before is not None and not before.named:
            law = tuple(compare_states(left, before))
            why = _explain(law, before, given, moved=step.run_id != run_id or handed)
            law = tuple(replace(change, expected=True, why=why) for change in law) if why else law
        yield StepState(step=step, before=before, after=after, added=messages_added(before, after), law=law)
        left = after if after is not None else before if before is not None else left
        run_id = step.run_id
        handed = step.function == _DISPATCH
        given = before if step.kind == "turn" else given


#: In the era of turn runs (eve 0.20 to 0.56) it hands the state to the run of the turn.
_DISPATCH = "dispatchTurnStep"


def _explain(law: Sequence[Change], before: State, given: State | None, *, moved: bool) -> str:
    """Return why a step may have got another state than the one before it left, empty when it may not."""
    if not law:
        return ""
    if given is not None and next(compare_states(given, before), None) is None:
        return _DROPPED
    return _MOVED if moved else ""


def _state(args: Mapping[str, object], earlier: State | None) -> State | None:
    """Read the parts that are here, share them with ``earlier``, and carry over the others."""
    session, context, history = (args.get(k) for k in ("sessionState", "serializedContext", "history"))
    if not isinstance(session, Mapping):
        return None
    whole = False
    if not isinstance(history, list) and (taken := _take_history(session)) is not None:
        history, session = taken
        whole = True
    parts: dict[str, object] = {"sessionState": session}
    if isinstance(context, Mapping):
        parts["serializedContext"] = context
    if isinstance(history, list):
        parts["history"] = history
    if earlier is not None:
        old = earlier.parts()
        parts = {name: _share(value, old[name]) for name, value in parts.items()}
    carried = earlier.parts() if earlier is not None else {}
    return State(
        context=_mapping(parts.get("serializedContext", carried.get("serializedContext"))),
        session=_mapping(parts["sessionState"]),
        history=_list(parts.get("history", carried.get("history"))),
        given=frozenset(parts),
        whole=whole,
        undecoded=tuple(v for v in args.values() if isinstance(v, Undecoded)),
    )


def _take_history(session: Mapping[str, object]) -> tuple[list[object], Mapping[str, object]] | None:
    """Take the history out of a whole session state (eve before 0.66 keeps it in the snapshot)."""
    snapshot = session.get("snapshot")
    inner = snapshot.get("session") if isinstance(snapshot, Mapping) else None
    history = inner.get("history") if isinstance(inner, Mapping) else None
    if not isinstance(snapshot, Mapping) or not isinstance(inner, Mapping) or not isinstance(history, list):
        return None
    rest = {k: v for k, v in inner.items() if k != "history"}
    return history, {**session, "snapshot": {**snapshot, "session": rest}}


def _apply(base: State, delta: Mapping[str, object]) -> State:
    return State(
        context=_mapping(apply_delta(base.context, delta.get("serializedContext", UNDEFINED))),
        session=_mapping(apply_delta(base.session, delta.get("sessionState", UNDEFINED))),
        history=_list(apply_delta(base.history, delta.get("history", UNDEFINED))),
        given=base.given | {name for name in base.parts() if isinstance(delta.get(name), Mapping)},
        whole=base.whole,
        undecoded=base.undecoded + tuple(v for v in delta.values() if isinstance(v, Undecoded)),
    )


def apply_delta(base: object, delta: object, depth: int = 0) -> object:
    """Apply one delta to a value and return the result; the base stays as it is.

    ``{kind: "value", value}`` replaces. ``{kind: "object", set, patch, keys}`` sets and patches members;
    ``keys``, when there, lists all keys that remain, in order. ``{kind: "array", set, patch, length}``
    does the same by index. A missing delta changes nothing. Unknown kinds leave the base unchanged. A patch
    of a patch ... deeper than any real one leaves an ``Undecoded`` in its place.
    """
    if not isinstance(delta, Mapping):
        return base
    if depth > _DEEPEST:
        return Undecoded("too-deep", f"A change nested deeper than {_DEEPEST} levels.")
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
            members[key] = apply_delta(old.get(key, UNDEFINED), inner, depth + 1)
        keys = delta.get("keys")
        if isinstance(keys, list):
            return {key: members[key] for key in keys if isinstance(key, str) and key in members}
        return members
    if kind == "array":
        items = list(base) if isinstance(base, (list, tuple)) else []
        length = delta.get("length")
        size = length if isinstance(length, int) and not isinstance(length, bool) else len(items)
        size = max(0, min(size, len(items) + len(changes) + len(patches)))
        items = items[:size] + [UNDEFINED] * (size - len(items))
        for index, value in _indexed(changes, size):
            items[index] = value
        for index, inner in _indexed(patches, size):
            items[index] = apply_delta(items[index], inner, depth + 1)
        return items
    return base


def _indexed(members: Mapping[str, object], size: int) -> Iterator[tuple[int, object]]:
    for key, value in members.items():
        if key.isascii() and key.isdigit() and int(key) < size:
            yield int(key), value


def _share(new: object, old: object, seen: set[int] | None = None, depth: int = 0) -> object:
    """Return ``new`` with every part that equals the same place in ``old`` replaced by that object.

    Containers of ``new`` are changed in place, only ever to equal contents. Shared and cyclic containers
    are visited once.
    """
    if new is old or type(new) is not type(old) or depth > _DEEPEST:
        return new
    if isinstance(new, dict) and isinstance(old, dict):
        if _alike(new, old):
            return old
        seen = seen if seen is not None else set()
        if id(new) not in seen:
            seen.add(id(new))
            for key in new.keys() & old.keys():
                new[key] = _share(new[key], old[key], seen, depth + 1)
        return new
    if isinstance(new, list) and isinstance(old, list):
        if len(new) == len(old) and _alike(new, old):
            return old
        seen = seen if seen is not None else set()
        if id(new) in seen:
            return new
        seen.add(id(new))
        common = min(len(new), len(old))
        if common and len(new) > common and _alike(new[:common], old):  # a history that grew
            new[:common] = old
            return new
        for index in range(common):
            new[index] = _share(new[index], old[index], seen, depth + 1)
        return new
    return old if same(new, old) else new


def _alike(one: object, two: object) -> bool:
    """Whether two values are the same, types and order included; False when that is not cheap to tell.

    ``==`` alone takes True for 1 and 0.0 for -0.0, ``repr`` alone may leave something out: together
    they are strict, and both run at the speed of C on the plain values that a history is made of.
    """
    try:
        return one == two and repr(one) == repr(two)
    except RecursionError:
        return False


def compare_states(left: State, got: State) -> Iterator[Change]:
    """Yield how what a step got differs from what the one before it left, in the parts both hold."""
    one, two = left.parts(), got.parts()
    for name in one:
        # A carried part is the same object; a part nobody has given yet (the context that the workflow
        # makes from the run's input) cannot be compared.
        if name in got.given and (name in left.given or one[name]):
            yield from _differences(one[name], two[name], name, 0)


def _differences(left: object, got: object, path: str, depth: int) -> Iterator[Change]:
    if left is got or same(left, got):
        return
    if depth < _DEEPEST and isinstance(left, Mapping) and isinstance(got, Mapping):
        for key in dict.fromkeys((*left, *got)):
            yield from _differences(
                left.get(key, UNDEFINED), got.get(key, UNDEFINED), f"{path}.{key}", depth + 1
            )
        return
    yield Change(path=path, left=left, got=got)


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []

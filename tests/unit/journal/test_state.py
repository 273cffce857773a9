"""State deltas, the law between steps, and sharing of what did not change."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eve_replay.journal import messages_added, state_after, state_before, walk_states
from eve_replay.journal.state import State, _share, apply_delta, compare_states
from eve_replay.values import UNDEFINED, same
from tests.support.runlog import RunLog

S = "wrun_01AAAAAAAAAAAAAAAAAAAAAAAA"
A, B = (f"step_01AAAAAAAAAAAAAAAAAAAAAAA{letter}" for letter in "AB")


@pytest.mark.parametrize(
    ("base", "delta", "after"),
    [
        ({"a": 1}, None, {"a": 1}),
        ({"a": 1}, {"kind": "value", "value": [2]}, [2]),
        ({"a": 1}, {"kind": "value"}, UNDEFINED),
        ({"a": 1}, {"kind": "object", "set": {"b": 2}}, {"a": 1, "b": 2}),
        ({"a": 1, "b": 2}, {"kind": "object", "keys": ["b"]}, {"b": 2}),
        ({"a": 1, "b": 2}, {"kind": "object", "set": {"c": 3}, "keys": ["c", "a"]}, {"c": 3, "a": 1}),
        (
            {"a": {"x": 1}},
            {"kind": "object", "patch": {"a": {"kind": "object", "set": {"y": 2}}}},
            {"a": {"x": 1, "y": 2}},
        ),
        ([1, 2], {"kind": "array", "set": {"2": 3}, "length": 3}, [1, 2, 3]),
        ([1, 2, 3], {"kind": "array", "length": 1}, [1]),
        (
            [{"a": 1}],
            {"kind": "array", "patch": {"0": {"kind": "object", "set": {"a": 2}}}, "length": 1},
            [{"a": 2}],
        ),
        ([1], {"kind": "array", "set": {"9": 3, "x": 4}, "length": 1}, [1]),
        ([1], {"kind": "array", "length": 10**9}, [1]),
        ({"a": 1}, {"kind": "dream"}, {"a": 1}),
        (UNDEFINED, {"kind": "object", "set": {"a": 1}}, {"a": 1}),
        (None, {"kind": "array", "set": {"0": 1}, "length": 1}, [1]),
    ],
)
def test_deltas(base: object, delta: object, after: object) -> None:
    kept = repr(base)
    assert same(apply_delta(base, delta), after)
    assert repr(base) == kept


def test_keys_keep_their_order() -> None:
    changed = apply_delta({"a": 1, "b": 2}, {"kind": "object", "keys": ["b", "a"]})
    assert list(changed) == ["b", "a"]  # type: ignore[call-overload]


def args(history: list[object], counter: int = 0, **more: object) -> dict[str, object]:
    session = {"version": 2, "snapshot": {"session": {"state": {"n": counter}}}}
    given = {"history": history, "sessionState": session, "serializedContext": {"eve.auth": "anonymous"}}
    return {"args": [{**given, **more}]}


def grow(message: object, index: int, counter: int) -> dict[str, object]:
    patch = {"kind": "object", "set": {"n": counter}}
    for key in ("state", "session", "snapshot"):
        patch = {"kind": "object", "patch": {key: patch}}
    history = {"kind": "array", "set": {str(index): message}, "length": index + 1}
    return {"action": "continue", "stateDelta": {"sessionState": patch, "history": history}}


def two_steps(second: dict[str, object] | None = None) -> RunLog:
    log = RunLog().run(S, attributes={"$eve.type": "session"})
    first = {"role": "user", "content": "hi"}
    log.step(A, starts=(1,), end=2, input=args([first]), output=grow({"role": "assistant"}, 1, 1))
    given = second or args([dict(first), {"role": "assistant"}], 1)
    return log.step(B, starts=(3,), end=4, input=given, output=grow({"role": "tool"}, 2, 2))


def walked(log: RunLog) -> list[object]:
    return list(walk_states(log.journal().session(S).steps))


def test_what_a_step_leaves_is_what_the_next_one_gets() -> None:
    one, two = walked(two_steps())
    assert (one.law, two.law) == ((), ())
    assert [m["role"] for m in two.after.history] == ["user", "assistant", "tool"]
    assert [m["role"] for m in two.added] == ["tool"]
    assert two.after.session["snapshot"]["session"]["state"] == {"n": 2}


def test_unchanged_structure_is_the_same_object() -> None:
    one, two = walked(two_steps())
    assert two.before.history[0] is one.before.history[0]
    assert two.before.history[1] is one.after.history[1]
    assert two.after.history[0] is one.before.history[0]
    assert two.before.context is one.before.context


def test_a_broken_law_names_the_path() -> None:
    odd = args([{"role": "user", "content": "HI"}, {"role": "assistant"}], 1)
    _, two = walked(two_steps(odd))
    (change,) = two.law
    assert (change.path, change.expected) == ("history", False)
    _, two = walked(two_steps(args([{"role": "user", "content": "hi"}, {"role": "assistant"}], 7)))
    assert [c.path for c in two.law] == ["sessionState.snapshot.session.state.n"]
    assert (two.law[0].left, two.law[0].got) == (1, 7)


def test_true_is_not_one_between_steps() -> None:
    _, two = walked(two_steps(args([{"role": "user", "content": "hi"}, {"role": "assistant"}], True)))
    assert [(c.left, c.got) for c in two.law] == [(1, True)]


def test_parts_a_step_does_not_get_are_carried_over() -> None:
    log = two_steps()
    step = "step_01AAAAAAAAAAAAAAAAAAAAAAAC"
    state = {"version": 2, "snapshot": {"session": {"state": {"n": 2}}}}
    log.step(
        step,
        "step//eve@0.80.1//dispatchCoordinationStep",
        starts=(5,),
        end=6,
        input={"args": [{"sessionState": state}]},
        output={"stateDelta": {}},
    )
    *_, last = walked(log)
    assert last.law == ()
    assert last.before.given == frozenset({"sessionState"})
    assert len(last.after.history) == 3
    assert last.added == ()


def test_whole_states_of_older_eve() -> None:
    def whole(history: list[object], counter: int) -> dict[str, object]:
        session = {"history": history, "state": {"n": counter}}
        return {"sessionState": {"version": 1, "snapshot": {"session": session}}, "serializedContext": {}}

    log = RunLog().run(S, attributes={"$eve.type": "session"})
    log.step(
        A,
        starts=(1,),
        end=2,
        input={"args": [whole(["a"], 0)]},
        output={"action": "park", **whole(["a", "b"], 1)},
    )
    log.step(B, starts=(3,), end=4, input={"args": [whole(["a", "b"], 1)]})
    one, two = walked(log)
    assert (one.before.whole, list(one.before.history), one.added) == (True, ["a"], ("b",))
    assert (two.law, list(two.before.history)) == ((), ["a", "b"])
    assert "history" not in one.before.session["snapshot"]["session"]


def test_a_step_without_commit_or_without_input_leaves_no_state() -> None:
    log = RunLog().run(S, attributes={"$eve.type": "session"})
    log.step(A, starts=(1,), input=args([]))
    (step,) = log.journal().session(S).steps
    assert state_before(step) is not None
    assert state_after(step) is None
    purged = RunLog().run(S, attributes={"$eve.type": "session"}).step(A, starts=(1,), end=2)
    (step,) = purged.journal().session(S).steps
    assert (state_before(step), state_after(step)) == (None, None)
    assert walked(purged) == []


def test_a_rewritten_history_counts_what_was_not_there() -> None:
    before = State(context={}, session={}, history=["a", "b", "c"])
    after = State(context={}, session={}, history=["summary", "c", "d"])
    assert messages_added(before, after) == ("summary", "c", "d")
    assert messages_added(None, after) == ("summary", "c", "d")
    assert messages_added(before, None) == ()


def test_a_dropped_turn_step_is_explained() -> None:
    """eve 0.37: what the last step of a cancelled turn left is not part of the state."""
    log = two_steps(args([{"role": "user", "content": "hi"}]))
    log.steps = []
    log.events = [e for e in log.events if e.correlation_id != B]
    log.step(
        B,
        "step//eve@0.37.1//settleCancelledTurnStep",
        starts=(3,),
        end=4,
        input=args([{"role": "user", "content": "hi"}]),
    )
    _, two = walked(log)
    assert two.law and all(c.expected and "cancelled" in c.why for c in two.law)


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 2)
    | st.floats(allow_nan=True, width=16)
    | st.text(max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=1), inner, max_size=3),
    max_leaves=12,
)


@given(VALUES, VALUES)
def test_sharing_never_changes_a_value(new: object, old: object) -> None:
    wanted, kept = repr(new), repr(old)
    shared = _share(new, old)
    assert repr(shared) == wanted
    assert repr(old) == kept


def test_sharing_survives_cycles() -> None:
    one: list[object] = [1]
    one.append(one)
    two: list[object] = [1]
    two.append(two)
    assert _share(one, two) is one


def test_states_compare_part_by_part() -> None:
    one = State(context={"a": 1}, session={}, history=[], given=frozenset({"serializedContext"}))
    two = State(
        context={"a": 2}, session={"x": 1}, history=[1], given=frozenset({"serializedContext", "history"})
    )
    assert [c.path for c in compare_states(one, two)] == ["serializedContext.a"]

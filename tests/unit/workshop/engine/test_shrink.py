"""The shortest way in which something fails."""

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from eve_replay.errors import WrongUse
from eve_replay.workshop.engine.explore import explore
from eve_replay.workshop.engine.runtime import run
from eve_replay.workshop.engine.schedules import KINDS, kinds_at, rank
from eve_replay.workshop.engine.shrink import shrink
from eve_replay.workshop.engine.workflow import run_workflow
from eve_replay.workshop.model import Case, Fault, Turn
from tests.unit.tools._programs import cases, programs, tool_of
from tests.unit.workshop.engine._engine import Tiny, ask, case, once


def unprotected(input, ctx, outside):
    outside.slow(input["order"])


def at_third(input, ctx, outside):
    """Protected until the third attempt."""
    outside.do("mark")
    count = outside.look("mark")
    outside.slow(input["order"], key="first" if count < 3 else ctx.call_id)


def size_of(given_case):
    return sum(len(answer) for turn in given_case.turns for answer in turn.answers) + len(given_case.turns)


def do(tool, given_case, schedule):
    return run({"act": tool}, given_case, schedule, make_outside=Tiny)


def short(tool, given_case, schedule, fails=once):
    return shrink({"act": tool}, given_case, schedule, fails, make_outside=Tiny)


BIG = case((ask(), ask(order="o2")), (ask(order="o3"),), turns=1)


def long_schedule(tool, given_case, number, kind="crash-after"):
    """Crashes at calls, one after another."""
    schedule = ()
    for _ in range(number):
        after = schedule[-1].point if schedule else -1
        trace = do(tool, given_case, schedule).trace
        at = next(m.number for m in trace if m.kind == "call" and m.number > after and m.slow)
        schedule = (*schedule, Fault(at, kind, hours=1.0))
    return schedule


def test_many_crashes_become_one_on_one_call():
    schedule = long_schedule(unprotected, BIG, 9)
    assert once(do(unprotected, BIG, schedule))
    smaller, shorter = short(unprotected, BIG, schedule)
    assert len(shorter) == 1
    assert (shorter[0].kind, shorter[0].hours) == ("crash-before", 0.0)
    assert [[len(answer) for answer in turn.answers] for turn in smaller.turns] == [[1]]
    assert once(do(unprotected, smaller, shorter))


def test_what_is_needed_stays():
    only = case((ask(),))
    schedule = long_schedule(at_third, only, 4)

    def fails(outcome):
        return sum(entry.fields["order"] == "o1" for entry in outcome.ledger) > 1

    assert fails(do(at_third, only, schedule))
    smaller, shorter = short(at_third, only, schedule, fails)
    assert smaller == only
    assert len(shorter) == 2
    assert fails(do(at_third, smaller, shorter))


def test_more_faults_than_a_search_takes_are_left_out_one_by_one():
    def often(outcome):
        return sum(entry.fields["order"] == "o1" for entry in outcome.ledger) > 4

    schedule = long_schedule(unprotected, BIG, 8)
    smaller, shorter = short(unprotected, BIG, schedule, often)
    assert len(shorter) == 4
    assert all((fault.kind, fault.hours) == ("crash-before", 0.0) for fault in shorter)
    assert size_of(smaller) == 2
    assert often(do(unprotected, smaller, shorter))


def test_kinds_that_were_not_given_are_not_made_up():
    def look_first(input, ctx, outside):
        if not outside.look(input["order"]):
            outside.slow(input["order"])

    at = next(m.number for m in do(look_first, BIG, ()).trace if m.slow)
    smaller, shorter = short(look_first, BIG, (Fault(at, "crash-in-flight"),))
    assert [fault.kind for fault in shorter] == ["crash-in-flight"]
    assert size_of(smaller) == 2

    def retries(input, ctx, outside):
        try:
            outside.slow(input["order"])
        except Exception:
            outside.slow(input["order"])

    _, shorter = short(retries, BIG, (Fault(at - 1, "lost"),))
    assert [fault.kind for fault in shorter] == ["lost"]


def test_a_case_that_fails_by_what_was_taken_out_is_not_taken():
    def second(input, ctx, outside):
        # Works only when the other call is there too.
        outside.do("o1", key="o1")
        outside.slow("o2")

    given_case = case((ask(), ask(order="o2")), name="two")

    def tool(input, ctx, outside):
        if input["order"] == "o2":
            second(input, ctx, outside)

    schedule = long_schedule(tool, given_case, 1)
    smaller, shorter = short(tool, given_case, schedule)
    assert once(do(tool, smaller, ())) is None
    assert once(do(tool, smaller, shorter))


def test_a_call_that_is_taken_out_is_not_asked_for_again_either():
    one, two, three = ask(), ask(order="o2"), ask(order="o3")
    turn = Turn(message="go", answers=((one, two, three),), other={0: (two, three, one)})
    given_case = Case(name="order", turns=(turn,), model="other")

    def by_place(input, ctx, outside):
        outside.slow(input["order"], key=f"{ctx.position} {input['order']}")

    schedule = long_schedule(by_place, given_case, 1)
    smaller, shorter = short(by_place, given_case, schedule)
    first, again = smaller.turns[0].answers[0], smaller.turns[0].other[0]
    assert len(first) == 2 and sorted(map(repr, first)) == sorted(map(repr, again)) and first != again
    assert once(do(by_place, smaller, shorter))


def test_inside_a_commit():
    at = next(m.number for m in do(unprotected, BIG, ()).trace if m.kind == "commit-record")
    smaller, shorter = short(unprotected, BIG, (Fault(at),), lambda outcome: outcome.ended == "hangs")
    assert do(unprotected, smaller, shorter).ended == "hangs"
    assert size_of(smaller) == 2


def test_what_does_not_fail_is_given_back():
    assert short(unprotected, BIG, (Fault(0),)) == (BIG, (Fault(0),))


def test_a_workflow_body():
    def body(input, ctx, outside):
        ctx.step("one", outside.do, "mark")
        outside.slow(input["order"])
        ctx.ask("go on?")

    only = case((ask(),), answers=("yes",))
    failing = explore(body, only, [once], workflow=True, make_outside=Tiny).failing
    assert failing is not None
    for tools in (body, {"act": body}):
        smaller, shorter = shrink(tools, only, failing.schedule, once, workflow=True, make_outside=Tiny)
        assert smaller == only
        assert once(run_workflow(body, smaller, shorter, make_outside=Tiny))


def test_a_wrong_case_is_said():
    with pytest.raises(WrongUse):
        shrink({"other": unprotected}, BIG, (), once, make_outside=Tiny)


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(programs, cases(), st.lists(st.tuples(st.integers(0, 60), st.sampled_from(KINDS)), max_size=5))
def test_it_still_fails_and_never_grows(program, given_case, faults):
    tool = tool_of(program)
    schedule = tuple(Fault(point, kind) for point, kind in sorted(dict(faults).items()))

    def fails(outcome):
        found = once(outcome)
        return found is not None and found.code == "twice"

    assume(fails(do(tool, given_case, schedule)))
    smaller, shorter = short(tool, given_case, schedule, fails)
    assert fails(do(tool, smaller, shorter))
    assert len(shorter) <= len(schedule)
    assert size_of(smaller) <= size_of(given_case)
    if len(shorter) == len(schedule):
        assert rank(shorter)[1:3] <= rank(schedule)[1:3]
    again = short(tool, smaller, shorter, fails)
    assert again == (smaller, shorter)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.sampled_from([unprotected, at_third]),
    st.lists(st.tuples(st.integers(0, 60), st.sampled_from(KINDS)), min_size=3, max_size=6),
)
def test_nothing_can_be_left_out_of_it_and_nothing_made_simpler(tool, faults):
    """Against brute force: each fault alone left out, each kind and each absence alone made simpler."""
    schedule = tuple(Fault(point, kind, 1.0) for point, kind in sorted(dict(faults).items()))

    def fails(outcome):
        found = once(outcome)
        return found is not None and found.code == "twice"

    def fails_outside_commits(smaller, faults):
        outcome = do(tool, smaller, faults)
        points = {fault.point for fault in faults}
        inside = any(m.number in points and m.kind in ("commit-lock", "commit-record") for m in outcome.trace)
        return not inside and fails(outcome)

    assume(fails_outside_commits(BIG, schedule))
    smaller, shorter = short(tool, BIG, schedule, fails)
    at = {m.number: m for m in do(tool, smaller, shorter).trace if m.number is not None}
    given_kinds = {fault.kind for fault in schedule}
    for number, fault in enumerate(shorter):
        before, after = shorter[:number], shorter[number + 1 :]
        assert not fails_outside_commits(smaller, before + after)
        simpler = [kind for kind in kinds_at(at[fault.point]) if KINDS.index(kind) < KINDS.index(fault.kind)]
        for kind in simpler:
            if kind in given_kinds:
                changed = Fault(fault.point, kind, fault.hours)
                assert not fails_outside_commits(smaller, (*before, changed, *after))
        if fault.hours:
            assert not fails_outside_commits(smaller, (*before, Fault(fault.point, fault.kind), *after))

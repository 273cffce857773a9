"""The search: everything up to a bound, the fewest faults first, nothing left out that matters."""

import gc
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eve_replay.errors import WrongUse
from eve_replay.workshop.engine.explore import explore
from eve_replay.workshop.engine.runtime import run
from eve_replay.workshop.engine.schedules import kinds_at, rank
from eve_replay.workshop.engine.workflow import run_workflow
from eve_replay.workshop.model import Breach, Fault
from eve_replay.workshop.task import CRASHES
from tests.unit.tools._programs import bodies, body_of, cases, programs, signature, tool_of
from tests.unit.workshop.engine._engine import Tiny, ask, case, once


def unprotected(input, ctx, outside):
    outside.slow(input["order"])


def by_order(input, ctx, outside):
    outside.slow(input["order"], key=input["order"])


def look_first(input, ctx, outside):
    if not outside.look(input["order"]):
        outside.slow(input["order"])


def search(tool, given_case=None, promises=(once,), **more):
    return explore({"act": tool}, given_case or case(), list(promises), make_outside=Tiny, **more)


def brute_force(one, faults, crashes, *, inside_commit=False):
    """Every schedule there is, nothing taken for the same as another: ``(schedule, outcome)``."""
    level = [((), one(()))]
    found = list(level)
    for _ in range(crashes):
        schedules = [
            (*schedule, Fault(moment.number, kind))
            for schedule, outcome in level
            for moment in outcome.trace
            if moment.number is not None and moment.number > (schedule[-1].point if schedule else -1)
            for kind in kinds_at(moment, inside_commit=inside_commit)
            if kind in faults
        ]
        level = [(schedule, one(schedule)) for schedule in schedules]
        found += level
    return found


def brute(tool, given_case, faults, crashes, **more):
    def one(schedule):
        return run({"act": tool}, given_case, schedule, make_outside=Tiny)

    return brute_force(one, faults, crashes, **more)


def test_what_holds_is_said_to_hold():
    report = search(by_order, case((ask(), ask(order="o2")), turns=1))
    assert report.failing is None and report.breach is None
    assert report.complete and report.failures == 0
    assert report.moments == run({"act": by_order}, case((ask(), ask(order="o2"))), make_outside=Tiny).moments


def test_the_easiest_failing_schedule_is_given_with_its_whole_story():
    report = search(unprotected)
    assert report.breach.code == "twice"
    assert len(report.failing.schedule) == 1
    assert report.failing == run({"act": unprotected}, case(), report.failing.schedule, make_outside=Tiny)
    assert all(m.facts["result"] for m in report.failing.trace if m.kind == "answer")
    assert report.failing.schedule[0].kind == "crash-before"
    assert report.failures > 1


def test_a_request_in_flight_is_what_breaks_looking_first():
    report = search(look_first)
    assert [fault.kind for fault in report.failing.schedule] == ["crash-in-flight"]
    assert search(look_first, faults=("crash-before", "crash-after")).failing is None


def test_a_tool_that_fails_without_faults():
    report = search(lambda input, ctx, outside: None)
    assert (report.tried, report.failing.schedule, report.breach.code) == (1, (), "missed")


def test_two_crashes_are_needed():
    # The first retry is told apart from the first attempt, the second retry is not protected.
    def tool(input, ctx, outside):
        seen = outside.look("mark")
        outside.do("mark")
        outside.slow(input["order"], key="first" if seen < 2 else ctx.call_id)

    assert search(tool, crashes=1).failing is None
    report = search(tool)
    assert len(report.failing.schedule) == 2


def test_lost_answers_and_long_absences():
    def tool(input, ctx, outside):
        try:
            outside.slow(input["order"])
        except Exception:
            outside.slow(input["order"])

    report = search(tool, faults=("lost", "refused"), crashes=1)
    assert [fault.kind for fault in report.failing.schedule] == ["lost"]

    def late(outcome):
        return Breach(code="late") if any(m.seconds > 20 * 3600 for m in outcome.trace) else None

    report = search(by_order, promises=[late], hours=(0.0, 30.0))
    assert [fault.hours for fault in report.failing.schedule] == [30.0]
    assert search(by_order, promises=[late]).failing is None


def test_inside_a_commit_only_when_asked():
    def ends(outcome):
        return Breach(code="hangs") if outcome.ended == "hangs" else None

    assert search(by_order, promises=[ends]).failing is None
    assert search(by_order, promises=[ends], inside_commit=True).failing.ended == "hangs"
    hosted = case(environment="hosted")
    assert search(by_order, hosted, promises=[ends], inside_commit=True).failing is None


def test_a_budget_is_kept_and_said():
    report = search(by_order, budget=7)
    assert (report.tried, report.complete) == (7, False)


def test_promises_in_their_order_and_memory_left_alone():
    sent = []

    def tool(input, ctx, outside):
        sent.append(1)
        outside.slow(input["order"])

    before = gc.get_threshold()
    report = search(tool, promises=[lambda outcome: None, once])
    assert report.breach.code == "twice"
    assert sent == []
    assert gc.get_threshold() == before


def test_wrong_cases_are_said():
    with pytest.raises(WrongUse):
        explore({"other": by_order}, case(), [once], make_outside=Tiny)
    with pytest.raises(WrongUse):
        search(by_order, case(runtime="evil"))


def test_a_workflow_body_alone_or_by_name():
    def body(input, ctx, outside):
        ctx.step("pay", outside.slow, input["order"])

    for tools in (body, {"act": body}):
        report = explore(tools, case(), [once], workflow=True, make_outside=Tiny)
        assert report.breach.code == "twice"

    def safe(input, ctx, outside):
        ctx.step("pay", lambda: outside.slow(input["order"], key=ctx.step_id))

    assert explore(safe, case(), [once], workflow=True, make_outside=Tiny).complete


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(programs, cases(turns=1))
def test_one_crash_finds_everything_that_brute_force_finds(program, given_case):
    tool = tool_of(program)
    faults = (*CRASHES, "lost", "refused")
    everything = {signature(o) for _, o in brute(tool, given_case, faults, 1, inside_commit=True)}
    seen = set()

    def watch(outcome):
        seen.add(signature(outcome))

    search(tool, given_case, promises=[watch], faults=faults, crashes=1, inside_commit=True)
    assert seen == everything


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(programs.filter(lambda program: len(program) < 3), cases(turns=1, calls=1))
def test_two_crashes_find_everything_that_brute_force_finds(program, given_case):
    given_case = replace(
        given_case, turns=(replace(given_case.turns[0], answers=given_case.turns[0].answers[:1]),)
    )
    tool = tool_of(program)
    found = brute(tool, given_case, CRASHES, 2)
    seen = set()

    def watch(outcome):
        seen.add(signature(outcome))

    search(tool, given_case, promises=[watch])
    assert seen == {signature(outcome) for _, outcome in found}

    failing = [schedule for schedule, outcome in found if once(outcome) is not None]
    report = search(tool, given_case)
    assert (report.failing is None) == (not failing)
    if failing:
        best = min(failing, key=rank)
        assert len(report.failing.schedule) == len(best)
        assert rank(report.failing.schedule)[:3] == rank(best)[:3]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    bodies,
    st.sampled_from(("eve", "eve", "flue", "none")),
    st.sampled_from(("eve-start", "hosted", "not-restarted")),
    st.integers(1, 2),
)
def test_a_workflow_is_searched_as_wholly(parts, runtime, where, crashes):
    body = body_of(parts[: 5 - crashes])
    given_case = case((ask(),), runtime=runtime, environment=where, answers=("yes",) * 4)
    everything, seen = set(), set()

    def one(schedule):
        return run_workflow(body, given_case, schedule, make_outside=Tiny)

    for _, outcome in brute_force(one, CRASHES, crashes, inside_commit=True):
        everything.add(signature(outcome))

    def watch(outcome):
        seen.add(signature(outcome))

    explore(body, given_case, [watch], workflow=True, crashes=crashes, inside_commit=True, make_outside=Tiny)
    assert seen == everything

"""How long the searches of the workshop take. Agreed: two crashes of a lesson's tool, all of them, in 2 s."""

from __future__ import annotations

import importlib.util
import time
from pathlib import Path

import pytest

from eve_replay.workshop.engine.explore import explore
from eve_replay.workshop.engine.runtime import Runner, run
from eve_replay.workshop.engine.shrink import shrink
from eve_replay.workshop.lesson import task
from eve_replay.workshop.model import Ask, Case, Deed, Fault, Turn
from eve_replay.workshop.promises import each_deed_once, it_ends, nothing_else

PROMISES = (each_deed_once(), nothing_else(), it_ends())


def pay(input, ctx, outside):
    """Five calls to the outside, two of them slow."""
    order = input["order"]
    outside.payments.find(order=order)
    outside.store.set_nx(order, "claimed")
    charge = outside.payments.charge(order, 100, key=order)
    outside.payments.find(order=order)
    outside.mail.send("a@example.com", f"Receipt {charge['id']}", key=order)
    return {"status": "paid"}


def unprotected(input, ctx, outside):
    return outside.payments.charge(input["order"], 100)


def case_of(turns, calls):
    def ask(order):
        return Ask(
            tool="pay",
            input={"order": order},
            deeds=(Deed(effect="charge", match={"order": order}),),
        )

    return Case(
        name=f"{turns}x{calls}",
        turns=tuple(
            Turn(message="pay", answers=(tuple(ask(f"o{turn}{call}") for call in range(calls)),))
            for turn in range(turns)
        ),
        setting={"mail": {"keys": True}},
    )


def test_one_schedule(benchmark):
    """Schedules per second: one over the mean."""
    runner = Runner({"pay": pay}, case_of(1, 2))
    outcome = benchmark(lambda: runner.outcome((Fault(5, "crash-after"),), full=False))
    assert outcome.ended == "completed"


@pytest.mark.parametrize(("turns", "calls"), [(1, 1), (1, 2), (2, 2), (2, 3)])
def test_all_schedules_of_two_crashes(benchmark, turns, calls):
    case = case_of(turns, calls)
    promises = (each_deed_once(), it_ends())
    report = benchmark.pedantic(lambda: explore({"pay": pay}, case, promises), rounds=3)
    assert report.complete and report.failing is None
    benchmark.extra_info["schedules"] = report.tried
    benchmark.extra_info["per second"] = round(report.tried / benchmark.stats["min"])


def test_the_first_failure_is_found_and_shrunk(benchmark):
    case = case_of(2, 3)

    def all_of_it():
        report = explore({"pay": unprotected}, case, PROMISES)
        return shrink({"pay": unprotected}, case, report.failing.schedule, PROMISES[0])

    _, schedule = benchmark.pedantic(all_of_it, rounds=3)
    assert len(schedule) == 1


def test_a_story_of_a_schedule(benchmark):
    """With everything a story needs, as the widget asks for at every key press."""
    case = case_of(1, 2)
    assert benchmark(lambda: run({"pay": pay}, case, (Fault(5, "crash-after"),))).trace


SOLUTIONS = Path(__file__).parents[2] / "notebooks" / "workshop" / "solutions"


def solution(lesson):
    where = importlib.util.spec_from_file_location("solution", SOLUTIONS / f"lesson_{lesson}.py")
    module = importlib.util.module_from_spec(where)
    where.loader.exec_module(module)
    return getattr(module, task(lesson).answer)


@pytest.mark.parametrize("lesson", ["01", "04", "05", "06", "07"])
def test_all_schedules_of_a_lesson_s_tool(benchmark, lesson):
    """Its own cases, every schedule of two faults. The rate is over processor time: the machine is shared."""
    exercise, answer = task(lesson), solution(lesson)
    workflow = exercise.kind == "workflow"
    tools = answer if workflow else {**exercise.others, exercise.answer: answer}
    spent = []

    def all_of_it():
        began = time.process_time()
        reports = [
            explore(
                tools,
                case,
                exercise.promises,
                crashes=exercise.crashes,
                faults=exercise.faults,
                hours=exercise.hours,
                workflow=workflow,
            )
            for case in exercise.cases(0)
        ]
        spent.append(time.process_time() - began)
        return reports

    reports = benchmark.pedantic(all_of_it, rounds=3)
    assert all(report.complete and report.failing is None for report in reports)
    assert exercise.crashes >= 2
    assert min(spent) < 2
    benchmark.extra_info["schedules"] = tried = sum(report.tried for report in reports)
    benchmark.extra_info["per second"] = round(tried / min(spent))


def test_three_crashes_say_whether_they_are_complete(benchmark):
    exercise = task("01")
    tools = {**exercise.others, exercise.answer: solution("01")}
    case = exercise.cases(0)[0]

    def three(budget):
        return explore(tools, case, exercise.promises, crashes=3, budget=budget)

    report = benchmark.pedantic(lambda: three(20_000), rounds=3)
    assert report.complete and report.failing is None
    cut = three(100)
    assert cut.tried == 100 and not cut.complete

"""The toy journal asks the product's runtimes; what they say is obeyed, and asked once per shape."""

import pytest

from eve_replay.errors import WrongUse
from eve_replay.recovery.environment import DEFAULT_LEASE
from eve_replay.recovery.runtimes.registry import runtime_named
from eve_replay.recovery.situation import NEVER, ONCE, UNSURE
from eve_replay.recovery.strategies import STRATEGIES, Seen
from eve_replay.workshop.engine.recovering import Lies, Recovery, StepPlan
from eve_replay.workshop.engine.runtime import Runner
from eve_replay.workshop.engine.schedules import kinds_at
from eve_replay.workshop.model import Ask, Case, Deed, Fault, Turn

OPEN = Lies("D", 1, True, 10.0, 1, 1, ("returned", "began", "waits"))


def recovery(runtime="eve", where="eve-start", model="same", **more):
    return Recovery(runtime, where, model, **more)


def test_an_interrupted_step_runs_again_whole_when_its_lease_is_out():
    plan = recovery().plan([Lies("done", 1), OPEN], more=True)
    assert [step.do for step in plan.steps] == ["keep", "run"]
    assert plan.asks
    assert plan.wait == DEFAULT_LEASE - 10
    assert (plan.by, plan.ended) == ("lease", None)


def test_a_start_that_is_not_leased_runs_at_once():
    plan = recovery().plan([Lies("D", 2, False, 10.0, 2, 1, ())], more=True)
    assert (plan.wait, plan.by) == (0.0, "restart")


def test_states_inside_a_commit():
    locked = recovery().plan([Lies("F1", 1, True, 1.0, 1)], more=True)
    assert (locked.steps[0].do, locked.ended) == ("endless", None)
    recorded = recovery().plan([Lies("F2", 1, True, 1.0, 1)], more=True)
    assert (recorded.steps[0].do, recorded.ended) == ("stuck", "hangs")
    whole = recovery(where="hosted").plan([Lies("F2", 1, True, 1.0, 1)], more=True)
    assert (whole.steps[0].do, whole.ended) == ("run", None)


def test_flue_keeps_what_is_done_and_leaves_what_had_begun():
    plan = recovery("flue", "flue").plan([OPEN], more=True)
    assert plan.steps == (StepPlan("run", ("keep", "unknown", "run")),)
    assert not plan.asks
    assert plan.wait == 30
    assert recovery("flue", "flue").plan([Lies("D", 1, True, 1.0, 1)], more=True).asks


def test_without_durability_all_is_done_again():
    plan = recovery("none").plan([Lies("done", 1, True, 0.0, 1, 1, ("returned",)), OPEN], more=True)
    assert [step.do for step in plan.steps] == ["run", "run"]
    assert plan.asks
    assert plan.person


@pytest.mark.parametrize("where", ["not-restarted", "eve-dev", "other-version"])
def test_environments_that_recover_nothing(where):
    assert recovery(where=where).plan([OPEN], more=True).ended == "dormant"
    assert recovery(where=where).plan([Lies("done", 1)], more=True).ended == "dormant"


def test_a_throw_makes_kills_count():
    thrown = Lies("D", 4, False, 1.0, threw=True, calls=("began",))
    plan = recovery(plain=True).plan([thrown], more=True)
    assert plan.steps[0].do == "fail"
    assert "budget" in plan.rules
    assert recovery(plain=True).plan([Lies("D", 9, False, 1.0)], more=True).steps[0].do == "run"


def test_a_sleep_keeps_its_end():
    plan = recovery(plain=True).plan([Lies("done", 1)], more=True, waits=25.0)
    assert (plan.wait, plan.by) == (25.0, "timer")
    assert recovery(plain=True).plan([], more=True, asked=True).ended is None


def test_a_shape_is_asked_once(monkeypatch):
    asked = recovery()
    calls = []
    real = runtime_named("eve").recover

    class Counting:
        name = "eve"

        def recover(self, *args):
            calls.append(args)
            return real(*args)

    monkeypatch.setattr(asked, "runtime", Counting())
    first = asked.plan([OPEN], more=True)
    assert asked.plan([OPEN], more=True) is first
    assert len(calls) == 1
    asked.plan([Lies("D", 2, False, 10.0, 2, 1, ())], more=True)
    assert len(calls) == 2


def test_wrong_names_are_said():
    with pytest.raises(WrongUse):
        recovery("evil")
    with pytest.raises(WrongUse):
        recovery(where="moon")


# -- what the crash lab predicts is what happens here -------------------------------------------------


def keyed(key):
    def act(input, ctx, outside):
        return outside.payments.charge(input["order"], 100, key=key(input, ctx))

    return act


def claim(input, ctx, outside):
    if outside.store.set_nx(input["order"], "claimed"):
        outside.payments.charge(input["order"], 100)


def check_then_act(input, ctx, outside):
    if not outside.payments.find(order=input["order"]):
        outside.payments.charge(input["order"], 100)


PROTECTED = {
    "none": keyed(lambda input, ctx: None),
    "call-id": keyed(lambda input, ctx: ctx.call_id),
    "coordinates": keyed(lambda input, ctx: f"{ctx.turn_id}/{ctx.step_index}/{ctx.position}"),
    "business-id": keyed(lambda input, ctx: input["order"]),
    "run-id": keyed(lambda input, ctx: ctx.run_id),
    "claim": claim,
    "check-then-act": check_then_act,
}
ORDERS = ("o1", "o2")


def two_payments(runtime, model):
    asks = tuple(
        Ask(tool="act", input={"order": each}, deeds=(Deed(effect="charge", match={"order": each}),))
        for each in ORDERS
    )
    where = "flue" if runtime == "flue" else "eve-start"
    turn = Turn(message="", answers=(asks,), other={0: asks[::-1]} if model == "other" else {})
    return Case(name="two", turns=(turn,), runtime=runtime, environment=where, model=model)


def within(number, executions):
    return executions.min <= number and (executions.max is None or number <= executions.max)


@pytest.mark.parametrize("runtime", ["eve", "flue", "none"])
@pytest.mark.parametrize("model", ["same", "new-ids", "other"])
@pytest.mark.parametrize("name", PROTECTED)
def test_what_the_crash_lab_predicts_is_what_happens(name, model, runtime):
    """Every crash of a turn with two payments: executions, charges, attempts and model calls."""
    case = two_payments(runtime, model)
    runner = Runner({"act": PROTECTED[name]}, case)
    plain = runner.outcome(full=False, marks=True)
    tried = 0
    for moment in plain.trace:
        for kind in kinds_at(moment, inside_commit=True):
            outcome = runner.outcome((Fault(moment.number, kind),), full=False, marks=True)
            turn, steps = moment.journal
            if turn is None:
                continue
            at = next(row for row in outcome.trace if row.kind == "crash").seconds
            lies = [
                Lies(code, starts, inline, at - started, asked, answers, calls)
                for code, starts, inline, started, asked, answers, calls in steps
            ]
            course = runner.recovery.course(lies, more=True)
            after = [row for row in outcome.trace if row.process > 1]
            for number, step in enumerate(steps):
                first = sum(each[5] for each in steps[:number])
                rows = [row for row in outcome.trace if row.step == first]
                attempts = max([step[1], *(row.attempt for row in rows)])
                assert within(attempts, course.fates[number].attempts), (moment.kind, kind)
            asked = [row for row in outcome.trace if row.kind == "model" and row.step < len(steps)]
            assert course.calls.paid_min <= len(asked), (moment.kind, kind)
            assert course.calls.unbounded or len(asked) <= course.calls.paid, (moment.kind, kind)
            states = [state for step in steps for state in step[6]]
            for position, state in enumerate(states):
                future = list(course.futures)[position]
                again = sum(row.kind == "tool" and row.position == position for row in after)
                assert within(again, future.after), (moment.kind, kind, position)
                seen = Seen(
                    before={"waits": NEVER, "began": UNSURE, "returned": ONCE}[state],
                    after=future.after,
                    again=future.again,
                    model=model,
                    first_in_run=position == 0,
                )
                charges, missed = STRATEGIES[name].apply(seen)
                count = outcome.count(case.deeds[position])
                if name == "run-id" and position and outcome.count(case.deeds[0]) == 0:
                    # The lab takes the first of a run to have taken the key; Flue may have given it up.
                    continue
                assert within(count, charges), (moment.kind, kind, position, count, charges)
                if count == 0 and charges.max:
                    assert missed.max or future.missed.max, (moment.kind, kind, position)
                tried += 1
    assert tried > 15

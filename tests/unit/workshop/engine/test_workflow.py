"""Workflow bodies: recorded steps, parking, replay, and bodies that lose their way."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eve_replay.errors import WrongUse
from eve_replay.recovery.environment import DEFAULT_LEASE
from eve_replay.workshop.engine.workflow import FatalError, StepFailed, run_workflow
from eve_replay.workshop.model import Case, Fault
from tests.unit.workshop.engine._engine import Tiny, ask, case, kinds, point


def go(body, schedule=(), **more):
    given_case = more.pop("given_case", None) or case((ask(),), answers=("yes",), **more)
    return run_workflow(body, given_case, schedule, make_outside=Tiny)


def starts(outcome):
    """How often the body of each step was started."""
    return [(m.facts["name"], m.attempt) for m in outcome.trace if m.kind == "tool" and m.facts.get("step")]


def shipping(input, ctx, outside):
    ctx.step("reserve", outside.do, "reserve")
    answer = ctx.ask("ship it?")
    ctx.sleep(30)
    ctx.step("ship", outside.do, input["order"])
    return {"status": answer}


STEP = ["returned", "commit", "commit-lock", "commit-record", "committed"]


def test_moments_of_a_run():
    outcome = go(shipping)
    step = ["call", *STEP]
    assert kinds(outcome) == [*step, "pause", "pause", *step, "returned", "committed"]
    assert outcome.results == {(0, 0, 0): {"status": "yes"}}
    assert (outcome.ended, outcome.processes, outcome.model_calls) == ("completed", 1, 0)
    told = [(m.kind, m.facts.get("answer")) for m in outcome.trace if m.kind in ("asked", "told")]
    assert told == [("asked", None), ("told", "yes")]


def test_recorded_steps_are_answered_from_the_record_after_parking_too():
    outcome = go(shipping)
    assert starts(outcome) == [("reserve", 1), ("ship", 1)]
    # Replayed once after the answer, once after the sleep.
    assert [m.facts["name"] for m in outcome.trace if m.kind == "replayed"] == ["reserve", "reserve"]


@pytest.mark.parametrize("which", range(2))
def test_dying_while_parked_loses_nothing(which):
    outcome = go(shipping, (Fault(point(go(shipping), "pause", which)),))
    assert (outcome.ended, len(outcome.ledger), outcome.processes) == ("completed", 2, 2)
    assert starts(outcome) == [("reserve", 1), ("ship", 1)]


def test_a_sleep_keeps_its_end():
    plain = go(shipping)
    end = next(m.seconds for m in plain.trace if m.kind == "tool" and m.facts.get("name") == "ship")
    for hours, more in ((0.0, 0), (2.0, 2 * 3600 - 30)):
        outcome = go(shipping, (Fault(point(plain, "pause", 1), hours=hours),))
        begun = next(m.seconds for m in outcome.trace if m.kind == "tool" and m.facts.get("name") == "ship")
        assert begun == end + more
    assert "timer" in outcome.rules


def test_an_interrupted_step_runs_again_and_the_others_do_not():
    at = point(go(shipping), "call", 1)
    outcome = go(shipping, (Fault(at, "crash-after"),))
    assert starts(outcome) == [("reserve", 1), ("ship", 1), ("ship", 2)]
    times = [m.seconds for m in outcome.trace if m.kind == "tool" and m.facts.get("name") == "ship"]
    assert times[1] - times[0] == DEFAULT_LEASE


def test_what_the_body_does_between_its_steps_is_done_at_every_replay():
    def body(input, ctx, outside):
        outside.do("o1")
        ctx.ask("go on?")

    outcome = go(body)
    assert [(e.attempt, e.step) for e in outcome.ledger] == [(0, -1), (0, -1)]


def test_ids_stay_and_steps_have_one_of_their_own():
    def body(input, ctx, outside):
        ids = [ctx.session_id, ctx.run_id, ctx.turn_id, ctx.call_id, ctx.step_id]
        one = ctx.step("one", lambda: outside.do("o1", key=ctx.step_id) and ctx.step_id)
        two = ctx.step("two", lambda: ctx.step_id)
        return [*ids, one, two]

    plain = go(body)
    again = go(body, (Fault(point(plain, "call"), "crash-after"),), model="new-ids")
    assert plain.results == again.results
    assert len(again.ledger) == 1
    ids = plain.results[0, 0, 0]
    assert ids[4] == "" and ids[5] != ids[6]


def test_the_clock_of_a_body_is_that_of_its_records():
    def body(input, ctx, outside):
        first = ctx.now
        ctx.step("one", outside.slow, "o1")
        second = ctx.now
        ctx.sleep(10)
        return [first, second, ctx.now]

    plain = go(body)
    assert plain.results[0, 0, 0][0] == 0 < plain.results[0, 0, 0][1] < plain.results[0, 0, 0][2]
    at = plain.moments - 2
    assert go(body, (Fault(at),)).results == plain.results


# -- steps that throw -------------------------------------------------------------------------------


def throwing(times, error=ValueError):
    def body(input, ctx, outside):
        def step():
            outside.do("o1")
            if outside.look("o1") <= times:
                raise error("no")
            return "at last"

        try:
            return ctx.step("step", step)
        except StepFailed as failed:
            return {"failed": str(failed)}

    return body


def test_a_step_that_throws_is_tried_again():
    outcome = go(throwing(2))
    assert outcome.results[0, 0, 0] == "at last"
    assert starts(outcome) == [("step", 1), ("step", 2), ("step", 3)]


def test_four_starts_and_it_has_failed():
    # docs/evidence/observed.md#throw-then-kill: 4 starts, then failed; FatalError: 1 start.
    outcome = go(throwing(99))
    assert len(starts(outcome)) == 4
    assert outcome.results[0, 0, 0] == {"failed": "ValueError: no"}
    assert [m.facts["again"] for m in outcome.trace if m.kind == "threw"] == [True, True, True, False]
    fatal = go(throwing(99, FatalError))
    assert len(starts(fatal)) == 1
    assert fatal.results[0, 0, 0] == {"failed": "FatalError: no"}


def test_a_failure_is_recorded_too():
    plain = go(throwing(99))
    outcome = go(throwing(99), (Fault(plain.moments - 2),))
    assert outcome.results == plain.results
    assert len(outcome.ledger) == 4


def test_kills_alone_use_up_nothing():
    def body(input, ctx, outside):
        ctx.step("step", outside.do, "o1")

    schedule = ()
    for number in range(9):
        schedule = (*schedule, Fault(point(go(body, schedule), "call", number), "crash-after"))
    outcome = go(body, schedule)
    assert len(outcome.ledger) == len(starts(outcome)) == 10
    assert outcome.ended == "completed"


def test_a_throw_of_the_body_fails_the_run():
    def body(input, ctx, outside):
        ctx.step("one", outside.do, "o1")
        raise KeyError("lost")

    outcome = go(body)
    assert outcome.results[0, 0, 0] == {"error": "KeyError: 'lost'"}
    assert outcome.ended == "completed"


# -- losing the way ---------------------------------------------------------------------------------


def test_another_name_than_recorded():
    count = itertools.count()
    names = iter(["a", "b", "c"])

    def body(input, ctx, outside):
        next(count)
        ctx.step(next(names), outside.do, "o1")
        ctx.ask("go on?")

    outcome = go(body)
    assert outcome.ended == "diverged"
    lost = next(m for m in outcome.trace if m.kind == "diverged")
    assert (lost.facts["recorded"], lost.facts["found"]) == ("a", "b")


def test_memory_that_a_body_relies_on_is_gone():
    done = []

    def body(input, ctx, outside):
        if "reserve" not in done:
            ctx.step("reserve", outside.do, "o1")
            done.append("reserve")
        ctx.step("ship", outside.do, "o2")

    plain = go(body)
    assert plain.ended == "completed"

    def forgetful(input, ctx, outside):
        if not done:
            done.append(1)
            ctx.step("first", outside.do, "o1")
        else:
            ctx.step("second", outside.do, "o1")
        ctx.ask("?")

    assert go(forgetful).ended == "diverged"


def test_a_body_that_stops_short_of_its_record():
    seen = []

    def body(input, ctx, outside):
        if not seen:
            seen.append(1)
            ctx.step("one", outside.do, "o1")
            ctx.ask("?")
        return "nothing to do"

    assert go(body).ended == "diverged"


def test_a_body_cannot_swallow_parking_death_or_having_lost_its_way():
    names = iter("abcdef")

    def body(input, ctx, outside):
        try:
            ctx.step(next(names), outside.do, "o1")
        except BaseException:
            outside.do("o2")
        return "all is well"

    assert go(body, (Fault(0),)).ended == "diverged"

    def parks(input, ctx, outside):
        try:
            return ctx.ask("?")
        except:  # noqa: E722
            return "swallowed"

    assert go(parks).results[0, 0, 0] == "yes"


def test_nobody_answers():
    def body(input, ctx, outside):
        return [ctx.ask("one"), ctx.ask("two")]

    assert go(body).ended == "hangs"
    both = Case(name="both", turns=case().turns, answers=("a", "b"))
    assert go(body, given_case=both).results[0, 0, 0] == ["a", "b"]


def test_a_question_inside_a_step_is_refused():
    def body(input, ctx, outside):
        ctx.step("one", lambda: ctx.ask("?"))

    assert "inside the step" in go(body).results[0, 0, 0]["error"]


def test_a_body_without_end():
    def body(input, ctx, outside):
        for number in itertools.count():
            ctx.step(f"step {number}", lambda: None)

    assert go(body).ended == "runaway"


def test_a_case_without_a_call_is_refused():
    with pytest.raises(WrongUse):
        run_workflow(shipping, Case(name="empty", turns=()), make_outside=Tiny)


# -- commits, runtimes, environments ----------------------------------------------------------------


def test_states_inside_a_commit():
    plain = go(shipping)
    locked = go(shipping, (Fault(point(plain, "commit-lock")),))
    assert (locked.ended, len(locked.ledger)) == ("hangs", 3)
    recorded = go(shipping, (Fault(point(plain, "commit-record")),))
    assert (recorded.ended, len(recorded.ledger)) == ("hangs", 1)
    hosted = go(shipping, (Fault(point(plain, "commit-lock")),), environment="hosted")
    assert (hosted.ended, len(hosted.ledger)) == ("completed", 3)


def test_environments_that_recover_nothing():
    plain = go(shipping)
    for kind in ("call", "committed", "pause"):
        outcome = go(shipping, (Fault(point(plain, kind)),), environment="not-restarted")
        assert outcome.ended == "dormant"


def test_without_durability_everything_is_done_again():
    plain = go(shipping, runtime="none")
    outcome = go(shipping, (Fault(point(plain, "call", 1), "crash-after"),), runtime="none")
    assert [e.fields["order"] for e in outcome.ledger] == ["reserve", "o1", "reserve", "o1"]


def test_flue_runs_an_open_memo_again():
    plain = go(shipping, runtime="flue", environment="flue")
    at = point(plain, "call", 1)
    outcome = go(shipping, (Fault(at, "crash-after"),), runtime="flue", environment="flue")
    assert [e.fields["order"] for e in outcome.ledger] == ["reserve", "o1", "o1"]


def test_flue_keeps_what_had_returned():
    plain = go(shipping, runtime="flue", environment="flue")
    at = point(plain, "returned", 1)
    outcome = go(shipping, (Fault(at),), runtime="flue", environment="flue")
    assert [e.fields["order"] for e in outcome.ledger] == ["reserve", "o1"]
    assert outcome.results == plain.results


def test_async_bodies():
    async def body(input, ctx, outside):
        answer = await ctx.ask("?")
        await ctx.sleep(3)
        made = await ctx.step("one", lambda: {"id": outside.do("o1")})
        return {"answer": answer, **made}

    assert go(body).results[0, 0, 0] == {"answer": "yes", "id": "done"}


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 30), st.sampled_from(("crash-before", "crash-after"))), max_size=4))
def test_whatever_crashes_a_keyed_workflow_does_each_deed_once(faults):
    def body(input, ctx, outside):
        ctx.step("reserve", lambda: outside.slow("reserve", key=ctx.step_id))
        ctx.ask("?")
        ctx.sleep(5)
        ctx.step("ship", lambda: outside.slow(input["order"], key=ctx.step_id))

    schedule = tuple(Fault(at, kind) for at, kind in sorted(dict(faults).items()))
    outcome = go(body, schedule)
    assert outcome == go(body, schedule)
    if outcome.ended == "completed":
        assert [e.fields["order"] for e in outcome.ledger] == ["reserve", "o1"]
    else:
        assert {m.kind for m in outcome.trace if m.fault} & {"commit-lock", "commit-record"}

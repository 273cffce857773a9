from eve_replay.diff.steps import diff_runs, diff_steps
from tests.support.runlog import RunLog
from tests.unit.views._sessions import turn_step

RUN = "wrun_01AAAAAAAAAAAAAAAAAAAAAAAA"
STEPS = [f"step_01AAAAAAAAAAAAAAAAAAAAAAA{c}" for c in "ABCD"]
APP = "step//./workflows/orders//"


def run_of(*functions, **fields):
    log = RunLog().run(RUN, "workflow//./workflows/orders//order", **fields)
    for step_id, function in zip(STEPS, functions, strict=False):
        log.step(step_id, APP + function, starts=(1,), end=2, output={"did": function})
    return log.journal().session(RUN).runs[0]


def test_a_step_compared_with_itself():
    step = turn_step("simple-turn")
    diff = diff_steps(step, step)
    assert all(fact.verdict == "same" for fact in diff.facts)
    assert diff.input.is_same
    assert diff.output.is_same
    assert diff.error is None
    assert all((c.request, c.result) == ("same", "same") for c in diff.calls)


def test_steps_of_runs_are_paired_by_function_and_order():
    diff = diff_runs(run_of("reserve", "charge", "ship"), run_of("reserve", "refund", "ship"))
    assert [((p.first or p.second).function, p.verdict) for p in diff.steps] == [
        ("reserve", "same"),
        ("charge", "only first"),
        ("refund", "only second"),
        ("ship", "same"),
    ]
    assert ("only first", "step_completed charge") in diff.events
    assert ("only second", "step_completed refund") in diff.events


def test_what_differs_in_a_pair_is_named():
    one, two = run_of("charge"), run_of("charge", attributes={"$eve.title": "x"})
    import dataclasses

    step = dataclasses.replace(two.steps[0], status="failed", output=None)
    diff = diff_runs(one, dataclasses.replace(two, steps=(step,)))
    assert diff.steps[0].what == ("status", "output")
    assert [c.path for c in diff.attributes.changes()] == ["$.$eve.title"] or not diff.attributes.is_same
    assert diff.input is None

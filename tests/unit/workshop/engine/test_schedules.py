"""Which faults can fall where, and which of them come to the same."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eve_replay.workshop.engine.runtime import run
from eve_replay.workshop.engine.schedules import KINDS, kinds_at, rank
from eve_replay.workshop.model import Fault
from tests.unit.tools._programs import cases, programs, signature, tool_of
from tests.unit.workshop.engine._engine import Tiny, case, kinds


def tool(input, ctx, outside):
    outside.look("o1")
    ctx.sleep(1)
    outside.slow("o1")


def test_kinds_at_each_moment():
    trace = run({"act": tool}, case(), make_outside=Tiny).trace
    found = {(moment.kind, moment.method): kinds_at(moment) for moment in trace}
    assert found["call", "look"] == ("crash-before", "crash-after")
    assert found["call", "slow"] == KINDS
    assert found["pause", ""] == found["model", ""] == found["committed", ""] == ("crash-before",)
    assert found["commit-lock", ""] == found["answer", "look"] == ()
    inside = [m for m in trace if m.kind.startswith("commit-")]
    assert all(kinds_at(m, inside_commit=True) == ("crash-before",) for m in inside)


def test_rank_puts_what_is_easier_to_tell_first():
    ordered = [
        (),
        (Fault(9),),
        (Fault(9, hours=2.0),),
        (Fault(1, "crash-in-flight"),),
        (Fault(0, "crash-after"),),
        (Fault(0, "lost"),),
        (Fault(0), Fault(1)),
    ]
    assert sorted(ordered, key=rank) == ordered


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(programs, cases(), st.lists(st.tuples(st.integers(0, 40), st.sampled_from(KINDS)), max_size=3))
def test_the_same_schedule_gives_the_same_outcome(program, given_case, faults):
    schedule = tuple(Fault(point, kind) for point, kind in sorted(dict(faults).items()))
    tools = {"act": tool_of(program)}
    first = run(tools, given_case, schedule, make_outside=Tiny)
    assert run(tools, given_case, schedule, make_outside=Tiny) == first
    assert [m.number for m in first.trace if m.number is not None] == list(range(first.moments))
    assert all(entry.moment < len(first.trace) for entry in first.ledger)
    assert [entry.number for entry in first.ledger] == list(range(len(first.ledger)))
    assert all(one.seconds <= two.seconds for one, two in zip(first.trace, first.trace[1:], strict=False))


@settings(max_examples=60, deadline=None)
@given(programs, cases())
def test_without_faults_nothing_is_done_twice_and_nothing_comes_back(program, given_case):
    outcome = run({"act": tool_of(program)}, given_case, make_outside=Tiny)
    assert (outcome.processes, outcome.ended, outcome.rules, outcome.forgot) == (1, "completed", (), False)
    asked = [m for m in outcome.trace if m.kind == "tool"]
    assert len({(m.turn, m.step, m.position) for m in asked}) == len(asked) == len(outcome.results)
    assert outcome.model_calls == sum(len(turn.answers) + 1 for turn in given_case.turns)
    assert kinds(outcome).count("model") == outcome.model_calls


@settings(max_examples=40, deadline=None)
@given(programs, cases())
def test_a_search_sees_the_same_as_a_run(program, given_case):
    from eve_replay.workshop.engine.runtime import Runner

    runner = Runner({"act": tool_of(program)}, given_case, make_outside=Tiny)
    whole, light = runner.outcome(), runner.outcome(full=False, marks=True)
    assert signature(whole) == signature(light)
    assert [m.kind for m in whole.trace] == [m.kind for m in light.trace]
    assert whole.ledger == light.ledger

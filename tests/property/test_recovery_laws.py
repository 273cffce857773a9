"""Laws of the recovery engine, on every recording we have and any point of it.

* no crash point after the last commit runs anything again;
* a later crash in the same step never repeats fewer finished effects;
* a larger batch never lowers the worst case;
* a schedule of zero crashes equals the recording;
* a keyed strategy never raises a count;
* the situation at a point in time and the journal cut at that time get the same answer.
"""

from __future__ import annotations

import functools

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from eve_replay.journal.facade import Journal
from eve_replay.proof.asof import as_of
from eve_replay.recovery.engine import simulate
from eve_replay.recovery.forecast import forecast
from eve_replay.recovery.matrix import matrix_of
from eve_replay.recovery.plan.batching import regroup
from eve_replay.recovery.plan.build import SessionPlans, session_plans
from eve_replay.recovery.plan.model import FAR, Plan
from eve_replay.recovery.question import Question
from eve_replay.recovery.runtimes.registry import runtimes
from eve_replay.recovery.strategies import STRATEGIES
from tests.support import corpus
from tests.support.recovery import TURNS, baseline

ARCHIVED = ("long-session", "big-payload")


@functools.cache
def plans() -> tuple[tuple[str, SessionPlans, Plan], ...]:
    """Return every turn (and plain run) of the recordings, with where it comes from."""
    found = []
    for name in corpus.names("local"):
        if name in ARCHIVED:
            continue
        journal = Journal(_world(str(corpus.data(name))))
        for head in journal.heads:
            made = session_plans(journal.session(head.id))
            turns = [t.id for t in made.session.turns] or ([None] if head.kind == "workflow" else [])
            found += [(f"{name} {turn}", made, made.plan(turn)) for turn in turns]
    for turn, id_ in TURNS.items():
        found.append((f"sweep {turn}", baseline(turn), baseline(turn).plan(id_)))
    return tuple(found)


def _world(path: str):
    from eve_replay.worlds.registry import open_world

    return open_world(path)


def turns():
    # Deferred: the recordings are unpacked when a law is tried, not when tests are collected.
    return st.deferred(lambda: st.sampled_from(range(len(plans()))).map(lambda n: plans()[n]))


MODELS = st.sampled_from(["same", "new-ids", "other"])
RUNTIMES = st.sampled_from(sorted(runtimes()))


def at_most(one: int | None, two: int | None) -> bool:
    return two is None or (one is not None and one <= two)


@given(turns(), RUNTIMES, MODELS)
def test_zero_crashes_equal_the_recording(chosen, runtime, model):
    _, made, plan = chosen
    sim = simulate(plan, None, Question(runtime=runtime, model=model))
    recorded: dict[object, list[object]] = {}
    # The turn's own effects and those of the subagents that it waits for; call ids repeat between sessions.
    for e in (*made.effects, *made.effects_below):
        recorded.setdefault((e.tool, e.call_id if e.kind != "step" else e.step_id), []).append(e.executions)
    for effect in sim.effects:
        assert effect.after.max == 0
        assert effect.executions in recorded[effect.tool, effect.call_id]
    starts = {step.step_id: len(step.attempts) for step in made.whole.steps}
    for step in sim.steps:
        assert step.attempts.min == step.attempts.max == starts[step.step_id]


@given(turns(), st.integers(0, 400), MODELS)
def test_nothing_runs_again_after_the_last_commit(chosen, beyond, model):
    _, _, plan = chosen
    assume(plan.closed < FAR)
    last = min(plan.last, len(plan.writes))
    place = min(plan.closed + beyond, last)
    sim = simulate(plan, place, Question(model=model))
    assert all(effect.after.max == 0 for effect in sim.effects)
    assert all(step.verdict != "re-executed" for step in sim.steps if step.function == "turnStep")
    assert sim.model_calls.again == 0


@given(turns(), st.data())
def test_a_later_crash_in_the_same_step_never_repeats_fewer_finished_effects(chosen, data):
    _, _, plan = chosen
    last = min(plan.last, len(plan.writes))
    early = data.draw(st.integers(plan.first, last))
    late = data.draw(st.integers(early, last))
    before, after = plan.situation(early), plan.situation(late)
    one, two = simulate(plan, early), simulate(plan, late)
    for old, new, first, second in zip(before.effects, after.effects, one.effects, two.effects, strict=True):
        if old.step is None or new.step is None or old.step.code != "D" or new.step.code != "D":
            continue
        if old.step.step_id != new.step.step_id or new.step.threw or old.step.starts != new.step.starts:
            continue
        assert second.before.min >= first.before.min
        assert second.executions.min >= first.executions.min


@given(turns(), st.lists(st.integers(1, 9), min_size=2, max_size=3))
def test_batching_never_lowers_the_worst_case(chosen, sizes):
    _, _, plan = chosen
    previous = None
    for size in sorted(sizes):
        totals = matrix_of(regroup(plan, size)).totals
        if previous is not None:
            assert at_most(previous.worst, totals.worst)
            assert previous.worst_bounded <= totals.worst_bounded
        previous = totals


@given(turns(), st.data(), MODELS, RUNTIMES, st.sampled_from([n for n, s in STRATEGIES.items() if s.keyed]))
def test_a_keyed_strategy_never_raises_a_count(chosen, data, model, runtime, name):
    _, _, plan = chosen
    place = data.draw(st.integers(plan.first, min(plan.last, len(plan.writes))))
    sim = simulate(plan, place, Question(model=model, runtime=runtime, strategies={"*": name}))
    for effect in sim.effects:
        assert effect.outside.min <= effect.executions.min
        assert at_most(effect.outside.max, effect.executions.max)


@given(turns(), st.data(), MODELS)
def test_executions_are_what_was_and_what_will_be(chosen, data, model):
    _, _, plan = chosen
    place = data.draw(st.integers(plan.first, min(plan.last, len(plan.writes))))
    sim = simulate(plan, place, Question(model=model))
    for effect in sim.effects:
        assert effect.executions == effect.before + effect.after
        assert effect.exact == (effect.executions.min == effect.executions.max)
    for step in sim.steps:
        assert step.attempts.max is None or step.attempts.min <= step.attempts.max
    assert sim.model_calls.paid_min <= sim.model_calls.paid
    assert sim.model_calls.again_min <= sim.model_calls.again


@given(turns(), st.data())
def test_one_more_crash_never_makes_it_better(chosen, data):
    _, _, plan = chosen
    place = data.draw(st.integers(plan.first, min(plan.last, len(plan.writes))))
    once = simulate(plan, place)
    assume(once.outcome == "recovers")
    twice = simulate(plan, [place, place])
    for one, two in zip(once.effects, twice.effects, strict=True):
        assert two.executions.min >= one.executions.min
        assert at_most(one.executions.max, two.executions.max)


@pytest.mark.parametrize("name", ["crash-in-tool", "crash-after-commit", "batch-crash", "approval-hold"])
def test_a_point_in_time_and_the_journal_cut_there_agree(name):
    for label, made, plan in plans():
        if not label.startswith(f"{name} "):
            continue
        world = _world(str(corpus.data(name)))
        for place in range(plan.first + 1, min(plan.last, len(plan.writes)), 5):
            write, following = plan.writes.items[place - 1], plan.writes.items[place]
            if not write.seen or following.time - write.time < 90:
                continue
            sim = simulate(plan, place)
            lying = {f.session_id: f.answer for f in forecast(Journal(as_of(world, write.at)))}
            answer = lying[made.session.id]
            assert answer.outcome == sim.outcome, (label, sim.point.label)
            known = {(e.tool, e.call_id): e for e in sim.effects}
            for effect in answer.effects:
                if (effect.tool, effect.call_id) in known:
                    twin = known[effect.tool, effect.call_id]
                    assert effect.before.min <= twin.before.min
                    assert at_most(twin.before.max, effect.before.max)

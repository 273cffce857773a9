"""Runtimes of other packages: the example, the contract, every mistake with a sentence, the entry point."""

import dataclasses
from importlib import metadata

import pytest

from eve_replay.errors import WrongUse
from eve_replay.recovery import (
    Course,
    Fate,
    Future,
    Question,
    RuntimeContract,
    check_runtime,
    forecast,
    matrix,
    runtimes,
)
from eve_replay.recovery.runtimes import registry
from eve_replay.recovery.situation import ONCE, Executions
from tests.support.example_runtime import TemporalLike, written_journal


class TestTheExample(RuntimeContract):
    def runtime(self):
        return TemporalLike()


@pytest.mark.parametrize("name", list(runtimes()))
def test_our_own_hold_the_contract(name):
    assert len(check_runtime(runtimes()[name])) == 6


def test_a_recorded_activity_is_kept_and_an_unfinished_one_is_retried():
    found = forecast(written_journal(), question=Question(runtime=TemporalLike()))[0].answer
    by_tool = {effect.tool: effect for effect in found.effects}
    assert by_tool["charge"].executions == ONCE
    assert by_tool["mail"].executions == Executions(min=1, max=2)
    assert found.outcome == "recovers"
    assert {rule.rule for rule in found.rules} == {"activity-kept", "activity-retried"}
    assert "retried" in " ".join(rule.text for rule in found.rules)


def test_it_can_be_compared_over_every_point_of_a_run():
    points = matrix(written_journal().session(), question=Question(runtime=TemporalLike())).points
    assert points
    assert {effect.tool for point in points for effect in point.effects} == {"charge", "mail"}


class _Wrong(TemporalLike):
    def __init__(self, change):
        self.change = change

    def recover(self, situation, environment, model):
        return self.change(super().recover(situation, environment, model), situation)


def _without_effect(course, situation):
    course.futures = type(course.futures)()
    return course


def _as_list(course, situation):
    course.futures = [Future() for _ in situation.effects]
    return course


def _copied_effect(course, situation):
    course.futures[dataclasses.replace(situation.effects[0])] = Future()
    return course


def _twice(course, situation):
    course.fates.append(course.fates[0])
    return course


def _bad_range(course, situation):
    course.futures[situation.effects[0]] = Future(after=Executions(min=2, max=1))
    return course


def _number(course, situation):
    course.futures[situation.effects[0]] = Future(after=1)
    return course


def _copied_step(course, situation):
    course.fates[0] = Fate(step=dataclasses.replace(course.fates[0].step), verdict="replayed", attempts=ONCE)
    return course


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda course, situation: None, "returned NoneType; recover() returns a Course"),
        (lambda course, situation: Course(outcome="recovers"), "says nothing of the step charge"),
        (lambda course, situation: dataclasses.replace(course, outcome="fine"), "the outcome 'fine'"),
        (lambda course, situation: 1 / 0, "failed: ZeroDivisionError"),
        (_without_effect, "says nothing of the effect charge"),
        (_as_list, "gave its futures as list"),
        (_copied_effect, "an effect that is not in the situation"),
        (_twice, "two fates to the step charge"),
        (_bad_range, "2 to 1 as what comes after"),
        (_number, "gave 1 as what comes after"),
        (_copied_step, "a step that is not in the situation"),
    ],
)
def test_every_mistake_is_met_with_a_sentence(change, said):
    with pytest.raises(WrongUse) as met:
        forecast(written_journal(), question=Question(runtime=_Wrong(change)))
    assert said in str(met.value)
    assert "temporal-like" in str(met.value)


class _Point:
    name, dist = "temporal-like", None

    def __init__(self, made):
        self.made = made

    def load(self):
        if isinstance(self.made, Exception):
            raise self.made
        return self.made


def _with_entry_point(monkeypatch, made):
    monkeypatch.setattr(metadata, "entry_points", lambda group: [_Point(made)])
    registry.added_runtimes.cache_clear()


def test_a_runtime_of_another_package_is_found_by_its_name(monkeypatch):
    _with_entry_point(monkeypatch, TemporalLike)
    assert Question(runtime="Temporal-Like").runtime.words == TemporalLike.words
    with pytest.raises(WrongUse, match=r"Use one of eve, .*temporal-like"):
        Question(runtime="other")
    registry.added_runtimes.cache_clear()


@pytest.mark.parametrize(
    ("made", "said"), [(object, "lacks a part of the protocol"), (ImportError("no such"), "cannot be loaded")]
)
def test_a_broken_entry_point_says_what_is_wrong(monkeypatch, made, said):
    _with_entry_point(monkeypatch, made)
    with pytest.raises(WrongUse, match=said):
        Question(runtime="other")
    registry.added_runtimes.cache_clear()

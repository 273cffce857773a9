"""Lanes over common columns: what must hold for every lesson, every tool of the guide and every crash."""

import importlib.util
import itertools
from pathlib import Path

import pytest

from eve_replay.workshop import check
from eve_replay.workshop.engine.schedules import kinds_at
from eve_replay.workshop.lesson import tasks
from eve_replay.workshop.model import Fault, Moment
from eve_replay.workshop.views.accidents import fault_words, faults_of, plain_faults
from eve_replay.workshop.views.lanes import lanes_of, slots_of
from eve_replay.workshop.views.scenery import drawn
from eve_replay.workshop.views.stage import Stage

HOME = Path(__file__).parents[4] / "notebooks" / "workshop" / "solutions"
PLAYED = [number for number, task in tasks().items() if task.kind != "judged"]


def answers(number):
    """Return the solution of a lesson and the wrong answers of its guide."""
    found = []
    for path in (HOME / f"lesson_{number}.py", HOME / "wrong" / f"lesson_{number}.py"):
        spec = importlib.util.spec_from_file_location(f"{path.parent.name}_{path.stem}", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        found.append(module)
    right, wrong = found
    return [getattr(right, tasks()[number].answer), *(each[0] for each in wrong.WRONG.values())]


def outcomes(number, tool, two):
    """Yield runs of a tool on every case of a lesson, with up to one fault, or two at a few points."""
    task = tasks()[number]
    stage = Stage(task, tool, "en")
    for case in stage.cases:
        calm = stage.outcome(case, ())
        yield stage, case, (), calm
        for moment in calm.trace:
            for kind in kinds_at(moment, inside_commit=True):
                first = (Fault(moment.number, kind),)
                hit = stage.outcome(case, first)
                yield stage, case, first, hit
                if not two:
                    continue
                later = [
                    each for each in hit.trace if each.number is not None and each.number > moment.number
                ]
                for each in later[:: max(1, len(later) // 3)]:
                    second = (*first, Fault(each.number, kinds_at(each, inside_commit=True)[-1]))
                    yield stage, case, second, stage.outcome(case, second)


@pytest.mark.parametrize("number", PLAYED)
def test_every_run_has_a_picture_in_which_nothing_hides(number):
    for n, tool in enumerate(answers(number)):
        for stage, case, faults, outcome in outcomes(number, tool, two=n < 2):
            plan = [stage.outcome(case, faults[:length]) for length in range(len(faults))]
            picture = lanes_of(outcome, plan)
            slots = [column.slot for column in picture.columns]
            assert len(set(slots)) == len(slots)
            for lane in picture.lanes:
                places = [slots.index(box.slot) for box in lane.boxes]
                assert len(set(places)) == len(places), (case.name, faults)
                assert all(a.last < b.first for a, b in itertools.pairwise(lane.boxes))
            # Every line of the ledger is seen in a box, and appears when something happens.
            shown = {entry for lane in picture.lanes for box in lane.boxes for entry in box.entries}
            assert shown == {entry.number for entry in outcome.ledger if entry.moment >= 0}
            assert all(0 <= at < len(outcome.trace) for at in picture.appears.values())
            boxed = [index for index, _, _ in slots_of(outcome.trace)]
            numbered = [i for i, each in enumerate(outcome.trace) if each.number is not None and each.fault]
            assert set(numbered) <= set(boxed)  # where a fault falls is always seen


@pytest.mark.parametrize("number", PLAYED)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_run_is_told_without_a_gap(number, language):
    tool = next(iter(answers(number)))
    for _, _, faults, outcome in outcomes(number, tool, two=False):
        view = drawn(outcome, language, promises=tasks()[number].promises)
        assert view["moments"] and all(each["text"] for each in view["moments"])
        spans = [(each["from"], each["to"]) for each in view["moments"]]
        assert all(a[1] < b[0] for a, b in itertools.pairwise(spans))
        assert all(entry["at"] <= spans[-1][1] or not faults for entry in view["ledger"])
        assert all("{" not in text and "}" not in text for text in view["faultWords"])
        assert view["sums"] or not outcome.case.deeds


def test_places_keep_their_order_when_a_process_goes_another_way():
    def trace(*names, process=1):
        yield Moment(number=None, kind="start", process=process)
        for name in names:
            yield Moment(number=0, kind="call", process=process, turn=0, step=0, position=0, method=name)

    both = [*trace("find", "charge"), *trace("find", "tell", process=2)]
    found = [(lane, slot[5]) for _, lane, slot in slots_of(both)]
    assert found == [(0, "find"), (0, "charge"), (1, "find"), (1, "tell")]
    again = [*trace("find", "find", "charge")]
    assert [slot[-1] for _, _, slot in slots_of(again)] == [0, 1, 0]


def test_faults_as_people_give_them():
    assert faults_of([Fault(4), 2, (1, "crash-after"), [3, "lost", 2.5]]) == (
        Fault(1, "crash-after"),
        Fault(2),
        Fault(3, "lost", 2.5),
        Fault(4),
    )
    assert plain_faults([Fault(1, "lost", 2.0), Fault(2, "lost", 2.5)]) == [[1, "lost", 2], [2, "lost", 2.5]]


def test_a_fault_that_fell_nowhere_is_named_by_its_kind():
    number = PLAYED[0]
    stage = Stage(tasks()[number], next(iter(answers(number))), "en")
    outcome = stage.outcome(stage.cases[0], (Fault(999, "crash-after"),))
    assert fault_words(outcome, 0, "en") == "dies, outside acted"


@pytest.mark.parametrize("number", ["01", "04", "05", "07"])
def test_the_picture_of_a_failure_has_no_call_behind_the_commit_of_its_step(number):
    """The dead process of a story must not look as if it had gone on past its commit."""
    drawn_ones = 0
    for answer in answers(number):
        verdict = check(number, answer)
        if verdict.outcome is None:
            continue
        drawn_ones += 1
        columns = lanes_of(verdict.outcome, (verdict.faultless,)).columns
        kinds = [(column.moment.kind, *column.step) for column in columns]
        for place, (kind, *step) in enumerate(kinds):
            assert kind != "commit" or ("call", *step) not in kinds[place:], answer
    assert drawn_ones > 2

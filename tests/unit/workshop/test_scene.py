"""The picture of an outcome."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError

import pytest

from eve_replay.views.tone import TONES
from eve_replay.workshop.model import Ask, Case, Deed, Fault, Turn
from eve_replay.workshop.runtime import run
from eve_replay.workshop.scene import scene

SEVEN, EIGHT = (
    Deed(effect="charge", match={"invoice": f"INV-{n}"}, words=f"invoice INV-{n}") for n in (7, 8)
)
CASE = Case(
    name="pay",
    model="new-ids",
    turns=(
        Turn(
            message="pay",
            answers=(
                (
                    Ask(tool="pay", input={"invoice": "INV-7"}, deeds=(SEVEN,)),
                    Ask(tool="pay", input={"invoice": "INV-8"}, deeds=(EIGHT,)),
                ),
            ),
        ),
    ),
)


def pay(input, ctx, outside):
    if input["invoice"] == "INV-8":
        outside.people.tell("INV-8")
        return None
    return outside.payments.charge(input["invoice"], 4200, invoice=input["invoice"])


def drawn(*faults, tool=pay, language="en"):
    return scene(run({"pay": tool}, CASE, faults), language)


def test_lanes_hold_all_moments_in_order():
    view = drawn(Fault(1, "crash-after"))
    assert [(lane.process, lane.label, lane.died) for lane in view.lanes] == [
        (1, "process 1", True),
        (2, "process 2", False),
    ]
    first = {moment.kind: moment for moment in view.lanes[0].moments}
    call = first["call"]
    assert (call.label, call.tone, call.fault) == ("charge(INV-7, 4200)", "tool", "crash-after")
    assert call.fault_label == "dies before the answer arrives"
    assert call.sentences[-1] == "The provider charges: ch_1." and call.entries == (0,)
    again = next(moment for moment in view.lanes[1].moments if moment.kind == "call")
    assert again.tone == "again" and again.entries == (1,)
    indices = [moment.index for lane in view.lanes for moment in lane.moments]
    assert indices == sorted(indices)
    numbers = [m.number for lane in view.lanes for m in lane.moments if m.number is not None]
    assert numbers == list(range(len(numbers)))


def test_ledger_and_deeds():
    view = drawn(Fault(1, "crash-after"))
    assert [(row.id, row.deed, row.times, row.tone) for row in view.ledger] == [
        ("ch_1", "invoice INV-7", 2, "harm"),
        ("ch_2", "invoice INV-7", 2, "harm"),
        ("", "", 0, "parked"),
    ]
    assert [(row.words, row.done, row.tone) for row in view.deeds] == [
        ("invoice INV-7", 2, "harm"),
        ("invoice INV-8", 0, "parked"),
    ]
    assert view.sums == (
        "Invoice INV-7 was charged twice: ch_1 and ch_2.",
        "Invoice INV-8 was not charged; a person was told.",
    )
    kept = drawn()
    assert kept.deeds[0].tone == "once" and kept.ledger[0].tone == "once"
    missed = drawn(tool=lambda input, ctx, outside: None)
    assert {row.tone for row in missed.deeds} == {"warning"}


def test_what_lands_late_is_in_the_lane_of_the_outside():
    view = drawn(Fault(1, "crash-in-flight"))
    outside = view.lanes[-1]
    assert (outside.process, outside.label) == (0, "outside")
    assert [moment.kind for moment in outside.moments] == ["landed"]
    late = next(row for row in view.ledger if row.process == 1)
    assert late.index == outside.moments[0].index and late.number in outside.moments[0].entries


def test_points_offer_what_can_go_wrong():
    view = drawn(Fault(1, "crash-before"))
    point = view.points[1]
    assert (point.number, point.label, point.chosen) == (1, "step 1: charge(INV-7, 4200)", "crash-before")
    assert [way.kind for way in point.ways] == ["crash-before", "crash-in-flight", "crash-after"]
    assert [way.label for way in view.points[0].ways] == ["dies here"]
    inside = scene(run({"pay": pay}, CASE), inside_commit=True)
    assert len(inside.points) == len(drawn().points) + 4


@pytest.mark.parametrize("language", ["en", "zh"])
def test_it_is_plain_frozen_data(language):
    view = drawn(Fault(1, "crash-in-flight"), Fault(5, "crash-after"), language=language)
    text = json.dumps(view.to_json(), ensure_ascii=False)
    assert "modelCalls" in text and ("进程 1" in text) is (language == "zh")
    for lane in view.lanes:
        for moment in lane.moments:
            assert moment.tone in TONES and moment.label
    with pytest.raises(FrozenInstanceError):
        view.ended = "x"


def test_hostile_names_are_safe():
    def rude(input, ctx, outside):
        outside.store.set_nx("\x1b[31m", "\u202e")
        outside.payments.charge("\x07", 1, key="\x1b]0;x\x07", invoice=input["invoice"])

    assert not any(ord(char) < 32 or char == "\u202e" for char in json.dumps(drawn(tool=rude).to_json()))
    text = str(drawn(tool=rude).to_json())
    assert "\x1b" not in text and "\u202e" not in text

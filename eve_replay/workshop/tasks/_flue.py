"""What Flue makes of a call after a crash: docs/evidence/flue.md#after-a-crash, written down once.

Lesson 8 judges with it, and with the product's own ``FlueRuntime`` wherever that one says something: the two
are compared in the tests. Only the rows about calls are here. A row names its fixtures, which are the names
of the recordings behind it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, Literal

from eve_replay.recovery.environment import environment
from eve_replay.recovery.runtimes.registry import runtime_named
from eve_replay.recovery.situation import (
    NEVER,
    ONCE,
    UNSURE,
    EffectState,
    RunState,
    Situation,
    StepState,
)

__all__ = ["FATES", "ROWS", "SAMPLE", "Fate", "Row", "calls", "fate_by_runtime", "row", "row_of"]

Fate = Literal["kept", "unknown", "steps", "asked"]

#: The words of the exercise. ``again`` is what eve would do; it is never right here.
FATES: tuple[str, ...] = ("kept", "unknown", "steps", "asked", "again")

#: What the runtime's rule means in the words of the exercise.
_BY_RULE: Mapping[str, Fate] = {
    "flue-kept": "kept",
    "flue-interrupted": "unknown",
    "flue-durable": "steps",
    "never-reached": "asked",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row of the table.

    Attributes:
        name: for us.
        fate: what Flue does with the call.
        least, most: how often the effect of the call (of the step in question) has happened in the end, as
            far as Flue is concerned; the model may ask again on its own.
        fixtures: recordings that show it, named as in docs/evidence/flue.md.
        in_runtime: whether ``FlueRuntime`` knows this row: it looks at one crash, not at budgets or at code
            that was changed since.
    """

    name: str
    fate: Fate
    least: int
    most: int
    fixtures: tuple[str, ...]
    in_runtime: bool = True


ROWS: tuple[Row, ...] = (
    Row(name="ordinary-open", fate="unknown", least=0, most=1, fixtures=("b1", "k2")),
    Row(name="finished", fate="kept", least=1, most=1, fixtures=("b2", "k1")),
    Row(name="unfinished-message", fate="asked", least=0, most=0, fixtures=("e3",)),
    Row(name="durable-between-steps", fate="steps", least=1, most=1, fixtures=("c", "c3")),
    Row(name="durable-in-a-step", fate="steps", least=1, most=2, fixtures=("d", "d2")),
    Row(name="durable-all-recorded", fate="steps", least=1, most=1, fixtures=("d3",)),
    Row(name="withdrawn", fate="unknown", least=0, most=1, fixtures=("c2",), in_runtime=False),
    Row(name="budget", fate="unknown", least=0, most=1, fixtures=("g1", "g2", "h3"), in_runtime=False),
)

#: The calls that the notebook shows: charge_card of sample:crash-in-tool, and a durable tool beside it.
SAMPLE: Mapping[str, Any] = {
    "name": "charge_card",
    "message": "completed",
    "outcome": False,
    "durable": False,
    "recorded": [],
    "steps": [],
    "attempts_left": True,
}

_TOOLS = ("charge_card", "send_email", "create_tenant", "book_room", "ship_parcel", "restart_service")
_STEPS = ("check", "reserve", "create", "pay", "tell", "label")


def row(name: str) -> Row:
    """Return a row by name."""
    return next(each for each in ROWS if each.name == name)


def row_of(call: Mapping[str, Any]) -> Row:
    """Return the row that a call falls into, from what is durable alone."""
    if call["message"] == "unfinished":
        return row("unfinished-message")
    if call["outcome"]:
        return row("finished")
    if not call["attempts_left"]:
        return row("budget")
    if not call["durable"]:
        return row("withdrawn" if call["recorded"] else "ordinary-open")
    if len(call["recorded"]) == len(call["steps"]):
        return row("durable-all-recorded")
    # Whether the step function that comes next had already acted is not durable: c and d look the same.
    return row("durable-between-steps")


def fate_by_runtime(call: Mapping[str, Any]) -> Fate | None:
    """Return what the product's ``FlueRuntime`` says of a call, None where it does not know the row."""
    if not row_of(call).in_runtime:
        return None
    step = StepState(step_id="message", run=0, function="message", role="turn", code="D", starts=1)
    before = NEVER if call["message"] == "unfinished" else ONCE if call["outcome"] else UNSURE
    effect = EffectState(
        tool=call["name"],
        kind="step" if call["durable"] else "tool",
        call_id="call",
        before=before,
        step=step,
    )
    run = RunState(index=0, run_id="agent", role="session", code="running", steps=[step])
    situation = Situation(session_id="agent", turn_id="turn", runs=[run], effects=[effect])
    future = (
        runtime_named("flue").recover(situation, environment("flue"), "same").futures[situation.effects[0]]
    )
    if future.after.max and not future.again:  # it runs for the first time, once the model asks for it
        return "asked"
    return _BY_RULE[future.rule]


def calls(seed: int) -> Iterator[dict[str, Any]]:
    """Yield every state a call can be in, the simplest first; names and steps follow from the seed."""
    yield dict(SAMPLE)
    chance = Random(seed)
    for attempts_left in (True, False):
        for outcome in (False, True):
            yield _call(chance, outcome=outcome, attempts_left=attempts_left)
    for durable in (False, True):
        yield _call(chance, message="unfinished", durable=durable)
    for attempts_left in (True, False):
        for done in (0, 1, 2, 3):
            yield _call(chance, durable=True, done=done, attempts_left=attempts_left)
        yield _call(chance, durable=True, done=3, outcome=True, attempts_left=attempts_left)
    for done in (1, 2):  # recorded as durable, deployed since as an ordinary tool
        yield _call(chance, done=done)


def _call(
    chance: Random,
    *,
    message: str = "completed",
    outcome: bool = False,
    durable: bool = False,
    done: int = 0,
    attempts_left: bool = True,
) -> dict[str, Any]:
    steps = chance.sample(_STEPS, 3) if durable or done else []
    return {
        "name": chance.choice(_TOOLS),
        "message": message,
        "outcome": outcome,
        "durable": durable,
        "steps": steps,
        "recorded": steps[:done],
        "attempts_left": attempts_left,
    }

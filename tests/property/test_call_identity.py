"""Ids are the model's: exchanging, repeating or minting them changes no call, no count and no place.

A script of bodies is drawn (which step, what each of its model's answers asks for), and written out under
several makers of ids. The table of effects must be the same under all of them.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from eve_replay.journal.effects.build import effects_of
from eve_replay.journal.model import Session, Step
from tests.support.synthetic import attempt, call, model_run, session, turn_step

#: One request: tool, what it is asked, whether a result is recorded.
Request = tuple[str, int, bool]
#: Per step its bodies, per body its model answers.
Script = list[list[list[list[Request]]]]
Maker = Callable[[int, int, int, int, str], str]

requests = st.tuples(st.sampled_from(["pay", "mail", "ship"]), st.integers(0, 1), st.booleans())
answers = st.lists(requests, max_size=3)
bodies = st.lists(answers, min_size=1, max_size=2)
scripts: st.SearchStrategy[Script] = st.lists(
    st.lists(bodies, min_size=1, max_size=3), min_size=1, max_size=3
)


def makers(seed: int) -> list[Maker]:
    """Return ways in which providers make ids."""
    numbers = itertools.count()
    shuffled = random.Random(seed)
    return [
        lambda step, body, answer, at, tool: f"call_{step}_{answer}_{at}",  # by place: the same on a re-run
        lambda step, body, answer, at, tool: f"call_{at}",  # restarting in every answer
        lambda step, body, answer, at, tool: f"functions.{tool}:{at}",  # made of the tool's name
        lambda step, body, answer, at, tool: f"toolu_{next(numbers)}",  # minted
        lambda step, body, answer, at, tool: f"x{shuffled.randrange(3)}",  # nonsense
    ]


def written(script: Script, make: Maker) -> Session:
    steps: list[Step] = []
    for number, shown in enumerate(script):
        step_id = f"step_{number}"
        made = []
        for n, body in enumerate(shown, 1):
            calls = [
                call(
                    make(number, n, answer, position, tool),
                    tool,
                    attempt=n,
                    step_id=step_id,
                    position=position,
                    index=number * 2 + answer,
                    returned=2.0 if returned else None,
                    input={"of": wanted},
                )
                for answer, asked in enumerate(body)
                for position, (tool, wanted, returned) in enumerate(asked)
            ]
            outcome = "completed" if n == len(shown) else "interrupted"
            made.append(attempt(n, *calls, outcome=outcome, start=20.0 * n, step_id=step_id))
        steps.append(turn_step(*made, step_id=step_id))
    return session(model_run(*steps))


def table(found: Session) -> list[tuple[object, ...]]:
    return [
        (
            effect.tool,
            effect.input,
            effect.coordinate,
            effect.position,
            effect.executions,
            effect.certainty,
            [(part.step_id, part.attempt) for part in effect.by_attempt],
        )
        for effect in effects_of(found)
    ]


@settings(deadline=None, max_examples=150)
@given(scripts, st.integers(0, 1000))
def test_the_table_of_effects_does_not_know_ids(script: Script, seed: int) -> None:
    first, *others = [table(written(script, make)) for make in makers(seed)]
    for other in others:
        assert other == first


@settings(deadline=None, max_examples=150)
@given(scripts)
def test_every_request_is_counted_once_and_no_body_asks_twice_for_one_call(script: Script) -> None:
    make = makers(0)[1]
    effects = effects_of(written(script, make))
    shown = sum(len(answer) for step in script for body in step for answer in body)
    seen = [(e.tool, p.step_id, p.attempt) for e in effects for p in e.by_attempt if p.requested]
    assert len(seen) == shown
    for effect in effects:
        places = [(p.step_id, p.attempt) for p in effect.by_attempt]
        assert len(places) == len(set(places))
        assert all(p.input == effect.input for p in effect.by_attempt if p.requested)

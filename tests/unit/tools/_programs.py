"""Random little tools for the properties of the engine: each is a list of things to do."""

from hypothesis import strategies as st

from eve_replay.workshop.model import Ask, Case, Deed, Turn
from eve_replay.workshop.wire import Timeout

KEYS = ("none", "order", "call", "run", "place")
ORDERS = ("o1", "o2")

_STEPS = st.one_of(
    st.tuples(st.just("do"), st.sampled_from(KEYS)),
    st.tuples(st.just("slow"), st.sampled_from(KEYS)),
    st.tuples(st.just("look"), st.just("")),
    st.tuples(st.just("unless-found"), st.sampled_from(KEYS)),
    st.tuples(st.just("unless-remembered"), st.sampled_from(KEYS)),
    st.tuples(st.just("sleep"), st.just("")),
    st.tuples(st.just("note"), st.just("")),
    st.tuples(st.just("throw"), st.just("")),
)
programs = st.lists(_STEPS, min_size=1, max_size=4).map(tuple)


@st.composite
def cases(draw, turns=2, calls=2):
    """Cases of one or two turns with one or two calls each, of any runtime and model."""
    runtime = draw(st.sampled_from(("eve", "eve", "eve", "flue", "none")))
    made = []
    for _ in range(draw(st.integers(1, turns))):
        answers = tuple(
            tuple(
                Ask(tool="act", input={"order": order}, deeds=(Deed(effect="deed", match={"order": order}),))
                for order in draw(st.lists(st.sampled_from(ORDERS), min_size=1, max_size=calls))
            )
            for _ in range(draw(st.integers(1, 2)))
        )
        other = {0: (Ask(tool="act", input={"order": "o3"}),)}
        made.append(Turn(message="go", answers=answers, other=other))
    return Case(
        name="random",
        turns=tuple(made),
        model=draw(st.sampled_from(("same", "new-ids", "other"))),
        runtime=runtime,
        environment="flue"
        if runtime == "flue"
        else draw(st.sampled_from(("eve-start", "eve-start", "hosted"))),
        calls_per_step=draw(st.integers(1, 2)),
        order=draw(st.sampled_from(("asked", "last-first"))),
    )


def tool_of(program):
    """The tool that does a program."""
    remembered = set()

    def act(input, ctx, outside):
        order = input["order"]
        keys = {
            "none": None,
            "order": order,
            "call": ctx.call_id,
            "run": ctx.run_id,
            "place": f"{ctx.turn_id}/{ctx.step_index}/{ctx.position}",
        }
        for what, by in program:
            key = keys.get(by)
            try:
                if what == "do":
                    outside.do(order, key=key)
                elif what == "slow":
                    outside.slow(order, key=key)
                elif what == "look":
                    outside.look(order)
                elif what == "unless-found" and not outside.look(order):
                    outside.slow(order, key=key)
                elif what == "unless-remembered" and order not in remembered:
                    remembered.add(order)
                    outside.do(order, key=key)
                elif what == "sleep":
                    ctx.sleep(7)
                elif what == "note":
                    ctx.note("here")
                elif what == "throw":
                    raise ValueError("thrown")
            except Timeout:
                pass
        return {"status": "done"}

    return act


def signature(outcome):
    """Everything that can be seen of an outcome from outside, and what it cost."""
    return (
        tuple(
            (
                e.seconds,
                e.effect,
                tuple(e.fields.items()),
                e.key,
                e.process,
                e.attempt,
                e.turn,
                e.step,
                e.position,
            )
            for e in outcome.ledger
        ),
        tuple(sorted((place, repr(result)) for place, result in outcome.results.items())),
        outcome.ended,
        outcome.processes,
        outcome.model_calls,
    )


_PARTS = st.one_of(
    st.tuples(st.just("step"), st.sampled_from(("none", "run", "step"))),
    st.tuples(st.just("slow-step"), st.sampled_from(("none", "run", "step"))),
    st.tuples(st.just("throwing-step"), st.just("none")),
    st.tuples(st.just("body"), st.sampled_from(("none", "run"))),
    st.tuples(st.just("ask"), st.just("")),
    st.tuples(st.just("sleep"), st.just("")),
    st.tuples(st.just("remember"), st.just("")),
)
bodies = st.lists(_PARTS, min_size=1, max_size=4).map(tuple)


def body_of(parts):
    """The workflow body that does some parts."""
    remembered = []

    def body(input, ctx, outside):
        for number, (what, by) in enumerate(parts):

            def act(what=what, by=by):
                key = {"run": ctx.run_id, "step": ctx.step_id}.get(by)
                if what == "throwing-step" and outside.look(input["order"]) > 1:
                    return "enough"
                (outside.slow if what == "slow-step" else outside.do)(input["order"], key=key)
                if what == "throwing-step":
                    raise ValueError("thrown")
                return "done"

            if what.endswith("step"):
                ctx.step(f"{what} {number}", act)
            elif what == "body":
                act()
            elif what == "ask":
                ctx.ask("?")
            elif what == "sleep":
                ctx.sleep(20)
            elif what == "remember":
                remembered.append(number)
                if len(remembered) % 2:
                    ctx.step("odd", lambda: None)

    return body

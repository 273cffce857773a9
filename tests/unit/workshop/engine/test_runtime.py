"""The runtime: what a run looks like, and what becomes of it when it is cut."""

import contextlib
import sys

import pytest

from eve_replay.errors import WrongUse
from eve_replay.recovery.environment import DEFAULT_LEASE
from eve_replay.workshop.engine.runtime import run
from eve_replay.workshop.model import Ask, Case, Fault, Turn
from eve_replay.workshop.wire import ProcessDied, Timeout
from tests.unit.workshop.engine._engine import Tiny, ask, case, kinds, point


def go(tool, given=None, schedule=(), **more):
    tools = tool if isinstance(tool, dict) else {"act": tool}
    return run(tools, given or case(), schedule, make_outside=Tiny, **more)


def act(input, ctx, outside):
    outside.slow(input["order"])
    return {"status": "done"}


def keyed(input, ctx, outside):
    outside.slow(input["order"], key=ctx.call_id)
    return {"status": "done"}


STEP = ["commit", "commit-lock", "commit-record", "committed"]

# -- an undisturbed run -----------------------------------------------------------------------------


def test_moments_of_a_turn():
    def tool(input, ctx, outside):
        outside.look("o1")
        ctx.sleep(5)
        outside.do("o1")

    outcome = go(tool, case((ask(), ask(order="o2"))))
    calls = ["call", "pause", "call", "returned"]
    assert kinds(outcome) == ["model", *calls, *calls, *STEP, "model", *STEP]
    assert [m.number for m in outcome.trace if m.number is not None] == list(range(outcome.moments))
    assert (outcome.ended, outcome.processes, outcome.model_calls) == ("completed", 1, 2)
    assert not outcome.rules and not outcome.forgot
    times = [m.seconds for m in outcome.trace]
    assert times == sorted(times) and times[0] == 0


def test_what_a_tool_is_told():
    def tool(input, ctx, outside):
        input["order"] = "changed"
        assert not hasattr(ctx, "attempt")
        ids = (ctx.session_id, ctx.run_id, ctx.turn_id, ctx.call_id)
        return [*ids, ctx.step_index, ctx.position, ctx.tool]

    given = case((ask(), ask(order="o2")), (ask(order="o3"),), turns=2)
    outcome = go(tool, given)
    told = [outcome.results[place] for place in sorted(outcome.results)]
    sessions, runs, turns, ids, steps, positions, names = map(list, zip(*told, strict=True))
    assert len(set(sessions + runs)) == 1
    assert turns == ["turn_0"] * 3 + ["turn_1"] * 3
    assert len(set(ids)) == 6
    assert (steps, positions) == ([0, 0, 1] * 2, [0, 1, 0] * 2)
    assert set(names) == {"act"}
    assert given.turns[0].answers[0][0].input["order"] == "o1"
    assert [m.call_id for m in outcome.trace if m.kind == "tool"] == ids
    assert sorted(outcome.results) == [(t, s, p) for t in (0, 1) for s, p in ((0, 0), (0, 1), (1, 0))]


def test_ids_belong_to_the_seed():
    ids = {m.call_id for s in (0, 1) for m in go(act, case(seed=s)).trace if m.kind == "tool"}
    assert len(ids) == 2
    assert go(act, case()) == go(act, case())


def test_results_are_copies_and_plain_data():
    kept = {"a": [1, (2,)]}

    def tool(input, ctx, outside):
        return kept

    outcome = go(tool)
    kept["a"] = None
    assert outcome.results[0, 0, 0] == {"a": [1, [2]]}


@pytest.mark.parametrize("thrown", [ValueError("no"), RecursionError("deep"), SystemExit(1)])
def test_what_a_tool_throws_is_told_to_the_model_and_the_step_commits(thrown):
    def tool(input, ctx, outside):
        outside.do("o1")
        raise thrown

    outcome = go(tool)
    assert outcome.results[0, 0, 0] == {"error": f"{type(thrown).__name__}: {thrown}"}
    assert (outcome.ended, len(outcome.ledger)) == ("completed", 1)
    assert [m.facts["type"] for m in outcome.trace if m.kind == "threw"] == [type(thrown).__name__]


def test_a_tool_that_throws_what_ends_a_process_has_only_thrown():
    def tool(input, ctx, outside):
        raise ProcessDied("pretended")

    assert go(tool).results[0, 0, 0] == {"error": "ProcessDied: pretended"}

    class Odd(Exception):
        def __str__(self):
            raise ValueError

    def odd(input, ctx, outside):
        raise Odd

    assert go(odd).results[0, 0, 0]["error"].startswith("Odd: ")

    def address(input, ctx, outside):
        raise ValueError(object())

    assert go(address).results[0, 0, 0] == {"error": "ValueError: <object object>"}


def test_what_a_dead_frame_cleans_up_reaches_nobody():
    def tool(input, ctx, outside):
        def both():
            try:
                yield outside.slow("o1")
            finally:
                with contextlib.suppress(BaseException):
                    outside.do("cleaned up")

        kept = both()
        next(kept)
        outside.do("o1")
        kept.close()

    at = point(go(tool), "call", 1)
    outcome = go(tool, None, (Fault(at),))
    assert [(e.process, e.fields["order"]) for e in outcome.ledger] == [
        (1, "o1"),
        (2, "o1"),
        (2, "o1"),
        (2, "cleaned up"),
    ]


def test_a_result_that_is_no_json_is_an_error():
    outcome = go(lambda input, ctx, outside: {1, 2})
    assert "TypeError" in outcome.results[0, 0, 0]["error"]


def test_a_keyboard_interrupt_passes_through_and_memory_is_put_back():
    seen = []

    def tool(input, ctx, outside):
        seen.append(1)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        go(tool)
    assert seen == []


def test_async_tools_need_no_loop():
    async def inner(outside):
        return outside.do("o1")

    async def tool(input, ctx, outside):
        await ctx.sleep(2)
        return {"status": await inner(outside)}

    outcome = go(tool)
    assert outcome.results[0, 0, 0] == {"status": "done"}
    assert kinds(outcome)[:4] == ["model", "pause", "call", "returned"]


def test_waiting_for_something_else_is_said():
    class Other:
        def __await__(self):
            yield "something"

    async def tool(input, ctx, outside):
        await Other()

    assert "ctx and outside" in go(tool).results[0, 0, 0]["error"]

    async def stubborn(input, ctx, outside):
        while True:
            with contextlib.suppress(Exception):
                await Other()

    assert "ctx and outside" in go(stubborn).results[0, 0, 0]["error"]


def test_notes_are_in_the_story_only():
    outcome = go(lambda input, ctx, outside: ctx.note("here"))
    assert [m.facts["text"] for m in outcome.trace if m.kind == "note"] == ["here"]
    assert "note" not in kinds(outcome)


def test_unknown_tools_are_said_at_once():
    with pytest.raises(WrongUse, match="other"):
        go({"other": act})


# -- crashes ----------------------------------------------------------------------------------------


def test_an_interrupted_step_runs_again_whole():
    given = case((ask(), ask(order="o2")), (ask(order="o3"),))
    at = point(go(act, given), "call", 1)
    outcome = go(act, given, (Fault(at, "crash-after"),))
    assert [e.fields["order"] for e in outcome.ledger] == ["o1", "o2", "o1", "o2", "o3"]
    assert [(e.process, e.attempt) for e in outcome.ledger] == [(1, 1), (1, 1), (2, 2), (2, 2), (2, 1)]
    assert outcome.model_calls == 4
    assert outcome.processes == 2
    assert "D" in outcome.rules


def test_before_in_flight_and_after_a_call():
    at = point(go(act), "call")
    for kind, count in (("crash-before", 1), ("crash-in-flight", 2), ("crash-after", 2)):
        outcome = go(act, None, (Fault(at, kind),))
        assert len(outcome.ledger) == count
        fallen = next(m for m in outcome.trace if m.fault is not None)
        assert (fallen.number, fallen.fault) == (at, kind)


def test_committed_steps_are_answered_from_their_record():
    given = case((ask(),), (ask(order="o2"),))
    at = point(go(act, given), "committed")
    outcome = go(act, given, (Fault(at),))
    assert len(outcome.ledger) == 2
    assert outcome.model_calls == 3
    assert [m.facts["results"] for m in outcome.trace if m.kind == "replayed"] == [
        {"0.0": {"status": "done"}}
    ]


def test_a_commit_is_the_border():
    at = point(go(act), "commit")
    assert len(go(act, None, (Fault(at),)).ledger) == 2
    at = point(go(act), "committed")
    assert len(go(act, None, (Fault(at),)).ledger) == 1


def test_the_lease_counts_from_the_start_of_the_step_and_only_first_starts_have_one():
    at = point(go(act), "call")
    first = (Fault(at, "crash-after"),)
    once = go(act, None, first)
    asked = [m.seconds for m in once.trace if m.kind == "model"]
    assert asked[1] == asked[0] + DEFAULT_LEASE
    twice = go(act, None, (*first, Fault(point(once, "call", 1), "crash-after")))
    asked = [m.seconds for m in twice.trace if m.kind == "model"]
    assert asked[2] - asked[1] < 60
    start = [m for m in once.trace if m.kind == "start"][1]
    assert start.facts["by"] == "lease"
    assert start.seconds + start.facts["waits"] == asked[1]


def test_a_long_absence_is_longer_than_the_lease():
    at = point(go(act), "call")
    outcome = go(act, None, (Fault(at, "crash-after", hours=30.0),))
    asked = [m.seconds for m in outcome.trace if m.kind == "model"]
    assert asked[1] == asked[0] + 1 + 3 + 30 * 3600


@pytest.mark.parametrize(("model", "keys"), [("same", 1), ("new-ids", 2)])
def test_call_ids_belong_to_the_models_answer(model, keys):
    given = case(model=model)
    at = point(go(keyed, given), "call")
    outcome = go(keyed, given, (Fault(at, "crash-after"),))
    assert len({e.key for e in outcome.ledger}) == len(outcome.ledger) == keys


def test_an_answer_that_never_arrived_is_no_other_answer():
    turn = Turn(message="", answers=((ask(),),), other={0: (ask(order="other"),)})
    given = Case(name="other", turns=(turn,), model="other")
    plain = go(act, given)
    outcome = go(act, given, (Fault(point(plain, "model")),))
    assert [e.fields["order"] for e in outcome.ledger] == ["o1"]
    outcome = go(act, given, (Fault(point(plain, "call"), "crash-after"),))
    assert [e.fields["order"] for e in outcome.ledger] == ["o1", "other"]
    assert len({e.call_id for e in outcome.ledger}) == 2


def test_several_model_calls_in_one_step():
    given = case((ask(),), (ask(order="o2"),), (ask(order="o3"),), calls_per_step=2)
    plain = go(act, given)
    assert kinds(plain).count("committed") == 2
    outcome = go(act, given, (Fault(point(plain, "call", 1), "crash-after"),))
    assert [e.fields["order"] for e in outcome.ledger] == ["o1", "o2", "o1", "o2", "o3"]
    assert outcome.model_calls == 6


def test_the_last_call_first():
    given = case((ask(), ask(order="o2")), order="last-first")
    at = point(go(act, given), "call", position=0)
    outcome = go(act, given, (Fault(at),))
    assert [(e.fields["order"], e.position) for e in outcome.ledger] == [("o2", 1), ("o2", 1), ("o1", 0)]


def test_a_crash_after_everything_needs_no_other_process():
    last = go(act).moments - 1
    outcome = go(act, None, (Fault(last),))
    assert (outcome.ended, outcome.processes, len(outcome.ledger)) == ("completed", 1, 1)


def test_between_two_turns_nothing_is_open():
    given = case(turns=2)
    at = point(go(act, given), "committed", 1)
    outcome = go(act, given, (Fault(at),))
    assert (outcome.ended, outcome.processes, outcome.model_calls) == ("completed", 2, 4)
    asleep = go(act, case(turns=2, environment="eve-dev"), (Fault(at),))
    assert (asleep.ended, len(asleep.ledger)) == ("dormant", 1)


def test_faults_at_moments_that_do_not_come_are_ignored():
    assert go(act, None, (Fault(999),)).ledger == go(act).ledger
    assert go(act, None, (Fault(0, "lost"),)).ended == "completed"


# -- inside a commit --------------------------------------------------------------------------------


def test_a_lock_without_a_record_repeats_without_end():
    outcome = go(act, None, (Fault(point(go(act), "commit-lock")),))
    assert outcome.ended == "hangs"
    assert len(outcome.ledger) == 3
    assert [m.facts["starts"] for m in outcome.trace if m.kind == "wedged"] == [2, 3]
    assert {"F1", "hang"} <= set(outcome.rules)


def test_a_record_without_its_event_hangs_without_repeating():
    outcome = go(act, None, (Fault(point(go(act), "commit-record")),))
    assert (outcome.ended, len(outcome.ledger), outcome.model_calls) == ("hangs", 1, 1)
    assert [m.facts.get("hangs") for m in outcome.trace if m.kind == "start"][1:] == [True]


@pytest.mark.parametrize("kind", ["commit-lock", "commit-record"])
def test_where_a_commit_is_one_write_there_is_no_such_state(kind):
    given = case(environment="hosted")
    outcome = go(act, given, (Fault(point(go(act, given), kind)),))
    assert (outcome.ended, len(outcome.ledger)) == ("completed", 2)


# -- other runtimes ---------------------------------------------------------------------------------


def test_flue_does_not_run_an_interrupted_call_again():
    given = case((ask(), ask(order="o2"), ask(order="o3")), runtime="flue", environment="flue")
    plain = go(act, given)
    assert "commit-lock" not in kinds(plain)
    outcome = go(act, given, (Fault(point(plain, "call", 1), "crash-after"),))
    assert [e.fields["order"] for e in outcome.ledger] == ["o1", "o2", "o3"]
    assert outcome.model_calls == 2
    assert outcome.results[0, 0, 0] == {"status": "done"}
    assert "not known" in outcome.results[0, 0, 1]["error"]
    assert "flue-interrupted" in outcome.rules
    never = go(act, given, (Fault(point(plain, "call", 1)),))
    assert [e.fields["order"] for e in never.ledger] == ["o1", "o3"]
    asked = go(act, given, (Fault(point(plain, "model")),))
    assert (len(asked.ledger), asked.model_calls) == (3, 3)


def test_without_durability_the_whole_turn_is_done_again_and_earlier_turns_are_not():
    given = case((ask(),), (ask(order="o2"),), turns=2, runtime="none")
    plain = go(act, given)
    at = point(plain, "call", 1, turn=1)
    outcome = go(act, given, (Fault(at, "crash-after"),))
    assert [(e.turn, e.fields["order"]) for e in outcome.ledger] == [
        (0, "o1"),
        (0, "o2"),
        (1, "o1"),
        (1, "o2"),
        (1, "o1"),
        (1, "o2"),
    ]
    assert outcome.ended == "completed"


# -- the wire ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wait", "because", "count"), [(0, "late", 2), (600, "late", 2), (3600, "waited", 1)]
)
def test_however_often_a_process_looks_what_is_in_flight_lands_when_it_acts(wait, because, count):
    """pay-check-then-act: the check came first. Only an hour of waiting is long enough."""

    def tool(input, ctx, outside):
        for _ in range(3):
            if outside.look("o1"):
                return
            ctx.sleep(wait)
        outside.slow("o1")

    at = point(go(tool), "call", method="slow")
    outcome = go(tool, None, (Fault(at, "crash-in-flight"),))
    landed = next(m for m in outcome.trace if m.kind == "landed")
    assert landed.facts["because"] == because
    assert [e.process for e in outcome.ledger] == [1, 2][:count]
    assert outcome.trace[outcome.ledger[0].moment].number == at


def test_in_flight_lands_when_the_same_key_comes():
    at = point(go(keyed), "call")
    outcome = go(keyed, None, (Fault(at, "crash-in-flight"),))
    assert [m.facts["because"] for m in outcome.trace if m.kind == "landed"] == ["key"]
    assert [(e.process, e.attempt) for e in outcome.ledger] == [(1, 1)]


def test_in_flight_lands_at_the_end_at_the_latest():
    at = point(go(act), "call")
    outcome = go(act, None, (Fault(at, "crash-in-flight"),))
    assert [m.facts["because"] for m in outcome.trace if m.kind == "landed"] == ["late"]
    assert [e.process for e in outcome.ledger] == [1, 2]
    asleep = go(act, case(environment="not-restarted"), (Fault(at, "crash-in-flight"),))
    assert [m.facts["because"] for m in asleep.trace if m.kind == "landed"] == ["end"]
    assert (asleep.ended, len(asleep.ledger)) == ("dormant", 1)


@pytest.mark.parametrize(("kind", "count"), [("lost", 1), ("refused", 0)])
def test_an_answer_can_be_lost_while_the_process_lives(kind, count):
    def tool(input, ctx, outside):
        try:
            outside.slow("o1")
        except Timeout:
            return "timeout"

    outcome = go(tool, None, (Fault(point(go(act), "call"), kind),))
    assert outcome.results[0, 0, 0] == "timeout"
    assert len(outcome.ledger) == count
    assert (outcome.processes, [m.kind for m in outcome.trace].count("timeout")) == (1, 1)


def test_a_refusal_of_the_outside_reaches_the_tool_and_not_the_dead():
    def tool(input, ctx, outside):
        try:
            outside.refuse()
        except ValueError:
            outside.do("o1")

    assert len(go(tool).ledger) == 1
    at = point(go(tool), "call")
    outcome = go(tool, None, (Fault(at, "crash-after"),))
    assert [e.process for e in outcome.ledger] == [2]


def test_a_dead_process_reaches_nobody_whatever_it_catches():
    reached = []

    def tool(input, ctx, outside):
        try:
            outside.slow("o1")
        except:  # noqa: E722
            for _ in range(3):
                try:
                    outside.do("cleanup")
                except ProcessDied:
                    reached.append(1)
            ctx.note("not seen")
            return "alive"
        finally:
            with contextlib.suppress(BaseException):
                ctx.sleep(1)

    at = point(go(tool), "call")
    outcome = go(tool, None, (Fault(at, "crash-after"),))
    assert [e.fields["order"] for e in outcome.ledger] == ["o1", "o1"]
    assert outcome.processes == 2
    assert outcome.results[0, 0, 0] is None
    assert not [m for m in outcome.trace if m.kind == "note"]


def test_a_tool_that_never_stops_calling():
    def tool(input, ctx, outside):
        while True:
            outside.do("o1")

    outcome = go(tool, limit=50)
    assert (outcome.ended, len(outcome.ledger)) == ("runaway", 50)

    def sleeper(input, ctx, outside):
        while True:
            ctx.sleep(1)

    assert go(sleeper).ended == "runaway"

    def talker(input, ctx, outside):
        while True:
            ctx.note("still here")

    assert go(talker).ended == "runaway"


def test_a_loop_that_catches_everything_is_ended_too():
    def tool(input, ctx, outside):
        while True:
            try:
                outside.slow("o1")
                break
            except:  # noqa: E722
                pass
        return "done"

    before = sys.gettrace()
    outcome = go(tool, None, (Fault(point(go(tool), "call"), "crash-after"),))
    assert (outcome.ended, len(outcome.ledger)) == ("completed", 2)

    def greedy(input, ctx, outside):
        while True:
            try:
                outside.do("o1")
            except:  # noqa: E722
                ctx.note("again")

    assert go(greedy).ended == "runaway"
    assert sys.gettrace() is before


def test_the_limit_is_per_attempt():
    def tool(input, ctx, outside):
        for _ in range(30):
            outside.do("o1")

    given = case((ask(),), (ask(),))
    at = point(go(tool, given), "call", 25)
    outcome = go(tool, given, (Fault(at),), limit=40)
    assert outcome.ended == "completed"


# -- memory -----------------------------------------------------------------------------------------


def test_memory_of_a_dead_process_is_gone_and_that_is_said():
    sent = set()

    def tool(input, ctx, outside):
        if input["order"] not in sent:
            outside.do(input["order"])
            sent.add(input["order"])

    at = point(go(tool), "returned")
    outcome = go(tool, None, (Fault(at),))
    assert len(outcome.ledger) == 2
    assert outcome.forgot
    assert sent == set()
    again = go(tool, case((ask(), ask())))
    assert (len(again.ledger), again.forgot) == (1, False)


def test_nothing_is_on_its_way_for_an_hour():
    def pay(input, ctx, outside):
        if not outside.payments.find(invoice=input["invoice"]):
            outside.payments.charge("ord_1", 100, invoice=input["invoice"])
        return {"status": "paid"}

    ask = Ask(tool="pay", input={"invoice": "INV-1"})
    case = Case(name="away", turns=(Turn(message="pay", answers=((ask,),)),))
    point = next(m.number for m in run({"pay": pay}, case).trace if m.kind == "call" and not m.reads)
    soon = run({"pay": pay}, case, (Fault(point, "crash-in-flight"),))
    late = run({"pay": pay}, case, (Fault(point, "crash-in-flight", hours=72),))
    assert [len(each.ledger) for each in (soon, late)] == [2, 1]
    landed = next(m for m in late.trace if m.kind == "landed")
    assert landed.facts["because"] == "away" and landed.seconds < 60

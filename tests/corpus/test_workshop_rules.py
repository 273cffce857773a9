"""The workshop's runtime against real recordings: the same script, killed at the same kind of point.

Each recording's own script (the scripted model's answers, as they were sent) is turned into a case, the kill
into a fault at the same kind of moment. Attempts per step, effects outside, model calls and which ids stayed
must be the recording's. Where the two differ, the recording is right.
"""

import re
from collections import Counter

import pytest

from eve_replay import samples
from eve_replay.codec import loads_json
from eve_replay.workshop.engine.runtime import run
from eve_replay.workshop.engine.workflow import run_workflow
from eve_replay.workshop.model import Ask, Case, Fault, Turn
from tests.support.recovery import rows


def charge_card(input, ctx, outside):
    outside.payments.charge(input["customer"], input["cents"])
    if input.get("waitMs"):
        ctx.sleep(input["waitMs"] / 1000)
    return {"status": "charged"}


def send_email(input, ctx, outside):
    outside.mail.send(input["to"], input["subject"], key=f"{ctx.session_id}:{ctx.call_id}")
    return {"status": "sent"}


def pay_with_key(input, ctx, outside):
    key = f"{ctx.session_id}:{ctx.call_id}"
    return outside.payments.charge(input["order"], input["cents"], key=key)


def pay_without_key(input, ctx, outside):
    return outside.payments.charge(input["order"], input["cents"])


def pay_check_then_act(input, ctx, outside):
    found = outside.payments.find(order=input["order"])
    return found[0] if found else outside.payments.charge(input["order"], input["cents"])


TOOLS = {
    each.__name__: each
    for each in (charge_card, send_email, pay_with_key, pay_without_key, pay_check_then_act)
}
#: What the tools of the lab call their effects.
WORDS = {"charge": "charge", "payment": "charge", "email": "mail"}


def script_of(name, **more):
    """The recording's script as a case: one turn per message, one answer per reply that calls tools."""
    turns = []
    for line in samples.facts(name)["timeline"]:
        text = line.get("message") or (line.get("body") or {}).get("message")
        if line["action"] not in ("session.create", "message.send"):
            continue
        replies = [each for each in loads_json(text.encode()) if isinstance(each, dict)]
        answers = tuple(
            tuple(Ask(tool=call["name"], input=call["input"]) for call in reply["toolCalls"])
            for reply in replies
        )
        turns.append(Turn(message=text, answers=answers))
    return Case(name=name, turns=tuple(turns), **more)


def crash(case, kind, moment, schedule=(), **where):
    """The schedule with one more crash: at the first such moment after its last fault."""
    after = schedule[-1].point if schedule else -1
    for each in run(TOOLS, case, schedule).trace:
        if each.number is None or each.number <= after or each.kind != moment:
            continue
        if all(getattr(each, name) == value for name, value in where.items()):
            return (*schedule, Fault(each.number, kind))
    raise AssertionError(f"no {moment} {where}")


# -- what is compared ------------------------------------------------------------------------------
def attempts_recorded(name):
    """Starts of each step by the first model call in it: {(turn, step): starts}."""
    found = {}
    for step in samples.facts(name)["steps"]:
        places = step.get("turnSteps")
        if places:
            turn = int(places[0]["turnId"].removeprefix("turn_"))
            found[turn, places[0]["stepIndex"]] = step["attempts"]
    return found


def attempts_made(outcome, case):
    found = {}
    for each in outcome.trace:
        if each.kind == "model":
            first = each.step - each.step % case.calls_per_step
            found[each.turn, first] = max(found.get((each.turn, first), 0), each.attempt)
    return found


def about(effect, fields):
    word = WORDS[effect]
    return word, fields.get("to") if word == "mail" else fields.get("order") or fields.get("customer")


def effects_recorded(name):
    return Counter(about(line["effect"], line) for line in samples.ledger(name))


def effects_made(outcome):
    found = Counter()
    for entry in outcome.ledger:
        found[entry.effect, entry.fields["to" if entry.effect == "mail" else "order"]] += 1
    return found


def ids_recorded(name):
    """How many call ids each deed was done under."""
    found = {}
    for line in samples.ledger(name):
        found.setdefault(about(line["effect"], line), set()).add(line["callId"])
    return {deed: len(ids) for deed, ids in found.items()}


def ids_made(outcome):
    found = {}
    for entry in outcome.ledger:
        deed = (entry.effect, entry.fields["to" if entry.effect == "mail" else "order"])
        found.setdefault(deed, set()).add(entry.call_id)
    return {deed: len(ids) for deed, ids in found.items()}


def models_recorded(name):
    return sum(mark["mark"] == "model.begin" for mark in samples.marks(name))


def per_process_recorded(name):
    """Model calls and effects by process, processes in the order in which they came."""
    marks = [(mark["pid"], "model") for mark in samples.marks(name) if mark["mark"] == "model.begin"]
    effects = [(line["pid"], about(line["effect"], line)) for line in samples.ledger(name) if "pid" in line]
    pids = list(dict.fromkeys(pid for pid, _ in marks))
    return [Counter(what for each, what in (*marks, *effects) if each == pid) for pid in pids]


def per_process_made(outcome):
    found = [Counter() for _ in range(outcome.processes)]
    for each in outcome.trace:
        if each.kind == "model":
            found[each.process - 1]["model"] += 1
    for entry in outcome.ledger:
        deed = (entry.effect, entry.fields["to" if entry.effect == "mail" else "order"])
        found[entry.process - 1][deed] += 1
    return found


def agrees(name, case, schedule):
    outcome = run(TOOLS, case, schedule)
    assert outcome.ended == "completed"
    assert attempts_made(outcome, case) == attempts_recorded(name)
    assert effects_made(outcome) == effects_recorded(name)
    assert ids_made(outcome) == ids_recorded(name)
    assert outcome.model_calls == models_recorded(name)
    if all("pid" in line for line in samples.ledger(name)):
        assert per_process_made(outcome) == per_process_recorded(name)
    return outcome


# -- payments in flight ----------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "model", "payments"),
    [
        ("pay-with-key", "same", 1),
        ("pay-without-key", "same", 2),
        ("pay-check-then-act", "same", 2),
        ("pay-minted-ids", "new-ids", 2),
    ],
)
def test_a_payment_in_flight_when_the_process_dies(name, model, payments):
    case = script_of(name, model=model)
    schedule = crash(case, "crash-in-flight", "call", method="charge")
    outcome = agrees(name, case, schedule)
    assert len(outcome.ledger) == payments == len(samples.ledger(name))
    keys = [line["idempotencyKey"] for line in samples.ledger(name)]
    assert len({entry.key for entry in outcome.ledger}) == len(set(keys))
    assert [entry.key is None for entry in outcome.ledger] == [key is None for key in keys]


def test_the_same_payment_asked_for_twice_on_purpose():
    name = "pay-again-on-purpose"
    case = script_of(name, model="new-ids")
    outcome = run(TOOLS, case, crash(case, "crash-in-flight", "call", method="charge"))
    assert len(outcome.ledger) == len(samples.ledger(name)) == 3
    assert ids_made(outcome) == ids_recorded(name)
    assert outcome.model_calls == models_recorded(name)


def test_the_check_of_the_second_attempt_finds_nothing_as_recorded():
    checks = [mark["found"] for mark in samples.marks("pay-check-then-act") if mark["mark"] == "pay.check"]
    case = script_of("pay-check-then-act")
    outcome = run(TOOLS, case, crash(case, "crash-in-flight", "call", method="charge"))
    answers = [each for each in outcome.trace if each.kind == "answer" and each.method == "find"]
    assert [len(each.facts["result"]) for each in answers] == checks == [0, 0]


def test_the_second_request_with_the_key_gets_the_first_ones_answer_as_recorded():
    case = script_of("pay-with-key")
    outcome = run(TOOLS, case, crash(case, "crash-in-flight", "call", method="charge"))
    sent = [mark for mark in samples.marks("pay-with-key") if mark["mark"] == "pay.send"]
    calls = [each for each in outcome.trace if each.kind == "call"]
    assert len(calls) == len(sent) == 2
    assert len({each.call_id for each in calls}) == len({mark["callId"] for mark in sent}) == 1
    assert outcome.results[0, 0, 0]["id"] == samples.ledger("pay-with-key")[0]["chargeId"] == "ch_1"


# -- where the crash falls -------------------------------------------------------------------------
def test_crash_in_tool():
    # send_email had returned while charge_card slept: its sibling went first.
    case = script_of("crash-in-tool", order="last-first")
    agrees("crash-in-tool", case, crash(case, "crash-before", "pause", tool="charge_card"))


def test_crash_before_commit():
    case = script_of("crash-before-commit")
    agrees("crash-before-commit", case, crash(case, "crash-before", "commit"))


def test_crash_after_commit():
    case = script_of("crash-after-commit")
    agrees("crash-after-commit", case, crash(case, "crash-before", "model", step=1))


def test_crash_in_model():
    case = script_of("crash-in-model")
    agrees("crash-in-model", case, crash(case, "crash-before", "model"))


def test_batch_crash():
    case = script_of("batch-crash", calls_per_step=4)
    outcome = agrees("batch-crash", case, crash(case, "crash-before", "model", step=2))
    assert len([each for each in outcome.trace if each.kind == "committed"]) == len(
        attempts_recorded("batch-crash")
    )


def test_two_crashes_in_one_turn():
    case = script_of("two-crashes-one-turn")
    schedule = crash(case, "crash-before", "pause", step=0)
    schedule = crash(case, "crash-before", "pause", schedule, step=1)
    agrees("two-crashes-one-turn", case, schedule)


def test_kills_alone_never_use_up_the_attempts():
    name = "attempts-exhausted-kill"
    case = script_of(name)
    case = Case(name=name, turns=case.turns[:1])
    schedule = ()
    kills = [line for line in samples.facts(name)["timeline"] if line["action"] == "kill -9"]
    for _ in kills:
        schedule = crash(case, "crash-before", "pause", schedule, tool="charge_card")
    outcome = run(TOOLS, case, schedule)
    # The recording stops while attempt 9 runs; here it comes to its end.
    recorded = attempts_recorded(name)
    assert {place: attempts_made(outcome, case)[place] for place in recorded} == recorded
    assert effects_made(outcome) == effects_recorded(name)
    assert ids_made(outcome) == ids_recorded(name)
    asked = [each for each in outcome.trace if each.kind == "model" and each.step == 0]
    assert len(asked) == models_recorded(name) == 9


# -- inside a commit, as the sweep killed it ----------------------------------------------------------

#: docs/evidence/sweep.md#writes: lock (f), record (g), event (h); what is killed after one lies before the
#: next.
MOMENTS = {
    ("before", "lock"): "commit",
    ("after", "lock"): "commit-lock",
    ("before", "record"): "commit-lock",
    ("after", "record"): "commit-record",
    ("before", "event"): "commit-record",
    ("after", "event"): "committed",
}
WRITES = {
    "lock": r"E lock step turnStep#(\d) terminal",
    "record": r"E step turnStep#(\d) completed:\d",
    "event": r"E event step_completed turnStep#(\d)",
}


def sweep_points():
    """Points of the sweep's first turn at the end of a turn step: ``(point, moment, step, killed)``."""
    for point, row in rows("T1").items():
        for write, label in WRITES.items():
            found = re.fullmatch(label, row["label"])
            if found:
                yield point, MOMENTS[row["when"], write], int(found[1]) - 1, (row["when"], write)


def test_the_sweep_has_such_points():
    assert {moment for _, moment, *_ in sweep_points()} == set(MOMENTS.values())


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("when", ["before", "after"])
def test_killed_inside_a_commit(when, write):
    points = [(p, m, s) for p, m, s, killed in sweep_points() if killed == (when, write)]
    assert points
    for point, moment, step in points:
        killed_inside_a_commit(point, moment, step)


def killed_inside_a_commit(point, moment, step):
    row = rows("T1")[point]
    charge = Ask(tool="charge_card", input={"customer": "cus", "cents": 1})
    email = Ask(tool="send_email", input={"to": "a@example.com", "subject": "Receipt"})
    case = Case(name="T1", turns=(Turn(message="T1", answers=((charge, email), (charge,))),))
    outcome = run(TOOLS, case, crash(case, "crash-before", moment, step=step))
    assert (outcome.ended == "completed") == row["recovered"]
    # The driver woke a session that hung once more, with a message: so does the engine.
    end = row.get("after_message") or row
    done = {
        (0, 0): end["effects"].get("charge_card mock-tool-call-1-0-1", ()),
        (0, 1): end["effects"].get("send_email mock-tool-call-1-0-2", ()),
        (1, 0): end["effects"].get("charge_card mock-tool-call-1-2-1", ()),
    }
    made = Counter((entry.step, entry.position) for entry in outcome.ledger)
    assert {place: made[place] for place in done} == {place: len(each) for place, each in done.items()}
    assert outcome.model_calls == sum(len(calls) for calls in end["model_calls"].values())
    attempts = attempts_made(outcome, case)
    for number in range(3):
        recorded = end["attempts"].get(f"E turnStep#{number + 1}", {}).get("started", 0)
        assert attempts.get((0, number), 0) == recorded


# -- what does not come back -----------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "environment", "order"),
    [
        ("crash-not-restarted", "not-restarted", "last-first"),
        ("eve-dev-no-resume", "eve-dev", "asked"),
    ],
)
def test_an_environment_that_recovers_nothing(name, environment, order):
    case = script_of(name, environment=environment, order=order)
    outcome = run(TOOLS, case, crash(case, "crash-before", "pause", tool="charge_card"))
    assert outcome.ended == "dormant"
    assert attempts_made(outcome, case) == attempts_recorded(name)
    assert effects_made(outcome) == effects_recorded(name)
    assert outcome.model_calls == models_recorded(name)


def test_eve_dev_that_resumes_goes_on():
    case = script_of("eve-dev-no-resume", environment="eve-dev-resume")
    case = Case(name="resumed", turns=case.turns[:1], environment=case.environment)
    outcome = run(TOOLS, case, crash(case, "crash-before", "pause", tool="charge_card"))
    assert attempts_made(outcome, case) == attempts_recorded("eve-dev-resume")
    assert effects_made(outcome) == effects_recorded("eve-dev-resume")
    assert ids_made(outcome) == ids_recorded("eve-dev-resume")


# -- workflow bodies -------------------------------------------------------------------------------
def starts_recorded(name):
    return {
        step["stepName"].split("//")[-1]: step["attempts"]
        for step in samples.facts(name)["steps"]
        if "eve@" not in step["stepName"]
    }


def starts_made(outcome):
    found = {}
    for each in outcome.trace:
        if each.kind == "tool" and each.facts.get("step"):
            found[each.facts["name"]] = max(found.get(each.facts["name"], 0), each.attempt)
    return found


def one_call(tool, **more):
    return Case(name=tool, turns=(Turn(message="", answers=((Ask(tool=tool, input={}),),)),), **more)


def test_a_workflow_killed_in_its_durable_sleep():
    def handle_incident(input, ctx, outside):
        ctx.step("collect", lambda: "facts")
        ctx.ask("how bad is it")
        ctx.sleep(8)
        plan = ctx.step("planMitigation", lambda: "plan-api")
        ctx.ask("apply it")
        ctx.step("applyMitigation", outside.mail.send, "ops@example.com", plan)

    case = one_call("handle_incident", answers=("high", "yes"))
    plain = run_workflow(handle_incident, case)
    pause = next(each for each in plain.trace if each.kind == "pause" and "seconds" in each.facts)
    outcome = run_workflow(handle_incident, case, (Fault(pause.number),))
    assert outcome.ended == "completed"
    assert starts_made(outcome) == starts_recorded("workflow-tool")
    assert len(outcome.ledger) == len(samples.ledger("workflow-tool")) == 1
    # The wait keeps its end: the sleep is over when it would have been.
    assert "timer" in outcome.rules


def test_after_a_throw_kills_use_up_the_budget():
    name = "attempts-exhausted-throw-then-kill"

    def flaky_workflow(input, ctx, outside):
        def doomed():
            outside.mail.send("a@example.com", "doomed")
            raise RuntimeError("throws")

        ctx.step("doomed", doomed)

    case = one_call("flaky_workflow")
    schedule = ()
    for _ in [line for line in samples.facts(name)["timeline"] if line["action"] == "kill -9"]:
        calls = [
            each.number for each in run_workflow(flaky_workflow, case, schedule).trace if each.kind == "call"
        ]
        # The first body run throws; each later one is killed after its effect.
        schedule = (*schedule, Fault(calls[len(schedule) + 1], "crash-after"))
    outcome = run_workflow(flaky_workflow, case, schedule)
    assert len(outcome.ledger) == len(samples.ledger(name)) == 4
    assert "budget" in outcome.rules
    replayed = [each for each in outcome.trace if each.kind == "replayed"]
    assert replayed[-1].attempt == starts_recorded(name)["doomed"] == 5
    assert "max retries" in outcome.results[0, 0, 0]["error"]

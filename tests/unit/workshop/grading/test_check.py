import functools
import gc
import os
import random
import signal
import sys
import time
import uuid
from dataclasses import replace

import pytest

from eve_replay.errors import NotFound
from eve_replay.workshop import check
from eve_replay.workshop.grading.answers import fingerprint, hidden_seeds
from eve_replay.workshop.lesson import tasks
from eve_replay.workshop.task import Task
from tests.unit.workshop.grading._exercise import PAY, TWICE, cases, solution, without_key

LANGUAGES = ("en", "zh")


def charge(outside, input, **more):
    return outside.payments.charge(input["order"], input["cents"], invoice=input["invoice"], **more)


# -- what holds and what does not


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_solution_passes_all_cases(language):
    verdict = check(PAY, solution, language=language)
    assert verdict.passed and verdict.complete and verdict.cases == 8 and verdict.tried > 100
    assert verdict.next == PAY.good.get(language)
    assert not verdict.story and verdict.outcome is None and not verdict.code


@pytest.mark.parametrize("language", LANGUAGES)
def test_without_a_key_one_crash_is_enough(language):
    verdict = check(PAY, without_key, language=language)
    assert not verdict.passed and verdict.code == "no-key"
    assert len(verdict.outcome.schedule) == 1
    assert len(verdict.outcome.ledger) == 2
    assert verdict.story and verdict.why
    assert verdict.next == PAY.hints["no-key"].get(language)
    assert cases(0)[0].deeds[0].text.get(language) in verdict.headline
    assert ("one crash" if language == "en" else "崩溃一次") in verdict.headline


def test_it_fails_without_a_crash():
    def pay(input, ctx, outside):
        return {"status": "paid"}

    verdict = check(PAY, pay)
    assert not verdict.passed and verdict.outcome.schedule == ()
    assert "even without a crash" in verdict.headline


def test_async_tools_are_tools():
    async def pay(input, ctx, outside):
        await ctx.sleep(1)
        return await charge(outside, input, key=input["invoice"])

    assert check(PAY, pay).passed


def test_partials_and_objects_that_can_be_called():
    class Pay:
        def __init__(self):
            self._prefix = "invoice "

        def __call__(self, input, ctx, outside):
            return charge(outside, input, key=self._prefix + input["invoice"])

    def pay(prefix, input, ctx, outside):
        return charge(outside, input, key=prefix + input["invoice"])

    assert check(PAY, Pay()).passed
    assert check(PAY, functools.partial(pay, "x")).passed


# -- what cannot be known


def test_knowing_the_sample_does_not_help():
    (one,), (first, second) = (case.turns[0].answers[0] for case in cases(0))
    known = {each.input["invoice"]: each.input["invoice"] for each in (one, first, second)}

    def pay(input, ctx, outside):
        return charge(outside, input, key=known.get(input["invoice"]))

    assert check(PAY, pay, seeds=[0]).passed
    verdict = check(PAY, pay)
    assert not verdict.passed and verdict.code == "no-key"
    assert "The lesson's own cases pass" in verdict.headline
    told = verdict.outcome.case.deeds[0].words
    assert told in verdict.headline and all(told != f"invoice {each}" for each in known)


def test_the_same_code_gets_the_same_verdict_and_other_code_other_cases():
    def make(extra):
        space = {}
        exec(f"def pay(input, ctx, outside):\n    x = {extra}\n    return outside.payments.find()", space)
        return space["pay"]

    assert hidden_seeds(make("1"), 3) == hidden_seeds(make("1"), 3)
    assert not set(hidden_seeds(make("1"), 3)) & set(hidden_seeds(make("2"), 3))
    assert 0 not in hidden_seeds(make("1"), 9)
    assert check(PAY, without_key).to_json() == check(PAY, without_key).to_json()


def test_seeds_are_the_same_in_every_process():
    import subprocess

    program = (
        "from eve_replay.workshop.grading.answers import hidden_seeds\n"
        "LIMIT = 3\n"
        "def helper(x): return x in {'a', 'b', 'c'} and LIMIT\n"
        "def pay(input, ctx, outside): return helper(input)\n"
        "print(hidden_seeds(pay, 3))"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | {"PYTHONHASHSEED": str(number), "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for number in range(3)
    }
    assert len(said) == 1


def test_helpers_and_constants_are_part_of_the_code():
    def make(constant, inside):
        space = {}
        lines = (
            f"LIMIT = {constant}",
            f"def helper(x): return x + {inside}",
            "def pay(input, ctx, outside): return helper(LIMIT)",
        )
        exec("\n".join(lines), space)
        return fingerprint(space["pay"])

    assert len({make(1, 1), make(2, 1), make(1, 2)}) == 3
    assert make(1, 1) == make(1, 1)
    assert fingerprint({"a": 1}) != fingerprint({"a": 2})
    assert fingerprint({"a": [solution]}) != fingerprint({"a": [without_key]})


def test_printing_and_memory_do_not_help(capsys):
    done = set()

    def pay(input, ctx, outside):
        print("passed" * 100)
        if input["invoice"] not in done:
            charge(outside, input)
            done.add(input["invoice"])
        return {"status": "paid"}

    verdict = check(PAY, pay)
    assert not verdict.passed and verdict.code == "memory-lost"
    assert capsys.readouterr().out == ""
    assert done == set()


def test_replacing_the_name_does_not_help():
    space = {"uuid": uuid}
    exec(
        "def pay(input, ctx, outside):\n"
        "    global pay\n"
        "    pay = lambda input, ctx, outside: {'status': 'paid'}\n"
        "    return outside.payments.charge(input['order'], input['cents'], invoice=input['invoice'])",
        space,
    )
    assert not check(PAY, space["pay"]).passed


def peek(input, ctx, outside):
    return ctx._machine.ledger


def frames(input, ctx, outside):
    return sys._getframe(1).f_locals


def disk(input, ctx, outside):
    with open("seen") as file:
        return file.read()


def away(input, ctx, outside):
    import subprocess

    return subprocess.run(["true"])


def hidden(input, ctx, outside):
    return getattr(outside.payments, "_keys")  # noqa: B009


def environment(input, ctx, outside):
    os.environ["SEEN"] = "1"


def objects(input, ctx, outside):
    return gc.get_objects()


def evaluated(input, ctx, outside):
    return eval("ctx")


def through_a_helper(input, ctx, outside):
    return peek(input, ctx, outside)


class _Peeks:
    def look(self, ctx):
        return ctx._machine


def through_an_object(input, ctx, outside):
    return PEEKS.look(ctx)


PEEKS = _Peeks()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "answer",
    [peek, frames, disk, away, hidden, environment, objects, evaluated, through_a_helper, through_an_object],
    ids=lambda each: each.__name__,
)
def test_what_goes_round_the_outside_is_told_so(answer, language):
    verdict = check(PAY, answer, language=language)
    code = {"disk": "uses-files", "environment": "uses-machine"}.get(answer.__name__, "looks-inside")
    assert not verdict.passed and verdict.code == code and "pay" in verdict.headline
    assert verdict.next and ("outside" in verdict.next or code == "uses-machine")


def test_a_table_of_answers_is_looked_into():
    table = replace(TWICE, takes=())
    assert check(table, {"tools": [solution, peek]}).code == "looks-inside"


def test_a_hash_is_another_number_in_the_next_process():
    def key(order):
        return str(hash("pay " + order))

    def pay(input, ctx, outside):
        outside.payments.charge(input["order"], input["cents"], key=key(input["order"]))
        return {"status": "paid"}

    for language, word in (("en", "another number in every process"), ("zh", "每个进程")):
        verdict = check(PAY, pay, language=language)
        assert verdict.code == "salted-hash" and word in verdict.headline and "hashlib" in verdict.next

    def own(input, ctx, outside):
        def hash(text):
            return text

        outside.payments.charge(input["order"], input["cents"], key=hash(input["order"]))
        return {"status": "paid"}

    assert check(PAY, own).code != "salted-hash"


def test_real_waiting_is_told_so():
    def pay(input, ctx, outside):
        time.sleep(1)

    started = time.monotonic()
    verdict = check(PAY, pay)
    assert verdict.code == "really-waits" and "ctx.sleep" in verdict.next
    assert time.monotonic() - started < 5


def test_named_tuples_and_one_s_own_private_names_are_let_through():
    from collections import namedtuple

    class Key(namedtuple("Key", "order invoice")):
        def _text(self):
            return str(self._replace(order="x")._asdict())

    def pay(input, ctx, outside):
        return charge(outside, input, key=Key(input["order"], input["invoice"])._text())

    assert check(PAY, pay).passed


def test_harmless_modules_are_let_through():
    import hashlib
    import json

    def pay(input, ctx, outside):
        key = hashlib.sha256(json.dumps(input, sort_keys=True).encode()).hexdigest()
        return charge(outside, input, key=key)

    assert check(PAY, pay).passed


def test_dice_fail_as_a_key_that_changes():
    def pay(input, ctx, outside):
        return charge(outside, input, key=str(uuid.uuid4()))

    def other(input, ctx, outside):
        return charge(outside, input, key=str(random.random()))

    assert check(PAY, pay).code == check(PAY, other).code == "key-changed"


# -- what is no tool at all


def two(input, ctx):
    pass


def four(input, ctx, outside, more):
    pass


def yields(input, ctx, outside):
    yield 1


async def yields_too(input, ctx, outside):
    yield 1


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (None, "not-a-function"),
        (7, "not-a-function"),
        ("pay", "not-a-function"),
        ({"pay": 1}, "not-a-function"),
        (Task, "not-a-function"),
        (two, "parameters"),
        (four, "parameters"),
        (len, "parameters"),
        (yields, "generator"),
        (yields_too, "generator"),
        (lambda: 1, "parameters"),
    ],
)
def test_other_shapes_get_words(answer, code, language):
    verdict = check(PAY, answer, language=language)
    assert not verdict.passed and verdict.code == code
    assert "pay" in verdict.headline and verdict.next
    assert "{" not in verdict.headline + verdict.next.replace("{}", "")


def raises(input, ctx, outside):
    raise ValueError("no")


def exits(input, ctx, outside):
    raise SystemExit(3)


def swallows(input, ctx, outside):
    try:
        return charge(outside, input)
    except BaseException:
        return {"status": "paid"}


def endless(input, ctx, outside):
    while True:
        outside.payments.find(order=input["order"])


def recursive(input, ctx, outside):
    return recursive(input, ctx, outside)


class _Odd:
    def __eq__(self, other):
        raise RuntimeError("odd")

    __hash__ = None

    def __repr__(self):
        raise RuntimeError("odd")


def odd(input, ctx, outside):
    return _Odd()


class _Base(BaseException):
    pass


def base(input, ctx, outside):
    raise _Base("stop")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "answer", [raises, exits, swallows, endless, recursive, odd, base], ids=lambda each: each.__name__
)
def test_bad_manners_are_verdicts(answer, language):
    verdict = check(PAY, answer, language=language)
    assert not verdict.passed and verdict.code and verdict.headline


def test_somebody_can_stop_it():
    def pay(input, ctx, outside):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        check(PAY, pay)


def loop(input, ctx, outside):
    while True:
        pass


@pytest.mark.skipif(not hasattr(signal, "ITIMER_VIRTUAL"), reason="no timer of processor time here")
def test_an_endless_loop_is_stopped():
    before = signal.getsignal(signal.SIGVTALRM)
    verdict = check(PAY, loop, seconds=0.2)
    assert verdict.code == "too-long" and "0.2 seconds" in verdict.headline
    assert signal.getsignal(signal.SIGVTALRM) == before
    assert check(TWICE, lambda number: loop(1, 2, 3), seconds=0.2, language="zh").code == "too-long"


def test_in_another_thread_it_is_checked_without_a_timer():
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(check, PAY, solution).result().passed
    assert check(PAY, solution, seconds=None).passed


# -- judged


@pytest.mark.parametrize("language", LANGUAGES)
def test_judged_answers(language):
    verdict = check(TWICE, lambda number: number + number, language=language)
    assert verdict.passed and verdict.tried == 20 and verdict.next == TWICE.good.get(language)
    verdict = check(TWICE, {0: 0, 1: 2, 2: 4, 3: 6, 4: 8}.get, language=language)
    assert not verdict.passed and verdict.code == "not-twice"
    assert verdict.next == TWICE.hints["not-twice"].get(language)
    assert check(TWICE, None, language=language).code == "not-a-function"
    assert check(TWICE, lambda: 1, language=language).code == "parameters"


def test_a_lesson_that_is_not_there():
    with pytest.raises(NotFound, match="'77'"):
        check("77", solution)


def test_every_failure_has_a_short_name_for_the_class():
    from eve_replay.workshop.explain.diagnose import DIAGNOSES
    from eve_replay.workshop.grading.remarks import CODES, REMARKS

    assert set(DIAGNOSES) <= set(CODES)
    assert {code for each in tasks().values() for code in each.hints} <= set(CODES)
    assert {code.removesuffix("-next") for code in REMARKS if code.endswith("-next")} <= set(CODES)

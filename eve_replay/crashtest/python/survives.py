"""Kill a function at every point that matters, in every way up to a bound, and tell the shortest failure."""

from __future__ import annotations

import functools
import inspect
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NoReturn, ParamSpec
from unittest.mock import patch

from eve_replay.crashtest.python.declared import World, acting, outside
from eve_replay.crashtest.python.promises import Wanted, once
from eve_replay.errors import WrongUse
from eve_replay.recovery.strategies import ModelAnswer
from eve_replay.views.kit.safe import safe_text
from eve_replay.workshop.engine.explore import Report, explore
from eve_replay.workshop.engine.runtime import run
from eve_replay.workshop.engine.tools import Context
from eve_replay.workshop.model import Ask, Breach, Case, Moment, Outcome, Turn

__all__ = ["Broken", "Inconclusive", "Survived", "crash_test", "survives"]

P = ParamSpec("P")
Runtime = Literal["eve", "flue", "none"]
_BASIS = "Implied: simulated by the recovery rules of docs/evidence; the clients are as they were declared."
_FAULTS = {
    "crash-before": "the process dies before it",
    "crash-in-flight": "the process dies while it is on its way; it lands late",
    "crash-after": "it is carried out, and the process dies before the answer",
}


class Broken(AssertionError):
    """A promise was broken: the message is the story of the shortest way found."""


class Inconclusive(AssertionError):
    """It could not be told whether the promises hold. Never a pass."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Survived:
    """All promises held under every schedule within the bound.

    Attributes:
        schedules: how many were run.
        crashes: faults in one schedule at most.
        effects: effects of the run without a crash.
        notes: what this does not prove.
    """

    schedules: int
    crashes: int
    effects: int
    notes: tuple[str, ...]


def crash_test(
    function: Callable[[], object],
    promises: Sequence[Wanted],
    *,
    crashes: int = 2,
    runtime: Runtime = "eve",
    model: ModelAnswer = "new-ids",
    budget: int = 20_000,
) -> Survived:
    """Run a function (async too) as a tool that a durable runtime calls, and crash it everywhere.

    Only functions declared with :func:`~eve_replay.crashtest.python.outside` are simulated; anything else it
    calls really runs, once per schedule, but sockets of Python are refused meanwhile.

    Args:
        function: takes nothing: bind its input before.
        promises: what must hold.
        crashes: how many in one schedule at most.
        runtime: whose rules recover it; ``none``: no durable runtime, somebody starts all of it again.
        model: what the model does when it is asked again.
        budget: schedules that are run at most.

    Raises:
        WrongUse: no promise is given, or no crash asked for.
        Broken: a promise was broken.
        Inconclusive: it fails without a crash, does nothing a promise is about, or the budget ran out.
    """
    if not promises or crashes < 1:
        raise WrongUse("A crash test needs a promise and at least one crash.")
    _self_test(runtime)
    with (
        patch.object(socket.socket, "connect", _refused),
        patch.object(socket.socket, "connect_ex", _refused),
    ):
        peaceful, report = _tried(function, promises, crashes, runtime, model, budget)
    if report.failing is not None and not report.failing.schedule and _did(report.failing) != _did(peaceful):
        raise Inconclusive(
            "A second run without any crash went another way than the first: the function keeps state that "
            "was not declared (a file, a database, a global). Make it anew in each call, or declare it with "
            "@outside."
        )
    if report.failing is not None:
        raise Broken(_story(function, report, report.breach or Breach(code="unclear")))
    if not report.complete:
        raise Inconclusive(f"{report.tried:,} schedules were run and nothing broke, but there are more.")
    notes = [_BASIS]
    if not peaceful.ledger:
        notes.append("It did nothing outside, so there was nothing that could break.")
    elif not any(each.key for each in peaceful.ledger):
        notes.append("No effect carried a key: what holds here may rest on timing that a provider decides.")
    return Survived(schedules=report.tried, crashes=crashes, effects=len(peaceful.ledger), notes=tuple(notes))


def survives(
    *,
    promises: Sequence[Wanted],
    crashes: int = 2,
    runtime: Runtime = "eve",
    model: ModelAnswer = "new-ids",
    budget: int = 20_000,
) -> Callable[[Callable[P, object]], Callable[P, None]]:
    """Make a test of a function: calling it crashes the body everywhere. Arguments (fixtures) go through.

    Args:
        promises: what must hold, as for :func:`crash_test`.
        crashes: how many in one schedule at most.
        runtime: whose rules recover it.
        model: what the model does when it is asked again.
        budget: schedules that are run at most.
    """

    def decorate(function: Callable[P, object]) -> Callable[P, None]:
        @functools.wraps(function)
        def test(*args: P.args, **kwargs: P.kwargs) -> None:
            if inspect.iscoroutinefunction(function):

                async def waited() -> object:
                    return await function(*args, **kwargs)

                body: Callable[[], object] = waited
            else:

                def body() -> object:
                    return function(*args, **kwargs)

            body.__name__ = function.__name__
            crash_test(body, promises, crashes=crashes, runtime=runtime, model=model, budget=budget)

        return test

    return decorate


def _refused(_socket: object, address: object) -> NoReturn:
    raise ConnectionRefusedError(f"a crash test connects to nothing ({address}): declare it with @outside")


def _tried(
    function: Callable[[], object],
    promises: Sequence[Wanted],
    crashes: int,
    runtime: Runtime,
    model: ModelAnswer,
    budget: int,
) -> tuple[Outcome, Report]:
    name = getattr(function, "__name__", "tool")
    answers = ((Ask(tool=name, input={}),),)
    case = Case(name="own", turns=(Turn(message="", answers=answers),), model=model, runtime=runtime)
    tools = {name: _tool(function)}
    peaceful = run(tools, case, make_outside=World)
    threw = [each.facts for each in peaceful.trace if each.kind == "threw"]
    if threw:
        error = safe_text(str(next(iter(peaceful.results.values()), threw[0])))
        raise Inconclusive(f"{name} fails without a crash: {error}")
    if peaceful.ended != "completed":
        raise Inconclusive(f"Without a crash it does not end: {peaceful.ended}.")
    did = {each.effect for each in peaceful.ledger}
    for wanted in promises:
        if wanted.effect and wanted.effect not in did:
            raise Inconclusive(f"Without a crash there is no effect {wanted.effect!r}: {sorted(did)}.")
    held = [each.against(peaceful) for each in promises]
    return peaceful, explore(tools, case, [*held, _ends], crashes=crashes, budget=budget, make_outside=World)


def _tool(function: Callable[[], object]) -> Callable[..., object]:
    if inspect.iscoroutinefunction(function):

        async def waited(input: object, ctx: Context, world: World) -> object:
            with acting(world, ctx.call_id):
                return _plain(await function())

        return waited

    def tool(input: object, ctx: Context, world: World) -> object:
        with acting(world, ctx.call_id):
            return _plain(function())

    return tool


def _plain(value: object) -> object:
    """What a test returns is no result of a tool: only plain data reaches the model."""
    return value if isinstance(value, (str, int, float, bool, dict, list)) else None


def _ends(outcome: Outcome) -> Breach | None:
    if outcome.ended == "completed":
        return None
    return Breach(code=outcome.ended, facts={"words": f"it does not end: {outcome.ended}"})


def _did(outcome: Outcome) -> list[tuple[str, dict[str, object]]]:
    """Return what was done outside, without what differs from run to run."""
    return [(entry.effect, dict(entry.fields)) for entry in outcome.ledger]


@functools.cache
def _self_test(runtime: Runtime) -> None:
    """A charge without a key must fail, or the harness sees nothing."""

    @outside("self_test_charge")
    def charge(order: str) -> None: ...

    _, report = _tried(lambda: charge("o-1"), [once("self_test_charge")], 1, runtime, "new-ids", 500)
    if report.failing is None:
        raise Inconclusive(f"The self-test failed: under {runtime} a charge without a key was not caught.")


def _story(function: Callable[[], object], report: Report, breach: Breach) -> str:
    outcome = report.failing
    assert outcome is not None
    name = getattr(function, "__name__", "tool")
    lines = [f"{name}: {breach.facts.get('words', breach.code)} ({report.tried:,} schedules tried)"]
    for each in outcome.trace:
        line = _told(each)
        if line:
            lines.append(f"  process {each.process}: {line}")
    lines.append("  the outside's own ledger:" if outcome.ledger else "  the outside's own ledger is empty")
    for entry in outcome.ledger:
        key = f"key {entry.key}" if entry.key else "no key"
        lines.append(f"    {entry.effect} {dict(entry.fields)} ({key}, process {entry.process})")
    return "\n".join(safe_text(each) for each in [*lines, f"  {_BASIS}"])


def _told(moment: Moment) -> str:
    if moment.kind == "call":
        facts = ", ".join(f"{name}={value!r}" for name, value in moment.facts.items())
        fault = _FAULTS.get(moment.fault or "", "")
        return f"{moment.method}({facts})" + (f": {fault}" if fault else "")
    if moment.fault:
        return f"dies at {moment.kind}"
    if moment.kind == "landed":
        return f"{moment.method} lands now"
    if moment.kind == "threw":
        return f"raises {moment.facts.get('type', 'an error')}"
    return "starts again" if moment.kind == "start" and moment.process > 1 else ""

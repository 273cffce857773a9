"""Clients that are declared: in a crash test they go over the simulated wire, else they are themselves."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any, ParamSpec, TypeVar

from eve_replay.errors import WrongUse
from eve_replay.workshop.engine.rows import jsonable
from eve_replay.workshop.wire import Call, Wire

__all__ = ["World", "acting", "call_id", "outside"]

P = ParamSpec("P")
T = TypeVar("T")
Answer = Callable[..., object]


class World:
    """What outlives a simulated process: effects by name, and the answers given to keys. One per run."""

    __slots__ = ("answers", "did", "wire")

    def __init__(
        self, wire: Wire, setting: Mapping[str, Mapping[str, object]] = MappingProxyType({})
    ) -> None:
        self.wire = wire
        self.did: dict[str, list[Mapping[str, object]]] = {}
        self.answers: dict[tuple[str, str], object] = {}

    def settle(self) -> None:
        """Nothing works by itself in it."""


_NOW: ContextVar[tuple[World, str] | None] = ContextVar("crash_test_world", default=None)


@contextmanager
def acting(world: World, call: str) -> Iterator[None]:
    """Send what declared clients are asked meanwhile to a world."""
    token = _NOW.set((world, call))
    try:
        yield
    finally:
        _NOW.reset(token)


def call_id() -> str:
    """Return the id of the model's call that is being answered: minted anew when the model is asked again.

    Raises:
        WrongUse: no crash test is running.
    """
    now = _NOW.get()
    if now is None:
        raise WrongUse("There is a call id only inside a crash test.")
    return now[1]


def outside(
    effect: str = "",
    *,
    key: str = "",
    reads: bool = False,
    slow: bool = True,
    answer: object = None,
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Declare a function (async too) that acts outside the process; a crash test never runs its body.

    Args:
        effect: what it does, as promises name it; by default the function's name.
        key: its parameter that is an idempotency key the provider honours; empty where none is.
        reads: it only looks.
        slow: what it sends can still be on its way when the process dies, and land later.
        answer: what it returns in a crash test: a plain value, or ``answer(did, arguments)``, which gets the
            effects so far by name (each the arguments it came with).

    Raises:
        WrongUse: the function has no such parameter.
    """

    def declare(function: Callable[P, T]) -> Callable[P, T]:
        name = effect or getattr(function, "__name__", "call")
        signature = inspect.signature(function)
        if key and key not in signature.parameters:
            raise WrongUse(f"{name} has no parameter {key!r} that could be its key.")

        def simulated(world: World, *args: P.args, **kwargs: P.kwargs) -> Any:
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            facts = {each: jsonable(value) for each, value in bound.arguments.items()}
            return _over(world, name, facts, facts.get(key) if key else None, reads, slow, answer)

        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def waited(*args: P.args, **kwargs: P.kwargs) -> Any:
                now = _NOW.get()
                if now is None:
                    return await function(*args, **kwargs)
                return simulated(now[0], *args, **kwargs)

            return waited  # type: ignore[return-value]

        @functools.wraps(function)
        def called(*args: P.args, **kwargs: P.kwargs) -> T:
            now = _NOW.get()
            return function(*args, **kwargs) if now is None else simulated(now[0], *args, **kwargs)

        return called

    return declare


def _over(
    world: World,
    name: str,
    facts: Mapping[str, object],
    key: object,
    reads: bool,
    slow: bool,
    answer: object,
) -> object:
    known = None if key is None else str(key)

    def act() -> object:
        if known is not None and (name, known) in world.answers:
            return world.answers[name, known]
        if not reads:
            world.wire.happened("outside", name, facts, known)
            world.did.setdefault(name, []).append(facts)
        told = answer(_copied(world.did), dict(facts)) if callable(answer) else answer
        if known is not None:
            world.answers[name, known] = told
        return told

    told = {**facts, **({} if known is None else {"key": known})}
    call = Call(service="outside", method=name, facts=told, reads=reads, slow=slow and not reads)
    return world.wire.call(call, act)


def _copied(did: Mapping[str, Sequence[Mapping[str, object]]]) -> dict[str, list[dict[str, object]]]:
    return {name: [dict(each) for each in those] for name, those in did.items()}

"""What a tool is handed and how it is called: its context; ``async`` functions without a loop."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator
from typing import Any

from eve_replay.workshop.engine.machine import Machine

__all__ = ["DONE", "Context", "Done", "drive"]


class Done:
    """Awaited or not, it has happened already."""

    __slots__ = ()

    def __await__(self) -> Generator[Any, None, None]:
        yield from ()


_ELSE = "only what comes from ctx and outside can be awaited here"
#: How often a coroutine may catch that and go on waiting.
_PATIENCE = 100
#: What ``await ctx.sleep(...)`` waits for.
DONE = Done()


class Context:
    """What a tool knows about the call it is answering.

    eve hands a tool the first group. The second group it does not hand over, though its journal holds them:
    they are here because lessons ask what could be a key. There is no attempt number: eve gives none.

    Attributes:
        session_id, run_id: of the session (the same here), stays for ever.
        turn_id: ``turn_0``, ``turn_1`` ...
        call_id: id of this call, out of the model's answer; another answer has other ids.
        step_index: number of the model call in the turn.
        position: place of the call in the answer, from 0.
        tool: name of the tool.
    """

    __slots__ = (
        "_machine",
        "call_id",
        "position",
        "run_id",
        "session_id",
        "step_index",
        "tool",
        "turn_id",
    )

    def __init__(
        self,
        machine: Machine,
        *,
        session_id: str,
        turn_id: str,
        call_id: str,
        step_index: int,
        position: int,
        tool: str,
    ) -> None:
        self._machine = machine
        self.session_id = self.run_id = session_id
        self.turn_id, self.call_id = turn_id, call_id
        self.step_index, self.position, self.tool = step_index, position, tool

    @property
    def now(self) -> float:
        """Simulated seconds since the beginning of the case."""
        return self._machine.seconds

    def sleep(self, seconds: float) -> Done:
        """Wait; the process can die meanwhile. ``await`` it or not."""
        self._machine.count()
        self._machine.moment("pause", {"seconds": seconds})
        self._machine.seconds += max(0.0, float(seconds))
        return DONE

    def note(self, text: object) -> None:
        """Write a line into the story; nobody else sees it."""
        if self._machine.gone is None:
            self._machine.count()
            self._machine.note("note", {"text": str(text)})

    def __repr__(self) -> str:
        names = ("session_id", "turn_id", "call_id", "step_index", "position", "tool")
        return ", ".join(f"{name}={getattr(self, name)!r}" for name in names)


def drive(function: Callable[..., object], *args: object) -> object:
    """Call a function; an ``async`` one is driven to its end without an event loop.

    Everything of the workshop is there at once when it is awaited. Something else that really waits (another
    library's future) gets a RuntimeError that says so.
    """
    value = function(*args)
    if inspect.iscoroutine(value):
        return _driven(value)
    if hasattr(value, "__await__") and not isinstance(value, (dict, list, int, str)):
        return _driven(_awaiting(value))
    return value


async def _awaiting(value: Any) -> object:
    return await value


def _driven(coroutine: Any) -> object:
    try:
        coroutine.send(None)
        for _ in range(_PATIENCE):
            coroutine.throw(RuntimeError(_ELSE))
        raise RuntimeError(_ELSE)
    except StopIteration as end:
        return end.value
    finally:
        coroutine.close()

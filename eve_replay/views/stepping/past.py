"""What was known at a moment: the state in force, and how far each effect had come."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from eve_replay.brief import Brief
from eve_replay.codec import Payload, parse_path
from eve_replay.codec.devalue.lazy import step_into
from eve_replay.errors import WrongUse
from eve_replay.journal import Run, Step
from eve_replay.journal.effects.build import Effect
from eve_replay.journal.effects.executions import Executions
from eve_replay.journal.state import State, state_after, state_before
from eve_replay.values import UNDEFINED

__all__ = ["ABSENT", "Absent", "Boundary", "EffectThen", "StateThen", "read_state"]


class Absent:
    """What is not there. It equals nothing, is neither more nor less than anything, and is false."""

    __slots__ = ()
    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        return False

    def _never(self, other: object) -> bool:
        return False

    __eq__ = __lt__ = __le__ = __gt__ = __ge__ = _never

    def __ne__(self, other: object) -> bool:
        return True

    def __contains__(self, item: object) -> bool:
        return False

    def __len__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return "<not there>"


ABSENT = Absent()


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class EffectThen(Brief):
    """One effect as far as it had come.

    Attributes:
        effect: the effect as the whole journal tells it, later attempts included.
        tool: its tool or step function.
        executions: how often it had run by then: results recorded, and requests made.
    """

    _told: ClassVar[tuple[str, ...]] = ("tool", "executions")

    effect: Effect
    executions: Executions

    @property
    def tool(self) -> str:
        """Tool name, or the step function's short name."""
        return self.effect.tool


@dataclass(frozen=True, slots=True, kw_only=True)
class Boundary:
    """Where a state came into force: ``step`` was given it, or ``left`` it; ``index`` is the moment."""

    index: int
    step: Step
    left: bool


class StateThen:
    """The state in force at a moment. Nothing is decoded before something of it is asked for.

    In eve it is the newest checkpoint: what the running step was given, or what the last one left. A workflow
    has no checkpoint but its log: there ``input`` is what the run was given, and ``results`` what each step
    function had returned, by its name (the last one of a name).

    Args:
        boundaries: the places up to the moment where a state came into force, oldest first.
        run: the run that owns the moment, for its input.
        results: the committed steps up to the moment, oldest first.
        read: reads the state at a boundary; shared by all moments of a walk.
    """

    __slots__ = ("_boundaries", "_parts", "_read", "_results", "_run")

    def __init__(
        self,
        boundaries: Sequence[Boundary],
        run: Run | None,
        results: Callable[[], Sequence[Step]],
        read: Callable[[Boundary], State | None],
    ) -> None:
        self._boundaries, self._run, self._results, self._read = boundaries, run, results, read
        self._parts: dict[str, object] | None = None

    @property
    def parts(self) -> Mapping[str, object]:
        """``sessionState``, ``serializedContext``, ``history``; of a workflow ``input`` and ``results``."""
        if self._parts is None:
            self._parts = self._checkpoint() or self._workflow()
        return self._parts

    @property
    def stored(self) -> object:
        """What the tools of an eve session keep in it."""
        return _inside(self.parts, ("sessionState", "snapshot", "session", "state"))

    @property
    def history(self) -> Sequence[object]:
        """The messages that the model is given, as the model library holds them; empty for a workflow."""
        found = self.parts.get("history")
        return found if isinstance(found, list) else ()

    def at(self, path: str) -> object:
        """Return the value at a path, ``ABSENT`` where there is none.

        Args:
            path: ``"$.sessionState.snapshot..."``; a path that begins at none of the parts is looked for in
                what tools stored (``"$.cart.total"``), of a workflow in its first argument and its results.

        Raises:
            WrongUse: the text is no path.
        """
        steps = parse_path(path)
        if steps is None:
            raise WrongUse(f"{path!r} is no path.", hint='Write it like $.cart["odd key"][0].')
        first = _inside(self.parts, ("input", 0))
        for root in (self.parts, self.stored, first, self.parts.get("results")):
            found = _inside(root, steps)
            if found is not UNDEFINED and found is not ABSENT:
                return found
        return ABSENT

    def __repr__(self) -> str:
        return f"StateThen({', '.join(self.parts)})"

    def _checkpoint(self) -> dict[str, object]:
        parts: dict[str, object] = {}
        for boundary in reversed(self._boundaries):
            state = self._read(boundary)
            if state is None:
                continue
            for name, value in state.parts().items():
                if name in state.given:
                    parts.setdefault(name, value)
            if len(parts) == 3:
                break
        return parts

    def _workflow(self) -> dict[str, object]:
        given = self._run.record.payload("input") if self._run is not None else None
        steps = [step for step in self._results() if step.kind == "function"]
        return {
            "input": UNDEFINED if given is None else given.shared,
            "results": _Results({step.function: step.output for step in steps if step.output is not None}),
        }


class _Results(Mapping[str, object]):
    """What step functions returned, by name; each is decoded when it is looked at."""

    def __init__(self, payloads: Mapping[str, Payload]) -> None:
        self._payloads = payloads

    def __getitem__(self, name: str) -> object:
        return self._payloads[name].shared

    def __iter__(self) -> Iterator[str]:
        return iter(self._payloads)

    def __len__(self) -> int:
        return len(self._payloads)


def read_state(boundary: Boundary) -> State | None:
    """Return the state at a boundary, None where the step carries none."""
    before = state_before(boundary.step)
    return state_after(boundary.step, before) if boundary.left else before


def _inside(value: object, steps: Sequence[str | int]) -> object:
    for step in steps:
        if isinstance(value, _Results):
            value = value[step] if isinstance(step, str) and step in value else ABSENT
        elif value is UNDEFINED or value is ABSENT or value is None:
            return ABSENT
        else:
            value = step_into(value, step)
    return value

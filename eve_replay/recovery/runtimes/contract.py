"""The contract of a runtime: the same tests for every one, those of other packages included.

Use in a test file::

    from eve_replay.recovery.runtimes.contract import RuntimeContract

    class TestMine(RuntimeContract):
        def runtime(self):
            return MyRuntime()

or ``check_runtime(MyRuntime())`` anywhere: it returns the rules that hold and raises at the first broken one.
"""

from __future__ import annotations

from collections.abc import Iterator

from eve_replay.recovery.environment import Environment
from eve_replay.recovery.environment import environment as named_environment
from eve_replay.recovery.runtimes.base import Course, Runtime
from eve_replay.recovery.runtimes.judged import check_course
from eve_replay.recovery.situation import NEVER, ONCE, UNSURE, EffectState, RunState, Situation, StepState
from eve_replay.recovery.strategies import ModelAnswer

__all__ = ["RuntimeContract", "check_runtime", "situations"]

_MODELS: tuple[ModelAnswer, ...] = ("same", "new-ids", "other")


def situations() -> Iterator[tuple[str, Situation]]:
    """Yield named situations: at rest, before, inside and after a step, after a commit, nothing."""
    for name, code, before, open_turn in (
        ("at rest", "done", ONCE, False),
        ("before its step", "B", NEVER, True),
        ("inside its call", "D", UNSURE, True),
        ("its call returned, its step open", "D", ONCE, True),
        ("its step committed, the turn open", "done", ONCE, True),
    ):
        step = StepState(
            step_id="step_1",
            run=0,
            function="charge",
            role="function",
            code=code,  # type: ignore[arg-type]  # one of its words
            starts=0 if code == "B" else 1,
        )
        run = RunState(index=0, run_id="run_1", role="workflow", code="running", steps=[step])
        effects = [
            EffectState(tool="charge", kind="step", call_id=None, before=before, step=step),
            EffectState(tool="charge", kind="tool", call_id="call_1", before=before, step=step),
            EffectState(tool="charge", kind="tool", call_id="call_1", before=before, step=step),
        ]
        yield (
            name,
            Situation(
                session_id="run_1", turn_id=None, runs=[run], effects=effects, open_turn=open_turn, plain=True
            ),
        )
    yield (
        "nothing at all",
        Situation(
            session_id="run_1",
            turn_id=None,
            runs=[RunState(index=0, run_id="run_1", role="workflow", code="done")],
            effects=[],
            open_turn=False,
        ),
    )


class RuntimeContract:
    """The rules of the Runtime protocol. Override ``runtime``."""

    def runtime(self) -> Runtime:
        """Return the runtime to test."""
        raise NotImplementedError("Override runtime() to return the runtime to test.")

    def _environment(self) -> Environment:
        return named_environment(self.runtime().environment)

    def _courses(self) -> Iterator[tuple[str, Situation, Course]]:
        runtime, environment = self.runtime(), self._environment()
        for name, situation in situations():
            for model in _MODELS:
                yield name, situation, runtime.recover(situation, environment, model)

    def test_it_is_a_runtime(self) -> None:
        """It has the protocol's parts: a name, words, a source, the name of an environment."""
        runtime = self.runtime()
        assert isinstance(runtime, Runtime), "a part of the Runtime protocol is missing"
        for part in ("name", "words", "source", "environment"):
            assert getattr(runtime, part), f"{part} is a text that is not empty"
        self._environment()

    def test_everything_gets_an_answer(self) -> None:
        """Every step has one fate and every effect one future, with ranges that are ranges."""
        for name, situation, course in self._courses():
            assert isinstance(course, Course), f"recover() returns a Course ({name})"
            check_course(course, situation, self.runtime().name)

    def test_two_calls_that_look_alike_stay_two(self) -> None:
        """Calls with one tool and one id are told apart: each has a future of its own."""
        for name, situation, course in self._courses():
            assert len(course.futures) == len(situation.effects), name

    def test_nothing_comes_after_the_end(self) -> None:
        """Where nothing is open, recovery adds nothing."""
        for name, situation, course in self._courses():
            if not situation.open_turn and not situation.message_lost:
                assert course.outcome == "nothing-open", name
                assert all(future.after.max == 0 for future in course.futures), name

    def test_the_situation_stays_as_it_was(self) -> None:
        """A runtime looks, and changes nothing: a situation is shared by many questions."""
        runtime, environment = self.runtime(), self._environment()
        for name, situation in situations():
            before = repr(situation)
            runtime.recover(situation, environment, "same")
            assert repr(situation) == before, f"the situation was changed ({name})"

    def test_the_same_question_gets_the_same_answer(self) -> None:
        """No clock and no chance: asked twice, it says the same."""
        runtime, environment = self.runtime(), self._environment()
        for name, situation in situations():
            first = runtime.recover(situation, environment, "same")
            second = runtime.recover(situation, environment, "same")
            said = [(f.after, f.missed, f.again, f.rule) for f in first.futures]
            assert said == [(f.after, f.missed, f.again, f.rule) for f in second.futures], name
            assert first.outcome == second.outcome, name


def check_runtime(runtime: Runtime) -> list[str]:
    """Run the whole contract and return the rules that hold. Raises AssertionError or WrongUse."""
    contract = RuntimeContract()
    contract.runtime = lambda: runtime  # type: ignore[method-assign]
    names = [name for name in dir(RuntimeContract) if name.startswith("test_")]
    for name in names:
        getattr(contract, name)()
    return names

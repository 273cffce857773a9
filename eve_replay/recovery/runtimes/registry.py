"""The runtimes there are, by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from eve_replay.errors import WrongUse
from eve_replay.recovery.runtimes.base import Runtime
from eve_replay.recovery.runtimes.eve.flow import Flow
from eve_replay.recovery.runtimes.eve.flow import flow_of as eve_flow
from eve_replay.recovery.runtimes.eve.runtime import EveRuntime, WorkflowSdkRuntime
from eve_replay.recovery.runtimes.none import NoRuntime
from eve_replay.recovery.runtimes.python_sdk import PythonSdkRuntime, python_flow
from eve_replay.recovery.situation import Situation

__all__ = [
    "ENTRY_POINT_GROUP",
    "OWN",
    "added_runtimes",
    "comparable",
    "flow_of",
    "runtime_named",
    "runtime_of",
    "runtimes",
]

ENTRY_POINT_GROUP = "eve_replay.runtimes"

#: Framework -> the runtime whose rules hold for it; eve's for all others.
_RULES_OF = {name: name for name in ("workflow-sdk", "python-sdk", "flue")}
#: Of these a journal brings its own; the others say nothing about it.
_WORKFLOWS = frozenset({"eve", "workflow-sdk", "python-sdk"})


class _OwnRules(EveRuntime):
    """Eve's rules, taken because nobody named any: a journal of another framework brings its own."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EveRuntime)

    def __hash__(self) -> int:
        return hash(EveRuntime)


#: What a question has whose runtime nobody named.
OWN: Runtime = _OwnRules()


class _Runtimes(Mapping[str, Runtime]):
    """Runtimes by name; Flue's rules are loaded when somebody asks for them, and not by an eve journal."""

    def __getitem__(self, name: str) -> Runtime:
        return _loaded(name)

    def __iter__(self) -> Iterator[str]:
        return iter(_NAMES)

    def __len__(self) -> int:
        return len(_NAMES)

    def __contains__(self, name: object) -> bool:
        return name in _NAMES


_NAMES = ("eve", "workflow-sdk", "python-sdk", "flue", "none")


@cache
def _loaded(name: str) -> Runtime:
    if name == "flue":
        from eve_replay.recovery.runtimes.flue import FlueRuntime

        return FlueRuntime()
    own = (EveRuntime(), WorkflowSdkRuntime(), PythonSdkRuntime(), NoRuntime())
    return {each.name: each for each in own}[name]


def runtimes() -> Mapping[str, Runtime]:
    """Return the runtimes by name."""
    return _RUNTIMES


_RUNTIMES = _Runtimes()


def runtime_named(name: str) -> Runtime:
    """Return a runtime by name. Raises WrongUse with the names there are."""
    known = runtimes()
    wanted = name.strip().lower()
    wanted = {
        "workflow": "workflow-sdk",
        "sdk": "workflow-sdk",
        "python": "python-sdk",
        "plain": "none",
    }.get(wanted, wanted)
    if wanted in known:
        return known[wanted]
    added = added_runtimes()
    if wanted in added:
        return added[wanted]
    raise WrongUse(f"There is no runtime {name!r}.", hint=f"Use one of {', '.join((*known, *added))}.")


@cache
def added_runtimes() -> Mapping[str, Runtime]:
    """Return the runtimes of other packages, by the name that each gives itself.

    Raises:
        WrongUse: an entry point that cannot be loaded, or that is no runtime; the message names its package.
    """
    from importlib.metadata import entry_points  # not in a browser's grader: it loads sockets

    found: dict[str, Runtime] = {}
    for point in entry_points(group=ENTRY_POINT_GROUP):
        where = f"The entry point {point.name!r} of {point.dist.name if point.dist else 'a package'}"
        try:
            made = point.load()
        except Exception as error:
            raise WrongUse(f"{where} cannot be loaded: {type(error).__name__}: {error}.") from error
        made = made() if isinstance(made, type) else made
        if not isinstance(made, Runtime):
            raise WrongUse(
                f"{where} is no runtime: {type(made).__name__} lacks a part of the protocol.",
                hint="It needs name, words, source, environment and recover(situation, environment, model).",
            )
        found[made.name.strip().lower()] = made
    return found


def runtime_of(framework: str) -> Runtime:
    """Return whose recovery rules hold for what a framework wrote."""
    return runtimes()[_RULES_OF.get(framework, "eve")]


def comparable(framework: str) -> tuple[str, ...]:
    """Return the runtimes that a run of a framework can be asked about: its own, and those of other kinds.

    The rules of the Python SDK say nothing about an eve turn, nor eve's about a run of the Python SDK. What
    another kind of framework recorded is asked under eve's.
    """
    own = runtime_of(framework).name
    strange = _WORKFLOWS - {own if own in _WORKFLOWS else "eve"}
    return tuple(sorted((name for name in runtimes() if name not in strange), key=lambda name: name != own))


def flow_of(situation: Situation) -> Flow:
    """Return how far each run of a situation gets, by the rules of the runtime that wrote it."""
    return python_flow(situation) if situation.framework == "python-sdk" else eve_flow(situation)

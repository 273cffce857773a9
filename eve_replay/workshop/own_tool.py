"""A crash test of a learner's own tool: what it does without a crash, it must do once with any.

Nobody has to say what the tool is for. It is run once in peace; whatever the outside's ledger holds then is
what was wanted. After that it is killed at every point, twice if need be, and each of these must still be
there exactly once. The verdict is the same as a lesson's: the shortest way in which it fails, as a story.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from eve_replay.errors import WrongUse
from eve_replay.recovery.strategies import ModelAnswer
from eve_replay.workshop.engine.runtime import run
from eve_replay.workshop.grading.check import check
from eve_replay.workshop.model import Ask, Case, Deed, Language, Text, Turn
from eve_replay.workshop.promises import each_deed_once, it_ends
from eve_replay.workshop.task import Task
from eve_replay.workshop.verdict import Verdict

__all__ = ["crash_test"]

_GOOD = Text(
    "What it does without a crash, it does once with up to two. That rests on the outside being as it is"
    " simulated here: does your provider honour a key, and for how long?",
    "没有崩溃时做的事，崩溃两次也只做一次。这靠的是外部真像这里模拟的那样：你的服务商认键吗？认多久？",
)


def crash_test(
    tool: Callable[..., object],
    *inputs: Mapping[str, object],
    model: ModelAnswer = "new-ids",
    crashes: int = 2,
    language: Language = "en",
) -> Verdict:
    """Kill a tool at every point and say whether everything it does still happens once.

    Args:
        tool: ``tool(input, ctx, outside)``, as in the lessons.
        inputs: what the model calls it with, one call after the other in one turn.
        model: what the model does when it is asked again: ``new-ids`` is what real ones do.
        crashes: faults in a schedule at most.
        language: of the sentences.

    Raises:
        WrongUse: no input is given, or the tool does nothing outside even without a crash.
    """
    if not inputs:
        raise WrongUse("Say what the tool is called with.", hint='crash_test(pay, {"order": "ord_1"})')
    name = getattr(tool, "__name__", "tool")
    setting = {"mail": {"keys": True}}
    asks = tuple(Ask(tool=name, input=dict(each)) for each in inputs)
    case = Case(
        name="own",
        turns=(Turn(message="", answers=tuple((each,) for each in asks)),),
        model=model,
        setting=setting,
    )
    peaceful = run({name: tool}, case)
    if not peaceful.ledger and not any(each.kind == "threw" for each in peaceful.trace):
        raise WrongUse("Without a crash it does nothing outside: there is nothing that could happen twice.")
    wanted: dict[int, list[Deed]] = {}
    for entry in peaceful.ledger:
        match = {field: value for field, value in entry.fields.items() if field != "id"}
        words = ", ".join(str(value) for value in match.values())
        wanted.setdefault(entry.step, []).append(Deed(effect=entry.effect, match=match, words=words))
    answers = tuple((replace(ask, deeds=tuple(wanted.get(number, ()))),) for number, ask in enumerate(asks))
    whole = replace(case, turns=(Turn(message="", answers=answers),))
    exercise = Task(
        lesson="10",
        slug="own-tool",
        title=Text("Your own tool", "你自己的工具"),
        answer=name,
        cases=lambda _seed: (whole,),
        promises=(it_ends(), each_deed_once()),
        crashes=crashes,
        good=_GOOD,
    )
    return check(exercise, tool, language=language, seeds=(0,))

"""The rules of the recovery engine by name, each with where it was seen or is written."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from eve_replay.journal.model import Certainty
from eve_replay.recovery.words_python import PYTHON_RULES

__all__ = ["RULES", "RuleText"]


class RuleText(NamedTuple):
    """One rule: what it says, where that was seen or is written, how sure that is."""

    text: str
    source: str
    certainty: Certainty = "implied"


def _seen(text: str, source: str) -> RuleText:
    return RuleText(text, source, "implied")


RULES: Mapping[str, RuleText] = MappingProxyType(
    {
        "replayed": _seen(
            "A step whose end event is in the log is answered from its record: no model call, no tool, no "
            "event.",
            "docs/evidence/sweep.md#a",
        ),
        "D": _seen(
            "A step with a start and no end event runs again whole: the model is called again and every tool "
            "of it, also tools whose result is already on the stream. Its stream events appear again under "
            "new meta.ids.",
            "docs/evidence/sweep.md#d",
        ),
        "D-other": _seen(
            "The step runs again, and the model may ask for something else this time.",
            "docs/evidence/observed.md#call-ids",
        ),
        "R": _seen(
            "The body threw and is started again by its retry.",
            "docs/evidence/observed.md#throw-then-kill",
        ),
        "B": _seen(
            "The step is created and was not started: it runs at once, nothing ran before.",
            "docs/evidence/sweep.md#b",
        ),
        "C3": _seen(
            "The start was cut off before its event: it runs at once, nothing ran before. The record counts "
            "the aborted start, the log does not.",
            "docs/evidence/sweep.md#c3",
        ),
        "C1a": _seen(
            "Only the created lock of the step is there. The world refuses to create the step a second time "
            "and nothing else creates it: the run hangs. No effect is repeated.",
            "docs/evidence/sweep.md#c1a",
        ),
        "C1b": _seen(
            "Lock and record of the step are there, its step_created event is not. An inline step hangs for "
            "good; a queued one runs normally.",
            "docs/evidence/sweep.md#c1b",
        ),
        "F1": _seen(
            "The terminal lock is taken and the record does not say it ended: the body runs again at every "
            "wake-up (restart, message, approval) and can never commit. No attempt limit applies.",
            "docs/evidence/sweep.md#f1",
        ),
        "F2": _seen(
            "The record says the step ended and the end event is missing: the body does not run again, the "
            "run hangs. The stream may look healthy.",
            "docs/evidence/sweep.md#f2",
        ),
        "W1": _seen(
            "The sleep's created lock is there without its event: the run hangs.",
            "docs/evidence/sweep.md#wait",
        ),
        "W2": _seen(
            "The sleep's completed lock is there without its event: the run hangs.",
            "docs/evidence/sweep.md#wait",
        ),
        "ended-run": _seen(
            "Its run has ended: whatever is open in it, a step of an ended run never runs again.",
            "docs/evidence/fates.md#terminal-runs",
        ),
        "child-failed": _seen(
            "A run that the turn waits for has failed or was cancelled before its last word: no word will "
            "come, and the turn waits for ever.",
            "docs/evidence/fates.md#failed-children",
        ),
        "child-stuck": _seen(
            "The session of a subagent cannot go on, it has words left to say, and nobody can send a "
            "subagent "
            "a message: whoever waits for it waits for ever.",
            "docs/evidence/fates.md#words",
        ),
        "deaf-hook": _seen(
            "A tool run's hook is half written: its token file is there, its hook_created event is not. What "
            "is sent to it is swallowed (HookNotFoundError): the answer it waits for never comes.",
            "docs/evidence/fates.md#hooks-of-a-tool-run",
        ),
        "mute": _seen(
            "The inbox's hook_created event is in the log and its record was never written: what is "
            "under way "
            "goes on, and every message to the session is refused (409, session_not_ready).",
            "docs/evidence/fates.md#hooks-of-a-session",
        ),
        "gate-unknown": _seen(
            "The request had not been followed by a result or an approval request, and nothing tells "
            "that its "
            "tool asks nobody: run again, it may wait for a person instead.",
            "docs/evidence/fates.md#approvals",
        ),
        "held": _seen(
            "Approved calls of one answer run together, in the step that follows the last answer; every "
            "earlier step is answered `held` and runs none of them.",
            "docs/evidence/fates.md#approvals",
        ),
        "retry": _seen(
            "The body threw before. It runs again at once, and may throw again until its retries are "
            "used up.",
            "docs/evidence/fates.md#retries",
        ),
        "message-lost-beside": _seen(
            "A delivery beside a running turn never became an event: the turn goes on without it.",
            "docs/evidence/fates.md#lost-deliveries",
        ),
        "hang": _seen(
            "Nothing of a commit is repaired after a restart; messages are accepted and never processed.",
            "docs/evidence/sweep.md#writes",
        ),
        "side": _seen(
            "A half-committed step beside the turn: the running turn step ends, then the session stops until "
            "another message wakes it up.",
            "docs/evidence/sweep.md#side-step",
        ),
        "side-deaf": _seen(
            "A half-committed step beside a turn whose own step has not begun: the turn runs to its end by "
            "itself, then the session takes messages into its log and processes none.",
            "docs/evidence/fates.md#deaf-sessions",
        ),
        "child-again": _seen(
            "An interrupted dispatch whose child run is already recorded starts a second child, while the "
            "first lives on: every effect of the workflow tool twice, although no step ran twice.",
            "docs/evidence/sweep.md#dispatch",
        ),
        "dispatch-again": _seen(
            "The repeated dispatch starts another child run.",
            "docs/evidence/sweep.md#dispatch",
        ),
        "dispatch-F1": _seen(
            "The dispatch can never commit and starts another child run at every delivery, about one a "
            "second, as long as the server lives: the worst point of all.",
            "docs/evidence/sweep.md#dispatch",
        ),
        "F1-child": _seen(
            "A child of a dispatch that never commits.",
            "docs/evidence/sweep.md#dispatch",
        ),
        "R1": _seen(
            "The run record is there without run_created: the session starts and then fails with "
            "RUNTIME_ERROR.",
            "docs/evidence/sweep.md#run-record",
        ),
        "H1": _seen(
            "The inbox's token file names an event slot that another event has taken: the hook can never be "
            "created, and the run fails after 49 deliveries.",
            "docs/evidence/sweep.md#hook-token",
        ),
        "token-lock": _seen(
            "A hook-token lock folder was left: recovery waits until it is stale.",
            "docs/evidence/sweep.md#token-lock",
        ),
        "no-log": _seen(
            "Steps are recorded as ended and their events are not here: the log was not read, or is gone. "
            "Only the log decides what is replayed.",
            "docs/evidence/sweep.md#writes",
        ),
        "no-session": _seen(
            "Without a run record nothing exists and nothing is recovered.",
            "docs/evidence/sweep.md#message",
        ),
        "message-lost": _seen(
            "A message or approval whose hook_received event is not in the log is lost; the client saw its "
            "connection break and has to send it again.",
            "docs/evidence/sweep.md#message",
        ),
        "gate-approval": _seen(
            "A person has to allow it first.",
            "docs/evidence/observed.md#held",
        ),
        "gate-lost": _seen(
            "The request on the stream belongs to a step that is not committed. The step runs again and asks "
            "with a new request id; an answer to the old request is accepted and does nothing, the action is "
            "lost.",
            "docs/evidence/sweep.md#approval",
        ),
        "parked": _seen(
            "A parked session holds no compute: a crash while it waits loses nothing.",
            "docs/evidence/observed.md#parked",
        ),
        "timer": _seen(
            "A durable sleep keeps its original end time.",
            "docs/evidence/sweep.md#wait",
        ),
        "lease": _seen(
            "An inline step stays with its dead owner until its start plus the lease; the lease is an "
            "environment variable that the journal does not hold.",
            "docs/evidence/observed.md#lease",
        ),
        "budget": _seen(
            "A throw is recorded, so kills count: the next start is past the budget and fails without "
            "running the body.",
            "docs/evidence/observed.md#throw-then-kill",
        ),
        "model-new-ids": _seen(
            "The model is asked again and mints other call ids: a key made from the call id does not "
            "protect.",
            "docs/evidence/observed.md#call-ids",
        ),
        "model-other": _seen(
            "The model is asked again and may answer something else: what it asks for then is not known.",
            "docs/evidence/observed.md#call-ids",
        ),
        "environment": _seen(
            "In this environment nothing comes back by itself.",
            "docs/evidence/environments.md",
        ),
        "plain-loop": _seen(
            "Without durability the loop's memory is lost; the turn is started again from its message.",
            "docs/evidence/environments.md#no-runtime",
        ),
        "flue-kept": _seen(
            "A finished call is kept, a complete model message is kept.",
            "docs/evidence/flue.md#after-a-crash",
        ),
        "flue-interrupted": _seen(
            "A call without outcome is never run again; the model is told its outcome is unknown and may ask "
            "again.",
            "docs/evidence/flue.md#after-a-crash",
        ),
        "flue-undeclared": _seen(
            "The journal does not say whether the tool is durable: an ordinary call is never run again, a "
            "durable one runs again. An effects policy can declare it (class durable, or any other).",
            "docs/evidence/flue.md#durable-by-declaration",
        ),
        "flue-durable": _seen(
            "A durable tool runs again, its recorded steps are replayed.",
            "docs/evidence/flue.md#after-a-crash",
        ),
        "flue-step-window": _seen(
            "A step whose function had run and whose record had not landed runs again.",
            "docs/evidence/flue.md#after-a-crash",
        ),
        "flue-unfinished": _seen(
            "A message that was not whole is closed as aborted: no call of it was started, and the model is "
            "asked again.",
            "docs/evidence/flue.md#after-a-crash",
        ),
        "flue-continued": _seen(
            "The text that was durable is kept, and the model is asked to go on from it.",
            "docs/evidence/flue.md#after-a-crash",
        ),
        "flue-child": _seen(
            "A delegate whose conversation has its input is resumed by the same rules.",
            "docs/evidence/flue.md#after-a-crash",
        ),
        "flue-no-child": _seen(
            "A delegate whose conversation was not created never ran; its call is marked interrupted.",
            "docs/evidence/flue.md#after-a-crash",
        ),
        "flue-bare-child": _seen(
            "A delegate's conversation without its input fails the whole submission at once.",
            "docs/evidence/flue.md#after-a-crash",
        ),
        "flue-exhausted": _seen(
            "Its attempts are used up: every open call is marked, nothing runs, the submission fails.",
            "docs/evidence/flue.md#after-a-crash",
        ),
        "flue-deadline": _seen(
            "Its deadline comes before the takeover: every open call is marked, nothing runs, it fails.",
            "docs/evidence/flue.md#after-a-crash",
        ),
        "flue-abort": _seen(
            "Somebody asked to abort it: nothing runs any more, it is settled as aborted.",
            "docs/evidence/flue.md#after-a-crash",
        ),
        "flue-final": _seen(
            "The last answer is whole: it is settled as completed without a new attempt, and finish hooks do "
            "not run.",
            "docs/evidence/flue.md#after-a-crash",
        ),
        "flue-hooks": _seen(
            "Start hooks run again: what they do outside is done twice, their signals and state once.",
            "docs/evidence/flue.md#after-a-crash",
        ),
        "flue-lease": _seen(
            "Takeover needs the 30 s lease to run out.",
            "docs/evidence/flue.md#after-a-crash",
        ),
        "never-reached": _seen(
            "The crash came before it.",
            "docs/evidence/sweep.md#writes",
        ),
        "subagent": _seen(
            "The turn waits for a subagent, whose session has its own forecast.",
            "docs/evidence/observed.md#handoff",
        ),
        **{name: _seen(*said) for name, said in PYTHON_RULES.items()},
    }
)

"""The shapes of a plan: steps in the order in which a person should act, and what comes by itself.

Pure data. A command is text that a person may copy; nothing here runs one.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Literal

from eve_replay.journal.model import Certainty
from eve_replay.times import iso

__all__ = ["NO_PLAN", "About", "Does", "Next", "Place", "Plan", "PlanKind", "PlanStep", "Soon"]

PlanKind = Literal["act-now", "hold", "look-up", "undo", "safe-to-start", "wait"]
#: What a step asks to be done to the world; two steps of one plan that pull in opposite directions are a bug.
Does = Literal[
    "look", "undo", "keep-down", "stop-server", "start-server", "answer", "send", "reset", "repair", "wait"
]

#: The words of each kind, for people.
KIND_WORDS: dict[PlanKind, str] = {
    "act-now": "Do",
    "hold": "Hold",
    "look-up": "Look up",
    "undo": "Undo",
    "safe-to-start": "Then",
    "wait": "Wait",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What a step of the plan is about."""

    session_id: str
    run_id: str = ""
    tool: str = ""
    call_id: str = ""
    step_id: str = ""

    def to_json(self) -> dict[str, str]:
        """Return CONTRACT's ``{sessionId, tool?, callId?, stepId?}``."""
        parts = {"runId": self.run_id, "tool": self.tool, "callId": self.call_id, "stepId": self.step_id}
        return {"sessionId": self.session_id} | {name: value for name, value in parts.items() if value}


@dataclass(frozen=True, slots=True, kw_only=True)
class Next:
    """One complete command: ``kind`` is ``curl`` or ``shell``, ``words`` say what it does."""

    kind: Literal["curl", "shell"]
    command: str
    words: str = ""

    def to_json(self) -> dict[str, str]:
        """Return CONTRACT's ``{kind, command}`` (with ``words`` where there is a choice)."""
        out = {"kind": self.kind, "command": self.command}
        return out | ({"words": self.words} if self.words else {})


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanStep:
    """One thing to do.

    Attributes:
        kind: see ``PlanKind``; ``does`` what it asks for, see ``Does``.
        sentence: what, when, why, with the call's arguments.
        certainty: how sure the reason is.
        about: what it concerns.
        deadline: until when it can still be done, None without one.
        only_if: the condition under which it applies, in words; empty when it always does.
        commands: complete commands, the safest first; several are a choice.
        group: 0 harm that goes on, 1 harm that comes by itself, 2 harm done and unprotected or uncertain,
            3 harm behind a key, 4 the rest. Steps are in this order.
    """

    kind: PlanKind
    does: Does
    sentence: str
    certainty: Certainty = "implied"
    about: tuple[About, ...] = ()
    deadline: datetime | None = None
    only_if: str = ""
    commands: tuple[Next, ...] = ()
    group: int = 4

    @property
    def next(self) -> Next | None:
        """The first command, None when the step has none."""
        return self.commands[0] if self.commands else None

    @property
    def text(self) -> str:
        """Condition and sentence as one text."""
        return f"{self.only_if} {self.sentence}".strip()

    def to_json(self) -> dict[str, object]:
        """Return CONTRACT's entry of ``plan`` (fields added)."""
        out: dict[str, object] = {
            "kind": self.kind,
            "does": self.does,
            "sentence": self.text,
            "certainty": self.certainty,
            "about": [each.to_json() for each in self.about],
            "group": self.group,
        }
        if self.deadline is not None:
            out["deadline"] = iso(self.deadline)
        if self.only_if:
            out["onlyIf"] = self.only_if
        if self.commands:
            out["next"] = self.commands[0].to_json()
        if len(self.commands) > 1:
            out["orElse"] = [each.to_json() for each in self.commands[1:]]
        return out


@dataclass(frozen=True, slots=True, kw_only=True)
class Soon:
    """One effect that runs again without anybody deciding it.

    Attributes:
        at: the earliest time, None when that is as soon as a server is up.
        by: ``lease``, ``timer``, ``restart``, ``message`` or ``wake-up`` (every one, without end).
        protected: whether something keeps the outside from seeing it again; None when that is not known.
        sentence: who, when, how we know.
        command: what prevents it, where that is one command.
        certain: whether it has acted before for sure.
    """

    session_id: str
    tool: str
    call_id: str = ""
    step_id: str = ""
    at: datetime | None
    by: str
    protected: bool | None
    sentence: str
    certainty: Certainty = "implied"
    command: Next | None = None
    certain: bool = False

    @property
    def unprotected(self) -> bool:
        """Whether the outside may see it again."""
        return self.protected is not True

    def to_json(self) -> dict[str, object]:
        """Return CONTRACT's entry of ``soon``."""
        out: dict[str, object] = {
            "sessionId": self.session_id,
            "tool": self.tool,
            "callId": self.call_id or None,
            "stepId": self.step_id or None,
            "at": iso(self.at),
            "by": self.by,
            "protected": "unknown" if self.protected is None else self.protected,
            "sentence": self.sentence,
            "certainty": self.certainty,
        }
        if self.command is not None:
            out["command"] = self.command.command
        return out


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to do now about one session.

    Attributes:
        steps: in order; empty when there is nothing to do.
        soon: what runs again by itself, unprotected first.
        advice: what to change for the next time, checked on the recorded executions.
        as_of: the instant it was made at, None for the empty plan; ``zone`` of its clock times.
    """

    steps: tuple[PlanStep, ...] = ()
    soon: tuple[Soon, ...] = ()
    advice: tuple[str, ...] = ()
    as_of: datetime | None = None
    zone: tzinfo | None = None

    @property
    def urgent(self) -> bool:
        """Whether something unprotected is going to repeat, or does so now: exit code 1."""
        return any(each.unprotected for each in self.soon) or any(step.group == 0 for step in self.steps)

    @property
    def holds(self) -> bool:
        """Whether a server must not simply be started."""
        return any(step.does in ("keep-down", "stop-server") for step in self.steps)

    def command_for(self, tool: str, call_ids: tuple[str, ...], step_id: str) -> dict[str, str]:
        """Return ``{"command": ...}`` of the step about a call or a step, empty when none has one."""
        for step in self.steps:
            for about in step.about if step.commands else ():
                same_call = about.call_id and about.call_id in call_ids and about.tool == tool
                if same_call or (not call_ids and about.step_id and about.step_id == step_id):
                    return {"command": step.commands[0].command}
        return {}

    def to_json(self) -> list[dict[str, object]]:
        """Return CONTRACT's ``plan``."""
        return [step.to_json() for step in self.steps]


NO_PLAN = Plan()


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where the session lies and how it can be reached: what commands are made of.

    Attributes:
        folder: the data folder as the user would write it, empty when the store is none.
        url: base address of the running app, for ``curl``.
        environment: how the process comes back, as ``forecast --environment`` takes it; empty to tell it from
            the session.
        alive: whether a process was seen at work on this store; None when nobody looked.
        seen: what was seen, in words, when somebody looked.
    """

    folder: str = ""
    url: str = "http://127.0.0.1:2000"
    environment: str = ""
    alive: bool | None = None
    seen: str = ""

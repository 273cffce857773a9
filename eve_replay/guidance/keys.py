"""The key tester: every candidate key tried on the executions that are really recorded.

"Give it a key that survives a re-run" is easily said. Whether a key does is a question of data: over all
recorded executions of a tool, how many repeats of one deed would it have let through, and how many different
deeds would it have merged into one? A key is only advised when it let none through and merged none, and the
answer says on how many executions that rests.

One deed is one :class:`~eve_replay.journal.effects.build.Effect`: the same call in every attempt that made
it. Two deeds that were both meant (two orders of one customer) are two.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from eve_replay.journal.effects.build import Effect
from eve_replay.journal.effects.executions import Execution
from eve_replay.journal.effects.policy import split_words
from eve_replay.values import preview

__all__ = ["KeyTest", "advised", "key_advice", "try_keys"]

#: Words of field names that name a deed: an order has one, two orders do not share it.
_DEED = frozenset(
    [
        "order",
        "invoice",
        "booking",
        "ticket",
        "reference",
        "ref",
        "request",
        "transaction",
        "payment",
        "shipment",
        "id",
        "key",
    ]
)
_MOST_FIELDS = 12
_DEEPEST = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyTest:
    """One candidate key, tried on the recorded executions of one tool.

    Attributes:
        tool: the tool or step function.
        key: the key in words: ``call id``, ``turn, step and position``, ``field order`` ...
        executions: executions it was tried on; ``deeds`` the different deeds among them.
        let_through: repeats of a deed that got another key, so that it would have been done again.
        merged: different deeds under one key: all but the first would never have been done.
        unseen: executions for which the journal does not show what the key is made of.
        repeats: repeats of a deed on record; without one a key was not put to the test.
        used: the recordings show that the tool itself sends this key today.
    """

    tool: str
    key: str
    executions: int
    deeds: int
    let_through: int
    merged: int
    unseen: int = 0
    repeats: int = 0
    used: bool = False

    @property
    def works(self) -> bool:
        """Whether it let nothing through and merged nothing, with every execution tried."""
        return not (self.let_through or self.merged or self.unseen)

    @property
    def sentence(self) -> str:
        """The result in one sentence."""
        tried = f"tried on {self.executions} recorded execution{'s' if self.executions != 1 else ''}"
        if self.unseen:
            tried += f", {self.unseen} of them without what it is made of"
        if self.works and not self.repeats:
            return f"{self.key}: no repeat is on record that it could have stopped ({tried})"
        if self.works and self.deeds == 1:
            return f"{self.key}: lets no repeat through; with one deed nothing could be merged ({tried})"
        if self.works:
            return f"{self.key}: lets no repeat through and merges nothing ({tried})"
        faults = []
        if self.let_through:
            faults.append(f"lets {self.let_through} repeat{'s' if self.let_through != 1 else ''} through")
        if self.merged:
            faults.append(f"merges {self.merged} different deed{'s' if self.merged != 1 else ''} into others")
        return f"{self.key}: {' and '.join(faults) or 'cannot be judged'} ({tried})"

    def to_json(self) -> dict[str, object]:
        """Return the test as JSON."""
        return {
            "tool": self.tool,
            "key": self.key,
            "executions": self.executions,
            "deeds": self.deeds,
            "letThrough": self.let_through,
            "merged": self.merged,
            "unseen": self.unseen,
            "repeats": self.repeats,
            "used": self.used,
            "works": self.works,
            "sentence": self.sentence,
        }


@dataclass(slots=True)
class _Candidate:
    """What one key makes of every execution: per deed, the values it takes."""

    key: str
    rank: int
    values: list[set[str]] = field(default_factory=list)
    unseen: int = 0
    used: bool = False


def try_keys(effects: Iterable[Effect], tool: str | None = None) -> tuple[KeyTest, ...]:
    """Return every candidate key tried on the recorded executions, tool by tool, the best first.

    Args:
        effects: those of one session, or of a whole store: the more, the more a test says.
        tool: only this tool or step function.
    """
    by_tool: dict[str, list[Effect]] = {}
    for effect in effects:
        if effect.protection.acts and effect.kind != "workflow-tool" and tool in (None, effect.tool):
            by_tool.setdefault(effect.tool, []).append(effect)
    return tuple(test for name, deeds in by_tool.items() for test in _tests(name, deeds))


def advised(tests: Iterable[KeyTest]) -> KeyTest | None:
    """Return the key to advise of one tool's tests: the first that works; None when none does."""
    return next((test for test in tests if test.works and test.repeats), None)


def key_advice(effects: Sequence[Effect], tool: str) -> str:
    """Return what to make a tool's key of, checked on the data; empty when nothing can be advised.

    No key given now protects a first execution that carried none: its repeat is the first to be seen with it.
    """
    tests = try_keys(effects, tool)
    found = advised(tests)
    if found is None:
        return ""
    bad = next((test for test in tests if test.used and not test.works), None)
    instead = f", not of the {bad.key} it sends today" if bad is not None else ""
    count = f"{found.executions} recorded execution{'s' if found.executions != 1 else ''}"
    merged = "" if found.deeds == 1 else " and merged no two deeds"
    return (
        f"For the next time: make the key of {tool} of {found.key}{instead}: over the {count} here it would "
        f"have let no repeat through{merged}."
    )


def _tests(tool: str, deeds: Sequence[Effect]) -> list[KeyTest]:
    made: dict[str, _Candidate] = {}
    total = repeats = 0
    for deed in deeds:
        parts = [p for p in deed.by_attempt if p.executions.max != 0]
        total += len(parts)
        repeats += max(len(parts) - 1, 0)
        named = [dict(_values(deed, part)) for part in parts]
        for name in dict.fromkeys(name for values in named for name in values):
            made.setdefault(name, _Candidate(key=name, rank=_rank(name, deed.kind == "step")))
        for candidate in made.values():
            found = [values.get(candidate.key) for values in named]
            candidate.values.append({value for value in found if value is not None})
            candidate.unseen += sum(value is None for value in found)
    several = len(deeds) > 1
    out = []
    for candidate in made.values():
        earlier = len(deeds) - len(candidate.values)
        owners: dict[str, int] = {}
        for values in candidate.values:
            for value in values:
                owners[value] = owners.get(value, 0) + 1
        missing = sum(len(d.by_attempt) for d in deeds[:earlier])
        test = KeyTest(
            tool=tool,
            key=candidate.key,
            executions=total,
            deeds=len(deeds),
            let_through=sum(max(len(values) - 1, 0) for values in candidate.values),
            merged=sum(count - 1 for count in owners.values()),
            unseen=candidate.unseen + missing,
            repeats=repeats,
            used=any(_sends(deed, candidate.key) for deed in deeds),
        )
        # With one deed on record nothing can be merged: a plain field proves nothing, an id is only likely.
        trusted = several or not candidate.key.startswith("field ") or candidate.rank == 0
        out.append((not test.works, not trusted, candidate.rank, test))
    out.sort(key=lambda item: item[:3])
    return [test for *_, test in out]


def _rank(name: str, step: bool) -> int:
    """Return the order among keys that work: what belongs to the deed, then what survives a re-run."""
    if name.startswith("field "):
        words = split_words(name.removeprefix("field ").rpartition(".")[2])
        return 0 if _DEED & set(words) else 5
    order = ["turn, step and position", "session and call id", "call id", "whole input", "run id"]
    if step:
        order = ["step id", "whole input", "run id"]
    return 1 + order.index(name) if name in order else 9


def _values(deed: Effect, part: Execution) -> Iterable[tuple[str, str]]:
    """Yield what each candidate key would have been for one execution."""
    if deed.kind == "tool":
        if part.call_id:
            yield "call id", part.call_id
            yield "session and call id", f"{deed.session_id}:{part.call_id}"
        if deed.coordinate is not None and deed.position is not None:
            place = deed.coordinate
            yield (
                "turn, step and position",
                f"{deed.session_id}:{place.turn_id}:{place.step_index}:{deed.position}",
            )
    else:
        yield "step id", part.step_id
    yield "run id", part.run_id
    given = part.input if part.input is not None else deed.input
    if given is None:
        return
    yield "whole input", preview(given, 2000)
    yield from _fields(given)


def _fields(value: object, path: str = "", depth: int = 0) -> Iterable[tuple[str, str]]:
    if depth > _DEEPEST:
        return
    if isinstance(value, Mapping):
        for name, item in list(value.items())[:_MOST_FIELDS]:
            yield from _fields(item, f"{path}.{name}" if path else str(name), depth + 1)
    elif isinstance(value, (list, tuple)) and depth == 0:
        for number, item in enumerate(value[:4]):
            yield from _fields(item, f"argument {number + 1}", depth + 1)
    elif path and isinstance(value, (str, int)) and not isinstance(value, bool) and str(value):
        yield f"field {path}", str(value)


def _sends(deed: Effect, name: str) -> bool:
    """Whether the recorded keys of a deed are made of this."""
    by = {"call-id": "call id", "coordinates": "turn, step and position", "step-id": "step id"}
    known = {"session-id": "session id", "run-id": "run id"} | by
    return any(known.get(key.by) == name for key in deed.keys)

"""Recorded scenarios as ground truth: the journal as of each kill against the ledger and the end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from eve_replay.codec import loads_json, loads_lines
from eve_replay.codec.jsontext import JsonFault
from eve_replay.errors import EveReplayError
from eve_replay.journal.effects.executions import Executions
from eve_replay.journal.effects.policy import split_words
from eve_replay.journal.facade import Journal
from eve_replay.proof.asof import as_of
from eve_replay.proof.case import Case, Unusable
from eve_replay.recovery.forecast import Forecast, forecast
from eve_replay.recovery.question import Question
from eve_replay.recovery.result import EffectVerdict
from eve_replay.times import parse_time
from eve_replay.worlds.local.opener import open_tree
from eve_replay.worlds.local.tree import FileTree, join

__all__ = ["scenario_cases"]

_LIMIT = 64 << 20
_GROUP = "scenarios, forecast as of the kill"


def scenario_cases(tree: FileTree, base: str) -> Iterator[Case | Unusable]:
    """Yield one case per kill and session of a scenario."""
    name = base.rpartition("/")[2] or "scenario"
    try:
        facts = loads_json(tree.read(join(base, "facts.json"), _LIMIT))
    except (OSError, ValueError, EveReplayError) as error:
        yield Unusable(name=name, why=f"facts.json cannot be read: {error}")
        return
    timeline = [step for step in facts.get("timeline", []) if isinstance(step, dict)]
    kills = [
        at
        for s in timeline
        if str(s.get("action", "")).startswith("kill") and (at := parse_time(s.get("at")))
    ]
    if not kills:
        yield Unusable(name=name, why="nothing was killed in it")
        return
    ledger = _ledger(tree, base)
    end = max((at for s in timeline if (at := parse_time(s.get("at")))), default=kills[-1])
    for number, kill in enumerate(kills):
        following = kills[number + 1] if number + 1 < len(kills) else None
        restarted = any(
            str(s.get("action")) == "server.start" and (at := parse_time(s.get("at"))) and at > kill
            for s in timeline
        )
        yield from _kill_cases(
            name if len(kills) == 1 else f"{name} (kill {number + 1})",
            tree,
            base,
            kill,
            following,
            end,
            restarted,
            ledger,
        )


def _ledger(tree: FileTree, base: str) -> list[dict[str, Any]]:
    path = join(base, "ledger.ndjson")
    if tree.stat(path) is None:
        return []
    return [item for _, item in loads_lines(tree.read(path, _LIMIT)) if not isinstance(item, JsonFault)]


def _kill_cases(
    name: str,
    tree: FileTree,
    base: str,
    kill: datetime,
    following: datetime | None,
    end: datetime,
    restarted: bool,
    ledger: Sequence[Mapping[str, Any]],
) -> Iterator[Case]:
    data = join(base, "data")
    then = Journal(as_of(open_tree(tree, data, label=name), kill))
    final = Journal(open_tree(tree, data, label=name))
    found = forecast(then, question=Question(environment=None if restarted else "not-restarted"))
    for each in found:
        if not each.open:
            continue
        label = name if len(found) == 1 else f"{name} {each.session_id[-4:]}"
        yield _case(label, each, final, ledger, following, end)


def _case(
    name: str,
    found: Forecast,
    final: Journal,
    ledger: Sequence[Mapping[str, Any]],
    following: datetime | None,
    end: datetime,
) -> Case:
    sim = found.answer
    misses: list[str] = []
    # Before the lease ends nothing can have happened: then only the past counts.
    waiting = sim.by == "lease" and sim.earliest is not None and _after_end(sim.earliest, end, final, found)
    predicted: dict[str, object] = {}
    real: dict[str, object] = {}
    exact = True
    for effect in sim.effects:
        if effect.kind == "workflow-tool" or effect.strategy == "read-only":
            continue
        count = _count(effect, found.session_id, ledger, following)
        if count is None:
            continue
        span = effect.before if waiting else effect.executions
        label = f"{effect.tool} {effect.call_id or ''}".strip()
        predicted[label], real[label] = span.to_json(), count
        if effect.outside.max is not None and effect.outside != effect.executions and count < span.min:
            span = Executions(min=effect.outside.min, max=span.max)
        if not (span.min <= count and (span.max is None or count <= span.max)):
            misses.append(f"{label}: predicted {span.min} to {span.max}, really {count}")
        exact = exact and (effect.exact or effect.before.min != effect.before.max)
    steps = {s.step_id: s for s in final.session(found.session_id).steps}
    for step in sim.steps:
        recorded = steps.get(step.step_id or "")
        if recorded is None or following is not None or waiting:
            continue
        starts = len(recorded.attempts)
        predicted[step.function], real[step.function] = step.attempts.to_json(), starts
        if not (step.attempts.min <= starts and (step.attempts.max is None or starts <= step.attempts.max)):
            misses.append(f"{step.function}: predicted {step.attempts.min} starts, really {starts}")
    return Case(
        name=name,
        group=_GROUP,
        predicted={"outcome": sim.outcome, **predicted},
        real=real,
        misses=tuple(misses),
        exact=exact,
    )


def _after_end(earliest: datetime, end: datetime, final: Journal, found: Forecast) -> bool:
    """Whether the recording ends before the assumed lease does, and nothing was taken over in it.

    The recordings were made with leases of 2 to 20 s, which the journal does not hold; only where nothing
    happened until the end was it the default.
    """
    if earliest <= end + timedelta(seconds=1):
        return False
    steps = {s.step_id: s for s in final.session(found.session_id).steps}
    return all(
        len(steps[step.step_id or ""].attempts) < step.attempts.min
        for step in found.answer.steps
        if step.verdict == "re-executed" and (step.step_id or "") in steps
    )


def _count(
    effect: EffectVerdict, session: str, ledger: Sequence[Mapping[str, Any]], until: datetime | None
) -> int | None:
    """How often the ledger shows an effect (up to the next kill); None when it cannot tell."""
    count = 0
    known = False
    words = set(split_words(effect.tool))
    for entry in ledger:
        at = parse_time(entry.get("at"))
        if until is not None and at is not None and at > until:
            continue
        if entry.get("sessionId") not in (None, session):
            continue
        if effect.kind == "tool" and entry.get("callId"):
            match = entry["callId"] == effect.call_id
        else:
            match = entry.get("stepId") == effect.call_id or bool(
                words & set(split_words(str(entry.get("effect"))))
            )
        count += match
        known = known or match
    return count if known or effect.kind == "tool" else None

"""Loose recordings as ground truth: a folder per crash, in the simplest layout anybody can make.

::

    my-crash/
      crash/                  the data folder as it lay at the kill; crash-2/ ... for further kills
      crash.ledger.ndjson     what the tools had done by then, if it was kept apart
      data/                   the data folder at the end, after the restart
      ledger.ndjson           what the tools did in all: one JSON object per line, with ``effect`` (the tool
                              or step function), and ``callId`` and ``sessionId`` where the tool knows them

Each kill is predicted from its ``crash`` folder alone; then the ledger and the end are looked at.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from eve_replay.codec import loads_lines
from eve_replay.codec.jsontext import JsonFault
from eve_replay.errors import EveReplayError, NotFound
from eve_replay.journal.effects.executions import Executions
from eve_replay.journal.effects.policy import split_words
from eve_replay.journal.facade import Journal
from eve_replay.journal.model import Session
from eve_replay.proof.case import Case, Unusable
from eve_replay.recovery.forecast import Forecast, forecast
from eve_replay.recovery.result import EffectVerdict
from eve_replay.worlds.local.opener import open_tree
from eve_replay.worlds.local.tree import FileTree, join

__all__ = ["is_loose", "loose_cases"]

_LIMIT = 64 << 20
_GROUP = "loose recordings, forecast from the crash folder"
_CRASH = re.compile(r"crash(?:-(\d+))?\Z")
_OVER = ("completed", "failed", "cancelled")


def is_loose(entries: Mapping[str, str]) -> bool:
    """Whether a folder holds a loose recording: ``entries`` are its names with their kinds."""
    return entries.get("crash") == "dir" and "ledger.ndjson" in entries


def loose_cases(tree: FileTree, base: str) -> Iterator[Case | Unusable]:
    """Yield one case per kill and session of a loose recording."""
    name = base.rpartition("/")[2] or "recording"
    try:
        yield from _cases(tree, base, name)
    except (EveReplayError, OSError) as error:
        yield Unusable(name=name, why=f"it cannot be read: {error}")


def _cases(tree: FileTree, base: str, name: str) -> Iterator[Case | Unusable]:
    entries = {entry.name: entry.kind for entry in tree.entries(base)}
    found = [(int(m[1] or 1), n) for n, k in entries.items() if k == "dir" and (m := _CRASH.match(n))]
    crashes = [crash for _, crash in sorted(found)]
    ledger = _lines(tree, join(base, "ledger.ndjson"))
    for number, crash in enumerate(crashes):
        then = Journal(open_tree(tree, join(base, crash), label=f"{name} {crash}"))
        following = crashes[number + 1] if number + 1 < len(crashes) else None
        after = following or ("data" if entries.get("data") == "dir" else None)
        end = Journal(open_tree(tree, join(base, after), label=f"{name} {after}")) if after else None
        told = _lines(tree, join(base, f"{crash}.ledger.ndjson")) or None
        done = (_lines(tree, join(base, f"{following}.ledger.ndjson")) or None) if following else ledger
        predicted = [each for each in forecast(then) if each.open or each.answer.effects]
        if not predicted:
            yield Unusable(name=f"{name} {crash}", why="nothing was going on in it at the kill")
        label = name if len(crashes) == 1 else f"{name} {crash}"
        truth = _Truth(before=told, after=done, whole=ledger, bodies=_bodies(predicted))
        for each in predicted:
            at = then.session(each.session_id)
            title = label if len(predicted) == 1 else f"{label} {each.session_id[-4:]}"
            yield _case(title, each, at, _session(end, each.session_id), truth, last=following is None)


def _lines(tree: FileTree, path: str) -> list[dict[str, Any]]:
    if tree.stat(path) is None:
        return []
    return [
        item
        for _, item in loads_lines(tree.read(path, _LIMIT))
        if isinstance(item, dict) and not isinstance(item, JsonFault)
    ]


def _session(journal: Journal | None, session_id: str) -> Session | None:
    if journal is None:
        return None
    try:
        return journal.session(session_id)
    except NotFound:
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Truth:
    """Ledger lines by the time of the kill (None when not kept), by the next one, and in all.

    ``bodies``: what is predicted of each step function over all runs: a ledger seldom says whose line it is.
    """

    before: Sequence[Mapping[str, Any]] | None
    after: Sequence[Mapping[str, Any]] | None
    whole: Sequence[Mapping[str, Any]]
    bodies: Mapping[str, Sequence[EffectVerdict]]


def _bodies(predicted: Sequence[Forecast]) -> dict[str, list[EffectVerdict]]:
    out: dict[str, list[EffectVerdict]] = defaultdict(list)
    for effect in (e for each in predicted for e in each.answer.effects if e.kind == "step"):
        out[effect.tool].append(effect)
    return out


@dataclass(slots=True)
class _Compared:
    predicted: dict[str, object] = field(default_factory=dict)
    real: dict[str, object] = field(default_factory=dict)
    misses: list[str] = field(default_factory=list)
    exact: bool = True


def _case(
    name: str, found: Forecast, then: Session, end: Session | None, truth: _Truth, *, last: bool
) -> Case:
    out = _Compared()
    sim = found.answer
    real, wrong = _outcome(found, then, end, last=last)
    out.predicted["outcome"], out.real["outcome"] = sim.outcome, real
    if wrong:
        rules = ", ".join(dict.fromkeys(rule.rule for rule in sim.rules if rule.rule != "replayed"))
        evidence = [item for step in sim.steps if step.code != "done" for item in step.evidence[-1:]][:3]
        told = f" (rules {rules or 'none'}; evidence {', '.join(evidence) or 'no open step'})"
        out.misses.append(f"outcome: predicted {sim.outcome}, really {real}{told}")
    groups: dict[tuple[str, str], list[EffectVerdict]] = defaultdict(list)
    for effect in sim.effects:
        if effect.kind == "workflow-tool" or effect.strategy == "read-only":
            continue
        # The calls of one tool are told apart by their ids; bodies of one step function are not.
        if effect.kind == "tool":
            groups[effect.tool, effect.call_id or ""].append(effect)
        else:
            groups[effect.tool, ""] = list(truth.bodies.get(effect.tool, ()))
    for (tool, call), effects in groups.items():
        mine = _Effect(tool=tool, call=call, session=found.session_id, verdicts=effects)
        _compare(mine, "at the kill", [e.before for e in effects], truth.before, truth.whole, out)
        _compare(mine, "at the end", [e.executions for e in effects], truth.after, truth.whole, out)
    return Case(
        name=name,
        group=_GROUP,
        predicted=out.predicted,
        real=out.real,
        misses=tuple(out.misses),
        exact=out.exact,
        why=_changed_code(then, end) if out.misses else "",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Effect:
    tool: str
    call: str
    session: str
    verdicts: Sequence[EffectVerdict]

    def count(self, lines: Sequence[Mapping[str, Any]]) -> int:
        """How often a ledger shows it: a call by id and name, a step function by the words of its name."""
        words = set(split_words(self.tool))
        count = 0
        for line in lines:
            if line.get("sessionId") not in (None, self.session):
                continue
            named = set(split_words(str(line.get("effect", ""))))
            if self.call and line.get("callId"):
                count += line["callId"] == self.call and bool(words & named)
            else:
                count += words <= named or named < words
        return count


def _compare(
    effect: _Effect,
    when: str,
    spans: Sequence[Executions],
    lines: Sequence[Mapping[str, Any]] | None,
    whole: Sequence[Mapping[str, Any]],
    out: _Compared,
) -> None:
    if lines is None or (not effect.call and not effect.count(whole)):
        # Not kept, or a step function that the ledger never names: it tells nothing about it.
        return
    span = Executions(min=sum(s.min for s in spans), max=_sum(spans))
    count = effect.count(lines)
    label = f"{effect.tool} {effect.call}".strip()
    out.predicted[f"{label} {when}"], out.real[f"{label} {when}"] = span.to_json(), count
    out.exact = out.exact and span.min == span.max
    if not (span.min <= count and (span.max is None or count <= span.max)):
        evidence = ", ".join(dict.fromkeys(item for e in effect.verdicts for item in e.evidence))
        most = "any number" if span.max is None else span.max
        told = f" (evidence {evidence})" if evidence else ""
        out.misses.append(f"{label} {when}: predicted {span.min} to {most}, really {count}{told}")


def _sum(spans: Sequence[Executions]) -> int | None:
    total = 0
    for span in spans:
        if span.max is None:
            return None
        total += span.max
    return total


def _outcome(found: Forecast, then: Session, end: Session | None, *, last: bool) -> tuple[str, bool]:
    """Return how it went on, in words, and whether the prediction is contradicted by that."""
    predicted, ends = found.answer.outcome, found.answer.ends
    if end is None:
        return "not recorded", False
    moved = _ends(end) > _ends(then)
    failed = any(run.status == "failed" for run in end.runs) and not any(
        r.status == "failed" for r in then.runs
    )
    turn = then.turns[-1].id if then.turns else ""
    final = end.turn_called(turn) if turn else None
    over = (final is not None and final.status in _OVER) or end.runs[-1].status in _OVER
    before = then.turn_called(turn) if turn else None
    newly = over and not (before is not None and before.status in _OVER)
    asked = any(p.open and not p.lost and p.kind in ("approval", "question", "sign-in") for p in end.parks)
    known = {m.event_id for m in then.messages}
    helped = any(m.event_id and m.event_id not in known and m.role != "task" for m in end.messages)
    word = (
        "failed"
        if failed
        else "ended"
        if over
        else "asked a person"
        if asked
        else "went on"
        if moved
        else "hung"
    )
    if helped:
        word += ", with a later delivery"
    if predicted == "fails":
        return word, not failed
    if predicted == "hangs":
        return word, newly and ends == "never" and not failed
    if predicted in ("needs-message", "needs-person"):
        return word, newly and not helped and moved and found.kind != "subagent"
    if predicted == "recovers":
        return word, not (over or asked or failed or (moved and not last)) and not (moved and bool(end.below))
    return word, False


def _changed_code(then: Session, end: Session | None) -> str:
    """Say whether other code came back than had written the log: no folder foretells that."""
    failed = {run.run_id for run in then.all_runs if run.status == "failed"}
    for run in end.all_runs if end is not None else ():
        code = run.record.text("errorCode") or ""
        if run.run_id not in failed and code in ("CORRUPTED_EVENT_LOG", "REPLAY_DIVERGENCE"):
            return "other code came back than had written the log (it failed with " + code + ")"
    return ""


def _ends(session: Session) -> int:
    return sum(
        1
        for run in session.all_runs
        for e in run.events
        if e.event_type in ("step_completed", "step_started")
    )

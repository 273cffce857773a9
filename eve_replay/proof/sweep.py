"""The crash sweep as ground truth: its rows and points, and the two predictions per point."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eve_replay.codec import loads_lines
from eve_replay.codec.jsontext import JsonFault
from eve_replay.journal.effects.executions import Executions
from eve_replay.journal.facade import Journal
from eve_replay.proof.case import Case, Unusable
from eve_replay.proof.names import Name, label_name, places, step_names
from eve_replay.recovery.engine import simulate
from eve_replay.recovery.forecast import forecast
from eve_replay.recovery.frameworks.base import Plans
from eve_replay.recovery.plan.build import session_plans
from eve_replay.recovery.question import Question
from eve_replay.recovery.result import Simulation, StepVerdict
from eve_replay.worlds.local.archive import archive_tree
from eve_replay.worlds.local.opener import open_tree
from eve_replay.worlds.local.tree import FileTree, join

__all__ = ["sweep_cases"]

_LIMIT = 64 << 20

_STAGED = (
    "the recording's copy of the crash folder lacks the hook_received event that was durable (a second "
    "link to "
    "the staging file); from the folder alone the message is lost"
)
_OTHER_ORDER = (
    "the killed process had made concurrent writes in another order than the baseline: {0}; the order of "
    "concurrent "
    "commits varies"
)


def sweep_cases(tree: FileTree, base: str, turn: str) -> Iterator[Case | Unusable]:
    """Yield two cases per point of a swept turn: forecast from its folder, simulate from the baseline."""
    rows = _lines(tree, join(base, f"sweep-{turn}.ndjson"))
    ledgered = {label.partition(" ")[0] for row in rows for label in row.get("effects", {})}
    baseline = _Baseline.read(tree, base, turn)
    for row in rows:
        name = f"{turn} {row['when']}-{row['n']:03d}"
        if "failed" in row:
            yield Unusable(name=name, why=f"the recorder says: {row['failed']}")
            continue
        point = f"{row['when']}-{row['n']:03d}"
        folder = _point(tree, base, turn, point)
        codes: dict[str, str] | None = None
        if folder is not None:
            case, codes = _forecast_case(name, turn, row, ledgered, *folder)
            yield case
        if baseline is not None:
            yield _simulate_case(name, turn, row, ledgered, baseline, folder, codes)


def _lines(tree: FileTree, path: str) -> list[dict[str, Any]]:
    if tree.stat(path) is None:
        return []
    return [item for _, item in loads_lines(tree.read(path, _LIMIT)) if not isinstance(item, JsonFault)]


def _point(tree: FileTree, base: str, turn: str, point: str) -> tuple[FileTree, str] | None:
    folder = join(base, f"points-{turn}/{point}")
    if tree.stat(folder) is not None:
        return tree, folder
    archive = f"{folder}.tar.gz"
    if tree.stat(archive) is not None:
        inner = archive_tree(Path(archive), label=archive, data=tree.read(archive, _LIMIT))
        return inner, ""
    return None


# -- the two predictions -----------------------------------------------------------------------------------


def _forecast_case(
    name: str, turn: str, row: Mapping[str, Any], ledgered: set[str], tree: FileTree, base: str
) -> tuple[Case, dict[str, str]]:
    journal = Journal(open_tree(tree, join(base, "crash"), label=name))
    found = [f for f in forecast(journal) if f.kind != "workflow"]
    group = f"sweep {turn}, forecast from the crash folder"
    if not found:
        missed = () if row.get("no_session") else ("no session is in the folder",)
        real: dict[str, object] = {"outcome": "no session" if row.get("no_session") else "a session"}
        return Case(name=name, group=group, predicted={"outcome": "no session"}, real=real, misses=missed), {}
    sim = found[0].answer
    names = step_names(journal.session(found[0].session_id))
    marks, ledger = _lines(tree, join(base, "marks.ndjson")), _lines(tree, join(base, "ledger.ndjson"))
    returned = _returned(row, marks, ledger)
    case = _case(name, group, row, sim, names, returned, ledgered)
    why = ""
    if case.misses and _staged_without_event(journal):
        why = _STAGED
    codes = {names.get(s.step_id, "an unnamed step"): s.code for s in sim.steps}
    return _with_why(case, why), codes


def _simulate_case(
    name: str,
    turn: str,
    row: Mapping[str, Any],
    ledgered: set[str],
    baseline: _Baseline,
    folder: tuple[FileTree, str] | None,
    codes: Mapping[str, str] | None,
) -> Case | Unusable:
    place = baseline.place(str(row["when"]), int(row["n"]))
    if place is None:
        return Unusable(name=f"{name} (simulate)", why=f"the baseline has no write called {row['label']!r}")
    sim = simulate(baseline.plans.plan(baseline.turn_id), place, baseline.question)
    returned: set[tuple[str, str]] = set()
    if folder is not None:
        tree, base = folder
        marks, ledger = _lines(tree, join(base, "marks.ndjson")), _lines(tree, join(base, "ledger.ndjson"))
        returned = _returned(row, marks, ledger)
    case = _case(
        name, f"sweep {turn}, simulate from the baseline", row, sim, baseline.names, returned, ledgered
    )
    if not case.misses or codes is None:
        return case
    seen = {baseline.names[s.step_id]: s.code for s in sim.steps if s.step_id in baseline.names}
    other = [
        f"{step} {code or 'nothing'} (baseline: {seen[step]})"
        for step, code in ((step, codes.get(step, "unborn")) for step in seen)
        if code != seen[step]
    ]
    other += [f"{step} {code}" for step, code in codes.items() if step not in seen]
    return _with_why(case, _OTHER_ORDER.format(", ".join(other[:3])) if other else "")


def _with_why(case: Case, why: str) -> Case:
    if not case.misses or not why:
        return case
    return Case(
        name=case.name,
        group=case.group,
        predicted=case.predicted,
        real=case.real,
        misses=case.misses,
        exact=case.exact,
        why=why,
    )


def _staged_without_event(journal: Journal) -> bool:
    return any(mark.kind == "run" and mark.phase == "pending" for run in journal.runs for mark in run.marks)


# -- comparing ---------------------------------------------------------------------------------------------


def _outcomes(row: Mapping[str, Any]) -> set[str]:
    """What may be predicted for a row, by what the driver saw and did."""
    if row.get("no_session"):
        return {"needs-message", "nothing-open"}
    if row.get("recovered"):
        if row.get("reposted"):
            return {"needs-message", "nothing-open"}
        return {"recovers", "nothing-open"} | ({"needs-person"} if row.get("answers") else set())
    if row.get("ended"):
        return {"fails"}
    if (row.get("after_message") or {}).get("recovered"):
        return {"needs-message"}
    return {"hangs"}


def _real_outcome(row: Mapping[str, Any]) -> str:
    if row.get("no_session"):
        return "no session"
    if row.get("recovered"):
        return "recovered after the message was sent again" if row.get("reposted") else "recovered"
    if row.get("ended"):
        return "failed"
    return "woken by a message" if (row.get("after_message") or {}).get("recovered") else "hung"


def _case(
    name: str,
    group: str,
    row: Mapping[str, Any],
    sim: Simulation,
    names: Mapping[str | None, str],
    returned: set[tuple[str, str]],
    ledgered: set[str],
) -> Case:
    misses: list[str] = []
    if sim.outcome not in _outcomes(row):
        misses.append(f"outcome: predicted {sim.outcome}, really {_real_outcome(row)}")
    counted, crashed = _counts(row)
    exact = True
    predicted: dict[str, object] = {}
    for effect in sim.effects:
        if effect.tool not in ledgered:
            # Writes no ledger of its own (a workflow tool): what it did is in its steps' lines.
            continue
        key = (effect.tool, effect.call_id if effect.kind == "tool" and effect.call_id else "")
        real = counted[key]
        predicted[" ".join(filter(None, key))] = effect.executions.to_json()
        if not _holds(effect.executions, real):
            misses.append(f"{effect.tool}: predicted {_span(effect.executions)}, really {real}")
        begun = any(s.step_id == effect.step_id and s.code in ("D", "F1", "F2") for s in sim.steps)
        decided = key in returned or (crashed[key] == 0 and not begun)
        exact = exact and (effect.exact or not decided)
    attempts: dict[str, object] = {}
    for step in sim.steps:
        label = names.get(step.step_id)
        truth = row.get("attempts", {}).get(label) if label else None
        if truth is None:
            continue
        attempts[str(label)] = step.attempts.to_json()
        misses += _attempts(str(label), step, truth)
    return Case(
        name=name,
        group=group,
        predicted={"outcome": sim.outcome, "effects": predicted, "attempts": attempts, "turnEnds": sim.ends},
        real={
            "outcome": _real_outcome(row),
            "effects": {" ".join(filter(None, key)): count for key, count in counted.items()},
            "attempts": {k: v.get("started") for k, v in row.get("attempts", {}).items()},
            "turnEnds": row.get("turn_end"),
        },
        misses=tuple(misses),
        exact=exact,
    )


def _attempts(label: str, step: StepVerdict, truth: Mapping[str, Any]) -> list[str]:
    out = []
    if not _holds(step.attempts, int(truth["started"])):
        out.append(f"{label}: predicted {_span(step.attempts)} starts, really {truth['started']}")
    record = truth.get("attempt")
    number = step.record_attempt
    if number is not None and record is not None and not _holds(number, int(record)):
        out.append(f"{label}: predicted record attempt {_span(number)}, really {record}")
    return out


def _holds(count: Executions, real: int) -> bool:
    return count.min <= real and (count.max is None or real <= count.max)


def _span(count: Executions) -> str:
    if count.max is None:
        return f"{count.min} or more"
    return str(count.min) if count.min == count.max else f"{count.min} to {count.max}"


def _counts(row: Mapping[str, Any]) -> tuple[Counter[tuple[str, str]], Counter[tuple[str, str]]]:
    """Executions by tool and call (no call for step functions): in all, and before the kill."""
    counted: Counter[tuple[str, str]] = Counter()
    crashed: Counter[tuple[str, str]] = Counter()
    for label, processes in row.get("effects", {}).items():
        tool, _, call = label.partition(" ")
        key = (tool, call if "call" in call else "")
        counted[key] += len(processes)
        crashed[key] += processes.count("crashed")
    return counted, crashed


def _returned(
    row: Mapping[str, Any], marks: list[dict[str, Any]], ledger: list[dict[str, Any]]
) -> set[tuple[str, str]]:
    """Tools that had returned in the killed process, by its marks."""
    stamped = sorted((str(m["at"]), m.get("pid")) for m in [*marks, *ledger] if "at" in m)
    if not stamped:
        return set()
    first = stamped[0][1]
    ran = {k for k, v in row.get("effects", {}).items() if "crashed" in v}
    return {
        (str(m["tool"]), str(m["callId"]))
        for m in marks
        if str(m.get("mark", "")).startswith("tool.end")
        and m.get("pid") == first
        and f"{m['tool']} {m['callId']}" in ran
    }


@dataclass(slots=True)
class _Baseline:
    """The undisturbed recording of a turn, and where each of the recorder's commits lies in it."""

    plans: Plans
    turn_id: str
    names: dict[str | None, str]
    commits: dict[int, dict[str, Any]]
    steps: dict[str, str]
    places: dict[Name, int]
    question: Question = field(default_factory=Question)

    @classmethod
    def read(cls, tree: FileTree, base: str, turn: str) -> _Baseline | None:
        folder = join(base, f"baseline-{turn}/data")
        if tree.stat(folder) is None:
            return None
        session = Journal(open_tree(tree, folder, label=f"baseline {turn}")).session()
        commits = {int(c["n"]): c for c in _lines(tree, join(base, f"commits-{turn}.ndjson"))}
        plans = session_plans(session)
        steps = {}
        for commit in commits.values():
            match = re.match(r"(\w+) step (\w+)#(\d+) ", commit["label"])
            found = re.search(r"step_\w+", commit.get("path", ""))
            if match and found:
                steps[found.group()] = f"{match[1]} {match[2]}#{match[3]}"
        return cls(
            plans=plans,
            turn_id=session.turns[-1].id,
            names=step_names(session),
            commits=commits,
            steps=steps,
            places=places(plans, session),
        )

    def place(self, when: str, n: int) -> int | None:
        """Return the place of a commit; a mark or ledger line counts as right after the write before it."""
        commit = self.commits.get(n)
        if commit is None:
            return None
        if commit["label"].startswith(("mark ", "ledger ")):
            while commit is not None and commit["label"].startswith(("mark ", "ledger ")):
                n -= 1
                commit = self.commits.get(n)
            when = "after"
        if commit is None:
            return None
        found = self.places.get(label_name(commit, self.steps))
        return None if found is None else found + (when == "after")

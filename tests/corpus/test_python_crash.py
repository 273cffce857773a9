"""The Python SDK killed at its writes: forecasts from the crash folder and from the baseline, and the ledgers."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from eve_replay.journal import open_journal
from eve_replay.recovery import Question, forecast, session_plans, simulate
from eve_replay.recovery.forecast import Forecast
from eve_replay.recovery.plan.model import Plan
from eve_replay.recovery.result import Simulation
from tests.support import corpus

#: A body that raises by itself, the first time: nothing in the folder says that it will.
RAISES = frozenset({"flaky", "shaky", "broken"})
#: ``race`` goes on without the step whose end was lost; the folder does not say what its code waits for.
GOES_ON = frozenset({"race-queue-10-after"})
ENDED = frozenset({"completed", "failed"})


def facts(folder: Path) -> dict[str, object]:
    loaded: dict[str, object] = json.loads((folder / "facts.json").read_text())
    return loaded


def recordings(mode: str) -> list[Path]:
    root = corpus.scenario("python-crash")
    return [
        each
        for each in sorted(root.iterdir())
        if f"-{mode}-" in each.name and any((each / "crash/runs").glob("wrun_*.json"))
    ]


def ledger(path: Path, key: str = "step") -> Counter[str]:
    return Counter(str(line[key]) for line in corpus.load_ndjson(path))


@cache
def told(folder: Path, environment: str = "python-sdk") -> Forecast:
    (found,) = forecast(open_journal(folder / "crash"), question=Question(environment=environment))
    return found


def doubtful(folder: Path) -> bool:
    """Whether the forecast says itself that it cannot know: a message may have been sent or not."""
    return any(rule.rule in ("py-B-unknown", "py-run-unknown") for rule in told(folder).answer.rules)


def fits(answer: Simulation, known: dict[str, object]) -> bool:
    """Whether an outcome is what came of it. A hook was answered only after all had come to rest."""
    alone = str(known.get("alone", known["status"]))
    if known.get("answeredLater") and answer.outcome in ("recovers", "nothing-open"):
        return known["status"] in ENDED
    if answer.outcome == "recovers":
        return alone in ENDED
    if answer.outcome == "nothing-open":
        return alone in ENDED or alone == "running"
    return alone not in ENDED


def test_ranges_of_the_forecast_hold_at_the_crash_and_at_the_end() -> None:
    wrong, seen = [], 0
    for folder in recordings("queue"):
        end, then = ledger(folder / "ledger.ndjson"), ledger(folder / "crash.ledger.ndjson")
        for effect in told(folder).answer.effects:
            key = effect.call_id or ""
            seen += 1
            if not effect.before.min <= then[key] <= (effect.before.max or 0):
                wrong.append((folder.name, effect.tool, "at the crash", then[key], effect.before))
            whole = effect.executions
            if facts(folder).get("answeredLater") or effect.tool in RAISES:
                continue
            if not whole.min <= end[key] <= (whole.max if whole.max is not None else 99):
                wrong.append((folder.name, effect.tool, "at the end", end[key], whole))
    assert not wrong
    assert seen > 200


def test_outcomes_of_the_forecast_are_what_came() -> None:
    wrong = [
        (folder.name, told(folder).answer.outcome, facts(folder)["status"])
        for folder in recordings("queue")
        if not doubtful(folder)
        and folder.name not in GOES_ON
        and not fits(told(folder).answer, facts(folder))
    ]
    assert not wrong


def test_where_a_message_may_have_been_sent_both_ends_were_seen() -> None:
    """The same state of a folder, with both ends: so the forecast has to say that it cannot know."""
    ends = {str(facts(f).get("alone")) in ENDED for f in recordings("queue") if doubtful(f)}
    assert ends == {True, False}
    for folder in recordings("queue"):
        if doubtful(folder):
            assert told(folder).answer.person
            assert "does not say" in told(folder).answer.delay


@pytest.mark.parametrize("kills", [1, 2, 3])
def test_kills_use_up_the_retries(kills: int) -> None:
    folder = corpus.scenario("python-crash") / f"plain-queue-ledger-1-kills-{kills}"
    (charge,) = (e for e in told(folder).answer.effects if e.tool == "charge")
    real = ledger(folder / "ledger.ndjson", "effect")["charge"]
    assert charge.executions.min <= real <= (charge.executions.max or 0)
    refused = any(rule.rule == "py-budget" for rule in told(folder).answer.rules)
    assert refused == (facts(folder)["status"] == "failed")


def test_with_the_queue_in_the_workers_memory_nothing_moves() -> None:
    for folder in recordings("restart"):
        answer = told(folder, "python-sdk-restarted").answer
        assert ledger(folder / "ledger.ndjson") == ledger(folder / "crash.ledger.ndjson"), folder.name
        over = facts(folder)["status"] in ENDED
        assert answer.outcome == ("nothing-open" if over else "needs-person"), folder.name
        assert all(effect.after.max == 0 for effect in answer.effects)


def baselines(*flows: str) -> Iterator[tuple[str, Path, Plan]]:
    for flow in flows:
        folder = corpus.scenario("python-crash") / f"{flow}-base"
        (session,) = open_journal(folder / "data").sessions
        yield flow, folder, session_plans(session).plan()


def test_the_writes_of_a_baseline_are_in_the_order_in_which_they_were_made() -> None:
    """One task at a time: the log alone gives the order of every write."""
    for flow, folder, plan in baselines("plain", "retry", "fatal", "sleepy", "exhausted", "hooked"):
        real = []
        for line in (folder / "writes.txt").read_text().splitlines():
            path = line.split(" ", 1)[1]
            if not re.match(r"(streams|manifest)", path) and not path.endswith(" -"):
                real.append("event" if path.startswith("events/") else path.split("/")[0].strip("."))
        names = {"record": ("runs", "steps", "hooks"), "lock": ("locks",), "token": ("hooks",)}
        made = [write for write in plan.writes.items if write.durable]
        assert len(made) == len(real), flow
        for write, seen in zip(made, real, strict=True):
            assert seen in names.get(write.kind, (write.kind,)), (flow, write.address)


def test_simulations_from_the_baseline_hold() -> None:
    wrong, seen, exact = [], 0, 0
    for flow, _, plan in baselines("plain", "fatal", "sleepy", "loop"):
        places = [n for n, write in enumerate(plan.writes.items, 1) if write.durable]
        for folder in recordings("queue"):
            known = facts(folder)
            tap = re.fullmatch(r"(\d+):(in|after)", str(known["tap"]))
            if known["flow"] != flow or tap is None or "kills" in known:
                continue
            number = int(tap[1])
            # Before a write: everything that lies between it and the one before has happened, messages too.
            place = places[number - 1] if tap[2] == "after" else places[number - 1] - 1
            answer = simulate(plan, place)
            seen += 1
            if not fits(answer, known):
                wrong.append((folder.name, answer.outcome, known["status"]))
            real = ledger(folder / "ledger.ndjson", "effect")
            for tool in {e.tool for e in answer.effects}:
                low = sum(e.executions.min for e in answer.effects if e.tool == tool)
                high = sum(e.executions.max or 0 for e in answer.effects if e.tool == tool)
                exact += low == high
                if not low <= real[tool] <= high:
                    wrong.append((folder.name, tool, real[tool], (low, high)))
    assert not wrong
    assert seen > 60

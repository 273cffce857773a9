"""What the journal tells of Postgres and Redis recordings, against what really happened.

``facts.json`` says what was done and how each run ended, the ledger what had effects. The same application
was recorded on several worlds: there the story must be the same, whatever stored it.
"""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from eve_replay.checks.phrases import Voice
from eve_replay.codec import dumps_tagged
from eve_replay.guidance.why import LEASE, WorldReport, why_all
from eve_replay.journal import Journal
from eve_replay.worlds.dump import dump_document
from eve_replay.worlds.registry import open_world
from tests.support import pgserver
from tests.support.corpus import data, load_json, load_ndjson, names, scenario

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
SNAPSHOTS = [
    f"{group}/{name}/{folder.name}"
    for group in ("postgres", "redis")
    for name in names(group)
    for folder in sorted(scenario(f"{group}/{name}").iterdir())
    if folder.is_dir()
]
#: The word in the ledger for each step function of the SDK application.
EFFECTS = {"flaky": "try", "echoRich": "echo", "writeStream": "stream"}
#: And for each tool of the agent.
TOOLS = {"charge_card": "charge", "send_email": "email", "restart_service": "restart"}


def source_of(snapshot: str) -> Path:
    group, name, part = snapshot.split("/")
    folder = scenario(f"{group}/{name}") / part
    return folder / ("dump.sql" if group == "postgres" else "keys.json")


def journal_of(snapshot: str) -> Journal:
    return Journal(open_world(str(source_of(snapshot))))


def ledger_of(snapshot: str, journal: Journal) -> list[dict[str, Any]]:
    """Return the lines of the ledger that were written before the snapshot was taken."""
    folder = source_of(snapshot).parent.parent
    facts = load_json(folder / "facts.json")
    if snapshot.endswith("after-kill"):
        return list(facts["ledger_at_kill"])
    path = folder / "ledger.ndjson"
    lines = load_ndjson(path) if path.exists() else []
    ends = [event.created_at for run in journal.records for event in journal.world.events(run.run_id)]
    end = max(at for at in ends if at is not None) + timedelta(seconds=1)
    return [line for line in lines if datetime.fromisoformat(line["at"]) <= end]


def report_of(journal: Journal, ledger: list[dict[str, Any]]) -> WorldReport:
    voice = Voice(now=NOW, zone=UTC, lease=LEASE)
    return why_all(list(journal.sessions), voice=voice, ledger=ledger or None)


@pytest.mark.parametrize("snapshot", [s for s in SNAPSHOTS if "/eve_" not in s])
def test_attempts_of_step_functions_are_the_lines_of_the_ledger(snapshot: str) -> None:
    journal = journal_of(snapshot)
    ledger = ledger_of(snapshot, journal)
    steps = [step for session in journal.sessions for run in session.all_runs for step in run.steps]
    tried = Counter(EFFECTS.get(s.name.function, s.name.function) for s in steps for _ in s.attempts)
    assert tried == Counter(line["effect"] for line in ledger)
    by_id = {step.step_id: step for step in steps}
    for line in ledger:
        if "attempt" not in line:
            continue
        # The body ran inside the window of exactly the attempt that it says it was.
        attempt = by_id[line["stepId"]].attempts[line["attempt"] - 1]
        at = datetime.fromisoformat(line["at"])
        assert attempt.n == line["attempt"]
        assert attempt.started_at is not None and attempt.started_at - timedelta(seconds=0.05) <= at
        assert attempt.ended_at is None or at <= attempt.ended_at + timedelta(seconds=0.05)


@pytest.mark.parametrize("snapshot", [s for s in SNAPSHOTS if "/eve_" not in s and s.endswith("/final")])
def test_runs_ended_as_the_facts_say(snapshot: str) -> None:
    journal = journal_of(snapshot)
    facts = load_json(source_of(snapshot).parent.parent / "facts.json")
    said = {
        words[0]: words[-1]
        for _, action in facts.get("actions", ())
        if len(words := action.split(" status ")) == 2
    }
    statuses = {run.run_id: run.status for run in journal.records}
    assert {run_id: statuses[run_id] for run_id in said} == said
    for name, run_id in facts.get("runs", {}).items():
        assert journal.run(run_id).record.workflow.function == name


@pytest.mark.parametrize("snapshot", [s for s in SNAPSHOTS if "/eve_" in s])
def test_tool_calls_are_what_the_ledger_has(snapshot: str) -> None:
    journal = journal_of(snapshot)
    ledger = ledger_of(snapshot, journal)
    facts = load_json(source_of(snapshot).parent.parent / "facts.json")
    assert facts["sessionId"] in {head.id for head in journal.heads}
    session = journal.session(facts["sessionId"])
    stream = load_ndjson(source_of(snapshot).parent.parent / "stream-main.ndjson")
    if snapshot.endswith("/final"):
        turns = {e["data"]["turnId"] for e in stream if e["type"] == "turn.started"}
        assert {turn.id for turn in session.turns} == turns
    report = report_of(journal, ledger).reports[0]
    counted = Counter(line["effect"] for line in ledger)
    for effect, count in zip(report.effects, report.counts, strict=True):
        if effect.tool not in TOOLS:
            continue
        real = counted.pop(TOOLS[effect.tool], 0)
        assert effect.executions.min <= real
        assert effect.executions.max is None or real <= effect.executions.max
        if count is not None and count.count is not None:
            assert count.count == real
    assert not counted, "every effect is one the journal knows of"


EXPECTED = {
    "postgres/eve_approval/final": {"held", "idle"},
    "postgres/eve_approval/held": {"parked"},
    "postgres/eve_cancelled/final": {"cancelled-turn", "completed"},
    "postgres/eve_crash/after-kill": {"overdue"},
    "postgres/eve_crash/final": {"ran-twice", "re-executed", "idle"},
    "postgres/eve_failed/final": {"failed-turn", "idle"},
    "postgres/eve_simple/final": {"idle"},
    "postgres/pg_upgraded/final": {"ran-twice", "re-executed", "completed"},
    "postgres/sdk41_crash/final": {"overdue"},
    "postgres/sdk41_sleephook/held": {"parked"},
    "postgres/sdk4_cancelled/final": {"cancelled-run"},
    "postgres/sdk4_crash/final": {"ran-twice", "re-executed", "completed"},
    "postgres/sdk4_failed/final": {"failed-run"},
    "postgres/sdk4_openwait/final": {"overdue"},
    "postgres/sdk4_retry/final": {"ran-twice", "completed"},
    "postgres/sdk5_crash/after-kill": {"overdue"},
    "postgres/sdk5_tz/final": {"ran-twice", "completed"},
    "redis/redisr_cancelled/final": {"cancelled-run"},
    "redis/redisr_failed/final": {"failed-run"},
    "redis/redisr_retry/final": {"ran-twice", "completed"},
    "redis/redisr_sleephook/held": {"parked"},
}


@pytest.mark.parametrize("snapshot", sorted(EXPECTED))
def test_the_post_mortem_says_what_happened(snapshot: str) -> None:
    journal = journal_of(snapshot)
    report = report_of(journal, ledger_of(snapshot, journal))
    found = {verdict.code for part in report.reports for verdict in part.verdicts}
    assert EXPECTED[snapshot] <= found
    assert "hidden-execution" not in found or "/held" in snapshot
    if "crash/final" in snapshot and "sdk41" not in snapshot:
        said = [v.sentence for part in report.reports for v in part.verdicts if v.code == "ran-twice"]
        assert all("the ledger has it twice" in sentence for sentence in said)


def story(journal: Journal) -> list[Any]:
    """Return what happened without ids, times and sizes: those differ from recording to recording."""
    told = []
    for session in journal.sessions:
        for run in session.all_runs:
            output = run.record.payload("output")
            steps = [
                (step.name.function, step.status, [attempt.outcome for attempt in step.attempts])
                for step in run.steps
            ]
            told.append((run.record.workflow.function, run.record.status, steps, output and output.tagged()))
        told.append([(turn.id, turn.status, turn.message) for turn in session.turns])
    return told


def without_own(value: Any) -> Any:
    """Leave out what a recording made up for itself: stacks, paths, ids, the order of random things."""
    if isinstance(value, dict):
        own = {"stack", "chargeId", "key", "url"}
        tagged = value.get("$type") in ("WritableStream", "ReadableStream", "Error", "AbortSignal")
        return {k: without_own(v) for k, v in value.items() if k not in own and not (tagged and k != "$type")}
    if isinstance(value, (list, tuple)):
        return [without_own(item) for item in value]
    return value


@pytest.mark.parametrize("scene", ["rich", "failed", "sleephook", "retry"])
def test_one_application_on_three_worlds_tells_one_story(scene: str) -> None:
    """SDK 4.8.9 on local files, Postgres and Redis: the same code was run three times."""
    local = story(Journal(open_world(str(data(f"local-sdk/local4_{scene}")))))
    postgres = story(journal_of(f"postgres/sdk4_{scene}/final"))
    redis = story(journal_of(f"redis/redisr_{scene}/final"))
    assert without_own(local) == without_own(postgres) == without_own(redis)


@pytest.mark.parametrize("scene", ["rich", "sleephook", "retry"])
def test_one_application_on_two_worlds_tells_one_story(scene: str) -> None:
    """SDK 5.0.0-beta.39 on local files and on Postgres."""
    local = story(Journal(open_world(str(data(f"local-sdk/local5_{scene}")))))
    postgres = story(journal_of(f"postgres/sdk5_{scene}/final"))
    assert without_own(local) == without_own(postgres)


def calls(journal: Journal, session_id: str | None = None) -> list[Any]:
    """Return the tool calls of the turn steps, attempt by attempt."""
    session = journal.session(session_id)
    return [
        [(call.name, call.input) for call in attempt.tool_calls]
        for turn in session.turns for step in turn.steps for attempt in step.attempts if attempt.tool_calls
    ]  # fmt: skip


def test_a_crash_in_a_tool_reads_the_same_from_files_and_from_postgres() -> None:
    """eve 0.80.1 on local files and eve 0.37.1 on Postgres, both killed while charge_card slept."""
    local = Journal(open_world(str(data("crash-in-tool"))))
    postgres = journal_of("postgres/eve_crash/final")
    ours, theirs = calls(postgres), calls(local)
    assert [[name for name, _ in attempt] for attempt in ours] == [["charge_card", "send_email"]] * 2
    assert [[name for name, _ in attempt] for attempt in theirs] == [["charge_card", "send_email"]] * 2
    assert ours[0] == ours[1]

    def verdicts(journal: Journal) -> set[str]:
        return {v.code for part in report_of(journal, []).reports for v in part.verdicts}

    assert verdicts(local) & {"ran-twice", "re-executed", "idle"} == verdicts(postgres) & {
        "ran-twice",
        "re-executed",
        "idle",
    }


@pytest.mark.postgres
@pytest.mark.parametrize("snapshot", ["postgres/eve_crash/final", "postgres/sdk41_rich/final"])
def test_one_recording_tells_one_story_whatever_it_is_read_from(snapshot: str, tmp_path: Path) -> None:
    """A live server, both forms of dump, and our own dump of it."""
    folder = source_of(snapshot).parent
    prelude = [folder / "prelude.sql"] if (folder / "prelude.sql").exists() else []
    address = pgserver.server().create("er_story", *prelude, folder / "dump.sql")
    own = tmp_path / "own.json"
    document = dump_document(open_world(str(folder / "dump.sql")))
    own.write_text(dumps_tagged({"format": "eve-replay/dump", **document}), "utf-8")
    told = {}
    for source in (address, str(folder / "dump.sql"), str(folder / "dump.inserts.sql"), str(own)):
        with Journal(open_world(source)) as journal:
            report = report_of(journal, [])
            told[source] = (
                without_own(story(journal)),
                [json.loads(json.dumps(part.to_json()["verdicts"])) for part in report.reports],
            )
    first = told.pop(address)
    for source, other in told.items():
        assert other[0] == first[0], source
        assert [[v["sentence"] for v in part] for part in other[1]] == [
            [v["sentence"] for v in part] for part in first[1]
        ], source

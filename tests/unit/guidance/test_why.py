"""The post-mortem over every recording with a ledger, and sentence by sentence."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from eve_replay.checks import Voice
from eve_replay.guidance import LEASE, why, why_all
from eve_replay.journal import open_journal
from eve_replay.recovery import Question
from tests.support.corpus import archive, data, names, scenario

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
TWICE = {"ran-twice", "may-have-run-twice"}
#: Big archives that tell nothing about effects that the others do not.
BIG = {"long-session", "big-payload"}


def cases():
    for name in names("local"):
        if name not in BIG:
            yield name
    for name in names("local-sdk"):
        yield f"local-sdk/{name}"
    for name in names("postgres"):
        yield f"postgres/{name}"


def source(name: str) -> Path | None:
    if name.startswith("postgres/"):
        return next(iter(sorted(scenario(name).rglob("final/dump.sql"))), None)
    return data(name)


#: All recordings, and those with a ledger. By name: collecting tests unpacks nothing.
OPENED = list(cases())
WITH_LEDGER = [name for name in OPENED if name != "postgres/eve_failed"]


def report_of(name, **options):
    with open_journal(str(source(name))) as book:
        return why_all(book.sessions, voice=Voice(now=NOW), **options)


def verdicts(name, **options):
    return [v for report in report_of(name, **options).reports for v in report.verdicts]


def codes(name, **options):
    return [v.code for v in verdicts(name, **options)]


@pytest.mark.parametrize("name", WITH_LEDGER)
def test_names_every_effect_that_happened_twice_and_none_that_happened_once(name):
    ledger = scenario(name) / "ledger.ndjson"
    plain, exact = report_of(name), report_of(name, ledger=ledger)
    named = {(v.tool, v.call_ids, v.step_id) for r in plain.reports for v in r.verdicts if v.code in TWICE}
    sure = {(v.tool, v.call_ids, v.step_id) for r in exact.reports for v in r.verdicts if v.code in TWICE}
    for report in exact.reports:
        for effect, counted in zip(report.effects, report.counts, strict=True):
            if counted is None or counted.count is None:
                continue
            key = (effect.tool, effect.call_ids, effect.step_id)
            assert (key in named) == (counted.count > 1), (key, counted.count, effect.executions)
            assert (key in sure) == (counted.count > 1), (key, counted.count)


@pytest.mark.parametrize("name", OPENED)
def test_every_sentence_is_whole(name):
    for report in report_of(name).reports:
        assert report.verdicts and report.worst is report.verdicts[0]
        json.dumps(report.to_json())
        for verdict in report.verdicts:
            assert verdict.sentence.endswith((".", '"')) or verdict.sentence.endswith(")"), verdict.sentence
            assert "None" not in verdict.sentence and "!" not in verdict.sentence
            assert not verdict.next or verdict.next.endswith(".")


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("approval-hold", "held"),
        ("approval-denied", "held"),
        ("cancelled-turn", "cancelled-turn"),
        ("cancelled-turn", "left-behind"),
        ("model-error", "failed-turn"),
        ("crash-in-model", "re-executed"),
        ("pay-with-key", "repeat-absorbed"),
        ("retention-0", "purged"),
        ("retention-default", "completed"),
        ("simple-turn", "idle"),
        ("older-0.20.0", "idle"),
        ("eve-dev-no-resume", "dormant"),
        ("crash-not-restarted", "overdue"),
        ("attempts-exhausted-kill", "overdue"),
        ("local-sdk/local4_failed", "failed-run"),
        ("postgres/sdk4_openwait", "overdue"),
        ("postgres/sdk5_cancelled", "cancelled-run"),
    ],
)
def test_states_are_named_as_such(name, code):
    assert code in codes(name)


def test_healthy_recordings_are_at_rest():
    for name in ("simple-turn", "steering", "subagent", "task-and-serve", "workflow-tool", "tool-throws"):
        assert set(codes(name)) <= {"idle", "completed"}, name


def test_an_open_step_by_the_clock():
    """The same journal at three instants: within the lease, with a shorter lease, long after."""
    with open_journal(str(data("crash-waiting-for-lease"))) as book:
        session = book.sessions[0]
        soon = datetime(2026, 11, 30, 9, 40, tzinfo=UTC)
        within = {v.code: v for v in why(session, now=soon).verdicts}
        assert {"running", "leased"} <= set(within)
        assert "09:49:43" in within["leased"].sentence and "14 min" in within["leased"].sentence
        assert "assumed" in within["leased"].sentence
        short = why(session, now=soon, question=Question(lease_seconds=20)).verdicts
        assert "overdue" in {v.code for v in short}
        assert {v.code for v in why(session, now=soon + LEASE).verdicts} == {"overdue", "unread-answer"}


def test_another_version_strands_the_session():
    found = verdicts("stranded", eve="0.80.1")
    stranded = next(v for v in found if v.code == "stranded")
    assert "0.79.0" in stranded.sentence and "0.80.1" in stranded.sentence and "409" in stranded.sentence
    assert "stranded" not in codes("stranded", eve="0.79.0")
    assert "stranded" in codes("stranded", versions=["0.79.0", "0.80.1"])


def test_minted_ids_and_the_reason_they_did_not_help():
    """An idempotency key made of the call id does not survive a model that mints ids.

    Source: docs/evidence/observed.md#call-ids.
    """
    from tests.support.synthetic import attempt, call, model_run, session, turn_step

    made = session(
        model_run(
            turn_step(
                attempt(1, call("a", returned=2, output={"idempotencyKey": "s:a"}), outcome="interrupted"),
                attempt(2, call("b", attempt=2, returned=12, output={"idempotencyKey": "s:b"}), start=10),
            )
        )
    )
    verdict = next(v for v in why(made, now=NOW).verdicts if v.code == "ran-twice")
    assert "differ" in verdict.sentence and "not of the call id" in verdict.next
    assert verdict.call_ids == ("a", "b")


def test_a_ledger_settles_what_the_journal_leaves_open():
    ledger = scenario("crash-in-tool") / "ledger.ndjson"
    assert "may-have-run-twice" in codes("crash-in-tool")
    found = codes("crash-in-tool", ledger=ledger)
    assert "may-have-run-twice" not in found and found.count("ran-twice") == 2
    once = [json.loads(line) for line in ledger.read_text().splitlines()][:2]
    settled = codes("crash-in-tool", ledger=once)
    assert not TWICE & set(settled)


def test_a_world_is_sorted_worst_first():
    from eve_replay.worlds.combined import CombinedWorld  # noqa: F401  (exists: several stores at once)

    reports = report_of("postgres/sdk4_failed").reports
    assert [r.rank for r in reports] == sorted(r.rank for r in reports)


def test_contract_fields():
    entry = report_of(
        "crash-before-commit", ledger=scenario("crash-before-commit") / "ledger.ndjson"
    ).reports[0]
    document = entry.to_json()
    assert {"sessionId", "runs", "status", "verdicts", "effects"} <= set(document)
    assert {"code", "sentence", "certainty", "evidence"} <= set(document["verdicts"][0])
    effect = document["effects"][0]
    assert {"tool", "callId", "runId", "stepId", "executions", "certainty", "attempts", "ledgerCount"} <= set(
        effect
    )


GOLDEN = Path(__file__).parents[2] / "golden" / "why"
TOLD = [
    "approval-hold",
    "attempts-exhausted-kill",
    "attempts-exhausted-throw-then-kill",
    "batch-crash",
    "cancelled-turn",
    "crash-before-commit",
    "crash-in-model",
    "crash-in-tool",
    "crash-waiting-for-lease",
    "eve-dev-no-resume",
    "model-error",
    "pay-with-key",
    "retention-0",
    "sdk4-crash",
    "workflow-tool",
]


@pytest.mark.parametrize("name", TOLD)
def test_golden_text(name, request):
    """The words a person reads. Write them anew with ``EVE_REPLAY_UPDATE=1`` and read the difference."""
    import os

    from eve_replay.views.kit.text import plain
    from eve_replay.views.verdicts.postmortem import why_lines

    assert archive(name)
    told = "\n\n".join(plain(why_lines(r, width=90)) for r in report_of(name).reports) + "\n"
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("EVE_REPLAY_UPDATE"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(told, encoding="utf-8")
    assert told == path.read_text("utf-8")

"""The journal against the facts of every recording: attempts, windows, calls, results, state law, words.

``facts.json`` comes from the server's own markers and the ledger, not from the journal.
"""

from __future__ import annotations

import functools
from typing import Any

import pytest

from eve_replay import open_journal
from eve_replay.journal import (
    Attempt,
    Journal,
    Session,
    Step,
    attempts_document,
    transcript,
    walk_states,
)
from eve_replay.times import iso
from tests.support import corpus

LOCAL = [name for name in corpus.names("local") if name != "long-session"]
#: Payloads and stream are gone in the folder as it lies after the session ended
#: (docs/evidence/observed.md#retention).
PURGED = {"retention-0"}
#: Every recording of the Postgres world that has a final dump.
POSTGRES = [
    name
    for name in corpus.names("postgres")
    if (corpus.scenario(f"postgres/{name}") / "final/dump.sql").exists()
]


@functools.cache
def journal(name: str) -> Journal:
    return open_journal(corpus.data(name))


@functools.cache
def facts(name: str) -> dict[str, Any]:
    return corpus.load_json(corpus.scenario(name) / "facts.json")


def steps(name: str) -> dict[tuple[str, str], Step]:
    return {(s.run_id, s.step_id): s for session in journal(name).sessions for s in session.steps}


def by_attempt(fact: dict[str, Any], step: Step) -> list[tuple[dict[str, Any], Attempt]]:
    """Pair what the facts say of each attempt with the attempt; steps without such facts give nothing."""
    seen = fact.get("byAttempt")
    return [] if seen is None else list(zip(seen, step.attempts, strict=True))


def cases() -> list[Any]:
    return [pytest.param(name, id=name) for name in LOCAL]


@pytest.mark.parametrize("name", cases())
def test_attempts_windows_and_ends(name: str) -> None:
    found = steps(name)
    for fact in facts(name)["steps"]:
        step = found[fact["runId"], fact["stepId"]]
        assert step.name.full == fact["stepName"]
        assert step.status == fact["status"]
        assert [iso(a.started_at) for a in step.attempts] == fact["attemptStarts"]
        assert iso(step.ended_at) == fact["endedAt"]
        assert len(step.retrying_events) == fact["retryingEvents"]
        if name not in PURGED:
            assert step.action == fact.get("action")
        for seen, attempt in by_attempt(fact, step):
            assert (iso(attempt.started_at), iso(attempt.window_end)) == (seen["from"], seen["to"])


@pytest.mark.parametrize("name", [c for c in cases() if c.id not in PURGED])
def test_calls_and_results_of_every_attempt(name: str) -> None:
    found = steps(name)
    for fact in facts(name)["steps"]:
        step = found[fact["runId"], fact["stepId"]]
        coordinates = [{"turnId": c.turn_id, "stepIndex": c.step_index} for c in step.coordinates]
        assert coordinates == fact.get("turnSteps", [])
        for seen, attempt in by_attempt(fact, step):
            assert requested(attempt) == [(c["callId"], c["kind"]) for c in seen.get("toolCalls", ())]
            assert returned(attempt) == [(c["callId"], c["status"]) for c in seen.get("toolResults", ())]


def requested(attempt: Attempt) -> list[tuple[str, str]]:
    return [(c.call_id, c.kind) for c in attempt.tool_calls if c.requested_at is not None]


def returned(attempt: Attempt) -> list[tuple[str, str | None]]:
    calls = [(c.returned_at, c) for c in attempt.tool_calls if c.returned_at is not None]
    return [(c.call_id, c.status) for _, c in sorted(calls, key=lambda pair: pair[0])]


@pytest.mark.parametrize("name", cases())
def test_effects_happen_where_the_journal_says_a_body_ran(name: str) -> None:
    """An attempt in which the outside world saw an effect is never said to have run no body."""
    found = steps(name)
    for fact in facts(name)["steps"]:
        step = found[fact["runId"], fact["stepId"]]
        for seen, attempt in by_attempt(fact, step):
            if seen["effects"]:
                assert attempt.body != "did not run"
            if attempt.body == "did not run":
                assert seen["effects"] == []


@pytest.mark.parametrize("name", cases())
def test_every_stream_event_finds_its_attempt_and_nothing_disagrees(name: str) -> None:
    for session in journal(name).sessions:
        assert session.unjoined == ()
        assert session.problems == ()
        joined = [e.position for s in session.steps for a in s.attempts for e in a.stream_events]
        assert sorted(joined) == [e.position for e in session.stream_events]


@pytest.mark.parametrize("name", cases())
def test_what_a_step_leaves_is_what_the_next_one_gets(name: str) -> None:
    for session in journal(name).sessions:
        walked = list(walk_states(session.steps))
        assert [(s.step.step_id, c.path) for s in walked for c in s.law] == []
        if session.kind != "workflow" and name not in PURGED:
            assert any(s.after is not None for s in walked)


@pytest.mark.parametrize("name", cases())
def test_documents_and_transcripts_of_everything(name: str) -> None:
    document = attempts_document(journal(name))
    assert [(len(s["attempts"]), s["status"]) for s in document if s["kind"] == "turn"] == [  # type: ignore[arg-type]
        (f["attempts"], f["status"])
        for f in sorted(facts(name)["steps"], key=lambda f: order(document, f))
        if f["stepName"].endswith("//turnStep")
    ]
    for session in journal(name).sessions:
        entries = list(transcript(session))
        if session.turns:
            assert entries[0].kind == "user"
        runs = {a.n for s in session.steps for a in s.attempts if s.kind == "turn" and len(s.attempts) > 1}
        assert {e.attempt for e in entries if e.kind == "note" and e.text.startswith("attempt ")} == runs


@pytest.mark.parametrize("name", [c for c in cases() if c.id not in PURGED])
def test_the_document_says_of_calls_what_the_facts_say(name: str) -> None:
    document: Any = {(s["runId"], s["stepId"]): s for s in attempts_document(journal(name))}
    for fact in facts(name)["steps"]:
        for seen, attempt in zip(
            fact.get("byAttempt", ()), document[fact["runId"], fact["stepId"]]["attempts"], strict=False
        ):
            calls = attempt["toolCalls"]
            assert sorted(c["callId"] for c in calls if c["requested"]) == sorted(
                c["callId"] for c in seen.get("toolCalls", ())
            )
            assert sorted(c["callId"] for c in calls if c["returned"]) == sorted(
                c["callId"] for c in seen.get("toolResults", ())
            )


def order(document: list[dict[str, object]], fact: dict[str, Any]) -> int:
    return [s["stepId"] for s in document].index(fact["stepId"])


def test_before_the_purge_the_same_session_shows_its_calls() -> None:
    before = open_journal(corpus.scenario("retention-0") / "data-before-reset")
    session = before.session()
    (turn,) = session.turns
    assert (turn.status, [c.name for s in turn.steps for c in s.tool_calls]) == ("completed", ["charge_card"])
    after = journal("retention-0").session()
    assert (after.status, after.turns, after.head.purged) == ("completed", (), True)
    assert [len(s.attempts) for s in after.steps if s.kind == "turn"] == [1, 1]


def the(name: str) -> Session:
    return next(s for s in journal(name).sessions if s.kind != "subagent")


#: Session status, turn statuses, message roles and parks (kind, open, released by), as the timelines of
#: facts.json tell them.
STORIES: dict[str, tuple[str, list[str], list[str], list[tuple[str, bool, str | None]]]] = {
    "simple-turn": ("idle", ["completed", "completed"], ["opened", "opened"], []),
    "crash-in-tool": ("idle", ["completed"], ["opened"], []),
    "crash-not-restarted": ("running", ["running"], ["opened"], []),
    "crash-waiting-for-lease": ("running", ["running"], ["opened", "pending"], []),
    "attempts-exhausted-kill": ("running", ["running"], ["opened", "pending"], []),
    "approval-hold": (
        "idle",
        ["failed"],
        ["opened", "answered"],
        [("approval", False, "approved by anonymous")],
    ),
    "approval-denied": (
        "idle",
        ["failed"],
        ["opened", "answered"],
        [("approval", False, "cancelled by anonymous")],
    ),
    "model-error": ("idle", ["failed", "completed"], ["opened", "opened"], []),
    "cancelled-turn": ("idle", ["cancelled", "completed"], ["opened", "cancelled", "opened"], []),
    "steering": ("idle", ["completed"], ["opened", "steered"], []),
    "compact-and-clear": ("idle", ["completed"] * 2, ["opened", "command", "opened", "command"], []),
    "retention-default": ("completed", ["completed"], ["opened", "command"], []),
    "subagent": (
        "idle",
        ["completed"],
        ["opened", "task", "task", "task"],
        [("tasks", False, "task researcher completed")],
    ),
    "workflow-tool": (
        "idle",
        ["completed"],
        ["opened", "task", "answered", "task", "answered", "task"],
        [
            ("tasks", False, "result of handle_incident"),
            ("question", False, "answered"),
            ("timer", False, "time passed"),
            ("question", False, "answered"),
        ],
    ),
    "task-and-serve": (
        "idle",
        ["completed"],
        ["opened", "task", "task", "task", "task"],
        [
            ("tasks", False, "task release_plan completed"),
            ("timer", False, "time passed"),
            ("tasks", False, "task background_job completed"),
        ],
    ),
    "older-0.20.0": ("idle", ["completed"], ["opened"], []),
    "older-0.50.0": ("idle", ["completed"], ["opened"], []),
    "stranded": ("idle", ["completed"], ["opened"], []),
    "eve-dev-no-resume": ("running", ["running"], ["opened"], []),
    "sdk4-crash": (
        "completed",
        [],
        [],
        [("webhook", False, "a delivery"), ("timer", False, "time passed")],
    ),
}


@pytest.mark.parametrize("name", STORIES)
def test_stories(name: str) -> None:
    session = the(name)
    status, turns, roles, parks = STORIES[name]
    assert session.status == status
    assert [t.status for t in session.turns] == turns
    assert [m.role for m in session.messages] == roles
    assert [(p.kind, p.open, p.released_by) for p in session.parks] == parks


def test_calls_known_only_from_history_are_marked() -> None:
    calls = [c for s in the("tool-throws").steps for c in s.tool_calls]
    marked = [(c.name, c.coordinate.step_index) for c in calls if c.history_only and c.coordinate]
    assert marked == [("no_such_tool", 1), ("charge_card", 2)]
    assert all(c.is_error and c.began == "unknown" for c in calls if c.history_only)


def test_a_start_past_the_budget_ran_no_body() -> None:
    """docs/evidence/observed.md#throw-then-kill: five starts, four body runs."""
    doomed = next(s for s in the("attempts-exhausted-throw-then-kill").steps if s.function == "doomed")
    assert [(a.outcome, a.body) for a in doomed.attempts] == [
        ("failed", "ran"),
        ("interrupted", "unknown"),
        ("interrupted", "unknown"),
        ("interrupted", "unknown"),
        ("failed", "did not run"),
    ]


def test_inline_starts_and_reruns() -> None:
    """docs/evidence/observed.md#one-record: re-runs never carry an owner."""
    again = [a for name in LOCAL for s in steps(name).values() for a in s.attempts if a.n > 1]
    assert again and not any(a.inline for a in again)


def test_tokens_paid_again_are_counted_once_per_repeat() -> None:
    (turn,) = the("crash-before-commit").turns
    assert turn.tokens is not None and turn.tokens_again is not None
    assert (turn.tokens.input, turn.tokens_again.input) == (373 + 373 + 412, 373)
    (plain,) = the("crash-after-commit").turns
    assert plain.tokens_again is not None and plain.tokens_again.input > 0
    assert the("simple-turn").turns[0].tokens_again is None


def test_a_subagent_is_a_session_of_its_own() -> None:
    parent = the("subagent")
    (child_id,) = parent.subagents
    child = journal("subagent").session(child_id)
    assert (child.kind, child.head.parent, child.title) == ("subagent", parent.id, "researcher")
    bridge = next(r for r in parent.children if r.role == "tool")
    assert (bridge.tool, bridge.parent_call) == ("researcher", "mock-tool-call-1-0-1")
    dispatch = next(s for s in parent.steps if s.function == "dispatchCoordinationStep")
    assert dispatch.dispatched == (bridge.run_id,)


def test_a_compaction_moves_the_session_to_a_second_run() -> None:
    session = the("compact-and-clear")
    assert [r.role for r in session.runs] == ["session", "session"]
    assert session.runs[0].run_id == session.id
    assert len(session.children) == 2


def test_turns_of_older_eve_run_in_runs_of_their_own() -> None:
    for name, version in (("older-0.20.0", "0.20.0"), ("older-0.50.0", "0.50.0")):
        session = the(name)
        assert [r.role for r in session.runs] == ["session", "turn"]
        assert session.eve_version == version
        functions = [s.function for s in session.turns[0].steps]
        assert functions[0] == "dispatchTurnStep" and functions[-1] == "sendTurnControlStep"


@pytest.mark.parametrize("name", POSTGRES)
def test_postgres_fixtures(name: str) -> None:
    source = corpus.scenario(f"postgres/{name}") / "final" / "dump.sql"
    found = open_journal(source)
    for session in found.sessions:
        assert session.unjoined == ()
        assert session.problems == ()
        assert [c.path for s in walk_states(session.steps) for c in s.law if not c.expected] == []
        list(transcript(session))


#: (outcome, names of the calls that returned) of every attempt of every turn step.
PG_EVE = {
    "eve_simple": [
        [("completed", ["get_weather", "get_weather"])],
        [("completed", ["charge_card", "send_email"])],
        [("completed", [])],
    ],
    "eve_crash": [
        [("interrupted", ["send_email"]), ("completed", ["charge_card", "send_email"])],
        [("completed", [])],
    ],
    "eve_approval": [[("completed", [])], [("completed", ["restart_service"])]],
    "eve_cancelled": [[("completed", ["charge_card"])]],
    "eve_failed": [[("completed", [])]],
}
PG_WORDS = {
    "eve_simple": ("idle", ["completed"]),
    "eve_crash": ("idle", ["completed"]),
    "eve_approval": ("idle", ["completed", "completed"]),
    "eve_cancelled": ("completed", ["cancelled"]),
    "eve_failed": ("idle", ["failed"]),
}


@pytest.mark.parametrize("name", PG_EVE)
def test_eve_on_postgres(name: str) -> None:
    session = open_journal(corpus.scenario(f"postgres/{name}") / "final" / "dump.sql").session()
    seen = [
        [(a.outcome, sorted(c.name for c in a.tool_calls if c.returned)) for a in s.attempts]
        for s in session.steps
        if s.kind == "turn"
    ]
    assert seen == PG_EVE[name]
    assert (session.status, [t.status for t in session.turns]) == PG_WORDS[name]
    ledger = corpus.scenario(f"postgres/{name}") / "ledger.ndjson"
    happened = corpus.load_ndjson(ledger) if ledger.exists() else []
    for entry in happened:
        if "callId" in entry:
            assert any(c.call_id == entry["callId"] for s in session.steps for c in s.tool_calls)

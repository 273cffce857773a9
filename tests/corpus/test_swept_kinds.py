"""Single points of two sweeps: what the folder foretells against what the real runtime then did."""

from __future__ import annotations

from collections import Counter

import pytest

from eve_replay.checks import check_session
from eve_replay.guidance import why
from eve_replay.journal import open_journal
from eve_replay.recovery import fate, forecast
from eve_replay.times import parse_time
from tests.support import corpus

NOW = parse_time("2026-12-02T00:00:00Z")


@pytest.mark.parametrize(
    ("name", "outcome"),
    [
        # A person's answer is durable with the caller, and the subagent had not got it yet: it went on.
        ("A6-006", "recovers"),
        # A word that was not the subagent's last, half committed: the turn waited for ever.
        ("A6-504", "hangs"),
        # Three hooks claimed one slot, and the subagent's answer channel lost.
        ("A6-533", "hangs"),
        # A message was accepted and not taken yet, behind `session.waiting`.
        ("A4-005", "recovers"),
        # One of two calls denied, the other running when the process died.
        ("A2-005", "recovers"),
        # The inbox has no record: the turn went on, the next message was refused with 409.
        ("C1-005", "recovers"),
    ],
)
def test_the_outcome_and_every_range(name: str, outcome: str) -> None:
    folder = corpus.scenario("swept-kinds") / name
    with open_journal(folder / "crash") as journal:
        found = forecast(journal)
    (root,) = [f for f in found if f.kind == "session"]
    assert root.answer.outcome == outcome
    done = Counter(_key(line) for line in corpus.load_ndjson(folder / "crash.ledger.ndjson"))
    for each in found:
        for effect in each.answer.effects:
            real = done[each.session_id, effect.call_id or ""]
            if effect.kind == "tool":
                assert effect.before.min <= real
                assert effect.before.max is None or real <= effect.before.max


def _key(line: dict[str, str]) -> tuple[str, str]:
    return line["sessionId"], line["callId"]


def test_a_session_that_refuses_messages_is_said_by_doctor_and_why() -> None:
    with open_journal(corpus.scenario("swept-kinds") / "C1-005" / "crash") as journal:
        session = journal.session()
        findings = [f for f in check_session(session, now=NOW, deep=False) if f.code == "half-written-h3"]
        verdicts = [v for v in why(session, now=NOW).verdicts if v.code == "half-written"]
    assert [f.severity for f in findings] == ["warning"]
    assert "409" in findings[0].why
    assert "409" in verdicts[0].sentence


def test_an_accepted_message_is_no_rest() -> None:
    with open_journal(corpus.scenario("swept-kinds") / "A4-005" / "crash") as journal:
        codes = {v.code for v in why(journal.session(), now=NOW).verdicts}
    assert "idle" not in codes
    assert "between-steps" in codes


def test_a_stuck_child_stops_whoever_waits_for_its_word() -> None:
    with open_journal(corpus.scenario("swept-kinds") / "A6-504" / "crash") as journal:
        told = fate.fates(journal.sessions)
    root = next(each for each in told.values() if each.runs[0].waits_for)
    tool = next(run for run in root.runs if run.role == "tool")
    assert root.outcome == "hangs"
    assert tool.goes == "stuck"
    assert tool.because[0].rule == "F1"
    assert tool.run_id in root.runs[0].waits_for

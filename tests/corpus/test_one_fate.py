"""doctor, why, forecast of all and forecast of one session never contradict each other, on any recording."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from eve_replay.checks import Voice, check_session
from eve_replay.guidance import why_all
from eve_replay.journal import open_journal
from eve_replay.recovery import Question, forecast
from tests.support import corpus
from tests.support.crash_kinds import folders

NOW = datetime(2026, 12, 2, tzinfo=UTC)
#: Whether eve was restarted or how is not the question here: what lies there has one fate.
RESTARTED = Question(environment="eve-start")
STOPS = {"wedged", "repeats-without-end", "will-fail", "stuck"}
OPEN = {"running", "interrupted", "overdue", "leased", "dormant", "between-steps"}


def journals() -> Iterator[tuple[str, Path]]:
    """Yield every data folder of the corpora: kinds of crashes, sweeps, scenarios."""
    yield from ((name, data) for name, data, _ in folders())
    for sweep in corpus.names("sweep"):
        root = corpus.scenario(f"sweep/{sweep}")
        yield from ((f"{sweep}/{crash.parent.name}", crash) for crash in sorted(root.glob("*/crash")))
    for name in corpus.names("local"):
        yield name, corpus.data(f"local/{name}")


def contradictions(data: Path) -> list[str]:
    """Return what two commands say of one session that cannot both be true."""
    out = []
    with open_journal(data) as journal:
        told = {r.session_id: {v.code for v in r.verdicts} for r in _reports(journal)}
        for found in forecast(journal, question=RESTARTED):
            outcome, codes = found.answer.outcome, told[found.session_id]
            (alone,) = forecast(journal, question=RESTARTED, session=found.session_id)
            findings = check_session(journal.session(found.session_id), now=NOW, deep=False)
            doctor = {
                f.code
                for f in findings
                if f.severity == "error" and f.code.startswith(("wedged", "waits-for-ever"))
            }
            lost = outcome == "needs-message" and "lost-delivery" in codes
            stops = outcome in ("hangs", "fails", "needs-message") and not lost
            where = f"{found.session_id[-4:]}: {outcome}, why {sorted(codes)}, doctor {sorted(doctor)}"
            if alone.answer.outcome != outcome:
                out.append(f"alone {alone.answer.outcome}; {where}")
            if bool(doctor) != stops or bool(STOPS & codes) != stops:
                out.append(f"stops; {where}")
            if "idle" in codes and outcome != "nothing-open":
                out.append(f"idle; {where}")
            if outcome == "nothing-open" and OPEN & codes:
                out.append(f"open; {where}")
    return out


def _reports(journal):  # type: ignore[no-untyped-def]
    return why_all(list(journal.sessions), voice=Voice(now=NOW)).reports


def test_no_two_commands_contradict_each_other() -> None:
    wrong = {name: found for name, data in journals() if (found := contradictions(data))}
    assert not wrong


@pytest.mark.parametrize(
    ("name", "outcome"),
    [
        ("sweep-K2-003/crash", "hangs"),
        ("sweep-K2-021/crash", "hangs"),
        ("failed-generator-child-parent-waits/crash", "hangs"),
        ("sweep-K5-000/crash", "hangs"),
        ("sweep-K3-001/crash", "recovers"),
        ("two-approvals-one-answered/crash", "needs-person"),
        ("sdk4.8.9-torn-F1-pay-terminal-lock/crash", "hangs"),
        ("sdk4.8.9-killed-between-steps-open-hook/crash", "recovers"),
    ],
)
def test_what_becomes_of_the_session_that_was_killed(name: str, outcome: str) -> None:
    data = next(data for each, data, _ in folders() if each == name)
    with open_journal(data) as journal:
        roots = [f for f in forecast(journal, question=RESTARTED) if f.kind != "subagent"]
    assert outcome in {each.answer.outcome for each in roots}

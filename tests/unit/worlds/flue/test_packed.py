"""A bundle of a Flue conversation, whole or redacted, says what the conversation says."""

from datetime import UTC, datetime

import pytest

from eve_replay.guidance.why import why
from eve_replay.journal import open_journal
from eve_replay.redaction.redact import Redactor
from eve_replay.worlds.bundle.write import write_bundle
from tests.support.flue import fixtures, journal

NOW = datetime(2026, 12, 2, tzinfo=UTC)


def told(opened):
    return [
        (turn.status, turn.budget.attempts, [(c.name, c.fate) for s in turn.steps for c in s.tool_calls])
        for session in opened.sessions
        for turn in session.turns
    ]


@pytest.mark.parametrize("redacted", [False, True], ids=["whole", "redacted"])
@pytest.mark.parametrize("name", list(fixtures()))
def test_a_packed_conversation_says_the_same(name, redacted, tmp_path):
    opened = journal(fixtures()[name]["final"])
    path = tmp_path / "packed.everun"
    with path.open("wb") as file:
        write_bundle(opened.world, file, redactor=Redactor(b"salt") if redacted else None)
    again = open_journal(path)
    assert told(again) == told(opened)
    for one, two in zip(opened.sessions, again.sessions, strict=True):
        said, repeated = (why(each, now=NOW) for each in (one, two))
        assert [v.code for v in repeated.verdicts] == [v.code for v in said.verdicts]
        assert [(e.tool, e.executions) for e in repeated.effects] == [
            (e.tool, e.executions) for e in said.effects
        ]

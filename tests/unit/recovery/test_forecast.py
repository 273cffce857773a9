"""forecast: environments told from the journal, sessions in order, subagents."""

import shutil
from datetime import UTC, datetime

import pytest

from eve_replay import open_journal, samples
from eve_replay.errors import NotFound
from eve_replay.guidance.why import why
from eve_replay.recovery.forecast import at_home, detect_environment, forecast
from eve_replay.recovery.question import Question
from tests.support.recovery import crash_journal, scenario


@pytest.mark.parametrize(
    ("name", "environment"),
    [
        ("crash-in-tool", "eve-start"),
        ("eve-dev-no-resume", "eve-dev"),
        ("sdk4-crash", "sdk-started"),
        ("sdk4-crash-world-not-started", "sdk-not-started"),
        ("sdk5-crash", "sdk-not-started"),
    ],
)
def test_the_environment_is_told_from_the_journal(name, environment):
    journal = scenario(name)
    assert detect_environment(journal, journal.heads[-1])[0] == environment


def test_the_other_environments_are_answered_too():
    found = forecast(crash_journal("T1", "after-080"))[0]
    others = dict(found.others)
    assert others["eve-dev"].outcome == "needs-person"
    assert others["other-version"].outcome == "needs-person"
    assert others["eve-dev-resume"].outcome == "recovers"
    assert found.answer.assumptions.notes[0].startswith("environment told from the journal")


def test_what_is_certain_is_said():
    found = forecast(crash_journal("T1", "before-082"))[0]
    assert any("wedged (F1)" in text for text in found.certain)
    assert any("will run again" in text for text in found.certain)


def test_a_finished_journal_has_nothing_open():
    found = forecast(scenario("crash-in-tool"))
    assert [f.answer.outcome for f in found] == ["nothing-open"]
    assert not found[0].open


def test_left_running_and_seen_from_there():
    found = forecast(scenario("crash-not-restarted"))[0]
    assert found.answer.outcome == "recovers"
    assert found.answer.by == "lease"
    document = found.to_json()
    assert document["sessionId"] == found.session_id
    assert document["environments"]["eve-dev"]["outcome"] == "needs-person"


def test_a_shorter_lease_can_be_assumed():
    found = forecast(scenario("crash-not-restarted"), question=Question(lease_seconds=2))[0].answer
    later = forecast(scenario("crash-not-restarted"))[0].answer
    assert (later.earliest - found.earliest).total_seconds() == 858


def test_only_one_session():
    journal = scenario("crash-not-restarted")
    assert [f.session_id for f in forecast(journal, session=journal.heads[0].id)] == [journal.heads[0].id]
    with pytest.raises(NotFound, match="wrun_nothing"):
        forecast(journal, session="wrun_nothing")


def test_worst_first():
    ranks = ["fails", "hangs", "needs-person", "needs-message", "recovers", "nothing-open"]
    for name in ("sdk4-crash", "approval-hold"):
        outcomes = [ranks.index(f.answer.outcome) for f in forecast(scenario(name))]
        assert outcomes == sorted(outcomes)


def test_without_the_event_log_nothing_is_foretold(tmp_path):
    """Records alone look half-written: the log may only not have been readable."""
    folder = samples.extract("crash-in-tool", tmp_path) / "data"
    shutil.rmtree(folder / "events")
    (found,) = forecast(open_journal(str(folder)))
    assert (found.answer.outcome, found.answer.certainty) == ("needs-person", "unknown")
    assert "event log" in found.answer.sentence
    assert found.answer.steps == () and found.certain == ()
    assert all(e.executions.max is None for e in found.answer.effects)


def test_without_the_event_log_the_post_mortem_says_so_and_names_no_wedge(tmp_path):
    folder = samples.extract("crash-in-tool", tmp_path) / "data"
    shutil.rmtree(folder / "events")
    report = why(open_journal(str(folder)).session(), now=datetime(2026, 12, 1, tzinfo=UTC))
    codes = {verdict.code for verdict in report.verdicts}
    assert "no-log" in codes
    assert not codes & {"wedged", "will-fail", "interrupted", "half-written", "idle"}


@pytest.mark.parametrize(
    ("name", "place"), [("sdk4-crash", "sdk-started"), ("sdk5-crash", "sdk-not-started")]
)
def test_a_plain_run_is_asked_by_its_own_rules_at_its_own_place(name, place):
    journal = open_journal(f"sample:{name}")
    (head,) = journal.heads
    asked = at_home(journal, journal.session(head.id), head, Question())
    assert (asked.runtime.name, asked.surroundings.name) == ("workflow-sdk", place)
    kept = at_home(journal, journal.session(head.id), head, Question(environment="two-processes"))
    assert kept.surroundings.name == "two-processes"

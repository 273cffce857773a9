"""The plan as every front end shows it: the same steps, the same words, whole commands."""

from datetime import UTC, timedelta

import pytest

from eve_replay import open_journal
from eve_replay.guidance import why
from eve_replay.guidance.plan import place_of
from eve_replay.notebook.widget_data import explorer_data
from eve_replay.views.kit.text import plain
from eve_replay.views.session.explorer import Explorer
from eve_replay.views.verdicts.plan import plan_lines, plan_view
from eve_replay.views.verdicts.verdicts import session_verdicts
from tests.support.corpus import load_json, load_ndjson, scenario

NAMES = [
    "operator/open-step",
    "crash-not-restarted",
    "crash-in-tool",
    "sdk4-crash-world-not-started",
    "eve-dev-no-resume",
]


def opened(name):
    root = scenario(name)
    return open_journal(next(p for p in (root / "after-kill", root / "data", root / "final") if p.is_dir()))


@pytest.mark.parametrize("name", NAMES)
def test_why_the_terminal_and_the_notebook_show_the_same_plan(name):
    with opened(name) as journal:
        for head in journal.heads:
            session = journal.session(head.id)
            now = head.updated_at + timedelta(seconds=60)
            told = plan_view(why(session, now=now).plan)
            screen = session_verdicts(session, now=now, zone=UTC, place=place_of(journal, session)).plan
            page = explorer_data(Explorer(session), now=now)["plan"]
            assert told and told == screen
            assert page == told.to_json()


def test_an_open_charge_in_its_lease_is_looked_up_held_or_let_go():
    with opened("operator/open-step") as journal:
        session = journal.session(journal.heads[0].id)
        started = session.turns[0].turn_steps[0].started_at
        plan = why(session, now=started + timedelta(seconds=60)).plan
    assert [step.kind for step in plan.steps] == ["look-up", "hold", "safe-to-start"]
    due = started + timedelta(seconds=860)
    assert [step.deadline for step in plan.steps[:2]] == [due, due]
    assert [each.at for each in plan.soon] == [due] and plan.soon[0].protected is False
    assert plan.urgent and 'charge_card({customer: "cus_none", cents: 900' in plan.steps[0].sentence
    assert "Cancel and reset do not help" in plan.steps[1].sentence
    assert "does not protect a first call that carried none" in plan.steps[2].sentence
    lines = plain(plan_lines(plan_view(plan), width=70)).splitlines()
    (command,) = [line for line in lines if "$ curl" in line]
    assert command.endswith("'") and f"/session/{session.id}/reset" in command  # one line, whole


def test_what_the_plan_says_of_cancel_and_reset_is_what_was_recorded():
    root = scenario("operator/open-step")
    facts = load_json(root / "facts.json")
    acted = [row["sessionId"] for row in load_ndjson(root / "ledger.ndjson")]
    assert {name: acted.count(id_) for name, id_ in facts["sessions"].items()} == facts["ledger"]
    after = [row["sessionId"] for row in load_ndjson(root / "ledger-after-other-version.ndjson")]
    assert facts["otherVersion"]["reset"] not in after and len(after) == 2
    with open_journal(root / "restarted") as journal:
        for head in journal.heads:
            plan = why(journal.session(head.id), now=head.updated_at + timedelta(seconds=60)).plan
            # Each was charged twice in the end: it is to be looked up, and nothing repeats any more.
            assert [step.kind for step in plan.steps][:1] == ["look-up"] and not plan.soon, head.id


def test_the_orphan_is_named_by_id_amount_time_and_attempt():
    with opened("crash-before-commit") as journal:
        session = journal.session(journal.heads[-1].id)
        (first, *_) = why(session, now=session.head.updated_at + timedelta(hours=1)).plan.steps
    assert first.kind == "undo" and first.group == 2
    assert "the session goes on with attempt 2, ch_t7b8nkp3, 500 cents" in first.sentence
    assert "the orphan is attempt 1, ch_1qc1r5hv, 500 cents" in first.sentence

"""The plans of every recording: no two steps contradict, nothing is advised that repeats an effect unsaid."""

import json
from datetime import timedelta

import pytest

from eve_replay import open_journal
from eve_replay.guidance import why
from eve_replay.guidance.plan import place_of
from tests.support.corpus import names, scenario

GROUPS = [group for group in ("local", "local-sdk", "operator", "round2") if names(group)]
NAMES = [f"{group}/{name}" for group in GROUPS for name in names(group)]
NAMES += ["python-sdk"]


def folders(name):
    root = scenario(name)
    found = [
        p
        for p in sorted(root.iterdir())
        if p.is_dir() and ((p / "runs").is_dir() or (p / "version.txt").exists())
    ]
    return found or [p for p in (root / "data", root / "final") if p.is_dir()]


def reports(name):
    """Yield ``(session, report)`` shortly after the last write, and a day later, when every lease is over."""
    for folder in folders(name):
        with open_journal(folder) as journal:
            for head in journal.heads:
                session = journal.session(head.id)
                last = head.updated_at or head.created_at
                if last is None:
                    continue
                place = place_of(journal, session)
                for later in (timedelta(seconds=90), timedelta(days=1)):
                    yield session, why(session, now=last + later, place=place)


@pytest.mark.parametrize("name", NAMES)
def test_a_plan_never_contradicts_itself_and_says_first_what_a_start_repeats(name):
    for session, report in reports(name):
        plan = report.plan
        does = [step.does for step in plan.steps]
        free = [step for step in plan.steps if not step.only_if]
        where = (name, session.id, [step.text for step in plan.steps])
        # Opposite things are never both asked for without a condition.
        assert not (plan.holds and any(step.does == "start-server" for step in free)), where
        assert not ("stop-server" in does and "start-server" in does), where
        # The order: harm that goes on, that comes, that is done, behind a key, the rest.
        groups = [step.group for step in plan.steps]
        assert groups == sorted(groups), where
        assert len({step.text for step in plan.steps}) == len(plan.steps), where
        bare = [each for each in plan.soon if each.unprotected]
        # What repeats unprotected is said, and somebody is told to hold or to stop, before any start, answer
        # or message is advised.
        if bare:
            assert plan.urgent and plan.holds, where
            first = next(n for n, step in enumerate(plan.steps) if step.does in ("keep-down", "stop-server"))
            for n, step in enumerate(plan.steps):
                if step.does in ("start-server", "answer", "send", "reset"):
                    assert n > first and step.only_if, where
            told = " ".join(step.sentence for step in plan.steps[: first + 1])
            for each in bare:
                assert each.tool in told, (where, each.tool)
        # No verdict says against the plan what to do with the server.
        if plan.holds:
            for verdict in report.verdicts:
                lowered = verdict.next.lower()
                assert not lowered.startswith(("start the server", "restart with", "start a server")), where
                assert "wait;" not in lowered, where


@pytest.mark.parametrize("name", NAMES)
def test_commands_are_whole_and_hold_real_ids(name):
    for session, report in reports(name):
        ids = {session.id, session.head.parent or session.id}
        for step in report.plan.steps:
            for command in step.commands:
                text = command.command
                assert "..." not in text and "…" not in text and "<" not in text, text
                if command.kind == "curl":
                    assert session.kind != "workflow", text
                    assert any(f"/eve/v1/session/{each}" in text for each in ids), text
                    body = json.loads(text.rpartition(" -d ")[2].strip("'"))
                    assert isinstance(body, dict)
        json.dumps(report.to_json())

"""Every point of the crash sweep: the wedged state is named where the real session hung, and nowhere else."""

import json

import pytest

from eve_replay.checks import check_session, wedges
from eve_replay.guidance import why
from eve_replay.journal import open_journal
from eve_replay.records import HookRecord, MarkRecord
from tests.support.corpus import scenario
from tests.support.synthetic import RUN, at, event, events, journal, run, step_record

NOW = at(3600)
STEP = "step_01M8NVET2Q1207NWPAG2NV4SKF"
STOPS = {"wedged", "repeats-without-end", "will-fail"}


def expected(row):
    """What the real session did after the restart."""
    if row["recovered"]:
        return "none"
    if row.get("ended"):
        return "fails"
    return "needs-message" if (row.get("after_message") or {}).get("recovered") else "hangs"


def seen(found):
    """What the half-written commits say, in the same words."""
    kinds = {w.consequence for w in found if w.stops}
    if not kinds:
        return "none"
    if "fails" in kinds:
        return "fails"
    return "needs-message" if kinds == {"needs-message"} else "hangs"


def points(turn):
    folder = scenario(f"sweep/{turn}")
    for text in (folder / "rows.ndjson").read_text("utf-8").splitlines():
        row = json.loads(text)
        crash = folder / f"{row['when']}-{row['n']:03d}" / "crash"
        # A point before the first run record leaves nothing; three drives failed before their restart.
        if crash.exists() and "recovered" in row and not row.get("no_session"):
            yield row, crash


@pytest.mark.parametrize("turn", ["T1", "T2", "T3"])
def test_every_point_of_the_sweep(turn):
    wrong, number = [], 0
    for row, crash in points(turn):
        number += 1
        with open_journal(str(crash)) as book:
            sessions = list(book.sessions)
            found = [w for s in sessions for w in wedges(s)]
            verdicts = [v for s in sessions for v in why(s, now=NOW).verdicts]
            findings = [f for s in sessions for f in check_session(s, now=NOW, deep=False)]
        want, got = expected(row), seen(found)
        told = any(v.code in STOPS for v in verdicts)
        doctor = any(f.code.startswith("wedged") for f in findings)
        if want != got or told != (want != "none") or doctor != told:
            wrong.append((row["when"], row["n"], row["label"], want, got, told, doctor))
    assert not wrong
    assert number > 30


def lock(phase, subject=STEP, kind="step"):
    return MarkRecord(
        {"runId": RUN}, f".locks/{kind}s/{RUN}-{subject}.{phase}", kind=kind, phase=phase, subject=subject
    )


def one(log, steps=(), others=(), **fields):
    book = journal([run(**fields)], log, steps, others)
    return wedges(book.session(RUN))


NAME = {"stepName": "step//./app//chargeCard", "ownerMessageId": "msg_1"}
HEAD = [*events("run_created", "run_started")]


def test_the_commit_of_an_inline_step_cut_at_every_place():
    created = event(3, "step_created", STEP)
    started = event(4, "step_started", STEP, data=NAME)
    done = event(5, "step_completed", STEP)
    pending, running, completed = (
        step_record(STEP, status=s, attempt=n) for s, n in (("pending", 0), ("running", 1), ("completed", 1))
    )
    locks = [lock("created")]
    both = [*locks, lock("terminal")]
    cuts = [
        (HEAD, [], locks, "C1a hangs"),
        (HEAD, [pending], locks, "C1b hangs"),
        ([*HEAD, created], [pending], locks, ""),
        ([*HEAD, created], [running], locks, ""),
        ([*HEAD, created, started], [running], locks, ""),
        ([*HEAD, created, started], [running], both, "F1 repeats"),
        ([*HEAD, created, started], [completed], both, "F2 hangs"),
        ([*HEAD, created, started, done], [completed], both, ""),
    ]
    for log, steps, others, want in cuts:
        found = one(log, steps, others)
        assert " ".join(f"{w.code} {w.consequence}" for w in found) == want
        assert all(w.missing and w.then and w.evidence for w in found)


def test_repairs_are_those_that_were_seen():
    found = one(
        [*HEAD, event(3, "step_created", STEP), event(4, "step_started", STEP, data=NAME)],
        [step_record(STEP, status="completed")],
        [lock("created"), lock("terminal")],
    )
    assert "write the missing end event" in found[0].repair


def test_nobody_waits_for_an_ended_run():
    log = [*HEAD, event(3, "run_cancelled")]
    assert one(log, [], [lock("created")], status="cancelled") == ()


def test_a_torn_sleep_and_a_run_without_its_first_event():
    found = one(HEAD, [], [lock("created", "wait_1", "wait")])
    assert [(w.code, w.consequence) for w in found] == [("W1", "hangs")]
    found = one([event(1, "run_started")])
    assert [(w.code, w.consequence) for w in found] == [("R1", "fails")]


def test_an_export_without_a_log_is_not_wedged():
    assert one((), [step_record(STEP, status="completed")]) == ()
    found = one(())
    assert [w.code for w in found] == ["R1"], "a bare run record of a data folder is"


def test_an_inbox_hook_whose_slot_is_taken_fails_the_run():
    token = MarkRecord(
        {"hookId": "hook_1", "runId": RUN, "eventId": HEAD[1].event_id, "token": "eve:inbox:v1:x"},
        "hooks/tokens/aa.json",
        kind="token",
        phase="file",
        subject="aa",
        of_run=RUN,
    )
    hook = HookRecord({"runId": RUN, "hookId": "hook_1", "token": "eve:inbox:v1:x"})
    found = one(HEAD, [], [token, hook])
    assert [(w.code, w.consequence) for w in found] == [("H1", "fails")]

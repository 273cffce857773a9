"""The doctor over recordings and over damage made by hand."""

import pytest

from eve_replay.checks import check_session, check_world, sorted_findings
from eve_replay.codec import Payload
from eve_replay.journal import open_journal
from eve_replay.records import MarkRecord
from tests.support.corpus import data, names
from tests.support.synthetic import RUN, at, event, events, journal, run, step_record, value

NOW = at(3600)
STEP = "step_A"
HEAD = ("run_created", "run_started")
#: What recordings of older writers rightly show.
EXPECTED = {"folder-would-be-deleted", "unlisted-stream"}


def of(book, **options):
    found = [f for s in book.sessions for f in check_session(s, now=NOW, **options)]
    return sorted_findings([*found, *check_world(book.world, book.heads)])


@pytest.mark.parametrize(
    "name",
    [n for n in names("local") if n not in ("long-session", "big-payload")]
    + [f"local-sdk/{n}" for n in names("local-sdk")],
)
def test_recordings_are_healthy(name):
    with open_journal(str(data(name))) as book:
        found = of(book)
    assert {f.code for f in found if f.severity != "info"} <= EXPECTED
    assert all(f.sentence.endswith((".", '"')) for f in found)


def test_old_folders_are_said_to_be_in_danger():
    with open_journal(str(data("older-0.50.0"))) as book:
        found = {f.code: f for f in of(book)}
    assert "deletes it" in found["folder-would-be-deleted"].why
    assert "Copy" in found["folder-would-be-deleted"].fix


def test_version_txt_is_not_believed():
    with open_journal(str(data("simple-turn"))) as book:
        assert "version-txt" in {f.code for f in of(book)}


def one(log=(), steps=(), others=(), **fields):
    book = journal([run(**fields)], log or events(*HEAD), steps, others)
    return {f.code: f for f in of(book)}


def test_records_that_disagree_with_the_log():
    log = events(
        *HEAD, ("step_created", STEP), ("step_started", STEP), ("step_completed", STEP), "run_completed"
    )
    found = one(log, [step_record(STEP, status="running", attempt=3)], status="running")
    assert {"run-status-differs", "step-status-differs", "start-lost"} <= set(found)
    found = one(events(*HEAD), status="failed")
    assert "run-end-missing" in found


def test_a_step_of_the_log_without_a_record():
    log = events(*HEAD, ("step_created", STEP), ("step_started", STEP))
    assert "step-record-missing" in one(log)


def test_payloads_that_do_not_decode_are_named_once_per_reason():
    broken = [step_record(f"step_{n}", input=Payload(b"devl[" + b" " * n)) for n in range(3)]
    found = one(steps=broken)
    assert "2 more like it" in found["payload-bad-json"].sentence
    assert found["payload-bad-json"].severity == "error"


def test_a_missing_key_is_no_damage():
    sealed = Payload(b"encr" + bytes(40))
    found = one(steps=[step_record(STEP, input=sealed)])
    assert found["payload-missing-key"].severity == "warning"


def test_plain_text_where_encryption_was_expected():
    context = {"features": {"encryption": True}}
    found = one(executionContext=context, input=Payload(b'devl["hello"]'))
    assert "payload-plain-text" in found
    assert "payload-plain-text" not in one(input=Payload(b'devl["hello"]'))
    assert "payload-plain-text" not in one(executionContext=context, error=value({"message": "x"}))


def test_the_quick_check_decodes_nothing():
    found = list(
        check_session(
            journal([run()], events(*HEAD), [step_record(STEP, input=Payload(b"devl["))]).session(RUN),
            now=NOW,
            deep=False,
        )
    )
    assert not any(f.code.startswith("payload-") for f in found)


def test_retention_that_will_purge():
    assert "as soon as it ends" in one(attributes={"$retention": "0"})["will-be-purged"].sentence
    assert "will-be-purged" not in one()


def test_a_lost_delivery_and_leftovers():
    mark = MarkRecord(
        {"resumeId": "r1", "hookId": "h1", "runId": RUN, "eventId": "evnt_x"},
        "hooks/resumes/ab.json",
        kind="resume",
        phase="file",
        subject="ab",
        of_run=RUN,
    )
    token = MarkRecord({}, "hooks/tokens/x.lock", kind="token", phase="lock", subject="x", of_run=RUN)
    found = one(others=[mark, token])
    assert {"delivery-lost", "token-lock-left"} <= set(found)


def test_a_wedged_step_with_its_repair():
    lock = MarkRecord(
        {}, f".locks/steps/{RUN}-{STEP}.created", kind="step", phase="created", subject=STEP, of_run=RUN
    )
    found = one(steps=[step_record(STEP, status="pending", attempt=0)], others=[lock])
    finding = found["wedged-c1b"]
    assert finding.severity == "error" and "hangs for good" in finding.why
    assert "delete the .created lock and the step record" in finding.fix
    assert "never changes" in finding.fix
    assert "step-without-events" not in found  # said once, by the check that knows the consequence


def test_findings_are_sorted_and_unique():
    log = [*events(*HEAD), event(9, "moon")]
    found = of(journal([run()], log))
    assert [f.severity for f in found] == sorted(
        (f.severity for f in found), key=["error", "warning", "info"].index
    )
    assert len({(f.code, f.where) for f in found}) == len(found)
    assert {"code", "severity", "where", "sentence", "why", "fix"} <= set(found[0].to_json())


def test_what_the_reader_skipped_is_a_finding(tmp_path):
    import shutil

    copy = tmp_path / "data"
    shutil.copytree(data("simple-turn"), copy)
    victim = next((copy / "runs").glob("*.json"))
    victim.write_text(victim.read_text()[:50])
    with open_journal(str(copy)) as book:
        found = of(book)
    assert any(victim.name in f.where or victim.stem in f.where for f in found if f.severity != "info")

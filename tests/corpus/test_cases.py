"""Small stores in which an easy answer is the wrong one: each must give the value that is right for it.

Most are written by hand after public reports (their names say which); two were recorded with Workflow SDK
4.8.9, one with the Python SDK. See ``README.md`` for the archive.
"""

import re
import shutil
from datetime import UTC, datetime

import pytest

from eve_replay import open_journal
from eve_replay.checks import Finding, check_session, check_world
from eve_replay.cli.reading.receipt import read_everything
from eve_replay.guidance import Report, why
from eve_replay.journal.effects.build import Effect, effects_of
from eve_replay.recovery import forecast
from eve_replay.views.search.search import Pattern, Unread, search
from eve_replay.worlds.registry import open_world
from tests.support.corpus import scenario
from tests.unit.cli._run import call

NOW = datetime(2026, 12, 1, 2, 0, tzinfo=UTC)


def folder(name):
    return scenario("cases") / name


def told(name) -> Report:
    (session,) = open_journal(folder(name)).sessions
    return why(session, now=NOW)


def codes(name):
    return [verdict.code for verdict in told(name).verdicts]


def effect(name) -> Effect:
    (session,) = open_journal(folder(name)).sessions
    (found,) = effects_of(session)
    return found


def findings(name) -> dict[str, Finding]:
    journal = open_journal(folder(name))
    (session,) = journal.sessions
    found = [*check_session(session, now=NOW), *check_world(journal.world, journal.heads)]
    return {each.code: each for each in found}


@pytest.mark.parametrize(
    "name",
    [
        "real-sdk489-killed-between-steps/data",
        "sdk-killed-between-steps",
        "T45-failed-without-start",
        "T50-received-after-disposed",
        "T36-attr-reserved",
    ],
)
def test_a_plain_run_that_nothing_can_wake_is_stuck(name):
    """A green "waiting for a message" here kept somebody from restarting a run whose mail was never sent."""
    (verdict,) = [v for v in told(name).verdicts if v.code == "stuck"]
    assert verdict.severity == "error" and verdict.certainty == "implied"
    assert "world.start()" in verdict.sentence + verdict.next
    assert "message" not in verdict.sentence.replace("a message that its queue", "")
    assert "session" not in verdict.sentence
    (found,) = forecast(open_journal(folder(name)))
    assert found.answer.outcome in ("needs-person", "recovers")


@pytest.mark.parametrize(
    ("name", "words"),
    [("T35-many-received", "5 deliveries"), ("sdk489-killed-with-open-hook", "approve:h1")],
)
def test_an_open_hook_does_not_say_that_the_code_waits_for_it(name, words):
    (verdict,) = [v for v in told(name).verdicts if v.code in ("between-steps", "parked", "stuck")]
    assert (verdict.code, verdict.certainty) == ("between-steps", "unknown")
    assert words in verdict.sentence and "webhook" not in verdict.sentence


def test_nothing_says_that_a_run_of_eve_without_any_turn_waits_for_a_message():
    for session in open_journal(folder("zombies")).sessions:
        found = [v.code for v in why(session, now=NOW).verdicts]
        assert "idle" not in found and set(found) & {"between-steps", "stuck"}, session.id
        assert session.status == "running"


def test_a_record_that_counts_more_starts_widens_the_range():
    found = effect("record-says-2-starts")
    assert (found.executions.min, found.executions.max, found.certainty) == (1, 3, "unknown")
    assert found.may_have_run_twice
    assert findings("record-says-2-starts")["start-lost"].severity == "warning"


def test_the_end_is_the_logs_where_the_record_has_none():
    for name in ("T31-missing-dates", "T25-noop"):
        (verdict,) = [v for v in told(name).verdicts if v.code == "completed"]
        assert "unrecorded" not in verdict.sentence and "09:00:02" in verdict.sentence


def test_a_decoders_message_is_no_error_of_the_run():
    (verdict,) = [v for v in told("encrypted-error-no-key").verdicts if v.code == "failed-run"]
    assert "no key was given" not in verdict.sentence
    assert "Its error is encrypted: give --key to read it." in verdict.sentence


def test_steps_of_the_sdk_itself_are_no_effects():
    report = told("wf406-builtin-step")
    assert report.effects == ()
    (verdict,) = report.verdicts
    assert verdict.code == "failed-run" and '"message"' not in verdict.sentence


def test_last_write_is_the_newest_thing_that_was_written(capsys):
    (session,) = open_journal(folder("busy-run-old-record")).sessions
    assert session.newest_at == datetime(2026, 12, 2, 9, 0, 30, 100_000, tzinfo=UTC)
    out = call(capsys, "show", folder("busy-run-old-record"), "--utc", "--now", "2026-12-02T09:01:00Z").out
    assert "last write 29.9 s ago" in out


def test_a_time_has_its_day_where_the_day_changes(capsys):
    out = call(capsys, "events", folder("multi-day"), "--utc").out
    lines = [line for line in out.splitlines() if "2026-1" in line]
    assert [line.split()[1] for line in lines] == ["2026-11-30", "2026-12-03"]
    assert "2026-12-02 09:00:00.000  noop" in call(capsys, "events", folder("T25-noop"), "--utc").out


def test_an_end_before_its_start_is_said_in_words(capsys):
    out = call(capsys, "show", folder("skew-negative-duration"), "--utc").out
    assert "320 ms backwards" in out and "-320" not in out
    assert findings("skew-negative-duration")["clock-backwards"]


def test_the_receipt_counts_what_is_not_there():
    world = open_world(str(folder("T44-circular-and-ref")))
    _, undecoded = read_everything(world)
    assert {value.reason for _, value in undecoded} == {"not-written", "kept-elsewhere"}
    assert len(undecoded) == 6


def test_a_search_says_what_it_could_not_search():
    unread: list[Unread] = []
    world = open_world(str(folder("encrypted-error-no-key")))
    assert not list(search(world, Pattern("declined"), unread=unread))
    assert {each.reason for each in unread} == {"missing-key"}


def test_bytes_that_are_text_are_shown_as_text(capsys):
    result = call(capsys, "stream", folder("T22-utf8-split"), "--json").json
    assert result["streams"][0]["text"] == "Grüße 漢字 🙂"


def test_no_warning_about_eve_where_no_eve_is():
    assert findings("sdk-killed-between-steps")["folder-would-be-deleted"].severity == "info"


def test_a_destroyed_chunk_is_in_the_receipt(tmp_path, capsys):
    """The receipt opens streams: a chunk that is only counted looks whole however it was cut."""
    source = scenario("simple-turn") / "data"
    shutil.copytree(source, tmp_path / "data")
    chunks = sorted((tmp_path / "data" / "streams" / "chunks").rglob("*.bin"))
    chunks[len(chunks) // 2].write_bytes(chunks[len(chunks) // 2].read_bytes()[:40])
    result = call(capsys, "receipt", tmp_path / "data", "--json")
    assert result.code == 1
    assert [gap["of"] for gap in result.json["receipt"]["gaps"]] == ["chunks"]
    (session,) = open_journal(tmp_path / "data").sessions
    assert session.missing("chunks")
    assert "idle" not in [v.code for v in why(session, now=NOW).verdicts]


def test_a_log_with_a_hole_bounds_no_count_and_no_rest(tmp_path):
    """One event of a finished run is gone: its slots show it, and no sentence may stand on the rest."""
    shutil.copytree(scenario("crash-in-tool") / "data", tmp_path / "data")
    events = sorted((tmp_path / "data" / "events").rglob("*.json"))
    gone = next(path for path in events if "step_started" in path.read_text("utf-8"))
    gone.unlink()
    (session,) = open_journal(tmp_path / "data").sessions
    assert session.missing("events")
    found = why(session, now=NOW)
    assert "idle" not in [v.code for v in found.verdicts]
    assert [v for v in found.verdicts if v.code == "no-log" and v.certainty == "unknown"]
    hit = [e for e in effects_of(session) if e.unlogged is not None]
    assert all(e.certainty == "unknown" and e.executions.max is None for e in hit)


@pytest.mark.parametrize("folders", [(), ("runs", "events", "steps", "streams/chunks")])
def test_a_folder_that_a_newer_eve_emptied_is_not_called_empty(tmp_path, capsys, folders):
    """Started on the flat folder of an older one, eve 0.80.1 leaves version.txt of 118 files."""
    (tmp_path / "version.txt").write_text("@workflow/world-local@5.0.0-beta.50", "utf-8")
    for name in folders:
        (tmp_path / name).mkdir(parents=True)
    result = call(capsys, "runs", tmp_path)
    assert result.code == (1 if folders else 3)
    told = " ".join((result.out + result.err).split())
    assert "a newer eve that was started on" in told and "this world is empty" not in told


def test_a_step_function_carries_its_arguments_and_what_came_back():
    found = effect("T29-queued-retry")
    assert found.input == "c9"
    assert [(p.is_error, p.output) for p in found.by_attempt] == [(True, "no"), (False, {"id": "ch_1"})]
    assert 'threw "no"' in told("T29-queued-retry").verdicts[0].sentence


def test_a_call_that_was_not_valid_is_shown_and_did_not_run():
    (session,) = open_journal(folder("eve665-action-invalid")).sessions
    (found,) = [each for each in effects_of(session) if each.tool == "chrage_card"]
    assert (found.executions.min, found.executions.max, found.certainty) == (0, 0, "observed")
    assert found.input == {"amount": 42} and "no-such-tool" in found.by_attempt[0].why


@pytest.mark.parametrize(
    "name", ["wf3081-wait-without-event", "retry-overdue", "wf697-step-not-found", "busy-run-old-record"]
)
def test_a_plain_run_has_no_session_and_no_lock_that_is_not_there(name):
    for verdict in told(name).verdicts:
        words = re.findall(r"\w+", f"{verdict.sentence} {verdict.next}")
        assert not {"session", "lock", "model"} & set(words)

"""``guard``, ``forecast --if`` and ``--here``: before it happens."""

import json
import shutil
import threading
import time

import pytest

from eve_replay.cli import run
from tests.support.corpus import data, scenario
from tests.unit.cli._run import call

INSIDE_LEASE = "2026-11-30T09:40:00Z"
QUIET = ("simple-turn", "pay-with-key", "steering", "long-session")


def once(capsys, name, *words):
    return call(capsys, "guard", data(name), "--once", "--utc", *words)


def test_it_says_what_repeats_unprotected_and_when(capsys):
    shown = once(capsys, "crash-not-restarted", "--now", INSIDE_LEASE)
    assert shown.code == 1 and shown.out.startswith("‖ charge_card")
    assert "At 09:49:37 (in 10 min)" in shown.out and "cus_dead" in shown.out
    assert shown.out.index("charge_card") < shown.out.index("send_email") and "behind a key" in shown.out


def test_its_json_is_the_contract(capsys):
    document = once(capsys, "crash-not-restarted", "--now", INSIDE_LEASE, "--json").json
    assert document["format"] == "eve-replay/guard"
    charge = document["soon"][0]
    assert {"sessionId", "tool", "callId", "at", "protected", "sentence"} <= set(charge)
    assert (charge["tool"], charge["protected"], charge["at"]) == (
        "charge_card",
        False,
        "2026-11-30T09:49:37.057Z",
    ) or charge["at"].startswith("2026-11-30T09:49:3")


@pytest.mark.parametrize("name", QUIET)
def test_where_nothing_is_coming_it_is_quiet(capsys, name):
    shown = once(capsys, name)
    assert shown.code == 0 and "Nothing that has acted runs again" in shown.out


def test_an_effects_file_can_protect(capsys, tmp_path):
    policy = tmp_path / "effects.toml"
    policy.write_text('[tools.charge_card]\nclass = "keyed"\nby = "business-id"\n')
    shown = once(capsys, "crash-not-restarted", "--now", INSIDE_LEASE, "--effects", policy, "--json")
    assert all(each["protected"] is not False for each in shown.json["soon"])


def test_it_follows_and_warns_once_per_stage(capsys, tmp_path):
    """A crash that is copied in file by file while somebody watches."""
    source = data("crash-not-restarted")
    folder = tmp_path / "world"
    (folder / "runs").mkdir(parents=True)

    def writes():
        time.sleep(1.5)
        shutil.copytree(source, folder, dirs_exist_ok=True)

    thread = threading.Thread(target=writes)
    thread.start()
    code = run(["guard", str(folder), "--json", "--for", "8"])
    thread.join()
    lines = [json.loads(each) for each in capsys.readouterr().out.splitlines()]
    assert code == 1 and [each["tool"] for each in lines] == ["charge_card"]
    assert lines[0]["format"] == "eve-replay/guard-line"


def test_a_source_that_cannot_be_followed_is_said(capsys):
    shown = call(capsys, "guard", scenario("crash-in-tool") / "oracle.json")
    assert shown.code == 2 and "--once" in shown.err


def test_the_choices_stand_side_by_side_and_the_safest_repeats_nothing_unprotected(capsys):
    words = ("forecast", data("crash-not-restarted"), "--if", "--now", INSIDE_LEASE)
    (session,) = call(capsys, *words, "--json").json["sessions"]
    choices = {each["do"]: each for each in session["if"]}
    assert set(choices) == {
        "restart",
        "cancel",
        "reset",
        "other-version",
        "reset-under-other-version",
        "wait",
    }
    for name in ("restart", "cancel", "reset"):  # seen: neither cancel nor reset takes an open step back
        assert "charge_card" in choices[name]["repeats"] and choices[name]["unprotected"]
    assert not choices["wait"]["repeats"] and not choices["other-version"]["repeats"]
    # it has not happened yet: what other sessions showed is implied for this one, never observed
    assert {each["certainty"] for each in choices.values()} <= {"implied", "unknown"}
    assert [name for name, each in choices.items() if each["safest"]] == ["reset-under-other-version"]
    assert "safest" in call(capsys, *words).out


def test_a_plain_run_has_no_session_to_reset(capsys):
    (session,) = call(capsys, "forecast", data("sdk4-crash"), "--if", "--json").json["sessions"][:1]
    assert {each["do"] for each in session["if"]} == {"restart", "wait"}


def test_here_is_said_with_how_it_is_known(capsys):
    for command in (("why",), ("forecast",), ("guard", "--once")):
        shown = call(capsys, command[0], data("crash-not-restarted"), *command[1:], "--here")
        assert "No process" in shown.out and ("Observed: " in shown.out or "Unknown: " in shown.out)
        document = call(
            capsys, command[0], data("crash-not-restarted"), *command[1:], "--here", "--json"
        ).json
        assert set(document["here"]) == {"alive", "sentence", "workers"}

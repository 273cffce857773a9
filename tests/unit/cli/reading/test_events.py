from tests.unit.cli._run import CRASH, call


def test_events_come_in_slot_order_whatever_their_times(capsys):
    events = call(capsys, "events", CRASH, "--json").json["events"]
    assert [event["slot"] for event in events] == list(range(1, 21))
    assert events[5]["back"] > 0, "slot 6 has an earlier time than slot 5"
    assert events[2]["payloads"]["input"]["bytes"] > 0
    assert "values" not in events[2]


def test_filters(capsys):
    events = call(capsys, "events", CRASH, "--type", "step_started", "--about", "4skf", "--json").json[
        "events"
    ]
    assert [event["slot"] for event in events] == [12, 14]
    out = call(capsys, "events", CRASH, "--type", "step_started").out
    assert "5 of 20 events" in out
    assert "turnStep start 2" in out
    assert "No event fits" in call(capsys, "events", CRASH, "--type", "run_failed").out
    wrong = call(capsys, "events", CRASH, "--type", "step_complete")
    assert wrong.code == 2 and "Did you mean step_completed?" in wrong.err and "step_started (5)" in wrong.err


def test_values_are_decoded_on_demand(capsys):
    words = ("--type", "step_completed", "--about", "4SKF", "--values")
    (event,) = call(capsys, "events", CRASH, *words, "--json").json["events"]
    assert event["values"]["result"]["action"] == "continue"
    assert 'action: "continue"' in call(capsys, "events", CRASH, *words).out

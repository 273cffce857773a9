from eve_replay.views.session.emissions import emission_rows, is_session_stream


def event(kind, data=None, at="2026-11-30T09:09:30.086Z"):
    return "chnk_1", {"type": kind, "data": data or {}, "meta": {"at": at, "id": "evt_1"}}


def test_what_is_said_again_is_marked():
    place = {"turnId": "turn_0", "stepIndex": 0, "sequence": 0}
    request = place | {"actions": [{"callId": "c1", "toolName": "charge_card", "input": {"cents": 9900}}]}
    result = place | {"result": {"callId": "c1", "toolName": "charge_card", "output": {"id": "ch_1"}}}
    once = [event("step.started", place), event("actions.requested", request), event("action.result", result)]
    rows = emission_rows([*once, *once])
    assert [row.repeat for row in rows] == [False] * 3 + [True] * 3
    assert rows[4].tone == "again"
    assert [row.gist for row in rows[1:3]] == ["charge_card({cents: 9900})", 'charge_card gave {id: "ch_1"}']
    assert rows[0].place == "turn_0/0"


def test_kinds_say_what_matters():
    usage = {"finishReason": "stop", "usage": {"inputTokens": 417, "outputTokens": 2}}
    failed = {"status": "failed", "error": {"message": "no\x1b"}, "result": {"callId": "c", "toolName": "t"}}
    rows = emission_rows(
        [
            event("message.completed", {"message": "Charged.", "finishReason": "stop"}),
            event("message.appended", {"messageDelta": "Cha"}),
            event("step.completed", usage),
            event("action.result", failed),
            event("later.kind", {"turnId": "turn_1", "x": 1}),
            ("chnk_2", {"type": "bare"}),
        ]
    )
    assert [row.gist for row in rows] == [
        '"Charged.", stop',
        '"Cha"',
        "stop, 417 tokens in, 2 out",
        't gave failed: {message: "no\\x1b"}',
        "x 1",
        "",
    ]
    assert rows[4].place == "turn_1"
    assert rows[5].at is None


def test_damaged_events_do_no_harm():
    rows = emission_rows(
        [("c", {"type": "actions.requested", "data": {"actions": "no"}}), ("c", {"data": 5})]
    )
    assert [row.gist for row in rows] == ["", ""]


def test_other_streams_are_told_apart():
    assert is_session_stream([event("x")])
    assert not is_session_stream([])
    assert not is_session_stream([("c", {"aborted": True})])

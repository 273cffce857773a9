"""Which attempt emitted which stream event.

Source: docs/evidence/observed.md#no-commit-on-the-stream, #said-again, #held; docs/evidence/reports.md#t49.
"""

from __future__ import annotations

from eve_replay.journal import Attempt, Session, Step
from tests.support.runlog import RunLog

S = "wrun_01AAAAAAAAAAAAAAAAAAAAAAAA"
A, B, C = (f"step_01AAAAAAAAAAAAAAAAAAAAAAA{letter}" for letter in "ABC")


def log() -> RunLog:
    return RunLog().run(S, attributes={"$eve.type": "session"}).stream(S)


def session(built: RunLog) -> Session:
    return built.journal().session(S)


def attempts(found: Session, step_id: str = A) -> tuple[Attempt, ...]:
    return step(found, step_id).attempts


def step(found: Session, step_id: str = A) -> Step:
    return next(s for s in found.steps if s.step_id == step_id)


def types(attempt: Attempt) -> list[str]:
    return [e.type for e in attempt.stream_events]


def codes(found: Session) -> list[str]:
    return [p.code for p in found.problems]


def asks(built: RunLog, at: float, call: str = "c1", index: int = 0, name: str = "charge_card") -> RunLog:
    action = {"callId": call, "toolName": name, "kind": "tool-call", "input": {"cents": 5}}
    return built.say("actions.requested", at, "turn_0", index, actions=[action])


def gives(built: RunLog, at: float, call: str = "c1", index: int = 0, output: object = "ok") -> RunLog:
    result = {"callId": call, "toolName": "charge_card", "kind": "tool-result", "output": output}
    return built.say("action.result", at, "turn_0", index, result=result, status="completed")


def test_a_rerun_repeats_coordinates_and_time_tells_the_attempts_apart() -> None:
    built = log().step(A, starts=(1, 6), end=8, output={"action": "continue"})
    for start in (1, 6):
        built.say("step.started", start + 0.1, "turn_0", 0, modelId="m")
        asks(built, start + 0.2)
    gives(built, 6.5)
    built.say("step.completed", 6.6, "turn_0", 0, finishReason="tool-calls", usage={"inputTokens": 3})
    found = session(built)
    one, two = attempts(found)
    assert types(one) == ["step.started", "actions.requested"]
    assert types(two) == ["step.started", "actions.requested", "action.result", "step.completed"]
    assert (one.body, one.body_certainty) == ("ran", "observed")
    assert (one.outcome, two.outcome) == ("interrupted", "completed")
    (lost,), (kept,) = one.tool_calls, two.tool_calls
    assert (lost.returned, lost.began, kept.returned, kept.began) == (False, "unknown", True, "observed")
    assert lost.attempts == kept.attempts == (1, 2)
    assert [m.paid_again for m in (*one.model_calls, *two.model_calls)] == [False, True]
    assert found.unjoined == ()
    assert codes(found) == []


def test_an_approved_tool_returns_in_the_next_workflow_step() -> None:
    """docs/evidence/observed.md#held: stepIndex is not a key of workflow steps."""
    built = log().step(A, starts=(1,), end=2, output={"action": "held"})
    built.say("step.started", 1.1, "turn_0", 0)
    asks(built, 1.2, name="restart_service")
    request = {"requestId": "r1", "kind": "tool-approval", "prompt": "Restart?", "action": {"callId": "c1"}}
    built.say("input.requested", 1.3, "turn_0", 0, requests=[request])
    built.say("turn.waiting", 1.4, "turn_0", on="input")
    built.step(B, starts=(10,), end=11, output={"action": "park"})
    built.say(
        "approval.settled", 10.1, "turn_0", 0, requestId="r1", outcome="approved", responderPrincipalId="ann"
    )
    gives(built, 10.2)
    built.say("step.started", 10.3, "turn_0", 1)
    found = session(built)
    (asked,), (returned,) = attempts(found, A)[0].tool_calls, attempts(found, B)[0].tool_calls
    assert (asked.deferred, asked.returned, asked.position) == (True, False, 0)
    assert (returned.requested_at, returned.returned, returned.position) == (None, True, 0)
    assert (returned.name, returned.input) == ("restart_service", {"cents": 5})
    assert [(c.turn_id, c.step_index) for c in step(found, B).coordinates] == [("turn_0", 0), ("turn_0", 1)]
    assert codes(found) == []
    (park,) = found.parks
    assert (park.kind, park.open, park.released_by) == ("approval", False, "approved by ann")


def test_one_workflow_step_may_hold_several_model_steps() -> None:
    built = log().step(A, starts=(1,), end=5, output={"action": "continue"})
    for index in range(3):
        built.say("step.started", 1.1 + index, "turn_0", index)
        asks(built, 1.2 + index, f"c{index}", index)
        gives(built, 1.3 + index, f"c{index}", index)
        built.say("step.completed", 1.4 + index, "turn_0", index, usage={"inputTokens": 1, "outputTokens": 2})
    (attempt,) = attempts(session(built))
    assert [m.coordinate.step_index for m in attempt.model_calls] == [0, 1, 2]
    assert [(c.coordinate.step_index, c.position) for c in attempt.tool_calls if c.coordinate] == [
        (0, 0),
        (1, 0),
        (2, 0),
    ]
    assert attempt.tokens is not None and (attempt.tokens.input, attempt.tokens.output) == (3, 6)


def test_work_beside_the_turn_step_takes_only_what_it_relays() -> None:
    built = log().step(A, starts=(1,), end=5, output={"action": "continue"})
    built.step(B, "step//eve@0.80.1//startSessionTimeoutStep", starts=(1.05,), end=1.5, output={})
    built.step(C, "step//eve@0.80.1//applyRunMessagesStep", starts=(3,), end=3.5, output={})
    built.say("session.started", 1.1).say("turn.started", 1.2, "turn_0").say("step.started", 1.3, "turn_0", 0)
    built.say("task.settled", 3.2, "turn_0", callId="c9", taskId="t", status="completed")
    found = session(built)
    assert types(attempts(found, A)[0]) == ["session.started", "turn.started", "step.started"]
    assert types(attempts(found, B)[0]) == []
    assert types(attempts(found, C)[0]) == ["task.settled"]


def test_steps_of_the_app_never_write_to_the_session_stream() -> None:
    built = log().step(B, "step//./agent/tools/job//work", starts=(1,), end=9, output=1)
    built.step(A, starts=(2,), end=3, output={"action": "park"}).say("step.started", 2.5, "turn_0", 0)
    found = session(built)
    assert types(attempts(found, B)[0]) == []
    assert types(attempts(found, A)[0]) == ["step.started"]


def test_events_a_little_outside_are_placed_by_their_coordinates() -> None:
    """Clocks of emitter and world differ: the event is made 50 ms 'before' its start."""
    built = log().step(A, starts=(1,), end=2, output={"action": "continue"})
    built.step(B, starts=(3,), end=4, output={"action": "park"})
    built.say("step.started", 1.5, "turn_0", 0)
    built.say("step.started", 2.95, "turn_0", 1).say("step.completed", 3.5, "turn_0", 1)
    found = session(built)
    assert types(attempts(found, B)[0]) == ["step.started", "step.completed"]
    assert found.unjoined == ()


def test_a_window_that_holds_another_steps_event_gives_it_back() -> None:
    """Two clocks again: the first event of step B is made inside the window of step A."""
    built = log().step(A, starts=(1,), end=2, output={"action": "continue"})
    built.step(B, starts=(2.05,), end=4, output={"action": "park"})
    built.say("step.started", 1.1, "turn_0", 0).say("step.completed", 1.5, "turn_0", 0)
    built.say("step.started", 1.99, "turn_0", 1).say("message.completed", 2.4, "turn_0", 1, message="x")
    built.say("step.completed", 2.5, "turn_0", 1)
    found = session(built)
    assert types(attempts(found, A)[0]) == ["step.started", "step.completed"]
    assert types(attempts(found, B)[0]) == ["step.started", "message.completed", "step.completed"]
    assert codes(found) == ["window-against-coordinates"]


def test_an_event_far_from_every_start_is_left_over_and_reported() -> None:
    built = log().step(A, starts=(1,), end=2, output={"action": "park"})
    built.say("step.started", 1.5, "turn_0", 0).say("turn.started", 500, "turn_7")
    found = session(built)
    assert [e.turn_id for e in found.unjoined] == ["turn_7"]
    assert codes(found) == ["events-without-attempt"]


def test_two_bodies_at_once_are_seen_by_what_is_said_twice() -> None:
    """T49: the older body goes on after the newer one has started."""
    built = log().step(A, starts=(1, 3), end=9, output={"action": "continue"})
    built.say("step.started", 1.1, "turn_0", 0)
    asks(built, 1.2)
    built.say("step.started", 3.1, "turn_0", 0)
    asks(built, 3.2)
    gives(built, 4.0, output="first")
    gives(built, 5.0, output="second")
    found = session(built)
    one, two = attempts(found)
    assert [c.output for c in one.tool_calls] == ["first"]
    assert [c.output for c in two.tool_calls] == ["second"]
    assert (one.overlaps, two.overlaps) == ((2,), (1,))
    assert two.certainty == "implied"
    assert codes(found) == ["overlapping-attempts"]


def test_a_body_may_run_twice_under_one_start() -> None:
    built = log().step(A, starts=(1,), end=9, output={"action": "continue"})
    for at in (1.1, 4.1):
        built.say("turn.started", at, "turn_0").say("step.started", at + 0.1, "turn_0", 0)
        gives(asks(built, at + 0.2), at + 0.3)
    found = session(built)
    (attempt,) = attempts(found)
    assert attempt.bodies == 2
    assert codes(found) == ["more-bodies-than-starts"]


def test_attempts_that_begin_elsewhere_are_reported() -> None:
    built = log().step(A, starts=(1, 5), end=9, output={"action": "continue"})
    built.say("step.started", 1.1, "turn_0", 0).say("step.started", 5.1, "turn_0", 1)
    assert codes(session(built)) == ["attempts-begin-elsewhere"]


def test_controls_between_turns_belong_to_no_turn() -> None:
    """docs/evidence/observed.md: context.cleared and compaction.* name the turn to come."""
    built = log().step(A, starts=(1,), end=2, output={"action": "park"})
    built.say("context.cleared", 1.5, "turn_1")
    built.step(B, starts=(3,), end=4, output={"action": "park"})
    built.say("turn.started", 3.1, "turn_1").say("step.started", 3.2, "turn_1", 0)
    found = session(built)
    assert step(found, A).turn_id is None
    assert step(found, B).turn_id == "turn_1"
    assert [t.id for t in found.turns] == ["turn_1"]
    assert codes(found) == []


def test_odd_stream_events_never_break_the_join() -> None:
    built = log().step(A, starts=(1,), end=2, output={"action": "park"})
    built.say("actions.requested", 1.2, "turn_0", 0, actions="none")
    built.say("actions.requested", 1.3, "turn_0", 0, actions=[{"callId": 5}, 7])
    built.say("action.result", 1.4, "turn_0", 0, result=None)
    built.say("step.completed", 1.5, "turn_0", 0, usage="much")
    built.say("", 1.6)
    found = session(built)
    assert attempts(found)[0].tool_calls == ()
    assert codes(found) == ["untyped-stream-event"]


def test_a_session_without_stream_still_has_its_calls_from_history() -> None:
    history = [
        {"role": "user", "content": "go"},
        {
            "role": "assistant",
            "content": [{"type": "tool-call", "toolCallId": "c1", "toolName": "pay", "input": {"n": 1}}],
        },
        {
            "role": "tool",
            "content": [
                {"type": "tool-result", "toolCallId": "c1", "output": {"type": "json", "value": {"id": 7}}}
            ],
        },
    ]
    output = {"action": "continue", "stateDelta": {"history": {"kind": "value", "value": history}}}
    state = {"args": [{"sessionState": {"sessionId": S}, "history": [], "input": {"delivery": {}}}]}
    built = RunLog().run(S, attributes={"$eve.type": "session"})
    built.step(A, starts=(1,), end=2, output=output, input=state)
    found = session(built)
    (call,) = attempts(found)[0].tool_calls
    assert (call.name, call.returned, call.history_only, call.certainty) == ("pay", True, False, "implied")
    assert call.output == {"id": 7}
    assert [t.id for t in found.turns] == ["turn_0"]


def test_calls_that_only_the_history_has_never_ran() -> None:
    """docs/evidence/observed.md#refused-calls: unknown tools and invalid input appear in no stream event."""
    delta = {
        "kind": "array",
        "length": 3,
        "set": {
            "1": {
                "role": "assistant",
                "content": [{"type": "tool-call", "toolCallId": "c9", "toolName": "nope", "input": {}}],
            },
            "2": {
                "role": "tool",
                "content": [
                    {
                        "type": "tool-result",
                        "toolCallId": "c9",
                        "output": {"type": "error-text", "value": "no such tool"},
                    }
                ],
            },
        },
    }
    built = log().step(A, starts=(1,), end=2, output={"action": "continue", "stateDelta": {"history": delta}})
    built.say("step.started", 1.1, "turn_0", 0).say("step.completed", 1.2, "turn_0", 0)
    (call,) = attempts(session(built))[0].tool_calls
    assert (call.history_only, call.is_error, call.status, call.output) == (
        True,
        True,
        "rejected",
        "no such tool",
    )
    assert call.coordinate is not None and call.coordinate.step_index == 0
    assert call.evidence[0].path == '$.stateDelta.history.set["1"].content[0]'


def two_servers() -> RunLog:
    """A second server takes the step over during the tool of the first; A commits, B returns later."""
    built = log().step(A, starts=(1, 6), end=8, output={"action": "continue"})
    built.step(B, starts=(8.2,), end=9, output={"action": "park"})
    built.say("turn.started", 1.1, "turn_0").say("step.started", 1.2, "turn_0", 0)
    asks(built, 1.3)
    gives(built, 7.8, output="A")
    built.say("step.completed", 7.9, "turn_0", 0, usage={})
    built.say("step.started", 8.3, "turn_0", 1)
    built.say("turn.started", 8.4, "turn_0").say("step.started", 8.5, "turn_0", 0)
    asks(built, 8.6)
    built.say("step.completed", 8.9, "turn_0", 1, usage={}).say("turn.completed", 8.95, "turn_0")
    gives(built, 20, output="B")
    built.say("step.completed", 20.1, "turn_0", 0, usage={})
    return built


def test_what_a_second_body_says_after_the_end_is_its_own() -> None:
    found = session(two_servers())
    one, two = attempts(found)
    assert [[c.output for c in a.tool_calls] for a in (one, two)] == [["A"], ["B"]]
    assert (one.outcome, two.outcome) == ("completed", "refused")
    assert one.end_event is step(found).end_event and two.end_event is None
    assert types(attempts(found, B)[0]) == ["step.started", "step.completed", "turn.completed"]
    assert found.unjoined == ()
    assert "events-after-the-end" in codes(found)


def test_the_body_that_wrote_the_attributes_before_the_end_is_the_one_that_committed() -> None:
    """The newer body's tool is faster: it commits, the older one returns afterwards."""
    built = log().step(A, starts=(1, 4))
    built.event("attr_set", 7.1, changes=[], writer={"type": "step", "stepId": A, "attempt": 2})
    built.event("step_completed", 7.2, A, result={"action": "park"})
    built.event("attr_set", 15.1, changes=[], writer={"type": "step", "stepId": A, "attempt": 1})
    for start in (1, 4):
        built.say("step.started", start + 0.1, "turn_0", 0)
        asks(built, start + 0.2)
    gives(built, 7.0, output="B")
    built.say("step.completed", 7.05, "turn_0", 0, usage={})
    gives(built, 15.0, output="A")
    built.say("step.completed", 15.05, "turn_0", 0, usage={})
    one, two = attempts(session(built))
    assert [[c.output for c in a.tool_calls] for a in (one, two)] == [["A"], ["B"]]
    assert (one.outcome, two.outcome) == ("refused", "completed")
    assert (one.overlaps, two.overlaps) == ((2,), (1,))


def test_a_result_after_a_second_start_that_has_asked_for_nothing_is_the_first_ones() -> None:
    built = log().step(A, starts=(1, 6))
    built.say("step.started", 1.1, "turn_0", 0)
    asks(built, 1.2)
    gives(built, 6.4, output="A")
    one, two = attempts(session(built))
    assert [c.output for c in one.tool_calls] == ["A"]
    assert two.tool_calls == ()


def test_three_starts_of_dead_processes_keep_their_results() -> None:
    """A crash is no second process: the first died in its tool, the second after it, the third committed."""
    built = log().step(A, starts=(1, 10, 20), end=25, output={"action": "continue"})
    for start in (1, 10, 20):
        built.say("step.started", start + 0.1, "turn_0", 0)
        asks(built, start + 0.2)
        if start > 1:
            gives(built, start + 1, output=str(start))
    found = attempts(session(built))
    assert [[c.output for c in a.tool_calls if c.returned] for a in found] == [[], ["10"], ["20"]]
    assert [a.outcome for a in found] == ["interrupted", "interrupted", "completed"]
    assert [a.overlaps for a in found] == [(), (), ()]

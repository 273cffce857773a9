"""Turns, deliveries and parks of hand-made sessions."""

from __future__ import annotations

import pytest

from eve_replay.journal import Session, transcript
from tests.support.runlog import RunLog, answer, message

S, TOOL = "wrun_01AAAAAAAAAAAAAAAAAAAAAAAA", "wrun_01BBBBBBBBBBBBBBBBBBBBBBBB"
A, B, C = (f"step_01AAAAAAAAAAAAAAAAAAAAAAA{letter}" for letter in "ABC")
INBOX = f"eve:inbox:v1:eve:session:{S}:inbox"


def opened(**run: object) -> RunLog:
    given = [
        {
            "input": {"message": "hello"},
            "serializedContext": {"eve.channelDelivery": {"deliveryId": "d0"}},
        }
    ]
    log = RunLog().run(S, attributes={"$eve.type": "session"}, input=given, **run)  # type: ignore[arg-type]
    return log.hook("hook_in", 0, INBOX).stream(S)


def begin(log: RunLog, at: float, turn: str = "turn_0", deliveries: tuple[str, ...] = ("d0",)) -> RunLog:
    log.say("turn.started", at, turn, deliveries=deliveries)
    log.say("message.received", at, turn, deliveries=deliveries, message="hello")
    return log.say("step.started", at + 0.01, turn, 0, deliveries=deliveries)


def whole_turn(log: RunLog, step: str, at: float, turn: str, deliveries: tuple[str, ...]) -> RunLog:
    log.step(step, starts=(at,), end=at + 1, output={"action": "park"})
    begin(log, at + 0.1, turn, deliveries)
    log.say("step.completed", at + 0.3, turn, 0, deliveries=deliveries, usage={"inputTokens": 1})
    return log.say("turn.completed", at + 0.4, turn, deliveries=deliveries)


def session(log: RunLog) -> Session:
    return log.journal().session(S)


def roles(found: Session) -> list[tuple[str, str | None]]:
    return [(m.role, m.turn_id) for m in found.messages]


def test_a_turn_from_message_to_end() -> None:
    found = session(whole_turn(opened(), A, 1, "turn_0", ("d0",)))
    (turn,) = found.turns
    assert (turn.id, turn.sequence, turn.status, turn.committed) == ("turn_0", 0, "completed", True)
    assert (turn.message, turn.delivery_ids, [s.step_id for s in turn.turn_steps]) == ("hello", ("d0",), [A])
    assert (found.status, found.certainty) == ("idle", "observed")
    (first,) = found.messages
    assert (first.delivery_id, first.role, first.text, first.event_id) == ("d0", "opened", "hello", "")


def test_an_end_on_the_stream_without_a_commit_is_no_end() -> None:
    """docs/evidence/observed.md#no-commit-on-the-stream."""
    log = opened().step(A, starts=(1,))
    begin(log, 1.1).say("turn.completed", 1.5, "turn_0").say("session.waiting", 1.5)
    found = session(log)
    assert (found.turns[0].status, found.turns[0].committed, found.status) == ("running", False, "running")


def test_a_failed_turn_is_a_completed_step() -> None:
    """docs/evidence/observed.md#failed-turns."""
    log = opened().step(A, starts=(1,), end=2, output={"action": "park"})
    begin(log, 1.1).say("step.failed", 1.4, "turn_0", 0, code="MODEL_CALL_FAILED", message="down")
    log.say("turn.failed", 1.5, "turn_0", code="MODEL_CALL_FAILED", message="down")
    (turn,) = session(log).turns
    assert (turn.status, turn.error) == ("failed", {"code": "MODEL_CALL_FAILED", "message": "down"})
    assert turn.steps[0].status == "completed"
    (call,) = turn.steps[0].model_calls
    assert (call.status, call.error) == ("failed", {"code": "MODEL_CALL_FAILED", "message": "down"})


def test_a_cancelled_turn_keeps_its_call_without_result() -> None:
    log = opened().step(A, starts=(1,), end=3, output={"action": "cancelled"})
    action = {"callId": "c1", "toolName": "charge_card", "kind": "tool-call", "input": {}}
    begin(log, 1.1).say("actions.requested", 1.2, "turn_0", 0, actions=[action])
    log.deliver("hook_in", 2, INBOX, {"kind": "cancel"})
    log.step(B, "step//eve@0.80.1//settleCancelledTurnStep", starts=(3,), end=4, output={})
    log.say("turn.cancelled", 3.5, "turn_0")
    found = session(log)
    (turn,) = found.turns
    assert (turn.status, turn.steps[0].action, turn.steps[0].attempts[0].outcome) == (
        "cancelled",
        "cancelled",
        "completed",
    )
    (call,) = turn.steps[0].tool_calls
    assert (call.returned, call.deferred) == (False, False)
    assert [s.function for s in turn.steps] == ["turnStep", "settleCancelledTurnStep"]
    assert roles(found) == [("opened", "turn_0"), ("cancelled", "turn_0")]


def test_messages_steer_queue_fold_or_wait() -> None:
    log = opened().step(A, starts=(1,), end=3, output={"action": "continue"})
    begin(log, 1.1)
    log.deliver("hook_in", 1.5, INBOX, message("left", "d1"))
    log.deliver("hook_in", 1.6, INBOX, message("later", "d2", policy="queue"))
    log.deliver("hook_in", 1.7, INBOX, message("and this", "d3", policy="queue"))
    log.step(B, starts=(3,), end=4, output={"action": "park"})
    log.say("message.received", 3.1, "turn_0", deliveries=("d0", "d1"), message="left")
    log.say("step.started", 3.2, "turn_0", 1, deliveries=("d0", "d1"))
    log.say("turn.completed", 3.5, "turn_0", deliveries=("d0", "d1"))
    whole_turn(log, C, 5, "turn_1", ("d2", "d3"))
    log.deliver("hook_in", 7, INBOX, message("anyone?", "d4"))
    found = session(log)
    assert roles(found) == [
        ("opened", "turn_0"),
        ("steered", "turn_0"),
        ("queued", "turn_1"),
        ("queued", "turn_1"),
        ("pending", None),
    ]
    assert [m.folded for m in found.messages[2:4]] == [("d3",), ("d2",)]


def test_a_message_after_the_turn_opens_the_next_one() -> None:
    log = whole_turn(opened(), A, 1, "turn_0", ("d0",))
    log.deliver("hook_in", 3, INBOX, message("again", "d1"))
    whole_turn(log, B, 3.1, "turn_1", ("d1",))
    assert roles(session(log)) == [("opened", "turn_0"), ("opened", "turn_1")]


def test_messages_without_delivery_ids_go_by_their_text() -> None:
    """Subagents and eve 0.20 have none."""
    log = opened().step(A, starts=(1,), end=2, output={"action": "park"})
    begin(log, 1.1, deliveries=()).say("turn.completed", 1.5, "turn_0")
    (first,) = session(log).messages
    assert (first.role, first.turn_id, first.certainty) == ("opened", "turn_0", "implied")


def held(request: str = "r1") -> RunLog:
    log = opened().step(A, starts=(1,), end=2, output={"action": "held", "inputRequestIds": [request]})
    ask(begin(log, 1.1), 1.5, request)
    return log.say("turn.waiting", 1.6, "turn_0", on="input")


def ask(log: RunLog, at: float, request: str, call: str = "c1", kind: str = "tool-approval") -> RunLog:
    action = {"callId": call, "toolName": "restart", "kind": "tool-call", "input": {}}
    asked = {"requestId": request, "kind": kind, "prompt": "Restart?", "action": action}
    return log.say("input.requested", at, "turn_0", 0, requests=[asked])


def resolved(log: RunLog, at: float, request: str, outcome: str, **response: str) -> RunLog:
    one = {"requestId": request, "kind": "question", "outcome": outcome, "response": response}
    return log.say("input.resolved", at, "turn_0", 0, resolutions=[one])


def test_an_open_approval_parks_the_session() -> None:
    found = session(held())
    (park,) = found.parks
    assert (park.kind, park.of_whom, park.asked, park.tool, park.open) == (
        "approval",
        "person",
        "Restart?",
        "restart",
        True,
    )
    assert (found.status, found.turns[0].status) == ("parked: approval", "parked")
    assert found.turns[0].parks == (park,)


def test_an_answer_releases_and_a_late_one_does_not() -> None:
    log = held().deliver("hook_in", 5, INBOX, answer("r1", "approve", "d1"))
    log.step(B, starts=(5.1,), end=6, output={"action": "park"})
    log.say(
        "approval.settled", 5.2, "turn_0", 0, requestId="r1", outcome="approved", responderPrincipalId="ann"
    )
    resolved(log, 5.3, "r1", "approved", optionId="approve")
    log.say("step.started", 5.4, "turn_0", 1).say("turn.completed", 5.9, "turn_0")
    log.deliver("hook_in", 8, INBOX, answer("r1", "cancel", "d2"))
    log.deliver("hook_in", 9, INBOX, answer("r9", "approve", "d3"))
    found = session(log)
    (park,) = found.parks
    assert (park.released_by, park.answer) == ("approved by ann", {"optionId": "approve"})
    assert [m.role for m in found.messages] == ["opened", "answered", "late", "late"]
    assert found.messages[1].turn_id == "turn_0"


def test_a_text_may_answer_a_question() -> None:
    log = held().deliver("hook_in", 5, INBOX, message("yes please", "d1"))
    log.step(B, starts=(5.1,), end=6, output={"action": "park"})
    log.say("message.received", 5.2, "turn_0", deliveries=("d0", "d1"), message="yes please")
    resolved(log, 5.25, "r1", "answered", text="yes please")
    found = session(log)
    assert [(m.role, m.request_ids) for m in found.messages][1] == ("answered", ("r1",))


def test_a_request_of_an_uncommitted_attempt_is_lost_when_the_rerun_asks_anew() -> None:
    """docs/evidence/sweep.md#approval: the answer to the old request does nothing."""
    log = opened().step(A, starts=(1, 5), end=6, output={"action": "held"})
    ask(begin(log, 1.1), 1.5, "r1")
    ask(begin(log, 5.1), 5.5, "r2")
    log.deliver("hook_in", 7, INBOX, answer("r1", "approve", "d1"))
    found = session(log)
    assert [(p.request_id, p.open, p.lost) for p in found.parks] == [("r1", True, True), ("r2", True, False)]
    assert found.messages[1].role == "late"
    assert found.status == "parked: approval"


def test_the_same_request_asked_again_is_one_park() -> None:
    log = opened().step(A, starts=(1, 5), end=6, output={"action": "held"})
    ask(begin(log, 1.1), 1.5, "ask-1", kind="question")
    ask(begin(log, 5.1), 5.5, "ask-1", kind="question")
    (park,) = session(log).parks
    assert (park.kind, park.open, park.lost, len(park.evidence)) == ("question", True, False, 2)


def test_a_turn_that_ends_because_it_asked_stays_parked() -> None:
    """eve 0.37: the approval ends its turn, the answer opens the next one."""
    log = opened().step(A, starts=(1,), end=2, output={"action": "park"})
    ask(begin(log, 1.1), 1.5, "r1").say("turn.completed", 1.6, "turn_0").say("session.waiting", 1.6)
    found = session(log)
    assert (found.turns[0].status, found.parks[0].open, found.status) == (
        "completed",
        True,
        "parked: approval",
    )


def test_cancelling_a_turn_withdraws_what_it_asked() -> None:
    log = held().deliver("hook_in", 3, INBOX, {"kind": "cancel"})
    log.step(B, "step//eve@0.80.1//settleCancelledTurnStep", starts=(3.1,), end=4, output={})
    log.say("turn.cancelled", 3.5, "turn_0")
    found = session(log)
    assert (found.parks[0].open, found.parks[0].released_by) == (False, "the turn cancelled")
    assert found.status == "idle"


def test_sign_ins_and_tasks() -> None:
    log = opened().step(A, starts=(1,), end=2, output={"action": "held"})
    begin(log, 1.1)
    log.say("authorization.required", 1.3, "turn_0", 0, name="github", description="Sign in", attemptId="a1")
    log.say("task.started", 1.4, "turn_0", callId="c1", taskId="t1", name="job", kind="tool")
    log.say("turn.waiting", 1.5, "turn_0", on="tasks")
    found = session(log)
    assert [(p.kind, p.of_whom) for p in found.parks] == [("sign-in", "person"), ("tasks", "task job")]
    log.step(B, "step//eve@0.80.1//applyRunMessagesStep", starts=(3,), end=4, output={})
    log.say("authorization.completed", 3.1, "turn_0", 0, name="github", attemptId="a1", outcome="authorized")
    log.say("task.settled", 3.2, "turn_0", taskId="t1", status="completed", output=5)
    done = session(log)
    assert [(p.open, p.released_by) for p in done.parks] == [
        (False, "authorized"),
        (False, "task job completed"),
    ]
    assert done.parks[1].answer == 5


def test_durable_sleeps_and_webhooks_of_a_workflow() -> None:
    log = RunLog().run(TOOL, "workflow//./orders//go")
    log.wait("wait_1", 1, 11).hook("hook_1", 2, "order-7", isWebhook=True)
    found = log.journal().session(TOOL)
    assert [(p.kind, p.open, p.of_whom) for p in found.parks] == [
        ("timer", True, "clock"),
        ("webhook", True, "caller"),
    ]
    assert found.status == "parked: timer"
    assert found.parks[0].due is not None
    log.event("wait_completed", 11, "wait_1").deliver("hook_1", 12, "order-7", {"paid": True})
    after = log.journal().session(TOOL)
    assert [(p.released_by, p.answer) for p in after.parks] == [
        ("time passed", None),
        ("a delivery", {"paid": True}),
    ]
    assert after.status == "running"


def test_the_runtimes_own_hooks_and_timeouts_are_no_parks() -> None:
    log = opened().hook("hook_abort", 0.5, "abrt_01", isSystem=True)
    log.run(TOOL, "workflow//eve//sessionTimeoutWorkflow", attributes={"$parentRunId": S}).wait(
        "wait_9", 1, 99
    )
    assert session(log).parks == ()


@pytest.mark.parametrize("status", ["completed", "failed", "cancelled"])
def test_the_run_record_ends_the_session(status: str) -> None:
    log = opened(status=status, completedAt=9)
    assert session(log).status == status


def test_a_turn_step_that_has_said_nothing_is_placed_by_its_state() -> None:
    state = {"eve.harness.sessionProjection": {"nextSequence": 3, "turns": {}}}
    given = {
        "args": [{"sessionState": {"snapshot": {"session": {"state": state}}}, "input": {"delivery": {}}}]
    }
    log = opened().step(A, starts=(1,), input=given)
    assert session(log).steps[0].turn_id == "turn_3"
    state["eve.harness.sessionProjection"]["activeTurnId"] = "turn_2"
    assert session(log).steps[0].turn_id == "turn_2"
    control = {"args": [{**given["args"][0], "input": {"control": "clear"}}]}
    assert session(opened().step(A, starts=(1,), input=control)).steps[0].turn_id is None


def test_the_transcript_marks_attempts_and_what_was_superseded() -> None:
    log = opened().step(A, starts=(1, 5), end=6, output={"action": "park"})
    for at, text in ((1.1, "one"), (5.1, "two")):
        begin(log, at).say("message.completed", at + 0.2, "turn_0", 0, message=text, finishReason="stop")
    log.say("turn.completed", 5.9, "turn_0")
    found = [(e.kind, e.text, e.attempt, e.superseded) for e in transcript(session(log))]
    assert found == [
        ("user", "hello", None, False),
        ("note", "attempt 1 of 2: interrupted", 1, False),
        ("assistant", "one", 1, True),
        ("note", "attempt 2 of 2: completed", 2, False),
        ("assistant", "two", 2, False),
    ]


def test_partial_text_of_an_interrupted_model_call_is_kept() -> None:
    log = opened().step(A, starts=(1, 5), end=6, output={"action": "park"})
    begin(log, 1.1).say("message.appended", 1.2, "turn_0", 0, messageDelta="Hel")
    log.say("message.appended", 1.3, "turn_0", 0, messageDelta="lo")
    begin(log, 5.1)
    first = session(log).steps[0].attempts[0].model_calls[0]
    assert (first.text, first.partial, first.status, first.tokens) == ("Hello", True, "interrupted", None)

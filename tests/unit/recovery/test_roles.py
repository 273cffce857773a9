"""What a step is for."""

import pytest

from eve_replay.recovery.roles import role_of


@pytest.mark.parametrize(
    ("function", "kind", "dispatched", "role"),
    [
        ("turnStep", "turn", False, "turn"),
        ("chargeCard", "function", False, "function"),
        ("startSessionTimeoutStep", "runtime", True, "side"),
        ("resumeHookStep", "runtime", False, "handover"),
        ("dispatchCoordinationStep", "runtime", False, "dispatch"),
        ("openAgentSessionStep", "runtime", True, "dispatch"),
        ("createSessionStep", "runtime", False, "runtime"),
    ],
)
def test_roles(function, kind, dispatched, role):
    assert role_of(function, kind, dispatched=dispatched) == role

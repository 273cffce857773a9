"""What people write. A type checker has to find nothing wrong in it."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import eve_replay as er
from eve_replay.values import JsMap, JsValue, Undecoded

journal = er.open_journal("sample:crash-in-tool")
session: er.Session = journal.session()
turn: er.Turn = session.turns[0]
call: er.ToolCall = turn.steps[0].attempts[0].tool_calls[0]
asked = er.Question(model="new-ids", strategies={"charge_card": "business-id"}, lease_seconds=20)

points = er.crash_points(turn)
one = er.simulate(session, points[0], question=replace(asked, model="other"))
two = er.simulate(session, points[:2], "turn_0")
three = er.simulate(Path("here"), datetime.now(UTC), turn)
table = er.matrix(call, question=asked)
futures = er.forecast(journal, session=session.id, question=asked, effects={"charge_card": "claim"})
report = er.why(session, ledger=[{"effect": "charge", "at": "2026-01-01T00:00:00Z"}], now=datetime.now(UTC))
told: list[str] = [verdict.sentence for verdict in report.verdicts]
er.explore(turn, effects="effects.toml", live=False)
er.crash_lab(session, 0, question=asked, predict=True)
er.attempt_diff(turn.steps[0], 1, 2)


def texts(value: JsValue) -> Sequence[str]:
    """Take a value apart, case by case."""
    if isinstance(value, str):
        return [value.upper()]
    if isinstance(value, list):
        return [text for item in value for text in texts(item)]
    if isinstance(value, dict):
        return [text for item in value.values() for text in texts(item)]
    if isinstance(value, JsMap):
        return [str(len(value))]
    if isinstance(value, Undecoded):
        return [value.reason]
    return []


for step in session.steps:
    if step.input is not None:
        print(texts(step.input.value), texts(step.input.at("$.args[0]")))

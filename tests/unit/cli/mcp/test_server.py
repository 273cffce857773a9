"""The server as an editor starts it, asked by the SDK's own client over stdio."""

import asyncio
import json
import sys

import pytest

pytest.importorskip("mcp", minversion="2")
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from eve_replay.cli.mcp.tools import INSTRUCTIONS, Tools

SOURCE = "sample:crash-in-tool"
BUDGET = 4_000


def asked(*calls, source=SOURCE, budget=BUDGET):
    """Return what a client sees: the tools, the instructions, and the answers as texts."""

    async def talk():
        words = ["-m", "eve_replay", "mcp", source, f"--answer={budget}"]
        server = StdioServerParameters(command=sys.executable, args=words)
        async with Client(stdio_client(server)) as client:
            tools = (await client.list_tools()).tools
            answers = [(await client.call_tool(name, values)).content for name, values in calls]
            return tools, client.instructions, [content[0].text for content in answers]

    return asyncio.run(asyncio.wait_for(talk(), 60))


def test_an_editor_can_ask_everything_over_stdio():
    session = {"session": "AMCAAJ64S"}
    step = {"step": "2NV4SKF"}
    tools, instructions, answers = asked(
        ("list_sessions", {"where": "possible >= 1"}),
        ("why", session),
        ("get_turn", session),
        ("step_value", step | {"path": "$.action"}),
        ("diff_attempts", step),
        ("crash_point", session | {"point": 30}),
        ("search", {"text": "charge_card"}),
        ("why", {"session": "--key-file=/etc/passwd"}),
        ("step_value", step | {"field": "inputs"}),
    )
    assert [tool.name for tool in tools] == [tool.__name__ for tool in Tools(SOURCE).all()]
    assert instructions == INSTRUCTIONS
    for tool in tools:
        notes = tool.annotations
        assert notes.read_only_hint and not notes.destructive_hint and not notes.open_world_hint
        assert len(tool.description) > 60
    sessions, why, turn, value, diff, crash, search, strange, wrong = map(json.loads, answers)
    assert sessions["sessions"][0]["twice"] == {"sure": 0, "possible": 1}
    assert {each["certainty"] for each in why["plan"]} <= {"observed", "implied", "unknown"}
    assert why["verdicts"][0]["code"] == "may-have-run-twice"
    assert [len(step["attempts"]) for step in turn["steps"]] == [2, 1]
    assert value["value"] == "continue"
    assert diff["attempts"][0]["repeats"][0]["word"] == "may have run twice"
    assert crash["effects"] and crash["point"]["position"] == 30
    assert search["total"] == len(search["hits"]) > 0
    assert strange["kind"] == "not-found", "a word of an agent is never an option"
    assert wrong["kind"] == "wrong-use" and "input, output or error" in wrong["hint"]
    assert all(len(text) <= BUDGET * 1.25 for text in answers)


def test_pages_joined_are_the_whole_list():
    tools = Tools(SOURCE, budget=2_000)
    rows, cursor = [], 0
    while cursor is not None:
        text = tools.crash_point("AMCAAJ64S", cursor=cursor)
        assert len(text) <= 2_500
        document = json.loads(text)
        rows += document["points"]
        assert document["next"] is None or document["next"] > cursor
        cursor = document["next"]
    assert [row["position"] for row in rows] == list(range(document["total"]))


def test_a_long_text_is_read_in_pieces():
    tools = Tools(SOURCE, budget=1_000)
    path = "$.args[0].sessionState.snapshot.session.agent.system"
    pieces, offset = [], 0
    while offset is not None:
        document = json.loads(tools.step_value("2NV4SKF", field="input", path=path, offset=offset))
        pieces.append(document["value"])
        offset = document["next"]
    assert len(pieces) > 1 and len("".join(pieces)) == document["characters"]


def test_a_wrong_source_is_said_to_who_starts_it(capsys):
    from eve_replay.cli import run

    assert run(["mcp", "/no/such/folder"]) == 3
    assert "no/such/folder" in capsys.readouterr().err
    assert run(["mcp", SOURCE, "--answer", "10"]) == 2

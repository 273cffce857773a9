from eve_replay.values import UNDEFINED, Undecoded
from eve_replay.views.session.messages import message_rows


def parts(message):
    (row,) = message_rows([message])
    return [(p.kind, p.name, p.text) for p in row.parts]


def test_text_and_parts_as_the_recordings_have_them():
    assert parts({"role": "user", "kind": "user", "content": "hello"}) == [("text", "", "hello")]
    assert parts(
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "Charging.", "providerOptions": UNDEFINED},
                {"type": "reasoning", "text": "because"},
                {"type": "tool-call", "toolCallId": "c1", "toolName": "charge", "input": {"cents": 5}},
            ],
        }
    ) == [("text", "", "Charging."), ("reasoning", "", "because"), ("tool-call", "charge", "{cents: 5}")]


def test_tool_results_are_unwrapped_and_errors_marked():
    def result(output):
        return {
            "role": "tool",
            "content": [{"type": "tool-result", "toolName": "t", "toolCallId": "c", "output": output}],
        }

    assert parts(result({"type": "json", "value": {"ok": True}})) == [("tool-result", "t", "{ok: true}")]
    assert parts(result({"type": "text", "value": "fine"})) == [("tool-result", "t", "fine")]
    (row,) = message_rows([result({"type": "error-text", "value": "no"})])
    assert (row.parts[0].text, row.parts[0].tone) == ("no", "error")
    (row,) = message_rows([result({"type": "execution-denied", "reason": "not today"})])
    assert (row.parts[0].text, row.parts[0].tone) == ("not today", "error")


def test_unknown_parts_and_things_that_are_no_message_are_shown():
    assert parts({"role": "user", "content": [{"type": "hologram", "data": 3}]}) == [
        ("hologram", "", "{data: 3}")
    ]
    assert parts({"role": "user", "content": [3]}) == [("value", "", "3")]
    assert parts({"role": "user", "content": {"odd": 1}}) == [("value", "", "{odd: 1}")]
    assert parts({"role": "user"}) == []
    (row,) = message_rows([Undecoded("truncated", "cut")])
    assert (row.role, row.problem) == ("unknown", "not a message")


def test_pages_and_what_was_added():
    history = [{"role": "user", "content": str(n)} for n in range(10)]
    rows = message_rows(history, added=2, start=7, limit=5)
    assert [(row.index, row.added) for row in rows] == [(7, False), (8, True), (9, True)]
    assert rows[0].path == "$.args[0].history[7]"


def test_long_texts_are_cut_and_control_characters_shown():
    (row,) = message_rows([{"role": "user\x1b", "content": "a\x1b[31m\n" + "b" * 5000}])
    part = row.parts[0]
    assert part.cut == 5007 - 4000
    assert part.text.startswith("a\\x1b[31m\n")
    assert row.role == "user\\x1b"

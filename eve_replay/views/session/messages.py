"""The message history of a session as rows: who said what, which tools were asked, what they gave back.

Histories hold the model library's messages (``role``, ``content`` as text or as parts); the parts seen in the
recordings are text, reasoning, tool-call, tool-result, file and approval requests. Any other part is shown by
its type and a preview, never left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from eve_replay.redaction.veil import glimpse, veiled
from eve_replay.values import UNDEFINED
from eve_replay.views.kit.base import View
from eve_replay.views.kit.safe import safe_text
from eve_replay.views.kit.tone import Tone

__all__ = ["MessagePart", "MessageRow", "message_rows"]

_LONGEST = 4000
_PREVIEW = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class MessagePart(View):
    """One part of a message.

    Attributes:
        kind: text, reasoning, tool-call, tool-result or another type as recorded.
        name: tool name, empty for text.
        call_id: the call it belongs to.
        text: what to show, safe, line ends kept. Cut at 4,000 characters; ``cut`` says how many are missing.
        tone: its tone.
    """

    kind: str
    text: str
    name: str = ""
    call_id: str = ""
    cut: int = 0
    tone: Tone = "plain"


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageRow(View):
    """One message.

    Attributes:
        index: place in the history; ``path`` where it is in the step input.
        role: user, assistant, tool, system or as recorded.
        kind: the harness's own mark (``user``, ``reminder`` ...), empty without one.
        parts: what it holds, in order.
        added: whether this step added it.
        problem: why it could not be taken apart, empty when it could.
    """

    index: int
    path: str
    role: str
    parts: tuple[MessagePart, ...]
    kind: str = ""
    added: bool = False
    problem: str = ""


def message_rows(
    history: Sequence[object], *, added: int = 0, start: int = 0, limit: int | None = None
) -> tuple[MessageRow, ...]:
    """Return rows for a page of a history.

    Args:
        history: the messages, oldest first, as values.
        added: how many of the last ones are new.
        start: first message of the page.
        limit: how many; None for all.
    """
    end = len(history) if limit is None else min(len(history), start + limit)
    first_new = len(history) - added
    return tuple(_row(history[n], n, n >= first_new) for n in range(start, end))


def _row(message: object, index: int, added: bool) -> MessageRow:
    path = f"$.args[0].history[{index}]"
    if not isinstance(message, Mapping):
        text = safe_text(glimpse(message, _PREVIEW))
        return MessageRow(
            index=index,
            path=path,
            role="unknown",
            parts=(MessagePart(kind="value", text=text, tone="warning"),),
            added=added,
            problem="not a message",
        )
    role, kind = message.get("role"), message.get("kind")
    return MessageRow(
        index=index,
        path=path,
        role=safe_text(role) if isinstance(role, str) else "unknown",
        kind=safe_text(kind) if isinstance(kind, str) else "",
        parts=tuple(_parts(message.get("content", UNDEFINED))),
        added=added,
    )


def _parts(content: object) -> list[MessagePart]:
    if isinstance(content, str):
        return [_text("text", content)]
    if isinstance(content, list):
        return [_part(part) for part in content]
    if content is UNDEFINED or content is None:
        return []
    return [MessagePart(kind="value", text=safe_text(glimpse(content, _PREVIEW)))]


def _part(part: object) -> MessagePart:
    if not isinstance(part, Mapping):
        return MessagePart(kind="value", text=safe_text(glimpse(part, _PREVIEW)))
    kind = part.get("type")
    kind = kind if isinstance(kind, str) else "value"
    text = part.get("text")
    if isinstance(text, str):
        return _text(kind, text, tone="muted" if kind == "reasoning" else "plain")
    name, call_id = _word(part.get("toolName")), _word(part.get("toolCallId"))
    if kind == "tool-call":
        shown = safe_text(glimpse(part.get("input", part.get("args", UNDEFINED)), _PREVIEW))
        return MessagePart(kind=kind, text=shown, tone="tool", name=name, call_id=call_id)
    if kind == "tool-result":
        value, failed = _result(part.get("output", part.get("result", UNDEFINED)))
        shown = value if isinstance(value, str) else glimpse(value, _PREVIEW)
        return _text(kind, shown, tone="error" if failed else "tool", name=name, call_id=call_id)
    known = ("type", "toolName", "toolCallId")
    rest = {k: v for k, v in part.items() if k not in known and v is not UNDEFINED}
    shown = safe_text(glimpse(rest, _PREVIEW))
    return MessagePart(kind=safe_text(kind), text=shown, name=name, call_id=call_id)


def _word(value: object) -> str:
    return safe_text(value) if isinstance(value, str) else ""


def _result(output: object) -> tuple[object, bool]:
    """Take the wrapper ``{type: "json" | "text" | "error-text" ..., value}`` off a tool result."""
    if isinstance(output, Mapping) and isinstance(output.get("type"), str) and "value" in output:
        return output["value"], str(output["type"]).startswith(("error", "execution-denied"))
    if isinstance(output, Mapping) and output.get("type") == "execution-denied":
        return output.get("reason", "denied"), True
    return output, False


def _text(kind: str, text: str, *, tone: Tone = "plain", name: str = "", call_id: str = "") -> MessagePart:
    shown = "\n".join(safe_text(part) for part in veiled(text[:_LONGEST]).split("\n"))
    return MessagePart(
        kind=safe_text(kind),
        text=shown,
        cut=max(len(text) - _LONGEST, 0),
        tone=tone,
        name=name,
        call_id=call_id,
    )

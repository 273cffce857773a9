"""The title of a session as a person would say it."""

from __future__ import annotations

import re

from eve_replay.codec.jsontext import JsonFault, parse_json
from eve_replay.views.kit.safe import safe_text

__all__ = ["title_text"]

#: A list of texts.
_FIRST = re.compile(r'\s*\[\s*"((?:[^"\\]|\\.)+)"')
#: A name in front of a message in JSON.
_NAMED = re.compile(r"([^\[{\n:]{1,60}): [\[{]")

_TEXT = re.compile(r'"text"\s*:\s*"((?:[^"\\]|\\.)*)"?')
#: The tools that a message without a text names.
_CALL = re.compile(r'"(?:name|toolName)"\s*:\s*"(\w{1,60})"')


def title_text(title: str) -> str:
    r"""Return a title as a person would say it: the text inside when it is a message in JSON, cut or not.

    ``[{"text": "refund order 1042", ...`` becomes ``refund order 1042``, a message of tool calls alone
    ``calls charge_card``. Anything else stays as it is.
    """
    named = _NAMED.match(title)
    if named is not None:  # Flue: the agent and the conversation stand before the message
        return f"{safe_text(named[1])}: {_inside(title[named.end() - 1 :])}"
    return _inside(title)


def _inside(title: str) -> str:
    message = title.lstrip()[:1] in ("[", "{")
    found = _TEXT.search(title) if message else None
    if found is None:
        first = _FIRST.match(title) if message else None
        if first is not None:
            return safe_text(first[1]) or safe_text(title)
        calls = dict.fromkeys(_CALL.findall(title)) if message else ()
        return safe_text(f"calls {', '.join(calls)}" if calls else title)
    text = parse_json(f'"{found[1]}"')
    if isinstance(text, JsonFault):  # cut in the middle of an escape
        text = re.sub(r"\\u?[0-9a-fA-F]{0,3}$", "", found[1])
    return safe_text(str(text)) or safe_text(title)

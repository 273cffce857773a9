"""A JSON reader without recursion, for texts nested deeper than the C reader of Python can go."""

from __future__ import annotations

import json
import re
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any

__all__ = ["js_number", "read_deep"]

_MAX_SAFE = 9_007_199_254_740_992
_TOKEN = re.compile(
    r"[ \t\n\r]*(?:([\"{}\[\],:])|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)|(true|false|null))", re.ASCII
)
_WORDS = {"true": True, "false": False, "null": None}


def js_number(text: str) -> int | float:
    """Return the number JS reads in digits: beyond 2**53 and for -0 that is a float."""
    if len(text) > 17 or text == "-0":
        return float(text)
    value = int(text)
    return value if -_MAX_SAFE <= value <= _MAX_SAFE else float(value)


def read_deep(text: str) -> Any:
    """Return the data of a JSON text of any depth. Raises JSONDecodeError when it is no JSON."""
    return _Reader(text).read()


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def fault(self, message: str) -> json.JSONDecodeError:
        return json.JSONDecodeError(message, self.text, self.at)

    def token(self) -> str | tuple[Any]:
        """Return a sign as text, a scalar as a tuple of one."""
        match = _TOKEN.match(self.text, self.at)
        if match is None:
            raise self.fault("Expecting value")
        self.at = match.end()
        sign, number, word = match.groups()
        if sign == '"':
            string, self.at = scanstring(self.text, self.at, True)
            return (string,)
        if sign is not None:
            return str(sign)
        if number is not None:
            whole = number.lstrip("-").isdigit()
            return (js_number(number) if whole else float(number),)
        return (_WORDS[word],)

    def accept(self, sign: str) -> bool:
        """Skip ``sign`` if it comes next."""
        before = self.at
        if self.token() == sign:
            return True
        self.at = before
        return False

    def key(self) -> str:
        found = self.token()
        if isinstance(found, str) or not isinstance(found[0], str):
            raise self.fault("Expecting property name enclosed in double quotes")
        if self.token() != ":":
            raise self.fault("Expecting ':' delimiter")
        return found[0]

    def more(self, closing: str) -> bool:
        """Return whether another member follows; ``closing`` ends the container."""
        found = self.token()
        if found not in (",", closing):
            raise self.fault("Expecting ',' delimiter")
        return found == ","

    def read(self) -> Any:
        open_: list[tuple[Any, Any]] = []
        while True:
            found = self.token()
            if found == "[":
                value: Any = []
                if not self.accept("]"):
                    open_.append((value, None))
                    continue
            elif found == "{":
                value = {}
                if not self.accept("}"):
                    open_.append((value, self.key()))
                    continue
            elif isinstance(found, tuple):
                value = found[0]
            else:
                raise self.fault("Expecting value")
            if self.close(value, open_):
                break
        if self.text[self.at :].strip(" \t\n\r"):
            raise self.fault("Extra data")
        return self.result

    result: Any = None

    def close(self, value: Any, open_: list[tuple[Any, Any]]) -> bool:
        """Put a finished value into its container, close what ends here; True when nothing is open."""
        while open_:
            holder, key = open_[-1]
            if isinstance(holder, list):
                holder.append(value)
                if self.more("]"):
                    return False
            else:
                holder[key] = value
                if self.more("}"):
                    open_[-1] = (holder, self.key())
                    return False
            value = holder
            open_.pop()
        self.result = value
        return True

"""Runs a command in this process and returns what it did."""

import json
from typing import Any, NamedTuple

from eve_replay.cli import run

SIMPLE, CRASH, APPROVAL = "sample:simple-turn", "sample:crash-in-tool", "sample:approval-hold"


class Result(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def call(capsys, *words) -> Result:
    """Run ``eve-replay`` with these words; UTC and a fixed clock unless --help is asked for."""
    capsys.readouterr()
    code = run([str(word) for word in words])
    captured = capsys.readouterr()
    return Result(code, captured.out, captured.err)

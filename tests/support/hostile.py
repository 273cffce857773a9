"""Journals that mean harm, and journals that are long: for the notebook and the browser."""

from __future__ import annotations

from typing import Any

from eve_replay.codec import Payload
from eve_replay.journal import Journal
from tests.support import synthetic as made

#: What must be shown as text and nothing else.
PAYLOADS: tuple[Any, ...] = (
    {"text": "<script>alert(1)</script></script><img src=x onerror=alert(1)>", "key</script>": "--><!--"},
    {
        "link": "javascript:alert(1)",
        "style": "</style><script>alert(1)</script>",
        "html": "<a href='javascript:alert(1)'>x</a>",
    },
    {
        "ansi": "\x1b[31mred\x1b[0m \x1b]8;;http://evil\x07link\x1b]8;;\x07",
        "bidi": "abc\u202egnp.exe\u2066x",
        "nul": "a\x00b",
    },
    {"long": "x" * 5_000_000, "lone": "\ud800 half", "line": "\u2028\u2029"},
)


def hostile_journal(value: Any) -> Journal:
    """Return a run whose step names, inputs, outputs and errors hold ``value``."""
    word = str(next(iter(value.values())))[:200] if isinstance(value, dict) else str(value)[:200]
    name = f"step//./app//{word}"
    payload = Payload.plain(value)
    log = [
        made.event(1, "run_created", data={"input": payload}),
        made.event(2, "run_started"),
        made.event(3, "step_created", "step_A", data={"stepName": name, "input": payload}),
        made.event(4, "step_started", "step_A", data={"stepName": name}),
        made.event(5, "step_retrying", "step_A", data={"stepName": name, "error": payload}),
        made.event(6, "step_started", "step_A", data={"stepName": name}),
        made.event(7, "step_completed", "step_A", data={"stepName": name, "result": payload}),
    ]
    steps = [made.step_record("step_A", name=name, input=payload, output=payload)]
    return made.journal([made.run(input=payload, attributes={"$eve.title": word})], log, steps)


def long_journal(rows: int) -> Journal:
    """Return one run with about ``rows`` rows in its tree: steps, each with an attempt."""
    log = [made.event(1, "run_created"), made.event(2, "run_started")]
    steps = []
    number = 2
    for index in range(rows // 2):
        step = f"step_{index:026d}"
        name = f"step//./app//work{index}"
        payload = Payload.plain({"args": [index], "text": "payload " * 5})
        for kind, data in (
            ("step_created", {"input": payload}),
            ("step_started", {}),
            ("step_completed", {"result": payload}),
        ):
            number += 1
            log.append(made.event(number, kind, step, data={"stepName": name, **data}))
        steps.append(made.step_record(step, name=name, input=payload, output=payload))
    return made.journal([made.run()], log, steps)

"""A walk through all 240 turn steps of long-session: work and memory (issue 3, must hold).

How long it takes: ``tests/benchmarks/test_journal.py``.
"""

from __future__ import annotations

import json
import subprocess
import sys

from tests.support import corpus

_WALK = """
import json, pathlib, resource, sys
from eve_replay import open_journal
from eve_replay.codec import payload
from eve_replay.journal import transcript, walk_states
opened = []
real = payload.open_envelope
payload.open_envelope = lambda raw, **options: opened.append(options["where"]) or real(raw, **options)
journal = open_journal(sys.argv[1])
session = journal.session()
walked = list(walk_states(session.steps))
entries = list(transcript(session))
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
status = pathlib.Path("/proc/self/status")
if status.exists():  # ru_maxrss starts with what the parent had when it forked
    peak = int(status.read_text().partition("VmHWM:")[2].split()[0])
print(json.dumps({
    "opened": len(opened),
    "payloads": len(set(opened)),
    "megabytes": peak / 1024,
    "steps": sum(1 for s in walked if s.step.kind == "turn"),
    "law": [c.path for s in walked for c in s.law],
    "history": len(walked[-1].after.history),
    "shared": all(
        one is two
        for a, b in zip(walked, walked[1:])
        if a.after is not None and b.before is not None
        for one, two in zip(a.after.history, b.before.history)
    ),
    "entries": len(entries),
    "turns": len(session.turns),
    "status": [t.status for t in session.turns if t.status != "completed"],
    "effects": sum(1 for s in session.steps for c in s.tool_calls if c.returned),
}))
"""


def test_the_walk_opens_each_payload_and_keeps_memory_linear() -> None:
    folder = str(corpus.data("long-session"))
    out = subprocess.run([sys.executable, "-c", _WALK, folder], capture_output=True, text=True, check=True)
    seen = json.loads(out.stdout)
    assert (seen["turns"], seen["steps"], seen["history"], seen["status"]) == (120, 240, 480, [])
    assert seen["law"] == []
    assert seen["shared"]
    assert seen["effects"] == 240
    assert seen["opened"] <= 2 * seen["payloads"]
    assert seen["megabytes"] < 150


def test_every_attempt_of_the_long_session_equals_the_facts() -> None:
    from eve_replay import open_journal
    from eve_replay.times import iso

    facts = corpus.load_json(corpus.scenario("long-session") / "facts.json")
    journal = open_journal(corpus.data("long-session"))
    steps = {s.step_id: s for session in journal.sessions for s in session.steps}
    for fact in facts["steps"]:
        step = steps[fact["stepId"]]
        assert [iso(a.started_at) for a in step.attempts] == fact["attemptStarts"]
        for seen, attempt in zip(fact.get("byAttempt", ()), step.attempts, strict=False):
            asked = [c.call_id for c in attempt.tool_calls if c.requested_at is not None]
            assert asked == [c["callId"] for c in seen.get("toolCalls", ())]

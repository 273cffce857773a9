"""How long a person waits before anything happens: importing, the help, the first list, bare Python beside.

Agreed: importing adds at most 60 ms to bare Python and the help is there within 250 ms. Which modules are
loaded does not depend on the machine and is asserted in ``tests/repo/test_imports.py``.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

COMMANDS = {
    "bare python": ("-c", "pass"),
    "import eve_replay": ("-c", "import eve_replay"),
    "eve-replay --help": ("-m", "eve_replay", "--help"),
    "eve-replay runs": ("-m", "eve_replay", "runs", "sample:crash-in-tool"),
}


@pytest.mark.benchmark(group="start of a process")
@pytest.mark.parametrize("name", COMMANDS)
def test_start(benchmark, name):
    command = [sys.executable, *COMMANDS[name]]
    run = benchmark.pedantic(
        lambda: subprocess.run(command, capture_output=True, check=True), rounds=7, warmup_rounds=1
    )
    assert not run.stderr

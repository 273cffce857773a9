"""What importing costs: the core pulls in no heavy library, the help is there at once."""

import json
import subprocess
import sys

import pytest

HEAVY = [
    "textual",
    "rich",
    "ipywidgets",
    "anywidget",
    "plotly",
    "pandas",
    "IPython",
    "psycopg",
    "redis",
    "fsspec",
    "cryptography",
    "click",
    "cbor2",
    "watchfiles",
]

#: Modules beyond bare Python's own, with room for another Python version.
LOADED_BY_IMPORT = 45
LOADED_BY_HELP = 120


#: What a learner imports, with all lessons.
CHECKING = "from eve_replay.workshop import check; from eve_replay.workshop.lesson import tasks; tasks()"


def loaded_by(code):
    """Top-level modules in a fresh interpreter after ``code``."""
    script = (
        f"{code}\nimport sys, json; print(json.dumps(sorted({{n.partition('.')[0] for n in sys.modules}})))"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(json.loads(result.stdout.splitlines()[-1]))


@pytest.mark.parametrize(
    "code",
    [
        "import eve_replay",
        "import eve_replay.values, eve_replay.codec, eve_replay.records, eve_replay.worlds.registry",
        "from eve_replay import open_world; w = open_world('sample:crash-in-tool'); list(w.runs())",
        "import eve_replay.journal, eve_replay.checks, eve_replay.recovery, eve_replay.diff",
        "import eve_replay.views.kit.table, eve_replay.views.inspect.value, eve_replay.views.inspect.records",
        CHECKING,
    ],
)
def test_the_core_loads_nothing_heavy(code):
    assert not loaded_by(code) & set(HEAVY)


def test_the_grader_asks_for_nothing_a_browser_lacks():
    """Pyodide has no processes and no sockets."""
    loaded = loaded_by(CHECKING)
    assert not loaded & {"subprocess", "socket", "multiprocessing", "ssl", "_posixsubprocess"}


def test_the_package_itself_loads_only_itself():
    ours = loaded_by("import eve_replay") - loaded_by("import importlib, typing, __future__")
    assert ours == {"eve_replay"}


def test_listing_commands_loads_none_of_them():
    modules = loaded_by("from eve_replay.cli import run; run(['--help'])")
    assert not modules & (set(HEAVY) - {"click"})


def test_public_names_are_there_and_documented():
    import eve_replay

    for name in eve_replay.__all__:
        value = getattr(eve_replay, name)
        assert name == "__version__" or value.__doc__, name
    assert set(eve_replay.__all__) <= set(dir(eve_replay))
    with pytest.raises(AttributeError):
        eve_replay.no_such_name  # noqa: B018


def test_a_cold_start_loads_few_modules():
    """What start-up time depends on; how long it takes: tests/benchmarks/test_start.py."""
    count = "import sys; before = set(sys.modules); {}; print(len(set(sys.modules) - before))"
    script = [sys.executable, "-c"]
    result = subprocess.run(
        [*script, count.format("import eve_replay")], capture_output=True, text=True, check=True
    )
    assert int(result.stdout) <= LOADED_BY_IMPORT
    code = count.format("from eve_replay.cli import run; run(['--help'])")
    result = subprocess.run([*script, code], capture_output=True, text=True, check=True)
    assert int(result.stdout.splitlines()[-1]) <= LOADED_BY_HELP


def test_nobody_elses_path_loads_anything_of_flue():
    """Looking at a dump for its tables reads their names alone; its rules wait for a question."""
    code = (
        "import sys\n"
        "from datetime import UTC, datetime\n"
        "import eve_replay.worlds.pgdump.foreign, eve_replay.worlds.pgdump.world\n"
        "import eve_replay.worlds.sqldump.opener\n"
        "import eve_replay as er\n"
        "er.open_journal('sample:crash-in-tool').sessions[0].why(now=datetime(2026, 12, 1, tzinfo=UTC))\n"
        "er.forecast('sample:crash-in-tool'), er.matrix('sample:crash-in-tool')\n"
        "print([n for n in sys.modules if 'flue' in n and n != 'eve_replay.samples.flue'])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "[]", done.stdout + done.stderr

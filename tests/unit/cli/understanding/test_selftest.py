"""``eve-replay selftest``: the inputs are what they are meant to be, and a front end that fails is told."""

from eve_replay.cli import run
from eve_replay.cli.understanding import selftest
from eve_replay.proof.evil import evil_inputs
from eve_replay.worlds.registry import open_world

#: Makes one of the inputs only.
_ONE = """
import pathlib, sys
from eve_replay.proof import evil
evil._INPUTS = {"inline-payloads": evil._INPUTS["inline-payloads"]}
evil.evil_inputs(pathlib.Path(sys.argv[1]))
"""


def test_inputs_are_small_and_readable_by_name(tmp_path, monkeypatch):
    from eve_replay.proof import evil

    small = {name: make for name, make in evil._INPUTS.items() if "swells" not in name}
    monkeypatch.setattr(evil, "_INPUTS", small)
    paths = evil_inputs(tmp_path)
    assert {path.name for path in paths} == set(small) and all(path.exists() for path in paths)
    with open_world(str(tmp_path / "names.tar")) as world:
        assert "wrun_01M8NVET2Q9XT7ZZ1AMCAAJ64S" in [run.run_id for run in world.runs()]
        assert len(world.receipt.skipped) >= 8
    with open_world(str(tmp_path / "deep-folders.zip")) as world:
        assert len(list(world.runs())) == 1


def test_one_input_through_the_command_line(capsys, monkeypatch):
    monkeypatch.setattr(selftest, "_COMMANDS", ("runs",))
    monkeypatch.setattr(selftest, "_MAKE", _ONE)
    monkeypatch.setattr(selftest, "find_spec", lambda name: None)
    monkeypatch.setattr(selftest, "_MEGABYTES", 10_000)  # a child's peak begins with that of these tests
    assert run(["selftest", "--only", "inline"]) == 0
    assert "all as they should" in capsys.readouterr().out


def test_what_a_terminal_would_obey():
    assert selftest._obeyed("plain\ttext\n") == ""
    assert [selftest._obeyed(f"a{sign}b") for sign in "\x1b\x9b\u202e\u2028"] == list("\x1b\x9b\u202e\u2028")

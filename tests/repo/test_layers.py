"""The house rules that can be read off the source: layers, who may print, exit, read the environment."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted([*(ROOT / "eve_replay").rglob("*.py"), *(ROOT / "tui").rglob("*.py")])


#: The grader runs strangers' code: it puts an environment back that an answer has changed, and ends the child
#: process that ran the answer without waiting for what it left behind.
ALLOWED = {
    "eve_replay/workshop/grading/interpreter_state.py": {"os.environ"},
    "eve_replay/workshop/grading/remote.py": {"os._exit"},
}


def relative(path):
    return path.relative_to(ROOT).as_posix()


def test_nothing_imports_a_later_layer():
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    env = os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tui'}"}
    result = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("path", SOURCES, ids=relative)
def test_only_the_command_line_prints_exits_and_reads_the_environment(path):
    if path.is_relative_to(ROOT / "eve_replay" / "cli"):
        return
    found = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("print", "exit", "input")
        ):
            found.append((node.lineno, node.func.id))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            name = f"{node.value.id}.{node.attr}"
            if name in ("os.environ", "os.getenv", "sys.exit", "sys.argv", "os._exit"):
                found.append((node.lineno, name))
    found = [each for each in found if each[1] not in ALLOWED.get(relative(path), ())]
    assert not found, f"{relative(path)}: {found}"


@pytest.mark.parametrize("path", SOURCES, ids=relative)
def test_json_is_read_in_the_codec_only(path):
    """One reader knows about lone surrogates, depth and -0 (docs/evidence/libraries.md#json)."""
    if path.is_relative_to(ROOT / "eve_replay" / "codec"):
        return
    text = path.read_text("utf-8")
    allowed = "values/paths.py"  # one quoted key of a path, not a document
    assert relative(path).endswith(allowed) or ("json.loads(" not in text and "json.load(" not in text)


@pytest.mark.parametrize("path", SOURCES, ids=relative)
def test_no_module_grows_without_end(path):
    """A module over 400 lines should be split; none may pass 600."""
    lines = path.read_text("utf-8").count("\n")
    assert lines <= 600, f"{relative(path)} has {lines} lines: split it"


@pytest.mark.parametrize("path", SOURCES, ids=relative)
def test_every_module_says_what_it_is(path):
    text = path.read_text("utf-8")
    assert not text.strip() or ast.get_docstring(ast.parse(text)), relative(path)

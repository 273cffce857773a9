"""The package as a user's type checker sees it: what is right passes, what is mistyped is found."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TYPED = Path(__file__).parent / "typed"


def blocks(path):
    return re.findall(r"^```python\n(.*?)^```", path.read_text("utf-8"), re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The Python a reader meets first, and what is right and wrong, as files of one folder."""
    folder = tmp_path_factory.mktemp("typed")
    for name in ("right", "mistakes"):
        (folder / f"typed_{name}.py").write_text((TYPED / f"{name}.py").read_text("utf-8"))
    for page in (ROOT / "README.md", ROOT / "docs" / "api-style.md"):
        for number, text in enumerate(blocks(page)):
            name = f"typed_{page.stem.lower().replace('-', '_')}_{number}.py"
            (folder / name).write_text(f"# ruff: noqa\n{text}", "utf-8")
    return folder


def mypy(folder):
    """Yield ``(file, line, message)``."""
    command = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml")]
    # A learner's function in the README has no annotations.
    command += ["--no-error-summary", "--allow-untyped-defs", "--allow-untyped-calls"]
    env = os.environ | {"MYPYPATH": f"{ROOT}{os.pathsep}{ROOT / 'tui'}"}
    done = subprocess.run(
        [*command, *map(str, sorted(folder.glob("*.py")))],
        cwd=ROOT, env=env, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr or done.stdout
    for name, line, message in re.findall(r"^([^:\n]+):(\d+): error: (.*)$", done.stdout, re.MULTILINE):
        yield Path(name).name, int(line), message


def pyright(folder):
    """Yield the same, of pyright; our own files in its strict mode."""
    (folder / "pyrightconfig.json").write_text(
        json.dumps(
            {
                "include": ["."],
                "typeCheckingMode": "standard",
                "strict": ["typed_right.py", "typed_mistakes.py"],
                "extraPaths": [str(ROOT), str(ROOT / "tui")],
                "reportUnusedExpression": False,
                "reportUnusedImport": False,
                "reportUnusedVariable": False,
            }
        )
    )
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable]
    done = subprocess.run(
        [*command, "-p", str(folder)], cwd=folder, capture_output=True, text=True, check=False
    )
    if not done.stdout.startswith("{"):
        pytest.skip(f"pyright does not run here: {(done.stderr or done.stdout)[-200:]}")
    for each in json.loads(done.stdout)["generalDiagnostics"]:
        if each["severity"] == "error":
            yield Path(each["file"]).name, each["range"]["start"]["line"] + 1, each["message"]


@pytest.mark.parametrize("checker", [mypy, pyright], ids=["mypy", "pyright"])
def test_what_is_mistyped_is_found_and_nothing_else(checker, files):
    if checker is pyright:
        pytest.importorskip("pyright")
    found = list(checker(files))
    lines = (TYPED / "mistakes.py").read_text("utf-8").splitlines()
    wrong = {number for number, text in enumerate(lines, 1) if text.endswith("# wrong")}
    missed = wrong - {line for name, line, _ in found if name == "typed_mistakes.py"}
    assert not missed, [lines[number - 1] for number in sorted(missed)]
    others = [each for each in found if each[0] != "typed_mistakes.py" or each[1] not in wrong]
    assert not others


def test_what_is_public_is_there_and_is_what_the_type_checker_sees():
    import ast

    import eve_replay

    tree = ast.parse((ROOT / "eve_replay" / "__init__.py").read_text("utf-8"))
    seen = {
        alias.asname or alias.name
        for node in tree.body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for each in node.body
        if isinstance(each, ast.ImportFrom)
        for alias in each.names
    }
    assert seen | {"__version__"} == set(eve_replay.__all__) == set(dir(eve_replay))
    for name in eve_replay.__all__:
        assert getattr(eve_replay, name) is not None
    with pytest.raises(AttributeError, match="Did you mean 'open_world'"):
        eve_replay.opne_world  # noqa: B018

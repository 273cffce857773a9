"""The documents say what is there: commands, two command lines, code that runs, nothing of this machine."""

import importlib.util
import re
import subprocess
from pathlib import Path

import pytest

from eve_replay.cli import COMMANDS, SECTIONS, run

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
EXISTING = [name for name, entry in COMMANDS.items() if importlib.util.find_spec(entry.module)]


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def test_two_command_lines_do_everything():
    lines = [line for block in blocks("sh") for line in block.splitlines() if line.strip()]
    assert len(lines) == 2
    demo, tests = lines
    assert demo.startswith("python3 -m venv ") and demo.endswith("eve-replay demo")
    assert tests.startswith("python3 -m venv ") and "'.[test]'" in tests and "pytest" in tests


@pytest.mark.parametrize("name", EXISTING)
def test_every_command_is_in_the_readme_as_its_help_has_it(name, capsys):
    assert run([name, "--help"]) == 0
    usage = " ".join(capsys.readouterr().out.partition("\n\n")[0].split())
    usage = usage.removeprefix("Usage: eve-replay ").replace(" [OPTIONS]", "")
    assert f"**`{usage}`**" in README.partition("## Commands")[2]


@pytest.mark.parametrize("section", SECTIONS)
def test_the_readme_has_the_sections_of_the_help(section):
    assert f"### {section}" in README


def test_every_command_module_is_in_the_table():
    folder = ROOT / "eve_replay" / "cli"
    modules = {p.stem for p in folder.glob("[a-z]*.py")} | {
        p.parent.name for p in folder.glob("workshop/__init__.py")
    }
    assert modules == {COMMANDS[name].module.rpartition(".")[2] for name in EXISTING}


@pytest.mark.parametrize("index", range(len(blocks("python"))))
def test_python_in_the_readme_runs(index, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(blocks("python")[index], f"README.md block {index}", "exec"), {"__name__": "readme"})


def test_nothing_of_one_machine_is_in_the_repository():
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("no git checkout")
    forbidden = re.compile(
        r"regis[t]ry\.npm|npm[j]s\.|py[p]i\.org|python[h]osted|deb\.[d]ebian|/[w]ork/|/[f]arm/|\.[l]ibrary/|/opt/[e]r"
    )
    found = []
    for name in listed.stdout.split("\0"):
        path = ROOT / name
        if not name or path.suffix in (".xz", ".gz", ".zip", ".png", ".bin", ".everun") or not path.is_file():
            continue
        for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), start=1):
            if forbidden.search(line):
                found.append(f"{name}:{number}")
    assert not found
    locks = [name for name in listed.stdout.split("\0") if name.endswith((".lock", "requirements.txt"))]
    assert not locks


def test_changelog_and_licence():
    assert "## Unreleased" in (ROOT / "CHANGELOG.md").read_text("utf-8")
    licence = (ROOT / "LICENSE").read_text("utf-8")
    assert "Apache License" in licence and "END OF TERMS AND CONDITIONS" in licence


def test_the_unit_tests_mirror_the_package():
    """Each package has its folder of tests, so that a newcomer finds the tests of a module."""
    packages = {p.parent.name for p in (ROOT / "eve_replay").glob("*/__init__.py")}
    tests = list((ROOT / "tests" / "unit").rglob("test_*.py"))
    tested = {path.parent.name for path in tests} | {path.stem.removeprefix("test_") for path in tests}
    assert packages <= tested

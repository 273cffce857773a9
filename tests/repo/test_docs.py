"""The documents say what is there: commands, two command lines, code that runs, nothing of this machine."""

import importlib.util
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import get_args

import pytest

import eve_replay
from eve_replay.cli import COMMANDS, SECTIONS, run
from eve_replay.journal.effects.policy import EffectClass, KeyBy
from eve_replay.worlds.layouts.model import FORMS
from eve_replay.worlds.layouts.parse import parse_layout

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
COMMANDS_PAGE = (ROOT / "docs" / "commands.md").read_text("utf-8")
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "guides").glob("*.md")),
]
EXISTING = [name for name, entry in COMMANDS.items() if importlib.util.find_spec(entry.module)]


def blocks(language, page=ROOT / "README.md"):
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)


PYTHON = [
    pytest.param(code, id=f"{page.stem}-{number}")
    for page in PAGES
    for number, code in enumerate(blocks("python", page), 1)
]


def test_two_command_lines_do_everything():
    lines = [line for block in blocks("sh") for line in block.splitlines() if line.strip()]
    assert len(lines) == 2
    demo, tests = lines
    assert demo.startswith("python3 -m venv ") and demo.endswith("eve-replay demo")
    assert tests.startswith("python3 -m venv ") and "'.[test]'" in tests and "pytest" in tests


@pytest.mark.parametrize("name", EXISTING)
def test_every_command_is_on_its_page_as_its_help_has_it(name, capsys):
    assert run([name, "--help"]) == 0
    usage = " ".join(capsys.readouterr().out.partition("\n\n")[0].split())
    usage = usage.removeprefix("Usage: eve-replay ").replace(" [OPTIONS]", "")
    assert f"**`{usage}`**" in COMMANDS_PAGE


@pytest.mark.parametrize("section", SECTIONS)
def test_the_page_of_commands_has_the_sections_of_the_help(section):
    assert f"\n## {section}\n" in COMMANDS_PAGE


def test_every_command_module_is_in_the_table():
    """Each module stands in the folder of its section."""
    folder = ROOT / "eve_replay" / "cli"
    rooms = [section.lower() for section in SECTIONS if (folder / section.lower()).is_dir()]
    modules = {f"eve_replay.cli.{room}.{p.stem}" for room in rooms for p in folder.glob(f"{room}/[a-z]*.py")}
    assert modules | {"eve_replay.cli.workshop"} == {entry.module for entry in COMMANDS.values()}
    assert not list(folder.glob("[a-z]*.py"))


@pytest.mark.parametrize("code", PYTHON)
def test_python_in_the_documents_runs(code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "a block of the documents", "exec"), {"__name__": "documents"})


def test_the_readme_fits_on_two_screens_and_has_its_pictures():
    assert len(README.splitlines()) <= 110
    for name in ("README.md", "README.zh.md"):
        text = (ROOT / name).read_text("utf-8")
        pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", text)
        assert len(pictures) == 4 and all((ROOT / picture).is_file() for picture in pictures)
    shown = "".join(page.read_text("utf-8") for page in (*PAGES, ROOT / "README.zh.md"))
    made = [path.name for path in (ROOT / "docs" / "pictures").iterdir() if path.suffix in (".png", ".gif")]
    assert len(made) > 8 and not [name for name in made if f"pictures/{name}" not in shown]


def test_every_room_the_first_page_names_is_there():
    rows = (ROOT / "docs" / "index.md").read_text("utf-8").splitlines()
    rooms = {name for row in rows if row.startswith("| ") for name in re.findall(r"`([\w/.]+)`", row)}
    rooms = {name for name in rooms if not name.endswith(".js")}  # scripts of the notebook, by name only
    assert len(rooms) > 40
    assert not [
        name for name in rooms if not (ROOT / name).exists() and not (ROOT / "eve_replay" / name).exists()
    ]
    packages = {p.parent.name for p in (ROOT / "eve_replay").glob("*/__init__.py")}
    assert packages <= {name.removeprefix("eve_replay/").partition("/")[0] for name in rooms}


def test_the_api_page_has_every_public_name():
    page = (ROOT / "docs" / "api.md").read_text("utf-8")
    public = set(eve_replay.__all__) - {
        "__version__",
        "EveReplayError",
    }  # the errors are a module of their own
    assert not [name for name in public if not re.search(rf"^   (?:[\w.]+\.)?{name}$", page, re.MULTILINE)]


def test_the_site_builds_without_a_network(tmp_path):
    pytest.importorskip("myst_parser")
    pytest.importorskip("furo")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "docs", str(tmp_path)]
    dead = {"http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9"}
    result = subprocess.run(
        command, cwd=ROOT, env=os.environ | dead, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr[-3000:]
    assert (tmp_path / "reference" / "eve_replay.simulate.html").is_file()
    page = (tmp_path / "evidence" / "sweep.html").read_text("utf-8")
    assert 'id="f1"' in page and not re.search(r'(?:src|<link[^>]*href)="https?://', page)


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


def test_the_effects_policy_of_its_page_is_one():
    (text,) = blocks("toml", ROOT / "docs" / "effects.md")
    policy = eve_replay.EffectsPolicy.load(tomllib.loads(text))
    assert {rule.pattern for rule in policy.rules} >= {"charge_card", "ship*"} and policy.default is not None
    page = (ROOT / "docs" / "effects.md").read_text("utf-8")
    assert not [name for name in (*get_args(EffectClass), *get_args(KeyBy)) if f"`{name}`" not in page]


def test_the_layout_of_its_page_is_one():
    (text,) = blocks("toml", ROOT / "docs" / "layouts.md")
    assert parse_layout(text, "docs/layouts.md").parts.keys() == {"runs", "steps", "events"}
    page = (ROOT / "docs" / "layouts.md").read_text("utf-8")
    assert not [form for form in FORMS if f"`{form}`" not in page]

"""What people install: the wheel holds both packages, the samples, the guides, and not the tests."""

import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    target = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(target)]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    with zipfile.ZipFile(next(target.glob("*.whl"))) as archive:
        yield archive


def test_content(wheel):
    names = wheel.namelist()
    assert "eve_replay/py.typed" in names
    assert "eve_replay/samples/crash-in-tool.tar.xz" in names
    assert "eve_replay_tui/__init__.py" in names
    assert any(name.startswith("eve_replay/_notebooks/") for name in names)
    lessons = {
        name.rpartition("/")[2] for name in names if name.startswith("eve_replay/_notebooks/workshop/zh/")
    }
    assert lessons and all(f"eve_replay/_notebooks/workshop/{name}" in names for name in lessons)
    assert "eve_replay/_notebooks/workshop/solutions/lesson_01.py" in names
    assert not [name for name in names if "tests/" in name or "corpus" in name or "__pycache__" in name]
    assert "eve_replay/_docs/evidence/sweep.md" in names and "eve_replay/_docs/formats/local.md" in names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert sum(info.file_size for info in wheel.infolist()) < 12 << 20


def test_the_base_is_small_and_the_extras_are_the_agreed_ones():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert sorted(d.partition(">")[0] for d in project["dependencies"]) == [
        "click",
        "cryptography",
        "textual",
        "zstandard",
    ]
    extras = set(project["optional-dependencies"])
    assert extras >= {"notebook", "postgres", "redis", "live", "remote", "all", "test"}
    assert project["requires-python"] == ">=3.11"
    assert project["scripts"] == {"eve-replay": "eve_replay.cli:main"}

"""What people install: the wheel holds both packages, the samples, the guides, and not the tests."""

import os
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The folder with the source distribution, and the wheel that was built from it as pip would."""
    target = tmp_path_factory.mktemp("built")
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(target)]
    for kind, folder in (("sdist", ROOT), ("wheel", None)):
        if folder is None:
            with tarfile.open(next(target.glob("*.tar.gz"))) as archive:
                archive.extractall(target, filter="data")
            folder = next(each for each in target.iterdir() if each.is_dir())
        result = subprocess.run(
            [*command, "-t", kind], cwd=folder, capture_output=True, text=True, check=False
        )
        assert result.returncode == 0, result.stderr
    return target


@pytest.fixture(scope="module")
def wheel(built):
    with zipfile.ZipFile(next(built.glob("*.whl"))) as archive:
        yield archive


def test_the_source_distribution_has_what_the_wheel_leaves_out_and_no_tests(built):
    folder = next(each for each in built.iterdir() if each.is_dir())
    for name in (
        "eve_replay/tools/kit.py",
        "eve_replay/samples/proof/sweep.parts.tar.xz",
        "eve_replay/samples/proof/flue.tar.xz",
        "notebooks",
        "README.md",
    ):
        assert (folder / name).exists(), name
    assert not (folder / "tests").exists()
    command = [sys.executable, "-m", "eve_replay", "proof", "--case", "T2 before-116", "--json"]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": "."}
    )
    assert done.returncode == 0 and '"hits"' in done.stdout, done.stderr


def test_the_wheel_is_small(built):
    # Four hundred kilobytes are recordings and lessons that are opened without a network.
    assert next(built.glob("*.whl")).stat().st_size < 2_400_000


def test_what_a_wheel_lacks_is_told(built, tmp_path):
    with zipfile.ZipFile(next(built.glob("*.whl"))) as archive:
        archive.extractall(tmp_path)
    for words, said in (
        (["proof"], "proof --corpus"),
        (["workshop", "kit", str(tmp_path / "kit")], "source of eve-replay"),
        (["workshop", "site", str(tmp_path / "site")], "source of eve-replay"),
    ):
        command = [sys.executable, "-m", "eve_replay", *words]
        env = os.environ | {"PYTHONPATH": str(tmp_path)}
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=env)
        assert done.returncode in (2, 3) and said in " ".join(done.stderr.split()), (words, done.stderr)


def test_every_sample_opens_from_the_wheel(built, tmp_path):
    with zipfile.ZipFile(next(built.glob("*.whl"))) as archive:
        archive.extractall(tmp_path)
    code = (
        "from eve_replay import samples\n"
        "for group in ('tour', 'workshop', 'incidents'):\n"
        "    for name in samples.names(group):\n"
        "        assert list(samples.open(name).runs()), name\n"
    )
    env = os.environ | {"PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr


def test_content(wheel):
    names = wheel.namelist()
    assert "eve_replay/py.typed" in names
    assert "eve_replay/samples/crash-in-tool.parts.tar.xz" in names
    assert "eve_replay_tui/__init__.py" in names
    assert any(name.startswith("eve_replay/_notebooks/") for name in names)
    lessons = {
        name.partition("/zh/")[2] for name in names if name.startswith("eve_replay/_notebooks/workshop/zh/")
    }
    assert lessons and all(f"eve_replay/_notebooks/workshop/{name}" in names for name in lessons)
    assert "eve_replay/_notebooks/workshop/solutions/lesson_01.py" in names
    unwanted = ("tests/", "corpus", "__pycache__", "eve_replay/tools/", "notebook/js/", "proof/sweep.tar")
    assert not [name for name in names if any(each in name for each in unwanted)]
    assert "eve_replay/_docs/evidence/sweep.md" in names and "eve_replay/_docs/formats/local.md" in names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    extension = "share/jupyter/labextensions/eve-replay/static/remoteEntry.js"
    assert sum(name.endswith(extension) for name in names) == 1
    assert not [name for name in names if name.startswith("eve_replay/notebook/labextension")]
    assert sum(info.file_size for info in wheel.infolist()) < 12 << 20


def test_the_base_is_small_and_the_extras_are_the_agreed_ones():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert sorted(d.partition(">")[0] for d in project["dependencies"]) == [
        "click",
        "cryptography",
        "zstandard",
    ]
    extras = set(project["optional-dependencies"])
    assert extras >= {"tui", "notebook", "postgres", "redis", "live", "remote", "all", "test"}
    assert project["requires-python"] == ">=3.11"
    assert project["scripts"] == {"eve-replay": "eve_replay.cli:main"}

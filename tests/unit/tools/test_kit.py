"""The kit: whose wheels are found, what is never touched, and where eve-replay's own wheel comes from."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from eve_replay.cli import run
from eve_replay.errors import SourceUnreadable, WrongUse
from eve_replay.tools.kit import build_kit, resolve
from eve_replay.tools.kit_files import readme, start_scripts
from eve_replay.tools.machines import PLATFORMS, here, machines
from eve_replay.tools.places import beside, move_into_place
from eve_replay.tools.programs import ToolFailed, pip_download, python, require
from eve_replay.tools.wheels import own_wheel, read_wheel, repack
from tests.unit.tools._wheels import make_wheel

ROOT = Path(__file__).parents[3]


def quiet(text):
    """Progress that nobody reads."""


def machine(python_version="3.12", platform="windows-x64"):
    return machines([python_version], [platform])[0]


def test_machines_are_named_in_words_or_wheel_tags():
    mine = here()
    assert machines([], []) == (mine,)
    assert mine.python == f"{sys.version_info.major}.{sys.version_info.minor}"
    both = machines(["3.12", "3.13"], ["win_amd64", "macos-arm64"])
    assert [str(each) for each in both] == [
        "Python 3.12 on windows-x64",
        "Python 3.13 on windows-x64",
        "Python 3.12 on macos-arm64",
        "Python 3.13 on macos-arm64",
    ]
    special = machine(platform="manylinux_2_28_aarch64")
    assert special.tags == ("manylinux_2_28_aarch64",) or "manylinux_2_28_aarch64" in special.tags
    assert machine(platform="musllinux_1_2_x86_64").tags == ("musllinux_1_2_x86_64",)
    for name in PLATFORMS:
        assert machine(platform=name).markers["python_version"] == "3.12"
    for bad in (["2.7"], ["3.10"], ["three"], ["3.12.1"]):
        with pytest.raises(WrongUse):
            machines(bad, [])
    with pytest.raises(WrongUse, match="windows-x64"):
        machines([], ["amiga"])


@pytest.fixture
def shelf(tmp_path):
    """Wheels in a folder, instead of a package index."""
    folder = tmp_path / "shelf"
    make_wheel(folder, "alpha", "2.0", ["delta<2", 'tools>=1; os_name == "nt"'])
    make_wheel(folder, "alpha", "3.0", ["broken"], tag="cp39-cp39-win_amd64")
    make_wheel(folder, "beta", requires=["delta", 'old-python; python_version < "3.12"', "gamma[fast]"])
    make_wheel(folder, "delta", "1.5")
    make_wheel(folder, "delta", "2.5")
    make_wheel(folder, "gamma", requires=['speed; extra == "fast"', 'rest; extra == "slow"'], extras=["fast"])
    make_wheel(folder, "old-python")
    make_wheel(folder, "speed", tag="cp312-cp312-win_amd64")
    make_wheel(folder, "speed", tag="cp311-cp311-manylinux_2_28_x86_64")
    make_wheel(folder, "tools")
    return folder


@pytest.fixture
def own(tmp_path):
    requires = ["beta", 'alpha; extra == "workshop"', 'lonely; extra == "postgres"']
    return read_wheel(make_wheel(tmp_path / "own", "eve-replay", "0.1.0", requires, ["workshop", "postgres"]))


def names(wheels):
    return sorted(
        f"{wheel.name} {wheel.version} {wheel.path.stem.split('-')[-1]}" for wheel in wheels.values()
    )


def test_each_machine_gets_what_its_own_markers_ask_for(tmp_path, shelf, own):
    windows = resolve(machine(), own, tmp_path / "w", quiet, [shelf])
    assert names(windows) == [
        "alpha 2.0 any",
        "beta 1.0 any",
        "delta 1.5 any",
        "gamma 1.0 any",
        "speed 1.0 win_amd64",
        "tools 1.0 any",
    ]
    linux = resolve(machine("3.11", "linux-x64"), own, tmp_path / "l", quiet, [shelf])
    assert names(linux) == [
        "alpha 2.0 any",
        "beta 1.0 any",
        "delta 1.5 any",
        "gamma 1.0 any",
        "old-python 1.0 any",
        "speed 1.0 manylinux_2_28_x86_64",
    ]


def test_a_machine_without_a_wheel_is_named(tmp_path, shelf, own):
    with pytest.raises(ToolFailed, match=r"Python 3\.12 on macos-arm64: .*no such package.*speed") as caught:
        resolve(machine(platform="macos-arm64"), own, tmp_path / "m", quiet, [shelf])
    assert caught.value.exit_code == 3


def test_what_fails_with_pip_is_said_in_plain_words(tmp_path):
    def failing(text):
        python(["-c", f"import sys; sys.stderr.write({text!r}); sys.exit(1)"], what="pip download")

    with pytest.raises(ToolFailed, match="registry cannot be reached"):
        failing(
            "WARNING: Retrying ... NewConnectionError('...')\nERROR: No matching distribution found for x"
        )
    with pytest.raises(ToolFailed, match="has no pip"):
        failing("/usr/bin/python: No module named pip")
    with pytest.raises(ToolFailed, match="failed: ERROR: disk full"):
        failing("note\nERROR: disk full\n")
    with pytest.raises(ToolFailed, match="it said nothing"):
        failing("")
    with pytest.raises(ToolFailed, match=r"no such package .*no-such-thing"):
        pip_download(["no-such-thing==1"], tmp_path, sources=[tmp_path])
    needs = [(False, "npm", "install Node.js"), (True, "pip", "x"), (False, "packaging", "install packaging")]
    with pytest.raises(ToolFailed) as caught:
        require(needs, purpose="To build the site")
    assert str(caught.value) == (
        "To build the site, this is missing: npm, packaging. Install Node.js; install packaging."
    )


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return own_wheel(tmp_path_factory.mktemp("built"))


def test_the_own_wheel_of_a_checkout_is_whole_and_the_same_each_time(built, tmp_path):
    with zipfile.ZipFile(built) as archive:
        found = archive.namelist()
    assert {"eve_replay/__init__.py", "eve_replay_tui/__init__.py"} <= set(found)
    assert any(each.startswith("eve_replay/_notebooks/workshop/") for each in found)
    assert read_wheel(built).name == "eve-replay" and "eve_replay" in read_wheel(built).imports
    assert repack(built, tmp_path, lambda name: False).read_bytes() == built.read_bytes()
    smaller = repack(built, tmp_path, lambda name: "/solutions/" in name)
    with zipfile.ZipFile(smaller) as archive:
        record = archive.read(next(each for each in archive.namelist() if each.endswith("RECORD"))).decode()
        assert archive.testzip() is None
        assert sorted(line.partition(",")[0] for line in record.splitlines()) == sorted(archive.namelist())
        assert "/solutions/" not in record


def test_no_wheel_is_no_traceback(tmp_path):
    (tmp_path / "x.whl").write_bytes(b"nothing")
    with pytest.raises(SourceUnreadable, match="no wheel"):
        read_wheel(tmp_path / "x.whl")


def test_start_scripts_parse_and_name_the_pythons():
    scripts = start_scripts(
        machines(["3.12", "3.13"], ["linux-x64", "macos-arm64", "windows-x64"]), ["en", "zh"]
    )
    assert sorted(scripts) == ["start.cmd", "start.command", "start.sh"]
    assert "py -3.13" in scripts["start.cmd"] and "{" not in scripts["start.cmd"]
    assert '"3.13 3.12".split()' in scripts["start.sh"]
    shell = shutil.which("sh")
    if shell:
        subprocess.run([shell, "-n"], input=scripts["start.sh"], text=True, check=True)
    assert [*start_scripts([machine()], ["zh"])] == ["start.cmd"]
    texts = readme([machine(), machine("3.13")], ["en", "zh"])
    assert "For: windows-x64 (Python 3.12, 3.13)." in texts["README.txt"]
    assert "start.cmd" in texts["README.txt"] and "start.sh" not in texts["README.txt"]
    assert "不需要互联网" in texts["README.zh.txt"]


def test_a_start_script_says_which_python_it_needs(tmp_path):
    shell = shutil.which("sh")
    if not shell:
        pytest.skip("needs a Unix shell")
    script = tmp_path / "start.sh"
    script.write_text(start_scripts([machine("3.99", "linux-x64")], ["en"])["start.sh"], encoding="utf-8")
    result = subprocess.run([shell, str(script)], capture_output=True, text=True)
    assert result.returncode == 1 and "Python 3.99" in result.stderr
    assert not (tmp_path / ".venv").exists()


def test_the_kit_is_whole_or_not_there(tmp_path, shelf, own, monkeypatch):
    def copied(folder, without):
        return Path(shutil.copy(own.path, folder))

    monkeypatch.setattr("eve_replay.tools.kit.own_wheel", copied)
    lesson = tmp_path / "04-which-key.ipynb"
    lesson.write_text("{}")
    lessons = {"en": [(lesson, Path(lesson.name))], "zh": [(lesson, Path(lesson.name))]}
    out = tmp_path / "kit"
    targets = machines(["3.12"], ["windows-x64"])
    kit = build_kit(out, lessons, targets, quiet, sources=[shelf])
    assert (kit.wheels, kit.lessons, kit.archive) == (7, {"en": 1, "zh": 1}, tmp_path / "kit.zip")
    assert (out / "lessons-zh" / lesson.name).is_file() and (out / "start.cmd").read_bytes().count(
        b"\r\n"
    ) > 20
    with zipfile.ZipFile(kit.archive) as archive:
        assert "kit/wheels/delta-1.5-py3-none-any.whl" in archive.namelist()
    first = kit.archive.read_bytes()
    assert build_kit(out, lessons, targets, quiet, sources=[shelf]).archive.read_bytes() == first

    with pytest.raises(ToolFailed):
        build_kit(out, lessons, machines(["3.12"], ["macos-arm64"]), quiet, sources=[shelf])
    assert (out / "start.cmd").is_file() and kit.archive.read_bytes() == first
    assert [each for each in tmp_path.iterdir() if each.name.startswith(".")] == []

    other = tmp_path / "mine"
    other.mkdir()
    (other / "thesis.txt").write_text("years of work")
    for place in (other, other / "thesis.txt"):
        with pytest.raises(WrongUse):
            build_kit(place, lessons, targets, quiet, sources=[shelf])
    assert (other / "thesis.txt").read_text() == "years of work"


def test_the_command_says_what_is_wrong(tmp_path, capsys):
    assert run(["workshop", "kit", str(tmp_path / "kit"), "--python", "2.7"]) == 2
    assert "3.11 or newer" in capsys.readouterr().err
    empty = tmp_path / "empty"
    empty.mkdir()
    assert run(["workshop", "kit", str(tmp_path / "kit"), "--wheels", str(empty)]) == 3
    assert "no such package" in capsys.readouterr().err
    assert not (tmp_path / "kit").exists()


def test_an_earlier_kit_stays_when_the_new_one_cannot_be_put_there(tmp_path, monkeypatch):
    out = tmp_path / "kit"
    out.mkdir()
    (out / "old").write_text("old")

    def failing(self, target):
        if self.name == "made":
            raise OSError(28, "No space left on device")
        return real(self, target)

    real = Path.rename
    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(SourceUnreadable, match="No space left"), beside(out) as scratch:
        (scratch / "made").mkdir()
        move_into_place(scratch / "made", out)
    assert (out / "old").read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["kit"]
    (tmp_path / "file").write_text("")
    with pytest.raises(SourceUnreadable, match="cannot be written"), beside(tmp_path / "file" / "kit"):
        pass

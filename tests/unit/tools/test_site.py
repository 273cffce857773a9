"""The edition in a browser: what it is made of, before any browser sees it (that: tests/e2e/test_site.py)."""

import ast
import io
import json
import socket
import subprocess
import sys
import tarfile
import urllib.request
from pathlib import Path

import pytest

from eve_replay.cli import run
from eve_replay.cli.workshop.start import lesson_files
from eve_replay.errors import SourceUnreadable
from eve_replay.tools import pyodide, site
from eve_replay.tools.programs import ToolFailed
from eve_replay.tools.site_pages import SERVE, index_page, readme
from eve_replay.tools.wheels import read_wheel
from tests.unit.tools._wheels import make_wheel

INFO = {"python": "3.14.2", "arch": "wasm32"}
PARTS = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
PINS = Path(site.__file__).with_name("site-wheels.txt")


def lessons(language="en"):
    return [(source, place) for source, place in lesson_files(language) if place.suffix == ".ipynb"]


def test_the_package_list_names_every_wheel_and_checks_that_none_is_missing(tmp_path):
    shelf = tmp_path / "shelf"
    wheels = [
        read_wheel(make_wheel(shelf, "eve-replay", requires=["zstandard>=0.23", "click", "textual<9"])),
        read_wheel(make_wheel(shelf, "click", requires=['colorama; sys_platform == "win32"'])),
    ]
    target = tmp_path / "pyodide"
    target.mkdir()
    assert pyodide.write_lock(target, wheels, INFO) == ("click", "eve-replay")
    lock = json.loads((target / "pyodide-lock.json").read_text())
    assert lock["info"] == INFO
    own = lock["packages"]["eve-replay"]
    assert own["depends"] == ["click"] and own["imports"] == ["eve_replay"]
    assert all("/" not in each["file_name"] for each in lock["packages"].values())
    assert (target / own["file_name"]).is_file()
    with pytest.raises(ToolFailed, match="click"):
        pyodide.write_lock(target, wheels[:1], INFO)
    with pytest.raises(ToolFailed, match="eve-replay"):
        pyodide.write_lock(target, wheels[1:], INFO)


def test_a_runtime_is_taken_from_npm_or_from_an_archive_and_must_be_whole(tmp_path):
    def archive(folder, *names):
        path = tmp_path / f"{folder}-{len(names)}.tgz"
        with tarfile.open(path, "w:gz") as tar:
            for name in names:
                data = json.dumps({"info": INFO}).encode() if name.endswith(".json") else b"x"
                member = tarfile.TarInfo(f"{folder}/{name}")
                member.size = len(data)
                tar.addfile(member, io.BytesIO(data))
        return path

    for folder in ("package", "pyodide"):
        target = tmp_path / f"out-{folder}"
        assert pyodide.unpack_runtime(archive(folder, *PARTS, "pyodide-lock.json", "extra"), target) == INFO
        assert sorted(each.name for each in target.iterdir()) == sorted([*PARTS, "pyodide-lock.json"])
    assert pyodide.unpack_runtime(tmp_path / "out-package", tmp_path / "copy") == INFO
    with pytest.raises(SourceUnreadable, match=r"pyodide\.mjs"):
        pyodide.unpack_runtime(archive("package", *PARTS[1:], "pyodide-lock.json"), tmp_path / "less")
    (tmp_path / "text").write_text("no archive")
    with pytest.raises(SourceUnreadable, match="no Pyodide"):
        pyodide.unpack_runtime(tmp_path / "text", tmp_path / "none")


def test_the_first_page_links_every_lesson_and_begins_the_site():
    both = {"en": lessons("en"), "zh": lessons("zh")}
    page = index_page(both)
    for language, files in both.items():
        for _, place in files:
            assert f'href="lab/index.html?path={language}/{place.name}"' in page
    assert 'data-jupyter-lite-root="."' in page and "://" not in page
    assert "http.server" in readme(both)


def test_a_title_cannot_leave_its_link(tmp_path):
    cell = {"cell_type": "markdown", "id": "a", "metadata": {}, "source": ["# <script>x</script>"]}
    path = tmp_path / "01-x.ipynb"
    path.write_text(json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    assert "<script>x" not in index_page({"en": [(path, Path("01-x.ipynb"))]})


def test_every_version_is_fixed_once():
    lines = [line for line in PINS.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    assert all(line.count("==") == 1 and "*" not in line for line in lines)
    names = [line.partition("==")[0] for line in lines]
    assert names == sorted(set(names))


def test_lessons_import_only_what_a_browser_has():
    here = {"eve_replay", "ipywidgets", "anywidget", "IPython", "traitlets"} | set(sys.stdlib_module_names)
    for language in ("en", "zh"):
        for source, place in lessons(language):
            for cell in json.loads(source.read_text("utf-8"))["cells"]:
                if cell["cell_type"] != "code":
                    continue
                text = "".join(cell["source"])
                tree = ast.parse("\n".join(line for line in text.splitlines() if not line.startswith("%")))
                for node in ast.walk(tree):
                    found = [each.name for each in node.names] if isinstance(node, ast.Import) else []
                    found += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
                    wrong = {each.partition(".")[0] for each in found} - here
                    assert not wrong, f"{place} ({language}), cell {cell['id']}: {wrong}"


def test_the_core_and_the_widgets_need_nothing_that_a_browser_lacks():
    script = (
        "import sys\n"
        "for name in ('zstandard', 'cryptography', 'textual', 'pandas', 'numpy', 'plotly', 'psycopg',"
        " 'cbor2', 'jupyter_server', 'notebook', 'nbconvert', 'nbformat'):\n"
        "    sys.modules[name] = None\n"
        "from eve_replay.notebook import attempt_diff, crash_lab, explore, lesson, table\n"
        "import eve_replay\n"
        "journal = eve_replay.open_journal('sample:crash-in-tool')\n"
        "explore(journal); crash_lab(journal); attempt_diff(journal); table([{'a': 1}])\n"
        "print(lesson('01'))\n"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def test_notebooks_ask_for_the_kernel_that_is_there(tmp_path):
    source, _ = lessons()[0]
    book = json.loads(site._for_browsers(source))
    assert book["metadata"]["kernelspec"]["name"] == "python"
    assert book["cells"] == json.loads(source.read_text("utf-8"))["cells"]
    (tmp_path / "x.ipynb").write_text("[]")
    with pytest.raises(SourceUnreadable, match="no notebook"):
        site._for_browsers(tmp_path / "x.ipynb")


def test_nothing_is_built_where_something_is_missing(tmp_path, monkeypatch, capsys):
    real = site.has_module
    monkeypatch.setattr(site, "has_module", lambda name: name != "jupyterlite_core" and real(name))
    monkeypatch.setattr("shutil.which", lambda name: None)
    assert run(["workshop", "site", str(tmp_path / "site")]) == 3
    told = capsys.readouterr().err
    assert "JupyterLite" in told and "npm" in told and "eve-replay[site]" in told
    assert [*tmp_path.iterdir()] == []


def test_a_folder_of_somebody_else_is_left_alone(tmp_path, capsys):
    (tmp_path / "thesis.txt").write_text("years of work")
    assert run(["workshop", "site", str(tmp_path)]) == 2
    assert "--force" in capsys.readouterr().err
    assert (tmp_path / "thesis.txt").is_file()


def test_the_server_that_lies_in_the_site_names_types_as_browsers_want_them(tmp_path):
    (tmp_path / "serve.py").write_text(SERVE)
    (tmp_path / "x.mjs").write_text("1")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [sys.executable, str(tmp_path / "serve.py"), str(port)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert f"http://localhost:{port}" in server.stdout.readline()
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/x.mjs", timeout=10) as answer:
                assert answer.headers["Content-Type"] == "text/javascript"
        finally:
            server.terminate()

